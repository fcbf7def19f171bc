"""A project of measured functions: written as sources, and seen again once it is built."""

from __future__ import annotations

import importlib
import importlib.util
import json
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

PACKAGE = "measured"

Call = Callable[..., Any]


def write(root: Path, plugin: str, modules: Mapping[str, Iterable[str]]) -> None:
    """Write modules, each given in parts, as a project to a new folder."""
    package = root / PACKAGE
    package.mkdir(parents=True)
    configuration = f'[rust]\nbuild_tool = "cargo"\n\n[plugins]\nenabled = ["{plugin}"]\n'
    (root / "rextio.toml").write_text(configuration, encoding="utf-8")
    (package / "__init__.py").write_text("", encoding="utf-8")
    for name, parts in modules.items():
        (package / f"{name}.py").write_text("\n\n".join(parts), encoding="utf-8")


class Project:
    """A built project, seen from a process that runs its code."""

    def __init__(self, root: Path) -> None:
        """Find the project's build output."""
        self._root = root
        self._python = root / ".rextio" / "build" / "python"
        self._extension = self._load_extension()
        report = json.loads((root / ".rextio/reports/check.json").read_text(encoding="utf-8"))
        self._accepted = {
            function["qualname"]
            for module in report["modules"]
            for function in module["functions"]
            if function["native_status"] == "accepted"
        }

    def _load_extension(self) -> ModuleType:
        # By its path: the projects of both plugins have a module of this name.
        (path,) = self._python.glob("_rextio_native*.so")
        return load("_rextio_native", path)

    def is_native(self, module: str, name: str) -> bool:
        """Whether the function was built."""
        return f"{PACKAGE}.{module}.{name}" in self._accepted

    def native(self, module: str, name: str) -> Call:
        """The generated native function itself."""
        return function_of(self._extension, f"{PACKAGE}__{module}__{name}")

    def put_on_path(self) -> None:
        """Make this the project whose package is imported, with this extension behind it."""
        sys.path.insert(0, str(self._python))
        sys.modules["_rextio_native"] = self._extension

    def wrapper(self, module: str, name: str) -> Call:
        """The function that a program imports: core's wrapper around the native one."""
        return function_of(importlib.import_module(f"{PACKAGE}.{module}"), name)

    def source(self, module: str, name: str) -> Call:
        """The function as it stands in the project, run by CPython.

        Core's output has a copy of each module, but puts its wrappers into that, too.
        """
        path = self._root / PACKAGE / f"{module}.py"
        return function_of(load(f"source_of_{module}", path), name)


def load(name: str, path: Path) -> ModuleType:
    """A module from a file, not registered."""
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def function_of(module: object, name: str) -> Call:
    """A module's function by name."""
    function: Call = getattr(module, name)
    return function
