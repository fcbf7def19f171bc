//! Strided operands.

use std::marker::PhantomData;
use std::mem::size_of;

use super::extent::{Extent, Shape};

/// A strided operand of rank 1 or 2, or a scalar, that lives somewhere else.
///
/// Any byte strides will do: negative, zero, not a multiple of the element size. Elements need not be aligned; every
/// read is an unaligned one, which costs nothing on x86-64 and AArch64 and spares a second path.
#[derive(Debug)]
pub struct View<'a, T> {
    first: *const T,
    shape: Shape,
    strides: [isize; 2],
    lender: PhantomData<&'a T>,
}

impl<T> Clone for View<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for View<'_, T> {}

impl<'a, T: Copy> View<'a, T> {
    /// A view of `shape` whose element `[i, j]` lies `i * strides[0] + j * strides[1]` bytes behind `first`.
    ///
    /// # Safety
    ///
    /// For `'a`, every such element can be read (aligned or not) and is not written.
    #[inline]
    pub unsafe fn new(first: *const T, shape: Shape, strides: [isize; 2]) -> Self {
        let dims = shape.dims();
        // The stride of an axis that is never stepped along carries no meaning; zero makes stretching it free.
        let step = |axis: usize| if dims[axis] == 1 { 0 } else { strides[axis] };
        Self {
            first,
            shape,
            strides: [step(0), step(1)],
            lender: PhantomData,
        }
    }

    /// A view of a slice, of rank 1.
    #[inline]
    pub fn of(slice: &'a [T]) -> Self {
        // SAFETY: a shared slice can be read, and is not written, for 'a.
        unsafe {
            Self::new(
                slice.as_ptr(),
                Shape::one(slice.len()),
                [0, size_of::<T>() as isize],
            )
        }
    }

    /// A view of a scalar, which stretches to any shape.
    #[inline]
    pub fn scalar(scalar: &'a T) -> Self {
        // SAFETY: a shared reference can be read, and is not written, for 'a.
        unsafe { Self::new(scalar, Shape::SCALAR, [0, 0]) }
    }

    /// Whether both views are of the same elements.
    #[inline]
    pub fn is(&self, other: &Self) -> bool {
        (self.first, self.shape, self.strides) == (other.first, other.shape, other.strides)
    }

    /// The address of element `[0, 0]`.
    #[inline]
    pub fn first(&self) -> *const T {
        self.first
    }

    /// The shape.
    #[inline]
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// The byte strides, zero on axes of length one.
    #[inline]
    pub fn strides(&self) -> [isize; 2] {
        self.strides
    }

    /// What broadcasting has to know of this operand.
    #[inline]
    pub fn extent(&self) -> Extent {
        Extent::new(self.shape, self.strides)
    }
}
