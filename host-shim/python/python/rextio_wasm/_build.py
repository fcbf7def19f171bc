"""What must hold before a plugin's code is built.

Core asks for Rust only when it builds, so the first ``lower`` of a provider is
the place to look at the machine: late enough that ``rextio check`` needs
nothing, early enough to speak before Cargo does.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import tomllib
from pathlib import Path
from typing import NamedTuple

from rextio_wasm._environment import Contract, Verdict, build_python, evaluate
from rextio_wasm._errors import BuildEnvironmentError
from rextio_wasm._native import cache_directory

BUILD_DIRECTORY = "CARGO_BUILD_BUILD_DIR"
BUILD_CACHE = "REXTIO_WASM_BUILD_CACHE"

# Whoever sets one of these has decided where Cargo builds.
_USERS_OWN = (BUILD_DIRECTORY, "CARGO_TARGET_DIR", "CARGO_BUILD_TARGET_DIR")


class CargoBuilds(NamedTuple):
    """Where compiled crates are kept.

    Attributes:
        directory: Where the host keeps them; ``None`` where it leaves that to Cargo.
        text: The same for the user.
    """

    directory: Path | None
    text: str


def prepare(plugin: str, contract_json: str) -> None:
    """Check a plugin's contract with the machine, and let Cargo keep its work."""
    contract: Contract = json.loads(contract_json)
    check_environment(plugin, contract)
    share_cargo_builds()


def check_environment(plugin: str, contract: Contract) -> None:
    """Set what may be set; raise one error that names all else that is amiss."""
    requirements = evaluate(contract, build_python())
    problems = [found.text for found in requirements if found.verdict is Verdict.PROBLEM]
    if problems:
        listed = "".join(f"\n  - {problem}" for problem in problems)
        raise BuildEnvironmentError(f"plugin {plugin} cannot be built on this machine:{listed}")
    for requirement in requirements:
        variable = requirement.variable
        if variable is not None:
            os.environ[variable["name"]] = variable["value"]
            _say(f"set {variable['name']}={variable['value']} for {plugin}: {variable['reason']}")
        elif requirement.verdict is Verdict.WARNING:
            _say(f"{plugin}: {requirement.text}")


def share_cargo_builds() -> None:
    """Let Cargo keep its intermediate files in the user's cache.

    Core deletes the crate's ``target`` directory at every build, and all
    dependencies would be compiled again. The finished library still lands in
    ``target``, where core looks for it.
    """
    directory, text = cargo_builds()
    if directory is None:
        return
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        _say(f"compiled crates are not kept between builds: {error}")
        return
    os.environ[BUILD_DIRECTORY] = str(directory)
    _say(text)


def cargo_builds() -> CargoBuilds:
    """Return where the next build's compiled crates are kept. Changes nothing."""
    choice = os.environ.get(BUILD_CACHE)
    if choice == "0":
        return CargoBuilds(None, f"compiled crates are not kept between builds: {BUILD_CACHE} is 0")
    for name in _USERS_OWN:
        if os.environ.get(name):
            return CargoBuilds(None, f"{name} says where Cargo builds: {os.environ[name]}")
    if choice:
        directory = Path(choice).absolute()
    else:
        configuration = _configuration()
        if configuration is not None:
            return CargoBuilds(None, f"{configuration} says where Cargo builds")
        cache = cache_directory()
        if cache is None:
            text = "compiled crates are not kept between builds: there is no home directory"
            return CargoBuilds(None, text)
        directory = cache / "cargo" / _interpreter()
    return CargoBuilds(
        directory,
        f"compiled crates are kept in {directory} between builds; {BUILD_CACHE}=0 turns this off",
    )


def _interpreter() -> str:
    """Name the interpreter that core builds for.

    Cargo compiles PyO3 anew whenever the interpreter is another one, or is
    spelled in another way. Projects of several environments would undo each
    other's work in one directory.
    """
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    return f"{version}-{hashlib.sha256(os.fsencode(build_python())).hexdigest()[:12]}"


def _configuration() -> Path | None:
    """Return the user's own Cargo configuration if it places builds."""
    home = Path(os.environ.get("CARGO_HOME") or Path.home() / ".cargo")
    for name in ("config.toml", "config"):
        try:
            build = tomllib.loads((home / name).read_text("utf-8")).get("build", {})
        except (OSError, ValueError):
            continue
        if isinstance(build, dict) and ("build-dir" in build or "target-dir" in build):
            return home / name
    return None


def _say(text: str) -> None:
    # stdout belongs to core, which may be writing JSON.
    print(f"rextio-wasm: {text}", file=sys.stderr)
