//! Trees that cross the interface as lists of nodes.

use std::fmt;

/// The deepest tree that either side accepts.
///
/// Deep enough for any expression core itself can analyse, shallow enough that
/// a recursive walk is safe on the smallest stack in use (a guest's, 1 MiB).
pub const MAX_DEPTH: usize = 256;

/// A node that owns its children.
pub trait Tree: Sized {
    /// The children in order.
    fn children(&self) -> &[Self];
    /// The children, to be moved out or put in.
    fn children_mut(&mut self) -> &mut Vec<Self>;
}

/// Why a list of nodes is not a tree, or a tree is not acceptable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeError {
    /// The list has no node.
    Empty,
    /// A node names a child that does not stand before it.
    Order {
        /// The node.
        node: usize,
        /// The child it names.
        child: u32,
    },
    /// A node is the child of two nodes, or of none.
    Shared {
        /// The node.
        node: usize,
    },
    /// The tree is deeper than [`MAX_DEPTH`].
    TooDeep,
    /// A node has the wrong number of children for its kind.
    Arity {
        /// The node's kind.
        kind: &'static str,
        /// How many it has.
        found: usize,
    },
}

impl fmt::Display for TreeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => write!(f, "an expression has no nodes"),
            Self::Order { node, child } => write!(
                f,
                "expression node {node} names child {child}, which does not stand before it"
            ),
            Self::Shared { node } => write!(
                f,
                "expression node {node} is not the child of exactly one other node"
            ),
            Self::TooDeep => write!(f, "an expression is deeper than {MAX_DEPTH} nodes"),
            Self::Arity { kind, found } => {
                write!(f, "an expression node of kind {kind} has {found} children")
            }
        }
    }
}

impl std::error::Error for TreeError {}

/// The number of nodes on the longest path from the root to a leaf, or
/// [`TreeError::TooDeep`]. Itself needs no more stack than [`MAX_DEPTH`] calls.
///
/// # Errors
///
/// [`TreeError::TooDeep`] where the depth exceeds [`MAX_DEPTH`].
pub fn depth<T: Tree>(root: &T) -> Result<usize, TreeError> {
    fn below<T: Tree>(node: &T, level: usize) -> Result<usize, TreeError> {
        if level > MAX_DEPTH {
            return Err(TreeError::TooDeep);
        }
        node.children().iter().try_fold(level, |deepest, child| {
            Ok(deepest.max(below(child, level + 1)?))
        })
    }
    below(root, 1)
}

/// Takes a tree apart into post-order: each node without its children, and
/// their indices.
///
/// # Errors
///
/// [`TreeError::TooDeep`] where the depth exceeds [`MAX_DEPTH`].
pub fn flatten<T: Tree>(root: T) -> Result<Vec<(T, Vec<u32>)>, TreeError> {
    fn visit<T: Tree>(
        mut node: T,
        level: usize,
        nodes: &mut Vec<(T, Vec<u32>)>,
    ) -> Result<u32, TreeError> {
        if level > MAX_DEPTH {
            return Err(TreeError::TooDeep);
        }
        let children = std::mem::take(node.children_mut());
        let mut indices = Vec::with_capacity(children.len());
        for child in children {
            indices.push(visit(child, level + 1, nodes)?);
        }
        let index = nodes.len() as u32;
        nodes.push((node, indices));
        Ok(index)
    }
    let mut nodes = Vec::new();
    visit(root, 1, &mut nodes)?;
    Ok(nodes)
}

/// Puts a tree together from post-order. Needs no stack, whatever the list.
///
/// # Errors
///
/// [`TreeError`] where the list is empty, names a child that does not stand
/// before its parent, shares a node, leaves one over, or is too deep.
pub fn unflatten<T: Tree>(nodes: impl IntoIterator<Item = (T, Vec<u32>)>) -> Result<T, TreeError> {
    let mut pending: Vec<Option<(T, usize)>> = Vec::new();
    for (node, (mut tree, children)) in nodes.into_iter().enumerate() {
        let mut level = 1;
        for child in children {
            let slot = pending
                .get_mut(child as usize)
                .ok_or(TreeError::Order { node, child })?;
            let (child, below) = slot.take().ok_or(TreeError::Shared {
                node: child as usize,
            })?;
            level = level.max(below + 1);
            tree.children_mut().push(child);
        }
        if level > MAX_DEPTH {
            return Err(TreeError::TooDeep);
        }
        pending.push(Some((tree, level)));
    }
    let root = pending.pop().flatten().ok_or(TreeError::Empty)?;
    match pending.iter().position(Option::is_some) {
        Some(node) => Err(TreeError::Shared { node }),
        None => Ok(root.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq)]
    struct Node(u32, Vec<Node>);

    impl Tree for Node {
        fn children(&self) -> &[Self] {
            &self.1
        }
        fn children_mut(&mut self) -> &mut Vec<Self> {
            &mut self.1
        }
    }

    fn chain(length: usize) -> Node {
        (1..length as u32).fold(Node(0, vec![]), |inner, id| Node(id, vec![inner]))
    }

    fn leaf(id: u32) -> (Node, Vec<u32>) {
        (Node(id, vec![]), vec![])
    }

    #[test]
    fn a_tree_survives_the_round_trip() {
        let tree = || {
            Node(
                4,
                vec![
                    Node(2, vec![Node(0, vec![]), Node(1, vec![])]),
                    Node(3, vec![]),
                ],
            )
        };
        let nodes = flatten(tree()).unwrap();
        assert_eq!(
            nodes
                .iter()
                .map(|(n, c)| (n.0, c.clone()))
                .collect::<Vec<_>>(),
            [
                (0, vec![]),
                (1, vec![]),
                (2, vec![0, 1]),
                (3, vec![]),
                (4, vec![2, 3])
            ]
        );
        assert_eq!(unflatten(nodes), Ok(tree()));
    }

    #[test]
    fn broken_lists_are_named() {
        let broken = |nodes: Vec<(Node, Vec<u32>)>| unflatten(nodes).unwrap_err();
        assert_eq!(broken(vec![]), TreeError::Empty);
        assert_eq!(
            broken(vec![(Node(0, vec![]), vec![0])]),
            TreeError::Order { node: 0, child: 0 }
        );
        assert_eq!(
            broken(vec![leaf(0), (Node(1, vec![]), vec![9])]),
            TreeError::Order { node: 1, child: 9 }
        );
        assert_eq!(
            broken(vec![leaf(0), (Node(1, vec![]), vec![0, 0])]),
            TreeError::Shared { node: 0 }
        );
        assert_eq!(
            broken(vec![leaf(0), leaf(1)]),
            TreeError::Shared { node: 0 }
        );
    }

    #[test]
    fn depth_is_bounded_in_both_directions() {
        assert_eq!(depth(&chain(MAX_DEPTH)), Ok(MAX_DEPTH));
        assert_eq!(depth(&chain(MAX_DEPTH + 1)), Err(TreeError::TooDeep));
        assert_eq!(
            flatten(chain(MAX_DEPTH + 1)).unwrap_err(),
            TreeError::TooDeep
        );
        let deep = (0..2_000_000u32).map(|id| {
            (
                Node(id, vec![]),
                if id == 0 { vec![] } else { vec![id - 1] },
            )
        });
        assert_eq!(unflatten(deep).unwrap_err(), TreeError::TooDeep);
    }
}
