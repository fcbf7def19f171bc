//! Runs Rextio plugins that are WebAssembly components.
//!
//! [`Plugin`] is a loaded component: it is asked through plain Rust types (those
//! of `rextio-plugin-model`), bounded by [`Limits`], kept compiled in a
//! [`CodeCache`], and recorded by a [`Recorder`]. [`replay()`] and [`verify()`]
//! ask it again what a [`Trace`] holds.
//!
//! *Architecture invariant:* this crate knows no Python, and the generated
//! bindings are seen by two of its modules only. A plugin has no way to the
//! outside: nothing is linked but the two questions of [`Context`].

#![deny(missing_docs)]

mod bindings;
mod code_cache;
mod context;
mod error;
mod guest;
mod inspect;
mod limits;
mod panic_record;
mod plugin;
mod replay;
mod trace;

pub use code_cache::{CodeCache, cache_directory};
pub use context::{Asked, Context, ContextError, NoContext};
pub use error::{Error, Failure, Operation, Subject, WIT_VERSION};
pub use limits::Limits;
pub use plugin::{Options, Plugin};
pub use replay::{Difference, Report, replay, verify};
pub use rextio_plugin_model as model;
pub use trace::{FORMAT_VERSION, Recorder, Trace};
