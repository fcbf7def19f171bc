//! The host with real components: broken ones, hostile ones, and NumPy's.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread;

use rextio_wasm_host::model::{
    ClaimResult, ClaimSite, Expr, LeafKind, LoweringContext, MAX_DEPTH, SiteKind,
};
use rextio_wasm_host::{
    Context, ContextError, Error, Failure, Limits, NoContext, Options, Plugin, Recorder, Trace,
    replay, verify,
};

fn component(name: &str) -> PathBuf {
    xtask::component::build(name).expect("the component builds")
}

fn hostile() -> Plugin {
    hostile_with(&Options::default())
}

fn hostile_with(options: &Options) -> Plugin {
    Plugin::load(&component("hostile"), options).unwrap()
}

fn site(target: &str) -> ClaimSite {
    ClaimSite::new(SiteKind::Call, target, &[Some("int")])
}

fn lowering() -> LoweringContext {
    LoweringContext {
        operands: vec!["a".to_owned()],
        target_language: "rust".to_owned(),
        ..LoweringContext::default()
    }
}

fn claim(plugin: &Plugin, target: &str) -> Result<ClaimResult, Error> {
    plugin.claim(site(target), Box::new(NoContext))
}

fn failure(error: Error) -> Failure {
    match error {
        Error::Call { failure, .. } => failure,
        other => panic!("not a failed call: {other}"),
    }
}

#[track_caller]
fn check_refused(bytes: &[u8], expected: &[&str]) {
    let Err(error) = Plugin::from_bytes(bytes, "some.wasm", &Options::default()) else {
        panic!("the host took it");
    };
    let text = error.to_string();
    for part in [&["some.wasm"], expected].concat() {
        assert!(text.contains(part), "{part:?} is not in: {text}");
    }
}

fn wat(text: &str) -> Vec<u8> {
    wat::parse_str(text).unwrap()
}

#[test]
fn files_that_are_no_plugins_are_told_apart() {
    check_refused(b"", &["it is not WebAssembly", "the file is empty"]);
    check_refused(b"PK\x03\x04", &["it is not WebAssembly", "PK"]);
    check_refused(
        &wat("(module)"),
        &["core WebAssembly module", "component new"],
    );
    check_refused(
        &wat("(component)"),
        &["no Rextio plugin", "it exports nothing"],
    );
    check_refused(b"\0asm\x0d\0\x01\0\xff", &["not valid here"]);
    check_refused(
        &wat(r#"(component (instance $i) (export "wasi:cli/run@0.2.0" (instance $i)))"#),
        &["no Rextio plugin", "wasi:cli/run@0.2.0"],
    );
    check_refused(
        &wat(r#"(component (import "wasi:random/random@0.2.0" (instance)))"#),
        &["it imports \"wasi:random/random@0.2.0\"", "without WASI"],
    );
    check_refused(
        &wat(r#"(component (import "rextio:plugin/types@1.0.0" (instance)))"#),
        &[
            "it imports \"rextio:plugin/types@1.0.0\"",
            "export rextio:plugin/types",
        ],
    );
    check_refused(
        &wat(r#"(component (instance $i) (export "rextio:plugin/provider@1.0.0" (instance $i)))"#),
        &["engine failed"],
    );
}

#[test]
fn a_version_mismatch_names_both_and_the_side_to_upgrade() {
    let provider = |version: &str| {
        wat(&format!(
            r#"(component (instance $i) (export "rextio:plugin/provider@{version}" (instance $i)))"#
        ))
    };
    let context = |version: &str| {
        wat(&format!(
            r#"(component (import "rextio:plugin/context@{version}" (instance)))"#
        ))
    };
    for newer in [provider("2.0.0"), context("2.0.0")] {
        check_refused(
            &newer,
            &["plugin 2.0.0", "plugin 1.0.0", "Upgrade rextio-wasm"],
        );
    }
    for newer in [provider("1.7.0"), context("1.7.0")] {
        check_refused(
            &newer,
            &["plugin 1.7.0", "plugin 1.0.0", "Upgrade rextio-wasm"],
        );
    }
    check_refused(&provider("0.9.0"), &["plugin 0.9.0", "Upgrade the plugin"]);
}

#[test]
fn a_missing_and_an_oversized_file_are_named() {
    let options = Options::default();
    let missing = Plugin::load(Path::new("/nowhere/x.wasm"), &options)
        .err()
        .unwrap()
        .to_string();
    assert!(
        missing.contains("/nowhere/x.wasm") && missing.contains("Reinstall"),
        "{missing}"
    );
    let limits = Limits {
        file_bytes: 100,
        ..Limits::default()
    };
    let options = Options { limits, ..options };
    let large = Plugin::load(&component("hostile"), &options)
        .err()
        .unwrap()
        .to_string();
    assert!(large.contains("more than the 100 allowed"), "{large}");
}

#[test]
fn each_limit_is_named_and_the_next_call_works() {
    let plugin = hostile();
    let fails = |target: &str| {
        let error = claim(&plugin, target).unwrap_err();
        let text = error.to_string();
        assert!(
            text.contains("rextio-hostile") && text.contains("claim"),
            "{text}"
        );
        assert!(text.contains(target), "{text}");
        assert!(matches!(
            claim(&plugin, "hostile.claim"),
            Ok(ClaimResult::Claimed(_))
        ));
        failure(error)
    };
    let limits = Limits::default();
    assert_eq!(fails("hostile.loop"), Failure::Fuel(limits.fuel));
    let eaten = fails("hostile.eat-memory");
    assert!(
        matches!(eaten, Failure::Memory { wanted, limit } if wanted > limit && limit == limits.memory_bytes),
        "{eaten}"
    );
    assert_eq!(
        fails("hostile.huge-answer"),
        Failure::Answer(limits.answer_bytes)
    );
    assert_eq!(fails("hostile.recursion").limit(), Some("stack"));
    let panic = fails("hostile.panic");
    assert!(
        matches!(&panic, Failure::Panic(text) if text.contains("as it was asked to, with \"quotes\" and é")),
        "{panic}"
    );
    let silent = fails("hostile.unreachable");
    assert!(
        matches!(&silent, Failure::Trap(text) if text.contains("unreachable")),
        "{silent}"
    );
}

#[test]
fn limits_are_the_callers_to_choose() {
    let limits = Limits {
        fuel: 300_000,
        memory_bytes: 4 << 20,
        ..Limits::default()
    };
    let plugin = Plugin::load(
        &component("hostile"),
        &Options {
            limits: Limits {
                fuel: 30_000_000,
                ..limits
            },
            ..Options::default()
        },
    )
    .unwrap();
    assert_eq!(
        failure(claim(&plugin, "hostile.loop").unwrap_err()),
        Failure::Fuel(30_000_000)
    );
    assert_eq!(
        failure(claim(&plugin, "hostile.eat-memory").unwrap_err()).limit(),
        Some("memory")
    );
}

#[test]
fn overlapping_strings_do_not_fill_the_hosts_memory() {
    let plugin = hostile();
    let error = plugin
        .lower(site("hostile.overlap"), lowering(), Box::new(NoContext))
        .unwrap_err();
    assert_eq!(
        failure(error),
        Failure::Answer(Limits::default().answer_bytes)
    );
}

fn deep(depth: usize) -> ClaimSite {
    let leaf = || Expr::leaf(0, LeafKind::Name, Some("int"));
    let tree = (1..depth).fold(leaf(), |left, _| {
        Expr::binop("+", left, leaf(), Some("int"))
    });
    ClaimSite {
        expression: Some(tree),
        ..site("hostile.depth")
    }
}

#[test]
fn a_tree_of_the_greatest_depth_arrives_and_a_deeper_one_is_refused() {
    let plugin = hostile();
    let answer = plugin.claim(deep(MAX_DEPTH), Box::new(NoContext)).unwrap();
    assert!(format!("{answer:?}").contains("Ok(256)"), "{answer:?}");
    let error = plugin
        .claim(deep(MAX_DEPTH + 1), Box::new(NoContext))
        .unwrap_err();
    let text = error.to_string();
    assert!(matches!(error, Error::Site { .. }), "{text}");
    assert!(
        text.contains("deeper than 256") && text.contains("Split the expression"),
        "{text}"
    );
}

#[test]
fn a_thread_with_too_little_stack_is_told_so() {
    let plugin = Arc::new(hostile());
    let thread = thread::Builder::new().stack_size(400 << 10);
    let claimed = thread
        .spawn(move || claim(&plugin, "hostile.claim").err())
        .unwrap();
    let text = claimed.join().unwrap().unwrap().to_string();
    assert!(text.contains("bytes of stack left"), "{text}");
}

#[test]
fn refusals_and_broken_answers_are_told_apart() {
    let plugin = hostile();
    let lower = |target: &str| plugin.lower(site(target), lowering(), Box::new(NoContext));
    assert!(
        matches!(lower("hostile.refuse"), Err(Error::Refused(text)) if text == "it is not in the mood")
    );
    assert_eq!(lower("hostile.claim").unwrap().rust, "hostile(a)");
}

struct Answering(Arc<Mutex<Vec<String>>>);

impl Context for Answering {
    fn config(&mut self, key: &str) -> Result<Option<String>, ContextError> {
        self.0.lock().unwrap().push(key.to_owned());
        Ok((key == "rust.build_tool").then(|| "\"cargo\"".to_owned()))
    }

    fn fresh_name(&mut self, prefix: &str) -> Result<String, ContextError> {
        if self.0.lock().unwrap().is_empty() {
            return Err("there are no names left".into());
        }
        Ok(format!("{prefix}_7"))
    }
}

#[test]
fn the_context_answers_at_its_time_only() {
    let plugin = hostile();
    let asked = Arc::new(Mutex::new(vec!["none yet".to_owned()]));
    let context = || Box::new(Answering(asked.clone()));
    let answer = plugin.claim(site("hostile.config"), context()).unwrap();
    assert!(format!("{answer:?}").contains("cargo"), "{answer:?}");
    assert_eq!(
        *asked.lock().unwrap(),
        ["none yet", "rust.build_tool", "no.such.key"]
    );
    let lowered = plugin
        .lower(site("hostile.config"), lowering(), context())
        .unwrap();
    assert_eq!(lowered.rust, "None None");
    let lowered = plugin
        .lower(site("hostile.fresh-name"), lowering(), context())
        .unwrap();
    assert_eq!(lowered.rust, "tmp_7");
    let early = plugin
        .claim(site("hostile.fresh-name"), context())
        .unwrap_err()
        .to_string();
    assert!(early.contains("outside `lower`"), "{early}");
    asked.lock().unwrap().clear();
    let refused = plugin
        .lower(site("hostile.fresh-name"), lowering(), context())
        .unwrap_err();
    assert!(
        refused.to_string().contains("there are no names left"),
        "{refused}"
    );
}

#[test]
fn threads_call_at_once_and_some_of_their_instances_die() {
    let plugin = Arc::new(hostile());
    let threads: Vec<_> = (0..4)
        .map(|number| {
            let plugin = plugin.clone();
            thread::spawn(move || {
                for call in 0..200 {
                    if number == 0 && call % 10 == 0 {
                        assert!(claim(&plugin, "hostile.panic").is_err());
                    }
                    let answer = claim(&plugin, "hostile.claim").unwrap();
                    assert!(matches!(answer, ClaimResult::Claimed(_)));
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
}

#[test]
fn one_component_is_compiled_once_for_all_who_load_it_at_once() {
    let threads: Vec<_> = (0..4)
        .map(|_| thread::spawn(|| hostile().digest().to_owned()))
        .collect();
    let digests: Vec<_> = threads
        .into_iter()
        .map(|thread| thread.join().unwrap())
        .collect();
    assert!(digests.iter().all(|digest| *digest == digests[0]));
}

fn recorded(targets: &[&str]) -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("trace.jsonl");
    let recorder = Some(Recorder::to_file(&path).unwrap());
    let plugin = hostile_with(&Options {
        recorder,
        ..Options::default()
    });
    plugin.rules(Box::new(NoContext)).unwrap();
    for target in targets {
        let names = Arc::new(Mutex::new(vec![String::new()]));
        plugin
            .claim(site(target), Box::new(Answering(names.clone())))
            .unwrap();
        let _ = plugin.lower(
            site(&target.replace("hostile.claim", "hostile.fresh-name")),
            lowering(),
            Box::new(Answering(names)),
        );
    }
    (directory, path)
}

#[test]
fn a_trace_replays_byte_for_byte() {
    let (_directory, path) = recorded(&["hostile.claim", "hostile.config", "hostile.refuse"]);
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(
        text.matches("mod hostile_runtime").count(),
        1,
        "the text of a type appears once"
    );
    let trace = Trace::read(&path).unwrap();
    let report = replay(&trace, &hostile()).unwrap();
    assert_eq!(report.differing, []);
    // describe, rules, and a claim and a lower for each target
    assert_eq!((report.agreeing, report.note), (8, None));
    assert_eq!(verify(&trace, &hostile()).unwrap().differing, []);
}

#[test]
fn a_changed_answer_is_shown_where_it_differs() {
    let (_directory, path) = recorded(&["hostile.claim"]);
    let text = std::fs::read_to_string(&path).unwrap();
    let edited = text.replace("\"result_type\":\"int\"", "\"result_type\":\"str\"");
    let report = replay(&Trace::parse("edited", &edited).unwrap(), &hostile()).unwrap();
    assert_eq!(report.differing.len(), 1);
    let shown = report.differing[0].to_string();
    assert!(
        shown.contains("claim of the call site \"hostile.claim\""),
        "{shown}"
    );
    assert!(
        shown.contains("claimed.result_type: recorded \"str\", now \"int\""),
        "{shown}"
    );
}

#[test]
fn an_answer_that_depends_on_earlier_calls_is_found() {
    let (_directory, path) = recorded(&["hostile.count", "hostile.claim"]);
    let trace = Trace::read(&path).unwrap();
    let report = verify(&trace, &hostile()).unwrap();
    assert!(
        report
            .differing
            .iter()
            .any(|difference| difference.round == "fresh instance")
    );
    assert!(
        report
            .differing
            .iter()
            .all(|difference| difference.subject.contains("hostile.count")
                || difference.subject.is_empty())
    );
}

#[test]
fn a_trace_of_another_plugin_is_refused() {
    let (_directory, path) = recorded(&["hostile.claim"]);
    let trace = Trace::read(&path).unwrap();
    let numpy = Plugin::load(&component("numpy"), &Options::default()).unwrap();
    let text = replay(&trace, &numpy).unwrap_err().to_string();
    assert!(
        text.contains("no calls of the plugin rextio-numpy, only of rextio-hostile"),
        "{text}"
    );
}

#[test]
fn the_numpy_plugin_asks_the_host_nothing() {
    let numpy = Plugin::load(&component("numpy"), &Options::default()).unwrap();
    assert!(!numpy.asks_context());
    assert_eq!(numpy.description().plugin_id, "rextio-numpy");
    assert!(hostile().asks_context());
}
