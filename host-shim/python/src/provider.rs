//! The object that core takes for a plugin.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use rextio_wasm_host::model::{ClaimResult, Claimed, Diagnostic, Hook};
use rextio_wasm_host::{
    Context, ContextError, Error, Limits, NoContext, Operation, Options, Plugin, Recorder, Subject,
};

use crate::core::{Core, TypeSupport};
use crate::failure::{exception, guarded};
use crate::questions;
use crate::records::Unreadable;

/// Answers kept at most. A plugin has fewer kinds of claims than this; one that
/// writes the operands into its answers must not fill the memory.
const KEPT_ANSWERS: usize = 4096;

/// A loaded component, before it is known which hooks its provider has.
#[pyclass(frozen, module = "rextio_wasm._native")]
pub(crate) struct Component {
    plugin: Arc<Plugin>,
}

#[pymethods]
impl Component {
    /// Loads the component in a file.
    #[staticmethod]
    #[pyo3(signature = (path, limits, record))]
    fn load(
        py: Python<'_>,
        path: PathBuf,
        limits: &Bound<'_, PyDict>,
        record: Option<PathBuf>,
    ) -> PyResult<Self> {
        guarded(py, || {
            let mut options = Options::from_environment().map_err(|error| exception(py, error))?;
            apply(&mut options.limits, limits)?;
            let plugin = py.detach(|| {
                options.recorder = record.as_deref().map(Recorder::to_file).transpose()?;
                Plugin::load(&path, &options)
            });
            let plugin = Arc::new(plugin.map_err(|error| exception(py, error))?);
            Ok(Self { plugin })
        })
    }

    /// The optional hooks that the component has.
    #[getter]
    fn hooks(&self) -> Vec<&'static str> {
        let name = |hook: &Hook| match hook {
            Hook::FunctionScopeGuard => "function_scope_guard",
            Hook::ArtifactCapability => "artifact_capability",
        };
        self.plugin.description().hooks.iter().map(name).collect()
    }

    /// Its description as JSON text.
    fn description(&self) -> String {
        // The description has string keys only.
        serde_json::to_string(self.plugin.description()).unwrap_or_default()
    }

    /// The SHA-256 of its bytes.
    #[getter]
    fn sha256(&self) -> &str {
        self.plugin.digest()
    }
}

impl Component {
    pub(crate) fn plugin(&self) -> &Plugin {
        &self.plugin
    }
}

fn apply(limits: &mut Limits, given: &Bound<'_, PyDict>) -> PyResult<()> {
    for (name, value) in given {
        let name: String = name.extract()?;
        let positive = || {
            PyValueError::new_err(format!(
                "the limit {name} must be a positive int, not {value}"
            ))
        };
        let number: u64 = value.extract().map_err(|_| positive())?;
        let size = usize::try_from(number).map_err(|_| positive())?;
        if number == 0 {
            return Err(positive());
        }
        match name.as_str() {
            "fuel" => limits.fuel = number,
            "memory_bytes" => limits.memory_bytes = size,
            "table_elements" => limits.table_elements = size,
            "answer_bytes" => limits.answer_bytes = size,
            "file_bytes" => limits.file_bytes = number,
            _ => return Err(PyValueError::new_err(format!("there is no limit {name:?}"))),
        }
    }
    Ok(())
}

/// Answers a plugin's questions from what core handed over.
struct PythonContext {
    config: Option<Py<PyAny>>,
    fresh_name: Option<Py<PyAny>>,
}

impl Context for PythonContext {
    fn config(&mut self, key: &str) -> Result<Option<String>, ContextError> {
        let Some(config) = &self.config else {
            return Ok(None);
        };
        Python::attach(|py| {
            let lookup = py.import("rextio_wasm._config")?.getattr("lookup")?;
            lookup.call1((config, key))?.extract()
        })
        .map_err(|error: PyErr| error.into())
    }

    fn fresh_name(&mut self, prefix: &str) -> Result<String, ContextError> {
        let Some(fresh_name) = &self.fresh_name else {
            return NoContext.fresh_name(prefix);
        };
        Python::attach(|py| fresh_name.call1(py, (prefix,))?.extract(py))
            .map_err(|error: PyErr| error.into())
    }
}

/// A rejection that core has an object for.
struct Rejection {
    diagnostic: Diagnostic,
    answer: Py<PyAny>,
}

/// What is made once for a provider.
struct Made {
    support: TypeSupport,
    types: Py<PyTuple>,
}

/// A plugin as core knows it. Its optional hooks are methods of the Python
/// subclasses, since core looks for them in the class.
#[pyclass(subclass, frozen, module = "rextio_wasm._native")]
pub(crate) struct Provider {
    plugin: Arc<Plugin>,
    made: OnceLock<Made>,
    claimed: Mutex<HashMap<Claimed, Py<PyAny>>>,
    rejected: Mutex<HashMap<String, Rejection>>,
    warned: Mutex<HashSet<String>>,
    prepared: AtomicBool,
}

#[pymethods]
impl Provider {
    #[new]
    fn new(component: &Component) -> Self {
        Self {
            plugin: component.plugin.clone(),
            made: OnceLock::new(),
            claimed: Mutex::default(),
            rejected: Mutex::default(),
            warned: Mutex::default(),
            prepared: AtomicBool::new(false),
        }
    }

    /// The plugin's id.
    #[getter]
    fn plugin_id(&self) -> &str {
        &self.plugin.description().plugin_id
    }

    /// The plugin API it was built against.
    #[getter]
    fn api_version(&self) -> &str {
        &self.plugin.description().api_version
    }

    fn __repr__(&self) -> String {
        let description = self.plugin.description();
        format!(
            "<rextio_wasm.Provider {} {}>",
            description.plugin_id, description.version
        )
    }

    /// The metadata core keeps.
    fn to_rextio_plugin(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Core::get(py)?.plugin(py, self.plugin.description())
    }

    /// What the plugin can lower at all.
    fn covers(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Core::get(py)?.coverage(py, &self.plugin.description().coverage)
    }

    /// The plugin's rules under a configuration.
    fn describe(&self, py: Python<'_>, config: &Bound<'_, PyAny>) -> PyResult<Py<PyTuple>> {
        guarded(py, || {
            let core = Core::get(py)?;
            let rules = self
                .plugin
                .rules(self.context(Some(config), None))
                .map_err(|error| exception(py, error))?;
            let records: Vec<_> = rules
                .iter()
                .map(|rule| core.rule(py, self.plugin_id(), rule))
                .collect::<PyResult<_>>()?;
            Ok(PyTuple::new(py, records)?.unbind())
        })
    }

    /// The types the plugin adds.
    fn type_vocabulary(&self, py: Python<'_>) -> PyResult<Py<PyTuple>> {
        guarded(py, || Ok(self.made(py)?.types.clone_ref(py)))
    }

    /// The crates its code depends on.
    fn crate_dependencies(&self, py: Python<'_>) -> PyResult<Py<PyTuple>> {
        let core = Core::get(py)?;
        let dependencies: Vec<_> = self
            .plugin
            .description()
            .crate_dependencies
            .iter()
            .map(|dependency| core.crate_dependency(py, dependency))
            .collect::<PyResult<_>>()?;
        Ok(PyTuple::new(py, dependencies)?.unbind())
    }

    /// Whether the plugin lowers a site.
    fn claim(
        &self,
        py: Python<'_>,
        site: &Bound<'_, PyAny>,
        config: &Bound<'_, PyAny>,
    ) -> PyResult<Py<PyAny>> {
        guarded(py, || {
            let core = Core::get(py)?;
            let site = match questions::site(core, site) {
                Ok(site) => site,
                Err(unreadable) => {
                    let text = self.explain(unreadable)?;
                    self.warn(py, text)?;
                    return Ok(core.not_covered(py));
                }
            };
            match self.plugin.claim(site, self.context(Some(config), None)) {
                Ok(ClaimResult::NotCovered) => Ok(core.not_covered(py)),
                Ok(ClaimResult::Claimed(claimed)) => self.claimed(py, core, claimed),
                Ok(ClaimResult::Rejected(diagnostic)) => self.rejected(py, core, diagnostic),
                Err(error @ Error::Site { .. }) => {
                    self.warn(py, error.to_string())?;
                    Ok(core.not_covered(py))
                }
                Err(error) => Err(exception(py, error)),
            }
        })
    }

    /// The Rust for a site the plugin claimed.
    fn lower(
        &self,
        py: Python<'_>,
        claimed: &Bound<'_, PyAny>,
        ctx: &Bound<'_, PyAny>,
    ) -> PyResult<Py<PyAny>> {
        guarded(py, || {
            if !self.prepared.load(Ordering::Acquire) {
                self.prepare_build(py)?;
            }
            let core = Core::get(py)?;
            let site = questions::site(core, claimed).map_err(|error| self.unlowerable(error))?;
            let lowering = questions::lowering(ctx).map_err(|error| self.unlowerable(error))?;
            let context = self.context(None, Some(ctx));
            let (kind, target) = (site.kind, site.target.clone());
            let lowered = self
                .plugin
                .lower(site, lowering, context)
                .map_err(|error| exception(py, error))?;
            let joined = self.made(py)?.support.join(
                py,
                &lowered.uses,
                &lowered.helpers,
                &lowered.type_support,
            )?;
            let support = joined.map_err(|key| {
                let error = Error::Answer {
                    plugin: self.plugin_id().to_owned(),
                    operation: Operation::Lower,
                    subject: Subject::Site { kind, target },
                    detail: format!("type-support names {key:?}, which is none of its types"),
                };
                exception(py, error)
            })?;
            core.lowered(py, &lowered.rust, &support)
        })
    }

    /// The guard a function needs. For the subclass that has the hook.
    fn _function_scope_guard(&self, py: Python<'_>, ctx: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        guarded(py, || {
            let core = Core::get(py)?;
            let function =
                questions::function_scope(ctx).map_err(|error| self.unlowerable(error))?;
            let guard = self
                .plugin
                .function_scope_guard(function, Box::new(NoContext))
                .map_err(|error| exception(py, error))?;
            guard.map_or_else(|| Ok(py.None()), |guard| core.scope_guard(py, &guard))
        })
    }

    /// What works in standalone Rust. For the subclass that has the hook.
    fn _artifact_capability(
        &self,
        py: Python<'_>,
        profile: &Bound<'_, PyAny>,
    ) -> PyResult<Py<PyAny>> {
        guarded(py, || {
            let core = Core::get(py)?;
            let profile = questions::profile(profile).map_err(|error| self.unlowerable(error))?;
            let capability = self
                .plugin
                .artifact_capability(profile, Box::new(NoContext))
                .map_err(|error| exception(py, error))?;
            capability.map_or_else(
                || Ok(py.None()),
                |found| core.artifact_capability(py, &found),
            )
        })
    }
}

impl Provider {
    fn context(
        &self,
        config: Option<&Bound<'_, PyAny>>,
        lowering: Option<&Bound<'_, PyAny>>,
    ) -> Box<dyn Context> {
        if !self.plugin.asks_context() {
            return Box::new(NoContext);
        }
        let fresh_name = lowering.and_then(|lowering| lowering.getattr("fresh_name").ok());
        Box::new(PythonContext {
            config: config.map(|config| config.clone().unbind()),
            fresh_name: fresh_name.map(Bound::unbind),
        })
    }

    fn made(&self, py: Python<'_>) -> PyResult<&Made> {
        if let Some(made) = self.made.get() {
            return Ok(made);
        }
        let core = Core::get(py)?;
        let found = &self.plugin.description().types;
        let support = TypeSupport::of(py, found);
        let types: Vec<_> = found
            .iter()
            .map(|found| core.plugin_type(py, found, &support))
            .collect::<PyResult<_>>()?;
        let types = PyTuple::new(py, types)?.unbind();
        Ok(self.made.get_or_init(|| Made { support, types }))
    }

    fn claimed(&self, py: Python<'_>, core: &Core, claimed: Claimed) -> PyResult<Py<PyAny>> {
        let kept = || self.claimed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(answer) = kept().get(&claimed) {
            return Ok(answer.clone_ref(py));
        }
        let answer = core.claimed(py, &claimed)?;
        let mut kept = kept();
        if kept.len() < KEPT_ANSWERS {
            kept.insert(claimed, answer.clone_ref(py));
        }
        Ok(answer)
    }

    fn rejected(&self, py: Python<'_>, core: &Core, found: Diagnostic) -> PyResult<Py<PyAny>> {
        let kept = || self.rejected.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = kept().get(&found.message)
            && known.diagnostic == found
        {
            return Ok(known.answer.clone_ref(py));
        }
        let answer = core.rejected(py, &found)?;
        let mut kept = kept();
        if kept.len() < KEPT_ANSWERS {
            let known = Rejection {
                answer: answer.clone_ref(py),
                diagnostic: found,
            };
            kept.insert(known.diagnostic.message.clone(), known);
        }
        Ok(answer)
    }

    /// What must hold before generated code is built. Core asks for Rust only
    /// when it builds, and makes a provider for every build.
    fn prepare_build(&self, py: Python<'_>) -> PyResult<()> {
        let contract =
            serde_json::to_string(&self.plugin.description().environment).unwrap_or_default();
        py.import("rextio_wasm._build")?
            .getattr("prepare")?
            .call1((self.plugin_id(), contract))?;
        self.prepared.store(true, Ordering::Release);
        Ok(())
    }

    fn unlowerable(&self, unreadable: Unreadable) -> PyErr {
        self.explain(unreadable)
            .map_or_else(|raised| raised, PyValueError::new_err)
    }

    /// Why the plugin cannot be asked, in words.
    fn explain(&self, unreadable: Unreadable) -> PyResult<String> {
        let plugin = self.plugin_id();
        match unreadable {
            Unreadable::Raised(error) => Err(error),
            Unreadable::Unknown(what) => Ok(format!(
                "plugin {plugin} cannot be asked about {what}: this rextio-wasm has no word for \
                 it. Upgrade rextio-wasm and the plugin, or install an older rextio"
            )),
            Unreadable::Beyond(what, remedy) => Ok(format!(
                "plugin {plugin} cannot be asked about {what}, which is more than the interface \
                 to plugins carries. {remedy}"
            )),
        }
    }

    fn warn(&self, py: Python<'_>, text: String) -> PyResult<()> {
        let text = format!("{text}; the code it stands in stays on Python");
        let new = self
            .warned
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(text.clone());
        if !new {
            return Ok(());
        }
        let class = py.import("rextio_wasm._errors")?.getattr("PluginWarning")?;
        py.import("warnings")?
            .getattr("warn")?
            .call1((text, class))?;
        Ok(())
    }
}
