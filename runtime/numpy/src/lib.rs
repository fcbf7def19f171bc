//! NumPy arithmetic and reductions in native code, with NumPy's own answers.
//!
//! The functions take NumPy arrays of rank 1 or 2 (`float64`, `float32`, `int64`) as
//! `Bound<PyArray<T, D>>` and return ones that NumPy owns. Values, dtype, shape, memory order and exceptions are those of
//! NumPy 2.4; a chain of operations runs as one pass without temporaries. An array that is passed by value and that nobody
//! else refers to is an intermediate, whose memory the result may take over; any other operand is only read. A comparison
//! yields a `Mask`, which `where_` evaluates block by block as it chooses.
//!
//! Two things are not NumPy's. No `RuntimeWarning` is emitted. And where both operands of an operation are NaN, the result
//! is NaN but its sign and payload are unspecified, as they are in Rust; NumPy itself takes now the left one's and now
//! the right one's, depending on the strides.
//!
//! Floats are summed in NumPy's order, and multiplied by NumPy's BLAS, so that the rounding is the same. It may differ in
//! two cases: sums after `numpy.setbufsize`, and [`dot`](fn@dot) of operands that NumPy would copy first.
//!
//! | layer | modules | what it knows |
//! |---|---|---|
//! | operations | `ops` | which function of which elements; scalars; chains |
//! | | `choice` | comparisons, masks of them, the choice between two branches |
//! | | `reduce` | which reduction of which elements; dot products |
//! | arrays | `array` | NumPy's C API: reading a header, allocating a result or taking over an operand |
//! | kernels | [`kernel`], [`pack`], `transpose`, `stream` | writing a result from strided operands |
//! | | [`mask`] | running a mask over them, and choosing |
//! | | [`reduction`], [`sum`](mod@sum), [`integers`] | reducing strided operands, whole and by axis |
//! | | [`dot`](mod@dot), `avx512` | dot products; instructions without intrinsics |
//! | rules | [`extent`], [`element`], [`view`] | broadcasting, memory order, arithmetic |
//! | | [`program`] | masks as lists of steps |
//!
//! **Architecture invariant:** the two lower layers know nothing of Python; they build and are tested with
//! `--no-default-features`. Nothing changes the number of elements but broadcasting and reductions.
//!
//! **Architecture invariant:** the sources are also embedded, as one module, into crates that Rextio generates. They
//! therefore name each other with `super::`, use no crate but `numpy` and `pyo3`, and suit edition 2021, Rust 1.83.

#![deny(missing_docs)]

#[cfg(feature = "python")]
mod array;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(feature = "python")]
mod choice;
mod cpu;
pub mod dot;
pub mod element;
pub mod extent;
pub mod integers;
pub mod kernel;
pub mod mask;
#[cfg(test)]
mod operands;
#[cfg(feature = "python")]
mod ops;
pub mod pack;
pub mod program;
#[cfg(feature = "python")]
mod reduce;
pub mod reduction;
mod stream;
pub mod sum;
#[cfg(target_arch = "x86_64")]
mod transpose;
pub mod view;

#[cfg(feature = "python")]
pub use self::array::{exact, leaf, Array, Held, Leaf, Rank};
#[cfg(feature = "python")]
pub use self::choice::{
    equal, greater, greater_equal, less, less_equal, logical_and, logical_not, logical_or,
    not_equal, where_, Comparand, Condition, Mask,
};
#[cfg(feature = "python")]
pub use self::ops::{
    absolute, add, divide, fuse_1d, fuse_2d, multiply, negative, square, subtract, Operands,
};
#[cfg(feature = "python")]
pub use self::reduce::{
    dot, max, max_axis, mean, mean_axis, min, min_axis, sum, sum_axis, Dot, Sum,
};
