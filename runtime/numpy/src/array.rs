//! NumPy arrays in and out.

use std::any::TypeId;
use std::marker::PhantomData;
use std::mem::{size_of, transmute_copy, MaybeUninit};
use std::os::raw::c_int;
use std::ptr;
use std::slice;

use numpy::ndarray::{Dimension, Ix1, Ix2};
use numpy::npyffi::{
    get_type_object, NpyTypes, PyArray_CheckExact, NPY_ARRAY_BEHAVED, NPY_ARRAY_OWNDATA,
    PY_ARRAY_API,
};
use numpy::{
    Element, PyArray, PyArrayDescrMethods, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods,
};
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::types::PyAnyMethods;
use pyo3::{ffi, Bound, PyAny, PyErr, PyResult, Python};

use super::element::Numeric;
use super::extent::{Extent, Mismatch, Order, Shape};
use super::kernel::{fill, update};
use super::view::View;

/// A rank that the runtime supports: `Ix1` or `Ix2`.
pub trait Rank: Dimension {
    /// The number of axes.
    const RANK: usize;
}

impl Rank for Ix1 {
    const RANK: usize = 1;
}

impl Rank for Ix2 {
    const RANK: usize = 2;
}

/// Takes the argument called `name` as an array of element type `T` and rank `D`, of any strides, without copying.
///
/// It must be exactly a `numpy.ndarray`: a subclass may override any operation (`__array_ufunc__`, `numpy.matrix`'s `*`),
/// which native code would ignore.
///
/// # Errors
///
/// `TypeError` when it is of a subclass of `numpy.ndarray`, of another dtype (or byte order) or rank, or no array; the
/// text says what was expected and what was passed.
#[inline]
pub fn exact<'py, T: Element, D: Rank>(
    argument: Bound<'py, PyAny>,
    name: &str,
) -> PyResult<Bound<'py, PyArray<T, D>>> {
    match argument.cast_into::<PyArray<T, D>>() {
        Ok(array) if is_exact(&array) => Ok(array),
        Ok(_) => Err(not_exact()),
        Err(error) => Err(refused::<T, D>(&error.into_inner(), name)),
    }
}

#[inline]
fn is_exact(object: &Bound<'_, PyAny>) -> bool {
    // SAFETY: the pointer is that of a live Python object.
    unsafe { PyArray_CheckExact(object.py(), object.as_ptr()) != 0 }
}

#[cold]
fn not_exact() -> PyErr {
    PyTypeError::new_err(
        "rextio-numpy native boundary requires exact numpy.ndarray; ndarray subclasses are unsupported",
    )
}

#[cold]
fn refused<T: Element, D: Rank>(argument: &Bound<'_, PyAny>, name: &str) -> PyErr {
    let found = match argument.cast::<PyUntypedArray>() {
        Ok(_) if !is_exact(argument) => return not_exact(),
        Ok(array) => format!("a {} array of rank {}", array.dtype(), array.ndim()),
        Err(_) => format!("a value of type {}", argument.get_type()),
    };
    let (wanted, rank) = (T::get_dtype(argument.py()), D::RANK);
    let name = name.trim_start_matches("r#");
    PyTypeError::new_err(format!(
        "argument '{name}': expected a {wanted} array of rank {rank}, got {found}"
    ))
}

/// An operand that is an array of rank 1 or 2: `&Bound` lends it, `Bound` gives it away.
///
/// What is given away and known to nobody else is an intermediate: an operation may write its result into it. An array
/// that others still refer to is only read, however it is passed.
///
/// # Safety
///
/// Where `GIVEN` is true, `array` returns a reference that the operand owns, and always the same one.
pub unsafe trait Array<'py> {
    /// The element type.
    type Item: Numeric<Quotient: Element> + Element;
    /// The rank.
    type Rank: Rank;
    /// Whether the operand is given away.
    const GIVEN: bool;

    /// The array.
    fn array(&self) -> &Bound<'py, PyArray<Self::Item, Self::Rank>>;
}

// SAFETY: nothing is given.
unsafe impl<'py, T: Numeric<Quotient: Element> + Element, D: Rank> Array<'py>
    for &Bound<'py, PyArray<T, D>>
{
    type Item = T;
    type Rank = D;
    const GIVEN: bool = false;

    #[inline]
    fn array(&self) -> &Bound<'py, PyArray<T, D>> {
        self
    }
}

// SAFETY: the operand is the reference.
unsafe impl<'py, T: Numeric<Quotient: Element> + Element, D: Rank> Array<'py>
    for Bound<'py, PyArray<T, D>>
{
    type Item = T;
    type Rank = D;
    const GIVEN: bool = true;

    #[inline]
    fn array(&self) -> &Bound<'py, PyArray<T, D>> {
        self
    }
}

/// An operand of a fused chain: an array of rank 1 or 2. See [`leaf`].
#[derive(Clone, Copy)]
pub struct Leaf<'a, 'py, T> {
    array: &'a Bound<'py, PyUntypedArray>,
    rank: usize,
    item: PhantomData<T>,
}

impl<'a, 'py, T: Copy> Leaf<'a, 'py, T> {
    pub(super) fn py(&self) -> Python<'py> {
        self.array.py()
    }

    /// Reads the array's header.
    ///
    /// # Errors
    ///
    /// `RuntimeError` when the array has another number of axes than its type says: `a.shape = ...` changes it in place.
    #[inline]
    pub(super) fn view(&self) -> PyResult<View<'a, T>> {
        let (shape, strides) = match (self.array.shape(), self.array.strides()) {
            (&[length], &[stride]) => (Shape::one(length), [0, stride]),
            (&[rows, columns], &[down, right]) => (Shape::two(rows, columns), [down, right]),
            _ => return Err(reshaped()),
        };
        if shape.rank() != self.rank {
            return Err(reshaped());
        }
        // SAFETY: the array is alive for 'a and its header describes elements of `T` that it may read. No borrow is
        // registered with rust-numpy, and none is needed: views live within one operation, in which this thread is
        // attached to the interpreter and runs no Python code, so nobody else who plays by NumPy's rules writes to the
        // array or frees it. An operation that writes into its operand does not read it through the view.
        Ok(unsafe { View::new((*self.array.as_array_ptr()).data.cast(), shape, strides) })
    }
}

/// An array as an operand of [`fuse_1d`](super::fuse_1d) or [`fuse_2d`](super::fuse_2d).
#[inline]
pub fn leaf<'a, 'py, T: Element, D: Rank>(
    array: &'a Bound<'py, PyArray<T, D>>,
) -> Leaf<'a, 'py, T> {
    Leaf {
        array: array.as_untyped(),
        rank: D::RANK,
        item: PhantomData,
    }
}

#[cold]
fn reshaped() -> PyErr {
    PyRuntimeError::new_err("rextio-numpy: an array's shape changed in native code")
}

/// An operand that is kept for later: an array of rank 1 or 2 by a reference of its own, or a scalar.
#[derive(Clone)]
pub enum Held<'py, T> {
    /// An array of element type `T`, and the shape that it had when it became an operand.
    Array(Bound<'py, PyUntypedArray>, Shape),
    /// A scalar, which broadcasts to any shape, beside an array of this interpreter.
    Scalar(T, Python<'py>),
}

impl<'py, T: Element + Copy> Held<'py, T> {
    /// # Errors
    ///
    /// `RuntimeError` when the array has another number of axes than its type says.
    #[inline]
    pub(super) fn array<D: Rank>(array: &Bound<'py, PyArray<T, D>>) -> PyResult<Self> {
        let shape = leaf(array).view()?.shape();
        Ok(Self::Array(array.as_untyped().clone(), shape))
    }

    #[inline]
    pub(super) fn py(&self) -> Python<'py> {
        match self {
            Self::Array(array, _) => array.py(),
            Self::Scalar(_, py) => *py,
        }
    }

    /// Reads the array's header.
    ///
    /// # Errors
    ///
    /// `RuntimeError` when the array has another shape than when it became an operand.
    #[inline]
    pub(super) fn view(&self) -> PyResult<View<'_, T>> {
        match self {
            Self::Array(array, shape) => {
                let leaf = Leaf {
                    array,
                    rank: shape.rank(),
                    item: PhantomData,
                };
                let view = leaf.view()?;
                if view.shape() == *shape {
                    Ok(view)
                } else {
                    Err(reshaped())
                }
            }
            Self::Scalar(scalar, _) => Ok(View::scalar(scalar)),
        }
    }
}

/// NumPy's exception for shapes that do not broadcast.
#[cold]
pub(super) fn broadcast_error(mismatch: Mismatch) -> PyErr {
    PyValueError::new_err(mismatch.to_string())
}

/// A fresh array of `extent` whose elements are `f` of the elements of `views` stretched to it.
///
/// # Errors
///
/// NumPy's exception when the array cannot be allocated.
///
/// # Panics
///
/// When `extent` is not of rank `D`, or a view does not stretch to it.
#[inline]
pub(super) fn produce<'py, T, O, D, F, const N: usize>(
    py: Python<'py>,
    extent: Extent,
    views: &[View<'_, T>; N],
    f: F,
) -> PyResult<Bound<'py, PyArray<O, D>>>
where
    T: Copy,
    O: Copy + Element,
    D: Rank,
    F: Fn([T; N]) -> O,
{
    let (shape, order) = (extent.shape(), extent.order());
    // SAFETY: `fill` writes every element.
    unsafe { filled(py, shape, order, |out| fill(out, shape, order, views, &f)) }
}

/// A fresh array of `shape`, laid out in `order`, with the elements that `write` gives it.
///
/// # Errors
///
/// NumPy's exception when the array cannot be allocated.
///
/// # Panics
///
/// When `shape` is not of rank `D`.
///
/// # Safety
///
/// `write` writes every element.
#[inline]
pub(super) unsafe fn filled<O: Copy + Element, D: Rank>(
    py: Python<'_>,
    shape: Shape,
    order: Order,
    write: impl FnOnce(&mut [MaybeUninit<O>]),
) -> PyResult<Bound<'_, PyArray<O, D>>> {
    let array = allocate::<O, D>(py, shape, order)?;
    // SAFETY: NumPy has just allocated this memory for as many elements, aligned; no one else knows the array yet, and
    // it outlives the slice.
    let out = unsafe {
        let data: *mut MaybeUninit<O> = (*array.as_array_ptr()).data.cast();
        slice::from_raw_parts_mut(data, shape.size().unwrap_or(0))
    };
    write(out);
    Ok(array)
}

/// Whether a result of `extent` with elements of type `O` may take the place of `operand`: it is given away, nobody else
/// can see it, and it differs in nothing but the elements from the array that [`produce`] would make.
#[inline]
pub(super) fn is_spare<'py, A: Array<'py>, O: Numeric + Element>(
    operand: &A,
    extent: Extent,
) -> bool {
    A::GIVEN
        && TypeId::of::<A::Item>() == TypeId::of::<O>()
        && is_unshared(operand.array().as_untyped())
        && is_like_fresh::<O>(operand.array().as_untyped(), extent)
}

/// Whether the caller's reference is the only one, and nothing else leads to the array's memory.
///
/// Views, buffers and borrows hold references to the array whose memory they see. A caller's variable holds one besides
/// ours. A weak reference could be turned into a new one at any time, so there must be none.
#[inline]
fn is_unshared(array: &Bound<'_, PyUntypedArray>) -> bool {
    // SAFETY: the pointers are those of a live array.
    unsafe {
        let object = array.as_array_ptr();
        ffi::Py_REFCNT(array.as_ptr()) == 1
            && (*object).base.is_null()
            && (*object).weakreflist.is_null()
            && PyArray_CheckExact(array.py(), array.as_ptr()) != 0
    }
}

/// Whether the array is one that NumPy could have made for a result of `extent`, its strides on axes of length one
/// included.
#[inline]
fn is_like_fresh<O: Element>(array: &Bound<'_, PyUntypedArray>, extent: Extent) -> bool {
    const FLAGS: c_int = NPY_ARRAY_OWNDATA | NPY_ARRAY_BEHAVED;
    // SAFETY: the pointers are those of a live array.
    let (flags, dtype) = unsafe {
        let object = array.as_array_ptr();
        ((*object).flags, (*object).descr)
    };
    let dims = extent.shape().dims();
    let rank = extent.shape().rank();
    let item = size_of::<O>() as isize;
    // Empty arrays have strides of their own.
    let Some(1..) = extent.shape().size() else {
        return false;
    };
    let strides = match extent.order() {
        Order::C => [dims[1] as isize * item, item],
        Order::F => [item, dims[0] as isize * item],
    };
    flags & FLAGS == FLAGS
        && array.shape() == &dims[2 - rank..]
        && array.strides() == &strides[2 - rank..]
        && O::get_dtype(array.py()).as_dtype_ptr() == dtype
}

/// Replaces the elements of `operand` with `f` of them and of the elements of `views` stretched to `extent`, and returns
/// the array, which is then the result.
///
/// # Panics
///
/// When a view does not stretch to `extent`.
///
/// # Safety
///
/// [`is_spare`] holds for this operand, `O` and `extent`, and `extent` is of rank `D`.
#[inline]
pub(super) unsafe fn reuse<'py, A, O, D, F, const N: usize>(
    operand: &A,
    extent: Extent,
    views: &[View<'_, A::Item>; N],
    f: F,
) -> Bound<'py, PyArray<O, D>>
where
    A: Array<'py>,
    O: Numeric + Element,
    D: Rank,
    F: Fn(A::Item, [A::Item; N]) -> O,
{
    let array = operand.array();
    let shape = extent.shape();
    // SAFETY: the array is aligned, contiguous and of `extent`, and its elements are initialised, as those of every array
    // that can be read. Ours is its only reference and it owns its memory, so the views are not of it: what they see is
    // held by references of their own.
    let out: &mut [A::Item] = unsafe {
        slice::from_raw_parts_mut(
            (*array.as_array_ptr()).data.cast(),
            shape.size().unwrap_or(0),
        )
    };
    // SAFETY: `O` is the item type, under another name.
    let f = |x, y| unsafe { transmute_copy::<O, A::Item>(&f(x, y)) };
    update(out, shape, extent.order(), views, &f);
    // SAFETY: `O` is the item type, and the array has as many axes as `extent`.
    unsafe { array.clone().into_any().cast_into_unchecked() }
}

/// Allocates an array through NumPy, so that it owns its memory and reports failure in its own words. The elements are not
/// initialised.
#[inline]
fn allocate<O: Element, D: Rank>(
    py: Python<'_>,
    shape: Shape,
    order: Order,
) -> PyResult<Bound<'_, PyArray<O, D>>> {
    assert_eq!(shape.rank(), D::RANK, "the result has another rank");
    if shape.size().is_none() {
        return Err(too_large());
    }
    let mut dims = shape.dims().map(|dim| dim as isize);
    // SAFETY: `dims` has `D::RANK` lengths from that address on; NumPy takes over the reference to the dtype; without
    // `data` and `obj` it allocates, and without `strides` it takes the order from the flag.
    let object = unsafe {
        PY_ARRAY_API.PyArray_NewFromDescr(
            py,
            get_type_object(py, NpyTypes::PyArray_Type),
            O::get_dtype(py).into_dtype_ptr(),
            D::RANK as c_int,
            dims[2 - D::RANK..].as_mut_ptr(),
            ptr::null_mut(),
            ptr::null_mut(),
            c_int::from(order == Order::F),
            ptr::null_mut(),
        )
    };
    // SAFETY: NumPy returns a new reference, or null with an exception set; the dtype and the rank are as asked.
    unsafe { Ok(Bound::from_owned_ptr_or_err(py, object)?.cast_into_unchecked()) }
}

/// What NumPy's iterator says of a broadcast result with more elements than its index type can count.
#[cold]
pub(super) fn too_large() -> PyErr {
    PyValueError::new_err("iterator is too large")
}
