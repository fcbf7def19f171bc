//! The rules agree with every recorded decision and refuse every recorded
//! forgery.

use rextio_numpy_component::rules::RULES;
use rextio_plugin_kit::{ClaimResult, ClaimSite, SiteKind};
use rextio_tests::{Decision, Forgery, Outcome, read};

/// The families that claim today. Sites of the others are answered *not
/// covered* until their rules come.
const DELIVERED: [&str; 4] = [
    "rextio-numpy/elementwise-float64",
    "rextio-numpy/elementwise-ufunc-call",
    "rextio-numpy/elementwise-chain-fusion",
    "rextio-numpy/unary-module",
];

/// Whether a site belongs to a delivered family, whatever is decided about it.
fn delivered(site: &ClaimSite) -> bool {
    let calls = [
        "add", "subtract", "multiply", "divide", "negative", "absolute", "abs", "square",
    ];
    match site.kind {
        SiteKind::Binop => true,
        SiteKind::Call => site
            .target
            .strip_prefix("numpy.")
            .is_some_and(|name| calls.contains(&name)),
        SiteKind::Compare => false,
    }
}

fn outcome(answer: ClaimResult) -> Outcome {
    match answer {
        ClaimResult::Claimed(claimed) => Outcome::Claimed {
            rule_id: claimed.rule_id,
            result_type: claimed.result_type,
            operand_mode: claimed.operand_mode,
        },
        ClaimResult::Rejected(diagnostic) => Outcome::Rejected(diagnostic.code),
        ClaimResult::NotCovered => Outcome::NotCovered(true),
    }
}

#[test]
fn claims_agree() {
    let decisions: Vec<Decision> = read("numpy-claims.jsonl.gz");
    let (mut agreeing, mut upcoming) = (0, 0);
    for (index, decision) in decisions.iter().enumerate() {
        let answer = outcome(RULES.claim(&decision.site));
        if delivered(&decision.site) {
            assert_eq!(
                answer,
                decision.outcome,
                "line {}: {:?}",
                index + 1,
                decision.site
            );
            agreeing += 1;
        } else {
            assert_eq!(answer, Outcome::NotCovered(true), "line {}", index + 1);
            upcoming += 1;
        }
    }
    assert_eq!((agreeing, upcoming), (5546, 25478));
}

#[test]
fn forgeries_are_refused_and_honest_sites_lowered() {
    let (mut refused, mut lowered, mut upcoming) = (0, 0, 0);
    for (index, forgery) in read::<Forgery>("numpy-forgeries.jsonl.gz")
        .iter()
        .enumerate()
    {
        let line = format!("line {} ({})", index + 1, forgery.forgery);
        let rule = forgery.site.rule_id.as_deref().unwrap_or_default();
        match (RULES.lower(&forgery.site, &forgery.ctx), forgery.raises) {
            (Err(_), true) => refused += 1,
            (Ok(expr), true) => panic!("{line} lowers to {}", expr.rust),
            (Ok(_), false) => lowered += 1,
            (Err(_), false) if !DELIVERED.contains(&rule) => upcoming += 1,
            (Err(error), false) => panic!("{line}: {error}"),
        }
    }
    assert_eq!((refused, lowered, upcoming), (5507, 213, 235));
}
