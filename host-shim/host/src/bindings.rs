//! The generated bindings and their conversions. Nothing else sees them but
//! [`crate::guest`] and [`crate::plugin`].
#![allow(missing_docs, clippy::all, clippy::pedantic)]

wasmtime::component::bindgen!({
    path: "../../wit",
    world: "plugin",
    imports: { default: trappable },
});

pub(crate) use exports::rextio::plugin::types as wit;

rextio_plugin_model::impl_wire!(wit);
