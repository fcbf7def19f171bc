//! Rendered operands as arguments of a function of the runtime.

use std::iter;

use crate::Operands;

impl<'a> Operands<'a> {
    /// The receiver, where there is one, and then the others.
    pub fn in_order(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let values = self.values;
        iter::chain(self.receiver, values.iter().map(String::as_str))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_are_borrowed_and_expressions_kept_whole() {
        assert_eq!(borrow("a"), "&a");
        assert_eq!(borrow("r#type"), "&r#type");
        assert_eq!(borrow("(f(&a)?)"), "&(f(&a)?)");
        assert_eq!(borrow("f(&a)?"), "&(f(&a)?)");
    }

    #[test]
    fn the_receiver_comes_first() {
        let values = ["b".to_owned(), "c".to_owned()];
        let mut operands = Operands {
            values: &values,
            receiver: Some("a"),
        };
        assert!(operands.in_order().eq(["a", "b", "c"]));
        operands.receiver = None;
        assert!(operands.in_order().eq(["b", "c"]));
    }
}
