//! `cargo xtask bench`: measurements, never part of the tests.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::stamp::Stamp;
use crate::steps::{SEE_ABOVE, Steps};
use crate::venv::Venv;
use crate::{command, component, dist, setup, venv, workspace};

mod kernels;
mod torch;

pub use kernels::run as kernels;
pub use torch::run as torch;

/// Measures load, claim and lower from Python, beside the published plugin.
///
/// # Errors
/// When something cannot be built, or the benchmark fails.
pub fn calls() -> Result<()> {
    setup::for_wheels()?;
    let reference = venv::reference();
    reference.ensure()?;
    let dev = venv::dev();
    dev.install_wheels(&dist::run()?.for_numpy())?;
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

/// What is measured, and how long.
#[derive(clap::Args)]
pub struct Options {
    /// Fewer and shorter rounds
    #[arg(long)]
    quick: bool,
    /// Only the cells whose name, as the summary shows it, matches this regular expression
    #[arg(long, value_name = "PATTERN")]
    only: Option<String>,
}

impl Options {
    fn is_whole(&self) -> bool {
        !self.quick && self.only.is_none()
    }

    /// Where the figures and their chart go: a partial or hurried run leaves the published ones alone.
    fn outputs(&self, name: &str) -> [PathBuf; 2] {
        let output = if self.is_whole() {
            workspace::root().join("docs")
        } else {
            folder()
        };
        ["json", "svg"].map(|extension| output.join(name).with_extension(extension))
    }

    fn arguments(&self) -> Vec<&str> {
        let mut arguments = Vec::new();
        if self.quick {
            arguments.push("--quick");
        }
        if let Some(pattern) = &self.only {
            arguments.extend(["--only", pattern]);
        }
        arguments
    }
}

fn folder() -> PathBuf {
    workspace::target().join("bench")
}

fn measurements(name: &str) -> PathBuf {
    folder().join(name).with_extension("json")
}

/// The measured functions as a project, built with one plugin.
struct Build<'a> {
    /// Also that of its folder.
    name: &'static str,
    venv: &'a Venv,
    /// The script that writes the project.
    functions: &'static str,
    /// The wheels of the plugin, where it is ours.
    wheels: &'a [&'a Path],
    /// What the plugin wants to be set.
    variables: &'static [(&'static str, &'static str)],
}

impl Build<'_> {
    /// Builds each of them, unless that is done.
    fn ensure_all(steps: &mut Steps, builds: &[Self]) -> Result<()> {
        builds.iter().try_for_each(|build| {
            steps.run(&format!("rextio build, {}", build.name), SEE_ABOVE, || {
                build.ensure()
            })
        })
    }

    fn project(&self) -> PathBuf {
        folder().join(self.name)
    }

    /// Builds it, unless that is done.
    fn ensure(&self) -> Result<()> {
        let project = self.project();
        let mut stamp =
            Stamp::new(project.join("build.stamp")).of_file(self.venv.requirements())?;
        for script in [self.functions, "benchmarks/project.py"] {
            stamp = stamp.of_file(&workspace::root().join(script))?;
        }
        for wheel in self.wheels {
            stamp = stamp.of_file(wheel)?;
        }
        if stamp.is_fresh() {
            println!("{}: built already", workspace::shown(&project));
            return Ok(());
        }
        if project.exists() {
            fs::remove_dir_all(&project)
                .with_context(|| format!("cannot remove {}", project.display()))?;
        }
        command::run(
            command::new(self.venv.python())
                .arg(self.functions)
                .arg(&project),
        )?;
        let mut build = self.venv.rextio_command("build", &project)?;
        command::run(build.envs(self.variables.iter().copied()))?;
        stamp.write()
    }
}

/// Writes the figures and their chart with a report script.
fn report(script: &str, measured: &[PathBuf], outputs: &[PathBuf; 2]) -> Result<()> {
    command::run(
        command::new(venv::bench().python())
            .arg(script)
            .args(measured)
            .args(outputs),
    )?;
    let [figures, chart] = outputs.each_ref().map(|output| workspace::shown(output));
    println!("{figures} and {chart}");
    Ok(())
}
