//! `cargo xtask docs`: the documentation of the rules, from their declarations.

use anyhow::Result;

use crate::command;

/// Natively linked with the rules: it needs neither wasmtime nor a compiler for wasm.
const PACKAGE: &str = "rextio-rule-docs";

/// Writes `docs/rules/` and the rule table in the README; with `check`, only compares.
///
/// # Errors
/// When the program does not build, a file cannot be written or, with `check`, a file is not what
/// the declarations say.
pub fn run(check: bool) -> Result<()> {
    let mut cargo = command::cargo();
    cargo.args(["run", "--release", "--quiet", "--package", PACKAGE, "--"]);
    if check {
        cargo.arg("--check");
    }
    command::run(&mut cargo)
}
