"""The arithmetic on whole planes, typed for Rextio.

Linear light is `float64`, the picture as shown is `float32`, the counts behind the histogram are
`int64`. A plane has one value for each pixel. What a kernel does stands above it: Rextio 0.1 leaves
a function with a docstring on CPython.
"""

import numpy as np

from rextio_numpy.types import F32Arr2, F64Arr1, F64Arr2, I64Arr2


# The brightness that a viewer sees, as 256 times the usual scale of 0 to 255.
def luma(red: I64Arr2, green: I64Arr2, blue: I64Arr2) -> I64Arr2:
    return 77 * red + 150 * green + 29 * blue


# Light, from values as shown, between a black and a white point.
def linear(plane: F64Arr2, black: float, white: float) -> F64Arr2:
    return np.square((plane - black) / (white - black))


# The light that reaches a viewer (Rec. 709).
def luminance(red: F64Arr2, green: F64Arr2, blue: F64Arr2) -> F64Arr2:
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


# The mean of each pixel and its eight neighbours.
def box(
    nw: F64Arr2,
    n: F64Arr2,
    ne: F64Arr2,
    w: F64Arr2,
    here: F64Arr2,
    e: F64Arr2,
    sw: F64Arr2,
    s: F64Arr2,
    se: F64Arr2,
) -> F64Arr2:
    total = nw + n + ne + w + here + e + sw + s + se
    return total / 9.0


# Light as an eye adapted to its surroundings sees it (Naka and Rushton).
def adapted(light: F64Arr2, around: F64Arr2) -> F64Arr2:
    return (light + light * around) / (light + around)


# What an eye adapts to: more light than there is, so that deep shadows stay shadows.
def eased(around: F64Arr2, slope: float, floor: float) -> F64Arr2:
    return slope * around + floor


# A plane under new light, with its colour kept.
def relit(plane: F64Arr2, before: F64Arr2, after: F64Arr2) -> F64Arr2:
    return plane * after / before


# How much darker a lens draws towards the corners: the inverse of the cosine to the fourth.
#
# `rows` is one column of distances from the middle and `columns` one row of them.
def falloff(rows: F64Arr2, columns: F64Arr1, strength: float) -> F64Arr2:
    distance = np.add(np.square(rows), np.square(columns))
    return np.square(1.0 + strength * distance)


# A plane with its corners darkened.
def burned(plane: F64Arr2, falloff: F64Arr2) -> F64Arr2:
    return np.divide(plane, falloff)


# A plane moved away from grey.
def saturated(plane: F32Arr2, grey: F32Arr2, amount: float) -> F32Arr2:
    return grey + amount * np.subtract(plane, grey)


# A plane with twice its fine detail (unsharp masking).
def sharpened(plane: F32Arr2, blurred: F32Arr2) -> F32Arr2:
    return plane + plane - blurred


# The mean of each pixel and its eight neighbours, of the picture as shown.
def box_shown(
    nw: F32Arr2,
    n: F32Arr2,
    ne: F32Arr2,
    w: F32Arr2,
    here: F32Arr2,
    e: F32Arr2,
    sw: F32Arr2,
    s: F32Arr2,
    se: F32Arr2,
) -> F32Arr2:
    total = nw + n + ne + w + here + e + sw + s + se
    return total / 9.0
