//! Secrets of tokens and sign-ins: their form, and the digest that stands for them in the database.

use sha2::{Digest, Sha256};

/// Secrets of personal tokens start so.
pub const PERSONAL_PREFIX: &str = "user:";
/// Random bytes in a generated token.
const TOKEN_BYTES: usize = 28;
/// Minimum number of characters of a secret that a person made up: shorter ones can be guessed.
const LEAST_CHARACTERS: usize = 16;
/// Fewest characters of one that is not called weak.
const ENOUGH_CHARACTERS: usize = 32;
/// Part of the secrets that are printed in instructions for all to read.
const PRINTED: &str = "insecure";

/// Warning to the operator of a weak secret, after where it was given.
pub const WEAK: &str = "is weak: it is short, or printed somewhere for everybody to read; \
    a secret of 32 random characters or more is safe";

/// Strength of a secret that a person made up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strength {
    /// Strong, as far as its length shows.
    Strong,
    /// Short, or known to many. It is accepted, with a warning.
    Weak,
}

/// Error of a secret that is too short to be one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooShort;

impl std::fmt::Display for TooShort {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "must have at least {LEAST_CHARACTERS} characters")
    }
}

impl std::error::Error for TooShort {}

/// Judges a secret that was given by hand: of a token the part after the dot, which is all that is secret.
pub fn judge_given(secret: &str) -> Result<Strength, TooShort> {
    let is_printed = secret.to_ascii_lowercase().contains(PRINTED);
    match secret.chars().count() {
        ..LEAST_CHARACTERS => Err(TooShort),
        ENOUGH_CHARACTERS.. if !is_printed => Ok(Strength::Strong),
        _ => Ok(Strength::Weak),
    }
}

/// The digest under which a secret is stored. Tokens carry 224 random bits, so a plain hash suffices.
pub fn digest(secret: &str) -> String {
    hex::encode(Sha256::digest(secret.as_bytes()))
}

/// A secret that a caller shows, with its digest: two texts of which one must never stand where the other does.
#[derive(Clone, Copy)]
pub struct ShownSecret<'a> {
    /// The secret in full.
    pub full_secret: &'a str,
    /// Its digest, as [`digest`] returns it.
    pub digest: &'a str,
}

opaque_debug!(ShownSecret<'_>);

/// Returns the digest of a token that is reported as seen: by its digest, or by its secret.
pub fn digest_of_seen(told: &str) -> String {
    let told = told.trim();
    let is_digest = told.len() == 2 * Sha256::output_size() && told.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_digest { told.to_ascii_lowercase() } else { digest(told) }
}

/// A fresh random part of a token: 56 hexadecimal digits.
pub fn random_part() -> String {
    let mut bytes = [0; TOKEN_BYTES];
    getrandom::fill(&mut bytes).expect("the operating system gives random bytes");
    hex::encode(bytes)
}

/// A fresh secret of a personal token.
pub fn personal_secret() -> String {
    format!("{PERSONAL_PREFIX}{}", random_part())
}

/// Type of an API token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKind {
    /// Administration, with every permission.
    Admin,
    /// Server-side SDKs.
    Client,
    /// Browsers and apps.
    Frontend,
}

impl TokenKind {
    /// The name in the store and on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Admin => "admin",
            Self::Client => "client",
            Self::Frontend => "frontend",
        }
    }

    /// Reads the stored or submitted name, in any case; `backend` is another name of client tokens.
    pub fn parse(name: &str) -> Option<Self> {
        if name.eq_ignore_ascii_case("backend") {
            return Some(Self::Client);
        }
        [Self::Admin, Self::Client, Self::Frontend].into_iter().find(|kind| kind.as_str().eq_ignore_ascii_case(name))
    }
}

/// The parts of an API token's secret that can be read from it: `project:environment.random`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenScope {
    /// Projects; `*` is all of them, and an empty list means that the secret says only "several".
    pub projects: Vec<String>,
    /// Environment; `*` is all of them.
    pub environment: String,
}

/// Splits `project:environment.random` into project, environment and the random part.
fn parts(secret: &str) -> Option<(&str, &str, &str)> {
    let (project, rest) = secret.split_once(':')?;
    let (environment, random) = rest.split_once('.')?;
    Some((project, environment, random))
}

/// Returns the random part of an API token's secret; all of a text that has not the form of one.
pub fn unknown_part(secret: &str) -> &str {
    parts(secret).map_or(secret, |(_, _, random)| random)
}

/// Returns a token as it may be shown: without its random part.
pub fn shown(secret: &str) -> String {
    parts(secret).map_or_else(|| "…".to_owned(), |(project, environment, _)| format!("{project}:{environment}.…"))
}

impl TokenScope {
    /// Reads the scope of a full secret, or `None` when it does not have the form of one.
    pub fn parse(secret: &str) -> Option<Self> {
        let (project, environment, random) = parts(secret)?;
        if project.is_empty() || environment.is_empty() || random.is_empty() {
            return None;
        }
        let projects = if project == "[]" { Vec::new() } else { vec![project.to_owned()] };
        Some(Self { projects, environment: environment.to_owned() })
    }
}

/// A header's credential without the optional `Bearer` prefix and its blanks.
pub fn strip_bearer(header: &str) -> &str {
    let header = header.trim();
    match header.get(..6) {
        Some(prefix) if prefix.eq_ignore_ascii_case("bearer") => match header[6..].strip_prefix([' ', '\t']) {
            Some(rest) => rest.trim_start(),
            None => header,
        },
        _ => header,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bearer_prefix_is_optional_in_any_case_and_with_any_blanks() {
        for header in ["*:*.x", "Bearer *:*.x", "bearer   *:*.x", "BEARER *:*.x", "  *:*.x "] {
            assert_eq!(strip_bearer(header), "*:*.x", "{header:?}");
        }
        assert_eq!(strip_bearer("bearertoken"), "bearertoken");
        assert_eq!(strip_bearer("é"), "é");
    }

    #[test]
    fn scopes_are_read_from_full_secrets_only() {
        let scope = TokenScope::parse("shop:development.abc").expect("full");
        assert_eq!((scope.projects, scope.environment.as_str()), (vec!["shop".to_owned()], "development"));
        assert_eq!(TokenScope::parse("[]:development.abc").expect("several").projects, Vec::<String>::new());
        for broken in ["", "abc", "a:b", ":b.c", "a:.c", "a:b."] {
            assert_eq!(TokenScope::parse(broken), None, "{broken}");
        }
    }

    #[test]
    fn secrets_given_by_hand_are_refused_when_short_and_called_weak_when_known() {
        for (token, expected) in [
            ("*:*.x", Err(TooShort)),
            ("*:*.fifteen-letters", Err(TooShort)),
            ("shop-of-somebody:development-of-all.short", Err(TooShort)),
            ("*:*.sixteen-letters-", Ok(Strength::Weak)),
            ("default:development.unleash-insecure-api-token", Ok(Strength::Weak)),
            ("*:*.unleash-insecure-admin-api-token-of-mine", Ok(Strength::Weak)),
            ("*:*.964a287e1b728cb5f4f3e0120df92cb5", Ok(Strength::Strong)),
            ("[]:dev.964a287e1b728cb5.4f3e0120df92cb5", Ok(Strength::Strong)),
        ] {
            assert_eq!(judge_given(unknown_part(token)), expected, "{token}");
        }
        let generated = random_part();
        assert_eq!(judge_given(&generated), Ok(Strength::Strong));
        assert_eq!(judge_given("zwölf Zeichen"), Err(TooShort), "characters count, not bytes");
    }

    #[test]
    fn kinds_are_read_in_any_case_and_by_their_newer_name() {
        for (name, kind) in [
            ("admin", Some(TokenKind::Admin)),
            ("CLIENT", Some(TokenKind::Client)),
            ("backend", Some(TokenKind::Client)),
            ("BackEnd", Some(TokenKind::Client)),
            ("Frontend", Some(TokenKind::Frontend)),
            ("backends", None),
            ("", None),
        ] {
            assert_eq!(TokenKind::parse(name), kind, "{name}");
        }
    }

    #[test]
    fn random_parts_have_the_documented_length_and_differ() {
        let (one, other) = (random_part(), random_part());
        assert_eq!(one.len(), 56);
        assert_ne!(one, other);
        assert_eq!(digest("a").len(), 64);
    }
}
