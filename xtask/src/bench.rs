//! `cargo xtask bench`: measurements, never part of the tests.

use anyhow::Result;

use crate::{command, dist, setup, venv, workspace};

/// Measures load, claim and lower from Python, beside the published plugin.
///
/// # Errors
/// When something cannot be built, or the benchmark fails.
pub fn calls() -> Result<()> {
    setup::for_wheels()?;
    let reference = venv::reference();
    reference.ensure()?;
    let dev = venv::dev();
    dev.install_wheels(&dist::run()?.all())?;
    command::run(
        command::new(dev.python())
            .arg("host-shim/python/bench_calls.py")
            .env("REXTIO_WASM_CACHE_DIR", workspace::rextio_cache())
            .env("REXTIO_REFERENCE_PYTHON", reference.python()),
    )
}
