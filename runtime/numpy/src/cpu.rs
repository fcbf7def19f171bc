//! Choosing a loop by what the processor has.

/// Declares an unsafe function that is compiled twice, for the baseline processor and for AVX2, and chosen at run time:
/// `multiversion! { pub(super) unsafe fn name<{T: Copy, const N: usize}>(out: &mut [T], n: [T; N]) -> T { .. } }`.
///
/// The function proper is not inlined into its caller. So LLVM takes the word of `&mut` parameters that nothing else
/// aliases them, and vectorises without run-time checks.
///
/// A long loop in the body is a `for`: a closure handed to an iterator need not be inlined, and is then compiled for the
/// baseline processor.
macro_rules! multiversion {
    (
        $(#[$attribute:meta])*
        $visibility:vis unsafe fn $name:ident<{$($generics:tt)*}>(
            $($argument:ident: $type:ty),* $(,)?
        ) $(-> $result:ty)? $body:block
    ) => {
        $(#[$attribute])*
        #[inline(always)]
        $visibility unsafe fn $name<$($generics)*>($($argument: $type),*) $(-> $result)? {
            #[inline(always)]
            unsafe fn body<$($generics)*>($($argument: $type),*) $(-> $result)? $body

            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2")]
            unsafe fn avx2<$($generics)*>($($argument: $type),*) $(-> $result)? {
                // SAFETY: the caller's word.
                unsafe { body($($argument),*) }
            }

            #[inline(never)]
            unsafe fn baseline<$($generics)*>($($argument: $type),*) $(-> $result)? {
                // SAFETY: the caller's word.
                unsafe { body($($argument),*) }
            }

            #[cfg(target_arch = "x86_64")]
            if std::arch::is_x86_feature_detected!("avx2") {
                // SAFETY: AVX2 is there; the rest is the caller's word.
                return unsafe { avx2($($argument),*) };
            }
            // SAFETY: the caller's word.
            unsafe { baseline($($argument),*) }
        }
    };
}

pub(super) use multiversion;
