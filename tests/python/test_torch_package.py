"""The package rextio-torch where torch is not installed: everything but native code.

These tests run in an environment without torch, on purpose.
"""

# ruff: noqa: D103 - the name of a test says what it holds
from __future__ import annotations

import dataclasses
import sys
from importlib import import_module, metadata, util
from pathlib import Path
from typing import Any

import pytest
import rextio_torch
import rextio_torch.types
from rextio.config.schema import PluginConfig, RextioConfig
from rextio.plugins.loader import load_plugin_registry
from rextio.plugins.models import PluginRegistry
from rextio.targets.models import TargetSpec
from rextio_torch.platforms import (
    HOST_PROFILES,
    NativeRuntimeUnavailable,
    host_profile,
    main,
    require_native_runtime,
)
from rextio_torch.plugin import REQUIRED_PLUGIN_API

from commands import Project, WatchedCargo, activated, configuration, run
from test_host_build import distribution
from test_host_components import MAGIC

TORCH = "rextio-torch"
BYPASS = "LIBTORCH_BYPASS_VERSION_CHECK"
USE = "LIBTORCH_USE_PYTORCH"


def test_torch_is_not_installed() -> None:
    assert util.find_spec("torch") is None


# Annotations.

IMPORT_ALONE = """
import sys

class Forbidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("numpy", "rextio", "rextio_wasm", "torch"):
            raise AssertionError(f"{name} was imported")

sys.meta_path.insert(0, Forbidden())
import rextio_torch.platforms
import rextio_torch.types
print(rextio_torch.__version__, rextio_torch.PLUGIN_ID)
"""


def test_imports_neither_torch_nor_rextio() -> None:
    completed = run(sys.executable, "-c", IMPORT_ALONE)
    assert completed.stdout == f"{metadata.version(TORCH)} {TORCH}\n"


def test_a_misspelt_annotation_is_an_error() -> None:
    assert rextio_torch.types.__all__ == ["TensorF32Cpu1D", "TensorF32Cpu2D"]
    for name in ("TensorF32Cpu3D", "TensorF64Cpu2D", "tensorF32Cpu2D", "TensorF32CPU2D"):
        with pytest.raises(AttributeError, match=name):
            getattr(rextio_torch.types, name)


# Platforms.

NO_WHEEL = "RXTT-PLATFORM-TORCH-WHEEL-UNAVAILABLE"
NO_TARGET = "RXTT-PLATFORM-MODERN-TARGET-UNAVAILABLE"
EXPERIMENTAL = "RXTT-PLATFORM-ALPHA-EXPERIMENTAL"

PLATFORMS = [
    ("linux", "x86", "unsupported", "unavailable", NO_WHEEL),
    ("linux", "x64", "experimental", "required", EXPERIMENTAL),
    ("linux", "arm32", "unsupported", "unavailable", NO_WHEEL),
    ("linux", "arm64", "experimental", "experimental", EXPERIMENTAL),
    ("macos", "x86", "unsupported", "unavailable", NO_TARGET),
    ("macos", "x64", "availability-gated", "unavailable", NO_WHEEL),
    ("macos", "arm32", "unsupported", "unavailable", NO_TARGET),
    ("macos", "arm64", "certified", "required", "RXTT-PLATFORM-CERTIFIED"),
]
WITH_NATIVE_CODE = ["linux-x64", "linux-arm64", "macos-arm64"]


def arguments(os_name: str, arch: str, status: str) -> list[str]:
    return ["--os", os_name, "--arch", arch, "--expect", status]


def test_the_table_is_the_contracts() -> None:
    rows = [
        (profile.os, profile.arch, profile.status, profile.native_e2e, profile.reason_code)
        for profile in HOST_PROFILES
    ]
    assert rows == PLATFORMS
    assert [profile.key for profile in HOST_PROFILES] == [f"{row[0]}-{row[1]}" for row in PLATFORMS]
    assert all(profile.detail for profile in HOST_PROFILES)


@pytest.mark.parametrize("profile", HOST_PROFILES, ids=lambda profile: profile.key)
def test_each_platform_is_found_and_says_whether_native_code_runs(
    profile: rextio_torch.platforms.HostProfile,
) -> None:
    assert host_profile(profile.os, profile.arch) is profile
    with pytest.raises(dataclasses.FrozenInstanceError):
        profile.status = "certified"  # type: ignore[misc]
    if profile.key in WITH_NATIVE_CODE:
        assert require_native_runtime(profile.os, profile.arch) is profile
        return
    with pytest.raises(NativeRuntimeUnavailable) as raised:
        require_native_runtime(profile.os, profile.arch)
    assert isinstance(raised.value, RuntimeError)
    assert raised.value.key == profile.key
    assert raised.value.reason_code == profile.reason_code
    for part in (profile.key, profile.reason_code, profile.detail):
        assert part in str(raised.value)


@pytest.mark.parametrize(
    ("os_name", "arch"),
    [("windows", "x64"), ("linux", "riscv64"), ("Linux", "x64"), ("linux", "x86_64"), ("", "")],
)
def test_an_unknown_platform_is_an_error(os_name: str, arch: str) -> None:
    for function in (host_profile, require_native_runtime):
        with pytest.raises(ValueError, match=f"no platform {os_name}-{arch}; it knows linux-x86, "):
            function(os_name, arch)


@pytest.mark.parametrize("row", PLATFORMS, ids="-".join)
def test_the_command_agrees_with_the_table(
    row: tuple[str, str, str, str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    os_name, arch, status, native_e2e, reason_code = row
    key = f"{os_name}-{arch}"
    line = f"{key}: status={status} native_e2e={native_e2e} reason_code={reason_code}\n"
    asked = arguments(os_name, arch, status)
    assert main(asked) == 0
    assert capsys.readouterr().out == line
    if key in WITH_NATIVE_CODE:
        assert main([*asked, "--require-native"]) == 0
        assert capsys.readouterr().out == line
    else:
        with pytest.raises(NativeRuntimeUnavailable, match=reason_code):
            main([*asked, "--require-native"])
        assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("asked", "status", "said"),
    [
        ([*arguments("linux", "x64", "experimental"), "--require-native"], 0, ""),
        (
            arguments("linux", "x64", "certified"),
            1,
            "rextio-torch: linux-x64 is experimental, not certified",
        ),
        (
            [*arguments("macos", "x64", "availability-gated"), "--require-native"],
            1,
            f"rextio-torch has no native code for macos-x64 [{NO_WHEEL}]: ",
        ),
        (arguments("windows", "x64", "certified"), 2, "usage: "),
        (arguments("linux", "x64", "fine"), 2, "usage: "),
        (["--os", "linux", "--arch", "x64"], 2, "usage: "),
        ([], 2, "usage: "),
    ],
)
def test_the_command_has_exit_statuses(asked: list[str], status: int, said: str) -> None:
    completed = run(sys.executable, "-m", "rextio_torch.platforms", *asked, status=status)
    assert bool(completed.stdout) is (status == 0)
    assert bool(completed.stderr) is (status != 0)
    assert completed.stderr.startswith(said)
    assert "Traceback" not in completed.stderr


ELSEWHERE = """
import os, platform, sys

def asked(*arguments):
    raise AssertionError("the machine was asked what it is")

sys.platform = os.name = "elsewhere"
os.uname = os.cpu_count = asked
for name in ("architecture", "machine", "platform", "processor", "system", "uname"):
    setattr(platform, name, asked)
import rextio_torch.platforms
print(rextio_torch.platforms.HOST_PROFILES)
rextio_torch.platforms.main(sys.argv[1:])
"""


def test_the_machine_is_not_asked_what_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    asked = [*arguments("macos", "arm64", "certified"), "--require-native"]
    main(asked)
    completed = run(sys.executable, "-c", ELSEWHERE, *asked)
    assert completed.stdout == f"{HOST_PROFILES}\n{capsys.readouterr().out}"


# The plugin.

COVERED = {
    "packages": ["torch"],
    "modules": ["torch", "torch.nn", "torch.nn.functional"],
    "symbols": [
        "torch.Tensor.matmul",
        "torch.Tensor.mean",
        "torch.Tensor.relu",
        "torch.Tensor.sigmoid",
        "torch.Tensor.sum",
        "torch.Tensor.tanh",
        "torch.matmul",
        "torch.nn.functional.linear",
    ],
}

TYPES = {
    "rextio-torch/tensor-f32-cpu-1d": "rextio_torch.types.TensorF32Cpu1D",
    "rextio-torch/tensor-f32-cpu-2d": "rextio_torch.types.TensorF32Cpu2D",
}

RULES = {
    "RXTP-TORCH-001": ("functional-linear-f32-cpu-2d", "call"),
    "RXTP-TORCH-002": ("tensor-relu-f32-cpu-2d", "call"),
    "RXTP-TORCH-003": ("tensor-mean-dim1-f32-cpu-2d", "call"),
    "RXTP-TORCH-004": ("tensor-relu-f32-cpu-1d", "call"),
    "RXTP-TORCH-005": ("tensor-sigmoid-f32-cpu-1d", "call"),
    "RXTP-TORCH-006": ("tensor-sigmoid-f32-cpu-2d", "call"),
    "RXTP-TORCH-007": ("tensor-tanh-f32-cpu-1d", "call"),
    "RXTP-TORCH-008": ("tensor-tanh-f32-cpu-2d", "call"),
    "RXTP-TORCH-009": ("tensor-matmul-f32-cpu-2d", "binop"),
    "RXTP-TORCH-010": ("unsupported-tensor-surface", "type"),
    "RXTP-TORCH-011": ("tensor-add-f32-cpu-same-rank", "binop"),
    "RXTP-TORCH-012": ("tensor-add-f32-cpu-2d-1d-broadcast", "binop"),
    "RXTP-TORCH-013": ("tensor-sum-dim1-f32-cpu-2d", "call"),
    "RXTP-TORCH-014": ("tensor-matmul-call-f32-cpu-2d", "call"),
}
FALLBACK = "RXTP-TORCH-010"


@pytest.fixture(scope="module")
def registry() -> PluginRegistry:
    """The installed plugins, both enabled, as core loads them."""
    return load_plugin_registry(
        PluginConfig(enabled=("rextio-numpy", TORCH)),
        TargetSpec(language="rust"),
        full_config=RextioConfig(),
    )


def test_loads_beside_the_numpy_plugin(registry: PluginRegistry) -> None:
    assert {plugin.id: plugin.lowering_provided for plugin in registry.active} == {
        "rextio-numpy": True,
        TORCH: True,
    }
    (plugin,) = (plugin for plugin in registry.active if plugin.id == TORCH)
    assert plugin.version == metadata.version(TORCH)
    provider: Any
    (provider,) = (item.provider for item in registry.providers if item.plugin_id == TORCH)
    assert provider.api_version == "1.3"


def test_the_names_of_the_first_version_are_there() -> None:
    assert rextio_torch.PLUGIN_ID == TORCH
    assert REQUIRED_PLUGIN_API == "1.3"
    provider: Any = rextio_torch.RextioTorchPlugin()
    assert provider.plugin_id == TORCH


def test_the_rules_are_the_contracts(registry: PluginRegistry) -> None:
    records = [record for record in registry.rule_records if record.provider == TORCH]
    assert {
        record.diagnostic_code: (record.id.removeprefix(f"{TORCH}/"), record.scope.kind)
        for record in records
    } == RULES
    assert len(records) == len(RULES)
    for record in records:
        native = record.diagnostic_code != FALLBACK
        assert record.id.startswith(f"{TORCH}/")
        assert record.outcome == ("native" if native else "fallback")
        assert record.verified is native
        assert record.stability == "experimental"


def test_the_vocabulary_is_the_contracts(registry: PluginRegistry) -> None:
    (coverage,) = (item.coverage for item in registry.coverages if item.plugin_id == TORCH)
    assert {
        "packages": sorted(coverage.packages),
        "modules": sorted(coverage.modules),
        "symbols": sorted(coverage.symbols),
    } == COVERED
    types = [item.plugin_type for item in registry.types if item.plugin_id == TORCH]
    assert {kind.key: kind.annotations for kind in types} == {
        key: (annotation,) for key, annotation in TYPES.items()
    }
    assert not any(kind.is_resident for kind in types)
    crates = [item for item in registry.crate_dependencies if item.plugin_id == TORCH]
    assert [item.dependency.to_dict() for item in crates] == [
        {"name": "tch", "version": "=0.24.0", "features": ["python-extension"]}
    ]


@pytest.mark.parametrize("annotation", TYPES.values())
def test_every_annotation_is_a_class(annotation: str) -> None:
    module, _, name = annotation.rpartition(".")
    assert isinstance(getattr(import_module(module), name), type)


# A project where torch is not installed.

NETWORK = """
import torch.nn.functional as F

from rextio_torch.types import TensorF32Cpu1D, TensorF32Cpu2D


def score(x: TensorF32Cpu2D, weight: TensorF32Cpu2D, bias: TensorF32Cpu1D) -> TensorF32Cpu1D:
    return F.linear(x, weight, bias).relu().mean(dim=1, keepdim=False)


def columns(x: TensorF32Cpu2D) -> TensorF32Cpu1D:
    return x.mean(dim=0, keepdim=False)
"""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project of tensor functions."""
    sources = {"app/network.py": NETWORK}
    return Project.write(tmp_path / "project", sources, configuration(TORCH))


def test_check_asks_nothing_of_the_machine(project: Project, tmp_path: Path) -> None:
    project.rextio("check")
    functions = project.functions()
    assert {name: function["route"] for name, function in functions.items()} == {
        "app.network.score": f"native-plugin:{TORCH}",
        "app.network.columns": "fallback-python",
    }
    assert functions["app.network.columns"]["rejection_codes"] == ["RXTP-TORCH-003"]
    unfit = {"PATH": str(tmp_path), BYPASS: "1", USE: "0", "PYO3_PYTHON": "/no/such/python"}
    completed = project.rextio("check", variables=unfit)
    assert completed.stderr == ""
    assert project.functions() == functions


def refused(project: Project, cargo: WatchedCargo, variables: dict[str, str]) -> list[str]:
    """The problems for which a build is refused before Cargo starts."""
    completed = project.rextio(
        "build",
        "--fallback=cpython",
        variables={"REXTIO_CARGO": str(cargo.program), **activated(sys.executable), **variables},
        status=1,
    )
    assert not cargo.started()
    assert project.report("build")["native_build"]["status"] == "failed"
    _, refusal, rest = completed.stderr.partition(f"plugin {TORCH} cannot be built on this machine")
    assert refusal
    assert refusal not in rest
    # Core adds a sentence of its own.
    problems = rest.removesuffix(". Fallback Python files were still generated.\n")
    return problems.split("\n  - ")[1:]


@pytest.fixture
def cargo(tmp_path: Path) -> WatchedCargo:
    """A cargo that does not build."""
    return WatchedCargo.create(tmp_path / "bin", builds=False)


@pytest.mark.parametrize("installed", [None, "2.10.0", "2.12.0"])
def test_a_build_without_the_right_torch_is_refused(
    project: Project, cargo: WatchedCargo, tmp_path: Path, installed: str | None
) -> None:
    variables = {}
    if installed:
        path = distribution(tmp_path / "packages", "torch", installed)
        variables["PYTHONPATH"] = str(path)
    found = f"torch {installed}" if installed else "no torch"
    python = sys.executable
    assert refused(project, cargo, variables) == [
        f"{python} has {found}, and torch 2.11.0 is needed. "
        f"Run: {python} -m pip install torch==2.11.0"
    ]


def test_a_build_that_would_link_any_libtorch_is_refused(
    project: Project, cargo: WatchedCargo, tmp_path: Path
) -> None:
    variables = {"PYTHONPATH": str(distribution(tmp_path / "packages", "torch"))}
    for value in ("1", ""):
        (problem,) = refused(project, cargo, {**variables, BYPASS: value})
        assert problem.startswith(f"{BYPASS} is set to {value!r} and must not be set: ")
        assert problem.endswith(f"Run: unset {BYPASS}")
    (problem,) = refused(project, cargo, {**variables, USE: "0"})
    assert problem.startswith(f"{USE} is '0' and must be '1': ")
    assert problem.endswith(f"Run: export {USE}=1")
    assert len(refused(project, cargo, {BYPASS: "1", USE: "0"})) == 3


def test_a_build_with_the_right_torch_reaches_cargo(
    project: Project, cargo: WatchedCargo, tmp_path: Path
) -> None:
    completed = project.rextio(
        "build",
        "--fallback=cpython",
        variables={
            "REXTIO_CARGO": str(cargo.program),
            "REXTIO_WASM_CACHE_DIR": str(tmp_path / "cache"),
            "PYTHONPATH": str(distribution(tmp_path / "packages", "torch", "2.11.0+cpu")),
            **activated(sys.executable),
        },
        status=1,
    )
    assert cargo.started()
    assert f"rextio-wasm: set {USE}=1 for {TORCH}: " in completed.stderr
    assert "rextio_torch_runtime::linear(" in project.rust()


# The wheel, as it is installed here.


def test_the_wheel_names_what_it_needs() -> None:
    installed = metadata.distribution(TORCH)
    needed = installed.metadata
    assert needed["Requires-Python"] == "<3.12,>=3.11"
    assert sorted(needed.get_all("Requires-Dist") or ()) == [
        "rextio-wasm<0.3,>=0.2",
        "rextio<0.2,>=0.1.6",
        "torch==2.11.0",
    ]
    assert [(entry.group, entry.name, entry.value) for entry in installed.entry_points] == [
        ("rextio.plugins", TORCH, "rextio_torch.plugin:plugin")
    ]
    assert "Tag: py3-none-any\n" in (installed.read_text("WHEEL") or "")


def test_the_wheel_holds_the_component_and_no_native_code() -> None:
    files = {file.as_posix(): file for file in metadata.files(TORCH) or ()}
    assert files["rextio_torch/rextio_torch.wasm"].read_binary().startswith(MAGIC)
    for name in ("platforms.json", "py.typed", "types.py"):
        assert f"rextio_torch/{name}" in files
    assert not [name for name in files if name.endswith((".so", ".pyd", ".dylib", ".dll"))]
