//! Filling a result, element by element, from strided operands.
//!
//! [`fill`] is the only entry. It brings the operands into the order of the result's memory, joins the two axes into one
//! where it can, and then either runs over the operands in place or, tile by tile, over packed copies of those that are
//! not contiguous. The arithmetic is one generic loop, compiled for the baseline processor and again for AVX2.

use std::array;
use std::mem::{size_of, MaybeUninit};

use super::extent::{Order, Shape};
use super::pack::{pack, Patch, Tile, TILE};
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
    assert_eq!(shape.size(), Some(out.len()));
    assert!(views.iter().all(|view| view.shape().stretches_to(shape)));
    if out.is_empty() {
        return;
    }
    let grid = Grid::new(shape, order, views);
    if grid.outer == 1 && grid.sources.iter().all(Source::is_run) {
        let firsts = grid.sources.map(|source| source.first);
        // SAFETY: every source is one run of as many elements as `out` has.
        unsafe { runner()(out, &firsts, f) };
    } else {
        fill_tiles(out, &grid, f);
    }
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

    /// Whether neighbours along the inner axis are neighbours in memory.
    fn is_run(&self) -> bool {
        self.inner == Self::SIZE
    }

    /// Whether stepping along the outer axis is the shorter way through memory.
    fn is_across(&self) -> bool {
        self.outer == Self::SIZE && self.inner != 0 && !self.is_run()
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
    #[inline]
    fn new(shape: Shape, order: Order, views: &[View<'_, T>; N]) -> Self {
        let [rows, columns] = shape.dims();
        let turned = order == Order::F || columns == 1;
        let (outer, inner) = if turned { (columns, rows) } else { (rows, columns) };
        let sources = views.each_ref().map(|view| {
            let [down, right] = view.strides();
            let (outer, inner) = if turned { (right, down) } else { (down, right) };
            Source { first: view.first(), outer, inner }
        });
        let mut grid = Self { outer, inner, sources };
        if outer > 1 && sources.iter().all(|source| source.joins(inner)) {
            // No overflow: the product is the number of elements of the result.
            grid.inner = outer * inner;
            grid.outer = 1;
        }
        grid
    }

    /// The rows and columns of a tile: whole rows when they are short, a panel of columns where some operand lies across
    /// (its cache lines then serve all rows of the panel), a piece of a row otherwise.
    fn tile(&self) -> (usize, usize) {
        let line = 64 / size_of::<T>();
        let in_place = self.sources.iter().all(Source::is_run);
        if self.outer == 1 {
            (1, TILE)
        } else if in_place && self.inner >= TILE / 8 {
            (1, self.inner)
        } else if self.inner <= TILE / line {
            (TILE / self.inner, self.inner)
        } else if self.sources.iter().any(Source::is_across) {
            (line, TILE / line)
        } else {
            (1, TILE)
        }
    }
}

/// Fills tile by tile.
#[inline(never)]
fn fill_tiles<T: Copy, O: Copy, F: Fn([T; N]) -> O, const N: usize>(
    out: &mut [MaybeUninit<O>],
    grid: &Grid<T, N>,
    f: &F,
) {
    let run = runner();
    let (outer, inner) = (grid.outer, grid.inner);
    let (rows, columns) = grid.tile();
    // A tile of whole rows is one run of the result, and so one run of every packed operand.
    let whole = columns == inner && rows > 1;
    let mut tiles: [Tile<T>; N] = [[MaybeUninit::uninit(); TILE]; N];
    for row in (0..outer).step_by(rows) {
        let height = rows.min(outer - row);
        for column in (0..inner).step_by(columns) {
            let width = columns.min(inner - column);
            let mut firsts = grid.sources.map(|source| source.first);
            let mut pitches = [0; N];
            for (k, source) in grid.sources.iter().enumerate() {
                let patch = Patch {
                    first: source.first.wrapping_byte_offset(
                        (row as isize).wrapping_mul(source.outer)
                            .wrapping_add((column as isize).wrapping_mul(source.inner)),
                    ),
                    strides: [source.outer, source.inner],
                    rows: height,
                    columns: width,
                };
                if source.is_run() && (!whole || source.joins(inner)) {
                    firsts[k] = patch.first;
                    pitches[k] = source.outer;
                    continue;
                }
                // What repeats along an axis is already in the tile.
                let first = row == 0 && column == 0;
                let moved = source.outer != 0 && column == 0 || source.inner != 0 && columns < inner;
                if first || moved {
                    // SAFETY: the patch lies in the source, whose elements can be read.
                    unsafe { pack(&mut tiles[k], columns, patch) };
                }
                firsts[k] = tiles[k].as_ptr().cast();
                pitches[k] = (columns * size_of::<T>()) as isize;
            }
            let (runs, length) = if whole { (1, height * width) } else { (height, width) };
            for line in 0..runs {
                let start = (row + line) * inner + column;
                let slots = &mut out[start..start + length];
                let firsts = array::from_fn(|k| {
                    firsts[k].wrapping_byte_offset((line as isize).wrapping_mul(pitches[k]))
                });
                // SAFETY: each pointer starts a run of `length` elements, in the operand or in its tile, where every
                // row of the patch has been written.
                unsafe { run(slots, &firsts, f) };
            }
        }
    }
}

type Run<T, O, F, const N: usize> = unsafe fn(&mut [MaybeUninit<O>], &[*const T; N], &F);

/// The loop for this processor.
#[inline(always)]
fn runner<T: Copy, O: Copy, F: Fn([T; N]) -> O, const N: usize>() -> Run<T, O, F, N> {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        return run_avx2;
    }
    run_baseline
}

/// # Safety
///
/// As [`run_body`], on a processor with AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn run_avx2<T: Copy, O: Copy, F: Fn([T; N]) -> O, const N: usize>(
    out: &mut [MaybeUninit<O>],
    firsts: &[*const T; N],
    f: &F,
) {
    // SAFETY: the caller's word.
    unsafe { run_body(out, firsts, f) }
}

/// # Safety
///
/// As [`run_body`].
#[inline(never)]
unsafe fn run_baseline<T: Copy, O: Copy, F: Fn([T; N]) -> O, const N: usize>(
    out: &mut [MaybeUninit<O>],
    firsts: &[*const T; N],
    f: &F,
) {
    // SAFETY: the caller's word.
    unsafe { run_body(out, firsts, f) }
}

/// Fills `out` with `f` of contiguous operands.
///
/// `out` is a parameter of a function that is not inlined (the two above): so LLVM knows that nothing else aliases it
/// and vectorises without run-time checks, however many operands there are.
///
/// # Safety
///
/// From each pointer on, `out.len()` elements can be read, aligned or not.
#[inline(always)]
unsafe fn run_body<T: Copy, O: Copy, F: Fn([T; N]) -> O, const N: usize>(
    out: &mut [MaybeUninit<O>],
    firsts: &[*const T; N],
    f: &F,
) {
    let firsts = *firsts;
    for (index, slot) in out.iter_mut().enumerate() {
        // SAFETY: `index` is less than `out.len()`.
        slot.write(f(array::from_fn(|k| unsafe { firsts[k].add(index).read_unaligned() })));
    }
}
