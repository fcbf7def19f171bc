"""Functions that keep masks in locals, combine them and choose by them."""

import numpy
import numpy as np
from numpy import logical_not
from numpy import where as choose
from rextio_numpy.types import F32Arr1, F32Arr2, F64Arr1, F64Arr2, I64Arr1, I64Arr2


def used_twice(a: F64Arr1, b: F64Arr1) -> F64Arr1:
    mask = a > b
    high = numpy.where(mask, a, b)
    low = numpy.where(mask, b, a)
    return high - low * 0.5


def redefined(a: F64Arr1, b: F64Arr2) -> F64Arr2:
    mask = a > b
    mask = logical_not(mask)
    mask = numpy.logical_or(mask, b == 1.0)
    return choose(mask, a, b)


# A mask stands for the values at the comparison, whatever its operands' names mean later.
def outlives_its_operands(a: F64Arr1, b: F64Arr1) -> F64Arr1:
    shifted = a + b
    mask = shifted > b
    shifted = shifted * 2.0 - a
    a = b - shifted
    return numpy.where(mask, shifted, a)


def of_temporaries(a: F64Arr2, b: F64Arr2, c: F64Arr1) -> F64Arr2:
    mask = numpy.logical_and(a * b + c > a - c, numpy.abs(a) < c * 2.0)
    return numpy.where(mask, a + b, numpy.negative(b)) * c


def nested(a: F64Arr2, b: F64Arr1, c: F64Arr2) -> F64Arr2:
    return np.where(
        np.logical_and(np.logical_or(a > b, c < 0.0), np.logical_not(a == c)),
        a * b + c,
        np.where(b != 1.0, c, 0.5),
    )


def of_three_dtypes(a: F64Arr1, b: F32Arr2, n: I64Arr1) -> F64Arr2:
    both = numpy.logical_and(b > 0.5, n >= 3)
    return numpy.where(numpy.logical_or(both, a <= 0.0), a, -1.0)


def chooses_floats_by_ints(a: F32Arr2, n: I64Arr1, x: float) -> F32Arr2:
    return numpy.where(n == 7, a, x) - numpy.where(numpy.logical_not(n < 0), a, 1e300)


def literals(a: F32Arr1, b: F32Arr2) -> F32Arr2:
    mask = numpy.logical_or(a == 0.1, numpy.logical_and(-1e-46 <= b, b != 1e300))
    return numpy.where(mask, -1e300, b)


def int_literals(n: I64Arr2) -> F64Arr2:
    return numpy.where(n < 0, numpy.where(n < -10, n * 3, -9223372036854775807), n) / 2


def branches(a: F64Arr1, b: F64Arr1, choice: int) -> F64Arr1:
    mask = a > b
    if choice > 0:
        mask = a <= b
    if choice == 0:
        return numpy.where(mask, a - b, a)
    return numpy.where(mask, a, b * 2.0)


def loop(a: F64Arr1, b: F64Arr1, n: int) -> F64Arr1:
    out = a + b
    for _ in range(n):
        mask = out > b
        out = numpy.where(mask, out * 0.5, out + a)
    return out


def loop_with_the_last_mask(a: F64Arr2, b: F64Arr1, n: int) -> F64Arr2:
    out = a - b
    mask = out > b
    for _ in range(n):
        out = numpy.where(mask, out - a, b)
        mask = numpy.logical_not(out > 1.0)
    return numpy.where(mask, a, out)


def while_loop(n: I64Arr1, limit: int) -> I64Arr1:
    out = numpy.where(n > 1000, 1000, n)
    count = 0
    while count < limit:
        out = numpy.where(out > count, out - count, out)
        count = count + 2
    return out


def growing(a: F64Arr1, thresholds: list[float]) -> F64Arr1:
    mask = a == a
    for threshold in thresholds:
        mask = numpy.logical_and(mask, a * 2.0 != threshold)
    return numpy.where(mask, a, -1.0)


def first_failure(
    a: F64Arr1, b: F64Arr1, c: F64Arr1, d: F64Arr1, e: F64Arr1, f: F64Arr1
) -> F64Arr1:
    return numpy.where(numpy.logical_and(a > b, b < c), c * d, e + f)


def first_failing_statement(a: F64Arr1, b: F64Arr1, c: F64Arr1) -> F64Arr1:
    mask = a > b
    sums = a + c
    return numpy.where(mask, sums, c)
