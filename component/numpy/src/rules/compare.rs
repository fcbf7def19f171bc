//! `a == b`, `a != b`, `a < b`, `a <= b`, `a > b`, `a >= b`.
//!
//! Claims a comparison of two arrays of one dtype (float64, float32 or int64)
//! and rank 1 or 2, broadcast against each other, or of an array and the scalar
//! that goes with it on either side. The result is a mask of the higher rank: a
//! resident value, read by `numpy.where` and the logical calls of the same
//! function, and never stored as a whole.
//!
//! Declines unresolved operands, chained comparisons, identity and membership;
//! rejects mixed dtypes, other scalars, masks, and operands of which none is an
//! array.
//!
//! ```python
//! a > b      # rextio_numpy_runtime::greater(&a, &b)?
//! 1.0 <= a   # rextio_numpy_runtime::less_equal(1.0, &a)?
//! ```
//!
//! NumPy: <https://numpy.org/doc/stable/reference/routines.logic.html#comparison>

use rextio_plugin_kit::{
    ClaimSite, Counterexample, Declaration, Example, Expected, LoweredExpr, Operands, Planned,
    Rule, RuleOutcome, ScopeKind, SiteKind, Verdict,
};

use super::{Pair, boundaries, is_plain, runtime_call, unsupported};
use crate::types::Mask;

/// The rule.
pub(super) struct Compare;

/// Each operator with NumPy's name for it, which is the runtime's.
const OPERATORS: [(&str, &str); 6] = [
    ("==", "equal"),
    ("!=", "not_equal"),
    ("<", "less"),
    ("<=", "less_equal"),
    (">", "greater"),
    (">=", "greater_equal"),
];

const DECLARATION: Declaration = Declaration {
    name: "elementwise-compare",
    code: Some("RXTP-NUMPY-009"),
    scope: ScopeKind::Compare,
    pattern: "a == b, a != b, a < b, a <= b, a > b, a >= b over arrays of one dtype, or an array \
              and its scalar",
    constraint: "Two float64, float32 or int64 arrays of one dtype and rank 1 or 2, broadcast, \
                 or such an array and its scalar (a float beside float64 and float32, narrowed to \
                 float32 as NumPy narrows a weak scalar; an int beside int64); not chained. The \
                 result is a mask that lives in native code only: it cannot be annotated, passed \
                 or returned.",
    outcome: RuleOutcome::Native,
    guidance: "Use the mask in the same function, in where or a logical call.",
    verified: Some(true),
    examples: &[
        Example {
            python: "a > b",
            site: || site(">", "rextio-numpy/f64-1d", "rextio-numpy/f64-2d"),
            operands: &["a", "b"],
            rust: "rextio_numpy_runtime::greater(&a, &b)?",
        },
        Example {
            python: "1.0 <= a",
            site: || site("<=", "float", "rextio-numpy/f32-1d"),
            operands: &["1.0", "a"],
            rust: "rextio_numpy_runtime::less_equal(1.0, &a)?",
        },
        Example {
            python: "n * m == 0",
            site: || site("==", "rextio-numpy/i64-1d", "int"),
            operands: &["(rextio_numpy_runtime::multiply(&n, &m)?)", "0"],
            rust: "rextio_numpy_runtime::equal(rextio_numpy_runtime::multiply(&n, &m)?, 0)?",
        },
    ],
    counterexamples: &[
        Counterexample {
            python: "a < n  # float64 and int64",
            site: || site("<", "rextio-numpy/f64-1d", "rextio-numpy/i64-1d"),
            expected: Expected::Rejected(boundaries::OPERAND_TYPES_CODE),
        },
        Counterexample {
            python: "a > 0  # float64 and int",
            site: || site(">", "rextio-numpy/f64-1d", "int"),
            expected: Expected::Rejected(boundaries::OPERAND_TYPES_CODE),
        },
        Counterexample {
            python: "(a > b) == (b > a)  # two masks",
            site: || site("==", "rextio-numpy/bool-1d", "rextio-numpy/bool-1d"),
            expected: Expected::Rejected(boundaries::OPERAND_TYPES_CODE),
        },
        Counterexample {
            python: "a is b",
            site: || site("is", "rextio-numpy/f64-1d", "rextio-numpy/f64-1d"),
            expected: Expected::NotCovered,
        },
    ],
    ..Declaration::EMPTY
};

fn site(symbol: &str, left: &str, right: &str) -> ClaimSite {
    ClaimSite::new(SiteKind::Compare, symbol, &[Some(left), Some(right)])
}

/// A comparison of operands of known types.
pub(super) struct Comparison {
    function: &'static str,
    operands: Pair,
    mask: Mask,
}

impl Planned for Comparison {
    fn result_type(&self) -> &str {
        self.mask.key()
    }
}

impl Rule for Compare {
    type Plan = Comparison;

    fn declaration(&self) -> &'static Declaration {
        &DECLARATION
    }

    fn plan(&self, site: &ClaimSite) -> Verdict<Comparison> {
        let operator = OPERATORS.iter().find(|(symbol, _)| *symbol == site.target);
        let Some(&(_, function)) = operator.filter(|_| site.kind == SiteKind::Compare) else {
            return Verdict::Pass;
        };
        let [Some(left), Some(right)] = site.operand_types.as_slice() else {
            return unsupported(site, "it compares two operands");
        };
        if !is_plain(site) {
            return unsupported(site, "it compares two operands and takes no options");
        }
        match Pair::of(left, right) {
            Ok(operands) => Verdict::Claimed(Comparison {
                function,
                mask: Mask {
                    rank: operands.broadcast.rank,
                },
                operands,
            }),
            Err(why) => unsupported(site, &why),
        }
    }

    fn emit(&self, plan: &Comparison, operands: &Operands<'_>) -> LoweredExpr {
        let arguments = plan
            .operands
            .arguments(&operands.values[0], &operands.values[1]);
        runtime_call(plan.function, &arguments)
    }
}
