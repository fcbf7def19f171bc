//! The operands of a site: their types, and their rendered text as arguments of
//! a function of the runtime.

use std::iter;

use crate::{ClaimSite, Operands};

/// The type keys of a site's operands, the receiver's before the others.
pub fn operand_types(site: &ClaimSite) -> impl Iterator<Item = Option<&str>> {
    let receiver = site.receiver.iter().map(|receiver| &receiver.arg_type);
    iter::chain(receiver, &site.operand_types).map(Option::as_deref)
}

impl<'a> Operands<'a> {
    /// The receiver, where there is one, and then the others.
    pub fn in_order(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let values = self.values;
        iter::chain(self.receiver, values.iter().map(String::as_str))
    }

    /// All of them as arguments, the receiver first: each an [`argument`], and a
    /// temporary receiver given away.
    #[must_use]
    pub fn arguments(&self) -> String {
        let receiver = self.receiver.map(|receiver| {
            if self.receiver_is_temporary {
                receiver.to_owned()
            } else {
                argument(receiver)
            }
        });
        let values = self.values.iter().map(|value| argument(value));
        iter::chain(receiver, values).collect::<Vec<_>>().join(", ")
    }
}

/// An operand by reference. A plain name stays usable afterwards.
#[must_use]
pub fn borrow(operand: &str) -> String {
    let plain = operand
        .chars()
        .all(|c| c.is_alphanumeric() || matches!(c, '_' | '#'));
    if plain || (operand.starts_with('(') && operand.ends_with(')')) {
        format!("&{operand}")
    } else {
        format!("&({operand})")
    }
}

/// An operand as an argument of an operation that takes values and references
/// alike. A name or another place is lent. The value of a call or a block has no
/// other owner here, so it is given away: it is freed as soon as the operation is
/// done with it, not at the end of the statement, and the operation may write its
/// result into it, once it has seen that nobody else refers to the memory.
#[must_use]
pub fn argument(operand: &str) -> String {
    let value = without_parentheses(operand);
    if value.ends_with(['?', ')', '}']) && !value.starts_with(['*', '&']) {
        value.to_owned()
    } else {
        borrow(operand)
    }
}

/// `text` without the pair of parentheses around all of it, about which rustc
/// warns in an argument. Text that quotes may hold unpaired ones and is left
/// alone.
fn without_parentheses(text: &str) -> &str {
    let Some(inner) = text
        .strip_prefix('(')
        .and_then(|text| text.strip_suffix(')'))
    else {
        return text;
    };
    let mut depth = 0_usize;
    for character in inner.chars() {
        match character {
            '(' => depth += 1,
            // The first parenthesis ends here, before the text does.
            ')' if depth == 0 => return text,
            ')' => depth -= 1,
            '"' | '\'' => return text,
            _ => {}
        }
    }
    inner
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sites::method;

    #[test]
    fn operands_are_borrowed_and_expressions_kept_whole() {
        assert_eq!(borrow("a"), "&a");
        assert_eq!(borrow("r#type"), "&r#type");
        assert_eq!(borrow("(f(&a)?)"), "&(f(&a)?)");
        assert_eq!(borrow("f(&a)?"), "&(f(&a)?)");
    }

    #[test]
    fn values_are_given_away_and_places_lent() {
        for (operand, expected) in [
            ("a", "&a"),
            ("(a)", "&(a)"),
            ("r#type", "&r#type"),
            ("self.a", "&(self.a)"),
            ("*(a)", "&(*(a))"),
            ("a.clone()", "a.clone()"),
            ("f(&a)?", "f(&a)?"),
            ("(f(&a)?)", "f(&a)?"),
            ("(f(g(&a)?, (1.0))?)", "f(g(&a)?, (1.0))?"),
            ("(a).f(b)", "(a).f(b)"),
            ("(f)(a)", "(f)(a)"),
            ("{ a = f(&b)?; a.clone() }", "{ a = f(&b)?; a.clone() }"),
            (
                r#"(a.clone().ok_or_else(|| e("("))?)"#,
                r#"(a.clone().ok_or_else(|| e("("))?)"#,
            ),
        ] {
            assert_eq!(argument(operand), expected);
        }
    }

    #[test]
    fn the_receiver_comes_first() {
        let site = method("m", "demo/a", &["demo/b"]);
        assert!(operand_types(&site).eq([Some("demo/a"), Some("demo/b")]));

        let values = ["b".to_owned(), "f(&c)?".to_owned()];
        let mut operands = Operands {
            values: &values,
            receiver: Some("a"),
            receiver_is_temporary: false,
        };
        assert!(operands.in_order().eq(["a", "b", "f(&c)?"]));
        assert_eq!(operands.arguments(), "&a, &b, f(&c)?");
        operands.receiver_is_temporary = true;
        assert_eq!(operands.arguments(), "a, &b, f(&c)?");
        operands.receiver = None;
        assert!(operands.in_order().eq(["b", "f(&c)?"]));
        assert_eq!(operands.arguments(), "&b, f(&c)?");
    }
}
