//! PyTorch inference in native code, on the tensors that Python holds.
//!
//! [`extract`] takes a `torch.Tensor` as a [`RxtTorchTensor`] and returning one makes it a `torch.Tensor` again; both are
//! handles on the same storage, which is never copied. The operations call libtorch, the library behind PyTorch itself, so
//! values, shapes and broadcasting are PyTorch's. They take float32 CPU tensors, leave them as they are, and return new
//! ones.
//!
//! No gradients are recorded: every operation runs as under `torch.no_grad()`, and its result does not require grad,
//! whatever its operands do. What libtorch refuses (shapes that do not go together, say) raises PyTorch's `RuntimeError`
//! with PyTorch's text.
//!
//! **Architecture invariant:** the sources are also embedded, as one module, into crates that Rextio generates. They use
//! no crate but `pyo3` and `tch`, and suit edition 2021, Rust 1.83.
//!
//! **Architecture invariant:** only tch's fallible functions (`f_…`) compute. Nothing that is called panics on a tensor that
//! Python holds.

#![deny(missing_docs)]

#[cfg(not(windows))]
mod dispatch;

use std::cell::Cell;

use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use tch::{TchError, Tensor};

/// A float32 CPU tensor. A clone is another handle on the same storage.
pub struct RxtTorchTensor {
    tensor: Tensor,
    care: Care,
    /// Whether an operation made it and no clone of it was made.
    unshared: Cell<bool>,
}

/// What an operation on a tensor has to take care of.
#[derive(Clone, Copy)]
struct Care {
    /// PyTorch would record the operation, for gradients.
    recorded: bool,
    /// The operation can take long enough that other Python threads should run meanwhile.
    long: bool,
}

impl Care {
    fn and(self, other: Self) -> Self {
        Self {
            recorded: self.recorded || other.recorded,
            long: self.long || other.long,
        }
    }
}

/// The number of elements from which operations on a tensor are long: `relu` takes three microseconds there, `sigmoid`
/// fifteen, and products more. To let go of Python's lock and to get it back takes a tenth of one.
const LONG: i64 = 1 << 15;

impl Clone for RxtTorchTensor {
    fn clone(&self) -> Self {
        self.unshared.set(false);
        Self {
            tensor: self.tensor.shallow_clone(),
            care: self.care,
            unshared: Cell::new(false),
        }
    }
}

/// As `torch.Tensor`: the very object it was extracted from, where there is one.
impl<'py> IntoPyObject<'py> for RxtTorchTensor {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Self::Output> {
        let object = self.tensor.pyobject_wrap().map_err(raised)?;
        // SAFETY: the pointer is a new reference to the wrapped tensor, or null with Python's error set.
        unsafe { Bound::from_owned_ptr_or_err(py, object.cast()) }
    }
}

/// Takes an argument as a float32 CPU tensor of rank `RANK`, without copying. Any strides will do, and so will subclasses
/// of `torch.Tensor` such as `torch.nn.Parameter`.
///
/// # Errors
///
/// `TypeError` when it is no `torch.Tensor`; `ValueError` when it is on another device, of another dtype, or of another
/// rank; `RuntimeError` when it has no shape, as a nested tensor. The checks are made in this order.
pub fn extract<const RANK: usize>(argument: &Bound<'_, PyAny>) -> PyResult<RxtTorchTensor> {
    // SAFETY: the pointer is that of a live Python object.
    let tensor = unsafe { Tensor::pyobject_unpack(argument.as_ptr().cast()) }
        .map_err(raised)?
        .ok_or_else(|| PyTypeError::new_err("rextio-torch: expected a torch.Tensor"))?;
    let care = header::accept::<RANK>(&tensor)?;
    Ok(RxtTorchTensor {
        tensor,
        care,
        unshared: Cell::new(false),
    })
}

/// What the checks at the boundary read of a tensor.
///
/// tch has functions for all of it, and here are the C functions beneath them, which read a field. tch asks after each whether
/// there was an exception, allocates a vector for the shape, and panics where it cannot go on. That came to a tenth of the
/// time of a function of few small operations.
mod header {
    use std::ffi::{c_int, c_void};

    use pyo3::exceptions::{PyRuntimeError, PyValueError};
    use pyo3::{PyErr, PyResult};
    use tch::Tensor;

    use super::{raised, Care, LONG};

    // As torch-sys declares them, the crate beneath tch and part of every program with tch. An exception does not leave them: it
    // is kept for the next fallible call of tch, and they return a negative number, or leave the shape as it was.
    extern "C" {
        fn at_device(tensor: *const c_void) -> c_int;
        fn at_scalar_type(tensor: *const c_void) -> c_int;
        fn at_dim(tensor: *const c_void) -> usize;
        fn at_shape(tensor: *const c_void, shape: *mut i64);
        fn at_requires_grad(tensor: *const c_void) -> c_int;
    }

    /// What `at_device` gives for the CPU.
    const CPU: c_int = -1;

    /// `c10::ScalarType::Float`.
    const FLOAT: c_int = 6;

    const MISSING: i64 = -1;

    /// What operations have to take care of, where it is a float32 CPU tensor of rank `RANK`.
    pub(super) fn accept<const RANK: usize>(tensor: &Tensor) -> PyResult<Care> {
        let pointer: *const c_void = tensor.as_ptr().cast();
        // SAFETY: here and below, the pointer is that of a live tensor, which is only read.
        let (device, scalar_type, rank) =
            unsafe { (at_device(pointer), at_scalar_type(pointer), at_dim(pointer)) };
        if device != CPU {
            return Err(refusal(tensor, "expected a CPU tensor"));
        }
        if scalar_type != FLOAT {
            return Err(refusal(tensor, "expected a float32 tensor"));
        }
        if rank != RANK {
            let text = format!("expected rank-{RANK} tensor, got rank {rank}");
            return Err(refusal(tensor, &text));
        }
        let mut shape = [MISSING; RANK];
        // SAFETY: a tensor of this rank has as many lengths.
        let requires_grad = unsafe {
            at_shape(pointer, shape.as_mut_ptr());
            at_requires_grad(pointer)
        };
        if shape.contains(&MISSING) {
            return Err(kept(tensor).unwrap_or_else(|| {
                PyRuntimeError::new_err("rextio-torch: expected a tensor with a shape")
            }));
        }
        Ok(Care {
            recorded: requires_grad != 0,
            long: shape.into_iter().fold(1, i64::saturating_mul) >= LONG,
        })
    }

    #[cold]
    fn refusal(tensor: &Tensor, text: &str) -> PyErr {
        drop(kept(tensor));
        PyValueError::new_err(format!("rextio-torch: {text}"))
    }

    /// The exception that was kept, if any.
    #[cold]
    fn kept(tensor: &Tensor) -> Option<PyErr> {
        tensor.f_is_leaf().err().map(raised)
    }
}

/// An operand of an operation: lent (`&tensor`), or given away (`tensor`).
pub trait Operand {
    /// The tensor.
    fn lent(&self) -> &RxtTorchTensor;

    /// The tensor, where a result may be written into it: it was given away, and nothing else refers to its storage.
    fn reusable(&mut self) -> Option<&mut Tensor>;
}

impl Operand for &RxtTorchTensor {
    fn lent(&self) -> &RxtTorchTensor {
        self
    }

    fn reusable(&mut self) -> Option<&mut Tensor> {
        None
    }
}

impl Operand for RxtTorchTensor {
    fn lent(&self) -> &RxtTorchTensor {
        self
    }

    fn reusable(&mut self) -> Option<&mut Tensor> {
        self.unshared.get().then_some(&mut self.tensor)
    }
}

/// Runs an operation of libtorch without recording gradients.
fn inference(
    care: Care,
    operation: impl FnOnce() -> Result<Tensor, TchError>,
) -> PyResult<RxtTorchTensor> {
    #[cfg(not(windows))]
    let _past_gradients = dispatch::ExcludeGuard::gradients();
    // Where nothing would be recorded, the guard is not worth a tenth of the time of a small operation.
    let _no_grad = care.recorded.then(tch::no_grad_guard);
    let result = if care.long {
        let call = LibtorchCall(operation);
        Python::attach(|py| py.detach(|| call.run()))
    } else {
        operation()
    };
    Ok(RxtTorchTensor {
        tensor: result.map_err(raised)?,
        care: Care {
            recorded: false,
            ..care
        },
        unshared: Cell::new(true),
    })
}

struct LibtorchCall<F>(F);

// SAFETY: it never changes threads. PyO3 asks for `Send` to keep Python's objects out of what runs without Python's lock, and
// a call of libtorch has none: it holds handles of tensors, whose counts are atomic, and PyTorch itself lets go of the lock
// to make the same calls.
unsafe impl<F> Send for LibtorchCall<F> {}

impl<F: FnOnce() -> Result<Tensor, TchError>> LibtorchCall<F> {
    fn run(self) -> Result<Tensor, TchError> {
        (self.0)()
    }
}

/// An elementwise operation, written into its operand where nobody else can see that.
fn elementwise(
    mut operand: impl Operand,
    fresh: impl FnOnce(&Tensor) -> Result<Tensor, TchError>,
    in_place: impl FnOnce(&mut Tensor) -> Result<Tensor, TchError>,
) -> PyResult<RxtTorchTensor> {
    inference(operand.lent().care, || match operand.reusable() {
        Some(tensor) => in_place(tensor),
        None => fresh(&operand.lent().tensor),
    })
}

/// What libtorch threw, as PyTorch raises it.
#[cold]
fn raised(error: TchError) -> PyErr {
    PyRuntimeError::new_err(match &error {
        TchError::Torch(text) => without_backtrace(text).to_owned(),
        other => other.to_string(),
    })
}

/// The text of a `c10::Error` as PyTorch shows it. Its `what()` goes on with a line that starts with these words and the
/// stack in C++: `Error::compute_what` in c10/util/Exception.cpp.
fn without_backtrace(what: &str) -> &str {
    match what.split_once("\nException raised from ") {
        Some((message, _)) => message,
        None => what,
    }
}

/// `torch.nn.functional.linear(input, weight, bias)`: `input @ weight.T + bias`, of rank 2.
///
/// # Errors
///
/// `RuntimeError` where the shapes do not go together.
pub fn linear(
    input: impl Operand,
    weight: impl Operand,
    bias: impl Operand,
) -> PyResult<RxtTorchTensor> {
    let (input, weight, bias) = (input.lent(), weight.lent(), bias.lent());
    let care = input.care.and(weight.care).and(bias.care);
    inference(care, || {
        input.tensor.f_linear(&weight.tensor, Some(&bias.tensor))
    })
}

/// `tensor.relu()`, of the same shape. A NaN stays one.
///
/// # Errors
///
/// `RuntimeError` where libtorch fails.
pub fn relu(tensor: impl Operand) -> PyResult<RxtTorchTensor> {
    elementwise(tensor, Tensor::f_relu, Tensor::f_relu_)
}

/// `tensor.sigmoid()`, of the same shape.
///
/// # Errors
///
/// `RuntimeError` where libtorch fails.
pub fn sigmoid(tensor: impl Operand) -> PyResult<RxtTorchTensor> {
    elementwise(tensor, Tensor::f_sigmoid, Tensor::f_sigmoid_)
}

/// `tensor.tanh()`, of the same shape.
///
/// # Errors
///
/// `RuntimeError` where libtorch fails.
pub fn tanh(tensor: impl Operand) -> PyResult<RxtTorchTensor> {
    elementwise(tensor, Tensor::f_tanh, Tensor::f_tanh_)
}

/// `tensor.mean(dim=1, keepdim=False)` of a tensor of rank 2, of rank 1. The mean of an empty row is NaN.
///
/// # Errors
///
/// `RuntimeError` where libtorch fails.
pub fn mean_dim1(tensor: impl Operand) -> PyResult<RxtTorchTensor> {
    let operand = tensor.lent();
    inference(operand.care, || operand.tensor.f_mean_dim(1, false, None))
}

/// `tensor.sum(dim=1, keepdim=False)` of a tensor of rank 2, of rank 1. The sum of an empty row is 0.
///
/// # Errors
///
/// `RuntimeError` where libtorch fails.
pub fn sum_dim1(tensor: impl Operand) -> PyResult<RxtTorchTensor> {
    let operand = tensor.lent();
    inference(operand.care, || {
        operand.tensor.f_sum_dim_intlist(1, false, None)
    })
}

/// `left + right`, broadcast against each other, of the higher rank.
///
/// # Errors
///
/// `RuntimeError` where the shapes cannot be broadcast.
pub fn add(left: impl Operand, right: impl Operand) -> PyResult<RxtTorchTensor> {
    let (left, right) = (left.lent(), right.lent());
    inference(left.care.and(right.care), || {
        left.tensor.f_add(&right.tensor)
    })
}

/// `left @ right` of two tensors of rank 2, of rank 2.
///
/// # Errors
///
/// `RuntimeError` where the inner lengths differ.
pub fn matmul(left: impl Operand, right: impl Operand) -> PyResult<RxtTorchTensor> {
    let (left, right) = (left.lent(), right.lent());
    inference(left.care.and(right.care), || {
        left.tensor.f_matmul(&right.tensor)
    })
}

#[cfg(test)]
mod tests {
    use super::without_backtrace;

    #[test]
    fn the_stack_of_an_error_is_left_out() {
        let what = "mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)\n\
                    Exception raised from meta at Linear.cpp:77 (most recent call first):\nframe #0";
        assert_eq!(
            without_backtrace(what),
            "mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)"
        );
        assert_eq!(without_backtrace("two\nlines"), "two\nlines");
    }
}
