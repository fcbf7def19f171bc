//! Operations without libtorch's layers for gradients.
//!
//! libtorch sends each operation through the layers that its operands and its thread ask for. Two of them keep account for
//! gradients: autograd, and one that follows views and writes in place. Where there is nothing to record they only pass the
//! operation on, which takes a tenth to a fifth of the time of a small one. PyTorch's inference mode leaves out the same two,
//! but gradients can never be recorded of the tensors that it makes.
//!
//! Nothing misses them here: results are new tensors, no views, and what is written in place nobody else refers to.

use std::ffi::{c_char, c_void, CStr};
use std::mem::MaybeUninit;
use std::sync::OnceLock;

// C++ functions that libc10 exports, under the names that GCC and Clang give them. torch-sys links it. A `DispatchKey` is an
// `enum class` over `uint16_t`, and a `DispatchKeySet` a trivially copyable class of one `uint64_t`.
extern "C" {
    /// `const char* c10::toString(DispatchKey)`
    #[link_name = "_ZN3c108toStringENS_11DispatchKeyE"]
    fn name_of(key: u16) -> *const c_char;

    /// `DispatchKeySet c10::getRuntimeDispatchKeySet(DispatchKey)`
    #[link_name = "_ZN3c1024getRuntimeDispatchKeySetENS_11DispatchKeyE"]
    fn runtime_keys_of(key: u16) -> u64;

    /// `c10::impl::ExcludeDispatchKeyGuard::ExcludeDispatchKeyGuard(DispatchKeySet)`
    #[link_name = "_ZN3c104impl23ExcludeDispatchKeyGuardC1ENS_14DispatchKeySetE"]
    fn exclude(guard: *mut ExcludeGuard, keys: u64);

    /// `c10::impl::ExcludeDispatchKeyGuard::~ExcludeDispatchKeyGuard()`
    #[link_name = "_ZN3c104impl23ExcludeDispatchKeyGuardD1Ev"]
    fn restore(guard: *mut ExcludeGuard);
}

/// While it lives, this thread's operations pass by the layers. Its fields are those of `c10::impl::ExcludeDispatchKeyGuard`.
#[repr(C)]
pub(super) struct ExcludeGuard {
    of_thread: *mut c_void,
    excluded: u64,
}

impl ExcludeGuard {
    /// Leaves out the layers for gradients.
    pub(super) fn gradients() -> Self {
        static KEYS: OnceLock<u64> = OnceLock::new();
        let keys = *KEYS.get_or_init(gradient_keys);
        let mut guard = MaybeUninit::uninit();
        // SAFETY: the constructor fills in both fields. The first is a pointer to data of this thread, which the guard does not
        // leave: a pointer is not `Send`.
        unsafe {
            exclude(guard.as_mut_ptr(), keys);
            guard.assume_init()
        }
    }
}

impl Drop for ExcludeGuard {
    fn drop(&mut self) {
        // SAFETY: the constructor made it, and this is the only time that it is destroyed.
        unsafe { restore(self) };
    }
}

/// The keys of the layers. Their numbers differ between versions of PyTorch, their names do not.
fn gradient_keys() -> u64 {
    /// Of a set, the bits that name backends. They are not excluded.
    const BACKENDS: u64 = 0xFFFF;

    (0..=0xFF)
        .filter(|&key| {
            // SAFETY: the enumeration may have any value of its type, and the text is a literal for each.
            let name = unsafe { CStr::from_ptr(name_of(key)) };
            name == c"Autograd" || name == c"ADInplaceOrView"
        })
        // SAFETY: the key is one of libtorch's, by its name.
        .map(|key| unsafe { runtime_keys_of(key) } & !BACKENDS)
        .fold(0, |all, keys| all | keys)
}
