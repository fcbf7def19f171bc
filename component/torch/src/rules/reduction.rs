//! `t.mean(dim=1, keepdim=False)`, `t.sum(dim=1, keepdim=False)`.
//!
//! Two rules, one a method. They claim the call on a tensor of rank 2 with both
//! keywords, in either order, written as just these literals; the result is of
//! rank 1.
//!
//! Decline receivers of unresolved type and the functions `torch.mean` and
//! `torch.sum`; reject every other form and receivers that are no such tensors.
//!
//! ```python
//! t.mean(dim=1, keepdim=False)   # rextio_torch_runtime::mean_dim1(&t)?
//! ```
//!
//! PyTorch: <https://docs.pytorch.org/docs/stable/generated/torch.mean.html>

use rextio_plugin_kit::sites::{call, method, with_option};
use rextio_plugin_kit::{
    ClaimLiteral, ClaimSite, Counterexample, Declaration, Example, Expected, LoweredExpr, Operands,
    Rule, RuleOutcome, ScopeKind, Verdict,
};

use super::{RuntimeCall, over_tensors, receiver_of, rejected, unsupported};
use crate::types::{Rank, TENSOR_1D, TENSOR_2D};

/// A reduction of the rows.
pub(super) struct Reduction {
    declaration: &'static Declaration,
    method: &'static str,
    function: &'static str,
}

/// `mean`.
pub(super) static MEAN: Reduction = Reduction {
    declaration: &Declaration {
        name: "tensor-mean-dim1-f32-cpu-2d",
        code: Some("RXTP-TORCH-003"),
        pattern: "t.mean(dim=1, keepdim=False) on a 2-D tensor",
        guidance: "Write mean(dim=1, keepdim=False), with these literals, on a tensor annotated \
                   as TensorF32Cpu2D.",
        symbols: &["torch.Tensor.mean"],
        examples: &[Example {
            python: "t.mean(dim=1, keepdim=False)",
            site: || rows("mean", TENSOR_2D, ClaimLiteral::Int(1), false),
            operands: &["t"],
            rust: "rextio_torch_runtime::mean_dim1(&t)?",
        }],
        counterexamples: &[
            Counterexample {
                python: "t.mean(dim=0, keepdim=False)",
                site: || rows("mean", TENSOR_2D, ClaimLiteral::Int(0), false),
                expected: Expected::Rejected("RXTP-TORCH-003"),
            },
            Counterexample {
                python: "t.mean(dim=1, keepdim=True)",
                site: || rows("mean", TENSOR_2D, ClaimLiteral::Int(1), true),
                expected: Expected::Rejected("RXTP-TORCH-003"),
            },
            Counterexample {
                python: "t.mean()",
                site: || method("mean", TENSOR_2D, &[]),
                expected: Expected::Rejected("RXTP-TORCH-003"),
            },
            Counterexample {
                python: "t.mean(dim=1, keepdim=False)  # 1-D",
                site: || rows("mean", TENSOR_1D, ClaimLiteral::Int(1), false),
                expected: Expected::Rejected("RXTP-TORCH-010"),
            },
            Counterexample {
                python: "torch.mean(t)",
                site: || call("torch.mean", &[TENSOR_2D]),
                expected: Expected::NotCovered,
            },
        ],
        ..BASE
    },
    method: "mean",
    function: "mean_dim1",
};

/// `sum`.
pub(super) static SUM: Reduction = Reduction {
    declaration: &Declaration {
        name: "tensor-sum-dim1-f32-cpu-2d",
        code: Some("RXTP-TORCH-013"),
        pattern: "t.sum(dim=1, keepdim=False) on a 2-D tensor",
        guidance: "Write sum(dim=1, keepdim=False), with these literals, on a tensor annotated \
                   as TensorF32Cpu2D.",
        symbols: &["torch.Tensor.sum"],
        examples: &[Example {
            python: "t.sum(keepdim=False, dim=1)",
            site: || {
                let mut site = rows("sum", TENSOR_2D, ClaimLiteral::Int(1), false);
                site.keywords.reverse();
                site
            },
            operands: &["t"],
            rust: "rextio_torch_runtime::sum_dim1(&t)?",
        }],
        counterexamples: &[
            Counterexample {
                python: "t.sum(dim=axis, keepdim=False)",
                site: || rows("sum", TENSOR_2D, ClaimLiteral::NonLiteral, false),
                expected: Expected::Rejected("RXTP-TORCH-013"),
            },
            Counterexample {
                python: "t.sum(1)",
                site: || method("sum", TENSOR_2D, &["int"]),
                expected: Expected::Rejected("RXTP-TORCH-013"),
            },
            Counterexample {
                python: "x.sum(dim=1, keepdim=False)  # of unresolved type",
                site: || {
                    let mut site = rows("sum", TENSOR_2D, ClaimLiteral::Int(1), false);
                    if let Some(receiver) = &mut site.receiver {
                        receiver.arg_type = None;
                    }
                    site
                },
                expected: Expected::NotCovered,
            },
        ],
        ..BASE
    },
    method: "sum",
    function: "sum_dim1",
};

const BASE: Declaration = Declaration {
    scope: ScopeKind::Call,
    constraint: "The method of a tensor of rank 2 with exactly the keywords dim=1 and \
                 keepdim=False, in either order, written as literals. The result is of rank 1. \
                 The rows may be empty: their sum is 0 and their mean NaN.",
    outcome: RuleOutcome::Native,
    verified: Some(true),
    ..Declaration::EMPTY
};

fn rows(name: &str, receiver: &str, dim: ClaimLiteral, keepdim: bool) -> ClaimSite {
    let over_dim = with_option(method(name, receiver, &[]), "dim", dim);
    with_option(over_dim, "keepdim", ClaimLiteral::Bool(keepdim))
}

/// Whether the arguments are `dim=1, keepdim=False` in either order.
fn reduces_rows(site: &ClaimSite) -> bool {
    let is = |name: &str, literal: ClaimLiteral| {
        let mut keywords = site.keywords.iter();
        keywords.any(|keyword| keyword.name == name && keyword.literal == literal)
    };
    site.operand_types.is_empty()
        && site.keywords.len() == 2
        && is("dim", ClaimLiteral::Int(1))
        && is("keepdim", ClaimLiteral::Bool(false))
}

impl Rule for Reduction {
    type Plan = RuntimeCall;

    fn declaration(&self) -> &'static Declaration {
        self.declaration
    }

    fn plan(&self, site: &ClaimSite) -> Verdict<RuntimeCall> {
        if receiver_of(site, self.method).is_none() {
            return Verdict::Pass;
        }
        if !reduces_rows(site) {
            let why = "its arguments must be dim=1 and keepdim=False, as keywords and literals";
            return rejected(self.declaration, site, why);
        }
        over_tensors(site, |ranks| match ranks {
            [Rank::Two] => Verdict::Claimed(RuntimeCall {
                function: self.function,
                result: Rank::One,
            }),
            _ => unsupported(site, "it reduces the rows of a 2-D tensor"),
        })
    }

    fn emit(&self, plan: &RuntimeCall, operands: &Operands<'_>) -> LoweredExpr {
        plan.emit(operands)
    }
}
