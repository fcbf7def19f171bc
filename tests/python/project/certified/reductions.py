"""Functions that reduce arrays and go on with what comes out."""

import numpy
import numpy as np
from numpy import dot as inner
from numpy import mean
from rextio_numpy.types import F32Arr1, F64Arr1, F64Arr2, I64Arr1, I64Arr2


def centred(a: F64Arr2) -> F64Arr2:
    return a - np.mean(a)


def centred_by_column(a: F64Arr2) -> F64Arr2:
    spread = numpy.sum(numpy.square(a - a.mean(axis=0)), axis=0)
    return (a - mean(a, axis=0)) / spread


def variance(a: F64Arr1) -> float:
    middle = a.mean()
    return numpy.mean(numpy.square(a - middle))


def normalised(a: F64Arr1) -> F64Arr1:
    return a / numpy.dot(a, a)


def weighted(a: F64Arr1, b: F64Arr1, x: float) -> F64Arr1:
    return a * inner(a, b) + b * x - numpy.mean(a - b)


def of_a_chain(a: F64Arr2, b: F64Arr1) -> float:
    return numpy.sum(a * b + a) + numpy.mean(numpy.absolute(a) * b)


def of_a_choice(a: F64Arr2, b: F64Arr1) -> float:
    chosen = numpy.where(a > b, a, 0.0)
    return chosen.sum() - numpy.where(a < b, a, b).mean()


def dot_of_expressions(a: F64Arr1, b: F64Arr1) -> float:
    shifted = a + b
    return shifted.dot(a * b - a) - numpy.dot(numpy.abs(a), shifted)


def of_reductions(a: F64Arr2, b: F64Arr2) -> float:
    return numpy.dot(a.sum(0), b.mean(0)) + a.sum(-1).sum() - numpy.mean(numpy.sum(b, 1))


def rows_and_columns(a: F64Arr2, b: F64Arr1) -> F64Arr1:
    return a.sum(axis=0) * b + numpy.mean(a, -2) * b - b


def above_the_mean(a: F64Arr2) -> F64Arr2:
    return numpy.where(a > numpy.mean(a, axis=0), a, numpy.mean(a))


def reduced_choice(a: F64Arr2, b: F64Arr1) -> F64Arr1:
    return numpy.sum(numpy.where(a > b, a, b), axis=1)


def clipped_to_means(a: F64Arr1, b: F64Arr1) -> F64Arr1:
    low = numpy.mean(a)
    high = numpy.mean(b)
    if low > high:
        low = high
    return numpy.where(a > low, a, low) - high


def branches_on_sums(a: F64Arr1, b: F64Arr1) -> F64Arr1:
    if numpy.sum(a) > b.sum():
        return a - b
    return b - a


def loop_of_dots(a: F64Arr1, b: F64Arr1, n: int) -> float:
    total = 0.0
    out = a + 0.0
    for _ in range(n):
        total = total + numpy.dot(out, b)
        out = out * 0.5
    return total


def loop_of_axes(a: F64Arr2, n: int) -> F64Arr2:
    out = a + 1.0
    for _ in range(n):
        out = out / numpy.sum(out, axis=0) - numpy.mean(out)
    return out


def floats_of_a_loop(a: F64Arr1, n: int) -> list[float]:
    sums = [numpy.sum(a)]
    out = a + 0.0
    for _ in range(n):
        out = numpy.where(out > 0.5, out * 0.5, out + 1.0)
        sums.append(out.mean())
    return sums


def pair(a: F64Arr1) -> tuple[float, float]:
    return numpy.sum(a), -numpy.mean(a)


def is_larger(a: F64Arr1, b: F64Arr1) -> bool:
    return a.sum() > numpy.sum(b)


def spread_of_ints(n: I64Arr1) -> F64Arr1:
    low = n.min()
    high = numpy.max(n)
    return (n - low) / high


def ints_of_ints(n: I64Arr2, k: I64Arr1) -> list[int]:
    return [numpy.sum(n), n.sum(), k.dot(k), numpy.dot(k, k), numpy.max(n.min(axis=1)), k.max(0)]


def extremes_by_axis(n: I64Arr2) -> I64Arr1:
    return numpy.max(n, axis=0) - n.min(0) + n.sum(axis=-2)


def halved_until_small(n: I64Arr1, steps: int) -> I64Arr1:
    out = numpy.where(n > 1000, 1000, n)
    for step in range(steps):
        if numpy.max(out) < 5:
            return out
        out = numpy.where(out > 4, out - step, out)
    return out


def count_until_small(n: I64Arr1, limit: int) -> int:
    out = numpy.where(n > 100, 100, n)
    count = 0
    while numpy.max(out) > limit + 20:
        out = numpy.where(out > limit, out - 5, out)
        count = count + 1
    return count


def extremum_beside_floats(a: F32Arr1, n: I64Arr1) -> F32Arr1:
    smallest = numpy.min(n)
    if smallest < 0:
        return a * 0.5
    return a + a


def sum_fails_after_dot(a: F64Arr1, b: F64Arr1, n: I64Arr1) -> int:
    length = numpy.dot(a, b)
    if length > 1e300:
        return 0
    return numpy.max(n)


def ratio_of_sums(a: F64Arr1, b: F64Arr1) -> float:
    return numpy.sum(a) / b.sum()


def difference_of_extrema(n: I64Arr1) -> int:
    return numpy.max(n) - n.min()


def float32_by_a_sum(a: F32Arr1, b: F64Arr1) -> F32Arr1:
    return a * numpy.sum(b)
