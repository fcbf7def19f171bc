"""What the host does to the machine before a plugin's code is built."""

# ruff: noqa: D103 - the name of a test says what it holds
from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from rextio_wasm import BuildEnvironmentError, _build
from rextio_wasm._build import BUILD_CACHE, BUILD_DIRECTORY, Contract, check_environment

from test_host_components import hostile, lowering, site


@pytest.fixture(autouse=True)
def machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Give each test a machine on which nothing is decided yet."""
    monkeypatch.setenv("REXTIO_WASM_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("CARGO_HOME", str(tmp_path / "cargo-home"))
    # setenv first, so that what the code under test sets is undone.
    for name in (
        BUILD_DIRECTORY,
        BUILD_CACHE,
        "CARGO_TARGET_DIR",
        "CARGO_BUILD_TARGET_DIR",
        "NEEDED",
    ):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)


def contract(**parts: object) -> Contract:
    empty: Contract = {
        "python": None,
        "required_variables": [],
        "forbidden_variables": [],
        "packages": [],
    }
    return {**empty, **parts}  # type: ignore[typeddict-item]


def problems(**parts: object) -> str:
    with pytest.raises(BuildEnvironmentError) as raised:
        check_environment("rextio-demo", contract(**parts))
    return str(raised.value)


def needed(settable: bool) -> list[dict[str, object]]:
    return [{"name": "NEEDED", "value": "1", "settable": settable, "reason": "it links"}]


def test_a_plugin_that_needs_nothing_is_content() -> None:
    check_environment("rextio-demo", contract())


def test_a_settable_variable_is_set_and_said_so(capsys: pytest.CaptureFixture[str]) -> None:
    check_environment("rextio-demo", contract(required_variables=needed(True)))
    assert os.environ["NEEDED"] == "1"
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == "rextio-wasm: set NEEDED=1 for rextio-demo: it links\n"


def test_a_variable_that_may_not_be_set_is_asked_for() -> None:
    text = problems(required_variables=needed(False))
    assert "NEEDED is not set and must be '1': it links. Run: export NEEDED=1" in text
    assert "NEEDED" not in os.environ


def test_a_variable_the_user_set_otherwise_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEEDED", "0")
    assert "NEEDED is '0' and must be '1'" in problems(required_variables=needed(True))
    assert os.environ["NEEDED"] == "0"


def test_all_problems_are_told_at_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("FORBIDDEN", "x")
    python = tmp_path / "python"
    # Not a link, which would be a Python outside this environment.
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n', "utf-8")
    python.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    text = problems(
        python="2.7",
        required_variables=needed(False),
        forbidden_variables=[{"name": "FORBIDDEN", "reason": "it skips a check"}],
        packages=[
            {"name": "pytest", "version": "0.0.1", "remedy": "pip install pytest==0.0.1"},
            {"name": "no-such-thing", "version": "1.0", "remedy": "pip install no-such-thing==1.0"},
        ],
    )
    assert text.count("\n  - ") == 5
    assert "Run: unset FORBIDDEN" in text
    assert "must be 2.7" in text
    assert f"has version {pytest.__version__} of pytest and must have 0.0.1" in text
    assert "has no no-such-thing and must have 1.0. Run: pip install no-such-thing==1.0" in text


def test_a_local_part_of_a_version_is_no_difference(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    python = tmp_path / "python"
    python.write_text(
        '#!/bin/sh\necho \'{"python": "3.11", "packages": {"torch": "2.11.0+cpu"}}\'\n', "utf-8"
    )
    python.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    package = {"name": "torch", "version": "2.11.0", "remedy": "pip install torch==2.11.0"}
    check_environment("rextio-torch", contract(python="3.11", packages=[package]))


def test_no_python_on_path_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    package = {"name": "torch", "version": "2.11.0", "remedy": "pip install torch==2.11.0"}
    assert "no `python` on PATH" in problems(packages=[package])


def test_the_first_lowering_prepares_the_build(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("REXTIO_HOSTILE_SETTABLE", "")
    monkeypatch.delenv("REXTIO_HOSTILE_SETTABLE")
    provider = hostile()
    provider.lower(site("hostile.claim"), lowering())
    provider.lower(site("hostile.claim"), lowering())
    assert os.environ["REXTIO_HOSTILE_SETTABLE"] == "1"
    directory = Path(os.environ[BUILD_DIRECTORY])
    assert directory.parent == tmp_path / "cache" / "cargo"
    assert directory.is_dir()
    captured = capfd.readouterr()
    assert captured.out == ""
    assert captured.err.count("REXTIO_HOSTILE_SETTABLE") == 1
    assert captured.err.count("REXTIO_WASM_BUILD_CACHE=0 turns this off") == 1
    hostile().lower(site("hostile.claim"), lowering())
    assert capfd.readouterr().err == ""


def test_an_unfit_machine_refuses_to_lower(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REXTIO_HOSTILE_SETTABLE", "0")
    provider = hostile()
    for _ in range(2):
        with pytest.raises(BuildEnvironmentError, match="export REXTIO_HOSTILE_SETTABLE=1"):
            provider.lower(site("hostile.claim"), lowering())


@pytest.mark.parametrize("name", [BUILD_DIRECTORY, "CARGO_TARGET_DIR", "CARGO_BUILD_TARGET_DIR"])
def test_a_users_own_choice_stands(
    monkeypatch: pytest.MonkeyPatch, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(name, "/mine")
    _build.share_cargo_builds()
    assert os.environ.get(BUILD_DIRECTORY, "/mine") == "/mine"
    assert capsys.readouterr().err == ""


def test_a_users_cargo_configuration_stands(tmp_path: Path) -> None:
    home = tmp_path / "cargo-home"
    home.mkdir()
    (home / "config.toml").write_text('[build]\nbuild-dir = "/mine"\n', "utf-8")
    _build.share_cargo_builds()
    assert BUILD_DIRECTORY not in os.environ


def test_interpreters_do_not_undo_each_others_work(monkeypatch: pytest.MonkeyPatch) -> None:
    directories = set()
    for python in (None, "/one/bin/python", "/other/bin/python"):
        monkeypatch.delenv(BUILD_DIRECTORY, raising=False)
        if python is not None:
            monkeypatch.setenv("PYO3_PYTHON", python)
        _build.share_cargo_builds()
        directories.add(os.environ[BUILD_DIRECTORY])
    assert len(directories) == 3


def test_the_build_cache_can_be_moved_and_turned_off(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(BUILD_CACHE, "0")
    _build.share_cargo_builds()
    assert BUILD_DIRECTORY not in os.environ
    monkeypatch.setenv(BUILD_CACHE, str(tmp_path / "elsewhere"))
    _build.share_cargo_builds()
    assert os.environ[BUILD_DIRECTORY] == str(tmp_path / "elsewhere")
    assert (tmp_path / "elsewhere").is_dir()
