"""The plugin works with every version of core that it says it supports."""

# ruff: noqa: D103 - the name of a test says what it holds
from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from commands import PLUGIN_PACKAGES, Project, exposed, run
from conftest import python_of

VERSIONS = {
    "0.1.6": "REXTIO_CORE_0_1_6_PYTHON",
    "0.1.7": "REXTIO_CORE_0_1_7_PYTHON",
}

SOURCE = """
import numpy

from rextio_numpy.types import F64Arr1, F64Arr2, I64Arr1


def blend(a: F64Arr2, b: F64Arr1, x: float) -> F64Arr2:
    return x * (a * b + a) - numpy.abs(a)


def ratio(n: I64Arr1, m: I64Arr1) -> F64Arr1:
    return numpy.divide(n, m)


def choose(a: F64Arr2, b: F64Arr1, x: float) -> F64Arr2:
    mask = numpy.logical_or(numpy.logical_not(a > b), b == x)
    return numpy.where(mask, a - numpy.mean(a), x)


def reduce(a: F64Arr2, n: I64Arr1) -> float:
    spread = n.max() - numpy.min(n)
    if spread > 10:
        return a.sum()
    return numpy.dot(numpy.sum(a, axis=0), a.mean(0))


def mixed(a: F64Arr1, n: I64Arr1) -> F64Arr1:
    return a + n
"""

# Loads the plugin through that core's loader, and asks what core would ask.
PROBE = """
import json
from rextio.__about__ import __version__
from rextio.config.schema import PluginConfig, RextioConfig
from rextio.plugins.api import ClaimSite, Claimed, LoweringContext
from rextio.plugins.loader import load_plugin_registry
from rextio.targets.models import TargetSpec

config = RextioConfig()
registry = load_plugin_registry(
    PluginConfig(enabled=("rextio-numpy",)), TargetSpec(language="rust"), full_config=config
)
provider = registry.providers[0].provider
operands = ("rextio-numpy/f64-2d", "rextio-numpy/f64-1d")
site = ClaimSite("binop", "-", operands, "", 0, 0)
claimed = provider.claim(site, config)
assert isinstance(claimed, Claimed), claimed
site = ClaimSite(
    "binop", "-", operands, "", 0, 0, rule_id=claimed.rule_id, result_type=claimed.result_type
)
context = LoweringContext(("a", "b"), "rust", lambda prefix: prefix + "_0")
lowered = provider.lower(site, context)
print(json.dumps({
    "core": __version__,
    "active": [(plugin.id, plugin.version, plugin.lowering_provided) for plugin in registry.active],
    "rules": sorted(record.id for record in registry.rule_records),
    "types": sorted(binding.plugin_type.key for binding in registry.types),
    "crates": [dependency.dependency.to_dict() for dependency in registry.crate_dependencies],
    "claimed": (claimed.rule_id, claimed.result_type),
    "rust": lowered.rust,
    "helpers": len(lowered.helpers),
}))
"""


@pytest.fixture(scope="module", params=VERSIONS)
def core(request: pytest.FixtureRequest) -> tuple[str, Path]:
    """A version of core and its Python."""
    return request.param, python_of(VERSIONS[request.param])


@pytest.fixture(scope="module")
def plugin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The installed plugin without the core that is installed beside it."""
    return exposed(PLUGIN_PACKAGES, tmp_path_factory.mktemp("plugin") / "packages")


def probed(python: Path, path: Path | None) -> dict[str, Any]:
    """What the plugin answers under a core."""
    completed = run(python, "-c", PROBE, path=path)
    answer: dict[str, Any] = json.loads(completed.stdout)
    return answer


def test_loads_claims_and_lowers(core: tuple[str, Path], plugin: Path) -> None:
    version, python = core
    answer = probed(python, plugin)
    assert answer.pop("core") == version
    assert answer["rust"] == "rextio_numpy_runtime::subtract(&a, &b)?"
    assert answer["claimed"] == ["rextio-numpy/elementwise-float64", "rextio-numpy/f64-2d"]
    assert answer["helpers"] == 1
    newest = probed(Path(sys.executable), None)
    newest.pop("core")
    assert answer == newest


def test_check_gives_what_the_newest_core_gives(
    core: tuple[str, Path], plugin: Path, tmp_path: Path
) -> None:
    _, python = core
    project = Project.write(tmp_path / "project", {"app/kernels.py": SOURCE})
    project.rextio("check", python=python, path=plugin)
    old = project.functions()
    project.rextio("check")
    for name, function in project.functions().items():
        for key in ("native_status", "route", "plugin_claims", "plugin_type_keys"):
            assert old[name][key] == function[key], (name, key)
    assert {name: function["native_status"] for name, function in old.items()} == {
        "app.kernels.blend": "accepted",
        "app.kernels.ratio": "accepted",
        "app.kernels.choose": "accepted",
        "app.kernels.reduce": "accepted",
        "app.kernels.mixed": "rejected",
    }
    assert old["app.kernels.mixed"]["rejection_codes"] == ["RXTP-NUMPY-010"]
