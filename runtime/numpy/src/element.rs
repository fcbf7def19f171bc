//! The element types and their arithmetic.

/// An element type with NumPy's arithmetic: `f64`, `f32` or `i64`.
///
/// Integers wrap and never panic, whatever `overflow-checks` says ([NumPy: integer overflow]). Floats follow IEEE 754;
/// no operation is contracted or reordered.
///
/// [NumPy: integer overflow]: https://numpy.org/doc/stable/user/basics.types.html#overflow-errors
pub trait Numeric: Copy {
    /// What true division yields: the type itself for floats, `f64` for `i64` (`numpy.true_divide`).
    type Quotient: Numeric;

    /// `self + other`.
    fn plus(self, other: Self) -> Self;
    /// `self - other`.
    fn minus(self, other: Self) -> Self;
    /// `self * other`.
    fn times(self, other: Self) -> Self;
    /// `self / other`, in [`Self::Quotient`].
    fn over(self, other: Self) -> Self::Quotient;
    /// `-self`; flips the sign of a float, NaN and zero included.
    fn negated(self) -> Self;
    /// `|self|`; clears the sign of a float, NaN and zero included. `i64::MIN` stays itself.
    fn magnitude(self) -> Self;
    /// `self * self`.
    fn squared(self) -> Self {
        self.times(self)
    }
}

macro_rules! float {
    ($float:ty) => {
        impl Numeric for $float {
            type Quotient = $float;

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self + other
            }
            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self - other
            }
            #[inline(always)]
            fn times(self, other: Self) -> Self {
                self * other
            }
            #[inline(always)]
            fn over(self, other: Self) -> Self {
                self / other
            }
            #[inline(always)]
            fn negated(self) -> Self {
                -self
            }
            #[inline(always)]
            fn magnitude(self) -> Self {
                self.abs()
            }
        }
    };
}

float!(f64);
float!(f32);

impl Numeric for i64 {
    type Quotient = f64;

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self.wrapping_add(other)
    }
    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        self.wrapping_sub(other)
    }
    #[inline(always)]
    fn times(self, other: Self) -> Self {
        self.wrapping_mul(other)
    }
    #[inline(always)]
    fn over(self, other: Self) -> f64 {
        self as f64 / other as f64
    }
    #[inline(always)]
    fn negated(self) -> Self {
        self.wrapping_neg()
    }
    #[inline(always)]
    fn magnitude(self) -> Self {
        self.wrapping_abs()
    }
}
