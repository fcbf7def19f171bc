//! The rules, in the order in which they are asked.
//!
//! Each rule has a file of its own: what it says of itself, how it decides, the
//! Rust it writes. To add one, write the file and list it here.

use rextio_plugin_kit::{
    ClaimSite, LoweredExpr, Operands, Rejection, RuleSet, Verdict, argument, borrow, operand_types,
};

use crate::PLUGIN_ID;
use crate::types::{Array, Dtype, RUNTIME_MODULE, Rank, describe};

mod boundaries;
mod chain_fusion;
mod compare;
mod dot;
mod elementwise;
mod logical;
mod reduction;
mod reduction_axis;
mod reduction_whole;
mod ufunc_call;
mod unary;
mod where_;

/// The plugin's rules. A fused chain is also an elementwise operation, so
/// fusion is asked first.
pub static RULES: RuleSet = RuleSet::new(
    PLUGIN_ID,
    &[
        &chain_fusion::ChainFusion,
        &elementwise::Elementwise,
        &ufunc_call::UfuncCall,
        &unary::Unary,
        &dot::Dot,
        &reduction_whole::SUM_MEAN,
        &reduction_whole::EXTREMA,
        &reduction_axis::ReductionAxis,
        &compare::Compare,
        &logical::NOT,
        &logical::BINARY,
        &where_::Where,
        &boundaries::OPERAND_TYPES,
        &boundaries::NDIM,
        &boundaries::VIEW_ALIASING,
        &boundaries::NDARRAY_SUBCLASS,
        &boundaries::UNSUPPORTED_API,
    ],
);

/// A binary operator with NumPy's name for it and Python's symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
}

impl Operator {
    const ALL: [Self; 4] = [Self::Add, Self::Subtract, Self::Multiply, Self::Divide];

    fn of_symbol(symbol: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|operator| operator.symbol() == symbol)
    }

    fn of_ufunc(target: &str) -> Option<Self> {
        let name = target.strip_prefix("numpy.")?;
        Self::ALL
            .into_iter()
            .find(|operator| operator.name() == name)
    }

    fn symbol(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
        }
    }

    /// The name of the ufunc, and of the runtime's function.
    fn name(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Subtract => "subtract",
            Self::Multiply => "multiply",
            Self::Divide => "divide",
        }
    }

    /// NumPy's true division of integers is in float64.
    fn result_dtype(self, dtype: Dtype) -> Dtype {
        match (self, dtype) {
            (Self::Divide, Dtype::I64) => Dtype::F64,
            (_, dtype) => dtype,
        }
    }
}

/// The operands of one elementwise operation: two arrays of one dtype, or an
/// array and the scalar that goes with it on either side.
struct Pair {
    /// Whether the left and the right operand is an array.
    arrays: [bool; 2],
    /// What they broadcast to.
    broadcast: Array,
}

impl Pair {
    /// Operands of these types, or why they do not go together.
    fn of(left: &str, right: &str) -> Result<Self, String> {
        let arrays = [Array::of(left), Array::of(right)];
        let (broadcast, scalar) = match arrays {
            [None, None] => return Err("one of them must be an array".to_owned()),
            [Some(left), Some(right)] if left.dtype == right.dtype => (left.broadcast(right), None),
            [Some(_), Some(_)] => return Err("both arrays must have one dtype".to_owned()),
            [Some(array), None] => (array, Some(right)),
            [None, Some(array)] => (array, Some(left)),
        };
        let (dtype, wanted) = (broadcast.dtype.name(), broadcast.dtype.scalar());
        match scalar {
            Some(scalar) if scalar != wanted => {
                Err(format!("{dtype} arrays go with scalars of type {wanted}"))
            }
            _ => Ok(Self {
                arrays: arrays.map(|array| array.is_some()),
                broadcast,
            }),
        }
    }

    /// The two operands as arguments.
    fn arguments(&self, left: &str, right: &str) -> String {
        let pass = |operand: &str, is_array| {
            if is_array {
                argument(operand)
            } else {
                operand.to_owned()
            }
        };
        let [left_array, right_array] = self.arrays;
        format!("{}, {}", pass(left, left_array), pass(right, right_array))
    }
}

/// Whether a site has positional operands and nothing else.
fn is_plain(site: &ClaimSite) -> bool {
    site.keywords.is_empty() && site.callables.is_empty() && site.receiver.is_none()
}

/// `numpy.f(a, …)` and `a.f(…)` alike: the name of the function and the types
/// of its operands. The receiver is the first of them.
fn function_and_operands(site: &ClaimSite) -> Option<(&str, Vec<Option<&str>>)> {
    let name = match (&site.receiver, site.target.strip_prefix("numpy.")) {
        (None, Some(name)) => name,
        // What stands before the method's name is the receiver, however written.
        (Some(_), None) => site.target.rsplit('.').next()?,
        _ => return None,
    };
    Some((name, operand_types(site).collect()))
}

/// The first `count` operands by reference, the receiver before the others.
fn lent(operands: &Operands<'_>, count: usize) -> String {
    let lent: Vec<_> = operands.in_order().take(count).map(borrow).collect();
    lent.join(", ")
}

/// The answer for a known construct over operands it does not support: nothing
/// where one of them is unresolved, otherwise a rejection that says what was
/// seen.
fn unsupported<P>(site: &ClaimSite, why: &str) -> Verdict<P> {
    if site.operand_types.iter().any(Option::is_none) {
        return Verdict::NotCovered;
    }
    let rule = &boundaries::OPERAND_TYPES.0;
    Verdict::Rejected(Rejection::by(rule, site, describe, why))
}

/// A call of a function of the runtime, with the module it needs.
fn runtime_call(function: &str, arguments: &str) -> LoweredExpr {
    LoweredExpr {
        rust: format!("{}({arguments})?", path(function)),
        // All array types carry the same module, and where there is a mask
        // there is a call that made it from an array.
        type_support: vec![Array::new(Dtype::F64, Rank::One).key().to_owned()],
        ..LoweredExpr::default()
    }
}

/// The path of a function of the runtime.
fn path(function: &str) -> String {
    format!("{RUNTIME_MODULE}::{function}")
}

#[cfg(test)]
mod tests {
    use rextio_plugin_kit::RuleOutcome;

    use super::*;

    #[test]
    fn every_rule_is_documented_and_its_examples_hold() {
        assert_eq!(RULES.problems(), Vec::<String>::new());
    }

    #[test]
    fn every_native_rule_is_verified() {
        for declaration in RULES.declarations() {
            let native = declaration.outcome == RuleOutcome::Native;
            let expected = native.then_some(true);
            assert_eq!(declaration.verified, expected, "{}", declaration.name);
        }
    }
}
