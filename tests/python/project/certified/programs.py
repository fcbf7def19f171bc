"""Functions with locals, control flow and parameters that are assigned to."""

import numpy
import numpy as np
import rextio_numpy.types as t
from numpy import square as squared
from rextio_numpy.types import F32Arr1, F64Arr1, F64Arr2, I64Arr1, I64Arr2


def locals_and_reuse(a: F64Arr1, b: F64Arr1) -> F64Arr1:
    total = a + b
    difference = a - b
    product = total * difference
    return product / total + difference


def returned_local(a: F64Arr2, b: F64Arr1) -> F64Arr2:
    shifted = a * b
    return shifted


def returned_alias_of_local(a: F64Arr1) -> F64Arr1:
    doubled = a + a
    other = doubled
    return other


def reassigned_parameter(a: F64Arr2, b: F64Arr2) -> F64Arr2:
    a = a * b
    a = a - b
    return a


def changing_roles(a: F64Arr1, b: F64Arr1) -> F64Arr1:
    c = a
    a = b * 2.0
    b = c - a
    return a * b + c


def loop(a: F64Arr1, b: F64Arr1, n: int) -> F64Arr1:
    out = a + b
    for _ in range(n):
        out = out * b + a
    return out


def loop_over_floats(a: F32Arr1, weights: list[float]) -> F32Arr1:
    out = a * 0.5
    for weight in weights:
        out = out + a * weight
    return out


def while_loop(n: I64Arr2, steps: int) -> I64Arr2:
    out = n * 3
    count = 0
    while count < steps:
        out = out * out - n
        count = count + 1
    return out


def branches(a: F64Arr2, b: F64Arr1, choice: int) -> F64Arr2:
    if choice > 0:
        return a + b
    if choice == 0:
        return np.negative(a)
    out = a * b
    return out / a


def branch_values(a: F64Arr1, b: F64Arr1, flag: bool) -> F64Arr1:
    out = a - b
    if flag:
        out = numpy.add(out, b)
    else:
        out = numpy.absolute(out)
    return out * a


def early_return(a: I64Arr1, b: I64Arr1, limit: int) -> I64Arr1:
    out = a + b
    for i in range(limit):
        out = out - b * 2
        if i == 3:
            return out
    return out + a


def scalars_between(a: F64Arr1, x: float) -> F64Arr1:
    scale = x * 2.0 + 1.0
    shift = scale / 4.0
    return a * scale - shift + x * 0.5


def int_scalars_between(a: I64Arr1, n: int) -> F64Arr1:
    twice = n * 2
    return (a + twice) / (n - 7)


def imported_names(a: t.F64Arr2) -> t.F64Arr2:
    return squared(np.abs(a)) + numpy.square(a)


def second_operation_fails(a: F64Arr1, b: F64Arr1, c: F64Arr1) -> F64Arr1:
    first = a * b
    second = first + c
    return second
