"""Functions that core or the plugin leaves on Python."""

import numpy
from rextio_numpy.types import F32Arr1, F32Arr2, F64Arr1, F64Arr2, I64Arr1, I64Arr2

from certified.programs import locals_and_reuse


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


def returns_a_mask(a: F64Arr1, b: F64Arr1) -> bool:
    return a > b


def returns_a_mask_as_an_array(a: F64Arr1, b: F64Arr1) -> F64Arr1:
    return a > b


def returns_a_logical_mask(a: F64Arr1) -> bool:
    return numpy.logical_not(a > 0.0)


def returns_a_named_mask(a: F64Arr1, b: F64Arr1) -> bool:
    mask = a <= b
    return mask


def returns_masks_in_a_list(a: F64Arr1, b: F64Arr1) -> list[float]:
    return [a > b]


def passes_a_mask(a: F64Arr1, b: F64Arr1) -> F64Arr1:
    return locals_and_reuse(a > b, a)


def renames_a_mask(a: F64Arr1, b: F64Arr1) -> F64Arr1:
    mask = a > b
    other = mask
    return numpy.where(other, a, b)


def annotates_a_mask(a: F64Arr1, b: F64Arr1) -> F64Arr1:
    mask: object = a > b
    return numpy.where(mask, a, b)


def mask_in_arithmetic(a: F64Arr1, b: F64Arr1) -> F64Arr1:
    return (a > b) * a


def sum_of_a_mask(a: F64Arr1) -> int:
    return numpy.sum(a > 0.0)


def mask_as_index(a: F64Arr1, b: F64Arr1) -> F64Arr1:
    return a[a > b]


def mask_as_truth(a: F64Arr1, b: F64Arr1) -> float:
    if a > b:
        return 1.0
    return 0.0


def masks_compared(a: F64Arr1, b: F64Arr1) -> F64Arr1:
    return numpy.where((a > b) == (b > a), a, b)


def bitwise_and(a: F64Arr1, b: F64Arr1) -> F64Arr1:
    return numpy.where((a < b) & (b < 2.0), a, b)


def inverted(a: F64Arr1, b: F64Arr1) -> F64Arr1:
    return numpy.where(~(a < b), a, b)


def chained_comparison(a: F64Arr1, b: F64Arr1) -> F64Arr1:
    return numpy.where(a < b < a, a, b)


def identity(a: F64Arr1, b: F64Arr1) -> F64Arr1:
    if a is b:
        return a * 2.0
    return a * b


def membership(a: F64Arr1, x: float) -> bool:
    return x in a


def int_compared_with_floats(a: F64Arr1) -> F64Arr1:
    return numpy.where(a > 0, a, 0.0)


def bool_compared_with_ints(n: I64Arr1, flag: bool) -> I64Arr1:
    return numpy.where(n > flag, n, 0)


def int_literal_beyond_int64(n: I64Arr1) -> I64Arr1:
    return numpy.where(n > 9223372036854775808, n, 0)


def dtypes_compared(a: F64Arr1, b: F32Arr1) -> F64Arr1:
    return numpy.where(a > b, a, 0.0)


def comparing_ufunc(a: F64Arr1, b: F64Arr1) -> F64Arr1:
    return numpy.where(numpy.greater(a, b), a, 0.0)


def logical_and_of_arrays(a: F64Arr1, b: F64Arr1) -> F64Arr1:
    return numpy.where(numpy.logical_and(a, b), a, 0.0)


def logical_not_of_an_array(a: F64Arr1) -> F64Arr1:
    return numpy.where(numpy.logical_not(a), a, 0.0)


def logical_and_of_three(a: F64Arr1, b: F64Arr1) -> F64Arr1:
    return numpy.where(numpy.logical_and(a > b, a > 0.0, b > 0.0), a, b)


def logical_and_with_option(a: F64Arr1, b: F64Arr1) -> F64Arr1:
    return numpy.where(numpy.logical_and(a > b, b > 0.0, casting="no"), a, b)


def logical_xor(a: F64Arr1, b: F64Arr1) -> F64Arr1:
    return numpy.where(numpy.logical_xor(a > 0.0, b > 0.0), a, b)


def where_of_one_argument(a: F64Arr1) -> F64Arr1:
    return numpy.where(a > 0.0)


def where_with_keywords(a: F64Arr1) -> F64Arr1:
    return numpy.where(a > 0.0, x=a, y=a)


def where_of_two_scalars(a: F64Arr1) -> F64Arr1:
    return numpy.where(a > 0.0, 1.0, 0.0)


def where_of_two_dtypes(a: F64Arr1, n: I64Arr1) -> F64Arr1:
    return numpy.where(a > 0.0, a, n)


def where_of_floats_and_int(a: F64Arr1) -> F64Arr1:
    return numpy.where(a > 0.0, a, 0)


def where_by_an_array(a: F64Arr1) -> F64Arr1:
    return numpy.where(a, a, 0.0)


def where_by_another_name(a: F64Arr1) -> F64Arr1:
    choose = numpy.where
    return choose(a > 0.0, a, 0.0)


def float32_dot(a: F32Arr1, b: F32Arr1) -> float:
    return numpy.dot(a, b)


def float32_dot_method(a: F32Arr1, b: F32Arr1) -> float:
    return a.dot(b)


def matrix_dot(a: F64Arr2, b: F64Arr2) -> F64Arr2:
    return numpy.dot(a, b)


def matrix_vector_dot_method(a: F64Arr2, b: F64Arr1) -> F64Arr1:
    return a.dot(b)


def dot_of_two_dtypes(a: F64Arr1, n: I64Arr1) -> float:
    return numpy.dot(a, n)


def dot_with_a_scalar(a: F64Arr1, x: float) -> F64Arr1:
    return numpy.dot(a, x)


def dot_into_an_output(a: F64Arr1, b: F64Arr1, out: F64Arr1) -> float:
    return numpy.dot(a, b, out)


def dot_with_keyword(a: F64Arr1, b: F64Arr1) -> float:
    return numpy.dot(a, b=b)


def dot_method_of_an_expression(a: F64Arr1, b: F64Arr1) -> float:
    return (a + b).dot(b)


def matmul_call(a: F64Arr1, b: F64Arr1) -> float:
    return numpy.matmul(a, b)


def matmul_operator(a: F64Arr1, b: F64Arr1) -> float:
    return a @ b


def inner_product(a: F64Arr1, b: F64Arr1) -> float:
    return numpy.inner(a, b)


def float32_sum(a: F32Arr1) -> float:
    return numpy.sum(a)


def float32_sum_method(a: F32Arr2) -> float:
    return a.sum()


def float32_sum_by_axis(a: F32Arr2) -> F32Arr1:
    return numpy.sum(a, axis=0)


def float32_mean(a: F32Arr1) -> float:
    return numpy.mean(a)


def float32_mean_by_axis(a: F32Arr2) -> F32Arr1:
    return a.mean(1)


def int_mean(n: I64Arr1) -> float:
    return numpy.mean(n)


def int_mean_method(n: I64Arr2) -> float:
    return n.mean()


def int_mean_by_axis(n: I64Arr2) -> F64Arr1:
    return numpy.mean(n, axis=1)


def float_max(a: F64Arr1) -> float:
    return numpy.max(a)


def float_min_method(a: F64Arr1) -> float:
    return a.min()


def float_max_by_axis(a: F64Arr2) -> F64Arr1:
    return numpy.max(a, axis=0)


def float_min_by_positional_axis(a: F64Arr2) -> F64Arr1:
    return numpy.min(a, 0)


def float_max_by_method_axis(a: F64Arr2) -> F64Arr1:
    return a.max(axis=1)


def sum_of_an_expressions_method(a: F64Arr2, b: F64Arr1) -> float:
    return (a * b).sum()


def axis_in_a_parameter(a: F64Arr2, axis: int) -> F64Arr1:
    return numpy.sum(a, axis=axis)


def positional_axis_in_a_parameter(a: F64Arr2, axis: int) -> F64Arr1:
    return a.sum(axis)


def axis_in_a_local(a: F64Arr2) -> F64Arr1:
    axis = 0
    return numpy.sum(a, axis=axis)


def axis_in_a_tuple(a: F64Arr2) -> float:
    return numpy.sum(a, axis=(0, 1))


def axis_none(a: F64Arr2) -> float:
    return numpy.sum(a, axis=None)


def axis_out_of_range(a: F64Arr2) -> F64Arr1:
    return numpy.sum(a, axis=2)


def positional_axis_out_of_range(a: F64Arr1) -> float:
    return a.mean(-2)


def axis_with_a_plus(a: F64Arr2) -> F64Arr1:
    return numpy.sum(a, axis=+1)


def axis_computed(a: F64Arr2) -> F64Arr1:
    return numpy.sum(a, axis=1 - 1)


def axis_true(a: F64Arr2) -> F64Arr1:
    return numpy.sum(a, axis=True)


def dimensions_kept(a: F64Arr2) -> F64Arr2:
    return numpy.sum(a, axis=0, keepdims=True)


def dimensions_not_kept(a: F64Arr2) -> F64Arr1:
    return a.mean(axis=0, keepdims=False)


def sum_in_a_dtype(a: F64Arr2) -> float:
    return numpy.sum(a, dtype="float64")


def sum_by_axis_and_dtype(a: F64Arr2) -> F64Arr1:
    return numpy.sum(a, 0, None)


def sum_into_an_output(a: F64Arr2, out: F64Arr1) -> F64Arr1:
    return numpy.sum(a, axis=0, out=out)


def max_with_an_initial_value(n: I64Arr1) -> int:
    return numpy.max(n, initial=0)


def sum_with_a_keyword(a: F64Arr1) -> float:
    return numpy.sum(a=a)


def sum_of_a_list(a: F64Arr1, b: F64Arr1) -> float:
    return numpy.sum([a, b])


def builtin_sum(a: F64Arr1) -> float:
    return sum(a)


def other_reduction(a: F64Arr1) -> float:
    return numpy.prod(a)


def other_reducing_method(n: I64Arr1) -> int:
    return n.argmax()


def reduce_of_a_ufunc(a: F64Arr1) -> float:
    return numpy.add.reduce(a)


def amax(n: I64Arr1) -> int:
    return numpy.amax(n)


def larger_of_two(n: I64Arr1, k: I64Arr1) -> I64Arr1:
    return numpy.maximum(n, k)


def float_of_a_sum(a: F64Arr1) -> float:
    return float(numpy.sum(a))


def int_divided_by_int(n: I64Arr1) -> float:
    return numpy.sum(n) / numpy.max(n)


def pair_of_arrays(a: F64Arr2) -> tuple[F64Arr1, F64Arr1]:
    return numpy.sum(a, axis=0), numpy.mean(a, axis=1)
