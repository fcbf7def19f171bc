//! `a * b + c` and the like: two to eight operators in one pass.
//!
//! Claims a tree of `+ - * /` whose leaves are plain names of arrays of one
//! dtype and rank 1 or 2 (int64 without `/`, whose result has another dtype).
//! The chain runs over its leaves once, without arrays in between, each element
//! by the same operations in the same order as in NumPy; shapes are checked
//! operation by operation as NumPy would.
//!
//! Passes every other tree on to the elementwise operators, which take it one
//! operation at a time.
//!
//! ```python
//! a * b + a
//! # rextio_numpy_runtime::fuse_1d(
//! #     [rextio_numpy_runtime::leaf(&a), rextio_numpy_runtime::leaf(&b)],
//! #     &[(0, 1), (2, 0)], |[x0, x1]| (x0 * x1) + x0)?
//! ```
//!
//! NumPy: <https://numpy.org/doc/stable/user/basics.broadcasting.html>

use rextio_plugin_kit::{
    ClaimSite, Counterexample, Declaration, Example, Expected, Expr, ExprKind, LeafKind,
    LoweredExpr, OperandMode, Operands, Planned, Rule, RuleOutcome, ScopeKind, SiteKind, Verdict,
};

use super::{Operator, borrow, is_plain, path, runtime_call};
use crate::types::{Array, Dtype, Rank};

/// The rule.
pub(super) struct ChainFusion;

/// How many operators a chain may have. The upper bound is the seed's, and keeps
/// the closure small enough for the compiler to inline and vectorise.
const OPERATORS: std::ops::RangeInclusive<usize> = 2..=8;

const DECLARATION: Declaration = Declaration {
    name: "elementwise-chain-fusion",
    code: Some("RXTP-NUMPY-005"),
    scope: ScopeKind::Binop,
    pattern: "an expression of two to eight + - * / whose operands are all names of arrays, \
              such as a * b + c",
    constraint: "Every operand is a plain name of a float64, float32 or int64 array of rank 1 or \
                 2, all of one dtype; int64 chains are of + - * only. Evaluated in one pass \
                 without temporary arrays, in NumPy's order of operations and with NumPy's \
                 results and broadcasting errors; int64 wraps at every operation.",
    outcome: RuleOutcome::Native,
    guidance: "Write the whole expression in one statement over array names. A scalar, a call, a \
               subscript or a mixed dtype in it is lowered one operation at a time instead.",
    verified: Some(true),
    examples: &[
        Example {
            python: "a * b + a",
            site: || site("+", product(0, 1), leaf(2)),
            operands: &["a", "b", "a"],
            rust: "rextio_numpy_runtime::fuse_1d([rextio_numpy_runtime::leaf(&a), \
                   rextio_numpy_runtime::leaf(&b)], &[(0, 1), (2, 0)], \
                   |[x0, x1]| (x0 * x1) + x0)?",
        },
        Example {
            python: "n - m * k",
            site: || integers("-"),
            operands: &["n", "m", "k"],
            rust: "rextio_numpy_runtime::fuse_2d([rextio_numpy_runtime::leaf(&n), \
                   rextio_numpy_runtime::leaf(&m), rextio_numpy_runtime::leaf(&k)], \
                   &[(1, 2), (0, 3)], |[x0, x1, x2]| x0.wrapping_sub(x1.wrapping_mul(x2)))?",
        },
    ],
    counterexamples: &[
        Counterexample {
            python: "a + b  # one operator",
            site: || site("+", leaf(0), leaf(1)),
            expected: Expected::ClaimedBy("elementwise-float64"),
        },
        Counterexample {
            python: "a * b + f(c)  # not a name",
            site: || {
                site(
                    "+",
                    product(0, 1),
                    Expr::leaf(2, LeafKind::Opaque, Some(F64_1D)),
                )
            },
            expected: Expected::ClaimedBy("elementwise-float64"),
        },
    ],
    ..Declaration::EMPTY
};

const F64_1D: &str = "rextio-numpy/f64-1d";

fn leaf(index: u32) -> Expr {
    Expr::leaf(index, LeafKind::Name, Some(F64_1D))
}

fn product(left: u32, right: u32) -> Expr {
    Expr::binop("*", leaf(left), leaf(right), Some(F64_1D))
}

fn site(symbol: &str, left: Expr, right: Expr) -> ClaimSite {
    let mut site = ClaimSite::new(
        SiteKind::Binop,
        symbol,
        &[left.result_type.as_deref(), right.result_type.as_deref()],
    );
    site.expression = Some(Expr::binop(symbol, left, right, None));
    site
}

fn integers(symbol: &str) -> ClaimSite {
    let name = |index, key| Expr::leaf(index, LeafKind::Name, Some(key));
    let right = Expr::binop(
        "*",
        name(1, "rextio-numpy/i64-2d"),
        name(2, "rextio-numpy/i64-1d"),
        Some("rextio-numpy/i64-2d"),
    );
    site(symbol, name(0, "rextio-numpy/i64-1d"), right)
}

/// A chain of operators over arrays.
pub(super) struct Chain {
    /// The operations in the order in which Python takes them.
    steps: Vec<Step>,
    leaves: usize,
    result: Array,
}

struct Step {
    operator: Operator,
    left: Value,
    right: Value,
}

/// An operand of a step.
#[derive(Clone, Copy)]
enum Value {
    Leaf(usize),
    Step(usize),
}

impl Chain {
    /// The chain an expression is, if it is one.
    fn of(site: &ClaimSite) -> Option<Self> {
        let expression = site.expression.as_ref()?;
        let (left, right) = expression.operands()?;
        let mut chain = Self {
            steps: Vec::new(),
            leaves: 0,
            result: Array::of(F64_1D)?,
        };
        let (_, result) = chain.visit(expression, true)?;
        chain.result = result;

        let operand_types = site.operand_types.iter().map(Option::as_deref);
        let agrees = site.kind == SiteKind::Binop
            && site.target == expression.target
            && operand_types.eq([left.result_type.as_deref(), right.result_type.as_deref()])
            && is_plain(site);
        (agrees && OPERATORS.contains(&chain.steps.len())).then_some(chain)
    }

    /// Adds the operations below a node, left before right, and says what the
    /// node's value is and of which type.
    fn visit(&mut self, node: &Expr, is_root: bool) -> Option<(Value, Array)> {
        let stated = node.result_type.as_deref();
        match &node.kind {
            ExprKind::Leaf {
                index,
                kind: LeafKind::Name,
            } => {
                // Core numbers the leaves from left to right.
                if *index as usize != self.leaves {
                    return None;
                }
                self.leaves += 1;
                Some((Value::Leaf(self.leaves - 1), Array::of(stated?)?))
            }
            ExprKind::Binop => {
                let operator = Operator::of_symbol(&node.target)?;
                let (left, right) = node.operands()?;
                let (left, left_type) = self.visit(left, false)?;
                let (right, right_type) = self.visit(right, false)?;
                let dtype = left_type.dtype;
                if right_type.dtype != dtype || operator.result_dtype(dtype) != dtype {
                    return None;
                }
                let result = left_type.broadcast(right_type);
                // Core states the type of every node but the root, which it
                // fills in once the site is claimed.
                if stated != Some(result.key()) && !(is_root && stated.is_none()) {
                    return None;
                }
                self.steps.push(Step {
                    operator,
                    left,
                    right,
                });
                Some((Value::Step(self.steps.len() - 1), result))
            }
            ExprKind::Leaf { .. } | ExprKind::Literal(_) | ExprKind::Call { .. } => None,
        }
    }

    /// The element of a value as Rust.
    fn element(&self, value: Value, input: &[usize], nested: bool) -> String {
        let step = match value {
            Value::Leaf(leaf) => return format!("x{}", input[leaf]),
            Value::Step(step) => &self.steps[step],
        };
        if self.result.dtype == Dtype::I64 {
            let method = match step.operator {
                Operator::Add => "wrapping_add",
                Operator::Subtract => "wrapping_sub",
                Operator::Multiply | Operator::Divide => "wrapping_mul",
            };
            let left = self.element(step.left, input, true);
            return format!(
                "{left}.{method}({})",
                self.element(step.right, input, false)
            );
        }
        let left = self.element(step.left, input, true);
        let right = self.element(step.right, input, true);
        let text = format!("{left} {} {right}", step.operator.symbol());
        if nested { format!("({text})") } else { text }
    }
}

impl Planned for Chain {
    fn result_type(&self) -> &str {
        self.result.key()
    }

    fn operand_mode(&self) -> OperandMode {
        OperandMode::Leaves
    }
}

impl Rule for ChainFusion {
    type Plan = Chain;

    fn declaration(&self) -> &'static Declaration {
        &DECLARATION
    }

    fn plan(&self, site: &ClaimSite) -> Verdict<Chain> {
        Chain::of(site).map_or(Verdict::Pass, Verdict::Claimed)
    }

    fn emit(&self, plan: &Chain, operands: &Operands<'_>) -> LoweredExpr {
        // A name that stands twice is read once.
        let mut names: Vec<&String> = Vec::new();
        let input: Vec<usize> = operands
            .values
            .iter()
            .map(|leaf| match names.iter().position(|name| *name == leaf) {
                Some(known) => known,
                None => {
                    names.push(leaf);
                    names.len() - 1
                }
            })
            .collect();

        let index = |value: Value| match value {
            Value::Leaf(leaf) => input[leaf],
            Value::Step(step) => names.len() + step,
        };
        let leaf = |name: &&String| format!("{}({})", path("leaf"), borrow(name));
        let join = |parts: Vec<String>| parts.join(", ");
        let leaves = join(names.iter().map(leaf).collect());
        let steps = join(
            plan.steps
                .iter()
                .map(|step| format!("({}, {})", index(step.left), index(step.right)))
                .collect(),
        );
        let parameters = join((0..names.len()).map(|input| format!("x{input}")).collect());
        let element = plan.element(Value::Step(plan.steps.len() - 1), &input, false);
        let function = match plan.result.rank {
            Rank::One => "fuse_1d",
            Rank::Two => "fuse_2d",
        };
        let arguments = format!("[{leaves}], &[{steps}], |[{parameters}]| {element}");
        runtime_call(function, &arguments)
    }
}
