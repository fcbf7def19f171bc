"""A native call allocates its result, and nothing else that grows with its input.

Each function runs in a process of its own (`limited_memory.py`). That process limits its address
space to what it occupies before a call, plus the result, plus `SLACK`: less than one bit for each
element. A call that asks for more (a copy of an operand, a temporary array, a mask of bytes or of
bits) gets no memory from the kernel and fails, whichever allocator it asks: nothing is sampled, and
nothing depends on time. glibc is told to map every large block anew, and Python to leave memory to
glibc, so that no block freed earlier serves the call unseen.

Linux only: other kernels do not keep this limit.
"""

# ruff: noqa: D103 - the name of a test says what it holds
from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from math import prod
from pathlib import Path

import pytest

import limited_memory
from certification import Certification
from commands import environment
from kernels import (
    REDUCTIONS,
    Kernel,
    chain,
    compare,
    dot,
    elementwise,
    kernel,
    logical,
    name_of,
    reduction,
    where,
)

ELEMENTS = prod(limited_memory.SHAPE)
SLACK = ELEMENTS // 8 * 3 // 4

LAYOUTS = ("C", "F", "strided", "reversed_all", "unaligned", "packed_field", "stretched_rows")

ALLOCATION = {
    # From this size on, glibc maps a block of its own; a fixed threshold does not grow.
    "MALLOC_MMAP_THRESHOLD_": "65536",
    "MALLOC_TOP_PAD_": "0",
    "PYTHONMALLOC": "malloc",
    # Rust would want memory to show where there was none.
    "RUST_BACKTRACE": "0",
}


def call_limited(
    certification: Certification,
    function: Kernel,
    others: tuple[object, ...],
    *,
    mode: str = "native",
    layouts: Sequence[str] = LAYOUTS,
    beyond: int = SLACK,
) -> subprocess.CompletedProcess[str]:
    """Call a function with so many bytes beyond its result, on operands of each layout."""
    path = [str(Path(__file__).parent), str(certification.project.build_python_dir)]
    return subprocess.run(
        [
            *(sys.executable, limited_memory.__file__, name_of(function)),
            *(",".join(layouts), str(beyond), repr(others)),
        ],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env=environment(
            {**ALLOCATION, "PYTHONPATH": os.pathsep.join(path), "REXTIO_NATIVE_MODE": mode}
        ),
    )


CASES: dict[str, tuple[Kernel, tuple[object, ...]]] = {
    "operator": (elementwise("subtract", "f64", "22"), ()),
    "operator with a row": (elementwise("multiply", "f32", "21"), ()),
    "operator with a scalar": (elementwise("add", "f64", "1s"), ()),
    "division of ints": (elementwise("divide", "i64", "22"), ()),
    "ufunc": (kernel("ufunc_add_f64.add_f64_21"), ()),
    "unary call": (kernel("unary_f64.negative_f64_2"), ()),
    "chain": (chain("left", "222"), ()),
    "long chain": (chain("eight_names", "222222222"), ()),
    "comparison": (compare("f64", "22"), (4,)),
    "comparison of vectors": (compare("f64", "11"), (0,)),
    "comparison with a scalar": (compare("i64", "2s"), (2,)),
    "logical_and": (logical("f64", "22"), (0,)),
    "logical_or": (logical("f32", "21"), (1,)),
    "logical_not": (logical("f64", "11"), (2,)),
    "choice": (where("f64", 2), (12,)),
    "choice of a scalar": (where("f32", 2), (10,)),
    "choice of vectors": (where("f64", 1), (2,)),
    **{f"dot {dtype}": (dot(dtype), (0,)) for dtype in REDUCTIONS["sum"]},
    **{
        f"{operation} {dtype} rank {rank}": (reduction("whole", operation, dtype, rank), (0,))
        for operation, dtypes in REDUCTIONS.items()
        for dtype in dtypes
        for rank in (1, 2)
    },
    **{
        f"{operation} {dtype} axis {axis - 2}": (reduction("axis", operation, dtype, 2), (axis,))
        for operation, dtypes in REDUCTIONS.items()
        for dtype in dtypes
        for axis in (0, 1)
    },
}


@pytest.mark.parametrize("name", CASES)
def test_a_call_allocates_its_result_alone(certification: Certification, name: str) -> None:
    function, others = CASES[name]
    completed = call_limited(certification, function, others)
    assert completed.returncode == 0, completed.stdout + completed.stderr


def test_masks_made_in_a_loop_keep_few_operands(certification: Certification) -> None:
    # Each of these masks compares a new array, which it may keep until it has 32 operations.
    completed = call_limited(
        certification,
        kernel("masks.growing"),
        ([float(number) for number in range(200)],),
        layouts=["C"],
        beyond=20 * 8 * ELEMENTS,
    )
    assert completed.returncode == 0, completed.stdout + completed.stderr


@pytest.mark.parametrize("name", ["comparison", "logical_not", "long chain", "operator with a row"])
def test_the_limit_is_felt(certification: Certification, name: str) -> None:
    """The tests above would fail: without the result's own bytes, or for NumPy's temporaries."""
    function, others = CASES[name]
    result = limited_memory.result_size(function, limited_memory.SHAPE)
    completed = call_limited(certification, function, others, beyond=SLACK - result)
    assert completed.returncode != 0
    assert completed.stdout.splitlines() == [f"{name_of(function)}: C"]
    assert "memory allocation" in completed.stderr or "MemoryError" in completed.stderr

    if name != "operator with a row":
        numpys = call_limited(certification, function, others, mode="fallback", layouts=["C"])
        assert "MemoryError" in numpys.stderr
