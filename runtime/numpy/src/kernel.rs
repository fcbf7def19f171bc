//! Writing a result, element by element, from strided operands.
//!
//! The entries are [`fill`] for fresh memory and [`update`] for a result that takes the place of an operand. Both bring the
//! operands into the order of the result's memory, join the two axes into one where they can, and then either run over the
//! operands in place or, tile by tile, over packed copies of those that are not contiguous. The arithmetic is one generic
//! loop, compiled for the baseline processor and again for AVX2. Fresh memory, if there is much of it, is written past the
//! caches.

use std::array;
use std::mem::{size_of, MaybeUninit};

use super::cpu::multiversion;
use super::extent::{Order, Shape};
use super::pack::{pack, Patch};
use super::stream;
use super::view::View;

/// Fills `out`, an array of `shape` laid out in `order`, with `f` of the elements of `views` stretched to that shape.
///
/// # Panics
///
/// When `out` has another size than `shape`, or a view does not stretch to it.
#[inline]
pub fn fill<T: Copy, O: Copy, F: Fn([T; N]) -> O, const N: usize>(
    out: &mut [MaybeUninit<O>],
    shape: Shape,
    order: Order,
    views: &[View<'_, T>; N],
    f: &F,
) {
    let f = &|slot: &mut MaybeUninit<O>, x| {
        slot.write(f(x));
    };
    let grid = Grid::new(out.len(), shape, order, views);
    if stream::pays(out) && !grid.is_one_stepped_line() {
        write_large(out, &grid, f);
    } else {
        write(out, &grid, f);
    }
}

/// Replaces each element of `out`, an array of `shape` laid out in `order`, with `f` of it and of the elements of `views`
/// stretched to that shape.
///
/// # Panics
///
/// When `out` has another size than `shape`, or a view does not stretch to it.
#[inline]
pub fn update<T: Copy, O: Copy, F: Fn(O, [T; N]) -> O, const N: usize>(
    out: &mut [O],
    shape: Shape,
    order: Order,
    views: &[View<'_, T>; N],
    f: &F,
) {
    let grid = Grid::new(out.len(), shape, order, views);
    write(out, &grid, &|slot: &mut O, x| *slot = f(*slot, x));
}

/// Calls `f` once with each slot of `out` and the elements of the operands that belong to it. Nothing else is done to the
/// slots.
#[inline]
fn write<T: Copy, S, F: Fn(&mut S, [T; N]), const N: usize>(
    out: &mut [S],
    grid: &Grid<T, N>,
    f: &F,
) {
    if out.is_empty() {
        return;
    }
    let size = [grid.outer, grid.inner];
    match grid.walk() {
        Walk::Runs if grid.outer == 1 && out.len() >= LONG => write_run(out, grid, f),
        // SAFETY (both): the result has `outer` rows of `inner` elements, and each source has as many to read.
        Walk::Runs => unsafe { run(out, size, grid.inner, &grid.sources, f) },
        Walk::Steps => unsafe { step(out, size, grid.inner, &grid.sources, f) },
        Walk::Tiles { rows, columns } => write_tiles(out, grid, [rows, columns], f, run),
    }
}

/// As [`write`], past the caches. `f` fills the slots.
#[inline(never)]
fn write_large<T: Copy, O: Copy, F: Fn(&mut MaybeUninit<O>, [T; N]), const N: usize>(
    out: &mut [MaybeUninit<O>],
    grid: &Grid<T, N>,
    f: &F,
) {
    let size = [grid.outer, grid.inner];
    match grid.walk() {
        // SAFETY (both): as in `write`.
        Walk::Runs => unsafe { run_staged(out, size, grid.inner, &grid.sources, f) },
        Walk::Steps => unsafe { staged(out, size, grid.inner, &grid.sources, f, step) },
        Walk::Tiles { rows, columns } => {
            // The rows of a panel are a few cache lines each, hardly more than their ends.
            let panel = rows > 1 && columns < grid.inner;
            let run: Rows<_, _, _, N> = if panel { run } else { run_staged };
            write_tiles(out, grid, [rows, columns], f, run);
        }
    }
    stream::finish();
}

/// An operand, stretched and turned to the result's memory: bytes per step along the outer and the inner axis.
#[derive(Clone, Copy)]
struct Source<T> {
    first: *const T,
    outer: isize,
    inner: isize,
}

impl<T> Source<T> {
    const SIZE: isize = size_of::<T>() as isize;

    /// The one stride of all operands in elements, if there is one and it is a whole number of them.
    fn common_steps(strides: &[isize]) -> Option<isize> {
        let (&stride, others) = strides.split_first()?;
        let whole = stride % Self::SIZE == 0 && others.iter().all(|other| *other == stride);
        whole.then_some(stride / Self::SIZE)
    }

    /// Whether neighbours along the inner axis are neighbours in memory.
    fn is_run(&self) -> bool {
        self.inner == Self::SIZE
    }

    /// Whether neighbours are apart in memory along both axes, or along the only one.
    fn is_stepped(&self) -> bool {
        self.inner != 0 && !self.is_run() && !self.is_across()
    }

    /// Whether neighbours along the outer axis are the neighbours in memory.
    fn is_across(&self) -> bool {
        self.outer == Self::SIZE && self.inner != 0 && !self.is_run()
    }

    /// The address of the element in this row and column, which must exist for it to be read.
    fn at(&self, row: usize, column: usize) -> *const T {
        // Wrapping: strides are the caller's, and overflow checks must not see a product that the address undoes.
        let offset = (row as isize)
            .wrapping_mul(self.outer)
            .wrapping_add((column as isize).wrapping_mul(self.inner));
        self.first.wrapping_byte_offset(offset)
    }

    /// Whether both axes can be walked as one of `inner` times as many steps.
    fn joins(&self, inner: usize) -> bool {
        self.outer == self.inner.wrapping_mul(inner as isize)
    }
}

/// A result and its operands as rows: `outer` rows of `inner` elements, each row contiguous in the result and right
/// behind the one before.
struct Grid<T, const N: usize> {
    outer: usize,
    inner: usize,
    sources: [Source<T>; N],
}

impl<T: Copy, const N: usize> Grid<T, N> {
    /// The number of elements of a tile. Longer ones gain nothing.
    const TILE: usize = {
        assert!(N * SHORT <= POOL, "too many operands");
        if N > 4 {
            POOL / N
        } else {
            POOL / 4
        }
    };

    /// The columns of a panel. With several operands to pack, and much to compute, tiles are so small that the processor
    /// already reads the next one while it computes; but for narrow elements, which take less time to compute.
    const ACROSS: usize = if N > 3 && Self::TILE > SMALL && size_of::<T>() == 8 {
        SMALL / ROWS
    } else {
        Self::TILE / ROWS
    };

    /// So few elements are near in any order, and to read them one by one takes less time than to pack several operands;
    /// but for narrow elements, of which packing moves twice as many at a time.
    const NEAR: usize = if N > 2 && size_of::<T>() == 8 {
        2048
    } else {
        0
    };

    /// Of a result of `size` elements, which has this shape and order.
    ///
    /// # Panics
    ///
    /// As [`fill`].
    #[inline]
    fn new(size: usize, shape: Shape, order: Order, views: &[View<'_, T>; N]) -> Self {
        assert_eq!(shape.size(), Some(size));
        assert!(views.iter().all(|view| view.shape().stretches_to(shape)));
        let [rows, columns] = shape.dims();
        let turned = order == Order::F || columns == 1;
        let (outer, inner) = if turned {
            (columns, rows)
        } else {
            (rows, columns)
        };
        let sources = views.each_ref().map(|view| {
            let [down, right] = view.strides();
            let (outer, inner) = if turned { (right, down) } else { (down, right) };
            Source {
                first: view.first(),
                outer,
                inner,
            }
        });
        let mut grid = Self {
            outer,
            inner,
            sources,
        };
        if outer > 1 && sources.iter().all(|source| source.joins(inner)) {
            // No overflow: the product is the number of elements of the result.
            grid.inner = outer * inner;
            grid.outer = 1;
        }
        grid
    }

    /// Whether there is one operand, of the widest elements, in even steps with others between: nearly all of the time is
    /// then spent reading, and a tenth is lost where the result is written past the caches.
    #[inline]
    fn is_one_stepped_line(&self) -> bool {
        let apart = |source: &Source<T>| source.inner.unsigned_abs() > size_of::<T>();
        N == 1 && self.outer == 1 && size_of::<T>() == 8 && self.sources.iter().all(apart)
    }

    /// How to visit the elements.
    #[inline]
    fn walk(&self) -> Walk {
        let (outer, inner) = (self.outer, self.inner);
        let any = |holds: fn(&Source<T>) -> bool| self.sources.iter().any(holds);
        let in_place = self.sources.iter().all(Source::is_run);
        let all_stepped = self.sources.iter().all(Source::is_stepped);
        let near = outer * inner <= Self::NEAR;
        if in_place && (outer == 1 || inner >= SHORT_RUN) {
            Walk::Runs
        } else if inner >= SHORT_STEPS && (all_stepped || near && any(Source::is_across)) {
            Walk::Steps
        } else if outer > 1 && inner < SHORT {
            Walk::Tiles {
                rows: Self::TILE / inner,
                columns: inner,
            }
        } else if any(Source::is_stepped) {
            Walk::Steps
        } else if any(Source::is_across) {
            Walk::Tiles {
                rows: ROWS,
                columns: Self::ACROSS,
            }
        } else {
            Walk::Tiles {
                rows: 1,
                columns: Self::TILE,
            }
        }
    }
}

/// How to visit the elements.
enum Walk {
    /// Row by row, all operands in place and contiguous.
    Runs,
    /// Row by row, all operands in place, element by element: as fast as packing when most of the work is reading.
    Steps,
    /// In tiles: whole rows when they are short, a panel of rows where some operand lies across (its cache lines then
    /// serve all of them), a piece of a row otherwise.
    Tiles { rows: usize, columns: usize },
}

/// The number of elements in the tiles of all operands: together they fit into the first-level cache, and into the stack
/// of a small thread.
const POOL: usize = 4096;

/// The rows of a panel: a cache line of the widest elements.
const ROWS: usize = 8;

/// The elements of a small tile.
const SMALL: usize = 512;

/// Rows of fewer elements are joined in tiles, which vectors fill better, although that means packing.
const SHORT: usize = 256;

/// The same for rows that could be left in place.
const SHORT_RUN: usize = 4;

/// The same for rows in which no operand is contiguous, so that each of them would be packed.
const SHORT_STEPS: usize = 16;

/// A run of as many elements is worth aligning.
const LONG: usize = 1024;

/// The bytes of a vector.
const VECTOR: usize = 32;

/// Writes one long run of operands in place, its head apart: NumPy aligns memory to 16 bytes only, and every other vector
/// store would straddle two cache lines.
fn write_run<T: Copy, S, F: Fn(&mut S, [T; N]), const N: usize>(
    out: &mut [S],
    grid: &Grid<T, N>,
    f: &F,
) {
    let head = out.as_ptr().align_offset(VECTOR).min(out.len());
    let (head, body) = out.split_at_mut(head);
    let ahead = grid.sources.map(|source| Source {
        first: source.at(0, head.len()),
        ..source
    });
    // SAFETY (both): each source has a run of as many elements to read as `head` and `body` have together.
    unsafe {
        run(head, [1, head.len()], 0, &grid.sources, f);
        run(body, [1, body.len()], 0, &ahead, f);
    }
}

/// A loop over rows: [`run`], [`step`] or a staged one.
type Rows<T, S, F, const N: usize> = unsafe fn(&mut [S], [usize; 2], usize, &[Source<T>; N], &F);

/// Writes tile by tile with `run`, packing what is not contiguous.
#[inline(never)]
fn write_tiles<T: Copy, S, F: Fn(&mut S, [T; N]), const N: usize>(
    out: &mut [S],
    grid: &Grid<T, N>,
    [rows, columns]: [usize; 2],
    f: &F,
    run: Rows<T, S, F, N>,
) {
    let (outer, inner) = (grid.outer, grid.inner);
    // A tile of whole rows is one run of the result, and so one run of every packed operand.
    let whole = columns == inner;
    let in_place = |source: &Source<T>| source.is_run() && (!whole || source.joins(inner));
    let mut pool = [MaybeUninit::uninit(); POOL];
    for row in (0..outer).step_by(rows) {
        let height = rows.min(outer - row);
        for column in (0..inner).step_by(columns) {
            let width = columns.min(inner - column);
            let mut sources = grid.sources.map(|source| Source {
                first: source.at(row, column),
                ..source
            });
            for (source, tile) in sources
                .iter()
                .zip(pool.chunks_exact_mut(Grid::<T, N>::TILE))
            {
                // What repeats along an axis is already in the tile.
                let first = row == 0 && column == 0;
                let down = source.outer != 0 && column == 0;
                let right = source.inner != 0 && columns < inner;
                if !in_place(source) && (first || down || right) {
                    let patch = Patch {
                        first: source.first,
                        strides: [source.outer, source.inner],
                        rows: height,
                        columns: width,
                    };
                    // SAFETY: the patch lies in the source, whose elements can be read.
                    unsafe { pack(tile, columns, &patch) };
                }
            }
            for (source, tile) in sources
                .iter_mut()
                .zip(pool.chunks_exact(Grid::<T, N>::TILE))
            {
                if !in_place(source) {
                    *source = Source {
                        first: tile.as_ptr().cast(),
                        outer: columns as isize * Source::<T>::SIZE,
                        inner: Source::<T>::SIZE,
                    };
                }
            }
            let size = if whole {
                [1, height * width]
            } else {
                [height, width]
            };
            let start = row * inner + column;
            // SAFETY: the tile's rows lie in the result and in the sources, or in the tiles, where every row of the
            // patch has been written.
            unsafe { run(&mut out[start..], size, inner, &sources, f) };
        }
    }
}

/// As [`run`], past the caches.
///
/// # Safety
///
/// As [`run`]; besides, `f` fills the slots.
unsafe fn run_staged<T: Copy, O: Copy, F: Fn(&mut MaybeUninit<O>, [T; N]), const N: usize>(
    out: &mut [MaybeUninit<O>],
    size: [usize; 2],
    pitch: usize,
    sources: &[Source<T>; N],
    f: &F,
) {
    // SAFETY: the caller's word.
    unsafe { staged(out, size, pitch, sources, f, run) }
}

/// Writes rows as `rows` does, past the caches.
///
/// # Safety
///
/// As [`run_staged`].
unsafe fn staged<T: Copy, O: Copy, F: Fn(&mut MaybeUninit<O>, [T; N]), const N: usize>(
    out: &mut [MaybeUninit<O>],
    size: [usize; 2],
    pitch: usize,
    sources: &[Source<T>; N],
    f: &F,
    rows: Rows<T, MaybeUninit<O>, F, N>,
) {
    for row in 0..size[0] {
        let slots = &mut out[row * pitch..][..size[1]];
        let piece = |slots: &mut [MaybeUninit<O>], column| {
            let ahead = sources.map(|source| Source {
                first: source.at(row, column),
                ..source
            });
            // SAFETY: the sources have as many elements to read from here on as there are slots.
            unsafe { rows(slots, [1, slots.len()], 0, &ahead, f) }
        };
        // SAFETY: `f` fills the slots, and this processor was found to be one that can.
        unsafe { stream::write(slots, piece) };
    }
}

multiversion! {
    /// Writes rows with `f` of operands whose rows are contiguous.
    ///
    /// # Safety
    ///
    /// Each source has `rows` rows of `columns` elements that can be read, aligned or not, and `out` as many rows at
    /// distance `pitch`.
    unsafe fn run<{T: Copy, S, F: Fn(&mut S, [T; N]), const N: usize}>(
        out: &mut [S],
        size: [usize; 2],
        pitch: usize,
        sources: &[Source<T>; N],
        f: &F,
    ) {
        let [rows, columns] = size;
        for row in 0..rows {
            // SAFETY: the caller's word.
            let slots = unsafe { out.get_unchecked_mut(row * pitch..row * pitch + columns) };
            let firsts = sources.each_ref().map(|source| source.at(row, 0));
            for (index, slot) in slots.iter_mut().enumerate() {
                // SAFETY: the caller's word.
                f(
                    slot,
                    array::from_fn(|k| unsafe { firsts[k].add(index).read_unaligned() }),
                );
            }
        }
    }
}

multiversion! {
    /// Writes rows with `f` of operands at any strides.
    ///
    /// # Safety
    ///
    /// As [`run`].
    unsafe fn step<{T: Copy, S, F: Fn(&mut S, [T; N]), const N: usize}>(
        out: &mut [S],
        size: [usize; 2],
        pitch: usize,
        sources: &[Source<T>; N],
        f: &F,
    ) {
        let [rows, columns] = size;
        let strides = sources.each_ref().map(|source| source.inner);
        // At these strides a load and a shuffle take less time than to gather elements one by one; for elements of eight
        // bytes, of which a vector holds four, at fewer of them. Longer chains would get too many loops.
        let (steps, narrow) = (Source::<T>::common_steps(&strides), size_of::<T>() == 4);
        for row in 0..rows {
            // SAFETY: the caller's word.
            let slots = unsafe { out.get_unchecked_mut(row * pitch..row * pitch + columns) };
            let firsts = sources.each_ref().map(|source| source.at(row, 0));
            // SAFETY (all): the caller's word.
            match (N, steps) {
                (1..=4, Some(2)) => unsafe { step_row_by(slots, firsts, 2, f) },
                (1..=4, Some(-1)) => unsafe { step_row_by(slots, firsts, -1, f) },
                (1, Some(3)) if narrow => unsafe { step_row_by(slots, firsts, 3, f) },
                (1, Some(4)) if narrow => unsafe { step_row_by(slots, firsts, 4, f) },
                _ => unsafe { step_row(slots, firsts, strides, f) },
            }
        }
    }
}

/// Writes a row with `f` of operands at one stride, in elements, which the caller knows at compile time: so LLVM
/// vectorises.
///
/// # Safety
///
/// As [`run`], for one row.
#[inline(always)]
unsafe fn step_row_by<T: Copy, S, F: Fn(&mut S, [T; N]), const N: usize>(
    slots: &mut [S],
    firsts: [*const T; N],
    steps: isize,
    f: &F,
) {
    for (index, slot) in slots.iter_mut().enumerate() {
        let offset = (index as isize).wrapping_mul(steps * Source::<T>::SIZE);
        // SAFETY: the caller's word.
        f(
            slot,
            array::from_fn(|k| unsafe { firsts[k].byte_offset(offset).read_unaligned() }),
        );
    }
}

/// Writes a row with `f` of operands at any strides, several elements per turn of the loop, which LLVM would not unroll.
///
/// # Safety
///
/// As [`run`], for one row.
#[inline(always)]
unsafe fn step_row<T: Copy, S, F: Fn(&mut S, [T; N]), const N: usize>(
    slots: &mut [S],
    mut cursors: [*const T; N],
    strides: [isize; N],
    f: &F,
) {
    let mut turns = slots.chunks_exact_mut(UNROLL);
    for turn in &mut turns {
        // All loads before all stores: so LLVM packs them into vectors.
        let elements: [[T; N]; UNROLL] = array::from_fn(|index| {
            array::from_fn(|k| {
                let offset = (index as isize).wrapping_mul(strides[k]);
                // SAFETY: the caller's word.
                unsafe { cursors[k].byte_offset(offset).read_unaligned() }
            })
        });
        for (slot, x) in turn.iter_mut().zip(elements) {
            f(slot, x);
        }
        for (cursor, stride) in cursors.iter_mut().zip(strides) {
            *cursor = cursor.wrapping_byte_offset(stride.wrapping_mul(UNROLL as isize));
        }
    }
    for slot in turns.into_remainder() {
        // SAFETY: the caller's word.
        f(
            slot,
            array::from_fn(|k| unsafe { cursors[k].read_unaligned() }),
        );
        for (cursor, stride) in cursors.iter_mut().zip(strides) {
            *cursor = cursor.wrapping_byte_offset(stride);
        }
    }
}

/// Elements per turn of the loop over strided operands.
const UNROLL: usize = 8;

#[cfg(test)]
mod tests {
    use std::array;
    use std::fmt::Debug;
    use std::mem::MaybeUninit;

    use super::super::element::Numeric;
    use super::super::extent::{Order, Shape};
    use super::super::operands::{cells, item, layouts, place, Operand, C};
    use super::super::view::View;
    use super::{fill, update};

    /// Lengths on both sides of every tile, panel and vector, and fewer of them under Miri.
    const SHAPES: &[(usize, usize)] = if cfg!(miri) {
        &[(0, 3), (3, 5)]
    } else {
        &[
            (0, 0),
            (0, 3),
            (3, 0),
            (1, 1),
            (1, 17),
            (1, 1030),
            (1030, 1),
            (2, 3),
            (3, 2),
            (4, 4),
            (5, 63),
            (8, 64),
            (17, 130),
            (700, 3),
            (11, 300),
            (2, 2100),
        ]
    };

    /// Fills results of both orders with `f` and compares each element with `f` of the elements that a plain loop reads.
    fn check<T, O, const N: usize>(shape: Shape, views: [View<'_, T>; N], f: impl Fn([T; N]) -> O)
    where
        T: Copy,
        O: Copy + Default + PartialEq + Debug,
    {
        for order in [Order::C, Order::F] {
            let mut out = vec![MaybeUninit::uninit(); shape.size().unwrap()];
            fill(&mut out, shape, order, &views, &f);
            for cell in cells(shape) {
                // SAFETY: `fill` has filled the result.
                let found = unsafe { out[place(shape, order, cell)].assume_init() };
                let want = f(views.map(|view| item(&view, cell)));
                assert_eq!(found, want, "{shape} {order:?} {cell:?}");
            }
        }
    }

    /// Updates results of both orders that start as `old`, stretched, and compares each element with `f` of the elements
    /// that a plain loop reads.
    fn check_update<T, const N: usize>(
        shape: Shape,
        old: View<'_, T>,
        views: [View<'_, T>; N],
        f: impl Fn(T, [T; N]) -> T,
    ) where
        T: Copy + Default + PartialEq + Debug,
    {
        for order in [Order::C, Order::F] {
            let mut out = vec![T::default(); shape.size().unwrap()];
            for cell in cells(shape) {
                out[place(shape, order, cell)] = item(&old, cell);
            }
            update(&mut out, shape, order, &views, &f);
            for cell in cells(shape) {
                let found = out[place(shape, order, cell)];
                let want = f(item(&old, cell), views.map(|view| item(&view, cell)));
                assert_eq!(found, want, "{shape} {order:?} {cell:?}");
            }
        }
    }

    /// All pairs of layouts in all shapes, stretched or not, for one element type.
    fn check_pairs<T>(element: fn(usize) -> T)
    where
        T: Numeric + Default + PartialEq + Debug,
        T::Quotient: Default + PartialEq + Debug,
    {
        for &(rows, columns) in SHAPES {
            let shape = Shape::two(rows, columns);
            let whole = layouts().map(|layout| Operand::laid_out(shape, layout, element));
            let whole: Vec<_> = whole.collect();
            let thin = [
                Shape::two(1, columns),
                Shape::two(rows, 1),
                Shape::two(1, 1),
                Shape::one(columns),
            ]
            .map(|shape| Operand::laid_out(shape, C, element));
            for left in whole.iter().map(Operand::view) {
                check(shape, [left], |[x]| x.negated());
                check_update(shape, left, [], |x, []| x.negated());
                for right in whole.iter().map(Operand::view) {
                    check(shape, [left, right], |[x, y]| x.minus(y));
                    check_update(shape, left, [right], |x, [y]| y.minus(x));
                }
                for right in thin.iter().map(Operand::view) {
                    check(shape, [right, left], |[x, y]| x.over(y));
                    check_update(shape, left, [right], |x, [y]| x.minus(y));
                }
            }
        }
    }

    #[test]
    fn float64_pairs_in_every_layout() {
        check_pairs(|k| k as f64 + 0.5);
    }

    #[test]
    fn float32_pairs_in_every_layout() {
        check_pairs(|k| k as f32 + 0.5);
    }

    #[test]
    fn int64_pairs_in_every_layout() {
        // Odd, since zero by zero would be NaN.
        check_pairs(|k| 2 * k as i64 - 7);
    }

    #[test]
    fn rank_one_in_every_layout() {
        const LENGTHS: &[usize] = if cfg!(miri) {
            &[0, 1, 5, 17]
        } else {
            &[0, 1, 2, 3, 4, 7, 8, 15, 16, 17, 100, 1023, 1024, 1025, 2500]
        };
        for &length in LENGTHS {
            let shape = Shape::one(length);
            let operands = layouts().map(|layout| Operand::laid_out(shape, layout, |k| k as f64));
            let operands: Vec<_> = operands.collect();
            for left in operands.iter().map(Operand::view) {
                for right in operands.iter().map(Operand::view) {
                    check(shape, [left, right], |[x, y]| x + y);
                    check_update(shape, left, [right], |x, [y]| y - x);
                }
            }
        }
    }

    /// They are written past the caches.
    #[cfg(not(miri))]
    #[test]
    fn large_results_in_every_layout() {
        let shape = Shape::two(1251, 1403);
        let row = Operand::laid_out(Shape::one(1403), C, |k| k as f64);
        for layout in layouts() {
            let whole = Operand::laid_out(shape, layout, |k| k as f64 + 0.5);
            check(shape, [whole.view()], |[x]| -x);
            check(shape, [whole.view(), row.view()], |[x, y]| x - y);
        }
    }

    #[test]
    fn many_operands_of_different_layouts() {
        for &(rows, columns) in SHAPES
            .iter()
            .chain(if cfg!(miri) { &[] } else { &[(9, 260)][..] })
        {
            let shape = Shape::two(rows, columns);
            let whole = layouts().map(|layout| Operand::laid_out(shape, layout, |k| k as i64));
            let thin = [Shape::one(columns), Shape::two(rows, 1), Shape::two(1, 1)]
                .map(|shape| Operand::laid_out(shape, C, |k| k as i64));
            let operands: Vec<_> = whole.chain(thin).collect();
            for first in 0..operands.len() {
                let views = array::from_fn(|k| operands[(first + k) % operands.len()].view());
                let [old, others @ ..]: [_; 9] = views;
                let [a, b, c, d, ..] = views;
                check(shape, views, chained);
                check(shape, [a, b, c, d], chained);
                check_update(shape, old, others, |old, x| old.times(7).plus(chained(x)));
            }
        }
    }

    fn chained<const N: usize>(x: [i64; N]) -> i64 {
        x.into_iter().fold(0, |sum, x| sum.times(3).plus(x))
    }

    #[test]
    fn int64_wraps_at_any_length() {
        for length in [1, 3, 40] {
            let extreme = vec![i64::MIN; length];
            let mut out = vec![MaybeUninit::uninit(); length];
            fill(
                &mut out,
                Shape::one(length),
                Order::C,
                &[View::of(&extreme)],
                &|[x]: [i64; 1]| x.negated().plus(x.magnitude()).plus(x.squared()).minus(1),
            );
            // SAFETY: `fill` has filled the result.
            assert!(out.iter().all(|x| unsafe { x.assume_init() } == -1));
        }
    }

    #[test]
    #[should_panic(expected = "left == right")]
    fn refuses_a_result_of_another_size() {
        let view = View::of(&[1_i64, 2]);
        fill(
            &mut [MaybeUninit::uninit(); 3],
            Shape::one(2),
            Order::C,
            &[view],
            &|[x]| x,
        );
    }

    #[test]
    #[should_panic(expected = "stretches_to")]
    fn refuses_to_update_with_an_operand_that_does_not_stretch() {
        let view = View::of(&[1_i64, 2]);
        update(&mut [0; 3], Shape::one(3), Order::C, &[view], &|x, [y]| {
            x + y
        });
    }

    #[test]
    #[should_panic(expected = "stretches_to")]
    fn refuses_an_operand_that_does_not_stretch() {
        let view = View::of(&[1_i64, 2]);
        fill(
            &mut [MaybeUninit::uninit(); 3],
            Shape::one(3),
            Order::C,
            &[view],
            &|[x]| x,
        );
    }
}
