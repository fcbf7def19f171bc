//! A project of `examples/`: built, and run in both ways.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::report::{self, NativeFunctions};
use crate::dist::Wheels;
use crate::steps::{SEE_ABOVE, Steps};
use crate::venv::Venv;
use crate::{command, dist, setup, workspace};

/// An example, and where it is built and run.
pub(super) struct Project {
    /// Of the folder, and of the package inside.
    pub name: &'static str,
    /// The module whose functions all become native.
    pub module: &'static str,
    pub venv: Venv,
    /// Which wheels the environment gets.
    pub wheels: fn(&Wheels) -> Vec<&Path>,
}

/// What the program found, natively and on CPython, with the same answers.
pub(super) struct Both<T> {
    pub native: T,
    pub cpython: T,
}

/// What every example prints: a digest of its answers, and figures of its own.
#[derive(Deserialize)]
struct Printed<T> {
    fingerprint: String,
    #[serde(flatten)]
    figures: T,
}

impl Project {
    /// The folder for what demos build and write.
    pub fn folder() -> PathBuf {
        workspace::target().join("demo")
    }

    /// Installs what the example needs and builds a copy of it.
    ///
    /// # Errors
    /// When one of that fails, or a function stays on CPython.
    pub fn build(&self, steps: &mut Steps) -> Result<NativeFunctions> {
        steps.run("set-up", SEE_ABOVE, setup::for_wheels)?;
        let wheels = steps.run("wheels", SEE_ABOVE, dist::run)?;
        steps.run("install", SEE_ABOVE, || {
            self.venv.ensure()?;
            self.venv.install_wheels(&(self.wheels)(&wheels))
        })?;
        steps.run("rextio build", SEE_ABOVE, || {
            let copy = self.copy();
            copy_fresh(&workspace::root().join("examples").join(self.name), &copy)?;
            for task in ["check", "build"] {
                self.venv.rextio(task, &copy)?;
            }
            report::native_functions(&copy.join(".rextio/reports/check.json"), self.module)
        })
    }

    /// Runs a task of the program from its sources, which is all CPython.
    ///
    /// # Errors
    /// When the program fails or prints something unexpected.
    pub fn run_source<T: DeserializeOwned>(
        &self,
        steps: &mut Steps,
        task: &str,
        file: &Path,
    ) -> Result<T> {
        steps.run(task, SEE_ABOVE, || {
            self.python(&self.copy(), "fallback", [task.as_ref(), file.as_os_str()])
        })
    }

    /// Runs the built program natively and on CPython. `arguments` are made from the mode's name.
    ///
    /// # Errors
    /// When the program fails, prints something unexpected, or its answers differ.
    pub fn run_both<T, Argument>(
        &self,
        steps: &mut Steps,
        arguments: impl Fn(&str) -> Vec<Argument>,
    ) -> Result<Both<T>>
    where
        T: DeserializeOwned,
        Argument: AsRef<OsStr>,
    {
        let built = self.copy().join(".rextio/build/python");
        let mut run = |step, mode| {
            steps.run(step, SEE_ABOVE, || {
                let printed: Printed<T> = self.python(&built, mode, arguments(mode))?;
                println!("fingerprint of the answers: {}", printed.fingerprint);
                Ok(printed)
            })
        };
        let native = run("run natively", "native")?;
        let cpython = run("run on CPython", "fallback")?;
        ensure!(
            native.fingerprint == cpython.fingerprint,
            "the native answers differ from those on CPython"
        );
        Ok(Both {
            native: native.figures,
            cpython: cpython.figures,
        })
    }

    fn copy(&self) -> PathBuf {
        Self::folder().join(self.name)
    }

    /// Runs `python -m NAME` and reads what it prints.
    fn python<T: DeserializeOwned>(
        &self,
        folder: &Path,
        mode: &str,
        arguments: impl IntoIterator<Item: AsRef<OsStr>>,
    ) -> Result<T> {
        let printed = command::output(
            command::new(self.venv.python())
                .args(["-m", self.name])
                .args(arguments)
                .current_dir(folder)
                .env("REXTIO_NATIVE_MODE", mode),
        )?;
        serde_json::from_str(&printed)
            .with_context(|| format!("the example printed something else: {printed}"))
    }
}

/// Copies a folder with sources, in place of what was there.
///
/// # Errors
/// When something cannot be read or written.
pub(crate) fn copy_fresh(from: &Path, to: &Path) -> Result<()> {
    if to.exists() {
        fs::remove_dir_all(to).with_context(|| format!("cannot remove {}", to.display()))?;
    }
    copy(from, to)
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to).with_context(|| format!("cannot create {}", to.display()))?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let name = entry.file_name();
        if name == "__pycache__" || name == ".rextio" {
            continue;
        }
        let target = to.join(&name);
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), &target)
                .with_context(|| format!("cannot write {}", target.display()))?;
        }
    }
    Ok(())
}
