//! Reducing a strided operand, whole or along one axis.
//!
//! The operand's axes are put into NumPy's order first: lines, as close in memory as they come, one after the other. A
//! reduction along the lines gives one element a line; a reduction across them combines the lines, element by element,
//! into the result. Integers may be combined in any order, which is what the default methods of [`Reduction`] do; the sum
//! of floats has an order of its own (`sum.rs`).

use std::array;
use std::hint::black_box;
use std::marker::PhantomData;
use std::mem::{size_of, MaybeUninit};
use std::slice;

use super::cpu::multiversion;
use super::extent::{Order, Shape};
use super::kernel::update;
use super::view::View;

/// An operation that makes one element of many.
///
/// The default methods take the elements in any order.
///
/// # Safety
///
/// [`each`](Self::each) writes every element of `out`.
pub unsafe trait Reduction {
    /// The elements.
    type Item: Copy;

    /// What changes no element that it is combined with, and what no elements give.
    const START: Self::Item;

    /// Takes one more element in.
    fn combine(total: Self::Item, item: Self::Item) -> Self::Item;

    /// Reduces contiguous elements to one.
    ///
    /// # Safety
    ///
    /// There are `count` elements that can be read, aligned or not.
    #[inline(always)]
    unsafe fn run(first: *const Self::Item, count: usize) -> Self::Item {
        // SAFETY: the caller's word.
        unsafe { fold_run::<Self>(first, count) }
    }

    /// Reduces all elements to one.
    ///
    /// # Safety
    ///
    /// There is an element, and every element of `lines` can be read, aligned or not.
    #[inline]
    unsafe fn all(lines: &Lines<Self::Item>) -> Self::Item {
        let mut totals = [MaybeUninit::uninit(); SHORT];
        match totals.get_mut(..lines.length) {
            Some(totals) if lines.count > SHORT => {
                // SAFETY (both): the caller's word; all elements have been written then.
                unsafe {
                    across::<Self>(lines, totals);
                    fold_run::<Self>(totals.as_ptr().cast(), totals.len())
                }
            }
            // SAFETY: the caller's word.
            _ => unsafe { fold_all(PhantomData::<Self>, lines) },
        }
    }

    /// Reduces each line to an element of `out`.
    ///
    /// # Safety
    ///
    /// Every element of `lines` can be read, aligned or not, and there are as many lines as `out` is long.
    #[inline]
    unsafe fn each(lines: &Lines<Self::Item>, out: &mut [MaybeUninit<Self::Item>]) {
        // SAFETY: the caller's word.
        unsafe { fold_each(PhantomData::<Self>, lines, out) }
    }
}

/// Many lines of at most this length are combined with each other first: most of the time of a loop over so few elements
/// goes into starting and ending it.
const SHORT: usize = 16;

/// The elements of an operand as `count` lines of `length` elements, and the bytes from one to the next.
#[derive(Clone, Copy, Debug)]
pub struct Lines<T> {
    pub(super) first: *const T,
    pub(super) count: usize,
    pub(super) length: usize,
    pub(super) down: isize,
    pub(super) right: isize,
}

impl<T: Copy> Lines<T> {
    /// The lines of `view` that run along `axis`.
    #[inline]
    fn along(view: &View<'_, T>, axis: usize) -> Self {
        let (dims, strides) = (view.shape().dims(), view.strides());
        Self {
            first: view.first(),
            count: dims[1 - axis],
            length: dims[axis],
            down: strides[1 - axis],
            right: strides[axis],
        }
    }

    /// All elements on one line, if they can be walked in even steps (`npyiter_coalesce_axes` in NumPy's
    /// `multiarray/nditer_api.c`).
    #[inline]
    fn joined(self) -> Self {
        let right = if self.length == 1 {
            self.down
        } else if self.count == 1 || self.right.wrapping_mul(self.length as isize) == self.down {
            self.right
        } else {
            return self;
        };
        Self {
            count: 1,
            length: self.count * self.length,
            right,
            ..self
        }
    }

    /// The same elements with each line the other way round if it runs downwards in memory.
    #[inline(always)]
    fn upwards(self) -> Self {
        if self.right >= 0 || self.length == 0 {
            return self;
        }
        Self {
            first: self.at(0, self.length - 1),
            right: self.right.wrapping_neg(),
            ..self
        }
    }

    /// The line to take as number `step`, so that one goes through memory in the direction of the lines: a processor
    /// reads ahead in one direction.
    #[inline(always)]
    pub(super) fn row(&self, step: usize) -> usize {
        if (self.down < 0) == (self.right < 0) {
            step
        } else {
            self.count - 1 - step
        }
    }

    /// The address of element `column` of line `row`, which must exist for it to be read.
    #[inline(always)]
    pub(super) fn at(&self, row: usize, column: usize) -> *const T {
        // Wrapping: strides are the caller's, and overflow checks must not see a product that the address undoes.
        let offset = (row as isize)
            .wrapping_mul(self.down)
            .wrapping_add((column as isize).wrapping_mul(self.right));
        self.first.wrapping_byte_offset(offset)
    }
}

/// The axis along which NumPy walks the elements of `view`: the one with the smaller steps
/// (`npyiter_find_best_axis_ordering` in `multiarray/nditer_constr.c`; the result has no say, since it is allocated
/// later).
#[inline]
fn inner_axis<T: Copy>(view: &View<'_, T>) -> usize {
    match view.extent().order() {
        Order::C => 1,
        Order::F => 0,
    }
}

/// Reduces all elements of `view` to one.
#[inline]
pub fn whole<R: Reduction>(view: &View<'_, R::Item>) -> R::Item {
    if view.shape().dims().contains(&0) {
        return R::START;
    }
    // SAFETY: the lines are the elements of the view.
    unsafe { R::all(&Lines::along(view, inner_axis(view)).joined()) }
}

/// Reduces `view` along `axis`, and fills `out` with the result.
///
/// # Panics
///
/// When there is no such axis, or `out` has another length than the other one.
#[inline]
pub fn along<R: Reduction>(
    view: &View<'_, R::Item>,
    axis: usize,
    out: &mut [MaybeUninit<R::Item>],
) {
    let dims = view.shape().dims();
    assert!(axis < 2);
    assert_eq!(dims[1 - axis], out.len());
    // SAFETY (both): the lines are the elements of the view, which has as many as `out` along the other axis.
    match out {
        [] => {}
        // NumPy drops an axis of length one, and sees the elements as on one line.
        [total] => {
            total.write(whole::<R>(view));
        }
        _ if axis == inner_axis(view) && dims[axis] > 1 => unsafe {
            R::each(&Lines::along(view, axis), out)
        },
        _ => unsafe { across::<R>(&Lines::along(view, 1 - axis), out) },
    }
}

/// Combines the lines, one after the other and element by element, to `out`.
///
/// # Safety
///
/// Every element of `lines` can be read, aligned or not, and the lines are as long as `out`.
#[inline]
unsafe fn across<R: Reduction + ?Sized>(lines: &Lines<R::Item>, out: &mut [MaybeUninit<R::Item>]) {
    out.fill(MaybeUninit::new(R::START));
    // SAFETY: all elements have just been written.
    let out = unsafe { slice::from_raw_parts_mut(out.as_mut_ptr().cast(), out.len()) };
    let mut done = 0;
    // SAFETY (all three): the caller's word.
    unsafe {
        // Elements apart from each other are read one by one, which takes too many registers for eight lines.
        if lines.right == size_of::<R::Item>() as isize {
            take::<R, 8>(lines, &mut done, out);
        }
        take::<R, 4>(lines, &mut done, out);
        take::<R, 1>(lines, &mut done, out);
    }
}

/// Combines the lines from number `done` on into `out`, as long as there are `N`.
///
/// Taking `N` at a time, the result is read and written less often; still each of its elements combines its own in order.
///
/// # Safety
///
/// As [`across`].
unsafe fn take<R: Reduction + ?Sized, const N: usize>(
    lines: &Lines<R::Item>,
    done: &mut usize,
    out: &mut [R::Item],
) {
    let shape = Shape::one(out.len());
    while lines.count - *done >= N {
        // SAFETY: the caller's word.
        let views = array::from_fn(|k| unsafe {
            View::new(lines.at(*done + k, 0), shape, [0, lines.right])
        });
        update(out, shape, Order::C, &views, &|total, items: [_; N]| {
            items.into_iter().fold(total, R::combine)
        });
        *done += N;
    }
}

multiversion! {
    /// Combines all elements, in any order.
    ///
    /// # Safety
    ///
    /// As [`Reduction::all`].
    unsafe fn fold_all<{R: Reduction + ?Sized}>(
        _reduction: PhantomData<R>,
        lines: &Lines<R::Item>,
    ) -> R::Item {
        let lines = lines.upwards();
        let mut total = R::START;
        for step in 0..lines.count {
            // SAFETY: the caller's word.
            total = R::combine(total, unsafe { fold::<R>(&lines, lines.row(step)) });
        }
        total
    }
}

multiversion! {
    /// Combines the elements of each line, in any order, to an element of `out`.
    ///
    /// # Safety
    ///
    /// As [`Reduction::each`].
    unsafe fn fold_each<{R: Reduction + ?Sized}>(
        _reduction: PhantomData<R>,
        lines: &Lines<R::Item>,
        out: &mut [MaybeUninit<R::Item>],
    ) {
        let lines = lines.upwards();
        for step in 0..out.len() {
            let row = lines.row(step);
            // SAFETY: the caller's word.
            out[row].write(unsafe { fold::<R>(&lines, row) });
        }
    }
}

/// Combines the elements of a line, in any order.
///
/// # Safety
///
/// The line's elements can be read, aligned or not.
#[inline(always)]
unsafe fn fold<R: Reduction + ?Sized>(lines: &Lines<R::Item>, row: usize) -> R::Item {
    let (first, count) = (lines.at(row, 0), lines.length);
    // SAFETY (both): the caller's word.
    unsafe {
        if lines.right == size_of::<R::Item>() as isize {
            R::run(first, count)
        } else {
            fold_steps::<R>(first, lines.right, count)
        }
    }
}

/// Combines contiguous elements, in any order.
///
/// # Safety
///
/// As [`Reduction::run`].
#[inline(always)]
pub(super) unsafe fn fold_run<R: Reduction + ?Sized>(
    first: *const R::Item,
    count: usize,
) -> R::Item {
    let mut total = R::START;
    for index in 0..count {
        // SAFETY: the caller's word.
        total = R::combine(total, unsafe { first.add(index).read_unaligned() });
    }
    total
}

/// Combines elements at any distance, in any order: several at a time, which need not wait for each other.
///
/// Never with AVX2: LLVM would gather vectors first, which takes longer than to do without.
///
/// # Safety
///
/// There are `count` elements that can be read, aligned or not.
#[inline(never)]
unsafe fn fold_steps<R: Reduction + ?Sized>(
    first: *const R::Item,
    stride: isize,
    count: usize,
) -> R::Item {
    let mut steps = Steps::new(first, stride);
    let mut totals = [R::START; 4];
    for _ in 0..count / 4 {
        // SAFETY: the caller's word.
        let items = unsafe { steps.four() };
        for (total, item) in totals.iter_mut().zip(items) {
            *total = R::combine(*total, item);
        }
    }
    let total = totals.into_iter().fold(R::START, R::combine);
    (0..count % 4).fold(total, |total, _| {
        // SAFETY: the caller's word.
        R::combine(total, unsafe { steps.one() })
    })
}

/// Elements at even distances, read four at a time.
#[derive(Clone, Copy)]
pub(super) struct Steps<T> {
    first: *const T,
    offsets: [isize; 3],
}

impl<T: Copy> Steps<T> {
    /// Elements `stride` bytes apart.
    #[inline(always)]
    pub(super) fn new(first: *const T, stride: isize) -> Self {
        // LLVM must not know how they belong together: it would find each address from the one before, which is a chain
        // that takes longer than the loads.
        let offsets = black_box([1, 2, 3].map(|k| stride.wrapping_mul(k)));
        Self { first, offsets }
    }

    /// The next four elements.
    ///
    /// # Safety
    ///
    /// They can be read, aligned or not.
    #[inline(always)]
    pub(super) unsafe fn four(&mut self) -> [T; 4] {
        let first = self.first;
        let [one, two, three] = self.offsets;
        self.first = first.wrapping_byte_offset(two.wrapping_mul(2));
        // SAFETY: the caller's word.
        [0, one, two, three]
            .map(|offset| unsafe { first.wrapping_byte_offset(offset).read_unaligned() })
    }

    /// The next element.
    ///
    /// # Safety
    ///
    /// It can be read, aligned or not.
    #[inline(always)]
    pub(super) unsafe fn one(&mut self) -> T {
        let first = self.first;
        self.first = first.wrapping_byte_offset(self.offsets[0]);
        // SAFETY: the caller's word.
        unsafe { first.read_unaligned() }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::mem::{size_of, MaybeUninit};

    use super::super::extent::Shape;
    use super::super::integers::{IntegerSum, Maximum};
    use super::super::operands::{Operand, LAYOUTS};
    use super::super::view::View;
    use super::{along, whole, Reduction};

    /// Lengths on both sides of every block, buffer and vector, and fewer of them under Miri.
    const SHAPES: &[[usize; 2]] = if cfg!(miri) {
        &[[0, 3], [1, 17], [3, 5], [20, 2]]
    } else {
        &[
            [0, 0],
            [0, 3],
            [3, 0],
            [1, 1],
            [1, 7],
            [7, 1],
            [2, 8],
            [3, 5],
            [4, 4],
            [20, 3],
            [17, 130],
            [130, 17],
            [9, 1000],
            [300, 41],
            [2, 4097],
            [3, 8192],
            [9000, 2],
            [1, 20000],
            [20000, 1],
        ]
    };

    /// Operands of all shapes in all layouts, aligned and not.
    pub fn operands<T: Copy>(element: fn(usize) -> T) -> impl Iterator<Item = Operand<T>> {
        SHAPES.iter().flat_map(move |&[rows, columns]| {
            LAYOUTS.iter().flat_map(move |layout| {
                let strides = layout(rows as isize, columns as isize, size_of::<T>() as isize);
                [0, 1].map(|shift| Operand::new(Shape::two(rows, columns), strides, shift, element))
            })
        })
    }

    /// The reduction of `view` along `axis`.
    pub fn reduced<R: Reduction>(view: &View<'_, R::Item>, axis: usize) -> Vec<R::Item> {
        let mut out = vec![MaybeUninit::uninit(); view.shape().dims()[1 - axis]];
        along::<R>(view, axis, &mut out);
        // SAFETY: `along` has filled the result.
        out.iter()
            .map(|slot| unsafe { slot.assume_init() })
            .collect()
    }

    #[test]
    fn nothing_gives_the_start() {
        assert_eq!(whole::<IntegerSum>(&View::of(&[])), 0);
        assert_eq!(whole::<Maximum>(&View::of(&[])), i64::MIN);
        let empty = Operand::new(Shape::two(0, 3), [24, 8], 0, |_| 1_i64);
        assert_eq!(reduced::<IntegerSum>(&empty.view(), 0), [0, 0, 0]);
        assert!(reduced::<IntegerSum>(&empty.view(), 1).is_empty());
    }

    #[test]
    #[should_panic(expected = "left == right")]
    fn refuses_a_result_of_another_length() {
        let operand = Operand::new(Shape::two(2, 3), [24, 8], 0, |_| 1_i64);
        along::<IntegerSum>(&operand.view(), 0, &mut [MaybeUninit::uninit(); 2]);
    }

    #[test]
    #[should_panic(expected = "axis < 2")]
    fn refuses_an_axis_that_is_not_there() {
        let operand = Operand::new(Shape::two(2, 3), [24, 8], 0, |_| 1_i64);
        along::<IntegerSum>(&operand.view(), 2, &mut [MaybeUninit::uninit(); 2]);
    }
}
