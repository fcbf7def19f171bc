"""The functions that are certified, as a table.

`GENERATED` holds functions for every cell of operation, element type, rank and scalar side; their
source is written from the table. Cells that take the same parameters and give the same type share
one function, whose last parameter chooses among them: cargo's time grows with the functions.
`WRITTEN` describes functions of `project/certified/`. Each entry says by which rules the function
must go native.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

ELEMENTWISE = "rextio-numpy/elementwise-float64"
UFUNC_CALL = "rextio-numpy/elementwise-ufunc-call"
UNARY = "rextio-numpy/unary-module"
CHAIN = "rextio-numpy/elementwise-chain-fusion"
COMPARE = "rextio-numpy/elementwise-compare"
LOGICAL_NOT = "rextio-numpy/resident-logical-not"
LOGICAL_BINARY = "rextio-numpy/resident-logical-binary"
WHERE = "rextio-numpy/where-three-argument"
DOT = "rextio-numpy/dot-float64"
SUM_MEAN = "rextio-numpy/reduction-sum-mean"
EXTREMA = "rextio-numpy/reduction-whole-i64-extrema"
AXIS = "rextio-numpy/reduction-axis"

Dtype = Literal["f64", "f32", "i64"]
DTYPES: tuple[Dtype, ...] = ("f64", "f32", "i64")
NUMPY_NAMES: Mapping[Dtype, str] = {"f64": "float64", "f32": "float32", "i64": "int64"}
SCALARS: Mapping[Dtype, str] = {"f64": "float", "f32": "float", "i64": "int"}

OPERATORS = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/"}
UNARY_CALLS = ("negative", "absolute", "abs", "square")
COMPARISONS = {
    "equal": "==",
    "not_equal": "!=",
    "less": "<",
    "less_equal": "<=",
    "greater": ">",
    "greater_equal": ">=",
}
REDUCTIONS: Mapping[str, tuple[Dtype, ...]] = {
    "sum": ("f64", "i64"),
    "mean": ("f64",),
    "max": ("i64",),
    "min": ("i64",),
}
"""The reductions with the element types that they go native with."""


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
    expressions: tuple[str, ...] = ()
    """The returned expressions; none for a function written by hand. If there are several, a last
    parameter `form` chooses one by its index."""

    @property
    def qualname(self) -> str:
        """The function's name within the certified project."""
        return f"{PACKAGE}.{self.module}.{self.name}"

    @property
    def lanes(self) -> tuple[Lane, ...]:
        """The types of the parameters in order."""
        return tuple(self.parameters.values())

    @property
    def forms(self) -> Sequence[tuple[int, ...]]:
        """The last arguments, beyond `lanes`, of the calls that reach every expression."""
        if len(self.expressions) > 1:
            return [(form,) for form in range(len(self.expressions))]
        return [()]

    @property
    def source(self) -> str:
        """The function's definition."""
        parameters = [f"{name}: {lane.annotation}" for name, lane in self.parameters.items()]
        *chosen, last = self.expressions
        if chosen:
            parameters.append("form: int")
        lines = [f"def {self.name}({', '.join(parameters)}) -> {self.result.annotation}:"]
        for form, expression in enumerate(chosen):
            lines += [f"    if form == {form}:", f"        return {expression}"]
        return "\n".join([*lines, f"    return {last}", ""])


PACKAGE = "certified"


ZEROS: Mapping[Dtype, str] = {"f64": "0.0", "f32": "0.0", "i64": "0"}


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
            expressions=(template.format(name=operation, symbol=OPERATORS[operation]),),
        )


def _unary() -> Iterator[Kernel]:
    for operation, dtype, rank in itertools.product(UNARY_CALLS, DTYPES, (1, 2)):
        yield Kernel(
            module=f"unary_{dtype}",
            name=_name(operation, dtype, rank),
            parameters={"a": Lane(dtype, rank)},
            result=Lane(dtype, rank),
            rules=frozenset({UNARY}),
            expressions=(f"numpy.{operation}(a)",),
        )


def _compare() -> Iterator[Kernel]:
    # A mask cannot be returned: each comparison chooses between `t` and zero.
    for dtype, (left, right) in itertools.product(DTYPES, RANK_PAIRS):
        yield Kernel(
            module=f"compare_{dtype}",
            name=_name("compare", dtype, left, right),
            parameters={"a": Lane(dtype, left), "b": Lane(dtype, right), "t": Lane(dtype, 1)},
            result=Lane(dtype, max(left, right)),
            rules=frozenset({COMPARE, WHERE}),
            expressions=tuple(
                f"numpy.where(a {symbol} b, t, {ZEROS[dtype]})" for symbol in COMPARISONS.values()
            ),
        )


def _logical() -> Iterator[Kernel]:
    for dtype, (left, right) in itertools.product(DTYPES, itertools.product((1, 2), repeat=2)):
        masks = f"a > {ZEROS[dtype]}, b <= {ZEROS[dtype]}"
        yield Kernel(
            module=f"logical_{dtype}",
            name=_name("logical", dtype, left, right),
            parameters={"a": Lane(dtype, left), "b": Lane(dtype, right), "t": Lane(dtype, 1)},
            result=Lane(dtype, max(left, right)),
            rules=frozenset({COMPARE, LOGICAL_NOT, LOGICAL_BINARY, WHERE}),
            expressions=tuple(
                f"numpy.where({condition}, t, {ZEROS[dtype]})"
                for condition in (
                    f"numpy.logical_and({masks})",
                    f"numpy.logical_or({masks})",
                    "numpy.logical_not(a < b)",
                )
            ),
        )


def _where() -> Iterator[Kernel]:
    names = {0: "s", 1: "{}1", 2: "{}2"}
    cells = [
        (condition, left, right)
        for condition, left, right in itertools.product((1, 2), (0, 1, 2), (0, 1, 2))
        if left or right
    ]
    for dtype, rank in itertools.product(DTYPES, (1, 2)):
        arrays = {
            f"{name}{own}": Lane(dtype, own)
            for own in range(1, rank + 1)
            for name in ("c", "x", "y")
        }
        yield Kernel(
            module=f"where_{dtype}",
            name=_name("where", dtype, rank),
            parameters={**arrays, "s": Lane(dtype, 0)},
            result=Lane(dtype, rank),
            rules=frozenset({COMPARE, WHERE}),
            expressions=tuple(
                f"numpy.where(c{condition} > {ZEROS[dtype]}, "
                f"{names[left].format('x')}, {names[right].format('y')})"
                for condition, left, right in cells
                if max(condition, left, right) == rank
            ),
        )


def _dot() -> Iterator[Kernel]:
    for dtype in REDUCTIONS["sum"]:
        yield Kernel(
            module="dot",
            name=_name("dot", dtype, 1, 1),
            parameters={"a": Lane(dtype, 1), "b": Lane(dtype, 1)},
            result=Lane(dtype, 0),
            rules=frozenset({DOT}),
            expressions=("numpy.dot(a, b)", "a.dot(b)"),
        )


def _reductions() -> Iterator[Kernel]:
    for operation, dtypes in REDUCTIONS.items():
        for dtype, rank in itertools.product(dtypes, (1, 2)):
            axes = itertools.product(
                ("numpy.{0}(a, axis={1})", "numpy.{0}(a, {1})", "a.{0}(axis={1})", "a.{0}({1})"),
                range(-rank, rank),
            )
            for family, result, rule, expressions in (
                (
                    "whole",
                    Lane(dtype, 0),
                    SUM_MEAN if operation in ("sum", "mean") else EXTREMA,
                    (f"numpy.{operation}(a)", f"a.{operation}()"),
                ),
                (
                    "axis",
                    Lane(dtype, rank - 1),
                    AXIS,
                    tuple(spelling.format(operation, axis) for spelling, axis in axes),
                ),
            ):
                yield Kernel(
                    module=f"{family}_{dtype}",
                    name=_name(operation, dtype, rank),
                    parameters={"a": Lane(dtype, rank)},
                    result=result,
                    rules=frozenset({rule}),
                    expressions=expressions,
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
                expressions=(expression,),
            )


def _composed(
    name: str, dtype: Dtype, ranks: str, result: Lane, expression: str, *rules: str
) -> Kernel:
    """A function of several rules; `ranks` are the parameters with their ranks: `a2 b1 x0`."""
    parameters = {item[:-1]: Lane(dtype, int(item[-1])) for item in ranks.split()}
    return Kernel("composed", name, parameters, result, frozenset(rules), (expression,))


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
    *_compare(),
    *_logical(),
    *_where(),
    *_dot(),
    *_reductions(),
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
    module, _, function = name.rpartition(".")
    return Kernel(module or "programs", function, _lanes(parameters), result, frozenset(rules))


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
    _written("masks.used_twice", "a:f64-1 b:f64-1", Lane("f64", 1), ELEMENTWISE, COMPARE, WHERE),
    _written(
        "masks.redefined",
        "a:f64-1 b:f64-2",
        Lane("f64", 2),
        COMPARE,
        LOGICAL_NOT,
        LOGICAL_BINARY,
        WHERE,
    ),
    _written(
        "masks.outlives_its_operands",
        "a:f64-1 b:f64-1",
        Lane("f64", 1),
        ELEMENTWISE,
        COMPARE,
        WHERE,
    ),
    _written(
        "masks.of_temporaries",
        "a:f64-2 b:f64-2 c:f64-1",
        Lane("f64", 2),
        ELEMENTWISE,
        UNARY,
        CHAIN,
        COMPARE,
        LOGICAL_BINARY,
        WHERE,
    ),
    _written(
        "masks.nested",
        "a:f64-2 b:f64-1 c:f64-2",
        Lane("f64", 2),
        CHAIN,
        COMPARE,
        LOGICAL_NOT,
        LOGICAL_BINARY,
        WHERE,
    ),
    _written(
        "masks.of_three_dtypes",
        "a:f64-1 b:f32-2 n:i64-1",
        Lane("f64", 2),
        COMPARE,
        LOGICAL_BINARY,
        WHERE,
    ),
    _written(
        "masks.chooses_floats_by_ints",
        "a:f32-2 n:i64-1 x:f32-0",
        Lane("f32", 2),
        ELEMENTWISE,
        COMPARE,
        LOGICAL_NOT,
        WHERE,
    ),
    _written("masks.literals", "a:f32-1 b:f32-2", Lane("f32", 2), COMPARE, LOGICAL_BINARY, WHERE),
    _written("masks.int_literals", "n:i64-2", Lane("f64", 2), ELEMENTWISE, COMPARE, WHERE),
    _written(
        "masks.branches",
        "a:f64-1 b:f64-1 choice:i64-0",
        Lane("f64", 1),
        ELEMENTWISE,
        COMPARE,
        WHERE,
    ),
    _written("masks.loop", "a:f64-1 b:f64-1 n:i64-0", Lane("f64", 1), ELEMENTWISE, COMPARE, WHERE),
    _written(
        "masks.loop_with_the_last_mask",
        "a:f64-2 b:f64-1 n:i64-0",
        Lane("f64", 2),
        ELEMENTWISE,
        COMPARE,
        LOGICAL_NOT,
        WHERE,
    ),
    _written(
        "masks.while_loop", "n:i64-1 limit:i64-0", Lane("i64", 1), ELEMENTWISE, COMPARE, WHERE
    ),
    _written(
        "masks.first_failure",
        "a:f64-1 b:f64-1 c:f64-1 d:f64-1 e:f64-1 f:f64-1",
        Lane("f64", 1),
        ELEMENTWISE,
        COMPARE,
        LOGICAL_BINARY,
        WHERE,
    ),
    _written(
        "masks.first_failing_statement",
        "a:f64-1 b:f64-1 c:f64-1",
        Lane("f64", 1),
        ELEMENTWISE,
        COMPARE,
        WHERE,
    ),
    _written("reductions.centred", "a:f64-2", Lane("f64", 2), ELEMENTWISE, SUM_MEAN),
    _written("reductions.centred_by_column", "a:f64-2", Lane("f64", 2), ELEMENTWISE, UNARY, AXIS),
    _written("reductions.variance", "a:f64-1", Lane("f64", 0), ELEMENTWISE, UNARY, SUM_MEAN),
    _written("reductions.normalised", "a:f64-1", Lane("f64", 1), ELEMENTWISE, DOT),
    _written(
        "reductions.weighted", "a:f64-1 b:f64-1 x:f64-0", Lane("f64", 1), ELEMENTWISE, DOT, SUM_MEAN
    ),
    _written(
        "reductions.of_a_chain",
        "a:f64-2 b:f64-1",
        Lane("f64", 0),
        ELEMENTWISE,
        UNARY,
        CHAIN,
        SUM_MEAN,
    ),
    _written("reductions.of_a_choice", "a:f64-2 b:f64-1", Lane("f64", 0), COMPARE, WHERE, SUM_MEAN),
    _written(
        "reductions.dot_of_expressions",
        "a:f64-1 b:f64-1",
        Lane("f64", 0),
        ELEMENTWISE,
        UNARY,
        CHAIN,
        DOT,
    ),
    _written("reductions.of_reductions", "a:f64-2 b:f64-2", Lane("f64", 0), AXIS, SUM_MEAN, DOT),
    _written("reductions.rows_and_columns", "a:f64-2 b:f64-1", Lane("f64", 1), ELEMENTWISE, AXIS),
    _written(
        "reductions.above_the_mean", "a:f64-2", Lane("f64", 2), COMPARE, WHERE, AXIS, SUM_MEAN
    ),
    _written("reductions.reduced_choice", "a:f64-2 b:f64-1", Lane("f64", 1), COMPARE, WHERE, AXIS),
    _written(
        "reductions.clipped_to_means",
        "a:f64-1 b:f64-1",
        Lane("f64", 1),
        ELEMENTWISE,
        COMPARE,
        WHERE,
        SUM_MEAN,
    ),
    _written(
        "reductions.branches_on_sums", "a:f64-1 b:f64-1", Lane("f64", 1), ELEMENTWISE, SUM_MEAN
    ),
    _written(
        "reductions.loop_of_dots", "a:f64-1 b:f64-1 n:i64-0", Lane("f64", 0), ELEMENTWISE, DOT
    ),
    _written(
        "reductions.loop_of_axes", "a:f64-2 n:i64-0", Lane("f64", 2), ELEMENTWISE, AXIS, SUM_MEAN
    ),
    _written("reductions.spread_of_ints", "n:i64-1", Lane("f64", 1), ELEMENTWISE, EXTREMA),
    _written("reductions.extremes_by_axis", "n:i64-2", Lane("i64", 1), ELEMENTWISE, AXIS),
    _written(
        "reductions.halved_until_small",
        "n:i64-1 steps:i64-0",
        Lane("i64", 1),
        ELEMENTWISE,
        COMPARE,
        WHERE,
        EXTREMA,
    ),
    _written(
        "reductions.count_until_small",
        "n:i64-1 limit:i64-0",
        Lane("i64", 0),
        ELEMENTWISE,
        COMPARE,
        WHERE,
        EXTREMA,
    ),
    _written(
        "reductions.extremum_beside_floats", "a:f32-1 n:i64-1", Lane("f32", 1), ELEMENTWISE, EXTREMA
    ),
    _written(
        "reductions.sum_fails_after_dot", "a:f64-1 b:f64-1 n:i64-1", Lane("i64", 0), DOT, EXTREMA
    ),
)
# Lists, tuples and bools, which `Lane` has no name for: the tests name the values themselves.
WRITTEN_WITH_OTHER_VALUES: tuple[Kernel, ...] = (
    _written("loop_over_floats", "a:f32-1", Lane("f32", 1), ELEMENTWISE),
    _written("branch_values", "a:f64-1 b:f64-1", Lane("f64", 1), ELEMENTWISE, UFUNC_CALL, UNARY),
    _written(
        "masks.growing", "a:f64-1", Lane("f64", 1), ELEMENTWISE, COMPARE, LOGICAL_BINARY, WHERE
    ),
    _written(
        "reductions.floats_of_a_loop",
        "a:f64-1 n:i64-0",
        Lane("f64", 0),
        ELEMENTWISE,
        COMPARE,
        WHERE,
        SUM_MEAN,
    ),
    _written("reductions.pair", "a:f64-1", Lane("f64", 0), SUM_MEAN),
    _written("reductions.is_larger", "a:f64-1 b:f64-1", Lane("f64", 0), SUM_MEAN),
    _written(
        "reductions.ints_of_ints", "n:i64-2 k:i64-1", Lane("i64", 0), SUM_MEAN, EXTREMA, AXIS, DOT
    ),
    _written("reductions.ratio_of_sums", "a:f64-1 b:f64-1", Lane("f64", 0), SUM_MEAN),
    _written("reductions.difference_of_extrema", "n:i64-1", Lane("i64", 0), EXTREMA),
    _written(
        "reductions.float32_by_a_sum", "a:f32-1 b:f64-1", Lane("f32", 1), ELEMENTWISE, SUM_MEAN
    ),
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
    "returns_a_mask": "RXT092",
    "returns_a_mask_as_an_array": "RXT010",
    "returns_a_logical_mask": "RXT092",
    "returns_a_named_mask": "RXT092",
    "returns_masks_in_a_list": "RXT010",
    "passes_a_mask": "RXT092",
    "renames_a_mask": "RXT092",
    "annotates_a_mask": "RXT010",
    "mask_in_arithmetic": "RXTP-NUMPY-010",
    "sum_of_a_mask": "RXTP-NUMPY-010",
    "mask_as_index": "RXT010",
    "mask_as_truth": "RXT010",
    "masks_compared": "RXTP-NUMPY-010",
    "bitwise_and": "RXT010",
    "inverted": "RXT010",
    "chained_comparison": "RXT010",
    "identity": "RXT010",
    "membership": "RXT010",
    "int_compared_with_floats": "RXTP-NUMPY-010",
    "bool_compared_with_ints": "RXTP-NUMPY-010",
    "int_literal_beyond_int64": "RXT010",
    "dtypes_compared": "RXTP-NUMPY-010",
    "comparing_ufunc": "RXT030",
    "logical_and_of_arrays": "RXTP-NUMPY-010",
    "logical_not_of_an_array": "RXTP-NUMPY-010",
    "logical_and_of_three": "RXTP-NUMPY-010",
    "logical_and_with_option": "RXTP-NUMPY-010",
    "logical_xor": "RXT030",
    "where_of_one_argument": "RXTP-NUMPY-010",
    "where_with_keywords": "RXT010",
    "where_of_two_scalars": "RXTP-NUMPY-010",
    "where_of_two_dtypes": "RXTP-NUMPY-010",
    "where_of_floats_and_int": "RXTP-NUMPY-010",
    "where_by_an_array": "RXTP-NUMPY-010",
    "where_by_another_name": "RXT010",
    "float32_dot": "RXTP-NUMPY-010",
    "float32_dot_method": "RXTP-NUMPY-010",
    "matrix_dot": "RXTP-NUMPY-010",
    "matrix_vector_dot_method": "RXTP-NUMPY-010",
    "dot_of_two_dtypes": "RXTP-NUMPY-010",
    "dot_with_a_scalar": "RXTP-NUMPY-010",
    "dot_into_an_output": "RXT030",
    "dot_with_keyword": "RXT010",
    "dot_method_of_an_expression": "RXT030",
    "matmul_call": "RXT030",
    "matmul_operator": "RXT010",
    "inner_product": "RXT030",
    "float32_sum": "RXTP-NUMPY-010",
    "float32_sum_method": "RXTP-NUMPY-010",
    "float32_sum_by_axis": "RXTP-NUMPY-010",
    "float32_mean": "RXTP-NUMPY-010",
    "float32_mean_by_axis": "RXTP-NUMPY-010",
    "int_mean": "RXTP-NUMPY-010",
    "int_mean_method": "RXTP-NUMPY-010",
    "int_mean_by_axis": "RXTP-NUMPY-010",
    "float_max": "RXT030",
    "float_min_method": "RXT030",
    "float_max_by_axis": "RXT010",
    "float_min_by_positional_axis": "RXT030",
    "float_max_by_method_axis": "RXT010",
    "sum_of_an_expressions_method": "RXT030",
    "axis_in_a_parameter": "RXT010",
    "positional_axis_in_a_parameter": "RXT030",
    "axis_in_a_local": "RXT010",
    "axis_in_a_tuple": "RXT010",
    "axis_none": "RXT010",
    "axis_out_of_range": "RXT010",
    "positional_axis_out_of_range": "RXT030",
    "axis_with_a_plus": "RXT010",
    "axis_computed": "RXT010",
    "axis_true": "RXT010",
    "dimensions_kept": "RXT010",
    "dimensions_not_kept": "RXT010",
    "sum_in_a_dtype": "RXT010",
    "sum_by_axis_and_dtype": "RXT030",
    "sum_into_an_output": "RXT010",
    "max_with_an_initial_value": "RXT010",
    "sum_with_a_keyword": "RXT010",
    "sum_of_a_list": "RXT010",
    "builtin_sum": "RXT010",
    "other_reduction": "RXT030",
    "other_reducing_method": "RXT030",
    "reduce_of_a_ufunc": "RXT030",
    "amax": "RXT030",
    "larger_of_two": "RXT030",
    "float_of_a_sum": "RXT030",
    "int_divided_by_int": "RXT010",
    "pair_of_arrays": "RXT003",
}
"""The functions of `project/certified/on_python.py` with the diagnostic that each must have."""


def name_of(function: Kernel) -> str:
    """The name under which `kernel` finds a function, and tests are called after it."""
    return f"{function.module}.{function.name}"


_BY_NAME = {
    name_of(kernel): kernel for kernel in (*GENERATED, *WRITTEN, *WRITTEN_WITH_OTHER_VALUES)
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


def compare(dtype: Dtype, ranks: str) -> Kernel:
    """The comparisons, in the order of `COMPARISONS`, over operands of these ranks."""
    return kernel(f"compare_{dtype}.compare_{dtype}_{ranks}")


def logical(dtype: Dtype, ranks: str) -> Kernel:
    """`logical_and`, `logical_or` and `logical_not` of comparisons of operands of these ranks."""
    return kernel(f"logical_{dtype}.logical_{dtype}_{ranks}")


def where(dtype: Dtype, rank: int) -> Kernel:
    """All forms of `numpy.where` with a result of this rank."""
    return kernel(f"where_{dtype}.where_{dtype}_{rank}")


def dot(dtype: Dtype) -> Kernel:
    """`numpy.dot`: the call and the method."""
    return kernel(f"dot.dot_{dtype}_11")


def reduction(family: Literal["whole", "axis"], operation: str, dtype: Dtype, rank: int) -> Kernel:
    """A reduction of an array of this rank as a whole or by axis, in all spellings."""
    return kernel(f"{family}_{dtype}.{operation}_{dtype}_{rank}")


def reductions(family: Literal["whole", "axis"], rank: int) -> Iterator[Kernel]:
    """All reductions of arrays of this rank, as a whole or by axis."""
    for operation, dtypes in REDUCTIONS.items():
        for dtype in dtypes:
            yield reduction(family, operation, dtype, rank)


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
