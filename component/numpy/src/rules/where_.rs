//! `numpy.where(m, x, y)`.
//!
//! Claims the call over exactly three positional operands: a mask that a
//! comparison or logical call of the same function produced, and as branches
//! two arrays of one dtype (float64, float32 or int64) and rank 1 or 2, or such
//! an array and its scalar. All three are broadcast against each other; the
//! result is an array of that dtype and of the highest rank. The mask is
//! evaluated as it is read, block by block.
//!
//! Declines unresolved operands; rejects an array or a scalar as the condition,
//! mixed dtypes, two scalars, options, and other numbers of operands.
//!
//! ```python
//! numpy.where(a > b, a, 0.0)
//! # rextio_numpy_runtime::where_(&(rextio_numpy_runtime::greater(&a, &b)?), &a, 0.0)?
//! ```
//!
//! NumPy: <https://numpy.org/doc/stable/reference/generated/numpy.where.html>

use rextio_plugin_kit::sites::call;
use rextio_plugin_kit::{
    ClaimSite, Counterexample, Declaration, Example, Expected, LoweredExpr, Operands, Planned,
    Rule, RuleOutcome, ScopeKind, SiteKind, Verdict,
};

use super::{Pair, borrow, boundaries, is_plain, runtime_call, unsupported};
use crate::types::{Array, Mask};

/// The rule.
pub(super) struct Where;

const DECLARATION: Declaration = Declaration {
    name: "where-three-argument",
    code: Some("RXTP-NUMPY-014"),
    scope: ScopeKind::Call,
    pattern: "numpy.where(mask, x, y)",
    constraint: "Exactly three positional operands: a mask from the same function, and two \
                 arrays of one dtype, or such an array and its scalar (a float beside float64 and \
                 float32, an int beside int64). All three broadcast.",
    outcome: RuleOutcome::Native,
    guidance: "Give both branches one dtype and make at least one of them an array.",
    verified: Some(true),
    symbols: &["numpy.where"],
    examples: &[
        Example {
            python: "numpy.where(m, a, b)",
            site: || branches("rextio-numpy/f32-1d", "rextio-numpy/f32-2d"),
            operands: &["m", "a", "b"],
            rust: "rextio_numpy_runtime::where_(&m, &a, &b)?",
        },
        Example {
            python: "numpy.where(a > b, a - b, 0.0)",
            site: || branches("rextio-numpy/f64-1d", "float"),
            operands: &[
                "(rextio_numpy_runtime::greater(&a, &b)?)",
                "(rextio_numpy_runtime::subtract(&a, &b)?)",
                "0.0",
            ],
            rust: "rextio_numpy_runtime::where_(&(rextio_numpy_runtime::greater(&a, &b)?), \
                   rextio_numpy_runtime::subtract(&a, &b)?, 0.0)?",
        },
    ],
    counterexamples: &[
        Counterexample {
            python: "numpy.where(m)  # one argument",
            site: || call("numpy.where", &["rextio-numpy/bool-1d"]),
            expected: Expected::Rejected(boundaries::OPERAND_TYPES_CODE),
        },
        Counterexample {
            python: "numpy.where(m, 1.0, 0.0)  # two scalars",
            site: || branches("float", "float"),
            expected: Expected::Rejected(boundaries::OPERAND_TYPES_CODE),
        },
        Counterexample {
            python: "numpy.where(m, a, n)  # float64 and int64",
            site: || branches("rextio-numpy/f64-1d", "rextio-numpy/i64-1d"),
            expected: Expected::Rejected(boundaries::OPERAND_TYPES_CODE),
        },
        Counterexample {
            python: "numpy.select([m], [a], 0.0)",
            site: || call("numpy.select", &["list", "list", "float"]),
            expected: Expected::NotCovered,
        },
    ],
    ..Declaration::EMPTY
};

fn branches(x: &str, y: &str) -> ClaimSite {
    call("numpy.where", &["rextio-numpy/bool-1d", x, y])
}

/// The branches and the result.
pub(super) struct Selection {
    branches: Pair,
    result: Array,
}

impl Planned for Selection {
    fn result_type(&self) -> &str {
        self.result.key()
    }
}

impl Rule for Where {
    type Plan = Selection;

    fn declaration(&self) -> &'static Declaration {
        &DECLARATION
    }

    fn plan(&self, site: &ClaimSite) -> Verdict<Selection> {
        if site.kind != SiteKind::Call || site.target != "numpy.where" {
            return Verdict::Pass;
        }
        let [Some(condition), Some(x), Some(y)] = site.operand_types.as_slice() else {
            return unsupported(site, "it takes a condition and two branches");
        };
        if !is_plain(site) {
            return unsupported(site, "it takes a condition and two branches, by position");
        }
        let Some(mask) = Mask::of(condition) else {
            return unsupported(site, "its condition must be a mask of this function");
        };
        match Pair::of(x, y) {
            Ok(branches) => Verdict::Claimed(Selection {
                result: Array {
                    rank: mask.rank.max(branches.broadcast.rank),
                    ..branches.broadcast
                },
                branches,
            }),
            Err(why) => unsupported(site, &why),
        }
    }

    fn emit(&self, plan: &Selection, operands: &Operands<'_>) -> LoweredExpr {
        let [condition, x, y] = [0, 1, 2].map(|index| operands.values[index].as_str());
        let (mask, branches) = (borrow(condition), plan.branches.arguments(x, y));
        runtime_call("where_", &format!("{mask}, {branches}"))
    }
}
