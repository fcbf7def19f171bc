//! What the host offers a plugin.
//!
//! A plugin that calls nothing here imports nothing, and can read nothing.
//! Natively, in tests, [`answering`] plays the host.

#[cfg(not(target_arch = "wasm32"))]
pub use native::answering;

/// The value at a dotted path of the project's configuration, as JSON text;
/// `None` where there is no such path, and outside `rules` and `claim`.
#[must_use]
pub fn config(key: &str) -> Option<String> {
    #[cfg(target_arch = "wasm32")]
    return crate::bindings::rextio::plugin::context::config(key);
    #[cfg(not(target_arch = "wasm32"))]
    native::config(key)
}

/// A free Rust identifier that starts with `prefix`. During `lower` only.
///
/// # Panics
///
/// Natively, outside [`answering`]; as a component, outside `lower`.
#[must_use]
pub fn fresh_name(prefix: &str) -> String {
    #[cfg(target_arch = "wasm32")]
    return crate::bindings::rextio::plugin::context::fresh_name(prefix);
    #[cfg(not(target_arch = "wasm32"))]
    native::fresh_name(prefix)
}

#[cfg(not(target_arch = "wasm32"))]
mod native {
    use std::cell::RefCell;
    use std::collections::BTreeMap;

    struct Host {
        config: BTreeMap<String, String>,
        names: usize,
    }

    thread_local! {
        static HOST: RefCell<Option<Host>> = const { RefCell::new(None) };
    }

    /// Runs `body` with a host that answers from `config` and numbers fresh
    /// names from 0.
    pub fn answering<T>(config: &[(&str, &str)], body: impl FnOnce() -> T) -> T {
        let config = config
            .iter()
            .map(|&(key, value)| (key.to_owned(), value.to_owned()))
            .collect();
        let outer = HOST.replace(Some(Host { config, names: 0 }));
        let result = body();
        HOST.set(outer);
        result
    }

    pub(super) fn config(key: &str) -> Option<String> {
        HOST.with_borrow(|host| host.as_ref()?.config.get(key).cloned())
    }

    pub(super) fn fresh_name(prefix: &str) -> String {
        HOST.with_borrow_mut(|host| {
            let host = host
                .as_mut()
                .expect("fresh_name needs a host: wrap the test in context::answering");
            host.names += 1;
            format!("{prefix}{}", host.names - 1)
        })
    }
}
