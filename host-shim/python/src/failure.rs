//! From the host's errors to Python's exceptions.

use std::panic::{AssertUnwindSafe, catch_unwind};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rextio_wasm_host::{Error, Subject};

/// The exception for a host error. The classes live in `rextio_wasm._errors`.
pub(crate) fn exception(py: Python<'_>, error: Error) -> PyErr {
    raise(py, error).unwrap_or_else(|failed| failed)
}

fn raise(py: Python<'_>, error: Error) -> PyResult<PyErr> {
    let text = error.to_string();
    let class = |name| py.import("rextio_wasm._errors")?.getattr(name);
    let make = |name, text: &str| -> PyResult<PyErr> {
        Ok(PyErr::from_value(class(name)?.call1((text,))?))
    };
    match error {
        Error::Refused(text) => Ok(PyValueError::new_err(text)),
        Error::Call {
            plugin,
            operation,
            subject,
            failure,
        } => call_error(
            py,
            &text,
            &plugin,
            operation.as_str(),
            &subject,
            failure.limit(),
        ),
        Error::Answer {
            plugin,
            operation,
            subject,
            ..
        } => call_error(py, &text, &plugin, operation.as_str(), &subject, None),
        Error::Context {
            plugin,
            operation,
            subject,
            source,
        } => {
            let raised = call_error(py, &text, &plugin, operation.as_str(), &subject, None)?;
            if let Ok(cause) = source.downcast::<PyErr>() {
                raised.set_cause(py, Some(*cause));
            }
            Ok(raised)
        }
        Error::Site { .. } => Ok(PyValueError::new_err(text)),
        Error::ThreadStack { .. } => make("PluginError", &text),
        Error::Record { .. }
        | Error::ReadTrace { .. }
        | Error::Trace { .. }
        | Error::ForeignTrace { .. } => make("TraceError", &text),
        _ => make("PluginLoadError", &text),
    }
}

fn call_error(
    py: Python<'_>,
    text: &str,
    plugin: &str,
    operation: &str,
    subject: &Subject,
    limit: Option<&str>,
) -> PyResult<PyErr> {
    let (kind, target) = match subject {
        Subject::None => (None, None),
        Subject::Site { kind, target } => (Some(kind.as_str()), Some(target.as_str())),
        Subject::Function(name) => (Some("function"), Some(name.as_str())),
    };
    let class = py
        .import("rextio_wasm._errors")?
        .getattr("PluginCallError")?;
    Ok(PyErr::from_value(
        class.call1((text, plugin, operation, kind, target, limit))?,
    ))
}

/// A fault of this library as an exception that core reports like any other.
/// PyO3's own is no `Exception`, and would end the user's build unexplained.
pub(crate) fn guarded<T>(py: Python<'_>, body: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|panic| {
        let text = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied())
            .unwrap_or("no message");
        let text = format!("rextio-wasm has a fault of its own: {text}. Report it to its authors");
        let class = py.import("rextio_wasm._errors")?.getattr("PluginError")?;
        Err(PyErr::from_value(class.call1((text,))?))
    })
}
