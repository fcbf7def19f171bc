//! The generated bindings. Only [`crate::guest`] and [`crate::context`] use them.
#![allow(missing_docs, clippy::all, clippy::pedantic)]

wit_bindgen::generate!({
    path: "../../wit",
    world: "plugin",
    pub_export_macro: true,
    default_bindings_module: "rextio_plugin_kit::bindings",
});
