//! Child processes that say what they were when they fail.

use std::env;
use std::ffi::OsStr;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::workspace;

/// A command that runs in the repository's root.
#[must_use]
pub fn new(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.current_dir(workspace::root()).stdin(Stdio::null());
    command
}

/// Cargo, the one that runs this program where there is one.
#[must_use]
pub fn cargo() -> Command {
    new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Runs the command with its output shown.
///
/// # Errors
/// When it cannot start or does not succeed; the message holds the command line.
pub fn run(command: &mut Command) -> Result<()> {
    let status = command
        .status()
        .with_context(|| format!("cannot start `{}`", line(command)))?;
    if !status.success() {
        bail!("`{}` failed ({status})", line(command));
    }
    Ok(())
}

/// Runs the command and returns what it wrote to standard output.
///
/// # Errors
/// When it cannot start, does not succeed or writes something other than UTF-8.
pub fn output(command: &mut Command) -> Result<String> {
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("cannot start `{}`", line(command)))?;
    if !output.status.success() {
        bail!("`{}` failed ({})", line(command), output.status);
    }
    String::from_utf8(output.stdout)
        .with_context(|| format!("`{}` did not write UTF-8", line(command)))
}

/// Installs Debian packages and says so. The lists of a fresh machine are empty, so they are read first.
///
/// # Errors
/// When apt-get is not there, may not install, or does not know a package.
pub fn apt_install(packages: &[&str]) -> Result<()> {
    let apt_get = || {
        let mut command = new("apt-get");
        command.env("DEBIAN_FRONTEND", "noninteractive");
        command
    };
    println!("apt-get update; apt-get install {}", packages.join(" "));
    run(apt_get().args(["update", "--quiet"]))?;
    run(apt_get()
        .args(["install", "--yes", "--quiet", "--no-install-recommends"])
        .args(packages))
}

/// Whether the command starts and succeeds; its output is dropped.
#[must_use]
pub fn succeeds(command: &mut Command) -> bool {
    command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

fn line(command: &Command) -> String {
    std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(|word| {
            let word = word.to_string_lossy();
            match word.strip_prefix(&format!("{}/", workspace::root().display())) {
                Some(inside) => inside.to_owned(),
                None => word.into_owned(),
            }
        })
        .collect::<Vec<_>>()
        .join(" ")
}
