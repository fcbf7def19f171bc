//! `cargo xtask bench`: measurements, never part of the tests.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::stamp::Stamp;
use crate::steps::Steps;
use crate::venv::Venv;
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

/// The plugin of this repository among the measured.
const OURS: &str = "ours";

/// What `cargo xtask bench kernels` is told.
#[derive(clap::Args)]
pub struct Kernels {
    /// Fewer and shorter rounds
    #[arg(long)]
    quick: bool,
    /// Only the cells whose name, as the summary shows it, matches this regular expression
    #[arg(long, value_name = "PATTERN")]
    only: Option<String>,
}

impl Kernels {
    /// Where the figures go: a partial or hurried run leaves the published ones alone.
    fn output(&self) -> PathBuf {
        if self.quick || self.only.is_some() {
            folder()
        } else {
            workspace::root().join("docs")
        }
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

/// Measures the kernels of both plugins and writes the figures and their chart.
///
/// # Errors
/// When something cannot be built, or a function gives another answer than NumPy.
pub fn kernels(options: &Kernels) -> Result<()> {
    let mut steps = Steps::default();
    let result = measure_both(&mut steps, options);
    steps.print_table();
    result
}

fn measure_both(steps: &mut Steps, options: &Kernels) -> Result<()> {
    const OUTPUT: &str = "See the output above.";
    let (ours, published) = (venv::bench(), venv::reference());
    let wheels = steps.run("set-up", OUTPUT, || {
        setup::for_wheels()?;
        ours.ensure()?;
        published.ensure()?;
        let wheels = dist::run()?;
        ours.install_wheels(&wheels.all())?;
        Ok(wheels)
    })?;

    let sides = [(OURS, &ours), ("published", &published)];
    for (name, venv) in sides {
        steps.run(&format!("rextio build, {name}"), OUTPUT, || {
            build(name, venv, &wheels.all())
        })?;
    }
    for (name, venv) in sides {
        steps.run(&format!("measure, {name}"), OUTPUT, || {
            measure(name, venv, options)
        })?;
    }
    steps.run("report", OUTPUT, || {
        let output = options.output();
        let (figures, chart) = (output.join("kernels.json"), output.join("kernels.svg"));
        command::run(
            command::new(ours.python())
                .arg("benchmarks/report.py")
                .args(sides.map(|(name, _)| measurements(name)))
                .args([&figures, &chart]),
        )?;
        println!(
            "{} and {}",
            workspace::shown(&figures),
            workspace::shown(&chart)
        );
        Ok(())
    })
}

fn folder() -> PathBuf {
    workspace::target().join("bench")
}

fn project(name: &str) -> PathBuf {
    folder().join(name)
}

fn measurements(name: &str) -> PathBuf {
    folder().join(format!("{name}.json"))
}

/// Builds the functions with one of the plugins, unless that is done.
fn build(name: &str, venv: &Venv, wheels: &[&Path]) -> Result<()> {
    const FUNCTIONS: &str = "benchmarks/functions.py";
    let project = project(name);
    let mut stamp = Stamp::new(project.join("build.stamp"))
        .of_file(&workspace::root().join(FUNCTIONS))?
        .of_file(venv.requirements())?;
    if name == OURS {
        for wheel in wheels {
            stamp = stamp.of_file(wheel)?;
        }
    }
    if stamp.is_fresh() {
        println!("{}: built already", workspace::shown(&project));
        return Ok(());
    }
    if project.exists() {
        fs::remove_dir_all(&project)
            .with_context(|| format!("cannot remove {}", project.display()))?;
    }
    command::run(command::new(venv.python()).arg(FUNCTIONS).arg(&project))?;
    venv.rextio("build", &project)?;
    stamp.write()
}

fn measure(name: &str, venv: &Venv, options: &Kernels) -> Result<()> {
    let mut measure = command::new(venv.python());
    measure
        .arg("benchmarks/measure.py")
        .args([project(name), measurements(name)])
        .args(options.arguments());
    if name == OURS {
        measure.arg("--rivals");
    }
    // NumPy at its best, and Rextio as it is without being told anything.
    for variable in [
        "OPENBLAS_CORETYPE",
        "OPENBLAS_L2_SIZE",
        "OPENBLAS_NUM_THREADS",
        "OMP_NUM_THREADS",
        "NUMEXPR_NUM_THREADS",
        "REXTIO_NATIVE_MODE",
    ] {
        measure.env_remove(variable);
    }
    command::run(&mut measure)
}
