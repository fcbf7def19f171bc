//! Embeds the source of the native runtime.

use std::error;

fn main() -> Result<(), Box<dyn error::Error>> {
    rextio_plugin_embed::build(
        "../../runtime/numpy/src/lib.rs",
        "rextio_numpy_runtime",
        &["python"],
    )
}
