//! `torch.nn.functional.linear(x, weight, bias)`.
//!
//! Claims the call with three positional tensors of ranks 2, 2 and 1; the result
//! is of rank 2. Declines unresolved operands and a method of that name; rejects
//! keywords, a missing bias and other ranks.
//!
//! ```python
//! F.linear(x, w, b)   # rextio_torch_runtime::linear(&x, &w, &b)?
//! ```
//!
//! PyTorch: <https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.linear.html>

use rextio_plugin_kit::sites::{call, with_option};
use rextio_plugin_kit::{
    ClaimLiteral, ClaimSite, Counterexample, Declaration, Example, Expected, LoweredExpr, Operands,
    Rule, RuleOutcome, ScopeKind, SiteKind, Verdict,
};

use super::{RuntimeCall, is_plain, over_tensors, rejected, unsupported};
use crate::types::{Rank, TENSOR_1D, TENSOR_2D};

/// The rule.
pub(super) struct Linear;

const TARGET: &str = "torch.nn.functional.linear";

const DECLARATION: Declaration = Declaration {
    name: "functional-linear-f32-cpu-2d",
    code: Some("RXTP-TORCH-001"),
    scope: ScopeKind::Call,
    pattern: "torch.nn.functional.linear(x, weight, bias)",
    constraint: "Exactly three positional tensors: x and weight of rank 2, bias of rank 1. The \
                 result is of rank 2. Whether the lengths of the axes go together is seen when it \
                 runs, and raises PyTorch's RuntimeError where they do not.",
    outcome: RuleOutcome::Native,
    guidance: "Pass x, weight and bias by position, annotated as TensorF32Cpu2D, TensorF32Cpu2D \
               and TensorF32Cpu1D.",
    verified: Some(true),
    symbols: &[TARGET],
    examples: &[
        Example {
            python: "F.linear(x, w, b)",
            site: || call(TARGET, &[TENSOR_2D, TENSOR_2D, TENSOR_1D]),
            operands: &["x", "w", "b"],
            rust: "rextio_torch_runtime::linear(&x, &w, &b)?",
        },
        Example {
            python: "F.linear(x.relu(), w, b)",
            site: || call(TARGET, &[TENSOR_2D, TENSOR_2D, TENSOR_1D]),
            operands: &["(rextio_torch_runtime::relu(&x)?)", "w", "b"],
            rust: "rextio_torch_runtime::linear(rextio_torch_runtime::relu(&x)?, &w, &b)?",
        },
    ],
    counterexamples: &[
        Counterexample {
            python: "F.linear(x, w, b)  # x is 1-D",
            site: || call(TARGET, &[TENSOR_1D, TENSOR_2D, TENSOR_1D]),
            expected: Expected::Rejected("RXTP-TORCH-010"),
        },
        Counterexample {
            python: "F.linear(x, w)",
            site: || call(TARGET, &[TENSOR_2D, TENSOR_2D]),
            expected: Expected::Rejected("RXTP-TORCH-001"),
        },
        Counterexample {
            python: "F.linear(x, w, bias=b)",
            site: || {
                let product = call(TARGET, &[TENSOR_2D, TENSOR_2D]);
                with_option(product, "bias", ClaimLiteral::NonLiteral)
            },
            expected: Expected::Rejected("RXTP-TORCH-001"),
        },
        Counterexample {
            python: "F.bilinear(x, y, w)",
            site: || {
                call(
                    "torch.nn.functional.bilinear",
                    &[TENSOR_2D, TENSOR_2D, TENSOR_2D],
                )
            },
            expected: Expected::NotCovered,
        },
    ],
    ..Declaration::EMPTY
};

impl Rule for Linear {
    type Plan = RuntimeCall;

    fn declaration(&self) -> &'static Declaration {
        &DECLARATION
    }

    fn plan(&self, site: &ClaimSite) -> Verdict<RuntimeCall> {
        let is_function = site.kind == SiteKind::Call && site.receiver.is_none();
        if !is_function || site.target != TARGET {
            return Verdict::Pass;
        }
        if !is_plain(site, 3) {
            return rejected(
                &DECLARATION,
                site,
                "it takes x, weight and bias by position",
            );
        }
        over_tensors(site, |ranks| match ranks {
            [Rank::Two, Rank::Two, Rank::One] => Verdict::Claimed(RuntimeCall {
                function: "linear",
                result: Rank::Two,
            }),
            _ => unsupported(site, "x and weight must be 2-D and bias 1-D"),
        })
    }

    fn emit(&self, plan: &RuntimeCall, operands: &Operands<'_>) -> LoweredExpr {
        plan.emit(operands)
    }
}
