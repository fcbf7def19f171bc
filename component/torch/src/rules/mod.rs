//! The rules, in the order in which they are asked.
//!
//! Each family has a file of its own: what it says of itself, how it decides,
//! the Rust it writes. To add one, write the file and list its rules here.

use rextio_plugin_kit::{
    ClaimSite, Declaration, LoweredExpr, Operands, Planned, Receiver, Rejection, RuleSet, SiteKind,
    Verdict, operand_types,
};

use crate::PLUGIN_ID;
use crate::types::{RUNTIME_MODULE, Rank, describe};

mod activation;
mod add;
mod boundaries;
mod linear;
mod matmul;
mod reduction;

/// The plugin's rules. Where two of them differ in the rank they claim, the
/// first one also speaks for forms that neither supports.
pub static RULES: RuleSet = RuleSet::new(
    PLUGIN_ID,
    &[
        &linear::Linear,
        &activation::RELU_2D,
        &activation::RELU_1D,
        &activation::SIGMOID_2D,
        &activation::SIGMOID_1D,
        &activation::TANH_2D,
        &activation::TANH_1D,
        &matmul::OPERATOR,
        &matmul::CALL,
        &add::SAME_RANK,
        &add::BROADCAST,
        &reduction::MEAN,
        &reduction::SUM,
        &boundaries::TENSOR_SURFACE,
    ],
);

/// How every rule lowers its site: a call of a function of the runtime over all
/// operands. Names are lent and intermediate results given away.
pub(crate) struct RuntimeCall {
    function: &'static str,
    result: Rank,
}

impl Planned for RuntimeCall {
    fn result_type(&self) -> &str {
        self.result.key()
    }
}

impl RuntimeCall {
    fn emit(&self, operands: &Operands<'_>) -> LoweredExpr {
        let (function, arguments) = (self.function, operands.arguments());
        LoweredExpr {
            rust: format!("{RUNTIME_MODULE}::{function}({arguments})?"),
            // Both tensor types carry the same module.
            type_support: vec![self.result.key().to_owned()],
            ..LoweredExpr::default()
        }
    }
}

/// The receiver, where the site is a call of the method `name`. What stands
/// before the name is the receiver, however written.
fn receiver_of<'a>(site: &'a ClaimSite, name: &str) -> Option<&'a Receiver> {
    let called = site.target.rsplit('.').next() == Some(name);
    let receiver = site.receiver.as_ref();
    receiver.filter(|_| called && site.kind == SiteKind::Call)
}

/// Whether a site has this many operands and no keywords. An operator has no
/// receiver.
fn is_plain(site: &ClaimSite, count: usize) -> bool {
    let receiver_fits = site.receiver.is_none() || site.kind == SiteKind::Call;
    receiver_fits && site.keywords.is_empty() && operand_types(site).count() == count
}

/// Decides by the ranks of a site's operands. Nothing is said where one of them
/// is unresolved, and one that is no tensor is rejected.
fn over_tensors<P>(site: &ClaimSite, decide: impl FnOnce(&[Rank]) -> Verdict<P>) -> Verdict<P> {
    let Some(keys) = operand_types(site).collect::<Option<Vec<_>>>() else {
        return Verdict::NotCovered;
    };
    let ranks: Option<Vec<_>> = keys.into_iter().map(Rank::of).collect();
    match ranks {
        Some(ranks) => decide(&ranks),
        None => unsupported(site, "it takes float32 CPU tensors"),
    }
}

/// The answer for operands outside of what the plugin speaks about.
fn unsupported<P>(site: &ClaimSite, why: &str) -> Verdict<P> {
    rejected(&boundaries::TENSOR_SURFACE.0, site, why)
}

/// The answer for a form that a rule does not support.
fn rejected<P>(rule: &Declaration, site: &ClaimSite, why: &str) -> Verdict<P> {
    Verdict::Rejected(Rejection::by(rule, site, describe, why))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use rextio_plugin_kit::RuleOutcome;

    use super::*;

    #[test]
    fn every_rule_is_documented_and_its_examples_hold() {
        assert_eq!(RULES.problems(), Vec::<String>::new());
    }

    #[test]
    fn ids_and_codes_are_those_that_projects_know() {
        let codes: BTreeMap<_, _> = RULES
            .records()
            .into_iter()
            .map(|record| (record.diagnostic_code.unwrap(), record.id))
            .collect();
        let known = [
            "functional-linear-f32-cpu-2d",
            "tensor-relu-f32-cpu-2d",
            "tensor-mean-dim1-f32-cpu-2d",
            "tensor-relu-f32-cpu-1d",
            "tensor-sigmoid-f32-cpu-1d",
            "tensor-sigmoid-f32-cpu-2d",
            "tensor-tanh-f32-cpu-1d",
            "tensor-tanh-f32-cpu-2d",
            "tensor-matmul-f32-cpu-2d",
            "unsupported-tensor-surface",
            "tensor-add-f32-cpu-same-rank",
            "tensor-add-f32-cpu-2d-1d-broadcast",
            "tensor-sum-dim1-f32-cpu-2d",
            "tensor-matmul-call-f32-cpu-2d",
        ];
        let known = known.iter().enumerate().map(|(index, name)| {
            (
                format!("RXTP-TORCH-{:03}", index + 1),
                format!("rextio-torch/{name}"),
            )
        });
        assert_eq!(codes, known.collect());
    }

    #[test]
    fn every_native_rule_is_verified() {
        for declaration in RULES.declarations() {
            let native = declaration.outcome == RuleOutcome::Native;
            assert_eq!(declaration.verified, Some(native), "{}", declaration.name);
        }
    }
}
