//! `cargo xtask setup`: what a fresh machine needs.

use anyhow::Result;

use crate::wasm_toolchain::WasmToolchain;
use crate::{command, venv};

/// Makes everything ready that `test` needs. What is there already is left alone.
///
/// # Errors
/// When a toolchain or an environment cannot be made.
pub fn run() -> Result<()> {
    for_wheels()?;
    venv::core_0_1_6().ensure()?;
    venv::core_0_1_7().ensure()?;
    venv::reference().ensure()?;
    for_torch()
}

/// Makes ready what building and running tensor functions needs: PyTorch, and the compiler that torch-sys calls.
///
/// # Errors
/// When the compiler or the environment cannot be installed.
pub fn for_torch() -> Result<()> {
    if !command::succeeds(command::new("c++").arg("--version")) {
        println!("there is no C++ compiler");
        command::apt_install(&["g++"])?;
    }
    venv::torch().ensure()
}

/// Makes ready what building the wheels needs.
///
/// # Errors
/// When a toolchain or an environment cannot be made.
pub fn for_wheels() -> Result<()> {
    WasmToolchain::install()?;
    venv::dev().ensure()
}
