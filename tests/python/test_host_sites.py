"""Core's records on their way to a plugin, from older and newer cores too."""

# ruff: noqa: D103 - the name of a test says what it holds
from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Iterator
from typing import Any

import pytest
import rextio_wasm
from rextio.artifacts.models import ArtifactKind, ArtifactProfile, RuntimeRequirement
from rextio.config.schema import RextioConfig
from rextio.plugins import api
from rextio.plugins.api import (
    CallableBody,
    CallableBodyExpr,
    CallableMeta,
    CallableParam,
    Claimed,
    ClaimExpr,
    ClaimLiteral,
    ClaimSite,
    KeywordArg,
    LoweringContext,
    NotCovered,
    ReceiverMeta,
    Rejected,
    ScalarLiteral,
    SchemaField,
    SchemaMeta,
)

from test_host_components import hostile, lowering, site

CONFIG = RextioConfig()


@pytest.fixture(autouse=True)
def _warnings_are_errors() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def seen(found: ClaimSite) -> str:
    """Return how the guest prints the site it got."""
    answer = hostile().claim(dataclasses.replace(found, target="hostile.site"), CONFIG)
    assert isinstance(answer, Rejected)
    return answer.diagnostic.message


def leaf(index: int = 0) -> ClaimExpr:
    return ClaimExpr(kind="leaf", result_type="int", leaf_index=index, leaf_kind="name")


def deep(levels: int) -> ClaimExpr:
    tree = leaf()
    for _ in range(levels - 1):
        tree = ClaimExpr(kind="binop", target="+", children=(tree, leaf()))
    return tree


def test_everything_a_site_can_say_arrives() -> None:
    body = CallableBodyExpr(
        kind="compare",
        ops=("<",),
        children=(
            CallableBodyExpr(kind="param", name="x", param_index=0),
            CallableBodyExpr(kind="literal", literal=ScalarLiteral("float", 2.5)),
        ),
    )
    text = seen(
        site(
            "hostile.site",
            kind="compare",
            operand_types=("int", None),
            operand_literals=(ClaimLiteral(True, -1), ClaimLiteral(True, (0, 1))),
            keywords=(
                KeywordArg("axis", None, ClaimLiteral(True, None)),
                KeywordArg("keepdims", "bool", ClaimLiteral(True, True)),
                KeywordArg("dtype", "str", ClaimLiteral(True, "é")),
            ),
            expression=ClaimExpr(
                kind="call",
                target="f",
                children=(leaf(), ClaimExpr(kind="literal", literal=ClaimLiteral(True, 3))),
                keywords=(KeywordArg("k"),),
            ),
            receiver=ReceiverMeta(
                "rextio-hostile/Thing",
                "name",
                True,
                SchemaMeta("m.Row", (SchemaField("a", "int"),)),
            ),
            callables=(
                CallableMeta(
                    1,
                    "m.f",
                    (CallableParam("x", "float"),),
                    "bool",
                    accepts_native=True,
                    native_symbol="f",
                    body=CallableBody(True, None, body),
                    keyword="func",
                ),
            ),
        )
    )
    for part in (
        "kind: Compare",
        'operand_types: [Some("int"), None]',
        "operand_literals: [Int(-1), IntTuple([0, 1])]",
        'KeywordArg { name: "axis", arg_type: None, literal: None }',
        "literal: Bool(true)",
        'literal: Str("é")',
        "Literal(Int(3))",
        'KeywordArg { name: "k", arg_type: None, literal: NonLiteral }',
        "expr_kind: Name",
        'SchemaField { name: "a", field_type: "int" }',
        'arg_index: 1, qualname: "m.f"',
        'native_symbol: Some("f")',
        'Compare(["<"])',
        "Literal(Float(2.5))",
        'keyword: "func"',
    ):
        assert part in text


def test_the_lowering_context_arrives() -> None:
    profile = ArtifactProfile(
        kind=ArtifactKind.RUST_CRATE,
        target_triple="x86_64-unknown-linux-gnu",
        packaging_backend="cargo",
        runtime_requirements=(RuntimeRequirement("libc", "2.17"),),
    )
    found = lowering(
        leaf_operands=("b",), receiver="r", backend="standalone-rust", artifact_profile=profile
    )
    text = hostile().lower(site("hostile.context"), found).rust
    for part in (
        'leaf_operands: ["b"]',
        'receiver: Some("r")',
        "backend: StandaloneRust",
        "kind: RustCrate",
        'Requirement { name: "libc", version: Some("2.17"), features: [] }',
        'producer: "rextio"',
    ):
        assert part in text


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        (
            {"operand_literals": (ClaimLiteral(True, 2**63),)},
            "an integer beyond 64 bits.*Use a smaller one",
        ),
        (
            {"operand_literals": (ClaimLiteral(True, (1, -(2**70))),)},
            "an integer beyond 64 bits.*Use a smaller one",
        ),
        ({"expression": deep(257)}, "an expression deeper than 256.*Split it"),
        ({"kind": "loop"}, 'a site of kind "loop".*Upgrade rextio-wasm'),
    ],
)
def test_what_has_no_word_stays_on_python_with_one_warning(
    changes: dict[str, Any], expected: str
) -> None:
    provider = hostile()
    unknown = site("hostile.claim", **changes)
    with pytest.warns(rextio_wasm.PluginWarning, match=expected) as caught:
        first = provider.claim(unknown, CONFIG)
    assert len(caught) == 1
    # A second warning would be an error here.
    assert first == provider.claim(unknown, CONFIG) == NotCovered()
    with pytest.raises(ValueError, match=expected):
        provider.lower(unknown, lowering())


def test_the_deepest_expression_arrives() -> None:
    answer = hostile().claim(site("hostile.depth", expression=deep(256)), CONFIG)
    assert isinstance(answer, Rejected)
    assert answer.diagnostic.message == "Ok(256)"


@dataclasses.dataclass(frozen=True)
class NewerSite(ClaimSite):
    """A site of a core that is yet to come."""

    mood: str = "calm"
    tags: tuple[str, ...] = dataclasses.field(default_factory=tuple)


@dataclasses.dataclass(frozen=True)
class NewerContext(LoweringContext):
    """A context of a core that is yet to come."""

    mood: str = "calm"


def _newer(**fields: Any) -> NewerSite:
    return NewerSite("call", "hostile.claim", ("int",), "", 0, 0, **fields)


def test_a_newer_field_matters_only_when_it_says_something() -> None:
    provider = hostile()
    assert isinstance(provider.claim(_newer(), CONFIG), Claimed)
    with pytest.warns(rextio_wasm.PluginWarning, match=r"the field ClaimSite\.mood"):
        assert isinstance(provider.claim(_newer(mood="tense"), CONFIG), NotCovered)
    with pytest.warns(rextio_wasm.PluginWarning, match=r"the field ClaimSite\.tags"):
        assert isinstance(provider.claim(_newer(tags=("a",)), CONFIG), NotCovered)
    usual = NewerContext(("a",), "rust", str)
    assert provider.lower(_newer(), usual).rust == "hostile(a)"
    tense = dataclasses.replace(usual, mood="tense")
    with pytest.raises(ValueError, match=r"the field LoweringContext\.mood"):
        provider.lower(_newer(), tense)


@dataclasses.dataclass(frozen=True)
class OlderSite:
    """A site of plugin API 1.1."""

    kind: str
    target: str
    operand_types: tuple[str | None, ...]
    file_path: str = ""
    line: int = 0
    column: int = 0
    rule_id: str | None = None
    result_type: str | None = None


@dataclasses.dataclass(frozen=True)
class OlderContext:
    """A context of plugin API 1.1."""

    operands: tuple[str, ...]
    target_language: str
    fresh_name: Any


def test_fields_that_an_older_core_lacks_take_their_defaults() -> None:
    provider: Any = hostile()
    older = OlderSite("call", "hostile.site", ("int",))
    text = provider.claim(older, CONFIG).diagnostic.message
    assert "keywords: [], expression: None, receiver: None, callables: []" in text
    context = OlderContext(("a",), "rust", str)
    text = provider.lower(OlderSite("call", "hostile.context", ("int",)), context).rust
    assert "backend: Pyo3" in text
    assert "function_scope_guard_active: false" in text


def test_answers_are_shared_where_they_are_equal() -> None:
    provider = hostile()
    claim = provider.claim(site("hostile.claim"), CONFIG)
    assert claim == Claimed("rextio-hostile/call", "int")
    assert provider.claim(site("hostile.other"), CONFIG) is claim
    nothing = provider.claim(site("hostile.not-covered"), CONFIG)
    assert provider.claim(site("hostile.not-covered"), CONFIG) is nothing


def test_something_that_is_no_site_is_a_type_error() -> None:
    provider: Any = hostile()
    with pytest.raises(TypeError, match="one of rextio's records"):
        provider.claim("a + b", CONFIG)
    with pytest.raises(TypeError):
        provider.claim(site("hostile.claim", operand_types=["int"]), CONFIG)


def test_the_artifact_hook_answers() -> None:
    provider: Any = hostile()
    profile = ArtifactProfile(ArtifactKind.RUST_CRATE, "wasm32-unknown-unknown", "cargo")
    capability = provider.artifact_capability(profile)
    assert capability.rule_ids == ("rextio-hostile/call",)
    assert capability.types[0].helpers == ("struct Thing;",)
    assert provider.artifact_capability(dataclasses.replace(profile, target_triple="none")) is None


def test_the_scope_guard_hook_answers_a_core_that_has_it() -> None:
    provider: Any = hostile()
    assert callable(provider.function_scope_guard)
    if not hasattr(api, "PluginFunctionScopeContext"):
        # Core before 0.1.7 never calls it.
        return
    guard = provider.function_scope_guard(
        api.PluginFunctionScopeContext("m.f", ("rextio-hostile/call",), ())
    )
    assert guard == api.PluginFunctionScopeGuard(
        "hostile_runtime::guard()", ("use std::fmt;",), ("// m.f",)
    )
    calling = api.PluginFunctionScopeContext("m.f", (), (), has_python_boundary_calls=True)
    assert provider.function_scope_guard(calling) is None
