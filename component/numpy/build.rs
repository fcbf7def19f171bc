//! Embeds the source of the native runtime.

use std::path::Path;
use std::{env, error, fs};

fn main() -> Result<(), Box<dyn error::Error>> {
    let root = Path::new("../../runtime/numpy/src/lib.rs");
    let runtime = rextio_plugin_embed::embed(root, "rextio_numpy_runtime", &["python"])?;
    for file in &runtime.files {
        println!("cargo::rerun-if-changed={}", file.display());
    }
    let output = Path::new(&env::var("OUT_DIR")?).join("runtime.rs");
    fs::write(output, runtime.source)?;
    Ok(())
}
