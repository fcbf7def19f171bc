//! Who a plugin is and what it brings.

use crate::{DeviceValueMetadata, Pairs};

/// What a plugin can lower at all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "json", serde(deny_unknown_fields))]
pub struct Coverage {
    /// Top-level Python packages.
    pub packages: Vec<String>,
    /// Modules within them.
    pub modules: Vec<String>,
    /// Dotted names of the functions, methods and classes.
    pub symbols: Vec<String>,
}

/// How a plugin type crosses the Python boundary. The expressions are Python
/// `str.format` templates: literal braces are doubled.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "json", serde(deny_unknown_fields))]
pub struct BoundaryConversion {
    /// The PyO3 type of a parameter.
    pub param_rust: String,
    /// From the parameter `{param}` to the native value.
    pub param_expr: String,
    /// The PyO3 type of a return value.
    pub return_rust: String,
    /// From the native value `{value}` to the return value.
    pub return_expr: String,
}

/// A type that the plugin adds to the analyser's vocabulary.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "json",
    serde(
        try_from = "crate::json::PluginTypeJson",
        into = "crate::json::PluginTypeJson"
    )
)]
pub struct PluginType {
    /// Namespaced: `<plugin-id>/<name>`.
    pub key: String,
    /// The dotted annotation spellings.
    pub annotations: Vec<String>,
    /// The Rust type of a native value.
    pub rust_type: String,
    /// How it crosses the Python boundary; `None` makes the type resident.
    pub conversion: Option<BoundaryConversion>,
    /// `use` lines that the type needs.
    pub uses: Vec<String>,
    /// Module-level items that the type needs.
    pub helpers: Vec<String>,
    /// Where the value lives, if on a device.
    pub device_value_metadata: Option<DeviceValueMetadata>,
}

/// A crate that generated code depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "json", serde(deny_unknown_fields))]
pub struct CrateDependency {
    /// Its name on the registry.
    pub name: String,
    /// An exact pin: `=X.Y.Z`.
    pub version: String,
    /// Cargo features.
    pub features: Vec<String>,
}

/// An environment variable that a build needs.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "json", serde(deny_unknown_fields))]
pub struct RequiredVariable {
    /// Its name.
    pub name: String,
    /// The value it must have.
    pub value: String,
    /// Whether the host may set it for the build when it is unset.
    pub settable: bool,
    /// Why.
    pub reason: String,
}

/// An environment variable that must be absent from a build.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "json", serde(deny_unknown_fields))]
pub struct ForbiddenVariable {
    /// Its name.
    pub name: String,
    /// Why.
    pub reason: String,
}

/// A Python distribution that must be importable by the build's `python`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "json", serde(deny_unknown_fields))]
pub struct RequiredPackage {
    /// The distribution's name.
    pub name: String,
    /// The exact version, without a local part.
    pub version: String,
    /// The command that installs it.
    pub remedy: String,
}

/// What must be true of the machine before the plugin's code can be built.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "json", serde(deny_unknown_fields))]
pub struct EnvironmentContract {
    /// The CPython version needed, as `major.minor`.
    pub python: Option<String>,
    /// Variables that must have a value.
    pub required_variables: Vec<RequiredVariable>,
    /// Variables that must not be set.
    pub forbidden_variables: Vec<ForbiddenVariable>,
    /// Python distributions needed.
    pub packages: Vec<RequiredPackage>,
}

/// An optional hook of the plugin API.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "json", serde(rename_all = "snake_case"))]
pub enum Hook {
    /// `function_scope_guard`, plugin API 1.7.
    FunctionScopeGuard,
    /// `artifact_capability`, plugin API 1.4.
    ArtifactCapability,
}

/// Who the plugin is and what it brings.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "json", serde(deny_unknown_fields))]
pub struct Description {
    /// The plugin's id, for example `rextio-numpy`.
    pub plugin_id: String,
    /// Its name for people.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The plugin API it was built against, as `major.minor`.
    pub api_version: String,
    /// The target language versions it supports; empty for all.
    pub target_versions: Vec<String>,
    /// Build options that must have a given value for it to apply.
    #[cfg_attr(feature = "json", serde(with = "crate::json::pairs"))]
    pub target_build_options: Pairs,
    /// What it can lower.
    pub coverage: Coverage,
    /// The types it adds.
    pub types: Vec<PluginType>,
    /// The crates its code depends on.
    pub crate_dependencies: Vec<CrateDependency>,
    /// What a build needs from the machine.
    pub environment: EnvironmentContract,
    /// The optional hooks it implements.
    pub hooks: Vec<Hook>,
}
