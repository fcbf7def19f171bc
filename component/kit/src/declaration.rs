//! How a rule declares itself.

use crate::{ClaimSite, RuleOutcome, RuleRecord, RuleScope, ScopeKind, Stability};

/// One use of a rule, in Python and in the Rust it becomes. Documentation and
/// test at once: [`crate::RuleSet::problems`] claims and lowers every example.
#[derive(Clone, Copy)]
pub struct Example {
    /// The Python source.
    pub python: &'static str,
    /// The site core makes of it.
    pub site: fn() -> ClaimSite,
    /// The operands core renders for it, direct or leaves.
    pub operands: &'static [&'static str],
    /// The Rust it becomes.
    pub rust: &'static str,
}

/// A use near the rule that it declines, and how.
#[derive(Clone, Copy)]
pub struct Counterexample {
    /// The Python source.
    pub python: &'static str,
    /// The site core makes of it.
    pub site: fn() -> ClaimSite,
    /// What the plugin answers.
    pub expected: Expected,
}

/// How a plugin answers a site that a rule does not claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// It is none of the plugin's business.
    NotCovered,
    /// It is rejected with this code.
    Rejected(&'static str),
    /// Another rule of the plugin claims it.
    ClaimedBy(&'static str),
}

/// A rule's declaration. Its record, its share of the coverage, its
/// documentation and its example tests all derive from this.
#[derive(Clone, Copy)]
pub struct Declaration {
    /// The part of the id after `<plugin-id>/`.
    pub name: &'static str,
    /// Its diagnostic code.
    pub code: Option<&'static str>,
    /// The kind of site it claims, or of construct it speaks about.
    pub scope: ScopeKind,
    /// The construct in words.
    pub pattern: &'static str,
    /// What must hold.
    pub constraint: &'static str,
    /// What it does.
    pub outcome: RuleOutcome,
    /// What the user can do about it.
    pub guidance: &'static str,
    /// How far it may change.
    pub stability: Stability,
    /// Whether the lowering passed certification; `None` where there is none.
    pub verified: Option<bool>,
    /// The functions, methods and classes it covers, as dotted names.
    pub symbols: &'static [&'static str],
    /// Uses that it claims.
    pub examples: &'static [Example],
    /// Uses that it declines.
    pub counterexamples: &'static [Counterexample],
}

impl Declaration {
    /// An experimental rule that says nothing yet; a base for `..`.
    pub const EMPTY: Self = Self {
        name: "",
        code: None,
        scope: ScopeKind::Call,
        pattern: "",
        constraint: "",
        outcome: RuleOutcome::Fallback,
        guidance: "",
        stability: Stability::Experimental,
        verified: None,
        symbols: &[],
        examples: &[],
        counterexamples: &[],
    };

    /// The rule's record.
    #[must_use]
    pub fn record(&self, plugin_id: &str) -> RuleRecord {
        RuleRecord {
            id: self.id(plugin_id),
            scope: RuleScope {
                kind: self.scope,
                pattern: self.pattern.to_owned(),
            },
            constraint: self.constraint.to_owned(),
            outcome: self.outcome,
            diagnostic_code: self.code.map(str::to_owned),
            guidance: self.guidance.to_owned(),
            stability: self.stability,
            verified: self.verified,
            fix_template: None,
            examples: self
                .examples
                .iter()
                .map(|example| {
                    vec![
                        ("python".to_owned(), example.python.to_owned()),
                        ("rust".to_owned(), example.rust.to_owned()),
                    ]
                })
                .collect(),
        }
    }

    /// The rule's id, with the plugin's as its namespace.
    #[must_use]
    pub fn id(&self, plugin_id: &str) -> String {
        format!("{plugin_id}/{}", self.name)
    }
}
