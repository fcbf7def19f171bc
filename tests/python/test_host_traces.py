"""Recording from Python, and the command that replays."""

# ruff: noqa: D103 - the name of a test says what it holds
from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from rextio.config.schema import RextioConfig
from rextio_wasm._cli import main

from test_host_components import component, hostile, lowering, site

CONFIG = RextioConfig()


def record(path: Path, *targets: str) -> list[dict[str, Any]]:
    """Record a claim and a lowering for each target, and return the lines."""
    provider = hostile(record=path)
    provider.describe(CONFIG)
    for target in targets:
        provider.claim(site(target), CONFIG)
        provider.lower(site(target), lowering())
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def command(*arguments: object) -> int:
    return main([str(argument) for argument in arguments])


def test_a_trace_holds_cores_own_shapes(tmp_path: Path) -> None:
    header, describe, rules, claim, lower = record(tmp_path / "t.jsonl", "hostile.claim")
    assert header["plugin"] == "rextio-hostile"
    assert len(header["component_sha256"]) == 64
    assert describe["operation"] == "describe"
    assert rules["context"][0] == {
        "asked": "config",
        "key": "rust.build_tool",
        "answer": '"cargo"',
    }
    offered = site("hostile.claim").to_dict()
    for blank in ("file_path", "line", "column"):
        del offered[blank]
    assert claim["input"] == {"site": offered}
    assert claim["output"]["claimed"]["rule_id"] == "rextio-hostile/call"
    assert lower["input"]["context"]["operands"] == ["a"]
    assert lower["output"]["ok"]["type_support"] == ["rextio-hostile/Thing"]
    text = (tmp_path / "t.jsonl").read_text("utf-8")
    for line in text.splitlines():
        assert line == json.dumps(
            json.loads(line), sort_keys=True, separators=(",", ":"), ensure_ascii=False
        )


def test_replay_and_verify_agree_with_a_faithful_trace(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.jsonl"
    record(path, "hostile.claim", "hostile.other", "hostile.config")
    for name in ("replay", "verify"):
        assert command(name, path, component("REXTIO_HOSTILE_WASM")) == 0
        assert capsys.readouterr().out == "8 recorded calls agree, 0 differences\n"


def test_a_difference_is_shown_and_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.jsonl"
    record(path, "hostile.claim")
    path.write_text(path.read_text("utf-8").replace('"hostile(a)"', '"hostile(b)"'), "utf-8")
    assert command("replay", path, component("REXTIO_HOSTILE_WASM")) == 1
    shown = capsys.readouterr().out
    assert 'line 5: lower of the call site "hostile.claim"' in shown
    assert 'ok.rust: recorded "hostile(b)", now "hostile(a)"' in shown


def test_verify_finds_an_answer_that_depends_on_earlier_calls(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.jsonl"
    record(path, "hostile.count")
    assert command("verify", path, component("REXTIO_HOSTILE_WASM")) == 1
    assert "(fresh instance)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "line 1"),
        ("{}", "is not the header"),
        ("[" * 100_000, "nested deeper"),
        ('{"format":"rextio-wasm-trace","format_version":2}', "format version 2"),
    ],
)
def test_a_broken_trace_is_one_line_on_stderr(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, expected: str
) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(text, "utf-8")
    assert command("replay", path, component("REXTIO_HOSTILE_WASM")) == 1
    captured = capsys.readouterr()
    assert expected in captured.err
    assert captured.out == ""


def test_the_environment_switches_recording_on_for_the_process(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text("of an earlier process", "utf-8")
    code = (
        "import os, rextio_wasm\n"
        "for name in ('REXTIO_HOSTILE_WASM', 'REXTIO_NUMPY_WASM', 'REXTIO_HOSTILE_WASM'):\n"
        "    rextio_wasm.load(os.environ[name])\n"
    )
    environment = {**os.environ, "REXTIO_WASM_RECORD": str(path)}
    subprocess.run([sys.executable, "-c", code], env=environment, check=True)
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert [(line["plugin"], "format" in line) for line in lines] == [
        ("rextio-hostile", True),
        ("rextio-hostile", False),
        ("rextio-numpy", True),
        ("rextio-numpy", False),
    ]
    assert command("replay", path, component("REXTIO_NUMPY_WASM")) == 0


def test_a_trace_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    import rextio_wasm

    with pytest.raises(rextio_wasm.TraceError, match="REXTIO_WASM_RECORD"):
        hostile(record=tmp_path / "no" / "such" / "directory.jsonl")


def test_describe_prints_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert command("describe", component("REXTIO_NUMPY_WASM")) == 0
    assert json.loads(capsys.readouterr().out)["plugin_id"] == "rextio-numpy"


def test_failures_and_wrong_command_lines_have_their_own_status(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert command("describe", "/nowhere/x.wasm") == 1
    assert "/nowhere/x.wasm" in capsys.readouterr().err
    for wrong in ([], ["sing"], ["replay", "only-one"]):
        with pytest.raises(SystemExit) as ended:
            command(*wrong)
        assert ended.value.code == 2
