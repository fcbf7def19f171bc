//! Families whose records stand but which claim nothing yet: every site of
//! theirs is answered *not covered*, and stays on Python.

use rextio_plugin_kit::{Declaration, Described, RuleOutcome, ScopeKind};

const UPCOMING: Declaration = Declaration {
    outcome: RuleOutcome::Native,
    verified: Some(false),
    ..Declaration::EMPTY
};

pub(super) static DOT: &Described = &Described(Declaration {
    name: "dot-float64",
    code: Some("RXTP-NUMPY-002"),
    pattern: "numpy.dot(a, b) and a.dot(b) over two 1-D float64 or two 1-D int64 arrays",
    constraint: "Both arrays are of rank 1 and one dtype, float64 or int64 (which wraps). float32 \
                 and 2-D operands stay on Python, as does the operator @.",
    guidance: "Keep the arrays 1-D and of one of the two dtypes.",
    symbols: &["numpy.dot", "numpy.ndarray.dot"],
    ..UPCOMING
});

pub(super) static REDUCTION: &Described = &Described(Declaration {
    name: "reduction-sum-mean",
    code: Some("RXTP-NUMPY-003"),
    pattern: "numpy.sum(a), a.sum(), numpy.mean(a), a.mean() over the whole array",
    constraint: "sum over float64 and int64 arrays, mean over float64 arrays, of rank 1 or 2, \
                 without options. The result is a Python float or int.",
    guidance: "Leave axis, dtype and keepdims out, and keep float32 sums on Python.",
    symbols: &[
        "numpy.sum",
        "numpy.mean",
        "numpy.ndarray.sum",
        "numpy.ndarray.mean",
    ],
    ..UPCOMING
});

pub(super) static REDUCTION_EXTREMA: &Described = &Described(Declaration {
    name: "reduction-whole-i64-extrema",
    code: Some("RXTP-NUMPY-008"),
    pattern: "numpy.max(a), numpy.min(a), a.max(), a.min() over a whole int64 array",
    constraint: "An int64 array of rank 1 or 2 and no options. An empty array raises NumPy's \
                 ValueError. Float extrema stay on Python: which NaN and which zero they give is \
                 not fixed by NumPy.",
    guidance: "Take extrema of int64 arrays natively and of float arrays on Python.",
    symbols: &[
        "numpy.max",
        "numpy.min",
        "numpy.ndarray.max",
        "numpy.ndarray.min",
    ],
    ..UPCOMING
});

pub(super) static REDUCTION_AXIS: &Described = &Described(Declaration {
    name: "reduction-axis",
    code: Some("RXTP-NUMPY-004"),
    pattern: "sum, mean, max or min over one literal axis, as numpy.sum(a, axis=0), \
              numpy.sum(a, 0), a.sum(axis=0) or a.sum(0)",
    constraint: "Exactly one axis, written as an integer within the array's rank (negative ones \
                 count from the end), and no other option. sum over float64 and int64, mean over \
                 float64, max and min over int64. Rank 2 gives a 1-D array, rank 1 a Python \
                 float or int.",
    guidance: "Write the axis as a plain integer.",
    symbols: &[
        "numpy.sum",
        "numpy.mean",
        "numpy.max",
        "numpy.min",
        "numpy.ndarray.sum",
        "numpy.ndarray.mean",
        "numpy.ndarray.max",
        "numpy.ndarray.min",
    ],
    ..UPCOMING
});

pub(super) static COMPARE: &Described = &Described(Declaration {
    name: "elementwise-compare",
    code: Some("RXTP-NUMPY-009"),
    scope: ScopeKind::Compare,
    pattern: "a == b, a != b, a < b, a <= b, a > b, a >= b over arrays of one dtype, or an array \
              and its scalar",
    constraint: "Two float64, float32 or int64 arrays of one dtype and rank 1 or 2, broadcast, \
                 or such an array and its scalar; not chained. The result is a mask that lives \
                 in native code only: it cannot be annotated, passed or returned.",
    guidance: "Use the mask in the same function, in where or a logical call.",
    ..UPCOMING
});

pub(super) static LOGICAL_NOT: &Described = &Described(Declaration {
    name: "resident-logical-not",
    code: Some("RXTP-NUMPY-015"),
    pattern: "numpy.logical_not(mask)",
    constraint: "Exactly one mask that a comparison or logical call produced in the same \
                 function, and no options.",
    guidance: "Apply it to a comparison, not to an array from outside.",
    symbols: &["numpy.logical_not"],
    ..UPCOMING
});

pub(super) static LOGICAL_BINARY: &Described = &Described(Declaration {
    name: "resident-logical-binary",
    code: Some("RXTP-NUMPY-016"),
    pattern: "numpy.logical_and(mask, mask), numpy.logical_or(mask, mask)",
    constraint: "Exactly two masks that comparisons or logical calls produced in the same \
                 function, broadcast against each other, and no options.",
    guidance: "Combine comparisons, not arrays from outside.",
    symbols: &["numpy.logical_and", "numpy.logical_or"],
    ..UPCOMING
});

pub(super) static WHERE: &Described = &Described(Declaration {
    name: "where-three-argument",
    code: Some("RXTP-NUMPY-014"),
    pattern: "numpy.where(mask, x, y)",
    constraint: "Exactly three positional operands: a mask from the same function, and two \
                 arrays of one dtype, or such an array and its scalar. All three broadcast.",
    guidance: "Give both branches one dtype and make at least one of them an array.",
    symbols: &["numpy.where"],
    ..UPCOMING
});
