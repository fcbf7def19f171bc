"""Native functions under valgrind: `cargo xtask soundness`.

A child process calls every generated function with arrays in many layouts, whose memory valgrind
guards: none is so small that it comes from NumPy's own cache of blocks. CPython, glibc and NumPy
have reports of their own (a vector that reads past the end of a string, say); what counts is a
report with the generated module in its stack.

At the end native code branches on memory that nobody wrote. If that goes unreported, so could
anything else, and the check fails too.
"""

from __future__ import annotations

import argparse
import itertools
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
from rextio.plugins.testing import CertifiedProject

from certification import Certification, outcome
from kernels import GENERATED, Kernel, Lane, elementwise, kernel
from strategies import LARGE_SHAPES, LAYOUTS, Shape, laid_out, special_values

NATIVE_MODULE = "_rextio_native"

SHAPES: tuple[Shape, ...] = ((9, 131), (1, 200), (260, 1), (140, 3), (3, 0))
"""More than a kilobyte of elements, or none: on both sides of vectors, rows and tiles."""

ROUNDS = 6
"""How often each function is called, each time with other layouts."""

BRANCHING = kernel("reductions.branches_on_sums")
"""A function that branches on the elements of its arguments."""


def arguments(lanes: tuple[Lane, ...], shape: Shape, seed: int) -> tuple[object, ...]:
    """Values of the lanes' types, arrays of this shape, each in a layout of its own."""
    random_layout = random.Random(seed)
    values: list[object] = []
    for lane in lanes:
        if lane.rank == 0:
            values.append(3 if lane.dtype == "i64" else 1.5)
        else:
            contents = special_values(lane.dtype, shape[2 - lane.rank :], seed)
            values.append(laid_out(contents, random_layout.choice(LAYOUTS)))
    return tuple(values)


def call_all(certification: Certification) -> int:
    """Call every function; what comes out is for the certification to judge."""
    count = 0
    for seed, (function, shape) in enumerate(calls()):
        given = arguments(function.lanes, shape, seed)
        for form in function.forms:
            outcome(partial(certification.native, function), (*given, *form))
            count += 1
    return count


def calls() -> Iterator[tuple[Kernel, Shape]]:
    """The functions to call, with the shape of their arguments."""
    yield from zip(GENERATED * ROUNDS, itertools.cycle(SHAPES), strict=False)
    for dtype, (rows, columns) in LARGE_SHAPES.items():
        yield elementwise("subtract", dtype, "11"), (1, rows * columns)
        yield elementwise("subtract", dtype, "21"), (rows, columns)
        yield elementwise("subtract", dtype, "22"), (rows, columns)


def branch_on_unwritten_memory(certification: Certification) -> None:
    """Make sure that there is something to report."""
    certification.native(BRANCHING, np.empty(200), np.ones(200))


def native_stacks(report: Path) -> list[tuple[str, list[str]]]:
    """What valgrind says of the generated module: each report with its functions.

    But for leaks, which it lists in XML unasked: CPython keeps a module's objects until it exits.
    """
    stacks = []
    for error in ElementTree.parse(report).iter("error"):
        kind = error.findtext("kind", "?")
        frames = error.findall("stack/frame")
        is_native = any(NATIVE_MODULE in frame.findtext("obj", "") for frame in frames)
        if is_native and not kind.startswith("Leak_"):
            stacks.append((kind, [frame.findtext("fn", "?") for frame in frames]))
    return stacks


def watched(built: Path, report: Path, task: str) -> list[tuple[str, list[str]]]:
    """Run this file's `task` under valgrind."""
    subprocess.run(
        [
            *("valgrind", "--quiet", "--error-limit=no", "--num-callers=30"),
            *("--xml=yes", f"--xml-file={report}"),
            *(sys.executable, __file__, "--built", str(built), "--task", task),
        ],
        check=True,
        # CPython's own allocator hides from valgrind where blocks begin and end.
        env={**os.environ, "PYTHONMALLOC": "malloc"},
    )
    return native_stacks(report)


def main() -> None:
    """Build the certified project unless it is there, and watch its functions."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--built", type=Path, help="a certified project that is built already")
    parser.add_argument("--task", choices=("calls", "control"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        built = options.built or Certification.build(Path(folder, "project")).project.project_root
        if options.task:
            certification = Certification(CertifiedProject(built.resolve()))
            if options.task == "calls":
                print(f"{call_all(certification)} native calls")
            else:
                branch_on_unwritten_memory(certification)
            return
        reports = watched(built, Path(folder, "calls.xml"), "calls")
        for kind, names in reports:
            print(kind, *names, sep="\n    ")
        if reports:
            sys.exit(f"valgrind reports {len(reports)} faults of native code")
        if not watched(built, Path(folder, "control.xml"), "control"):
            sys.exit("valgrind does not see native code branch on memory that nobody wrote")
        print("valgrind reports no fault of native code, and the one of the control")


if __name__ == "__main__":
    main()
