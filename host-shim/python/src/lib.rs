//! The native half of the Python package `rextio_wasm`.
//!
//! *Architecture invariant:* nothing is decided here. Objects of core become
//! the host's values in [`questions`], answers become objects of core in
//! [`core`], errors become exceptions in [`failure`], and the rest is the host's.

#![allow(
    missing_docs,
    reason = "the public surface is Python's, documented in _native.pyi"
)]

mod core;
mod failure;
mod provider;
mod questions;
mod records;

use std::path::PathBuf;

use pyo3::prelude::*;
use rextio_wasm_host::{Report, Trace};

use crate::failure::{exception, guarded};
use crate::provider::Component;

/// Asks a plugin again what a trace holds: how many calls agree, what differs,
/// and what the reader should know.
type Outcome = (usize, Vec<String>, Option<String>);

fn outcome(report: Report) -> Outcome {
    let differing = report.differing.iter().map(ToString::to_string).collect();
    (report.agreeing, differing, report.note)
}

#[pyfunction]
fn replay(py: Python<'_>, trace: PathBuf, component: &Component) -> PyResult<Outcome> {
    guarded(py, || {
        let plugin = component.plugin();
        py.detach(|| rextio_wasm_host::replay(&Trace::read(&trace)?, plugin))
            .map(outcome)
            .map_err(|error| exception(py, error))
    })
}

#[pyfunction]
fn verify(py: Python<'_>, trace: PathBuf, component: &Component) -> PyResult<Outcome> {
    guarded(py, || {
        let plugin = component.plugin();
        py.detach(|| rextio_wasm_host::verify(&Trace::read(&trace)?, plugin))
            .map(outcome)
            .map_err(|error| exception(py, error))
    })
}

#[pyfunction]
fn cache_directory() -> Option<PathBuf> {
    rextio_wasm_host::cache_directory()
}

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<provider::Component>()?;
    module.add_class::<provider::Provider>()?;
    module.add_function(wrap_pyfunction!(replay, module)?)?;
    module.add_function(wrap_pyfunction!(verify, module)?)?;
    module.add_function(wrap_pyfunction!(cache_directory, module)?)?;
    module.add("WIT_VERSION", rextio_wasm_host::WIT_VERSION)?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    Ok(())
}
