//! FNV-1a: a hash that stays the same between versions and machines.

const EMPTY: u64 = 0xcbf2_9ce4_8422_2325;

const PRIME: u64 = 0x0000_0100_0000_01b3;

fn extend(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME))
}

/// Return a hash of a large file: eight bytes at a time, and so unlike FNV-1a's.
pub fn file_hash(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks();
    let mix = |hash: u64, word| (hash ^ u64::from_le_bytes(word)).wrapping_mul(PRIME).rotate_left(29);
    extend(words.iter().copied().fold(EMPTY, mix), rest)
}

pub fn text(text: &str) -> u64 {
    extend(EMPTY, text.as_bytes())
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_hash_has_its_published_value() {
        assert_eq!(super::text("foobar"), 0x8594_4171_f739_67e8);
    }
}
