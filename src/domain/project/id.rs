//! Ids of projects: what they look like, and how one comes from a name.

use std::collections::HashSet;

use crate::{
    address::{self, NameFault, Named},
    naming::MAX_NAME_LENGTH,
};

/// Most characters of an id that is made from a name; leaves room for a number behind it.
const MAX_SLUG_LENGTH: usize = 90;
/// Id of a project of whose name nothing is left.
const NAMELESS: &str = "project";

/// Reason why a text cannot be the id of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IdFault {
    /// It holds other than letters, digits and `_ ~ . -`, or not 1 to 100 of them.
    Shape,
    /// Addresses cannot hold it, or mean something else by it.
    Address(NameFault),
}

impl std::fmt::Display for IdFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Shape => write!(f, "must consist of 1 to {MAX_NAME_LENGTH} letters, digits and the signs _ ~ . -"),
            Self::Address(fault) => fault.fmt(f),
        }
    }
}

/// Checks an id that a user chose.
pub fn judge(id: &str) -> Result<(), IdFault> {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"_~.-".contains(&byte);
    if !(1..=MAX_NAME_LENGTH).contains(&id.len()) || !id.bytes().all(fits) {
        return Err(IdFault::Shape);
    }
    address::judge(Named::Project, id).map_err(IdFault::Address)
}

/// Returns the id that a name stands for, before it is known to be free: lower case, with `-` for what does not fit.
pub fn slug(name: &str) -> String {
    let mut slug = String::with_capacity(name.len());
    for letter in name.chars().flat_map(char::to_lowercase) {
        match plain(letter) {
            Some(text) => slug.push_str(text),
            None if letter.is_ascii_alphanumeric() || matches!(letter, '_' | '~' | '.') => slug.push(letter),
            None if slug.ends_with('-') || slug.is_empty() => {}
            None => slug.push('-'),
        }
    }
    slug.truncate(MAX_SLUG_LENGTH);
    let slug = slug.trim_matches(['-', '.']);
    if slug.is_empty() { NAMELESS.to_owned() } else { slug.to_owned() }
}

/// Letters of Western Europe without their accents.
const fn plain(letter: char) -> Option<&'static str> {
    Some(match letter {
        'à'..='å' => "a",
        'æ' => "ae",
        'ç' => "c",
        'è'..='ë' => "e",
        'ì'..='ï' => "i",
        'ñ' => "n",
        'ò'..='ö' | 'ø' => "o",
        'ß' => "ss",
        'ù'..='ü' => "u",
        'ý' | 'ÿ' => "y",
        _ => return None,
    })
}

/// The first of `slug`, `slug-1`, `slug-2`, … that can be an id and is not taken.
pub fn free<S: std::hash::BuildHasher>(slug: &str, taken: &HashSet<String, S>) -> String {
    let numbered = (1_usize..).map(|number| format!("{slug}-{number}"));
    let is_free = |id: &String| !taken.contains(id) && judge(id).is_ok();
    std::iter::once(slug.to_owned()).chain(numbered).find(is_free).expect("numbers do not end before projects do")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_ids() {
        for (name, id) in [
            ("My Shop", "my-shop"),
            ("  Größe & Maß!  ", "grosse-mass"),
            ("a/b\\c", "a-b-c"),
            ("v1.2_x~y", "v1.2_x~y"),
            ("...", "project"),
            ("日本", "project"),
            ("Ünï-cødé", "uni-code"),
        ] {
            assert_eq!(slug(name), id, "{name}");
            assert_eq!(judge(&slug(name)), Ok(()));
        }
        assert_eq!(slug(&"x".repeat(200)).len(), 90);
    }

    #[test]
    fn a_number_tells_apart_what_is_taken_or_reserved() {
        let taken: HashSet<String> = ["shop", "shop-1"].map(str::to_owned).into();
        assert_eq!(free("shop", &taken), "shop-2");
        assert_eq!(free("other", &taken), "other");
        assert_eq!(free("validate", &taken), "validate-1");
    }

    #[test]
    fn ids_fit_into_addresses() {
        for good in ["a", "Shop_1~x.y-z", &"x".repeat(100)] {
            assert_eq!(judge(good), Ok(()), "{good}");
        }
        for bad in ["", "a b", "a/b", "*", "a,b", "é", &"x".repeat(101)] {
            assert_eq!(judge(bad), Err(IdFault::Shape), "{bad}");
        }
        for word in Named::Project.taken().iter().chain(&[".", ".."]) {
            assert!(matches!(judge(word), Err(IdFault::Address(_))), "{word}");
        }
    }
}
