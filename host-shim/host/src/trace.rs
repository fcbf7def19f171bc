//! Traces: what a plugin was asked and what it answered.
//!
//! A trace is JSON Lines. For each plugin a header stands before its first
//! event; then every call is one event, in the shapes of core's `to_dict()`,
//! with sorted keys. Large texts appear once, in the `describe` event: lowered
//! expressions name the types that carry them.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::context::Asked;
use crate::plugin::value;
use crate::{Error, Operation, Plugin, WIT_VERSION};

/// The version of the trace format that this host writes and reads.
pub const FORMAT_VERSION: u32 = 1;

const FORMAT: &str = "rextio-wasm-trace";

/// Deeper than the deepest acceptable expression in its JSON form: two levels
/// a node, and some around it.
const MAX_NESTING: usize = 2 * rextio_plugin_model::MAX_DEPTH + 64;

/// One call.
pub(crate) struct Event {
    pub(crate) plugin: String,
    pub(crate) operation: Operation,
    pub(crate) input: Value,
    pub(crate) output: Value,
    pub(crate) asked: Vec<Asked>,
}

/// Writes a trace. Plugins of one process may share it.
#[derive(Debug)]
pub struct Recorder {
    path: PathBuf,
    state: Mutex<Recording>,
}

#[derive(Debug)]
struct Recording {
    file: File,
    begun: HashSet<(String, String)>,
}

impl Recorder {
    /// Records to a file. Within one process, the first to name a file empties
    /// it and all others append to it: core loads its plugins several times.
    ///
    /// # Errors
    ///
    /// [`Error::Record`] where the file cannot be created.
    pub fn to_file(path: &Path) -> Result<Arc<Self>, Error> {
        static OPEN: LazyLock<Mutex<HashMap<PathBuf, Arc<Recorder>>>> =
            LazyLock::new(Mutex::default);
        let failed = |source| Error::Record {
            path: path.to_owned(),
            source,
        };
        let path = std::path::absolute(path).map_err(failed)?;
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(recorder) = open.get(&path) {
            return Ok(recorder.clone());
        }
        let file = File::create(&path).map_err(failed)?;
        let state = Mutex::new(Recording {
            file,
            begun: HashSet::new(),
        });
        let recorder = Arc::new(Self {
            path: path.clone(),
            state,
        });
        open.insert(path, recorder.clone());
        Ok(recorder)
    }

    /// Writes a plugin's header and description, once.
    pub(crate) fn begin(&self, plugin: &Plugin) -> Result<(), Error> {
        let description = plugin.description();
        let key = (description.plugin_id.clone(), plugin.digest().to_owned());
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if !state.begun.insert(key) {
            return Ok(());
        }
        let header = Header {
            format: FORMAT.to_owned(),
            format_version: FORMAT_VERSION,
            component_sha256: plugin.digest().to_owned(),
            plugin: description.plugin_id.clone(),
            plugin_version: description.version.clone(),
            wit_version: WIT_VERSION.to_owned(),
            host_version: env!("CARGO_PKG_VERSION").to_owned(),
        };
        let event = Event {
            plugin: description.plugin_id.clone(),
            operation: Operation::Describe,
            input: Value::Null,
            output: value(description),
            asked: Vec::new(),
        };
        let text = line(&value(&header)) + &event.line();
        self.write(&mut state.file, &text)
    }

    pub(crate) fn event(&self, event: &Event) -> Result<(), Error> {
        let text = event.line();
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        self.write(&mut state.file, &text)
    }

    // One write a line, so that a process that dies leaves whole lines behind.
    fn write(&self, file: &mut File, text: &str) -> Result<(), Error> {
        file.write_all(text.as_bytes())
            .map_err(|source| Error::Record {
                path: self.path.clone(),
                source,
            })
    }
}

impl Event {
    fn line(&self) -> String {
        let mut event = json!({
            "plugin": self.plugin,
            "operation": self.operation.as_str(),
            "input": self.input,
            "output": self.output,
        });
        if !self.asked.is_empty() {
            event["context"] = value(&self.asked);
        }
        line(&event)
    }
}

/// The one JSON text for a value: sorted keys, no spaces, floats in their
/// shortest form.
pub(crate) fn canonical(value: &Value) -> String {
    stacker::maybe_grow(1 << 20, 4 << 20, || sorted(value).to_string())
}

fn line(value: &Value) -> String {
    canonical(value) + "\n"
}

/// `serde_json`'s own map keeps the order of insertion if any crate of the
/// build asks for that, so sorting is not left to it.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(sorted).collect(),
        Value::Object(members) => {
            let members: BTreeMap<_, _> = members
                .iter()
                .map(|(key, value)| (key.clone(), sorted(value)))
                .collect();
            Value::Object(members.into_iter().collect())
        }
        other => other.clone(),
    }
}

/// The first line about a plugin.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Header {
    format: String,
    format_version: u32,
    pub(crate) component_sha256: String,
    pub(crate) plugin: String,
    pub(crate) plugin_version: String,
    wit_version: String,
    host_version: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EventLine {
    plugin: String,
    operation: String,
    input: Value,
    output: Value,
    #[serde(default)]
    context: Vec<Asked>,
}

/// One call as a trace holds it.
#[derive(Clone, Debug)]
pub(crate) struct Recorded {
    pub(crate) line: usize,
    pub(crate) plugin: String,
    pub(crate) operation: Operation,
    pub(crate) input: Value,
    pub(crate) output: Value,
    pub(crate) asked: Vec<Asked>,
}

/// A trace that was read.
#[derive(Clone, Debug)]
pub struct Trace {
    name: String,
    pub(crate) headers: Vec<Header>,
    pub(crate) events: Vec<Recorded>,
}

impl Trace {
    /// Reads a trace from a file.
    ///
    /// # Errors
    ///
    /// [`Error::ReadTrace`]; see [`Trace::parse`].
    pub fn read(path: &Path) -> Result<Self, Error> {
        let unreadable = |source| Error::ReadTrace {
            path: path.to_owned(),
            source,
        };
        let bytes = std::fs::read(path).map_err(unreadable)?;
        let text = String::from_utf8_lossy(&bytes);
        Self::parse(&path.display().to_string(), &text)
    }

    /// Reads a trace from its text. `name` names it in messages.
    ///
    /// # Errors
    ///
    /// [`Error::Trace`] names the line that is not what it should be.
    pub fn parse(name: &str, text: &str) -> Result<Self, Error> {
        let mut trace = Self {
            name: name.to_owned(),
            headers: Vec::new(),
            events: Vec::new(),
        };
        for (index, text) in text.lines().enumerate() {
            if text.trim().is_empty() {
                continue;
            }
            let line = index + 1;
            trace
                .line(line, text)
                .map_err(|detail| trace.broken(line, detail))?;
        }
        if trace.headers.is_empty() {
            return Err(trace.broken(1, "is missing: the trace is empty".to_owned()));
        }
        Ok(trace)
    }

    /// What the trace is called in messages.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn broken(&self, line: usize, detail: String) -> Error {
        Error::Trace {
            trace: self.name.clone(),
            line,
            detail,
        }
    }

    fn line(&mut self, line: usize, text: &str) -> Result<(), String> {
        let value = parse(text)?;
        if self.headers.is_empty() && value.get("format") != Some(&Value::from(FORMAT)) {
            return Err(format!("is not the header of a {FORMAT}"));
        }
        if value.get("format").is_some() {
            return self.header(value);
        }
        let event: EventLine =
            shallow(value).map_err(|error| format!("is not an event: {error}"))?;
        let operation = Operation::recorded(&event.operation)
            .ok_or_else(|| format!("names the unknown operation {:?}", event.operation))?;
        if !self
            .headers
            .iter()
            .any(|header| header.plugin == event.plugin)
        {
            return Err(format!(
                "is an event of {:?}, which has no header before it",
                event.plugin
            ));
        }
        self.events.push(Recorded {
            line,
            plugin: event.plugin,
            operation,
            input: event.input,
            output: event.output,
            asked: event.context,
        });
        Ok(())
    }

    fn header(&mut self, value: Value) -> Result<(), String> {
        let version = value.get("format_version").and_then(Value::as_u64);
        if version != Some(u64::from(FORMAT_VERSION)) {
            let found = value.get("format_version").unwrap_or(&Value::Null);
            return Err(format!(
                "says format version {found}, and this rextio-wasm reads version {FORMAT_VERSION}"
            ));
        }
        let header = shallow(value).map_err(|error| format!("is not a header: {error}"))?;
        self.headers.push(header);
        Ok(())
    }
}

fn parse(text: &str) -> Result<Value, String> {
    if nesting(text) > MAX_NESTING {
        return Err(format!("is nested deeper than {MAX_NESTING} levels"));
    }
    let mut reader = serde_json::Deserializer::from_str(text);
    reader.disable_recursion_limit();
    let value = Value::deserialize(serde_stacker::Deserializer::new(&mut reader))
        .and_then(|value| reader.end().map(|()| value));
    value.map_err(|error| {
        let what = if error.is_eof() {
            "is cut off"
        } else {
            "is not JSON"
        };
        format!("{what}: {error}")
    })
}

/// Reads a value into a type, on as much stack as its depth takes.
pub(crate) fn shallow<T: serde::de::DeserializeOwned>(value: Value) -> Result<T, String> {
    T::deserialize(serde_stacker::Deserializer::new(value)).map_err(|error| error.to_string())
}

/// How deep the brackets of a JSON text go, without parsing it.
fn nesting(text: &str) -> usize {
    let (mut depth, mut deepest, mut quoted, mut escaped) = (0_usize, 0, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'[' | b'{' if !quoted => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' if !quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = r#"{"format":"rextio-wasm-trace","format_version":1,"component_sha256":"00","plugin":"p","plugin_version":"1","wit_version":"1.0.0","host_version":"0.2.0"}"#;

    fn broken(lines: &[&str]) -> String {
        Trace::parse("t.jsonl", &lines.join("\n"))
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn broken_traces_name_the_line() {
        let event = r#"{"plugin":"p","operation":"rules","input":null,"output":[]}"#;
        assert_eq!(
            Trace::parse("t", &[HEADER, event].join("\n"))
                .unwrap()
                .events
                .len(),
            1
        );
        for (lines, expected) in [
            (vec![], "line 1 of the trace t.jsonl is missing"),
            (vec![event], "line 1 of the trace t.jsonl is not the header"),
            (vec!["\0asm"], "line 1 of the trace t.jsonl is not JSON"),
            (
                vec![HEADER, "{\"plugin\":"],
                "line 2 of the trace t.jsonl is cut off",
            ),
            (
                vec![HEADER, "", "[1]"],
                "line 3 of the trace t.jsonl is not an event",
            ),
            (
                vec![
                    HEADER,
                    r#"{"plugin":"p","operation":"sing","input":null,"output":[]}"#,
                ],
                "line 2 of the trace t.jsonl names the unknown operation \"sing\"",
            ),
            (
                vec![
                    HEADER,
                    r#"{"plugin":"q","operation":"rules","input":null,"output":[]}"#,
                ],
                "line 2 of the trace t.jsonl is an event of \"q\", which has no header",
            ),
        ] {
            let text = broken(&lines);
            assert!(text.starts_with(expected), "{text}");
        }
        let newer = HEADER.replace("version\":1,", "version\":9,");
        let text = broken(&[&newer]);
        assert!(
            text.contains("says format version 9, and this rextio-wasm reads version 1"),
            "{text}"
        );
    }

    #[test]
    fn deep_nesting_is_an_error_not_an_overflow() {
        let text = broken(&[HEADER, &"[".repeat(10_000_000)]);
        assert!(
            text.contains("line 2 of the trace t.jsonl is nested deeper than"),
            "{text}"
        );
    }

    #[test]
    fn keys_are_sorted_at_every_level() {
        let value = json!({"b": {"z": 1, "a": [{"y": 0.1, "x": null}]}, "a": "\u{e9}"});
        assert_eq!(
            canonical(&value),
            "{\"a\":\"\u{e9}\",\"b\":{\"a\":[{\"x\":null,\"y\":0.1}],\"z\":1}}"
        );
    }
}
