"""Functions that core or the plugin leaves on Python."""

import numpy
from rextio_numpy.types import F32Arr1, F64Arr1, F64Arr2, I64Arr1


def returns_its_parameter(a: F64Arr2) -> F64Arr2:
    return a


def returns_an_alias(a: F64Arr1, b: F64Arr1, flag: bool) -> F64Arr1:
    out = a + b
    if flag:
        out = a
    return out


def mixed_dtypes(a: F64Arr1, n: I64Arr1) -> F64Arr1:
    return a + n


def int_beside_floats(a: F64Arr1) -> F64Arr1:
    return a * 2


def float_beside_ints(n: I64Arr1, x: float) -> F64Arr1:
    return n * x


def ufunc_with_option(a: F32Arr1, b: F32Arr1) -> F32Arr1:
    return numpy.add(a, b, casting="no")


def unary_of_scalar(x: float, a: F64Arr1) -> F64Arr1:
    return a * numpy.negative(x)


def matrix_product(a: F64Arr2, b: F64Arr2) -> F64Arr2:
    return a @ b


def in_place(a: F64Arr1, b: F64Arr1) -> F64Arr1:
    out = a + b
    out += b
    return out


def calls_another(a: F64Arr1, b: F64Arr1) -> F64Arr1:
    return mixed_dtypes(a, b) + a
