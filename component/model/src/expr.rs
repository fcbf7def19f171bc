//! A site's expression as a tree.

use crate::{ClaimLiteral, KeywordArg, Tree, TreeError};

/// What a leaf of an expression is in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "json", serde(rename_all = "snake_case"))]
pub enum LeafKind {
    /// A plain local name: reading it twice is the same as once.
    Name,
    /// Anything else that is not a literal.
    Opaque,
}

/// What an expression node is.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// A value that core renders.
    Leaf {
        /// Its place among the leaf operands that `lower` gets.
        index: u32,
        /// What it is in the source.
        kind: LeafKind,
    },
    /// A static literal.
    Literal(ClaimLiteral),
    /// A call; the children are its positional arguments.
    Call {
        /// The keyword arguments in order.
        keywords: Vec<KeywordArg>,
    },
    /// A binary operator; the children are its two operands.
    Binop,
}

/// One node of a site's expression, with its children.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "json",
    serde(try_from = "crate::json::ExprJson", into = "crate::json::ExprJson")
)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// A call's dotted name or an operator's symbol; empty otherwise.
    pub target: String,
    /// The type key of its value.
    pub result_type: Option<String>,
    /// The operands of an operator, the positional arguments of a call.
    pub children: Vec<Expr>,
}

impl Expr {
    /// A leaf: a plain local name where `kind` says so.
    #[must_use]
    pub fn leaf(index: u32, kind: LeafKind, result_type: Option<&str>) -> Self {
        Self {
            kind: ExprKind::Leaf { index, kind },
            target: String::new(),
            result_type: result_type.map(str::to_owned),
            children: Vec::new(),
        }
    }

    /// The operator applied to two operands.
    #[must_use]
    pub fn binop(symbol: &str, left: Self, right: Self, result_type: Option<&str>) -> Self {
        Self {
            kind: ExprKind::Binop,
            target: symbol.to_owned(),
            result_type: result_type.map(str::to_owned),
            children: vec![left, right],
        }
    }

    /// The two operands of a binary operator.
    #[must_use]
    pub fn operands(&self) -> Option<(&Self, &Self)> {
        match (&self.kind, self.children.as_slice()) {
            (ExprKind::Binop, [left, right]) => Some((left, right)),
            _ => None,
        }
    }

    /// Checks that a node of this kind can have `found` children.
    ///
    /// # Errors
    ///
    /// [`TreeError::Arity`] where it cannot.
    pub fn check_arity(&self, found: usize) -> Result<(), TreeError> {
        let (kind, fits) = match &self.kind {
            ExprKind::Leaf { .. } => ("leaf", found == 0),
            ExprKind::Literal(_) => ("literal", found == 0),
            ExprKind::Call { .. } => ("call", true),
            ExprKind::Binop => ("binop", found == 2),
        };
        if fits {
            Ok(())
        } else {
            Err(TreeError::Arity { kind, found })
        }
    }
}

impl Tree for Expr {
    fn children(&self) -> &[Self] {
        &self.children
    }
    fn children_mut(&mut self) -> &mut Vec<Self> {
        &mut self.children
    }
}
