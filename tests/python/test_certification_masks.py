"""Comparisons, masks and choices against NumPy, bit for bit, where they go wrong most easily."""

# ruff: noqa: D103 - the name of a test says what it holds
from __future__ import annotations

import itertools

import numpy as np
import pytest

from certification import Certification
from kernels import DTYPES, NUMPY_NAMES, Dtype, Kernel, compare, kernel, logical, where
from observation import same_bits
from strategies import (
    LAYOUTS,
    LONG_LENGTHS,
    SPECIAL,
    laid_out,
    ordinary_values,
    repeated_values,
    special_values,
)

FLOATS: tuple[Dtype, ...] = ("f64", "f32")


def sweep_forms(certification: Certification, function: Kernel, *values: object) -> None:
    """Every form of a function on these values; NaNs bit for bit."""
    for form in function.forms:
        certification.sweep(function, *values, *form, equals=same_bits)


def _ones(dtype: Dtype) -> np.ndarray:
    return np.ones(1, NUMPY_NAMES[dtype])


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_pair_of_special_values(certification: Certification, dtype: Dtype) -> None:
    values, ones = SPECIAL[dtype], _ones(dtype)
    pairs = np.array(list(itertools.product(values, values)), values.dtype)
    left, right = pairs[:, 0].copy(), pairs[:, 1].copy()
    sweep_forms(certification, compare(dtype, "11"), left, right, ones)
    sweep_forms(certification, compare(dtype, "21"), values[:, None], values, ones)
    sweep_forms(certification, logical(dtype, "11"), left, right, ones)
    sweep_forms(certification, logical(dtype, "21"), values[:, None], values, ones)
    for scalar in values.tolist():
        sweep_forms(certification, compare(dtype, "1s"), values, scalar, ones)
        sweep_forms(certification, compare(dtype, "s1"), scalar, values, ones)
        sweep_forms(certification, where(dtype, 1), left, left, right, scalar)


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_length(certification: Certification, dtype: Dtype) -> None:
    for length in (*range(71), *LONG_LENGTHS):
        left, right = (repeated_values(dtype, (length,), seed) for seed in (length, length + 1))
        branch = special_values(dtype, (length,), length)
        for form in compare(dtype, "11").forms:
            certification.sweep(compare(dtype, "11"), left, right, branch, *form)
            certification.sweep(compare(dtype, "1s"), left[::-1], 1, branch, *form)
        sweep_forms(certification, logical(dtype, "11"), left, right, branch)
        sweep_forms(certification, where(dtype, 1), right, branch, branch[::-1], 2)


@pytest.mark.parametrize("dtype", DTYPES)
def test_long_arrays(certification: Certification, dtype: Dtype) -> None:
    left, right = (repeated_values(dtype, (300_001,), seed) for seed in (1, 2))
    branch = special_values(dtype, (300_001,), 3)
    sweep_forms(certification, compare(dtype, "11"), left, right, branch)
    sweep_forms(certification, logical(dtype, "11"), left[::-1], right, branch)
    sweep_forms(certification, where(dtype, 1), left, branch[::-1], branch, 2)


SHAPES = [(1, 1), (1, 5), (5, 1), (3, 4), (2, 17), (33, 3), (0, 3), (3, 0), (70, 130)]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_every_pair_of_layouts(
    certification: Certification, shape: tuple[int, int], dtype: Dtype
) -> None:
    left, right = (repeated_values(dtype, shape, seed) for seed in (1, 2))
    row = special_values(dtype, shape[1:], 3)
    branch = special_values(dtype, shape, 4)
    for number, (one, other) in enumerate(itertools.product(LAYOUTS, repeat=2)):
        # The operations differ in an element's comparison only; one of them is enough for a pair.
        form = number % 6
        a, b = laid_out(left, one), laid_out(right, other)
        certification.sweep(compare(dtype, "22"), a, b, row, form, equals=same_bits)
        certification.sweep(compare(dtype, "21"), a, row, b[0] if len(b) else row, form)
        x = laid_out(branch, other)
        certification.sweep(logical(dtype, "22"), a, b, row, form % 3, equals=same_bits)
        for last in (5, 8, 12):
            certification.sweep(
                where(dtype, 2), row, row, row, a, x, branch, 1, last, equals=same_bits
            )


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(3, 4), (33, 66)], ids=str)
def test_every_triple_of_layouts(
    certification: Certification, shape: tuple[int, int], dtype: Dtype
) -> None:
    condition = repeated_values(dtype, shape, 1)
    x, y = (special_values(dtype, shape, seed) for seed in (2, 3))
    row = y[0]
    *_, last = where(dtype, 2).forms
    for layouts in itertools.product(LAYOUTS, LAYOUTS[::2], LAYOUTS[1::2]):
        arrays = [laid_out(*pair) for pair in zip((condition, x, y), layouts, strict=True)]
        certification.sweep(where(dtype, 2), row, row, row, *arrays, 1, *last, equals=same_bits)


@pytest.mark.parametrize("dtype", DTYPES)
def test_large_matrices(certification: Certification, dtype: Dtype) -> None:
    shape = (301, 517)
    left, right = (repeated_values(dtype, shape, seed) for seed in (1, 2))
    branch = special_values(dtype, shape, 3)
    row = branch[0]
    *_, last = where(dtype, 2).forms
    for one, other in itertools.product(LAYOUTS, LAYOUTS[1::4]):
        a, b, x = laid_out(left, one), laid_out(right, other), laid_out(branch, other)
        certification.sweep(compare(dtype, "22"), a, b, row, 3, equals=same_bits)
        certification.sweep(logical(dtype, "22"), b, a, row, 0, equals=same_bits)
        certification.sweep(where(dtype, 2), row, row, row, a, x, b, 1, *last, equals=same_bits)


def test_every_broadcast_of_three(certification: Certification) -> None:
    shapes = [(1, 1), (1, 4), (3, 1), (3, 4)]
    row = ordinary_values("f64", (4,), 1)
    short = ordinary_values("f64", (1,), 2)
    for shapes_ in itertools.product(shapes, repeat=3):
        values = [ordinary_values("f64", shape, seed) for seed, shape in enumerate(shapes_)]
        sweep_forms(certification, where("f64", 2), row, short, row, *values, 0.5)
        sweep_forms(certification, where("f64", 2), short, row, short, *values, 0.5)


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0, 0), (1, 0), (0, 1)], ids=str)
def test_empty_arrays(certification: Certification, shape: tuple[int, int]) -> None:
    array, row = np.zeros(shape), np.zeros(shape[1])
    stretched = np.zeros((1, 1))
    for function, values in (
        (compare("f64", "22"), (array, stretched, row)),
        (compare("f64", "12"), (row, array, row)),
        (logical("f64", "22"), (stretched, array, row)),
        (where("f64", 2), (row, row, row, array, stretched, array, 1.0)),
    ):
        sweep_forms(certification, function, *values)


WEAK = [1e300, -1e300, 3.4028235677973366e38, 1e-46, 5e-324, 0.1, 16777217.0, 1 + 2**-30]
"""Python floats that float32 has not: they are narrowed before anything is compared."""


@pytest.mark.parametrize("scalar", [*WEAK, float("inf"), float("nan"), -0.0])
def test_a_python_float_beside_float32_is_narrowed_first(
    certification: Certification, scalar: float
) -> None:
    with np.errstate(over="ignore"):
        narrowed = np.float32(scalar)
    near = [narrowed, *(np.nextafter(narrowed, np.float32(to)) for to in ("-inf", "inf"))]
    values = np.concatenate([SPECIAL["f32"], np.array(near, np.float32)])
    sweep_forms(certification, compare("f32", "1s"), values, scalar, _ones("f32"))
    sweep_forms(certification, compare("f32", "s1"), scalar, values, _ones("f32"))
    sweep_forms(certification, where("f32", 1), values, values, values[::-1], scalar)
    matrix = values[:, None]
    sweep_forms(certification, where("f32", 2), *[values] * 3, *[matrix] * 3, scalar)


def test_an_overflowing_branch_is_infinite(certification: Certification) -> None:
    values = np.array([-1, 1], np.float32)
    for scalar, infinity in ((1e300, np.inf), (-1e300, -np.inf)):
        chosen = certification.native(where("f32", 1), values, values, values, scalar, 0)
        assert chosen.dtype == np.float32
        assert chosen.tolist() == [-1.0, infinity]
        chosen = certification.native(compare("f32", "1s"), values, scalar, _ones("f32"), 2)
        assert chosen.tolist() == [float(scalar > 0)] * 2


def _not_numbers(dtype: Dtype) -> np.ndarray:
    """NaNs of both signs, quiet and signalling, with many payloads."""
    bits = np.dtype(NUMPY_NAMES[dtype]).itemsize * 8
    exponent, quiet = (0x7FF << 52, 1 << 51) if bits == 64 else (0xFF << 23, 1 << 22)
    patterns = [
        sign | exponent | flag | payload
        for sign in (0, 1 << (bits - 1))
        for flag in (0, quiet)
        for payload in (1, 2, 12345, quiet - 1)
    ]
    return np.array(patterns, f"u{bits // 8}").view(NUMPY_NAMES[dtype])


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", FLOATS)
def test_nans_are_chosen_bit_for_bit(
    certification: Certification, dtype: Dtype, layout: str
) -> None:
    values = _not_numbers(dtype)
    condition = repeated_values(dtype, values.shape, 1)
    chosen = laid_out(values, layout)
    sweep_forms(certification, where(dtype, 1), condition, chosen, values[::-1], 1.0)
    matrix = np.stack([values, values[::-1], condition])
    sweep_forms(
        certification,
        where(dtype, 2),
        *(condition, chosen, values),
        *(condition[:, None], laid_out(matrix[:1], layout), laid_out(matrix, layout)[2:]),
        1.0,
    )


@pytest.mark.parametrize("dtype", FLOATS)
def test_nans_compare_as_unordered(certification: Certification, dtype: Dtype) -> None:
    values = _not_numbers(dtype)
    for other in (values[::-1], np.zeros_like(values)):
        sweep_forms(certification, compare(dtype, "11"), values, other, _ones(dtype))
        results = [
            certification.native(compare(dtype, "11"), values, other, _ones(dtype), *form).any()
            for form in compare(dtype, "11").forms
        ]
        assert results == [False, True, False, False, False, False]


@pytest.mark.parametrize("dtype", FLOATS)
def test_zeros_of_both_signs_are_equal_and_stay_apart(
    certification: Certification, dtype: Dtype
) -> None:
    zeros = np.array([0.0, -0.0, 0.0, -0.0], NUMPY_NAMES[dtype])
    sweep_forms(certification, compare(dtype, "11"), zeros, -zeros[::-1], _ones(dtype))
    condition = np.array([1.0, -0.0, 0.0, 1.0], NUMPY_NAMES[dtype])
    for scalar in (0.0, -0.0):
        sweep_forms(certification, where(dtype, 1), condition, -zeros, zeros[::-1], scalar)


@pytest.mark.parametrize("dtype", DTYPES)
def test_operands_that_are_one_array_or_overlap(certification: Certification, dtype: Dtype) -> None:
    square = repeated_values(dtype, (9, 9), 1)
    row, rows = square[3], square[::-1]
    sweep_forms(certification, compare(dtype, "22"), square, square, row)
    sweep_forms(certification, compare(dtype, "22"), square, square.T, row[::-1])
    sweep_forms(certification, compare(dtype, "21"), rows, row, row)
    sweep_forms(certification, logical(dtype, "22"), square, rows, row)
    sweep_forms(certification, where(dtype, 1), row, row, row[::-1], 1)
    sweep_forms(certification, where(dtype, 1), row[1:], row[:-1], row[:-1], 1)
    sweep_forms(certification, where(dtype, 2), row, row, row, square, square.T, rows, 1)


def test_results_own_their_memory(certification: Certification) -> None:
    square = ordinary_values("f64", (4, 4), 1)
    square.flags.writeable = False
    row = square[0]
    for function, values in (
        (compare("f64", "22"), (square, square, row)),
        (logical("f64", "12"), (row, square, row)),
        (where("f64", 1), (row, row, row, 1.0)),
        (where("f64", 2), (row, row, row, square, square, square, 1.0)),
    ):
        for form in function.forms:
            result = certification.native(function, *values, *form)
            assert type(result) is np.ndarray
            assert result.flags.owndata
            assert result.flags.writeable
            assert result.base is None
            assert not np.shares_memory(result, square)


def test_many_masks_in_one(certification: Certification) -> None:
    # As deep as a mask can become: far beyond what a call for each level could stand.
    thresholds = [float(number) for number in range(100_000)]
    values = np.array([-1.5, 0.25, 2.0, 199_998.0, 200_000.0])
    certification.sweep(kernel("masks.growing"), values, thresholds)
