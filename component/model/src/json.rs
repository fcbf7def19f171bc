//! The JSON shapes of core's `to_dict()` where they differ from the types.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    BodyExpr, BodyKind, BoundaryConversion, CallableBody, ClaimLiteral, DeviceValueMetadata, Expr,
    ExprKind, KeywordArg, LeafKind, PluginType, Receiver, ReceiverKind, ScalarLiteral, Schema,
};

fn is_false(value: &bool) -> bool {
    !value
}

/// `ClaimLiteral.to_dict()`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LiteralJson {
    is_literal: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    value_kind: Option<String>,
    // `None` is a value of its own here: present for every literal.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "present"
    )]
    value: Option<Value>,
}

fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

impl From<ClaimLiteral> for LiteralJson {
    fn from(literal: ClaimLiteral) -> Self {
        let (kind, value) = match literal {
            ClaimLiteral::NonLiteral => {
                return Self {
                    is_literal: false,
                    value_kind: None,
                    value: None,
                };
            }
            ClaimLiteral::None => ("none", Value::Null),
            ClaimLiteral::Int(value) => ("int", value.into()),
            ClaimLiteral::IntTuple(values) => ("int_tuple", values.into()),
            ClaimLiteral::Bool(value) => ("bool", value.into()),
            ClaimLiteral::Str(value) => ("str", value.into()),
        };
        Self {
            is_literal: true,
            value_kind: Some(kind.to_owned()),
            value: Some(value),
        }
    }
}

impl TryFrom<LiteralJson> for ClaimLiteral {
    type Error = String;

    fn try_from(json: LiteralJson) -> Result<Self, String> {
        if !json.is_literal {
            return Ok(Self::NonLiteral);
        }
        let value = json.value.unwrap_or(Value::Null);
        let kind = json.value_kind.unwrap_or_default();
        let bad = || format!("a literal of kind {kind:?} cannot have the value {value}");
        match kind.as_str() {
            "none" if value.is_null() => Ok(Self::None),
            "int" => value.as_i64().map(Self::Int).ok_or_else(bad),
            "bool" => value.as_bool().map(Self::Bool).ok_or_else(bad),
            "str" => value
                .as_str()
                .map(|text| Self::Str(text.to_owned()))
                .ok_or_else(bad),
            "int_tuple" => value
                .as_array()
                .and_then(|items| items.iter().map(Value::as_i64).collect())
                .map(Self::IntTuple)
                .ok_or_else(bad),
            _ => Err(bad()),
        }
    }
}

/// `ClaimExpr.to_dict()`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExprJson {
    kind: String,
    target: String,
    result_type: Option<String>,
    children: Vec<Expr>,
    keywords: Vec<KeywordArg>,
    literal: ClaimLiteral,
    leaf_index: Option<u32>,
    leaf_kind: Option<LeafKind>,
}

impl From<Expr> for ExprJson {
    fn from(expr: Expr) -> Self {
        let mut json = Self {
            kind: String::new(),
            target: expr.target,
            result_type: expr.result_type,
            children: expr.children,
            keywords: Vec::new(),
            literal: ClaimLiteral::NonLiteral,
            leaf_index: None,
            leaf_kind: None,
        };
        let kind = match expr.kind {
            ExprKind::Leaf { index, kind } => {
                (json.leaf_index, json.leaf_kind) = (Some(index), Some(kind));
                "leaf"
            }
            ExprKind::Literal(literal) => {
                json.literal = literal;
                "literal"
            }
            ExprKind::Call { keywords } => {
                json.keywords = keywords;
                "call"
            }
            ExprKind::Binop => "binop",
        };
        kind.clone_into(&mut json.kind);
        json
    }
}

impl TryFrom<ExprJson> for Expr {
    type Error = String;

    fn try_from(json: ExprJson) -> Result<Self, String> {
        let kind = match (json.kind.as_str(), json.leaf_index, json.leaf_kind) {
            ("leaf", Some(index), Some(kind)) => ExprKind::Leaf { index, kind },
            ("literal", None, None) if json.literal.is_literal() => ExprKind::Literal(json.literal),
            ("call", None, None) => ExprKind::Call {
                keywords: json.keywords,
            },
            ("binop", None, None) => ExprKind::Binop,
            (kind, ..) => return Err(format!("not an expression node of kind {kind:?}")),
        };
        let expr = Self {
            kind,
            target: json.target,
            result_type: json.result_type,
            children: json.children,
        };
        expr.check_arity(expr.children.len())
            .map_err(|error| error.to_string())?;
        Ok(expr)
    }
}

/// `ReceiverMeta.to_dict()`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReceiverJson {
    arg_type: Option<String>,
    expr_kind: ReceiverKind,
    is_safe: bool,
    schema: Option<Schema>,
}

impl From<Receiver> for ReceiverJson {
    fn from(receiver: Receiver) -> Self {
        Self {
            arg_type: receiver.arg_type,
            is_safe: receiver.expr_kind == ReceiverKind::Name,
            expr_kind: receiver.expr_kind,
            schema: receiver.schema,
        }
    }
}

impl TryFrom<ReceiverJson> for Receiver {
    type Error = String;

    fn try_from(json: ReceiverJson) -> Result<Self, String> {
        if json.is_safe != (json.expr_kind == ReceiverKind::Name) {
            return Err("a receiver is safe exactly when it is a plain name".to_owned());
        }
        Ok(Self {
            arg_type: json.arg_type,
            expr_kind: json.expr_kind,
            schema: json.schema,
        })
    }
}

/// `ScalarLiteral.to_dict()`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScalarJson {
    kind: String,
    value: Value,
}

impl From<ScalarLiteral> for ScalarJson {
    fn from(literal: ScalarLiteral) -> Self {
        let (kind, value) = match literal {
            ScalarLiteral::None => ("none", Value::Null),
            ScalarLiteral::Int(value) => ("int", value.into()),
            ScalarLiteral::Float(value) => ("float", value.into()),
            ScalarLiteral::Bool(value) => ("bool", value.into()),
            ScalarLiteral::Str(value) => ("str", value.into()),
        };
        Self {
            kind: kind.to_owned(),
            value,
        }
    }
}

impl TryFrom<ScalarJson> for ScalarLiteral {
    type Error = String;

    fn try_from(ScalarJson { kind, value }: ScalarJson) -> Result<Self, String> {
        let bad = || format!("a scalar of kind {kind:?} cannot have the value {value}");
        match kind.as_str() {
            "none" if value.is_null() => Ok(Self::None),
            "int" => value.as_i64().map(Self::Int).ok_or_else(bad),
            "float" => value.as_f64().map(Self::Float).ok_or_else(bad),
            "bool" => value.as_bool().map(Self::Bool).ok_or_else(bad),
            "str" => value
                .as_str()
                .map(|text| Self::Str(text.to_owned()))
                .ok_or_else(bad),
            _ => Err(bad()),
        }
    }
}

/// `CallableBodyExpr.to_dict()`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BodyJson {
    kind: String,
    result_type: Option<String>,
    name: String,
    op: String,
    ops: Vec<String>,
    target: String,
    param_index: Option<u32>,
    literal: Option<ScalarLiteral>,
    children: Vec<BodyExpr>,
}

impl From<BodyExpr> for BodyJson {
    fn from(body: BodyExpr) -> Self {
        let mut json = Self {
            kind: String::new(),
            result_type: body.result_type,
            name: String::new(),
            op: String::new(),
            ops: Vec::new(),
            target: String::new(),
            param_index: None,
            literal: None,
            children: body.children,
        };
        let kind = match body.kind {
            BodyKind::Param { index, name } => {
                (json.param_index, json.name) = (Some(index), name);
                "param"
            }
            BodyKind::Literal(literal) => {
                json.literal = Some(literal);
                "literal"
            }
            BodyKind::Field(name) => {
                json.name = name;
                "field"
            }
            BodyKind::Subscript(name) => {
                json.name = name;
                "subscript"
            }
            BodyKind::Unary(op) => {
                json.op = op;
                "unary"
            }
            BodyKind::Binop(op) => {
                json.op = op;
                "binop"
            }
            BodyKind::Boolop(op) => {
                json.op = op;
                "boolop"
            }
            BodyKind::Compare(ops) => {
                json.ops = ops;
                "compare"
            }
            BodyKind::Cond => "cond",
            BodyKind::Call(target) => {
                json.target = target;
                "call"
            }
        };
        kind.clone_into(&mut json.kind);
        json
    }
}

impl TryFrom<BodyJson> for BodyExpr {
    type Error = String;

    fn try_from(json: BodyJson) -> Result<Self, String> {
        let kind = match (json.kind.as_str(), json.param_index, json.literal) {
            ("param", Some(index), None) => BodyKind::Param {
                index,
                name: json.name,
            },
            ("literal", None, Some(literal)) => BodyKind::Literal(literal),
            ("field", None, None) => BodyKind::Field(json.name),
            ("subscript", None, None) => BodyKind::Subscript(json.name),
            ("unary", None, None) => BodyKind::Unary(json.op),
            ("binop", None, None) => BodyKind::Binop(json.op),
            ("boolop", None, None) => BodyKind::Boolop(json.op),
            ("compare", None, None) => BodyKind::Compare(json.ops),
            ("cond", None, None) => BodyKind::Cond,
            ("call", None, None) => BodyKind::Call(json.target),
            (kind, ..) => return Err(format!("not a body node of kind {kind:?}")),
        };
        let body = Self {
            kind,
            result_type: json.result_type,
            children: json.children,
        };
        body.check_arity(body.children.len())
            .map_err(|error| error.to_string())?;
        Ok(body)
    }
}

/// `CallableBody.to_dict()`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallableBodyJson {
    available: bool,
    unavailable_reason: Option<String>,
    expression: Option<BodyExpr>,
}

impl From<CallableBody> for CallableBodyJson {
    fn from(body: CallableBody) -> Self {
        match body {
            CallableBody::Available(expression) => Self {
                available: true,
                unavailable_reason: None,
                expression: Some(expression),
            },
            CallableBody::Unavailable(unavailable_reason) => Self {
                available: false,
                unavailable_reason,
                expression: None,
            },
        }
    }
}

impl TryFrom<CallableBodyJson> for CallableBody {
    type Error = String;

    fn try_from(json: CallableBodyJson) -> Result<Self, String> {
        match (json.available, json.expression, json.unavailable_reason) {
            (true, Some(expression), None) => Ok(Self::Available(expression)),
            (false, None, reason) => Ok(Self::Unavailable(reason)),
            _ => Err("a callable body contradicts itself".to_owned()),
        }
    }
}

/// `PluginType.to_dict()`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PluginTypeJson {
    key: String,
    annotations: Vec<String>,
    rust_type: String,
    #[serde(default, skip_serializing_if = "is_false")]
    resident: bool,
    conversion: Option<BoundaryConversion>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    uses: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    helpers: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    device_value_metadata: Option<DeviceValueMetadata>,
}

impl From<PluginType> for PluginTypeJson {
    fn from(value: PluginType) -> Self {
        Self {
            key: value.key,
            annotations: value.annotations,
            rust_type: value.rust_type,
            resident: value.conversion.is_none(),
            conversion: value.conversion,
            uses: value.uses,
            helpers: value.helpers,
            device_value_metadata: value.device_value_metadata,
        }
    }
}

impl TryFrom<PluginTypeJson> for PluginType {
    type Error = String;

    fn try_from(json: PluginTypeJson) -> Result<Self, String> {
        if json.resident != json.conversion.is_none() {
            return Err("a type is resident exactly when it has no conversion".to_owned());
        }
        Ok(Self {
            key: json.key,
            annotations: json.annotations,
            rust_type: json.rust_type,
            conversion: json.conversion,
            uses: json.uses,
            helpers: json.helpers,
            device_value_metadata: json.device_value_metadata,
        })
    }
}

/// Pairs as a JSON object.
pub mod pairs {
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serializer};
    use serde_json::{Map, Value};

    use crate::Pairs;

    pub(super) fn object(pairs: &Pairs) -> Map<String, Value> {
        pairs
            .iter()
            .map(|(key, value)| (key.clone(), value.clone().into()))
            .collect()
    }

    pub(super) fn list(object: Map<String, Value>) -> Result<Pairs, String> {
        object
            .into_iter()
            .map(|(key, value)| match value {
                Value::String(value) => Ok((key, value)),
                other => Err(format!("the value of {key:?} is not a string: {other}")),
            })
            .collect()
    }

    /// Writes the object.
    pub fn serialize<S: Serializer>(pairs: &Pairs, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(object(pairs))
    }

    /// Reads the object.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Pairs, D::Error> {
        list(Map::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

/// Optional pairs as a JSON object.
pub mod optional_pairs {
    use serde::{Deserializer, Serializer};

    use super::pairs;
    use crate::Pairs;

    /// Writes the object; absence is the caller's to skip.
    pub fn serialize<S: Serializer>(
        value: &Option<Pairs>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match value {
            Some(value) => pairs::serialize(value, serializer),
            None => serializer.serialize_none(),
        }
    }

    /// Reads the object.
    pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Option<Pairs>, D::Error> {
        pairs::deserialize(d).map(Some)
    }
}

/// A list of pairs as a list of JSON objects.
pub mod pairs_list {
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serializer};
    use serde_json::{Map, Value};

    use super::pairs;
    use crate::Pairs;

    /// Writes the list.
    pub fn serialize<S: Serializer>(value: &[Pairs], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(value.iter().map(pairs::object))
    }

    /// Reads the list.
    pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Vec<Pairs>, D::Error> {
        Vec::<Map<String, Value>>::deserialize(d)?
            .into_iter()
            .map(pairs::list)
            .collect::<Result<_, _>>()
            .map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ClaimSite;

    fn round_trip(text: &str) {
        let site: ClaimSite = serde_json::from_str(text).unwrap();
        let again = serde_json::to_value(site).unwrap();
        assert_eq!(again, serde_json::from_str::<Value>(text).unwrap());
    }

    #[test]
    fn a_site_keeps_the_shape_of_to_dict() {
        round_trip(
            r#"{"kind":"call","target":"a.sum","operand_types":["int",null],
                "operand_literals":[{"is_literal":true,"value_kind":"int","value":-1},{"is_literal":false}],
                "keywords":[{"name":"axis","arg_type":null,
                    "literal":{"is_literal":true,"value_kind":"none","value":null}}],
                "receiver":{"arg_type":"p/a","expr_kind":"name","is_safe":true,"schema":null},
                "expression":{"kind":"call","target":"a.sum","result_type":null,"keywords":[],
                    "literal":{"is_literal":false},"leaf_index":null,"leaf_kind":null,
                    "children":[{"kind":"leaf","target":"","result_type":"int","children":[],"keywords":[],
                        "literal":{"is_literal":false},"leaf_index":0,"leaf_kind":"opaque"}]},
                "callables":[{"arg_index":1,"qualname":"m.f","params":[{"name":"x","param_type":"float"}],
                    "return_type":"float","accepts_native":true,"runtime_semantics":false,
                    "native_symbol":null,"body":{"available":true,"unavailable_reason":null,
                    "expression":{"kind":"binop","result_type":"float","name":"","op":"*","ops":[],
                        "target":"","param_index":null,"literal":null,"children":[
                        {"kind":"param","result_type":"float","name":"x","op":"","ops":[],"target":"",
                         "param_index":0,"literal":null,"children":[]},
                        {"kind":"literal","result_type":"float","name":"","op":"","ops":[],"target":"",
                         "param_index":null,"literal":{"kind":"float","value":2.5},"children":[]}]}}}]}"#,
        );
    }

    #[test]
    fn contradictions_are_refused() {
        let refused = |text: &str| {
            serde_json::from_str::<ClaimSite>(text)
                .unwrap_err()
                .to_string()
        };
        let site = |literal: &str| {
            format!(
                r#"{{"kind":"binop","target":"+","operand_types":["int"],"operand_literals":[{literal}]}}"#
            )
        };
        let text = site(r#"{"is_literal":true,"value_kind":"int","value":18446744073709551616}"#);
        assert!(
            refused(&text).contains("cannot have the value"),
            "{}",
            refused(&text)
        );
        let text = site(r#"{"is_literal":true,"value_kind":"complex","value":1}"#);
        assert!(refused(&text).contains("complex"), "{}", refused(&text));
        assert!(refused(r#"{"kind":"loop","target":"+","operand_types":[]}"#).contains("loop"));
        assert!(
            refused(r#"{"kind":"call","target":"f","operand_types":[],"colour":1}"#)
                .contains("colour")
        );
    }
}
