//! Recorded builds, asked of the real component again.
//!
//! `traces/` holds what Rextio core asked a plugin while it built real
//! projects, and what the plugin answered. `REXTIO_BLESS=1` writes the answers
//! anew. Each file is of one plugin: of a build with several, it keeps one
//! plugin's lines.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use rextio_wasm_host::{Options, Plugin, Recorder, Report, Trace, replay, verify};
use serde::Deserialize;

fn traces() -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("traces");
    let mut found: Vec<_> = fs::read_dir(&directory)
        .unwrap_or_else(|error| panic!("{}: {error}", directory.display()))
        .map(|entry| entry.expect("the directory is readable").path())
        .collect();
    found.sort();
    assert!(!found.is_empty(), "there are recorded builds");
    found
}

/// The component of the plugin whose trace this is.
fn component(trace: &Path) -> PathBuf {
    #[derive(Deserialize)]
    struct Line {
        plugin: String,
    }
    let text = fs::read_to_string(trace).expect("the trace is readable");
    let plugins: BTreeSet<_> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("every line names its plugin"))
        .map(|Line { plugin }| plugin)
        .collect();
    let plugins: Vec<_> = plugins.iter().map(String::as_str).collect();
    let [plugin] = plugins[..] else {
        panic!("{}: lines of {plugins:?}; keep one's", trace.display());
    };
    let name = plugin.strip_prefix("rextio-").unwrap_or(plugin);
    xtask::component::build(name).expect("the component builds")
}

fn load(component: &Path, recorder: Option<&Path>) -> Plugin {
    let recorder = recorder.map(|file| Recorder::to_file(file).expect("the file can be written"));
    let options = Options {
        recorder,
        ..Options::default()
    };
    Plugin::load(component, &options).expect("the component loads")
}

/// Asks everything again with a recorder on.
fn bless(path: &Path, component: &Path) {
    let trace = Trace::read(path).expect("the old trace is readable");
    let fresh = path.with_extension("blessed");
    replay(&trace, &load(component, Some(&fresh))).expect("the old trace can be asked again");
    let text = fs::read_to_string(&fresh).expect("the new trace was written");
    let mut lines: Vec<_> = text.lines().collect();
    // The recorder wrote what loading was told, and then what the trace asks.
    assert_eq!(lines[1], lines[2], "a trace begins with the description");
    lines.remove(2);
    fs::write(path, lines.join("\n") + "\n").expect("the trace can be replaced");
    fs::remove_file(fresh).expect("the new trace can be removed");
}

/// Shows every difference and fails where there is one.
fn expect_agreement(path: &Path, report: &Report) {
    for difference in &report.differing {
        eprintln!("{difference}");
    }
    let (agreeing, differing) = (report.agreeing, report.differing.len());
    assert_eq!(
        differing,
        0,
        "{}: {agreeing} events agree; REXTIO_BLESS=1 rewrites it",
        path.display()
    );
    assert!(agreeing > 10, "{}: {agreeing} events", path.display());
}

#[test]
fn recorded_builds_are_answered_as_before_whatever_was_asked_before() {
    for path in traces() {
        let component = component(&path);
        if std::env::var_os("REXTIO_BLESS").is_some() {
            bless(&path, &component);
        }
        let trace = Trace::read(&path).unwrap_or_else(|error| panic!("{error}"));
        for ask in [replay, verify] {
            let report =
                ask(&trace, &load(&component, None)).unwrap_or_else(|error| panic!("{error}"));
            expect_agreement(&path, &report);
        }
    }
}
