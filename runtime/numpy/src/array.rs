//! NumPy arrays in and out.

use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::os::raw::c_int;
use std::ptr;
use std::slice;

use numpy::ndarray::{Dimension, Ix1, Ix2};
use numpy::npyffi::{get_type_object, NpyTypes, PyArray_CheckExact, PY_ARRAY_API};
use numpy::{
    Element, PyArray, PyArrayDescrMethods, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods,
};
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::{Bound, PyErr, PyResult, Python};

use super::extent::{Extent, Mismatch, Order, Shape};
use super::kernel::fill;
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

/// Returns `array` unchanged when it is exactly a `numpy.ndarray`.
///
/// A subclass may override any operation (`__array_ufunc__`, `numpy.matrix`'s `*`), which native code would ignore.
///
/// # Errors
///
/// `TypeError` when the array is of a subclass of `numpy.ndarray`.
#[inline]
pub fn exact<T, D>(array: Bound<'_, PyArray<T, D>>) -> PyResult<Bound<'_, PyArray<T, D>>> {
    // SAFETY: the pointer is that of a live Python object.
    if unsafe { PyArray_CheckExact(array.py(), array.as_ptr()) } != 0 {
        Ok(array)
    } else {
        Err(not_exact())
    }
}

#[cold]
fn not_exact() -> PyErr {
    PyTypeError::new_err(
        "rextio-numpy native boundary requires exact numpy.ndarray; ndarray subclasses are unsupported",
    )
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
        // array or frees it.
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
    PyRuntimeError::new_err("rextio-numpy: an array's number of dimensions changed in native code")
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
    let array = allocate::<O, D>(py, shape, order)?;
    // SAFETY: NumPy has just allocated this memory for as many elements, aligned; no one else knows the array yet, and
    // it outlives the slice.
    let out = unsafe {
        let data: *mut MaybeUninit<O> = (*array.as_array_ptr()).data.cast();
        slice::from_raw_parts_mut(data, shape.size().unwrap_or(0))
    };
    fill(out, shape, order, views, &f);
    Ok(array)
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
fn too_large() -> PyErr {
    PyValueError::new_err("iterator is too large")
}
