"""The handwritten digits that scikit-learn ships: 1,797 images of 8 by 8 pixels."""

from typing import NamedTuple

import numpy as np
import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split


class Images(NamedTuple):
    """Images, one row of 64 pixels from 0 to 1 each, and the digits they show."""

    pixels: torch.Tensor
    digits: torch.Tensor


class Data(NamedTuple):
    """What the network learns from, and what it has never seen."""

    known: Images
    unseen: Images


def load() -> Data:
    """The images, always split alike: every fourth is kept unseen, of each digit as many."""
    pixels, digits = load_digits(return_X_y=True)
    pixels = (pixels / 16.0).astype(np.float32)
    known_pixels, unseen_pixels, known_digits, unseen_digits = train_test_split(
        pixels, digits, test_size=0.25, stratify=digits, random_state=0
    )
    return Data(
        known=Images(torch.tensor(known_pixels), torch.tensor(known_digits)),
        unseen=Images(torch.tensor(unseen_pixels), torch.tensor(unseen_digits)),
    )
