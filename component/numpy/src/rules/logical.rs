//! `numpy.logical_not(m)`, `numpy.logical_and(m, n)`, `numpy.logical_or(m, n)`.
//!
//! Two rules, which differ in their functions and in how many masks these take.
//! They claim a call over masks that comparisons or logical calls of the same
//! function produced; two masks are broadcast against each other. The result is
//! a mask of the higher rank.
//!
//! Decline unresolved operands; reject operands that are no masks, options, and
//! other numbers of operands.
//!
//! ```python
//! numpy.logical_not(m)      # rextio_numpy_runtime::logical_not(&m)?
//! numpy.logical_and(m, n)   # rextio_numpy_runtime::logical_and(&m, &n)?
//! ```
//!
//! NumPy: <https://numpy.org/doc/stable/reference/routines.logic.html#logical-operations>

use rextio_plugin_kit::sites::{call, with_option};
use rextio_plugin_kit::{
    ClaimLiteral, ClaimSite, Counterexample, Declaration, Example, Expected, LoweredExpr, Operands,
    Planned, Rule, RuleOutcome, ScopeKind, SiteKind, Verdict,
};

use super::{boundaries, is_plain, lent, runtime_call, unsupported};
use crate::types::Mask;

/// A rule over masks. Its functions are the symbols that it declares.
pub(super) struct Logical {
    declaration: &'static Declaration,
    arity: usize,
}

/// `numpy.logical_not`.
pub(super) static NOT: Logical = Logical {
    declaration: &Declaration {
        name: "resident-logical-not",
        code: Some("RXTP-NUMPY-015"),
        pattern: "numpy.logical_not(mask)",
        constraint: "Exactly one mask that a comparison or logical call produced in the same \
                     function, and no options.",
        guidance: "Apply it to a comparison, not to an array from outside.",
        symbols: &["numpy.logical_not"],
        examples: &[
            Example {
                python: "numpy.logical_not(m)",
                site: || call("numpy.logical_not", &["rextio-numpy/bool-1d"]),
                operands: &["m"],
                rust: "rextio_numpy_runtime::logical_not(&m)?",
            },
            Example {
                python: "numpy.logical_not(a > b)",
                site: || call("numpy.logical_not", &["rextio-numpy/bool-2d"]),
                operands: &["(rextio_numpy_runtime::greater(&a, &b)?)"],
                rust: "rextio_numpy_runtime::logical_not(\
                       &(rextio_numpy_runtime::greater(&a, &b)?))?",
            },
        ],
        counterexamples: &[
            Counterexample {
                python: "numpy.logical_not(a)  # an array",
                site: || call("numpy.logical_not", &["rextio-numpy/f64-1d"]),
                expected: Expected::Rejected(boundaries::OPERAND_TYPES_CODE),
            },
            Counterexample {
                python: "numpy.logical_not(m, out=None)",
                site: || {
                    let negation = call("numpy.logical_not", &["rextio-numpy/bool-1d"]);
                    with_option(negation, "out", ClaimLiteral::None)
                },
                expected: Expected::Rejected(boundaries::OPERAND_TYPES_CODE),
            },
        ],
        ..BASE
    },
    arity: 1,
};

/// `numpy.logical_and` and `numpy.logical_or`.
pub(super) static BINARY: Logical = Logical {
    declaration: &Declaration {
        name: "resident-logical-binary",
        code: Some("RXTP-NUMPY-016"),
        pattern: "numpy.logical_and(mask, mask), numpy.logical_or(mask, mask)",
        constraint: "Exactly two masks that comparisons or logical calls produced in the same \
                     function, broadcast against each other, and no options.",
        guidance: "Combine comparisons, not arrays from outside.",
        symbols: &["numpy.logical_and", "numpy.logical_or"],
        examples: &[Example {
            python: "numpy.logical_or(m, n)",
            site: || {
                call(
                    "numpy.logical_or",
                    &["rextio-numpy/bool-1d", "rextio-numpy/bool-2d"],
                )
            },
            operands: &["m", "n"],
            rust: "rextio_numpy_runtime::logical_or(&m, &n)?",
        }],
        counterexamples: &[
            Counterexample {
                python: "numpy.logical_and(m, a)  # an array",
                site: || {
                    call(
                        "numpy.logical_and",
                        &["rextio-numpy/bool-1d", "rextio-numpy/i64-1d"],
                    )
                },
                expected: Expected::Rejected(boundaries::OPERAND_TYPES_CODE),
            },
            Counterexample {
                python: "numpy.logical_xor(m, n)",
                site: || {
                    call(
                        "numpy.logical_xor",
                        &["rextio-numpy/bool-1d", "rextio-numpy/bool-1d"],
                    )
                },
                expected: Expected::NotCovered,
            },
        ],
        ..BASE
    },
    arity: 2,
};

const BASE: Declaration = Declaration {
    scope: ScopeKind::Call,
    outcome: RuleOutcome::Native,
    verified: Some(true),
    ..Declaration::EMPTY
};

/// A call over masks.
pub(super) struct LogicalPlan {
    function: &'static str,
    mask: Mask,
}

impl Planned for LogicalPlan {
    fn result_type(&self) -> &str {
        self.mask.key()
    }
}

impl Rule for Logical {
    type Plan = LogicalPlan;

    fn declaration(&self) -> &'static Declaration {
        self.declaration
    }

    fn plan(&self, site: &ClaimSite) -> Verdict<LogicalPlan> {
        let mut symbols = self.declaration.symbols.iter();
        let symbol = symbols.find(|symbol| **symbol == site.target);
        let function = symbol.and_then(|symbol| symbol.strip_prefix("numpy."));
        let Some(function) = function.filter(|_| site.kind == SiteKind::Call) else {
            return Verdict::Pass;
        };
        let masks: Option<Vec<Mask>> = site
            .operand_types
            .iter()
            .map(|key| key.as_deref().and_then(Mask::of))
            .collect();
        let rank = masks
            .filter(|masks| masks.len() == self.arity && is_plain(site))
            .and_then(|masks| masks.iter().map(|mask| mask.rank).max());
        match rank {
            Some(rank) => Verdict::Claimed(LogicalPlan {
                function,
                mask: Mask { rank },
            }),
            None => unsupported(site, "it takes masks of this function and no options"),
        }
    }

    fn emit(&self, plan: &LogicalPlan, operands: &Operands<'_>) -> LoweredExpr {
        runtime_call(plan.function, &lent(operands, self.arity))
    }
}
