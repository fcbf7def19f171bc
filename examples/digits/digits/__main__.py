"""`python -m digits`: train the network, or read the digits it has never seen."""

import argparse
import hashlib
import json
import time
from collections.abc import Callable
from pathlib import Path

import torch

from digits import data, network
from digits.training import DEPTH, Weights, trained


def main() -> None:
    """Do what the command line says; print what was found as JSON."""
    parser = argparse.ArgumentParser(prog="digits", description=__doc__)
    tasks = parser.add_subparsers(required=True)
    for name, task in (("train", train), ("read", read)):
        subparser = tasks.add_parser(name)
        subparser.add_argument("weights", type=Path, help="the file with the trained weights")
        subparser.set_defaults(task=task)
    arguments = parser.parse_args()
    # The network is so small that threads would wait for each other longer than they work.
    torch.set_num_threads(1)
    print(json.dumps(arguments.task(arguments.weights)))


def train(file: Path) -> dict[str, float | int]:
    """Train the network and write its weights."""
    known = data.load().known
    start = time.perf_counter()
    weights = trained(known)
    seconds = time.perf_counter() - start
    torch.save(weights._asdict(), file)
    return {"images": len(known.digits), "seconds": seconds}


def read(file: Path) -> dict[str, float | int | str]:
    """Read all unseen images, in one batch and one by one, and compare with the truth."""
    weights = Weights(**torch.load(file))
    unseen = data.load().unseen
    images = list(unseen.pixels.split(1))

    def at_once() -> torch.Tensor:
        return network.logits(unseen.pixels, *weights, DEPTH)

    def one_by_one() -> torch.Tensor:
        return torch.cat([network.logits(image, *weights, DEPTH) for image in images])

    with torch.inference_mode():
        return {
            "images": len(images),
            "correct": int((at_once().argmax(dim=1) == unseen.digits).sum()),
            "image_seconds": shortest(one_by_one) / len(images),
            "batch_seconds": shortest(at_once),
            "fingerprint": fingerprint(at_once(), one_by_one()),
        }


def shortest(task: Callable[[], object], repeat: int = 50) -> float:
    """The seconds of the fastest of many runs."""

    def timed() -> float:
        start = time.perf_counter()
        task()
        return time.perf_counter() - start

    return min(timed() for _ in range(repeat))


def fingerprint(*tensors: torch.Tensor) -> str:
    """A digest of every bit."""
    digest = hashlib.sha256()
    for tensor in tensors:
        digest.update(f"{tensor.dtype} {tuple(tensor.shape)}".encode())
        digest.update(tensor.numpy().tobytes())
    return digest.hexdigest()


if __name__ == "__main__":
    main()
