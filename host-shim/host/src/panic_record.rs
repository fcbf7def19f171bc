//! The text a guest leaves in its memory when it panics.
//!
//! `rextio-plugin-kit`'s panic hook writes a static record: these 16 bytes, the
//! length of the text as a little-endian `u32`, and the text. A panic ends in
//! `unreachable`, after which no code of the guest can run; its memory can
//! still be read through the engine's core dump.

const MAGIC: &[u8; 16] = b"rextio-panic-v1\n";
const CAPACITY: usize = 2032;

/// The text of the panic record in a guest's memory, if it holds one.
pub(crate) fn find(memory: &[u8]) -> Option<String> {
    memchr::memmem::find_iter(memory, MAGIC).find_map(|at| text(&memory[at + MAGIC.len()..]))
}

fn text(record: &[u8]) -> Option<String> {
    let (length, rest) = record.split_first_chunk::<4>()?;
    let length = u32::from_le_bytes(*length) as usize;
    if length == 0 || length > CAPACITY {
        return None;
    }
    let text = String::from_utf8_lossy(rest.get(..length)?);
    Some(text.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::find;

    fn record(length: u32, text: &[u8]) -> Vec<u8> {
        [
            b"noise",
            &b"rextio-panic-v1\n"[..],
            &length.to_le_bytes(),
            text,
        ]
        .concat()
    }

    #[test]
    fn the_text_is_found_among_other_data() {
        assert_eq!(find(&record(5, b"hello world")), Some("hello".to_owned()));
        let twice = [record(0, b""), record(3, b"now")].concat();
        assert_eq!(find(&twice), Some("now".to_owned()));
    }

    #[test]
    fn absent_empty_and_broken_records_say_nothing() {
        assert_eq!(find(b"rextio-panic-v2\n"), None);
        assert_eq!(find(&record(0, b"stale")), None);
        assert_eq!(find(&record(9, b"short")), None);
        assert_eq!(find(&record(u32::MAX, b"short")), None);
        assert_eq!(find(b"rextio-panic-v1\n\x01"), None);
    }
}
