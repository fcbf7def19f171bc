"""Where things are, and the project that all certification tests share.

`cargo xtask test` builds the wheels, installs them and sets the environment:

| variable | what |
|---|---|
| `REXTIO_REFERENCE_PYTHON` | the Python of an environment with the published plugin 0.1.3 |
| `REXTIO_CORE_0_1_6_PYTHON`, `REXTIO_CORE_0_1_7_PYTHON` | Pythons with those versions of core |
| `REXTIO_WASM_CACHE_DIR` | the cache of compiled components and crates |
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from certification import Certification

# Machines differ in speed and in nothing else: the same cases everywhere, and no deadline.
settings.register_profile(
    "certification",
    derandomize=True,
    deadline=None,
    database=None,
    max_examples=20,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
settings.load_profile("certification")

REPOSITORY = Path(__file__).parents[2]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--built`, for whoever runs the certification again and again."""
    parser.addoption(
        "--built",
        metavar="PROJECT",
        help="certify this project, built by an earlier run with --basetemp, instead of a new one",
    )


def python_of(variable: str) -> Path:
    """The Python that an environment variable names."""
    path = os.environ.get(variable)
    if not path:
        pytest.fail(f"{variable} is not set; run the tests with: cargo xtask test", pytrace=False)
    if not Path(path).is_file():
        pytest.fail(f"{variable} names {path}, and there is no such file", pytrace=False)
    return Path(path)


@pytest.fixture(scope="session")
def certification(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Certification:
    """The certified functions, built once with the installed plugin."""
    root = tmp_path_factory.mktemp("certification") / "project"
    return Certification.build(root, built=request.config.getoption("--built"))


@pytest.fixture(scope="session")
def reference_python() -> Path:
    """A Python with the published plugin rextio-numpy 0.1.3 on the same core."""
    return python_of("REXTIO_REFERENCE_PYTHON")
