"""`python -m darkroom PICTURE`: develop a photograph and show it beside the original."""

import argparse
import hashlib
import json
import time
from inspect import getmembers, isfunction
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from sklearn.datasets import load_sample_image

from darkroom import kernels
from darkroom.develop import develop

Photo = NDArray[np.uint8]


def main() -> None:
    """Develop, time, fingerprint and write the picture; print what was found as JSON."""
    parser = argparse.ArgumentParser(prog="darkroom", description=__doc__)
    parser.add_argument("picture", type=Path, help="the PNG to write: before and after")
    parser.add_argument("--repeat", type=int, default=10, help="how often to develop for the time")
    arguments = parser.parse_args()

    photo: Photo = load_sample_image("china.jpg")
    seconds = min(timed(photo) for _ in range(arguments.repeat))
    Image.fromarray(np.hstack([photo, develop(photo)])).save(arguments.picture)
    print(json.dumps({"seconds": seconds, "fingerprint": fingerprint(photo)}))


def timed(photo: Photo) -> float:
    """The seconds that it takes to develop the photograph once."""
    start = time.perf_counter()
    develop(photo)
    return time.perf_counter() - start


def fingerprint(photo: Photo) -> str:
    """A digest of every bit of every plane that any kernel makes on the way."""
    digest = hashlib.sha256()

    def watched(name: str, kernel: Any) -> Any:
        def call(*arguments: Any, **keywords: Any) -> Any:
            plane = kernel(*arguments, **keywords)
            digest.update(f"{name} {plane.dtype} {plane.shape}".encode())
            digest.update(plane.tobytes())
            return plane

        return call

    wrapped = {name: watched(name, kernel) for name, kernel in getmembers(kernels, isfunction)}
    with patch.multiple(kernels, **wrapped):
        develop(photo)
    return digest.hexdigest()


if __name__ == "__main__":
    main()
