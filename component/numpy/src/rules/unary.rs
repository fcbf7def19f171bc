//! `numpy.negative(a)`, `numpy.absolute(a)`, `numpy.abs(a)`, `numpy.square(a)`.
//!
//! Claims the four calls over one float64, float32 or int64 array of rank 1 or
//! 2; the result is of the same type. Declines options, other numbers of
//! operands and the method form; rejects operands that are no such array.
//!
//! ```python
//! numpy.abs(a)   # rextio_numpy_runtime::absolute(&a)?
//! ```
//!
//! NumPy: <https://numpy.org/doc/stable/reference/generated/numpy.absolute.html>

use rextio_plugin_kit::sites::call;
use rextio_plugin_kit::{
    ClaimSite, Counterexample, Declaration, Example, Expected, LoweredExpr, Operands, Planned,
    Rule, RuleOutcome, ScopeKind, SiteKind, Verdict,
};

use super::{argument, boundaries, is_plain, runtime_call, unsupported};
use crate::types::Array;

/// The rule.
pub(super) struct Unary;

/// Each call with the runtime's function for it.
const FUNCTIONS: [(&str, &str); 4] = [
    ("numpy.negative", "negative"),
    ("numpy.absolute", "absolute"),
    ("numpy.abs", "absolute"),
    ("numpy.square", "square"),
];

const DECLARATION: Declaration = Declaration {
    name: "unary-module",
    code: Some("RXTP-NUMPY-006"),
    scope: ScopeKind::Call,
    pattern: "numpy.negative(a), numpy.absolute(a), numpy.abs(a), numpy.square(a)",
    constraint: "Exactly one positional operand, a float64, float32 or int64 array of rank 1 or \
                 2, and no options. Signed zeros, NaN and infinities come out as in NumPy; int64 \
                 wraps, also for the smallest int64.",
    outcome: RuleOutcome::Native,
    guidance: "Call the function with one typed array; out, where and dtype stay on Python.",
    verified: Some(true),
    symbols: &[
        "numpy.negative",
        "numpy.absolute",
        "numpy.abs",
        "numpy.square",
    ],
    examples: &[
        Example {
            python: "numpy.abs(a)",
            site: || call("numpy.abs", &["rextio-numpy/f32-2d"]),
            operands: &["a"],
            rust: "rextio_numpy_runtime::absolute(&a)?",
        },
        Example {
            python: "numpy.square(a - b)",
            site: || call("numpy.square", &["rextio-numpy/f64-1d"]),
            operands: &["(rextio_numpy_runtime::subtract(&a, &b)?)"],
            rust: "rextio_numpy_runtime::square(rextio_numpy_runtime::subtract(&a, &b)?)?",
        },
    ],
    counterexamples: &[
        Counterexample {
            python: "numpy.abs(x)  # a float",
            site: || call("numpy.abs", &["float"]),
            expected: Expected::Rejected(boundaries::OPERAND_TYPES_CODE),
        },
        Counterexample {
            python: "numpy.exp(a)",
            site: || call("numpy.exp", &["rextio-numpy/f64-1d"]),
            expected: Expected::NotCovered,
        },
    ],
    ..Declaration::EMPTY
};

/// The function of the runtime, and the type of operand and result.
pub(super) struct UnaryPlan {
    function: &'static str,
    array: Array,
}

impl Planned for UnaryPlan {
    fn result_type(&self) -> &str {
        self.array.key()
    }
}

impl Rule for Unary {
    type Plan = UnaryPlan;

    fn declaration(&self) -> &'static Declaration {
        &DECLARATION
    }

    fn plan(&self, site: &ClaimSite) -> Verdict<UnaryPlan> {
        let function = FUNCTIONS.iter().find(|(target, _)| *target == site.target);
        let Some(&(_, function)) = function.filter(|_| site.kind == SiteKind::Call) else {
            return Verdict::Pass;
        };
        let [operand] = site.operand_types.as_slice() else {
            return Verdict::NotCovered;
        };
        if !is_plain(site) {
            return Verdict::NotCovered;
        }
        match operand.as_deref().and_then(Array::of) {
            Some(array) => Verdict::Claimed(UnaryPlan { function, array }),
            None => unsupported(site, "its operand must be an array"),
        }
    }

    fn emit(&self, plan: &UnaryPlan, operands: &Operands<'_>) -> LoweredExpr {
        runtime_call(plan.function, &argument(&operands.values[0]))
    }
}
