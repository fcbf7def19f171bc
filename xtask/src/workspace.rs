//! Where things are.

use std::env;
use std::path::{Path, PathBuf};

/// The root of the repository.
#[must_use]
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the crate stands in a folder of the workspace")
}

/// Cargo's target directory, with `CARGO_TARGET_DIR` respected.
#[must_use]
pub fn target() -> PathBuf {
    match env::var_os("CARGO_TARGET_DIR") {
        Some(directory) => root().join(directory),
        None => root().join("target"),
    }
}

/// The folder with the finished wheels.
#[must_use]
pub fn dist() -> PathBuf {
    root().join("dist")
}

/// A path as a person reads it: relative to the repository where it lies inside.
#[must_use]
pub fn shown(path: &Path) -> String {
    path.strip_prefix(root())
        .unwrap_or(path)
        .display()
        .to_string()
}

/// Rextio's cache of compiled code for everything that is started from here: the user's own is
/// not touched.
#[must_use]
pub fn rextio_cache() -> PathBuf {
    target().join("rextio-cache")
}
