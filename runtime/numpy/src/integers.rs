//! Reductions of integers. They wrap, and may take their elements in any order.

#[cfg(target_arch = "x86_64")]
use super::avx512;
use super::reduction::{fold_run, Reduction};

/// The sum of `int64` elements, wrapping.
#[derive(Debug)]
pub enum IntegerSum {}

// SAFETY: `each` is the default one.
unsafe impl Reduction for IntegerSum {
    type Item = i64;

    const START: i64 = 0;

    #[inline(always)]
    fn combine(total: i64, item: i64) -> i64 {
        total.wrapping_add(item)
    }
}

macro_rules! extremum {
    ($(#[$attribute:meta])* $name:ident, $start:expr, $better:ident) => {
        $(#[$attribute])*
        #[derive(Debug)]
        pub enum $name {}

        // SAFETY: `each` is the default one.
        unsafe impl Reduction for $name {
            type Item = i64;

            const START: i64 = $start;

            #[inline(always)]
            fn combine(total: i64, item: i64) -> i64 {
                total.$better(item)
            }

            #[cfg(target_arch = "x86_64")]
            #[inline(always)]
            unsafe fn run(first: *const i64, count: usize) -> i64 {
                if count < avx512::BLOCK || !std::arch::is_x86_feature_detected!("avx512f") {
                    // SAFETY: the caller's word.
                    return unsafe { fold_run::<Self>(first, count) };
                }
                // SAFETY: the processor has AVX-512F; the rest is the caller's word.
                let lanes = unsafe { avx512::$better(first, count) };
                lanes.into_iter().fold(Self::START, Self::combine)
            }
        }
    };
}

extremum!(
    /// The largest `int64` element.
    Maximum,
    i64::MIN,
    max
);

extremum!(
    /// The smallest `int64` element.
    Minimum,
    i64::MAX,
    min
);

#[cfg(test)]
mod tests {
    use super::super::reduction::tests::{operands, reduced};
    use super::super::reduction::{whole, Reduction};
    use super::super::view::View;
    use super::{IntegerSum, Maximum, Minimum};

    /// Elements of all magnitudes and both signs.
    fn element(index: usize) -> i64 {
        (index as i64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15_u64 as i64) >> (index % 60)
    }

    /// All layouts, whole and along both axes, against a plain loop.
    fn check<R: Reduction<Item = i64>>(combine: fn(i64, i64) -> i64) {
        for operand in operands(element) {
            let (view, items) = (operand.view(), operand.items());
            let [rows, columns] = view.shape().dims();
            let row = |row: usize| (0..columns).map(move |column| row * columns + column);
            let column = |column: usize| (0..rows).map(move |row| row * columns + column);
            let fold = |indices: &mut dyn Iterator<Item = usize>| {
                indices.fold(R::START, |total, index| combine(total, items[index]))
            };
            assert_eq!(whole::<R>(&view), fold(&mut (0..items.len())), "{view:?}");
            let want: Vec<i64> = (0..columns).map(|k| fold(&mut column(k))).collect();
            assert_eq!(reduced::<R>(&view, 0), want, "{view:?}");
            let want: Vec<i64> = (0..rows).map(|k| fold(&mut row(k))).collect();
            assert_eq!(reduced::<R>(&view, 1), want, "{view:?}");
        }
    }

    #[test]
    fn sums_in_every_layout() {
        check::<IntegerSum>(i64::wrapping_add);
    }

    #[test]
    fn maxima_in_every_layout() {
        check::<Maximum>(i64::max);
    }

    #[test]
    fn minima_in_every_layout() {
        check::<Minimum>(i64::min);
    }

    /// Elements of which one is better than the others, at every place and wherever a cache line starts, between elements
    /// that are better still.
    fn check_places<R: Reduction<Item = i64>>(beyond: i64, best: i64) {
        let (lengths, offsets) = if cfg!(miri) {
            (17..19, 0..1)
        } else {
            (1..110, 0..8)
        };
        for length in lengths {
            for offset in offsets.clone() {
                let mut memory = vec![beyond; offset + length + 1];
                memory[offset..][..length].fill(R::START);
                assert_eq!(whole::<R>(&View::of(&memory[offset..][..length])), R::START);
                for place in offset..offset + length {
                    memory[place] = best;
                    assert_eq!(whole::<R>(&View::of(&memory[offset..][..length])), best);
                    memory[place] = 0;
                }
            }
        }
    }

    #[test]
    fn extrema_at_every_place() {
        check_places::<Maximum>(i64::MAX, i64::MAX - 1);
        check_places::<Minimum>(i64::MIN, i64::MIN + 1);
    }

    #[test]
    fn sums_wrap() {
        assert_eq!(whole::<IntegerSum>(&View::of(&[i64::MAX; 3])), i64::MAX - 2);
        assert_eq!(whole::<IntegerSum>(&View::of(&[i64::MIN; 64])), 0);
    }
}
