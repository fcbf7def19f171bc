//! A photograph developed twice.

use anyhow::Result;
use serde::Deserialize;

use super::project::Project;
use super::times::Times;
use crate::steps::Steps;
use crate::venv::Venv;
use crate::workspace;

/// What the program prints beside its fingerprint.
#[derive(Deserialize)]
struct Figures {
    seconds: f64,
}

/// Builds and runs the example; returns what it has to tell.
///
/// # Errors
/// When it cannot be built, a kernel stays on CPython, or the planes differ.
pub(super) fn show(steps: &mut Steps) -> Result<String> {
    let project = Project {
        name: "darkroom",
        module: "darkroom.kernels",
        venv: Venv::new(
            "demo",
            Project::folder().join("venv"),
            workspace::root().join("examples/darkroom/requirements.txt"),
        ),
        wheels: |wheels| wheels.for_numpy().to_vec(),
    };
    let functions = project.build(steps)?;
    let picture = |mode: &str| Project::folder().join(format!("darkroom-{mode}.png"));
    let both = project.run_both::<Figures, _>(steps, |mode| vec![picture(mode)])?;

    let times = Times::default().with("one photograph", both.native.seconds, both.cpython.seconds);
    Ok(format!(
        "{functions}\n\
         Every plane of both runs is equal, bit for bit.\n\n\
         {times}\n\
         Before and after: {}\n",
        workspace::shown(&picture("native"))
    ))
}
