//! Handwritten digits read by a network.

use anyhow::Result;
use serde::Deserialize;

use super::project::Project;
use super::times::Times;
use crate::steps::{SEE_ABOVE, Steps};
use crate::{setup, venv, workspace};

/// What training prints.
#[derive(Deserialize)]
struct Training {
    images: u32,
    seconds: f64,
}

/// What reading prints beside its fingerprint.
#[derive(Deserialize)]
struct Reading {
    images: u32,
    correct: u32,
    image_seconds: f64,
    batch_seconds: f64,
}

/// Builds, trains and runs the example; returns what it has to tell.
///
/// # Errors
/// When it cannot be built, the network stays on CPython, or its answers differ.
pub(super) fn show(steps: &mut Steps) -> Result<String> {
    let project = Project {
        name: "digits",
        module: "digits.network",
        venv: venv::torch(),
        wheels: |wheels| wheels.all().to_vec(),
    };
    steps.run("PyTorch", SEE_ABOVE, setup::for_torch)?;
    let functions = project.build(steps)?;
    let weights = Project::folder().join("digits.pt");
    let training: Training = project.run_source(steps, "train", &weights)?;
    let both = project.run_both::<Reading, _>(steps, |_| vec!["read".into(), weights.clone()])?;

    let (native, cpython) = (both.native, both.cpython);
    let times = Times::default()
        .with("one image", native.image_seconds, cpython.image_seconds)
        .with(
            format!("{} images at once", native.images),
            native.batch_seconds,
            cpython.batch_seconds,
        );
    Ok(format!(
        "{functions}\n\
         The network learnt from {} images in {:.1} s and reads {} of {} others right: {:.1} %.\n\
         Natively it gives the answers of PyTorch on CPython, every logit equal, bit for bit.\n\n\
         {times}\n\
         Its weights: {}\n",
        training.images,
        training.seconds,
        native.correct,
        native.images,
        100.0 * f64::from(native.correct) / f64::from(native.images),
        workspace::shown(&weights)
    ))
}
