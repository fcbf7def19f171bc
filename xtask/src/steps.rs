//! Named steps that show what runs and how long it took.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};

/// The remedy for a step whose own output says what is wrong.
pub const SEE_ABOVE: &str = "See the output above.";

/// The steps of a task so far.
#[derive(Default)]
pub struct Steps {
    done: Vec<(String, Duration)>,
}

impl Steps {
    /// Runs a task made of steps and prints them with their times as a table, also when one fails.
    ///
    /// # Errors
    /// Those of the task.
    pub fn tabled<T>(task: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let mut steps = Self::default();
        let result = task(&mut steps);
        steps.print_table();
        result
    }

    /// Runs one step. `remedy` is what a person does when it fails.
    ///
    /// # Errors
    /// When the step fails.
    pub fn run<T>(
        &mut self,
        name: &str,
        remedy: &str,
        step: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        println!("\n==> {name}");
        let start = Instant::now();
        let result = step().with_context(|| format!("step `{name}` failed. {remedy}"));
        let took = start.elapsed();
        let verdict = if result.is_ok() { "done" } else { "FAILED" };
        println!("<== {name}: {verdict} in {}", seconds(took));
        self.done.push((name.to_owned(), took));
        result
    }

    fn print_table(&self) {
        let width = self
            .done
            .iter()
            .map(|(name, _)| name.len())
            .chain(["total".len()])
            .max()
            .unwrap_or_default();
        println!();
        for (name, took) in &self.done {
            println!("{name:width$}  {:>8}", seconds(*took));
        }
        let total = self.done.iter().map(|(_, took)| *took).sum();
        println!("{:width$}  {:>8}", "total", seconds(total));
    }
}

fn seconds(duration: Duration) -> String {
    format!("{:.1} s", duration.as_secs_f64())
}
