//! Embeds the source of the native runtime.

use std::error;

fn main() -> Result<(), Box<dyn error::Error>> {
    rextio_plugin_embed::build(
        "../../runtime/torch/src/lib.rs",
        "rextio_torch_runtime",
        &[],
    )
}
