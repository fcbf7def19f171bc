"""The annotations that make tensor functions candidates for native code.

The classes only mark: values are ordinary `torch.Tensor` objects, annotated code runs unchanged
on CPython, and nothing is checked there. The name tells Rextio which rank the function is written
for:

    from rextio_torch.types import TensorF32Cpu2D

    def product(a: TensorF32Cpu2D, b: TensorF32Cpu2D) -> TensorF32Cpu2D:
        return a @ b

In native code an argument must be a float32 tensor on the CPU with that many axes, of any
lengths and strides; otherwise the call raises `TypeError` or `ValueError`. Importing this module
imports neither torch nor Rextio.
"""


class TensorF32Cpu2D:
    """A `float32` tensor of two dimensions on the CPU."""


class TensorF32Cpu1D:
    """A `float32` tensor of one dimension on the CPU."""


__all__ = ["TensorF32Cpu1D", "TensorF32Cpu2D"]
