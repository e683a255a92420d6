//! The forms of values that all SDKs read alike: those of the engine's grammar, which is the strictest of them.

use std::{borrow::Cow, sync::LazyLock};

use chrono::{NaiveDate, NaiveDateTime, NaiveTime};
use regex::Regex;

use crate::time::Timestamp;

/// Most characters of a version: those that npm's `semver` reads.
const MAX_VERSION_LENGTH: usize = 256;
/// The greatest number in a version: the greatest that JavaScript can distinguish from its neighbours.
const MAX_SAFE_INTEGER: u64 = (1 << 53) - 1;

static NUMBER: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^[+-]?[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?$").expect("a valid pattern"));

static DATE: LazyLock<Regex> = LazyLock::new(|| {
    let time = r"[0-9]{2}:[0-9]{2}:[0-5][0-9](\.[0-9]{3})?";
    Regex::new(&format!(r"^[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}T{time}(Z|[+-][0-9]{{2}}:[0-9]{{2}})$"))
        .expect("a valid pattern")
});

static VERSION: LazyLock<Regex> = LazyLock::new(|| {
    let number = "(0|[1-9][0-9]*)";
    let label = "(?:0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)";
    let build = r"(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?";
    Regex::new(&format!(r"^{number}\.{number}\.{number}(?:-({label}(?:\.{label})*))?{build}$"))
        .expect("a valid pattern")
});

/// Returns a number in decimal digits with digits before the point, or `None` if the text is no finite number.
pub fn number(text: &str) -> Option<Cow<'_, str>> {
    let trimmed = trimmed(text);
    let number = trimmed.parse::<f64>().ok().filter(|number| number.is_finite())?;
    Some(match NUMBER.is_match(trimmed) {
        true if trimmed.len() == text.len() => Cow::Borrowed(text),
        true => Cow::Owned(trimmed.to_owned()),
        false => Cow::Owned(number.to_string()),
    })
}

/// Returns a date and time in RFC 3339 with milliseconds or none, or `None` if the text is no date. What says no zone is
/// in UTC, and a date without a time is its midnight.
pub fn date(text: &str) -> Option<Cow<'_, str>> {
    let trimmed = trimmed(text);
    if let Some(instant) = Timestamp::parse(trimmed) {
        let is_normal = trimmed.len() == text.len() && DATE.is_match(text);
        return Some(if is_normal { Cow::Borrowed(text) } else { Cow::Owned(instant.to_string()) });
    }
    let of_day = |day: NaiveDate| day.and_time(NaiveTime::MIN);
    let local = NaiveDate::parse_from_str(trimmed, "%Y-%m-%d").map(of_day);
    let local = local.or_else(|_| NaiveDateTime::parse_from_str(trimmed, "%Y-%m-%dT%H:%M:%S%.f"));
    let local = local.or_else(|_| NaiveDateTime::parse_from_str(trimmed, "%Y-%m-%dT%H:%M")).ok()?;
    let written = Timestamp::from_millis(local.and_utc().timestamp_millis()).to_string();
    DATE.is_match(&written).then_some(Cow::Owned(written))
}

/// Returns a semantic version without blanks around it, or `None` if the text is none, or one that SDKs read
/// differently: of more than 256 characters, or with a number from 2^53 on.
pub fn version(text: &str) -> Option<Cow<'_, str>> {
    let trimmed = trimmed(text);
    if trimmed.len() > MAX_VERSION_LENGTH {
        return None;
    }
    let parts = VERSION.captures(trimmed)?;
    let is_safe = |number: &str| number.parse::<u64>().is_ok_and(|number| number <= MAX_SAFE_INTEGER);
    let core = (1..=3).filter_map(|part| parts.get(part)).map(|part| part.as_str());
    let labels = parts.get(4).map(|labels| labels.as_str().split('.')).into_iter().flatten();
    let labels = labels.filter(|label| label.bytes().all(|byte| byte.is_ascii_digit()));
    let is_read_alike = core.chain(labels).all(is_safe);
    let normal = if trimmed.len() == text.len() { Cow::Borrowed(text) } else { Cow::Owned(trimmed.to_owned()) };
    is_read_alike.then_some(normal)
}

/// Takes away blanks around a text.
pub fn trim(text: &mut String) {
    if text.starts_with(is_blank_char) || text.ends_with(is_blank_char) {
        *text = trimmed(text).to_owned();
    }
}

/// Returns the last character of a text that is no blank, or `None` if there is none.
pub fn last_sign(text: &str) -> Option<char> {
    text.chars().rev().find(|sign| !is_blank_char(*sign))
}

/// Returns a text without blanks around it.
pub fn trimmed(text: &str) -> &str {
    text.trim_matches(is_blank_char)
}

/// Blanks of Rust and of JavaScript, which takes away a byte order mark, too.
fn is_blank_char(sign: char) -> bool {
    sign.is_whitespace() || sign == '\u{feff}'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(form: fn(&str) -> Option<Cow<'_, str>>, cases: &[(&str, Option<&str>)]) {
        for (text, expected) in cases {
            let normal = form(text);
            assert_eq!(normal.as_deref(), *expected, "{text:?}");
            if let Some(normal) = &normal {
                assert!(matches!(form(normal), Some(Cow::Borrowed(again)) if again == &**normal), "{text:?}");
            }
        }
    }

    #[test]
    fn numbers_have_digits_before_the_point() {
        check(
            number,
            &[
                ("5", Some("5")),
                ("-1.50", Some("-1.50")),
                ("+7", Some("+7")),
                ("5.", Some("5.")),
                ("1e5", Some("1e5")),
                ("1E-3", Some("1E-3")),
                (".5", Some("0.5")),
                ("-.25", Some("-0.25")),
                (" 5\u{feff}\n", Some("5")),
                ("", None),
                ("five", None),
                ("0x10", None),
                ("1_000", None),
                ("1 000", None),
                ("NaN", None),
                ("-inf", None),
                ("1e400", None),
                ("\u{661}", None),
            ],
        );
    }

    #[test]
    fn dates_are_instants() {
        check(
            date,
            &[
                ("2027-06-30T22:00:00.000Z", Some("2027-06-30T22:00:00.000Z")),
                ("2027-06-30T22:00:00Z", Some("2027-06-30T22:00:00Z")),
                ("2027-06-30T22:00:00+02:00", Some("2027-06-30T22:00:00+02:00")),
                ("2027-06-30", Some("2027-06-30T00:00:00.000Z")),
                ("2027-06-30T22:00", Some("2027-06-30T22:00:00.000Z")),
                ("2027-06-30T22:00:01", Some("2027-06-30T22:00:01.000Z")),
                ("2027-06-30T22:00:01.5", Some("2027-06-30T22:00:01.500Z")),
                ("2027-06-30T22:00:00.1234567Z", Some("2027-06-30T22:00:00.123Z")),
                ("2027-06-30t22:00:00z", Some("2027-06-30T22:00:00.000Z")),
                (" 2027-06-30 ", Some("2027-06-30T00:00:00.000Z")),
                ("2016-12-31T23:59:60Z", Some("2017-01-01T00:00:00.000Z")),
                ("2027-13-30", None),
                ("2027-02-29T00:00:00Z", None),
                ("soon", None),
                ("", None),
                ("1782856800000", None),
                ("12027-06-30", None),
            ],
        );
    }

    #[test]
    fn versions_are_those_of_the_standard_within_the_numbers_of_javascript() {
        let long = format!("1.2.3-{}", "a".repeat(251));
        check(
            version,
            &[
                ("1.2.3", Some("1.2.3")),
                (" 1.2.3 ", Some("1.2.3")),
                ("0.0.0-rc.1+build.05", Some("0.0.0-rc.1+build.05")),
                ("1.2.3-0a", Some("1.2.3-0a")),
                ("1.2.3--", Some("1.2.3--")),
                ("9007199254740991.0.0", Some("9007199254740991.0.0")),
                ("9007199254740992.0.0", None),
                ("1.2.3-9007199254740992", None),
                ("99999999999999999999.0.0", None),
                ("1.2", None),
                ("v1.2.3", None),
                ("01.2.3", None),
                ("1.2.3-01", None),
                ("1.2.3-", None),
                ("1.2.3-a..b", None),
                ("1.2.3.4", None),
                (&long, None),
                ("", None),
            ],
        );
    }
}
