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
//! **Architecture invariant:** only tch's fallible functions (`f_…`) compute. tch has none for an exact copy of a handle
//! and for reading its device, element type and rank, which cannot fail on a tensor that Python holds.

#![deny(missing_docs)]

use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use tch::{Device, Kind, TchError, Tensor};

/// A float32 CPU tensor. A clone is another handle on the same storage.
pub struct RxtTorchTensor(Tensor);

impl Clone for RxtTorchTensor {
    fn clone(&self) -> Self {
        Self(self.0.shallow_clone())
    }
}

/// As `torch.Tensor`: the very object it was extracted from, where there is one.
impl<'py> IntoPyObject<'py> for RxtTorchTensor {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Self::Output> {
        let object = self.0.pyobject_wrap().map_err(raised)?;
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
/// rank. The checks are made in this order.
pub fn extract<const RANK: usize>(argument: &Bound<'_, PyAny>) -> PyResult<RxtTorchTensor> {
    // SAFETY: the pointer is that of a live Python object.
    let tensor = unsafe { Tensor::pyobject_unpack(argument.as_ptr().cast()) }
        .map_err(raised)?
        .ok_or_else(|| PyTypeError::new_err("rextio-torch: expected a torch.Tensor"))?;
    if tensor.device() != Device::Cpu {
        return Err(PyValueError::new_err("rextio-torch: expected a CPU tensor"));
    }
    // An element type that tch has no name for is not float32 either.
    if !matches!(tensor.f_kind(), Ok(Kind::Float)) {
        return Err(PyValueError::new_err(
            "rextio-torch: expected a float32 tensor",
        ));
    }
    let rank = tensor.dim();
    if rank != RANK {
        let text = format!("rextio-torch: expected rank-{RANK} tensor, got rank {rank}");
        return Err(PyValueError::new_err(text));
    }
    Ok(RxtTorchTensor(tensor))
}

/// Runs an operation of libtorch without recording gradients.
fn inference(operation: impl FnOnce() -> Result<Tensor, TchError>) -> PyResult<RxtTorchTensor> {
    let _no_grad = tch::no_grad_guard();
    operation().map(RxtTorchTensor).map_err(raised)
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
    input: &RxtTorchTensor,
    weight: &RxtTorchTensor,
    bias: &RxtTorchTensor,
) -> PyResult<RxtTorchTensor> {
    inference(|| input.0.f_linear(&weight.0, Some(&bias.0)))
}

/// `tensor.relu()`, of the same shape. A NaN stays one.
///
/// # Errors
///
/// `RuntimeError` where libtorch fails.
pub fn relu(tensor: &RxtTorchTensor) -> PyResult<RxtTorchTensor> {
    inference(|| tensor.0.f_relu())
}

/// `tensor.sigmoid()`, of the same shape.
///
/// # Errors
///
/// `RuntimeError` where libtorch fails.
pub fn sigmoid(tensor: &RxtTorchTensor) -> PyResult<RxtTorchTensor> {
    inference(|| tensor.0.f_sigmoid())
}

/// `tensor.tanh()`, of the same shape.
///
/// # Errors
///
/// `RuntimeError` where libtorch fails.
pub fn tanh(tensor: &RxtTorchTensor) -> PyResult<RxtTorchTensor> {
    inference(|| tensor.0.f_tanh())
}

/// `tensor.mean(dim=1, keepdim=False)` of a tensor of rank 2, of rank 1. The mean of an empty row is NaN.
///
/// # Errors
///
/// `RuntimeError` where libtorch fails.
pub fn mean_dim1(tensor: &RxtTorchTensor) -> PyResult<RxtTorchTensor> {
    inference(|| tensor.0.f_mean_dim(1, false, None))
}

/// `tensor.sum(dim=1, keepdim=False)` of a tensor of rank 2, of rank 1. The sum of an empty row is 0.
///
/// # Errors
///
/// `RuntimeError` where libtorch fails.
pub fn sum_dim1(tensor: &RxtTorchTensor) -> PyResult<RxtTorchTensor> {
    inference(|| tensor.0.f_sum_dim_intlist(1, false, None))
}

/// `left + right`, broadcast against each other, of the higher rank.
///
/// # Errors
///
/// `RuntimeError` where the shapes cannot be broadcast.
pub fn add(left: &RxtTorchTensor, right: &RxtTorchTensor) -> PyResult<RxtTorchTensor> {
    inference(|| left.0.f_add(&right.0))
}

/// `left @ right` of two tensors of rank 2, of rank 2.
///
/// # Errors
///
/// `RuntimeError` where the inner lengths differ.
pub fn matmul(left: &RxtTorchTensor, right: &RxtTorchTensor) -> PyResult<RxtTorchTensor> {
    inference(|| left.0.f_matmul(&right.0))
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
