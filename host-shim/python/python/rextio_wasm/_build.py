"""What must hold before a plugin's code is built.

Core asks for Rust only when it builds, so the first ``lower`` of a provider is
the place to look at the machine: late enough that ``rextio check`` needs
nothing, early enough to speak before Cargo does.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import TypedDict

from rextio_wasm._errors import BuildEnvironmentError
from rextio_wasm._native import cache_directory

BUILD_DIRECTORY = "CARGO_BUILD_BUILD_DIR"
BUILD_CACHE = "REXTIO_WASM_BUILD_CACHE"

# Whoever sets one of these has decided where Cargo builds.
_USERS_OWN = (BUILD_DIRECTORY, "CARGO_TARGET_DIR", "CARGO_BUILD_TARGET_DIR")

_PROBE = """
import importlib.metadata, json, sys
found = {}
for name in sys.argv[1:]:
    try:
        found[name] = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        found[name] = None
print(json.dumps({"python": "%d.%d" % sys.version_info[:2], "packages": found}))
"""
_PROBE_SECONDS = 60


class RequiredVariable(TypedDict):
    """An environment variable that a build needs."""

    name: str
    value: str
    settable: bool
    reason: str


class ForbiddenVariable(TypedDict):
    """An environment variable that a build must not see."""

    name: str
    reason: str


class RequiredPackage(TypedDict):
    """A distribution that the build's ``python`` must have."""

    name: str
    version: str
    remedy: str


class Contract(TypedDict):
    """What a plugin says it needs of the machine."""

    python: str | None
    required_variables: list[RequiredVariable]
    forbidden_variables: list[ForbiddenVariable]
    packages: list[RequiredPackage]


class Probe(TypedDict):
    """What the ``python`` on PATH says of itself."""

    python: str
    packages: dict[str, str | None]


def prepare(plugin: str, contract_json: str) -> None:
    """Check a plugin's contract with the machine, and let Cargo keep its work."""
    contract: Contract = json.loads(contract_json)
    check_environment(plugin, contract)
    share_cargo_builds()


def check_environment(plugin: str, contract: Contract) -> None:
    """Set what may be set; raise one error that names all else that is amiss."""
    problems = [
        *_variable_problems(contract),
        *_python_problems(contract),
    ]
    if problems:
        listed = "".join(f"\n  - {problem}" for problem in problems)
        raise BuildEnvironmentError(f"plugin {plugin} cannot be built on this machine:{listed}")
    for variable in contract["required_variables"]:
        if variable["settable"] and variable["name"] not in os.environ:
            os.environ[variable["name"]] = variable["value"]
            _say(f"set {variable['name']}={variable['value']} for {plugin}: {variable['reason']}")


def _variable_problems(contract: Contract) -> Iterator[str]:
    for forbidden in contract["forbidden_variables"]:
        name = forbidden["name"]
        if name in os.environ:
            yield (
                f"{name} is set to {os.environ[name]!r} and must not be set: "
                f"{forbidden['reason']}. Run: unset {name}"
            )
    for required in contract["required_variables"]:
        name, value = required["name"], required["value"]
        found = os.environ.get(name)
        if found == value or (found is None and required["settable"]):
            continue
        state = "is not set" if found is None else f"is {found!r}"
        yield (
            f"{name} {state} and must be {value!r}: {required['reason']}. "
            f"Run: export {name}={value}"
        )


def _python_problems(contract: Contract) -> Iterator[str]:
    packages = contract["packages"]
    needed = contract["python"]
    if not packages:
        found = f"{sys.version_info.major}.{sys.version_info.minor}"
        if needed is not None and found != needed:
            yield _python_problem(sys.executable, found, needed)
        return
    python = shutil.which("python")
    if python is None:
        yield (
            "there is no `python` on PATH, and the build asks it for "
            f"{', '.join(package['name'] for package in packages)}. "
            "Activate the project's virtual environment"
        )
        return
    probe = _probe(python, [package["name"] for package in packages])
    if isinstance(probe, str):
        yield probe
        return
    if needed is not None and probe["python"] != needed:
        yield _python_problem(python, probe["python"], needed)
    for package in packages:
        name, version = package["name"], package["version"]
        installed = probe["packages"].get(name)
        # A local part (`+cpu`) names a build of the same release.
        if installed is None or installed.partition("+")[0] != version:
            state = "has no" if installed is None else f"has version {installed} of"
            yield f"{python} {state} {name} and must have {version}. Run: {package['remedy']}"


def _python_problem(python: str, found: str, needed: str) -> str:
    return (
        f"{python} is Python {found} and must be {needed}. "
        f"Run: python{needed} -m venv .venv, then activate it and install the project there"
    )


def _probe(python: str, packages: list[str]) -> Probe | str:
    try:
        completed = subprocess.run(
            [python, "-c", _PROBE, *packages],
            capture_output=True,
            text=True,
            timeout=_PROBE_SECONDS,
            check=True,
        )
        probe: Probe = json.loads(completed.stdout)
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        return f"{python} could not be asked for its packages: {error}. Run it and see why"
    return probe


def share_cargo_builds() -> None:
    """Let Cargo keep its intermediate files in the user's cache.

    Core deletes the crate's ``target`` directory at every build, and all
    dependencies would be compiled again. The finished library still lands in
    ``target``, where core looks for it.
    """
    choice = os.environ.get(BUILD_CACHE)
    if choice == "0" or any(os.environ.get(name) for name in _USERS_OWN):
        return
    if choice:
        directory = Path(choice).absolute()
    else:
        cache = cache_directory()
        if cache is None or _configured():
            return
        directory = cache / "cargo" / _interpreter()
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        _say(f"compiled crates are not kept between builds: {error}")
        return
    os.environ[BUILD_DIRECTORY] = str(directory)
    _say(f"compiled crates are kept in {directory} between builds; {BUILD_CACHE}=0 turns this off")


def _interpreter() -> str:
    """Name the interpreter that core builds for.

    Cargo compiles PyO3 anew whenever the interpreter is another one, or is
    spelled in another way. Projects of several environments would undo each
    other's work in one directory.
    """
    python = os.environ.get("PYO3_PYTHON") or sys.executable
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    return f"{version}-{hashlib.sha256(os.fsencode(python)).hexdigest()[:12]}"


def _configured() -> bool:
    """Return whether the user's own Cargo configuration places builds."""
    home = Path(os.environ.get("CARGO_HOME") or Path.home() / ".cargo")
    for name in ("config.toml", "config"):
        try:
            build = tomllib.loads((home / name).read_text("utf-8")).get("build", {})
        except (OSError, ValueError):
            continue
        if isinstance(build, dict) and ("build-dir" in build or "target-dir" in build):
            return True
    return False


def _say(text: str) -> None:
    # stdout belongs to core, which may be writing JSON.
    print(f"rextio-wasm: {text}", file=sys.stderr)
