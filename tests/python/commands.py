"""Rextio's command line, run as a user runs it, on projects that a test writes."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

REXTIO = "import sys; from rextio.cli.main import main; sys.exit(main())"

PLUGIN_PACKAGES = ("rextio-numpy", "rextio-torch", "rextio-wasm")
"""The distributions that another core needs to run the plugins."""

# What a developer's shell may say about builds must not reach the tests.
_BUILD_VARIABLES = (
    "CARGO_BUILD_BUILD_DIR",
    "CARGO_TARGET_DIR",
    "CARGO_BUILD_TARGET_DIR",
    "LIBTORCH_BYPASS_VERSION_CHECK",
    "LIBTORCH_USE_PYTORCH",
    "PYO3_PYTHON",
)


def configuration(*plugins: str) -> str:
    """A project's `rextio.toml` that enables these plugins."""
    return f"""
[rust]
build_tool = "cargo"

[plugins]
enabled = {json.dumps(plugins)}
"""


CONFIGURATION = configuration("rextio-numpy")


def environment(changes: Mapping[str, str]) -> dict[str, str]:
    """The environment for a subprocess."""
    kept = {name: value for name, value in os.environ.items() if name not in _BUILD_VARIABLES}
    for name in ("REXTIO_NATIVE_MODE", "PYTHONPATH", "REXTIO_WASM_BUILD_CACHE", "REXTIO_CARGO"):
        kept.pop(name, None)
    return {**kept, **changes}


def activated(python: Path | str) -> dict[str, str]:
    """What activating the environment of a Python sets."""
    programs = Path(python).parent
    return {
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "VIRTUAL_ENV": str(programs.parent),
    }


def exposed(packages: Sequence[str], directory: Path) -> Path:
    """A folder with links to installed distributions and nothing else, for `PYTHONPATH`."""
    directory.mkdir(parents=True)
    for package in packages:
        distribution = metadata.distribution(package)
        tops = {file.parts[0] for file in distribution.files or () if file.parts[0] != ".."}
        for top in tops:
            source = Path(str(distribution.locate_file(top)))
            (directory / top).symlink_to(source, target_is_directory=source.is_dir())
    return directory


def run(
    python: Path | str,
    *arguments: str,
    path: Path | None = None,
    variables: Mapping[str, str] | None = None,
    status: int = 0,
) -> subprocess.CompletedProcess[str]:
    """Run a Python, with these variables and `path` as `PYTHONPATH`.

    Another exit status than the expected one shows all that was said.
    """
    changes = dict(variables or {})
    if path is not None:
        changes["PYTHONPATH"] = str(path)
    completed = subprocess.run(
        [str(python), *arguments],
        capture_output=True,
        text=True,
        check=False,
        env=environment(changes),
    )
    assert completed.returncode == status, (
        f"{python} {arguments[0]} … ended with {completed.returncode}:\n"
        f"{completed.stdout[-4000:]}\n{completed.stderr[-4000:]}"
    )
    return completed


@dataclass(frozen=True)
class Project:
    """A Rextio project in a folder."""

    root: Path

    @classmethod
    def write(
        cls, root: Path, sources: Mapping[str, str], configuration: str = CONFIGURATION
    ) -> Project:
        """Write a project's sources and configuration."""
        for name, text in {"rextio.toml": configuration, **sources}.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            if path.suffix == ".py":
                (path.parent / "__init__.py").touch()
        return cls(root)

    def rextio(
        self,
        command: str,
        *arguments: str,
        python: Path | str = sys.executable,
        options: Sequence[str] = (),
        path: Path | None = None,
        variables: Mapping[str, str] | None = None,
        status: int = 0,
    ) -> subprocess.CompletedProcess[str]:
        """Run `rextio COMMAND` on the project."""
        call = [*options, "-c", REXTIO, command, str(self.root), *arguments]
        return run(python, *call, path=path, variables=variables, status=status)

    def build(self, variables: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
        """Run `rextio build` with these variables; fail unless native code was built."""
        completed = self.rextio("build", "--fallback=cpython", variables=variables)
        status = self.report("build")["native_build"]["status"]
        assert status == "built", f"native build: {status}\n{completed.stdout[-6000:]}"
        return completed

    def report(self, name: str) -> dict[str, Any]:
        """A report that core wrote: `check` or `build`."""
        path = self.root / ".rextio" / "reports" / f"{name}.json"
        report: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return report

    def functions(self) -> dict[str, dict[str, Any]]:
        """What the last report says of each function, by qualified name."""
        return {
            function["qualname"]: function
            for module in self.report("check")["modules"]
            for function in module["functions"]
        }

    @property
    def generated(self) -> Path:
        """The generated crate."""
        return self.root / ".rextio" / "generated" / "rust"

    def rust(self) -> str:
        """The generated Rust."""
        return (self.generated / "src" / "lib.rs").read_text(encoding="utf-8")

    def clean(self) -> None:
        """Forget everything that core wrote."""
        shutil.rmtree(self.root / ".rextio", ignore_errors=True)
        shutil.rmtree(self.root / "dist", ignore_errors=True)


@dataclass(frozen=True)
class WatchedCargo:
    """A `cargo` for `REXTIO_CARGO` that writes down how it was told to build and what it said."""

    program: Path

    @classmethod
    def create(cls, directory: Path, *, builds: bool) -> WatchedCargo:
        """Make one in a new folder. It runs the real cargo, or fails at once."""
        directory.mkdir(parents=True)
        real = shutil.which("cargo")
        assert real, "cargo is not on PATH"
        # Core also asks cargo for the crate's metadata, after the build.
        script = f"""#!/bin/sh
[ "$1" = build ] || exec "{real}" "$@"
printf "%s" "${{CARGO_BUILD_BUILD_DIR-unset}}" > "{directory}/build-directory"
{f'"{real}" "$@"' if builds else "false"} 2> "{directory}/stderr"
status=$?
cat "{directory}/stderr" >&2
exit $status
"""
        program = directory / "cargo"
        program.write_text(script, encoding="utf-8")
        program.chmod(0o755)
        return cls(program)

    def started(self) -> bool:
        """Whether it was told to build."""
        return self.program.with_name("build-directory").exists()

    def build_directory(self) -> str:
        """`CARGO_BUILD_BUILD_DIR` at the last build, or `unset`."""
        return self.program.with_name("build-directory").read_text(encoding="utf-8")

    def said(self) -> str:
        """What the last build wrote to stderr."""
        return self.program.with_name("stderr").read_text(encoding="utf-8")

    def compiled(self) -> list[str]:
        """The crates that the last build compiled."""
        return re.findall(r"Compiling (\S+) v", self.said())
