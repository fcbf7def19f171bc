//! `a + b`, `a - b`, `a * b`, `a / b`.
//!
//! Claims the four operators over two arrays of one dtype (float64, float32 or
//! int64) and rank 1 or 2, broadcast against each other, or over an array and
//! the scalar that goes with it on either side. The result has the higher rank;
//! int64 `/` gives float64.
//!
//! Declines operands of which none is an array, or one is unresolved; rejects
//! mixed dtypes and other scalars.
//!
//! ```python
//! a + b        # rextio_numpy_runtime::add(&a, &b)?
//! 1.0 - a      # rextio_numpy_runtime::subtract(1.0, &a)?
//! a * 0.5 + b  # rextio_numpy_runtime::add(rextio_numpy_runtime::multiply(&a, 0.5)?, &b)?
//! ```
//!
//! NumPy: <https://numpy.org/doc/stable/reference/ufuncs.html#math-operations>

use rextio_plugin_kit::{
    ClaimSite, Counterexample, Declaration, Example, Expected, LoweredExpr, Operands, Planned,
    Rule, RuleOutcome, ScopeKind, SiteKind, Verdict,
};

use super::{Operator, Pair, boundaries, is_plain, runtime_call, unsupported};
use crate::types::Array;

/// The rule.
pub(super) struct Elementwise;

const DECLARATION: Declaration = Declaration {
    name: "elementwise-float64",
    code: Some("RXTP-NUMPY-001"),
    scope: ScopeKind::Binop,
    pattern: "a + b, a - b, a * b, a / b over float64, float32 or int64 arrays of rank 1 or 2, \
              or over such an array and its scalar",
    constraint: "Both arrays have one dtype; they broadcast as in NumPy, rank 1 against rank 2 \
                 and zero-length axes included. A scalar is a float beside float64 and float32 \
                 (narrowed to float32 as NumPy narrows a weak scalar) and an int beside int64. \
                 Values are NumPy's bit for bit: IEEE 754 for floats, wrapping int64, and int64 \
                 division in float64. NumPy's RuntimeWarnings are not emitted.",
    outcome: RuleOutcome::Native,
    guidance: "Annotate arrays with the types of rextio_numpy.types, keep one dtype in an \
               expression, and write 2.0 rather than 2 beside a float array.",
    verified: Some(true),
    examples: &[
        Example {
            python: "a + b",
            site: || site("+", "rextio-numpy/f64-1d", "rextio-numpy/f64-2d"),
            operands: &["a", "b"],
            rust: "rextio_numpy_runtime::add(&a, &b)?",
        },
        Example {
            python: "n / 2",
            site: || site("/", "rextio-numpy/i64-1d", "int"),
            operands: &["n", "2"],
            rust: "rextio_numpy_runtime::divide(&n, 2)?",
        },
        Example {
            python: "1.0 - a * b",
            site: || site("-", "float", "rextio-numpy/f32-1d"),
            operands: &["1.0", "(rextio_numpy_runtime::multiply(&a, &b)?)"],
            rust: "rextio_numpy_runtime::subtract(1.0, rextio_numpy_runtime::multiply(&a, &b)?)?",
        },
    ],
    counterexamples: &[
        Counterexample {
            python: "a + n  # float64 and int64",
            site: || site("+", "rextio-numpy/f64-1d", "rextio-numpy/i64-1d"),
            expected: Expected::Rejected(boundaries::OPERAND_TYPES_CODE),
        },
        Counterexample {
            python: "a * 2  # float64 and int",
            site: || site("*", "rextio-numpy/f64-1d", "int"),
            expected: Expected::Rejected(boundaries::OPERAND_TYPES_CODE),
        },
        Counterexample {
            python: "x + y  # two scalars",
            site: || site("+", "float", "float"),
            expected: Expected::NotCovered,
        },
        Counterexample {
            python: "a @ b",
            site: || site("@", "rextio-numpy/f64-2d", "rextio-numpy/f64-2d"),
            expected: Expected::NotCovered,
        },
    ],
    ..Declaration::EMPTY
};

fn site(symbol: &str, left: &str, right: &str) -> ClaimSite {
    ClaimSite::new(SiteKind::Binop, symbol, &[Some(left), Some(right)])
}

impl Rule for Elementwise {
    type Plan = Arithmetic;

    fn declaration(&self) -> &'static Declaration {
        &DECLARATION
    }

    fn plan(&self, site: &ClaimSite) -> Verdict<Arithmetic> {
        match Operator::of_symbol(&site.target) {
            Some(operator) if site.kind == SiteKind::Binop => Arithmetic::plan(site, operator),
            _ => Verdict::Pass,
        }
    }

    fn emit(&self, plan: &Arithmetic, operands: &Operands<'_>) -> LoweredExpr {
        plan.emit(operands)
    }
}

/// One operator over operands of known types. Shared with the ufunc calls, which
/// are another spelling of the same operation.
pub(super) struct Arithmetic {
    operator: Operator,
    operands: Pair,
    result: Array,
}

impl Arithmetic {
    pub(super) fn plan(site: &ClaimSite, operator: Operator) -> Verdict<Self> {
        let [left, right] = site.operand_types.as_slice() else {
            return unsupported(site, POSITIONAL_ONLY);
        };
        if !is_plain(site) {
            return unsupported(site, POSITIONAL_ONLY);
        }
        let (Some(left), Some(right)) = (left, right) else {
            return Verdict::NotCovered;
        };
        if Array::of(left).is_none() && Array::of(right).is_none() {
            return Verdict::NotCovered;
        }
        match Pair::of(left, right) {
            Ok(operands) => Verdict::Claimed(Self {
                operator,
                result: Array {
                    dtype: operator.result_dtype(operands.broadcast.dtype),
                    ..operands.broadcast
                },
                operands,
            }),
            Err(why) => unsupported(site, &why),
        }
    }

    pub(super) fn emit(&self, operands: &Operands<'_>) -> LoweredExpr {
        let arguments = self
            .operands
            .arguments(&operands.values[0], &operands.values[1]);
        runtime_call(self.operator.name(), &arguments)
    }
}

const POSITIONAL_ONLY: &str = "it takes two positional operands and no options";

impl Planned for Arithmetic {
    fn result_type(&self) -> &str {
        self.result.key()
    }
}
