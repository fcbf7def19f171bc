//! The types the plugin adds to Rextio's vocabulary, and what rules ask of them.

use rextio_plugin_kit::{BoundaryConversion, PluginType};

/// The source of the native runtime: one module of the generated crate.
pub const RUNTIME: &str = include_str!(concat!(env!("OUT_DIR"), "/runtime.rs"));

/// The module's name.
pub const RUNTIME_MODULE: &str = "rextio_torch_runtime";

/// The number of axes of a float32 CPU tensor. Nothing else tells one tensor
/// type from the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rank {
    /// One axis.
    One = 1,
    /// Two axes.
    Two = 2,
}

/// The key of the tensor type of rank 2.
pub const TENSOR_2D: &str = "rextio-torch/tensor-f32-cpu-2d";

/// The key of the tensor type of rank 1.
pub const TENSOR_1D: &str = "rextio-torch/tensor-f32-cpu-1d";

/// Each tensor type with its key and its annotation.
const TENSORS: [(Rank, &str, &str); 2] = [
    (Rank::Two, TENSOR_2D, "rextio_torch.types.TensorF32Cpu2D"),
    (Rank::One, TENSOR_1D, "rextio_torch.types.TensorF32Cpu1D"),
];

impl Rank {
    /// The rank of the tensor type with this key.
    #[must_use]
    pub fn of(key: &str) -> Option<Self> {
        TENSORS
            .iter()
            .find(|(_, known, _)| *known == key)
            .map(|&(rank, ..)| rank)
    }

    /// The key of the tensor type of this rank.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::One => TENSOR_1D,
            Self::Two => TENSOR_2D,
        }
    }
}

/// A type key in words, for messages.
#[must_use]
pub fn describe(key: &str) -> String {
    match Rank::of(key) {
        Some(rank) => format!("a {rank}-D float32 CPU tensor", rank = rank as u8),
        None => format!("{key:?}"),
    }
}

/// The vocabulary: two tensor types.
#[must_use]
pub fn plugin_types() -> Vec<PluginType> {
    let tensor = format!("{RUNTIME_MODULE}::RxtTorchTensor");
    let types = TENSORS.iter().map(|&(rank, key, annotation)| PluginType {
        key: key.to_owned(),
        annotations: vec![annotation.to_owned()],
        rust_type: tensor.clone(),
        conversion: Some(BoundaryConversion {
            param_rust: "pyo3::Bound<'py, pyo3::PyAny>".to_owned(),
            param_expr: format!(
                "{RUNTIME_MODULE}::extract::<{rank}>(&{{param}})?",
                rank = rank as u8
            ),
            // PyO3 makes it a `torch.Tensor`: it implements `IntoPyObject`.
            return_rust: tensor.clone(),
            return_expr: "{value}".to_owned(),
        }),
        uses: Vec::new(),
        helpers: vec![RUNTIME.to_owned()],
        device_value_metadata: None,
    });
    types.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rank_has_a_key_that_leads_back() {
        for rank in [Rank::One, Rank::Two] {
            assert_eq!(Rank::of(rank.key()), Some(rank));
        }
        assert_eq!(Rank::of("rextio-torch/tensor-f32-cpu-3d"), None);
    }
}
