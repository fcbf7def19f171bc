//! `t.relu()`, `t.sigmoid()`, `t.tanh()`.
//!
//! Six rules: three methods, each on tensors of rank 2 and of rank 1. They claim
//! the call without arguments; the result is of the tensor's own type.
//!
//! Decline receivers of unresolved type, the functions `torch.relu` and so on,
//! and the methods that work in place; reject arguments, and receivers that are
//! no tensors.
//!
//! ```python
//! t.relu()   # rextio_torch_runtime::relu(&t)?
//! ```
//!
//! PyTorch: <https://docs.pytorch.org/docs/stable/generated/torch.relu.html>

use rextio_plugin_kit::sites::{call, method, method_of_value, with_option};
use rextio_plugin_kit::{
    ClaimLiteral, ClaimSite, Counterexample, Declaration, Example, Expected, LoweredExpr, Operands,
    Rule, RuleOutcome, ScopeKind, Verdict,
};

use super::{RuntimeCall, is_plain, over_tensors, receiver_of, rejected};
use crate::types::Rank;

/// A method on tensors of one rank.
pub(super) struct Activation {
    declaration: &'static Declaration,
    method: &'static str,
    rank: Rank,
}

/// One of the rules. `rejects` is the code for arguments: that of the rule for
/// rank 2, which is asked first.
macro_rules! activation {
    (
        name: $name:literal,
        code: $code:literal,
        rejects: $rejects:literal,
        method: $method:literal,
        rank: $rank:ident $number:literal,
        other: $other_rank:ident $other:literal,
    ) => {
        Activation {
            declaration: &Declaration {
                name: $name,
                code: Some($code),
                scope: ScopeKind::Call,
                pattern: concat!("t.", $method, "() on a ", $number, "-D tensor"),
                constraint: concat!(
                    "The method of a tensor of rank ",
                    $number,
                    ", called without arguments. The result is a new tensor of the same shape; \
                     a NaN stays one."
                ),
                outcome: RuleOutcome::Native,
                guidance: concat!(
                    "Call ",
                    $method,
                    "() as a method of a tensor, without arguments; give a sum or product a name \
                     before that."
                ),
                verified: Some(true),
                symbols: &[concat!("torch.Tensor.", $method)],
                examples: &[
                    Example {
                        python: concat!("t.", $method, "()"),
                        site: || method($method, Rank::$rank.key(), &[]),
                        operands: &["t"],
                        rust: concat!("rextio_torch_runtime::", $method, "(&t)?"),
                    },
                    Example {
                        python: concat!("t.tanh().", $method, "()  # t.tanh() is named first"),
                        site: || method_of_value($method, Rank::$rank.key(), &[]),
                        operands: &["__rextio_recv_1"],
                        rust: concat!("rextio_torch_runtime::", $method, "(__rextio_recv_1)?"),
                    },
                ],
                counterexamples: &[
                    Counterexample {
                        python: concat!("t.", $method, "(out=u)"),
                        site: || {
                            let plain = method($method, Rank::$rank.key(), &[]);
                            with_option(plain, "out", ClaimLiteral::NonLiteral)
                        },
                        expected: Expected::Rejected($rejects),
                    },
                    Counterexample {
                        python: concat!("x.", $method, "()  # a float"),
                        site: || method($method, "float", &[]),
                        expected: Expected::Rejected("RXTP-TORCH-010"),
                    },
                    Counterexample {
                        python: concat!("t.", $method, "()  # the other rank"),
                        site: || method($method, Rank::$other_rank.key(), &[]),
                        expected: Expected::ClaimedBy($other),
                    },
                    Counterexample {
                        python: concat!("t.", $method, "_()"),
                        site: || method(concat!($method, "_"), Rank::$rank.key(), &[]),
                        expected: Expected::NotCovered,
                    },
                    Counterexample {
                        python: concat!("torch.", $method, "(t)"),
                        site: || call(concat!("torch.", $method), &[Rank::$rank.key()]),
                        expected: Expected::NotCovered,
                    },
                ],
                ..Declaration::EMPTY
            },
            method: $method,
            rank: Rank::$rank,
        }
    };
}

pub(super) static RELU_2D: Activation = activation! {
    name: "tensor-relu-f32-cpu-2d",
    code: "RXTP-TORCH-002",
    rejects: "RXTP-TORCH-002",
    method: "relu",
    rank: Two "2",
    other: One "tensor-relu-f32-cpu-1d",
};

pub(super) static RELU_1D: Activation = activation! {
    name: "tensor-relu-f32-cpu-1d",
    code: "RXTP-TORCH-004",
    rejects: "RXTP-TORCH-002",
    method: "relu",
    rank: One "1",
    other: Two "tensor-relu-f32-cpu-2d",
};

pub(super) static SIGMOID_2D: Activation = activation! {
    name: "tensor-sigmoid-f32-cpu-2d",
    code: "RXTP-TORCH-006",
    rejects: "RXTP-TORCH-006",
    method: "sigmoid",
    rank: Two "2",
    other: One "tensor-sigmoid-f32-cpu-1d",
};

pub(super) static SIGMOID_1D: Activation = activation! {
    name: "tensor-sigmoid-f32-cpu-1d",
    code: "RXTP-TORCH-005",
    rejects: "RXTP-TORCH-006",
    method: "sigmoid",
    rank: One "1",
    other: Two "tensor-sigmoid-f32-cpu-2d",
};

pub(super) static TANH_2D: Activation = activation! {
    name: "tensor-tanh-f32-cpu-2d",
    code: "RXTP-TORCH-008",
    rejects: "RXTP-TORCH-008",
    method: "tanh",
    rank: Two "2",
    other: One "tensor-tanh-f32-cpu-1d",
};

pub(super) static TANH_1D: Activation = activation! {
    name: "tensor-tanh-f32-cpu-1d",
    code: "RXTP-TORCH-007",
    rejects: "RXTP-TORCH-008",
    method: "tanh",
    rank: One "1",
    other: Two "tensor-tanh-f32-cpu-2d",
};

impl Rule for Activation {
    type Plan = RuntimeCall;

    fn declaration(&self) -> &'static Declaration {
        self.declaration
    }

    fn plan(&self, site: &ClaimSite) -> Verdict<RuntimeCall> {
        if receiver_of(site, self.method).is_none() {
            return Verdict::Pass;
        }
        if !is_plain(site, 1) {
            return rejected(self.declaration, site, "it takes no arguments");
        }
        over_tensors(site, |ranks| {
            if ranks == [self.rank] {
                Verdict::Claimed(RuntimeCall {
                    function: self.method,
                    result: self.rank,
                })
            } else {
                Verdict::Pass
            }
        })
    }

    fn emit(&self, plan: &RuntimeCall, operands: &Operands<'_>) -> LoweredExpr {
        plan.emit(operands)
    }
}
