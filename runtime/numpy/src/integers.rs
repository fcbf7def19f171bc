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
                let blocks = count / avx512::BLOCK;
                if blocks == 0 || !std::arch::is_x86_feature_detected!("avx512f") {
                    // SAFETY: the caller's word.
                    return unsafe { fold_run::<Self>(first, count) };
                }
                let whole = blocks * avx512::BLOCK;
                // SAFETY: the processor has AVX-512F; the rest is the caller's word.
                unsafe {
                    let lanes = avx512::$better(first, blocks, Self::START);
                    let rest = fold_run::<Self>(first.add(whole), count - whole);
                    lanes.into_iter().fold(rest, Self::combine)
                }
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

    #[test]
    fn extremes_at_every_place() {
        for length in if cfg!(miri) { 17..19 } else { 1..70 } {
            for place in 0..length {
                let mut items = vec![0; length];
                items[place] = i64::MAX;
                assert_eq!(whole::<Maximum>(&View::of(&items)), i64::MAX);
                items[place] = i64::MIN;
                assert_eq!(whole::<Minimum>(&View::of(&items)), i64::MIN);
                items.fill(i64::MIN);
                assert_eq!(whole::<Maximum>(&View::of(&items)), i64::MIN);
            }
        }
    }

    #[test]
    fn sums_wrap() {
        assert_eq!(whole::<IntegerSum>(&View::of(&[i64::MAX; 3])), i64::MAX - 2);
        assert_eq!(whole::<IntegerSum>(&View::of(&[i64::MIN; 64])), 0);
    }
}
