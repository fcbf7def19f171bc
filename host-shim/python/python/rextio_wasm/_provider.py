"""Loading a component as the provider object that core expects."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, TypedDict

from rextio_wasm._errors import PluginError
from rextio_wasm._native import Component, Provider

if TYPE_CHECKING:
    from rextio.artifacts.models import ArtifactProfile
    from rextio.plugins.api import (
        PluginArtifactCapability,
        PluginFunctionScopeContext,
        PluginFunctionScopeGuard,
    )

RECORD_VARIABLE = "REXTIO_WASM_RECORD"


# A dictionary, because a data class would take longer to define than the plugin
# to load.
class Limits(TypedDict, total=False):
    """What one call of a plugin may use at most.

    What is left out is as its environment variable says, or at its default.

    Attributes:
        fuel: Units of work, about one a WebAssembly instruction.
            ``REXTIO_WASM_FUEL``; 2 000 000 000.
        memory_bytes: Bytes of the plugin's memory. ``REXTIO_WASM_MEMORY``; 256 MiB.
        table_elements: Elements of each of the plugin's tables. 1 048 576.
        answer_bytes: Bytes the host allocates for an answer.
            ``REXTIO_WASM_ANSWER``; 64 MiB.
        file_bytes: Bytes of the component file. ``REXTIO_WASM_FILE``; 64 MiB.
    """

    fuel: int
    memory_bytes: int
    table_elements: int
    answer_bytes: int
    file_bytes: int


class LoadedProvider(Provider):
    """A provider that says which component it is.

    Attributes:
        component: The component.
    """

    def __init__(self, component: Component) -> None:
        """Keep the component, which is also what the native half is made from."""
        self.component = component


class _ScopeGuardHook(LoadedProvider):
    def function_scope_guard(
        self, ctx: PluginFunctionScopeContext
    ) -> PluginFunctionScopeGuard | None:
        """Return the guard a function needs, if any."""
        return self._function_scope_guard(ctx)


class _ArtifactCapabilityHook(LoadedProvider):
    def artifact_capability(self, profile: ArtifactProfile) -> PluginArtifactCapability | None:
        """Return what works in standalone Rust for an artifact, if anything."""
        return self._artifact_capability(profile)


class _BothHooks(_ScopeGuardHook, _ArtifactCapabilityHook):
    pass


# Core takes a hook to be there when a class of the provider defines it.
_CLASSES: dict[frozenset[str], type[LoadedProvider]] = {
    frozenset(): LoadedProvider,
    frozenset({"function_scope_guard"}): _ScopeGuardHook,
    frozenset({"artifact_capability"}): _ArtifactCapabilityHook,
    frozenset({"function_scope_guard", "artifact_capability"}): _BothHooks,
}


def load(
    path: str | os.PathLike[str],
    *,
    limits: Limits | None = None,
    record: str | os.PathLike[str] | None = None,
) -> Provider:
    """Load the plugin component in a file.

    Args:
        path: The ``.wasm`` file.
        limits: What one call may use.
        record: A file to record the plugin's calls in; ``REXTIO_WASM_RECORD``
            names one otherwise. The first use in a process empties it.

    Returns:
        A provider for ``rextio``'s plugin loader.

    Raises:
        PluginLoadError: The file is no plugin that this version can run.
        PluginCallError: The plugin failed to describe itself.
        TraceError: The record cannot be written.
    """
    try:
        component = open_component(path, limits, record or os.environ.get(RECORD_VARIABLE) or None)
    except PluginError as error:
        raise _reportable(error) from None
    return _CLASSES[frozenset(component.hooks)](component)


def _reportable(error: PluginError) -> PluginError:
    """Return the error as one that core reports.

    Core calls a plugin's factory unguarded and reports only errors of its own
    class. Where core is at work, the error becomes one of both classes.
    """
    core = sys.modules.get("rextio.plugins.loader")
    if core is None:
        return error
    kind = type(error)
    both = type(kind.__name__, (kind, core.PluginError), {"__module__": kind.__module__})
    reportable: PluginError = both.__new__(both, *error.args)
    reportable.__dict__.update(error.__dict__)
    return reportable


def open_component(
    path: str | os.PathLike[str],
    limits: Limits | None = None,
    record: str | os.PathLike[str] | None = None,
) -> Component:
    """Load a component without making it a provider."""
    return Component.load(path, dict(limits or {}), record)
