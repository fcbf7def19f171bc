//! What can be told of a component before it is compiled.

use wasmparser::{Encoding, Parser, Payload};

use crate::Error;
use crate::error::WIT_VERSION;

const CONTEXT: &str = "rextio:plugin/context";
const PROVIDER: &str = "rextio:plugin/provider";

/// What a component's imports and exports say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Interface {
    /// Whether the component can ask the host anything.
    pub(crate) imports_context: bool,
}

/// Checks that the bytes are a plugin component of a version this host speaks.
pub(crate) fn inspect(bytes: &[u8], origin: &str) -> Result<Interface, Error> {
    let origin = || origin.to_owned();
    if !bytes.starts_with(b"\0asm") {
        let start = match bytes.get(..bytes.len().min(8)) {
            Some([]) | None => "nothing: the file is empty".to_owned(),
            Some(start) => format!("{:?}", String::from_utf8_lossy(start)),
        };
        return Err(Error::NotWasm {
            origin: origin(),
            start,
        });
    }
    let invalid = |error: wasmparser::BinaryReaderError| Error::Invalid {
        origin: origin(),
        detail: error.to_string(),
    };
    let mut interface = Interface {
        imports_context: false,
    };
    let mut exports = Vec::new();
    let mut provider = None;
    let mut depth = 0_usize;
    for payload in Parser::new(0).parse_all(bytes) {
        match payload.map_err(invalid)? {
            Payload::Version {
                encoding: Encoding::Module,
                ..
            } if depth == 0 => {
                return Err(Error::CoreModule { origin: origin() });
            }
            Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => depth += 1,
            Payload::End(_) => depth = depth.saturating_sub(1),
            Payload::ComponentImportSection(section) if depth == 0 => {
                for import in section {
                    let name = import.map_err(invalid)?.name.name;
                    match split(name) {
                        Some((CONTEXT, version)) => check_version(version, origin)?,
                        _ => {
                            let import = name.to_owned();
                            return Err(Error::ForbiddenImport {
                                origin: origin(),
                                import,
                            });
                        }
                    }
                    interface.imports_context = true;
                }
            }
            Payload::ComponentExportSection(section) if depth == 0 => {
                for export in section {
                    let name = export.map_err(invalid)?.name.name;
                    exports.push(name);
                    if let Some((PROVIDER, version)) = split(name) {
                        provider = Some(version);
                    }
                }
            }
            _ => {}
        }
    }
    match provider {
        Some(version) => check_version(version, origin).map(|()| interface),
        None => {
            let exports = if exports.is_empty() {
                "nothing".to_owned()
            } else {
                exports.join(", ")
            };
            Err(Error::NotAPlugin {
                origin: origin(),
                exports,
            })
        }
    }
}

fn split(name: &str) -> Option<(&str, &str)> {
    name.rsplit_once('@')
}

/// Within a major, a host serves every component up to its own minor.
fn check_version(found: &str, origin: impl Fn() -> String) -> Result<(), Error> {
    let number = |version: &str| -> Option<(u64, u64)> {
        let mut parts = version.split(['.', '-', '+']);
        Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
    };
    let remedy = match (number(found), number(WIT_VERSION)) {
        (Some((major, minor)), Some((own_major, own_minor))) => {
            if major == own_major && minor <= own_minor {
                return Ok(());
            }
            if (major, minor) > (own_major, own_minor) {
                "Upgrade rextio-wasm (`pip install --upgrade rextio-wasm`), or install an older \
                 version of the plugin"
            } else {
                "Upgrade the plugin, or install an older rextio-wasm"
            }
        }
        _ => "Report it to the plugin's author: that is no version",
    };
    Err(Error::Version {
        origin: origin(),
        found: found.to_owned(),
        remedy,
    })
}
