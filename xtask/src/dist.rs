//! `cargo xtask dist`: the wheels.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::{command, component, venv, workspace};

/// The finished wheels.
pub struct Wheels {
    /// `rextio-wasm`, for this platform.
    pub host: PathBuf,
    /// `rextio-numpy`, for every platform.
    pub numpy: PathBuf,
    /// `rextio-torch`, for CPython 3.11 on every platform.
    pub torch: PathBuf,
}

impl Wheels {
    /// All of them.
    #[must_use]
    pub fn all(&self) -> [&Path; 3] {
        [&self.host, &self.numpy, &self.torch]
    }

    /// Those that NumPy functions need.
    #[must_use]
    pub fn for_numpy(&self) -> [&Path; 2] {
        [&self.host, &self.numpy]
    }
}

/// Builds the wheels into `dist/` and prints their sizes.
///
/// # Errors
/// When a component or a wheel cannot be built.
pub fn run() -> Result<Wheels> {
    let wheels = Wheels {
        host: host()?,
        numpy: plugin("numpy")?,
        torch: plugin("torch")?,
    };
    for wheel in wheels.all() {
        let size = fs::metadata(wheel)?.len();
        println!("{} ({} KiB)", workspace::shown(wheel), size.div_ceil(1024));
    }
    Ok(wheels)
}

/// The host's wheel. Maturin compiles it in the workspace's target directory, like every crate.
fn host() -> Result<PathBuf> {
    collect("rextio_wasm", |folder| {
        let dev = venv::dev();
        command::run(
            dev.program("maturin")
                .args(["build", "--release", "--locked"])
                .args(["--manifest-path", "host-shim/python/Cargo.toml"])
                .arg("--interpreter")
                .arg(dev.python())
                .arg("--out")
                .arg(folder),
        )
    })
}

/// The wheel of the plugin `name`, with its component inside.
fn plugin(name: &str) -> Result<PathBuf> {
    let built = component::build(name)?;
    let source = workspace::root().join("component").join(name);
    let package = format!("rextio_{name}");
    let inside = source
        .join("python")
        .join(&package)
        .join(format!("{package}.wasm"));
    fs::copy(&built, &inside).with_context(|| format!("cannot write {}", inside.display()))?;
    collect(&package, |folder| {
        command::run(
            venv::dev()
                .program("hatchling")
                .args(["build", "--target", "wheel", "--directory"])
                .arg(folder)
                .current_dir(&source),
        )
    })
}

/// Builds one wheel in a folder of its own and moves it to `dist/` in place of older ones.
fn collect(package: &str, build: impl FnOnce(&Path) -> Result<()>) -> Result<PathBuf> {
    let folder = workspace::target().join("wheels").join(package);
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    build(&folder)?;

    let mut built = wheels(&folder, package)?;
    let (Some(wheel), true) = (built.pop(), built.is_empty()) else {
        bail!("expected one wheel of {package} in {}", folder.display());
    };
    let dist = workspace::dist();
    fs::create_dir_all(&dist)?;
    for older in wheels(&dist, package)? {
        fs::remove_file(older)?;
    }
    let file_name = wheel.file_name().context("a wheel has a file name")?;
    let finished = dist.join(file_name);
    fs::copy(&wheel, &finished).with_context(|| format!("cannot write {}", finished.display()))?;
    Ok(finished)
}

fn wheels(folder: &Path, package: &str) -> Result<Vec<PathBuf>> {
    let mut wheels = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with(&format!("{package}-")) && name.ends_with(".whl") {
            wheels.push(path);
        }
    }
    Ok(wheels)
}
