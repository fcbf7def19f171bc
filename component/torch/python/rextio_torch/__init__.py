"""The PyTorch plugin for Rextio.

Projects take their annotations from `rextio_torch.types`; Rextio finds the plugin through the
entry point `rextio_torch.plugin:plugin`. Importing the package needs neither torch, `rextio_wasm`
nor `rextio`.
"""

from rextio_torch.__about__ import __version__
from rextio_torch.plugin import PLUGIN_ID, RextioTorchPlugin, plugin

__all__ = ["PLUGIN_ID", "RextioTorchPlugin", "__version__", "plugin"]
