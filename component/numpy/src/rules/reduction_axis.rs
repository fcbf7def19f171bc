//! `numpy.sum(a, axis=0)`, `numpy.sum(a, 0)`, `a.sum(axis=0)`, `a.sum(0)`, and
//! likewise `mean`, `max` and `min`.
//!
//! Claims the reduction of an array of rank 1 or 2 over one axis that is written
//! as an integer; a negative one counts from the end. Sums of float64 and int64,
//! means of float64, extrema of int64. Rank 2 gives a rank-1 array of the same
//! dtype, rank 1 a Python float or int.
//!
//! Declines axes out of range, computed ones, tuples and `None`, any further
//! option, unresolved operands and float extrema; rejects operands that are no
//! arrays, float32 sums, and means of float32 and int64.
//!
//! ```python
//! a.mean(axis=-1)    # rextio_numpy_runtime::mean_axis(&a, 1)?
//! numpy.max(n, 0)    # rextio_numpy_runtime::max_axis(&n, 0)?
//! ```
//!
//! NumPy: <https://numpy.org/doc/stable/reference/generated/numpy.sum.html>

use rextio_plugin_kit::sites::{call, method, with_integer, with_option};
use rextio_plugin_kit::{
    ClaimLiteral, ClaimSite, Counterexample, Declaration, Example, Expected, LoweredExpr, Operands,
    Rule, RuleOutcome, ScopeKind, Verdict,
};

use super::boundaries;
use super::reduction::{Reduced, Reduction};

/// The rule.
pub(super) struct ReductionAxis;

const DECLARATION: Declaration = Declaration {
    name: "reduction-axis",
    code: Some("RXTP-NUMPY-004"),
    scope: ScopeKind::Call,
    pattern: "sum, mean, max or min over one literal axis, as numpy.sum(a, axis=0), \
              numpy.sum(a, 0), a.sum(axis=0) or a.sum(0)",
    constraint: "Exactly one axis, written as an integer within the array's rank (negative ones \
                 count from the end), and no other option. sum over float64 and int64, mean over \
                 float64, max and min over int64. Rank 2 gives a 1-D array, rank 1 a Python \
                 float or int. Floats are added in NumPy's order; an extremum over an axis of \
                 length 0 raises NumPy's ValueError.",
    outcome: RuleOutcome::Native,
    guidance: "Write the axis as a plain integer.",
    verified: Some(true),
    symbols: &[
        "numpy.sum",
        "numpy.mean",
        "numpy.max",
        "numpy.min",
        "numpy.ndarray.sum",
        "numpy.ndarray.mean",
        "numpy.ndarray.max",
        "numpy.ndarray.min",
    ],
    examples: &[
        Example {
            python: "numpy.sum(a, axis=0)",
            site: || with_axis(call("numpy.sum", &["rextio-numpy/f64-2d"]), 0),
            operands: &["a"],
            rust: "rextio_numpy_runtime::sum_axis(&a, 0)?",
        },
        Example {
            python: "a.mean(axis=-1)",
            site: || with_axis(method("mean", "rextio-numpy/f64-2d", &[]), -1),
            operands: &["a"],
            rust: "rextio_numpy_runtime::mean_axis(&a, 1)?",
        },
        Example {
            python: "numpy.max(n, 1)",
            site: || with_integer(call("numpy.max", &["rextio-numpy/i64-2d"]), 1),
            operands: &["n", "1"],
            rust: "rextio_numpy_runtime::max_axis(&n, 1)?",
        },
        Example {
            python: "n.sum(0)  # 1-D",
            site: || with_integer(method("sum", "rextio-numpy/i64-1d", &[]), 0),
            operands: &["n", "0"],
            rust: "rextio_numpy_runtime::sum(&n)?",
        },
    ],
    counterexamples: &[
        Counterexample {
            python: "a.sum(axis=0)  # float32",
            site: || with_axis(method("sum", "rextio-numpy/f32-2d", &[]), 0),
            expected: Expected::Rejected(boundaries::OPERAND_TYPES_CODE),
        },
        Counterexample {
            python: "a.max(axis=0)  # float64",
            site: || with_axis(method("max", "rextio-numpy/f64-2d", &[]), 0),
            expected: Expected::NotCovered,
        },
        Counterexample {
            python: "numpy.sum(a, axis=2)  # out of range",
            site: || with_axis(call("numpy.sum", &["rextio-numpy/f64-2d"]), 2),
            expected: Expected::NotCovered,
        },
        Counterexample {
            python: "numpy.sum(a, axis=(0, 1))",
            site: || {
                let sum = call("numpy.sum", &["rextio-numpy/f64-2d"]);
                with_option(sum, "axis", ClaimLiteral::IntTuple(vec![0, 1]))
            },
            expected: Expected::NotCovered,
        },
        Counterexample {
            python: "numpy.sum(a)",
            site: || call("numpy.sum", &["rextio-numpy/f64-2d"]),
            expected: Expected::ClaimedBy("reduction-sum-mean"),
        },
    ],
    ..Declaration::EMPTY
};

fn with_axis(site: ClaimSite, axis: i64) -> ClaimSite {
    with_option(site, "axis", ClaimLiteral::Int(axis))
}

impl Rule for ReductionAxis {
    type Plan = Reduced;

    fn declaration(&self) -> &'static Declaration {
        &DECLARATION
    }

    fn plan(&self, site: &ClaimSite) -> Verdict<Reduced> {
        match Reduction::of(site) {
            Some(reduction) if reduction.axis.is_some() => reduction.plan(site),
            _ => Verdict::Pass,
        }
    }

    fn emit(&self, plan: &Reduced, operands: &Operands<'_>) -> LoweredExpr {
        plan.emit(operands)
    }
}
