//! Texts, whatever they say.

/// Whether a text has more than so many characters. Those of a text that is short in bytes are not counted.
pub fn is_longer(text: &str, most: usize) -> bool {
    text.len() > most && text.chars().count() > most
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_count_and_bytes_do_not() {
        assert!(!is_longer("", 0) && !is_longer("äöü", 3) && is_longer("äöü", 2));
    }
}
