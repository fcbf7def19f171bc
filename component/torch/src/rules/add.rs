//! `a + b`.
//!
//! Two rules: over tensors of one rank, and over one of each rank in either
//! order, where the 1-D tensor is added to every row. The result is of the
//! higher rank.
//!
//! Decline unresolved operands and the other operators; reject operands that are
//! no tensors, also numbers.
//!
//! ```python
//! a + b   # rextio_torch_runtime::add(&a, &b)?
//! ```
//!
//! PyTorch: <https://docs.pytorch.org/docs/stable/notes/broadcasting.html>

use rextio_plugin_kit::{
    ClaimSite, Counterexample, Declaration, Example, Expected, LoweredExpr, Operands, Rule,
    RuleOutcome, ScopeKind, SiteKind, Verdict,
};

use super::{RuntimeCall, is_plain, over_tensors, rejected};
use crate::types::{TENSOR_1D, TENSOR_2D};

/// A sum over tensors of one rank, or of both.
pub(super) struct Add {
    declaration: &'static Declaration,
    same_rank: bool,
}

/// Two tensors of one rank.
pub(super) static SAME_RANK: Add = Add {
    declaration: &Declaration {
        name: "tensor-add-f32-cpu-same-rank",
        code: Some("RXTP-TORCH-011"),
        pattern: "a + b over two 2-D or two 1-D tensors",
        constraint: "Two tensors of one rank, which is that of the result. Axes of length 1 are \
                     broadcast. Whether the shapes go together is seen when it runs, and raises \
                     PyTorch's RuntimeError where they do not.",
        examples: &[
            Example {
                python: "a + b",
                site: || sum([TENSOR_2D, TENSOR_2D]),
                operands: &["a", "b"],
                rust: "rextio_torch_runtime::add(&a, &b)?",
            },
            Example {
                python: "v + v",
                site: || sum([TENSOR_1D, TENSOR_1D]),
                operands: &["v", "v"],
                rust: "rextio_torch_runtime::add(&v, &v)?",
            },
        ],
        counterexamples: &[
            Counterexample {
                python: "a + 1.0",
                site: || sum([TENSOR_2D, "float"]),
                expected: Expected::Rejected("RXTP-TORCH-010"),
            },
            Counterexample {
                python: "a * b",
                site: || ClaimSite {
                    target: "*".to_owned(),
                    ..sum([TENSOR_2D, TENSOR_2D])
                },
                expected: Expected::NotCovered,
            },
            Counterexample {
                python: "a + v  # v is 1-D",
                site: || sum([TENSOR_2D, TENSOR_1D]),
                expected: Expected::ClaimedBy("tensor-add-f32-cpu-2d-1d-broadcast"),
            },
        ],
        ..BASE
    },
    same_rank: true,
};

/// One tensor of each rank.
pub(super) static BROADCAST: Add = Add {
    declaration: &Declaration {
        name: "tensor-add-f32-cpu-2d-1d-broadcast",
        code: Some("RXTP-TORCH-012"),
        pattern: "a + v and v + a over a 2-D and a 1-D tensor",
        constraint: "One tensor of rank 2 and one of rank 1, in either order; the one of rank 1 \
                     is added to every row. The result is of rank 2. Whether the shapes go \
                     together is seen when it runs, and raises PyTorch's RuntimeError where they \
                     do not.",
        examples: &[
            Example {
                python: "a @ b + v",
                site: || sum([TENSOR_2D, TENSOR_1D]),
                operands: &["(rextio_torch_runtime::matmul(&a, &b)?)", "v"],
                rust: "rextio_torch_runtime::add(rextio_torch_runtime::matmul(&a, &b)?, &v)?",
            },
            Example {
                python: "v + a",
                site: || sum([TENSOR_1D, TENSOR_2D]),
                operands: &["v", "a"],
                rust: "rextio_torch_runtime::add(&v, &a)?",
            },
        ],
        counterexamples: &[
            Counterexample {
                python: "n + v  # an int",
                site: || sum(["int", TENSOR_1D]),
                expected: Expected::Rejected("RXTP-TORCH-010"),
            },
            Counterexample {
                python: "v + w  # both are 1-D",
                site: || sum([TENSOR_1D, TENSOR_1D]),
                expected: Expected::ClaimedBy("tensor-add-f32-cpu-same-rank"),
            },
        ],
        ..BASE
    },
    same_rank: false,
};

const BASE: Declaration = Declaration {
    scope: ScopeKind::Binop,
    outcome: RuleOutcome::Native,
    guidance: "Add two tensors annotated as TensorF32Cpu2D or TensorF32Cpu1D.",
    verified: Some(true),
    ..Declaration::EMPTY
};

fn sum(operands: [&str; 2]) -> ClaimSite {
    ClaimSite::new(SiteKind::Binop, "+", &operands.map(Some))
}

impl Rule for Add {
    type Plan = RuntimeCall;

    fn declaration(&self) -> &'static Declaration {
        self.declaration
    }

    fn plan(&self, site: &ClaimSite) -> Verdict<RuntimeCall> {
        if site.kind != SiteKind::Binop || site.target != "+" {
            return Verdict::Pass;
        }
        if !is_plain(site, 2) {
            return rejected(self.declaration, site, "it takes two tensors");
        }
        over_tensors(site, |ranks| match ranks {
            [left, right] if (left == right) == self.same_rank => Verdict::Claimed(RuntimeCall {
                function: "add",
                result: *left.max(right),
            }),
            _ => Verdict::Pass,
        })
    }

    fn emit(&self, plan: &RuntimeCall, operands: &Operands<'_>) -> LoweredExpr {
        plan.emit(operands)
    }
}
