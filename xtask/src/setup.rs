//! `cargo xtask setup`: what a fresh machine needs.

use anyhow::Result;

use crate::venv;
use crate::wasm_toolchain::WasmToolchain;

/// Makes everything ready that `test` needs. What is there already is left alone.
///
/// # Errors
/// When a toolchain or an environment cannot be made.
pub fn run() -> Result<()> {
    for_wheels()?;
    venv::core_0_1_6().ensure()?;
    venv::core_0_1_7().ensure()?;
    venv::reference().ensure()
}

/// Makes ready what building the wheels needs.
///
/// # Errors
/// When a toolchain or an environment cannot be made.
pub fn for_wheels() -> Result<()> {
    WasmToolchain::install()?;
    venv::dev().ensure()
}
