//! Texts, whatever they say.

/// Whether a text has more than so many characters. Those of a text that is short in bytes are not counted.
pub fn is_longer(text: &str, most: usize) -> bool {
    text.len() > most && text.chars().count() > most
}

/// Whether a text holds a NUL, which PostgreSQL cannot store: it is refused on every database alike.
pub fn has_nul(text: &str) -> bool {
    text.contains('\0')
}

/// Whether a text can be the name of something: not empty, at most so many characters, and none of them NUL.
pub fn is_name(text: &str, most: usize) -> bool {
    !text.is_empty() && !is_longer(text, most) && !has_nul(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_count_and_bytes_do_not() {
        assert!(!is_longer("", 0) && !is_longer("äöü", 3) && is_longer("äöü", 2));
    }
}
