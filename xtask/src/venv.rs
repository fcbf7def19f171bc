//! Virtual environments of Python, made from pinned requirements.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, iter};

use anyhow::{Context, Result, bail};

use crate::command;
use crate::stamp::Stamp;
use crate::workspace;

/// An environment in the target directory.
#[derive(Debug, Clone)]
pub struct Venv {
    name: &'static str,
    root: PathBuf,
    requirements: PathBuf,
    base: Option<Box<Venv>>,
}

/// The environment with the tools: tests, linters and wheel builds run in it.
#[must_use]
pub fn dev() -> Venv {
    Venv::of_repository("dev")
}

/// The environment with core 0.1.6.
#[must_use]
pub fn core_0_1_6() -> Venv {
    Venv::of_repository("core-0.1.6")
}

/// The environment with core 0.1.7.
#[must_use]
pub fn core_0_1_7() -> Venv {
    Venv::of_repository("core-0.1.7")
}

/// The environment with the published plugin instead of ours.
#[must_use]
pub fn reference() -> Venv {
    Venv::of_repository("reference")
}

/// The environment with PyTorch: the tests, the example and the benchmark of its plugin run in it.
#[must_use]
pub fn torch() -> Venv {
    Venv::of_repository("torch")
}

/// The environment with the published PyTorch plugin instead of ours. PyTorch is large, so it is that of [`torch`].
#[must_use]
pub fn torch_reference() -> Venv {
    Venv {
        base: Some(Box::new(torch())),
        ..Venv::of_repository("torch-reference")
    }
}

/// The environment in which the kernels are measured, with numba and numexpr beside them.
#[must_use]
pub fn bench() -> Venv {
    Venv::of_repository("bench")
}

impl Venv {
    fn of_repository(name: &'static str) -> Self {
        Self {
            name,
            root: workspace::target().join("venvs").join(name),
            requirements: workspace::root()
                .join("xtask/requirements")
                .join(format!("{name}.txt")),
            base: None,
        }
    }

    /// An environment at `root` from a requirements file.
    #[must_use]
    pub fn new(name: &'static str, root: PathBuf, requirements: PathBuf) -> Self {
        Self {
            name,
            root,
            requirements,
            base: None,
        }
    }

    /// The file that says what is in it.
    #[must_use]
    pub fn requirements(&self) -> &Path {
        &self.requirements
    }

    /// The interpreter.
    #[must_use]
    pub fn python(&self) -> PathBuf {
        self.root.join("bin/python")
    }

    /// Where its packages are.
    ///
    /// # Errors
    /// When the environment is not there or cannot be asked.
    pub fn packages(&self) -> Result<String> {
        let mut python = command::new(self.python());
        let question = "import sysconfig; print(sysconfig.get_path('purelib'))";
        let answer = command::output(python.args(["-c", question]))?;
        Ok(answer.trim().to_owned())
    }

    /// A command that runs an installed program.
    #[must_use]
    pub fn program(&self, name: &str) -> Command {
        command::new(self.root.join("bin").join(name))
    }

    /// The command as it runs where the environment is activated: `python` is its interpreter.
    ///
    /// # Errors
    /// When PATH cannot be extended.
    pub fn activated(&self, mut command: Command) -> Result<Command> {
        let path = env::var_os("PATH").unwrap_or_default();
        let folders = iter::once(self.root.join("bin")).chain(env::split_paths(&path));
        command.env("PATH", env::join_paths(folders)?);
        command.env("VIRTUAL_ENV", &self.root);
        Ok(command)
    }

    /// Runs `rextio TASK` in a project's folder.
    ///
    /// # Errors
    /// When Rextio fails.
    pub fn rextio(&self, task: &str, project: &Path) -> Result<()> {
        command::run(&mut self.rextio_command(task, project)?)
    }

    /// `rextio TASK` in a project's folder.
    ///
    /// # Errors
    /// When PATH cannot be extended.
    pub fn rextio_command(&self, task: &str, project: &Path) -> Result<Command> {
        let mut command = self.activated(self.program("rextio"))?;
        command
            .arg(task)
            .current_dir(project)
            // Rextio looks for what it built in the project's own target directory.
            .env_remove("CARGO_TARGET_DIR")
            .env("REXTIO_WASM_CACHE_DIR", workspace::rextio_cache());
        Ok(command)
    }

    /// Makes the environment unless it is there already. Another one behind it must be there.
    ///
    /// # Errors
    /// When there is no usable Python, or the packages cannot be installed.
    pub fn ensure(&self) -> Result<()> {
        let interpreter = Interpreter::find()?;
        let stamp = Stamp::new(self.root.join("requirements.stamp"))
            .of(&interpreter.version)
            .of_file(&self.requirements)?;
        if stamp.is_fresh() {
            println!("venv {}: already there", self.name);
            return Ok(());
        }
        println!(
            "venv {}: {} and {}",
            self.name,
            interpreter.version.lines().next().unwrap_or_default(),
            workspace::shown(&self.requirements)
        );
        if self.root.exists() {
            fs::remove_dir_all(&self.root)
                .with_context(|| format!("cannot remove {}", self.root.display()))?;
        }
        interpreter.make_venv(&self.root)?;
        let mut install = self.pip_install();
        install.arg("--requirement").arg(&self.requirements);
        match &self.base {
            None => command::run(&mut install)?,
            Some(base) => {
                command::run(install.arg("--no-deps"))?;
                self.look_behind(base)?;
            }
        }
        stamp.write()
    }

    /// Lets Python find the packages of another environment, where this one has none of that name.
    fn look_behind(&self, base: &Self) -> Result<()> {
        let file = Path::new(&self.packages()?).join(format!("{}.pth", base.name));
        fs::write(&file, base.packages()?)
            .with_context(|| format!("cannot write {}", file.display()))
    }

    /// Installs wheels, without their dependencies, unless just these are installed.
    ///
    /// # Errors
    /// When a wheel cannot be installed.
    pub fn install_wheels(&self, wheels: &[&Path]) -> Result<()> {
        let mut stamp = Stamp::new(self.root.join("wheels.stamp"));
        for wheel in wheels {
            stamp = stamp.of_file(wheel)?;
        }
        if stamp.is_fresh() {
            println!("venv {}: has these wheels already", self.name);
            return Ok(());
        }
        println!("venv {}: installing the wheels", self.name);
        command::run(
            self.pip_install()
                .args(["--no-deps", "--no-index", "--force-reinstall"])
                .args(wheels),
        )?;
        stamp.write()
    }

    fn pip_install(&self) -> Command {
        let mut command = command::new(self.python());
        command.args(["-m", "pip", "install", "--quiet", "--no-input"]);
        command.env("PIP_DISABLE_PIP_VERSION_CHECK", "1");
        command.env("PIP_ROOT_USER_ACTION", "ignore");
        command
    }
}

/// The Python that environments are made from.
struct Interpreter {
    program: &'static str,
    /// What `sys.version` and `sys.prefix` say.
    version: String,
}

impl Interpreter {
    fn find() -> Result<Self> {
        const ASK: &str = "import sys; assert sys.version_info >= (3, 11); print(sys.version.split()[0]); print(sys.prefix)";
        for program in ["python3.11", "python3"] {
            let answer = command::new(program).args(["-c", ASK]).output();
            if let Ok(answer) = answer
                && answer.status.success()
            {
                let version = String::from_utf8_lossy(&answer.stdout);
                return Ok(Self {
                    program,
                    version: format!("CPython {version}"),
                });
            }
        }
        bail!("no Python 3.11 or newer on PATH (looked for `python3.11` and `python3`)")
    }

    fn make_venv(&self, root: &Path) -> Result<()> {
        if !command::succeeds(command::new(self.program).args(["-c", "import ensurepip"])) {
            println!("this Python has no ensurepip");
            command::apt_install(&["python3-venv"])?;
        }
        command::run(command::new(self.program).args(["-m", "venv"]).arg(root))
    }
}
