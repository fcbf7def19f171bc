"""The certified functions as a table: what core must say of each, and with which rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

LINEAR = "functional-linear-f32-cpu-2d"
RELU_1D = "tensor-relu-f32-cpu-1d"
RELU_2D = "tensor-relu-f32-cpu-2d"
SIGMOID_1D = "tensor-sigmoid-f32-cpu-1d"
SIGMOID_2D = "tensor-sigmoid-f32-cpu-2d"
TANH_1D = "tensor-tanh-f32-cpu-1d"
TANH_2D = "tensor-tanh-f32-cpu-2d"
MATMUL = "tensor-matmul-f32-cpu-2d"
MATMUL_CALL = "tensor-matmul-call-f32-cpu-2d"
ADD = "tensor-add-f32-cpu-same-rank"
ADD_BIAS = "tensor-add-f32-cpu-2d-1d-broadcast"
MEAN = "tensor-mean-dim1-f32-cpu-2d"
SUM = "tensor-sum-dim1-f32-cpu-2d"


@dataclass(frozen=True)
class Function:
    """A function of the project: the module in `certified` and its name."""

    module: str
    name: str

    @property
    def qualname(self) -> str:
        """The name that core reports."""
        return f"certified.{self.module}.{self.name}"

    def __str__(self) -> str:
        """The name of the test case."""
        return self.name


FAMILIES: Mapping[str, str] = {
    "linear": LINEAR,
    "linear_in_full": LINEAR,
    "relu_1d": RELU_1D,
    "relu_2d": RELU_2D,
    "sigmoid_1d": SIGMOID_1D,
    "sigmoid_2d": SIGMOID_2D,
    "tanh_1d": TANH_1D,
    "tanh_2d": TANH_2D,
    "mean": MEAN,
    "mean_keywords_reversed": MEAN,
    "total": SUM,
    "total_keywords_reversed": SUM,
    "matmul_operator": MATMUL,
    "matmul_function": MATMUL_CALL,
    "matmul_method": MATMUL_CALL,
    "add_1d": ADD,
    "add_2d": ADD,
    "add_bias": ADD_BIAS,
    "bias_add": ADD_BIAS,
}
"""The functions of `families.py`, each with the rule that claims its one operation."""

PROGRAMS: Mapping[str, frozenset[str]] = {
    "pooled_layer": frozenset({LINEAR, RELU_2D, MEAN}),
    "alternating_layers": frozenset({MATMUL, ADD_BIAS, RELU_2D, SIGMOID_2D, MEAN}),
    "expanded_surface": frozenset(
        {MATMUL_CALL, TANH_2D, ADD, SUM, RELU_1D, SIGMOID_1D, TANH_1D},
    ),
    "two_layers": frozenset({LINEAR, TANH_2D, SIGMOID_2D}),
    "kept_and_used": frozenset({MATMUL, RELU_2D, TANH_2D, ADD}),
    "renamed": frozenset({RELU_2D, TANH_2D, ADD}),
    "residual": frozenset({RELU_2D, MATMUL, TANH_2D, ADD}),
    "summed_rows": frozenset({SUM, SIGMOID_1D, ADD}),
    "early": frozenset({RELU_1D, TANH_1D, ADD}),
}
"""The functions of `programs.py` with their rules."""

ON_PYTHON: Mapping[str, str] = {
    "returns_its_input": "RXT010",
    "linear_of_a_vector": "RXTP-TORCH-010",
    "linear_without_bias": "RXTP-TORCH-001",
    "linear_with_keyword": "RXT010",
    "mean_of_columns": "RXTP-TORCH-003",
    "mean_negative": "RXTP-TORCH-003",
    "mean_kept": "RXTP-TORCH-003",
    "mean_positional": "RXTP-TORCH-003",
    "mean_dynamic": "RXT010",
    "mean_without_keepdim": "RXTP-TORCH-003",
    "sum_of_a_vector": "RXTP-TORCH-010",
    "matmul_of_a_vector": "RXTP-TORCH-009",
    "matmul_call_of_a_vector": "RXTP-TORCH-014",
    "relu_with_argument": "RXTP-TORCH-002",
    "softmax": "RXT010",
    "relu_function": "RXT030",
    "in_place_relu": "RXT030",
    "multiplied": "RXT010",
    "plus_one": "RXTP-TORCH-010",
    "added_in_place": "RXT010",
    "transposed": "RXT030",
    "receiver_is_a_sum": "RXT030",
    "compared": "RXT010",
}
"""The functions of `on_python.py`, each with the code that says why."""
