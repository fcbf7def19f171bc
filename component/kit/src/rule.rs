//! What a rule is.

use std::fmt;

use crate::{ClaimSite, Declaration, LoweredExpr, OperandMode, operand_types};

/// What a rule decides about a site.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict<P> {
    /// Not this rule's construct: the next rule may look at it.
    Pass,
    /// This rule's construct, but nothing can be said (an operand's type is
    /// unresolved, say). No other rule looks at it.
    NotCovered,
    /// This rule's construct in a form that cannot be lowered.
    Rejected(Rejection),
    /// The plan by which it will be lowered.
    Claimed(P),
}

impl<P> Verdict<P> {
    /// The same verdict with another plan.
    pub fn map<Q>(self, plan: impl FnOnce(P) -> Q) -> Verdict<Q> {
        match self {
            Self::Pass => Verdict::Pass,
            Self::NotCovered => Verdict::NotCovered,
            Self::Rejected(rejection) => Verdict::Rejected(rejection),
            Self::Claimed(claimed) => Verdict::Claimed(plan(claimed)),
        }
    }
}

/// Why a site cannot be lowered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejection {
    /// A code that one of the plugin's declarations carries.
    pub code: &'static str,
    /// What was seen.
    pub message: String,
    /// What to write instead.
    pub suggestion: String,
}

impl Rejection {
    /// What `rule` says of a site that it does not support: the types that were
    /// seen, in the words of `describe`, why the site stays on Python, and the
    /// rule's guidance.
    ///
    /// # Panics
    ///
    /// When the rule has no code.
    #[must_use]
    pub fn by(
        rule: &Declaration,
        site: &ClaimSite,
        describe: impl Fn(&str) -> String,
        why: &str,
    ) -> Self {
        let seen: Vec<_> = operand_types(site)
            .map(|key| key.map_or_else(|| "a value of unknown type".to_owned(), &describe))
            .collect();
        let seen = if seen.is_empty() {
            "no operands".to_owned()
        } else {
            seen.join(" and ")
        };
        Self {
            code: rule.code.expect("a rule that rejects has a code"),
            message: format!("`{}` over {seen} stays on Python: {why}", site.target),
            suggestion: rule.guidance.to_owned(),
        }
    }
}

/// What core needs to know of a plan.
pub trait Planned {
    /// The type key of the value that the site will produce.
    fn result_type(&self) -> &str;

    /// How the rule wants its operands.
    fn operand_mode(&self) -> OperandMode {
        OperandMode::Direct
    }
}

/// The operands of a claimed site, checked against its plan: one rendered Rust
/// expression an operand (or a leaf), each either a plain name, which may be
/// used again, or an expression to be evaluated once.
#[derive(Clone, Copy, Debug)]
pub struct Operands<'a> {
    /// The operands in positional order, or the leaves by index.
    pub values: &'a [String],
    /// The receiver of a method call.
    pub receiver: Option<&'a str>,
    /// Whether the receiver is a name that core gave to a value for this call
    /// alone, as in `f(a).m()`, and not a variable.
    pub receiver_is_temporary: bool,
}

/// A rule that claims and lowers.
pub trait Rule: Sync {
    /// All that [`Rule::emit`] needs to know.
    type Plan: Planned;

    /// What the rule says of itself.
    fn declaration(&self) -> &'static Declaration;

    /// The only place that decides. Called by `claim`, and again by `lower`
    /// with whatever site it was given.
    fn plan(&self, site: &ClaimSite) -> Verdict<Self::Plan>;

    /// The Rust for the plan. The operands agree with the plan.
    fn emit(&self, plan: &Self::Plan, operands: &Operands<'_>) -> LoweredExpr;
}

/// A rule that only describes: a boundary of the plugin, which claims nothing.
pub struct Described(pub Declaration);

/// Why a site was not lowered. Reaches the user as Python's `ValueError`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LowerError(String);

impl LowerError {
    /// An error with this text.
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }

    /// The text.
    #[must_use]
    pub fn into_message(self) -> String {
        self.0
    }
}

impl fmt::Display for LowerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for LowerError {}
