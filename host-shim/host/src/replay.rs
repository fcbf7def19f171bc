//! Asking a plugin again what a trace says it was asked.

use std::collections::VecDeque;
use std::fmt;

use rextio_plugin_model::{ArtifactProfile, ClaimSite, FunctionScopeContext, LoweringContext};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::context::{Asked, Context, ContextError};
use crate::plugin::value;
use crate::trace::{Recorded, Trace, canonical, shallow};
use crate::{Error, Operation, Plugin};

/// Lines of a difference that are shown at most.
const SHOWN: usize = 20;

/// A recorded call that the plugin answers otherwise now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Its line in the trace.
    pub line: usize,
    /// What was asked.
    pub operation: Operation,
    /// What about, in words.
    pub subject: String,
    /// In which of several rounds; empty where there is one.
    pub round: &'static str,
    /// The places where the answers differ, one a line.
    pub places: Vec<String>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}{}", self.line, self.operation, self.subject)?;
        if !self.round.is_empty() {
            write!(f, " ({})", self.round)?;
        }
        for place in self.places.iter().take(SHOWN) {
            write!(f, "\n  {place}")?;
        }
        match self.places.len().saturating_sub(SHOWN) {
            0 => Ok(()),
            more => write!(f, "\n  and {more} more"),
        }
    }
}

/// What came of asking again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// How many recorded calls were answered byte for byte as before.
    pub agreeing: usize,
    /// Those that were not.
    pub differing: Vec<Difference>,
    /// What the reader should know before the result, if anything.
    pub note: Option<String>,
}

/// Asks the plugin every recorded call in order.
///
/// # Errors
///
/// [`Error::ForeignTrace`] where the trace is of other plugins, [`Error::Trace`]
/// where an event is not what it should be. A plugin that fails is a
/// difference, not an error.
pub fn replay(trace: &Trace, plugin: &Plugin) -> Result<Report, Error> {
    let mut report = Report {
        note: note(trace, plugin),
        ..Report::default()
    };
    for event in own_events(trace, plugin)? {
        match difference(trace, plugin, event, "")? {
            None => report.agreeing += 1,
            Some(difference) => report.differing.push(difference),
        }
    }
    Ok(report)
}

/// Asks the plugin every recorded call three times: in a fresh instance, in one
/// instance in order, and in one instance in shuffled order. An answer that
/// depends on anything but the question differs in one of them.
///
/// # Errors
///
/// As [`replay`].
pub fn verify(trace: &Trace, plugin: &Plugin) -> Result<Report, Error> {
    let mut report = Report {
        note: note(trace, plugin),
        ..Report::default()
    };
    let events = own_events(trace, plugin)?;
    let mut agreeing = vec![true; events.len()];
    let in_order: Vec<usize> = (0..events.len()).collect();
    let rounds = [
        ("fresh instance", true, in_order.clone()),
        ("reused instance", false, in_order),
        ("shuffled order", false, shuffled(events.len())),
    ];
    for (round, fresh, order) in rounds {
        plugin.forget_instance();
        for index in order {
            if fresh {
                plugin.forget_instance();
            }
            if let Some(difference) = difference(trace, plugin, events[index], round)? {
                agreeing[index] = false;
                report.differing.push(difference);
            }
        }
    }
    report.agreeing = agreeing.into_iter().filter(|agrees| *agrees).count();
    Ok(report)
}

fn own_events<'a>(trace: &'a Trace, plugin: &Plugin) -> Result<Vec<&'a Recorded>, Error> {
    let id = &plugin.description().plugin_id;
    let events: Vec<_> = trace
        .events
        .iter()
        .filter(|event| event.plugin == *id)
        .collect();
    if !events.is_empty() {
        return Ok(events);
    }
    let mut found: Vec<_> = trace
        .headers
        .iter()
        .map(|header| header.plugin.clone())
        .collect();
    found.dedup();
    Err(Error::ForeignTrace {
        trace: trace.name().to_owned(),
        plugin: id.clone(),
        found: found.join(", "),
    })
}

fn note(trace: &Trace, plugin: &Plugin) -> Option<String> {
    let description = plugin.description();
    let header = trace
        .headers
        .iter()
        .rfind(|header| header.plugin == description.plugin_id)?;
    (header.component_sha256 != plugin.digest()).then(|| {
        format!(
            "recorded with another build of {}: version {} ({}), now version {} ({})",
            header.plugin,
            header.plugin_version,
            header
                .component_sha256
                .get(..12)
                .unwrap_or(&header.component_sha256),
            description.version,
            &plugin.digest()[..12],
        )
    })
}

/// A fixed permutation: a failing order must come again.
fn shuffled(length: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..length).collect();
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    for last in (1..length).rev() {
        // Knuth's MMIX generator; its high bits are the good ones.
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        order.swap(last, (state >> 33) as usize % (last + 1));
    }
    order
}

fn difference(
    trace: &Trace,
    plugin: &Plugin,
    event: &Recorded,
    round: &'static str,
) -> Result<Option<Difference>, Error> {
    let answer = ask(plugin, event).map_err(|detail| trace.broken(event.line, detail))?;
    if canonical(&answer) == canonical(&event.output) {
        return Ok(None);
    }
    let mut places = Vec::new();
    compare("", &event.output, &answer, &mut places);
    if places.is_empty() {
        places.push("the answers differ in their bytes only".to_owned());
    }
    Ok(Some(Difference {
        line: event.line,
        operation: event.operation,
        subject: subject(&event.input),
        round,
        places,
    }))
}

fn subject(input: &Value) -> String {
    let text = |pointer: &str| input.pointer(pointer).and_then(Value::as_str);
    match (
        text("/site/kind"),
        text("/site/target"),
        text("/context/function_qualname"),
    ) {
        (Some(kind), Some(target), _) => format!(" of the {kind} site {target:?}"),
        (_, _, Some(name)) => format!(" for the function {name:?}"),
        _ => String::new(),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ClaimInput {
    site: ClaimSite,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LowerInput {
    site: ClaimSite,
    context: LoweringContext,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GuardInput {
    context: FunctionScopeContext,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CapabilityInput {
    profile: ArtifactProfile,
}

fn ask(plugin: &Plugin, event: &Recorded) -> Result<Value, String> {
    fn read<T: serde::de::DeserializeOwned>(event: &Recorded) -> Result<T, String> {
        shallow(event.input.clone())
            .map_err(|error| format!("has an input that is none of {}: {error}", event.operation))
    }
    let context = || Box::new(RecordedContext(event.asked.clone().into()));
    let answer = match event.operation {
        Operation::Instantiate => return Err("asks for nothing".to_owned()),
        Operation::Describe => plugin.describe().map(|answer| value(&answer)),
        Operation::Rules => plugin.rules(context()).map(|answer| value(&answer)),
        Operation::Claim => {
            let ClaimInput { site } = read(event)?;
            plugin.claim(site, context()).map(|answer| value(&answer))
        }
        Operation::Lower => {
            let input: LowerInput = read(event)?;
            match plugin.lower(input.site, input.context, context()) {
                Ok(answer) => Ok(json!({ "ok": value(&answer) })),
                Err(Error::Refused(text)) => Ok(json!({ "error": text })),
                Err(error) => Err(error),
            }
        }
        Operation::FunctionScopeGuard => {
            let input: GuardInput = read(event)?;
            plugin
                .function_scope_guard(input.context, context())
                .map(|answer| value(&answer))
        }
        Operation::ArtifactCapability => {
            let input: CapabilityInput = read(event)?;
            plugin
                .artifact_capability(input.profile, context())
                .map(|answer| value(&answer))
        }
    };
    Ok(answer.unwrap_or_else(|error| json!({ "failure": error.to_string() })))
}

/// Answers as the trace says, and nothing else.
struct RecordedContext(VecDeque<Asked>);

impl Context for RecordedContext {
    fn config(&mut self, key: &str) -> Result<Option<String>, ContextError> {
        match self.0.pop_front() {
            Some(Asked::Config {
                key: recorded,
                answer,
            }) if recorded == key => Ok(answer),
            _ => Err(
                format!("it asked for the configuration {key:?}, which was not recorded").into(),
            ),
        }
    }

    fn fresh_name(&mut self, prefix: &str) -> Result<String, ContextError> {
        match self.0.pop_front() {
            Some(Asked::FreshName {
                prefix: recorded,
                answer,
            }) if recorded == prefix => Ok(answer),
            _ => {
                Err(format!("it asked for a fresh name {prefix:?}, which was not recorded").into())
            }
        }
    }
}

/// Notes each place where two values differ.
fn compare(path: &str, recorded: &Value, now: &Value, places: &mut Vec<String>) {
    match (recorded, now) {
        (Value::Object(old), Value::Object(new)) => {
            let mut keys: Vec<_> = old
                .keys()
                .chain(new.keys().filter(|key| !old.contains_key(*key)))
                .collect();
            keys.sort();
            for key in keys {
                let path = format!("{path}.{key}");
                match (old.get(key), new.get(key)) {
                    (Some(old), Some(new)) => compare(&path, old, new, places),
                    (old, new) => places.push(place(&path, old, new)),
                }
            }
        }
        (Value::Array(old), Value::Array(new)) => {
            for index in 0..old.len().max(new.len()) {
                let path = format!("{path}[{index}]");
                match (old.get(index), new.get(index)) {
                    (Some(old), Some(new)) => compare(&path, old, new, places),
                    (old, new) => places.push(place(&path, old, new)),
                }
            }
        }
        (old, new) if old == new => {}
        (old, new) => places.push(place(path, Some(old), Some(new))),
    }
}

fn place(path: &str, recorded: Option<&Value>, now: Option<&Value>) -> String {
    let path = if path.is_empty() {
        "the answer"
    } else {
        &path[path.starts_with('.') as usize..]
    };
    let (recorded, now) = match (recorded, now) {
        (Some(Value::String(old)), Some(Value::String(new))) => around(old, new),
        (old, new) => (shown(old), shown(new)),
    };
    format!("{path}: recorded {recorded}, now {now}")
}

fn shown(value: Option<&Value>) -> String {
    value.map_or_else(|| "nothing".to_owned(), |value| clipped(&value.to_string()))
}

/// Two long texts from shortly before the first character that differs.
fn around(old: &str, new: &str) -> (String, String) {
    let same = old
        .chars()
        .zip(new.chars())
        .take_while(|(old, new)| old == new)
        .count();
    let from = if old.chars().count().max(new.chars().count()) > 160 {
        same.saturating_sub(40)
    } else {
        0
    };
    let cut = |text: &str| {
        let text: String = text.chars().skip(from).collect();
        let quoted = format!("{:?}", clipped(&text));
        if from > 0 {
            format!("…{quoted}")
        } else {
            quoted
        }
    };
    (cut(old), cut(new))
}

fn clipped(text: &str) -> String {
    match text.char_indices().nth(160) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_that_differs_is_named() {
        let mut places = Vec::new();
        let old = json!({"claimed": {"rule_id": "p/a", "x": [1, 2]}, "gone": true});
        let new = json!({"claimed": {"rule_id": "p/b", "x": [1, 3, 4]}});
        compare("", &old, &new, &mut places);
        assert_eq!(
            places,
            [
                "claimed.rule_id: recorded \"p/a\", now \"p/b\"",
                "claimed.x[1]: recorded 2, now 3",
                "claimed.x[2]: recorded nothing, now 4",
                "gone: recorded true, now nothing",
            ]
        );
    }

    #[test]
    fn long_texts_are_shown_where_they_differ() {
        let text = |end: &str| Value::from("é".repeat(500) + end);
        let place = place("rust", Some(&text("a")), Some(&text("b")));
        assert!(place.len() < 300, "{place}");
        assert!(place.contains("éa\"") && place.contains("éb\""), "{place}");
    }

    #[test]
    fn shuffling_is_a_fixed_permutation() {
        let order = shuffled(100);
        assert_ne!(order, (0..100).collect::<Vec<_>>());
        assert_eq!(order, shuffled(100));
        let mut sorted = order;
        sorted.sort_unstable();
        assert_eq!(sorted, (0..100).collect::<Vec<_>>());
    }
}
