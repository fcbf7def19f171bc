//! Reads the recorded decisions.
//!
//! They say what the published plugins decided about each of some hundred thousand
//! sites, and which forged sites they refused to lower. `decisions/` holds them.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use flate2::read::GzDecoder;
use rextio_plugin_model::{ClaimSite, LoweringContext, OperandMode};
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// One site and what was decided about it.
#[derive(Deserialize)]
pub struct Decision {
    /// The site at claim time.
    pub site: ClaimSite,
    /// The decision.
    pub outcome: Outcome,
}

/// A decision, as far as plugins must agree on it: not on the wording.
#[derive(Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It is lowered.
    Claimed {
        /// By this rule.
        rule_id: String,
        /// To this type.
        result_type: String,
        /// With operands in this mode.
        operand_mode: OperandMode,
    },
    /// It is rejected with this code.
    Rejected(String),
    /// It is none of the plugin's business.
    NotCovered(bool),
}

/// A claimed site in which one thing was changed.
#[derive(Deserialize)]
pub struct Forgery {
    /// What was changed; `none` is the honest site.
    pub forgery: String,
    /// The site at lower time.
    pub site: ClaimSite,
    /// The context at lower time.
    pub ctx: LoweringContext,
    /// Whether the published plugin refused it.
    pub raises: bool,
}

/// Reads gzipped JSON Lines from `decisions/`.
///
/// # Panics
///
/// Where the file is missing or a line is not what is expected, with its number.
pub fn read<T: DeserializeOwned>(name: &str) -> Vec<T> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("decisions")
        .join(name);
    let file = File::open(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    BufReader::new(GzDecoder::new(file))
        .lines()
        .enumerate()
        .map(|(index, line)| {
            let line = line.expect("the file is gzipped text");
            serde_json::from_str(&line)
                .unwrap_or_else(|error| panic!("{name}, line {}: {error}", index + 1))
        })
        .collect()
}
