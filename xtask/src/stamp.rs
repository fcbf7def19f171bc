//! Digests that say whether work is already done.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

/// A file that holds the digest of what some work was done from.
pub struct Stamp {
    path: PathBuf,
    digest: Sha256,
}

impl Stamp {
    /// A stamp at `path`, of nothing yet.
    #[must_use]
    pub fn new(path: PathBuf) -> Self {
        Self {
            path,
            digest: Sha256::new(),
        }
    }

    /// The stamp of one more input.
    #[must_use]
    pub fn of(mut self, input: impl AsRef<[u8]>) -> Self {
        let input = input.as_ref();
        self.digest.update(input.len().to_le_bytes());
        self.digest.update(input);
        self
    }

    /// The stamp of one more input, a file's content.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn of_file(self, file: &Path) -> Result<Self> {
        let content = fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
        Ok(self.of(content))
    }

    /// Whether the work was done from exactly these inputs.
    #[must_use]
    pub fn is_fresh(&self) -> bool {
        fs::read_to_string(&self.path).is_ok_and(|present| present == self.text())
    }

    /// Records that the work is done.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write(&self) -> Result<()> {
        fs::write(&self.path, self.text())
            .with_context(|| format!("cannot write {}", self.path.display()))
    }

    fn text(&self) -> String {
        let digest = self.digest.clone().finalize();
        digest.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}
