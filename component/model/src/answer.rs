//! What a plugin answers, and what it is asked with.

use crate::{ArtifactProfile, Backend, DeviceAuthorization};

/// How core hands the operands to `lower`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "json", serde(rename_all = "snake_case"))]
pub enum OperandMode {
    /// One rendered expression an operand.
    #[default]
    Direct,
    /// One rendered expression a leaf of the tree.
    Leaves,
}

/// The plugin will lower the site.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "json", serde(deny_unknown_fields))]
pub struct Claimed {
    /// One of the plugin's own rules.
    pub rule_id: String,
    /// The type key of the value it produces.
    pub result_type: String,
    /// How it wants its operands.
    pub operand_mode: OperandMode,
}

/// How grave a diagnostic is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "json", serde(rename_all = "snake_case"))]
pub enum Severity {
    /// The site cannot be native.
    #[default]
    Error,
    /// It can, with a remark.
    Warning,
}

/// Why a site is not lowered.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "json", serde(deny_unknown_fields))]
pub struct Diagnostic {
    /// A code that one of the plugin's rule records declares.
    pub code: String,
    /// How grave it is.
    pub severity: Severity,
    /// What was seen.
    pub message: String,
    /// What to write instead.
    pub suggestion: Option<String>,
}

/// The answer to `claim`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "json", serde(rename_all = "snake_case"))]
pub enum ClaimResult {
    /// The plugin will lower the site.
    Claimed(Claimed),
    /// The site is none of the plugin's business.
    NotCovered,
    /// The plugin knows the construct and cannot lower this form of it.
    Rejected(Diagnostic),
}

/// What `lower` may use besides the site.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "json", serde(deny_unknown_fields))]
pub struct LoweringContext {
    /// Rendered operands in positional order; empty in leaves mode.
    pub operands: Vec<String>,
    /// The language to emit, `rust`.
    pub target_language: String,
    /// Rendered leaves by index; empty in direct mode.
    #[cfg_attr(feature = "json", serde(default))]
    pub leaf_operands: Vec<String>,
    /// The rendered receiver, already evaluated once.
    #[cfg_attr(feature = "json", serde(default))]
    pub receiver: Option<String>,
    /// What kind of Rust is generated.
    #[cfg_attr(feature = "json", serde(default))]
    pub backend: Backend,
    /// The artifact, for standalone Rust only.
    #[cfg_attr(feature = "json", serde(default))]
    pub artifact_profile: Option<ArtifactProfile>,
    /// Leave to use a device.
    #[cfg_attr(feature = "json", serde(default))]
    pub device_authorization: Option<DeviceAuthorization>,
    /// Whether this plugin's scope guard is in force in the enclosing function.
    #[cfg_attr(feature = "json", serde(default))]
    pub function_scope_guard_active: bool,
}

/// A lowered site: one Rust expression and the items it needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "json", serde(deny_unknown_fields))]
pub struct LoweredExpr {
    /// One expression without a trailing semicolon.
    pub rust: String,
    /// `use` lines it needs.
    pub uses: Vec<String>,
    /// Module-level items it needs.
    pub helpers: Vec<String>,
    /// The plugin's own types whose `uses` and `helpers` it needs as well.
    pub type_support: Vec<String>,
}

/// What the plugin learns about a function it takes part in.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "json", serde(deny_unknown_fields))]
pub struct FunctionScopeContext {
    /// The function's qualified name.
    pub function_qualname: String,
    /// The plugin's rules used in it, sorted.
    pub used_rule_ids: Vec<String>,
    /// The plugin's types used in it, sorted.
    pub used_type_keys: Vec<String>,
    /// What kind of Rust is generated.
    pub backend: Backend,
    /// The artifact, for standalone Rust only.
    #[cfg_attr(
        feature = "json",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub artifact_profile: Option<ArtifactProfile>,
    /// Whether it calls back into Python; then a guard is not allowed.
    pub has_python_boundary_calls: bool,
}

/// A guard held for the body of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "json", serde(deny_unknown_fields))]
pub struct ScopeGuard {
    /// A path call without arguments that cannot fail.
    pub rust: String,
    /// `use` lines it needs.
    #[cfg_attr(
        feature = "json",
        serde(default, skip_serializing_if = "Vec::is_empty")
    )]
    pub uses: Vec<String>,
    /// Module-level items it needs.
    #[cfg_attr(
        feature = "json",
        serde(default, skip_serializing_if = "Vec::is_empty")
    )]
    pub helpers: Vec<String>,
}
