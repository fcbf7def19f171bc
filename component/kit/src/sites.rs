//! The sites that declarations show as examples.

use crate::{ClaimLiteral, ClaimSite, KeywordArg, Receiver, ReceiverKind, SiteKind};

/// `target(…)` over operands of these types.
#[must_use]
pub fn call(target: &str, operands: &[&str]) -> ClaimSite {
    let operands: Vec<_> = operands.iter().map(|&key| Some(key)).collect();
    ClaimSite::new(SiteKind::Call, target, &operands)
}

/// `a.name(…)` on a local name of the receiver's type.
#[must_use]
pub fn method(name: &str, receiver: &str, operands: &[&str]) -> ClaimSite {
    ClaimSite {
        receiver: Some(Receiver {
            arg_type: Some(receiver.to_owned()),
            expr_kind: ReceiverKind::Name,
            schema: None,
        }),
        ..call(&format!("a.{name}"), operands)
    }
}

/// `f(…).name(…)` on a value of the receiver's type. Core gives the value a name
/// of its own, which is what the rule sees as the receiver.
#[must_use]
pub fn method_of_value(name: &str, receiver: &str, operands: &[&str]) -> ClaimSite {
    let mut site = method(name, receiver, operands);
    if let Some(receiver) = &mut site.receiver {
        receiver.expr_kind = ReceiverKind::Call;
    }
    site
}

/// The call with one more option.
#[must_use]
pub fn with_option(mut site: ClaimSite, name: &str, literal: ClaimLiteral) -> ClaimSite {
    let arg_type = match literal {
        ClaimLiteral::Int(_) => Some("int".to_owned()),
        ClaimLiteral::Bool(_) => Some("bool".to_owned()),
        ClaimLiteral::Str(_) => Some("str".to_owned()),
        ClaimLiteral::NonLiteral | ClaimLiteral::None | ClaimLiteral::IntTuple(_) => None,
    };
    site.keywords.push(KeywordArg {
        name: name.to_owned(),
        arg_type,
        literal,
    });
    site
}

/// The call with an integer as its last positional operand.
#[must_use]
pub fn with_integer(mut site: ClaimSite, value: i64) -> ClaimSite {
    site.operand_types.push(Some("int".to_owned()));
    site.operand_literals.push(ClaimLiteral::Int(value));
    site
}
