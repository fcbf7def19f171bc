//! Writes the documentation of the plugins' rules from their declarations: a
//! page for each rule and an index in `docs/rules`, and the tables in the README.
//! With `--check` it writes nothing and fails where a file is not what it would
//! write.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs, io};

use rextio_plugin_kit::{PluginType, RuleSet};

mod page;

/// A plugin whose rules are documented.
struct Plugin {
    id: &'static str,
    /// The Python library whose operations it lowers.
    library: &'static str,
    /// The class of the values that its annotations stand for.
    class: &'static str,
    types: fn() -> Vec<PluginType>,
    rules: &'static RuleSet,
    /// Where its rules are written.
    sources: &'static str,
    /// What its native code does otherwise than Python, in a few words.
    divergence: &'static str,
    /// The same in full: the one place that states the difference from Python
    /// that users accept.
    accepted: &'static str,
}

static PLUGINS: [Plugin; 2] = [
    Plugin {
        id: rextio_numpy_component::PLUGIN_ID,
        library: "NumPy",
        class: "numpy.ndarray",
        types: rextio_numpy_component::types::plugin_types,
        rules: &rextio_numpy_component::rules::RULES,
        sources: "component/numpy/src/rules",
        divergence: "No `RuntimeWarning` is emitted",
        accepted: "\
Native code is held to NumPy's values, dtypes, shapes and exceptions. It does not emit NumPy's
`RuntimeWarning`: division by zero, an invalid value, overflow and the mean of an empty array give
the result that NumPy gives, without the warning. Code that turns these warnings into errors, with
`warnings.simplefilter(\"error\")` or `numpy.errstate(all=\"raise\")`, belongs on Python.

What a reduction of a whole array gives is a Python `float` or `int`, not a NumPy scalar, and arithmetic
with it is Python's: division by zero raises `ZeroDivisionError`, an `int` beyond int64 raises
`OverflowError`, and beside a `float32` array it is a weak scalar, so the result stays `float32`.

A mask is read where it is used. If the native function calls a Python function between the comparison
and that use, and that function writes into a compared array, the mask shows what was written; NumPy's
mask is a copy and would not. `numpy.setbufsize` changes NumPy's order of summation, not the native one.
Native `dot` of `float64` operands that NumPy has to copy for BLAS (unaligned, reversed or repeated
ones) adds in an order of its own and agrees to rounding. Where both operands of an operation are NaN,
the sign and payload of the result are unspecified.
",
    },
    Plugin {
        id: rextio_torch_component::PLUGIN_ID,
        library: "PyTorch",
        class: "torch.Tensor",
        types: rextio_torch_component::types::plugin_types,
        rules: &rextio_torch_component::rules::RULES,
        sources: "component/torch/src/rules",
        divergence: "No gradients are recorded",
        accepted: "\
Native code calls the libtorch that Python has loaded. Each operation runs as under `torch.no_grad()`:
nothing is recorded for `backward`, and what it gives does not require grad, whatever its operands do.
Tangents of `torch.autograd.forward_ad` are dropped too. Code that trains belongs on Python.

What Python puts in front of libtorch is passed by. A `__torch_function__`, of a subclass or of a
`TorchFunctionMode`, does not see native operations, nor does a function of `torch` that was replaced at
run time. A subclass of `torch.Tensor` is taken for the tensor that it is, and results are plain tensors,
as they are for `torch.nn.Parameter` on Python too. What libtorch itself looks up when it is called holds
for native code too: `torch.autocast`, `torch.inference_mode`, `torch.func.vmap`. A `TorchDispatchMode`
sees `linear` in one piece, and `relu_` for a `relu` whose operand is an intermediate that nothing else
refers to.

An argument that is not what its annotation says raises before anything is computed: `TypeError` where it
is no tensor, `ValueError` where device, dtype or rank is another. Shapes that do not go together raise
`RuntimeError` with PyTorch's text, and so does a nested tensor, which has no shape. Other Python threads
run during operations on tensors of 32,768 elements or more; PyTorch lets them run during all.
",
    },
];

/// The folder of the pages. Everything in it is generated.
const PAGES: &str = "docs/rules";

/// What surrounds the tables in the README.
const MARKERS: [&str; 2] = [
    "<!-- rules: written by `cargo xtask docs` -->",
    "<!-- end of rules -->",
];

fn main() -> ExitCode {
    let arguments: Vec<_> = env::args().skip(1).collect();
    let check = match arguments.as_slice() {
        [] => false,
        [only] if only == "--check" => true,
        _ => return failure("the only argument is --check"),
    };
    match run(check) {
        Ok(differing) if differing.is_empty() => ExitCode::SUCCESS,
        Ok(differing) => {
            for line in differing {
                eprintln!("{line}");
            }
            failure("the documentation is not what the declarations say: run `cargo xtask docs`")
        }
        Err(error) => failure(&error),
    }
}

fn failure(message: &str) -> ExitCode {
    eprintln!("error: {message}");
    ExitCode::FAILURE
}

/// Brings the files up to date, or says which ones are not.
fn run(check: bool) -> Result<Vec<String>, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let wanted = wanted(&root)?;
    let mut differing = Vec::new();
    for (path, text) in &wanted {
        let found = fs::read_to_string(root.join(path)).unwrap_or_default();
        // A checkout may have turned the line ends.
        if found.replace("\r\n", "\n") != *text {
            differing.push(format!("{} differs", path.display()));
            if !check {
                write(&root.join(path), text)?;
            }
        }
    }
    for path in orphans(&root, &wanted)? {
        differing.push(format!("{} belongs to no rule", path.display()));
        if !check {
            fs::remove_file(root.join(&path)).map_err(|error| say(&path, &error))?;
        }
    }
    if check {
        return Ok(differing);
    }
    for line in differing {
        println!("{line}: mended");
    }
    Ok(Vec::new())
}

/// Every generated file, relative to the repository, with its text.
fn wanted(root: &Path) -> Result<BTreeMap<PathBuf, String>, String> {
    let mut files = BTreeMap::new();
    for plugin in &PLUGINS {
        for rule in plugin.rules.declarations() {
            let source = source(root, plugin, rule.name)?;
            let path = Path::new(PAGES).join(format!("{}.md", rule.name));
            if files
                .insert(path, page::rule(plugin, rule, &source))
                .is_some()
            {
                return Err(format!("two rules are named {}", rule.name));
            }
        }
    }
    files.insert(Path::new(PAGES).join("README.md"), page::index(&PLUGINS));

    let readme = PathBuf::from("README.md");
    let text = fs::read_to_string(root.join(&readme)).map_err(|error| say(&readme, &error))?;
    let [start, end] = MARKERS;
    let (before, rest) = text
        .split_once(start)
        .ok_or("README.md has no rule tables")?;
    let (_, after) = rest.split_once(end).ok_or("its rule tables have no end")?;
    let tables = page::tables(&PLUGINS, "###", &format!("{PAGES}/"));
    let text = format!("{before}{start}\n\n{tables}\n{end}{after}");
    files.insert(readme, text.replace("\r\n", "\n"));
    Ok(files)
}

/// The file that declares a rule.
fn source(root: &Path, plugin: &Plugin, rule: &str) -> Result<String, String> {
    let declares = format!("name: \"{rule}\"");
    for path in files(root, plugin.sources)? {
        let text = fs::read_to_string(root.join(&path)).map_err(|error| say(&path, &error))?;
        if text.contains(&declares) {
            return Ok(path.display().to_string().replace('\\', "/"));
        }
    }
    Err(format!("no file in {} declares {rule}", plugin.sources))
}

fn orphans(root: &Path, wanted: &BTreeMap<PathBuf, String>) -> Result<Vec<PathBuf>, String> {
    let mut found = files(root, PAGES)?;
    found.retain(|path| !wanted.contains_key(path));
    Ok(found)
}

/// The files of a folder, relative to the repository.
fn files(root: &Path, folder: &str) -> Result<Vec<PathBuf>, String> {
    let folder = Path::new(folder);
    let entries = match fs::read_dir(root.join(folder)) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(say(folder, &error)),
    };
    let mut files = entries
        .map(|entry| entry.map(|entry| folder.join(entry.file_name())))
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| say(folder, &error))?;
    files.sort();
    Ok(files)
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|error| say(folder, &error))?;
    }
    fs::write(path, text).map_err(|error| say(path, &error))
}

fn say(path: &Path, error: &io::Error) -> String {
    format!("{}: {error}", path.display())
}
