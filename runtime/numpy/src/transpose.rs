//! Packing an operand that lies across the result, with AVX2.
//!
//! Elements of four or eight bytes are moved as bits, whatever their type.

use std::arch::x86_64::*;
use std::mem::{size_of, MaybeUninit};

use super::pack::Patch;

/// Copies the leading rows and columns of a patch with contiguous columns that make up whole rectangles, row `i` from
/// index `i * pitch` of `tile` on, and returns how many rows and columns those are.
///
/// The patch is transposed rectangle by rectangle: element by element, either every read or every write would touch
/// another cache line.
///
/// # Safety
///
/// The patch can be read, its rows fit into the tile at that pitch, and its rows are one element apart; the processor
/// has AVX2.
#[inline]
#[target_feature(enable = "avx2")]
pub unsafe fn transpose<T: Copy>(
    tile: &mut [MaybeUninit<T>],
    pitch: usize,
    patch: &Patch<T>,
) -> (usize, usize) {
    let (high, wide) = match size_of::<T>() {
        8 => (2, 4),
        4 => (4, 8),
        _ => return (0, 0),
    };
    let rows = patch.rows - patch.rows % high;
    let columns = patch.columns - patch.columns % wide;
    let stride = patch.strides[1];
    let bytes = pitch * size_of::<T>();
    for column in (0..columns).step_by(wide) {
        let mut source = patch.at(0, column).cast::<u8>();
        // SAFETY: the column lies in the tile.
        let mut target = unsafe { tile.as_mut_ptr().add(column).cast::<u8>() };
        for _ in 0..rows / high {
            // SAFETY: the rectangle lies in the patch, its columns are contiguous, and its rows fit into the tile.
            unsafe {
                if high == 2 {
                    transpose_2x4(source, stride, target, bytes);
                } else {
                    transpose_4x8(source, stride, target, bytes);
                }
            }
            source = source.wrapping_add(high * size_of::<T>());
            target = target.wrapping_add(high * bytes);
        }
    }
    (rows, columns)
}

/// Transposes two rows of four 8-byte elements.
///
/// # Safety
///
/// The elements can be read and written; the processor has AVX2.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn transpose_2x4(source: *const u8, stride: isize, target: *mut u8, pitch: usize) {
    // SAFETY: the caller's word.
    unsafe {
        let column =
            |k: isize| _mm_loadu_pd(source.wrapping_byte_offset(stride.wrapping_mul(k)).cast());
        // Columns k and k + 2 side by side: the interleaving below works within halves.
        let pair =
            |k: isize| _mm256_insertf128_pd::<1>(_mm256_castpd128_pd256(column(k)), column(k + 2));
        let (a, b) = (pair(0), pair(1));
        _mm256_storeu_pd(target.cast(), _mm256_unpacklo_pd(a, b));
        _mm256_storeu_pd(target.add(pitch).cast(), _mm256_unpackhi_pd(a, b));
    }
}

/// Transposes four rows of eight 4-byte elements.
///
/// # Safety
///
/// The elements can be read and written; the processor has AVX2.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn transpose_4x8(source: *const u8, stride: isize, target: *mut u8, pitch: usize) {
    // SAFETY: the caller's word.
    unsafe {
        let column =
            |k: isize| _mm_loadu_ps(source.wrapping_byte_offset(stride.wrapping_mul(k)).cast());
        // Columns k and k + 4 side by side: the interleaving below works within halves.
        let pair =
            |k: isize| _mm256_insertf128_ps::<1>(_mm256_castps128_ps256(column(k)), column(k + 4));
        let (a, b, c, d) = (pair(0), pair(1), pair(2), pair(3));
        let (ac_low, ac_high) = (_mm256_unpacklo_ps(a, c), _mm256_unpackhi_ps(a, c));
        let (bd_low, bd_high) = (_mm256_unpacklo_ps(b, d), _mm256_unpackhi_ps(b, d));
        let store = |k: usize, row| _mm256_storeu_ps(target.add(k * pitch).cast(), row);
        store(0, _mm256_unpacklo_ps(ac_low, bd_low));
        store(1, _mm256_unpackhi_ps(ac_low, bd_low));
        store(2, _mm256_unpacklo_ps(ac_high, bd_high));
        store(3, _mm256_unpackhi_ps(ac_high, bd_high));
    }
}
