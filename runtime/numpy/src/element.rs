//! The element types and their arithmetic.

/// An element type with NumPy's arithmetic: `f64`, `f32` or `i64`.
///
/// Integers wrap and never panic, whatever `overflow-checks` says ([NumPy: integer overflow]). Floats follow IEEE 754;
/// no operation is contracted or reordered.
///
/// [NumPy: integer overflow]: https://numpy.org/doc/stable/user/basics.types.html#overflow-errors
pub trait Numeric: Copy + 'static {
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

#[cfg(test)]
mod tests {
    use super::Numeric;

    const SPECIAL: [f64; 13] = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        f64::MIN_POSITIVE,
        5e-324,
        -5e-324,
        f64::MAX,
        f64::MIN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        f64::EPSILON,
    ];

    #[test]
    fn integers_wrap_at_the_extremes() {
        assert_eq!(i64::MAX.plus(1), i64::MIN);
        assert_eq!(i64::MIN.minus(1), i64::MAX);
        assert_eq!(i64::MIN.times(-1), i64::MIN);
        assert_eq!(i64::MIN.negated(), i64::MIN);
        assert_eq!(i64::MIN.magnitude(), i64::MIN);
        assert_eq!(i64::MIN.squared(), 0);
        assert_eq!(i64::MAX.squared(), 1);
    }

    #[test]
    fn integer_division_is_true_division_of_the_converted_operands() {
        assert_eq!(7_i64.over(2), 3.5);
        assert_eq!(1_i64.over(0), f64::INFINITY);
        assert_eq!((-1_i64).over(0), f64::NEG_INFINITY);
        assert!(0_i64.over(0).is_nan());
        assert_eq!(i64::MAX.over(1), 9.223_372_036_854_776e18);
        assert_eq!(i64::MIN.over(-1), 9.223_372_036_854_776e18);
    }

    #[test]
    fn signs_are_bits() {
        for x in SPECIAL {
            assert_eq!(x.negated().to_bits(), x.to_bits() ^ (1 << 63));
            assert_eq!(x.magnitude().to_bits(), x.to_bits() & !(1 << 63));
            let narrow = x as f32;
            assert_eq!(narrow.negated().to_bits(), narrow.to_bits() ^ (1 << 31));
            assert_eq!(narrow.magnitude().to_bits(), narrow.to_bits() & !(1 << 31));
        }
    }

    #[test]
    fn floats_follow_ieee_754() {
        for x in SPECIAL {
            for y in SPECIAL {
                for (ours, theirs) in [
                    (x.plus(y), x + y),
                    (x.minus(y), x - y),
                    (x.times(y), x * y),
                    (x.over(y), x / y),
                ] {
                    let same = ours.to_bits() == theirs.to_bits();
                    assert!(same || ours.is_nan() && theirs.is_nan(), "{x} {y}");
                }
            }
            assert!(x.squared() == x * x || x.is_nan());
        }
        assert_eq!(0.0_f64.times(-1.0).to_bits(), (-0.0_f64).to_bits());
        assert_eq!(1.0_f64.over(-0.0), f64::NEG_INFINITY);
    }
}
