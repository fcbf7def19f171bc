//! `a @ b`, `torch.matmul(a, b)`, `a.matmul(b)`.
//!
//! Two rules: one for the operator, one for both calls. They claim the product
//! of two tensors of rank 2; the result is of rank 2.
//!
//! Decline unresolved operands and `torch.mm`; reject keywords, other numbers of
//! operands, other ranks, and operands that are no tensors.
//!
//! ```python
//! a @ b         # rextio_torch_runtime::matmul(&a, &b)?
//! a.matmul(b)   # rextio_torch_runtime::matmul(&a, &b)?
//! ```
//!
//! PyTorch: <https://docs.pytorch.org/docs/stable/generated/torch.matmul.html>

use rextio_plugin_kit::sites::{call, method, with_option};
use rextio_plugin_kit::{
    ClaimLiteral, ClaimSite, Counterexample, Declaration, Example, Expected, LoweredExpr, Operands,
    Rule, RuleOutcome, ScopeKind, SiteKind, Verdict,
};

use super::{RuntimeCall, is_plain, over_tensors, receiver_of, rejected};
use crate::types::{Rank, TENSOR_1D, TENSOR_2D};

/// A spelling of the product.
pub(super) struct Matmul {
    declaration: &'static Declaration,
    spells: fn(&ClaimSite) -> bool,
}

const FUNCTION: &str = "torch.matmul";

/// The operator `@`.
pub(super) static OPERATOR: Matmul = Matmul {
    declaration: &Declaration {
        name: "tensor-matmul-f32-cpu-2d",
        code: Some("RXTP-TORCH-009"),
        scope: ScopeKind::Binop,
        pattern: "a @ b over 2-D tensors",
        examples: &[Example {
            python: "a @ b",
            site: || operator([TENSOR_2D, TENSOR_2D]),
            operands: &["a", "b"],
            rust: "rextio_torch_runtime::matmul(&a, &b)?",
        }],
        counterexamples: &[
            Counterexample {
                python: "a @ v  # v is 1-D",
                site: || operator([TENSOR_2D, TENSOR_1D]),
                expected: Expected::Rejected("RXTP-TORCH-009"),
            },
            Counterexample {
                python: "a @ x  # a float",
                site: || operator([TENSOR_2D, "float"]),
                expected: Expected::Rejected("RXTP-TORCH-010"),
            },
            Counterexample {
                python: "a @ b  # b of unresolved type",
                site: || ClaimSite::new(SiteKind::Binop, "@", &[Some(TENSOR_2D), None]),
                expected: Expected::NotCovered,
            },
        ],
        ..BASE
    },
    spells: |site| site.kind == SiteKind::Binop && site.target == "@",
};

/// The function and the method.
pub(super) static CALL: Matmul = Matmul {
    declaration: &Declaration {
        name: "tensor-matmul-call-f32-cpu-2d",
        code: Some("RXTP-TORCH-014"),
        scope: ScopeKind::Call,
        pattern: "torch.matmul(a, b) and a.matmul(b) over 2-D tensors",
        symbols: &[FUNCTION, "torch.Tensor.matmul"],
        examples: &[
            Example {
                python: "torch.matmul(a, b)",
                site: || call(FUNCTION, &[TENSOR_2D, TENSOR_2D]),
                operands: &["a", "b"],
                rust: "rextio_torch_runtime::matmul(&a, &b)?",
            },
            Example {
                python: "a.matmul(b.tanh())",
                site: || method("matmul", TENSOR_2D, &[TENSOR_2D]),
                operands: &["a", "(rextio_torch_runtime::tanh(&b)?)"],
                rust: "rextio_torch_runtime::matmul(&a, rextio_torch_runtime::tanh(&b)?)?",
            },
        ],
        counterexamples: &[
            Counterexample {
                python: "torch.matmul(v, a)  # v is 1-D",
                site: || call(FUNCTION, &[TENSOR_1D, TENSOR_2D]),
                expected: Expected::Rejected("RXTP-TORCH-014"),
            },
            Counterexample {
                python: "torch.matmul(a, b, out=c)",
                site: || {
                    let product = call(FUNCTION, &[TENSOR_2D, TENSOR_2D]);
                    with_option(product, "out", ClaimLiteral::NonLiteral)
                },
                expected: Expected::Rejected("RXTP-TORCH-014"),
            },
            Counterexample {
                python: "a.matmul(x)  # a float",
                site: || method("matmul", TENSOR_2D, &["float"]),
                expected: Expected::Rejected("RXTP-TORCH-010"),
            },
            Counterexample {
                python: "torch.mm(a, b)",
                site: || call("torch.mm", &[TENSOR_2D, TENSOR_2D]),
                expected: Expected::NotCovered,
            },
        ],
        ..BASE
    },
    spells: |site| match site.target.as_str() {
        FUNCTION => site.kind == SiteKind::Call && site.receiver.is_none(),
        _ => receiver_of(site, "matmul").is_some(),
    },
};

const BASE: Declaration = Declaration {
    constraint: "Exactly two tensors of rank 2 and no keywords. The result is of rank 2. Whether \
                 the inner lengths agree is seen when it runs, and raises PyTorch's RuntimeError \
                 where they do not.",
    outcome: RuleOutcome::Native,
    guidance: "Multiply two tensors annotated as TensorF32Cpu2D.",
    verified: Some(true),
    ..Declaration::EMPTY
};

fn operator(operands: [&str; 2]) -> ClaimSite {
    ClaimSite::new(SiteKind::Binop, "@", &operands.map(Some))
}

impl Rule for Matmul {
    type Plan = RuntimeCall;

    fn declaration(&self) -> &'static Declaration {
        self.declaration
    }

    fn plan(&self, site: &ClaimSite) -> Verdict<RuntimeCall> {
        if !(self.spells)(site) {
            return Verdict::Pass;
        }
        let refused = || rejected(self.declaration, site, "it takes two 2-D tensors");
        if !is_plain(site, 2) {
            return refused();
        }
        over_tensors(site, |ranks| match ranks {
            [Rank::Two, Rank::Two] => Verdict::Claimed(RuntimeCall {
                function: "matmul",
                result: Rank::Two,
            }),
            _ => refused(),
        })
    }

    fn emit(&self, plan: &RuntimeCall, operands: &Operands<'_>) -> LoweredExpr {
        plan.emit(operands)
    }
}
