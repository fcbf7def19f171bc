"""Components that are no plugins, and a plugin that misbehaves, as core sees them."""

# ruff: noqa: D103 - the name of a test says what it holds
from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import rextio_wasm
from rextio.config.schema import PluginConfig, RextioConfig
from rextio.plugins.api import (
    Claimed,
    ClaimSite,
    LoweredExpr,
    LoweringContext,
    NotCovered,
    Rejected,
)
from rextio.plugins.loader import PluginError, load_plugin_registry
from rextio.plugins.models import PluginRegistry
from rextio.targets.models import TargetSpec

MAGIC = b"\0asm\x0d\0\x01\0"
INTERFACE = "rextio:plugin/provider@1.0.0"


def component(variable: str) -> Path:
    """Return the component that an environment variable names."""
    path = os.environ.get(variable)
    if not path:
        pytest.fail(f"{variable} is not set: run `cargo xtask test`, which builds the components")
    return Path(path)


def hostile(**options: Any) -> rextio_wasm.Provider:
    """Load the plugin that misbehaves on request."""
    return rextio_wasm.load(component("REXTIO_HOSTILE_WASM"), **options)


def site(target: str, kind: str = "call", **fields: Any) -> ClaimSite:
    """Return a site as core offers it."""
    fields.setdefault("operand_types", ("int",))
    return ClaimSite(kind=kind, target=target, file_path="", line=0, column=0, **fields)


def lowering(**fields: Any) -> LoweringContext:
    """Return a context as core hands it over."""
    fields.setdefault("operands", ("a",))
    fields.setdefault("fresh_name", lambda prefix: f"{prefix}_1")
    return LoweringContext(target_language="rust", **fields)


def registry(factory: Callable[[], object], plugin: str = "rextio-hostile") -> PluginRegistry:
    """Load a plugin through core's own loader."""

    class EntryPoint:
        name = plugin
        dist = None

        @staticmethod
        def load() -> Callable[[], object]:
            return factory

    config = PluginConfig(enabled=(plugin,))
    return load_plugin_registry(config, TargetSpec(), entry_points=[EntryPoint()])


def custom_section_only(version: bytes) -> bytes:
    """Return a component that exports an empty instance under a plugin's name."""
    name = b"rextio:plugin/provider@" + version
    instance = bytes([5, 3, 1, 1, 0])
    export = bytes([0, len(name)]) + name + bytes([5, 0, 0])
    return MAGIC + instance + bytes([11, len(export) + 1, 1]) + export


def importing(name: bytes) -> bytes:
    """Return a component that imports an empty instance."""
    types = bytes([7, 3, 1, 0x42, 0])
    item = bytes([0, len(name)]) + name + bytes([5, 0])
    return MAGIC + types + bytes([10, len(item) + 1, 1]) + item


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "the file is empty"),
        (b"PK\x03\x04 a wheel", "it is not WebAssembly"),
        (b"\0asm\x01\0\0\0", "it is a core WebAssembly module"),
        (MAGIC, "it does not export rextio:plugin/provider"),
        (MAGIC + b"\xff\xff\xff", "is not valid here"),
        (custom_section_only(b"2.0.0"), "was built for rextio:plugin 2.0.0"),
        (custom_section_only(b"1.9.0"), "Upgrade rextio-wasm"),
        (custom_section_only(b"0.1.0"), "Upgrade the plugin"),
        (importing(b"wasi:random/random@0.2.0"), 'it imports "wasi:random/random@0.2.0"'),
    ],
)
def test_a_file_that_is_no_plugin_is_one_clear_exception(
    tmp_path: Path, content: bytes, expected: str
) -> None:
    path = tmp_path / "some.wasm"
    path.write_bytes(content)
    with pytest.raises(rextio_wasm.PluginLoadError) as raised:
        rextio_wasm.load(path)
    assert expected in str(raised.value)
    assert str(path) in str(raised.value)
    with pytest.raises(PluginError) as reported:
        registry(lambda: rextio_wasm.load(path))
    assert str(reported.value) == str(raised.value)


def test_a_missing_file_is_named() -> None:
    with pytest.raises(rextio_wasm.PluginLoadError, match=r"/nowhere/x\.wasm.*Reinstall"):
        rextio_wasm.load("/nowhere/x.wasm")


MISBEHAVIOUR = [
    ("hostile.panic", "it panicked", None),
    ("hostile.unreachable", "stopped without a message", None),
    ("hostile.loop", "exceeded its fuel limit", "fuel"),
    ("hostile.eat-memory", "exceeded its memory limit", "memory"),
    ("hostile.huge-answer", "exceeds the answer limit", "answer"),
    ("hostile.recursion", "exceeded its stack limit", "stack"),
]


@pytest.mark.parametrize(("target", "expected", "limit"), MISBEHAVIOUR)
def test_misbehaviour_is_an_exception_that_says_what_and_where(
    target: str, expected: str, limit: str | None
) -> None:
    provider = hostile()
    config = RextioConfig()
    with pytest.raises(rextio_wasm.PluginCallError, match=expected) as raised:
        provider.claim(site(target), config)
    error = raised.value
    assert (error.plugin, error.operation, error.kind) == ("rextio-hostile", "claim", "call")
    assert (error.target, error.limit) == (target, limit)
    assert target in str(error)
    assert isinstance(provider.claim(site("hostile.claim"), config), Claimed)
    with pytest.raises(rextio_wasm.PluginCallError, match=expected):
        provider.lower(site(target), lowering())


@pytest.mark.parametrize(("target", "expected"), [row[:2] for row in MISBEHAVIOUR])
def test_core_reports_misbehaviour_as_its_own_error(target: str, expected: str) -> None:
    from rextio.analyzer.plugin_claims import ClaimEngine

    engine = ClaimEngine(registry(hostile), RextioConfig())
    with pytest.raises(
        PluginError, match=rf"plugin 'rextio-hostile' claim\(\) failed: .*{expected}"
    ):
        engine._claim("rextio-hostile", site(target))


def test_a_panics_text_reaches_the_user() -> None:
    with pytest.raises(
        rextio_wasm.PluginCallError, match='as it was asked to, with "quotes" and é'
    ):
        hostile().claim(site("hostile.panic"), RextioConfig())


def test_limits_can_be_chosen() -> None:
    with pytest.raises(rextio_wasm.PluginCallError, match="fuel limit of 50000000"):
        hostile(limits={"fuel": 50_000_000}).claim(site("hostile.loop"), RextioConfig())
    with pytest.raises(ValueError, match="fuel must be a positive int"):
        hostile(limits={"fuel": 0})
    with pytest.raises(ValueError, match=r"there is no limit .time."):
        hostile(limits={"time": 1})


def test_limits_can_be_set_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REXTIO_WASM_FUEL", "50000000")
    with pytest.raises(rextio_wasm.PluginCallError, match="fuel limit of 50000000"):
        hostile().claim(site("hostile.loop"), RextioConfig())
    monkeypatch.setenv("REXTIO_WASM_FUEL", "plenty")
    with pytest.raises(rextio_wasm.PluginLoadError, match='REXTIO_WASM_FUEL is "plenty"'):
        hostile()


def test_a_refusal_is_a_value_error_with_the_plugins_words() -> None:
    with pytest.raises(ValueError, match=r"^it is not in the mood$"):
        hostile().lower(site("hostile.refuse"), lowering())


def test_a_lowered_expression_shares_the_types_text() -> None:
    provider = hostile()
    first = provider.lower(site("hostile.claim"), lowering())
    assert first.rust == "hostile(a)"
    (text,) = provider.type_vocabulary()[0].helpers
    assert first.helpers[0] is text
    assert provider.lower(site("hostile.claim"), lowering()).helpers is first.helpers
    own = provider.lower(site("hostile.own-text"), lowering())
    assert own == LoweredExpr("own()", ("use std::fmt;",), ("fn own() {}", text))
    assert own.helpers[1] is text
    with pytest.raises(rextio_wasm.PluginCallError, match="other/Type"):
        provider.lower(site("hostile.foreign-type"), lowering())


def test_a_context_that_raises_is_the_cause() -> None:
    def no_names(prefix: str) -> str:
        raise LookupError(f"no {prefix}")

    with pytest.raises(rextio_wasm.PluginCallError, match="no tmp") as raised:
        hostile().lower(site("hostile.fresh-name"), lowering(fresh_name=no_names))
    assert isinstance(raised.value.__cause__, LookupError)


def test_the_context_answers() -> None:
    provider = hostile()
    answer = provider.claim(site("hostile.config"), RextioConfig())
    assert isinstance(answer, Rejected)
    assert answer.diagnostic.message == 'Some("\\"cargo\\"") None'
    assert provider.lower(site("hostile.fresh-name"), lowering()).rust == "tmp_1"


def test_a_context_may_ask_the_plugin_again() -> None:
    provider = hostile()

    def asking(prefix: str) -> str:
        inner = provider.claim(site("hostile.claim"), RextioConfig())
        assert isinstance(inner, Claimed)
        return prefix + "_again"

    assert (
        provider.lower(site("hostile.fresh-name"), lowering(fresh_name=asking)).rust == "tmp_again"
    )


def test_core_loads_the_plugin_with_its_hooks() -> None:
    found = registry(hostile)
    (plugin,) = found.active
    assert (plugin.id, plugin.api_version, plugin.packages) == (
        "rextio-hostile",
        "1.7",
        ("hostile",),
    )
    assert plugin.artifact_capability_declared
    assert len(found.rule_records) == 3
    assert found.types[0].plugin_type.key == "rextio-hostile/Thing"
    assert found.crate_dependencies[0].dependency.version == "=0.29.0"


def test_a_plugin_without_hooks_shows_none() -> None:
    numpy = rextio_wasm.load(component("REXTIO_NUMPY_WASM"))
    assert not hasattr(numpy, "artifact_capability")
    assert not hasattr(numpy, "function_scope_guard")
    (plugin,) = registry(lambda: numpy, "rextio-numpy").active
    assert not plugin.artifact_capability_declared


def test_threads_may_call_at_once() -> None:
    provider = hostile()
    config = RextioConfig()
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for call in range(200):
                if number == 0 and call % 20 == 0:
                    with pytest.raises(rextio_wasm.PluginCallError):
                        provider.claim(site("hostile.panic"), config)
                assert isinstance(provider.claim(site("hostile.claim"), config), Claimed)
                assert isinstance(provider.claim(site("hostile.not-covered"), config), NotCovered)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def _in_child(code: str, **environment: str) -> str:
    completed = subprocess.run(
        [sys.executable, *(["-O"] if sys.flags.optimize else []), "-c", code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert completed.returncode == 0, completed.stderr
    return completed.stdout


def test_importing_the_package_does_not_import_core() -> None:
    code = "import sys, rextio_wasm; print([n for n in sys.modules if n.startswith('rextio.')])"
    assert _in_child(code).strip() == "[]"


def test_a_damaged_code_cache_is_mended(tmp_path: Path) -> None:
    code = (
        "import rextio_wasm, os; "
        "print(rextio_wasm.load(os.environ['REXTIO_HOSTILE_WASM']).plugin_id)"
    )
    environment = {"REXTIO_WASM_CACHE_DIR": str(tmp_path)}
    assert _in_child(code, **environment).strip() == "rextio-hostile"
    (file,) = (tmp_path / "code").iterdir()
    good = file.read_bytes()
    if os.name == "posix":
        assert file.stat().st_mode & 0o777 == 0o600
        assert (tmp_path / "code").stat().st_mode & 0o777 == 0o700
    for bad in (b"", good[:-1], good[: len(good) // 2] + b"\0" + good[len(good) // 2 + 1 :]):
        file.write_bytes(bad)
        assert _in_child(code, **environment).strip() == "rextio-hostile"
        assert file.read_bytes() == good


def test_the_code_cache_can_be_turned_off(tmp_path: Path) -> None:
    code = "import rextio_wasm, os; rextio_wasm.load(os.environ['REXTIO_HOSTILE_WASM'])"
    _in_child(code, REXTIO_WASM_CACHE_DIR=str(tmp_path), REXTIO_WASM_CACHE="0")
    assert list(tmp_path.iterdir()) == []
