//! Times as databases and servers write them.

use chrono::{DateTime, NaiveDate, NaiveDateTime};

use crate::time::Timestamp;

/// Forms of a time without a zone.
const PLAIN: [&str; 2] = ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f"];
/// From this number on a time counts milliseconds since 1970, and seconds from a hundredth of it on: 1973.
const MILLIS_FROM: i64 = 100_000_000_000;

/// Reads a time as PostgreSQL writes it into JSON. Without a zone it is in UTC.
pub fn time(text: &str) -> Option<Timestamp> {
    let zoned = DateTime::parse_from_rfc3339(text).map(|time| time.timestamp_millis());
    let plain = || PLAIN.into_iter().find_map(|form| NaiveDateTime::parse_from_str(text, form).ok());
    let day = || NaiveDate::parse_from_str(text, "%Y-%m-%d").ok().map(Timestamp::start_of);
    let clamped = |millis| Timestamp::from_millis(millis).clamp(Timestamp::FIRST, Timestamp::LAST);
    zoned.ok().or_else(|| plain().map(|time| time.and_utc().timestamp_millis())).map(clamped).or_else(day)
}

/// Reads a time outside of the years that can be written here: the nearest one within.
pub(super) fn beyond(text: &str) -> Option<Timestamp> {
    let digits = text.trim_start_matches('+').chars().take_while(char::is_ascii_digit).count();
    let has_form =
        text.contains('-') && text.chars().next().is_some_and(|first| first.is_ascii_digit() || first == '+');
    match text {
        "-infinity" => Some(Timestamp::FIRST),
        _ if text.ends_with(" BC") && digits >= 4 => Some(Timestamp::FIRST),
        _ if has_form && (5..=6).contains(&digits) => Some(Timestamp::LAST),
        _ => None,
    }
}

/// Reads a time that is a number: of milliseconds, or of seconds where that would be before 1973.
pub(super) fn of_number(number: i64) -> Option<Timestamp> {
    let millis = match number {
        MILLIS_FROM.. => number,
        _ if number >= MILLIS_FROM / 100 => number.checked_mul(1000)?,
        _ => return None,
    };
    Some(Timestamp::from_millis(millis)).filter(|time| *time <= Timestamp::LAST)
}
