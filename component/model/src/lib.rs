//! The values of Rextio's plugin API as plain Rust types.
//!
//! A guest's rules, the host and the tests all speak these types. The
//! generated WebAssembly bindings stay private to the guest SDK and to the
//! host; [`impl_wire!`] gives each of them the same conversion, from one table.
//!
//! With the feature `json`, every type reads and writes the JSON of core's own
//! `to_dict()` (without the position in the user's file, which no plugin sees).

#![deny(missing_docs)]

mod answer;
mod artifact;
mod callable;
mod description;
mod expr;
#[cfg(feature = "json")]
mod json;
mod rule;
mod site;
mod tree;
mod wire;

pub use answer::{
    ClaimResult, Claimed, Diagnostic, FunctionScopeContext, LoweredExpr, LoweringContext,
    OperandMode, ScopeGuard, Severity,
};
pub use artifact::{
    ArtifactCapability, ArtifactKind, ArtifactProfile, ArtifactProvenance, ArtifactTypeSupport,
    Backend, DeviceAuthorization, DeviceRequirement, DeviceValueMetadata, FallbackStrategy,
    Requirement,
};
pub use callable::{BodyExpr, BodyKind, Callable, CallableBody, CallableParam, ScalarLiteral};
pub use description::{
    BoundaryConversion, Coverage, CrateDependency, Description, EnvironmentContract,
    ForbiddenVariable, Hook, PluginType, RequiredPackage, RequiredVariable,
};
pub use expr::{Expr, ExprKind, LeafKind};
pub use rule::{Pairs, RuleOutcome, RuleRecord, RuleScope, ScopeKind, Stability};
pub use site::{
    ClaimLiteral, ClaimSite, KeywordArg, Receiver, ReceiverKind, Schema, SchemaField, SiteKind,
};
pub use tree::{MAX_DEPTH, Tree, TreeError, depth, flatten, unflatten};
