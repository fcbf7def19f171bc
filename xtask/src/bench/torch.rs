//! `cargo xtask bench torch`.

use std::fs;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde::Serialize;

use super::{Build, Options, folder, measurements, report};
use crate::demo;
use crate::steps::{SEE_ABOVE, Steps};
use crate::{command, dist, setup, venv, workspace};

/// Measures the PyTorch plugin beside eager PyTorch and the published plugin, and how long builds take, and writes the
/// figures and their chart.
///
/// # Errors
/// When something cannot be built, or a function gives another answer than PyTorch.
pub fn run(options: &Options) -> Result<()> {
    Steps::tabled(|steps| measure_all(steps, options))
}

/// The published plugin leaves it to its user to set this; ours does it.
const LIBTORCH: &[(&str, &str)] = &[("LIBTORCH_USE_PYTORCH", "1")];

fn measure_all(steps: &mut Steps, options: &Options) -> Result<()> {
    let (ours, published) = (venv::torch(), venv::torch_reference());
    let wheels = steps.run("set-up", SEE_ABOVE, || {
        setup::for_wheels()?;
        setup::for_torch()?;
        published.ensure()?;
        venv::bench().ensure()?;
        let wheels = dist::run()?;
        ours.install_wheels(&wheels.all())?;
        Ok(wheels)
    })?;

    let wheels = wheels.all();
    let of_published = Build {
        name: "torch-published",
        venv: &published,
        functions: "benchmarks/torch_functions.py",
        wheels: &[],
        variables: LIBTORCH,
    };
    let of_ours = Build {
        name: "torch-ours",
        venv: &ours,
        wheels: &wheels,
        variables: &[],
        ..of_published
    };
    let builds = [of_ours, of_published];
    Build::ensure_all(steps, &builds)?;
    let measured = measurements("torch-measured");
    steps.run("measure", SEE_ABOVE, || {
        let mut measure = command::new(ours.python());
        measure
            .arg("benchmarks/torch_measure.py")
            .args(builds.each_ref().map(Build::project))
            .arg(&measured)
            .args(options.arguments());
        // PyTorch as it is without being told anything, and Rextio too.
        for variable in ["OMP_NUM_THREADS", "MKL_NUM_THREADS", "REXTIO_NATIVE_MODE"] {
            measure.env_remove(variable);
        }
        command::run(&mut measure)
    })?;

    let mut times = Vec::new();
    if options.is_whole() {
        for (plugin, build) in ["ours", "published"].into_iter().zip(&builds) {
            times.extend(time_builds(steps, plugin, build)?);
        }
    }
    let times_file = measurements("torch-builds");
    fs::write(&times_file, serde_json::to_string(&times)?)
        .with_context(|| format!("cannot write {}", times_file.display()))?;
    steps.run("report", SEE_ABOVE, || {
        report(
            "benchmarks/torch_report.py",
            &[measured, times_file],
            &options.outputs("torch"),
        )
    })
}

/// How long a build took.
#[derive(Serialize)]
struct BuildTime {
    plugin: &'static str,
    build: &'static str,
    seconds: f64,
}

/// Builds the example with nothing compiled beforehand, and again after its source has changed.
fn time_builds(
    steps: &mut Steps,
    plugin: &'static str,
    like: &Build<'_>,
) -> Result<[BuildTime; 2]> {
    let project = folder().join(format!("torch-times-{plugin}"));
    demo::copy_fresh(&workspace::root().join("examples/digits"), &project)?;
    let mut time = |build: &'static str| {
        let mut rextio = like.venv.rextio_command("build", &project)?;
        rextio
            .envs(like.variables.iter().copied())
            // Inside of the copy, so that it is as fresh.
            .env("REXTIO_WASM_BUILD_CACHE", project.join("compiled-crates"));
        let start = Instant::now();
        steps.run(&format!("{build} build, {plugin}"), SEE_ABOVE, || {
            command::run(&mut rextio)
        })?;
        Ok::<_, anyhow::Error>(BuildTime {
            plugin,
            build,
            seconds: start.elapsed().as_secs_f64(),
        })
    };
    let first = time("first")?;
    edit(&project)?;
    Ok([first, time("second")?])
}

/// Changes what the example computes, so that its Rust is written and compiled anew.
fn edit(project: &Path) -> Result<()> {
    let file = project.join("digits/network.py");
    let source = fs::read_to_string(&file)?;
    let edited = source.replace(".relu()", ".sigmoid()");
    ensure!(edited != source, "nothing to change in {}", file.display());
    fs::write(&file, edited)?;
    Ok(())
}
