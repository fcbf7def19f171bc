//! `numpy.sum(a)`, `numpy.mean(a)`, `numpy.max(a)`, `numpy.min(a)`, and the
//! methods `a.sum()`, `a.mean()`, `a.max()`, `a.min()`.
//!
//! Two rules, which differ in their functions. They claim the reduction of a
//! whole array of rank 1 or 2: sums of float64 and int64, means of float64,
//! extrema of int64. The result is a Python float or int.
//!
//! Decline options, unresolved operands and float extrema; reject operands that
//! are no arrays, float32 sums, and means of float32 and int64.
//!
//! ```python
//! numpy.sum(a)   # rextio_numpy_runtime::sum(&a)?
//! n.max()        # rextio_numpy_runtime::max(&n)?
//! ```
//!
//! NumPy: <https://numpy.org/doc/stable/reference/generated/numpy.sum.html>

use rextio_plugin_kit::sites::{call, method, with_option};
use rextio_plugin_kit::{
    ClaimLiteral, ClaimSite, Counterexample, Declaration, Example, Expected, LoweredExpr, Operands,
    Rule, RuleOutcome, ScopeKind, Verdict,
};

use super::boundaries;
use super::reduction::{Function, Reduced, Reduction};

/// A rule over whole arrays.
pub(super) struct Whole {
    declaration: &'static Declaration,
    functions: [Function; 2],
}

/// Sums and means.
pub(super) static SUM_MEAN: Whole = Whole {
    declaration: &Declaration {
        name: "reduction-sum-mean",
        code: Some("RXTP-NUMPY-003"),
        pattern: "numpy.sum(a), a.sum(), numpy.mean(a), a.mean() over the whole array",
        constraint: "sum over float64 and int64 arrays, mean over float64 arrays, of rank 1 or 2, \
                     without options. The result is a Python float or int. Floats are added in \
                     NumPy's order; int64 wraps. An empty sum is 0, an empty mean NaN.",
        guidance: "Leave axis, dtype and keepdims out, and keep float32 sums on Python.",
        symbols: &[
            "numpy.sum",
            "numpy.mean",
            "numpy.ndarray.sum",
            "numpy.ndarray.mean",
        ],
        examples: &[
            Example {
                python: "numpy.sum(a)",
                site: || call("numpy.sum", &["rextio-numpy/f64-2d"]),
                operands: &["a"],
                rust: "rextio_numpy_runtime::sum(&a)?",
            },
            Example {
                python: "a.mean()",
                site: || method("mean", "rextio-numpy/f64-1d", &[]),
                operands: &["a"],
                rust: "rextio_numpy_runtime::mean(&a)?",
            },
        ],
        counterexamples: &[
            Counterexample {
                python: "numpy.sum(a)  # float32",
                site: || call("numpy.sum", &["rextio-numpy/f32-1d"]),
                expected: Expected::Rejected(boundaries::OPERAND_TYPES_CODE),
            },
            Counterexample {
                python: "n.mean()  # int64",
                site: || method("mean", "rextio-numpy/i64-1d", &[]),
                expected: Expected::Rejected(boundaries::OPERAND_TYPES_CODE),
            },
            Counterexample {
                python: "numpy.sum(a, keepdims=True)",
                site: || {
                    let sum = call("numpy.sum", &["rextio-numpy/f64-2d"]);
                    with_option(sum, "keepdims", ClaimLiteral::Bool(true))
                },
                expected: Expected::NotCovered,
            },
        ],
        ..BASE
    },
    functions: [Function::Sum, Function::Mean],
};

/// Extrema.
pub(super) static EXTREMA: Whole = Whole {
    declaration: &Declaration {
        name: "reduction-whole-i64-extrema",
        code: Some("RXTP-NUMPY-008"),
        pattern: "numpy.max(a), numpy.min(a), a.max(), a.min() over a whole int64 array",
        constraint: "An int64 array of rank 1 or 2 and no options. The result is a Python int; an \
                     empty array raises NumPy's ValueError. Float extrema stay on Python: which \
                     NaN and which zero they give is not fixed by NumPy.",
        guidance: "Take extrema of int64 arrays natively and of float arrays on Python.",
        symbols: &[
            "numpy.max",
            "numpy.min",
            "numpy.ndarray.max",
            "numpy.ndarray.min",
        ],
        examples: &[
            Example {
                python: "numpy.min(n)",
                site: || call("numpy.min", &["rextio-numpy/i64-1d"]),
                operands: &["n"],
                rust: "rextio_numpy_runtime::min(&n)?",
            },
            Example {
                python: "n.max()",
                site: || method("max", "rextio-numpy/i64-2d", &[]),
                operands: &["n"],
                rust: "rextio_numpy_runtime::max(&n)?",
            },
        ],
        counterexamples: &[
            Counterexample {
                python: "numpy.max(a)  # float64",
                site: || call("numpy.max", &["rextio-numpy/f64-1d"]),
                expected: Expected::NotCovered,
            },
            Counterexample {
                python: "numpy.max(x)  # an int",
                site: || call("numpy.max", &["int"]),
                expected: Expected::Rejected(boundaries::OPERAND_TYPES_CODE),
            },
        ],
        ..BASE
    },
    functions: [Function::Max, Function::Min],
};

const BASE: Declaration = Declaration {
    scope: ScopeKind::Call,
    outcome: RuleOutcome::Native,
    verified: Some(true),
    ..Declaration::EMPTY
};

impl Rule for Whole {
    type Plan = Reduced;

    fn declaration(&self) -> &'static Declaration {
        self.declaration
    }

    fn plan(&self, site: &ClaimSite) -> Verdict<Reduced> {
        match Reduction::of(site) {
            Some(reduction)
                if reduction.axis.is_none() && self.functions.contains(&reduction.function) =>
            {
                reduction.plan(site)
            }
            _ => Verdict::Pass,
        }
    }

    fn emit(&self, plan: &Reduced, operands: &Operands<'_>) -> LoweredExpr {
        plan.emit(operands)
    }
}
