"""The steps from one photograph to another: plain Python around the kernels."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from darkroom import kernels

Plane = NDArray[Any]
Kernel = Callable[..., Plane]


def develop(photo: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the photograph (height, width, 3) with open shadows, less haze and deeper colours."""
    black, white = levels(photo)
    light = [
        kernels.linear(channel.astype(np.float64), black, white) for channel in channels(photo)
    ]
    light = relight(light)
    light = burn(light, strength=0.12)
    return shown(light, saturation=1.3)


def channels(photo: NDArray[np.uint8]) -> list[NDArray[np.uint8]]:
    """Red, green and blue, as views."""
    return [photo[:, :, channel] for channel in range(3)]


def levels(photo: NDArray[np.uint8]) -> tuple[float, float]:
    """The black and the white point: what a half percent of the pixels lies below and above."""
    brightness = kernels.luma(*(channel.astype(np.int64) for channel in channels(photo))) // 256
    share = np.cumsum(np.bincount(brightness.ravel(), minlength=256)) / brightness.size
    return float(np.searchsorted(share, 0.005)), float(np.searchsorted(share, 0.995))


def relight(light: list[Plane]) -> list[Plane]:
    """Local tone mapping: every part of the picture as an eye sees it that has adapted to it."""
    bright = kernels.luminance(*light) + 1e-4
    around = blurred(bright, kernels.box, spacings=(1, 2, 4, 8, 16, 32))
    after = kernels.adapted(bright, kernels.eased(around, slope=4.0, floor=0.1))
    return [kernels.relit(plane, bright, after) for plane in light]


def burn(light: list[Plane], strength: float) -> list[Plane]:
    """Darken the corners a little, which leads the eye to the middle."""
    height, width = light[0].shape
    rows = np.linspace(-1.0, 1.0, height).reshape(height, 1)
    columns = np.linspace(-1.0, 1.0, width)
    falloff = kernels.falloff(rows, columns, strength)
    return [kernels.burned(plane, falloff) for plane in light]


def shown(light: list[Plane], saturation: float) -> NDArray[np.uint8]:
    """The picture as shown, with deeper colours and crisp detail."""
    planes = [np.sqrt(np.maximum(plane, 0.0)).astype(np.float32) for plane in light]
    grey = (planes[0] + planes[1] + planes[2]) / np.float32(3.0)
    planes = [kernels.saturated(plane, grey, saturation) for plane in planes]
    planes = [
        kernels.sharpened(plane, blurred(plane, kernels.box_shown, spacings=(1,)))
        for plane in planes
    ]
    picture: NDArray[np.float32] = np.stack(planes, axis=2) * np.float32(255.0)
    return np.rint(picture).clip(0, 255).astype(np.uint8)


def blurred(plane: Plane, mean: Kernel, spacings: tuple[int, ...]) -> Plane:
    """Blur ever wider: each pass takes the mean of nine pixels, twice as far apart as the last."""
    for spacing in spacings:
        plane = mean(*neighbours(plane, spacing))
    return plane


def neighbours(plane: Plane, spacing: int) -> list[Plane]:
    """The plane shifted in all nine directions: views of one copy with repeated edges."""
    height, width = plane.shape
    wide = np.pad(plane, spacing, mode="edge")
    shifts = (0, spacing, 2 * spacing)
    return [wide[y : y + height, x : x + width] for y in shifts for x in shifts]
