//! What `rextio check` says went native, and by which rules.

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

/// Native functions with the rules behind them.
pub(super) struct NativeFunctions(Vec<(String, BTreeSet<String>)>);

impl fmt::Display for NativeFunctions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Native functions and the rules behind them:")?;
        let width = self.0.iter().map(|(name, _)| name.len()).max();
        let width = width.unwrap_or_default();
        for (name, rules) in &self.0 {
            let rules = rules.iter().map(String::as_str).collect::<Vec<_>>();
            writeln!(f, "  {name:width$}  {}", rules.join(", "))?;
        }
        Ok(())
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

/// The functions of a module with the rules that claimed their sites; all of them must be native.
///
/// # Errors
/// When the report cannot be read, or a function stays on CPython.
pub(super) fn native_functions(report: &Path, module: &str) -> Result<NativeFunctions> {
    let text =
        fs::read_to_string(report).with_context(|| format!("cannot read {}", report.display()))?;
    let report: Report = serde_json::from_str(&text).context("an unknown form of report")?;
    let module = report
        .modules
        .into_iter()
        .find(|seen| seen.module_name == module)
        .with_context(|| format!("Rextio did not see {module}"))?;
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
    Ok(NativeFunctions(native))
}
