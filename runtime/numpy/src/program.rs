//! Masks as lists of steps: comparisons, and the logical operations on them.

/// A mask in postfix form: leaves, and operations on the one or two masks before them.
///
/// It is a flat list, so that no chain of operations, however long, is run, copied or dropped by recursion. A single leaf
/// takes no memory of its own.
#[derive(Clone, Debug)]
pub struct Program<L> {
    first: L,
    rest: Vec<Step<L>>,
    /// The number of masks that are alive at once while it runs.
    depth: usize,
}

/// What follows the first leaf of a program.
#[derive(Clone, Copy, Debug)]
pub enum Step<L> {
    /// One more mask.
    Leaf(L),
    /// Takes the place of the last mask.
    Not,
    /// Takes the place of the last two masks.
    And,
    /// Takes the place of the last two masks.
    Or,
}

/// The most steps that a program should have. A longer one is better replaced by its result: it would run again wherever it
/// is used, and a loop could make it grow without bound.
pub const LIMIT: usize = 32;

/// The most masks that are alive at once in what [`Program::and`] or [`Program::or`] makes of two programs within
/// [`LIMIT`], which have so many leaves together.
pub const DEPTH: usize = 1 + LIMIT.ilog2() as usize;

impl<L> Program<L> {
    /// The program of a leaf.
    #[inline]
    pub fn leaf(leaf: L) -> Self {
        Self {
            first: leaf,
            rest: Vec::new(),
            depth: 1,
        }
    }

    /// The first leaf, which comes before the other steps.
    #[inline]
    pub fn first(&self) -> &L {
        &self.first
    }

    /// The steps after the first leaf.
    #[inline]
    pub fn rest(&self) -> &[Step<L>] {
        &self.rest
    }

    /// The number of masks that are alive at once while it runs.
    #[inline]
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Whether it has more than [`LIMIT`] steps.
    #[inline]
    pub fn is_long(&self) -> bool {
        self.rest.len() >= LIMIT
    }

    /// True where the mask is false.
    pub fn negated(mut self) -> Self {
        if matches!(self.rest.last(), Some(Step::Not)) {
            self.rest.pop();
        } else {
            self.rest.push(Step::Not);
        }
        self
    }

    /// True where both masks are.
    pub fn and(self, other: Self) -> Self {
        self.join(other, Step::And)
    }

    /// True where one of the masks is, or both.
    pub fn or(self, other: Self) -> Self {
        self.join(other, Step::Or)
    }

    /// Runs the deeper program first, while no other mask is alive, as both operations allow. So the depth is at most one
    /// more than the logarithm of the number of leaves, like the number of registers that an expression needs (A. P.
    /// Ershov, "On programming of arithmetic operations", 1958).
    fn join(self, other: Self, operation: Step<L>) -> Self {
        let (mut deep, flat) = if self.depth < other.depth {
            (other, self)
        } else {
            (self, other)
        };
        if deep.depth == flat.depth {
            deep.depth += 1;
        }
        deep.rest.reserve(flat.rest.len() + 2);
        deep.rest.push(Step::Leaf(flat.first));
        deep.rest.extend(flat.rest);
        deep.rest.push(operation);
        deep
    }

    /// The same program of other leaves.
    ///
    /// # Errors
    ///
    /// That of `f` for the first leaf for which it has one.
    #[inline]
    pub fn map<'a, M, E>(
        &'a self,
        mut f: impl FnMut(&'a L) -> Result<M, E>,
    ) -> Result<Program<M>, E> {
        let mut program = Program {
            first: f(&self.first)?,
            rest: Vec::with_capacity(self.rest.len()),
            depth: self.depth,
        };
        for step in &self.rest {
            program.rest.push(match step {
                Step::Leaf(leaf) => Step::Leaf(f(leaf)?),
                Step::Not => Step::Not,
                Step::And => Step::And,
                Step::Or => Step::Or,
            });
        }
        Ok(program)
    }
}

#[cfg(test)]
mod tests {
    use super::{Program, Step, DEPTH, LIMIT};

    /// Runs a program whose leaves are bits of `input`.
    fn run(program: &Program<usize>, input: u32) -> bool {
        let leaf = |index: &usize| input >> index & 1 == 1;
        let mut masks = vec![leaf(program.first())];
        let mut depth = 1;
        for step in program.rest() {
            match step {
                Step::Leaf(index) => masks.push(leaf(index)),
                Step::Not => {
                    let top = masks.pop().unwrap();
                    masks.push(!top);
                }
                Step::And | Step::Or => {
                    let (top, under) = (masks.pop().unwrap(), masks.pop().unwrap());
                    masks.push(match step {
                        Step::And => under && top,
                        _ => under || top,
                    });
                }
            }
            depth = depth.max(masks.len());
        }
        assert_eq!((masks.len(), depth), (1, program.depth()));
        masks[0]
    }

    fn leaf(index: usize) -> Program<usize> {
        Program::leaf(index)
    }

    #[test]
    fn programs_mean_what_they_say() {
        type Meaning = fn(bool, bool, bool) -> bool;
        let cases: [(Program<usize>, Meaning); 7] = [
            (leaf(0), |a, _, _| a),
            (leaf(0).negated(), |a, _, _| !a),
            (leaf(0).negated().negated(), |a, _, _| a),
            (leaf(0).and(leaf(1)).or(leaf(2)), |a, b, c| a && b || c),
            (leaf(0).and(leaf(1).or(leaf(2))), |a, b, c| a && (b || c)),
            (
                leaf(0).or(leaf(1).and(leaf(2).negated()).negated()),
                |a, b, c| a || !b || c,
            ),
            (
                leaf(0).and(leaf(1)).or(leaf(1).and(leaf(2))).negated(),
                |a, b, c| !b || !a && !c,
            ),
        ];
        for (program, meaning) in cases {
            for input in 0..8 {
                let [a, b, c] = [0, 1, 2].map(|index| input >> index & 1 == 1);
                assert_eq!(run(&program, input), meaning(a, b, c), "{program:?}");
            }
        }
    }

    #[test]
    fn one_leaf_has_no_heap_memory() {
        assert_eq!(leaf(0).rest.capacity(), 0);
        let mapped = leaf(0).map(|_| Ok::<_, ()>("a")).unwrap();
        assert_eq!(mapped.rest.capacity(), 0);
    }

    #[test]
    fn negations_do_not_pile_up() {
        let program = (0..1001).fold(leaf(0), |program, _| program.negated());
        assert_eq!(program.rest().len(), 1);
    }

    #[test]
    fn chains_to_either_side_stay_flat() {
        let left = (1..20).fold(leaf(0), |program, index| program.and(leaf(index)));
        let right = (1..20).fold(leaf(0), |program, index| leaf(index).and(program));
        for program in [left, right] {
            assert_eq!(program.depth(), 2);
            assert!(run(&program, u32::MAX));
            assert!(!run(&program, u32::MAX ^ 1 << 7));
        }
    }

    #[test]
    fn the_deepest_join_of_two_programs_within_the_limit_has_the_depth() {
        let mut balanced = leaf(0);
        while !balanced.is_long() {
            balanced = balanced.clone().or(balanced);
        }
        assert_eq!(balanced.rest().len() + 1, 2 * LIMIT - 1);
        assert_eq!(balanced.depth(), DEPTH);
        assert!(run(&balanced, 1) && !run(&balanced, 0));
    }

    #[test]
    fn a_program_of_as_many_steps_as_the_limit_is_not_long() {
        let program = (1..LIMIT / 2).fold(leaf(0), |program, index| program.or(leaf(index)));
        assert!(!program.is_long());
        let program = program.negated();
        assert_eq!(program.rest().len() + 1, LIMIT);
        assert!(!program.is_long() && program.and(leaf(0)).is_long());
    }

    #[test]
    fn leaves_are_mapped_in_order_until_an_error() {
        let program = leaf(0).and(leaf(1).negated()).or(leaf(2));
        let doubled = program.map(|index| Ok::<_, ()>(index + 1)).unwrap();
        for input in 0..8 {
            assert_eq!(run(&doubled, input << 1), run(&program, input));
        }
        assert_eq!(doubled.depth(), program.depth());
        let error = program.map(|&index| if index == 0 { Ok(0) } else { Err(index) });
        assert_eq!(error.err(), Some(1));
    }
}
