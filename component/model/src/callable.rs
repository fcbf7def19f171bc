//! Project functions passed as arguments.

use crate::{Tree, TreeError};

/// A literal within a callable's body.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "json",
    serde(try_from = "crate::json::ScalarJson", into = "crate::json::ScalarJson")
)]
pub enum ScalarLiteral {
    /// `None`.
    None,
    /// An integer.
    Int(i64),
    /// A finite float.
    Float(f64),
    /// `True` or `False`.
    Bool(bool),
    /// A string.
    Str(String),
}

/// What a body node is: a closed grammar.
#[derive(Clone, Debug, PartialEq)]
pub enum BodyKind {
    /// A read of the parameter at `index`.
    Param {
        /// Its position in the signature.
        index: u32,
        /// Its name.
        name: String,
    },
    /// A literal.
    Literal(ScalarLiteral),
    /// `row.name`; the child is the row.
    Field(String),
    /// `row["name"]`; the child is the row.
    Subscript(String),
    /// A unary operator over one child.
    Unary(String),
    /// A binary operator over two children.
    Binop(String),
    /// `and` or `or` over two or more children.
    Boolop(String),
    /// A comparison: one operator fewer than children.
    Compare(Vec<String>),
    /// A conditional expression; the children are test, then, otherwise.
    Cond,
    /// A call of the named function over its arguments.
    Call(String),
}

/// One node of a callable's body, with its children.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "json",
    serde(try_from = "crate::json::BodyJson", into = "crate::json::BodyJson")
)]
pub struct BodyExpr {
    /// What it is.
    pub kind: BodyKind,
    /// The type of its value.
    pub result_type: Option<String>,
    /// Its operands in order.
    pub children: Vec<BodyExpr>,
}

impl BodyExpr {
    /// Checks that a node of this kind can have `found` children.
    ///
    /// # Errors
    ///
    /// [`TreeError::Arity`] where it cannot.
    pub fn check_arity(&self, found: usize) -> Result<(), TreeError> {
        let (kind, fits) = match &self.kind {
            BodyKind::Param { .. } => ("param", found == 0),
            BodyKind::Literal(_) => ("literal", found == 0),
            BodyKind::Field(_) => ("field", found == 1),
            BodyKind::Subscript(_) => ("subscript", found == 1),
            BodyKind::Unary(_) => ("unary", found == 1),
            BodyKind::Binop(_) => ("binop", found == 2),
            BodyKind::Boolop(_) => ("boolop", found >= 2),
            BodyKind::Compare(ops) => ("compare", !ops.is_empty() && found == ops.len() + 1),
            BodyKind::Cond => ("cond", found == 3),
            BodyKind::Call(_) => ("call", true),
        };
        if fits {
            Ok(())
        } else {
            Err(TreeError::Arity { kind, found })
        }
    }
}

impl Tree for BodyExpr {
    fn children(&self) -> &[Self] {
        &self.children
    }
    fn children_mut(&mut self) -> &mut Vec<Self> {
        &mut self.children
    }
}

/// The body of a callable, if core could close over it.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "json",
    serde(
        try_from = "crate::json::CallableBodyJson",
        into = "crate::json::CallableBodyJson"
    )
)]
pub enum CallableBody {
    /// The body as one expression.
    Available(BodyExpr),
    /// Why there is none, where core says so.
    Unavailable(Option<String>),
}

/// One parameter of a callable.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "json", serde(deny_unknown_fields))]
pub struct CallableParam {
    /// Its name.
    pub name: String,
    /// Its type key.
    pub param_type: Option<String>,
}

/// A project function passed as an argument.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "json", serde(deny_unknown_fields))]
pub struct Callable {
    /// Its place among the arguments; keywords follow the positional ones.
    pub arg_index: u32,
    /// Its qualified name.
    pub qualname: String,
    /// Its parameters in order.
    pub params: Vec<CallableParam>,
    /// The type key of its result.
    pub return_type: Option<String>,
    /// Whether it is itself a native function.
    pub accepts_native: bool,
    /// Whether it runs through core's runtime shim.
    pub runtime_semantics: bool,
    /// Its Rust symbol, known only at `lower`.
    pub native_symbol: Option<String>,
    /// Its body.
    pub body: CallableBody,
    /// The keyword it was passed as; empty for a positional argument.
    #[cfg_attr(
        feature = "json",
        serde(default, skip_serializing_if = "String::is_empty")
    )]
    pub keyword: String,
}
