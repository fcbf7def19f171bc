"""What this package raises. Core reports each by its text."""

from __future__ import annotations


class PluginError(RuntimeError):
    """A plugin cannot be used. The text says why and what to do."""


class PluginLoadError(PluginError):
    """A file is no plugin component that this version can run."""


class PluginCallError(PluginError):
    """A plugin failed while it was asked.

    Attributes:
        plugin: The plugin's id.
        operation: What it was asked: ``claim``, ``lower``, …
        kind: The kind of the site, or ``function``; ``None`` where there is none.
        target: The site's target, or the function's name.
        limit: The limit it exceeded (``fuel``, ``memory``, ``table``, ``stack``,
            ``answer``); ``None`` where it failed in another way.
    """

    def __init__(
        self,
        text: str,
        plugin: str = "",
        operation: str = "",
        kind: str | None = None,
        target: str | None = None,
        limit: str | None = None,
    ) -> None:
        """Keep what the text says in words."""
        super().__init__(text)
        self.plugin = plugin
        self.operation = operation
        self.kind = kind
        self.target = target
        self.limit = limit


class TraceError(PluginError):
    """A trace cannot be written, read or replayed."""


class BuildEnvironmentError(PluginError):
    """This machine is not fit to build the plugin's code. The text says what to change."""


class PluginWarning(UserWarning):
    """A site was kept from a plugin because its interface has no word for it."""
