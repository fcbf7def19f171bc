"""The plugins work with every version of core that they say they support."""

# ruff: noqa: D103 - the name of a test says what it holds
from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from commands import PLUGIN_PACKAGES, Project, activated, configuration, exposed, run
from conftest import python_of
from test_host_build import distribution

VERSIONS = {
    "0.1.6": "REXTIO_CORE_0_1_6_PYTHON",
    "0.1.7": "REXTIO_CORE_0_1_7_PYTHON",
}

ARRAYS = """
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

TENSORS = """
import torch
import torch.nn.functional as F

from rextio_torch.types import TensorF32Cpu1D, TensorF32Cpu2D


def score(x: TensorF32Cpu2D, weight: TensorF32Cpu2D, bias: TensorF32Cpu1D) -> TensorF32Cpu1D:
    return F.linear(x, weight, bias).relu().mean(dim=1, keepdim=False)


def layers(
    x: TensorF32Cpu2D, weight: TensorF32Cpu2D, bias: TensorF32Cpu1D, depth: int
) -> TensorF32Cpu1D:
    hidden = torch.matmul(x, weight)
    for layer in range(depth):
        step = hidden @ weight + bias
        if layer % 2 == 0:
            hidden = step.sigmoid()
        else:
            hidden = hidden.matmul(weight).tanh()
    return hidden.sum(dim=1, keepdim=False)


def columns(x: TensorF32Cpu2D) -> TensorF32Cpu1D:
    return x.mean(dim=0, keepdim=False)
"""

BOTH = """
from rextio_numpy.types import F64Arr1
from rextio_torch.types import TensorF32Cpu1D


def gated(x: TensorF32Cpu1D, b: F64Arr1, threshold: float) -> TensorF32Cpu1D:
    if b.sum() > threshold:
        return x.relu()
    return x.tanh()


def added(x: TensorF32Cpu1D, b: F64Arr1) -> TensorF32Cpu1D:
    return x + b
"""


@dataclass(frozen=True)
class Plugin:
    """One site of a plugin with the answers about it, and functions of the plugin's values.

    Attributes:
        operator: The operator of the site.
        operands: The types of its operands.
        claimed: The rule and the type of the result.
        rust: The site in Rust, over `a` and `b`.
        module: The name of the functions' module.
        source: The functions.
        codes: Why each of them stays on Python; nothing where it is native.
    """

    operator: str
    operands: tuple[str, str]
    claimed: tuple[str, str]
    rust: str
    module: str
    source: str
    codes: Mapping[str, list[str]]


PLUGINS = {
    "rextio-numpy": Plugin(
        operator="-",
        operands=("rextio-numpy/f64-2d", "rextio-numpy/f64-1d"),
        claimed=("rextio-numpy/elementwise-float64", "rextio-numpy/f64-2d"),
        rust="rextio_numpy_runtime::subtract(&a, &b)?",
        module="arrays",
        source=ARRAYS,
        codes={
            "blend": [],
            "ratio": [],
            "choose": [],
            "reduce": [],
            "mixed": ["RXTP-NUMPY-010"],
        },
    ),
    "rextio-torch": Plugin(
        operator="+",
        operands=("rextio-torch/tensor-f32-cpu-2d", "rextio-torch/tensor-f32-cpu-1d"),
        claimed=(
            "rextio-torch/tensor-add-f32-cpu-2d-1d-broadcast",
            "rextio-torch/tensor-f32-cpu-2d",
        ),
        rust="rextio_torch_runtime::add(&a, &b)?",
        module="tensors",
        source=TENSORS,
        codes={"score": [], "layers": [], "columns": ["RXTP-TORCH-003"]},
    ),
}

# Loads plugins through that core's loader, and asks each what core would ask.
PROBE = """
import json, sys
from rextio.__about__ import __version__
from rextio.config.schema import PluginConfig, RextioConfig
from rextio.plugins.api import ClaimSite, Claimed, LoweringContext
from rextio.plugins.loader import load_plugin_registry
from rextio.targets.models import TargetSpec

sites = json.loads(sys.argv[1])
config = RextioConfig()
registry = load_plugin_registry(
    PluginConfig(enabled=tuple(sites)), TargetSpec(language="rust"), full_config=config
)

def asked(provider, operator, operands):
    site = ClaimSite("binop", operator, tuple(operands), "", 0, 0)
    claimed = provider.claim(site, config)
    assert isinstance(claimed, Claimed), claimed
    site = ClaimSite(
        "binop", operator, tuple(operands), "", 0, 0,
        rule_id=claimed.rule_id, result_type=claimed.result_type,
    )
    context = LoweringContext(("a", "b"), "rust", lambda prefix: prefix + "_0")
    lowered = provider.lower(site, context)
    return claimed.rule_id, claimed.result_type, lowered.rust, len(lowered.helpers)

print(json.dumps({
    "core": __version__,
    "active": {plugin.id: (plugin.version, plugin.lowering_provided) for plugin in registry.active},
    "rules": sorted(record.id for record in registry.rule_records),
    "types": sorted(binding.plugin_type.key for binding in registry.types),
    "crates": [dependency.to_dict() for dependency in registry.crate_dependencies],
    "answers": {
        binding.plugin_id: asked(binding.provider, *sites[binding.plugin_id])
        for binding in registry.providers
    },
}))
"""


@pytest.fixture(scope="module", params=VERSIONS)
def core(request: pytest.FixtureRequest) -> tuple[str, Path]:
    """A version of core and its Python."""
    return request.param, python_of(VERSIONS[request.param])


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The installed plugins without the core that is installed beside them."""
    return exposed(PLUGIN_PACKAGES, tmp_path_factory.mktemp("plugins") / "packages")


@pytest.fixture(params=[*([name] for name in PLUGINS), [*PLUGINS]], ids="+".join)
def enabled(request: pytest.FixtureRequest) -> dict[str, Plugin]:
    """The plugins that a project enables: each alone, and both."""
    return {name: PLUGINS[name] for name in request.param}


@pytest.fixture(scope="module")
def torch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a distribution of the name and version that lowering for torch asks for."""
    return distribution(tmp_path_factory.mktemp("torch") / "packages", "torch")


def probed(python: Path | str, enabled: dict[str, Plugin], *paths: Path) -> dict[str, Any]:
    """What the plugins answer under a core."""
    sites = {name: (plugin.operator, plugin.operands) for name, plugin in enabled.items()}
    variables = {**activated(python), "PYTHONPATH": os.pathsep.join(map(str, paths))}
    completed = run(python, "-c", PROBE, json.dumps(sites), variables=variables)
    answer: dict[str, Any] = json.loads(completed.stdout)
    return answer


def test_loads_claims_and_lowers(
    core: tuple[str, Path], packages: Path, torch: Path, enabled: dict[str, Plugin]
) -> None:
    version, python = core
    answer = probed(python, enabled, packages, torch)
    assert answer.pop("core") == version
    assert answer["answers"] == {
        name: [*plugin.claimed, plugin.rust, 1] for name, plugin in enabled.items()
    }
    newest = probed(sys.executable, enabled, torch)
    newest.pop("core")
    assert answer == newest


def test_check_gives_what_the_newest_core_gives(
    core: tuple[str, Path], packages: Path, enabled: dict[str, Plugin], tmp_path: Path
) -> None:
    _, python = core
    sources = {f"app/{plugin.module}.py": plugin.source for plugin in enabled.values()}
    codes = {
        f"app.{plugin.module}.{function}": why
        for plugin in enabled.values()
        for function, why in plugin.codes.items()
    }
    if len(enabled) == len(PLUGINS):
        sources["app/both.py"] = BOTH
        codes |= {"app.both.gated": [], "app.both.added": ["RXTP-NUMPY-010"]}
    project = Project.write(tmp_path / "project", sources, configuration(*enabled))
    project.rextio("check", python=python, path=packages)
    old = project.functions()
    project.rextio("check")
    for name, function in project.functions().items():
        for key in ("native_status", "route", "plugin_claims", "plugin_type_keys"):
            assert old[name][key] == function[key], (name, key)
    assert {name: function["rejection_codes"] for name, function in old.items()} == codes
    assert {name: function["native_status"] for name, function in old.items()} == {
        name: "rejected" if why else "accepted" for name, why in codes.items()
    }
