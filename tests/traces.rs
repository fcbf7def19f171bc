//! Recorded builds, asked of the real component again.
//!
//! `traces/` holds what Rextio core asked the plugin while it built real
//! projects, and what the plugin answered. `REXTIO_BLESS=1` writes the answers
//! anew.

use std::fs;
use std::path::{Path, PathBuf};

use rextio_wasm_host::{Options, Plugin, Recorder, Report, Trace, replay, verify};

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

fn numpy(recorder: Option<&Path>) -> Plugin {
    let component = xtask::component::build("numpy").expect("the component builds");
    let recorder = recorder.map(|file| Recorder::to_file(file).expect("the file can be written"));
    let options = Options {
        recorder,
        ..Options::default()
    };
    Plugin::load(&component, &options).expect("the component loads")
}

/// Asks everything again with a recorder on.
fn bless(path: &Path) {
    let trace = Trace::read(path).expect("the old trace is readable");
    let fresh = path.with_extension("blessed");
    replay(&trace, &numpy(Some(&fresh))).expect("the old trace can be asked again");
    let text = fs::read_to_string(&fresh).expect("the new trace was written");
    // Loading describes the plugin once, and asking again does so once more.
    let mut lines: Vec<_> = text.lines().collect();
    lines.dedup();
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
        if std::env::var_os("REXTIO_BLESS").is_some() {
            bless(&path);
        }
        let trace = Trace::read(&path).unwrap_or_else(|error| panic!("{error}"));
        for ask in [replay, verify] {
            let report = ask(&trace, &numpy(None)).unwrap_or_else(|error| panic!("{error}"));
            expect_agreement(&path, &report);
        }
    }
}
