"""What the host does to the machine before a plugin's code is built."""

# ruff: noqa: D103 - the name of a test says what it holds
from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest
from rextio_wasm import BuildEnvironmentError, _build, _environment
from rextio_wasm._build import BUILD_CACHE, BUILD_DIRECTORY, check_environment
from rextio_wasm._environment import Contract

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
        "PYO3_PYTHON",
        "REXTIO_PYTHON",
        "VIRTUAL_ENV",
    ):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)


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


def package(name: str, version: str = "2.11.0") -> dict[str, str]:
    return {"name": name, "version": version, "remedy": f"python -m pip install {name}=={version}"}


def distribution(directory: Path, name: str, version: str = "2.11.0", module: str = "") -> Path:
    """Install a distribution of one module of its name in a folder, and return the folder."""
    information = directory / f"{name}-{version}.dist-info"
    information.mkdir(parents=True)
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    (information / "METADATA").write_text(metadata, "utf-8")
    (directory / f"{name}.py").write_text(module, "utf-8")
    return directory


def environment(directory: Path) -> Path:
    """Make a virtual environment, and return its Python."""
    venv.create(directory, symlinks=True)
    return directory / "bin" / "python"


def packages_of(python: Path) -> Path:
    """Where the Python of a virtual environment has its packages."""
    (directory,) = python.parents[1].glob("lib/python*/site-packages")
    return directory


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


def test_all_problems_are_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORBIDDEN", "")
    text = problems(
        python="2.7",
        required_variables=needed(False),
        forbidden_variables=[{"name": "FORBIDDEN", "reason": "it skips a check"}],
        packages=[package("pytest", "0.0.1"), package("no-such-thing")],
    )
    assert text.count("\n  - ") == 5
    assert text.count(". Run: ") == 5
    assert "FORBIDDEN is set to '' and must not be set: it skips a check. Run: unset" in text
    found = f"CPython {sys.version_info.major}.{sys.version_info.minor}"
    assert f"{sys.executable}, which Rextio builds for, is {found} and must be CPython 2.7" in text
    assert f"has pytest {pytest.__version__}, and pytest 0.0.1 is needed" in text
    assert "has no no-such-thing, and no-such-thing 2.11.0 is needed" in text
    assert f"Run: {sys.executable} -m pip install no-such-thing==2.11.0" in text


def test_a_local_part_of_a_version_is_no_difference(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(distribution(tmp_path, "torch", "2.11.0+cpu")))
    check_environment("rextio-torch", contract(packages=[package("torch")]))


@pytest.mark.parametrize(
    ("module", "expected"),
    [
        ("print('from')\nraise ImportError('libtorch.so is\\n not there')", "not there)"),
        ("raise SystemExit(3)", "(exit status 3)"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGABRT)", "(ended by signal 6, Abort"),
        ("import time; time.sleep(600)", "(no end within 4 seconds)"),
    ],
)
def test_a_package_that_cannot_be_imported_is_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, module: str, expected: str
) -> None:
    monkeypatch.setattr(_environment, "_SECONDS", 4)
    monkeypatch.setenv("PYTHONPATH", str(distribution(tmp_path, "torch", module=module)))
    text = problems(packages=[package("torch")])
    assert "has torch 2.11.0 and cannot import it" in text
    assert expected in text


@pytest.mark.parametrize(
    ("file", "content"),
    [("top_level.txt", "module\n"), ("RECORD", "module/__init__.py,,\nkit.dist-info/METADATA,,\n")],
)
def test_a_module_of_another_name_than_its_package_is_found(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, file: str, content: str
) -> None:
    directory = distribution(tmp_path, "kit")
    (directory / "kit.py").unlink()
    monkeypatch.setenv("PYTHONPATH", str(directory))
    requirement = contract(packages=[package("kit")])
    assert "No module named 'kit'" in problems(**requirement)
    (directory / "kit-2.11.0.dist-info" / file).write_text(content, "utf-8")
    assert "No module named 'module'" in problems(**requirement)
    (directory / "module").mkdir()
    (directory / "module" / "__init__.py").touch()
    check_environment("rextio-demo", requirement)


def test_a_package_in_the_current_directory_is_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(distribution(tmp_path, "torch"))
    assert "has no torch" in problems(packages=[package("torch")])


def test_no_python_on_path_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    text = problems(packages=[package("pytest", pytest.__version__)])
    assert text.count("\n  - ") == 1
    assert "build scripts ask `python3` on PATH for pytest: there is no such program" in text
    assert str(Path(sys.executable).parent) in text.partition("Run: ")[2]


def test_a_python_that_does_not_answer_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    python = tmp_path / "python3"
    python.write_text("#!/bin/sh\necho 'no such shim' >&2\nexit 127\n", "utf-8")
    python.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    assert "on PATH for pytest: no such shim. Run: " in problems(packages=[package("pytest")])
    monkeypatch.setenv("PYO3_PYTHON", str(tmp_path / "none"))
    text = problems(python="3.11")
    assert f"Rextio builds for the Python {tmp_path}/none: there is no such program" in text


def test_the_python_is_asked_that_build_scripts_ask(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """`python` in an active environment, else `python3`, as torch-sys has it."""
    python = environment(tmp_path / "with")
    distribution(packages_of(python), "torch")
    for name, path in (("python", python), ("python3", Path(sys.executable))):
        script = tmp_path / name
        script.write_text(f'#!/bin/sh\nexec "{path}" "$@"\n', "utf-8")
        script.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setenv("PYO3_PYTHON", str(python))
    assert f"{tmp_path}/python3, which build scripts ask, has no torch" in problems(
        packages=[package("torch")]
    )
    monkeypatch.setenv("VIRTUAL_ENV", "")
    check_environment("rextio-torch", contract(packages=[package("torch")]))


def test_another_environment_with_the_same_package_is_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(distribution(tmp_path / "shared", "torch")))
    monkeypatch.setenv("PYO3_PYTHON", str(environment(tmp_path / "other")))
    check_environment("rextio-torch", contract(packages=[package("torch")]))
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("installed", [True, False])
def test_a_module_loaded_in_another_environment_than_it_was_linked_in_is_warned_of(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    installed: bool,
) -> None:
    linking, loading = environment(tmp_path / "linking"), environment(tmp_path / "loading")
    distribution(packages_of(linking), "torch")
    if installed:
        distribution(packages_of(loading), "torch")
    monkeypatch.setenv("PATH", str(linking.parent), prepend=os.pathsep)
    monkeypatch.setenv("PYO3_PYTHON", str(loading))
    check_environment("rextio-torch", contract(packages=[package("torch")]))
    said = capsys.readouterr().err
    assert said.startswith(f"rextio-wasm: rextio-torch: {linking}3 imports torch 2.11.0 from ")
    assert f"is loaded by {loading}, which has {'it, in' if installed else 'no torch'}" in said
    assert ("pip install" in said) is not installed


def test_an_environment_that_is_not_active_is_to_be_activated(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    python = environment(tmp_path / "with torch")
    distribution(packages_of(python), "torch")
    monkeypatch.setenv("PATH", str(environment(tmp_path / "without").parent), prepend=os.pathsep)
    monkeypatch.setenv("PYO3_PYTHON", str(python))
    text = problems(packages=[package("torch")])
    assert text.count("\n  - ") == 1
    command = text.partition("Run: ")[2]
    mended = f'{command} && exec "$0" -c "$1"'
    check = f"""
from rextio_wasm._build import check_environment
check_environment("rextio-torch", {contract(packages=[package("torch")])})
"""
    subprocess.run(["bash", "-c", mended, sys.executable, check], check=True)


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
