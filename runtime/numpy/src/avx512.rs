//! Instructions of AVX-512 whose intrinsics need a newer compiler than this crate may ask for.
//!
//! They work on the vectors of AVX2, for which there is no such instruction: the same takes four instructions or more.

use std::arch::asm;
use std::arch::x86_64::__m256i;

macro_rules! instructions {
    ($($(#[$attribute:meta])* $name:ident = $instruction:literal;)*) => {$(
        $(#[$attribute])*
        #[inline]
        #[target_feature(enable = "avx2")]
        pub unsafe fn $name(x: __m256i, y: __m256i) -> __m256i {
            let result;
            // SAFETY: the processor has the instruction, which does nothing but to set its result.
            unsafe {
                asm!(
                    concat!($instruction, " {}, {}, {}"),
                    lateout(ymm_reg) result,
                    in(ymm_reg) x,
                    in(ymm_reg) y,
                    options(pure, nomem, nostack, preserves_flags),
                );
            }
            result
        }
    )*};
}

instructions! {
    /// The larger of each two signed 64-bit integers.
    ///
    /// # Safety
    ///
    /// The processor has AVX-512VL.
    max = "vpmaxsq";

    /// The smaller of each two signed 64-bit integers.
    ///
    /// # Safety
    ///
    /// The processor has AVX-512VL.
    min = "vpminsq";
}
