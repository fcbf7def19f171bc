"""The functions that are certified, as a table.

`GENERATED` holds one-line functions for every cell of operator, element type, rank and scalar side;
their source is written from the table. `WRITTEN` describes functions of `project/certified/`. Each
entry says by which rules the function must go native.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

ELEMENTWISE = "rextio-numpy/elementwise-float64"
UFUNC_CALL = "rextio-numpy/elementwise-ufunc-call"
UNARY = "rextio-numpy/unary-module"
CHAIN = "rextio-numpy/elementwise-chain-fusion"

Dtype = Literal["f64", "f32", "i64"]
DTYPES: tuple[Dtype, ...] = ("f64", "f32", "i64")
NUMPY_NAMES: Mapping[Dtype, str] = {"f64": "float64", "f32": "float32", "i64": "int64"}
SCALARS: Mapping[Dtype, str] = {"f64": "float", "f32": "float", "i64": "int"}

OPERATORS = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/"}
UNARY_CALLS = ("negative", "absolute", "abs", "square")


@dataclass(frozen=True)
class Lane:
    """The type of a parameter or a result: an array of a dtype and rank, or a scalar (rank 0)."""

    dtype: Dtype
    rank: int

    @property
    def annotation(self) -> str:
        """How the type is written in the certified source."""
        return f"{self.dtype.upper()}Arr{self.rank}" if self.rank else SCALARS[self.dtype]


@dataclass(frozen=True)
class Kernel:
    """One certified function."""

    module: str
    name: str
    parameters: Mapping[str, Lane]
    result: Lane
    rules: frozenset[str]
    """The rules behind the calls that stand in the generated code."""
    expression: str = ""
    """The returned expression; empty for a function written by hand."""

    @property
    def qualname(self) -> str:
        """The function's name within the certified project."""
        return f"{PACKAGE}.{self.module}.{self.name}"

    @property
    def lanes(self) -> tuple[Lane, ...]:
        """The types of the parameters in order."""
        return tuple(self.parameters.values())

    @property
    def source(self) -> str:
        """The function's definition."""
        parameters = ", ".join(
            f"{name}: {lane.annotation}" for name, lane in self.parameters.items()
        )
        return (
            f"def {self.name}({parameters}) -> {self.result.annotation}:\n"
            f"    return {self.expression}\n"
        )


PACKAGE = "certified"


def _quotient(dtype: Dtype, operation: str) -> Dtype:
    return "f64" if (operation, dtype) == ("divide", "i64") else dtype


def _name(operation: str, dtype: Dtype, *ranks: int) -> str:
    return "_".join([operation, dtype, "".join(str(rank) if rank else "s" for rank in ranks)])


RANK_PAIRS = ((1, 1), (1, 2), (2, 1), (2, 2), (1, 0), (2, 0), (0, 1), (0, 2))


def _binary(
    family: str, template: str, rule: str, ranks: tuple[tuple[int, int], ...]
) -> Iterator[Kernel]:
    for operation, dtype, (left, right) in itertools.product(OPERATORS, DTYPES, ranks):
        yield Kernel(
            module=f"{family}_{operation}_{dtype}",
            name=_name(operation, dtype, left, right),
            parameters={"a": Lane(dtype, left), "b": Lane(dtype, right)},
            result=Lane(_quotient(dtype, operation), max(left, right)),
            rules=frozenset({rule}),
            expression=template.format(name=operation, symbol=OPERATORS[operation]),
        )


def _unary() -> Iterator[Kernel]:
    for operation, dtype, rank in itertools.product(UNARY_CALLS, DTYPES, (1, 2)):
        yield Kernel(
            module=f"unary_{dtype}",
            name=_name(operation, dtype, rank),
            parameters={"a": Lane(dtype, rank)},
            result=Lane(dtype, rank),
            rules=frozenset({UNARY}),
            expression=f"numpy.{operation}(a)",
        )


CHAINS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    # Name, expression over floats, the ranks of its names in alphabetical order. Over int64 a `/`
    # becomes a `-`: its result has another dtype, so it ends a chain.
    ("left", "a * b + c", ("111", "122", "212", "221", "112", "222")),
    ("right", "a - b * c", ("111", "222", "121", "211")),
    ("product_of_sum", "a * (b + c)", ("222", "121")),
    ("both_sides", "(a - b) / (c + d)", ("1111", "2222", "1212", "1122", "2211")),
    ("all_left", "a - b - c - d", ("1111", "1222", "2111")),
    ("all_right", "a - (b - (c / (d - e)))", ("11111", "22222", "11112")),
    ("repeated", "a * a + a", ("1", "2")),
    ("repeated_pair", "(a + b) * (a - b) / (a * b)", ("11", "22", "12", "21")),
    ("eight_names", "a + b - c * d / e + f - g * h / i", ("111111111", "222222222", "121212121")),
    ("eight_of_two", "a * b + b * a - a * b + b * a - a", ("11", "22", "12")),
)


def _chains() -> Iterator[Kernel]:
    for (name, expression, all_ranks), dtype in itertools.product(CHAINS, DTYPES):
        if dtype == "i64":
            expression = expression.replace("/", "-")
        names = sorted(set(re.findall(r"\b[a-i]\b", expression)))
        # Element types differ in the element's arithmetic only; shapes need not be tried on all.
        for ranks in all_ranks if dtype == "f64" else (all_ranks[0], all_ranks[-1]):
            lanes = [Lane(dtype, int(rank)) for rank in ranks]
            yield Kernel(
                module=f"chain_{name}",
                name=_name(name, dtype, *(lane.rank for lane in lanes)),
                parameters=dict(zip(names, lanes, strict=True)),
                result=Lane(dtype, max(lane.rank for lane in lanes)),
                rules=frozenset({CHAIN}),
                expression=expression,
            )


def _composed(
    name: str, dtype: Dtype, ranks: str, result: Lane, expression: str, *rules: str
) -> Kernel:
    """A function of several rules; `ranks` are the parameters with their ranks: `a2 b1 x0`."""
    parameters = {item[:-1]: Lane(dtype, int(item[-1])) for item in ranks.split()}
    return Kernel("composed", name, parameters, result, frozenset(rules), expression)


COMPOSED: tuple[Kernel, ...] = (
    _composed(
        "scaled_chain",
        "f64",
        "a2 b1 x0",
        Lane("f64", 2),
        "x * (a * b + a) - 1.5",
        ELEMENTWISE,
        CHAIN,
    ),
    _composed(
        "weak_chain", "f32", "a2 b1 x0", Lane("f32", 2), "x * (a * b + a) - 1.5", ELEMENTWISE, CHAIN
    ),
    _composed(
        "int_chain", "i64", "a1 b2 n0", Lane("f64", 2), "(a * b - a) / n", ELEMENTWISE, CHAIN
    ),
    _composed(
        "nine_operators",
        "f64",
        "a1 b1",
        Lane("f64", 1),
        "a * b + b * a - a * b + b * a - a + b",
        ELEMENTWISE,
        CHAIN,
    ),
    _composed(
        "call_of_chain",
        "f64",
        "a2 b2 c1",
        Lane("f64", 2),
        "numpy.negative(a * b + c)",
        UNARY,
        CHAIN,
    ),
    _composed(
        "chain_in_ufunc",
        "f64",
        "a1 b1 c1",
        Lane("f64", 1),
        "numpy.add(a * b - c, numpy.square(a))",
        UFUNC_CALL,
        UNARY,
        CHAIN,
    ),
    _composed(
        "call_in_operator",
        "f64",
        "a2 b2",
        Lane("f64", 2),
        "numpy.abs(a - b) / (a + b)",
        UNARY,
        ELEMENTWISE,
    ),
    _composed(
        "ufuncs_nested",
        "i64",
        "a1 b2",
        Lane("f64", 2),
        "numpy.divide(numpy.subtract(a, b), numpy.multiply(b, 3))",
        UFUNC_CALL,
    ),
    _composed(
        "operators_and_ufuncs",
        "f32",
        "a1 b1 x0",
        Lane("f32", 1),
        "numpy.multiply(a, x) + numpy.subtract(2.0, b) * a",
        UFUNC_CALL,
        ELEMENTWISE,
    ),
    _composed(
        "mixed_after_division", "i64", "a1 b1", Lane("f64", 1), "a / b + (a - b) / 2", ELEMENTWISE
    ),
    _composed("literals", "f32", "a1", Lane("f32", 1), "0.1 - a * 1e300 + 1e-46", ELEMENTWISE),
)


GENERATED: tuple[Kernel, ...] = (
    *_binary("elementwise", "a {symbol} b", ELEMENTWISE, RANK_PAIRS),
    *_binary("ufunc", "numpy.{name}(a, b)", UFUNC_CALL, ((2, 1), (2, 0), (0, 1))),
    *_unary(),
    *_chains(),
    *COMPOSED,
)


def _lanes(parameters: str) -> dict[str, Lane]:
    """`a:f64-2 n:i64-0` as parameters."""
    lanes: dict[str, Lane] = {}
    for parameter in parameters.split():
        name, dtype, rank = re.split("[:-]", parameter)
        lanes[name] = Lane(next(known for known in DTYPES if known == dtype), int(rank))
    return lanes


def _written(name: str, parameters: str, result: Lane, *rules: str) -> Kernel:
    return Kernel("programs", name, _lanes(parameters), result, frozenset(rules))


WRITTEN: tuple[Kernel, ...] = (
    _written("locals_and_reuse", "a:f64-1 b:f64-1", Lane("f64", 1), ELEMENTWISE, CHAIN),
    _written("returned_local", "a:f64-2 b:f64-1", Lane("f64", 2), ELEMENTWISE),
    _written("returned_alias_of_local", "a:f64-1", Lane("f64", 1), ELEMENTWISE),
    _written("reassigned_parameter", "a:f64-2 b:f64-2", Lane("f64", 2), ELEMENTWISE),
    _written("changing_roles", "a:f64-1 b:f64-1", Lane("f64", 1), ELEMENTWISE, CHAIN),
    _written("loop", "a:f64-1 b:f64-1 n:i64-0", Lane("f64", 1), ELEMENTWISE, CHAIN),
    _written("while_loop", "n:i64-2 steps:i64-0", Lane("i64", 2), ELEMENTWISE, CHAIN),
    _written("branches", "a:f64-2 b:f64-1 choice:i64-0", Lane("f64", 2), ELEMENTWISE, UNARY),
    _written("early_return", "a:i64-1 b:i64-1 limit:i64-0", Lane("i64", 1), ELEMENTWISE),
    _written("scalars_between", "a:f64-1 x:f64-0", Lane("f64", 1), ELEMENTWISE),
    _written("int_scalars_between", "a:i64-1 n:i64-0", Lane("f64", 1), ELEMENTWISE),
    _written("imported_names", "a:f64-2", Lane("f64", 2), ELEMENTWISE, UNARY),
    _written("second_operation_fails", "a:f64-1 b:f64-1 c:f64-1", Lane("f64", 1), ELEMENTWISE),
)
# A list or a bool among their parameters: the tests call these with values of their own.
WRITTEN_WITH_OTHER_PARAMETERS: tuple[Kernel, ...] = (
    _written("loop_over_floats", "a:f32-1", Lane("f32", 1), ELEMENTWISE),
    _written("branch_values", "a:f64-1 b:f64-1", Lane("f64", 1), ELEMENTWISE, UFUNC_CALL, UNARY),
)

ON_PYTHON: Mapping[str, str] = {
    "returns_its_parameter": "RXT010",
    "returns_an_alias": "RXT010",
    "mixed_dtypes": "RXTP-NUMPY-010",
    "int_beside_floats": "RXTP-NUMPY-010",
    "float_beside_ints": "RXTP-NUMPY-010",
    "ufunc_with_option": "RXTP-NUMPY-010",
    "unary_of_scalar": "RXTP-NUMPY-010",
    "matrix_product": "RXT010",
    "in_place": "RXT010",
    "calls_another": "RXT092",
}
"""The functions of `project/certified/on_python.py` with the diagnostic that each must have."""


_BY_NAME = {
    f"{kernel.module}.{kernel.name}": kernel
    for kernel in (*GENERATED, *WRITTEN, *WRITTEN_WITH_OTHER_PARAMETERS)
}


def kernel(name: str) -> Kernel:
    """The function `module.name`."""
    return _BY_NAME[name]


def elementwise(operation: str, dtype: Dtype, ranks: str) -> Kernel:
    """The operator over operands of these ranks; `s` stands for a scalar."""
    return kernel(f"elementwise_{operation}_{dtype}.{operation}_{dtype}_{ranks}")


def chain(name: str, ranks: str, dtype: Dtype = "f64") -> Kernel:
    """The chain of `CHAINS` over names of these ranks."""
    return kernel(f"chain_{name}.{name}_{dtype}_{ranks}")


def generated_modules() -> dict[str, str]:
    """The source of each generated module by its name."""
    modules: dict[str, list[Kernel]] = {}
    for kernel in GENERATED:
        modules.setdefault(kernel.module, []).append(kernel)
    head = (
        "import numpy\n\n"
        "from rextio_numpy.types import F32Arr1, F32Arr2, F64Arr1, F64Arr2, I64Arr1, I64Arr2\n"
    )
    return {
        module: "\n\n".join([head, *(kernel.source for kernel in kernels)])
        for module, kernels in modules.items()
    }
