//! How much the log tells, as an administrator sets it for a while.

use serde::{Deserialize, Serialize};

use crate::domain::{preference::Preference, time::Timestamp};

/// Most characters of a level.
pub const LONGEST: usize = 500;
/// Minutes for which one holds unless told otherwise.
pub const USUAL_MINUTES: i64 = 60;
/// Most minutes for which one may hold: nobody leaves the log telling everything.
pub const MOST_MINUTES: i64 = 1440;
/// Most parts of a level.
const PARTS: usize = 20;
/// How much a part of the program may tell.
const WORDS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];

/// How much the log tells until when. By default nobody set it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LogLevel {
    level: Option<String>,
    expires_at: Option<Timestamp>,
}

impl Preference for LogLevel {
    const ID: &'static str = "flagstone.log-level";
}

impl LogLevel {
    /// A level from now on for so many minutes. The error says what must be otherwise, as the end of a sentence.
    pub fn new(level: &str, minutes: i64, now: Timestamp) -> Result<Self, String> {
        let level = read(level)?;
        Ok(Self { level: Some(level), expires_at: Some(now.plus_millis(minutes.clamp(1, MOST_MINUTES) * 60_000)) })
    }

    /// What holds at `now`, and until when; nothing when nobody set it, or that is over.
    pub fn in_force(&self, now: Timestamp) -> Option<(&str, Timestamp)> {
        let (level, expires_at) = (self.level.as_deref()?, self.expires_at?);
        (now < expires_at).then_some((level, expires_at))
    }
}

/// A level in the form of `RUST_LOG`, brought to one spelling. What only some of its readers know is refused.
fn read(text: &str) -> Result<String, String> {
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    if text.chars().count() > LONGEST || parts.len() > PARTS {
        return Err(format!("must have at most {LONGEST} characters and {PARTS} parts"));
    }
    let parts: Result<Vec<String>, String> = parts.into_iter().map(part).collect();
    Ok(parts?.join(","))
}

fn part(text: &str) -> Result<String, String> {
    let (place, word) = text.split_once('=').map_or((None, text), |(place, word)| (Some(place.trim()), word.trim()));
    let word = word.to_ascii_lowercase();
    let is_place = |place: &str| {
        let is_sign = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        place.split("::").all(|part| !part.is_empty() && part.bytes().all(is_sign))
    };
    if !WORDS.contains(&&*word) || !place.is_none_or(is_place) {
        return Err(format!(
            "must be one of {}, or such as \"info,flagstone::sql=trace\"; it has {text:?}",
            WORDS.join(", ")
        ));
    }
    Ok(place.map_or_else(|| word.clone(), |place| format!("{place}={word}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_words_for_all_or_for_a_part_of_the_program() {
        let now = Timestamp::from_millis(0);
        for (text, expected) in [
            ("debug", Some("debug")),
            (" Info , flagstone::sql = TRACE", Some("info,flagstone::sql=trace")),
            ("flagstone=debug,sqlx_core=warn", Some("flagstone=debug,sqlx_core=warn")),
            ("", None),
            ("info,", None),
            ("loud", None),
            ("flagstone", None),
            ("5", None),
            ("=debug", None),
            ("flagstone::=debug", None),
            ("[span]=debug", None),
            ("a[b{c=.*}]=debug", None),
            ("flagstone=debug=info", None),
            ("info\u{0}", None),
        ] {
            let level = LogLevel::new(text, 1, now).ok();
            let in_force = level.as_ref().and_then(|level| level.in_force(now)).map(|(level, _)| level);
            assert_eq!(in_force, expected, "{text:?}");
        }
        assert!(LogLevel::new(&["info"; PARTS + 1].join(","), 1, now).is_err());
        assert!(LogLevel::new(&format!("{}=info", "x".repeat(LONGEST)), 1, now).is_err());
    }

    #[test]
    fn a_level_holds_until_it_ends_and_never_for_ever() {
        let at = |minutes: i64| Timestamp::from_millis(minutes * 60_000);
        let level = LogLevel::new("debug", 5, at(0)).expect("a level");
        assert_eq!(level.in_force(at(4)), Some(("debug", at(5))));
        assert_eq!(level.in_force(at(5)), None);
        let longest = LogLevel::new("debug", i64::MAX, at(0)).expect("a level");
        assert_eq!(longest.in_force(at(0)), Some(("debug", at(MOST_MINUTES))));
        assert_eq!(LogLevel::default().in_force(at(0)), None);
    }
}
