"""Each certified function is native, by the rules that its table entry names."""

# ruff: noqa: D103 - the name of a test says what it holds
from __future__ import annotations

from typing import Any

import pytest

from certification import Certification
from kernels import (
    GENERATED,
    ON_PYTHON,
    PACKAGE,
    WRITTEN,
    WRITTEN_WITH_OTHER_VALUES,
    Kernel,
    name_of,
)

ALL = (*GENERATED, *WRITTEN, *WRITTEN_WITH_OTHER_VALUES)


def _span(claim: dict[str, Any]) -> tuple[tuple[int, int], tuple[int, int]]:
    return (claim["line"], claim["column"]), (claim["end_line"], claim["end_column"])


def _within(claim: dict[str, Any], chain: dict[str, Any]) -> bool:
    (start, end), (chain_start, chain_end) = _span(claim), _span(chain)
    return claim is not chain and chain_start <= start and end <= chain_end


def effective_rules(function: dict[str, Any]) -> set[str]:
    """The rules whose lowering stands in the code: a fused chain replaces the claims within it."""
    claims = function["plugin_claims"]
    chains = [claim for claim in claims if claim.get("operand_mode") == "leaves"]
    outermost = [claim for claim in claims if not any(_within(claim, chain) for chain in chains)]
    return {claim["rule_id"] for claim in outermost}


@pytest.mark.parametrize("kernel", ALL, ids=name_of)
def test_goes_native_by_its_rules(certification: Certification, kernel: Kernel) -> None:
    function = certification.functions[kernel.qualname]
    assert function["native_status"] == "accepted", function["promotion_assessment"]
    assert function["route"] == "native-plugin:rextio-numpy"
    assert effective_rules(function) == kernel.rules


@pytest.mark.parametrize(("name", "code"), ON_PYTHON.items())
def test_stays_on_python(certification: Certification, name: str, code: str) -> None:
    function = certification.functions[f"{PACKAGE}.on_python.{name}"]
    assert function["route"] == "fallback-python"
    assert code in function["promotion_assessment"]["diagnostic_codes"]


def test_the_table_is_complete(certification: Certification) -> None:
    on_python = {f"{PACKAGE}.on_python.{name}" for name in ON_PYTHON}
    assert set(certification.functions) == {kernel.qualname for kernel in ALL} | on_python
