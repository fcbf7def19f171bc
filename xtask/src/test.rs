//! `cargo xtask test`: every check, the quick ones first.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use crate::component::{self, GUESTS};
use crate::steps::{SEE_ABOVE, Steps};
use crate::wasm_toolchain::WasmToolchain;
use crate::{command, dist, docs, setup, venv, workspace};

/// Built by maturin only: an extension module cannot be linked as a program.
const EXTENSION: &str = "rextio-wasm";

/// Tested without its default feature, which would link Python.
const NUMPY_RUNTIME: &str = "rextio-numpy-runtime";

/// The PyTorch runtime, which is no member of the workspace: whatever links it needs libtorch.
const TORCH_RUNTIME: &str = "runtime/torch/Cargo.toml";

/// Runs every check and prints how long each took.
///
/// # Errors
/// When a check fails; the message says what to do.
pub fn run() -> Result<()> {
    Steps::tabled(checks)?;
    // Last and bare, so that the output ends with pytest's own summary.
    println!("\n==> pytest");
    pytest(&[])
        .context("step `pytest` failed. Run one test again with `cargo xtask pytest -- -k NAME`.")
}

fn checks(steps: &mut Steps) -> Result<()> {
    steps.run("set-up", SEE_ABOVE, setup::run)?;
    steps.run(
        "lock file",
        "Run `cargo check` and commit Cargo.lock.",
        || {
            command::output(command::cargo().args(["metadata", "--locked", "--format-version=1"]))
                .map(drop)
        },
    )?;
    steps.run("rustfmt", "Run `cargo fmt --all`.", || {
        command::run(command::cargo().args(["fmt", "--all", "--check"]))
    })?;
    steps.run(
        "rustfmt, torch runtime",
        "Run `cargo fmt --manifest-path runtime/torch/Cargo.toml`.",
        || {
            command::run(command::cargo().args([
                "fmt",
                "--manifest-path",
                TORCH_RUNTIME,
                "--check",
            ]))
        },
    )?;
    python_lints(steps)?;
    clippy(steps)?;
    steps.run("rule documentation", "Run `cargo xtask docs`.", || {
        docs::run(true)
    })?;
    steps.run("components", "Run `cargo xtask component`.", components)?;
    rust_tests(steps)?;

    let wheels = steps.run("wheels", "Run `cargo xtask dist`.", dist::run)?;
    steps.run("install wheels", "Run `cargo xtask dist`.", || {
        [
            venv::dev(),
            venv::core_0_1_6(),
            venv::core_0_1_7(),
            venv::torch(),
        ]
        .iter()
        .try_for_each(|venv| venv.install_wheels(&wheels.all()))
    })?;
    steps.run(
        "pytest, torch",
        "Run one test again with `cargo xtask pytest --torch -- -k NAME`.",
        || pytest_torch(&[]),
    )
}

fn python_lints(steps: &mut Steps) -> Result<()> {
    let dev = venv::dev();
    steps.run(
        "ruff check",
        "Run `target/venvs/dev/bin/ruff check --fix`.",
        || command::run(dev.program("ruff").args(["check", "."])),
    )?;
    steps.run(
        "ruff format",
        "Run `target/venvs/dev/bin/ruff format`.",
        || command::run(dev.program("ruff").args(["format", "--check", "."])),
    )?;
    steps.run("mypy", SEE_ABOVE, || command::run(&mut dev.program("mypy")))
}

/// Clippy in the release profile, so that build scripts and macros are compiled once.
fn clippy(steps: &mut Steps) -> Result<()> {
    const DENY: [&str; 5] = ["--", "-D", "warnings", "-D", "clippy::incompatible_msrv"];
    const REMEDY: &str = "Fix what clippy says above.";
    let clippy = || {
        let mut cargo = command::cargo();
        cargo.args(["clippy", "--release", "--locked"]);
        cargo
    };
    steps.run("clippy", REMEDY, || {
        command::run(clippy().args(["--workspace", "--all-targets"]).args(DENY))
    })?;
    steps.run("clippy, runtime without Python", REMEDY, || {
        command::run(
            clippy()
                .args([
                    "--package",
                    NUMPY_RUNTIME,
                    "--no-default-features",
                    "--all-targets",
                ])
                .args(DENY),
        )
    })?;
    steps.run("clippy, torch runtime", REMEDY, || {
        command::run(
            torch_runtime(clippy())
                .args(["--manifest-path", TORCH_RUNTIME])
                .args(DENY),
        )
    })?;
    steps.run("clippy, guests", REMEDY, || match WasmToolchain::find() {
        Some(toolchain @ WasmToolchain::Rustup) => {
            let packages = GUESTS.iter().flat_map(|guest| ["--package", guest.package]);
            command::run(clippy().args(toolchain.flags()).args(packages).args(DENY))
        }
        _ => {
            println!("left out: Debian's compiler for wasm has no clippy");
            Ok(())
        }
    })
}

/// Lets cargo compile the PyTorch runtime without libtorch. Linked, it is tested from Python.
fn torch_runtime(mut cargo: Command) -> Command {
    cargo
        .args(["--features", "tch/doc-only"])
        .env("CARGO_TARGET_DIR", workspace::target().join("torch"));
    cargo
}

fn components() -> Result<()> {
    for guest in GUESTS {
        let path = component::build(guest.name)?;
        println!("{}", workspace::shown(&path));
    }
    Ok(())
}

fn rust_tests(steps: &mut Steps) -> Result<()> {
    const REMEDY: &str = "Run one test again with `cargo test --release NAME`.";
    let test = || {
        let mut cargo = command::cargo();
        cargo.args(["test", "--release", "--locked"]);
        with_environment(cargo)
    };
    steps.run("cargo test", REMEDY, || {
        command::run(test().args([
            "--workspace",
            "--exclude",
            EXTENSION,
            "--exclude",
            NUMPY_RUNTIME,
        ]))
    })?;
    steps.run("cargo test, numpy runtime", REMEDY, || {
        command::run(test().args(["--package", NUMPY_RUNTIME, "--no-default-features"]))
    })?;
    steps.run("cargo test, torch runtime", REMEDY, || {
        command::run(torch_runtime(test()).args(["--manifest-path", TORCH_RUNTIME]))
    })
}

/// Runs the Python tests, or those of the PyTorch plugin, on the sources as they are; `arguments` go to pytest.
///
/// # Errors
/// When something cannot be built, or a test fails.
pub fn python_tests(torch: bool, arguments: &[String]) -> Result<()> {
    let venv = if torch { venv::torch() } else { venv::dev() };
    venv.install_wheels(&dist::run()?.all())?;
    if torch {
        pytest_torch(arguments)
    } else {
        pytest(arguments)
    }
}

fn pytest(arguments: &[String]) -> Result<()> {
    run_pytest(venv::dev().program("pytest"), "tests/python", arguments)
}

fn pytest_torch(arguments: &[String]) -> Result<()> {
    let torch = venv::torch();
    let pytest = torch.activated(torch.program("pytest"))?;
    run_pytest(pytest, "tests/torch", arguments)
}

fn run_pytest(pytest: Command, folder: &str, arguments: &[String]) -> Result<()> {
    command::run(
        with_environment(pytest)
            // Rextio looks for what it built in the project's own target directory.
            .env_remove("CARGO_TARGET_DIR")
            .arg(folder)
            .args(arguments),
    )
}

/// What the tests are told.
fn with_environment(mut command: Command) -> Command {
    let variables: [(&str, PathBuf); 7] = [
        ("REXTIO_NUMPY_WASM", component::path("numpy")),
        ("REXTIO_TORCH_WASM", component::path("torch")),
        ("REXTIO_HOSTILE_WASM", component::path("hostile")),
        ("REXTIO_WASM_CACHE_DIR", workspace::rextio_cache()),
        ("REXTIO_CORE_0_1_6_PYTHON", venv::core_0_1_6().python()),
        ("REXTIO_CORE_0_1_7_PYTHON", venv::core_0_1_7().python()),
        ("REXTIO_REFERENCE_PYTHON", venv::reference().python()),
    ];
    command.envs(variables);
    command
}
