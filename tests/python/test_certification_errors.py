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
from kernels import (
    NUMPY_NAMES,
    Kernel,
    chain,
    compare,
    dot,
    elementwise,
    kernel,
    logical,
    reduction,
    where,
)

SUBCLASS = (
    "rextio-numpy native boundary requires exact numpy.ndarray; ndarray subclasses are unsupported"
)


BROADCAST = "operands could not be broadcast together with shapes "
EMPTY: tuple[tuple[int, ...], ...] = ((0,), (0, 3), (3, 0), (0, 0))


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
    assert str(raised.value) == f"{BROADCAST}{named} "


def _where(rank: int, **shapes: tuple[int, ...]) -> tuple[object, ...]:
    """The arguments of `where` for float64: ones of these shapes, of one element elsewhere."""
    function = where("f64", rank)
    arrays = {
        name: shapes.get(name, (1,) * lane.rank) for name, lane in function.parameters.items()
    }
    return tuple(_ones(*shape) if name != "s" else 1.0 for name, shape in arrays.items())


ALIGNMENT = "shapes ({0},) and ({1},) not aligned: {0} (dim 0) != {1} (dim 0)"

REFUSALS: list[tuple[Kernel, tuple[object, ...], str]] = [
    # A comparison looks at its own operands, before the choice looks at anything.
    *(
        (compare("f64", "11"), (_ones(3), _ones(4), _ones(5), form), BROADCAST + "(3,) (4,) ")
        for form in range(6)
    ),
    (compare("f64", "12"), (_ones(3), _ones(2, 4), _ones(3), 0), BROADCAST + "(3,) (2,4) "),
    (compare("f64", "21"), (_ones(0, 3), _ones(2), _ones(3), 3), BROADCAST + "(0,3) (2,) "),
    # The mask has the shape of the comparison; a scalar branch has none.
    (compare("f64", "11"), (_ones(3), _ones(1), _ones(5), 1), BROADCAST + "(3,) (5,) () "),
    (compare("f64", "12"), (_ones(3), _ones(2, 1), _ones(4), 1), BROADCAST + "(2,3) (4,) () "),
    (compare("f64", "s2"), (0.5, _ones(2, 3), _ones(0), 2), BROADCAST + "(2,3) (0,) () "),
    *(
        (logical("f64", "11"), (_ones(3), _ones(4), _ones(5), form), BROADCAST + "(3,) (4,) ")
        for form in range(3)
    ),
    (logical("f64", "21"), (_ones(2, 3), _ones(2), _ones(3), 0), BROADCAST + "(2,3) (2,) "),
    (logical("f64", "22"), (_ones(2, 1), _ones(1, 3), _ones(2), 1), BROADCAST + "(2,3) (2,) () "),
    (where("f64", 1), (*_where(1, c1=(3,), y1=(4,)), 0), BROADCAST + "(3,) () (4,) "),
    (where("f64", 1), (*_where(1, c1=(3,), x1=(4,)), 1), BROADCAST + "(3,) (4,) () "),
    (where("f64", 1), (*_where(1, x1=(4,), y1=(5,)), 2), BROADCAST + "(1,) (4,) (5,) "),
    (where("f64", 1), (*_where(1, c1=(3,), x1=(4,), y1=(5,)), 2), BROADCAST + "(3,) (4,) (5,) "),
    (where("f64", 2), (*_where(2, c1=(3,), y2=(2, 4)), 0), BROADCAST + "(3,) () (2,4) "),
    (where("f64", 2), (*_where(2, c1=(3,), x2=(2, 3), y1=(2,)), 3), BROADCAST + "(3,) (2,3) (2,) "),
    (
        where("f64", 2),
        (*_where(2, c2=(0, 3), x1=(3,), y2=(2, 3)), 9),
        BROADCAST + "(0,3) (3,) (2,3) ",
    ),
    *((dot("f64"), (_ones(3), _ones(4), form), ALIGNMENT.format(3, 4)) for form in (0, 1)),
    *(
        (dot("i64"), (_ones(1, dtype="i8"), _ones(4, dtype="i8"), form), ALIGNMENT.format(1, 4))
        for form in (0, 1)
    ),
    (dot("f64"), (_ones(0), _ones(2), 0), ALIGNMENT.format(0, 2)),
    # Operands come first, the condition before the branches, and left before right.
    (
        kernel("masks.first_failure"),
        (_ones(2), _ones(3), _ones(4), _ones(5), _ones(6), _ones(7)),
        BROADCAST + "(2,) (3,) ",
    ),
    (
        kernel("masks.first_failure"),
        (_ones(3), _ones(3), _ones(4), _ones(5), _ones(6), _ones(7)),
        BROADCAST + "(3,) (4,) ",
    ),
    (
        kernel("masks.first_failure"),
        (_ones(2), _ones(1), _ones(3), _ones(5), _ones(6), _ones(7)),
        BROADCAST + "(2,) (3,) ",
    ),
    (
        kernel("masks.first_failure"),
        (_ones(3), _ones(3), _ones(3), _ones(5), _ones(6), _ones(7)),
        BROADCAST + "(3,) (5,) ",
    ),
    (
        kernel("masks.first_failure"),
        (_ones(3), _ones(3), _ones(1), _ones(5), _ones(6), _ones(7)),
        BROADCAST + "(6,) (7,) ",
    ),
    (
        kernel("masks.first_failure"),
        (_ones(3), _ones(3), _ones(1), _ones(5), _ones(1), _ones(7)),
        BROADCAST + "(3,) (5,) (7,) ",
    ),
    (
        kernel("masks.first_failing_statement"),
        (_ones(3), _ones(4), _ones(5)),
        BROADCAST + "(3,) (4,) ",
    ),
    (
        kernel("masks.first_failing_statement"),
        (_ones(3), _ones(1), _ones(5)),
        BROADCAST + "(3,) (5,) ",
    ),
    (
        kernel("reductions.sum_fails_after_dot"),
        (_ones(3), _ones(4), _ones(0, dtype="i8")),
        ALIGNMENT.format(3, 4),
    ),
    (
        kernel("reductions.sum_fails_after_dot"),
        (_ones(3), _ones(3), _ones(0, dtype="i8")),
        "zero-size array to reduction operation maximum which has no identity",
    ),
]


@pytest.mark.parametrize(
    ("function", "values", "message"),
    REFUSALS,
    ids=[f"{number}-{function.name}" for number, (function, _, _) in enumerate(REFUSALS)],
)
def test_operands_that_do_not_fit_are_refused_in_numpys_words(
    certification: Certification, function: Kernel, values: tuple[object, ...], message: str
) -> None:
    with pytest.raises(ValueError, match=r"shapes|zero-size") as raised:
        certification.check(function, *values)
    assert type(raised.value) is ValueError
    assert str(raised.value) == message


@pytest.mark.parametrize(("operation", "name"), [("max", "maximum"), ("min", "minimum")])
def test_extrema_of_nothing_are_refused(
    certification: Certification, operation: str, name: str
) -> None:
    by_axis = reduction("axis", operation, "i64", 2)
    cases: list[tuple[Kernel, tuple[int, ...], range]] = [
        *((reduction("whole", operation, "i64", len(shape)), shape, range(2)) for shape in EMPTY),
        (reduction("axis", operation, "i64", 1), (0,), range(8)),
        # The forms go through the axes -2, -1, 0 and 1 in turn.
        (by_axis, (0, 3), range(0, 16, 2)),
        (by_axis, (3, 0), range(1, 16, 2)),
        (by_axis, (0, 0), range(16)),
    ]
    for function, shape, forms in cases:
        for form in forms:
            with pytest.raises(ValueError, match="zero-size") as raised:
                certification.check(function, _ones(*shape, dtype="int64"), form)
            assert str(raised.value) == (
                f"zero-size array to reduction operation {name} which has no identity"
            )


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
        (compare("f64", f"{rank}{rank}"), (exact, array, _ones(1), 0)),
        (compare("f64", f"s{rank}"), (1.0, array, _ones(1), 0)),
        (logical("f64", f"{rank}{rank}"), (array, exact, _ones(1), 2)),
        (reduction("whole", "sum", "f64", rank), (array, 0)),
        (reduction("whole", "mean", "f64", rank), (array, 1)),
        (reduction("axis", "sum", "f64", rank), (array, 0)),
        (reduction("axis", "mean", "f64", rank), (array, 1)),
    ):
        with pytest.raises(TypeError) as raised:
            certification.native(function, *values)
        assert str(raised.value) == SUBCLASS


@pytest.mark.parametrize("position", range(3))
def test_subclasses_are_refused_wherever_they_stand(
    certification: Certification, position: int
) -> None:
    for function, count, others in (
        (dot("f64"), 2, (0,)),
        (compare("f64", "11"), 3, (0,)),
        (where("f64", 1), 3, (1.0, 2)),
    ):
        values = [_ones(3) for _ in range(count)]
        values[position % count] = _ones(3).view(Quiet)
        with pytest.raises(TypeError) as raised:
            certification.native(function, *values, *others)
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
        (compare("f64", "11"), (_ones(3), WRONG[name], _ones(3), 0), "b"),
        (where("f64", 1), (_ones(3), WRONG[name], _ones(3), 1.0, 2), "x1"),
        (dot("f64"), (_ones(3), WRONG[name], 0), "b"),
        (reduction("whole", "sum", "f64", 1), (WRONG[name], 0), "a"),
        (reduction("axis", "mean", "f64", 1), (WRONG[name], 0), "a"),
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
    with pytest.raises(TypeError, match="'b'"):
        certification.native(compare(dtype, "22"), native, swapped, native[0], 0)
    if dtype != "f32":
        with pytest.raises(TypeError, match="'a'"):
            certification.native(reduction("axis", "sum", dtype, 2), swapped, 0)


def _ints(*ranks: int) -> tuple[np.ndarray, ...]:
    return tuple(_ones(*[3] * rank, dtype="int64") for rank in ranks)


@pytest.mark.parametrize("value", [2**63, -(2**63) - 1, 10**30])
def test_an_int_beyond_int64_is_refused(certification: Certification, value: int) -> None:
    for function, values in (
        (elementwise("add", "i64", "1s"), (_ones(3, dtype="int64"), value)),
        (elementwise("divide", "i64", "s2"), (value, _ones(3, 2, dtype="int64"))),
        *((compare("i64", "1s"), (*_ints(1), value, *_ints(1), form)) for form in range(6)),
        *((compare("i64", "s2"), (value, *_ints(2, 1), form)) for form in range(6)),
        *((where("i64", 1), (*_ints(1, 1, 1), value, form)) for form in (0, 1)),
        *((where("i64", 2), (*_ints(1, 1, 1, 2, 2, 2), value, form)) for form in (0, 5, 7, 10)),
    ):
        with pytest.raises(OverflowError):
            certification.native(function, *values)


@pytest.mark.parametrize("value", [2**63 - 1, -(2**63), True, 0])
def test_an_int_within_int64_is_taken(certification: Certification, value: int) -> None:
    array = np.array([0, 1, -1, 2**63 - 1, -(2**63)])
    for operation in ("add", "subtract", "multiply", "divide"):
        certification.check(elementwise(operation, "i64", "1s"), array, value)
        certification.check(elementwise(operation, "i64", "s1"), value, array)
    for form in range(6):
        certification.check(compare("i64", "1s"), array, value, array, form)
        certification.check(compare("i64", "s1"), value, array, array, form)
    for form in range(3):
        certification.check(where("i64", 1), array, array, -array, value, form)


@pytest.mark.parametrize("value", [3, True, 10**20])
def test_an_int_serves_as_a_float(certification: Certification, value: int) -> None:
    for dtype in ("f64", "f32"):
        array = _ones(3, dtype=dtype.replace("f", "float"))
        certification.check(elementwise("multiply", dtype, "1s"), array, value)
        certification.check(compare(dtype, "s1"), value, array, array, 2)
        certification.check(where(dtype, 1), array, array, array, value, 0)


def _stretched(*shape: int) -> np.ndarray:
    return np.broadcast_to(_ones(1), shape)


HUGE: dict[str, tuple[Kernel, tuple[object, ...]]] = {
    "1-D": (elementwise("add", "f64", "11"), (_stretched(2**46), _stretched(2**46))),
    "1-D scalar": (kernel("unary_f64.negative_f64_1"), (_stretched(2**46),)),
    "outer": (elementwise("multiply", "f64", "22"), (_stretched(2**23, 1), _stretched(1, 2**23))),
    "outer of ranks": (elementwise("add", "f64", "21"), (_stretched(2**30, 1), _stretched(2**16))),
    "chain": (
        chain("left", "222"),
        (_stretched(2**23, 1), _stretched(1, 2**23), _stretched(1, 1)),
    ),
    # By a small mask: NumPy allocates a large one before it comes to the choice.
    "choice": (where("f64", 1), (_ones(1), _stretched(2**46), _ones(1), 1.0, 2)),
    "outer choice": (
        where("f64", 2),
        (*[_ones(1)] * 3, _ones(1, 1), _stretched(2**23, 1), _stretched(1, 2**23), 1.0, 12),
    ),
    "sum by axis": (reduction("axis", "sum", "f64", 2), (_stretched(1, 2**46), 0)),
    "mean by axis": (reduction("axis", "mean", "f64", 2), (_stretched(2**46, 1), 1)),
}


@pytest.mark.parametrize("name", HUGE)
def test_a_result_that_does_not_fit_raises_numpys_memory_error(
    certification: Certification, name: str
) -> None:
    function, values = HUGE[name]
    with pytest.raises(MemoryError, match=r"^Unable to allocate .* for an array with shape"):
        certification.check(function, *values)


TOO_LARGE: dict[str, tuple[Kernel, tuple[object, ...]]] = {
    "elements": (
        elementwise("add", "f64", "22"),
        (_stretched(2**33, 1), _stretched(1, 2**33)),
    ),
    "bytes": (elementwise("add", "f64", "22"), (_stretched(2**31, 1), _stretched(1, 2**30))),
    "elements of a mask": (
        compare("f64", "22"),
        (_stretched(2**33, 1), _stretched(1, 2**33), _ones(1), 0),
    ),
    "elements of a choice": (
        where("f64", 2),
        (*[_ones(1)] * 3, _ones(1, 1), _stretched(2**33, 1), _stretched(1, 2**33), 1.0, 12),
    ),
    "bytes of a choice": (
        where("f64", 2),
        (*[_ones(1)] * 3, _ones(1, 1), _stretched(2**31, 1), _stretched(1, 2**30), 1.0, 12),
    ),
}


@pytest.mark.parametrize("name", TOO_LARGE)
def test_a_result_that_cannot_be_counted_raises_numpys_value_error(
    certification: Certification, name: str
) -> None:
    function, values = TOO_LARGE[name]
    with pytest.raises(ValueError, match=r"too (large|big)"):
        certification.check(function, *values)
