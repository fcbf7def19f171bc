"""Arrays as Hypothesis draws them: every element type, shape and layout that NumPy has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

from kernels import DOT, NUMPY_NAMES, Dtype, Kernel, Lane

Shape = tuple[int, ...]

LONG_LENGTHS: tuple[int, ...] = (
    *(8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 70),
    *(255, 256, 257, 260, 511, 512, 513, 514, 1023, 1024, 1025, 4095, 4096, 4097),
)
"""Around the widths of SIMD registers and of the blocks that kernels work in."""

LAYOUTS: tuple[str, ...] = (
    *("C", "F", "strided", "negative", "transposed", "inner_step", "reversed_all"),
    *("unaligned", "packed_field", "readonly", "stretched_rows", "stretched_columns"),
)

LARGE_SHAPES: Mapping[Dtype, tuple[int, int]] = {
    "f64": (1301, 1303),
    "f32": (1801, 1907),
    "i64": (1301, 1303),
}
"""Of 12 MiB or more: results that are written past the caches."""

FORWARD_LAYOUTS: tuple[str, ...] = ("C", "F", "strided", "transposed", "inner_step", "readonly")
"""The layouts of aligned elements, each of which lies behind the one before."""


def layouts_of(function: Kernel) -> tuple[str, ...]:
    """The layouts on which a function has NumPy's bits.

    NumPy copies other operands of a float64 `dot`, and BLAS sums contiguous ones in another order.
    """
    return FORWARD_LAYOUTS if DOT in function.rules else LAYOUTS


def _floats(dtype: type[np.floating[Any]]) -> list[float]:
    info = np.finfo(dtype)
    magnitudes = [
        *(0.0, 1.0, 1.5, 3.0, 1e-3, 1 / 3, float("inf"), float("nan")),
        *map(float, (info.max, info.tiny, info.smallest_subnormal, info.eps)),
        *map(float, (info.tiny - info.smallest_subnormal, dtype(1) + info.eps)),
        float(info.max) ** 0.5,
    ]
    return [*magnitudes, *(-magnitude for magnitude in magnitudes)]


_INT64 = np.iinfo(np.int64)

SPECIAL: dict[Dtype, np.ndarray] = {
    "f64": np.array(_floats(np.float64), np.float64),
    "f32": np.array(_floats(np.float32), np.float32),
    "i64": np.array(
        [
            *(0, 1, -1, 2, -2, 3, 7, -10, 1000, 2**31, -(2**31), 2**32 + 1, 2**53, 2**53 + 1),
            *(3037000500, _INT64.max, _INT64.max - 1, _INT64.min, _INT64.min + 1),
        ],
        np.int64,
    ),
}
"""The values at which arithmetic goes wrong: signed zeros, infinities, subnormals, extremes."""


def special_values(dtype: Dtype, shape: Shape, seed: int) -> np.ndarray:
    """A fresh C-ordered array of special and of arbitrary values."""
    random = np.random.default_rng(seed)
    count = int(np.prod(shape))
    values = SPECIAL[dtype][random.integers(0, len(SPECIAL[dtype]), count)]
    arbitrary = random.integers(0, 256, count * values.itemsize, np.uint8).view(values.dtype)
    return np.where(random.random(count) < 0.5, values, arbitrary).reshape(shape)


def ordinary_values(dtype: Dtype, shape: Shape, seed: int) -> np.ndarray:
    """As `special_values`: finite floats of many magnitudes, whose sums depend on the order."""
    random = np.random.default_rng(seed)
    if dtype == "i64":
        return random.integers(-(2**63), 2**63 - 1, shape, endpoint=True)
    magnitudes = 10.0 ** random.integers(-4, 5, shape)
    return (random.standard_normal(shape) * magnitudes).astype(NUMPY_NAMES[dtype])


def repeated_values(dtype: Dtype, shape: Shape, seed: int) -> np.ndarray:
    """As `special_values`: few small values, so that arrays have elements in common."""
    values = np.array([-1, 0, 1, 2], NUMPY_NAMES[dtype])
    if dtype != "i64":
        values = np.append(values, -values)
    return np.random.default_rng(seed).choice(values, shape)


def laid_out(values: np.ndarray, layout: str) -> np.ndarray:
    """An array of these values (of one of their rows or columns, where stretched) in a layout."""
    if layout == "readonly":
        array = values.copy()
        array.flags.writeable = False
        return array
    if layout == "unaligned":
        raw = np.zeros(values.nbytes + 1, np.uint8)
        array = np.frombuffer(raw, values.dtype, values.size, offset=1).reshape(values.shape)
    elif layout == "packed_field":
        # Elements lie 13 bytes apart or 9: no multiple of their size.
        packed = np.zeros(values.shape, np.dtype([("tag", "S5"), ("value", values.dtype)]))
        array = packed["value"]
    elif layout == "stretched_rows":
        return np.broadcast_to(values[:1], values.shape)
    elif layout == "stretched_columns":
        return np.broadcast_to(values[..., :1], values.shape)
    elif layout == "F":
        array = np.empty(values.shape, values.dtype, order="F")
    elif layout == "transposed":
        array = np.empty(values.shape[::-1], values.dtype).T
    else:
        array = _window(values, layout)
    array[...] = values
    return array


def _window(values: np.ndarray, layout: str) -> np.ndarray:
    """Memory for the values within a larger array: every other row, backwards and so on."""
    steps = {
        "C": [1] * values.ndim,
        "strided": [2] * values.ndim,
        "negative": [-1] + [1] * (values.ndim - 1),
        "inner_step": [1] * (values.ndim - 1) + [3],
        "reversed_all": [-1] * values.ndim,
    }[layout]
    room = [length * abs(step) for length, step in zip(values.shape, steps, strict=True)]
    if layout == "strided":
        room[-1] += 1
    array = np.empty(room, values.dtype)[tuple(slice(None, None, step) for step in steps)]
    return array[tuple(slice(length) for length in values.shape)]


def shapes(ranks: Sequence[int]) -> st.SearchStrategy[tuple[Shape, ...]]:
    """A shape for each rank; mostly such that they broadcast against each other."""

    @st.composite
    def draw_shapes(draw: st.DrawFn) -> tuple[Shape, ...]:
        if draw(st.integers(0, 9)) == 0:
            return tuple(draw(st.tuples(*[st.integers(0, 7)] * rank)) for rank in ranks)
        common = (draw(st.integers(0, 7)), draw(st.integers(0, 7) | st.sampled_from(LONG_LENGTHS)))
        return tuple(
            tuple(1 if draw(st.integers(0, 4)) == 0 else length for length in common[2 - rank :])
            for rank in ranks
        )

    return draw_shapes()


def arrays(
    dtype: Dtype, shape: Shape, layouts: Sequence[str] = LAYOUTS
) -> st.SearchStrategy[np.ndarray]:
    """An array of this type and shape in any of the layouts."""
    return st.builds(
        lambda values, seed, layout: laid_out(values(dtype, shape, seed), layout),
        st.sampled_from((special_values, special_values, ordinary_values, repeated_values)),
        st.integers(0, 2**32 - 1),
        st.sampled_from(layouts),
    )


def scalars(dtype: Dtype) -> st.SearchStrategy[float] | st.SearchStrategy[int]:
    """A Python scalar for arrays of this type: for float32 also ones that overflow to infinity."""
    if dtype == "i64":
        return st.sampled_from(SPECIAL["i64"].tolist()) | st.integers(-(2**63), 2**63 - 1)
    return st.sampled_from(
        [*SPECIAL["f64"].tolist(), *SPECIAL["f32"].tolist(), 1e300, 3.4028236e38]
    ) | st.floats(width=64)


@st.composite
def arguments(
    draw: st.DrawFn, lanes: Sequence[Lane], layouts: Sequence[str] = LAYOUTS
) -> tuple[object, ...]:
    """Arguments of these types. Some calls pass one array twice, or two that overlap."""
    drawn = draw(shapes([lane.rank for lane in lanes if lane.rank]))
    remaining = iter(drawn)
    values: list[object] = []
    for lane in lanes:
        if lane.rank == 0:
            values.append(draw(scalars(lane.dtype)))
            continue
        shape = next(remaining)
        earlier = [value for value in values if _could_be(value, lane, shape)]
        if earlier and draw(st.integers(0, 3)) == 0:
            chosen = draw(st.sampled_from(earlier))
            assert isinstance(chosen, np.ndarray)
            same = "negative" not in layouts or draw(st.booleans())
            values.append(chosen if same else chosen[::-1])
        else:
            values.append(draw(arrays(lane.dtype, shape, layouts)))
    return tuple(values)


def _could_be(value: object, lane: Lane, shape: Shape) -> bool:
    return (
        isinstance(value, np.ndarray)
        and value.shape == shape
        and value.dtype == NUMPY_NAMES[lane.dtype]
    )
