//! Shapes, broadcasting and the memory order of a result.
//!
//! Rank 1 is kept as one row: axis 0 has length one. So every rule has one form, on two axes.

use std::fmt;

/// The shape of an array of rank 1 or 2, or of a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    rank: usize,
    dims: [usize; 2],
}

impl Shape {
    /// The shape `()` of a scalar.
    pub const SCALAR: Self = Self {
        rank: 0,
        dims: [1, 1],
    };

    /// The shape `(length,)`.
    #[inline]
    pub fn one(length: usize) -> Self {
        Self {
            rank: 1,
            dims: [1, length],
        }
    }

    /// The shape `(rows, columns)`.
    #[inline]
    pub fn two(rows: usize, columns: usize) -> Self {
        Self {
            rank: 2,
            dims: [rows, columns],
        }
    }

    /// The number of axes, 0 to 2.
    #[inline]
    pub fn rank(self) -> usize {
        self.rank
    }

    /// Both axis lengths; `[1, length]` for rank 1 and `[1, 1]` for rank 0.
    #[inline]
    pub fn dims(self) -> [usize; 2] {
        self.dims
    }

    /// The number of elements, or `None` when it exceeds NumPy's index type (`npy_intp`).
    #[inline]
    pub fn size(self) -> Option<usize> {
        let size = self.dims[0].checked_mul(self.dims[1])?;
        (size <= isize::MAX as usize).then_some(size)
    }

    /// Whether an operand of this shape can be stretched to `target`.
    #[inline]
    pub fn stretches_to(self, target: Self) -> bool {
        let fits = |axis: usize| self.dims[axis] == target.dims[axis] || self.dims[axis] == 1;
        self.rank <= target.rank && fits(0) && fits(1)
    }

    #[inline]
    fn broadcast(self, other: Self) -> Result<Self, Mismatch> {
        let mut dims = self.dims;
        for (dim, &theirs) in dims.iter_mut().zip(&other.dims) {
            if *dim == 1 {
                *dim = theirs;
            } else if theirs != 1 && theirs != *dim {
                return Err(Mismatch {
                    shapes: [Some(self), Some(other), None],
                });
            }
        }
        Ok(Self {
            rank: self.rank.max(other.rank),
            dims,
        })
    }
}

impl fmt::Display for Shape {
    /// NumPy's spelling in broadcasting errors: `()`, `(3,)`, `(2,3)` (`convert_shape_to_string` in
    /// `multiarray/common.c`).
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [rows, columns] = self.dims;
        match self.rank {
            0 => write!(f, "()"),
            1 => write!(f, "({columns},)"),
            _ => write!(f, "({rows},{columns})"),
        }
    }
}

/// How a two-dimensional array lies in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Row by row, as in C.
    C,
    /// Column by column, as in Fortran.
    F,
}

/// The two or three operands of an operation whose shapes do not broadcast.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mismatch {
    shapes: [Option<Shape>; 3],
}

impl fmt::Display for Mismatch {
    /// NumPy's text, with its trailing blank.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "operands could not be broadcast together with shapes ")?;
        self.shapes
            .iter()
            .flatten()
            .try_for_each(|shape| write!(f, "{shape} "))
    }
}

impl std::error::Error for Mismatch {}

/// What broadcasting has to know of an operand: its shape, and the memory order that its strides ask for.
///
/// NumPy allocates a result in "K" order: axes sorted by the operands' absolute strides, where an axis of length one (or
/// a repeated one) has stride zero and no say, and C order wins a conflict (`npyiter_find_best_axis_ordering` in
/// `multiarray/nditer_constr.c`). With two axes each operand thus casts one vote or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    shape: Shape,
    vote: Option<Order>,
}

impl Extent {
    /// The extent of an operand with these byte strides, zero on axes of length one.
    #[inline]
    pub fn new(shape: Shape, [outer, inner]: [isize; 2]) -> Self {
        let vote = if outer == 0 || inner == 0 {
            None
        } else if inner.unsigned_abs() <= outer.unsigned_abs() {
            Some(Order::C)
        } else {
            Some(Order::F)
        };
        Self { shape, vote }
    }

    /// The shape.
    #[inline]
    pub fn shape(self) -> Shape {
        self.shape
    }

    /// The order in which NumPy lays out a result of this extent.
    #[inline]
    pub fn order(self) -> Order {
        self.vote.unwrap_or(Order::C)
    }

    /// The extent of a fresh array that NumPy makes from this operand alone.
    #[inline]
    pub fn result(self) -> Self {
        let [rows, columns] = self.shape.dims;
        let vote = (rows > 1 && columns > 1).then(|| self.order());
        Self { vote, ..self }
    }

    /// The extent of the fresh array that NumPy makes from this operand and `right`.
    ///
    /// # Errors
    ///
    /// [`Mismatch`] when two axis lengths differ and neither is one.
    #[inline]
    pub fn join(self, right: Self) -> Result<Self, Mismatch> {
        Ok(self.beside(right)?.result())
    }

    /// The extent of the fresh array that NumPy makes from three operands at once.
    ///
    /// # Errors
    ///
    /// [`Mismatch`] of all three when they do not broadcast together.
    #[inline]
    pub fn join_three(operands: [Self; 3]) -> Result<Self, Mismatch> {
        let [first, second, third] = operands;
        let joined = first.beside(second).and_then(|both| both.beside(third));
        Ok(joined
            .map_err(|_| Mismatch {
                shapes: operands.map(|operand| Some(operand.shape)),
            })?
            .result())
    }

    /// The shape to which two operands stretch, and what both of them vote for.
    #[inline]
    fn beside(self, right: Self) -> Result<Self, Mismatch> {
        let shape = self.shape.broadcast(right.shape)?;
        let vote = match (self.vote, right.vote) {
            (Some(Order::C), _) | (_, Some(Order::C)) => Some(Order::C),
            (Some(Order::F), _) | (_, Some(Order::F)) => Some(Order::F),
            (None, None) => None,
        };
        Ok(Self { shape, vote })
    }

    /// The extent of the result of a chain of operations on `leaves`.
    ///
    /// Each step names its left and right operand: `0..N` are the leaves, `N + k` is the result of step `k`. Steps are
    /// taken in order, so a mismatch names the shapes that NumPy would name.
    ///
    /// # Errors
    ///
    /// [`Mismatch`] of the first step whose operands do not broadcast.
    ///
    /// # Panics
    ///
    /// When a step names an operand that does not exist yet.
    #[inline]
    pub fn chain<const N: usize, const M: usize>(
        leaves: &[Self; N],
        steps: &[(usize, usize); M],
    ) -> Result<Self, Mismatch> {
        const { assert!(N > 0 && M > 0, "a chain has leaves and steps") };
        let mut results = [leaves[0]; M];
        for (done, &(left, right)) in steps.iter().enumerate() {
            let operand = |index: usize| match leaves.get(index) {
                Some(leaf) => *leaf,
                None => results[..done][index - N],
            };
            results[done] = operand(left).join(operand(right))?;
        }
        Ok(results[M - 1])
    }
}

#[cfg(test)]
mod tests {
    use super::{Extent, Order, Shape};

    const ONE: fn(usize) -> Shape = Shape::one;
    const TWO: fn(usize, usize) -> Shape = Shape::two;

    /// An extent whose rows and columns lie as in C, in Fortran, or as given.
    fn c(rows: usize, columns: usize) -> Extent {
        strided(rows, columns, [columns as isize * 8, 8])
    }

    fn f(rows: usize, columns: usize) -> Extent {
        strided(rows, columns, [8, rows as isize * 8])
    }

    fn strided(rows: usize, columns: usize, strides: [isize; 2]) -> Extent {
        let step = |length, stride| if length == 1 { 0 } else { stride };
        Extent::new(
            TWO(rows, columns),
            [step(rows, strides[0]), step(columns, strides[1])],
        )
    }

    fn row(length: usize) -> Extent {
        Extent::new(ONE(length), [0, if length == 1 { 0 } else { 8 }])
    }

    fn scalar() -> Extent {
        Extent::new(Shape::SCALAR, [0, 0])
    }

    #[test]
    fn shapes_broadcast_as_in_numpy() {
        for (left, right, joined) in [
            (ONE(3), ONE(3), ONE(3)),
            (ONE(3), ONE(1), ONE(3)),
            (ONE(1), ONE(0), ONE(0)),
            (ONE(0), ONE(0), ONE(0)),
            (TWO(2, 3), ONE(3), TWO(2, 3)),
            (TWO(2, 1), ONE(3), TWO(2, 3)),
            (TWO(2, 3), TWO(2, 1), TWO(2, 3)),
            (TWO(1, 3), TWO(2, 1), TWO(2, 3)),
            (TWO(0, 3), ONE(3), TWO(0, 3)),
            (TWO(0, 3), TWO(1, 1), TWO(0, 3)),
            (TWO(1, 1), ONE(1), TWO(1, 1)),
            (TWO(3, 1), ONE(0), TWO(3, 0)),
        ] {
            assert_eq!(left.broadcast(right), Ok(joined), "{left} {right}");
            assert_eq!(right.broadcast(left), Ok(joined), "{right} {left}");
            assert!(left.stretches_to(joined) && right.stretches_to(joined));
        }
    }

    #[test]
    fn mismatches_speak_as_numpy_does() {
        for (left, right, shapes) in [
            (ONE(3), ONE(4), "(3,) (4,)"),
            (ONE(3), ONE(0), "(3,) (0,)"),
            (TWO(2, 3), ONE(2), "(2,3) (2,)"),
            (TWO(2, 3), TWO(3, 3), "(2,3) (3,3)"),
            (ONE(5), TWO(0, 3), "(5,) (0,3)"),
        ] {
            let text = left.broadcast(right).unwrap_err().to_string();
            assert_eq!(
                text,
                format!("operands could not be broadcast together with shapes {shapes} ")
            );
            assert!(!left.stretches_to(right));
        }
    }

    #[test]
    fn mismatches_of_three_name_them_all() {
        for (operands, shapes) in [
            ([row(3), row(4), row(5)], "(3,) (4,) (5,)"),
            ([row(3), row(3), row(4)], "(3,) (3,) (4,)"),
            ([row(3), scalar(), c(2, 4)], "(3,) () (2,4)"),
            ([c(2, 3), row(2), scalar()], "(2,3) (2,) ()"),
        ] {
            let text = Extent::join_three(operands).unwrap_err().to_string();
            assert_eq!(
                text,
                format!("operands could not be broadcast together with shapes {shapes} ")
            );
        }
    }

    #[test]
    fn three_operands_decide_at_once() {
        use Order::{C, F};
        for (operands, shape, order) in [
            ([row(4), scalar(), scalar()], ONE(4), C),
            ([f(3, 4), scalar(), row(4)], TWO(3, 4), F),
            ([f(3, 4), c(3, 4), f(3, 4)], TWO(3, 4), C),
            // A row and a column have no say together either, as they would have by way of an array of their own.
            ([row(4), c(3, 1), f(3, 4)], TWO(3, 4), F),
            ([row(0), c(3, 1), scalar()], TWO(3, 0), C),
        ] {
            let joined = Extent::join_three(operands).unwrap();
            assert_eq!((joined.shape(), joined.order()), (shape, order));
            assert_eq!(joined.result(), joined);
        }
    }

    #[test]
    fn a_scalar_stretches_to_any_shape() {
        for shape in [ONE(3), ONE(0), TWO(2, 3), TWO(1, 1)] {
            assert!(Shape::SCALAR.stretches_to(shape));
            assert_eq!(Shape::SCALAR.broadcast(shape), Ok(shape));
            assert!(!shape.stretches_to(Shape::SCALAR));
        }
    }

    #[test]
    fn a_shape_does_not_stretch_down() {
        assert!(!TWO(1, 3).stretches_to(ONE(3)));
        assert!(!ONE(3).stretches_to(ONE(1)));
    }

    #[test]
    fn sizes_do_not_overflow() {
        assert_eq!(TWO(3, 4).size(), Some(12));
        assert_eq!(TWO(usize::MAX, 0).size(), Some(0));
        assert_eq!(TWO(1 << 40, 1 << 40).size(), None);
        assert_eq!(TWO(1 << 32, 1 << 31).size(), None);
        assert_eq!(TWO(1 << 31, 1 << 31).size(), Some(1 << 62));
    }

    #[test]
    fn results_keep_the_order_of_their_operands() {
        use Order::{C, F};
        for (left, right, order) in [
            (c(3, 4), c(3, 4), C),
            (f(3, 4), f(3, 4), F),
            (c(3, 4), f(3, 4), C),
            (f(3, 4), c(3, 4), C),
            // A row, a column, a single element and a repeated row have no say.
            (f(3, 4), row(4), F),
            (row(4), f(3, 4), F),
            (f(3, 4), c(3, 1), F),
            (f(3, 4), c(1, 1), F),
            (f(3, 4), strided(3, 4, [0, 8]), F),
            (c(3, 1), row(4), C),
            // Only magnitudes count.
            (strided(3, 4, [-8, -24]), f(3, 4), F),
            (strided(3, 4, [-32, 8]), f(3, 4), C),
            // Equal strides are in C order.
            (strided(3, 4, [8, 8]), f(3, 4), C),
            (strided(3, 4, [isize::MIN, 8]), row(4), C),
        ] {
            let joined = left.join(right).unwrap();
            assert_eq!(joined.order(), order, "{left:?} {right:?}");
            assert_eq!(joined.result(), joined);
        }
        assert_eq!(f(3, 4).result().order(), F);
        assert_eq!(strided(3, 4, [16, 128]).result().order(), F);
    }

    #[test]
    fn chains_decide_step_by_step() {
        // (F + row) + column stays F; one C result on the way makes the rest C.
        let steps = [(0, 1), (3, 2)];
        let order = |leaves| Extent::chain(&leaves, &steps).unwrap().order();
        assert_eq!(order([f(3, 4), row(4), c(3, 1)]), Order::F);
        assert_eq!(order([row(4), c(3, 1), f(3, 4)]), Order::C);
        assert_eq!(order([f(3, 4), c(3, 4), f(3, 4)]), Order::C);
        // The intermediate (3, 1) has no say although it stands for a strided column.
        assert_eq!(order([f(3, 1), f(3, 1), f(3, 4)]), Order::F);
    }

    #[test]
    fn chains_name_the_shapes_of_the_failing_step() {
        let leaves = [c(2, 1), row(3), row(4)];
        let text =
            |steps: &[(usize, usize); 2]| Extent::chain(&leaves, steps).unwrap_err().to_string();
        let prefix = "operands could not be broadcast together with shapes";
        assert_eq!(text(&[(0, 1), (3, 2)]), format!("{prefix} (2,3) (4,) "));
        assert_eq!(text(&[(0, 1), (2, 3)]), format!("{prefix} (4,) (2,3) "));
        assert_eq!(text(&[(1, 2), (0, 3)]), format!("{prefix} (3,) (4,) "));
    }

    #[test]
    #[should_panic(expected = "out of bounds")]
    fn chains_refuse_results_that_are_not_there_yet() {
        let _ = Extent::chain(&[row(3)], &[(0, 1)]);
    }
}
