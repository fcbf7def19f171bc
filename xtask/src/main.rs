//! `cargo xtask`: the tasks of this repository.

use std::process::ExitCode;

use anyhow::Result;
use clap::builder::PossibleValuesParser;
use clap::{Parser, Subcommand};
use xtask::component::{self, GUESTS};
use xtask::{bench, demo, dist, docs, setup, soundness, test, workspace};

/// The tasks of this repository.
#[derive(Parser)]
#[command(bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Install the compiler for wasm and make the Python environments under target/venvs/
    Setup,
    /// Build guests as components into target/components/
    Component {
        /// Which one
        #[arg(default_value = "all", value_parser = component_names())]
        name: String,
    },
    /// Build the wheels into dist/
    Dist,
    /// Write docs/rules/ and the rule table in README.md from the rules' declarations
    Docs {
        /// Write nothing, and fail where something would change
        #[arg(long)]
        check: bool,
    },
    /// Run every check: formatting, lints, tests of Rust and Python
    Test,
    /// Run the Python tests alone, with new wheels in the environment that the last `test` made
    Pytest {
        /// Those of the PyTorch plugin
        #[arg(long)]
        torch: bool,
        /// Arguments for pytest
        #[arg(last = true)]
        arguments: Vec<String>,
    },
    /// Run the native code under Miri and valgrind
    Soundness,
    /// Run a real project natively and on CPython, and compare
    Demo {
        /// Which one
        #[arg(value_enum, default_value = "numpy")]
        demo: demo::Demo,
    },
    /// Measure
    Bench {
        #[command(subcommand)]
        what: Bench,
    },
}

#[derive(Subcommand)]
enum Bench {
    /// Load, claim and lower from Python, beside the published plugin
    Calls,
    /// Native functions beside NumPy and what else a user could pick; see docs/benchmarks.md
    Kernels(bench::Options),
    /// PyTorch functions beside eager PyTorch and the published plugin, and how long builds take
    Torch(bench::Options),
}

fn main() -> ExitCode {
    match run(Arguments::parse().task) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("\nerror: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(task: Task) -> Result<()> {
    match task {
        Task::Setup => setup::run(),
        Task::Component { name } => components(&name),
        Task::Dist => {
            setup::for_wheels()?;
            dist::run().map(drop)
        }
        Task::Docs { check } => docs::run(check),
        Task::Test => test::run(),
        Task::Pytest { torch, arguments } => test::python_tests(torch, &arguments),
        Task::Soundness => soundness::run(),
        Task::Demo { demo } => demo::run(demo),
        Task::Bench { what: Bench::Calls } => bench::calls(),
        Task::Bench {
            what: Bench::Kernels(options),
        } => bench::kernels(&options),
        Task::Bench {
            what: Bench::Torch(options),
        } => bench::torch(&options),
    }
}

fn component_names() -> PossibleValuesParser {
    PossibleValuesParser::new(["all"].into_iter().chain(GUESTS.map(|guest| guest.name)))
}

fn components(name: &str) -> Result<()> {
    for guest in GUESTS
        .iter()
        .filter(|guest| name == "all" || name == guest.name)
    {
        println!("{}", workspace::shown(&component::build(guest.name)?));
    }
    Ok(())
}
