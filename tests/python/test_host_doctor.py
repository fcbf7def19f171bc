"""`rextio-wasm doctor`: what it says of a machine, and with which exit status."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import rextio_wasm
from rextio.config.schema import PluginConfig, RextioConfig
from rextio.plugins.loader import PluginError, load_plugin_registry
from rextio.targets.models import TargetSpec
from rextio_wasm._cli import main
from rextio_wasm._provider import RECORD_VARIABLE

from test_host_build import distribution, environment, machine, packages_of
from test_host_components import component, lowering, site

# A fixture counts where it is imported.
__all__ = ["machine"]

USE, BYPASS = "LIBTORCH_USE_PYTORCH", "LIBTORCH_BYPASS_VERSION_CHECK"


@pytest.fixture(name="python")
def active(machine: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The Python of an active environment without packages, which Rextio builds for."""
    del machine
    python = environment(tmp_path / "active")
    monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path / "active"))
    monkeypatch.setenv("PATH", str(python.parent), prepend=os.pathsep)
    monkeypatch.setenv("PYO3_PYTHON", str(python))
    for name in (USE, BYPASS, RECORD_VARIABLE, "RUSTC", "REXTIO_CARGO"):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    return python


def doctor(*arguments: str, project: Path | None = None) -> tuple[int, str]:
    """Run the command as a user does; return its exit status and what it printed."""
    command = [sys.executable, "-m", "rextio_wasm", "doctor", *arguments]
    completed = subprocess.run(command, capture_output=True, text=True, check=False, cwd=project)
    assert completed.stderr == ""
    return completed.returncode, completed.stdout


def section(report: str, title: str) -> list[tuple[str, str]]:
    """The verdicts and texts under a heading of a report."""
    lines = report.splitlines()
    start = lines.index(title) + 1
    found = []
    for line in lines[start:]:
        if not line.startswith("  "):
            break
        found.append((line[2:13].strip(), line[13:].strip()))
    return found


def torch_component() -> str:
    return str(component("REXTIO_TORCH_WASM").absolute())


def numpy_component() -> str:
    return str(component("REXTIO_NUMPY_WASM").absolute())


def title(file: str) -> str:
    return section_titles(doctor(file)[1])[1]


def section_titles(report: str) -> list[str]:
    return [line for line in report.splitlines()[:-1] if not line.startswith("  ")]


def entry_point(directory: Path, name: str, module: str) -> None:
    """Install a plugin package in a folder on Python's path."""
    distribution(directory, name, "1.0", module)
    text = f"[rextio.plugins]\n{name}-plugin = {name}:plugin\n"
    (directory / f"{name}-1.0.dist-info" / "entry_points.txt").write_text(text, "utf-8")


def test_a_machine_without_torch(python: Path) -> None:
    status, report = doctor(numpy_component(), torch_component())
    assert status == 1
    everything, numpy, torch = section_titles(report)
    assert everything == "every build"
    assert section(report, numpy) == [("ok", "needs nothing of its own")]
    assert torch.startswith("rextio-torch ")
    assert " (plugin API 1." in torch
    assert section(report, torch) == [
        ("ok", f"{python}, which Rextio builds for, is CPython 3.11"),
        ("ok", f"`python` on PATH is {python}, of the environment that Rextio builds for"),
        (
            "problem",
            f"{python} has no torch, and torch 2.11.0 is needed. "
            f"Run: {python} -m pip install torch==2.11.0",
        ),
        (
            "will be set",
            f"{USE}=1: native code must link the libtorch of the torch that Python imports",
        ),
        ("ok", f"{BYPASS} is not set"),
    ]
    assert report.splitlines()[-1] == f"a build would fail; see: {torch}"


def test_a_machine_with_torch(
    python: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "torch"), prepend=os.pathsep)
    distribution(tmp_path / "torch", "torch", "2.11.0+cpu")
    status, report = doctor(torch_component())
    assert status == 0
    _, torch = section_titles(report)
    verdicts = section(report, torch)
    assert [verdict for verdict, _ in verdicts] == ["ok", "ok", "ok", "will be set", "ok"]
    assert verdicts[2][1] == f"{python} imports torch 2.11.0+cpu"
    assert report.splitlines()[-1] == "nothing here keeps a build from starting"
    monkeypatch.setenv(USE, "1")
    _, report = doctor(torch_component())
    assert ("ok", f"{USE} is '1'") in section(report, torch)


def test_a_module_that_would_be_loaded_elsewhere_is_a_warning(
    python: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    distribution(packages_of(python), "torch")
    monkeypatch.setenv("PYO3_PYTHON", str(environment(tmp_path / "loading")))
    status, report = doctor(torch_component())
    assert status == 0
    _, torch = section_titles(report)
    assert [verdict for verdict, _ in section(report, torch)].count("warning") == 1
    assert report.splitlines()[-1].endswith(f"see the warnings: {torch}")


def test_a_build_is_refused_for_what_the_doctor_says(
    python: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    distribution(packages_of(python), "torch", module="raise ImportError('libtorch.so is gone')")
    monkeypatch.setenv(BYPASS, "")
    monkeypatch.setenv(USE, "0")
    assert main(["doctor", torch_component()]) == 1
    report = capsys.readouterr().out
    _, torch = section_titles(report)
    problems = [text for verdict, text in section(report, torch) if verdict == "problem"]
    assert len(problems) == 3
    provider = rextio_wasm.load(torch_component())
    provider.describe(RextioConfig())
    provider.claim(site("torch.matmul"), RextioConfig())
    with pytest.raises(rextio_wasm.BuildEnvironmentError) as raised:
        provider.lower(site("torch.matmul"), lowering())
    assert str(raised.value).split("\n  - ")[1:] == problems
    assert "cannot import it (ImportError: libtorch.so is gone)" in problems[0]


def test_nothing_is_changed(python: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    distribution(packages_of(python), "torch")
    record = tmp_path / "record.jsonl"
    record.write_text("mine\n", "utf-8")
    monkeypatch.setenv(RECORD_VARIABLE, str(record))
    before = dict(os.environ)
    assert main(["doctor", torch_component()]) == 0
    assert dict(os.environ) == before
    doctor()
    assert record.read_text("utf-8") == "mine\n"
    assert not (tmp_path / "cache" / "cargo").exists()


@pytest.mark.usefixtures("python")
def test_all_installed_plugins_are_looked_at(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    packages = tmp_path / "packages"
    load = "import rextio_wasm\n\ndef plugin():\n    return rextio_wasm.load({!r})\n"
    entry_point(packages, "ours", load.format(torch_component()))
    entry_point(packages, "foreign", "def plugin():\n    return {'id': 'foreign-plugin'}\n")
    monkeypatch.setenv("PYTHONPATH", str(packages), prepend=os.pathsep)
    status, report = doctor()
    assert status == 1
    numpy, torch = title(numpy_component()), title(torch_component())
    assert {numpy, torch, "foreign-plugin", "every build"} == set(section_titles(report))
    assert section(report, "foreign-plugin") == [
        ("ok", "is no component, and what it needs is not known here")
    ]
    assert section(report, numpy) == [("ok", "needs nothing of its own")]
    assert len(section(report, torch)) == 5


@pytest.mark.usefixtures("python")
@pytest.mark.parametrize(
    ("module", "expected"),
    [
        ("import no_such_module", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("def plugin():\n    raise KeyError('x')", "KeyError: 'x'"),
        ("import rextio_wasm\nplugin = lambda: rextio_wasm.load('/none.wasm')", "/none.wasm"),
    ],
)
def test_a_broken_plugin_is_named_and_the_others_follow(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, module: str, expected: str
) -> None:
    entry_point(tmp_path / "packages", "broken", module)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "packages"), prepend=os.pathsep)
    status, report = doctor()
    assert status == 1
    ((verdict, text),) = section(report, "broken-plugin")
    assert verdict == "problem"
    assert expected in text
    assert text.endswith("python -m pip uninstall broken")
    assert section(report, title(numpy_component()))


def test_a_broken_plugin_keeps_core_from_every_build(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    entry_point(tmp_path, "broken", "import no_such_module")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(PluginError, match="broken-plugin"):
        load_plugin_registry(PluginConfig(enabled=()), TargetSpec())


@pytest.mark.usefixtures("python")
def test_a_file_that_is_no_plugin_is_named_and_the_others_follow(tmp_path: Path) -> None:
    status, report = doctor(str(tmp_path / "none.wasm"), numpy_component())
    assert status == 1
    assert section(report, f"{tmp_path}/none.wasm")[0][0] == "problem"
    assert section(report, section_titles(report)[2]) == [("ok", "needs nothing of its own")]


def program(directory: Path, name: str, script: str) -> Path:
    path = directory / name
    path.write_text(f"#!/bin/sh\n{script}\n", "utf-8")
    path.chmod(0o755)
    return path


@pytest.mark.usefixtures("python")
def test_every_build_needs_cargo_and_rustc(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    status, report = doctor(numpy_component())
    tools = section(report, "every build")
    assert status == 0
    assert [verdict for verdict, _ in tools] == ["ok"] * 3
    assert " is cargo 1." in tools[0][1]
    assert tools[1][1].endswith("; 1.83 or later is needed")
    assert tools[2][1].startswith(f"compiled crates are kept in {tmp_path}/cache/cargo/")

    monkeypatch.setenv("PATH", str(tmp_path))
    status, report = doctor(numpy_component())
    tools = section(report, "every build")
    assert status == 1
    assert [verdict for verdict, _ in tools] == ["problem", "problem", "ok"]
    assert "https://rustup.rs" in tools[0][1]
    assert tools[1][1].startswith("rustc is not on PATH")

    program(tmp_path, "cargo", "exit 1")
    program(tmp_path, "rustc", "echo 'rustc 1.82.9 (abc 2024-10-15)'")
    status, report = doctor(numpy_component())
    tools = section(report, "every build")
    assert status == 1
    assert tools[0][1].startswith(f"{tmp_path}/cargo does not tell its version")
    assert tools[1] == (
        "problem",
        f"{tmp_path}/rustc is rustc 1.82.9; 1.83 or later is needed. Run: rustup update stable",
    )


@pytest.mark.usefixtures("python")
def test_the_projects_own_tools_are_looked_at(tmp_path: Path) -> None:
    old = program(tmp_path, "own-cargo", "echo 'cargo 1.99.0'")
    configuration = tmp_path / "rextio.toml"
    configuration.write_text(f'[toolchain]\ncargo = "{old}"\n', "utf-8")
    assert ("ok", f"{old} is cargo 1.99.0") in section(
        doctor(numpy_component(), project=tmp_path)[1], "every build"
    )
    configuration.write_text(f'[toolchain]\ncargo = "{old}"\ncargo_version = "1.50"\n', "utf-8")
    status, report = doctor(numpy_component(), project=tmp_path)
    assert status == 1
    assert "does not satisfy the [toolchain] pin '1.50'" in report
    configuration.write_text("[toolchain]\nno-such-key = 1\n", "utf-8")
    status, report = doctor(numpy_component(), project=tmp_path)
    assert status == 1
    assert "[toolchain].no-such-key" in section(report, "every build")[0][1]


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("CARGO_TARGET_DIR", "/mine", "CARGO_TARGET_DIR says where Cargo builds: /mine"),
        (
            "REXTIO_WASM_BUILD_CACHE",
            "0",
            "compiled crates are not kept between builds: REXTIO_WASM_BUILD_CACHE is 0",
        ),
    ],
)
@pytest.mark.usefixtures("python")
def test_it_says_where_compiled_crates_are_kept(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, expected: str
) -> None:
    monkeypatch.setenv(name, value)
    assert ("ok", expected) in section(doctor(numpy_component())[1], "every build")


def test_a_wrong_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as raised:
        main(["doctor", "--no-such-option"])
    assert raised.value.code == 2
    assert "--no-such-option" in capsys.readouterr().err
