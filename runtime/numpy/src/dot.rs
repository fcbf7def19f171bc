//! Dot products.

#[cfg(target_arch = "x86_64")]
use std::arch::{is_x86_feature_detected, x86_64::*};
use std::mem::size_of;
#[cfg(target_arch = "x86_64")]
use std::mem::transmute;

use super::cpu::multiversion;
use super::element::Numeric;
use super::reduction::Steps;
use super::view::View;

/// An element type with dot products: `f64` or `i64`.
pub trait Factor: Numeric + Default {
    /// The dot product of contiguous operands.
    ///
    /// # Safety
    ///
    /// There are `length` elements to read, aligned or not.
    #[inline]
    unsafe fn runs(firsts: [*const Self; 2], length: usize) -> Self {
        // SAFETY: the caller's word.
        unsafe { runs(firsts, length) }
    }
}

impl Factor for f64 {}

impl Factor for i64 {
    #[cfg(target_arch = "x86_64")]
    #[inline]
    unsafe fn runs(firsts: [*const Self; 2], length: usize) -> Self {
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has AVX2; the rest is the caller's word.
            unsafe { runs_avx2(firsts, length) }
        } else {
            // SAFETY: the caller's word.
            unsafe { runs(firsts, length) }
        }
    }
}

/// The dot product of two operands of rank 1 and of one length, the products added in any order. Integers wrap.
///
/// # Panics
///
/// When the shapes differ, or the rank is 2.
#[inline]
pub fn dot<T: Factor>(left: &View<'_, T>, right: &View<'_, T>) -> T {
    assert_eq!(left.shape(), right.shape());
    assert_eq!(left.shape().rank(), 1);
    let length = left.shape().dims()[1];
    let operands = [left, right].map(|view| (view.first(), view.strides()[1]));
    (0..length)
        .step_by(BLOCK)
        .fold(T::default(), |total, start| {
            let count = BLOCK.min(length - start);
            let firsts = operands.map(|(first, stride)| {
                first.wrapping_byte_offset(stride.wrapping_mul(start as isize))
            });
            let strides = operands.map(|(_, stride)| stride);
            // SAFETY (both): the views have as many elements.
            total.plus(if strides == [size_of::<T>() as isize; 2] {
                unsafe { T::runs(firsts, count) }
            } else {
                unsafe { steps(firsts, strides, count) }
            })
        })
}

/// So many products are added before their sum is added to those before: the rounding errors of float sums grow with
/// their number, and so grow less.
const BLOCK: usize = 4096;

multiversion! {
    /// # Safety
    ///
    /// As [`Factor::runs`].
    unsafe fn runs<{T: Factor}>(firsts: [*const T; 2], length: usize) -> T {
        // Products that are added to different totals need not wait for each other.
        const LANES: usize = 16;
        let mut totals = [T::default(); LANES];
        let product = |index| {
            // SAFETY: the caller's word.
            let [x, y] = firsts.map(|first: *const T| unsafe { first.add(index).read_unaligned() });
            x.times(y)
        };
        let whole = length - length % LANES;
        for start in (0..whole).step_by(LANES) {
            for (lane, total) in totals.iter_mut().enumerate() {
                *total = total.plus(product(start + lane));
            }
        }
        let rest = (whole..length).fold(T::default(), |total, index| total.plus(product(index)));
        totals.into_iter().fold(rest, T::plus)
    }
}

/// The dot product of contiguous integers, with fewer multiplications than LLVM takes: a product of two 64-bit integers is
/// that of their lower halves, and, shifted by 32 bits, the two of a lower and an upper half, which are summed apart.
///
/// # Safety
///
/// As [`Factor::runs`], on a processor with AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn runs_avx2(firsts: [*const i64; 2], length: usize) -> i64 {
    /// By how many elements to ask for memory ahead.
    const AHEAD: usize = 64;
    const LANES: usize = 16;
    const SWAP_HALVES: i32 = 0b10_11_00_01;
    let whole = length - length % LANES;
    let mut lower = [_mm256_setzero_si256(); LANES / 4];
    let mut mixed = lower;
    for start in (0..whole).step_by(LANES) {
        for k in 0..LANES / 4 {
            let [x, y] = firsts.map(|first| first.wrapping_add(start + 4 * k));
            _mm_prefetch::<_MM_HINT_T0>(x.wrapping_add(AHEAD).cast());
            _mm_prefetch::<_MM_HINT_T0>(y.wrapping_add(AHEAD).cast());
            // SAFETY (both): the caller's word.
            let x = unsafe { _mm256_loadu_si256(x.cast()) };
            let y = unsafe { _mm256_loadu_si256(y.cast()) };
            let swapped = _mm256_shuffle_epi32::<SWAP_HALVES>(y);
            lower[k] = _mm256_add_epi64(lower[k], _mm256_mul_epu32(x, y));
            mixed[k] = _mm256_add_epi32(mixed[k], _mm256_mullo_epi32(x, swapped));
        }
    }
    // SAFETY (both): any bits are integers.
    let lower: [i64; LANES] = unsafe { transmute(lower) };
    let mixed: [u32; 2 * LANES] = unsafe { transmute(mixed) };
    let mixed = mixed.into_iter().fold(0, u32::wrapping_add);
    // SAFETY: the caller's word.
    let rest = unsafe { runs(firsts.map(|first| first.add(whole)), length - whole) };
    lower
        .into_iter()
        .fold(rest.wrapping_add(i64::from(mixed) << 32), i64::wrapping_add)
}

/// The dot product of operands at any strides.
///
/// Never with AVX2: LLVM would gather vectors first, which takes longer than to do without.
///
/// # Safety
///
/// There are `length` elements to read, aligned or not.
#[inline(never)]
unsafe fn steps<T: Factor>(firsts: [*const T; 2], strides: [isize; 2], length: usize) -> T {
    let mut left = Steps::new(firsts[0], strides[0]);
    let mut right = Steps::new(firsts[1], strides[1]);
    let mut totals = [T::default(); 4];
    for _ in 0..length / 4 {
        // SAFETY (both): the caller's word.
        let (x, y) = unsafe { (left.four(), right.four()) };
        for (total, (x, y)) in totals.iter_mut().zip(x.into_iter().zip(y)) {
            *total = total.plus(x.times(y));
        }
    }
    let total = totals.into_iter().fold(T::default(), T::plus);
    (0..length % 4).fold(total, |total, _| {
        // SAFETY (both): the caller's word.
        total.plus(unsafe { left.one().times(right.one()) })
    })
}

#[cfg(test)]
mod tests {
    use std::fmt::Debug;

    use super::super::extent::Shape;
    use super::super::operands::Operand;
    use super::super::view::View;
    use super::{dot, Factor};

    const LENGTHS: &[usize] = if cfg!(miri) {
        &[0, 5, 17]
    } else {
        &[0, 1, 2, 3, 4, 5, 15, 16, 17, 33, 100, 1001]
    };

    /// All pairs of strides, aligned and not, against a plain loop.
    fn check<T: Factor + Debug>(element: fn(usize) -> T, agrees: fn(T, T) -> bool) {
        let strides = [8, -8, 16, 24, 9, -9, 0];
        for &length in LENGTHS {
            let operand =
                |stride, shift| Operand::new(Shape::one(length), [0, stride], shift, element);
            for left in strides.map(|stride| operand(stride, 0)) {
                for right in strides.map(|stride| operand(stride, 1)) {
                    let pairs = left.items().into_iter().zip(right.items());
                    let want = pairs.fold(T::default(), |total, (x, y)| total.plus(x.times(y)));
                    let found = dot(&left.view(), &right.view());
                    assert!(agrees(found, want), "{:?} {:?}", left.view(), right.view());
                }
            }
        }
    }

    #[test]
    fn int64_in_every_layout() {
        let element = |index| (index as i64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15_u64 as i64);
        check(element, |found, want| found == want);
    }

    /// These products and their sums are exact.
    #[test]
    fn float64_in_every_layout() {
        check(|index| index as f64 - 7.5, |found, want| found == want);
    }

    #[test]
    #[should_panic(expected = "left == right")]
    fn refuses_operands_of_different_lengths() {
        dot(&View::of(&[1_i64]), &View::of(&[1, 2]));
    }
}
