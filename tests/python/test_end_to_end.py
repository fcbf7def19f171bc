"""The plugin behind Rextio's command line, beside the published plugin where both must agree."""

# ruff: noqa: D103 - the name of a test says what it holds
from __future__ import annotations

import json
import os
import re
import sys
import venv
import zipfile
from pathlib import Path
from typing import Any

import pytest
from rextio.config.schema import PluginConfig, RextioConfig
from rextio.plugins.api import ClaimSite, LoweringContext
from rextio.plugins.loader import load_plugin_registry
from rextio.targets.models import TargetSpec

from certification import Certification, write_project
from commands import Project, WatchedCargo, exposed, run
from kernels import COMPARE, DOT, ELEMENTWISE, ON_PYTHON, PACKAGE, UNARY
from test_certification_coverage import effective_rules

RUNTIME = "rextio_numpy_runtime"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The certified project, not built."""
    root = tmp_path_factory.mktemp("end-to-end") / "project"
    write_project(root)
    return Project(root)


def capabilities(project: Project, python: Path | str, *options: str) -> dict[str, Any]:
    """What `rextio capabilities` says."""
    completed = project.rextio("capabilities", "--format", "json", python=python, options=options)
    answer: dict[str, Any] = json.loads(completed.stdout)
    return answer


def rule_facts(answer: dict[str, Any]) -> dict[str, tuple[object, ...]]:
    """The plugin's rules without their wording."""
    return {
        rule["id"]: (
            rule["provider"],
            rule["scope"]["kind"],
            rule["outcome"],
            rule["diagnostic_code"],
            rule["stability"],
        )
        for rule in answer["rules"]
        if rule["provider"] == "rextio-numpy"
    }


def test_capabilities_are_those_of_the_published_plugin(
    project: Project, reference_python: Path
) -> None:
    ours, theirs = (capabilities(project, python) for python in (sys.executable, reference_python))
    assert rule_facts(ours) == rule_facts(theirs)
    assert len(rule_facts(ours)) == 17
    for key in ("contract_version", "config_fingerprint", "target", "type_capabilities"):
        assert ours[key] == theirs[key], key
    (plugin,), (published,) = ours["plugins"], theirs["plugins"]
    assert plugin.pop("version") == "0.2.0"
    assert published.pop("version") == "0.1.3"
    assert plugin.pop("name") == published.pop("name").replace("0.1.3", "0.2.0")
    assert plugin == published


def test_rules_are_verified_exactly_where_they_claim(
    project: Project, reference_python: Path
) -> None:
    def verified(python: Path | str) -> dict[str, bool | None]:
        rules = capabilities(project, python)["rules"]
        return {
            rule["id"]: rule.get("verified") for rule in rules if rule["provider"] == "rextio-numpy"
        }

    ours = verified(sys.executable)
    assert ours == verified(reference_python)
    assert sum(ours[rule] is True for rule in ours) == 12


VOCABULARY = """
import json
from rextio.config.schema import PluginConfig, RextioConfig
from rextio.plugins.loader import load_plugin_registry
from rextio.targets.models import TargetSpec

registry = load_plugin_registry(
    PluginConfig(enabled=("rextio-numpy",)),
    TargetSpec(language="rust"),
    full_config=RextioConfig(),
)
(coverage,) = (item.coverage for item in registry.coverages)
print(json.dumps({
    "coverage": {key: sorted(value) for key, value in coverage.to_dict().items()},
    "types": sorted(
        (item.plugin_type.key, sorted(item.plugin_type.annotations), item.plugin_type.is_resident)
        for item in registry.types
    ),
    "crates": [item.dependency.to_dict() for item in registry.crate_dependencies],
}))
"""


def test_vocabulary_and_coverage_are_those_of_the_published_plugin(reference_python: Path) -> None:
    ours, theirs = (
        json.loads(run(python, "-c", VOCABULARY).stdout)
        for python in (sys.executable, reference_python)
    )
    assert ours == theirs
    assert ours["crates"] == [{"name": "numpy", "version": "=0.29.0", "features": []}]


def test_check_decides_as_the_published_plugin(project: Project, reference_python: Path) -> None:
    project.rextio("check", python=reference_python)
    theirs = project.functions()
    project.rextio("check")
    ours = project.functions()
    assert set(ours) == set(theirs)
    for name, function in ours.items():
        for key in ("native_status", "route", "rejection_codes", "plugin_type_keys"):
            assert function[key] == theirs[name][key], (name, key)
        assert effective_rules(function) == effective_rules(theirs[name]), name
        assert function["plugin_claims"] == theirs[name]["plugin_claims"], name


def test_rejections_say_what_was_seen_and_what_to_write(project: Project) -> None:
    completed = project.rextio("check")
    functions = project.functions()
    for name, code in ON_PYTHON.items():
        if code != "RXTP-NUMPY-010":
            continue
        diagnostic = next(
            diagnostic
            for diagnostic in functions[f"{PACKAGE}.on_python.{name}"]["diagnostics"]
            if diagnostic["code"] == code
        )
        assert "stays on Python: " in diagnostic["message"]
        assert diagnostic["message"] in completed.stdout
        assert diagnostic["suggestion"].endswith("Or leave the function on Python.")

    def message(name: str) -> str:
        (diagnostic,) = functions[f"{PACKAGE}.on_python.{name}"]["diagnostics"]
        return str(diagnostic["message"])

    assert "a 1-D float64 array (F64Arr1) and a 1-D int64 array (I64Arr1)" in message(
        "mixed_dtypes"
    )
    assert "go with scalars of type float" in message("int_beside_floats")
    assert "no options" in message("ufunc_with_option")


def test_optimised_python_and_repeated_runs_change_nothing(project: Project) -> None:
    def generated(*options: str) -> tuple[str, object, object]:
        project.clean()
        project.rextio("generate", options=options)
        rust = project.rust()
        project.rextio("check", options=options)
        return rust, project.report("check"), capabilities(project, sys.executable, *options)

    first = generated()
    assert first == generated()
    assert first == generated("-O")


def test_the_runtime_stands_once_in_the_generated_crate(certification: Certification) -> None:
    assert len(re.findall(rf"\bmod {RUNTIME} \{{", certification.rust)) == 1
    assert "PyReadonlyArray" not in certification.rust
    assert "to_pyarray" not in certification.rust


def test_lowering_refers_to_the_runtime_that_the_types_carry() -> None:
    config = RextioConfig()
    registry = load_plugin_registry(
        PluginConfig(enabled=("rextio-numpy",)), TargetSpec(language="rust"), full_config=config
    )
    provider: Any = registry.providers[0].provider
    operands = ("rextio-numpy/f32-1d", "float")
    claimed = provider.claim(ClaimSite("binop", "*", operands, "", 0, 0), config)
    site = ClaimSite("binop", "*", operands, "", 0, 0, claimed.rule_id, claimed.result_type)
    lowered = provider.lower(site, LoweringContext(("a", "x"), "rust", lambda prefix: prefix))
    (helper,) = lowered.helpers
    assert f"mod {RUNTIME} {{" in helper
    # The very object: core compares helpers of every lowered site with those it has.
    for binding in registry.types:
        if not binding.plugin_type.is_resident:
            assert binding.plugin_type.helpers[0] is helper, binding.plugin_type.key


def test_forged_sites_are_refused() -> None:
    registry = load_plugin_registry(
        PluginConfig(enabled=("rextio-numpy",)), TargetSpec(language="rust")
    )
    provider: Any = registry.providers[0].provider
    array = "rextio-numpy/f64-1d"
    context = LoweringContext(("a", "b"), "rust", lambda prefix: prefix)
    for operands, rule, result in (
        ((array, array), UNARY, array),
        ((array, array), ELEMENTWISE, "rextio-numpy/f64-2d"),
        ((array, "int"), ELEMENTWISE, array),
        ((array, array), DOT, "float"),
        ((array, array), COMPARE, "rextio-numpy/bool-1d"),
    ):
        with pytest.raises(ValueError, match="rextio-numpy"):
            provider.lower(ClaimSite("binop", "+", operands, "", 0, 0, rule, result), context)


SEED = {
    # The usage section of rextio-numpy 0.1.3.
    "app/usage.py": """
import numpy as np
from rextio_numpy.types import F64Arr1  # plain runtime alias of numpy.ndarray

def dot(a: F64Arr1, b: F64Arr1) -> float:
    return np.dot(a, b)
""",
    "app/signal.py": """
import numpy
import rextio_numpy.types as t
from rextio_numpy.types import F32Arr1, F64Arr1, F64Arr2, I64Arr1


def standardised(values: t.F64Arr2, mean: t.F64Arr1, spread: F64Arr1) -> t.F64Arr2:
    return (values - mean) / spread


def gain(samples: F32Arr1, factor: float) -> F32Arr1:
    return numpy.multiply(samples, factor)


def ratio(counts: I64Arr1, total: int) -> F64Arr1:
    return counts / total


def energy(frames: F64Arr2) -> F64Arr2:
    return numpy.square(numpy.abs(frames))


def gated(frames: F64Arr2, floor: float) -> F64Arr2:
    loud = numpy.logical_and(frames > floor, frames > numpy.mean(frames, axis=0))
    return numpy.where(loud, frames, 0.0)


def peak(counts: I64Arr1) -> int:
    return counts.max()
""",
}

# Runs the built project where only the minimal `rextio` of the build exists.
RUN_BUILT = """
import sys

class Forbidden:
    def find_spec(self, name, path=None, target=None):
        if name.startswith(("rextio_wasm", "rextio.plugins", "rextio.cli", "rextio.analyzer")):
            raise AssertionError(f"a built project imported {name}")

sys.meta_path.insert(0, Forbidden())
import numpy
import app.signal
import app.usage
import rextio
import rextio_numpy.types

values = numpy.arange(12.0).reshape(3, 4)
out = app.signal.standardised(values, values[0], values[1])
assert out.tobytes() == ((values - values[0]) / values[1]).tobytes()
assert app.signal.gain(numpy.ones(3, "f4"), 0.1).tolist() == [numpy.float32(0.1).item()] * 3
assert app.signal.ratio(numpy.array([1, 2]), 4).tolist() == [0.25, 0.5]
assert app.signal.gated(values, 5.0).sum() == values[2].sum()
assert app.signal.peak(numpy.array([1, 7, 2])) == 7
assert app.usage.dot(values[0], values[1]) == 38.0
print(rextio.__file__)
print(rextio_numpy.types.__file__)
"""


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The cache that builds share: the one of the run, or one of this module."""
    configured = os.environ.get("REXTIO_WASM_CACHE_DIR")
    return Path(configured) if configured else tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def cargo(tmp_path_factory: pytest.TempPathFactory) -> WatchedCargo:
    """The cargo that builds the seed project."""
    return WatchedCargo.create(tmp_path_factory.mktemp("seed-tools") / "bin", builds=True)


def build_variables(cargo: WatchedCargo, cache: Path) -> dict[str, str]:
    """What a build is told: which cargo, and where to keep what it compiles."""
    return {"REXTIO_CARGO": str(cargo.program), "REXTIO_WASM_CACHE_DIR": str(cache)}


@pytest.fixture(scope="module")
def seed(tmp_path_factory: pytest.TempPathFactory, cargo: WatchedCargo, cache: Path) -> Project:
    """A project written for rextio-numpy 0.1.3, built as it is."""
    written = Project.write(tmp_path_factory.mktemp("seed") / "project", SEED)
    written.build(build_variables(cargo, cache))
    return written


def test_a_project_for_0_1_3_builds_unchanged(seed: Project, reference_python: Path) -> None:
    ours = seed.functions()
    assert {function["route"] for function in ours.values()} == {"native-plugin:rextio-numpy"}
    build = seed.report("build")
    assert build["plugin_crate_dependencies"] == [
        {"plugin_id": "rextio-numpy", "name": "numpy", "version": "=0.29.0", "features": []}
    ]

    other = Project.write(seed.root.parent / "reference", SEED)
    other.rextio("check", python=reference_python)
    for name, function in other.functions().items():
        assert ours[name]["plugin_claims"] == function["plugin_claims"]


def test_the_runtime_compiles_without_warnings(seed: Project, cargo: WatchedCargo) -> None:
    lines = seed.rust().splitlines()
    # Core's own code may warn (parentheses, `mut`); the runtime is one top-level item.
    first = next(number for number, line in enumerate(lines, 1) if f"mod {RUNTIME} {{" in line)
    last = next(number for number in range(first, len(lines) + 1) if lines[number - 1] == "}")
    assert last - first > 100, "this is not the whole module"
    assert "rextio_generated_native" in cargo.compiled()
    places = re.findall(r"--> src/lib\.rs:(\d+):", cargo.said())
    within = [line for line in map(int, places) if first <= line <= last]
    assert not within, cargo.said()


def test_later_builds_compile_the_users_crate_at_most(
    seed: Project, cargo: WatchedCargo, cache: Path
) -> None:
    def build_again() -> str:
        return seed.build(build_variables(cargo, cache)).stderr

    assert (cache / "cargo").is_dir()
    first = seed.rust()
    said = build_again()
    assert said.count("rextio-wasm: compiled crates are kept in") == 1
    assert seed.rust() == first
    assert set(cargo.compiled()) <= {"rextio_generated_native"}

    extra = seed.root / "app" / "extra.py"
    extra.write_text(
        "from rextio_numpy.types import F64Arr1\n\n\n"
        "def twice(a: F64Arr1) -> F64Arr1:\n    return a + a\n",
        encoding="utf-8",
    )
    build_again()
    assert cargo.compiled() == ["rextio_generated_native"]
    assert "app.extra.twice" in seed.functions()


@pytest.fixture
def small(tmp_path: Path) -> Project:
    """A project with one native function."""
    return Project.write(tmp_path / "project", {"app/signal.py": SEED["app/signal.py"]})


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, "{cache}/cargo/python3"),
        ({"REXTIO_WASM_BUILD_CACHE": "0"}, "unset"),
        ({"CARGO_BUILD_BUILD_DIR": "/users/own"}, "/users/own"),
        ({"CARGO_TARGET_DIR": "/users/own"}, "unset"),
    ],
    ids=["by default", "opted out", "user's build directory", "user's target directory"],
)
def test_builds_share_a_cache_unless_told_not_to(
    small: Project, tmp_path: Path, changes: dict[str, str], expected: str
) -> None:
    cargo = WatchedCargo.create(tmp_path / "bin", builds=False)
    cache = tmp_path / "cache"
    with pytest.raises(AssertionError, match="RXT060"):
        small.build({**build_variables(cargo, cache), **changes})
    assert cargo.build_directory().startswith(expected.format(cache=cache))


def bare_python(directory: Path) -> Path:
    """A Python with the standard library alone."""
    venv.create(directory, with_pip=False, symlinks=True)
    return directory / "bin" / "python"


def test_a_built_wheel_needs_neither_the_host_nor_the_full_core(
    seed: Project, tmp_path: Path
) -> None:
    path = exposed(["numpy", "rextio-numpy"], tmp_path / "packages")
    (wheel,) = (seed.root / "dist").glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(path)
    python = bare_python(tmp_path / "bare")
    for mode in ("native", "fallback"):
        completed = run(python, "-c", RUN_BUILT, path=path, variables={"REXTIO_NATIVE_MODE": mode})
        assert completed.stdout.splitlines()[0].startswith(str(path))


def test_the_types_import_where_nothing_but_numpy_is_installed(tmp_path: Path) -> None:
    path = exposed(["numpy", "rextio-numpy"], tmp_path / "packages")
    python = bare_python(tmp_path / "bare")
    completed = run(
        python,
        "-c",
        "import sys, numpy, rextio_numpy, rextio_numpy.types as t\n"
        "assert t.F64Arr1 is t.I64Arr2 is numpy.ndarray\n"
        "print([name for name in sys.modules if name.startswith(('rextio.', 'rextio_wasm'))])",
        path=path,
    )
    assert completed.stdout.strip() == "[]"
