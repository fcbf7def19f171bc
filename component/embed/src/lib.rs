//! Turns a native runtime crate into one module of a crate that Rextio
//! generates.
//!
//! A plugin's native runtime is an ordinary, tested crate. Its code runs in the
//! user's generated crate, which must not depend on a path of this machine, so
//! the plugin component carries the source as text. [`embed`] makes that text
//! at the component's build: files of modules inlined, documentation and tests
//! left out.
//!
//! The runtime keeps to a few rules, and [`embed`] says where it does not:
//! paths within it start with `self::` or `super::`, never `crate::`; its
//! macros do without `$crate`; a Cargo feature it gates items with is dropped
//! by name.

#![deny(missing_docs)]

use std::path::{Path, PathBuf};
use std::{env, error, fmt, fs};

use syn::visit_mut::VisitMut;

/// Why a runtime cannot be embedded.
#[derive(Debug)]
pub struct EmbedError {
    path: PathBuf,
    what: String,
}

impl fmt::Display for EmbedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.what)
    }
}

impl error::Error for EmbedError {}

/// A runtime crate as one module.
pub struct Embedded {
    /// `mod <name> { … }`, formatted.
    pub source: String,
    /// The files it was made from.
    pub files: Vec<PathBuf>,
}

/// Reads the crate whose root file is `root` and returns it as the module
/// `name`. Items behind `#[cfg(feature = "…")]` with a feature of `features`
/// are kept unconditionally.
///
/// # Errors
///
/// [`EmbedError`] where a file is missing or not Rust, or breaks one of the
/// rules above.
pub fn embed(root: &Path, name: &str, features: &[&str]) -> Result<Embedded, EmbedError> {
    let mut files = Vec::new();
    let directory = root.parent().unwrap_or(Path::new(""));
    let items = read(root, directory, features, &mut files)?;
    // The generated crate uses some of the runtime, never all of it.
    let module = syn::parse_str::<syn::ItemMod>(&format!(
        "#[allow(dead_code, unused_imports, unreachable_pub)] mod {name} {{}}"
    ))
    .map_err(|error| EmbedError {
        path: root.to_owned(),
        what: error.to_string(),
    })?;
    let module = syn::ItemMod {
        content: module.content.map(|(brace, _)| (brace, items)),
        ..module
    };
    let file = syn::File {
        shebang: None,
        attrs: Vec::new(),
        items: vec![module.into()],
    };
    Ok(Embedded {
        source: prettyplease::unparse(&file),
        files,
    })
}

/// The whole of a build script: writes [`embed`]'s text to `runtime.rs` in
/// `OUT_DIR`, and has cargo run the script again when a source changes.
///
/// # Errors
///
/// [`EmbedError`], and where the file cannot be written.
pub fn build(root: &str, name: &str, features: &[&str]) -> Result<(), Box<dyn error::Error>> {
    let runtime = embed(Path::new(root), name, features)?;
    for file in &runtime.files {
        println!("cargo::rerun-if-changed={}", file.display());
    }
    let output = Path::new(&env::var("OUT_DIR")?).join("runtime.rs");
    fs::write(output, runtime.source)?;
    Ok(())
}

fn read(
    path: &Path,
    directory: &Path,
    features: &[&str],
    files: &mut Vec<PathBuf>,
) -> Result<Vec<syn::Item>, EmbedError> {
    let error = |what: String| EmbedError {
        path: path.to_owned(),
        what,
    };
    let text = fs::read_to_string(path).map_err(|e| error(e.to_string()))?;
    files.push(path.to_owned());
    let mut file = syn::parse_file(&text).map_err(|e| error(format!("not Rust: {e}")))?;

    let mut clean = Clean {
        features,
        crate_path: false,
    };
    clean.visit_file_mut(&mut file);
    if clean.crate_path {
        return Err(error(
            "a `crate::` path does not survive embedding".to_owned(),
        ));
    }

    let mut items = Vec::with_capacity(file.items.len());
    for item in file.items {
        items.push(match item {
            syn::Item::Mod(module) if module.content.is_none() => {
                let stem = module.ident.to_string();
                let nested = directory.join(&stem);
                let flat = directory.join(format!("{stem}.rs"));
                let path = if flat.exists() {
                    flat
                } else {
                    nested.join("mod.rs")
                };
                let content = read(&path, &nested, features, files)?;
                let content = Some((syn::token::Brace::default(), content));
                syn::Item::Mod(syn::ItemMod {
                    content,
                    semi: None,
                    ..module
                })
            }
            other => other,
        });
    }
    Ok(items)
}

/// Drops documentation, lint levels and tests, and the gates of `features`, and
/// looks for paths that start with `crate`.
struct Clean<'a> {
    features: &'a [&'a str],
    crate_path: bool,
}

impl Clean<'_> {
    fn keep(&self, attribute: &syn::Attribute) -> bool {
        let path = attribute.path();
        let dropped = path.is_ident("doc") || path.is_ident("deny") || path.is_ident("warn");
        !dropped && !self.feature_gate(attribute)
    }

    fn feature_gate(&self, attribute: &syn::Attribute) -> bool {
        let mut gated = false;
        if attribute.path().is_ident("cfg") {
            // A `cfg` of another form is simply not one of these gates.
            let _ = attribute.parse_nested_meta(|meta| {
                if meta.path.is_ident("feature") {
                    let feature: syn::LitStr = meta.value()?.parse()?;
                    gated = self.features.contains(&feature.value().as_str());
                }
                Ok(())
            });
        }
        gated
    }
}

fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute
                .parse_args::<syn::Ident>()
                .is_ok_and(|condition| condition == "test")
    })
}

fn attributes_of(item: &syn::Item) -> &[syn::Attribute] {
    match item {
        syn::Item::Mod(item) => &item.attrs,
        syn::Item::Fn(item) => &item.attrs,
        syn::Item::Use(item) => &item.attrs,
        syn::Item::Impl(item) => &item.attrs,
        syn::Item::Struct(item) => &item.attrs,
        syn::Item::Macro(item) => &item.attrs,
        syn::Item::Const(item) => &item.attrs,
        _ => &[],
    }
}

impl VisitMut for Clean<'_> {
    fn visit_file_mut(&mut self, file: &mut syn::File) {
        file.items.retain(|item| !is_test(attributes_of(item)));
        syn::visit_mut::visit_file_mut(self, file);
    }

    fn visit_attributes_mut(&mut self, attributes: &mut Vec<syn::Attribute>) {
        attributes.retain(|attribute| self.keep(attribute));
    }

    fn visit_path_mut(&mut self, path: &mut syn::Path) {
        self.crate_path |= path
            .segments
            .first()
            .is_some_and(|first| first.ident == "crate");
        syn::visit_mut::visit_path_mut(self, path);
    }

    fn visit_use_path_mut(&mut self, path: &mut syn::UsePath) {
        self.crate_path |= path.ident == "crate";
        syn::visit_mut::visit_use_path_mut(self, path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn embedded(files: &[(&str, &str)]) -> Result<Embedded, EmbedError> {
        let directory = std::env::temp_dir().join(format!(
            "rextio-embed-{}-{:?}",
            std::process::id(),
            std::thread::current().id()
        ));
        for (name, text) in files {
            let path = directory.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let result = embed(&directory.join("lib.rs"), "runtime", &["python"]);
        fs::remove_dir_all(&directory).unwrap();
        result
    }

    #[test]
    fn modules_are_inlined_and_documentation_and_tests_left_out() {
        let result = embedded(&[
            (
                "lib.rs",
                "//! Docs.\n#![deny(missing_docs)]\nmod outer;\n#[cfg(feature = \"python\")]\nmod flat;\n\
                 pub use outer::one;\n#[cfg(test)]\nmod tests { fn t() {} }\n",
            ),
            ("outer.rs", "mod inner;\n/// One.\npub fn one() -> u32 { inner::ONE }\n"),
            ("outer/inner.rs", "#[cfg(target_arch = \"x86_64\")]\npub const ONE: u32 = 1; // why\n"),
            ("flat.rs", "use super::outer::one;\n"),
        ])
        .unwrap();
        assert_eq!(
            result.source,
            "#[allow(dead_code, unused_imports, unreachable_pub)]\n\
             mod runtime {\n    mod outer {\n        mod inner {\n            \
             #[cfg(target_arch = \"x86_64\")]\n            pub const ONE: u32 = 1;\n        }\n        \
             pub fn one() -> u32 {\n            inner::ONE\n        }\n    }\n    \
             mod flat {\n        use super::outer::one;\n    }\n    \
             pub use outer::one;\n}\n"
        );
        assert_eq!(result.files.len(), 4);
    }

    #[test]
    fn broken_rules_name_the_file() {
        let text = |files: &[(&str, &str)]| embedded(files).err().unwrap().to_string();
        let found = text(&[("lib.rs", "fn a() {}\nfn b() { crate::a() }\n")]);
        assert!(found.contains("lib.rs: a `crate::` path"), "{found}");
        let found = text(&[("lib.rs", "mod inner;\n"), ("inner.rs", "use crate::a;\n")]);
        assert!(found.contains("inner.rs: a `crate::` path"), "{found}");
        let found = text(&[("lib.rs", "mod gone;\n")]);
        assert!(found.contains("gone/mod.rs"), "{found}");
        let found = text(&[("lib.rs", "fn (")]);
        assert!(found.contains("not Rust"), "{found}");
    }
}
