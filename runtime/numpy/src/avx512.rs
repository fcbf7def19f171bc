//! Instructions of AVX-512 whose intrinsics need a newer compiler than this crate may ask for.
//!
//! AVX2 has none for the larger of two 64-bit integers: the same takes two instructions or more, and half the vector.

use std::arch::asm;

/// The lanes of a vector.
pub const LANES: usize = 8;

/// The elements of a block: as many accumulators of a vector each need not wait for each other.
pub const BLOCK: usize = 4 * LANES;

macro_rules! folds {
    ($($(#[$attribute:meta])* $name:ident = $instruction:literal;)*) => {$(
        $(#[$attribute])*
        #[target_feature(enable = "avx2")]
        pub unsafe fn $name(first: *const i64, blocks: usize, start: i64) -> [i64; LANES] {
            let mut lanes = [start; LANES];
            // SAFETY: the processor has the instructions. They read the blocks and write the lanes.
            unsafe {
                asm!(
                    "vpbroadcastq {a:z}, {start}",
                    "vmovdqa64 {b:z}, {a:z}",
                    "vmovdqa64 {c:z}, {a:z}",
                    "vmovdqa64 {d:z}, {a:z}",
                    "2:",
                    concat!($instruction, " {a:z}, {a:z}, [{first}]"),
                    concat!($instruction, " {b:z}, {b:z}, [{first} + 64]"),
                    concat!($instruction, " {c:z}, {c:z}, [{first} + 128]"),
                    concat!($instruction, " {d:z}, {d:z}, [{first} + 192]"),
                    "add {first}, 256",
                    "dec {blocks}",
                    "jnz 2b",
                    concat!($instruction, " {a:z}, {a:z}, {b:z}"),
                    concat!($instruction, " {c:z}, {c:z}, {d:z}"),
                    concat!($instruction, " {a:z}, {a:z}, {c:z}"),
                    "vmovdqu64 [{lanes}], {a:z}",
                    a = out(ymm_reg) _,
                    b = out(ymm_reg) _,
                    c = out(ymm_reg) _,
                    d = out(ymm_reg) _,
                    start = in(reg) start,
                    first = inout(reg) first => _,
                    blocks = inout(reg) blocks => _,
                    lanes = in(reg) lanes.as_mut_ptr(),
                    options(nostack),
                );
            }
            lanes
        }
    )*};
}

folds! {
    /// The largest of `start` and every eighth element of `blocks` blocks, in each lane.
    ///
    /// # Safety
    ///
    /// There are so many blocks, one at least, that can be read, aligned or not; the processor has AVX-512F.
    max = "vpmaxsq";

    /// The smallest of `start` and every eighth element of `blocks` blocks, in each lane.
    ///
    /// # Safety
    ///
    /// As [`max`].
    min = "vpminsq";
}
