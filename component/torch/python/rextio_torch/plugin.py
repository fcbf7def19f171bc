"""The entry point through which Rextio loads the plugin."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rextio_wasm import Provider

PLUGIN_ID = "rextio-torch"
"""What a project writes under `[plugins] enabled`."""

REQUIRED_PLUGIN_API = "1.3"
"""The oldest plugin API of Rextio that the plugin works with."""

COMPONENT = Path(__file__).with_name("rextio_torch.wasm")
"""The plugin itself."""

__all__ = ["COMPONENT", "PLUGIN_ID", "REQUIRED_PLUGIN_API", "RextioTorchPlugin", "plugin"]


def plugin() -> Provider:
    """Load the plugin for Rextio.

    Raises:
        rextio_wasm.PluginError: The component is missing from this package or cannot be loaded.
    """
    # A built project that imports `rextio_torch.types` may be without the host.
    import rextio_wasm

    return rextio_wasm.load(COMPONENT)


RextioTorchPlugin = plugin
"""The class of the first version; calling it still gives the plugin."""
