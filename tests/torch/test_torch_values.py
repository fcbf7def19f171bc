"""Native functions against eager PyTorch: values, layouts, gradients, errors."""

# ruff: noqa: D103 - the name of a test says what it holds
from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from certification import Certification
from certified_functions import FAMILIES, PROGRAMS, Function
from tensors import LAYOUTS, Make, copies, normal, same_tensor, untouched

ROWS_AND_COLUMNS = [(1, 1), (1, 8), (5, 3), (8, 64), (33, 17), (0, 4), (4, 0), (0, 0)]


def families(*names: str) -> list[Function]:
    return [Function("families", name) for name in names]


ACTIVATIONS_1D = families("relu_1d", "sigmoid_1d", "tanh_1d")
OF_ONE_MATRIX = families(
    "relu_2d",
    "sigmoid_2d",
    "tanh_2d",
    "mean",
    "mean_keywords_reversed",
    "total",
    "total_keywords_reversed",
)
MATMULS = families("matmul_operator", "matmul_function", "matmul_method")
LINEARS = families("linear", "linear_in_full")


def operands(name: str, rows: int, columns: int, makes: Sequence[Make]) -> tuple[object, ...]:
    """Arguments that go together for a function, each made in its own way."""
    ways = itertools.cycle(makes)

    def tensor(*shape: int) -> Tensor:
        return next(ways)(*shape)

    match name:
        case "relu_1d" | "sigmoid_1d" | "tanh_1d":
            return (tensor(columns),)
        case "add_1d":
            return tensor(columns), tensor(columns)
        case "add_2d":
            return tensor(rows, columns), tensor(rows, columns)
        case "add_bias":
            return tensor(rows, columns), tensor(columns)
        case "bias_add":
            return tensor(columns), tensor(rows, columns)
        case "matmul_operator" | "matmul_function" | "matmul_method":
            return tensor(rows, columns), tensor(columns, 7)
        case "linear" | "linear_in_full":
            return tensor(rows, columns), tensor(7, columns), tensor(7)
        case "pooled_layer":
            return tensor(rows, columns), tensor(7, columns), tensor(7)
        case "alternating_layers":
            return tensor(rows, columns), tensor(columns, columns), tensor(columns), 3, 1
        case "expanded_surface":
            return tensor(rows, columns), tensor(columns, columns), tensor(rows)
        case "two_layers":
            return (
                tensor(rows, columns),
                tensor(6, columns),
                tensor(6),
                tensor(2, 6),
                tensor(2),
            )
        case "kept_and_used":
            return tensor(rows, columns), tensor(columns, 7)
        case "residual":
            return tensor(rows, columns), tensor(columns, columns), 4
        case "summed_rows":
            return tensor(rows, columns), 2, 0.75
        case "early":
            return tensor(columns), bool(rows % 2)
        case _:
            return (tensor(rows, columns),)


def check(certified: Certification, function: Function, arguments: tuple[object, ...]) -> None:
    """Native and eager, each on arguments of its own, agree and leave them as they were."""
    for_native, for_eager = copies(arguments), copies(arguments)
    native = certified.native(function, *for_native)
    eager = certified.fallback(function, *for_eager)
    assert same_tensor(native, eager), f"native {native}\neager {eager}"
    assert all(map(untouched, arguments, for_native))


class WatchedOperations(TorchDispatchMode):  # type: ignore[misc] # no torch beside mypy
    """Writes down what reaches libtorch."""

    def __init__(self) -> None:
        """Start with an empty list."""
        super().__init__()
        self.names: list[str] = []

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> object:
        """Run an operation and note its name."""
        self.names.append(str(func))
        return func(*args, **(kwargs or {}))


ALL = [*families(*FAMILIES), *(Function("programs", name) for name in PROGRAMS)]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("function", ALL, ids=str)
def test_every_layout(certified: Certification, function: Function, layout: str) -> None:
    for rows, columns in ROWS_AND_COLUMNS:
        check(certified, function, operands(function.name, rows, columns, [LAYOUTS[layout]]))


@pytest.mark.parametrize("function", ALL, ids=str)
def test_layouts_side_by_side(certified: Certification, function: Function) -> None:
    for makes in itertools.permutations(LAYOUTS.values(), 2):
        check(certified, function, operands(function.name, 6, 5, makes))


@pytest.mark.parametrize("function", [*ACTIVATIONS_1D, *OF_ONE_MATRIX], ids=str)
def test_one_operation_is_eager_to_the_bit(certified: Certification, function: Function) -> None:
    for columns in (1, 7, 64, 1000):
        arguments = operands(function.name, 9, columns, [LAYOUTS["special"]])
        native = certified.native(function, *arguments)
        eager = certified.fallback(function, *arguments)
        assert torch.equal(native.isnan(), eager.isnan())
        assert torch.equal(native.nan_to_num(0.5), eager.nan_to_num(0.5))
        assert torch.equal(native.signbit(), eager.signbit())


@pytest.mark.parametrize("function", ALL, ids=str)
def test_autocast_and_inference_mode_are_eagers(
    certified: Certification, function: Function
) -> None:
    arguments = operands(function.name, 5, 5, [normal])
    with torch.autocast("cpu", dtype=torch.bfloat16):
        native = certified.native(function, *arguments)
        eager = certified.fallback(function, *arguments)
    assert native.dtype == eager.dtype
    assert torch.equal(native, eager)
    with torch.inference_mode():
        native = certified.native(function, *arguments)
        eager = certified.fallback(function, *arguments)
    assert native.is_inference()
    assert torch.equal(native, eager)


def test_vmap_is_eagers(certified: Certification) -> None:
    function = Function("programs", "pooled_layer")
    batch, weight, bias = normal(4, 5, 8), normal(7, 8), normal(7)
    native, eager = (
        torch.func.vmap(partial(call, function), in_dims=(0, None, None))(batch, weight, bias)
        for call in (certified.native, certified.fallback)
    )
    assert same_tensor(native, eager)


def test_an_intermediate_is_written_in_place_and_an_argument_never(
    certified: Certification,
) -> None:
    x, weight, bias = normal(5, 8), normal(7, 8), normal(7)
    with WatchedOperations() as watched:
        certified.native(Function("programs", "pooled_layer"), x, weight, bias)
        certified.native(Function("programs", "renamed"), x)
    assert watched.names == [
        # In one piece: the layers for gradients would take it apart.
        "aten.linear.default",
        "aten.relu_.default",
        "aten.mean.dim",
        "aten.relu.default",
        "aten.tanh.default",
        "aten.add.Tensor",
    ]


@pytest.mark.parametrize("depth", [0, 1, 2, 7])
@pytest.mark.parametrize("phase", [0, 1])
def test_loops_and_branches(certified: Certification, depth: int, phase: int) -> None:
    function = Function("programs", "alternating_layers")
    x, weight, bias, *_ = operands(function.name, 8, 16, [normal])
    check(certified, function, (x, weight, bias, depth, phase))


@pytest.mark.parametrize("scale", [0.25, 0.75])
def test_a_branch_on_a_float(certified: Certification, scale: float) -> None:
    check(certified, Function("programs", "summed_rows"), (normal(4, 3), 3, scale))


def test_a_broadcast_stretches_either_side(certified: Certification) -> None:
    for left, right in [((4, 1), (4, 3)), ((1, 3), (4, 3)), ((4, 1), (1, 3)), ((0, 1), (1, 3))]:
        check(certified, Function("families", "add_2d"), (normal(*left), normal(*right)))
    check(certified, Function("families", "add_1d"), (normal(1), normal(5)))
    check(certified, Function("families", "add_bias"), (normal(4, 1), normal(3)))
    check(certified, Function("families", "bias_add"), (normal(1), normal(4, 3)))


@pytest.mark.parametrize(
    ("function", "shapes"),
    [
        *((function, [(2, 3), (4, 5)]) for function in MATMULS),
        *((function, [(2, 3), (4, 5), (4,)]) for function in LINEARS),
        *((function, [(2, 3), (4, 3), (5,)]) for function in LINEARS),
        *(
            (Function("families", name), shapes)
            for name, shapes in (
                ("add_1d", [(3,), (4,)]),
                ("add_2d", [(2, 3), (3, 2)]),
                ("add_bias", [(2, 3), (2,)]),
                ("bias_add", [(2,), (2, 3)]),
            )
        ),
        (Function("programs", "pooled_layer"), [(2, 3), (4, 5), (4,)]),
        (Function("programs", "kept_and_used"), [(2, 3), (4, 5)]),
        (Function("programs", "expanded_surface"), [(2, 3), (3, 3), (5,)]),
    ],
    ids=str,
)
def test_shapes_that_do_not_go_together(
    certified: Certification, function: Function, shapes: list[tuple[int, ...]]
) -> None:
    arguments = [normal(*shape) for shape in shapes]
    with pytest.raises(RuntimeError) as eager:
        certified.fallback(function, *arguments)
    with pytest.raises(RuntimeError) as native:
        certified.native(function, *arguments)
    assert type(native.value) is type(eager.value)
    assert str(native.value) == str(eager.value)


@pytest.mark.parametrize("value", [None, 1.0, [[1.0]], np.ones((2, 2), np.float32), "x", object()])
def test_what_is_no_tensor_is_refused(certified: Certification, value: object) -> None:
    with pytest.raises(TypeError, match=r"\Arextio-torch: expected a torch\.Tensor\Z"):
        certified.native(Function("families", "relu_2d"), value)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (torch.ones(2, 2, device="meta"), "expected a CPU tensor"),
        (torch.ones(2, device="meta", dtype=torch.float64), "expected a CPU tensor"),
        (torch.ones(2, 2, dtype=torch.float64), "expected a float32 tensor"),
        (torch.ones(2, 2, dtype=torch.float16), "expected a float32 tensor"),
        (torch.ones(2, 2, dtype=torch.bfloat16), "expected a float32 tensor"),
        (torch.ones(2, dtype=torch.int64), "expected a float32 tensor"),
        (torch.ones(2, 2, dtype=torch.bool), "expected a float32 tensor"),
        (torch.ones(2, 2, dtype=torch.float8_e4m3fn), "expected a float32 tensor"),
        (torch.ones(2, 2, dtype=torch.uint16), "expected a float32 tensor"),
        (torch.tensor(1.0), "expected rank-2 tensor, got rank 0"),
        (torch.ones(2), "expected rank-2 tensor, got rank 1"),
        (torch.ones(2, 2, 2), "expected rank-2 tensor, got rank 3"),
    ],
    ids=str,
)
def test_other_tensors_are_refused(certified: Certification, value: Tensor, text: str) -> None:
    with pytest.raises(ValueError, match=rf"\Arextio-torch: {text}\Z"):
        certified.native(Function("families", "relu_2d"), value)


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
def test_a_tensor_without_a_shape_is_refused(certified: Certification) -> None:
    nested = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)])
    with pytest.raises(RuntimeError, match="NestedTensorImpl"):
        certified.native(Function("families", "relu_2d"), nested)
    with pytest.raises(ValueError, match="expected rank-1 tensor, got rank 2"):
        certified.native(Function("families", "relu_1d"), nested)
    check(certified, Function("families", "relu_2d"), (normal(2, 3),))


def test_each_argument_is_checked(certified: Certification) -> None:
    x, weight, bias = normal(2, 3), normal(4, 3), normal(4)
    linear = Function("families", "linear")
    for arguments, text in [
        ((x, weight[0], bias), "expected rank-2 tensor, got rank 1"),
        ((x, weight, bias.view(2, 2)), "expected rank-1 tensor, got rank 2"),
        ((x, weight, bias.double()), "expected a float32 tensor"),
    ]:
        with pytest.raises(ValueError, match=rf"\Arextio-torch: {text}\Z"):
            certified.native(linear, *arguments)
