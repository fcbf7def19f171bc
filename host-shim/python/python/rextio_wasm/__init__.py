"""Rextio plugins that are WebAssembly components.

:func:`load` makes a component look to Rextio like any other plugin::

    def plugin() -> rextio_wasm.Provider:
        return rextio_wasm.load(Path(__file__).with_name("plugin.wasm"))

Importing this package imports nothing of Rextio's core; a plugin's first
question does.
"""

from __future__ import annotations

from rextio_wasm._errors import (
    BuildEnvironmentError,
    PluginCallError,
    PluginError,
    PluginLoadError,
    PluginWarning,
    TraceError,
)
from rextio_wasm._native import WIT_VERSION, Provider, __version__
from rextio_wasm._provider import Limits, load

__all__ = [
    "WIT_VERSION",
    "BuildEnvironmentError",
    "Limits",
    "PluginCallError",
    "PluginError",
    "PluginLoadError",
    "PluginWarning",
    "Provider",
    "TraceError",
    "__version__",
    "load",
]
