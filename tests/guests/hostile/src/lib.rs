//! A plugin that does what a plugin must not.
//!
//! The target of a site chooses what happens, at `claim` and at `lower` alike;
//! `hostile.claim`, and every target not named below, is claimed and lowered
//! properly. `hostile.lower.<name>` is claimed properly and misbehaves as
//! `hostile.<name>` only at `lower`.

use std::sync::atomic::{AtomicUsize, Ordering};

use rextio_plugin_kit::{
    ArtifactCapability, ArtifactProfile, ArtifactTypeSupport, BoundaryConversion, ClaimResult,
    ClaimSite, Claimed, Coverage, CrateDependency, Description, Diagnostic, EnvironmentContract,
    FunctionScopeContext, Hook, LowerError, LoweredExpr, LoweringContext, OperandMode, Plugin,
    PluginType, RequiredVariable, RuleOutcome, RuleRecord, RuleScope, RuleSet, ScopeGuard,
    ScopeKind, Severity, SiteKind, Stability, context, depth, export_plugin,
};

const ID: &str = "rextio-hostile";
const CODE: &str = "RXTP-HOSTILE-001";
const TYPE: &str = "rextio-hostile/Thing";

/// As large as a real plugin's runtime module.
const MODULE_BYTES: usize = 200_000;

struct Hostile;

export_plugin!(Hostile);

impl Plugin for Hostile {
    // No rule set would misbehave, so every answer is given below.
    const RULES: &'static RuleSet = &RuleSet::new(ID, &[]);

    fn describe() -> Description {
        let item = "#[derive(Clone)] pub struct Thing;";
        Description {
            plugin_id: ID.to_owned(),
            name: "Hostile".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            api_version: "1.7".to_owned(),
            target_versions: Vec::new(),
            target_build_options: Vec::new(),
            coverage: Coverage {
                packages: vec!["hostile".to_owned()],
                modules: vec!["hostile".to_owned()],
                symbols: Vec::new(),
            },
            types: vec![PluginType {
                key: TYPE.to_owned(),
                annotations: vec!["hostile.Thing".to_owned()],
                rust_type: "hostile_runtime::Thing".to_owned(),
                conversion: Some(BoundaryConversion {
                    param_rust: "i64".to_owned(),
                    param_expr: "hostile_runtime::Thing::from({param})".to_owned(),
                    return_rust: "i64".to_owned(),
                    return_expr: "{value}.into()".to_owned(),
                }),
                uses: Vec::new(),
                helpers: vec![format!(
                    "mod hostile_runtime {{ {item} /*{}*/ }}",
                    "-".repeat(MODULE_BYTES)
                )],
                device_value_metadata: None,
            }],
            crate_dependencies: vec![CrateDependency {
                name: "numpy".to_owned(),
                version: "=0.29.0".to_owned(),
                features: Vec::new(),
            }],
            environment: EnvironmentContract {
                required_variables: vec![RequiredVariable {
                    name: "REXTIO_HOSTILE_SETTABLE".to_owned(),
                    value: "1".to_owned(),
                    settable: true,
                    reason: "the tests look whether the host sets it".to_owned(),
                }],
                ..EnvironmentContract::default()
            },
            hooks: vec![Hook::FunctionScopeGuard, Hook::ArtifactCapability],
        }
    }

    fn rules() -> Vec<RuleRecord> {
        let rule = |name: &str, kind, code: Option<&str>| RuleRecord {
            id: format!("{ID}/{name}"),
            scope: RuleScope {
                kind,
                pattern: format!("hostile.{name}"),
            },
            constraint: "None.".to_owned(),
            outcome: RuleOutcome::Native,
            diagnostic_code: code.map(str::to_owned),
            guidance: context::config("rust.build_tool").unwrap_or_else(|| "None.".to_owned()),
            stability: Stability::Experimental,
            verified: Some(false),
            fix_template: Some(vec![("from".to_owned(), "a".to_owned())]),
            examples: vec![vec![("python".to_owned(), "hostile.call()".to_owned())]],
        };
        vec![
            rule("call", ScopeKind::Call, Some(CODE)),
            rule("binop", ScopeKind::Binop, None),
            rule("compare", ScopeKind::Compare, None),
        ]
    }

    fn claim(site: &ClaimSite) -> ClaimResult {
        let name = site.target.strip_prefix("hostile.").unwrap_or(&site.target);
        if !name.starts_with("lower.") {
            if let Some(answer) = misbehave(name) {
                return reject(answer);
            }
            match name {
                "not-covered" => return ClaimResult::NotCovered,
                "depth" => {
                    return reject(site.expression.as_ref().map_or_else(
                        || "no expression".to_owned(),
                        |tree| format!("{:?}", depth(tree)),
                    ));
                }
                "site" => return reject(format!("{site:?}")),
                _ => {}
            }
        }
        let kind = match site.kind {
            SiteKind::Call => "call",
            SiteKind::Binop => "binop",
            SiteKind::Compare => "compare",
        };
        ClaimResult::Claimed(Claimed {
            rule_id: format!("{ID}/{kind}"),
            result_type: "int".to_owned(),
            operand_mode: OperandMode::Direct,
        })
    }

    fn lower(site: &ClaimSite, ctx: &LoweringContext) -> Result<LoweredExpr, LowerError> {
        let name = site.target.strip_prefix("hostile.").unwrap_or(&site.target);
        let name = name.strip_prefix("lower.").unwrap_or(name);
        if let Some(rust) = misbehave(name) {
            return Ok(LoweredExpr {
                rust,
                ..LoweredExpr::default()
            });
        }
        match name {
            "refuse" => Err(LowerError::new("it is not in the mood")),
            "overlap" => Ok(LoweredExpr {
                uses: overlapping(),
                ..LoweredExpr::default()
            }),
            "foreign-type" => Ok(LoweredExpr {
                type_support: vec!["other/Type".to_owned()],
                ..LoweredExpr::default()
            }),
            "context" => Ok(LoweredExpr {
                rust: format!("{ctx:?}"),
                ..LoweredExpr::default()
            }),
            "own-text" => Ok(LoweredExpr {
                rust: "own()".to_owned(),
                uses: vec!["use std::fmt;".to_owned(), "use std::fmt;".to_owned()],
                helpers: vec!["fn own() {}".to_owned()],
                type_support: vec![TYPE.to_owned()],
            }),
            _ => Ok(LoweredExpr {
                rust: format!("hostile({})", ctx.operands.join(", ")),
                type_support: vec![TYPE.to_owned()],
                ..LoweredExpr::default()
            }),
        }
    }

    fn function_scope_guard(ctx: &FunctionScopeContext) -> Option<ScopeGuard> {
        (!ctx.has_python_boundary_calls).then(|| ScopeGuard {
            rust: "hostile_runtime::guard()".to_owned(),
            uses: vec!["use std::fmt;".to_owned()],
            helpers: vec![format!("// {}", ctx.function_qualname)],
        })
    }

    fn artifact_capability(profile: &ArtifactProfile) -> Option<ArtifactCapability> {
        (profile.target_triple != "none").then(|| ArtifactCapability {
            rule_ids: vec![format!("{ID}/call")],
            types: vec![ArtifactTypeSupport {
                type_key: TYPE.to_owned(),
                uses: Vec::new(),
                helpers: vec!["struct Thing;".to_owned()],
            }],
            crate_dependencies: Vec::new(),
        })
    }
}

fn reject(message: String) -> ClaimResult {
    ClaimResult::Rejected(Diagnostic {
        code: CODE.to_owned(),
        severity: Severity::Error,
        message,
        suggestion: Some("Do not.".to_owned()),
    })
}

/// What happens at `claim` and `lower` alike; `None` where nothing does.
fn misbehave(name: &str) -> Option<String> {
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    let calls = CALLS.fetch_add(1, Ordering::Relaxed);
    match name {
        "panic" => panic!("as it was asked to, with \"quotes\" and é"),
        "unreachable" => stop(),
        "loop" => {
            let mut count = 0_usize;
            loop {
                count = std::hint::black_box(count.wrapping_add(1));
            }
        }
        "eat-memory" => {
            let mut eaten = Vec::new();
            loop {
                eaten.push(vec![1_u8; 1 << 20]);
                std::hint::black_box(&eaten);
            }
        }
        "huge-answer" => Some("x".repeat(80 << 20)),
        "recursion" => Some(descend(1).to_string()),
        "fresh-name" => Some(context::fresh_name("tmp")),
        "config" => Some(format!(
            "{:?} {:?}",
            context::config("rust.build_tool"),
            context::config("no.such.key")
        )),
        "count" => Some(calls.to_string()),
        _ => None,
    }
}

#[inline(never)]
fn descend(level: u64) -> u64 {
    let kept = std::hint::black_box([level; 4]);
    // The sum keeps the call from becoming a jump.
    if std::hint::black_box(level) == 0 {
        0
    } else {
        descend(level + 1) + kept[0]
    }
}

#[cfg(target_arch = "wasm32")]
fn stop() -> ! {
    core::arch::wasm32::unreachable()
}

#[cfg(not(target_arch = "wasm32"))]
fn stop() -> ! {
    std::process::abort()
}

/// A million strings of a megabyte that share their bytes: a few megabytes in
/// the guest, a terabyte in a host that copies them all.
fn overlapping() -> Vec<String> {
    let text = "x".repeat(1 << 20).leak();
    (0..1_000_000)
        .map(|_| {
            // SAFETY: never dropped nor written: the host stops the guest while
            // it reads this answer, before anything would free it.
            unsafe { String::from_raw_parts(text.as_mut_ptr(), text.len(), text.len()) }
        })
        .collect()
}
