//! Reductions of NumPy arrays.

use std::ffi::c_void;
use std::mem::{align_of, size_of};
use std::ptr::{addr_of_mut, null_mut};
use std::slice;

use numpy::npyffi::{is_numpy_2, PyArray_ArrFuncs, PyArray_Descr, PyArray_DescrProto};
use numpy::{Element, PyArray, PyArray1, PyArray2, PyArrayDescrMethods, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyAnyMethods, PyCapsule, PyCapsuleMethods};
use pyo3::{Bound, PyErr, PyResult, Python};

use super::array::{filled, leaf, Rank};
use super::dot::dot as any_order_dot;
use super::extent::{Order, Shape};
use super::integers::{IntegerSum, Maximum, Minimum};
use super::kernel::update;
use super::reduction::{along, whole, Reduction};
use super::sum::FloatSum;
use super::view::View;

/// An element type with sums: `f64` or `i64`.
pub trait Sum: Element + Copy {
    /// How they are summed.
    type Reduction: Reduction<Item = Self>;
}

impl Sum for f64 {
    type Reduction = FloatSum;
}

impl Sum for i64 {
    type Reduction = IntegerSum;
}

/// `numpy.sum(array)`.
///
/// `array` is of rank 1 or 2 and dtype `float64` or `int64`, which is also the type of the sum. Floats are added in
/// NumPy's order, whatever the strides: the sum has the same bits (of NumPy with its default buffer size, see
/// `numpy.setbufsize`). Integers wrap. The sum of no elements is zero.
///
/// NumPy: [`numpy.sum`](https://numpy.org/doc/stable/reference/generated/numpy.sum.html).
///
/// # Errors
///
/// `RuntimeError` when the number of axes has been changed in place.
#[inline]
pub fn sum<T: Sum, D: Rank>(array: &Bound<'_, PyArray<T, D>>) -> PyResult<T> {
    Ok(whole::<T::Reduction>(&leaf(array).view()?))
}

/// `numpy.mean(array)` of a `float64` array of rank 1 or 2: the [`sum`] divided by the number of elements (`_mean` in
/// NumPy's `_core/_methods.py`), NaN if there are none.
///
/// NumPy: [`numpy.mean`](https://numpy.org/doc/stable/reference/generated/numpy.mean.html).
///
/// # Errors
///
/// As [`sum`].
#[inline]
pub fn mean<D: Rank>(array: &Bound<'_, PyArray<f64, D>>) -> PyResult<f64> {
    let view = leaf(array).view()?;
    let [rows, columns] = view.shape().dims();
    Ok(whole::<FloatSum>(&view) / (rows * columns) as f64)
}

/// `numpy.max(array)` of an `int64` array of rank 1 or 2.
///
/// NumPy: [`numpy.max`](https://numpy.org/doc/stable/reference/generated/numpy.max.html).
///
/// # Errors
///
/// `ValueError` when there are no elements; otherwise as [`sum`].
#[inline]
pub fn max<D: Rank>(array: &Bound<'_, PyArray<i64, D>>) -> PyResult<i64> {
    extremum::<Maximum, D>(array, MAXIMUM)
}

/// `numpy.min(array)`, otherwise as [`max`].
///
/// NumPy: [`numpy.min`](https://numpy.org/doc/stable/reference/generated/numpy.min.html).
///
/// # Errors
///
/// As [`max`].
#[inline]
pub fn min<D: Rank>(array: &Bound<'_, PyArray<i64, D>>) -> PyResult<i64> {
    extremum::<Minimum, D>(array, MINIMUM)
}

/// `numpy.sum(array, axis)`: a fresh array of rank 1 with a [`sum`] for each index of the other axis.
///
/// # Errors
///
/// As [`sum`]; NumPy's `MemoryError` when the result cannot be allocated.
///
/// # Panics
///
/// When `axis` is neither 0 nor 1.
#[inline]
pub fn sum_axis<'py, T: Sum>(
    array: &Bound<'py, PyArray2<T>>,
    axis: usize,
) -> PyResult<Bound<'py, PyArray1<T>>> {
    reduce::<T::Reduction>(array.py(), &leaf(array).view()?, axis)
}

/// `numpy.mean(array, axis)`: a fresh array of rank 1 with a [`mean`] for each index of the other axis.
///
/// # Errors
///
/// As [`sum_axis`].
///
/// # Panics
///
/// As [`sum_axis`].
#[inline]
pub fn mean_axis<'py>(
    array: &Bound<'py, PyArray2<f64>>,
    axis: usize,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let view = leaf(array).view()?;
    let sums = reduce::<FloatSum>(array.py(), &view, axis)?;
    let count = view.shape().dims()[axis] as f64;
    // SAFETY: the array is ours alone, contiguous and aligned, and its elements have been written.
    let out: &mut [f64] =
        unsafe { slice::from_raw_parts_mut((*sums.as_array_ptr()).data.cast(), sums.len()) };
    let shape = Shape::one(out.len());
    update(out, shape, Order::C, &[], &|sum, []: [f64; 0]| sum / count);
    Ok(sums)
}

/// `numpy.max(array, axis)`: a fresh array of rank 1 with a [`max`] for each index of the other axis.
///
/// # Errors
///
/// `ValueError` when the axis has length zero; otherwise as [`sum_axis`].
///
/// # Panics
///
/// As [`sum_axis`].
#[inline]
pub fn max_axis<'py>(
    array: &Bound<'py, PyArray2<i64>>,
    axis: usize,
) -> PyResult<Bound<'py, PyArray1<i64>>> {
    extrema::<Maximum>(array, axis, MAXIMUM)
}

/// `numpy.min(array, axis)`, otherwise as [`max_axis`].
///
/// # Errors
///
/// As [`max_axis`].
///
/// # Panics
///
/// As [`sum_axis`].
#[inline]
pub fn min_axis<'py>(
    array: &Bound<'py, PyArray2<i64>>,
    axis: usize,
) -> PyResult<Bound<'py, PyArray1<i64>>> {
    extrema::<Minimum>(array, axis, MINIMUM)
}

/// The names of NumPy's functions, as its errors give them.
const MAXIMUM: &str = "maximum";
const MINIMUM: &str = "minimum";

#[inline]
fn extremum<R: Reduction<Item = i64>, D: Rank>(
    array: &Bound<'_, PyArray<i64, D>>,
    name: &str,
) -> PyResult<i64> {
    let view = leaf(array).view()?;
    if view.shape().dims().contains(&0) {
        return Err(no_identity(name));
    }
    Ok(whole::<R>(&view))
}

#[inline]
fn extrema<'py, R: Reduction<Item = i64>>(
    array: &Bound<'py, PyArray2<i64>>,
    axis: usize,
    name: &str,
) -> PyResult<Bound<'py, PyArray1<i64>>> {
    let view = leaf(array).view()?;
    if view.shape().dims()[axis] == 0 {
        return Err(no_identity(name));
    }
    reduce::<R>(array.py(), &view, axis)
}

/// What NumPy says of an extremum of no elements (`PyUFunc_ReduceWrapper` in `umath/reduction.c`).
#[cold]
fn no_identity(name: &str) -> PyErr {
    PyValueError::new_err(format!(
        "zero-size array to reduction operation {name} which has no identity"
    ))
}

/// A fresh array of the reductions of `view` along `axis`.
#[inline]
fn reduce<'py, R: Reduction<Item: Element>>(
    py: Python<'py>,
    view: &View<'_, R::Item>,
    axis: usize,
) -> PyResult<Bound<'py, PyArray1<R::Item>>> {
    let shape = Shape::one(view.shape().dims()[1 - axis]);
    // SAFETY: `along` writes every element.
    unsafe { filled(py, shape, Order::C, |out| along::<R>(view, axis, out)) }
}

/// An element type with dot products: `f64` or `i64`.
pub trait Dot: Element + Copy {
    /// The dot product of operands of one length.
    ///
    /// # Errors
    ///
    /// Python's exception when NumPy's own function cannot be had.
    fn product(py: Python<'_>, left: &View<'_, Self>, right: &View<'_, Self>) -> PyResult<Self>;
}

impl Dot for i64 {
    #[inline]
    fn product(_: Python<'_>, left: &View<'_, i64>, right: &View<'_, i64>) -> PyResult<i64> {
        Ok(any_order_dot(left, right))
    }
}

impl Dot for f64 {
    /// By BLAS wherever NumPy would hand the operands to it as they are (`_bad_strides` in `common/cblasfuncs.c`): it has
    /// a rounding of its own, and threads. Other operands NumPy copies first; here they are multiplied where they are.
    #[inline]
    fn product(py: Python<'_>, left: &View<'_, f64>, right: &View<'_, f64>) -> PyResult<f64> {
        match left.shape().dims() {
            // Not added to a zero, which would take the sign of another.
            // SAFETY: both have an element.
            [_, 1] => Ok(unsafe { left.first().read_unaligned() * right.first().read_unaligned() }),
            _ if is_plain(left) && is_plain(right) => blas_dot(py, left, right),
            _ => Ok(any_order_dot(left, right)),
        }
    }
}

/// `numpy.dot(left, right)` of two arrays of rank 1 and of one dtype, `float64` or `int64`.
///
/// Integers wrap. Floats have the bits of NumPy's own BLAS, except operands that are not aligned or have a negative or zero
/// stride: these agree with it but for rounding.
///
/// NumPy: [`numpy.dot`](https://numpy.org/doc/stable/reference/generated/numpy.dot.html).
///
/// # Errors
///
/// `ValueError` when the lengths differ; otherwise as [`sum`].
#[inline]
pub fn dot<'py, T: Dot>(
    left: &Bound<'py, PyArray1<T>>,
    right: &Bound<'py, PyArray1<T>>,
) -> PyResult<T> {
    let (x, y) = (leaf(left).view()?, leaf(right).view()?);
    if x.shape() != y.shape() {
        return Err(not_aligned(x.shape(), y.shape()));
    }
    T::product(left.py(), &x, &y)
}

/// What NumPy says of operands of different lengths (`dot_alignment_error` in `multiarray/common.c`).
#[cold]
fn not_aligned(left: Shape, right: Shape) -> PyErr {
    let ([_, x], [_, y]) = (left.dims(), right.dims());
    PyValueError::new_err(format!(
        "shapes {left} and {right} not aligned: {x} (dim 0) != {y} (dim 0)"
    ))
}

/// Whether the elements are aligned, and each lies behind the one before.
#[inline]
fn is_plain(view: &View<'_, f64>) -> bool {
    let [_, stride] = view.strides();
    stride > 0
        && stride % size_of::<f64>() as isize == 0
        && view.first() as usize % align_of::<f64>() == 0
}

/// The function of a dtype that multiplies vectors (`PyArray_DotFunc` in `numpy/ndarraytypes.h`): operands with their
/// strides, the address of the result, the length, and an array that is not used.
type DotFunction =
    unsafe extern "C" fn(*mut c_void, isize, *mut c_void, isize, *mut c_void, isize, *mut c_void);

/// The dot product by the function that `numpy.dot` calls, without the arrays it is packed in on the way.
fn blas_dot(py: Python<'_>, left: &View<'_, f64>, right: &View<'_, f64>) -> PyResult<f64> {
    static DOT: PyOnceLock<DotFunction> = PyOnceLock::new();
    let dot = *DOT.get_or_try_init(py, || dot_function(py))?;
    let ([_, length], mut result) = (left.shape().dims(), 0.0);
    let [x, y] = [left, right].map(|view| (view.first().cast_mut().cast(), view.strides()[1]));
    // SAFETY: both operands have as many elements, aligned and at these strides; NumPy only reads them.
    unsafe {
        dot(
            x.0,
            x.1,
            y.0,
            y.1,
            addr_of_mut!(result).cast(),
            length as isize,
            null_mut(),
        );
    }
    Ok(result)
}

/// Finds the function in the table of the dtype `float64`, which NumPy 2 gives out through its C API alone
/// (`PyDataType_GetArrFuncs`, which rust-numpy does not know).
#[cold]
fn dot_function(py: Python<'_>) -> PyResult<DotFunction> {
    type GetArrFuncs = unsafe extern "C" fn(*const PyArray_Descr) -> *mut PyArray_ArrFuncs;
    const GET_ARR_FUNCS: usize = 365;
    let dtype = f64::get_dtype(py);
    let functions = if is_numpy_2(py) {
        let module = py.import("numpy._core.multiarray")?;
        let capsule = module.getattr("_ARRAY_API")?.cast_into::<PyCapsule>()?;
        let api = capsule.pointer_checked(None)?.cast::<GetArrFuncs>();
        // SAFETY: this is where the API of every NumPy 2 has that function, and it takes any dtype.
        unsafe { (*api.as_ptr().add(GET_ARR_FUNCS))(dtype.as_dtype_ptr()) }
    } else {
        // SAFETY: the descriptor is alive, and has the table in this place.
        unsafe { (*dtype.as_dtype_ptr().cast::<PyArray_DescrProto>()).f }
    };
    // SAFETY: NumPy's own dtypes have a table, which lives as long as they do.
    let dot = unsafe { (*functions).dotfunc };
    dot.ok_or_else(|| PyValueError::new_err("dot not available for type"))
}
