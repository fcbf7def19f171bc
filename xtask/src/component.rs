//! Guest crates as WebAssembly components.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use wasmparser::{Parser, Payload};
use wit_component::ComponentEncoder;

use crate::command;
use crate::wasm_toolchain::{TARGET, WasmToolchain};
use crate::workspace;

/// A guest that this repository can build.
#[derive(Debug, Clone, Copy)]
pub struct Guest {
    /// The short name: of the command line and of the finished file.
    pub name: &'static str,
    /// The cargo package.
    pub package: &'static str,
    /// Whether the component is released, and so must import nothing at all.
    pub imports_nothing: bool,
}

/// Every guest of this repository.
pub const GUESTS: [Guest; 3] = [
    Guest {
        name: "numpy",
        package: "rextio-numpy-component",
        imports_nothing: true,
    },
    Guest {
        name: "torch",
        package: "rextio-torch-component",
        imports_nothing: true,
    },
    Guest {
        name: "hostile",
        package: "rextio-hostile-guest",
        imports_nothing: false,
    },
];

/// The finished file of the guest `name`, whether it is built or not.
#[must_use]
pub fn path(name: &str) -> PathBuf {
    workspace::target()
        .join("components")
        .join(format!("{name}.wasm"))
}

/// Builds the guest `name` and returns its component, `target/components/<name>.wasm`.
///
/// The file is left alone when the bytes are the same, and tests of several processes may call
/// this at once.
///
/// # Errors
/// When there is no such guest, no compiler for wasm, the guest does not compile, or the result
/// is no valid component with the imports it may have.
pub fn build(name: &str) -> Result<PathBuf> {
    let guest = GUESTS
        .iter()
        .find(|guest| guest.name == name)
        .with_context(|| format!("there is no guest named `{name}`"))?;
    let path = path(name);
    let folder = path.parent().context("the component has a folder")?;
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;

    let lock = File::create(folder.join(format!("{name}.lock")))?;
    lock.lock()
        .with_context(|| format!("cannot lock the build of `{name}`"))?;
    let module = compile(guest)?;
    let component =
        encode(&module).with_context(|| format!("cannot make a component of {}", guest.package))?;
    if guest.imports_nothing {
        let imports = imports(&component)?;
        ensure!(
            imports.is_empty(),
            "the component `{name}` must import nothing, yet it imports {}",
            imports.join(", ")
        );
    }
    write_if_changed(&path, &component)?;
    Ok(path)
}

/// The names that a component imports.
///
/// # Errors
/// When the bytes are no component.
pub fn imports(component: &[u8]) -> Result<Vec<String>> {
    ensure!(
        Parser::is_component(component),
        "a core module, not a component"
    );
    let mut names = Vec::new();
    let mut depth = 0_usize;
    for payload in Parser::new(0).parse_all(component) {
        match payload.context("not a readable component")? {
            Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => depth += 1,
            Payload::End(_) => depth = depth.saturating_sub(1),
            Payload::ComponentImportSection(section) if depth == 0 => {
                for import in section {
                    names.push(import?.name.name.to_owned());
                }
            }
            _ => {}
        }
    }
    Ok(names)
}

fn compile(guest: &Guest) -> Result<Vec<u8>> {
    let toolchain = WasmToolchain::find()
        .with_context(|| format!("no compiler for {TARGET}; `cargo xtask setup` installs one"))?;
    let mut cargo = toolchain.cargo();
    cargo
        .args([
            "build",
            "--profile",
            "guest",
            "--package",
            guest.package,
            "--lib",
        ])
        .args(toolchain.flags())
        .arg("--message-format=json-render-diagnostics")
        .stdout(Stdio::piped());
    let messages = command::output(&mut cargo)?;
    let module = messages
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .find_map(|message| module_of(&message))
        .with_context(|| format!("{} gave no .wasm; is it a cdylib?", guest.package))?;
    fs::read(&module).with_context(|| format!("cannot read {}", module.display()))
}

/// The file of an "artifact" message of cargo, when it is a module. Only the guest's is one.
fn module_of(message: &Value) -> Option<PathBuf> {
    message["filenames"]
        .as_array()?
        .iter()
        .filter_map(Value::as_str)
        .map(PathBuf::from)
        .find(|file| {
            file.extension()
                .is_some_and(|extension| extension == "wasm")
        })
}

fn encode(module: &[u8]) -> Result<Vec<u8>> {
    ComponentEncoder::default()
        .validate(true)
        .module(module)?
        .encode()
}

fn write_if_changed(path: &Path, bytes: &[u8]) -> Result<()> {
    if fs::read(path).is_ok_and(|present| present == bytes) {
        return Ok(());
    }
    let fresh = path.with_extension("wasm.new");
    fs::write(&fresh, bytes)
        .and_then(|()| fs::rename(&fresh, path))
        .with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_component_without_sections_imports_nothing() {
        let component = b"\0asm\x0d\0\x01\0";
        assert!(imports(component).unwrap().is_empty());
    }

    #[test]
    fn a_core_module_is_refused() {
        let error = imports(b"\0asm\x01\0\0\0").unwrap_err();
        assert_eq!(error.to_string(), "a core module, not a component");
    }
}
