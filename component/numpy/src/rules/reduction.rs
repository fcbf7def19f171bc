//! What the reductions have in common: `sum`, `mean`, `max` and `min`, called as
//! functions or methods, over a whole array or over one literal axis.
//!
//! float32 sums and means, and means of int64, stay on Python: NumPy's own
//! accumulation of them has no certified native form. So do float extrema: which
//! NaN and which zero they give depends on NumPy's build.

use rextio_plugin_kit::{
    ClaimLiteral, ClaimSite, LoweredExpr, Operands, Planned, SiteKind, Verdict,
};

use super::{function_and_operands, lent, runtime_call, unsupported};
use crate::types::{Array, Dtype, Rank};

/// A reducing function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Function {
    Sum,
    Mean,
    Max,
    Min,
}

impl Function {
    const ALL: [Self; 4] = [Self::Sum, Self::Mean, Self::Max, Self::Min];

    /// NumPy's name for it, which is the runtime's.
    fn name(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Mean => "mean",
            Self::Max => "max",
            Self::Min => "min",
        }
    }

    /// The dtypes over which it is native.
    fn dtypes(self) -> &'static [Dtype] {
        match self {
            Self::Sum => &[Dtype::F64, Dtype::I64],
            Self::Mean => &[Dtype::F64],
            Self::Max | Self::Min => &[Dtype::I64],
        }
    }
}

/// A reduction as it is written.
pub(super) struct Reduction<'a> {
    pub(super) function: Function,
    /// The type of what it reduces.
    operand: Option<&'a str>,
    /// The one axis, where it is given.
    pub(super) axis: Option<i64>,
}

impl<'a> Reduction<'a> {
    /// The reduction that a site is: of one operand, with no option but a literal
    /// axis, by keyword or by position.
    pub(super) fn of(site: &'a ClaimSite) -> Option<Self> {
        let (name, operands) = function_and_operands(site)?;
        let function = Function::ALL
            .into_iter()
            .find(|function| function.name() == name)?;
        let axis = match (operands.as_slice(), site.keywords.as_slice()) {
            ([_], []) => None,
            ([_], [option]) if option.name == "axis" => {
                Some((option.arg_type.as_deref(), &option.literal))
            }
            ([_, axis], []) => Some((*axis, site.operand_literals.last()?)),
            _ => return None,
        };
        let axis = match axis {
            None => None,
            Some((Some("int"), ClaimLiteral::Int(axis))) => Some(*axis),
            Some(_) => return None,
        };
        (site.kind == SiteKind::Call && site.callables.is_empty()).then_some(Self {
            function,
            operand: operands[0],
            axis,
        })
    }

    /// How it is lowered.
    pub(super) fn plan(&self, site: &ClaimSite) -> Verdict<Reduced> {
        let Some(array) = self.operand.and_then(Array::of) else {
            return unsupported(site, "it reduces an array");
        };
        let axis = match self.axis.map(|axis| index(axis, array.rank)) {
            None => None,
            Some(Some(axis)) => Some(axis),
            Some(None) => return Verdict::NotCovered,
        };
        if self.function.dtypes().contains(&array.dtype) {
            return Verdict::Claimed(Reduced {
                function: self.function,
                array,
                axis,
            });
        }
        match self.function {
            Function::Max | Function::Min => Verdict::NotCovered,
            Function::Sum | Function::Mean => {
                let names: Vec<_> = self.function.dtypes().iter().map(|d| d.name()).collect();
                unsupported(site, &format!("it reduces {} arrays", names.join(" and ")))
            }
        }
    }
}

/// The axis counted from the first, where an array of this rank has it.
fn index(axis: i64, rank: Rank) -> Option<i64> {
    let rank = rank as i64;
    let index = if axis < 0 { axis + rank } else { axis };
    (0..rank).contains(&index).then_some(index)
}

/// A reduction of an array of known type.
pub(super) struct Reduced {
    function: Function,
    array: Array,
    axis: Option<i64>,
}

impl Reduced {
    /// The axis that is reduced, where another one remains.
    fn remaining(&self) -> Option<i64> {
        self.axis.filter(|_| self.array.rank == Rank::Two)
    }

    pub(super) fn emit(&self, operands: &Operands<'_>) -> LoweredExpr {
        let (function, array) = (self.function.name(), lent(operands, 1));
        match self.remaining() {
            Some(axis) => runtime_call(&format!("{function}_axis"), &format!("{array}, {axis}")),
            None => runtime_call(function, &array),
        }
    }
}

impl Planned for Reduced {
    fn result_type(&self) -> &str {
        match self.remaining() {
            Some(_) => Array::new(self.array.dtype, Rank::One).key(),
            None => self.array.dtype.scalar(),
        }
    }
}
