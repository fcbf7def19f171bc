//! Answers core with a list of rules.

use std::collections::HashSet;

use crate::{
    Backend, ClaimResult, ClaimSite, Claimed, Counterexample, Coverage, Declaration, Described,
    Diagnostic, Example, Expected, Expr, ExprKind, LowerError, LoweredExpr, LoweringContext,
    OperandMode, Operands, Planned, ReceiverKind, Rejection, Rule, RuleOutcome, RuleRecord,
    Severity, SiteKind, Tree, Verdict,
};

/// A rule of any plan. Every [`Rule`] and [`Described`] is one.
pub trait AnyRule: Sync {
    /// What the rule says of itself.
    fn declaration(&self) -> &'static Declaration;

    /// What it claims, as core sees it.
    fn claim(&self, site: &ClaimSite) -> Verdict<(String, OperandMode)>;

    /// Plans again and, where the plan agrees with `site` and `ctx`, emits.
    fn lower(
        &self,
        site: &ClaimSite,
        ctx: &LoweringContext,
    ) -> Verdict<Result<LoweredExpr, LowerError>>;
}

impl<R: Rule> AnyRule for R {
    fn declaration(&self) -> &'static Declaration {
        Rule::declaration(self)
    }

    fn claim(&self, site: &ClaimSite) -> Verdict<(String, OperandMode)> {
        self.plan(site)
            .map(|plan| (plan.result_type().to_owned(), plan.operand_mode()))
    }

    fn lower(
        &self,
        site: &ClaimSite,
        ctx: &LoweringContext,
    ) -> Verdict<Result<LoweredExpr, LowerError>> {
        self.plan(site).map(|plan| {
            let operands = agreeing_operands(site, ctx, &plan)?;
            Ok(self.emit(&plan, &operands))
        })
    }
}

impl AnyRule for &'static Described {
    fn declaration(&self) -> &'static Declaration {
        &self.0
    }

    fn claim(&self, _site: &ClaimSite) -> Verdict<(String, OperandMode)> {
        Verdict::Pass
    }

    fn lower(
        &self,
        _site: &ClaimSite,
        _ctx: &LoweringContext,
    ) -> Verdict<Result<LoweredExpr, LowerError>> {
        Verdict::Pass
    }
}

/// The rules of a plugin, in the order in which they are asked.
pub struct RuleSet {
    plugin_id: &'static str,
    rules: &'static [&'static dyn AnyRule],
}

impl RuleSet {
    /// The rules of the plugin with this id.
    #[must_use]
    pub const fn new(plugin_id: &'static str, rules: &'static [&'static dyn AnyRule]) -> Self {
        Self { plugin_id, rules }
    }

    /// The rules' declarations.
    pub fn declarations(&self) -> impl Iterator<Item = &'static Declaration> {
        self.rules.iter().map(|rule| rule.declaration())
    }

    /// The rules' records.
    #[must_use]
    pub fn records(&self) -> Vec<RuleRecord> {
        self.declarations()
            .map(|declaration| declaration.record(self.plugin_id))
            .collect()
    }

    /// What the rules cover: their symbols, the packages these stand in, and the
    /// given modules.
    #[must_use]
    pub fn coverage(&self, modules: &[&str]) -> Coverage {
        let add = |list: &mut Vec<String>, name: &str| {
            if !list.iter().any(|known| known == name) {
                list.push(name.to_owned());
            }
        };
        let mut coverage = Coverage::default();
        for module in modules {
            add(&mut coverage.modules, module);
        }
        for symbol in self
            .declarations()
            .flat_map(|declaration| declaration.symbols)
        {
            add(
                &mut coverage.packages,
                symbol.split('.').next().unwrap_or(symbol),
            );
            add(&mut coverage.symbols, symbol);
        }
        coverage
    }

    /// Whether one of the rules lowers the site: the first that does not pass
    /// decides.
    #[must_use]
    pub fn claim(&self, site: &ClaimSite) -> ClaimResult {
        for rule in self.rules {
            match rule.claim(site) {
                Verdict::Pass => {}
                Verdict::NotCovered => return ClaimResult::NotCovered,
                Verdict::Rejected(rejection) => return ClaimResult::Rejected(rejection.into()),
                Verdict::Claimed((result_type, operand_mode)) => {
                    return ClaimResult::Claimed(Claimed {
                        rule_id: rule.declaration().id(self.plugin_id),
                        result_type,
                        operand_mode,
                    });
                }
            }
        }
        ClaimResult::NotCovered
    }

    /// The Rust for a site that [`RuleSet::claim`] claims by the rule, and with
    /// the result, that the site itself names.
    ///
    /// # Errors
    ///
    /// [`LowerError`] where the rules would not claim the site in this way, or
    /// the context does not fit it. The text names what was found.
    pub fn lower(
        &self,
        site: &ClaimSite,
        ctx: &LoweringContext,
    ) -> Result<LoweredExpr, LowerError> {
        let refuse = |why: String| {
            let (kind, target) = (site.kind.as_str(), &site.target);
            LowerError::new(format!(
                "{} cannot lower {kind} {target:?}: {why}",
                self.plugin_id
            ))
        };
        let Some(rule_id) = site.rule_id.as_deref() else {
            return Err(refuse("the site names no rule that claimed it".to_owned()));
        };
        for rule in self.rules {
            let outcome = match rule.lower(site, ctx) {
                Verdict::Pass => continue,
                Verdict::NotCovered => return Err(refuse("no rule covers this form".to_owned())),
                Verdict::Rejected(rejection) => return Err(refuse(rejection.message)),
                Verdict::Claimed(outcome) => outcome,
            };
            let claimant = rule.declaration().id(self.plugin_id);
            if claimant != rule_id {
                return Err(refuse(format!("{claimant} claims it, not {rule_id}")));
            }
            return outcome.map_err(|error| refuse(error.into_message()));
        }
        Err(refuse("no rule claims it".to_owned()))
    }

    /// What is wrong with the rules; empty when all is well.
    ///
    /// Every rule must be documented and unique, every native rule must have an
    /// example and a counterexample, and all of these must hold.
    #[must_use]
    pub fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        let mut seen = HashSet::new();
        for declaration in self.declarations() {
            let name = declaration.name;
            let texts = [
                name,
                declaration.pattern,
                declaration.constraint,
                declaration.guidance,
            ];
            if texts.iter().any(|text| text.trim().is_empty()) {
                problems.push(format!(
                    "{name:?}: name, pattern, constraint or guidance is empty"
                ));
            }
            for unique in [Some(name), declaration.code].into_iter().flatten() {
                if !seen.insert(unique) {
                    problems.push(format!("{name:?}: {unique:?} is declared twice"));
                }
            }
            problems.extend(
                declaration
                    .examples
                    .iter()
                    .filter_map(|e| self.example(name, e)),
            );
            problems.extend(
                declaration
                    .counterexamples
                    .iter()
                    .filter_map(|c| self.counterexample(name, c)),
            );
            if declaration.outcome == RuleOutcome::Native
                && declaration.verified == Some(true)
                && (declaration.examples.is_empty() || declaration.counterexamples.is_empty())
            {
                problems.push(format!(
                    "{name:?}: a native rule shows what it claims and declines"
                ));
            }
        }
        problems
    }

    fn example(&self, name: &str, example: &Example) -> Option<String> {
        let mut site = (example.site)();
        let python = example.python;
        let claimed = match self.claim(&site) {
            ClaimResult::Claimed(claimed)
                if claimed.rule_id == format!("{}/{name}", self.plugin_id) =>
            {
                claimed
            }
            other => {
                return Some(format!(
                    "{name:?}: example `{python}` is answered {other:?}"
                ));
            }
        };
        if let Some(root) = &mut site.expression {
            root.result_type = Some(claimed.result_type.clone());
        }
        let operands = example
            .operands
            .iter()
            .map(|&operand| operand.to_owned())
            .collect();
        let mut ctx = LoweringContext {
            target_language: "rust".to_owned(),
            ..Default::default()
        };
        match claimed.operand_mode {
            OperandMode::Direct => ctx.operands = operands,
            OperandMode::Leaves => ctx.leaf_operands = operands,
        }
        if site.receiver.is_some() {
            // By convention the first operand of a method example is the receiver.
            ctx.receiver = Some(ctx.operands.remove(0));
        }
        site.rule_id = Some(claimed.rule_id);
        site.result_type = Some(claimed.result_type);
        match self.lower(&site, &ctx) {
            Ok(lowered) if lowered.rust == example.rust => None,
            Ok(lowered) => Some(format!(
                "{name:?}: example `{python}` lowers to `{}`",
                lowered.rust
            )),
            Err(error) => Some(format!(
                "{name:?}: example `{python}` does not lower: {error}"
            )),
        }
    }

    fn counterexample(&self, name: &str, counterexample: &Counterexample) -> Option<String> {
        let answer = self.claim(&(counterexample.site)());
        let holds = match (&answer, counterexample.expected) {
            (ClaimResult::NotCovered, Expected::NotCovered) => true,
            (ClaimResult::Rejected(diagnostic), Expected::Rejected(code)) => {
                diagnostic.code == code
            }
            (ClaimResult::Claimed(claimed), Expected::ClaimedBy(rule)) => {
                rule != name && claimed.rule_id == format!("{}/{rule}", self.plugin_id)
            }
            _ => false,
        };
        (!holds).then(|| {
            format!(
                "{name:?}: counterexample `{}` is answered {answer:?}",
                counterexample.python
            )
        })
    }
}

impl From<Rejection> for Diagnostic {
    fn from(rejection: Rejection) -> Self {
        Self {
            code: rejection.code.to_owned(),
            severity: Severity::Error,
            message: rejection.message,
            suggestion: Some(rejection.suggestion),
        }
    }
}

/// The operands, where site and context agree with the plan in every field that
/// core fills in for any rule.
fn agreeing_operands<'a>(
    site: &ClaimSite,
    ctx: &'a LoweringContext,
    plan: &impl Planned,
) -> Result<Operands<'a>, LowerError> {
    let expect = |holds: bool, what: &dyn Fn() -> String| {
        if holds {
            Ok(())
        } else {
            Err(LowerError::new(what()))
        }
    };
    let arity = site.operand_types.len();
    let literals = site.operand_literals.len();

    expect(
        site.result_type.as_deref() == Some(plan.result_type()),
        &|| {
            format!(
                "it produces {:?}, not {:?}",
                plan.result_type(),
                site.result_type
            )
        },
    )?;
    expect(literals == 0 || literals == arity, &|| {
        format!("{literals} operand literals for {arity} operands")
    })?;
    for (index, (literal, key)) in site
        .operand_literals
        .iter()
        .zip(&site.operand_types)
        .enumerate()
    {
        expect(literal.fits(key.as_deref()), &|| {
            format!("operand {index} of type {key:?} cannot be the literal {literal:?}")
        })?;
    }
    if let Some(expression) = &site.expression {
        agreeing_expression(site, expression)?;
    }
    expect(ctx.target_language == "rust", &|| {
        format!(
            "the target language is {:?}, not \"rust\"",
            ctx.target_language
        )
    })?;
    expect(ctx.backend == Backend::Pyo3, &|| {
        format!("the backend is {:?}, not \"pyo3\"", ctx.backend.as_str())
    })?;
    expect(ctx.receiver.is_some() == site.receiver.is_some(), &|| {
        let state = |present| if present { "a" } else { "no" };
        format!(
            "the site has {} receiver and the context {}",
            state(site.receiver.is_some()),
            state(ctx.receiver.is_some())
        )
    })?;
    let (values, others, wanted) = match plan.operand_mode() {
        OperandMode::Direct => (&ctx.operands, &ctx.leaf_operands, arity),
        OperandMode::Leaves => {
            let leaves = site.expression.as_ref().map_or(0, leaf_count);
            (&ctx.leaf_operands, &ctx.operands, leaves)
        }
    };
    expect(values.len() == wanted && others.is_empty(), &|| {
        format!(
            "it needs {wanted} {:?} operands; the context has {} direct operands and {} leaves",
            plan.operand_mode(),
            ctx.operands.len(),
            ctx.leaf_operands.len()
        )
    })?;
    let receiver = site.receiver.as_ref();
    Ok(Operands {
        values,
        receiver: ctx.receiver.as_deref(),
        receiver_is_temporary: receiver.is_some_and(|it| it.expr_kind != ReceiverKind::Name),
    })
}

/// The tree's root is the site itself.
fn agreeing_expression(site: &ClaimSite, root: &Expr) -> Result<(), LowerError> {
    let kind = match root.kind {
        ExprKind::Call { .. } => Some(SiteKind::Call),
        ExprKind::Binop => Some(SiteKind::Binop),
        ExprKind::Leaf { .. } | ExprKind::Literal(_) => None,
    };
    if kind != Some(site.kind)
        || root.target != site.target
        || root.result_type != site.result_type
        || root.children.len() != site.operand_types.len()
    {
        return Err(LowerError::new(
            "the root of its expression is another site",
        ));
    }
    Ok(())
}

fn leaf_count(expr: &Expr) -> usize {
    match expr.kind {
        ExprKind::Leaf { .. } => 1,
        _ => expr.children().iter().map(leaf_count).sum(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ClaimLiteral, KeywordArg, LeafKind, Receiver, ScopeKind};

    /// `x + y` over two ints; a tree of two additions in one go.
    struct Sum {
        operands: usize,
    }

    struct SumPlan(OperandMode);

    impl Planned for SumPlan {
        fn result_type(&self) -> &str {
            "int"
        }
        fn operand_mode(&self) -> OperandMode {
            self.0
        }
    }

    const PAIR: Declaration = Declaration {
        name: "pair",
        code: Some("RXTP-DEMO-001"),
        scope: ScopeKind::Binop,
        pattern: "x + y",
        constraint: "Two ints.",
        outcome: RuleOutcome::Native,
        guidance: "Add ints.",
        verified: Some(true),
        symbols: &["demo.add"],
        examples: &[Example {
            python: "x + y",
            site: pair,
            operands: &["x", "y"],
            rust: "x+y",
        }],
        counterexamples: &[Counterexample {
            python: "x + 'y'",
            site: || ClaimSite::new(SiteKind::Binop, "+", &[Some("int"), Some("str")]),
            expected: Expected::Rejected("RXTP-DEMO-001"),
        }],
        ..Declaration::EMPTY
    };

    const TRIPLE: Declaration = Declaration {
        name: "triple",
        code: Some("RXTP-DEMO-002"),
        symbols: &["demo.add", "demo.sum.all"],
        examples: &[Example {
            python: "x + y + z",
            site: triple,
            operands: &["x", "y", "z"],
            rust: "x+y+z",
        }],
        counterexamples: &[Counterexample {
            python: "x + y",
            site: pair,
            expected: Expected::ClaimedBy("pair"),
        }],
        ..PAIR
    };

    fn pair() -> ClaimSite {
        ClaimSite::new(SiteKind::Binop, "+", &[Some("int"), Some("int")])
    }

    fn triple() -> ClaimSite {
        let leaf = |index| Expr::leaf(index, LeafKind::Name, Some("int"));
        let inner = Expr::binop("+", leaf(0), leaf(1), Some("int"));
        ClaimSite {
            expression: Some(Expr::binop("+", inner, leaf(2), None)),
            ..pair()
        }
    }

    impl Rule for Sum {
        type Plan = SumPlan;

        fn declaration(&self) -> &'static Declaration {
            if self.operands == 2 { &PAIR } else { &TRIPLE }
        }

        fn plan(&self, site: &ClaimSite) -> Verdict<SumPlan> {
            if site.kind != SiteKind::Binop || site.target != "+" {
                return Verdict::Pass;
            }
            let leaves = site.expression.as_ref().map_or(2, leaf_count);
            if self.operands != leaves {
                return Verdict::Pass;
            }
            if site.operand_types.iter().any(Option::is_none) {
                return Verdict::NotCovered;
            }
            if site.operand_types.iter().flatten().any(|key| key != "int") {
                return Verdict::Rejected(Rejection {
                    code: "RXTP-DEMO-001",
                    message: "not ints".to_owned(),
                    suggestion: "add ints".to_owned(),
                });
            }
            Verdict::Claimed(SumPlan(if self.operands == 2 {
                OperandMode::Direct
            } else {
                OperandMode::Leaves
            }))
        }

        fn emit(&self, _plan: &SumPlan, operands: &Operands<'_>) -> LoweredExpr {
            LoweredExpr {
                rust: operands.values.join("+"),
                ..LoweredExpr::default()
            }
        }
    }

    static RULES: RuleSet =
        RuleSet::new("rextio-demo", &[&Sum { operands: 3 }, &Sum { operands: 2 }]);

    fn claimed(mut site: ClaimSite, rule: &str) -> ClaimSite {
        site.rule_id = Some(format!("rextio-demo/{rule}"));
        site.result_type = Some("int".to_owned());
        if let Some(root) = &mut site.expression {
            root.result_type = Some("int".to_owned());
        }
        site
    }

    fn context(operands: &[&str], leaves: &[&str]) -> LoweringContext {
        let texts = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
        LoweringContext {
            operands: texts(operands),
            leaf_operands: texts(leaves),
            target_language: "rust".to_owned(),
            ..LoweringContext::default()
        }
    }

    fn refusal(site: &ClaimSite, ctx: &LoweringContext) -> String {
        RULES.lower(site, ctx).unwrap_err().into_message()
    }

    #[test]
    fn the_first_rule_that_does_not_pass_decides() {
        assert_eq!(RULES.problems(), Vec::<String>::new());
        let unresolved = ClaimSite::new(SiteKind::Binop, "+", &[Some("int"), None]);
        assert_eq!(RULES.claim(&unresolved), ClaimResult::NotCovered);
        let other = ClaimSite::new(SiteKind::Call, "f", &[]);
        assert_eq!(RULES.claim(&other), ClaimResult::NotCovered);
    }

    #[test]
    fn records_and_coverage_derive_from_the_declarations() {
        let ids: Vec<_> = RULES
            .records()
            .into_iter()
            .map(|record| record.id)
            .collect();
        assert_eq!(ids, ["rextio-demo/triple", "rextio-demo/pair"]);
        let coverage = RULES.coverage(&["demo", "demo.sum"]);
        assert_eq!(coverage.packages, ["demo"]);
        assert_eq!(coverage.modules, ["demo", "demo.sum"]);
        assert_eq!(coverage.symbols, ["demo.add", "demo.sum.all"]);
    }

    #[test]
    fn a_site_is_lowered_as_it_was_claimed_or_not_at_all() {
        let direct = context(&["x", "y"], &[]);
        let leaves = context(&[], &["x", "y", "z"]);
        let lowered = RULES.lower(&claimed(pair(), "pair"), &direct);
        assert_eq!(lowered.unwrap().rust, "x+y");
        let lowered = RULES.lower(&claimed(triple(), "triple"), &leaves);
        assert_eq!(lowered.unwrap().rust, "x+y+z");

        for (site, said) in [
            (pair(), "names no rule"),
            (
                claimed(pair(), "triple"),
                "rextio-demo/pair claims it, not rextio-demo/triple",
            ),
            (claimed(pair(), "gone"), "rextio-demo/pair claims it"),
            (
                ClaimSite {
                    target: "-".to_owned(),
                    ..claimed(pair(), "pair")
                },
                "no rule claims it",
            ),
            (
                ClaimSite {
                    operand_types: vec![Some("int".to_owned()), None],
                    ..claimed(pair(), "pair")
                },
                "no rule covers this form",
            ),
            (
                ClaimSite {
                    operand_types: vec![Some("int".to_owned()), Some("str".to_owned())],
                    ..claimed(pair(), "pair")
                },
                "not ints",
            ),
            (
                ClaimSite {
                    result_type: None,
                    ..claimed(pair(), "pair")
                },
                "it produces \"int\", not None",
            ),
            (
                ClaimSite {
                    operand_literals: vec![ClaimLiteral::NonLiteral],
                    ..claimed(pair(), "pair")
                },
                "1 operand literals for 2 operands",
            ),
            (
                ClaimSite {
                    operand_literals: vec![
                        ClaimLiteral::NonLiteral,
                        ClaimLiteral::Str("y".to_owned()),
                    ],
                    ..claimed(pair(), "pair")
                },
                "operand 1 of type Some(\"int\") cannot be the literal Str(\"y\")",
            ),
            (
                ClaimSite {
                    receiver: Some(Receiver {
                        arg_type: None,
                        expr_kind: ReceiverKind::Name,
                        schema: None,
                    }),
                    ..claimed(pair(), "pair")
                },
                "the site has a receiver and the context no",
            ),
        ] {
            let found = refusal(&site, &direct);
            assert!(found.contains(said), "{found}");
        }

        let site = claimed(pair(), "pair");
        for (ctx, said) in [
            (
                LoweringContext {
                    target_language: "c".to_owned(),
                    ..direct.clone()
                },
                "the target language is \"c\"",
            ),
            (
                LoweringContext {
                    backend: Backend::StandaloneRust,
                    ..direct.clone()
                },
                "the backend is \"standalone-rust\"",
            ),
            (
                LoweringContext {
                    receiver: Some("r".to_owned()),
                    ..direct.clone()
                },
                "the site has no receiver and the context a",
            ),
            (
                context(&["x"], &[]),
                "needs 2 Direct operands; the context has 1 direct",
            ),
            (
                context(&["x", "y"], &["z"]),
                "2 direct operands and 1 leaves",
            ),
            (leaves.clone(), "0 direct operands and 3 leaves"),
        ] {
            let found = refusal(&site, &ctx);
            assert!(found.contains(said), "{found}");
        }
    }

    #[test]
    fn every_receiver_but_a_variable_is_temporary() {
        let ctx = LoweringContext {
            receiver: Some("r".to_owned()),
            ..context(&["x", "y"], &[])
        };
        for (expr_kind, temporary) in [
            (ReceiverKind::Name, false),
            (ReceiverKind::Attribute, true),
            (ReceiverKind::Subscript, true),
            (ReceiverKind::Call, true),
            (ReceiverKind::Opaque, true),
        ] {
            let site = ClaimSite {
                receiver: Some(Receiver {
                    arg_type: None,
                    expr_kind,
                    schema: None,
                }),
                ..claimed(pair(), "pair")
            };
            let operands = agreeing_operands(&site, &ctx, &SumPlan(OperandMode::Direct));
            assert_eq!(operands.unwrap().receiver_is_temporary, temporary);
        }
    }

    #[test]
    fn the_root_of_an_expression_is_the_site() {
        let leaves = context(&[], &["x", "y", "z"]);
        let refused = |change: fn(&mut Expr)| {
            let mut site = claimed(triple(), "triple");
            change(site.expression.as_mut().unwrap());
            refusal(&site, &leaves).contains("another site")
        };
        assert!(refused(|root| root.target = "-".to_owned()));
        assert!(refused(|root| root.result_type = None));
        assert!(refused(|root| {
            root.kind = ExprKind::Call {
                keywords: vec![KeywordArg {
                    name: "k".to_owned(),
                    arg_type: None,
                    literal: ClaimLiteral::None,
                }],
            };
        }));
    }

    #[test]
    fn literals_fit_the_types_they_can_have() {
        for (literal, key, fits) in [
            (ClaimLiteral::NonLiteral, Some("p/a"), true),
            (ClaimLiteral::Int(1), Some("int"), true),
            (ClaimLiteral::Int(1), Some("float"), false),
            (ClaimLiteral::Int(1), None, false),
            (ClaimLiteral::None, None, true),
            (ClaimLiteral::None, Some("p/a"), false),
            (ClaimLiteral::IntTuple(vec![0]), None, true),
            (ClaimLiteral::IntTuple(vec![0]), Some("tuple[int]"), true),
            (ClaimLiteral::IntTuple(vec![0]), Some("int"), false),
            (ClaimLiteral::Bool(true), Some("bool"), true),
            (ClaimLiteral::Bool(true), Some("int"), false),
            (ClaimLiteral::Str(String::new()), Some("str"), true),
        ] {
            assert_eq!(literal.fits(key), fits, "{literal:?} {key:?}");
        }
    }

    #[test]
    fn what_a_declaration_gets_wrong_is_named() {
        struct Wrong(&'static Declaration);
        impl Rule for Wrong {
            type Plan = SumPlan;
            fn declaration(&self) -> &'static Declaration {
                self.0
            }
            fn plan(&self, site: &ClaimSite) -> Verdict<SumPlan> {
                if site.kind == SiteKind::Binop {
                    Verdict::Claimed(SumPlan(OperandMode::Direct))
                } else {
                    Verdict::Pass
                }
            }
            fn emit(&self, _plan: &SumPlan, _operands: &Operands<'_>) -> LoweredExpr {
                LoweredExpr::default()
            }
        }
        const UNDOCUMENTED: Declaration = Declaration {
            guidance: " ",
            ..PAIR
        };
        const BARE: Declaration = Declaration {
            name: "bare",
            examples: &[],
            ..PAIR
        };
        static BROKEN: RuleSet =
            RuleSet::new("rextio-demo", &[&Wrong(&UNDOCUMENTED), &Wrong(&BARE)]);
        let problems = BROKEN.problems().join("\n");
        for said in [
            "\"pair\": name, pattern, constraint or guidance is empty",
            "\"bare\": \"RXTP-DEMO-001\" is declared twice",
            "\"pair\": example `x + y` lowers to ``",
            "\"pair\": counterexample `x + 'y'` is answered Claimed",
            "\"bare\": a native rule shows what it claims and declines",
        ] {
            assert!(problems.contains(said), "{said} in:\n{problems}");
        }
    }
}
