//! Instructions of AVX-512 whose intrinsics need a newer compiler than this crate may ask for.
//!
//! AVX2 has none for the larger of two 64-bit integers: the same takes two instructions or more, and half the vector.

use std::arch::asm;
use std::mem::size_of;

/// The lanes of a vector.
pub const LANES: usize = 8;

/// The elements of a block: as many accumulators of a vector each need not wait for each other.
pub const BLOCK: usize = 4 * LANES;

/// The bytes of a vector, and of a cache line.
const LINE: usize = 64;

macro_rules! folds {
    ($($(#[$attribute:meta])* $name:ident = $instruction:literal;)*) => {$(
        $(#[$attribute])*
        #[target_feature(enable = "avx2")]
        pub unsafe fn $name(first: *const i64, count: usize) -> [i64; LANES] {
            // A load that crosses a cache line counts as two. So the first block is taken where it is, the following ones
            // from the next line on, and the last one from the end, whichever elements have been taken before.
            let skipped = (first as usize).wrapping_neg() % LINE / size_of::<i64>();
            let mut lanes = [0; LANES];
            // SAFETY: the processor has the instructions. They read the blocks, which lie within the elements, and write the
            // lanes.
            unsafe {
                asm!(
                    "vmovdqu64 {a:z}, [{first}]",
                    "vmovdqu64 {b:z}, [{first} + 64]",
                    "vmovdqu64 {c:z}, [{first} + 128]",
                    "vmovdqu64 {d:z}, [{first} + 192]",
                    "test {blocks}, {blocks}",
                    "jz 3f",
                    "2:",
                    concat!($instruction, " {a:z}, {a:z}, [{next}]"),
                    concat!($instruction, " {b:z}, {b:z}, [{next} + 64]"),
                    concat!($instruction, " {c:z}, {c:z}, [{next} + 128]"),
                    concat!($instruction, " {d:z}, {d:z}, [{next} + 192]"),
                    "add {next}, 256",
                    "dec {blocks}",
                    "jnz 2b",
                    "3:",
                    concat!($instruction, " {a:z}, {a:z}, [{last}]"),
                    concat!($instruction, " {b:z}, {b:z}, [{last} + 64]"),
                    concat!($instruction, " {c:z}, {c:z}, [{last} + 128]"),
                    concat!($instruction, " {d:z}, {d:z}, [{last} + 192]"),
                    concat!($instruction, " {a:z}, {a:z}, {b:z}"),
                    concat!($instruction, " {c:z}, {c:z}, {d:z}"),
                    concat!($instruction, " {a:z}, {a:z}, {c:z}"),
                    "vmovdqu64 [{lanes}], {a:z}",
                    a = out(ymm_reg) _,
                    b = out(ymm_reg) _,
                    c = out(ymm_reg) _,
                    d = out(ymm_reg) _,
                    first = in(reg) first,
                    next = inout(reg) first.add(skipped) => _,
                    blocks = inout(reg) (count - skipped) / BLOCK => _,
                    last = in(reg) first.add(count - BLOCK),
                    lanes = in(reg) lanes.as_mut_ptr(),
                    options(nostack),
                );
            }
            lanes
        }
    )*};
}

folds! {
    /// The largest elements, one in each lane: the largest of all is among them.
    ///
    /// # Safety
    ///
    /// There are `count` elements, a [`BLOCK`] at least, that can be read, aligned or not; the processor has AVX-512F.
    max = "vpmaxsq";

    /// The smallest elements, one in each lane.
    ///
    /// # Safety
    ///
    /// As [`max`].
    min = "vpminsq";
}
