//! Compiled code on disk.
//!
//! Deserialising code is only safe for code this engine wrote, so the cache is
//! a directory that only the user can enter, each file carries the digest of
//! its content, and the name holds everything the code depends on. Whatever is
//! wrong with a file, it is as good as absent: the component is compiled again.
//!
//! The digest is there to find damage. It is no defence, and needs to be none,
//! against who can write files of the user in the user's own directory; so it
//! is a fast one, not a cryptographic one.

use std::fs;
use std::hash::{Hash, Hasher};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use wasmtime::Engine;
use wasmtime::component::Component;
use xxhash_rust::xxh3::xxh3_128;

const MAGIC: &[u8; 16] = b"rextio-wasm-aot1";
const DIGEST_BYTES: usize = 16;

/// Where compiled code is kept between processes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CodeCache {
    /// Nowhere: every process compiles.
    Off,
    /// In this directory, made private to the user.
    Directory(PathBuf),
}

impl CodeCache {
    /// What the environment asks for: nothing with `REXTIO_WASM_CACHE=0`, else
    /// `code` within [`cache_directory`].
    #[must_use]
    pub fn from_environment() -> Self {
        if std::env::var_os("REXTIO_WASM_CACHE").is_some_and(|value| value == "0") {
            return Self::Off;
        }
        cache_directory().map_or(Self::Off, |root| Self::Directory(root.join("code")))
    }

    /// The component's code: from the cache, or compiled and then cached.
    pub(crate) fn component(
        &self,
        engine: &Engine,
        bytes: &[u8],
        digest: &str,
    ) -> wasmtime::Result<Component> {
        let Some(file) = self.file(engine, digest) else {
            return Component::new(engine, bytes);
        };
        if let Some(component) = read(&file).and_then(|code| revive(engine, &code)) {
            return Ok(component);
        }
        let component = Component::new(engine, bytes)?;
        if let Ok(code) = component.serialize() {
            // A cache that cannot be written costs time, not correctness.
            let _ = write(&file, &code);
        }
        Ok(component)
    }

    fn file(&self, engine: &Engine, digest: &str) -> Option<PathBuf> {
        let Self::Directory(directory) = self else {
            return None;
        };
        private_directory(directory).ok()?;
        let mut compatibility = Fingerprint(Sha256::new());
        engine
            .precompile_compatibility_hash()
            .hash(&mut compatibility);
        let engine = hex(&compatibility.0.finalize()[..16]);
        Some(directory.join(format!("{digest}-{engine}.bin")))
    }
}

/// The user's cache directory for Rextio's plugins: `REXTIO_WASM_CACHE_DIR`, or
/// `rextio-wasm` in the platform's own place. `None` where there is no home.
#[must_use]
pub fn cache_directory() -> Option<PathBuf> {
    match std::env::var_os("REXTIO_WASM_CACHE_DIR") {
        Some(directory) if !directory.is_empty() => std::path::absolute(directory).ok(),
        _ => directories::ProjectDirs::from("", "", "rextio-wasm")
            .map(|directories| directories.cache_dir().to_path_buf()),
    }
}

/// Lower-case hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes
        .iter()
        .fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        })
}

/// A hasher whose result is the same in every process and Rust release.
struct Fingerprint(Sha256);

impl Hasher for Fingerprint {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&self) -> u64 {
        let digest = self.0.clone().finalize();
        digest
            .iter()
            .take(8)
            .fold(0, |sum, byte| sum << 8 | u64::from(*byte))
    }
}

/// The content of a file that passed every check.
struct Cached(Vec<u8>);

fn read(path: &Path) -> Option<Cached> {
    let mut file = fs::File::open(path).ok()?;
    if !owned_and_private(&file.metadata().ok()?) {
        return None;
    }
    let mut content = Vec::new();
    file.read_to_end(&mut content).ok()?;
    let (digest, code) = content
        .strip_prefix(MAGIC)?
        .split_at_checked(DIGEST_BYTES)?;
    let sound = xxh3_128(code).to_le_bytes() == *digest;
    sound.then_some(Cached(content))
}

fn revive(engine: &Engine, cached: &Cached) -> Option<Component> {
    let code = &cached.0[MAGIC.len() + DIGEST_BYTES..];
    // SAFETY: the bytes are what `Component::serialize` gave: the file lies in
    // a directory that only this user can enter, belongs to the user, and its
    // content has the digest written with it. They were read, not mapped, so
    // that nobody can change them afterwards. wasmtime itself checks that they
    // were made by the same version with the same settings.
    unsafe { Component::deserialize(engine, code) }.ok()
}

/// Writes beside the target and renames, so that a reader sees all or nothing.
fn write(path: &Path, code: &[u8]) -> std::io::Result<()> {
    let directory = path.parent().unwrap_or(Path::new("."));
    // `tempfile` creates the file for its owner only.
    let mut file = tempfile::NamedTempFile::new_in(directory)?;
    file.write_all(MAGIC)?;
    file.write_all(&xxh3_128(code).to_le_bytes())?;
    file.write_all(code)?;
    file.persist(path)?;
    Ok(())
}

#[cfg(unix)]
fn private_directory(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    match fs::DirBuilder::new().mode(0o700).create(path) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    let found = fs::symlink_metadata(path)?;
    if !found.is_dir() || !owned(&found) {
        return Err(std::io::ErrorKind::PermissionDenied.into());
    }
    if found.permissions().mode() & 0o077 != 0 {
        fs::set_permissions(path, fs::Permissions::from_mode(0o700))?;
    }
    Ok(())
}

#[cfg(unix)]
fn owned(found: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    found.uid() == rustix::process::geteuid().as_raw()
}

#[cfg(unix)]
fn owned_and_private(found: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    owned(found) && found.permissions().mode() & 0o077 == 0
}

// On Windows the user's profile is private to the user by its own list of
// rights, which new files and directories inherit.
#[cfg(not(unix))]
fn private_directory(path: &Path) -> std::io::Result<()> {
    fs::create_dir_all(path)
}

#[cfg(not(unix))]
fn owned_and_private(_found: &fs::Metadata) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guest::engine;

    fn cached(directory: &Path) -> Vec<PathBuf> {
        let files = fs::read_dir(directory).into_iter().flatten();
        files.map(|file| file.unwrap().path()).collect()
    }

    fn component() -> Vec<u8> {
        wat::parse_str("(component)").unwrap()
    }

    fn load(directory: &Path) {
        let cache = CodeCache::Directory(directory.to_owned());
        cache
            .component(engine().unwrap(), &component(), "00")
            .unwrap();
    }

    #[test]
    fn code_is_written_once_for_the_user_alone() {
        let root = tempfile::tempdir().unwrap();
        let directory = root.path().join("deep").join("code");
        load(&directory);
        let [file] = &cached(&directory)[..] else {
            panic!("not one file")
        };
        assert!(
            read(file)
                .and_then(|code| revive(engine().unwrap(), &code))
                .is_some()
        );
        let written = fs::metadata(file).unwrap().modified().unwrap();
        load(&directory);
        assert_eq!(fs::metadata(file).unwrap().modified().unwrap(), written);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!((mode(&directory), mode(file)), (0o700, 0o600));
        }
    }

    #[test]
    fn whatever_is_wrong_with_a_file_the_component_is_compiled_again() {
        let root = tempfile::tempdir().unwrap();
        load(root.path());
        let [file] = &cached(root.path())[..] else {
            panic!("not one file")
        };
        let good = fs::read(file).unwrap();
        let mut flipped = good.clone();
        *flipped.last_mut().unwrap() ^= 1;
        // A sound file of another engine: right digest, wrong content.
        let foreign = [&MAGIC[..], &xxh3_128(b"foreign").to_le_bytes(), b"foreign"].concat();
        for bad in [
            &b""[..],
            b"short",
            &good[..good.len() / 2],
            &flipped,
            &foreign,
        ] {
            fs::write(file, bad).unwrap();
            load(root.path());
            assert_eq!(fs::read(file).unwrap(), good);
        }
    }

    #[cfg(unix)]
    #[test]
    fn code_that_others_can_reach_is_not_used() {
        use std::os::unix::fs::PermissionsExt;
        let root = tempfile::tempdir().unwrap();
        load(root.path());
        let [file] = &cached(root.path())[..] else {
            panic!("not one file")
        };
        fs::set_permissions(file, fs::Permissions::from_mode(0o644)).unwrap();
        assert!(read(file).is_none());
        load(root.path());
        assert!(read(file).is_some(), "it was written anew");
    }

    #[test]
    fn a_directory_that_cannot_be_made_is_done_without() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("file");
        fs::write(&file, "").unwrap();
        load(&file.join("code"));
        load(&file);
    }
}
