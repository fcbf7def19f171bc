//! The boundary of the plugin: a rule that describes what stays on Python, and
//! claims nothing.

use rextio_plugin_kit::{Declaration, Described, RuleOutcome, ScopeKind};

pub(super) static TENSOR_SURFACE: &Described = &Described(Declaration {
    name: "unsupported-tensor-surface",
    code: Some("RXTP-TORCH-010"),
    scope: ScopeKind::Type,
    pattern: "a PyTorch operation that the plugin covers, over operands that it does not: another \
              rank, another dtype or device, a number, an array",
    constraint: "Native are float32 CPU tensors annotated as rank 1 or 2, without gradients. An \
                 operation that is covered, over operands of known types of which one is no such \
                 tensor or has a rank that the operation does not take, is rejected with what was \
                 seen. Where a type is unresolved nothing is said and the function stays on \
                 Python, and so it does for everything that no rule covers: other functions and \
                 methods, functions in place of methods such as torch.relu, methods that work in \
                 place, views, comparisons and the other operators, modules, training.",
    outcome: RuleOutcome::Fallback,
    guidance: "Annotate the tensors as TensorF32Cpu2D or TensorF32Cpu1D of rextio_torch.types and \
               keep to the ranks that the operation takes.",
    verified: Some(false),
    ..Declaration::EMPTY
});
