//! The adapter between a [`Plugin`] and the generated bindings.

use std::marker::PhantomData;

use rextio_plugin_model as model;

use crate::bindings::exports::rextio::plugin::{provider, types as wit};
use crate::{LowerError, Plugin, panic_record};

model::impl_wire!(wit);

/// A [`Plugin`] behind the generated bindings.
pub struct Guest<P>(PhantomData<P>);

/// Converts an answer. A tree in an answer does not exist, so nothing can fail;
/// were that to change, the panic would name it.
fn answer<A: Wire<B>, B>(value: A) -> B {
    value
        .wire()
        .unwrap_or_else(|error| panic!("an answer cannot cross the interface: {error}"))
}

/// Converts what the host passed, which the host has already checked.
fn argument<A: Wire<B>, B>(value: A) -> B {
    value
        .wire()
        .unwrap_or_else(|error| panic!("the host passed a broken value: {error}"))
}

impl<P: Plugin> provider::Guest for Guest<P> {
    fn describe() -> wit::Description {
        panic_record::install();
        answer(P::describe())
    }

    fn rules() -> Vec<wit::RuleRecord> {
        panic_record::install();
        answer(P::rules())
    }

    fn claim(site: wit::ClaimSite) -> wit::ClaimResult {
        panic_record::install();
        let site: model::ClaimSite = argument(site);
        answer(P::claim(&site))
    }

    fn lower(site: wit::ClaimSite, ctx: wit::LoweringContext) -> Result<wit::LoweredExpr, String> {
        panic_record::install();
        let site: model::ClaimSite = match site.wire() {
            Ok(site) => site,
            Err(error) => return Err(format!("the site is malformed: {error}")),
        };
        let ctx: model::LoweringContext = argument(ctx);
        P::lower(&site, &ctx)
            .map(answer)
            .map_err(LowerError::into_message)
    }

    fn function_scope_guard(ctx: wit::FunctionScopeContext) -> Option<wit::ScopeGuard> {
        panic_record::install();
        let ctx: model::FunctionScopeContext = argument(ctx);
        answer(P::function_scope_guard(&ctx))
    }

    fn artifact_capability(profile: wit::ArtifactProfile) -> Option<wit::ArtifactCapability> {
        panic_record::install();
        let profile: model::ArtifactProfile = argument(profile);
        answer(P::artifact_capability(&profile))
    }
}
