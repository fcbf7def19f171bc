//! Leaves the text of a panic where the host finds it after the trap.
//!
//! A panic in a guest ends in `unreachable`, which carries no text, and no
//! export of a trapped instance can be called. So the hook writes the text
//! into a static record that starts with [`MAGIC`]; the host looks for it in
//! the memory the trap left behind.

use std::cell::UnsafeCell;
use std::sync::Once;

/// Marks the record. The host looks for exactly these bytes.
const MAGIC: [u8; 16] = *b"rextio-panic-v1\n";
const CAPACITY: usize = 2032;

#[repr(C)]
struct Record {
    magic: [u8; 16],
    /// Little-endian, as all of a guest's memory; 0 while there was no panic.
    length: u32,
    text: [u8; CAPACITY],
}

struct Shared(UnsafeCell<Record>);

// SAFETY: a component instance runs on one thread.
unsafe impl Sync for Shared {}

static RECORD: Shared = Shared(UnsafeCell::new(Record {
    magic: MAGIC,
    length: 0,
    text: [0; CAPACITY],
}));

/// Installs the panic hook, once an instance.
pub(crate) fn install() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        std::panic::set_hook(Box::new(|panic| write(&panic.to_string())));
    });
}

fn write(text: &str) {
    let end = text.floor_char_boundary(CAPACITY);
    // SAFETY: one thread, and no reference into the record outlives this
    // function; `end` is at most the capacity.
    unsafe {
        let record = RECORD.0.get();
        let target = (&raw mut (*record).text).cast::<u8>();
        std::ptr::copy_nonoverlapping(text.as_ptr(), target, end);
        // Volatile: nothing in the guest ever reads the record.
        (&raw mut (*record).length).write_volatile((end as u32).to_le());
    }
}
