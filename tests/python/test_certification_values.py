"""Every certified function against NumPy: values, dtype, shape, strides, ownership, exceptions."""

# ruff: noqa: D103 - the name of a test says what it holds
from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certification import Certification, Outcome
from kernels import (
    DTYPES,
    GENERATED,
    OPERATORS,
    WRITTEN,
    Dtype,
    Kernel,
    chain,
    elementwise,
    kernel,
    name_of,
)
from observation import same_bits
from strategies import (
    LARGE_SHAPES,
    LAYOUTS,
    LONG_LENGTHS,
    SPECIAL,
    arguments,
    laid_out,
    layouts_of,
    special_values,
)

REFUSALS = (
    "operands could not be broadcast together with shapes ",
    "zero-size array to reduction operation ",
    "shapes (",
)
"""How NumPy's messages begin where operands do not fit an operation."""


@contextmanager
def numpys_refusals() -> Iterator[None]:
    """Let NumPy's errors about shapes pass, on which both legs have agreed, and no others."""
    try:
        yield
    except ValueError as error:
        if not str(error).startswith(REFUSALS):
            raise


def is_answer(result: Outcome) -> bool:
    """Whether both legs agreed on a value, or on NumPy's error about shapes."""
    kind, value = result
    return kind == "returned" or (isinstance(value, ValueError) and str(value).startswith(REFUSALS))


@pytest.mark.parametrize("function", GENERATED, ids=name_of)
@settings(max_examples=6)
@given(data=st.data())
def test_agrees_through_cores_kit(
    certification: Certification, function: Kernel, data: st.DataObject
) -> None:
    values = data.draw(arguments(function.lanes, layouts_of(function)))
    form = data.draw(st.sampled_from(function.forms))
    with numpys_refusals():
        certification.check(function, *values, *form)


@pytest.mark.parametrize("function", GENERATED, ids=name_of)
@settings(max_examples=50)
@given(data=st.data())
def test_agrees_on_many_cases(
    certification: Certification, function: Kernel, data: st.DataObject
) -> None:
    values = data.draw(arguments(function.lanes, layouts_of(function)))
    for form in function.forms:
        assert is_answer(certification.sweep(function, *values, *form))


LENGTHS = (*range(71), *LONG_LENGTHS)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("operation", OPERATORS)
def test_every_length(certification: Certification, operation: str, dtype: Dtype) -> None:
    for length in LENGTHS:
        left = special_values(dtype, (length,), length)
        right = special_values(dtype, (length,), length + 1)
        certification.sweep(elementwise(operation, dtype, "11"), left, right)
        certification.sweep(elementwise(operation, dtype, "11"), left[::-1], right)
        certification.sweep(elementwise(operation, dtype, "1s"), left, SPECIAL[dtype][-1].item())
        for rows in (1, 2, 3):
            tall = special_values(dtype, (rows, length), length)
            certification.sweep(elementwise(operation, dtype, "21"), tall, right)
            certification.sweep(elementwise(operation, dtype, "22"), tall.T.copy().T, tall)


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_length_of_chains(certification: Certification, dtype: Dtype) -> None:
    for length in LENGTHS:
        a, b, c = (special_values(dtype, (length,), length + seed) for seed in range(3))
        certification.sweep(chain("left", "111", dtype), a, b, c)
        certification.sweep(chain("left", "111", dtype), a, b[::-1], a)
        certification.sweep(chain("repeated", "1", dtype), a)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("operation", OPERATORS)
def test_every_pair_of_special_values(
    certification: Certification, operation: str, dtype: Dtype
) -> None:
    values = SPECIAL[dtype]
    pairs = np.array(list(itertools.product(values, values)), values.dtype)
    certification.check(elementwise(operation, dtype, "11"), pairs[:, 0].copy(), pairs[:, 1].copy())
    certification.check(elementwise(operation, dtype, "21"), values[:, None], values)
    for scalar in values.tolist():
        certification.sweep(elementwise(operation, dtype, "1s"), values, scalar)
        certification.sweep(elementwise(operation, dtype, "s1"), scalar, values)


@pytest.mark.parametrize("scalar", [1e300, -1e300, 3.4028235677973366e38, 1e-46, 5e-324, 0.1])
@pytest.mark.parametrize("operation", OPERATORS)
def test_a_python_float_beside_float32_is_narrowed_first(
    certification: Certification, operation: str, scalar: float
) -> None:
    values = SPECIAL["f32"]
    certification.check(elementwise(operation, "f32", "1s"), values, scalar)
    certification.check(elementwise(operation, "f32", "s1"), scalar, values)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("call", ["negative", "absolute", "abs"])
def test_sign_operations_agree_bit_for_bit_on_nans(
    certification: Certification, call: str, dtype: Dtype
) -> None:
    values = SPECIAL[dtype]
    if dtype != "i64":
        quiet = values[np.isnan(values)].view(f"u{values.itemsize}")
        payloads = np.concatenate([quiet ^ quiet.dtype.type(bits) for bits in (0, 1, 12345)])
        values = np.concatenate([values, payloads.view(values.dtype)])
    unary = kernel(f"unary_{dtype}.{call}_{dtype}_1")
    certification.check(unary, values, equals=same_bits)


SHAPES = [(1, 1), (1, 5), (5, 1), (3, 4), (4, 3), (2, 17), (33, 3), (0, 3), (3, 0), (0, 0)]


def _all_layouts(dtype: Dtype, shape: tuple[int, ...], seed: int) -> list[np.ndarray]:
    values = special_values(dtype, shape, seed)
    return [laid_out(values, layout) for layout in LAYOUTS]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_every_pair_of_layouts(
    certification: Certification, shape: tuple[int, int], dtype: Dtype
) -> None:
    rows, columns = shape
    lefts = _all_layouts(dtype, shape, 1)
    for other in {shape, (1, columns), (rows, 1), (1, 1)}:
        for left, right in itertools.product(lefts, _all_layouts(dtype, other, 2)):
            certification.sweep(elementwise("subtract", dtype, "22"), left, right)
            certification.sweep(elementwise("divide", dtype, "22"), right, left)
    for left, right in itertools.product(lefts, _all_layouts(dtype, (columns,), 2)):
        certification.sweep(elementwise("subtract", dtype, "21"), left, right)
        certification.sweep(elementwise("multiply", dtype, "12"), right, left)
    for left in lefts:
        certification.sweep(elementwise("add", dtype, "2s"), left, SPECIAL[dtype][1].item())
        certification.sweep(kernel(f"unary_{dtype}.negative_{dtype}_2"), left)


# Beyond the tiles in which kernels transpose, and below the size from which NumPy elides
# temporaries (see `test_large_chains_are_laid_out_as_small_ones`).
TILED = [(64, 64), (65, 127), (130, 66), (257, 40), (3, 4099), (4099, 3), (181, 181)]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", TILED, ids=str)
def test_large_arrays_of_mixed_layouts(
    certification: Certification, shape: tuple[int, int], dtype: Dtype
) -> None:
    lefts, rights = (_all_layouts(dtype, shape, seed) for seed in (1, 2))
    row, column = (special_values(dtype, other, 3) for other in (shape[1:], (shape[0], 1)))
    for left, right in itertools.product(lefts, rights[::2]):
        certification.sweep(elementwise("subtract", dtype, "22"), left, right)
        certification.sweep(chain("left", "222", dtype), left, right, left)
    for left in lefts:
        certification.sweep(elementwise("divide", dtype, "21"), left, row)
        certification.sweep(elementwise("add", dtype, "22"), column, left)
        certification.sweep(kernel(f"unary_{dtype}.square_{dtype}_2"), left)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("operation", OPERATORS)
def test_long_arrays(certification: Certification, operation: str, dtype: Dtype) -> None:
    a, b = (special_values(dtype, (300_001,), seed) for seed in (1, 2))
    certification.sweep(elementwise(operation, dtype, "11"), a, b)
    certification.sweep(elementwise(operation, dtype, "11"), a[::-2], b[::2])
    certification.sweep(elementwise(operation, dtype, "s1"), SPECIAL[dtype][2].item(), a)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_very_large_arrays(certification: Certification, dtype: Dtype, layout: str) -> None:
    shape = LARGE_SHAPES[dtype]
    whole, row, column = (
        special_values(dtype, other, 3) for other in (shape, shape[1:], (shape[0], 1))
    )
    operand, line = laid_out(whole, layout), laid_out(whole.reshape(-1), layout)
    certification.sweep(elementwise("subtract", dtype, "11"), line, whole.reshape(-1))
    certification.sweep(elementwise("divide", dtype, "22"), operand, operand)
    certification.sweep(elementwise("subtract", dtype, "22"), operand, whole.T.copy().T)
    certification.sweep(elementwise("add", dtype, "21"), operand, row)
    certification.sweep(elementwise("multiply", dtype, "22"), column, operand)
    certification.sweep(kernel(f"unary_{dtype}.negative_{dtype}_2"), operand)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_every_triple_of_layouts_in_a_chain(
    certification: Certification, shape: tuple[int, int]
) -> None:
    leaves = [_all_layouts("f64", shape, seed) for seed in range(3)]
    for a, b, c in itertools.product(leaves[0], leaves[1][::2], leaves[2][::3]):
        certification.sweep(chain("left", "222"), a, b, c)
        certification.sweep(chain("right", "222"), c, a, b)


@pytest.mark.parametrize("function", WRITTEN, ids=name_of)
@settings(max_examples=12)
@given(data=st.data())
def test_programs_agree(
    certification: Certification, function: Kernel, data: st.DataObject
) -> None:
    # A Python integer that counts or multiplies must stay small: core's own int is checked i64.
    values = [
        data.draw(st.integers(-3, 6)) if isinstance(value, int) else value
        for value in data.draw(arguments(function.lanes, layouts_of(function)))
    ]
    with numpys_refusals():
        certification.check(function, *values)


@settings(max_examples=12)
@given(
    data=st.data(),
    weights=st.lists(st.floats(-1e3, 1e3), max_size=4),
    count=st.integers(-1, 5),
    flag=st.booleans(),
)
def test_programs_with_other_values_agree(
    certification: Certification, data: st.DataObject, weights: list[float], count: int, flag: bool
) -> None:
    for name, others in (
        ("programs.loop_over_floats", (weights,)),
        ("programs.branch_values", (flag,)),
        ("masks.growing", (weights,)),
        ("reductions.floats_of_a_loop", (count,)),
        ("reductions.pair", ()),
        ("reductions.is_larger", ()),
        ("reductions.ints_of_ints", ()),
    ):
        function = kernel(name)
        arrays = [lane for lane in function.lanes if lane.rank]
        with numpys_refusals():
            certification.check(function, *data.draw(arguments(arrays)), *others)


def test_operands_that_are_one_array_or_overlap(certification: Certification) -> None:
    values = special_values("f64", (64,), 5)
    square = special_values("f64", (9, 9), 6)
    certification.check(elementwise("multiply", "f64", "11"), values, values)
    certification.check(elementwise("subtract", "f64", "11"), values[1:], values[:-1])
    certification.check(elementwise("divide", "f64", "11"), values[::-1], values)
    certification.check(elementwise("add", "f64", "22"), square, square.T)
    certification.check(elementwise("add", "f64", "21"), square, square[3])
    certification.check(chain("left", "222"), square, square.T, square[::-1])


def test_results_own_their_memory(certification: Certification) -> None:
    a, b = special_values("f64", (5,), 1), special_values("f64", (3, 5), 2)
    for function, arguments_ in (
        (elementwise("add", "f64", "11"), (a, a)),
        (elementwise("add", "f64", "21"), (b, a)),
        (elementwise("divide", "f64", "2s"), (b, 2.0)),
        (kernel("unary_f64.negative_f64_2"), (b,)),
        (chain("left", "212"), (b, a, b)),
        (kernel("programs.returned_alias_of_local"), (a,)),
    ):
        result = certification.native(function, *arguments_)
        assert type(result) is np.ndarray
        assert result.flags.owndata
        assert result.flags.writeable
        assert result.base is None
        assert not any(np.shares_memory(result, argument) for argument in (a, b))
        before = result.copy()
        result.resize((result.size + 3,))
        assert result[:-3].tobytes() == before.tobytes()
        assert result[-3:].tolist() == [0.0, 0.0, 0.0]


# From 256 KiB on, NumPy writes an operation's result over a temporary operand of the same shape
# (`temp_elide.c`). Values are the same; the layout becomes the temporary's.
ELIDED = (200, 200)


def test_large_chains_are_laid_out_as_small_ones(certification: Certification) -> None:
    values = [special_values("f64", ELIDED, seed) for seed in range(3)]
    left = chain("left", "222")
    for layouts in itertools.product(("C", "F"), repeat=3):
        a, b, c = (laid_out(*pair) for pair in zip(values, layouts, strict=True))
        native, numpys = certification.native(left, a, b, c), certification.fallback(left, a, b, c)
        np.testing.assert_array_equal(native, numpys)
        with np.errstate(all="ignore"):
            product = a * b
            assert native.strides == (product + c).strides, layouts
        if layouts[:2] != ("F", "F") or layouts[2] == "F":
            assert native.strides == numpys.strides, layouts
