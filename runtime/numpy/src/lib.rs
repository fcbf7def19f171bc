//! Elementwise NumPy arithmetic in native code, with NumPy's own answers.
//!
//! The functions take NumPy arrays of rank 1 or 2 (`float64`, `float32`, `int64`) as
//! `Bound<PyArray<T, D>>` and return ones that NumPy owns. Values, dtype, shape, memory order and exceptions are those of
//! NumPy 2.4; a chain of operations runs as one pass without temporaries. An array that is passed by value and that nobody
//! else refers to is an intermediate, whose memory the result may take over; any other operand is only read.
//!
//! Two things are not NumPy's. No `RuntimeWarning` is emitted. And where both operands of an operation are NaN, the result
//! is NaN but its sign and payload are unspecified, as they are in Rust; NumPy itself takes now the left one's and now
//! the right one's, depending on the strides.
//!
//! | layer | modules | what it knows |
//! |---|---|---|
//! | operations | `ops` | which function of which elements; scalars; chains |
//! | arrays | `array` | NumPy's C API: reading a header, allocating a result or taking over an operand |
//! | kernels | [`kernel`], [`pack`], `transpose` | writing a result from strided operands |
//! | rules | [`extent`], [`element`], [`view`] | broadcasting, memory order, arithmetic |
//!
//! **Architecture invariant:** the two lower layers know nothing of Python; they build and are tested with
//! `--no-default-features`. There is no reduction, no mask and no other operation that changes the number of elements.
//!
//! **Architecture invariant:** the sources are also embedded, as one module, into crates that Rextio generates. They
//! therefore name each other with `super::`, use no crate but `numpy` and `pyo3`, and suit edition 2021, Rust 1.83.

#![deny(missing_docs)]

#[cfg(feature = "python")]
mod array;
mod cpu;
pub mod element;
pub mod extent;
pub mod kernel;
#[cfg(feature = "python")]
mod ops;
pub mod pack;
#[cfg(target_arch = "x86_64")]
mod transpose;
pub mod view;

#[cfg(feature = "python")]
pub use self::array::{exact, leaf, Array, Leaf, Rank};
#[cfg(feature = "python")]
pub use self::ops::{
    absolute, add, divide, fuse_1d, fuse_2d, multiply, negative, square, subtract, Operands,
};
