//! Addresses of email: what one is, and when two are the same. The one judge of every way in.
//!
//! An address opens an account, so that two of them are never the same because some table of letters says so: upper and
//! lower case of ASCII letters count as equal, and nothing else does. U+212A is a letter that other foldings take for a
//! `k`.

use crate::text::is_longer;

/// Most characters of an address. No mail server takes more than 254, and forms have always taken this.
const LONGEST: usize = 255;
/// Characters that set addresses apart from each other, and from the names before them.
const BETWEEN: &str = "\"\\()<>[]{},;:";

/// The rule for an address, as a sentence.
pub const RULE: &str = "An email looks like name@example.com: one @ between a name and a domain, at most 255 characters, \
    all of them ASCII, without blanks, quotation marks, brackets, commas, colons and semicolons; a domain with other \
    letters is written as DNS has it (xn--…).";

/// Whether a text is an address that an account can have.
///
/// Narrower than RFC 5322, which has quoted names with blanks and a second `@` in them, comments, and numbers in
/// brackets as hosts: two readers of such an address may see two people in it.
pub fn is_email(text: &str) -> bool {
    let Some((name, domain)) = text.split_once('@') else { return false };
    let is_made_of_parts = |side: &str| side.split('.').all(|part| !part.is_empty());
    let is_fit = |character: char| character.is_ascii_graphic() && !BETWEEN.contains(character);
    !is_longer(text, LONGEST)
        && is_made_of_parts(name)
        && is_made_of_parts(domain)
        && !domain.contains('@')
        && text.chars().all(is_fit)
}

/// The form in which addresses are kept and compared.
pub fn folded(email: &str) -> String {
    email.to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_address_has_one_at_sign_and_nothing_that_hides() {
        let longest = format!("{}@example.com", "a".repeat(243));
        for email in [
            "a@b",
            "ada@example.com",
            "ADA.Lovelace+flags@mail.example.co.uk",
            "o'brien@example.com",
            "ada_example.com#EXT#@tenant.example.com",
            "a/b=c!$%&*?^`|~-@example.com",
            "ada@xn--bcher-kva.example",
            "admin@localhost",
            &longest,
        ] {
            assert!(is_email(email), "{email}");
        }
        for none in [
            "",
            "@",
            "ada",
            "@example.com",
            "ada@",
            "ada@@example.com",
            "ada@home@example.com",
            "\"a@b\"@example.com",
            "\"ada\"@example.com",
            "ada lovelace@example.com",
            "ada@exam ple.com",
            " ada@example.com",
            "ada@example.com ",
            "ada@example.com\n",
            "ada\t@example.com",
            "ada\u{a0}@example.com",
            "ada\u{3000}@example.com",
            "\u{feff}ada@example.com",
            "ada\u{200b}@example.com",
            "ada@example.com\u{202e}",
            "ada\0@example.com",
            "<ada@example.com>",
            "ada@example.com,eve",
            "ada;eve@example.com",
            "mailto:ada@example.com",
            "ada@[192.0.2.1]",
            ".ada@example.com",
            "ada.@example.com",
            "ada..b@example.com",
            "ada@example..com",
            "ada@.example.com",
            "ada@example.com.",
            // KELVIN SIGN, LATIN SMALL LETTER LONG S, I WITH DOT ABOVE, DOTLESS I, FULLWIDTH A, CYRILLIC A
            "\u{212a}ate@example.com",
            "\u{17f}am@example.com",
            "\u{130}da@example.com",
            "\u{131}da@example.com",
            "\u{ff41}da@example.com",
            "\u{430}da@example.com",
            "ada@b\u{fc}cher.example",
            "ada@example\u{3002}com",
            "a\u{308}da@example.com",
            &format!("a{longest}"),
        ] {
            assert!(!is_email(none), "{none:?}");
        }
    }

    #[test]
    fn only_ascii_letters_are_folded() {
        assert_eq!(folded("ADA@Example.COM"), "ada@example.com");
        for text in ["\u{212a}ate@example.com", "\u{130}da@example.com", "\u{dc}nal@example.com"] {
            assert_eq!(folded(text), text);
        }
    }

    proptest! {
        #[test]
        fn whatever_stands_between_breaks_an_address_that_is_one_without_it(
            name in "[a-z0-9]{1,8}",
            domain in "[a-z0-9]{1,8}(\\.[a-z]{2,3})?",
            between in "[ @\t\u{a0}\u{200b}\"<,]",
            place in 0_usize..20,
        ) {
            let whole = format!("{name}@{domain}");
            prop_assert!(is_email(&whole));
            let at = place.min(whole.len());
            let broken = format!("{}{between}{}", &whole[..at], &whole[at..]);
            prop_assert!(!is_email(&broken), "{broken:?}");
        }
    }
}
