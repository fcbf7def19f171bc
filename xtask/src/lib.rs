//! The tasks of this repository, as a library for `cargo xtask` and for tests.
//!
//! Tests use [`component::build`] alone; everything else serves the binary.

pub mod bench;
pub mod command;
pub mod component;
pub mod demo;
pub mod dist;
pub mod docs;
pub mod setup;
pub mod soundness;
pub mod stamp;
pub mod steps;
pub mod test;
pub mod venv;
pub mod wasm_toolchain;
pub mod workspace;
