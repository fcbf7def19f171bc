//! `cargo xtask demo`: a photograph developed twice, natively and on CPython.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;

use crate::steps::Steps;
use crate::venv::Venv;
use crate::{command, dist, setup, workspace};

/// The name of the example, of its package and of the module whose functions go native.
const PROJECT: &str = "darkroom";
const KERNELS: &str = "darkroom.kernels";

/// Builds the example as a user would and compares both runs.
///
/// # Errors
/// When something cannot be built, a kernel stays on CPython, or the answers differ.
pub fn run() -> Result<()> {
    let mut steps = Steps::default();
    let result = show(&mut steps);
    steps.print_table();
    result?.print();
    Ok(())
}

fn show(steps: &mut Steps) -> Result<Findings> {
    const OUTPUT: &str = "See the output above.";
    steps.run("set-up", OUTPUT, setup::for_wheels)?;
    let wheels = steps.run("wheels", OUTPUT, dist::run)?;

    let example = workspace::root().join("examples").join(PROJECT);
    let folder = workspace::target().join("demo");
    let venv = Venv::new(
        "demo",
        folder.join("venv"),
        example.join("requirements.txt"),
    );
    steps.run("install", OUTPUT, || {
        venv.ensure()?;
        venv.install_wheels(&wheels.all())
    })?;

    let project = folder.join(PROJECT);
    let functions = steps.run("rextio build", OUTPUT, || {
        copy_fresh(&example, &project)?;
        for task in ["check", "build"] {
            venv.rextio(task, &project)?;
        }
        native_functions(&project.join(".rextio/reports/check.json"))
    })?;

    let run = |mode: &str| {
        let picture = folder.join(format!("{PROJECT}-{mode}.png"));
        let built = project.join(".rextio/build/python");
        Run::start(&venv, &built, mode, &picture)
    };
    let native = steps.run("run natively", OUTPUT, || run("native"))?;
    let fallback = steps.run("run on CPython", OUTPUT, || run("fallback"))?;
    ensure!(
        native.fingerprint == fallback.fingerprint,
        "the native answers differ from NumPy's"
    );
    Ok(Findings {
        functions,
        native,
        fallback,
    })
}

/// What the demo has to tell.
struct Findings {
    functions: Vec<(String, BTreeSet<String>)>,
    native: Run,
    fallback: Run,
}

impl Findings {
    fn print(&self) {
        println!("\nNative functions and the rules behind them:");
        let width = self.functions.iter().map(|(name, _)| name.len()).max();
        for (name, rules) in &self.functions {
            let rules = rules.iter().map(String::as_str).collect::<Vec<_>>();
            println!(
                "  {name:0$}  {1}",
                width.unwrap_or_default(),
                rules.join(", ")
            );
        }
        println!("\nEvery plane of both runs is equal, bit for bit.");
        println!("  native   {:8.1} ms", self.native.seconds * 1e3);
        println!(
            "  CPython  {:8.1} ms  ({:.2} times as long)",
            self.fallback.seconds * 1e3,
            self.fallback.seconds / self.native.seconds
        );
        println!(
            "\nBefore and after: {}",
            workspace::shown(&self.native.picture)
        );
    }
}

/// One run of the program.
#[derive(Deserialize)]
struct Run {
    seconds: f64,
    fingerprint: String,
    #[serde(skip)]
    picture: PathBuf,
}

impl Run {
    fn start(venv: &Venv, built: &Path, mode: &str, picture: &Path) -> Result<Self> {
        let printed = command::output(
            command::new(venv.python())
                .args(["-m", PROJECT])
                .arg(picture)
                .current_dir(built)
                .env("REXTIO_NATIVE_MODE", mode),
        )?;
        let run: Self = serde_json::from_str(&printed)
            .with_context(|| format!("the example printed something else: {printed}"))?;
        println!(
            "{:.1} ms, planes {}",
            run.seconds * 1e3,
            &run.fingerprint[..16]
        );
        Ok(Self {
            picture: picture.to_path_buf(),
            ..run
        })
    }
}

/// The report of `rextio check`, as far as it is read here.
#[derive(Deserialize)]
struct Report {
    modules: Vec<Module>,
}

#[derive(Deserialize)]
struct Module {
    module_name: String,
    functions: Vec<Function>,
}

#[derive(Deserialize)]
struct Function {
    qualname: String,
    accepted: bool,
    plugin_claims: Vec<Claim>,
}

/// A claimed site. One with operand mode `leaves` takes the sites inside with it.
#[derive(Deserialize)]
struct Claim {
    rule_id: String,
    #[serde(default)]
    operand_mode: String,
    line: usize,
    column: usize,
    end_line: usize,
    end_column: usize,
}

impl Claim {
    fn takes(&self, other: &Self) -> bool {
        let start = |claim: &Self| (claim.line, claim.column);
        let end = |claim: &Self| (claim.end_line, claim.end_column);
        self.operand_mode == "leaves"
            && start(self) <= start(other)
            && end(other) <= end(self)
            && (start(self), end(self)) != (start(other), end(other))
    }
}

/// The kernels with the rules that claimed their sites; all of them must be native.
fn native_functions(report: &Path) -> Result<Vec<(String, BTreeSet<String>)>> {
    let text =
        fs::read_to_string(report).with_context(|| format!("cannot read {}", report.display()))?;
    let report: Report = serde_json::from_str(&text).context("an unknown form of report")?;
    let module = report
        .modules
        .into_iter()
        .find(|module| module.module_name == KERNELS)
        .with_context(|| format!("Rextio did not see {KERNELS}"))?;
    let mut native = Vec::new();
    for function in module.functions {
        if !function.accepted {
            bail!("{} stays on CPython", function.qualname);
        }
        let claims = &function.plugin_claims;
        let rules = claims
            .iter()
            .filter(|claim| !claims.iter().any(|outer| outer.takes(claim)))
            .map(|claim| claim.rule_id.clone())
            .collect();
        native.push((function.qualname, rules));
    }
    Ok(native)
}

fn copy_fresh(from: &Path, to: &Path) -> Result<()> {
    if to.exists() {
        fs::remove_dir_all(to).with_context(|| format!("cannot remove {}", to.display()))?;
    }
    copy(from, to)
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to).with_context(|| format!("cannot create {}", to.display()))?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let name = entry.file_name();
        if name == "__pycache__" || name == ".rextio" {
            continue;
        }
        let target = to.join(&name);
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), &target)
                .with_context(|| format!("cannot write {}", target.display()))?;
        }
    }
    Ok(())
}
