//! A plugin as the host's callers see it.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, OnceLock, PoisonError};

use rextio_plugin_model::{
    ArtifactCapability, ArtifactProfile, ClaimResult, ClaimSite, Description, FunctionScopeContext,
    LoweredExpr, LoweringContext, RuleRecord, ScopeGuard, SiteKind, TreeError,
};
use serde::Serialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use wasmtime::Store;

use crate::bindings::{Plugin as World, PluginPre, Wire, wit};
use crate::code_cache::{CodeCache, hex};
use crate::context::Context;
use crate::guest::{self, Guest, STACK_BYTES, State, Stop};
use crate::inspect::{Interface, inspect};
use crate::trace::{Event, Recorder};
use crate::{Error, Limits, NoContext, Operation, Subject};

/// What the host's own frames may need beside the guest's.
const HOST_STACK_BYTES: usize = 256 << 10;

/// How a plugin is loaded.
#[derive(Clone, Debug)]
pub struct Options {
    /// What its calls may use.
    pub limits: Limits,
    /// Where its compiled code is kept.
    pub cache: CodeCache,
    /// Where its calls are recorded.
    pub recorder: Option<Arc<Recorder>>,
}

impl Options {
    /// What the environment asks for, with nothing recorded.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`] where a variable has no meaning.
    pub fn from_environment() -> Result<Self, Error> {
        Ok(Self {
            limits: Limits::from_environment()?,
            cache: CodeCache::from_environment(),
            recorder: None,
        })
    }
}

impl Default for Options {
    /// The default limits, no cache, nothing recorded.
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            cache: CodeCache::Off,
            recorder: None,
        }
    }
}

/// A component ready to be instantiated, shared by all who load its bytes.
struct Prepared {
    pre: PluginPre<State>,
    interface: Interface,
    /// A pure function of the bytes, so asked once.
    description: OnceLock<Description>,
}

/// A loaded plugin. It may be called from several threads at once.
///
/// One instance is kept alive between calls. It is taken out of its slot for
/// the length of a call, so that no lock is held while the plugin runs or asks
/// its context; a second thread meanwhile gets an instance of its own. An
/// instance that failed is thrown away with all its memory.
pub struct Plugin {
    prepared: Arc<Prepared>,
    digest: String,
    limits: Limits,
    description: Description,
    idle: Mutex<Option<Box<Guest>>>,
    recorder: Option<Arc<Recorder>>,
}

impl Plugin {
    /// Loads the component in a file and asks it to describe itself.
    ///
    /// # Errors
    ///
    /// See [`Plugin::from_bytes`]; [`Error::Read`] and [`Error::TooLarge`].
    pub fn load(path: &Path, options: &Options) -> Result<Self, Error> {
        let unreadable = |source| Error::Read {
            path: path.to_owned(),
            source,
        };
        let found = std::fs::metadata(path).map_err(unreadable)?;
        let origin = path.display().to_string();
        check_size(&origin, found.len(), &options.limits)?;
        let bytes = std::fs::read(path).map_err(unreadable)?;
        Self::from_bytes(&bytes, &origin, options)
    }

    /// Loads a component and asks it to describe itself. `origin` names it in
    /// messages.
    ///
    /// # Errors
    ///
    /// [`Error`] says which requirement of a plugin component is not met, or
    /// why it could not be compiled, made or described.
    pub fn from_bytes(bytes: &[u8], origin: &str, options: &Options) -> Result<Self, Error> {
        check_size(origin, bytes.len() as u64, &options.limits)?;
        let digest = hex(&Sha256::digest(bytes));
        let prepared = prepare(bytes, origin, &digest, &options.cache)?;
        let mut plugin = Self {
            prepared,
            digest,
            limits: options.limits,
            description: unnamed(origin),
            idle: Mutex::new(None),
            recorder: None,
        };
        plugin.description = match plugin.prepared.description.get() {
            Some(description) => description.clone(),
            None => {
                let description = plugin.describe()?;
                plugin
                    .prepared
                    .description
                    .get_or_init(|| description)
                    .clone()
            }
        };
        if let Some(recorder) = &options.recorder {
            recorder.begin(&plugin)?;
            plugin.recorder = Some(recorder.clone());
        }
        Ok(plugin)
    }

    /// Who the plugin is and what it brings, as it said when it was loaded.
    #[must_use]
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// The SHA-256 of the component.
    #[must_use]
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// Whether the component can ask its context anything. Where not, callers
    /// need not prepare one.
    #[must_use]
    pub fn asks_context(&self) -> bool {
        self.prepared.interface.imports_context
    }

    /// Its rules under the project's configuration.
    ///
    /// # Errors
    ///
    /// [`Error::Call`] and its kin.
    pub fn rules(&self, context: Box<dyn Context>) -> Result<Vec<RuleRecord>, Error> {
        self.call(
            Operation::Rules,
            context,
            &|| Subject::None,
            &|| Value::Null,
            |world, store| world.rextio_plugin_provider().call_rules(store),
            Wire::wire,
        )
    }

    /// Whether it lowers a site.
    ///
    /// # Errors
    ///
    /// [`Error::Site`] where the site is more than the interface can carry,
    /// [`Error::Call`] and its kin.
    pub fn claim(&self, site: ClaimSite, context: Box<dyn Context>) -> Result<ClaimResult, Error> {
        let input = self.input(|| json!({ "site": value(&site) }));
        let site = self.site(Operation::Claim, site)?;
        self.call(
            Operation::Claim,
            context,
            &|| subject(&site),
            &|| input.clone(),
            |world, store| world.rextio_plugin_provider().call_claim(store, &site),
            Wire::wire,
        )
    }

    /// The Rust for a site it claimed.
    ///
    /// # Errors
    ///
    /// [`Error::Refused`] with the plugin's own words where it will not;
    /// [`Error::Site`] where the site is more than the interface can carry,
    /// [`Error::Call`] and its kin.
    pub fn lower(
        &self,
        site: ClaimSite,
        lowering: LoweringContext,
        context: Box<dyn Context>,
    ) -> Result<LoweredExpr, Error> {
        let input = self.input(|| json!({ "site": value(&site), "context": value(&lowering) }));
        let site = self.site(Operation::Lower, site)?;
        let lowering: wit::LoweringContext = lowering
            .wire()
            .map_err(|source| self.unaskable(Operation::Lower, subject(&site), source))?;
        let answer = self.call(
            Operation::Lower,
            context,
            &|| subject(&site),
            &|| input.clone(),
            |world, store| {
                world
                    .rextio_plugin_provider()
                    .call_lower(store, &site, &lowering)
            },
            |answer| match answer {
                Ok(lowered) => lowered.wire().map(Outcome::Ok),
                Err(text) => Ok(Outcome::Error(text)),
            },
        )?;
        match answer {
            Outcome::Ok(lowered) => Ok(lowered),
            Outcome::Error(text) => Err(Error::Refused(text)),
        }
    }

    /// The guard a function needs, if any.
    ///
    /// # Errors
    ///
    /// [`Error::Call`] and its kin.
    pub fn function_scope_guard(
        &self,
        function: FunctionScopeContext,
        context: Box<dyn Context>,
    ) -> Result<Option<ScopeGuard>, Error> {
        let operation = Operation::FunctionScopeGuard;
        let input = self.input(|| json!({ "context": value(&function) }));
        let name = function.function_qualname.clone();
        let subject = || Subject::Function(name.clone());
        let function: wit::FunctionScopeContext = function
            .wire()
            .map_err(|source| self.unaskable(operation, subject(), source))?;
        self.call(
            operation,
            context,
            &subject,
            &|| input.clone(),
            |world, store| {
                world
                    .rextio_plugin_provider()
                    .call_function_scope_guard(store, &function)
            },
            Wire::wire,
        )
    }

    /// What works in standalone Rust for this artifact.
    ///
    /// # Errors
    ///
    /// [`Error::Call`] and its kin.
    pub fn artifact_capability(
        &self,
        profile: ArtifactProfile,
        context: Box<dyn Context>,
    ) -> Result<Option<ArtifactCapability>, Error> {
        let operation = Operation::ArtifactCapability;
        let input = self.input(|| json!({ "profile": value(&profile) }));
        let profile: wit::ArtifactProfile = profile
            .wire()
            .map_err(|source| self.unaskable(operation, Subject::None, source))?;
        self.call(
            operation,
            context,
            &|| Subject::None,
            &|| input.clone(),
            |world, store| {
                world
                    .rextio_plugin_provider()
                    .call_artifact_capability(store, &profile)
            },
            Wire::wire,
        )
    }

    /// Asks again; the answer at load is in [`Plugin::description`].
    pub(crate) fn describe(&self) -> Result<Description, Error> {
        self.call(
            Operation::Describe,
            Box::new(NoContext),
            &|| Subject::None,
            &|| Value::Null,
            |world, store| world.rextio_plugin_provider().call_describe(store),
            Wire::wire,
        )
    }

    /// Makes the next call run in a fresh instance.
    pub(crate) fn forget_instance(&self) {
        self.slot().take();
    }

    fn slot(&self) -> MutexGuard<'_, Option<Box<Guest>>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn input(&self, input: impl FnOnce() -> Value) -> Value {
        if self.recorder.is_some() {
            input()
        } else {
            Value::Null
        }
    }

    fn site(&self, operation: Operation, site: ClaimSite) -> Result<wit::ClaimSite, Error> {
        let (kind, target) = (site.kind, site.target.clone());
        site.wire()
            .map_err(|source| self.unaskable(operation, Subject::Site { kind, target }, source))
    }

    fn unaskable(&self, operation: Operation, subject: Subject, source: TreeError) -> Error {
        Error::Site {
            plugin: self.description.plugin_id.clone(),
            operation,
            subject,
            source,
        }
    }

    fn call<Raw, Answer: Serialize>(
        &self,
        operation: Operation,
        context: Box<dyn Context>,
        subject: &dyn Fn() -> Subject,
        input: &dyn Fn() -> Value,
        call: impl FnOnce(&World, &mut Store<State>) -> wasmtime::Result<Raw>,
        convert: impl FnOnce(Raw) -> Result<Answer, TreeError>,
    ) -> Result<Answer, Error> {
        let plugin = || self.description.plugin_id.clone();
        let needed = STACK_BYTES + HOST_STACK_BYTES;
        if let Some(left) = stacker::remaining_stack().filter(|left| *left < needed) {
            return Err(Error::ThreadStack {
                plugin: plugin(),
                operation,
                left,
                needed,
            });
        }
        let stopped = |stop| match stop {
            Stop::Failed(failure) => Error::Call {
                plugin: plugin(),
                operation,
                subject: subject(),
                failure,
            },
            Stop::Refused(source) => Error::Context {
                plugin: plugin(),
                operation,
                subject: subject(),
                source,
            },
        };
        let idle = self.slot().take();
        let mut guest = match idle {
            Some(guest) => guest,
            None => Guest::new(&self.prepared.pre, self.limits)
                .map(Box::new)
                .map_err(stopped)?,
        };
        let called = guest.call(operation, context, self.recorder.is_some(), call);
        let (answer, asked) = called.map_err(stopped)?;
        *self.slot() = Some(guest);
        let answer = convert(answer).map_err(|source| Error::Answer {
            plugin: plugin(),
            operation,
            subject: subject(),
            detail: source.to_string(),
        })?;
        if let Some(recorder) = &self.recorder {
            let plugin = plugin();
            recorder.event(&Event {
                plugin,
                operation,
                input: input(),
                output: value(&answer),
                asked,
            })?;
        }
        Ok(answer)
    }
}

/// The answer of `lower` as a trace holds it.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Outcome {
    Ok(LoweredExpr),
    Error(String),
}

pub(crate) fn value<T: Serialize>(value: &T) -> Value {
    // The model's types have string keys and finite numbers only.
    serde_json::to_value(value).unwrap_or(Value::Null)
}

fn subject(site: &wit::ClaimSite) -> Subject {
    let kind = match site.kind {
        wit::SiteKind::Call => SiteKind::Call,
        wit::SiteKind::Binop => SiteKind::Binop,
        wit::SiteKind::Compare => SiteKind::Compare,
    };
    Subject::Site {
        kind,
        target: site.target.clone(),
    }
}

fn check_size(origin: &str, found: u64, limits: &Limits) -> Result<(), Error> {
    let limit = limits.file_bytes;
    if found > limit {
        return Err(Error::TooLarge {
            origin: origin.to_owned(),
            found,
            limit,
        });
    }
    Ok(())
}

/// Stands in until the plugin has said who it is, so that messages name the
/// file.
fn unnamed(origin: &str) -> Description {
    Description {
        plugin_id: origin.to_owned(),
        name: String::new(),
        version: String::new(),
        api_version: String::new(),
        target_versions: Vec::new(),
        target_build_options: Vec::new(),
        coverage: Default::default(),
        types: Vec::new(),
        crate_dependencies: Vec::new(),
        environment: Default::default(),
        hooks: Vec::new(),
    }
}

/// A component on its way to being prepared.
#[derive(Default)]
struct Preparation {
    done: OnceLock<Arc<Prepared>>,
    compiling: Mutex<()>,
}

/// Core loads its plugins several times in one build, and other threads may do
/// so at once: a component is compiled once a process.
fn prepare(
    bytes: &[u8],
    origin: &str,
    digest: &str,
    cache: &CodeCache,
) -> Result<Arc<Prepared>, Error> {
    static KNOWN: LazyLock<Mutex<HashMap<String, Arc<Preparation>>>> =
        LazyLock::new(Mutex::default);
    let preparation = KNOWN
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .entry(digest.to_owned())
        .or_default()
        .clone();
    if let Some(prepared) = preparation.done.get() {
        return Ok(prepared.clone());
    }
    let _one_at_a_time = preparation
        .compiling
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    if let Some(prepared) = preparation.done.get() {
        return Ok(prepared.clone());
    }
    let interface = inspect(bytes, origin)?;
    let failed = |error: wasmtime::Error| Error::Engine {
        origin: origin.to_owned(),
        detail: format!("{error:#}"),
    };
    let engine = guest::engine().map_err(failed)?;
    let component = cache
        .component(engine, bytes, digest)
        .map_err(|error| Error::Invalid {
            origin: origin.to_owned(),
            detail: format!("{error:#}"),
        })?;
    let pre = guest::link(&component).map_err(failed)?;
    let prepared = || {
        Arc::new(Prepared {
            pre,
            interface,
            description: OnceLock::new(),
        })
    };
    Ok(preparation.done.get_or_init(prepared).clone())
}
