//! Where the plugin's native code runs: every pair of operating system and
//! architecture that someone may ask about, with what can be promised for it.
//!
//! The table says what was found out about a platform, never what this machine
//! is. The Python package reads it from `rextio_torch/platforms.json`, which is
//! written from here.

/// One platform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Platform {
    /// The operating system: `linux` or `macos`.
    pub os: &'static str,
    /// The architecture: `x86`, `x64`, `arm32` or `arm64`.
    pub arch: &'static str,
    /// `certified`, `experimental`, `availability-gated` or `unsupported`.
    pub status: &'static str,
    /// What running native code there is to the tests: `required`,
    /// `experimental` or `unavailable`.
    pub native_e2e: &'static str,
    /// The stable reason for the status.
    pub reason_code: &'static str,
    /// The reason in words.
    pub detail: &'static str,
}

const EXPERIMENTAL: &str = "RXTT-PLATFORM-ALPHA-EXPERIMENTAL";
const NO_WHEEL: &str = "RXTT-PLATFORM-TORCH-WHEEL-UNAVAILABLE";
const NO_TARGET: &str = "RXTT-PLATFORM-MODERN-TARGET-UNAVAILABLE";

/// Every platform.
pub const PLATFORMS: [Platform; 8] = [
    Platform {
        os: "linux",
        arch: "x86",
        status: "unsupported",
        native_e2e: "unavailable",
        reason_code: NO_WHEEL,
        detail: "PyTorch offers no wheel of the pinned version for 32-bit x86 on Linux",
    },
    Platform {
        os: "linux",
        arch: "x64",
        status: "experimental",
        native_e2e: "required",
        reason_code: EXPERIMENTAL,
        detail: "native code is built and run here by every test run, and is not certified",
    },
    Platform {
        os: "linux",
        arch: "arm32",
        status: "unsupported",
        native_e2e: "unavailable",
        reason_code: NO_WHEEL,
        detail: "PyTorch offers no wheel of the pinned version for 32-bit ARM on Linux",
    },
    Platform {
        os: "linux",
        arch: "arm64",
        status: "experimental",
        native_e2e: "experimental",
        reason_code: EXPERIMENTAL,
        detail: "the pinned wheel exists; native code is tried now and then, and is not certified",
    },
    Platform {
        os: "macos",
        arch: "x86",
        status: "unsupported",
        native_e2e: "unavailable",
        reason_code: NO_TARGET,
        detail: "macOS has not run on 32-bit x86 since long before the pinned PyTorch",
    },
    Platform {
        os: "macos",
        arch: "x64",
        status: "availability-gated",
        native_e2e: "unavailable",
        reason_code: NO_WHEEL,
        detail: "PyTorch offers no wheel of the pinned version for Intel Macs",
    },
    Platform {
        os: "macos",
        arch: "arm32",
        status: "unsupported",
        native_e2e: "unavailable",
        reason_code: NO_TARGET,
        detail: "macOS has never run on 32-bit ARM",
    },
    Platform {
        os: "macos",
        arch: "arm64",
        status: "certified",
        native_e2e: "required",
        reason_code: "RXTT-PLATFORM-CERTIFIED",
        detail: "the published rextio-torch was certified here with the same pins",
    },
];

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::{env, fs};

    use serde_json::json;

    use super::*;

    #[test]
    fn the_python_package_has_this_table() {
        let rows = PLATFORMS.map(|platform| {
            json!({
                "os": platform.os,
                "arch": platform.arch,
                "status": platform.status,
                "native_e2e": platform.native_e2e,
                "reason_code": platform.reason_code,
                "detail": platform.detail,
            })
        });
        let text = serde_json::to_string_pretty(&rows).unwrap() + "\n";
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("python/rextio_torch/platforms.json");
        if env::var_os("REXTIO_BLESS").is_some() {
            fs::write(&file, &text).unwrap();
        }
        let found = fs::read_to_string(&file).unwrap_or_default();
        // A checkout may have turned the line ends.
        assert!(
            found.replace("\r\n", "\n") == text,
            "{} is not the table: run this test with REXTIO_BLESS=1",
            file.display()
        );
    }
}
