//! `numpy.dot(a, b)`, `a.dot(b)`.
//!
//! Claims the product of two arrays of rank 1 and one dtype, float64 or int64
//! (which wraps). The result is a Python float or int.
//!
//! Declines options, other numbers of operands, unresolved operands, and
//! operands of which none is an array; rejects other dtypes and ranks. float32
//! stays on Python: in so few digits it shows when products are added in another
//! order than that of NumPy's BLAS library.
//!
//! ```python
//! numpy.dot(a, b)   # rextio_numpy_runtime::dot(&a, &b)?
//! ```
//!
//! NumPy: <https://numpy.org/doc/stable/reference/generated/numpy.dot.html>

use rextio_plugin_kit::sites::{call, method};
use rextio_plugin_kit::{
    ClaimSite, Counterexample, Declaration, Example, Expected, LoweredExpr, Operands, Planned,
    Rule, RuleOutcome, ScopeKind, SiteKind, Verdict,
};

use super::{boundaries, function_and_operands, lent, runtime_call, unsupported};
use crate::types::{Array, Dtype, Rank};

/// The rule.
pub(super) struct Dot;

const DECLARATION: Declaration = Declaration {
    name: "dot-float64",
    code: Some("RXTP-NUMPY-002"),
    scope: ScopeKind::Call,
    pattern: "numpy.dot(a, b) and a.dot(b) over two 1-D float64 or two 1-D int64 arrays",
    constraint: "Both arrays are of rank 1 and one dtype, float64 or int64 (which wraps). float32 \
                 and 2-D operands stay on Python, as does the operator @.",
    outcome: RuleOutcome::Native,
    guidance: "Keep the arrays 1-D and of one of the two dtypes.",
    verified: Some(true),
    symbols: &["numpy.dot", "numpy.ndarray.dot"],
    examples: &[
        Example {
            python: "numpy.dot(a, b)",
            site: || call("numpy.dot", &["rextio-numpy/f64-1d", "rextio-numpy/f64-1d"]),
            operands: &["a", "b"],
            rust: "rextio_numpy_runtime::dot(&a, &b)?",
        },
        Example {
            python: "n.dot(m + m)",
            site: || method("dot", "rextio-numpy/i64-1d", &["rextio-numpy/i64-1d"]),
            operands: &["n", "(rextio_numpy_runtime::add(&m, &m)?)"],
            rust: "rextio_numpy_runtime::dot(&n, &(rextio_numpy_runtime::add(&m, &m)?))?",
        },
    ],
    counterexamples: &[
        Counterexample {
            python: "numpy.dot(a, b)  # float32",
            site: || call("numpy.dot", &["rextio-numpy/f32-1d", "rextio-numpy/f32-1d"]),
            expected: Expected::Rejected(boundaries::OPERAND_TYPES_CODE),
        },
        Counterexample {
            python: "a.dot(b)  # 2-D",
            site: || method("dot", "rextio-numpy/f64-2d", &["rextio-numpy/f64-2d"]),
            expected: Expected::Rejected(boundaries::OPERAND_TYPES_CODE),
        },
        Counterexample {
            python: "numpy.dot(x, y)  # two scalars",
            site: || call("numpy.dot", &["float", "float"]),
            expected: Expected::NotCovered,
        },
    ],
    ..Declaration::EMPTY
};

/// The dtype of the operands.
pub(super) struct Product(Dtype);

impl Planned for Product {
    fn result_type(&self) -> &str {
        self.0.scalar()
    }
}

impl Rule for Dot {
    type Plan = Product;

    fn declaration(&self) -> &'static Declaration {
        &DECLARATION
    }

    fn plan(&self, site: &ClaimSite) -> Verdict<Product> {
        let function = function_and_operands(site).filter(|_| site.kind == SiteKind::Call);
        let Some(("dot", operands)) = function else {
            return Verdict::Pass;
        };
        let [left, right] = operands.as_slice() else {
            return Verdict::NotCovered;
        };
        if !site.keywords.is_empty() || !site.callables.is_empty() {
            return Verdict::NotCovered;
        }
        match [left, right].map(|key| key.and_then(Array::of)) {
            [None, None] => Verdict::NotCovered,
            [Some(left), Some(right)]
                if left == right && left.rank == Rank::One && left.dtype != Dtype::F32 =>
            {
                Verdict::Claimed(Product(left.dtype))
            }
            _ => unsupported(site, "it takes two 1-D arrays, both float64 or both int64"),
        }
    }

    fn emit(&self, _plan: &Product, operands: &Operands<'_>) -> LoweredExpr {
        runtime_call("dot", &lent(operands, 2))
    }
}
