//! `cargo xtask demo`: a real project on real data, natively and on CPython.

mod darkroom;
mod digits;
mod project;
mod report;
mod times;

use anyhow::Result;
use clap::ValueEnum;

pub(crate) use project::copy_fresh;

use crate::steps::Steps;

/// What there is to see.
#[derive(Clone, Copy, ValueEnum)]
pub enum Demo {
    /// Develop a photograph with NumPy
    Numpy,
    /// Read handwritten digits with PyTorch; takes 5 GB for it
    Torch,
}

/// Builds an example as a user would, and compares both of its runs.
///
/// # Errors
/// When something cannot be built, a function stays on CPython, or the answers differ.
pub fn run(demo: Demo) -> Result<()> {
    let findings = Steps::tabled(match demo {
        Demo::Numpy => darkroom::show,
        Demo::Torch => digits::show,
    })?;
    print!("\n{findings}");
    Ok(())
}
