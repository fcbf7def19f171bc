"""Functions of arrays, of tensors and of both, in one module."""

import numpy
from rextio_numpy.types import F64Arr1
from rextio_torch.types import TensorF32Cpu1D


def of_arrays(a: F64Arr1, b: F64Arr1) -> F64Arr1:
    return numpy.add(a, b) * a


def of_tensors(a: TensorF32Cpu1D, b: TensorF32Cpu1D) -> TensorF32Cpu1D:
    return a + b.relu()


def tensor_plus_array(a: TensorF32Cpu1D, b: F64Arr1) -> TensorF32Cpu1D:
    return a + b


def array_of_tensor(a: F64Arr1, b: TensorF32Cpu1D) -> F64Arr1:
    return numpy.add(a, b)


def side_by_side(a: TensorF32Cpu1D, b: F64Arr1, threshold: float) -> TensorF32Cpu1D:
    if b.sum() > threshold:
        return a.relu()
    return a.tanh()
