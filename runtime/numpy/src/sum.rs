//! The sum of floats, in NumPy's order.
//!
//! Rounding makes the order part of the answer. Two rules decide it. The elements that NumPy hands to its loop at once are
//! summed pairwise. And what it hands over at once depends on the layout ([`Reduction::all`],
//! [`Reduction::each`] of [`FloatSum`]): `npyiter_find_buffering_setup` in `multiarray/nditer_constr.c` reads aligned
//! elements in place, line by line, and copies others into a buffer first. The buffer is never filled here, but its length
//! is felt; it is NumPy's default one (`numpy.setbufsize` changes NumPy's answers, not these).

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;
use std::mem::{align_of, size_of, MaybeUninit};

use super::pack::{pack, Patch};
use super::reduction::{Lines, Reduction, Steps};

/// The sum of `float64` elements.
#[derive(Debug)]
pub enum FloatSum {}

/// The elements of NumPy's buffer (`NPY_BUFSIZE`).
const BUFFER: usize = 8192;

/// The elements that are summed without halving them first (`PW_BLOCKSIZE` in NumPy's `umath/loops_utils.h.src`).
const BLOCK: usize = 128;

/// The elements of two whole blocks, the most that are summed in one call.
const PAIR: usize = 2 * BLOCK;

/// The accumulators of a block.
const WIDTH: usize = 8;

/// The bytes of an element.
const SIZE: isize = size_of::<f64>() as isize;

// SAFETY: it enumerates `out`.
unsafe impl Reduction for FloatSum {
    type Item = f64;

    const START: f64 = 0.0;

    #[inline(always)]
    fn combine(total: f64, item: f64) -> f64 {
        total + item
    }

    /// As many whole lines as fit into the buffer are summed at once: NumPy copies lines that it cannot join. A line that
    /// does not fit is summed at once if it is aligned, and a bufferful at a time otherwise.
    #[inline]
    unsafe fn all(lines: &Lines<f64>) -> f64 {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: AVX2 is there; the rest is the caller's word.
            return unsafe { sum_all::<Avx2>(lines) };
        }
        // SAFETY: the caller's word.
        unsafe { sum_all::<Portable>(lines) }
    }

    /// A line is summed at once, or a bufferful at a time if it is not aligned.
    #[inline]
    unsafe fn each(lines: &Lines<f64>, out: &mut [MaybeUninit<f64>]) {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: AVX2 is there; the rest is the caller's word.
            return unsafe { sum_each::<Avx2>(lines, out) };
        }
        // SAFETY: the caller's word.
        unsafe { sum_each::<Portable>(lines, out) }
    }
}

/// # Safety
///
/// As [`Reduction::all`], on a processor that has what `B` needs.
unsafe fn sum_all<B: Block>(lines: &Lines<f64>) -> f64 {
    let whole_lines = BUFFER / lines.length * lines.length;
    let (spans, length, piece) = if whole_lines > 0 {
        (1, lines.count * lines.length, whole_lines)
    } else {
        (lines.count, lines.length, piece(lines))
    };
    // SAFETY: the caller's word; a span starts with a line and covers whole ones.
    (0..spans).fold(0.0, |total, row| unsafe {
        sum::<B>(total, lines, row, length, piece)
    })
}

/// # Safety
///
/// As [`Reduction::each`], on a processor that has what `B` needs.
unsafe fn sum_each<B: Block>(lines: &Lines<f64>, out: &mut [MaybeUninit<f64>]) {
    let piece = piece(lines);
    for step in 0..out.len() {
        let row = lines.row(step);
        // SAFETY: the caller's word.
        out[row].write(unsafe { sum::<B>(0.0, lines, row, lines.length, piece) });
    }
}

/// How much of a line NumPy's loop sees at once: elements that are not aligned pass through the buffer (`IsAligned` in
/// `multiarray/common.h`).
fn piece(lines: &Lines<f64>) -> usize {
    let misaligned = lines.first as usize | lines.down as usize | lines.right as usize;
    if misaligned % align_of::<f64>() == 0 {
        usize::MAX
    } else {
        BUFFER
    }
}

/// Adds to `total` the sums of `length` elements from the start of line `row` on, `piece` of them at once.
///
/// # Safety
///
/// The elements can be read, aligned or not, and the processor has what `B` needs.
#[inline(always)]
unsafe fn sum<B: Block>(
    mut total: f64,
    lines: &Lines<f64>,
    row: usize,
    length: usize,
    piece: usize,
) -> f64 {
    if length == lines.length && length <= piece {
        // SAFETY: the caller's word.
        return total + unsafe { pairwise_in_line::<B>(lines.at(row, 0), lines.right, length) };
    }
    let (mut cursor, mut left) = (Cursor::new(lines, row), length);
    while left > 0 {
        let count = left.min(piece);
        // SAFETY: the caller's word.
        total += unsafe { pairwise::<B>(&mut cursor, count) };
        left -= count;
    }
    total
}

/// The sum of the next `count` elements, halved until they are a block or two (`@TYPE@_pairwise_sum` in NumPy's
/// `umath/loops_utils.h.src`).
///
/// # Safety
///
/// As [`sum`].
#[inline(always)]
unsafe fn pairwise<B: Block>(cursor: &mut Cursor<'_>, count: usize) -> f64 {
    // SAFETY (both): the caller's word.
    if count - half(count) <= BLOCK {
        unsafe { cursor.pair::<B>(count) }
    } else {
        unsafe { halves::<B>(cursor, count) }
    }
}

/// # Safety
///
/// As [`sum`].
unsafe fn halves<B: Block>(cursor: &mut Cursor<'_>, count: usize) -> f64 {
    let half = half(count);
    // SAFETY (both): the caller's word.
    let first = unsafe { pairwise::<B>(cursor, half) };
    first + unsafe { pairwise::<B>(cursor, count - half) }
}

/// As [`pairwise`], of one line.
///
/// Not the same code: with a position that both kinds share, 100,000 elements take a fifth longer.
///
/// # Safety
///
/// As [`sum`].
unsafe fn pairwise_in_line<B: Block>(first: *const f64, stride: isize, count: usize) -> f64 {
    let half = half(count);
    // SAFETY (all): the caller's word.
    if count - half <= BLOCK {
        return unsafe { pair_sum::<B>(first, stride, count) };
    }
    let middle = first.wrapping_byte_offset(stride.wrapping_mul(half as isize));
    let first = unsafe { pairwise_in_line::<B>(first, stride, half) };
    first + unsafe { pairwise_in_line::<B>(middle, stride, count - half) }
}

/// How many of the elements go into the first half: whole steps of the accumulators, so the second half is the longer one.
#[inline(always)]
fn half(count: usize) -> usize {
    count / 2 / WIDTH * WIDTH
}

/// A position among the elements, line after line.
struct Cursor<'a> {
    lines: &'a Lines<f64>,
    row: usize,
    column: usize,
}

impl<'a> Cursor<'a> {
    #[inline(always)]
    fn new(lines: &'a Lines<f64>, row: usize) -> Self {
        Self {
            lines,
            row,
            column: 0,
        }
    }

    /// The sum of the next `count` elements, two blocks or less.
    ///
    /// # Safety
    ///
    /// As [`sum`].
    #[inline(always)]
    unsafe fn pair<B: Block>(&mut self, count: usize) -> f64 {
        self.wrap();
        if self.column + count > self.lines.length {
            let mut pair = [MaybeUninit::uninit(); PAIR];
            // SAFETY (both): the caller's word; the elements are side by side then.
            unsafe {
                self.gather(&mut pair[..count]);
                return pair_sum::<B>(pair.as_ptr().cast(), SIZE, count);
            }
        }
        let first = self.lines.at(self.row, self.column);
        self.column += count;
        // SAFETY: the caller's word.
        unsafe { pair_sum::<B>(first, self.lines.right, count) }
    }

    /// From the end of a line to the start of the next.
    #[inline(always)]
    fn wrap(&mut self) {
        if self.column == self.lines.length {
            self.row += 1;
            self.column = 0;
        }
    }

    /// Copies the next elements to `slots`.
    ///
    /// # Safety
    ///
    /// As [`sum`].
    #[inline(never)]
    unsafe fn gather(&mut self, mut slots: &mut [MaybeUninit<f64>]) {
        let Lines {
            length,
            down,
            right,
            ..
        } = *self.lines;
        while !slots.is_empty() {
            self.wrap();
            let (rows, columns) = if self.column == 0 && slots.len() >= length {
                (slots.len() / length, length)
            } else {
                (1, slots.len().min(length - self.column))
            };
            let patch = Patch {
                first: self.lines.at(self.row, self.column),
                strides: [down, right],
                rows,
                columns,
            };
            // SAFETY: the caller's word.
            unsafe { pack(slots, columns, &patch) };
            slots = &mut slots[rows * columns..];
            self.row += rows - 1;
            self.column += columns;
        }
    }
}

/// The sum of two blocks or less.
///
/// # Safety
///
/// There are `count` elements that can be read, aligned or not, and the processor has what `B` needs.
#[inline(always)]
unsafe fn pair_sum<B: Block>(first: *const f64, stride: isize, count: usize) -> f64 {
    // SAFETY (both): the caller's word.
    if count < WIDTH {
        unsafe { after(-0.0, first, stride, count) }
    } else {
        unsafe { B::sum(first, stride, count) }
    }
}

/// `total` and `count` elements, one after the other.
///
/// # Safety
///
/// The elements can be read, aligned or not.
#[inline(always)]
unsafe fn after(mut total: f64, mut first: *const f64, stride: isize, count: usize) -> f64 {
    for _ in 0..count {
        // SAFETY: the caller's word.
        total += unsafe { first.read_unaligned() };
        first = first.wrapping_byte_offset(stride);
    }
    total
}

/// The sum of [`WIDTH`] elements or more at any distance, one by one (see [`Block`]).
///
/// # Safety
///
/// There are `count` elements that can be read, aligned or not.
#[inline(never)]
unsafe fn sum_steps(first: *const f64, stride: isize, count: usize) -> f64 {
    let mut steps = Steps::new(first, stride);
    // SAFETY (all): the caller's word.
    if count <= BLOCK {
        return unsafe { sum_block(&mut steps, count) };
    }
    let half = half(count);
    let first = unsafe { sum_block(&mut steps, half) };
    first + unsafe { sum_block(&mut steps, count - half) }
}

/// The sum of the next `count` elements, a block of them.
///
/// # Safety
///
/// There are so many that can be read, aligned or not.
#[inline(always)]
unsafe fn sum_block(steps: &mut Steps<f64>, count: usize) -> f64 {
    // SAFETY (both): the caller's word.
    let mut totals = unsafe { [steps.four(), steps.four()] };
    for _ in 1..count / WIDTH {
        for totals in &mut totals {
            let items = unsafe { steps.four() };
            for (total, item) in totals.iter_mut().zip(items) {
                *total += item;
            }
        }
    }
    let [[a, b, c, d], [e, f, g, h]] = totals;
    let total = ((a + b) + (c + d)) + ((e + f) + (g + h));
    // SAFETY: the caller's word.
    (0..count % WIDTH).fold(total, |total, _| total + unsafe { steps.one() })
}

/// Sums a block, or two, which are half of the elements each. In a block eight accumulators take every eighth element each
/// and are combined as `((0 + 1) + (2 + 3)) + ((4 + 5) + (6 + 7))`; the elements behind the last eight follow one after the
/// other.
trait Block {
    /// The sum of elements `stride` bytes apart.
    ///
    /// # Safety
    ///
    /// There are `count` elements, [`WIDTH`] to [`PAIR`], which can be read, aligned or not; the processor is as the type
    /// says.
    unsafe fn sum(first: *const f64, stride: isize, count: usize) -> f64;
}

/// For any processor.
enum Portable {}

impl Block for Portable {
    #[inline(always)]
    unsafe fn sum(first: *const f64, stride: isize, count: usize) -> f64 {
        // SAFETY: the caller's word.
        unsafe { sum_steps(first, stride, count) }
    }
}

/// For processors with AVX2.
///
/// By hand, because LLVM makes two to four times as many instructions of the portable form. One element after the other,
/// since that is what a processor reads ahead: with two blocks side by side, 4,000,000 elements took twice as long. Out of
/// order it begins the next block before the additions of this one are done.
#[cfg(target_arch = "x86_64")]
enum Avx2 {}

#[cfg(target_arch = "x86_64")]
impl Block for Avx2 {
    #[inline(always)]
    unsafe fn sum(first: *const f64, stride: isize, count: usize) -> f64 {
        const BACKWARDS: isize = -SIZE;
        // SAFETY (all): the caller's word.
        match stride {
            SIZE => unsafe { sum_run(first, count) },
            BACKWARDS => unsafe { sum_backwards(first, count) },
            _ => unsafe { sum_steps(first, stride, count) },
        }
    }
}

/// Declares the sum of a block or two as [`Block::sum`] finds it, given how to read four elements from number `index` on
/// (in order, or all of them the other way round).
#[cfg(target_arch = "x86_64")]
macro_rules! block_sum {
    ($name:ident, $stride:expr, |$first:ident, $index:ident| $four:expr) => {
        /// # Safety
        ///
        /// As [`Block::sum`], at this stride, on a processor with AVX2.
        #[target_feature(enable = "avx2")]
        unsafe fn $name($first: *const f64, count: usize) -> f64 {
            // SAFETY: the caller's word.
            unsafe {
                let (rest, whole) = (count % WIDTH, count - count % WIDTH);
                let at = |index: usize| {
                    $first.wrapping_byte_offset((index as isize).wrapping_mul($stride))
                };
                let four = |$index: usize| $four;
                let eight = |start: usize| (four(start), four(start + 4));
                let add = |(low, high), start: usize| {
                    let (next_low, next_high) = eight(start);
                    (_mm256_add_pd(low, next_low), _mm256_add_pd(high, next_high))
                };
                let block = |start: usize, end: usize| {
                    let (low, high) = (start + WIDTH..end).step_by(WIDTH).fold(eight(start), add);
                    combined(low, high)
                };
                let last = |total| after(total, at(whole), $stride, rest);
                if count <= BLOCK {
                    return last(block(0, whole));
                }
                let half = half(count);
                block(0, half) + last(block(half, whole))
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
block_sum!(sum_run, SIZE, |first, index| _mm256_loadu_pd(
    first.add(index)
));

#[cfg(target_arch = "x86_64")]
block_sum!(sum_backwards, -SIZE, |first, index| _mm256_loadu_pd(
    first.sub(index + 3)
));

/// The accumulators 0 to 3 and 4 to 7, combined; or 3 to 0 and 7 to 4, which makes no difference.
///
/// # Safety
///
/// The processor has AVX2.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn combined(low: __m256d, high: __m256d) -> f64 {
    // [0 + 1, 4 + 5, 2 + 3, 6 + 7]
    let pairs = _mm256_hadd_pd(low, high);
    let fours = _mm_add_pd(
        _mm256_castpd256_pd128(pairs),
        _mm256_extractf128_pd::<1>(pairs),
    );
    _mm_cvtsd_f64(fours) + _mm_cvtsd_f64(_mm_unpackhi_pd(fours, fours))
}

#[cfg(test)]
mod tests {
    use super::super::extent::Shape;
    use super::super::operands::Operand;
    use super::super::reduction::tests::{operands, reduced};
    use super::super::reduction::whole;
    use super::{Block, FloatSum, Portable, BUFFER, PAIR, SIZE, WIDTH};

    /// Elements whose sums round at almost every step.
    fn reciprocal(index: usize) -> f64 {
        1.0 / (index + 1) as f64
    }

    /// Pairwise summation as NumPy writes it.
    fn pairwise(items: &[f64]) -> f64 {
        if items.len() < 8 {
            return items.iter().fold(-0.0, |total, item| total + item);
        }
        if items.len() <= 128 {
            let mut eights = items.chunks_exact(8);
            let mut r = [-0.0; 8];
            for eight in &mut eights {
                for k in 0..8 {
                    r[k] += eight[k];
                }
            }
            let total = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
            return eights
                .remainder()
                .iter()
                .fold(total, |total, item| total + item);
        }
        let half = items.len() / 2;
        let (left, right) = items.split_at(half - half % 8);
        pairwise(left) + pairwise(right)
    }

    /// The sum of what NumPy hands to its loop in chunks of this length.
    fn chunked(items: &[f64], length: usize) -> f64 {
        items
            .chunks(length.max(1))
            .fold(0.0, |total, chunk| total + pairwise(chunk))
    }

    /// An operand as NumPy's iterator sees it.
    struct Iteration {
        dims: [usize; 2],
        /// Elements, row by row.
        items: Vec<f64>,
        /// Whether axis 0 is the inner one.
        turned: bool,
        joins: bool,
        aligned: bool,
    }

    impl Iteration {
        fn new(operand: &Operand<f64>) -> Self {
            let view = operand.view();
            let (dims, [down, right]) = (view.shape().dims(), view.strides());
            let turned = down != 0 && right != 0 && right.abs() > down.abs();
            let joins = if turned {
                down * dims[0] as isize == right
            } else {
                right * dims[1] as isize == down
            };
            Self {
                dims,
                items: operand.items(),
                turned,
                joins: joins || dims.contains(&1),
                aligned: (view.first() as isize | down | right) % 8 == 0,
            }
        }

        fn line(&self, axis: usize, index: usize) -> Vec<f64> {
            let [rows, columns] = self.dims;
            if axis == 1 {
                self.items[index * columns..][..columns].to_vec()
            } else {
                (0..rows)
                    .map(|row| self.items[row * columns + index])
                    .collect()
            }
        }

        /// The costs that `npyiter_find_buffering_setup` compares are 1 for reading lines in place and 2 for copying.
        fn whole(&self) -> f64 {
            let inner_axis = usize::from(!self.turned);
            let (inner, outer) = (self.dims[inner_axis], self.dims[1 - inner_axis]);
            let lines = (0..outer).map(|index| self.line(inner_axis, index));
            let size = self.items.len();
            if size == 0 {
                return 0.0;
            }
            if self.joins {
                let length = if self.aligned { size } else { BUFFER };
                return chunked(&lines.flatten().collect::<Vec<_>>(), length);
            }
            let copies = if self.aligned {
                2 * inner <= size.min(BUFFER)
            } else {
                inner < BUFFER
            };
            if copies {
                let length = BUFFER / inner * inner;
                return chunked(&lines.flatten().collect::<Vec<_>>(), length);
            }
            let length = if self.aligned { inner } else { BUFFER };
            lines.fold(0.0, |total, line| {
                line.chunks(length)
                    .fold(total, |total, chunk| total + pairwise(chunk))
            })
        }

        fn along(&self, axis: usize) -> Vec<f64> {
            let kept = self.dims[1 - axis];
            let is_inner = self.turned == (axis == 0);
            let sum = |line: Vec<f64>| {
                if kept > 1 && !is_inner {
                    line.iter().fold(0.0, |total, item| total + item)
                } else {
                    chunked(&line, if self.aligned { line.len() } else { BUFFER })
                }
            };
            (0..kept).map(|index| sum(self.line(axis, index))).collect()
        }
    }

    fn bits(items: &[f64]) -> Vec<u64> {
        items.iter().map(|item| item.to_bits()).collect()
    }

    #[test]
    fn every_layout_in_the_order_of_numpy() {
        for operand in operands(reciprocal) {
            let (view, iteration) = (operand.view(), Iteration::new(&operand));
            assert_eq!(
                whole::<FloatSum>(&view).to_bits(),
                iteration.whole().to_bits(),
                "{view:?}"
            );
            for axis in [0, 1] {
                let (found, want) = (reduced::<FloatSum>(&view, axis), iteration.along(axis));
                assert_eq!(bits(&found), bits(&want), "{view:?} axis {axis}");
            }
        }
    }

    /// Shape, byte strides, the byte of the first element, the bits of the sum, and a hash of those of the sums along axis
    /// 0 and 1, as NumPy 2.4.6 gives them for [`reciprocal`] elements.
    type Record = ([usize; 2], [isize; 2], usize, u64, u64, u64);

    #[test]
    fn sums_recorded_from_numpy() {
        let records: &[Record] = &[
            (
                [1, 7],
                [0, 8],
                0,
                0x4004_be2b_e2be_2be2,
                0xbe7b_d0bd_0bd0_bd0e,
                0x4004_be2b_e2be_2be2,
            ),
            (
                [1, 128],
                [0, 8],
                0,
                0x4015_bb8a_e954_1ca7,
                0xccfb_fe65_23d2_bd34,
                0x4015_bb8a_e954_1ca7,
            ),
            (
                [1, 1000],
                [0, 8],
                0,
                0x401d_f11f_45f4_e61a,
                0x44d1_4127_9383_072d,
                0x401d_f11f_45f4_e61a,
            ),
            (
                [1, 1000],
                [0, 16],
                0,
                0x4011_be16_7dd4_2c64,
                0x48af_ffff_ffff_fcb0,
                0x4011_be16_7dd4_2c64,
            ),
            (
                [1, 1000],
                [0, -8],
                7992,
                0x401d_f11f_45f4_e619,
                0x39d2_a5e1_9d3c_79df,
                0x401d_f11f_45f4_e619,
            ),
            (
                [1, 20000],
                [0, 8],
                0,
                0x4024_f622_0246_8758,
                0x908a_5185_0f1f_fba2,
                0x4024_f622_0246_8758,
            ),
            (
                [1, 20000],
                [0, 8],
                1,
                0x4024_f622_0246_8759,
                0x908a_5185_0f1f_fba2,
                0x4024_f622_0246_8759,
            ),
            (
                [37, 41],
                [328, 8],
                0,
                0x401f_9baf_1df5_393d,
                0x3ba8_1241_47fc_66cb,
                0x4a41_4f43_4e6b_390b,
            ),
            (
                [37, 41],
                [8, 296],
                0,
                0x401f_9baf_1df5_393d,
                0x765f_18a5_b14f_4e5c,
                0x265e_9001_eb10_1ead,
            ),
            (
                [37, 41],
                [360, 8],
                0,
                0x401e_776e_7d6f_91da,
                0x2130_cd0a_d31c_8ed1,
                0x5ca6_0eea_bb1b_712c,
            ),
            (
                [37, 41],
                [-328, 8],
                11808,
                0x401f_9baf_1df5_393d,
                0x3ba8_1241_47fc_62fb,
                0x44ac_ad13_1fce_dbdb,
            ),
            (
                [300, 41],
                [360, 8],
                0,
                0x4023_0c61_4dcb_6b40,
                0x2d94_4d7e_64d0_af00,
                0x52a8_55d7_8779_6483,
            ),
            (
                [3, 9000],
                [72008, 8],
                0,
                0x4025_8fbc_5587_22a5,
                0x086b_2c39_d38e_8d84,
                0xc0d0_6e04_14ce_0650,
            ),
            (
                [3, 9000],
                [72008, 8],
                1,
                0x4025_8fbc_5587_22a7,
                0x086b_2c39_d38e_8d84,
                0xc0d0_6e04_14ce_0654,
            ),
            (
                [2, 5000],
                [40024, 8],
                0,
                0x4023_9319_cce2_dadb,
                0xda61_7357_9b3f_0090,
                0xff90_b253_56a1_79ee,
            ),
            (
                [40, 500],
                [0, 8],
                0,
                0x4070_fb68_30d6_4796,
                0xaab9_0eb6_db0c_ce48,
                0x0462_ea14_9498_0640,
            ),
            (
                [40, 500],
                [8, 8],
                0,
                0x4061_c2e2_f285_ec50,
                0xa28f_5fd2_fe26_069f,
                0x005f_9e42_8ba0_39bf,
            ),
        ];
        let hash = |sums: Vec<f64>| {
            (1..)
                .step_by(2)
                .zip(sums)
                .fold(0_u64, |hash, (factor, sum)| {
                    hash ^ sum.to_bits().wrapping_mul(factor)
                })
        };
        for &([rows, columns], strides, first, sum, down, right) in records {
            if cfg!(miri) && rows * columns > 200 {
                continue;
            }
            let operand = Operand::new(Shape::two(rows, columns), strides, first % 8, reciprocal);
            let view = operand.view();
            assert_eq!(whole::<FloatSum>(&view).to_bits(), sum, "{view:?}");
            assert_eq!(hash(reduced::<FloatSum>(&view, 0)), down, "{view:?}");
            assert_eq!(hash(reduced::<FloatSum>(&view, 1)), right, "{view:?}");
        }
    }

    /// Halves are cut at whole steps, so some lengths below two blocks have a half that is more than one.
    #[test]
    fn every_length_is_halved_as_numpy_halves_it() {
        let counts = if cfg!(miri) {
            PAIR - 2 * WIDTH..=PAIR + WIDTH
        } else {
            0..=2 * PAIR + WIDTH
        };
        for stride in [SIZE, -SIZE, 2 * SIZE] {
            for count in counts.clone() {
                let operand = Operand::new(Shape::one(count), [0, stride], 0, reciprocal);
                let expected = 0.0 + pairwise(&operand.items());
                let sum = whole::<FloatSum>(&operand.view());
                assert_eq!(sum.to_bits(), expected.to_bits(), "{stride} {count}");
            }
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn both_kinds_of_processors_agree() {
        if !std::arch::is_x86_feature_detected!("avx2") {
            return;
        }
        for stride in [SIZE, -SIZE, 2 * SIZE, 3 * SIZE] {
            for count in WIDTH..=PAIR {
                let operand = Operand::new(Shape::one(count), [0, stride], 0, reciprocal);
                let first = operand.view().first();
                // SAFETY: there are as many elements at that stride, and AVX2.
                let sums = unsafe {
                    [
                        Portable::sum(first, stride, count),
                        super::Avx2::sum(first, stride, count),
                    ]
                };
                assert_eq!(sums[0].to_bits(), sums[1].to_bits(), "{stride} {count}");
            }
        }
    }

    #[test]
    fn zeros_have_the_sign_that_numpy_gives() {
        let zeros = Operand::new(Shape::two(9, 40), [320, 8], 0, |_| -0.0);
        assert_eq!(whole::<FloatSum>(&zeros.view()).to_bits(), 0);
        for axis in [0, 1] {
            let sums = reduced::<FloatSum>(&zeros.view(), axis);
            assert!(sums.iter().all(|sum| sum.to_bits() == 0));
        }
    }
}
