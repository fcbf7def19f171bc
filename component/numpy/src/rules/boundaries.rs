//! The boundaries of the plugin: rules that describe what stays on Python, or is
//! refused, and claim nothing.

use rextio_plugin_kit::{Declaration, Described, RuleOutcome, ScopeKind};

/// The one code that rejections carry.
pub(super) const OPERAND_TYPES_CODE: &str = "RXTP-NUMPY-010";

pub(super) static OPERAND_TYPES: &Described = &Described(Declaration {
    name: "unsupported-operand-types",
    code: Some(OPERAND_TYPES_CODE),
    scope: ScopeKind::Call,
    pattern: "a NumPy operation that the plugin covers, over operands of known types that it \
              does not: mixed dtypes, another scalar, a float max, a float32 sum and the like",
    constraint: "The operation is covered and every operand's type is known, but the combination \
                 has no native form that gives NumPy's answer. The site is rejected with the \
                 types that were seen. Calls, operators and comparisons alike carry this code. \
                 Where an operand's type is unresolved nothing is said and the function stays on \
                 Python, and so it does for float extrema; an arithmetic ufunc, logical or where \
                 call with options or another number of operands is rejected rather than passed \
                 over.",
    outcome: RuleOutcome::Fallback,
    guidance: "Convert at the edge of the hot function so that all its arrays have one dtype: \
               float64, float32 or int64 for + - * /, comparisons and where; float64 or int64 for \
               sum and dot; float64 for mean; int64 for max and min. Or leave the function on \
               Python.",
    ..Declaration::EMPTY
});

pub(super) static NDIM: &Described = &Described(Declaration {
    name: "unsupported-ndim",
    code: Some("RXTP-NUMPY-011"),
    scope: ScopeKind::Type,
    pattern: "an array of three or more dimensions, or of a rank that is not known statically",
    constraint: "Only arrays annotated as rank 1 or 2 are native.",
    outcome: RuleOutcome::Fallback,
    guidance: "Reshape at the edge of the hot function and work on 1-D or 2-D arrays within it.",
    ..Declaration::EMPTY
});

pub(super) static VIEW_ALIASING: &Described = &Described(Declaration {
    name: "view-aliasing",
    code: Some("RXTP-NUMPY-012"),
    scope: ScopeKind::Call,
    pattern: "writing into a view that shares memory with another live array, such as \
              b = a[1:]; b[0] = 1.0",
    constraint: "Native functions read their arrays and return fresh ones. A write that is seen \
                 through another name has no native form, so the function stays on Python.",
    outcome: RuleOutcome::Fallback,
    guidance: "Compute a new array instead of writing into a view, or copy the view first.",
    ..Declaration::EMPTY
});

pub(super) static NDARRAY_SUBCLASS: &Described = &Described(Declaration {
    name: "ndarray-subclass-boundary",
    code: Some("RXTP-NUMPY-013"),
    scope: ScopeKind::Type,
    pattern: "an argument of a native function that is a subclass of numpy.ndarray: matrix, \
              memmap, a masked array or a class of your own",
    constraint: "A subclass may change what an operator means (__array_ufunc__, \
                 __array_priority__, matrix products), and an annotation cannot tell it from an \
                 array. So every array parameter is checked when the native function is called; \
                 a subclass raises TypeError('rextio-numpy native boundary requires exact \
                 numpy.ndarray; ndarray subclasses are unsupported'). Views of exact arrays, of \
                 any strides, are welcome.",
    outcome: RuleOutcome::Reject,
    guidance: "Pass numpy.asarray(x) where the subclass does not matter; keep the function on \
               Python where it does.",
    symbols: &["numpy.ndarray"],
    ..Declaration::EMPTY
});

pub(super) static UNSUPPORTED_API: &Described = &Described(Declaration {
    name: "unsupported-api",
    code: Some("RXTP-NUMPY-019"),
    scope: ScopeKind::Call,
    pattern: "any other NumPy function, method or option: matmul and @ on 2-D arrays, a tuple \
              or computed axis, keepdims, out, chained comparisons, one-argument where, fancy \
              indexing, numpy.linalg, numpy.random",
    constraint: "What has no certified native form stays on Python; nothing is guessed.",
    outcome: RuleOutcome::Fallback,
    guidance: "Move the covered arithmetic into a typed function of its own and leave the rest \
               where it is.",
    ..Declaration::EMPTY
});
