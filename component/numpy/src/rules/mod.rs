//! The rules, in the order in which they are asked.
//!
//! Each rule has a file of its own: what it says of itself, how it decides, the
//! Rust it writes. To add one, write the file and list it here.

use rextio_plugin_kit::{ClaimSite, LoweredExpr, Rejection, RuleSet, Verdict};

use crate::PLUGIN_ID;
use crate::types::{Array, Dtype, RUNTIME_MODULE, Rank, describe};

mod boundaries;
mod chain_fusion;
mod elementwise;
mod ufunc_call;
mod unary;
mod upcoming;

/// The plugin's rules. A fused chain is also an elementwise operation, so
/// fusion is asked first.
pub static RULES: RuleSet = RuleSet::new(
    PLUGIN_ID,
    &[
        &chain_fusion::ChainFusion,
        &elementwise::Elementwise,
        &ufunc_call::UfuncCall,
        &unary::Unary,
        &upcoming::DOT,
        &upcoming::REDUCTION,
        &upcoming::REDUCTION_EXTREMA,
        &upcoming::REDUCTION_AXIS,
        &upcoming::COMPARE,
        &upcoming::LOGICAL_NOT,
        &upcoming::LOGICAL_BINARY,
        &upcoming::WHERE,
        &boundaries::OPERAND_TYPES,
        &boundaries::NDIM,
        &boundaries::VIEW_ALIASING,
        &boundaries::NDARRAY_SUBCLASS,
        &boundaries::UNSUPPORTED_API,
    ],
);

/// A binary operator with NumPy's name for it and Python's symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
}

impl Operator {
    const ALL: [Self; 4] = [Self::Add, Self::Subtract, Self::Multiply, Self::Divide];

    fn of_symbol(symbol: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|operator| operator.symbol() == symbol)
    }

    fn of_ufunc(target: &str) -> Option<Self> {
        let name = target.strip_prefix("numpy.")?;
        Self::ALL
            .into_iter()
            .find(|operator| operator.name() == name)
    }

    fn symbol(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
        }
    }

    /// The name of the ufunc, and of the runtime's function.
    fn name(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Subtract => "subtract",
            Self::Multiply => "multiply",
            Self::Divide => "divide",
        }
    }

    /// NumPy's true division of integers is in float64.
    fn result_dtype(self, dtype: Dtype) -> Dtype {
        match (self, dtype) {
            (Self::Divide, Dtype::I64) => Dtype::F64,
            (_, dtype) => dtype,
        }
    }
}

/// The answer for a known construct over operands it does not support: nothing
/// where one of them is unresolved, otherwise a rejection that says what was
/// seen.
fn unsupported<P>(site: &ClaimSite, why: &str) -> Verdict<P> {
    if site.operand_types.iter().any(Option::is_none) {
        return Verdict::NotCovered;
    }
    let seen: Vec<_> = site
        .operand_types
        .iter()
        .flatten()
        .map(|key| describe(key))
        .collect();
    let seen = if seen.is_empty() {
        "no operands".to_owned()
    } else {
        seen.join(" and ")
    };
    Verdict::Rejected(Rejection {
        code: boundaries::OPERAND_TYPES_CODE,
        message: format!("`{}` over {seen} stays on Python: {why}", site.target),
        suggestion: boundaries::OPERAND_TYPES_GUIDANCE.to_owned(),
    })
}

/// A call into the runtime, with the module it needs.
fn runtime_call(rust: String) -> LoweredExpr {
    LoweredExpr {
        rust,
        // All array types carry the same module.
        type_support: vec![Array::new(Dtype::F64, Rank::One).key().to_owned()],
        ..LoweredExpr::default()
    }
}

/// An operand by reference. A plain name stays usable afterwards.
fn borrow(operand: &str) -> String {
    let plain = operand
        .chars()
        .all(|c| c.is_alphanumeric() || matches!(c, '_' | '#'));
    if plain || (operand.starts_with('(') && operand.ends_with(')')) {
        format!("&{operand}")
    } else {
        format!("&({operand})")
    }
}

/// An operand as an argument of an operation of the runtime. A name or another
/// place is lent. The value of a call or a block has no other owner here, so it
/// is given away: the runtime may write the result into it, once it has seen
/// that nobody else refers to the array.
fn argument(operand: &str) -> String {
    let value = without_parentheses(operand);
    if value.ends_with(['?', ')', '}']) && !value.starts_with(['*', '&']) {
        value.to_owned()
    } else {
        borrow(operand)
    }
}

/// `text` without the pair of parentheses around all of it, about which rustc
/// warns in an argument. Text that quotes may hold unpaired ones and is left
/// alone.
fn without_parentheses(text: &str) -> &str {
    let Some(inner) = text
        .strip_prefix('(')
        .and_then(|text| text.strip_suffix(')'))
    else {
        return text;
    };
    let mut depth = 0_usize;
    for character in inner.chars() {
        match character {
            '(' => depth += 1,
            // The first parenthesis ends here, before the text does.
            ')' if depth == 0 => return text,
            ')' => depth -= 1,
            '"' | '\'' => return text,
            _ => {}
        }
    }
    inner
}

/// The path of a function of the runtime.
fn path(function: &str) -> String {
    format!("{RUNTIME_MODULE}::{function}")
}

#[cfg(test)]
mod tests {
    use rextio_plugin_kit::RuleOutcome;

    use super::*;

    #[test]
    fn every_rule_is_documented_and_its_examples_hold() {
        assert_eq!(RULES.problems(), Vec::<String>::new());
    }

    #[test]
    fn a_native_rule_is_verified_exactly_when_it_claims() {
        for declaration in RULES.declarations() {
            let claims = !declaration.examples.is_empty();
            let expected = (declaration.outcome == RuleOutcome::Native).then_some(claims);
            assert_eq!(declaration.verified, expected, "{}", declaration.name);
        }
    }

    #[test]
    fn operands_are_borrowed_and_expressions_kept_whole() {
        assert_eq!(borrow("a"), "&a");
        assert_eq!(borrow("r#type"), "&r#type");
        assert_eq!(borrow("(f(&a)?)"), "&(f(&a)?)");
        assert_eq!(borrow("f(&a)?"), "&(f(&a)?)");
    }

    #[test]
    fn values_are_given_away_and_places_lent() {
        for (operand, expected) in [
            ("a", "&a"),
            ("(a)", "&(a)"),
            ("r#type", "&r#type"),
            ("self.a", "&(self.a)"),
            ("*(a)", "&(*(a))"),
            ("a.clone()", "a.clone()"),
            ("f(&a)?", "f(&a)?"),
            ("(f(&a)?)", "f(&a)?"),
            ("(f(g(&a)?, (1.0))?)", "f(g(&a)?, (1.0))?"),
            ("(a).f(b)", "(a).f(b)"),
            ("(f)(a)", "(f)(a)"),
            ("{ a = f(&b)?; a.clone() }", "{ a = f(&b)?; a.clone() }"),
            (
                r#"(a.clone().ok_or_else(|| e("("))?)"#,
                r#"(a.clone().ok_or_else(|| e("("))?)"#,
            ),
        ] {
            assert_eq!(argument(operand), expected);
        }
    }
}
