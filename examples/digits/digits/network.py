"""The network, typed for Rextio.

On CPython this is plain PyTorch, and can be trained. What a function does stands above it: Rextio
0.1 leaves a function with a docstring on CPython.
"""

import torch.nn.functional as F  # noqa: N812 (PyTorch's own name for it)

from rextio_torch.types import TensorF32Cpu1D, TensorF32Cpu2D


# How much each image looks like each digit, one row of ten an image.
#
# A residual network: one block corrects what is known so far, `depth` times over.
def logits(
    images: TensorF32Cpu2D,
    stem_weight: TensorF32Cpu2D,
    stem_bias: TensorF32Cpu1D,
    wide_weight: TensorF32Cpu2D,
    wide_bias: TensorF32Cpu1D,
    narrow_weight: TensorF32Cpu2D,
    narrow_bias: TensorF32Cpu1D,
    head_weight: TensorF32Cpu2D,
    head_bias: TensorF32Cpu1D,
    depth: int,
) -> TensorF32Cpu2D:
    known = F.linear(images, stem_weight, stem_bias).tanh()
    for _ in range(depth):
        wide = F.linear(known, wide_weight, wide_bias).relu()
        known = known + F.linear(wide, narrow_weight, narrow_bias)
    return F.linear(known, head_weight, head_bias)
