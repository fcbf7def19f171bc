//! What a plugin is.

use crate::{
    ArtifactCapability, ArtifactProfile, ClaimResult, ClaimSite, Description, FunctionScopeContext,
    LowerError, LoweredExpr, LoweringContext, RuleRecord, RuleSet, ScopeGuard,
};

/// A Rextio plugin. Every answer is a pure function of the arguments (and of
/// [`crate::context`], for a plugin that asks it): the host may throw the
/// instance away between any two calls.
pub trait Plugin {
    /// The plugin's rules. They answer [`rules`](Self::rules), [`claim`](Self::claim)
    /// and [`lower`](Self::lower).
    const RULES: &'static RuleSet;

    /// Who the plugin is and what it brings. The optional hooks below are
    /// called only where [`Description::hooks`] lists them.
    fn describe() -> Description;

    /// The plugin's rule records.
    fn rules() -> Vec<RuleRecord> {
        Self::RULES.records()
    }

    /// Whether the plugin lowers a site.
    fn claim(site: &ClaimSite) -> ClaimResult {
        Self::RULES.claim(site)
    }

    /// The Rust for a site it claimed.
    ///
    /// # Errors
    ///
    /// [`LowerError`] for a site or context that the claim does not cover.
    fn lower(site: &ClaimSite, ctx: &LoweringContext) -> Result<LoweredExpr, LowerError> {
        Self::RULES.lower(site, ctx)
    }

    /// The guard a function needs, if any (plugin API 1.7).
    fn function_scope_guard(ctx: &FunctionScopeContext) -> Option<ScopeGuard> {
        let _ = ctx;
        None
    }

    /// What works in standalone Rust, if anything (plugin API 1.4).
    fn artifact_capability(profile: &ArtifactProfile) -> Option<ArtifactCapability> {
        let _ = profile;
        None
    }
}
