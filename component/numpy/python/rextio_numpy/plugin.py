"""The entry point through which Rextio loads the plugin."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rextio_wasm import Provider

PLUGIN_ID = "rextio-numpy"
"""What a project writes under `[plugins] enabled`."""

F64_1D = "rextio-numpy/f64-1d"
"""The plugin type behind `rextio_numpy.types.F64Arr1`."""

COMPONENT = Path(__file__).with_name("rextio_numpy.wasm")
"""The plugin itself."""

__all__ = ["COMPONENT", "F64_1D", "PLUGIN_ID", "RextioNumpyPlugin", "plugin"]


def plugin() -> Provider:
    """Load the plugin for Rextio.

    Raises:
        rextio.plugins.loader.PluginError: `rextio-wasm` is not installed, or the component is
            missing from this package or cannot be loaded.
    """
    # The full core and the host are there where plugins are loaded; a built project that imports
    # `rextio_numpy.types` has neither.
    from rextio.plugins.loader import PluginError

    try:
        import rextio_wasm
    except ModuleNotFoundError as error:
        if error.name != "rextio_wasm":
            raise
        raise PluginError(
            f"{PLUGIN_ID} needs the package rextio-wasm to run its component; "
            "install it with: pip install 'rextio-wasm>=0.2,<0.3'"
        ) from error
    if not COMPONENT.is_file():
        raise PluginError(
            f"{PLUGIN_ID} is incomplete: {COMPONENT} is missing; "
            "install it again with: pip install --force-reinstall rextio-numpy "
            "(from a checkout: cargo xtask dist)"
        )
    return rextio_wasm.load(COMPONENT)


RextioNumpyPlugin = plugin
"""The class of earlier versions; calling it still gives the plugin."""
