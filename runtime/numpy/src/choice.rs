//! Comparisons, their masks, and the choice between two branches.

use std::marker::PhantomData;

use numpy::ndarray::DimMax;
use numpy::PyArray;
use pyo3::{Bound, PyResult, Python};

use super::array::{broadcast_error, filled, too_large, Held, Rank};
use super::extent::{Extent, Mismatch};
use super::mask::{select, store, Comparable, Predicate, Relation};
use super::ops::Operands;
use super::program::Program;

/// The boolean array of rank 1 or 2 that a comparison yields, evaluated where it is used.
///
/// A mask keeps references to the arrays that were compared, and what was asked of them. Their shapes are checked when it
/// is made. [`where_`] evaluates it, block by block, so that it is never in memory as a whole; except that a mask of more
/// than 32 comparisons and logical operations ([`LIMIT`](super::program::LIMIT)) is at once replaced by an array of its values.
///
/// It sees the elements that the arrays have when it is used. No operation of this crate changes them after the comparison:
/// only an array that nothing else refers to is ever overwritten, and the mask refers to it. Python code that runs between
/// comparison and use could; NumPy's mask, which is a copy, would not show that.
#[derive(Clone)]
pub struct Mask<'py, D> {
    py: Python<'py>,
    program: Program<Condition<'py>>,
    /// That of the array that NumPy would have made.
    extent: Extent,
    rank: PhantomData<D>,
}

/// A leaf of a mask's program: a [`Predicate`] that keeps its operands.
#[derive(Clone)]
pub enum Condition<'py> {
    /// Of `float64` operands.
    Float64(Relation, [Held<'py, f64>; 2]),
    /// Of `float32` operands.
    Float32(Relation, [Held<'py, f32>; 2]),
    /// Of `int64` operands.
    Int64(Relation, [Held<'py, i64>; 2]),
    /// Values of a mask that has been evaluated.
    Stored(Held<'py, u8>),
}

impl Condition<'_> {
    fn read(&self) -> PyResult<Predicate<'_>> {
        Ok(match self {
            Self::Float64(relation, [x, y]) => {
                Predicate::Float64(*relation, [x.view()?, y.view()?])
            }
            Self::Float32(relation, [x, y]) => {
                Predicate::Float32(*relation, [x.view()?, y.view()?])
            }
            Self::Int64(relation, [x, y]) => Predicate::Int64(*relation, [x.view()?, y.view()?]),
            Self::Stored(bytes) => Predicate::Stored(bytes.view()?),
        })
    }
}

/// An element type whose comparisons make masks: `f64`, `f32` or `i64`.
pub trait Comparand: Comparable {
    /// The leaf that compares such operands.
    fn compare<'py>(relation: Relation, operands: [Held<'py, Self>; 2]) -> Condition<'py>;
}

macro_rules! comparand {
    ($item:ty, $variant:ident) => {
        impl Comparand for $item {
            #[inline]
            fn compare<'py>(relation: Relation, operands: [Held<'py, Self>; 2]) -> Condition<'py> {
                Condition::$variant(relation, operands)
            }
        }
    };
}

comparand!(f64, Float64);
comparand!(f32, Float32);
comparand!(i64, Int64);

impl<'py, D: Rank> Mask<'py, D> {
    /// A mask of this program and extent, which has been evaluated if it is too long.
    #[inline]
    fn new(
        py: Python<'py>,
        program: Program<Condition<'py>>,
        extent: Result<Extent, Mismatch>,
    ) -> PyResult<Self> {
        let extent = extent.map_err(broadcast_error)?;
        if extent.shape().size().is_none() {
            return Err(too_large());
        }
        let mask = Self {
            py,
            program,
            extent,
            rank: PhantomData,
        };
        if mask.program.is_long() {
            mask.evaluated()
        } else {
            Ok(mask)
        }
    }

    /// The same mask as an array of its values.
    #[cold]
    fn evaluated(self) -> PyResult<Self> {
        let (shape, order) = (self.extent.shape(), self.extent.order());
        let program = self.program.map(Condition::read)?;
        // SAFETY: `store` writes every element.
        let bytes = unsafe {
            filled::<u8, D>(self.py, shape, order, |out| {
                store(out, shape, order, &program)
            })?
        };
        Ok(Self {
            program: Program::leaf(Condition::Stored(Held::array(&bytes)?)),
            ..self
        })
    }
}

/// The mask of what `relate` makes of two operands.
#[inline]
fn compare<'py, L, R>(
    left: L,
    right: R,
    relate: impl FnOnce([Held<'py, L::Item>; 2]) -> Condition<'py>,
) -> PyResult<Mask<'py, L::Rank>>
where
    L: Operands<'py, R, Item: Comparand>,
{
    let operands = left.hold(right)?;
    let [x, y] = &operands;
    let extent = x.view()?.extent().join(y.view()?.extent());
    let py = x.py();
    Mask::new(py, Program::leaf(relate(operands)), extent)
}

/// `numpy.equal(left, right)`, as a [`Mask`].
///
/// Operands are two arrays of one dtype (`float64`, `float32`, `int64`) and rank 1 or 2, broadcast against each other, or
/// an array and a scalar on either side, of the array's dtype: see [`Operands`]. NaN is not equal to anything.
///
/// NumPy: [`numpy.equal`](https://numpy.org/doc/stable/reference/generated/numpy.equal.html).
///
/// # Errors
///
/// `ValueError` when the shapes do not broadcast, or the mask would have more elements than NumPy can count.
#[inline]
pub fn equal<'py, L, R>(left: L, right: R) -> PyResult<Mask<'py, L::Rank>>
where
    L: Operands<'py, R, Item: Comparand>,
{
    compare(left, right, |operands| {
        Comparand::compare(Relation::Equal, operands)
    })
}

/// `numpy.not_equal(left, right)`, true for NaN, and otherwise as [`equal`].
///
/// NumPy: [`numpy.not_equal`](https://numpy.org/doc/stable/reference/generated/numpy.not_equal.html).
///
/// # Errors
///
/// As [`equal`].
#[inline]
pub fn not_equal<'py, L, R>(left: L, right: R) -> PyResult<Mask<'py, L::Rank>>
where
    L: Operands<'py, R, Item: Comparand>,
{
    compare(left, right, |operands| {
        Comparand::compare(Relation::NotEqual, operands)
    })
}

/// `numpy.less(left, right)`, false for NaN, and otherwise as [`equal`].
///
/// NumPy: [`numpy.less`](https://numpy.org/doc/stable/reference/generated/numpy.less.html).
///
/// # Errors
///
/// As [`equal`].
#[inline]
pub fn less<'py, L, R>(left: L, right: R) -> PyResult<Mask<'py, L::Rank>>
where
    L: Operands<'py, R, Item: Comparand>,
{
    compare(left, right, |operands| {
        Comparand::compare(Relation::Less, operands)
    })
}

/// `numpy.less_equal(left, right)`, false for NaN, and otherwise as [`equal`].
///
/// NumPy: [`numpy.less_equal`](https://numpy.org/doc/stable/reference/generated/numpy.less_equal.html).
///
/// # Errors
///
/// As [`equal`].
#[inline]
pub fn less_equal<'py, L, R>(left: L, right: R) -> PyResult<Mask<'py, L::Rank>>
where
    L: Operands<'py, R, Item: Comparand>,
{
    compare(left, right, |operands| {
        Comparand::compare(Relation::LessEqual, operands)
    })
}

/// `numpy.greater(left, right)`, false for NaN, and otherwise as [`equal`].
///
/// NumPy: [`numpy.greater`](https://numpy.org/doc/stable/reference/generated/numpy.greater.html).
///
/// # Errors
///
/// As [`equal`].
#[inline]
pub fn greater<'py, L, R>(left: L, right: R) -> PyResult<Mask<'py, L::Rank>>
where
    L: Operands<'py, R, Item: Comparand>,
{
    compare(left, right, |[x, y]| {
        Comparand::compare(Relation::Less, [y, x])
    })
}

/// `numpy.greater_equal(left, right)`, false for NaN, and otherwise as [`equal`].
///
/// NumPy: [`numpy.greater_equal`](https://numpy.org/doc/stable/reference/generated/numpy.greater_equal.html).
///
/// # Errors
///
/// As [`equal`].
#[inline]
pub fn greater_equal<'py, L, R>(left: L, right: R) -> PyResult<Mask<'py, L::Rank>>
where
    L: Operands<'py, R, Item: Comparand>,
{
    compare(left, right, |[x, y]| {
        Comparand::compare(Relation::LessEqual, [y, x])
    })
}

/// `numpy.logical_not(mask)`.
///
/// NumPy: [`numpy.logical_not`](https://numpy.org/doc/stable/reference/generated/numpy.logical_not.html).
///
/// # Errors
///
/// What evaluating a mask of more than 32 comparisons and logical operations raises: NumPy's `MemoryError` when its values
/// cannot be allocated, `RuntimeError` when an array has another shape than when it was compared.
pub fn logical_not<'py, D: Rank>(mask: &Mask<'py, D>) -> PyResult<Mask<'py, D>> {
    Mask::new(mask.py, mask.program.clone().negated(), Ok(mask.extent))
}

/// The mask of what `combine` makes of two programs, of the higher of the two ranks.
fn combine<'py, L: DimMax<R, Output: Rank>, R: Rank>(
    left: &Mask<'py, L>,
    right: &Mask<'py, R>,
    combine: impl FnOnce(Program<Condition<'py>>, Program<Condition<'py>>) -> Program<Condition<'py>>,
) -> PyResult<Mask<'py, L::Output>> {
    let extent = left.extent.join(right.extent);
    Mask::new(
        left.py,
        combine(left.program.clone(), right.program.clone()),
        extent,
    )
}

/// `numpy.logical_and(left, right)` of two masks, broadcast against each other.
///
/// NumPy: [`numpy.logical_and`](https://numpy.org/doc/stable/reference/generated/numpy.logical_and.html).
///
/// # Errors
///
/// `ValueError` when the shapes do not broadcast, or the mask would have more elements than NumPy can count; and those of
/// [`logical_not`].
pub fn logical_and<'py, L, R>(
    left: &Mask<'py, L>,
    right: &Mask<'py, R>,
) -> PyResult<Mask<'py, L::Output>>
where
    L: DimMax<R, Output: Rank>,
    R: Rank,
{
    combine(left, right, Program::and)
}

/// `numpy.logical_or(left, right)` of two masks, otherwise as [`logical_and`].
///
/// NumPy: [`numpy.logical_or`](https://numpy.org/doc/stable/reference/generated/numpy.logical_or.html).
///
/// # Errors
///
/// As [`logical_and`].
pub fn logical_or<'py, L, R>(
    left: &Mask<'py, L>,
    right: &Mask<'py, R>,
) -> PyResult<Mask<'py, L::Output>>
where
    L: DimMax<R, Output: Rank>,
    R: Rank,
{
    combine(left, right, Program::or)
}

/// The array that a mask of rank `M` makes of the branches `X` and `Y`.
type Chosen<'py, M, X, Y> = Bound<
    'py,
    PyArray<<X as Operands<'py, Y>>::Item, <M as DimMax<<X as Operands<'py, Y>>::Rank>>::Output>,
>;

/// `numpy.where(mask, x, y)`: the elements of `x` where the mask is true, those of `y` where it is false.
///
/// `x` and `y` are two arrays of one dtype (`float64`, `float32`, `int64`) and rank 1 or 2, or an array and a scalar in
/// either place, of the array's dtype: see [`Operands`]. They and the mask are broadcast against each other. The result is
/// a fresh array of that dtype and of the highest rank, in NumPy's "K" memory order, which NumPy owns. Elements are copied
/// bit by bit.
///
/// NumPy: [`numpy.where`](https://numpy.org/doc/stable/reference/generated/numpy.where.html).
///
/// # Errors
///
/// `ValueError` when the shapes do not broadcast; NumPy's `MemoryError` or `ValueError` when the result cannot be
/// allocated; `RuntimeError` when an array has another shape than when it was compared.
#[inline]
pub fn where_<'py, M, X, Y>(mask: &Mask<'py, M>, x: X, y: Y) -> PyResult<Chosen<'py, M, X, Y>>
where
    M: DimMax<X::Rank, Output: Rank>,
    X: Operands<'py, Y, Item: Comparand>,
{
    let [x, y] = x.hold(y)?;
    let (x, y) = (x.view()?, y.view()?);
    let extent =
        Extent::join_three([mask.extent, x.extent(), y.extent()]).map_err(broadcast_error)?;
    let (shape, order) = (extent.shape(), extent.order());
    let program = mask.program.map(Condition::read)?;
    // SAFETY: `select` writes every element.
    unsafe {
        filled(mask.py, shape, order, |out| {
            select(out, shape, order, &program, [x, y])
        })
    }
}
