//! Texts, whatever they say.

/// Whether a text has more than so many characters. Those of a text that is short in bytes are not counted.
pub fn is_longer(text: &str, most: usize) -> bool {
    text.len() > most && text.chars().count() > most
}

/// Whether a text holds a NUL, which PostgreSQL cannot store: it is refused on every database alike.
pub fn has_nul(text: &str) -> bool {
    text.contains('\0')
}

/// Returns the content of a UTF-8 file without the byte-order mark that some editors and shells put first, if there is
/// one. RFC 8259 lets readers of JSON pass over it.
pub fn without_byte_order_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// Whether a text can be the name of something: not empty, at most so many characters, and none of them NUL.
pub fn is_name(text: &str, most: usize) -> bool {
    !text.is_empty() && !is_longer(text, most) && !has_nul(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_mark_at_the_beginning_is_passed_over_and_nothing_else() {
        for (bytes, rest) in [
            ("\u{feff}{}", "{}"),
            ("\u{feff}\u{feff}{}", "\u{feff}{}"),
            ("\u{feff}", ""),
            (" \u{feff}{}", " \u{feff}{}"),
            ("{}", "{}"),
            ("", ""),
        ] {
            assert_eq!(without_byte_order_mark(bytes.as_bytes()), rest.as_bytes());
        }
        assert_eq!(without_byte_order_mark(b"\xef\xbb{}"), b"\xef\xbb{}");
    }

    #[test]
    fn characters_count_and_bytes_do_not() {
        assert!(!is_longer("", 0) && !is_longer("äöü", 3) && is_longer("äöü", 2));
    }
}
