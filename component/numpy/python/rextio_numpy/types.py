"""The annotations that make array functions candidates for native code.

Each name is an alias of `numpy.ndarray` and nothing more: annotated code runs unchanged on
CPython, and nothing is checked there. The name tells Rextio which element type and rank the
function is written for:

    from rextio_numpy.types import F64Arr1

    def scaled(samples: F64Arr1, gain: float) -> F64Arr1:
        return samples * gain

In native code an argument must be exactly a `numpy.ndarray`, not of a subclass, and have that
element type and rank; otherwise the call raises `TypeError`. Arrays of any strides, also
read-only ones, are used where they lie, without a copy. Results are new arrays that own their
memory.
"""

import numpy

F64Arr1 = numpy.ndarray
"""A `float64` array of one dimension."""

F64Arr2 = numpy.ndarray
"""A `float64` array of two dimensions."""

F32Arr1 = numpy.ndarray
"""A `float32` array of one dimension."""

F32Arr2 = numpy.ndarray
"""A `float32` array of two dimensions."""

I64Arr1 = numpy.ndarray
"""An `int64` array of one dimension."""

I64Arr2 = numpy.ndarray
"""An `int64` array of two dimensions."""

__all__ = ["F32Arr1", "F32Arr2", "F64Arr1", "F64Arr2", "I64Arr1", "I64Arr2"]
