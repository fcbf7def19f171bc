//! The operations.

use numpy::ndarray::{DimMax, Ix1, Ix2};
use numpy::{Element, PyArray, PyArray1, PyArray2};
use pyo3::{Bound, PyResult};

use super::array::{broadcast_error, is_spare, leaf, produce, reuse, Array, Held, Leaf, Rank};
use super::element::Numeric;
use super::extent::Extent;

/// A pair of operands: two arrays of one dtype, or an array and a scalar on either side.
///
/// Arrays are lent (`&Bound`) or given away (`Bound`). The result takes the place of a given one that nobody else refers
/// to and that is like the result in dtype, shape and memory order: a chain of operations then runs in one array.
///
/// The scalar is an `f64` beside `float64` and `float32` arrays and an `i64` beside `int64` ones. Like NumPy's weak Python
/// scalars ([NEP 50]) it takes the array's dtype: beside `float32` it is narrowed once, overflowing to infinity.
///
/// [NEP 50]: https://numpy.org/neps/nep-0050-scalar-promotion.html
pub trait Operands<'py, Right>: Sized {
    /// The arrays' element type.
    type Item: Numeric<Quotient: Element> + Element;
    /// The rank of the result: the higher of the arrays' ranks.
    type Rank: Rank;

    /// An array of `f` of the broadcast elements.
    ///
    /// # Errors
    ///
    /// As [`add`].
    fn zip<O: Numeric + Element>(
        self,
        right: Right,
        f: impl Fn(Self::Item, Self::Item) -> O,
    ) -> PyResult<Bound<'py, PyArray<O, Self::Rank>>>;

    /// Both operands, with references of their own.
    ///
    /// # Errors
    ///
    /// `RuntimeError` when an array has another number of axes than its type says.
    fn hold(self, right: Right) -> PyResult<[Held<'py, Self::Item>; 2]>;
}

impl<'py, L, R> Operands<'py, R> for L
where
    L: Array<'py, Rank: DimMax<R::Rank, Output: Rank>>,
    R: Array<'py, Item = L::Item>,
{
    type Item = L::Item;
    type Rank = <L::Rank as DimMax<R::Rank>>::Output;

    #[inline]
    fn zip<O: Numeric + Element>(
        self,
        right: R,
        f: impl Fn(L::Item, L::Item) -> O,
    ) -> PyResult<Bound<'py, PyArray<O, Self::Rank>>> {
        let (x, y) = (leaf(self.array()).view()?, leaf(right.array()).view()?);
        let extent = x.extent().join(y.extent()).map_err(broadcast_error)?;
        if is_spare::<L, O>(&self, extent) {
            // SAFETY: it is spare, and a result of both operands has the higher of their ranks.
            return Ok(unsafe { reuse(&self, extent, &[y], |x, [y]| f(x, y)) });
        }
        if is_spare::<R, O>(&right, extent) {
            // SAFETY: as above.
            return Ok(unsafe { reuse(&right, extent, &[x], |y, [x]| f(x, y)) });
        }
        produce(self.array().py(), extent, &[x, y], |[x, y]| f(x, y))
    }

    #[inline]
    fn hold(self, right: R) -> PyResult<[Held<'py, L::Item>; 2]> {
        Ok([Held::array(self.array())?, Held::array(right.array())?])
    }
}

macro_rules! scalar {
    ($item:ty, $scalar:ty) => {
        scalar!($item, $scalar, &Bound<'py, PyArray<$item, D>>);
        scalar!($item, $scalar, Bound<'py, PyArray<$item, D>>);
    };
    ($item:ty, $scalar:ty, $array:ty) => {
        impl<'py, D: Rank> Operands<'py, $scalar> for $array {
            type Item = $item;
            type Rank = D;

            #[inline]
            fn zip<O: Numeric + Element>(
                self,
                right: $scalar,
                f: impl Fn($item, $item) -> O,
            ) -> PyResult<Bound<'py, PyArray<O, D>>> {
                let right = right as $item;
                map(self, |x| f(x, right))
            }

            #[inline]
            fn hold(self, right: $scalar) -> PyResult<[Held<'py, $item>; 2]> {
                let (array, scalar) = (self.array(), right as $item);
                Ok([Held::array(array)?, Held::Scalar(scalar, array.py())])
            }
        }

        impl<'py, D: Rank> Operands<'py, $array> for $scalar {
            type Item = $item;
            type Rank = D;

            #[inline]
            fn zip<O: Numeric + Element>(
                self,
                right: $array,
                f: impl Fn($item, $item) -> O,
            ) -> PyResult<Bound<'py, PyArray<O, D>>> {
                let left = self as $item;
                map(right, |y| f(left, y))
            }

            #[inline]
            fn hold(self, right: $array) -> PyResult<[Held<'py, $item>; 2]> {
                let (scalar, array) = (self as $item, right.array());
                Ok([Held::Scalar(scalar, array.py()), Held::array(array)?])
            }
        }
    };
}

scalar!(f64, f64);
scalar!(f32, f64);
scalar!(i64, i64);

/// An array of `f` of every element, in the place of the operand where that is allowed.
#[inline]
fn map<'py, A: Array<'py>, O: Numeric + Element>(
    operand: A,
    f: impl Fn(A::Item) -> O,
) -> PyResult<Bound<'py, PyArray<O, A::Rank>>> {
    let view = leaf(operand.array()).view()?;
    let extent = view.extent().result();
    if is_spare::<A, O>(&operand, extent) {
        // SAFETY: it is spare, and of the result's rank.
        return Ok(unsafe { reuse(&operand, extent, &[], |x, []| f(x)) });
    }
    produce(operand.array().py(), extent, &[view], |[x]| f(x))
}

/// The array of `O` that an operation on `L` and `R` yields.
type Zipped<'py, L, R, O> = Bound<'py, PyArray<O, <L as Operands<'py, R>>::Rank>>;

/// `numpy.add(left, right)`.
///
/// Operands are two arrays of one dtype (`float64`, `float32`, `int64`) and rank 1 or 2, broadcast against each other, or
/// an array and a scalar on either side. The result has that dtype, the broadcast shape and NumPy's "K" memory order;
/// NumPy owns it. It is a fresh array, or an operand that was passed by value and that nobody else refers to, overwritten:
/// see [`Operands`]. Integers wrap. NumPy's `RuntimeWarning`s are not emitted.
///
/// NumPy: [`numpy.add`](https://numpy.org/doc/stable/reference/generated/numpy.add.html).
///
/// # Errors
///
/// `ValueError` when the shapes do not broadcast; NumPy's `MemoryError` or `ValueError` when the result cannot be
/// allocated.
#[inline]
pub fn add<'py, L, R>(left: L, right: R) -> PyResult<Zipped<'py, L, R, L::Item>>
where
    L: Operands<'py, R>,
{
    left.zip(right, Numeric::plus)
}

/// `numpy.subtract(left, right)`, otherwise as [`add`].
///
/// NumPy: [`numpy.subtract`](https://numpy.org/doc/stable/reference/generated/numpy.subtract.html).
///
/// # Errors
///
/// As [`add`].
#[inline]
pub fn subtract<'py, L, R>(left: L, right: R) -> PyResult<Zipped<'py, L, R, L::Item>>
where
    L: Operands<'py, R>,
{
    left.zip(right, Numeric::minus)
}

/// `numpy.multiply(left, right)`, otherwise as [`add`].
///
/// NumPy: [`numpy.multiply`](https://numpy.org/doc/stable/reference/generated/numpy.multiply.html).
///
/// # Errors
///
/// As [`add`].
#[inline]
pub fn multiply<'py, L, R>(left: L, right: R) -> PyResult<Zipped<'py, L, R, L::Item>>
where
    L: Operands<'py, R>,
{
    left.zip(right, Numeric::times)
}

/// `numpy.divide(left, right)`: true division, otherwise as [`add`].
///
/// `int64` operands are converted to `float64` first, which is also the dtype of their result.
///
/// NumPy: [`numpy.divide`](https://numpy.org/doc/stable/reference/generated/numpy.divide.html).
///
/// # Errors
///
/// As [`add`].
#[inline]
pub fn divide<'py, L, R>(
    left: L,
    right: R,
) -> PyResult<Zipped<'py, L, R, <L::Item as Numeric>::Quotient>>
where
    L: Operands<'py, R>,
{
    left.zip(right, Numeric::over)
}

/// `numpy.negative(array)`.
///
/// `array` is of rank 1 or 2 and dtype `float64`, `float32` or `int64`; the result has its shape and dtype, and NumPy's
/// "K" memory order. Passed by value, an array that nobody else refers to may be overwritten and returned. A float's sign
/// bit is flipped, also that of zero and NaN; `int64` wraps.
///
/// NumPy: [`numpy.negative`](https://numpy.org/doc/stable/reference/generated/numpy.negative.html).
///
/// # Errors
///
/// NumPy's `MemoryError` when the result cannot be allocated.
#[inline]
pub fn negative<'py, A: Array<'py>>(array: A) -> PyResult<Bound<'py, PyArray<A::Item, A::Rank>>> {
    map(array, Numeric::negated)
}

/// `numpy.absolute(array)`, which clears the sign bit of floats and wraps on `int64`; otherwise as [`negative`].
///
/// NumPy: [`numpy.absolute`](https://numpy.org/doc/stable/reference/generated/numpy.absolute.html).
///
/// # Errors
///
/// As [`negative`].
#[inline]
pub fn absolute<'py, A: Array<'py>>(array: A) -> PyResult<Bound<'py, PyArray<A::Item, A::Rank>>> {
    map(array, Numeric::magnitude)
}

/// `numpy.square(array)`; `int64` wraps; otherwise as [`negative`].
///
/// NumPy: [`numpy.square`](https://numpy.org/doc/stable/reference/generated/numpy.square.html).
///
/// # Errors
///
/// As [`negative`].
#[inline]
pub fn square<'py, A: Array<'py>>(array: A) -> PyResult<Bound<'py, PyArray<A::Item, A::Rank>>> {
    map(array, Numeric::squared)
}

/// A chain of operations on rank-1 arrays in one pass, without temporaries.
///
/// `leaves` are the distinct operands. `steps` are the operations in the order in which Python takes them, each with the
/// indices of its left and right operand: `0..N` are the leaves, `N + k` is the result of step `k`. They decide shape and
/// memory order as NumPy's chain would (but for temporaries that NumPy reuses from 256 KiB on, which may keep another
/// order). `f` computes one element of the result from one of every leaf. It must be plain arithmetic: wrapping on
/// `int64`, to stand for NumPy's, and without any call into Python, which could free what is being read. For `a * b + c`:
///
/// ```ignore
/// fuse_1d([leaf(&a), leaf(&b), leaf(&c)], &[(0, 1), (3, 2)], |[a, b, c]| a * b + c)?
/// ```
///
/// # Errors
///
/// `ValueError` when the operands of a step do not broadcast, before anything is allocated; NumPy's `MemoryError` or
/// `ValueError` when the result cannot be allocated.
///
/// # Panics
///
/// When a step names an operand that does not exist yet, or a leaf is of rank 2.
#[inline]
pub fn fuse_1d<'py, T: Numeric + Element, const N: usize, const M: usize>(
    leaves: [Leaf<'_, 'py, T>; N],
    steps: &[(usize, usize); M],
    f: impl Fn([T; N]) -> T,
) -> PyResult<Bound<'py, PyArray1<T>>> {
    fuse::<T, Ix1, N, M>(leaves, steps, f)
}

/// A chain of operations on arrays of rank 1 and 2, one of them at least of rank 2; otherwise as [`fuse_1d`].
///
/// # Errors
///
/// As [`fuse_1d`].
///
/// # Panics
///
/// When a step names an operand that does not exist yet, or the result is of rank 1.
#[inline]
pub fn fuse_2d<'py, T: Numeric + Element, const N: usize, const M: usize>(
    leaves: [Leaf<'_, 'py, T>; N],
    steps: &[(usize, usize); M],
    f: impl Fn([T; N]) -> T,
) -> PyResult<Bound<'py, PyArray2<T>>> {
    fuse::<T, Ix2, N, M>(leaves, steps, f)
}

#[inline]
fn fuse<'py, T: Numeric + Element, D: Rank, const N: usize, const M: usize>(
    leaves: [Leaf<'_, 'py, T>; N],
    steps: &[(usize, usize); M],
    f: impl Fn([T; N]) -> T,
) -> PyResult<Bound<'py, PyArray<T, D>>> {
    let mut views = [leaves[0].view()?; N];
    for (view, leaf) in views.iter_mut().zip(&leaves).skip(1) {
        *view = leaf.view()?;
    }
    let extents = views.each_ref().map(|view| view.extent());
    let extent = Extent::chain(&extents, steps).map_err(broadcast_error)?;
    produce(leaves[0].py(), extent, &views, f)
}
