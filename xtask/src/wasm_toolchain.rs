//! The compiler for guests: rustup's, or Debian's where rustup cannot add the target.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::command;

/// The only target that guests are built for: its std imports nothing.
pub const TARGET: &str = "wasm32-unknown-unknown";

const DEBIAN_PACKAGES: [&str; 4] = ["rustc-web", "cargo-web", "rust-web-src", "lld-19"];

/// A way to compile for [`TARGET`].
#[derive(Debug, Clone)]
pub enum WasmToolchain {
    /// The everyday toolchain has the target's std.
    Rustup,
    /// Debian's compiler, which builds std from its own source.
    Debian {
        /// `cargo` of the package `cargo-web`.
        cargo: PathBuf,
        /// `rustc` of the package `rustc-web`.
        rustc: PathBuf,
    },
}

impl WasmToolchain {
    /// The toolchain that is ready on this machine, if one is.
    #[must_use]
    pub fn find() -> Option<Self> {
        if rustup_has_target() {
            return Some(Self::Rustup);
        }
        Some(Self::Debian {
            cargo: debian_program("cargo-web", "cargo")?,
            rustc: debian_program("rustc-web", "rustc")?,
        })
    }

    /// Finds the toolchain or installs it, saying which way it takes.
    ///
    /// # Errors
    /// When neither rustup nor Debian can give one.
    pub fn install() -> Result<Self> {
        if let Some(found) = Self::find() {
            println!("{TARGET}: {} (already there)", found.name());
            return Ok(found);
        }
        println!("{TARGET}: rustup target add {TARGET}");
        let added = command::run(command::new("rustup").args(["target", "add", TARGET]));
        if let Err(error) = added {
            println!("{TARGET}: {error}; installing Debian's compiler instead");
            install_from_debian()?;
        }
        let found = Self::find().with_context(|| {
            format!("the installed toolchain still cannot compile for {TARGET}")
        })?;
        println!("{TARGET}: {}", found.name());
        if let Self::Debian { rustc, .. } = &found {
            // Debian's may be older than what the workspace asks for; cargo then says so.
            command::run(command::new(rustc).arg("--version"))?;
        }
        Ok(found)
    }

    /// A cargo command; the subcommand and [`Self::flags`] follow.
    #[must_use]
    pub fn cargo(&self) -> Command {
        match self {
            Self::Rustup => command::cargo(),
            Self::Debian { cargo, rustc } => {
                let mut command = command::new(cargo);
                command
                    .env("RUSTC", rustc)
                    .env("RUSTC_BOOTSTRAP", "1")
                    .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", "wasm-ld-19")
                    .env_remove("RUSTUP_TOOLCHAIN");
                command
            }
        }
    }

    /// The arguments after the subcommand that select the target.
    #[must_use]
    pub fn flags(&self) -> &'static [&'static str] {
        match self {
            Self::Rustup => &["--target", TARGET],
            Self::Debian { .. } => &["--target", TARGET, "-Z", "build-std=std,panic_abort"],
        }
    }

    fn name(&self) -> &'static str {
        match self {
            Self::Rustup => "the everyday Rust toolchain",
            Self::Debian { .. } => "Debian's rustc-web with build-std",
        }
    }
}

fn rustup_has_target() -> bool {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let libdir =
        command::output(command::new(rustc).args(["--print", "target-libdir", "--target", TARGET]));
    libdir.is_ok_and(|libdir| Path::new(libdir.trim()).is_dir())
}

/// The program that a Debian package installs, which may lie outside of `PATH`.
fn debian_program(package: &str, program: &str) -> Option<PathBuf> {
    if !command::succeeds(command::new("dpkg").args(["--listfiles", package])) {
        return None;
    }
    let files = command::output(command::new("dpkg").args(["--listfiles", package])).ok()?;
    files
        .lines()
        .map(Path::new)
        .find(|path| {
            path.file_name().is_some_and(|name| name == program)
                && path.parent().is_some_and(|folder| folder.ends_with("bin"))
        })
        .map(Path::to_path_buf)
}

fn install_from_debian() -> Result<()> {
    if let Err(error) = command::apt_install(&DEBIAN_PACKAGES) {
        bail!(
            "{error:#}\nInstall a compiler for {TARGET} by hand: `rustup target add {TARGET}`, \
             or as root the Debian packages {}",
            DEBIAN_PACKAGES.join(", ")
        );
    }
    Ok(())
}
