//! `numpy.add(a, b)`, `numpy.subtract(a, b)`, `numpy.multiply(a, b)`,
//! `numpy.divide(a, b)`.
//!
//! Another spelling of the elementwise operators: claims, declines, rejects and
//! lowers as they do. Any option (`out`, `where`, `dtype`, `casting`) and any
//! other number of operands is rejected.
//!
//! ```python
//! numpy.divide(n, m)   # rextio_numpy_runtime::divide(&n, &m)?
//! ```
//!
//! NumPy: <https://numpy.org/doc/stable/reference/generated/numpy.add.html>

use rextio_plugin_kit::sites::{call, with_option};
use rextio_plugin_kit::{
    ClaimLiteral, ClaimSite, Counterexample, Declaration, Example, Expected, LoweredExpr, Operands,
    Rule, RuleOutcome, ScopeKind, SiteKind, Verdict,
};

use super::elementwise::Arithmetic;
use super::{Operator, boundaries};

/// The rule.
pub(super) struct UfuncCall;

const DECLARATION: Declaration = Declaration {
    name: "elementwise-ufunc-call",
    code: Some("RXTP-NUMPY-007"),
    scope: ScopeKind::Call,
    pattern: "numpy.add(a, b), numpy.subtract(a, b), numpy.multiply(a, b), numpy.divide(a, b)",
    constraint: "Exactly two positional operands and no options, over the operands that the \
                 operators + - * / support (RXTP-NUMPY-001), with the same results.",
    outcome: RuleOutcome::Native,
    guidance: "Leave out, where, dtype, casting and the other options to code that stays on \
               Python, or write the operator.",
    verified: Some(true),
    symbols: &[
        "numpy.add",
        "numpy.subtract",
        "numpy.multiply",
        "numpy.divide",
    ],
    examples: &[Example {
        python: "numpy.divide(n, m)",
        site: || {
            call(
                "numpy.divide",
                &["rextio-numpy/i64-1d", "rextio-numpy/i64-2d"],
            )
        },
        operands: &["n", "m"],
        rust: "rextio_numpy_runtime::divide(&n, &m)?",
    }],
    counterexamples: &[
        Counterexample {
            python: "numpy.add(a, b, out=None)",
            site: || {
                let sum = call("numpy.add", &["rextio-numpy/f64-1d", "rextio-numpy/f64-1d"]);
                with_option(sum, "out", ClaimLiteral::None)
            },
            expected: Expected::Rejected(boundaries::OPERAND_TYPES_CODE),
        },
        Counterexample {
            python: "numpy.add(a)",
            site: || call("numpy.add", &["rextio-numpy/f64-1d"]),
            expected: Expected::Rejected(boundaries::OPERAND_TYPES_CODE),
        },
        Counterexample {
            python: "numpy.power(a, b)",
            site: || {
                call(
                    "numpy.power",
                    &["rextio-numpy/f64-1d", "rextio-numpy/f64-1d"],
                )
            },
            expected: Expected::NotCovered,
        },
    ],
    ..Declaration::EMPTY
};

impl Rule for UfuncCall {
    type Plan = Arithmetic;

    fn declaration(&self) -> &'static Declaration {
        &DECLARATION
    }

    fn plan(&self, site: &ClaimSite) -> Verdict<Arithmetic> {
        match Operator::of_ufunc(&site.target) {
            Some(operator) if site.kind == SiteKind::Call => Arithmetic::plan(site, operator),
            _ => Verdict::Pass,
        }
    }

    fn emit(&self, plan: &Arithmetic, operands: &Operands<'_>) -> LoweredExpr {
        plan.emit(operands)
    }
}
