"""A plugin's environment contract, held against the machine.

:func:`evaluate` gives one list of requirements with verdicts. A build is
refused for the problems in it, and ``rextio-wasm doctor`` prints it.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypedDict

if TYPE_CHECKING:
    from rextio.config.schema import ToolchainConfig

# A first import from a cold disk takes long.
_SECONDS = 120

# Crates' build scripts run where none of the project's files can be imported.
_ELSEWHERE = """
import sys
sys.path[:] = [entry for entry in sys.path if entry]
"""

# It may be asked of a Python that is too old for the contract.
_FACTS = f"""{_ELSEWHERE}
import json, os, platform
packages = dict()
try:
    from importlib import metadata, util
except ImportError:
    del sys.argv[1:]
for name in sys.argv[1:]:
    try:
        distribution = metadata.distribution(name)
    except metadata.PackageNotFoundError:
        continue
    modules = [name.replace("-", "_")]
    if util.find_spec(modules[0]) is None:
        listed = (distribution.read_text("top_level.txt") or "").split()
        files = [file.parts for file in distribution.files or ()]
        packed = [parts[0] for parts in files if parts[1:] == ("__init__.py",)]
        modules = listed or packed or modules
    spec = util.find_spec(modules[0])
    packages[name] = dict(
        version=distribution.version,
        modules=modules,
        location=os.path.realpath(spec.origin) if spec and spec.origin else None,
    )
print(json.dumps(dict(
    python="%s %d.%d" % ((platform.python_implementation(),) + tuple(sys.version_info[:2])),
    prefix=os.path.realpath(sys.prefix),
    packages=packages,
)))
"""

_IMPORT = f"""{_ELSEWHERE}
for name in sys.argv[1:]:
    __import__(name)
"""


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
    """A distribution that the Python of the build's scripts must be able to import."""

    name: str
    version: str
    remedy: str


class Contract(TypedDict):
    """What a plugin says it needs of the machine."""

    python: str | None
    required_variables: list[RequiredVariable]
    forbidden_variables: list[ForbiddenVariable]
    packages: list[RequiredPackage]


class Verdict(Enum):
    """How a requirement stands."""

    OK = "ok"
    SET = "will be set"
    WARNING = "warning"
    PROBLEM = "problem"


class Requirement(NamedTuple):
    """Something a build needs.

    Attributes:
        verdict: How it stands.
        text: What was found and, where that is amiss, what is needed and the
            command that mends it.
        variable: What the host sets where the verdict is ``SET``.
    """

    verdict: Verdict
    text: str
    variable: RequiredVariable | None = None


class _Installed(TypedDict):
    version: str
    modules: list[str]
    location: str | None


class _Facts(TypedDict):
    python: str
    prefix: str
    packages: dict[str, _Installed]


class _Unanswered(Exception):  # noqa: N818 - not an error of the host's
    """A Python could not be asked; the text says why."""


class _Interpreter(NamedTuple):
    path: str
    facts: _Facts


def evaluate(contract: Contract, built_for: str) -> list[Requirement]:
    """Hold a contract against the machine.

    Args:
        contract: What the plugin needs.
        built_for: The Python that core builds for.

    Returns:
        A requirement for each item of the contract; none for an empty one.
    """
    return [
        *_python_requirements(contract, built_for),
        *(_required(variable) for variable in contract["required_variables"]),
        *(_forbidden(variable) for variable in contract["forbidden_variables"]),
    ]


def toolchain() -> ToolchainConfig:
    """Return the tools that core would use in this directory.

    Raises:
        rextio.config.loader.ConfigError: The project's configuration is wrong.
    """
    from rextio.config.loader import load_config

    return load_config(Path.cwd(), os.environ).toolchain


def build_python() -> str:
    """Return the Python that core builds for, as far as can be seen from here.

    Its command line and a project elsewhere may name another.
    """
    from rextio.build.toolchain import cargo_environment
    from rextio.config.loader import ConfigError
    from rextio.config.schema import ToolchainConfig

    try:
        variables = cargo_environment(toolchain())
    except ConfigError:
        variables = cargo_environment(ToolchainConfig())
    # Core leaves the variable alone where the user has set it.
    return variables.get("PYO3_PYTHON") or os.environ["PYO3_PYTHON"]


def _required(variable: RequiredVariable) -> Requirement:
    name, value, reason = variable["name"], variable["value"], variable["reason"]
    found = os.environ.get(name)
    if found == value:
        return Requirement(Verdict.OK, f"{name} is {value!r}")
    if found is None and variable["settable"]:
        return Requirement(Verdict.SET, f"{name}={value}: {reason}", variable)
    state = "is not set" if found is None else f"is {found!r}"
    return Requirement(
        Verdict.PROBLEM,
        f"{name} {state} and must be {value!r}: {reason}. Run: export {name}={shlex.quote(value)}",
    )


def _forbidden(variable: ForbiddenVariable) -> Requirement:
    name = variable["name"]
    if name not in os.environ:
        return Requirement(Verdict.OK, f"{name} is not set")
    return Requirement(
        Verdict.PROBLEM,
        f"{name} is set to {os.environ[name]!r} and must not be set: "
        f"{variable['reason']}. Run: unset {name}",
    )


def _python_requirements(contract: Contract, built_for: str) -> Iterator[Requirement]:
    packages = contract["packages"]
    needed = f"CPython {contract['python']}" if contract["python"] else None
    if needed is None and not packages:
        return
    names = [package["name"] for package in packages]
    try:
        target = _ask(built_for, names)
    except _Unanswered as error:
        yield Requirement(
            Verdict.PROBLEM,
            f"Rextio builds for the Python {built_for}: {error}. Name one that runs as "
            "PYO3_PYTHON, or as python under [toolchain] in rextio.toml",
        )
        return
    if needed is not None:
        yield _version_requirement(target, needed)
    if not packages:
        return
    command = _script_python()
    try:
        asked = _ask(command, names)
    except _Unanswered as error:
        asked = target
        yield Requirement(
            Verdict.PROBLEM,
            f"build scripts ask `{command}` on PATH for {', '.join(names)}: {error}. "
            f"Run: {_activation(target.path)}",
        )
    else:
        yield _script_requirement(command, asked, target, needed)
    for package in packages:
        yield _package_requirement(package, asked, target)


def _version_requirement(target: _Interpreter, needed: str) -> Requirement:
    found = target.facts["python"]
    if found == needed:
        return Requirement(Verdict.OK, f"{target.path}, which Rextio builds for, is {found}")
    version = needed.rpartition(" ")[2]
    return Requirement(
        Verdict.PROBLEM,
        f"{target.path}, which Rextio builds for, is {found} and must be {needed}. "
        f"Run: python{version} -m venv .venv && source .venv/bin/activate, "
        "and install the project there",
    )


def _script_requirement(
    command: str, asked: _Interpreter, target: _Interpreter, needed: str | None
) -> Requirement:
    found = asked.facts["python"]
    if _together(asked, target):
        return Requirement(
            Verdict.OK,
            f"`{command}` on PATH is {asked.path}, of the environment that Rextio builds for",
        )
    if needed not in (None, found):
        return Requirement(
            Verdict.PROBLEM,
            f"`{command}` on PATH, which build scripts ask, is {asked.path}, {found}, and must "
            f"be {needed}. Run: {_activation(target.path)}",
        )
    # Whether that matters is for the packages to say.
    return Requirement(
        Verdict.OK,
        f"`{command}` on PATH is {asked.path}, {found}, of another environment than "
        f"{target.path}, which Rextio builds for",
    )


def _package_requirement(
    package: RequiredPackage, asked: _Interpreter, target: _Interpreter
) -> Requirement:
    """Look for a package where build scripts do, and where the module will be loaded."""
    wanted = f"{package['name']} {package['version']}"
    here = asked.facts["packages"].get(package["name"])
    there = target.facts["packages"].get(package["name"])
    lack = _lack(package, asked)
    if lack is None and (_together(asked, target) or _location(here) == _location(there)):
        version = here["version"] if here else package["version"]
        return Requirement(Verdict.OK, f"{asked.path} imports {package['name']} {version}")
    if _together(asked, target):
        return Requirement(
            Verdict.PROBLEM,
            f"{asked.path} {lack}, and {wanted} is needed. Run: {_remedy(package, target)}",
        )
    lack_there = _lack(package, target)
    mend = _activation(target.path)
    if lack_there is not None:
        mend += f" && {_remedy(package, target)}"
    state_there = lack_there or f"has it, in {_location(there)}"
    if lack is None:
        return Requirement(
            Verdict.WARNING,
            f"{asked.path} imports {wanted} from {_location(here)}, and a module linked with "
            f"it is loaded by {target.path}, which {state_there}. Run: {mend}",
        )
    return Requirement(
        Verdict.PROBLEM,
        f"{asked.path}, which build scripts ask, {lack}, and {wanted} is needed; "
        f"{target.path}, which Rextio builds for, {state_there}. Run: {mend}",
    )


def _lack(package: RequiredPackage, python: _Interpreter) -> str | None:
    """Return what keeps a Python from importing a package in the version needed."""
    name = package["name"]
    installed = python.facts["packages"].get(name)
    if installed is None:
        return f"has no {name}"
    version = installed["version"]
    # A local part (`+cpu`) names a build of the same release.
    if version.partition("+")[0] != package["version"]:
        return f"has {name} {version}"
    try:
        _run(python.path, _IMPORT, installed["modules"])
    except _Unanswered as error:
        return f"has {name} {version} and cannot import it ({error})"
    return None


def _together(one: _Interpreter, other: _Interpreter) -> bool:
    return one.facts["prefix"] == other.facts["prefix"]


def _location(installed: _Installed | None) -> str | None:
    return installed["location"] if installed else None


def _remedy(package: RequiredPackage, python: _Interpreter) -> str:
    """Return the plugin's remedy, for this very Python where it begins with any."""
    command, space, arguments = package["remedy"].partition(" ")
    if command != "python":
        return package["remedy"]
    return f"{shlex.quote(python.path)}{space}{arguments}"


def _activation(python: str) -> str:
    """Return the command that puts a Python first on PATH."""
    directory = Path(python).parent
    activate = directory / "activate"
    if activate.is_file():
        return f"source {shlex.quote(str(activate))}"
    return f"export PATH={shlex.quote(str(directory))}:$PATH"


def _script_python() -> str:
    """Return the command by which crates' build scripts ask Python.

    As torch-sys 0.24 chooses it in its ``build.rs``, after maturin.
    """
    if os.name == "nt" or "VIRTUAL_ENV" in os.environ:
        return "python"
    return "python3"


def _ask(python: str, packages: list[str]) -> _Interpreter:
    path = shutil.which(python)
    if path is None:
        raise _Unanswered("there is no such program")
    output = _run(path, _FACTS, packages)
    try:
        facts: _Facts = json.loads(output.splitlines()[-1])
    except (IndexError, ValueError):
        raise _Unanswered(f"{path} does not run what `-c` gives it") from None
    return _Interpreter(path, facts)


def _run(python: str, program: str, arguments: list[str]) -> str:
    try:
        completed = subprocess.run(
            [python, "-c", program, *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise _Unanswered(f"no end within {_SECONDS} seconds") from None
    except OSError as error:
        raise _Unanswered(str(error)) from None
    status = completed.returncode
    if status == 0:
        return completed.stdout
    if status < 0:
        raise _Unanswered(f"ended by signal {-status}, {signal.strsignal(-status)}")
    lines = completed.stderr.split("\n")
    said = next((line.strip() for line in reversed(lines) if line.strip()), None)
    raise _Unanswered(said or f"exit status {status}")
