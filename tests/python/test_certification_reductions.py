"""Sums, means, extrema and dot products against NumPy, bit for bit.

Floating-point sums depend on the order of the additions. NumPy's follows from shape and strides;
native code must follow it.
"""

# ruff: noqa: D103 - the name of a test says what it holds
from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any, Literal

import numpy as np
import pytest

from certification import Certification
from kernels import REDUCTIONS, Dtype, Kernel, dot, kernel, name_of, reduction, reductions
from strategies import (
    FORWARD_LAYOUTS,
    LAYOUTS,
    LONG_LENGTHS,
    SPECIAL,
    laid_out,
    ordinary_values,
    repeated_values,
    special_values,
)

Family = Literal["whole", "axis"]

DOT_DTYPES = REDUCTIONS["sum"]

LENGTHS = (
    *(*range(71), *LONG_LENGTHS, 127, 128, 129, 135, 136, 137),
    *(8191, 8192, 8193, 8200, 16383, 16384, 16385, 24583),
)
"""Around the leaves of pairwise summation and the buffers in which NumPy reduces."""

SHAPES = (
    *((1, 1), (1, 7), (7, 1), (3, 4), (4, 3), (2, 8), (8, 2), (9, 9), (5, 17), (17, 5)),
    *((1, 300), (300, 1), (2, 129), (129, 2), (70, 130), (130, 70), (64, 64), (3, 1025)),
    *((1025, 3), (2, 8193), (8193, 2), (3, 16385), (16385, 3), (100, 333)),
)


def values_of(dtype: Dtype, shape: tuple[int, ...], seed: int) -> Iterator[np.ndarray]:
    """Values whose sums depend on the order, and values of which sums are NaN or infinite."""
    yield ordinary_values(dtype, shape, seed)
    yield special_values(dtype, shape, seed)


def dtype_of(function: Kernel) -> Dtype:
    """The element type that a reduction takes."""
    return function.lanes[0].dtype


@pytest.mark.parametrize("function", [*reductions("whole", 1), *reductions("axis", 1)], ids=name_of)
def test_every_length_and_layout(certification: Certification, function: Kernel) -> None:
    for length in LENGTHS[1:]:
        for values in values_of(dtype_of(function), (length,), length):
            # Every spelling on the plain array, and one of them on each layout.
            for form in function.forms:
                certification.sweep(function, values, *form)
            for layout in LAYOUTS[1:]:
                certification.sweep(function, laid_out(values, layout), *function.forms[0])


def _windows(values: np.ndarray) -> Iterator[np.ndarray]:
    """These values as views of larger arrays, with rows that do not follow each other."""
    rows, columns = values.shape
    for order in ("C", "F"):
        room = np.zeros((rows + 2, columns + 3), values.dtype, order)
        for window in (room[1:-1, 2:-1], room[-2:0:-1, 2:-1], room[1:-1, -2:1:-1]):
            window[...] = values
            yield window
    room = np.zeros((rows, 2, columns), values.dtype)
    room[:, 1] = values
    yield room[:, 1]
    room = np.zeros((columns, rows, 2), values.dtype)
    room[..., 1] = values.T
    yield room[..., 1].T


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("function", [*reductions("whole", 2), *reductions("axis", 2)], ids=name_of)
def test_every_shape_and_layout(
    certification: Certification, function: Kernel, shape: tuple[int, int]
) -> None:
    for values in values_of(dtype_of(function), shape, sum(shape)):
        for form in function.forms:
            certification.sweep(function, values, *form)
        arrays = [laid_out(values, layout) for layout in LAYOUTS]
        for array in (*arrays, *_windows(values)):
            # The first forms name the axes, if any, in one spelling.
            for form in function.forms[:2]:
                certification.sweep(function, array, *form)


OVERLAPPING: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "diagonal": lambda row: np.lib.stride_tricks.as_strided(row, (20, 20), (8, 8)),
    "steps": lambda row: np.lib.stride_tricks.as_strided(row, (9, 30), (80, 16)),
    "one element": lambda row: np.broadcast_to(row[:1, None], (150, 9)),
    "falling": lambda row: np.lib.stride_tricks.as_strided(row[200:], (20, 20), (-8, 16)),
}


@pytest.mark.parametrize("name", OVERLAPPING)
@pytest.mark.parametrize("function", [*reductions("whole", 2), *reductions("axis", 2)], ids=name_of)
def test_rows_that_share_elements(
    certification: Certification, function: Kernel, name: str
) -> None:
    for values in values_of(dtype_of(function), (600,), 1):
        for form in function.forms:
            certification.sweep(function, OVERLAPPING[name](values), *form)


@pytest.mark.parametrize("dtype", DOT_DTYPES)
def test_every_length_of_dot(certification: Certification, dtype: Dtype) -> None:
    for length in LENGTHS:
        lefts = values_of(dtype, (length,), length)
        rights = values_of(dtype, (length,), length + 1)
        for left, right in zip(lefts, rights, strict=True):
            for form in dot(dtype).forms:
                certification.sweep(dot(dtype), left, right, *form)
                certification.sweep(dot(dtype), left, left, *form)


DOT_LENGTHS = (1, 2, 7, 40, 131, 1025, 20_000)


@pytest.mark.parametrize("length", DOT_LENGTHS)
@pytest.mark.parametrize("dtype", DOT_DTYPES)
def test_every_pair_of_layouts_of_dot(
    certification: Certification, dtype: Dtype, length: int
) -> None:
    layouts = FORWARD_LAYOUTS if dtype == "f64" else LAYOUTS
    for left, right in zip(
        values_of(dtype, (length,), length), values_of(dtype, (length,), -length % 97), strict=True
    ):
        for one, other in itertools.product(layouts, repeat=2):
            certification.sweep(dot(dtype), laid_out(left, one), laid_out(right, other), 0)


def _agrees_but_for_rounding(
    certification: Certification, left: np.ndarray, right: np.ndarray
) -> bool:
    native, numpys = (
        leg(dot("f64"), left, right, 0) for leg in (certification.native, certification.fallback)
    )
    return type(native) is float and abs(native - numpys) <= 1e-12 * np.sum(np.abs(left * right))


@pytest.mark.parametrize("length", DOT_LENGTHS)
def test_dot_of_operands_that_numpy_copies(certification: Certification, length: int) -> None:
    """NumPy hands BLAS a copy of operands that are reversed, stretched or not aligned.

    Native code multiplies them where they are, in an order of its own: the one exception to
    NumPy's bits. Where all sums are exact, no order can be told from another.
    """
    left, right = (ordinary_values("f64", (length,), seed) for seed in (1, 2))
    exact = [repeated_values("f64", (length,), seed) for seed in (3, 4)]
    mixed = exact[0].copy()
    mixed[length // 2] = np.inf
    for one, other in itertools.product(LAYOUTS, repeat=2):
        if one in FORWARD_LAYOUTS and other in FORWARD_LAYOUTS:
            continue
        assert _agrees_but_for_rounding(certification, laid_out(left, one), laid_out(right, other))
        certification.sweep(dot("f64"), laid_out(exact[0], one), laid_out(exact[1], other), 0)
        certification.sweep(dot("f64"), laid_out(mixed, one), laid_out(exact[1], other), 1)


@pytest.mark.parametrize("dtype", DOT_DTYPES)
def test_dot_of_views_of_one_array(certification: Certification, dtype: Dtype) -> None:
    square = ordinary_values(dtype, (40, 40), 1)
    views = [square[3], square[:, 3], square[3, ::2], square[4:24, 4], square.diagonal()]
    if dtype == "i64":
        views += [square[3, ::-1], square[::-1, 3], np.broadcast_to(square[0, :1], 40)]
    for left, right in itertools.product(views, repeat=2):
        if left.size == right.size:
            for form in dot(dtype).forms:
                certification.sweep(dot(dtype), left, right, *form)


LONG = 1_000_003


@pytest.mark.parametrize("function", [*reductions("whole", 1), *reductions("axis", 1)], ids=name_of)
def test_long_arrays(certification: Certification, function: Kernel) -> None:
    values = ordinary_values(dtype_of(function), (LONG,), 1)
    for array in (values, values[::-1], values[1::3]):
        certification.sweep(function, array, *function.forms[-1])


@pytest.mark.parametrize("dtype", DOT_DTYPES)
def test_dot_of_long_arrays(certification: Certification, dtype: Dtype) -> None:
    left, right = (ordinary_values(dtype, (LONG,), seed) for seed in (1, 2))
    certification.sweep(dot(dtype), left, right, 0)
    certification.sweep(dot(dtype), left[::2], right[::2], 1)
    if dtype == "i64":
        certification.sweep(dot(dtype), left[::2], right[::-2], 1)
    else:
        assert _agrees_but_for_rounding(certification, left[::2], right[::-2])


@pytest.mark.parametrize("function", [*reductions("whole", 2), *reductions("axis", 2)], ids=name_of)
def test_large_matrices(certification: Certification, function: Kernel) -> None:
    values = ordinary_values(dtype_of(function), (701, 1423), 1)
    for array in (values, values.T, values[::-1, 1:], values[::2, ::3]):
        for form in function.forms[:2]:
            certification.sweep(function, array, *form)


@pytest.mark.parametrize("length", [1, 2, 7, 8, 9, 40, 130])
@pytest.mark.parametrize("operation", ["max", "min"])
def test_an_extremum_is_found_wherever_it_stands(
    certification: Certification, operation: str, length: int
) -> None:
    limits = np.iinfo(np.int64)
    extreme, others = {"max": (limits.max, 5), "min": (limits.min, -5)}[operation]
    for position in range(length):
        values = np.full(length, others)
        values[position] = extreme
        matrix = np.stack([values, values - others, values[::-1]])
        for rank, array in ((1, values), (1, values[::-1]), (2, matrix), (2, matrix.T)):
            for family in ("whole", "axis"):
                certification.sweep(reduction(family, operation, "i64", rank), array, 1)


@pytest.mark.parametrize("rank", [1, 2])
def test_int64_sums_and_dots_wrap(certification: Certification, rank: int) -> None:
    most, least = 2**63 - 1, -(2**63)
    for values, total in (
        ([most, 1], least),
        ([least, -1], most),
        ([least, least], 0),
        ([most] * 5, 5 * most - 2**65),
    ):
        array = np.array(values) if rank == 1 else np.array([values]).T
        assert certification.native(reduction("whole", "sum", "i64", rank), array, 0) == total
        for form in reduction("axis", "sum", "i64", rank).forms:
            certification.check(reduction("axis", "sum", "i64", rank), array, *form)
    squares = np.array([2**32 + 1, 3037000500, -(2**31), least])
    for form in dot("i64").forms:
        certification.check(dot("i64"), squares, squares, *form)
        assert certification.native(dot("i64"), np.array([least]), np.array([-1]), *form) == least


@pytest.mark.parametrize("layout", LAYOUTS)
def test_zeros_keep_numpys_sign(certification: Certification, layout: str) -> None:
    for length in (1, 3, 8, 20, 200):
        zeros = laid_out(np.full(length, -0.0), layout)
        matrix = laid_out(np.full((length, 2), -0.0), layout)
        for operation in ("sum", "mean"):
            certification.sweep(reduction("whole", operation, "f64", 1), zeros, 0)
            certification.sweep(reduction("axis", operation, "f64", 1), zeros, 0)
            certification.sweep(reduction("whole", operation, "f64", 2), matrix, 0)
            for form in range(4):
                certification.sweep(reduction("axis", operation, "f64", 2), matrix, form)
        if layout in FORWARD_LAYOUTS:
            certification.sweep(dot("f64"), zeros, zeros, 0)
            certification.sweep(dot("f64"), zeros, np.ones(length), 0)


def test_every_pair_of_special_values(certification: Certification) -> None:
    for dtype in DOT_DTYPES:
        pairs = np.array(list(itertools.product(SPECIAL[dtype], repeat=2)), SPECIAL[dtype].dtype)
        for operation, dtypes in REDUCTIONS.items():
            if dtype in dtypes:
                certification.sweep(reduction("axis", operation, dtype, 2), pairs, 1)
                certification.sweep(reduction("axis", operation, dtype, 2), pairs.T.copy(), 0)
        for pair in pairs:
            certification.sweep(reduction("whole", "sum", dtype, 1), pair, 0)
            certification.sweep(dot(dtype), pair[:1], pair[1:], 0)


EMPTY = [(0,), (0, 0), (0, 3), (3, 0)]


@pytest.mark.parametrize("shape", EMPTY, ids=str)
@pytest.mark.parametrize(
    ("operation", "dtype", "expected"),
    [("sum", "f64", 0.0), ("sum", "i64", 0), ("mean", "f64", float("nan"))],
)
def test_empty_arrays(
    certification: Certification,
    operation: str,
    dtype: Dtype,
    expected: float,
    shape: tuple[int, ...],
) -> None:
    array = np.zeros(shape, type(expected))
    families: tuple[Family, ...] = ("whole", "axis")
    for family in families:
        function = reduction(family, operation, dtype, len(shape))
        for form in function.forms:
            result = certification.check(function, array, *form)
            if function.result.rank:
                assert result.dtype == array.dtype
                assert [repr(value) for value in result.tolist()] == [repr(expected)] * result.size
            else:
                assert repr(result) == repr(expected)


@pytest.mark.parametrize("dtype", DOT_DTYPES)
def test_dot_of_empty_arrays(certification: Certification, dtype: Dtype) -> None:
    empty = np.zeros(0, SPECIAL[dtype].dtype)
    for form in dot(dtype).forms:
        result = certification.check(dot(dtype), empty, empty, *form)
        assert repr(result) == {"f64": "0.0", "i64": "0"}[dtype]


@pytest.mark.parametrize("operation", ["max", "min"])
def test_extrema_along_the_other_axis_of_empty_arrays(
    certification: Certification, operation: str
) -> None:
    by_axis = reduction("axis", operation, "i64", 2)
    for shape, axis_0 in (((3, 0), True), ((0, 3), False)):
        for form, (_, axis) in enumerate(itertools.product(range(4), (-2, -1, 0, 1))):
            if (axis in (0, -2)) == axis_0:
                result = certification.check(by_axis, np.zeros(shape, np.int64), form)
                assert result.shape == (0,)


@pytest.mark.parametrize("dtype", DOT_DTYPES)
def test_scalars_are_cores_own(certification: Certification, dtype: Dtype) -> None:
    values = ordinary_values(dtype, (3, 4), 1)
    expected = {"f64": float, "i64": int}[dtype]
    for function, arguments in (
        *((function, (values,)) for function in reductions("whole", 2)),
        *((function, (values[0],)) for function in reductions("whole", 1)),
        *((function, (values[0],)) for function in reductions("axis", 1)),
        (dot(dtype), (values[0], values[1])),
    ):
        if dtype_of(function) == dtype:
            for form in function.forms:
                assert type(certification.native(function, *arguments, *form)) is expected


@pytest.mark.parametrize("function", [*reductions("axis", 2)], ids=name_of)
def test_results_by_axis_own_their_memory(certification: Certification, function: Kernel) -> None:
    values = ordinary_values(dtype_of(function), (4, 4), 1)
    for array, form in itertools.product((values, values[:1], values[:, :1]), function.forms):
        array.flags.writeable = False
        result = certification.native(function, array, *form)
        assert type(result) is np.ndarray
        assert result.flags.owndata
        assert result.flags.writeable
        assert result.base is None
        assert not np.shares_memory(result, values)


def _raised(error: type[Exception], function: Callable[..., object], *values: Any) -> None:
    with pytest.raises(error):
        function(*values)


def test_arithmetic_of_scalars_is_cores(certification: Certification) -> None:
    """A reduction gives core's float or int, and core's scalars follow Python's rules.

    NumPy's own scalars wrap, divide by zero and widen float32 arrays instead.
    """
    zeros, ones = np.zeros(3), np.ones(3)
    ratio = kernel("reductions.ratio_of_sums")
    certification.check(ratio, ones, ones)
    _raised(ZeroDivisionError, certification.native, ratio, ones, zeros)
    assert certification.fallback(ratio, ones, zeros) == np.inf

    extremes = np.array([-(2**63), 2**63 - 1])
    difference = kernel("reductions.difference_of_extrema")
    certification.check(difference, extremes // 2)
    _raised(OverflowError, certification.native, difference, extremes)
    assert certification.fallback(difference, extremes) == -1

    scaled = kernel("reductions.float32_by_a_sum")
    halves = np.full(3, 0.5, np.float32)
    native, numpys = (
        leg(scaled, halves, ones) for leg in (certification.native, certification.fallback)
    )
    assert (native.dtype, numpys.dtype) == (np.float32, np.float64)
    assert native.tolist() == numpys.tolist()
