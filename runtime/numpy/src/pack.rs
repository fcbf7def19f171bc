//! Gathering a strided tile of an operand into contiguous memory.
//!
//! The arithmetic loops only ever see contiguous elements, so that they vectorise whatever the strides are. What is not
//! contiguous is copied here first, a tile at a time, into a buffer that stays in the first-level cache.

use std::mem::{size_of, MaybeUninit};

/// The number of elements of a tile.
pub const TILE: usize = 512;

/// A buffer for one tile.
pub type Tile<T> = [MaybeUninit<T>; TILE];

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
    /// The address of element `[row, column]`.
    ///
    /// # Safety
    ///
    /// The element must lie in the patch.
    #[inline(always)]
    unsafe fn at(&self, row: usize, column: usize) -> *const T {
        // Wrapping: strides are the caller's and overflow checks must not see a product that the address undoes.
        let offset = (row as isize)
            .wrapping_mul(self.strides[0])
            .wrapping_add((column as isize).wrapping_mul(self.strides[1]));
        // SAFETY: the element lies in the operand, by the caller's word.
        unsafe { self.first.byte_offset(offset) }
    }
}

/// Copies `patch` into `tile`, row `i` from index `i * pitch` on.
///
/// # Panics
///
/// When the rows would overlap or leave the tile.
///
/// # Safety
///
/// Every element of the patch can be read, aligned or not.
pub unsafe fn pack<T: Copy>(tile: &mut Tile<T>, pitch: usize, patch: Patch<T>) {
    assert!(patch.columns <= pitch && patch.rows <= TILE && pitch * patch.rows <= TILE);
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: AVX2 is there; the rest is the caller's word and the assertion.
        return unsafe { pack_avx2(tile, pitch, patch) };
    }
    // SAFETY: the caller's word and the assertion.
    unsafe { pack_body(tile, pitch, patch) }
}

/// # Safety
///
/// As [`pack_body`], on a processor with AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn pack_avx2<T: Copy>(tile: &mut Tile<T>, pitch: usize, patch: Patch<T>) {
    // SAFETY: the caller's word.
    unsafe { pack_body(tile, pitch, patch) }
}

/// # Safety
///
/// As [`pack`], whose assertion holds.
#[inline(always)]
unsafe fn pack_body<T: Copy>(tile: &mut Tile<T>, pitch: usize, patch: Patch<T>) {
    let [down, _] = patch.strides;
    if down == size_of::<T>() as isize && patch.rows >= BLOCK {
        // SAFETY: the caller's word; the columns are contiguous.
        return unsafe { transpose(tile, pitch, patch) };
    }
    for row in 0..patch.rows {
        let (done, rest) = tile.split_at_mut(row * pitch);
        let slots = &mut rest[..patch.columns];
        if down == 0 && row > 0 {
            slots.copy_from_slice(&done[..patch.columns]);
        } else {
            // SAFETY: `row` is a row of the patch.
            unsafe { gather(slots, patch.at(row, 0), patch.strides[1]) };
        }
    }
}

/// Copies a row whose elements lie `stride` bytes apart.
///
/// # Safety
///
/// `slots.len()` such elements can be read.
#[inline(always)]
unsafe fn gather<T: Copy>(slots: &mut [MaybeUninit<T>], first: *const T, stride: isize) {
    let size = size_of::<T>() as isize;
    // Known strides get loops of their own, which vectorise.
    match stride {
        0 => {
            // SAFETY: a slice of no elements has no row here; `first` is an element.
            let element = unsafe { first.read_unaligned() };
            slots.fill(MaybeUninit::new(element));
        }
        // SAFETY (all three): the caller's word.
        _ if stride == size => unsafe { gather_by(slots, first, size) },
        _ if stride == -size => unsafe { gather_by(slots, first, -size) },
        _ => unsafe { gather_by(slots, first, stride) },
    }
}

/// # Safety
///
/// As [`gather`].
#[inline(always)]
unsafe fn gather_by<T: Copy>(slots: &mut [MaybeUninit<T>], first: *const T, stride: isize) {
    for (index, slot) in slots.iter_mut().enumerate() {
        // SAFETY: element `index` can be read, by the caller's word.
        slot.write(unsafe {
            first
                .byte_offset((index as isize).wrapping_mul(stride))
                .read_unaligned()
        });
    }
}

/// The side of the square that is transposed in registers.
const BLOCK: usize = 4;

/// Copies a patch whose columns are contiguous, in squares: rows and columns of a square are each read and written at
/// once, where element by element every read or every write would touch another cache line.
///
/// # Safety
///
/// As [`pack_body`], and `patch.strides[0]` is the size of an element.
#[inline(always)]
unsafe fn transpose<T: Copy>(tile: &mut Tile<T>, pitch: usize, patch: Patch<T>) {
    let squared = |length: usize| length - length % BLOCK;
    let (rows, columns) = (squared(patch.rows), squared(patch.columns));
    for column in (0..columns).step_by(BLOCK) {
        for row in (0..rows).step_by(BLOCK) {
            // SAFETY: the square lies in the patch and its columns are contiguous; the rows written lie in the tile,
            // as `pitch * patch.rows` does, and a tile's elements are of the type that is written.
            unsafe {
                let read = |k: usize| -> [T; BLOCK] {
                    patch.at(row, column + k).cast::<[T; BLOCK]>().read_unaligned()
                };
                let [a, b, c, d] = [read(0), read(1), read(2), read(3)];
                let target = tile.as_mut_ptr().add(row * pitch + column);
                for k in 0..BLOCK {
                    target
                        .add(k * pitch)
                        .cast::<[T; BLOCK]>()
                        .write_unaligned([a[k], b[k], c[k], d[k]]);
                }
            }
        }
    }
    for row in 0..patch.rows {
        let rest = if row < rows { columns } else { 0 };
        for column in rest..patch.columns {
            // SAFETY: the element lies in the patch.
            tile[row * pitch + column].write(unsafe { patch.at(row, column).read_unaligned() });
        }
    }
}
