"""What native code refuses, with which exception and in which words."""

# ruff: noqa: D103 - the name of a test says what it holds
from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from certification import Certification
from kernels import NUMPY_NAMES, Kernel, chain, elementwise, kernel

SUBCLASS = (
    "rextio-numpy native boundary requires exact numpy.ndarray; ndarray subclasses are unsupported"
)


def _ones(*shape: int, dtype: str = "float64") -> np.ndarray:
    return np.ones(shape, dtype)


MISMATCHES: list[tuple[Kernel, list[tuple[int, ...]], str]] = [
    (elementwise("add", "f64", "11"), [(3,), (4,)], "(3,) (4,)"),
    (elementwise("add", "f64", "11"), [(0,), (2,)], "(0,) (2,)"),
    (elementwise("subtract", "f64", "12"), [(3,), (2, 4)], "(3,) (2,4)"),
    (elementwise("multiply", "f64", "21"), [(2, 4), (3,)], "(2,4) (3,)"),
    (elementwise("divide", "f64", "22"), [(2, 3), (3, 3)], "(2,3) (3,3)"),
    (elementwise("divide", "f64", "22"), [(0, 3), (2, 3)], "(0,3) (2,3)"),
    (kernel("ufunc_add_f64.add_f64_21"), [(5, 2), (5,)], "(5,2) (5,)"),
    # a * b + c: the product comes first, and its own shape is named.
    (chain("left", "111"), [(3,), (4,), (5,)], "(3,) (4,)"),
    (chain("left", "111"), [(3,), (1,), (5,)], "(3,) (5,)"),
    (chain("left", "212"), [(2, 1), (3,), (4, 3)], "(2,3) (4,3)"),
    # a - b * c: a is looked at last although it stands first.
    (chain("right", "111"), [(3,), (4,), (5,)], "(4,) (5,)"),
    (chain("right", "121"), [(4,), (2, 1), (3,)], "(4,) (2,3)"),
    # (a - b) / (c + d): left before right, and then the quotient of both.
    (chain("both_sides", "1111"), [(2,), (3,), (4,), (5,)], "(2,) (3,)"),
    (chain("both_sides", "1111"), [(2,), (2,), (4,), (5,)], "(4,) (5,)"),
    (chain("both_sides", "1212"), [(1,), (2, 3), (1,), (3, 3)], "(2,3) (3,3)"),
    # Statement by statement nothing is fused, and the first failing statement reports.
    (kernel("programs.second_operation_fails"), [(3,), (1,), (2,)], "(3,) (2,)"),
    (kernel("composed.call_of_chain"), [(2, 3), (2, 3), (2,)], "(2,3) (2,)"),
]


@pytest.mark.parametrize(
    ("function", "shapes", "named"),
    MISMATCHES,
    ids=lambda value: getattr(value, "name", str(value)),
)
def test_broadcasting_errors_name_the_shapes(
    certification: Certification, function: Kernel, shapes: list[tuple[int, ...]], named: str
) -> None:
    with pytest.raises(ValueError, match="operands could not be broadcast") as raised:
        certification.check(function, *(_ones(*shape) for shape in shapes))
    assert type(raised.value) is ValueError
    assert str(raised.value) == f"operands could not be broadcast together with shapes {named} "


class Loud(np.ndarray):
    """A subclass that takes operators over."""

    def __array_ufunc__(self, *_: object, **__: object) -> str:
        """Answer every ufunc in its own way."""
        return "loud"


class Quiet(np.ndarray):
    """A subclass that changes nothing."""


def _memmap(directory: Path) -> np.ndarray:
    return np.memmap(directory / "values", np.float64, "w+", shape=(3,))


def _matrix(_: Path) -> np.ndarray:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PendingDeprecationWarning)
        return np.matrix(_ones(2, 2))


SUBCLASSES: dict[str, Callable[[Path], np.ndarray]] = {
    "matrix": _matrix,
    "memmap": _memmap,
    "array_ufunc": lambda _: _ones(3).view(Loud),
    "plain": lambda _: _ones(3).view(Quiet),
    "masked": lambda _: np.ma.masked_array(_ones(3), [True, False, False]),
    "recarray": lambda _: _ones(3).view(np.recarray),
    "view_of_subclass": lambda _: _ones(4).view(Quiet)[1:],
}


@pytest.mark.parametrize("name", SUBCLASSES)
def test_subclasses_are_refused(certification: Certification, name: str, tmp_path: Path) -> None:
    array = SUBCLASSES[name](tmp_path)
    rank = array.ndim
    exact = _ones(*array.shape)
    binary = elementwise("add", "f64", f"{rank}{rank}")
    for function, values in (
        (binary, (array, exact)),
        (binary, (exact, array)),
        (elementwise("add", "f64", f"{rank}s"), (array, 1.0)),
        (kernel(f"unary_f64.square_f64_{rank}"), (array,)),
        (chain("left", 3 * str(rank)), (exact, exact, array)),
    ):
        with pytest.raises(TypeError) as raised:
            certification.native(function, *values)
        assert str(raised.value) == SUBCLASS


def test_a_view_of_a_subclass_as_plain_array_is_welcome(certification: Certification) -> None:
    view = np.asarray(_ones(4).view(Quiet))
    assert type(view) is np.ndarray
    certification.check(elementwise("add", "f64", "11"), view, view[::-1])


def _swapped(*shape: int) -> np.ndarray:
    return _ones(*shape, dtype="=f8").astype(">f8")


WRONG: dict[str, Any] = {
    "float32": _ones(3, dtype="float32"),
    "int64": _ones(3, dtype="int64"),
    "bool": _ones(3, dtype="bool"),
    "object": _ones(3, dtype="object"),
    "longdouble": _ones(3, dtype="longdouble"),
    "complex": _ones(3, dtype="complex128"),
    "structured": np.zeros(3, [("x", "f8")]),
    # NumPy computes on the other byte order; native code reads its own only.
    "byte-swapped": _swapped(3),
    "rank 0": np.array(1.0),
    "rank 2": _ones(1, 3),
    "rank 3": _ones(1, 1, 3),
    "list": [1.0, 2.0, 3.0],
    "scalar": 1.0,
    "numpy scalar": np.float64(1.0),
    "None": None,
}


@pytest.mark.parametrize("name", WRONG)
def test_other_arguments_are_refused(certification: Certification, name: str) -> None:
    """A `TypeError` that names the parameter: an annotation is a promise, and native code asks.

    Of byte-swapped arrays too: use `a.astype(a.dtype.newbyteorder("="))` for them.
    """
    for function, values, parameter in (
        (elementwise("add", "f64", "11"), (WRONG[name], _ones(3)), "a"),
        (elementwise("add", "f64", "11"), (_ones(3), WRONG[name]), "b"),
        (chain("left", "111"), (_ones(3), _ones(3), WRONG[name]), "c"),
    ):
        with pytest.raises(TypeError, match=f"'{parameter}'"):
            certification.native(function, *values)


@pytest.mark.parametrize("dtype", ["f64", "f32", "i64"])
def test_byte_swapped_arrays_are_refused(certification: Certification, dtype: Any) -> None:
    native = np.ones((2, 3), NUMPY_NAMES[dtype])
    swapped = native.astype(native.dtype.newbyteorder("S"))
    with pytest.raises(TypeError, match="'b'"):
        certification.native(elementwise("add", dtype, "22"), native, swapped)
    certification.check(elementwise("add", dtype, "22"), native, swapped.astype(native.dtype))


@pytest.mark.parametrize("value", [2**63, -(2**63) - 1, 10**30])
def test_an_int_beyond_int64_is_refused(certification: Certification, value: int) -> None:
    for function, values in (
        (elementwise("add", "i64", "1s"), (_ones(3, dtype="int64"), value)),
        (elementwise("divide", "i64", "s2"), (value, _ones(3, 2, dtype="int64"))),
    ):
        with pytest.raises(OverflowError):
            certification.native(function, *values)


@pytest.mark.parametrize("value", [2**63 - 1, -(2**63), True, 0])
def test_an_int_within_int64_is_taken(certification: Certification, value: int) -> None:
    array = np.array([0, 1, -1, 2**63 - 1, -(2**63)])
    for operation in ("add", "subtract", "multiply", "divide"):
        certification.check(elementwise(operation, "i64", "1s"), array, value)
        certification.check(elementwise(operation, "i64", "s1"), value, array)


@pytest.mark.parametrize("value", [3, True, 10**20])
def test_an_int_serves_as_a_float(certification: Certification, value: int) -> None:
    for dtype in ("f64", "f32"):
        array = _ones(3, dtype=dtype.replace("f", "float"))
        certification.check(elementwise("multiply", dtype, "1s"), array, value)


def _stretched(*shape: int) -> np.ndarray:
    return np.broadcast_to(_ones(1), shape)


HUGE: dict[str, tuple[Kernel, tuple[np.ndarray, ...]]] = {
    "1-D": (elementwise("add", "f64", "11"), (_stretched(2**46), _stretched(2**46))),
    "1-D scalar": (kernel("unary_f64.negative_f64_1"), (_stretched(2**46),)),
    "outer": (elementwise("multiply", "f64", "22"), (_stretched(2**23, 1), _stretched(1, 2**23))),
    "outer of ranks": (elementwise("add", "f64", "21"), (_stretched(2**30, 1), _stretched(2**16))),
    "chain": (
        chain("left", "222"),
        (_stretched(2**23, 1), _stretched(1, 2**23), _stretched(1, 1)),
    ),
}


@pytest.mark.parametrize("name", HUGE)
def test_a_result_that_does_not_fit_raises_numpys_memory_error(
    certification: Certification, name: str
) -> None:
    function, values = HUGE[name]
    with pytest.raises(MemoryError, match=r"^Unable to allocate .* for an array with shape"):
        certification.check(function, *values)


TOO_LARGE: dict[str, tuple[Kernel, tuple[np.ndarray, ...]]] = {
    "elements": (
        elementwise("add", "f64", "22"),
        (_stretched(2**33, 1), _stretched(1, 2**33)),
    ),
    "bytes": (elementwise("add", "f64", "22"), (_stretched(2**31, 1), _stretched(1, 2**30))),
}


@pytest.mark.parametrize("name", TOO_LARGE)
def test_a_result_that_cannot_be_counted_raises_numpys_value_error(
    certification: Certification, name: str
) -> None:
    function, values = TOO_LARGE[name]
    with pytest.raises(ValueError, match=r"too (large|big)"):
        certification.check(function, *values)
