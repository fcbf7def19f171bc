//! The NumPy plugin for Rextio.
//!
//! [`rules`] decides which NumPy operations become native and how they are
//! spelt in Rust; [`types`] is the vocabulary they speak about. The code that
//! runs is the crate `rextio-numpy-runtime`, carried along as text.

#![deny(missing_docs)]

use rextio_plugin_kit::{CrateDependency, Description, EnvironmentContract, Plugin, RuleSet};

pub mod rules;
pub mod types;

/// The plugin's id.
pub const PLUGIN_ID: &str = "rextio-numpy";

/// The plugin.
pub struct Numpy;

impl Plugin for Numpy {
    const RULES: &'static RuleSet = &rules::RULES;

    fn describe() -> Description {
        let version = env!("CARGO_PKG_VERSION");
        Description {
            plugin_id: PLUGIN_ID.to_owned(),
            name: format!("NumPy to Rust ({PLUGIN_ID} {version})"),
            version: version.to_owned(),
            // Comparison sites need 1.5, nothing needs more.
            api_version: "1.5".to_owned(),
            target_versions: Vec::new(),
            target_build_options: Vec::new(),
            coverage: Self::RULES.coverage(&["numpy"]),
            types: types::plugin_types(),
            crate_dependencies: vec![CrateDependency {
                name: "numpy".to_owned(),
                version: "=0.29.0".to_owned(),
                features: Vec::new(),
            }],
            environment: EnvironmentContract::default(),
            hooks: Vec::new(),
        }
    }
}

rextio_plugin_kit::export_plugin!(Numpy);
