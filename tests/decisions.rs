//! The rules of each plugin agree with every recorded decision and refuse every
//! recorded forgery.

use rextio_plugin_kit::{ClaimResult, RuleSet};
use rextio_tests::{Decision, Forgery, Outcome, read};

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

/// Claims each site of `file` and returns how many there are.
fn claims_agree(rules: &RuleSet, file: &str) -> usize {
    let decisions: Vec<Decision> = read(file);
    for (index, decision) in decisions.iter().enumerate() {
        assert_eq!(
            outcome(rules.claim(&decision.site)),
            decision.outcome,
            "line {}: {:?}",
            index + 1,
            decision.site
        );
    }
    decisions.len()
}

/// Lowers each site of `file` and returns how many were refused and lowered.
///
/// What the published plugin refused is refused, and every honest site is
/// lowered. In between, a plugin may refuse more.
fn forgeries_are_refused(rules: &RuleSet, file: &str) -> (usize, usize) {
    let (mut refused, mut lowered) = (0, 0);
    for (index, forgery) in read::<Forgery>(file).iter().enumerate() {
        let line = format!("line {} ({})", index + 1, forgery.forgery);
        match rules.lower(&forgery.site, &forgery.ctx) {
            Ok(expr) if forgery.raises => panic!("{line} lowers to {}", expr.rust),
            Ok(_) => lowered += 1,
            Err(error) if forgery.forgery == "none" => panic!("{line}: {error}"),
            Err(_) => refused += 1,
        }
    }
    (refused, lowered)
}

#[test]
fn numpy_claims_agree() {
    let rules = &rextio_numpy_component::rules::RULES;
    assert_eq!(claims_agree(rules, "numpy-claims.jsonl.gz"), 31_024);
}

#[test]
fn torch_claims_agree() {
    let rules = &rextio_torch_component::rules::RULES;
    assert_eq!(claims_agree(rules, "torch-claims.jsonl.gz"), 71_854);
}

#[test]
fn numpy_forgeries_are_refused_and_honest_sites_lowered() {
    let rules = &rextio_numpy_component::rules::RULES;
    let counts = forgeries_are_refused(rules, "numpy-forgeries.jsonl.gz");
    assert_eq!(counts, (5_507, 448));
}

/// The published plugin raised for 675 of these. The kit also refuses another
/// target language, operands that do not fit the site or stand in another mode,
/// a receiver that only one of site and context has, and the rule of the other
/// rank.
#[test]
fn torch_forgeries_are_refused_and_honest_sites_lowered() {
    let rules = &rextio_torch_component::rules::RULES;
    let counts = forgeries_are_refused(rules, "torch-forgeries.jsonl.gz");
    assert_eq!(counts, (835, 55));
}
