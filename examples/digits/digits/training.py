"""Finds the weights, with PyTorch's own optimiser on CPython."""

import math
from typing import NamedTuple

import torch
import torch.nn.functional as F  # noqa: N812 (PyTorch's own name for it)

from digits import network
from digits.data import Images

PIXELS, WIDTH, DIGITS = 64, 64, 10
DEPTH = 8
EPOCHS = 60
BATCH = 64


class Weights(NamedTuple):
    """What the network has learnt, in the order in which it takes it."""

    stem_weight: torch.Tensor
    stem_bias: torch.Tensor
    wide_weight: torch.Tensor
    wide_bias: torch.Tensor
    narrow_weight: torch.Tensor
    narrow_bias: torch.Tensor
    head_weight: torch.Tensor
    head_bias: torch.Tensor


def trained(images: Images) -> Weights:
    """The weights that fit the images; the same on each run."""
    random = torch.Generator().manual_seed(0)
    weights = initial(random)
    optimiser = torch.optim.AdamW(weights, lr=2e-3, weight_decay=0.05)
    for _ in range(EPOCHS):
        for batch in torch.randperm(len(images.digits), generator=random).split(BATCH):
            logits = network.logits(images.pixels[batch], *weights, DEPTH)
            loss = F.cross_entropy(logits, images.digits[batch])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
    return Weights(*(weight.detach() for weight in weights))


def initial(random: torch.Generator) -> Weights:
    """Random weights, which keep the size of what goes through them, and no bias."""
    layers = [(WIDTH, PIXELS), (WIDTH, WIDTH), (WIDTH, WIDTH), (DIGITS, WIDTH)]
    parameters = []
    for outputs, inputs in layers:
        weight = torch.randn(outputs, inputs, generator=random) / math.sqrt(inputs)
        parameters += [weight.requires_grad_(), torch.zeros(outputs, requires_grad=True)]
    return Weights(*parameters)
