//! `cargo xtask soundness`: the native code under the tools that see undefined behaviour.
//!
//! Miri interprets the kernels, which know nothing of Python. Valgrind watches the functions that
//! Rextio generates, called from Python with arrays of every layout.

use std::process::Command;

use anyhow::{Context, Result};

use crate::steps::{SEE_ABOVE, Steps};
use crate::{command, component, dist, setup, venv, workspace};

/// The toolchain with Miri.
const NIGHTLY: &str = "nightly";

/// Installs what is missing and runs both.
///
/// # Errors
/// When a tool cannot be installed, or reports something.
pub fn run() -> Result<()> {
    Steps::tabled(checks)
}

fn checks(steps: &mut Steps) -> Result<()> {
    steps.run("miri: set-up", SEE_ABOVE, install_miri)?;
    steps.run("miri: kernels of the NumPy runtime", SEE_ABOVE, || {
        command::run(
            rustup()
                .args(["run", NIGHTLY, "cargo", "miri", "test", "--locked"])
                .args(["--package", "rextio-numpy-runtime"])
                .args(["--no-default-features", "--lib"])
                .env("CARGO_TARGET_DIR", workspace::target().join("miri")),
        )
    })?;
    steps.run("valgrind: set-up", SEE_ABOVE, || {
        install_valgrind()?;
        setup::for_wheels()?;
        venv::dev().install_wheels(&dist::run()?.all())
    })?;
    steps.run("valgrind: generated functions", SEE_ABOVE, || {
        command::run(
            command::new(venv::dev().python())
                .arg("tests/python/valgrind.py")
                .env("REXTIO_NUMPY_WASM", component::path("numpy"))
                .env("REXTIO_WASM_CACHE_DIR", workspace::rextio_cache())
                // Rextio looks for what it built in the project's own target directory.
                .env_remove("CARGO_TARGET_DIR"),
        )
    })
}

/// Rustup, without the toolchain that runs this program.
fn rustup() -> Command {
    let mut rustup = command::new("rustup");
    for variable in ["RUSTUP_TOOLCHAIN", "RUSTC", "CARGO"] {
        rustup.env_remove(variable);
    }
    rustup
}

fn install_miri() -> Result<()> {
    command::run(rustup().args(["toolchain", "install", NIGHTLY]).args([
        "--profile",
        "minimal",
        "--component",
        "miri,rust-src",
    ]))
    .context("Miri comes with a nightly toolchain of rustup: https://rustup.rs")
}

fn install_valgrind() -> Result<()> {
    if command::succeeds(command::new("valgrind").arg("--version")) {
        return Ok(());
    }
    command::apt_install(&["valgrind"])
}
