//! Operands of every layout, and what they hold: for the tests.

use std::marker::PhantomData;
use std::mem::{size_of, size_of_val};

use super::extent::{Order, Shape};
use super::view::View;

/// Byte strides of a layout of `rows` by `columns` elements of `size` bytes.
pub type Layout = fn(rows: isize, columns: isize, size: isize) -> [isize; 2];

/// Rows behind each other.
pub const C: Layout = |_, columns, size| [columns * size, size];

/// Contiguous, padded, stepped, reversed, unaligned, repeated and overlapping ones.
pub const LAYOUTS: &[Layout] = &[
    C,
    |rows, _, size| [size, rows * size],
    |_, columns, size| [(columns + 3) * size, size],
    |rows, _, size| [size, (rows + 1) * size],
    |_, columns, size| [3 * columns * size, 2 * size],
    |rows, _, size| [2 * size, 5 * rows * size],
    |_, columns, size| [-columns * size, -size],
    |_, columns, size| [-columns * size, size],
    |_, columns, size| [columns * size, -size],
    |rows, _, size| [-size, rows * size],
    |rows, _, size| [-2 * size, 2 * rows * size],
    |_, columns, size| [columns * (size + 1), size + 1],
    |rows, _, size| [size + 1, rows * (size + 1)],
    |_, columns, size| [(columns + 1) * size + 1, size],
    |_, _, size| [0, size],
    |_, _, size| [size, 0],
    |_, _, _| [0, 0],
    |_, _, size| [size, size],
];

/// The layouts to combine with each other: all, and every fifth under Miri.
pub fn layouts() -> impl Iterator<Item = Layout> + Clone {
    let every = if cfg!(miri) { 5 } else { 1 };
    LAYOUTS.iter().copied().step_by(every)
}

/// An operand and its memory.
pub struct Operand<T> {
    words: Vec<u64>,
    first: usize,
    shape: Shape,
    strides: [isize; 2],
    item: PhantomData<T>,
}

impl<T: Copy> Operand<T> {
    /// An operand whose elements are `element` of their places in memory, `shift` bytes off alignment.
    pub fn new(
        shape: Shape,
        strides: [isize; 2],
        shift: usize,
        element: impl Fn(usize) -> T,
    ) -> Self {
        let dims = shape.dims().map(|dim| dim.max(1) as isize);
        let reach = [0, 1].map(|axis| (dims[axis] - 1) * strides[axis]);
        let below = -(reach[0].min(0) + reach[1].min(0)) as usize;
        let above = (reach[0].max(0) + reach[1].max(0)) as usize;
        let first = below.next_multiple_of(8) + shift;
        let mut operand = Self {
            words: vec![0; (first + above + size_of::<T>()).div_ceil(8)],
            first,
            shape,
            strides,
            item: PhantomData,
        };
        for [row, column] in cells(shape) {
            let at = operand.offset(row, column);
            assert!(at + size_of::<T>() <= size_of_val(&*operand.words));
            // SAFETY: the element lies in the memory.
            unsafe {
                let data: *mut u8 = operand.words.as_mut_ptr().cast();
                let element = element(at / size_of::<T>());
                data.add(at).cast::<T>().write_unaligned(element);
            }
        }
        operand
    }

    /// An operand of this layout, one byte off alignment.
    pub fn laid_out(shape: Shape, layout: Layout, element: impl Fn(usize) -> T) -> Self {
        let [rows, columns] = shape.dims().map(|dim| dim as isize);
        let strides = layout(rows, columns, size_of::<T>() as isize);
        Self::new(shape, strides, 1, element)
    }

    fn offset(&self, row: usize, column: usize) -> usize {
        let [down, right] = self.strides;
        (self.first as isize + row as isize * down + column as isize * right) as usize
    }

    pub fn view(&self) -> View<'_, T> {
        // SAFETY: every element has been written.
        unsafe {
            let data: *const u8 = self.words.as_ptr().cast();
            View::new(data.add(self.first).cast(), self.shape, self.strides)
        }
    }

    /// The elements, row by row.
    pub fn items(&self) -> Vec<T> {
        let view = self.view();
        cells(self.shape).map(|cell| item(&view, cell)).collect()
    }
}

/// Each row and column of a shape, row by row.
pub fn cells(shape: Shape) -> impl Iterator<Item = [usize; 2]> {
    let [rows, columns] = shape.dims();
    (0..rows).flat_map(move |row| (0..columns).map(move |column| [row, column]))
}

/// The index in memory of an element of a result.
pub fn place(shape: Shape, order: Order, [row, column]: [usize; 2]) -> usize {
    let [rows, columns] = shape.dims();
    match order {
        Order::C => row * columns + column,
        Order::F => column * rows + row,
    }
}

/// The element of an operand that belongs to this row and column of a result, to whose shape it is stretched.
pub fn item<T: Copy>(view: &View<'_, T>, [row, column]: [usize; 2]) -> T {
    let [down, right] = view.strides();
    let offset = row as isize * down + column as isize * right;
    // SAFETY: strides along axes of length one are zero, so this is an element.
    unsafe { view.first().byte_offset(offset).read_unaligned() }
}
