//! The PyTorch plugin for Rextio.
//!
//! [`rules`] decides which PyTorch operations become native and how they are
//! spelt in Rust; [`types`] is the vocabulary they speak about; [`platforms`]
//! says where that Rust runs. The code that runs is the crate
//! `rextio-torch-runtime`, carried along as text.

#![deny(missing_docs)]

use rextio_plugin_kit::{
    CrateDependency, Description, EnvironmentContract, ForbiddenVariable, Plugin, RequiredPackage,
    RequiredVariable, RuleSet,
};

pub mod platforms;
pub mod rules;
pub mod types;

/// The plugin's id.
pub const PLUGIN_ID: &str = "rextio-torch";

/// The plugin.
pub struct Torch;

impl Plugin for Torch {
    const RULES: &'static RuleSet = &rules::RULES;

    fn describe() -> Description {
        let version = env!("CARGO_PKG_VERSION");
        Description {
            plugin_id: PLUGIN_ID.to_owned(),
            name: format!("PyTorch to Rust ({PLUGIN_ID} {version})"),
            version: version.to_owned(),
            // Receivers and keyword literals need 1.3, nothing needs more.
            api_version: "1.3".to_owned(),
            target_versions: Vec::new(),
            target_build_options: Vec::new(),
            coverage: Self::RULES.coverage(&["torch", "torch.nn", "torch.nn.functional"]),
            types: types::plugin_types(),
            crate_dependencies: vec![CrateDependency {
                name: "tch".to_owned(),
                version: "=0.24.0".to_owned(),
                features: vec!["python-extension".to_owned()],
            }],
            environment: environment(),
            hooks: Vec::new(),
        }
    }
}

/// tch 0.24.0 speaks to the libtorch of PyTorch 2.11.0 and to no other, and a
/// module that links it is loaded by the Python that brought it.
fn environment() -> EnvironmentContract {
    EnvironmentContract {
        python: Some("3.11".to_owned()),
        required_variables: vec![RequiredVariable {
            name: "LIBTORCH_USE_PYTORCH".to_owned(),
            value: "1".to_owned(),
            settable: true,
            reason: "native code must link the libtorch of the torch that Python imports"
                .to_owned(),
        }],
        forbidden_variables: vec![ForbiddenVariable {
            name: "LIBTORCH_BYPASS_VERSION_CHECK".to_owned(),
            reason: "native code linked with another libtorch than tch was made for \
                     may compute wrong results or crash"
                .to_owned(),
        }],
        packages: vec![RequiredPackage {
            name: "torch".to_owned(),
            version: "2.11.0".to_owned(),
            remedy: "python -m pip install torch==2.11.0".to_owned(),
        }],
    }
}

rextio_plugin_kit::export_plugin!(Torch);
