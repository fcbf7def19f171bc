"""What goes native, what stays on Python, and how native functions behave beside other code."""

# ruff: noqa: D103 - the name of a test says what it holds
from __future__ import annotations

import itertools
import json
import os
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.autograd import forward_ad

from certification import Certification, native_mode
from certified_functions import FAMILIES, ON_PYTHON, PROGRAMS, Function
from commands import Project, WatchedCargo, run
from tensors import copies, normal, same_tensor, untouched

VERSION = metadata.version("rextio-torch")
RUNTIME = "rextio_torch_runtime"
SOURCES = Path(__file__).with_name("project")
CONTRACT_PROGRAMS = ("pooled_layer", "alternating_layers", "expanded_surface")


def rules(function: dict[str, Any]) -> set[str]:
    """The rules that claimed a function's sites, without the plugin's name."""
    return {claim["rule_id"].removeprefix("rextio-torch/") for claim in function["plugin_claims"]}


def codes(function: dict[str, Any]) -> set[str]:
    """Every code that says why a function stays on Python."""
    assessment = function.get("promotion_assessment") or {}
    return {*function["rejection_codes"], *assessment.get("diagnostic_codes", [])}


@pytest.mark.parametrize("name", FAMILIES)
def test_each_form_goes_native_by_its_rule(certified: Certification, name: str) -> None:
    function = certified.functions[f"certified.families.{name}"]
    assert function["native_status"] == "accepted"
    assert rules(function) == {FAMILIES[name]}


@pytest.mark.parametrize("name", PROGRAMS)
def test_each_program_goes_native(certified: Certification, name: str) -> None:
    function = certified.functions[f"certified.programs.{name}"]
    assert function["native_status"] == "accepted"
    assert rules(function) == PROGRAMS[name]


@pytest.mark.parametrize("name", ON_PYTHON)
def test_what_stays_on_python_says_why(certified: Certification, name: str) -> None:
    function = certified.functions[f"certified.on_python.{name}"]
    assert function["native_status"] != "accepted"
    assert ON_PYTHON[name] in codes(function), codes(function)


def test_the_tables_name_every_function(certified: Certification) -> None:
    tables = {"families": FAMILIES, "programs": PROGRAMS, "on_python": ON_PYTHON}
    for module, table in tables.items():
        prefix = f"certified.{module}."
        found = {name for name in certified.functions if name.startswith(prefix)}
        assert found == {prefix + name for name in table}


def test_every_native_rule_is_certified(certified: Certification) -> None:
    project = Project(certified.project.project_root)
    answer = project.rextio("capabilities", "--format", "json").stdout
    native = {
        rule["id"].removeprefix("rextio-torch/")
        for rule in json.loads(answer)["rules"]
        if rule["provider"] == "rextio-torch" and rule["outcome"] == "native"
    }
    assert native == set(FAMILIES.values())


@pytest.mark.parametrize("name", CONTRACT_PROGRAMS)
def test_cores_own_kit_agrees(certified: Certification, name: str) -> None:
    checker = certified.project.equivalence_checker(
        f"certified.programs.{name}",
        equals=same_tensor,
        args_equals=untouched,
        copy_args=copies,
    )
    x, weight, vector = normal(8, 8), normal(8, 8), normal(8)
    rest = (3, 0) if name == "alternating_layers" else ()
    checker(x, weight, vector, *rest)


def test_a_returned_input_is_the_input(certified: Certification) -> None:
    # Core leaves such functions on Python, so this is eager PyTorch's answer by itself.
    function = Function("on_python", "returns_its_input")
    assert certified.functions[function.qualname]["route"] == "fallback-python"
    x = torch.nn.Parameter(normal(2, 2))
    returns_its_input = certified.load(function, "native")
    assert returns_its_input(x, 0) is x
    assert torch.equal(returns_its_input(x, 1), x.relu())


def test_arguments_are_not_copied(certified: Certification) -> None:
    # Four terabytes, were they in memory.
    huge = torch.zeros(1, 1).expand(1_000_000, 1_000_000)
    with pytest.raises(RuntimeError, match="mat1 and mat2 shapes cannot be multiplied"):
        certified.native(Function("families", "matmul_operator"), huge, normal(3, 3))


def test_results_are_new_tensors(certified: Certification) -> None:
    for name, arguments in [
        ("relu_1d", (normal(4).abs(),)),
        ("add_1d", (normal(4), torch.zeros(4))),
        ("matmul_operator", (normal(4, 4), torch.eye(4))),
    ]:
        result = certified.native(Function("families", name), *arguments)
        storage = result.untyped_storage().data_ptr()
        assert all(storage != one.untyped_storage().data_ptr() for one in arguments)


def test_an_intermediate_that_is_used_again_is_kept(certified: Certification) -> None:
    x, weight = normal(3, 4), normal(4, 2)
    kept = x @ weight
    native = certified.native(Function("programs", "kept_and_used"), x, weight)
    assert same_tensor(native, kept.relu() + kept.tanh() + kept)


def layers_left_out() -> int:
    """The layers of libtorch that this thread's operations pass by."""
    layers: int = torch._C._dispatch_tls_local_exclude_set().raw_repr()
    return layers


@pytest.mark.parametrize("recording", [True, False])
def test_gradients_are_never_recorded_and_the_mode_is_restored(
    certified: Certification, recording: bool
) -> None:
    x = normal(4, 4).requires_grad_()
    with torch.set_grad_enabled(recording):
        layers = layers_left_out()
        result = certified.native(Function("programs", "residual"), x, x, 2)
        assert torch.is_grad_enabled() is recording
        with pytest.raises(RuntimeError):
            certified.native(Function("families", "matmul_operator"), x, normal(3, 3))
        assert torch.is_grad_enabled() is recording
        assert layers_left_out() == layers
    assert not result.requires_grad
    assert result.grad_fn is None
    assert x.grad is None
    # Not a tensor of inference mode: gradients may be recorded of what follows.
    (result.requires_grad_() * 2).sum().backward()


def test_transforms_for_gradients_find_none(certified: Certification) -> None:
    function = Function("programs", "residual")
    x, weight = normal(4, 4), normal(4, 4)
    eager = certified.fallback(function, x, weight, 2)

    def native(x: Tensor) -> Tensor:
        result: Tensor = certified.native(function, x, weight, 2)
        return result

    value, derivative = torch.func.vjp(native, x)
    assert same_tensor(value, eager)
    assert not derivative(eager)[0].any()
    assert not torch.func.jacrev(native)(x).any()


# PyTorch compiles a script for `make_dual`, and warns itself of that.
@pytest.mark.filterwarnings("ignore:.*torch.jit.script:DeprecationWarning")
def test_tangents_of_forward_mode_are_dropped(certified: Certification) -> None:
    x, y = normal(4, 4), normal(4, 4)
    with forward_ad.dual_level():
        result = certified.native(Function("families", "add_2d"), forward_ad.make_dual(x, y), y)
        assert forward_ad.unpack_dual(result).tangent is None
    assert same_tensor(result, x + y)


@pytest.mark.parametrize("size", [8, 300])
def test_many_threads(certified: Certification, size: int) -> None:
    function = Function("programs", "alternating_layers")
    weight, bias = normal(size, size) / size, normal(size)
    inputs = [normal(4, size, seed=seed) for seed in range(64)]
    expected = [certified.fallback(function, x, weight, bias, 5, 0) for x in inputs]
    call = certified.load(function, "native")
    with native_mode("native"), ThreadPoolExecutor(8) as pool:
        results = pool.map(lambda x: call(x, weight, bias, 5, 0), inputs)
        assert all(map(same_tensor, results, expected))


@contextmanager
def threads_only_change_when_one_waits() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1000)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def test_other_threads_run_during_a_long_operation(certified: Certification) -> None:
    function = Function("families", "matmul_operator")
    x = normal(1500, 1500)
    call = certified.load(function, "native")
    state = {"started": False, "finished": False}
    # PyTorch lets other threads run when a tensor goes: none does here.
    results = [call(normal(2, 2), normal(2, 2))]

    def work() -> None:
        state["started"] = True
        results.append(call(x, x))
        state["finished"] = True

    worker = threading.Thread(target=work)
    with native_mode("native"), threads_only_change_when_one_waits():
        worker.start()
        ran_meanwhile = state["started"] and not state["finished"]
        worker.join()
    assert state["finished"]
    assert ran_meanwhile


def test_each_function_goes_to_its_own_plugin(certified: Certification) -> None:
    arrays, tensors = (
        certified.functions[f"certified.arrays.of_{n}"] for n in ("arrays", "tensors")
    )
    assert {claim["rule_id"].partition("/")[0] for claim in arrays["plugin_claims"]} == {
        "rextio-numpy"
    }
    assert {claim["rule_id"].partition("/")[0] for claim in tensors["plugin_claims"]} == {
        "rextio-torch"
    }
    a, b = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    assert certified.native(Function("arrays", "of_arrays"), a, b).tolist() == [4.0, 12.0]
    x, y = normal(3), normal(3, seed=1)
    assert same_tensor(certified.native(Function("arrays", "of_tensors"), x, y), x + y.relu())


def test_both_plugins_serve_one_function(certified: Certification) -> None:
    function = Function("arrays", "side_by_side")
    claims = certified.functions[function.qualname]["plugin_claims"]
    assert {claim["rule_id"].partition("/")[0] for claim in claims} == {
        "rextio-numpy",
        "rextio-torch",
    }
    x, array = normal(5), np.array([1.0, 2.0])
    assert same_tensor(certified.native(function, x, array, 2.5), x.relu())
    assert same_tensor(certified.native(function, x, array, 3.5), x.tanh())


@pytest.mark.parametrize("name", ["tensor_plus_array", "array_of_tensor"])
def test_mixing_tensors_and_arrays_stays_on_python_and_says_so(
    certified: Certification, name: str
) -> None:
    function = certified.functions[f"certified.arrays.{name}"]
    assert function["native_status"] == "rejected"
    (diagnostic,) = (d for d in function["diagnostics"] if d["code"].startswith("RXTP-"))
    assert "1-D float64 array" in diagnostic["message"]
    assert "rextio-torch/tensor-f32-cpu-1d" in diagnostic["message"]


def test_the_runtime_is_embedded_once(certified: Certification) -> None:
    assert certified.rust.count(f"mod {RUNTIME} {{") == 1
    assert ".unwrap()" not in certified.rust.partition(f"mod {RUNTIME}")[2]


SMALL = """
from rextio_numpy.types import F64Arr1
from rextio_torch.types import TensorF32Cpu1D


def of_tensors(x: TensorF32Cpu1D) -> TensorF32Cpu1D:
    return x.relu()


def of_arrays(a: F64Arr1) -> F64Arr1:
    return a + a
"""


def test_a_build_says_what_it_sets_and_compiles_tch_once(
    certified: Certification, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Building the certified project has filled the cache and set the variable in this process.
    assert certified.rust
    monkeypatch.delenv("LIBTORCH_USE_PYTORCH", raising=False)
    # With functions of both plugins, as the certified project: the same crates and features.
    plugins = (SOURCES / "rextio.toml").read_text(encoding="utf-8")
    project = Project.write(tmp_path / "project", {"app/small.py": SMALL}, plugins)
    cargo = WatchedCargo.create(tmp_path / "bin", builds=True)
    completed = project.build({"REXTIO_CARGO": str(cargo.program)})
    assert "rextio-wasm: set LIBTORCH_USE_PYTORCH=1 for rextio-torch" in completed.stderr
    assert cargo.compiled() == ["rextio_generated_native"]


def test_the_doctor_finds_this_machine_well() -> None:
    completed = run(sys.executable, "-m", "rextio_wasm", "doctor")
    assert "problem" not in completed.stdout
    for line in (
        f"rextio-torch {VERSION} (plugin API 1.3)",
        f"rextio-numpy {VERSION} (plugin API 1.5)",
    ):
        assert line in completed.stdout.splitlines()
    assert "torch 2.11.0" in completed.stdout


def test_the_environment_of_these_tests_is_the_pinned_one() -> None:
    assert torch.__version__.partition("+")[0] == "2.11.0"
    assert sys.version_info[:2] == (3, 11)
    assert "LIBTORCH_BYPASS_VERSION_CHECK" not in os.environ


def test_every_pair_of_branches(certified: Certification) -> None:
    function = Function("programs", "early")
    for flag, length in itertools.product((True, False), (0, 1, 5)):
        x = normal(length)
        assert same_tensor(
            certified.native(function, x, flag), certified.fallback(function, x, flag)
        )
