//! Everything that can go wrong, each with what to do about it.

use std::fmt;
use std::path::PathBuf;

use rextio_plugin_model::{SiteKind, TreeError};

/// The WIT version this host speaks.
pub const WIT_VERSION: &str = "1.0.0";

/// What a plugin is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// Making an instance.
    Instantiate,
    /// Who it is and what it brings.
    Describe,
    /// Its rule records.
    Rules,
    /// Whether it lowers a site.
    Claim,
    /// The Rust for a site.
    Lower,
    /// The guard a function needs.
    FunctionScopeGuard,
    /// What it supports in standalone Rust.
    ArtifactCapability,
}

impl Operation {
    /// Its name in messages and traces.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Instantiate => "instantiate",
            Self::Describe => "describe",
            Self::Rules => "rules",
            Self::Claim => "claim",
            Self::Lower => "lower",
            Self::FunctionScopeGuard => "function_scope_guard",
            Self::ArtifactCapability => "artifact_capability",
        }
    }

    /// The operation a trace names, if it is one.
    pub(crate) fn recorded(name: &str) -> Option<Self> {
        [
            Self::Describe,
            Self::Rules,
            Self::Claim,
            Self::Lower,
            Self::FunctionScopeGuard,
            Self::ArtifactCapability,
        ]
        .into_iter()
        .find(|operation| operation.as_str() == name)
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What a call was about, for messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// Nothing beyond the operation itself.
    None,
    /// A site.
    Site {
        /// Its kind.
        kind: SiteKind,
        /// Its target.
        target: String,
    },
    /// A function.
    Function(String),
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => Ok(()),
            Self::Site { kind, target } => {
                let target: String = target.chars().take(200).collect();
                write!(f, " of the {} site {target:?}", kind.as_str())
            }
            Self::Function(name) => write!(f, " for the function {name:?}"),
        }
    }
}

/// Why a call did not come back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// It used all its fuel.
    Fuel(u64),
    /// It asked for more memory than it may have.
    Memory {
        /// What it asked for, in bytes.
        wanted: usize,
        /// What it may have, in bytes.
        limit: usize,
    },
    /// It asked for a larger table than it may have.
    Table {
        /// What it asked for, in elements.
        wanted: usize,
        /// What it may have, in elements.
        limit: usize,
    },
    /// It recursed too deeply.
    Stack(usize),
    /// Its answer is too large for the host.
    Answer(usize),
    /// It panicked, with this text.
    Panic(String),
    /// It stopped in another way.
    Trap(String),
}

impl Failure {
    /// The limit that was exceeded, if one was.
    #[must_use]
    pub fn limit(&self) -> Option<&'static str> {
        match self {
            Self::Fuel(_) => Some("fuel"),
            Self::Memory { .. } => Some("memory"),
            Self::Table { .. } => Some("table"),
            Self::Stack(_) => Some("stack"),
            Self::Answer(_) => Some("answer"),
            Self::Panic(_) | Self::Trap(_) => None,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fuel(limit) => write!(
                f,
                "it exceeded its fuel limit of {limit} units, probably in an endless loop. \
                 Report it to the plugin's author, or raise REXTIO_WASM_FUEL"
            ),
            Self::Memory { wanted, limit } => write!(
                f,
                "it exceeded its memory limit of {limit} bytes by asking for {wanted}. \
                 Report it to the plugin's author, or raise REXTIO_WASM_MEMORY"
            ),
            Self::Table { wanted, limit } => write!(
                f,
                "it exceeded its table limit of {limit} elements by asking for {wanted}. \
                 Report it to the plugin's author"
            ),
            Self::Stack(limit) => write!(
                f,
                "it exceeded its stack limit of {limit} bytes, probably in an endless recursion. \
                 Report it to the plugin's author"
            ),
            Self::Answer(limit) => write!(
                f,
                "its answer exceeds the answer limit of {limit} bytes. \
                 Report it to the plugin's author, or raise REXTIO_WASM_ANSWER"
            ),
            Self::Panic(text) => {
                write!(f, "it panicked: {text}. Report it to the plugin's author")
            }
            Self::Trap(text) => write!(
                f,
                "it stopped without a message ({text}). Report it to the plugin's author"
            ),
        }
    }
}

/// Why the host could not do what it was asked. Every message names the plugin
/// or its file, the operation, what was wrong, and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The component file cannot be read.
    #[error("cannot load the plugin {}: {source}. Reinstall the package that brings it", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The component file is larger than [`Limits::file_bytes`](crate::Limits::file_bytes).
    #[error(
        "cannot load the plugin {origin}: it has {found} bytes, more than the {limit} allowed. \
         If it is the right file, raise REXTIO_WASM_FILE"
    )]
    TooLarge {
        /// The file.
        origin: String,
        /// Its size.
        found: u64,
        /// The limit.
        limit: u64,
    },
    /// The file is not WebAssembly.
    #[error(
        "cannot load the plugin {origin}: it is not WebAssembly but starts with {start}. \
         Name the plugin's .wasm file, or reinstall the package that brings it"
    )]
    NotWasm {
        /// The file.
        origin: String,
        /// Its first bytes.
        start: String,
    },
    /// The file is a core module.
    #[error(
        "cannot load the plugin {origin}: it is a core WebAssembly module, and a plugin is a \
         component. Encode it with `cargo xtask dist`, `wasm-tools component new` or \
         `cargo component build`"
    )]
    CoreModule {
        /// The file.
        origin: String,
    },
    /// The file is damaged, or uses WebAssembly features this host does not have.
    #[error(
        "cannot load the plugin {origin}: its WebAssembly is not valid here: {detail}. \
         The file is damaged or was built with features this host does without; reinstall the \
         package that brings it, or update rextio-wasm"
    )]
    Invalid {
        /// The file.
        origin: String,
        /// What the validator said.
        detail: String,
    },
    /// The component imports what a plugin may not have.
    #[error(
        "cannot load the plugin {origin}: it imports {import:?}, and a plugin may import only \
         rextio:plugin/context. Build it for wasm32-unknown-unknown without WASI, and let its \
         world export rextio:plugin/types"
    )]
    ForbiddenImport {
        /// The file.
        origin: String,
        /// The import.
        import: String,
    },
    /// The component exports no plugin.
    #[error(
        "cannot load the plugin {origin}: it is a component but no Rextio plugin, since it does \
         not export rextio:plugin/provider (it exports {exports})"
    )]
    NotAPlugin {
        /// The file.
        origin: String,
        /// What it exports.
        exports: String,
    },
    /// The component speaks a version of the interface that this host does not.
    #[error(
        "cannot load the plugin {origin}: it was built for rextio:plugin {found}, and this \
         rextio-wasm speaks rextio:plugin {WIT_VERSION}. {remedy}"
    )]
    Version {
        /// The file.
        origin: String,
        /// The component's version.
        found: String,
        /// Which side to upgrade.
        remedy: &'static str,
    },
    /// The engine could not be made or could not compile the component.
    #[error("cannot load the plugin {origin}: the WebAssembly engine failed: {detail}")]
    Engine {
        /// The file.
        origin: String,
        /// What the engine said.
        detail: String,
    },
    /// A call did not come back.
    #[error("plugin {plugin} failed in {operation}{subject}: {failure}")]
    Call {
        /// The plugin.
        plugin: String,
        /// What it was asked.
        operation: Operation,
        /// What about.
        subject: Subject,
        /// What happened.
        failure: Failure,
    },
    /// The host refused what the plugin asked of it, or could not answer.
    #[error("plugin {plugin} failed in {operation}{subject}: {source}")]
    Context {
        /// The plugin.
        plugin: String,
        /// What it was asked.
        operation: Operation,
        /// What about.
        subject: Subject,
        /// Why.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// What the plugin was asked about is more than the interface can carry.
    #[error(
        "plugin {plugin} cannot be asked to {operation}{subject}: {source}. \
         Split the expression over several assignments"
    )]
    Site {
        /// The plugin.
        plugin: String,
        /// What it was asked.
        operation: Operation,
        /// What about.
        subject: Subject,
        /// What is too much.
        source: TreeError,
    },
    /// The plugin's answer breaks a rule of the interface.
    #[error(
        "plugin {plugin} failed in {operation}{subject}: its answer breaks the interface: \
         {detail}. Report it to the plugin's author"
    )]
    Answer {
        /// The plugin.
        plugin: String,
        /// What it was asked.
        operation: Operation,
        /// What about.
        subject: Subject,
        /// Which rule.
        detail: String,
    },
    /// The plugin refuses to lower a site.
    #[error("{0}")]
    Refused(String),
    /// The calling thread has too little stack left.
    #[error(
        "plugin {plugin} cannot be asked to {operation}: the calling thread has {left} bytes of \
         stack left, and a call may need {needed}. Call from a thread with a larger stack \
         (in Python, threading.stack_size)"
    )]
    ThreadStack {
        /// The plugin.
        plugin: String,
        /// What it was asked.
        operation: Operation,
        /// What is left, in bytes.
        left: usize,
        /// What is needed, in bytes.
        needed: usize,
    },
    /// A trace cannot be written.
    #[error(
        "cannot record the plugin calls in {}: {source}. \
         Choose another file with REXTIO_WASM_RECORD, or unset it", path.display()
    )]
    Record {
        /// The trace.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A trace cannot be read.
    #[error("cannot read the trace {}: {source}", path.display())]
    ReadTrace {
        /// The trace.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A line of a trace is not what it should be.
    #[error("line {line} of the trace {trace} {detail}. Record it again with REXTIO_WASM_RECORD")]
    Trace {
        /// The trace.
        trace: String,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        detail: String,
    },
    /// A trace has no calls of the plugin.
    #[error(
        "the trace {trace} holds no calls of the plugin {plugin}, only of {found}. \
         Name the component that was recorded"
    )]
    ForeignTrace {
        /// The trace.
        trace: String,
        /// The plugin asked for.
        plugin: String,
        /// The plugins recorded.
        found: String,
    },
    /// An environment variable has a value that means nothing.
    #[error("{name} is {value:?}, and must be a positive whole number. Correct or unset it")]
    Setting {
        /// The variable.
        name: &'static str,
        /// Its value.
        value: String,
    },
}
