//! `cargo xtask bench`: measurements, never part of the tests.

use anyhow::Result;

use crate::{command, component, dist, setup, venv, workspace};

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
            .arg(component::build("numpy")?)
            .args(["--reference", "rextio_numpy.plugin:plugin"])
            .env("REXTIO_WASM_CACHE_DIR", workspace::rextio_cache())
            // Both packages are called rextio_numpy; the published one goes first.
            .env("PYTHONPATH", reference.packages()?),
    )
}
