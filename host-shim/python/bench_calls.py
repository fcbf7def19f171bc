"""Time the calls core makes to a plugin, beside a plugin written in Python.

    python bench_calls.py PLUGIN.wasm [--reference rextio_numpy.plugin:plugin]

Each figure is the best of several rounds, in microseconds a call as core makes
it: with a site it has just built, through the provider object. ``load`` is a new
process's first ``load`` and ``describe`` with a warm code cache, measured in
child processes, in milliseconds and without core's own import.
"""

from __future__ import annotations

import argparse
import importlib
import json
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from rextio.config.schema import RextioConfig
from rextio.plugins.api import NON_LITERAL, Claimed, ClaimExpr, ClaimSite, LoweringContext

import rextio_wasm

ARRAY_1D = "rextio-numpy/f64-1d"
ARRAY_2D = "rextio-numpy/f64-2d"
SCALAR = "float"

_LOAD = """
import sys, time
import rextio.plugins.loader
from rextio.config.schema import RextioConfig
config = RextioConfig()
started = time.perf_counter()
if sys.argv[1].endswith(".wasm"):
    import rextio_wasm
    provider = rextio_wasm.load(sys.argv[1])
else:
    import importlib
    module, _, name = sys.argv[1].partition(":")
    provider = getattr(importlib.import_module(module), name)
    provider = provider() if not hasattr(provider, "describe") else provider
provider.to_rextio_plugin()
provider.covers()
provider.describe(config)
provider.type_vocabulary()
provider.crate_dependencies()
print((time.perf_counter() - started) * 1e3)
"""


def leaf(index: int, kind: str) -> ClaimExpr:
    return ClaimExpr(kind="leaf", result_type=kind, leaf_index=index, leaf_kind="name")


def operator(symbol: str, left: ClaimExpr, right: ClaimExpr, kind: str) -> ClaimExpr:
    return ClaimExpr(kind="binop", target=symbol, result_type=kind, children=(left, right))


def binop(array: str) -> ClaimSite:
    return ClaimSite(
        kind="binop",
        target="+",
        operand_types=(array, array),
        file_path="",
        line=0,
        column=0,
        operand_literals=(NON_LITERAL, NON_LITERAL),
        expression=operator("+", leaf(0, array), leaf(1, array), array),
    )


def chain(array: str) -> ClaimSite:
    product = operator("*", leaf(0, array), leaf(1, array), array)
    total = operator("+", product, leaf(2, array), array)
    return ClaimSite(
        kind="binop",
        target="-",
        operand_types=(array, array),
        file_path="",
        line=0,
        column=0,
        operand_literals=(NON_LITERAL, NON_LITERAL),
        expression=operator("-", total, leaf(3, array), array),
    )


def call(target: str, *operands: str) -> ClaimSite:
    return ClaimSite(
        kind="call",
        target=target,
        operand_types=operands,
        file_path="",
        line=0,
        column=0,
        operand_literals=(NON_LITERAL,) * len(operands),
        expression=ClaimExpr(
            kind="call",
            target=target,
            children=tuple(leaf(index, kind) for index, kind in enumerate(operands)),
        ),
    )


SITES: dict[str, ClaimSite] = {
    "a + b": binop(ARRAY_1D),
    "a * b + c - d": chain(ARRAY_1D),
    "numpy.sqrt(a)": call("numpy.sqrt", ARRAY_1D),
    "numpy.add(a, b)": call("numpy.add", ARRAY_2D, ARRAY_2D),
    "numpy.linalg.svd(a)": call("numpy.linalg.svd", ARRAY_2D),
    "json.dumps(x)": call("json.dumps", SCALAR),
}


def best(body: Callable[[], object], rounds: int = 200, calls: int = 200) -> float:
    fastest = float("inf")
    for _ in range(rounds):
        started = time.perf_counter_ns()
        for _ in range(calls):
            body()
        fastest = min(fastest, time.perf_counter_ns() - started)
    return fastest / calls / 1e3


def lowering(claimed: Claimed, site: ClaimSite) -> tuple[ClaimSite, LoweringContext]:
    fields = {name: getattr(site, name) for name in site.__dataclass_fields__}
    fields |= {"rule_id": claimed.rule_id, "result_type": claimed.result_type}
    if site.expression is not None:
        fields["expression"] = replace(site.expression, result_type=claimed.result_type)
    names = ("a", "b", "c", "d")
    leaves = names[: 4 if site.target == "-" else len(site.operand_types)]
    direct = claimed.operand_mode == "direct"
    context = LoweringContext(
        operands=names[: len(site.operand_types)] if direct else (),
        target_language="rust",
        fresh_name=lambda prefix: prefix,
        leaf_operands=() if direct else leaves,
    )
    return ClaimSite(**fields), context


def measure(provider: Any) -> dict[str, dict[str, float | str]]:
    config = RextioConfig()
    table: dict[str, dict[str, float | str]] = {}
    for name, site in SITES.items():
        answer = provider.claim(site, config)
        row: dict[str, float | str] = {
            "answer": getattr(answer, "rule_id", type(answer).__name__),
            "claim": best(partial(provider.claim, site, config)),
        }
        if isinstance(answer, Claimed):
            claimed, context = lowering(answer, site)
            row["lower"] = best(partial(provider.lower, claimed, context))
        table[name] = row
    return table


def shown(cell: float | str | None) -> str:
    return f"{cell:9.2f} us" if isinstance(cell, float) else f"{'-':>12}"


def load_time(what: str) -> float:
    command = [sys.executable, "-c", _LOAD, what]
    return min(float(subprocess.check_output(command, text=True)) for _ in range(20))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("plugin", type=Path)
    parser.add_argument("--reference", default=None, help="module:factory of a Python plugin")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    providers: dict[str, Any] = {"component": rextio_wasm.load(options.plugin)}
    loads = {"component": load_time(str(options.plugin))}
    if options.reference:
        module, _, name = options.reference.partition(":")
        factory = getattr(importlib.import_module(module), name)
        providers["reference"] = factory if hasattr(factory, "describe") else factory()
        loads["reference"] = load_time(options.reference)
    tables = {name: measure(provider) for name, provider in providers.items()}
    if options.json:
        print(json.dumps({"load_ms": loads, "calls_us": tables}, indent=2))
        return
    print(f"{'site':22} {'operation':10}" + "".join(f"{name:>12}" for name in providers))
    for site in SITES:
        rows = [table[site] for table in tables.values()]
        for operation in ("claim", "lower"):
            cells = [row.get(operation) for row in rows]
            if any(isinstance(cell, float) for cell in cells):
                print(f"{site:22} {operation:10}" + "".join(map(shown, cells)))
        print(f"{'':22} {'answer':10}  " + "  ".join(str(row["answer"]) for row in rows))
    print(f"{'load and describe':33}" + "".join(f"{load:9.2f} ms" for load in loads.values()))


if __name__ == "__main__":
    main()
