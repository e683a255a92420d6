//! Level of the log, as an administrator sets it for a while.

use std::sync::LazyLock;

use regex::Regex;
use serde::{Deserialize, Serialize};

use crate::{preference::Preference, time::Timestamp};

/// Most characters of a level.
pub const LONGEST: usize = 500;
/// Minutes for which a level holds by default.
pub const USUAL_MINUTES: i64 = 60;
/// Maximum minutes for which a level may hold: the log cannot be left at its most verbose.
pub const MOST_MINUTES: i64 = 1440;
/// Pattern of a level in the document: a part of what `RUST_LOG` may hold.
pub const PATTERN: &str = "^([A-Za-z0-9_]+(::[A-Za-z0-9_]+)*=)?(off|error|warn|info|debug|trace)\
    (,([A-Za-z0-9_]+(::[A-Za-z0-9_]+)*=)?(off|error|warn|info|debug|trace)){0,19}$";
/// Rule of a level in words, as the end of a sentence.
const RULE: &str = "must be one of off, error, warn, info, debug, trace, or at most 20 parts with commas between them, such as \
                    \"info,flagstone::sql=trace\"";
static LEVEL: LazyLock<Regex> = LazyLock::new(|| Regex::new(PATTERN).expect("a pattern"));

/// Returns the rule that a text breaks which does not match the pattern of a level. `None` for patterns of other types.
pub fn unmatched(pattern: &str) -> Option<String> {
    (pattern == PATTERN).then(|| RULE.to_owned())
}

/// Level of the log and the time when it ends. By default none is set.
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
        if level.len() > LONGEST || !LEVEL.is_match(level) {
            return Err(format!("{RULE}, of {LONGEST} characters in all"));
        }
        let expires_at = now.plus_millis(minutes.clamp(1, MOST_MINUTES) * 60_000);
        Ok(Self { level: Some(level.to_owned()), expires_at: Some(expires_at) })
    }

    /// Returns the level that holds at `now` and when it ends, or `None` when none was set or it has ended.
    pub fn in_force(&self, now: Timestamp) -> Option<(&str, Timestamp)> {
        let (level, expires_at) = (self.level.as_deref()?, self.expires_at?);
        (now < expires_at).then_some((level, expires_at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_words_for_all_or_for_a_part_of_the_program() {
        let now = Timestamp::from_millis(0);
        for (text, expected) in [
            ("debug", Some("debug")),
            ("info,flagstone::sql=trace", Some("info,flagstone::sql=trace")),
            ("Info", None),
            ("info, debug", None),
            ("info\n", None),
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
        assert!(LogLevel::new(&["info"; 21].join(","), 1, now).is_err());
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
