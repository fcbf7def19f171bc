//! One conversion table between these types and generated bindings.
//!
//! The guest's bindings (wit-bindgen) and the host's (wasmtime) name every item
//! alike, so one table serves both: [`impl_wire!`](crate::impl_wire) expands in
//! the crate that owns the bindings.

/// Both directions for a record with the same fields on both sides.
#[doc(hidden)]
#[macro_export]
macro_rules! wire_record {
    ($wit:ident :: $name:ident { $($field:ident),* $(,)? }) => {
        impl Wire<$crate::$name> for $wit::$name {
            fn wire(self) -> Result<$crate::$name, $crate::TreeError> {
                Ok($crate::$name { $($field: Wire::wire(self.$field)?),* })
            }
        }
        impl Wire<$wit::$name> for $crate::$name {
            fn wire(self) -> Result<$wit::$name, $crate::TreeError> {
                Ok($wit::$name { $($field: Wire::wire(self.$field)?),* })
            }
        }
    };
}

/// Both directions for a variant with the same cases on both sides.
#[doc(hidden)]
#[macro_export]
macro_rules! wire_variant {
    ($wit:ident :: $name:ident { $($bare:ident),* ; $($case:ident),* $(,)? }) => {
        impl Wire<$crate::$name> for $wit::$name {
            fn wire(self) -> Result<$crate::$name, $crate::TreeError> {
                Ok(match self {
                    $($wit::$name::$bare => $crate::$name::$bare,)*
                    $($wit::$name::$case(value) => {
                        $crate::$name::$case(Wire::wire(value)?)
                    })*
                })
            }
        }
        impl Wire<$wit::$name> for $crate::$name {
            fn wire(self) -> Result<$wit::$name, $crate::TreeError> {
                Ok(match self {
                    $($crate::$name::$bare => $wit::$name::$bare,)*
                    $($crate::$name::$case(value) => {
                        $wit::$name::$case(Wire::wire(value)?)
                    })*
                })
            }
        }
    };
}

/// Both directions for types that are the same on both sides.
#[doc(hidden)]
#[macro_export]
macro_rules! wire_same {
    ($($type:ty),* $(,)?) => {
        $(impl Wire<$type> for $type {
            fn wire(self) -> Result<$type, $crate::TreeError> {
                Ok(self)
            }
        })*
    };
}

/// Declares a trait `Wire` and implements it between this crate's types and the
/// generated bindings in scope under the given module name.
///
/// The trait is the expanding crate's own, since neither lists nor this crate's
/// types are.
#[macro_export]
macro_rules! impl_wire {
    ($wit:ident) => {
        /// Converts a value to or from its generated counterpart.
        pub(crate) trait Wire<T> {
            /// The counterpart; an error where a list of nodes is not a tree
            /// that either side accepts.
            fn wire(self) -> Result<T, $crate::TreeError>;
        }

        $crate::wire_same!(bool, u32, u64, i64, f64, String, (String, String));

        impl<A: Wire<B>, B> Wire<Option<B>> for Option<A> {
            fn wire(self) -> Result<Option<B>, $crate::TreeError> {
                self.map(Wire::wire).transpose()
            }
        }

        impl<A: Wire<B>, B> Wire<Vec<B>> for Vec<A> {
            fn wire(self) -> Result<Vec<B>, $crate::TreeError> {
                self.into_iter().map(Wire::wire).collect()
            }
        }

        $crate::wire_variant!($wit::ScopeKind { Type, Syntax, Call, Binop, Compare, Import, Decorator ; });
        $crate::wire_variant!($wit::RuleOutcome { Native, Fallback, Reject, Shim, Boundary ; });
        $crate::wire_variant!($wit::Stability { Stable, Experimental ; });
        $crate::wire_variant!($wit::Hook { FunctionScopeGuard, ArtifactCapability ; });
        $crate::wire_variant!($wit::SiteKind { Call, Binop, Compare ; });
        $crate::wire_variant!($wit::ClaimLiteral { NonLiteral, None ; Int, IntTuple, Bool, Str });
        $crate::wire_variant!($wit::LeafKind { Name, Opaque ; });
        $crate::wire_variant!($wit::ReceiverKind { Name, Attribute, Subscript, Call, Opaque ; });
        $crate::wire_variant!($wit::ScalarLiteral { None ; Int, Float, Bool, Str });
        $crate::wire_variant!($wit::OperandMode { Direct, Leaves ; });
        $crate::wire_variant!($wit::Severity { Error, Warning ; });
        $crate::wire_variant!($wit::ClaimResult { NotCovered ; Claimed, Rejected });
        $crate::wire_variant!($wit::ArtifactKind { HostExtension, HostExecutable, RustCrate ; });
        $crate::wire_variant!($wit::FallbackStrategy { Error, PythonSubprocess, NuitkaSidecar ; });
        $crate::wire_variant!($wit::Backend { Pyo3, StandaloneRust ; });
        $crate::wire_variant!($wit::CallableBody { ; Available, Unavailable });

        $crate::wire_record!($wit::RuleScope { kind, pattern });
        $crate::wire_record!($wit::RuleRecord {
            id, scope, constraint, outcome, diagnostic_code, guidance, stability, verified,
            fix_template, examples
        });
        $crate::wire_record!($wit::Coverage { packages, modules, symbols });
        $crate::wire_record!($wit::BoundaryConversion { param_rust, param_expr, return_rust, return_expr });
        $crate::wire_record!($wit::Requirement { name, version, features });
        $crate::wire_record!($wit::DeviceValueMetadata {
            logical_device, backend, dtype, rank, layout, runtime_version, static_shape, runtime,
            reuse_domain_runtime, features, memory_spaces, runtime_requirements
        });
        $crate::wire_record!($wit::PluginType {
            key, annotations, rust_type, conversion, uses, helpers, device_value_metadata
        });
        $crate::wire_record!($wit::CrateDependency { name, version, features });
        $crate::wire_record!($wit::RequiredVariable { name, value, settable, reason });
        $crate::wire_record!($wit::ForbiddenVariable { name, reason });
        $crate::wire_record!($wit::RequiredPackage { name, version, remedy });
        $crate::wire_record!($wit::EnvironmentContract {
            python, required_variables, forbidden_variables, packages
        });
        $crate::wire_record!($wit::Description {
            plugin_id, name, version, api_version, target_versions, target_build_options, coverage,
            types, crate_dependencies, environment, hooks
        });
        $crate::wire_record!($wit::KeywordArg { name, arg_type, literal });
        $crate::wire_record!($wit::SchemaField { name, field_type });
        $crate::wire_record!($wit::Schema { identity, fields });
        $crate::wire_record!($wit::Receiver { arg_type, expr_kind, schema });
        $crate::wire_record!($wit::CallableParam { name, param_type });
        $crate::wire_record!($wit::Callable {
            arg_index, qualname, params, return_type, accepts_native, runtime_semantics,
            native_symbol, body, keyword
        });
        $crate::wire_record!($wit::ClaimSite {
            kind, target, operand_types, rule_id, result_type, operand_literals, keywords,
            expression, receiver, callables
        });
        $crate::wire_record!($wit::Claimed { rule_id, result_type, operand_mode });
        $crate::wire_record!($wit::Diagnostic { code, severity, message, suggestion });
        $crate::wire_record!($wit::DeviceRequirement {
            logical_device, backend, runtime, features, layouts, memory_spaces, architectures,
            reuse_domain_runtime
        });
        $crate::wire_record!($wit::ArtifactProvenance { producer, source_references, evidence });
        $crate::wire_record!($wit::ArtifactProfile {
            kind, target_triple, packaging_backend, fallback, python_fallback_backend,
            abi_requirements, runtime_requirements, device_requirements, provenance
        });
        $crate::wire_record!($wit::DeviceAuthorization {
            provider_id, capability_id, logical_device, backend, runtime, reuse_domain_runtime,
            features, layouts, memory_spaces, artifact_profile_sha256
        });
        $crate::wire_record!($wit::LoweringContext {
            operands, target_language, leaf_operands, receiver, backend, artifact_profile,
            device_authorization, function_scope_guard_active
        });
        $crate::wire_record!($wit::LoweredExpr { rust, uses, helpers, type_support });
        $crate::wire_record!($wit::FunctionScopeContext {
            function_qualname, used_rule_ids, used_type_keys, backend, artifact_profile,
            has_python_boundary_calls
        });
        $crate::wire_record!($wit::ScopeGuard { rust, uses, helpers });
        $crate::wire_record!($wit::ArtifactTypeSupport { type_key, uses, helpers });
        $crate::wire_record!($wit::ArtifactCapability { rule_ids, types, crate_dependencies });

        impl Wire<$crate::Expr> for Vec<$wit::ExprNode> {
            fn wire(self) -> Result<$crate::Expr, $crate::TreeError> {
                let nodes = self.into_iter().map(|node| {
                    let (kind, children) = match node.kind {
                        $wit::ExprKind::Leaf(leaf) => (
                            $crate::ExprKind::Leaf { index: leaf.index, kind: leaf.kind.wire()? },
                            Vec::new(),
                        ),
                        $wit::ExprKind::Literal(literal) => {
                            ($crate::ExprKind::Literal(literal.wire()?), Vec::new())
                        }
                        $wit::ExprKind::Call(call) => (
                            $crate::ExprKind::Call { keywords: call.keywords.wire()? },
                            call.children,
                        ),
                        $wit::ExprKind::Binop(binop) => {
                            ($crate::ExprKind::Binop, vec![binop.left, binop.right])
                        }
                    };
                    let expr = $crate::Expr {
                        kind,
                        target: node.target,
                        result_type: node.result_type,
                        children: Vec::with_capacity(children.len()),
                    };
                    expr.check_arity(children.len())?;
                    Ok((expr, children))
                });
                $crate::unflatten(nodes.collect::<Result<Vec<_>, $crate::TreeError>>()?)
            }
        }

        impl Wire<Vec<$wit::ExprNode>> for $crate::Expr {
            fn wire(self) -> Result<Vec<$wit::ExprNode>, $crate::TreeError> {
                $crate::flatten(self)?
                    .into_iter()
                    .map(|(expr, children)| {
                        expr.check_arity(children.len())?;
                        let kind = match expr.kind {
                            $crate::ExprKind::Leaf { index, kind } => {
                                $wit::ExprKind::Leaf($wit::ExprLeaf { index, kind: kind.wire()? })
                            }
                            $crate::ExprKind::Literal(literal) => {
                                $wit::ExprKind::Literal(literal.wire()?)
                            }
                            $crate::ExprKind::Binop => $wit::ExprKind::Binop($wit::ExprBinop {
                                left: children[0],
                                right: children[1],
                            }),
                            $crate::ExprKind::Call { keywords } => {
                                $wit::ExprKind::Call($wit::ExprCall {
                                    children,
                                    keywords: keywords.wire()?,
                                })
                            }
                        };
                        Ok($wit::ExprNode {
                            kind,
                            target: expr.target,
                            result_type: expr.result_type,
                        })
                    })
                    .collect()
            }
        }

        impl Wire<$crate::BodyExpr> for Vec<$wit::BodyNode> {
            fn wire(self) -> Result<$crate::BodyExpr, $crate::TreeError> {
                use $crate::BodyKind as Kind;
                use $wit::BodyKind as Wit;
                let nodes = self.into_iter().map(|node| {
                    let (kind, children) = match node.kind {
                        Wit::Param(param) => {
                            (Kind::Param { index: param.index, name: param.name }, Vec::new())
                        }
                        Wit::Literal(literal) => (Kind::Literal(literal.wire()?), Vec::new()),
                        Wit::Field(field) => (Kind::Field(field.name), vec![field.row]),
                        Wit::Subscript(field) => (Kind::Subscript(field.name), vec![field.row]),
                        Wit::Unary(unary) => (Kind::Unary(unary.op), vec![unary.operand]),
                        Wit::Binop(binop) => (Kind::Binop(binop.op), vec![binop.left, binop.right]),
                        Wit::Boolop(boolop) => (Kind::Boolop(boolop.op), boolop.operands),
                        Wit::Compare(compare) => (Kind::Compare(compare.ops), compare.operands),
                        Wit::Cond(cond) => {
                            (Kind::Cond, vec![cond.test, cond.then, cond.otherwise])
                        }
                        Wit::Call(call) => (Kind::Call(call.target), call.arguments),
                    };
                    let body = $crate::BodyExpr {
                        kind,
                        result_type: node.result_type,
                        children: Vec::with_capacity(children.len()),
                    };
                    body.check_arity(children.len())?;
                    Ok((body, children))
                });
                $crate::unflatten(nodes.collect::<Result<Vec<_>, $crate::TreeError>>()?)
            }
        }

        impl Wire<Vec<$wit::BodyNode>> for $crate::BodyExpr {
            fn wire(self) -> Result<Vec<$wit::BodyNode>, $crate::TreeError> {
                use $crate::BodyKind as Kind;
                use $wit::BodyKind as Wit;
                $crate::flatten(self)?
                    .into_iter()
                    .map(|(body, children)| {
                        body.check_arity(children.len())?;
                        let kind = match body.kind {
                            Kind::Param { index, name } => Wit::Param($wit::BodyParam { index, name }),
                            Kind::Literal(literal) => Wit::Literal(literal.wire()?),
                            Kind::Field(name) => Wit::Field($wit::BodyField { name, row: children[0] }),
                            Kind::Subscript(name) => {
                                Wit::Subscript($wit::BodyField { name, row: children[0] })
                            }
                            Kind::Unary(op) => Wit::Unary($wit::BodyUnary { op, operand: children[0] }),
                            Kind::Binop(op) => Wit::Binop($wit::BodyBinop {
                                op,
                                left: children[0],
                                right: children[1],
                            }),
                            Kind::Boolop(op) => {
                                Wit::Boolop($wit::BodyBoolop { op, operands: children })
                            }
                            Kind::Compare(ops) => {
                                Wit::Compare($wit::BodyCompare { ops, operands: children })
                            }
                            Kind::Cond => Wit::Cond($wit::BodyCond {
                                test: children[0],
                                then: children[1],
                                otherwise: children[2],
                            }),
                            Kind::Call(target) => {
                                Wit::Call($wit::BodyCall { target, arguments: children })
                            }
                        };
                        Ok($wit::BodyNode { kind, result_type: body.result_type })
                    })
                    .collect()
            }
        }
    };
}
