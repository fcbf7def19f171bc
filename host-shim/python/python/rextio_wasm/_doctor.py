"""The command ``rextio-wasm doctor``: can this machine build what plugins generate?"""

from __future__ import annotations

import json
import os
import shutil
import tomllib
from collections.abc import Iterator, Sequence
from importlib import metadata
from typing import NamedTuple

from rextio.build.preflight import missing_build_tools
from rextio.build.toolchain import cargo_environment, probe_version, resolve_tool, rust_pin_error
from rextio.codegen.rust.cargo import render_cargo_toml
from rextio.config.loader import ConfigError
from rextio.config.schema import ToolchainConfig
from rextio.plugins.loader import ENTRY_POINT_GROUP

from rextio_wasm._build import cargo_builds
from rextio_wasm._environment import Requirement, Verdict, build_python, evaluate, toolchain
from rextio_wasm._errors import PluginError
from rextio_wasm._native import Component
from rextio_wasm._provider import RECORD_VARIABLE, LoadedProvider, open_component

_WIDTH = max(len(verdict.value) for verdict in Verdict)


class _Section(NamedTuple):
    """A heading of the report and what is said below it."""

    title: str
    requirements: list[Requirement]


def doctor(plugins: Sequence[str]) -> int:
    """Print what builds need, with verdicts.

    Args:
        plugins: Component files; every installed plugin where there is none.

    Returns:
        The exit status: 1 when a build would fail.
    """
    target = build_python()
    sections = [_Section("every build", list(_tools()))]
    sections += _named(plugins, target) if plugins else _installed(target)
    for section in sections:
        print(section.title)
        for requirement in section.requirements:
            print(f"  {requirement.verdict.value:{_WIDTH}}  {requirement.text}")
    failing = _titles(sections, Verdict.PROBLEM)
    if failing:
        print(f"a build would fail; see: {', '.join(failing)}")
        return 1
    warned = _titles(sections, Verdict.WARNING)
    mind = f"; see the warnings: {', '.join(warned)}" if warned else ""
    print(f"nothing here keeps a build from starting{mind}")
    return 0


def _titles(sections: Sequence[_Section], verdict: Verdict) -> list[str]:
    return [
        section.title
        for section in sections
        if any(requirement.verdict is verdict for requirement in section.requirements)
    ]


def _tools() -> Iterator[Requirement]:
    try:
        tools = toolchain()
    except ConfigError as error:
        text = f"Rextio's configuration here is wrong: {error}. Correct what it names"
        yield Requirement(Verdict.PROBLEM, text)
        tools = ToolchainConfig()
    variables = cargo_environment(tools)
    missing = missing_build_tools(toolchain=tools)
    if missing:
        yield from (Requirement(Verdict.PROBLEM, tool.message()) for tool in missing)
    else:
        cargo, _ = resolve_tool("cargo", tools.cargo)
        pin = rust_pin_error(tools, "cargo", variables)
        if pin is None:
            yield _version("cargo", cargo, variables)
        else:
            yield Requirement(Verdict.PROBLEM, pin)
    rustc = shutil.which(os.environ.get("RUSTC") or "rustc")
    yield _version("rustc", rustc, variables, _oldest_rustc())
    yield Requirement(Verdict.OK, cargo_builds().text)


def _oldest_rustc() -> str:
    """Return the version that core writes into every crate it generates."""
    version: str = tomllib.loads(render_cargo_toml())["package"]["rust-version"]
    return version


def _version(
    name: str, path: str | None, variables: dict[str, str], oldest: str | None = None
) -> Requirement:
    if path is None:
        text = f"{name} is not on PATH. Install it from https://rustup.rs"
        return Requirement(Verdict.PROBLEM, text)
    found = probe_version([path], variables)
    if found is None:
        text = f"{path} does not tell its version. Run: {path} --version, and see why"
        return Requirement(Verdict.PROBLEM, text)
    needed = f"; {oldest} or later is needed" if oldest else ""
    if oldest and _parts(found) < _parts(oldest):
        text = f"{path} is {name} {found}{needed}. Run: rustup update stable"
        return Requirement(Verdict.PROBLEM, text)
    return Requirement(Verdict.OK, f"{path} is {name} {found}{needed}")


def _parts(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def _named(files: Sequence[str], target: str) -> Iterator[_Section]:
    for file in files:
        try:
            component = open_component(file)
        except PluginError as error:
            yield _Section(file, [Requirement(Verdict.PROBLEM, str(error))])
        else:
            yield _plugin(component, target)


def _installed(target: str) -> Iterator[_Section]:
    # Loading a plugin would begin the user's record anew.
    os.environ.pop(RECORD_VARIABLE, None)
    entries = sorted(metadata.entry_points(group=ENTRY_POINT_GROUP), key=lambda entry: entry.name)
    if not entries:
        text = "none is installed, or none in this environment"
        yield _Section("plugins", [Requirement(Verdict.OK, text)])
    for entry in entries:
        try:
            loaded = entry.load()
            provider = loaded() if callable(loaded) else loaded
        except Exception as error:
            yield _Section(entry.name, [_broken(entry, error)])
            continue
        if isinstance(provider, LoadedProvider):
            yield _plugin(provider.component, target)
        else:
            text = "is no component, and what it needs is not known here"
            yield _Section(entry.name, [Requirement(Verdict.OK, text)])


def _broken(entry: metadata.EntryPoint, error: Exception) -> Requirement:
    package = entry.dist.name if entry.dist else entry.module
    return Requirement(
        Verdict.PROBLEM,
        f"{entry.value} cannot be loaded: {type(error).__name__}: {error}. Rextio loads every "
        f"installed plugin, enabled or not. Mend it, or run: python -m pip uninstall {package}",
    )


def _plugin(component: Component, target: str) -> _Section:
    description = json.loads(component.description())
    title = "{plugin_id} {version} (plugin API {api_version})".format_map(description)
    requirements = evaluate(description["environment"], target)
    if not requirements:
        requirements = [Requirement(Verdict.OK, "needs nothing of its own")]
    return _Section(title, requirements)
