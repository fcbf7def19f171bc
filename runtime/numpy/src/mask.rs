//! Evaluating a mask where it is used.
//!
//! [`select`] runs the [`Program`] of a mask block by block, into lanes that stay in the first-level cache, and copies the
//! elements of one or the other branch into the result. So no mask as long as its operands is ever in memory. [`store`] is
//! for the few that must be.

use std::mem::{size_of, MaybeUninit};
use std::ops::{BitAnd, BitOr, Not, Range};
use std::{ptr, slice};

use super::cpu::multiversion;
use super::extent::{Order, Shape};
use super::pack::{pack, Patch};
use super::program::{Program, Step, DEPTH};
use super::view::View;

/// How two elements are compared. NaN is unequal to everything, itself included, and neither less nor greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// `left == right`.
    Equal,
    /// `left != right`.
    NotEqual,
    /// `left < right`.
    Less,
    /// `left <= right`.
    LessEqual,
}

/// A leaf of a program: where the left operand stands in this relation to the right one.
#[derive(Clone, Copy, Debug)]
pub enum Predicate<'a> {
    /// Of `float64` elements.
    Float64(Relation, [View<'a, f64>; 2]),
    /// Of `float32` elements.
    Float32(Relation, [View<'a, f32>; 2]),
    /// Of `int64` elements.
    Int64(Relation, [View<'a, i64>; 2]),
    /// What [`store`] has written.
    Stored(View<'a, u8>),
}

/// An element type that can be compared and chosen: `f64`, `f32` or `i64`.
pub trait Comparable: PartialOrd + Copy {
    /// The lanes of a mask that chooses between elements of this type.
    type Lane: Lane;

    /// The relation and the operands of a comparison of elements of this type.
    fn compared<'a>(predicate: &Predicate<'a>) -> Option<(Relation, [View<'a, Self>; 2])>;

    /// `yes` or `no`, bit by bit: a branch would be mispredicted as often as a mask changes.
    fn choose(lane: Self::Lane, yes: Self, no: Self) -> Self;
}

macro_rules! comparable {
    ($item:ty, $variant:ident, $lane:ty, $to_bits:expr, $from_bits:expr) => {
        impl Comparable for $item {
            type Lane = $lane;

            #[inline]
            fn compared<'a>(predicate: &Predicate<'a>) -> Option<(Relation, [View<'a, Self>; 2])> {
                match predicate {
                    Predicate::$variant(relation, operands) => Some((*relation, *operands)),
                    _ => None,
                }
            }

            #[inline(always)]
            fn choose(lane: $lane, yes: Self, no: Self) -> Self {
                $from_bits(($to_bits(yes) & lane) | ($to_bits(no) & !lane))
            }
        }
    };
}

comparable!(f64, Float64, u64, f64::to_bits, f64::from_bits);
comparable!(f32, Float32, u32, f32::to_bits, f32::from_bits);
comparable!(i64, Int64, u64, |x| x as u64, |x| x as i64);

/// The mask of one element: all bits, or none. Vectors like it as wide as the elements.
pub trait Lane: Copy + BitAnd<Output = Self> + BitOr<Output = Self> + Not<Output = Self> {
    /// The lane of this truth value.
    fn of(truth: bool) -> Self;
}

macro_rules! lane {
    ($($lane:ty),*) => {
        $(impl Lane for $lane {
            #[inline(always)]
            fn of(truth: bool) -> Self {
                if truth {
                    Self::MAX
                } else {
                    0
                }
            }
        })*
    };
}

lane!(u8, u32, u64);

/// Fills `out`, an array of `shape` laid out in `order`, with the elements of `yes` where `mask` is true and those of `no`
/// where it is false, all of them stretched to that shape.
///
/// # Panics
///
/// When `out` has another size than `shape`, a view does not stretch to it, or the program is deeper than [`DEPTH`].
pub fn select<T: Comparable>(
    out: &mut [MaybeUninit<T>],
    shape: Shape,
    order: Order,
    mask: &Program<Predicate<'_>>,
    [yes, no]: [View<'_, T>; 2],
) {
    assert_eq!(shape.size(), Some(out.len()));
    let frame = Frame::new(shape, order, mask, &[Span::of(&yes), Span::of(&no)]);
    if let Some((relation, [left, right])) = T::compared(mask.first()) {
        match mask.rest() {
            [] => return select_compared(out, frame, relation, &[left, right, yes, no]),
            [Step::Not] => return select_compared(out, frame, relation, &[left, right, no, yes]),
            _ => {}
        }
    }
    let mut masks = [[MaybeUninit::uninit(); TILE]; DEPTH];
    let mut tiles = [[MaybeUninit::uninit(); TILE]; 2];
    frame.each(|block| {
        let lanes = run(mask, &frame, block, &mut masks);
        let tiles = frame.tiles(&[yes, no], block, &mut tiles);
        frame.parts(block, out, |slots, part| {
            let tiles = tiles.map(|tile| tile.skip(part.start));
            // SAFETY: lanes and tiles have as many elements as the block.
            unsafe { choose(slots, lanes[part].as_ptr(), tiles) };
        });
    });
}

/// [`select`] by one comparison of elements of the same type, whose lanes need not be stored at all.
fn select_compared<T: Comparable>(
    out: &mut [MaybeUninit<T>],
    mut frame: Frame,
    relation: Relation,
    views: &[View<'_, T>; 4],
) {
    if frame.in_place {
        // A row need not fit into a tile. Where rows share a block, its columns are whole rows already.
        frame.columns = frame.inner.max(1);
    }
    let mut tiles = [[MaybeUninit::uninit(); TILE]; 4];
    frame.each(|block| {
        let tiles = frame.tiles(views, block, &mut tiles);
        frame.parts(block, out, |slots, part| {
            let tiles = tiles.map(|tile| tile.skip(part.start));
            // SAFETY: the tiles have as many elements as the block.
            unsafe { choose_compared(slots, relation, tiles) };
        });
    });
}

/// Fills `out`, an array of `shape` laid out in `order`, with a byte for each element of `mask` stretched to that shape: 0
/// where it is false, and another one where it is true.
///
/// # Panics
///
/// As [`select`].
pub fn store(
    out: &mut [MaybeUninit<u8>],
    shape: Shape,
    order: Order,
    mask: &Program<Predicate<'_>>,
) {
    assert_eq!(shape.size(), Some(out.len()));
    let frame = Frame::new(shape, order, mask, &[]);
    let mut masks = [[MaybeUninit::uninit(); TILE]; DEPTH];
    frame.each(|block| {
        let lanes = run(mask, &frame, block, &mut masks);
        frame.parts(block, out, |slots, part| {
            for (slot, &lane) in slots.iter_mut().zip(&lanes[part]) {
                slot.write(lane);
            }
        });
    });
}

/// The elements of a block: its operands and masks stay in the first-level cache.
const TILE: usize = 512;

/// The rows of a block where some operand lies across: a cache line of the widest elements.
const ROWS: usize = 8;

/// Rows of fewer elements share a block.
const SHORT: usize = 256;

/// A result as rows, `outer` of `inner` elements, each contiguous in memory and right behind the one before; and their
/// division into blocks of at most `rows` by `columns`.
struct Frame {
    outer: usize,
    inner: usize,
    /// Whether its rows are the columns of the result.
    turned: bool,
    /// Whether its only row is all rows of the result.
    joined: bool,
    /// Whether each row of each operand is contiguous, or one element over and over.
    in_place: bool,
    rows: usize,
    columns: usize,
}

/// A rectangle of a [`Frame`].
struct Block {
    row: usize,
    column: usize,
    rows: usize,
    columns: usize,
}

/// A view of elements of any type.
#[derive(Clone, Copy)]
struct Span {
    shape: Shape,
    strides: [isize; 2],
    size: isize,
}

impl Span {
    #[inline]
    fn of<T: Copy>(view: &View<'_, T>) -> Self {
        Self {
            shape: view.shape(),
            strides: view.strides(),
            size: size_of::<T>() as isize,
        }
    }

    #[inline]
    fn of_predicate(predicate: &Predicate<'_>) -> [Self; 2] {
        match predicate {
            Predicate::Float64(_, [left, right]) => [Self::of(left), Self::of(right)],
            Predicate::Float32(_, [left, right]) => [Self::of(left), Self::of(right)],
            Predicate::Int64(_, [left, right]) => [Self::of(left), Self::of(right)],
            Predicate::Stored(bytes) => [Self::of(bytes); 2],
        }
    }
}

impl Frame {
    #[inline]
    fn new(shape: Shape, order: Order, mask: &Program<Predicate<'_>>, branches: &[Span]) -> Self {
        let [rows, columns] = shape.dims();
        let turned = order == Order::F || columns == 1;
        let (outer, inner) = if turned {
            (columns, rows)
        } else {
            (rows, columns)
        };
        let mut frame = Self {
            outer,
            inner,
            turned,
            joined: false,
            in_place: true,
            rows: 1,
            columns: TILE,
        };
        let (mut joined, mut across, mut in_place) = (true, false, true);
        let mut survey = |span: &Span| {
            assert!(span.shape.stretches_to(shape));
            let [down, right] = frame.steps(span.strides);
            let contiguous = right == 0 || right == span.size;
            joined &= down == right.wrapping_mul(inner as isize);
            across |= down == span.size && !contiguous;
            in_place &= contiguous;
        };
        branches.iter().for_each(&mut survey);
        Span::of_predicate(mask.first())
            .iter()
            .for_each(&mut survey);
        for step in mask.rest() {
            if let Step::Leaf(leaf) = step {
                Span::of_predicate(leaf).iter().for_each(&mut survey);
            }
        }
        if outer > 1 && joined {
            // No overflow: the product is the number of elements of the result.
            (frame.outer, frame.inner, frame.joined) = (1, outer * inner, true);
        } else if outer > 1 && inner < SHORT {
            let columns = inner.max(1);
            (frame.rows, frame.columns) = (TILE / columns, columns);
        } else if outer > 1 && across {
            (frame.rows, frame.columns) = (ROWS, TILE / ROWS);
        }
        Self { in_place, ..frame }
    }

    /// Byte strides along the outer and the inner axis.
    #[inline]
    fn steps(&self, [down, right]: [isize; 2]) -> [isize; 2] {
        let [outer, inner] = if self.turned {
            [right, down]
        } else {
            [down, right]
        };
        [if self.joined { 0 } else { outer }, inner]
    }

    /// Calls `f` with each block.
    #[inline(always)]
    fn each(&self, mut f: impl FnMut(&Block)) {
        for row in (0..self.outer).step_by(self.rows) {
            for column in (0..self.inner).step_by(self.columns) {
                f(&Block {
                    row,
                    column,
                    rows: self.rows.min(self.outer - row),
                    columns: self.columns.min(self.inner - column),
                });
            }
        }
    }

    /// Calls `f` with each contiguous part of a block of `out`, and with what part of the block it is.
    #[inline(always)]
    fn parts<T>(
        &self,
        block: &Block,
        out: &mut [MaybeUninit<T>],
        mut f: impl FnMut(&mut [MaybeUninit<T>], Range<usize>),
    ) {
        let (parts, length) = if block.columns == self.inner {
            (1, block.rows * block.columns)
        } else {
            (block.rows, block.columns)
        };
        let first = block.row * self.inner + block.column;
        for part in 0..parts {
            let (start, done) = (first + part * self.inner, part * length);
            f(&mut out[start..start + length], done..done + length);
        }
    }

    /// What a block needs of `views`; some of it is put into `memories`.
    #[inline]
    fn tiles<T: Copy, const N: usize>(
        &self,
        views: &[View<'_, T>; N],
        block: &Block,
        memories: &mut [[MaybeUninit<T>; TILE]; N],
    ) -> [Tile<T>; N] {
        let mut tiles = [Tile::NONE; N];
        for (index, (view, memory)) in views.iter().zip(memories).enumerate() {
            // What is compared is often also what is chosen.
            let earlier = views[..index].iter().position(|other| other.is(view));
            tiles[index] = match earlier {
                Some(earlier) => tiles[earlier],
                None => self.tile(view, block, memory),
            };
        }
        tiles
    }

    /// What a block needs of `view`: in place where it is contiguous, packed into `memory` elsewhere.
    #[inline]
    fn tile<T: Copy>(
        &self,
        view: &View<'_, T>,
        block: &Block,
        memory: &mut [MaybeUninit<T>; TILE],
    ) -> Tile<T> {
        let mut patch = Patch {
            first: view.first(),
            strides: self.steps(view.strides()),
            rows: block.rows,
            columns: block.columns,
        };
        patch.first = patch.at(block.row, block.column);
        if patch.is_run() {
            Tile {
                first: patch.first,
                pitch: CHUNK,
            }
        } else {
            // SAFETY: the patch lies in the view, whose elements can be read.
            unsafe { Tile::packed(&patch, memory) }
        }
    }
}

/// The elements of an operand in a block, side by side, row behind row; or only a chunk of them when they are all the same.
#[derive(Clone, Copy)]
struct Tile<T> {
    first: *const T,
    /// Elements from one chunk to the next.
    pitch: usize,
}

impl<T: Copy> Tile<T> {
    const NONE: Self = Self {
        first: ptr::null(),
        pitch: 0,
    };

    /// A copy of a patch, or of one element when they are all the same.
    ///
    /// # Safety
    ///
    /// The patch is not empty, and every element of it can be read.
    #[inline(never)]
    unsafe fn packed(patch: &Patch<T>, memory: &mut [MaybeUninit<T>; TILE]) -> Self {
        let pitch = if patch.is_even() {
            // SAFETY: the caller's word.
            let element = MaybeUninit::new(unsafe { patch.first.read_unaligned() });
            memory[..CHUNK.min(patch.rows * patch.columns)].fill(element);
            0
        } else {
            // SAFETY: the caller's word.
            unsafe { pack(memory, patch.columns, patch) };
            CHUNK
        };
        Self {
            first: memory.as_ptr().cast(),
            pitch,
        }
    }

    /// The tile without its first `count` elements.
    #[inline]
    fn skip(self, count: usize) -> Self {
        let count = if self.pitch == 0 { 0 } else { count };
        Self {
            first: self.first.wrapping_add(count),
            ..self
        }
    }
}

/// Runs a program for a block, and returns its lanes, which are the first of `masks`.
fn run<'m, W: Lane>(
    mask: &Program<Predicate<'_>>,
    frame: &Frame,
    block: &Block,
    masks: &'m mut [[MaybeUninit<W>; TILE]; DEPTH],
) -> &'m [W] {
    assert!(mask.depth() <= DEPTH, "the program is too deep");
    let size = block.rows * block.columns;
    run_leaf(mask.first(), frame, block, &mut masks[0][..size]);
    let mut alive = 1;
    for step in mask.rest() {
        let (below, free) = masks.split_at_mut(alive);
        match step {
            Step::Leaf(leaf) => {
                run_leaf(leaf, frame, block, &mut free[0][..size]);
                alive += 1;
            }
            Step::Not => {
                // SAFETY: a leaf has written these lanes.
                let top = unsafe { written(&mut below[alive - 1][..size]) };
                top.iter_mut().for_each(|lane| *lane = !*lane);
            }
            Step::And | Step::Or => {
                let (below, top) = below.split_at_mut(alive - 1);
                // SAFETY: leaves have written these lanes, as many of the one as of the other.
                unsafe {
                    let under = written(&mut below[alive - 2][..size]);
                    combine(under, top[0].as_ptr().cast(), matches!(step, Step::And));
                }
                alive -= 1;
            }
        }
    }
    // SAFETY: the first leaf has written these lanes.
    unsafe { written(&mut masks[0][..size]) }
}

/// # Safety
///
/// Every lane has been written.
unsafe fn written<W: Lane>(lanes: &mut [MaybeUninit<W>]) -> &mut [W] {
    // SAFETY: the caller's word; the layout is the same.
    unsafe { slice::from_raw_parts_mut(lanes.as_mut_ptr().cast(), lanes.len()) }
}

/// Writes the lanes of a leaf for a block.
fn run_leaf<W: Lane>(
    leaf: &Predicate<'_>,
    frame: &Frame,
    block: &Block,
    lanes: &mut [MaybeUninit<W>],
) {
    match leaf {
        Predicate::Float64(relation, views) => {
            run_comparison(lanes, frame, block, *relation, views)
        }
        Predicate::Float32(relation, views) => {
            run_comparison(lanes, frame, block, *relation, views)
        }
        Predicate::Int64(relation, views) => run_comparison(lanes, frame, block, *relation, views),
        Predicate::Stored(bytes) => {
            let mut memory = [MaybeUninit::uninit(); TILE];
            let tile = frame.tile(bytes, block, &mut memory);
            // SAFETY: the tile has as many elements as the block.
            unsafe { sweep(lanes, [tile], |_, [byte]| W::of(byte != 0)) };
        }
    }
}

fn run_comparison<T: PartialOrd + Copy, W: Lane>(
    lanes: &mut [MaybeUninit<W>],
    frame: &Frame,
    block: &Block,
    relation: Relation,
    views: &[View<'_, T>; 2],
) {
    let mut tiles = [[MaybeUninit::uninit(); TILE]; 2];
    let tiles = frame.tiles(views, block, &mut tiles);
    // SAFETY: the tiles have as many elements as the block.
    unsafe { compare(lanes, relation, tiles) };
}

multiversion! {
    /// Replaces lanes by those of both masks where `both` is true, and by those of either where it is false.
    ///
    /// # Safety
    ///
    /// There are as many of `others` as of `lanes`.
    unsafe fn combine<{W: Lane}>(lanes: &mut [W], others: *const W, both: bool) {
        // SAFETY (both): the caller's word.
        if both {
            for (index, lane) in lanes.iter_mut().enumerate() {
                *lane = *lane & unsafe { others.add(index).read() };
            }
        } else {
            for (index, lane) in lanes.iter_mut().enumerate() {
                *lane = *lane | unsafe { others.add(index).read() };
            }
        }
    }
}

multiversion! {
    /// Writes whether each element of the first tile stands in this relation to that of the second.
    ///
    /// # Safety
    ///
    /// The tiles have as many elements as `lanes`.
    unsafe fn compare<{T: PartialOrd + Copy, W: Lane}>(
        lanes: &mut [MaybeUninit<W>],
        relation: Relation,
        tiles: [Tile<T>; 2],
    ) {
        // SAFETY: the caller's word.
        unsafe {
            match relation {
                Relation::Equal => sweep(lanes, tiles, |_, [x, y]| W::of(x == y)),
                Relation::NotEqual => sweep(lanes, tiles, |_, [x, y]| W::of(x != y)),
                Relation::Less => sweep(lanes, tiles, |_, [x, y]| W::of(x < y)),
                Relation::LessEqual => sweep(lanes, tiles, |_, [x, y]| W::of(x <= y)),
            }
        }
    }
}

multiversion! {
    /// Writes the elements of the first tile where lanes are set, and those of the second elsewhere.
    ///
    /// # Safety
    ///
    /// There are as many lanes and elements of the tiles as slots.
    unsafe fn choose<{T: Comparable}>(
        slots: &mut [MaybeUninit<T>],
        lanes: *const T::Lane,
        tiles: [Tile<T>; 2],
    ) {
        // SAFETY: the caller's word.
        unsafe { sweep(slots, tiles, |index, [yes, no]| T::choose(lanes.add(index).read(), yes, no)) }
    }
}

multiversion! {
    /// Writes the elements of the third tile where those of the first stand in this relation to those of the second, and
    /// those of the fourth elsewhere.
    ///
    /// # Safety
    ///
    /// The tiles have as many elements as `slots`.
    unsafe fn choose_compared<{T: Comparable}>(
        slots: &mut [MaybeUninit<T>],
        relation: Relation,
        tiles: [Tile<T>; 4],
    ) {
        // SAFETY: the caller's word.
        unsafe {
            match relation {
                Relation::Equal => sweep(slots, tiles, |_, [x, y, yes, no]| {
                    T::choose(Lane::of(x == y), yes, no)
                }),
                Relation::NotEqual => sweep(slots, tiles, |_, [x, y, yes, no]| {
                    T::choose(Lane::of(x != y), yes, no)
                }),
                Relation::Less => sweep(slots, tiles, |_, [x, y, yes, no]| {
                    T::choose(Lane::of(x < y), yes, no)
                }),
                Relation::LessEqual => sweep(slots, tiles, |_, [x, y, yes, no]| {
                    T::choose(Lane::of(x <= y), yes, no)
                }),
            }
        }
    }
}

/// The elements that [`sweep`] takes at a time. With fewer of them LLVM unrolls the loop before it would vectorise it, and
/// finds no vectors any more.
const CHUNK: usize = 64;

/// Fills the slots with `f` of their index and of the elements of the tiles.
///
/// # Safety
///
/// The tiles have as many elements as there are slots.
#[inline(always)]
unsafe fn sweep<T: Copy, O, const N: usize>(
    slots: &mut [MaybeUninit<O>],
    mut tiles: [Tile<T>; N],
    f: impl Fn(usize, [T; N]) -> O,
) {
    let at = |tiles: &[Tile<T>; N], index: usize| {
        // SAFETY: the caller's word.
        tiles.map(|tile| unsafe { tile.first.add(index).read_unaligned() })
    };
    let mut start = 0_usize;
    let mut chunks = slots.chunks_exact_mut(CHUNK);
    for chunk in &mut chunks {
        for (index, slot) in chunk.iter_mut().enumerate() {
            slot.write(f(start.wrapping_add(index), at(&tiles, index)));
        }
        start = start.wrapping_add(CHUNK);
        for tile in &mut tiles {
            tile.first = tile.first.wrapping_add(tile.pitch);
        }
    }
    for (index, slot) in chunks.into_remainder().iter_mut().enumerate() {
        slot.write(f(start.wrapping_add(index), at(&tiles, index)));
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Debug;
    use std::mem::MaybeUninit;

    use super::super::extent::{Order, Shape};
    use super::super::operands::{cells, item, layouts, place, Operand, C};
    use super::super::program::{Program, Step};
    use super::super::view::View;
    use super::{select, store, Comparable, Predicate, Relation};

    /// Lengths on both sides of every chunk and tile, and fewer of them under Miri.
    const SHAPES: &[(usize, usize)] = if cfg!(miri) {
        &[(0, 3), (3, 5)]
    } else {
        &[
            (0, 0),
            (0, 3),
            (3, 0),
            (1, 1),
            (1, 64),
            (1, 600),
            (600, 1),
            (2, 3),
            (5, 63),
            (8, 64),
            (17, 130),
            (200, 3),
            (11, 300),
            (3, 1100),
        ]
    };

    /// Few values, so that many are equal, and special ones.
    fn float(k: usize) -> f64 {
        const SPECIAL: [f64; 6] = [
            0.0,
            -0.0,
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
            5e-324,
        ];
        match k % 11 {
            special @ 0..=5 => SPECIAL[special],
            other => other as f64 - 8.0,
        }
    }

    fn single(k: usize) -> f32 {
        float(k / 2) as f32
    }

    fn integer(k: usize) -> i64 {
        [i64::MIN, i64::MAX, 0, 1, -1, 2, 0][k % 7]
    }

    fn holds<T: PartialOrd>(relation: Relation, left: T, right: T) -> bool {
        match relation {
            Relation::Equal => left == right,
            Relation::NotEqual => left != right,
            Relation::Less => left < right,
            Relation::LessEqual => left <= right,
        }
    }

    fn truth_of_leaf(leaf: &Predicate<'_>, cell: [usize; 2]) -> bool {
        fn compare<T: PartialOrd + Copy>(
            relation: Relation,
            views: &[View<'_, T>; 2],
            cell: [usize; 2],
        ) -> bool {
            let [left, right] = views.each_ref().map(|view| item(view, cell));
            holds(relation, left, right)
        }
        match leaf {
            Predicate::Float64(relation, views) => compare(*relation, views, cell),
            Predicate::Float32(relation, views) => compare(*relation, views, cell),
            Predicate::Int64(relation, views) => compare(*relation, views, cell),
            Predicate::Stored(bytes) => item(bytes, cell) != 0,
        }
    }

    fn truth(mask: &Program<Predicate<'_>>, cell: [usize; 2]) -> bool {
        let mut masks = vec![truth_of_leaf(mask.first(), cell)];
        for step in mask.rest() {
            let top = masks.pop().unwrap();
            match step {
                Step::Leaf(leaf) => masks.extend([top, truth_of_leaf(leaf, cell)]),
                Step::Not => masks.push(!top),
                Step::And => *masks.last_mut().unwrap() &= top,
                Step::Or => *masks.last_mut().unwrap() |= top,
            }
        }
        masks[0]
    }

    /// Selects in both orders, and compares the bits of each element with those that a plain loop finds.
    fn check<T, B>(
        shape: Shape,
        mask: &Program<Predicate<'_>>,
        branches: [View<'_, T>; 2],
        bits: fn(T) -> B,
    ) where
        T: Comparable,
        B: PartialEq + Debug,
    {
        for order in [Order::C, Order::F] {
            let mut out = vec![MaybeUninit::uninit(); shape.size().unwrap()];
            select(&mut out, shape, order, mask, branches);
            for cell in cells(shape) {
                let branch = usize::from(!truth(mask, cell));
                let want = item(&branches[branch], cell);
                // SAFETY: `select` has filled the result.
                let found = unsafe { out[place(shape, order, cell)].assume_init() };
                assert_eq!(
                    bits(found),
                    bits(want),
                    "{shape} {order:?} {cell:?} {mask:?}"
                );
            }
        }
    }

    /// For each shape an operand in every layout, that in C order first, and some to stretch.
    fn operands<T: Copy>(element: fn(usize) -> T) -> Vec<Vec<Operand<T>>> {
        let of_shape = |&(rows, columns): &(usize, usize)| {
            let shape = Shape::two(rows, columns);
            let thin = [(1, columns), (rows, 1), (1, 1)]
                .map(|(rows, columns)| Operand::laid_out(Shape::two(rows, columns), C, element));
            let whole = layouts().map(|layout| Operand::laid_out(shape, layout, element));
            whole.chain(thin).collect()
        };
        SHAPES.iter().map(of_shape).collect()
    }

    /// All relations of all pairs of operands of a shape, which are also the branches.
    fn check_pairs<'a, T, B>(
        operands: &'a [Vec<Operand<T>>],
        predicate: fn(Relation, [View<'a, T>; 2]) -> Predicate<'a>,
        bits: fn(T) -> B,
    ) where
        T: Comparable,
        B: PartialEq + Debug,
    {
        let relations = [
            Relation::Equal,
            Relation::NotEqual,
            Relation::Less,
            Relation::LessEqual,
        ];
        for operands in operands {
            let views: Vec<_> = operands.iter().map(Operand::view).collect();
            let shape = views[0].shape();
            for (index, &left) in views.iter().enumerate() {
                for (&right, relation) in views.iter().zip(relations.iter().cycle().skip(index)) {
                    let leaf = Program::leaf(predicate(*relation, [left, right]));
                    check(shape, &leaf, [right, left], bits);
                    check(shape, &leaf.negated(), [left, views[index / 2]], bits);
                }
            }
        }
    }

    #[test]
    fn float64_in_every_layout() {
        check_pairs(&operands(float), Predicate::Float64, f64::to_bits);
    }

    #[test]
    fn float32_in_every_layout() {
        check_pairs(&operands(single), Predicate::Float32, f32::to_bits);
    }

    #[test]
    fn int64_in_every_layout() {
        check_pairs(&operands(integer), Predicate::Int64, |x| x);
    }

    /// Masks of all types and layouts at once, for results of each type.
    #[test]
    fn combined_masks() {
        for &(rows, columns) in SHAPES {
            let shape = Shape::two(rows, columns);
            for (layout, other) in layouts().zip(layouts().cycle().skip(1)) {
                let layouts = [layout, other, C];
                let doubles = layouts.map(|layout| Operand::laid_out(shape, layout, float));
                let singles = layouts.map(|layout| Operand::laid_out(shape, layout, single));
                let integers = layouts.map(|layout| Operand::laid_out(shape, layout, integer));
                let doubles = doubles.each_ref().map(Operand::view);
                let singles = singles.each_ref().map(Operand::view);
                let integers = integers.each_ref().map(Operand::view);
                let scalar = View::scalar(&1.0);
                let a = Program::leaf(Predicate::Float64(Relation::Less, [scalar, doubles[0]]));
                let b = Program::leaf(Predicate::Float32(
                    Relation::LessEqual,
                    [singles[1], singles[2]],
                ));
                let c = Program::leaf(Predicate::Int64(
                    Relation::NotEqual,
                    [integers[0], integers[1]],
                ));
                let masks = [
                    a.clone().and(b.clone()),
                    a.clone().or(b.clone()).negated(),
                    a.clone().and(b.clone().negated()).or(c.clone()),
                    a.clone()
                        .or(b.clone())
                        .and(c.clone().or(a.clone().negated()))
                        .negated(),
                    b.clone(),
                ];
                for mask in &masks {
                    check(shape, mask, [doubles[0], scalar], f64::to_bits);
                    check(shape, mask, [singles[1], singles[0]], f32::to_bits);
                    check(shape, mask, [integers[1], integers[2]], |x| x);
                }
                check_stored(shape, &masks[3], &b, [doubles[1], doubles[0]]);
            }
        }
    }

    /// A mask that has been stored in either order is as good as the program.
    fn check_stored(
        shape: Shape,
        mask: &Program<Predicate<'_>>,
        other: &Program<Predicate<'_>>,
        branches: [View<'_, f64>; 2],
    ) {
        for order in [Order::C, Order::F] {
            let mut bytes = vec![MaybeUninit::uninit(); shape.size().unwrap()];
            store(&mut bytes, shape, order, mask);
            // SAFETY: `store` has filled the bytes.
            let bytes: Vec<u8> = bytes
                .iter()
                .map(|byte| unsafe { byte.assume_init() })
                .collect();
            for cell in cells(shape) {
                let found = bytes[place(shape, order, cell)] != 0;
                assert_eq!(found, truth(mask, cell));
            }
            let [rows, columns] = shape.dims().map(|dim| dim as isize);
            let strides = match order {
                Order::C => [columns, 1],
                Order::F => [1, rows],
            };
            // SAFETY: the bytes are laid out like this.
            let view = unsafe { View::new(bytes.as_ptr(), shape, strides) };
            let stored = Program::leaf(Predicate::Stored(view));
            check(shape, &stored, branches, f64::to_bits);
            check(shape, &stored.or(other.clone()), branches, f64::to_bits);
        }
    }

    #[test]
    fn rank_one_and_scalars() {
        for length in [0, 1, 2, 7, 63, 64, 65, 511, 512, 513, 950] {
            let elements: Vec<_> = (0..length).map(float).collect();
            let view = View::of(&elements);
            let zero = View::scalar(&0.0);
            let mask = Program::leaf(Predicate::Float64(Relation::Less, [zero, view]));
            let mut out = vec![MaybeUninit::uninit(); length];
            select(&mut out, Shape::one(length), Order::C, &mask, [view, zero]);
            for (found, &x) in out.iter().zip(&elements) {
                // SAFETY: `select` has filled the result.
                let found = unsafe { found.assume_init() };
                assert_eq!(found.to_bits(), if 0.0 < x { x.to_bits() } else { 0 });
            }
        }
    }

    #[test]
    fn payloads_of_nan_are_kept() {
        let signalling = f64::from_bits(0x7ff0_0000_0000_0001);
        let quiet = f64::from_bits(0xfff8_dead_0000_0123);
        let (signalling, quiet) = (View::scalar(&signalling), View::scalar(&quiet));
        for relation in [Relation::Equal, Relation::NotEqual] {
            let mask = Program::leaf(Predicate::Float64(relation, [quiet, quiet]));
            check(Shape::two(3, 50), &mask, [quiet, signalling], f64::to_bits);
        }
    }

    fn comparison(view: View<'_, f64>) -> Program<Predicate<'_>> {
        Program::leaf(Predicate::Float64(Relation::Equal, [view, view]))
    }

    #[test]
    #[should_panic(expected = "left == right")]
    fn refuses_a_result_of_another_size() {
        let view = View::of(&[1.0, 2.0]);
        let mut out = [MaybeUninit::uninit(); 3];
        select(
            &mut out,
            Shape::one(2),
            Order::C,
            &comparison(view),
            [view; 2],
        );
    }

    #[test]
    #[should_panic(expected = "stretches_to")]
    fn refuses_a_branch_that_does_not_stretch() {
        let (view, short) = (View::of(&[1.0, 2.0, 3.0]), View::of(&[1.0, 2.0]));
        let mut out = [MaybeUninit::uninit(); 3];
        select(
            &mut out,
            Shape::one(3),
            Order::C,
            &comparison(view),
            [view, short],
        );
    }

    #[test]
    #[should_panic(expected = "stretches_to")]
    fn refuses_a_comparison_that_does_not_stretch() {
        let (view, short) = (View::of(&[1.0, 2.0, 3.0]), View::of(&[1.0, 2.0]));
        let mut out = [MaybeUninit::uninit(); 3];
        let mask = comparison(view).and(comparison(short));
        store(&mut out, Shape::one(3), Order::C, &mask);
    }

    #[test]
    #[should_panic(expected = "too deep")]
    fn refuses_a_program_that_is_too_deep() {
        let view = View::of(&[1.0]);
        let mask = (0..6).fold(comparison(view), |mask, _| mask.clone().and(mask));
        store(&mut [MaybeUninit::uninit()], Shape::one(1), Order::C, &mask);
    }
}
