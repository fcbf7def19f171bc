//! How much a plugin may use.

use crate::Error;

/// What one call of a plugin may use at most. Each bound is deterministic: the
/// same component and the same site reach it on every machine, or on none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Units of work a call may take, about one a WebAssembly instruction.
    /// `REXTIO_WASM_FUEL`; 2 000 000 000 unless set, one or two seconds of
    /// work, ten thousand times what a call of a real plugin takes.
    pub fuel: u64,
    /// Bytes that an instance's memories may grow to together.
    /// `REXTIO_WASM_MEMORY`; 256 MiB unless set.
    pub memory_bytes: usize,
    /// Elements that each of an instance's tables may grow to. 1 048 576.
    pub table_elements: usize,
    /// Bytes the host may allocate for one answer, or for one question of the
    /// plugin to the host. `REXTIO_WASM_ANSWER`; 64 MiB unless set.
    pub answer_bytes: usize,
    /// Bytes a component file may have. `REXTIO_WASM_FILE`; 64 MiB unless set.
    pub file_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            fuel: 2_000_000_000,
            memory_bytes: 256 << 20,
            table_elements: 1 << 20,
            answer_bytes: 64 << 20,
            file_bytes: 64 << 20,
        }
    }
}

impl Limits {
    /// The defaults, with those replaced that the environment names.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`] where a variable is not a positive whole number.
    pub fn from_environment() -> Result<Self, Error> {
        let mut limits = Self::default();
        if let Some(value) = setting("REXTIO_WASM_FUEL")? {
            limits.fuel = value;
        }
        if let Some(value) = setting("REXTIO_WASM_MEMORY")? {
            limits.memory_bytes = size(value);
        }
        if let Some(value) = setting("REXTIO_WASM_ANSWER")? {
            limits.answer_bytes = size(value);
        }
        if let Some(value) = setting("REXTIO_WASM_FILE")? {
            limits.file_bytes = value;
        }
        Ok(limits)
    }
}

fn size(value: u64) -> usize {
    usize::try_from(value).unwrap_or(usize::MAX)
}

fn setting(name: &'static str) -> Result<Option<u64>, Error> {
    let Some(text) = std::env::var_os(name) else {
        return Ok(None);
    };
    match text.to_str().and_then(|text| text.trim().parse().ok()) {
        Some(value) if value > 0 => Ok(Some(value)),
        _ => Err(Error::Setting {
            name,
            value: text.to_string_lossy().into_owned(),
        }),
    }
}
