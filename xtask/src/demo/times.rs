//! Times side by side.

use std::fmt;

/// A table of what took how long natively and on CPython.
#[derive(Default)]
pub(super) struct Times {
    rows: Vec<(String, f64, f64)>,
}

impl Times {
    /// Adds a row; both times are in seconds.
    pub fn with(mut self, what: impl Into<String>, native: f64, cpython: f64) -> Self {
        self.rows.push((what.into(), native, cpython));
        self
    }
}

impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.rows.iter().map(|(what, ..)| what.len()).max();
        let width = width.unwrap_or_default();
        writeln!(f, "  {:width$}  {:>10}  {:>10}", "", "native", "CPython")?;
        for (what, native, cpython) in &self.rows {
            writeln!(
                f,
                "  {what:width$}  {:>10}  {:>10}  ({:.2} times as long)",
                shown(*native),
                shown(*cpython),
                cpython / native
            )?;
        }
        Ok(())
    }
}

fn shown(seconds: f64) -> String {
    if seconds < 1e-3 {
        format!("{:.1} µs", seconds * 1e6)
    } else {
        format!("{:.1} ms", seconds * 1e3)
    }
}
