//! `cargo xtask bench kernels`.

use anyhow::Result;

use super::{Build, Options, measurements, report};
use crate::steps::{SEE_ABOVE, Steps};
use crate::{command, dist, setup, venv};

/// Measures the kernels of both plugins and writes the figures and their chart.
///
/// # Errors
/// When something cannot be built, or a function gives another answer than NumPy.
pub fn run(options: &Options) -> Result<()> {
    Steps::tabled(|steps| measure_both(steps, options))
}

fn measure_both(steps: &mut Steps, options: &Options) -> Result<()> {
    let (ours, published) = (venv::bench(), venv::reference());
    let wheels = steps.run("set-up", SEE_ABOVE, || {
        setup::for_wheels()?;
        ours.ensure()?;
        published.ensure()?;
        let wheels = dist::run()?;
        ours.install_wheels(&wheels.for_numpy())?;
        Ok(wheels)
    })?;

    let wheels = wheels.for_numpy();
    let of_published = Build {
        name: "published",
        venv: &published,
        functions: "benchmarks/functions.py",
        wheels: &[],
        variables: &[],
    };
    let of_ours = Build {
        name: "ours",
        venv: &ours,
        wheels: &wheels,
        ..of_published
    };
    let builds = [of_ours, of_published];
    Build::ensure_all(steps, &builds)?;
    let [of_ours, of_published] = &builds;
    steps.run("measure, ours", SEE_ABOVE, || {
        measure(of_ours, Some(of_published), options)
    })?;
    steps.run("measure, published", SEE_ABOVE, || {
        measure(of_published, None, options)
    })?;
    steps.run("report", SEE_ABOVE, || {
        let measured = builds.each_ref().map(|build| measurements(build.name));
        report(
            "benchmarks/report.py",
            &measured,
            &options.outputs("kernels"),
        )
    })
}

/// `beside` is a build whose native functions are timed in the same process.
fn measure(build: &Build<'_>, beside: Option<&Build<'_>>, options: &Options) -> Result<()> {
    let mut measure = command::new(build.venv.python());
    measure
        .arg("benchmarks/measure.py")
        .args([build.project(), measurements(build.name)])
        .args(options.arguments());
    if let Some(beside) = beside {
        measure.arg("--beside").arg(beside.project());
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
