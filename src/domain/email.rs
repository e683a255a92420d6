//! Addresses of email: the one judge of every way in.

use crate::domain::text::is_longer;

/// Most characters of an address.
pub const LONGEST: usize = 255;
/// What an address must be, as a sentence.
pub const RULE: &str = "An email looks like name@example.com: one @ with something on both sides, at most 255 characters, \
                        and no blanks, invisible characters, quotation marks, brackets, commas, colons or semicolons.";

/// Whether a text can be the address of somebody.
///
/// Narrower than RFC 5322, which has quoted names with blanks and a second `@` in them, comments, and numbers in
/// brackets as hosts: two readers of such an address may see two people in it, and an address is what people are
/// recognised by.
pub fn is_address(text: &str) -> bool {
    let Some((name, domain)) = text.split_once('@') else { return false };
    let is_made_of_parts = |side: &str| side.split('.').all(|part| !part.is_empty());
    !is_longer(text, LONGEST)
        && is_made_of_parts(name)
        && is_made_of_parts(domain)
        && !domain.contains('@')
        && !text.contains(is_unfit)
}

/// Whether a character has no place in an address: one that nobody sees, or that sets addresses apart from each other
/// and from the names before them.
fn is_unfit(character: char) -> bool {
    let is_invisible = matches!(
        character,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{fff0}'..='\u{ffff}'
            | '\u{e0000}'..='\u{e0fff}'
    );
    is_invisible || character.is_whitespace() || character.is_control() || "\"\\()<>[]{},;:".contains(character)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_address_has_one_at_sign_and_nothing_that_hides() {
        for address in [
            "a@b",
            "ada@example.com",
            "ADA.Lovelace+flags@mail.example.co.uk",
            "o'brien@example.com",
            "ada_example.com#EXT#@tenant.example.com",
            "a/b=c!$%&*?^`|~-@example.com",
            "zoë@bücher.example",
            "admin@localhost",
            "用户@例子.example",
        ] {
            assert!(is_address(address), "{address}");
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
        ] {
            assert!(!is_address(none), "{none:?}");
        }
        assert!(
            is_address(&format!("{}@b", "ä".repeat(LONGEST - 2))) && !is_address(&format!("{}@b", "a".repeat(254)))
        );
    }

    proptest! {
        #[test]
        fn whatever_stands_between_breaks_an_address_that_is_none_without_it(
            name in "[a-z0-9]{1,8}", domain in "[a-z0-9]{1,8}(\\.[a-z]{2,3})?", between in "[ @\t\u{a0}\u{200b}\"<,]", place in 0_usize..20,
        ) {
            let whole = format!("{name}@{domain}");
            prop_assert!(is_address(&whole));
            let at = place.min(whole.len());
            let broken = format!("{}{between}{}", &whole[..at], &whole[at..]);
            prop_assert!(!is_address(&broken), "{broken:?}");
        }
    }
}
