//! Artifacts and devices.

use crate::CrateDependency;

/// A named requirement of an artifact or a device on its surroundings.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "json", serde(deny_unknown_fields))]
pub struct Requirement {
    /// Its name.
    pub name: String,
    /// The version required, if any.
    pub version: Option<String>,
    /// Features required, sorted.
    pub features: Vec<String>,
}

/// Static facts about a value that lives on a device.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "json", serde(deny_unknown_fields))]
pub struct DeviceValueMetadata {
    /// The device, for example `cpu` or `gpu:0`.
    pub logical_device: String,
    /// The backend that drives it.
    pub backend: Option<String>,
    /// The element type.
    pub dtype: Option<String>,
    /// The number of axes.
    pub rank: Option<u32>,
    /// The memory layout.
    pub layout: Option<String>,
    /// The version of the runtime that owns the value.
    pub runtime_version: Option<String>,
    /// The length of each axis, where known; empty or one entry an axis.
    pub static_shape: Vec<Option<u64>>,
    /// The runtime that owns the value.
    pub runtime: Option<String>,
    /// Whether generated code must use the runtime that is already loaded.
    pub reuse_domain_runtime: bool,
    /// Device features needed, sorted.
    pub features: Vec<String>,
    /// Memory spaces the value may live in, sorted.
    pub memory_spaces: Vec<String>,
    /// Runtimes needed, sorted by name.
    pub runtime_requirements: Vec<Requirement>,
}

/// What kind of artifact is being built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "json", serde(rename_all = "kebab-case"))]
pub enum ArtifactKind {
    /// A Python extension module.
    HostExtension,
    /// A native executable.
    HostExecutable,
    /// A Rust crate.
    RustCrate,
}

/// What an executable does with a call that is not native.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "json", serde(rename_all = "kebab-case"))]
pub enum FallbackStrategy {
    /// It fails.
    Error,
    /// It asks a CPython process.
    PythonSubprocess,
    /// It asks a Nuitka-built process.
    NuitkaSidecar,
}

/// What an artifact needs of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "json", serde(deny_unknown_fields))]
pub struct DeviceRequirement {
    /// The device.
    pub logical_device: String,
    /// Its backend.
    pub backend: Option<String>,
    /// Its runtime.
    pub runtime: Option<String>,
    /// Features needed, sorted.
    pub features: Vec<String>,
    /// Layouts needed, sorted.
    pub layouts: Vec<String>,
    /// Memory spaces needed, sorted.
    pub memory_spaces: Vec<String>,
    /// Architectures it runs on, sorted.
    pub architectures: Vec<String>,
    /// Whether the loaded runtime must be reused.
    pub reuse_domain_runtime: bool,
}

/// How a plan for an artifact came about.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "json", serde(deny_unknown_fields))]
pub struct ArtifactProvenance {
    /// Who made it.
    pub producer: String,
    /// Project-relative source references, sorted.
    pub source_references: Vec<String>,
    /// Evidence, sorted.
    pub evidence: Vec<String>,
}

/// One output artifact as core resolved it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "json", serde(deny_unknown_fields))]
pub struct ArtifactProfile {
    /// Its kind.
    pub kind: ArtifactKind,
    /// The Rust target triple.
    pub target_triple: String,
    /// What packages it.
    pub packaging_backend: String,
    /// For an executable: what happens to calls that are not native.
    pub fallback: Option<FallbackStrategy>,
    /// For an extension module: `cpython` or `nuitka`.
    pub python_fallback_backend: Option<String>,
    /// ABIs needed, sorted by name.
    pub abi_requirements: Vec<Requirement>,
    /// Runtimes needed, sorted by name.
    pub runtime_requirements: Vec<Requirement>,
    /// Devices needed, sorted.
    pub device_requirements: Vec<DeviceRequirement>,
    /// How the plan came about.
    pub provenance: ArtifactProvenance,
}

/// Leave to lower for a device. Only core makes one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "json", serde(deny_unknown_fields))]
pub struct DeviceAuthorization {
    /// The device provider.
    pub provider_id: String,
    /// The provider's capability.
    pub capability_id: String,
    /// The device.
    pub logical_device: String,
    /// Its backend.
    pub backend: String,
    /// Its runtime.
    pub runtime: Option<String>,
    /// Whether the loaded runtime must be reused.
    pub reuse_domain_runtime: bool,
    /// Features granted, sorted.
    pub features: Vec<String>,
    /// Layouts granted, sorted.
    pub layouts: Vec<String>,
    /// Memory spaces granted, sorted.
    pub memory_spaces: Vec<String>,
    /// The digest of the profile it was granted for.
    pub artifact_profile_sha256: String,
}

/// What kind of Rust is being generated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "json", serde(rename_all = "kebab-case"))]
pub enum Backend {
    /// A PyO3 extension module.
    #[default]
    Pyo3,
    /// Rust without Python.
    StandaloneRust,
}

impl Backend {
    /// Core's own word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pyo3 => "pyo3",
            Self::StandaloneRust => "standalone-rust",
        }
    }
}

/// What a type needs in standalone Rust.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "json", serde(deny_unknown_fields))]
pub struct ArtifactTypeSupport {
    /// The type.
    pub type_key: String,
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

/// What the plugin supports in standalone Rust.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "json", serde(deny_unknown_fields))]
pub struct ArtifactCapability {
    /// The rules that work there.
    pub rule_ids: Vec<String>,
    /// The types that work there.
    pub types: Vec<ArtifactTypeSupport>,
    /// The crates needed there.
    pub crate_dependencies: Vec<CrateDependency>,
}
