"""The NumPy plugin for Rextio.

Projects take their annotations from `rextio_numpy.types`; Rextio finds the plugin through the
entry point `rextio_numpy.plugin:plugin`. Importing the package needs neither `rextio_wasm` nor
more of `rextio` than a generated project ships: only calling `plugin` does.
"""

from rextio_numpy.__about__ import __version__
from rextio_numpy.plugin import PLUGIN_ID, RextioNumpyPlugin, plugin

__all__ = ["PLUGIN_ID", "RextioNumpyPlugin", "__version__", "plugin"]
