//! Rule records.

/// Key and value pairs in order.
pub type Pairs = Vec<(String, String)>;

/// What kind of construct a rule speaks about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "json", serde(rename_all = "snake_case"))]
pub enum ScopeKind {
    /// A type, for example an annotation.
    Type,
    /// A piece of syntax.
    Syntax,
    /// A call or method call.
    Call,
    /// A binary operator.
    Binop,
    /// A comparison operator.
    Compare,
    /// An import.
    Import,
    /// A decorator.
    Decorator,
}

/// What happens to code that a rule speaks about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "json", serde(rename_all = "snake_case"))]
pub enum RuleOutcome {
    /// It is lowered to native code.
    Native,
    /// It stays on the Python fallback.
    Fallback,
    /// It is refused.
    Reject,
    /// It runs through a runtime shim.
    Shim,
    /// It crosses a Python boundary.
    Boundary,
}

/// How far a rule's behaviour may still change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "json", serde(rename_all = "snake_case"))]
pub enum Stability {
    /// It follows semantic versioning.
    Stable,
    /// It may change with any release.
    Experimental,
}

/// Where a rule applies.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "json", serde(deny_unknown_fields))]
pub struct RuleScope {
    /// The kind of construct.
    pub kind: ScopeKind,
    /// The construct in words a person reads.
    pub pattern: String,
}

/// One rule of a plugin, as `rextio capabilities` lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "json", serde(deny_unknown_fields))]
pub struct RuleRecord {
    /// Unique and namespaced: `<plugin-id>/<name>`.
    pub id: String,
    /// Where the rule applies.
    pub scope: RuleScope,
    /// What must hold for the rule to apply.
    pub constraint: String,
    /// What the rule does.
    pub outcome: RuleOutcome,
    /// The `RXTP-<PLUGIN>-NNN` code that belongs to it.
    pub diagnostic_code: Option<String>,
    /// What the user can do about it.
    pub guidance: String,
    /// How far it may change.
    pub stability: Stability,
    /// Whether the lowering passed certification.
    #[cfg_attr(
        feature = "json",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub verified: Option<bool>,
    /// A suggested rewrite.
    #[cfg_attr(
        feature = "json",
        serde(
            default,
            skip_serializing_if = "Option::is_none",
            with = "crate::json::optional_pairs"
        )
    )]
    pub fix_template: Option<Pairs>,
    /// Worked examples.
    #[cfg_attr(
        feature = "json",
        serde(
            default,
            skip_serializing_if = "Vec::is_empty",
            with = "crate::json::pairs_list"
        )
    )]
    pub examples: Vec<Pairs>,
}
