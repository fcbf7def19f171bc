//! Gathering a strided tile of an operand into contiguous memory.
//!
//! The arithmetic loops only ever see contiguous elements, so that they vectorise whatever the strides are. What is not
//! contiguous is copied here first, a tile at a time, into a buffer that stays in the first-level cache.

use std::array;
use std::mem::{size_of, size_of_val, MaybeUninit};

#[cfg(target_arch = "x86_64")]
use super::transpose::transpose;

/// A rectangle of an operand: where it starts, how far apart its rows and columns are, and how many there are.
#[derive(Clone, Copy, Debug)]
pub struct Patch<T> {
    /// The address of the first element.
    pub first: *const T,
    /// Bytes from one row to the next, and from one column to the next.
    pub strides: [isize; 2],
    /// The number of rows.
    pub rows: usize,
    /// The number of columns.
    pub columns: usize,
}

impl<T: Copy> Patch<T> {
    /// The address of element `[row, column]`, which must exist for it to be read.
    #[inline(always)]
    pub fn at(&self, row: usize, column: usize) -> *const T {
        // Wrapping: strides are the caller's, and overflow checks must not see a product that the address undoes.
        let [down, right] = self.strides;
        let offset = (row as isize)
            .wrapping_mul(down)
            .wrapping_add((column as isize).wrapping_mul(right));
        self.first.wrapping_byte_offset(offset)
    }

    /// Whether the elements lie side by side in memory, row behind row.
    #[inline]
    pub fn is_run(&self) -> bool {
        let [down, right] = self.strides;
        let size = size_of::<T>() as isize;
        (self.columns == 1 || right == size)
            && (self.rows == 1 || down == size.wrapping_mul(self.columns as isize))
    }

    /// Whether all elements are the same one.
    #[inline]
    pub fn is_even(&self) -> bool {
        let [down, right] = self.strides;
        (self.columns == 1 || right == 0) && (self.rows == 1 || down == 0)
    }
}

/// Copies `patch` into `tile`, row `i` from index `i * pitch` on.
///
/// # Panics
///
/// When the rows would overlap or leave the tile, or there is no element.
///
/// # Safety
///
/// Every element of the patch can be read, aligned or not.
pub unsafe fn pack<T: Copy>(tile: &mut [MaybeUninit<T>], pitch: usize, patch: &Patch<T>) {
    assert!(0 < patch.columns && patch.columns <= pitch);
    assert!(0 < patch.rows && patch.rows <= tile.len() / pitch);
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: AVX2 is there; the rest is the caller's word and the assertions.
        return unsafe { pack_avx2(tile, pitch, patch) };
    }
    // SAFETY: the caller's word and the assertions; nothing is packed yet.
    unsafe { pack_rest(tile, pitch, patch, (0, 0)) }
}

/// # Safety
///
/// As [`pack`], whose assertions hold, on a processor with AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn pack_avx2<T: Copy>(tile: &mut [MaybeUninit<T>], pitch: usize, patch: &Patch<T>) {
    let across = patch.strides[0] == size_of::<T>() as isize && patch.columns >= SHORT;
    // SAFETY: the caller's word; what `transpose` says it has copied, it has.
    unsafe {
        let done = if across {
            transpose(tile, pitch, patch)
        } else {
            (0, 0)
        };
        pack_rest(tile, pitch, patch, done);
    }
}

/// Rows shorter than this are gathered column by column: a long loop over few columns beats many loops of few steps.
const SHORT: usize = 8;

/// Packs what is not packed yet: `done` counts the leading rows and columns whose intersection is.
///
/// # Safety
///
/// As [`pack`], whose assertions hold.
#[inline(always)]
unsafe fn pack_rest<T: Copy>(
    tile: &mut [MaybeUninit<T>],
    pitch: usize,
    patch: &Patch<T>,
    done: (usize, usize),
) {
    let [down, right] = patch.strides;
    if patch.columns < SHORT && patch.columns < patch.rows {
        for column in 0..patch.columns {
            let (mut source, mut slot) = (patch.at(0, column), column);
            for _ in 0..patch.rows {
                // SAFETY: the element lies in the patch, and `pitch * rows` in the tile.
                unsafe { tile.get_unchecked_mut(slot).write(source.read_unaligned()) };
                source = source.wrapping_byte_offset(down);
                slot += pitch;
            }
        }
        return;
    }
    for row in 0..patch.rows {
        let from = if row < done.0 { done.1 } else { 0 };
        let (above, below) = tile.split_at_mut(row * pitch);
        let slots = &mut below[from..patch.columns];
        if slots.is_empty() {
            continue;
        }
        let first = patch.at(row, from);
        if down == 0 && row > 0 {
            slots.copy_from_slice(&above[from..patch.columns]);
        } else if right == 0 {
            // SAFETY: the element lies in the patch.
            slots.fill(MaybeUninit::new(unsafe { first.read_unaligned() }));
        } else if right == size_of::<T>() as isize {
            // SAFETY: the row lies in the patch, and a tile never overlaps it.
            unsafe {
                slots
                    .as_mut_ptr()
                    .cast::<u8>()
                    .copy_from_nonoverlapping(first.cast(), size_of_val(slots))
            };
        } else {
            // SAFETY: the row lies in the patch.
            unsafe { gather(slots, first, right) };
        }
    }
}

/// Copies elements that lie `stride` bytes apart. At the strides of every other element and of a reversed row, LLVM loads
/// vectors and shuffles them; at others it takes one element at a time, of which several are on their way at once.
///
/// # Safety
///
/// There are as many elements as slots, which can be read, aligned or not.
#[inline(always)]
unsafe fn gather<T: Copy>(slots: &mut [MaybeUninit<T>], first: *const T, stride: isize) {
    const TURN: usize = 8;
    let size = size_of::<T>() as isize;
    // SAFETY (all): the caller's word.
    let element = |first: *const T, index: usize, stride: isize| unsafe {
        let offset = (index as isize).wrapping_mul(stride);
        MaybeUninit::new(first.wrapping_byte_offset(offset).read_unaligned())
    };
    if stride == 2 * size {
        for (index, slot) in slots.iter_mut().enumerate() {
            *slot = element(first, index, 2 * size);
        }
        return;
    }
    if stride == -size {
        for (index, slot) in slots.iter_mut().enumerate() {
            *slot = element(first, index, -size);
        }
        return;
    }
    let mut first = first;
    let mut turns = slots.chunks_exact_mut(TURN);
    for turn in &mut turns {
        let elements: [_; TURN] = array::from_fn(|index| element(first, index, stride));
        turn.copy_from_slice(&elements);
        first = first.wrapping_byte_offset(stride.wrapping_mul(TURN as isize));
    }
    for (index, slot) in turns.into_remainder().iter_mut().enumerate() {
        *slot = element(first, index, stride);
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Debug;
    use std::mem::{size_of, MaybeUninit};

    use super::{pack, Patch};

    const TILE: usize = 1024;

    /// Patches of all strides, with gaps between the rows of the tile that must stay as they are.
    fn check<T: Copy + PartialEq + Debug>(element: fn(i16) -> T) {
        let memory: Vec<T> = (0..10_000).map(element).collect();
        let middle = 5_000;
        let untouched = element(-1);
        let (sizes, strides) = if cfg!(miri) {
            (&[(1, 1), (9, 17), (12, 3)][..], &[-1, 0, 1, 40][..])
        } else {
            (
                &[
                    (1, 1),
                    (1, 100),
                    (8, 64),
                    (7, 63),
                    (9, 17),
                    (100, 3),
                    (3, 100),
                ][..],
                &[-1, 0, 1, 2, 7, 40, -40][..],
            )
        };
        for (&(rows, columns), (&down, &right)) in sizes
            .iter()
            .flat_map(|size| strides.iter().map(move |down| (size, down)))
            .flat_map(|(size, down)| strides.iter().map(move |right| (size, (down, right))))
        {
            let size = size_of::<T>() as isize;
            let patch = Patch {
                first: memory.as_ptr().wrapping_add(middle),
                strides: [down * size, right * size],
                rows,
                columns,
            };
            let pitch = columns + 1;
            let mut tile = [MaybeUninit::new(untouched); TILE];
            // SAFETY: rows and columns span at most 102 steps of at most 40 elements to either side of the middle.
            unsafe { pack(&mut tile, pitch, &patch) };
            // SAFETY: the tile was initialised.
            let tile = tile.map(|slot| unsafe { slot.assume_init() });
            for (row, found) in tile.chunks(pitch).enumerate() {
                for (column, &found) in found.iter().enumerate() {
                    let offset = row as isize * down + column as isize * right;
                    let want = if row < rows && column < columns {
                        memory[(middle as isize + offset) as usize]
                    } else {
                        untouched
                    };
                    assert_eq!(found, want, "{patch:?} {row} {column}");
                }
            }
        }
    }

    #[test]
    fn packs_elements_of_eight_bytes() {
        check(i64::from);
    }

    #[test]
    fn packs_elements_of_four_bytes() {
        check(f32::from);
    }

    /// These are never transposed in registers: the loops of processors without AVX2.
    #[test]
    fn packs_other_elements() {
        check(|k| k);
    }

    #[test]
    fn patches_that_need_no_packing() {
        let patch = |rows, columns, strides| Patch {
            first: &0_i32,
            strides,
            rows,
            columns,
        };
        for (patch, is_run, is_even) in [
            (patch(2, 3, [12, 4]), true, false),
            (patch(2, 3, [16, 4]), false, false),
            (patch(1, 3, [16, 4]), true, false),
            (patch(3, 1, [4, 16]), true, false),
            (patch(2, 3, [4, 8]), false, false),
            (patch(2, 3, [0, 4]), false, false),
            (patch(2, 3, [0, 0]), false, true),
            (patch(1, 3, [4, 0]), false, true),
            (patch(2, 3, [4, 0]), false, false),
            (patch(1, 1, [8, 8]), true, true),
        ] {
            assert_eq!(
                (patch.is_run(), patch.is_even()),
                (is_run, is_even),
                "{patch:?}"
            );
        }
    }

    #[test]
    #[should_panic]
    fn refuses_a_patch_that_leaves_the_tile() {
        let patch = Patch {
            first: &1_i64,
            strides: [0, 0],
            rows: 2,
            columns: TILE / 2 + 1,
        };
        // SAFETY: all elements are the same one.
        unsafe { pack(&mut [MaybeUninit::uninit(); TILE], TILE / 2 + 1, &patch) };
    }
}
