//! What the host offers a plugin.

use std::fmt;

/// Why the host has no answer. Whatever it is, the caller finds it again in
/// [`Error::Context`](crate::Error::Context).
pub type ContextError = Box<dyn std::error::Error + Send + Sync>;

/// Answers the questions a plugin may ask during a call.
///
/// The host asks `config` during `rules` and `claim` only, and `fresh_name`
/// during `lower` only; at other times it answers by itself.
pub trait Context: Send {
    /// The value at a dotted path of the project's configuration as JSON text.
    ///
    /// # Errors
    ///
    /// Any error ends the call.
    fn config(&mut self, key: &str) -> Result<Option<String>, ContextError>;

    /// A Rust identifier that is free in the function being generated and
    /// starts with `prefix`.
    ///
    /// # Errors
    ///
    /// Any error ends the call.
    fn fresh_name(&mut self, prefix: &str) -> Result<String, ContextError>;
}

/// The context of a plugin that needs none: an empty configuration, no names.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoContext;

impl Context for NoContext {
    fn config(&mut self, _key: &str) -> Result<Option<String>, ContextError> {
        Ok(None)
    }

    fn fresh_name(&mut self, prefix: &str) -> Result<String, ContextError> {
        Err(format!("it asked for a fresh name {prefix:?}, and the caller gives none").into())
    }
}

/// A context's error on its way through the engine.
#[derive(Debug)]
pub(crate) struct Refusal(pub(crate) ContextError);

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Refusal {}

/// One question of a plugin to the host, and the answer.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields, tag = "asked")]
pub enum Asked {
    /// `config`.
    Config {
        /// The dotted path.
        key: String,
        /// JSON text.
        answer: Option<String>,
    },
    /// `fresh-name`.
    FreshName {
        /// The prefix.
        prefix: String,
        /// The name.
        answer: String,
    },
}
