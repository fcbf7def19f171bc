//! Writing a large result past the caches.
//!
//! A processor that writes to memory first reads the cache line, and keeps it until others push it out. Neither helps a result
//! that is larger than a cache: by the time that it is read, it is not there. Whole lines can be written past the caches
//! instead, which leaves the width of the path to memory to the operands.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;
use std::mem::{size_of, size_of_val, MaybeUninit};

/// The bytes of a result from which that takes less time, whether or not the result is read right after. Of a chain over
/// three operands it then takes two thirds of the time; a smaller result is read from the cache faster than it is
/// written past it.
const LARGE: usize = 12 << 20;

/// The bytes of a cache line.
const LINE: usize = 64;

/// The bytes that are computed before they are written together: few, so that operands stay in the first-level cache with them.
const PIECE: usize = 2048;

/// Whether to write `out` past the caches.
#[inline]
pub(super) fn pays<T>(out: &[T]) -> bool {
    size_of_val(out) >= LARGE && is_possible()
}

/// Whether the processor has what [`write`] needs.
fn is_possible() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("avx");
    #[cfg(not(target_arch = "x86_64"))]
    return false;
}

/// Memory for one piece, and for its offset from the start of a cache line.
#[repr(align(64))]
struct Stage([MaybeUninit<u8>; PIECE + LINE]);

/// Writes `slots` past the caches, piece by piece. `compute` is given slots for a piece and the number of its first element.
///
/// Before other threads may read what was written, [`finish`] must be called.
///
/// # Safety
///
/// `compute` fills all slots that it is given, and the processor is one for which [`pays`] holds.
pub(super) unsafe fn write<T: Copy>(
    slots: &mut [MaybeUninit<T>],
    mut compute: impl FnMut(&mut [MaybeUninit<T>], usize),
) {
    let mut stage = Stage([MaybeUninit::uninit(); PIECE + LINE]);
    let (mut left, mut start) = (slots, 0);
    while !left.is_empty() {
        // Where lines start, they start in the stage as well, and the last one ends with the piece.
        let offset = left.as_ptr() as usize % LINE;
        let length = left.len().min((PIECE - offset) / size_of::<T>());
        let (piece, rest) = left.split_at_mut(length);
        let first = stage.0[offset..].as_mut_ptr().cast();
        // SAFETY: the stage has as many bytes from the offset on, which suits `T`, as it is that of a slot.
        let staged = unsafe { std::slice::from_raw_parts_mut(first, length) };
        compute(staged, start);
        // SAFETY: the caller's word.
        unsafe { store(staged, piece) };
        left = rest;
        start += length;
    }
}

/// Copies `piece` to memory, whole cache lines of it past the caches.
///
/// # Safety
///
/// All of `piece` is filled, `slots` are as many and as far behind the start of a line, and the processor has AVX.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx")]
unsafe fn store<T: Copy>(piece: &[MaybeUninit<T>], slots: &mut [MaybeUninit<T>]) {
    let bytes = size_of_val(piece);
    let (from, to) = (piece.as_ptr().cast::<u8>(), slots.as_mut_ptr().cast::<u8>());
    let head = to.align_offset(LINE).min(bytes);
    let lines = (bytes - head) / LINE * LINE;
    // SAFETY (all): head, lines and tail are the bytes of both. The lines start at the start of a line, in both.
    unsafe {
        from.copy_to_nonoverlapping(to, head);
        for line in (head..head + lines).step_by(LINE) {
            let (from, to) = (from.add(line).cast::<__m256i>(), to.add(line).cast());
            _mm256_stream_si256(to, _mm256_load_si256(from));
            _mm256_stream_si256(to.add(1), _mm256_load_si256(from.add(1)));
        }
        let tail = head + lines;
        from.add(tail)
            .copy_to_nonoverlapping(to.add(tail), bytes - tail);
    }
}

/// Never called: see [`pays`].
#[cfg(not(target_arch = "x86_64"))]
unsafe fn store<T: Copy>(piece: &[MaybeUninit<T>], slots: &mut [MaybeUninit<T>]) {
    slots.copy_from_slice(piece);
}

/// Waits until all that was written past the caches can be seen by other threads.
#[inline]
pub(super) fn finish() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every such processor has the instruction.
    unsafe {
        _mm_sfence()
    };
}

#[cfg(all(test, target_arch = "x86_64", not(miri)))]
mod tests {
    use std::fmt::Debug;
    use std::mem::{size_of, MaybeUninit};

    use super::{finish, is_possible, write, LINE, PIECE};

    /// Writes slots that start and end anywhere in a cache line.
    fn check<T: Copy + Default + PartialEq + Debug>(element: fn(usize) -> T) {
        if !is_possible() {
            return;
        }
        let size = size_of::<T>();
        let lengths = [0, 1, 2, LINE / size, PIECE / size, 3 * PIECE / size];
        for length in lengths
            .into_iter()
            .flat_map(|length| length..length + LINE / size)
        {
            for offset in 0..LINE / size {
                let mut memory = vec![MaybeUninit::new(T::default()); offset + length + 1];
                // SAFETY: every slot is filled.
                unsafe {
                    write(&mut memory[offset..offset + length], |slots, start| {
                        for (index, slot) in slots.iter_mut().enumerate() {
                            slot.write(element(start + index));
                        }
                    });
                }
                finish();
                // SAFETY: all were filled at first.
                let found = memory.iter().map(|slot| unsafe { slot.assume_init() });
                let around = std::iter::repeat_n(T::default(), offset);
                let want = around.chain((0..length).map(element)).chain([T::default()]);
                assert!(found.eq(want), "{length} from {offset}");
            }
        }
    }

    #[test]
    fn every_slot_is_written_once() {
        check(|index| index as f64 + 1.0);
        check(|index| index as f32 + 1.0);
        check(|index| index as i64 + 1);
    }
}
