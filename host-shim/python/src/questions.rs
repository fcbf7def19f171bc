//! From core's objects to the values a plugin is asked with.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyString, PyTuple};
use rextio_wasm_host::model::{
    ArtifactKind, ArtifactProfile, ArtifactProvenance, Backend, BodyExpr, BodyKind, Callable,
    CallableBody, CallableParam, ClaimLiteral, ClaimSite, DeviceAuthorization, DeviceRequirement,
    Expr, ExprKind, FallbackStrategy, FunctionScopeContext, KeywordArg, LeafKind, LoweringContext,
    MAX_DEPTH, Receiver, ReceiverKind, Requirement, ScalarLiteral, Schema, SchemaField, SiteKind,
};

use crate::core::Core;
use crate::records::{Unreadable, record};

type Read<T> = Result<T, Unreadable>;
type Field<'py> = Option<Bound<'py, PyAny>>;

record!(ClaimSiteRecord {
    kind, target, operand_types, rule_id, result_type, operand_literals, keywords, expression,
    receiver, callables,
} ignoring { file_path, line, column });
record!(ClaimLiteralRecord { is_literal, value } ignoring { _value_kind });
record!(KeywordArgRecord { name, arg_type, literal } ignoring {});
record!(ClaimExprRecord {
    kind, target, result_type, children, keywords, literal, leaf_index, leaf_kind,
} ignoring {});
record!(ReceiverMetaRecord { arg_type, expr_kind, schema } ignoring { is_safe });
record!(SchemaMetaRecord { identity, fields } ignoring {});
record!(SchemaFieldRecord { name, field_type } ignoring {});
record!(CallableMetaRecord {
    arg_index, qualname, params, return_type, accepts_native, runtime_semantics, native_symbol,
    body, keyword,
} ignoring {});
record!(CallableParamRecord { name, param_type } ignoring {});
record!(CallableBodyRecord { available, unavailable_reason, expression } ignoring {});
record!(CallableBodyExprRecord {
    kind, result_type, name, op, ops, target, param_index, literal, children,
} ignoring {});
record!(ScalarLiteralRecord { kind, value } ignoring {});
record!(LoweringContextRecord {
    operands, target_language, leaf_operands, receiver, backend, artifact_profile,
    device_authorization, function_scope_guard_active,
} ignoring { fresh_name });
record!(ArtifactProfileRecord {
    kind, target_triple, packaging_backend, fallback, python_fallback_backend, abi_requirements,
    runtime_requirements, device_requirements, provenance,
} ignoring {});
record!(RequirementRecord { name, version, features } ignoring {});
record!(DeviceRequirementRecord {
    logical_device, backend, runtime, features, layouts, memory_spaces, architectures,
    reuse_domain_runtime,
} ignoring {});
record!(ArtifactProvenanceRecord { producer, source_references, evidence } ignoring {});
record!(DeviceAuthorizationRecord {
    provider_id, capability_id, logical_device, backend, runtime, reuse_domain_runtime, features,
    layouts, memory_spaces, artifact_profile_sha256,
} ignoring {});
record!(FunctionScopeRecord {
    function_qualname, used_rule_ids, used_type_keys, backend, artifact_profile,
    has_python_boundary_calls,
} ignoring {});

/// A claim site.
pub(crate) fn site(core: &Core, object: &Bound<'_, PyAny>) -> Read<ClaimSite> {
    let record = ClaimSiteRecord::read(object)?;
    Ok(ClaimSite {
        kind: word(&record.kind()?, "a site of kind", |kind| match kind {
            "call" => Some(SiteKind::Call),
            "binop" => Some(SiteKind::Binop),
            "compare" => Some(SiteKind::Compare),
            _ => None,
        })?,
        target: text(&record.target()?)?,
        operand_types: list(&record.operand_types()?, |item| optional_text(Some(item)))?,
        rule_id: optional_text(record.rule_id()?.as_ref())?,
        result_type: optional_text(record.result_type()?.as_ref())?,
        operand_literals: list(&record.operand_literals()?, |item| literal(core, item))?,
        keywords: list(&record.keywords()?, |item| keyword(core, item))?,
        expression: optional(&record.expression()?, |item| expression(core, item, 1))?,
        receiver: optional(&record.receiver()?, receiver)?,
        callables: list(&record.callables()?, callable)?,
    })
}

/// What `lower` may use besides the site.
pub(crate) fn lowering(object: &Bound<'_, PyAny>) -> Read<LoweringContext> {
    let record = LoweringContextRecord::read(object)?;
    Ok(LoweringContext {
        operands: list(&record.operands()?, required_text)?,
        target_language: text(&record.target_language()?)?,
        leaf_operands: list(&record.leaf_operands()?, required_text)?,
        receiver: optional_text(record.receiver()?.as_ref())?,
        backend: backend(&record.backend()?)?,
        artifact_profile: optional(&record.artifact_profile()?, profile)?,
        device_authorization: optional(&record.device_authorization()?, authorization)?,
        function_scope_guard_active: flag(&record.function_scope_guard_active()?)?,
    })
}

/// What a scope guard is asked for.
pub(crate) fn function_scope(object: &Bound<'_, PyAny>) -> Read<FunctionScopeContext> {
    let record = FunctionScopeRecord::read(object)?;
    Ok(FunctionScopeContext {
        function_qualname: text(&record.function_qualname()?)?,
        used_rule_ids: list(&record.used_rule_ids()?, required_text)?,
        used_type_keys: list(&record.used_type_keys()?, required_text)?,
        backend: backend(&record.backend()?)?,
        artifact_profile: optional(&record.artifact_profile()?, profile)?,
        has_python_boundary_calls: flag(&record.has_python_boundary_calls()?)?,
    })
}

/// One output artifact.
pub(crate) fn profile(object: &Bound<'_, PyAny>) -> Read<ArtifactProfile> {
    let record = ArtifactProfileRecord::read(object)?;
    Ok(ArtifactProfile {
        kind: word(&record.kind()?, "an artifact of kind", |kind| match kind {
            "host-extension" => Some(ArtifactKind::HostExtension),
            "host-executable" => Some(ArtifactKind::HostExecutable),
            "rust-crate" => Some(ArtifactKind::RustCrate),
            _ => None,
        })?,
        target_triple: text(&record.target_triple()?)?,
        packaging_backend: text(&record.packaging_backend()?)?,
        fallback: optional(&record.fallback()?, |item| {
            word(
                &Some(item.clone()),
                "the fallback strategy",
                |name| match name {
                    "error" => Some(FallbackStrategy::Error),
                    "python-subprocess" => Some(FallbackStrategy::PythonSubprocess),
                    "nuitka-sidecar" => Some(FallbackStrategy::NuitkaSidecar),
                    _ => None,
                },
            )
        })?,
        python_fallback_backend: optional_text(record.python_fallback_backend()?.as_ref())?,
        abi_requirements: list(&record.abi_requirements()?, requirement)?,
        runtime_requirements: list(&record.runtime_requirements()?, requirement)?,
        device_requirements: list(&record.device_requirements()?, device_requirement)?,
        provenance: provenance(&present(&record.provenance()?)?)?,
    })
}

fn requirement(object: &Bound<'_, PyAny>) -> Read<Requirement> {
    let record = RequirementRecord::read(object)?;
    Ok(Requirement {
        name: text(&record.name()?)?,
        version: optional_text(record.version()?.as_ref())?,
        features: list(&record.features()?, required_text)?,
    })
}

fn device_requirement(object: &Bound<'_, PyAny>) -> Read<DeviceRequirement> {
    let record = DeviceRequirementRecord::read(object)?;
    Ok(DeviceRequirement {
        logical_device: text(&record.logical_device()?)?,
        backend: optional_text(record.backend()?.as_ref())?,
        runtime: optional_text(record.runtime()?.as_ref())?,
        features: list(&record.features()?, required_text)?,
        layouts: list(&record.layouts()?, required_text)?,
        memory_spaces: list(&record.memory_spaces()?, required_text)?,
        architectures: list(&record.architectures()?, required_text)?,
        reuse_domain_runtime: flag(&record.reuse_domain_runtime()?)?,
    })
}

fn provenance(object: &Bound<'_, PyAny>) -> Read<ArtifactProvenance> {
    let record = ArtifactProvenanceRecord::read(object)?;
    Ok(ArtifactProvenance {
        producer: text(&record.producer()?)?,
        source_references: list(&record.source_references()?, required_text)?,
        evidence: list(&record.evidence()?, required_text)?,
    })
}

fn authorization(object: &Bound<'_, PyAny>) -> Read<DeviceAuthorization> {
    let record = DeviceAuthorizationRecord::read(object)?;
    Ok(DeviceAuthorization {
        provider_id: text(&record.provider_id()?)?,
        capability_id: text(&record.capability_id()?)?,
        logical_device: text(&record.logical_device()?)?,
        backend: text(&record.backend()?)?,
        runtime: optional_text(record.runtime()?.as_ref())?,
        reuse_domain_runtime: flag(&record.reuse_domain_runtime()?)?,
        features: list(&record.features()?, required_text)?,
        layouts: list(&record.layouts()?, required_text)?,
        memory_spaces: list(&record.memory_spaces()?, required_text)?,
        artifact_profile_sha256: text(&record.artifact_profile_sha256()?)?,
    })
}

fn backend(field: &Field<'_>) -> Read<Backend> {
    if field.is_none() {
        return Ok(Backend::Pyo3);
    }
    word(field, "the backend", |name| {
        [Backend::Pyo3, Backend::StandaloneRust]
            .into_iter()
            .find(|backend| backend.as_str() == name)
    })
}

fn literal(core: &Core, object: &Bound<'_, PyAny>) -> Read<ClaimLiteral> {
    // Core shares one object for nearly every operand.
    if core.is_non_literal(object) {
        return Ok(ClaimLiteral::NonLiteral);
    }
    let record = ClaimLiteralRecord::read(object)?;
    if !flag(&record.is_literal()?)? {
        return Ok(ClaimLiteral::NonLiteral);
    }
    let value = present(&record.value()?)?;
    if value.is_none() {
        Ok(ClaimLiteral::None)
    } else if let Ok(value) = value.cast::<PyBool>() {
        Ok(ClaimLiteral::Bool(value.is_true()))
    } else if value.is_instance_of::<PyInt>() {
        int(&value).map(ClaimLiteral::Int)
    } else if value.is_instance_of::<PyString>() {
        required_text(&value).map(ClaimLiteral::Str)
    } else if value.is_instance_of::<PyTuple>() {
        list(&Some(value), int).map(ClaimLiteral::IntTuple)
    } else {
        Err(Unreadable::Unknown(format!(
            "a literal of type {}",
            value.get_type()
        )))
    }
}

fn keyword(core: &Core, object: &Bound<'_, PyAny>) -> Read<KeywordArg> {
    let record = KeywordArgRecord::read(object)?;
    Ok(KeywordArg {
        name: text(&record.name()?)?,
        arg_type: optional_text(record.arg_type()?.as_ref())?,
        literal: literal(core, &present(&record.literal()?)?)?,
    })
}

fn expression(core: &Core, object: &Bound<'_, PyAny>, level: usize) -> Read<Expr> {
    check_depth(level)?;
    let record = ClaimExprRecord::read(object)?;
    let kind = present(&record.kind()?)?;
    let kind = match utf8(&kind)? {
        "leaf" => ExprKind::Leaf {
            index: index(&present(&record.leaf_index()?)?)?,
            kind: word(&record.leaf_kind()?, "a leaf of kind", |kind| match kind {
                "name" => Some(LeafKind::Name),
                "opaque" => Some(LeafKind::Opaque),
                _ => None,
            })?,
        },
        "literal" => ExprKind::Literal(literal(core, &present(&record.literal()?)?)?),
        "call" => ExprKind::Call {
            keywords: list(&record.keywords()?, |item| keyword(core, item))?,
        },
        "binop" => ExprKind::Binop,
        other => {
            return Err(Unreadable::Unknown(format!(
                "an expression of kind {other:?}"
            )));
        }
    };
    let result_type = optional_text(record.result_type()?.as_ref())?;
    // Core's own check: a leaf or literal has no children.
    let (target, children) = match kind {
        ExprKind::Leaf { .. } | ExprKind::Literal(_) => (String::new(), Vec::new()),
        ExprKind::Call { .. } | ExprKind::Binop => (
            text(&record.target()?)?,
            list(&record.children()?, |child| {
                expression(core, child, level + 1)
            })?,
        ),
    };
    Ok(Expr {
        kind,
        target,
        result_type,
        children,
    })
}

fn receiver(object: &Bound<'_, PyAny>) -> Read<Receiver> {
    let record = ReceiverMetaRecord::read(object)?;
    Ok(Receiver {
        arg_type: optional_text(record.arg_type()?.as_ref())?,
        expr_kind: word(
            &record.expr_kind()?,
            "a receiver of kind",
            |kind| match kind {
                "name" => Some(ReceiverKind::Name),
                "attribute" => Some(ReceiverKind::Attribute),
                "subscript" => Some(ReceiverKind::Subscript),
                "call" => Some(ReceiverKind::Call),
                "opaque" => Some(ReceiverKind::Opaque),
                _ => None,
            },
        )?,
        schema: optional(&record.schema()?, schema)?,
    })
}

fn schema(object: &Bound<'_, PyAny>) -> Read<Schema> {
    let record = SchemaMetaRecord::read(object)?;
    Ok(Schema {
        identity: text(&record.identity()?)?,
        fields: list(&record.fields()?, |item| {
            let record = SchemaFieldRecord::read(item)?;
            Ok(SchemaField {
                name: text(&record.name()?)?,
                field_type: text(&record.field_type()?)?,
            })
        })?,
    })
}

fn callable(object: &Bound<'_, PyAny>) -> Read<Callable> {
    let record = CallableMetaRecord::read(object)?;
    Ok(Callable {
        arg_index: index(&present(&record.arg_index()?)?)?,
        qualname: text(&record.qualname()?)?,
        params: list(&record.params()?, |item| {
            let record = CallableParamRecord::read(item)?;
            let param_type = optional_text(record.param_type()?.as_ref())?;
            Ok(CallableParam {
                name: text(&record.name()?)?,
                param_type,
            })
        })?,
        return_type: optional_text(record.return_type()?.as_ref())?,
        accepts_native: flag(&record.accepts_native()?)?,
        runtime_semantics: flag(&record.runtime_semantics()?)?,
        native_symbol: optional_text(record.native_symbol()?.as_ref())?,
        body: callable_body(&present(&record.body()?)?)?,
        keyword: optional_text(record.keyword()?.as_ref())?.unwrap_or_default(),
    })
}

fn callable_body(object: &Bound<'_, PyAny>) -> Read<CallableBody> {
    let record = CallableBodyRecord::read(object)?;
    if flag(&record.available()?)? {
        return body(&present(&record.expression()?)?, 1).map(CallableBody::Available);
    }
    optional_text(record.unavailable_reason()?.as_ref()).map(CallableBody::Unavailable)
}

fn body(object: &Bound<'_, PyAny>, level: usize) -> Read<BodyExpr> {
    check_depth(level)?;
    let record = CallableBodyExprRecord::read(object)?;
    let kind = present(&record.kind()?)?;
    let kind = match utf8(&kind)? {
        "param" => BodyKind::Param {
            index: index(&present(&record.param_index()?)?)?,
            name: text(&record.name()?)?,
        },
        "literal" => BodyKind::Literal(scalar(&present(&record.literal()?)?)?),
        "field" => BodyKind::Field(text(&record.name()?)?),
        "subscript" => BodyKind::Subscript(text(&record.name()?)?),
        "unary" => BodyKind::Unary(text(&record.op()?)?),
        "binop" => BodyKind::Binop(text(&record.op()?)?),
        "boolop" => BodyKind::Boolop(text(&record.op()?)?),
        "compare" => BodyKind::Compare(list(&record.ops()?, required_text)?),
        "cond" => BodyKind::Cond,
        "call" => BodyKind::Call(text(&record.target()?)?),
        other => {
            return Err(Unreadable::Unknown(format!(
                "a callable's body of kind {other:?}"
            )));
        }
    };
    Ok(BodyExpr {
        kind,
        result_type: optional_text(record.result_type()?.as_ref())?,
        children: list(&record.children()?, |child| body(child, level + 1))?,
    })
}

fn scalar(object: &Bound<'_, PyAny>) -> Read<ScalarLiteral> {
    let record = ScalarLiteralRecord::read(object)?;
    let kind = present(&record.kind()?)?;
    let value = present(&record.value()?)?;
    match utf8(&kind)? {
        "none" => Ok(ScalarLiteral::None),
        "int" => int(&value).map(ScalarLiteral::Int),
        "float" => Ok(ScalarLiteral::Float(
            value.cast::<PyFloat>().map_err(PyErr::from)?.value(),
        )),
        "bool" => Ok(ScalarLiteral::Bool(value.is_truthy()?)),
        "str" => required_text(&value).map(ScalarLiteral::Str),
        other => Err(Unreadable::Unknown(format!(
            "a scalar literal of kind {other:?}"
        ))),
    }
}

fn check_depth(level: usize) -> Read<()> {
    const WHAT: &str = "an expression deeper than 256 levels";
    const _: () = assert!(MAX_DEPTH == 256);
    if level > MAX_DEPTH {
        return Err(Unreadable::Beyond(
            WHAT,
            "Split it over several assignments",
        ));
    }
    Ok(())
}

/// A field that every core has.
fn present<'py>(field: &Field<'py>) -> Read<Bound<'py, PyAny>> {
    field
        .clone()
        .ok_or_else(|| Unreadable::Unknown("a record that lacks a field".to_owned()))
}

/// A field that may be `None`, or absent from this core.
fn optional<'py, T>(
    field: &Field<'py>,
    read: impl FnOnce(&Bound<'py, PyAny>) -> Read<T>,
) -> Read<Option<T>> {
    field
        .as_ref()
        .filter(|value| !value.is_none())
        .map(read)
        .transpose()
}

/// A tuple; empty where this core has no such field.
fn list<'py, T>(
    field: &Field<'py>,
    mut read: impl FnMut(&Bound<'py, PyAny>) -> Read<T>,
) -> Read<Vec<T>> {
    let Some(items) = field else {
        return Ok(Vec::new());
    };
    let items = items.cast::<PyTuple>().map_err(PyErr::from)?;
    let mut values = Vec::with_capacity(items.len());
    for item in items {
        values.push(read(&item)?);
    }
    Ok(values)
}

fn utf8<'a>(value: &'a Bound<'_, PyAny>) -> Read<&'a str> {
    Ok(value.cast::<PyString>().map_err(PyErr::from)?.to_str()?)
}

fn required_text(value: &Bound<'_, PyAny>) -> Read<String> {
    utf8(value).map(str::to_owned)
}

fn text(field: &Field<'_>) -> Read<String> {
    required_text(&present(field)?)
}

fn optional_text(value: Option<&Bound<'_, PyAny>>) -> Read<Option<String>> {
    value
        .filter(|value| !value.is_none())
        .map(required_text)
        .transpose()
}

/// A flag; off where this core has no such field.
fn flag(field: &Field<'_>) -> Read<bool> {
    match field {
        Some(value) => Ok(value.cast::<PyBool>().map_err(PyErr::from)?.is_true()),
        None => Ok(false),
    }
}

fn int(value: &Bound<'_, PyAny>) -> Read<i64> {
    value
        .extract()
        .map_err(|_| Unreadable::Beyond("an integer beyond 64 bits", "Use a smaller one"))
}

fn index(value: &Bound<'_, PyAny>) -> Read<u32> {
    value
        .extract()
        .map_err(|_| Unreadable::Unknown(format!("the index {value}")))
}

fn word<T>(field: &Field<'_>, what: &str, meaning: impl FnOnce(&str) -> Option<T>) -> Read<T> {
    let value = present(field)?;
    let name = utf8(&value)?;
    meaning(name).ok_or_else(|| Unreadable::Unknown(format!("{what} {name:?}")))
}
