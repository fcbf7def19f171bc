"""The certified project, built once, and its two legs: native code and Python."""

from __future__ import annotations

import importlib
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from rextio.plugins.testing import (
    CertificationError,
    CertifiedProject,
    EquivalenceChecker,
    build_certification_project,
)

from kernels import Kernel, generated_modules
from observation import copies, same_argument, same_result, same_values


class Certified(Protocol):
    """A function of the project."""

    @property
    def qualname(self) -> str:
        """The name that core reports."""


Equals = Callable[[object, object], bool]
Outcome = tuple[str, object]

SOURCES = Path(__file__).parent / "project"


def write_project(root: Path) -> None:
    """Write the project of certified functions to a new folder."""
    shutil.copytree(SOURCES, root)
    for module, source in generated_modules().items():
        (root / "certified" / f"{module}.py").write_text(source, encoding="utf-8")


@contextmanager
def native_mode(mode: str) -> Iterator[None]:
    """Let generated functions run in this mode (`REXTIO_NATIVE_MODE`)."""
    before = os.environ.get("REXTIO_NATIVE_MODE")
    os.environ["REXTIO_NATIVE_MODE"] = mode
    try:
        yield
    finally:
        if before is None:
            del os.environ["REXTIO_NATIVE_MODE"]
        else:
            os.environ["REXTIO_NATIVE_MODE"] = before


def outcome(function: Callable[..., object], arguments: tuple[object, ...]) -> Outcome:
    """What a call returns or raises."""
    try:
        return "returned", function(*arguments)
    except Exception as error:
        return "raised", error


class Certification:
    """Checks native functions of a built project against NumPy."""

    def __init__(self, project: CertifiedProject) -> None:
        """Certify a project that is built."""
        self.project = project
        self._checkers: dict[tuple[str, Equals], EquivalenceChecker] = {}
        self._functions: dict[tuple[str, str], Callable[..., object]] = {}

    @classmethod
    def build(
        cls, root: Path, write: Callable[[Path], object] = write_project, built: str | None = None
    ) -> Certification:
        """Write the project to a new folder and build it with core's own kit.

        Args:
            root: The folder.
            write: What writes it.
            built: A project that an earlier run has built, to be taken instead.
        """
        if built:
            return cls(CertifiedProject(Path(built).resolve()))
        write(root)
        return cls(build_certification_project(root))

    @cached_property
    def functions(self) -> dict[str, dict[str, Any]]:
        """What core's report says of each function, by qualified name."""
        path = self.project.project_root / ".rextio" / "reports" / "check.json"
        report = json.loads(path.read_text(encoding="utf-8"))
        return {
            function["qualname"]: function
            for module in report["modules"]
            for function in module["functions"]
        }

    @cached_property
    def rust(self) -> str:
        """The Rust that core generated."""
        path = Path(self.project.project_root, ".rextio", "generated", "rust", "src", "lib.rs")
        return path.read_text(encoding="utf-8")

    def check(self, kernel: Kernel, *arguments: object, equals: Equals = same_result) -> Any:
        """Run both legs through core's kit; return what they agree on, or raise it."""
        key = (kernel.qualname, equals)
        if key not in self._checkers:
            self._checkers[key] = self.project.equivalence_checker(
                kernel.qualname, equals=equals, args_equals=same_argument, copy_args=copies
            )
        with np.errstate(all="ignore"):
            return self._checkers[key](*arguments)

    def sweep(self, kernel: Kernel, *arguments: object, equals: Equals = same_result) -> Outcome:
        """As `check`, with modules that are imported once: for many cheap cases.

        Core's kit imports the project anew for each leg of each call.
        """
        native, native_arguments = self._leg(kernel, "native", arguments)
        fallback, fallback_arguments = self._leg(kernel, "fallback", arguments)
        if native[0] == fallback[0] == "raised":
            agree = repr(native[1]) == repr(fallback[1]) and type(native[1]) is type(fallback[1])
        else:
            agree = native[0] == fallback[0] and equals(native[1], fallback[1])
        if not agree:
            raise CertificationError(
                f"{kernel.qualname} diverged for {described(arguments)}:\n"
                f"  native {native[0]} {described((native[1],))}\n"
                f"  NumPy {fallback[0]} {described((fallback[1],))}"
            )
        for index, states in enumerate(
            zip(arguments, native_arguments, fallback_arguments, strict=True)
        ):
            if not (same_values(*states[:2]) and same_argument(*states[1:])):
                raise CertificationError(
                    f"{kernel.qualname} changed argument {index} of {described(arguments)}"
                )
        return native

    def native(self, kernel: Certified, *arguments: object) -> Any:
        """Call the native function alone, on the arguments themselves."""
        function = self._function(kernel, "native")
        with native_mode("native"):
            return function(*arguments)

    def fallback(self, kernel: Certified, *arguments: object) -> Any:
        """Call the Python function alone, on the arguments themselves."""
        function = self._function(kernel, "fallback")
        with native_mode("fallback"), np.errstate(all="ignore"):
            return function(*arguments)

    def _leg(
        self, kernel: Kernel, mode: str, arguments: tuple[object, ...]
    ) -> tuple[Outcome, tuple[object, ...]]:
        function = self._function(kernel, mode)
        own = copies(arguments)
        with native_mode(mode), np.errstate(all="ignore"):
            return outcome(function, own), own

    def _function(self, kernel: Certified, mode: str) -> Callable[..., object]:
        key = (kernel.qualname, mode)
        if key not in self._functions:
            if self.functions[kernel.qualname]["native_status"] != "accepted":
                raise CertificationError(f"{kernel.qualname} is not native")
            self._functions[key] = self.load(kernel, mode)
        return self._functions[key]

    def load(self, kernel: Certified, mode: str) -> Callable[..., Any]:
        """Import a function as a program of this mode does."""
        module_name, _, name = kernel.qualname.rpartition(".")
        directory = str(self.project.build_python_dir)
        sys.path.insert(0, directory)
        try:
            with native_mode(mode):
                function: Callable[..., Any] = getattr(importlib.import_module(module_name), name)
        finally:
            sys.path.remove(directory)
        return function


def described(values: tuple[object, ...]) -> str:
    """Values with all that matters of arrays, on one line each."""

    def one(value: object) -> str:
        if not isinstance(value, np.ndarray):
            return repr(value)
        values = np.array2string(value, threshold=12, edgeitems=3).replace("\n", "")
        return f"{value.dtype.str}{value.shape} strides {value.strides} {values}"

    return "; ".join(map(one, values))
