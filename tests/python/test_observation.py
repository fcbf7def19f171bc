"""The means of the certification see what they are there to see."""

# ruff: noqa: D103 - the name of a test says what it holds
from __future__ import annotations

import numpy as np
import pytest
from rextio.plugins.testing import CertificationError

from certification import Certification
from kernels import elementwise, kernel
from observation import Header, copies, same_argument, same_bits, same_result
from strategies import LAYOUTS, laid_out, special_values

VALUES = special_values("f64", (4, 6), 1)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_copies_keep_the_representation(layout: str) -> None:
    array = laid_out(VALUES, layout)
    (copy,) = copies((array,))
    assert isinstance(copy, np.ndarray)
    assert not np.shares_memory(copy, array)
    assert copy.tobytes() == array.tobytes()
    for name in (
        "dtype",
        "shape",
        "strides",
        "c_contiguous",
        "f_contiguous",
        "writeable",
        "aligned",
    ):
        assert getattr(Header.of(copy), name) == getattr(Header.of(array), name), name
    assert (copy.ctypes.data - array.ctypes.data) % 64 == 0


def test_layouts_differ_from_each_other() -> None:
    seen = {layout: laid_out(VALUES, layout) for layout in LAYOUTS}
    assert len({(array.strides, array.flags.aligned) for array in seen.values()}) >= 9
    assert not seen["unaligned"].flags.aligned
    assert not seen["packed_field"].flags.aligned
    assert not seen["readonly"].flags.writeable
    assert seen["F"].flags.f_contiguous
    assert min(seen["negative"].strides) < 0
    assert 0 in seen["stretched_rows"].strides
    assert 0 in seen["stretched_columns"].strides


def test_copies_keep_overlap_and_identity() -> None:
    row = np.arange(8.0)
    first, second, third, number = copies((row[:-1], row[1:], row[:-1], 3))
    assert isinstance(first, np.ndarray)
    assert isinstance(second, np.ndarray)
    assert second.ctypes.data - first.ctypes.data == 8
    assert isinstance(third, np.ndarray)
    assert third.ctypes.data == first.ctypes.data
    assert number == 3


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (np.array([0.0]), np.array([-0.0])),
        (np.array([1.0]), np.array([np.nextafter(1.0, 2.0)])),
        (np.array([1.0]), np.array([1.0], "f4")),
        (np.array([1.0]), np.array([1])),
        (np.array([1.0]), np.array([[1.0]])),
        (np.ones((3, 4)), np.asfortranarray(np.ones((3, 4)))),
        (np.ones(4), np.ones(8)[::2].copy()[:4][:]),
        (np.ones(4), np.ones(4).view(np.recarray)),
        (np.ones(4), 1.0),
        (1.0, 1),
        (0.0, -0.0),
        (1.0, float("nan")),
        (True, 1),
        ([1.0, 2.0], [1.0, 3.0]),
        ([1.0], [1.0, 1.0]),
        ([1.0], (1.0,)),
    ],
    ids=[
        *("zero", "ulp", "width", "kind", "rank", "order", "owner", "subclass", "scalar", "type"),
        *("scalar zero", "scalar NaN", "bool", "item", "length", "container"),
    ],
)
def test_results_that_differ_are_told_apart(left: object, right: object) -> None:
    assert not same_result(left, right)
    assert not same_bits(left, right)
    assert same_result(left, left)


def test_nans_are_alike_unless_bits_are_asked_for() -> None:
    left, right = np.array([np.nan, 1.0]), np.array([-np.nan, 1.0])
    assert same_result(left, right)
    assert not same_bits(left, right)
    assert not same_result(left, np.array([1.0, np.nan]))


@pytest.mark.parametrize(
    ("cores", "numpys"),
    [
        (1.5, np.float64(1.5)),
        (-0.0, np.float64(-0.0)),
        (float("nan"), -np.float64("nan")),
        (3, np.int64(3)),
        (True, np.bool_(True)),
        ([1.5, 3], [np.float64(1.5), np.int64(3)]),
    ],
    ids=["float", "zero", "NaN", "int", "bool", "list"],
)
def test_scalars_must_be_cores(cores: object, numpys: object) -> None:
    assert same_result(cores, numpys)
    assert not same_result(numpys, numpys)
    assert not same_result(numpys, cores)


def test_a_change_between_elements_is_seen() -> None:
    left, right = np.zeros(6), np.zeros(6)
    right[1] = 1.0
    assert left[::2].tobytes() == right[::2].tobytes()
    assert not same_argument(left[::2], right[::2])


def test_the_legs_are_what_they_are_called(certification: Certification) -> None:
    function = elementwise("multiply", "f64", "22")
    matrix = np.ones((2, 2)).view(np.recarray)
    assert isinstance(certification.fallback(function, matrix, matrix), np.recarray)
    with pytest.raises(TypeError):
        certification.native(function, matrix, matrix)
    with pytest.raises(CertificationError, match="diverged"):
        certification.sweep(function, matrix, matrix)
    with pytest.raises(CertificationError, match="diverged"):
        certification.check(function, matrix, matrix)


def test_a_difference_in_values_is_reported(certification: Certification) -> None:
    def never(_left: object, _right: object) -> bool:
        return False

    values = np.ones(3)
    for run in (certification.check, certification.sweep):
        with pytest.raises(CertificationError, match="diverged"):
            run(kernel("unary_f64.square_f64_1"), values, equals=never)
