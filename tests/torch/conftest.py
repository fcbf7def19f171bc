"""The project that all tests of the PyTorch plugin share, built once.

`cargo xtask test` builds the wheels, installs them into an environment with PyTorch, activates it
and sets `REXTIO_WASM_CACHE_DIR`, the cache of compiled components and crates.
"""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path

import pytest

from certification import Certification

SOURCES = Path(__file__).with_name("project")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--built`, for whoever runs the tests again and again."""
    parser.addoption(
        "--built", metavar="PROJECT", help="test this project, built by an earlier run"
    )


@pytest.fixture(scope="session")
def certified(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Certification:
    """The certified functions, built with the installed plugins."""
    root = tmp_path_factory.mktemp("torch") / "project"
    built = request.config.getoption("--built")
    return Certification.build(root, partial(shutil.copytree, SOURCES), built)
