//! Passwords: which are strong enough, and the hash that stands for them in the database.

mod common;

use argon2::{
    Algorithm, Argon2, Params, Version,
    password_hash::{PasswordHasher as _, PasswordVerifier as _, phc::PasswordHash},
};

/// Fewest characters of a password.
pub const MIN_CHARACTERS: usize = 10;
/// Most characters of a password; bounds the work of hashing one.
pub const MAX_CHARACTERS: usize = 1000;
/// Letters and digits of generated passwords; those that look alike are left out.
const ALPHABET: &[u8] = b"ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789";
const GENERATED_CHARACTERS: usize = 24;
/// Costs of another server's hashes that are checked: each more doubles the time, and ten is customary.
const LEAST_FOREIGN_COST: u32 = 4;
const MOST_FOREIGN_COST: u32 = 14;

/// Fault of a new password, in words for the person who chose it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weakness {
    /// Fewer than [`MIN_CHARACTERS`].
    TooShort,
    /// More than [`MAX_CHARACTERS`].
    TooLong,
    /// One of the four kinds of characters is missing.
    TooUniform,
    /// It is among those that are tried first.
    TooCommon,
}

impl std::fmt::Display for Weakness {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::TooShort => write!(f, "A password needs at least {MIN_CHARACTERS} characters."),
            Self::TooLong => write!(f, "A password has at most {MAX_CHARACTERS} characters."),
            Self::TooUniform => f.write_str(
                "A password needs a lower-case letter, an upper-case letter, a digit and a character that is neither.",
            ),
            Self::TooCommon => f.write_str(
                "This password is a common one, with digits or signs around it, and among those that are tried first. \
                 Several words are easy to remember and hard to guess.",
            ),
        }
    }
}

impl std::error::Error for Weakness {}

/// Judges a password that a person chose.
pub fn judge(password: &str) -> Result<(), Weakness> {
    let length = password.chars().count();
    let has = |kind: fn(char) -> bool| password.chars().any(kind);
    if length < MIN_CHARACTERS {
        Err(Weakness::TooShort)
    } else if length > MAX_CHARACTERS {
        Err(Weakness::TooLong)
    } else if has(char::is_lowercase)
        && has(char::is_uppercase)
        && has(char::is_numeric)
        && has(|character| !character.is_alphanumeric())
    {
        if common::is_common(password) { Err(Weakness::TooCommon) } else { Ok(()) }
    } else {
        Err(Weakness::TooUniform)
    }
}

/// A fresh random password that [`judge`] accepts: more than 128 random bits.
pub fn generate() -> String {
    loop {
        let mut characters: Vec<char> = Vec::with_capacity(GENERATED_CHARACTERS + 3);
        while characters.len() < GENERATED_CHARACTERS {
            let mut byte = [0];
            getrandom::fill(&mut byte).expect("the operating system gives random bytes");
            // Bytes beyond the last whole multiple would make some characters likelier than others.
            let fair = 256 / ALPHABET.len() * ALPHABET.len();
            if usize::from(byte[0]) < fair {
                characters.push(char::from(ALPHABET[usize::from(byte[0]) % ALPHABET.len()]));
            }
        }
        let groups: Vec<String> = characters.chunks(6).map(|group| group.iter().collect()).collect();
        let password = groups.join("-");
        if judge(&password).is_ok() {
            return password;
        }
    }
}

/// Cost of a hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cost {
    /// Cost in production: 19 MiB and two passes.
    Full,
    /// The least that the algorithm admits, for tests.
    Least,
}

impl Cost {
    fn hasher(self) -> Argon2<'static> {
        let params = match self {
            Self::Full => Params::DEFAULT,
            Self::Least => Params::new(Params::MIN_M_COST, 1, 1, None).expect("the least costs are admitted"),
        };
        Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
    }

    /// Decoy hash as another server would have made it, at the cost that is customary there.
    const fn foreign_decoy(self) -> &'static str {
        match self {
            Self::Full => "$2a$10$abcdefghijklmnopqrstuuAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
            Self::Least => "$2a$04$abcdefghijklmnopqrstuuAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        }
    }

    /// The hash of no password, which takes as long to check as a real one.
    const fn decoy(self) -> &'static str {
        match self {
            Self::Full => {
                "$argon2id$v=19$m=19456,t=2,p=1$Zmxhc3RvbmUgZGVjb3k$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
            }
            Self::Least => "$argon2id$v=19$m=8,t=1,p=1$Zmxhc3RvbmUgZGVjb3k$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        }
    }
}

/// Hashes a password with a fresh salt. Takes tens of milliseconds at full cost.
pub fn hash(password: &str, cost: Cost) -> String {
    let hash: PasswordHash =
        cost.hasher().hash_password(password.as_bytes()).expect("the costs and the length of the salt are admitted");
    hash.to_string()
}

/// Whether a hash came from another server, and is to be replaced by one of ours as soon as the password is known.
pub fn is_foreign(stored: &str) -> bool {
    foreign_cost(stored).is_some()
}

/// Whether a hash of another server can be checked here: of the kinds that bcrypt has, at a cost that one sign-in may
/// have.
pub fn is_checkable(stored: &str) -> bool {
    foreign_cost(stored).is_some_and(|cost| (LEAST_FOREIGN_COST..=MOST_FOREIGN_COST).contains(&cost))
        && stored.parse::<bcrypt::HashParts>().is_ok()
}

/// The cost in a hash of bcrypt.
fn foreign_cost(stored: &str) -> Option<u32> {
    let rest = ["$2a$", "$2b$", "$2x$", "$2y$"].iter().find_map(|prefix| stored.strip_prefix(prefix))?;
    rest.split('$').next()?.parse().ok()
}

/// Whether a password belongs to a stored hash, one of ours or one that came from another server.
///
/// Every no takes the work of a check of either kind, whatever is stored and also when nothing is: the time that it
/// takes tells nothing.
pub fn matches(password: &str, stored: Option<&str>, cost: Cost) -> bool {
    let own = |text: &str| {
        PasswordHash::new(text).is_ok_and(|hash| cost.hasher().verify_password(password.as_bytes(), &hash).is_ok())
    };
    // What goes beyond 72 bytes is not looked at, as where such hashes come from.
    let foreign = |text: &str| is_checkable(text) && bcrypt::verify(password, text).unwrap_or(false);
    let (own_hash, foreign_hash) = match stored {
        Some(text) if is_foreign(text) => (None, Some(text)),
        text => (text, None),
    };
    if own_hash.is_some_and(own) || foreign_hash.is_some_and(foreign) {
        return true;
    }
    // The result is no in any case; only the time that it takes matters.
    if own_hash.is_none() {
        std::hint::black_box(own(cost.decoy()));
    }
    if foreign_hash.is_none() {
        std::hint::black_box(foreign(cost.foreign_decoy()));
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strength_needs_length_and_four_kinds_of_characters() {
        for (password, expected) in [
            ("Ab1!", Err(Weakness::TooShort)),
            ("Ab1!Ab1!A", Err(Weakness::TooShort)),
            ("Ab1!Ab1!Ab", Ok(())),
            ("ab1!ab1!ab", Err(Weakness::TooUniform)),
            ("AB1!AB1!AB", Err(Weakness::TooUniform)),
            ("Abc!Abc!Ab", Err(Weakness::TooUniform)),
            ("Ab1cAb1cAb", Err(Weakness::TooUniform)),
            ("Äö1 Äö1 Äö", Ok(())),
            ("Password123!", Err(Weakness::TooCommon)),
            ("P@ssw0rd1234", Err(Weakness::TooCommon)),
        ] {
            assert_eq!(judge(password), expected, "{password}");
        }
        assert_eq!(judge(&"Ab1!".repeat(251)), Err(Weakness::TooLong));
    }

    #[test]
    fn generated_passwords_are_strong_and_differ() {
        let (one, other) = (generate(), generate());
        assert_eq!(judge(&one), Ok(()));
        assert_eq!(one.len(), 27);
        assert_ne!(one, other);
    }

    #[test]
    fn only_the_right_password_matches_and_two_hashes_of_one_differ() {
        let (one, other) = (hash("correct", Cost::Least), hash("correct", Cost::Least));
        assert_ne!(one, other);
        assert!(one.starts_with("$argon2id$v=19$"));
        assert!(matches("correct", Some(&one), Cost::Least));
        // The stored costs count, so hashes outlive a change of the setting.
        assert!(matches("correct", Some(&other), Cost::Full));
        assert!(!matches("Correct", Some(&one), Cost::Least));
        assert!(!matches("correct", Some("no hash"), Cost::Least));
        assert!(!matches("correct", None, Cost::Least));
    }

    #[test]
    fn hashes_of_another_server_are_checked_up_to_72_bytes_and_a_bearable_cost() {
        // Of "correct" and of 72 times "a".
        let made = |password: &str| bcrypt::hash(password, 4).expect("a hash");
        let (short, long) = (made("correct"), made(&"a".repeat(72)));
        assert!(matches("correct", Some(&short), Cost::Least));
        assert!(matches("correct", Some(&short.replacen("$2b$", "$2a$", 1)), Cost::Least));
        assert!(!matches("Correct", Some(&short), Cost::Least));
        assert!(matches(&"a".repeat(100), Some(&long), Cost::Least), "the rest is not looked at");
        assert!(!matches(&"a".repeat(71), Some(&long), Cost::Least));
        assert!(is_foreign(&short) && is_checkable(&short) && !is_foreign(&hash("x", Cost::Least)));
        let endless = short.replacen("$04$", "$31$", 1);
        assert!(is_foreign(&endless) && !is_checkable(&endless) && !is_checkable("$2b$04$short"));
        assert!(!matches("correct", Some(&endless), Cost::Least));
    }

    #[test]
    fn the_decoys_of_another_server_are_checked_in_full() {
        for cost in [Cost::Full, Cost::Least] {
            assert!(is_checkable(cost.foreign_decoy()), "{}", cost.foreign_decoy());
        }
    }

    #[test]
    fn the_decoy_costs_what_a_real_hash_costs() {
        for cost in [Cost::Full, Cost::Least] {
            let parameters = |text: &str| text.split('$').take(4).map(str::to_owned).collect::<Vec<_>>();
            assert_eq!(parameters(cost.decoy()), parameters(&hash("x", cost)));
            assert!(PasswordHash::new(cost.decoy()).is_ok());
            assert_eq!(cost.decoy().len(), hash("x", cost).len() - 3, "the salt is shorter, the digest as long");
        }
    }
}
