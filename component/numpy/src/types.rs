//! The types the plugin adds to Rextio's vocabulary, and what rules ask of them.

use rextio_plugin_kit::{BoundaryConversion, PluginType};

/// The source of the native runtime: one module of the generated crate.
pub const RUNTIME: &str = include_str!(concat!(env!("OUT_DIR"), "/runtime.rs"));

/// The module's name.
pub const RUNTIME_MODULE: &str = "rextio_numpy_runtime";

/// An element type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dtype {
    /// `float64`.
    F64,
    /// `float32`.
    F32,
    /// `int64`.
    I64,
}

impl Dtype {
    /// NumPy's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::F64 => "float64",
            Self::F32 => "float32",
            Self::I64 => "int64",
        }
    }

    /// The core type of a scalar that goes with arrays of this dtype.
    #[must_use]
    pub fn scalar(self) -> &'static str {
        match self {
            Self::F64 | Self::F32 => "float",
            Self::I64 => "int",
        }
    }

    fn rust(self) -> &'static str {
        match self {
            Self::F64 => "f64",
            Self::F32 => "f32",
            Self::I64 => "i64",
        }
    }
}

/// The number of axes of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rank {
    /// One axis.
    One = 1,
    /// Two axes.
    Two = 2,
}

/// An array type that users can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Array {
    /// Its element type.
    pub dtype: Dtype,
    /// Its number of axes.
    pub rank: Rank,
}

/// Each array type with its key and its annotation.
const ARRAYS: [(Array, &str, &str); 6] = [
    (
        Array::new(Dtype::F64, Rank::One),
        "rextio-numpy/f64-1d",
        "rextio_numpy.types.F64Arr1",
    ),
    (
        Array::new(Dtype::F64, Rank::Two),
        "rextio-numpy/f64-2d",
        "rextio_numpy.types.F64Arr2",
    ),
    (
        Array::new(Dtype::F32, Rank::One),
        "rextio-numpy/f32-1d",
        "rextio_numpy.types.F32Arr1",
    ),
    (
        Array::new(Dtype::F32, Rank::Two),
        "rextio-numpy/f32-2d",
        "rextio_numpy.types.F32Arr2",
    ),
    (
        Array::new(Dtype::I64, Rank::One),
        "rextio-numpy/i64-1d",
        "rextio_numpy.types.I64Arr1",
    ),
    (
        Array::new(Dtype::I64, Rank::Two),
        "rextio-numpy/i64-2d",
        "rextio_numpy.types.I64Arr2",
    ),
];

/// A mask: a resident type, so no annotation names it and it cannot cross the
/// Python boundary. Comparisons and logical calls produce it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mask {
    /// Its number of axes.
    pub rank: Rank,
}

/// Each mask type with its key.
const MASKS: [(Mask, &str); 2] = [
    (Mask { rank: Rank::One }, "rextio-numpy/bool-1d"),
    (Mask { rank: Rank::Two }, "rextio-numpy/bool-2d"),
];

impl Mask {
    /// The mask type with this key.
    #[must_use]
    pub fn of(key: &str) -> Option<Self> {
        MASKS
            .iter()
            .find(|(_, known)| *known == key)
            .map(|&(mask, _)| mask)
    }

    /// Its key.
    #[must_use]
    pub fn key(self) -> &'static str {
        let (_, key) = MASKS
            .iter()
            .find(|(mask, _)| *mask == self)
            .expect("every rank is listed");
        key
    }
}

impl Array {
    /// The type with this dtype and rank.
    #[must_use]
    pub const fn new(dtype: Dtype, rank: Rank) -> Self {
        Self { dtype, rank }
    }

    /// The type with this key.
    #[must_use]
    pub fn of(key: &str) -> Option<Self> {
        ARRAYS
            .iter()
            .find(|(_, known, _)| *known == key)
            .map(|&(array, ..)| array)
    }

    /// Its key.
    #[must_use]
    pub fn key(self) -> &'static str {
        let (_, key, _) = ARRAYS
            .iter()
            .find(|(array, ..)| *array == self)
            .expect("every dtype and rank is listed");
        key
    }

    /// The type of the same dtype with the higher of the two ranks: what two
    /// arrays broadcast to.
    #[must_use]
    pub fn broadcast(self, other: Self) -> Self {
        Self::new(self.dtype, self.rank.max(other.rank))
    }
}

/// A type key in words, for messages.
#[must_use]
pub fn describe(key: &str) -> String {
    if let Some((array, _, annotation)) = ARRAYS.iter().find(|(_, known, _)| *known == key) {
        let alias = annotation.rsplit('.').next().unwrap_or(annotation);
        return format!(
            "a {}-D {} array ({alias})",
            array.rank as u8,
            array.dtype.name()
        );
    }
    match Mask::of(key) {
        Some(mask) => format!("a {}-D mask", mask.rank as u8),
        None => format!("{key:?}"),
    }
}

/// The vocabulary: six array types and two resident masks.
#[must_use]
pub fn plugin_types() -> Vec<PluginType> {
    let arrays = ARRAYS.iter().map(|&(array, key, annotation)| {
        // NumPy's own array is the native value too: a parameter is borrowed,
        // never copied, and a result is already NumPy's.
        let (rank, element) = (array.rank as u8, array.dtype.rust());
        let bound = format!("pyo3::Bound<'py, numpy::PyArray{rank}<{element}>>");
        PluginType {
            key: key.to_owned(),
            annotations: vec![annotation.to_owned()],
            rust_type: bound.clone(),
            conversion: Some(BoundaryConversion {
                param_rust: "pyo3::Bound<'py, pyo3::PyAny>".to_owned(),
                param_expr: format!(
                    "{RUNTIME_MODULE}::exact::<{element}, numpy::Ix{rank}>({{param}}, \"{{param}}\")?"
                ),
                return_rust: bound,
                return_expr: "{value}".to_owned(),
            }),
            uses: Vec::new(),
            helpers: vec![RUNTIME.to_owned()],
            device_value_metadata: None,
        }
    });
    let masks = MASKS.iter().map(|&(mask, key)| PluginType {
        key: key.to_owned(),
        annotations: Vec::new(),
        // Its module comes with the call that makes the mask.
        rust_type: format!("{RUNTIME_MODULE}::Mask<'py, numpy::Ix{}>", mask.rank as u8),
        conversion: None,
        uses: Vec::new(),
        helpers: Vec::new(),
        device_value_metadata: None,
    });
    arrays.chain(masks).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_array_type_has_a_key_that_leads_back() {
        for dtype in [Dtype::F64, Dtype::F32, Dtype::I64] {
            for rank in [Rank::One, Rank::Two] {
                let array = Array::new(dtype, rank);
                assert_eq!(Array::of(array.key()), Some(array));
            }
        }
    }

    #[test]
    fn every_mask_type_has_a_key_that_leads_back() {
        for rank in [Rank::One, Rank::Two] {
            let mask = Mask { rank };
            assert_eq!(Mask::of(mask.key()), Some(mask));
        }
    }

    #[test]
    fn masks_cannot_be_named_or_cross_a_boundary() {
        let masks: Vec<_> = plugin_types()
            .into_iter()
            .filter(|item| item.key.contains("bool"))
            .collect();
        assert_eq!(masks.len(), 2);
        for mask in masks {
            assert_eq!((mask.annotations, mask.conversion), (vec![], None));
        }
    }
}
