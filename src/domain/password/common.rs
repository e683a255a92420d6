//! Passwords that are tried first: those that many people had, with the usual digits and signs around them.
//!
//! The list is in the program, so that no other service is asked about a password, and holds the first 32 bits of a
//! digest of each, so that none can be read from it; a password that is none of them is taken for one once in some
//! 30,000 times. It is derived from the list of Django (BSD-3-Clause), which is that of the passwords found most often
//! in leaked databases, by `tests/support/common_passwords.py`.

use sha2::{Digest as _, Sha256};

/// Digests, sorted.
static DIGESTS: &[u8] = include_bytes!("common_digests");
/// Bytes of one.
const DIGEST_BYTES: usize = 4;
/// Fewest letters of a word.
const SHORTEST_WORD: usize = 4;
/// Most digits and signs around a word that make it no better.
const MOST_AROUND: usize = 8;

/// Whether a password is one of those, in upper or lower case, or such a word with digits and signs around it or in the
/// place of letters.
pub(super) fn is_common(password: &str) -> bool {
    let whole = password.to_ascii_lowercase();
    let without_signs = whole.trim_end_matches(|sign: char| !sign.is_alphanumeric());
    let is_close = |word: &str| {
        let around = whole.chars().count().saturating_sub(word.chars().count());
        around <= MOST_AROUND && is_listed(word)
    };
    let word = |text: &str| text.trim_matches(|sign: char| !sign.is_ascii_lowercase()).to_owned();
    let letters = |one: char| -> String { whole.chars().map(|sign| letter(sign, one)).collect() };
    // Digits that end a word are no letters, and those inside it are.
    let around = |text: &str| {
        text.trim_matches(|sign: char| !sign.is_ascii_lowercase() && sign != '@' && sign != '$').to_owned()
    };
    let inside = |one: char| -> String { around(&whole).chars().map(|sign| letter(sign, one)).collect() };
    is_close(&whole)
        || is_close(without_signs)
        || is_close(&word(&whole))
        || ['l', 'i'].into_iter().any(|one| is_close(&word(&inside(one))) || is_close(&word(&letters(one))))
}

/// The letter that a digit or sign is written for.
const fn letter(sign: char, one: char) -> char {
    match sign {
        '@' | '4' => 'a',
        '3' => 'e',
        '0' => 'o',
        '$' | '5' => 's',
        '7' => 't',
        '1' | '!' | '|' => one,
        other => other,
    }
}

fn is_listed(word: &str) -> bool {
    if word.len() < SHORTEST_WORD {
        return false;
    }
    let digest = Sha256::digest(word.as_bytes());
    let wanted = &digest[..DIGEST_BYTES];
    let (mut low, mut high) = (0, DIGESTS.len() / DIGEST_BYTES);
    while low < high {
        let middle = usize::midpoint(low, high);
        match DIGESTS[middle * DIGEST_BYTES..][..DIGEST_BYTES].cmp(wanted) {
            std::cmp::Ordering::Less => low = middle + 1,
            std::cmp::Ordering::Greater => high = middle,
            std::cmp::Ordering::Equal => return true,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_words_are_recognised_behind_what_people_put_around_them() {
        for password in [
            "Password123!",
            "Password1!",
            "P@ssw0rd123!",
            "P@$$w0rd2026",
            "!Password2026",
            "Welcome2026!",
            "Qwerty12345!",
            "Admin12345!",
            "Letmein123!",
            "Summer2026!!",
            "Iloveyou123!",
            "1q2w3e4r5t!",
            "Dragon12345!",
            "M0nkey12345!",
        ] {
            assert!(is_common(password), "{password}");
        }
        for password in [
            "Correct-horse-1",
            "Another-horse-2",
            "Tests-Admin-1",
            "Tests-Other-1",
            "Ab1!Ab1!Ab",
            "Tiger8273649182736451!",
            "Äö1 Äö1 Äö",
            "correct horse battery staple",
            "v7#kQ2!mZx9$",
            "",
        ] {
            assert!(!is_common(password), "{password}");
        }
    }

    #[test]
    fn the_list_is_sorted_and_of_whole_digests() {
        assert_eq!(DIGESTS.len() % DIGEST_BYTES, 0);
        let digests: Vec<&[u8]> = DIGESTS.chunks(DIGEST_BYTES).collect();
        assert!(digests.is_sorted() && digests.len() > 10_000);
    }
}
