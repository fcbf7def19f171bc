"""The command ``rextio-wasm``."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence

from rextio_wasm._errors import PluginError
from rextio_wasm._native import WIT_VERSION, __version__, replay, verify
from rextio_wasm._provider import open_component


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status.

    0 is agreement, or a machine fit to build; 1 a difference, a failing plugin
    or a build that would fail; 2 a wrong command line.
    """
    options = _parser().parse_args(arguments)
    try:
        if options.command == "describe":
            return _describe(options.plugin)
        if options.command == "doctor":
            # It asks core, which the others do without.
            from rextio_wasm._doctor import doctor

            return doctor(options.plugins)
        return _compare(options.command, options.trace, options.plugin)
    except PluginError as error:
        print(f"rextio-wasm: {error}", file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="rextio-wasm", description="Look into Rextio plugins that are WebAssembly components."
    )
    parser.add_argument(
        "--version",
        action="version",
        version=f"rextio-wasm {__version__} (rextio:plugin {WIT_VERSION})",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, text in (
        ("replay", "ask a plugin again what a trace holds"),
        ("verify", "prove that its answers depend on the question alone"),
    ):
        command = commands.add_parser(name, help=text, description=text)
        command.add_argument("trace", metavar="TRACE", help="recorded with REXTIO_WASM_RECORD")
        command.add_argument("plugin", metavar="PLUGIN.wasm")
    text = "print who a plugin is and what it brings, as JSON"
    command = commands.add_parser("describe", help=text, description=text)
    command.add_argument("plugin", metavar="PLUGIN.wasm")
    text = "say whether this machine can build what plugins generate"
    command = commands.add_parser(
        "doctor",
        help=text,
        description=f"{text.capitalize()}. Exit status 1 when a build would fail.",
    )
    command.add_argument(
        "plugins", metavar="PLUGIN.wasm", nargs="*", help="default: every installed plugin"
    )
    return parser


def _describe(plugin: str) -> int:
    component = open_component(plugin)
    description = json.loads(component.description())
    print(json.dumps({"sha256": component.sha256, **description}, indent=2, sort_keys=True))
    return 0


def _compare(command: str, trace: str, plugin: str) -> int:
    component = open_component(plugin)
    agreeing, differing, note = (replay if command == "replay" else verify)(trace, component)
    if note is not None:
        print(f"note: {note}")
    for difference in differing:
        print(difference)
    print(f"{agreeing} recorded calls agree, {len(differing)} differences")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
