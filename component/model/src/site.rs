//! What core offers a plugin.

use crate::{Callable, Expr};

/// The kind of a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "json", serde(rename_all = "snake_case"))]
pub enum SiteKind {
    /// A call; the target is its dotted name.
    Call,
    /// A binary operator; the target is its symbol.
    Binop,
    /// A comparison that is not chained; the target is its symbol.
    Compare,
}

impl SiteKind {
    /// Core's own word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::Binop => "binop",
            Self::Compare => "compare",
        }
    }
}

/// What is statically known of an argument's value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "json",
    serde(
        try_from = "crate::json::LiteralJson",
        into = "crate::json::LiteralJson"
    )
)]
pub enum ClaimLiteral {
    /// Not a literal that core reads.
    #[default]
    NonLiteral,
    /// The literal `None`.
    None,
    /// An integer.
    Int(i64),
    /// A tuple of integers.
    IntTuple(Vec<i64>),
    /// `True` or `False`.
    Bool(bool),
    /// A string.
    Str(String),
}

impl ClaimLiteral {
    /// Whether it is a literal at all.
    #[must_use]
    pub fn is_literal(&self) -> bool {
        *self != Self::NonLiteral
    }

    /// Whether a value of the given type can be this literal. A value that is
    /// not a literal can be of any type.
    #[must_use]
    pub fn fits(&self, type_key: Option<&str>) -> bool {
        match self {
            Self::NonLiteral => true,
            Self::None => matches!(type_key, None | Some("None")),
            Self::IntTuple(_) => type_key.is_none_or(|key| key.starts_with("tuple")),
            Self::Int(_) => type_key == Some("int"),
            Self::Bool(_) => type_key == Some("bool"),
            Self::Str(_) => type_key == Some("str"),
        }
    }
}

/// One keyword argument of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "json", serde(deny_unknown_fields))]
pub struct KeywordArg {
    /// Its name.
    pub name: String,
    /// The type key of its value.
    pub arg_type: Option<String>,
    /// What is known of its value.
    pub literal: ClaimLiteral,
}

/// One field of a declared schema.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "json", serde(deny_unknown_fields))]
pub struct SchemaField {
    /// Its name, unique within the schema.
    pub name: String,
    /// Its type key.
    pub field_type: String,
}

/// A declared schema.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "json", serde(deny_unknown_fields))]
pub struct Schema {
    /// The dotted name of the declaring class.
    pub identity: String,
    /// Its fields in order.
    pub fields: Vec<SchemaField>,
}

/// What a method's receiver is in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "json", serde(rename_all = "snake_case"))]
pub enum ReceiverKind {
    /// A plain local name, the only kind that is safe to read twice.
    Name,
    /// An attribute.
    Attribute,
    /// A subscript.
    Subscript,
    /// A call.
    Call,
    /// Anything else.
    Opaque,
}

/// The receiver of a method call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "json",
    serde(
        try_from = "crate::json::ReceiverJson",
        into = "crate::json::ReceiverJson"
    )
)]
pub struct Receiver {
    /// Its type key.
    pub arg_type: Option<String>,
    /// What it is in the source.
    pub expr_kind: ReceiverKind,
    /// Its declared schema.
    pub schema: Option<Schema>,
}

/// One construct that core offers a plugin.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "json", serde(deny_unknown_fields))]
pub struct ClaimSite {
    /// Its kind.
    pub kind: SiteKind,
    /// A dotted call target or an operator symbol.
    pub target: String,
    /// The type keys of the operands in positional order.
    pub operand_types: Vec<Option<String>>,
    /// At `lower`, the rule that claimed it.
    #[cfg_attr(
        feature = "json",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub rule_id: Option<String>,
    /// At `lower`, the type it was claimed to produce.
    #[cfg_attr(
        feature = "json",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub result_type: Option<String>,
    /// What is known of the operands' values: empty, or one an operand.
    #[cfg_attr(
        feature = "json",
        serde(default, skip_serializing_if = "Vec::is_empty")
    )]
    pub operand_literals: Vec<ClaimLiteral>,
    /// The keyword arguments in order.
    #[cfg_attr(
        feature = "json",
        serde(default, skip_serializing_if = "Vec::is_empty")
    )]
    pub keywords: Vec<KeywordArg>,
    /// The site as a tree, where core can build it.
    #[cfg_attr(
        feature = "json",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub expression: Option<Expr>,
    /// The receiver of a method call.
    #[cfg_attr(
        feature = "json",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub receiver: Option<Receiver>,
    /// Arguments that are project functions.
    #[cfg_attr(
        feature = "json",
        serde(default, skip_serializing_if = "Vec::is_empty")
    )]
    pub callables: Vec<Callable>,
}

impl ClaimSite {
    /// A site with operands of the given types and nothing else.
    #[must_use]
    pub fn new(kind: SiteKind, target: &str, operand_types: &[Option<&str>]) -> Self {
        Self {
            kind,
            target: target.to_owned(),
            operand_types: operand_types
                .iter()
                .map(|key| key.map(str::to_owned))
                .collect(),
            rule_id: None,
            result_type: None,
            operand_literals: vec![ClaimLiteral::NonLiteral; operand_types.len()],
            keywords: Vec::new(),
            expression: None,
            receiver: None,
            callables: Vec::new(),
        }
    }
}
