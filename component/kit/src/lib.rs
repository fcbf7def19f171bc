//! The guest SDK for Rextio plugins as WebAssembly components.
//!
//! A plugin is a list of rules. Each [`Rule`] declares itself once
//! ([`Declaration`]), decides in one place ([`Rule::plan`]) and writes Rust for
//! what it decided ([`Rule::emit`]). [`RuleSet`] answers core with them: it
//! claims by planning, and lowers by planning again and refusing whatever does
//! not agree, so no second list of checks can drift from the first.
//!
//! ```
//! use rextio_plugin_kit::{
//!     ClaimSite, Declaration, Example, LoweredExpr, Operands, Planned, Rule, RuleOutcome,
//!     RuleSet, ScopeKind, SiteKind, Verdict,
//! };
//!
//! struct Twice;
//! struct TwicePlan;
//!
//! impl Planned for TwicePlan {
//!     fn result_type(&self) -> &str {
//!         "int"
//!     }
//! }
//!
//! impl Rule for Twice {
//!     type Plan = TwicePlan;
//!
//!     fn declaration(&self) -> &'static Declaration {
//!         const DECLARATION: Declaration = Declaration {
//!             name: "twice",
//!             code: Some("RXTP-DEMO-001"),
//!             scope: ScopeKind::Call,
//!             pattern: "demo.twice(n) on an int",
//!             constraint: "Exactly one positional int.",
//!             outcome: RuleOutcome::Native,
//!             guidance: "Call demo.twice with one int.",
//!             symbols: &["demo.twice"],
//!             examples: &[Example {
//!                 python: "demo.twice(n)",
//!                 site: || ClaimSite::new(SiteKind::Call, "demo.twice", &[Some("int")]),
//!                 operands: &["n"],
//!                 rust: "n.wrapping_mul(2)",
//!             }],
//!             ..Declaration::EMPTY
//!         };
//!         &DECLARATION
//!     }
//!
//!     fn plan(&self, site: &ClaimSite) -> Verdict<TwicePlan> {
//!         if site.kind != SiteKind::Call || site.target != "demo.twice" {
//!             return Verdict::Pass;
//!         }
//!         match site.operand_types.as_slice() {
//!             [Some(only)] if only == "int" => Verdict::Claimed(TwicePlan),
//!             _ => Verdict::NotCovered,
//!         }
//!     }
//!
//!     fn emit(&self, _plan: &TwicePlan, operands: &Operands<'_>) -> LoweredExpr {
//!         LoweredExpr {
//!             rust: format!("{}.wrapping_mul(2)", operands.values[0]),
//!             ..LoweredExpr::default()
//!         }
//!     }
//! }
//!
//! static RULES: RuleSet = RuleSet::new("rextio-demo", &[&Twice]);
//! assert_eq!(RULES.problems(), Vec::<String>::new());
//! ```

#![deny(missing_docs)]

#[cfg(target_arch = "wasm32")]
#[doc(hidden)]
pub mod bindings;
pub mod context;
mod declaration;
#[cfg(target_arch = "wasm32")]
mod guest;
mod operand;
#[cfg(target_arch = "wasm32")]
mod panic_record;
mod plugin;
mod rule;
mod rule_set;
pub mod sites;

pub use declaration::{Counterexample, Declaration, Example, Expected};
pub use operand::{argument, borrow, operand_types};
pub use plugin::Plugin;
pub use rextio_plugin_model::*;
pub use rule::{Described, LowerError, Operands, Planned, Rejection, Rule, Verdict};
pub use rule_set::{AnyRule, RuleSet};

#[doc(hidden)]
pub mod private {
    #[cfg(target_arch = "wasm32")]
    pub use crate::guest::Guest;

    pub const fn is_plugin<P: crate::Plugin>() {}
}

/// Exports a [`Plugin`] as the component's world `rextio:plugin/plugin`.
///
/// On other targets than wasm32 it only checks the type, so that a plugin is
/// also an ordinary library whose rules build and test natively.
#[macro_export]
macro_rules! export_plugin {
    ($plugin:ty) => {
        #[cfg(not(target_arch = "wasm32"))]
        const _: () = $crate::private::is_plugin::<$plugin>();
        #[cfg(target_arch = "wasm32")]
        const _: () = {
            type Exported = $crate::private::Guest<$plugin>;
    $crate::bindings::export!(Exported with_types_in $crate::bindings);
        };
    };
}
