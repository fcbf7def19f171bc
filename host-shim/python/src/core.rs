//! Core's classes, and from a plugin's answers to core's objects.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyString, PyTuple};
use rextio_wasm_host::model::{
    ArtifactCapability, BoundaryConversion, Claimed, Coverage, CrateDependency, Description,
    DeviceValueMetadata, Diagnostic, OperandMode, PluginType, Requirement, RuleOutcome, RuleRecord,
    ScopeGuard, ScopeKind, Severity, Stability,
};

/// What of core a plugin's answers are made of. Imported at the first need:
/// a built wheel ships a `rextio` that has none of it.
pub(crate) struct Core {
    api: Py<PyModule>,
    claimed: Py<PyAny>,
    not_covered: Py<PyAny>,
    rejected: Py<PyAny>,
    lowered_expr: Py<PyAny>,
    diagnostic: Py<PyAny>,
    non_literal: Py<PyAny>,
}

impl Core {
    pub(crate) fn get(py: Python<'_>) -> PyResult<&'static Self> {
        static CORE: PyOnceLock<Core> = PyOnceLock::new();
        CORE.get_or_try_init(py, || {
            let api = py.import("rextio.plugins.api")?;
            Ok(Self {
                claimed: api.getattr("Claimed")?.unbind(),
                not_covered: api.getattr("NotCovered")?.call0()?.unbind(),
                rejected: api.getattr("Rejected")?.unbind(),
                lowered_expr: api.getattr("LoweredExpr")?.unbind(),
                diagnostic: py
                    .import("rextio.analyzer.diagnostics")?
                    .getattr("Diagnostic")?
                    .unbind(),
                non_literal: api.getattr("NON_LITERAL")?.unbind(),
                api: api.unbind(),
            })
        })
    }

    pub(crate) fn is_non_literal(&self, object: &Bound<'_, PyAny>) -> bool {
        self.non_literal.as_ptr() == object.as_ptr()
    }

    pub(crate) fn not_covered(&self, py: Python<'_>) -> Py<PyAny> {
        self.not_covered.clone_ref(py)
    }

    pub(crate) fn claimed(&self, py: Python<'_>, claimed: &Claimed) -> PyResult<Py<PyAny>> {
        let mode = match claimed.operand_mode {
            OperandMode::Direct => "direct",
            OperandMode::Leaves => "leaves",
        };
        self.claimed
            .call1(py, (&claimed.rule_id, &claimed.result_type, mode))
    }

    pub(crate) fn rejected(&self, py: Python<'_>, found: &Diagnostic) -> PyResult<Py<PyAny>> {
        let severity = match found.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        // Core fills in where the site stands.
        let nowhere = py.None();
        let diagnostic = self.diagnostic.call1(
            py,
            (
                &found.code,
                severity,
                &found.message,
                "",
                &nowhere,
                &nowhere,
                &nowhere,
                &found.suggestion,
            ),
        )?;
        self.rejected.call1(py, (diagnostic,))
    }

    pub(crate) fn lowered(
        &self,
        py: Python<'_>,
        rust: &str,
        support: &Support,
    ) -> PyResult<Py<PyAny>> {
        self.lowered_expr
            .call1(py, (rust, &support.uses, &support.helpers))
    }

    pub(crate) fn coverage(&self, py: Python<'_>, coverage: &Coverage) -> PyResult<Py<PyAny>> {
        self.make(
            py,
            "CoverageDecl",
            (
                strings(py, &coverage.packages)?,
                strings(py, &coverage.modules)?,
                strings(py, &coverage.symbols)?,
            ),
        )
    }

    pub(crate) fn rule(
        &self,
        py: Python<'_>,
        plugin: &str,
        rule: &RuleRecord,
    ) -> PyResult<Py<PyAny>> {
        let scope = self.make(
            py,
            "RuleScope",
            (scope_kind(rule.scope.kind), &rule.scope.pattern),
        )?;
        let fields = PyDict::new(py);
        fields.set_item("id", &rule.id)?;
        fields.set_item("provider", plugin)?;
        fields.set_item("scope", scope)?;
        fields.set_item("constraint", &rule.constraint)?;
        fields.set_item("outcome", outcome(rule.outcome))?;
        fields.set_item("diagnostic_code", &rule.diagnostic_code)?;
        fields.set_item("guidance", &rule.guidance)?;
        fields.set_item("stability", stability(rule.stability))?;
        if rule.verified.is_some() {
            fields.set_item("verified", rule.verified)?;
        }
        if let Some(template) = &rule.fix_template {
            fields.set_item("fix_template", pairs(py, template)?)?;
        }
        if !rule.examples.is_empty() {
            let examples: Vec<_> = rule
                .examples
                .iter()
                .map(|example| pairs(py, example))
                .collect::<PyResult<_>>()?;
            fields.set_item("examples", PyTuple::new(py, examples)?)?;
        }
        let class = self.api.bind(py).getattr("RuleRecord")?;
        Ok(class.call((), Some(&fields))?.unbind())
    }

    pub(crate) fn crate_dependency(
        &self,
        py: Python<'_>,
        dependency: &CrateDependency,
    ) -> PyResult<Py<PyAny>> {
        let features = strings(py, &dependency.features)?;
        self.make(
            py,
            "CrateDependency",
            (&dependency.name, &dependency.version, features),
        )
    }

    /// A plugin type, with the very string objects that `lower` hands out too.
    pub(crate) fn plugin_type(
        &self,
        py: Python<'_>,
        found: &PluginType,
        support: &TypeSupport,
    ) -> PyResult<Py<PyAny>> {
        let support = support.of_type(py, &found.key)?;
        let conversion = match &found.conversion {
            Some(BoundaryConversion {
                param_rust,
                param_expr,
                return_rust,
                return_expr,
            }) => self.make(
                py,
                "BoundaryConversion",
                (param_rust, param_expr, return_rust, return_expr),
            )?,
            None => py.None(),
        };
        let metadata = match &found.device_value_metadata {
            Some(metadata) => device_value(py, metadata)?,
            None => py.None(),
        };
        self.make(
            py,
            "PluginType",
            (
                &found.key,
                strings(py, &found.annotations)?,
                &found.rust_type,
                conversion,
                &support.uses,
                &support.helpers,
                metadata,
            ),
        )
    }

    pub(crate) fn scope_guard(&self, py: Python<'_>, guard: &ScopeGuard) -> PyResult<Py<PyAny>> {
        let (uses, helpers) = (strings(py, &guard.uses)?, strings(py, &guard.helpers)?);
        self.make(py, "PluginFunctionScopeGuard", (&guard.rust, uses, helpers))
    }

    pub(crate) fn artifact_capability(
        &self,
        py: Python<'_>,
        capability: &ArtifactCapability,
    ) -> PyResult<Py<PyAny>> {
        let types: Vec<_> = capability
            .types
            .iter()
            .map(|support| {
                let (uses, helpers) = (strings(py, &support.uses)?, strings(py, &support.helpers)?);
                self.make(
                    py,
                    "PluginArtifactTypeSupport",
                    (&support.type_key, uses, helpers),
                )
            })
            .collect::<PyResult<_>>()?;
        let crates: Vec<_> = capability
            .crate_dependencies
            .iter()
            .map(|dependency| self.crate_dependency(py, dependency))
            .collect::<PyResult<_>>()?;
        let rules = strings(py, &capability.rule_ids)?;
        let (types, crates) = (PyTuple::new(py, types)?, PyTuple::new(py, crates)?);
        self.make(py, "PluginArtifactCapability", (rules, types, crates))
    }

    /// The metadata core keeps of a plugin.
    pub(crate) fn plugin(&self, py: Python<'_>, description: &Description) -> PyResult<Py<PyAny>> {
        let fields = PyDict::new(py);
        fields.set_item("id", &description.plugin_id)?;
        fields.set_item("name", &description.name)?;
        fields.set_item(
            "target_versions",
            strings(py, &description.target_versions)?,
        )?;
        fields.set_item(
            "target_build_options",
            pairs(py, &description.target_build_options)?,
        )?;
        fields.set_item("packages", strings(py, &description.coverage.packages)?)?;
        fields.set_item("version", &description.version)?;
        let class = py
            .import("rextio.plugins.models")?
            .getattr("RextioPlugin")?;
        Ok(class.call((), Some(&fields))?.unbind())
    }

    fn make<'py, Arguments>(
        &self,
        py: Python<'py>,
        class: &str,
        arguments: Arguments,
    ) -> PyResult<Py<PyAny>>
    where
        Arguments: pyo3::call::PyCallArgs<'py>,
    {
        Ok(self.api.bind(py).getattr(class)?.call1(arguments)?.unbind())
    }
}

/// Combinations of types whose text is kept joined; a plugin uses a handful.
const KEPT_COMBINATIONS: usize = 1024;

/// Module-level text: `use` lines and items.
pub(crate) struct Support {
    uses: Py<PyTuple>,
    helpers: Py<PyTuple>,
}

/// The module-level text of a plugin's types, as Python strings made once: a
/// large runtime module is then never copied, and core's sets hash it once.
pub(crate) struct TypeSupport {
    /// Few and long, so they are compared rather than hashed.
    texts: Vec<(String, Py<PyString>)>,
    /// By type key: the places of its `uses` and its `helpers` in `texts`.
    places: HashMap<String, (Vec<usize>, Vec<usize>)>,
    joined: Mutex<HashMap<Vec<String>, Arc<Support>>>,
}

impl TypeSupport {
    pub(crate) fn of(py: Python<'_>, types: &[PluginType]) -> Self {
        let mut texts: Vec<(String, Py<PyString>)> = Vec::new();
        let mut place = |text: &String| {
            let known = texts.iter().position(|(known, _)| known == text);
            known.unwrap_or_else(|| {
                texts.push((text.clone(), PyString::new(py, text).unbind()));
                texts.len() - 1
            })
        };
        let mut places = HashMap::new();
        for found in types {
            let uses = found.uses.iter().map(&mut place).collect();
            let helpers = found.helpers.iter().map(&mut place).collect();
            places.insert(found.key.clone(), (uses, helpers));
        }
        Self {
            texts,
            places,
            joined: Mutex::default(),
        }
    }

    /// The text of one type.
    pub(crate) fn of_type(&self, py: Python<'_>, key: &str) -> PyResult<Support> {
        let (uses, helpers) = match self.places.get(key) {
            Some((uses, helpers)) => (uses.as_slice(), helpers.as_slice()),
            None => (&[][..], &[][..]),
        };
        Ok(Support {
            uses: self.tuple(py, &[], uses)?,
            helpers: self.tuple(py, &[], helpers)?,
        })
    }

    /// The text a lowered expression needs: its own, and that of the types it
    /// names. The error is the first type that the plugin does not have.
    pub(crate) fn join(
        &self,
        py: Python<'_>,
        uses: &[String],
        helpers: &[String],
        types: &[String],
    ) -> PyResult<Result<Arc<Support>, String>> {
        let joined = || self.joined.lock().unwrap_or_else(PoisonError::into_inner);
        let usual = uses.is_empty() && helpers.is_empty();
        if usual && let Some(support) = joined().get(types) {
            return Ok(Ok(support.clone()));
        }
        let (mut use_places, mut helper_places) = (Vec::new(), Vec::new());
        for key in types {
            let Some((uses, helpers)) = self.places.get(key) else {
                return Ok(Err(key.clone()));
            };
            use_places.extend_from_slice(uses);
            helper_places.extend_from_slice(helpers);
        }
        let support = Arc::new(Support {
            uses: self.tuple(py, uses, &use_places)?,
            helpers: self.tuple(py, helpers, &helper_places)?,
        });
        let mut joined = joined();
        if usual && joined.len() < KEPT_COMBINATIONS {
            joined.insert(types.to_vec(), support.clone());
        }
        Ok(Ok(support))
    }

    /// Each text once: an expression's own, then those of types.
    fn tuple(&self, py: Python<'_>, own: &[String], places: &[usize]) -> PyResult<Py<PyTuple>> {
        let mut items: Vec<Py<PyString>> = Vec::with_capacity(own.len() + places.len());
        let mut seen_own = HashSet::new();
        let mut seen = HashSet::new();
        for text in own.iter().filter(|text| seen_own.insert(*text)) {
            match self.texts.iter().position(|(known, _)| known == text) {
                Some(place) => {
                    seen.insert(place);
                    items.push(self.texts[place].1.clone_ref(py));
                }
                None => items.push(PyString::new(py, text).unbind()),
            }
        }
        for place in places.iter().filter(|place| seen.insert(**place)) {
            items.push(self.texts[*place].1.clone_ref(py));
        }
        Ok(PyTuple::new(py, items)?.unbind())
    }
}

fn strings(py: Python<'_>, texts: &[String]) -> PyResult<Py<PyTuple>> {
    Ok(PyTuple::new(py, texts)?.unbind())
}

fn pairs<'py>(py: Python<'py>, pairs: &[(String, String)]) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (key, value) in pairs {
        dict.set_item(key, value)?;
    }
    Ok(dict)
}

fn device_value(py: Python<'_>, found: &DeviceValueMetadata) -> PyResult<Py<PyAny>> {
    let requirements: Vec<_> = found
        .runtime_requirements
        .iter()
        .map(|requirement| runtime_requirement(py, requirement))
        .collect::<PyResult<_>>()?;
    let fields = PyDict::new(py);
    fields.set_item("logical_device", &found.logical_device)?;
    fields.set_item("backend", &found.backend)?;
    fields.set_item("dtype", &found.dtype)?;
    fields.set_item("rank", found.rank)?;
    fields.set_item("layout", &found.layout)?;
    fields.set_item("runtime_version", &found.runtime_version)?;
    fields.set_item("static_shape", PyTuple::new(py, &found.static_shape)?)?;
    fields.set_item("runtime", &found.runtime)?;
    fields.set_item("reuse_domain_runtime", found.reuse_domain_runtime)?;
    fields.set_item("features", strings(py, &found.features)?)?;
    fields.set_item("memory_spaces", strings(py, &found.memory_spaces)?)?;
    fields.set_item("runtime_requirements", PyTuple::new(py, requirements)?)?;
    let class = py
        .import("rextio.devices.api")?
        .getattr("DeviceValueMetadata")?;
    Ok(class.call((), Some(&fields))?.unbind())
}

fn runtime_requirement(py: Python<'_>, found: &Requirement) -> PyResult<Py<PyAny>> {
    let class = py
        .import("rextio.artifacts.models")?
        .getattr("RuntimeRequirement")?;
    let features = strings(py, &found.features)?;
    Ok(class
        .call1((&found.name, &found.version, features))?
        .unbind())
}

fn scope_kind(kind: ScopeKind) -> &'static str {
    match kind {
        ScopeKind::Type => "type",
        ScopeKind::Syntax => "syntax",
        ScopeKind::Call => "call",
        ScopeKind::Binop => "binop",
        ScopeKind::Compare => "compare",
        ScopeKind::Import => "import",
        ScopeKind::Decorator => "decorator",
    }
}

fn outcome(outcome: RuleOutcome) -> &'static str {
    match outcome {
        RuleOutcome::Native => "native",
        RuleOutcome::Fallback => "fallback",
        RuleOutcome::Reject => "reject",
        RuleOutcome::Shim => "shim",
        RuleOutcome::Boundary => "boundary",
    }
}

fn stability(stability: Stability) -> &'static str {
    match stability {
        Stability::Stable => "stable",
        Stability::Experimental => "experimental",
    }
}
