//! Numbers, dates and versions as JavaScript reads them.

use std::cmp::Ordering;

use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime};
use flagstone_domain::time::Timestamp;

/// Forms of a date and time without a zone, which JavaScript reads in that of the server: UTC.
const LOCAL: [&str; 7] = [
    "%Y-%m-%dT%H:%M:%S%.f",
    "%Y-%m-%dT%H:%M",
    "%Y-%m-%d %H:%M:%S%.f",
    "%Y-%m-%d %H:%M",
    "%Y/%m/%d %H:%M:%S",
    "%b %d, %Y %H:%M:%S",
    "%B %d, %Y %H:%M:%S",
];
/// Forms of a date without a time.
const DAYS: [&str; 9] =
    ["%Y-%m-%d", "%Y/%m/%d", "%m/%d/%Y", "%b %d, %Y", "%B %d, %Y", "%b %d %Y", "%B %d %Y", "%d %b %Y", "%d %B %Y"];

/// Reads a number; `None` for what is none.
pub(super) fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    let radix = |prefix: [&str; 2], radix| {
        let digits = prefix.iter().find_map(|prefix| text.strip_prefix(prefix))?;
        u64::from_str_radix(digits, radix).ok()
    };
    if text.is_empty() {
        return Some(0.0);
    }
    let whole = radix(["0x", "0X"], 16).or_else(|| radix(["0b", "0B"], 2)).or_else(|| radix(["0o", "0O"], 8));
    if let Some(whole) = whole {
        return whole.to_string().parse().ok();
    }
    match text {
        "Infinity" | "+Infinity" => Some(f64::INFINITY),
        "-Infinity" => Some(f64::NEG_INFINITY),
        _ if text.bytes().all(|byte| b"+-.eE0123456789".contains(&byte)) => text.parse().ok(),
        _ => None,
    }
}

/// Reads a date; `None` for what is none. A time without a zone is in UTC, the zone of servers.
pub(super) fn date(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    let zoned = DateTime::parse_from_rfc3339(text).or_else(|_| DateTime::parse_from_rfc2822(text));
    let zoned = zoned.or_else(|_| DateTime::parse_from_str(text, "%Y-%m-%dT%H:%M%:z"));
    if let Ok(zoned) = zoned {
        return Some(Timestamp::from_millis(zoned.timestamp_millis()));
    }
    let local = LOCAL.into_iter().find_map(|form| NaiveDateTime::parse_from_str(text, form).ok());
    let day = || DAYS.into_iter().find_map(|form| NaiveDate::parse_from_str(text, form).ok());
    let month = || NaiveDate::parse_from_str(&format!("{text}-01"), "%Y-%m-%d").ok();
    let year = || (text.len() == 4).then(|| NaiveDate::from_ymd_opt(text.parse().ok()?, 1, 1)).flatten();
    let local = local.or_else(|| Some(day().or_else(month).or_else(year)?.and_time(NaiveTime::MIN)))?;
    Some(Timestamp::from_millis(local.and_utc().timestamp_millis()))
}

/// Compares two semantic versions.
pub(super) fn compare_versions(one: &str, other: &str) -> Ordering {
    let parts = |version: &str| {
        let version = version.split('+').next().unwrap_or_default().to_owned();
        let (core, labels) = version
            .split_once('-')
            .map_or((version.clone(), None), |(core, labels)| (core.to_owned(), Some(labels.to_owned())));
        let core: Vec<u64> = core.split('.').map(|number| number.parse().unwrap_or_default()).collect();
        (core, labels)
    };
    let ((one, labels), (other, other_labels)) = (parts(one), parts(other));
    one.cmp(&other).then_with(|| match (labels, other_labels) {
        (None, None) => Ordering::Equal,
        (None, Some(_)) => Ordering::Greater,
        (Some(_), None) => Ordering::Less,
        (Some(one), Some(other)) => compare_labels(&one, &other),
    })
}

fn compare_labels(one: &str, other: &str) -> Ordering {
    let (mut ones, mut others) = (one.split('.'), other.split('.'));
    loop {
        let order = match (ones.next(), others.next()) {
            (None, None) => return Ordering::Equal,
            (None, Some(_)) => Ordering::Less,
            (Some(_), None) => Ordering::Greater,
            (Some(one), Some(other)) => match (one.parse::<u64>(), other.parse::<u64>()) {
                (Ok(one), Ok(other)) => one.cmp(&other),
                (Ok(_), Err(_)) => Ordering::Less,
                (Err(_), Ok(_)) => Ordering::Greater,
                (Err(_), Err(_)) => one.cmp(other),
            },
        };
        if order != Ordering::Equal {
            return order;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_javascript_reads_is_read() {
        for (text, expected) in [
            ("", Some(0.0)),
            (" 5 ", Some(5.0)),
            ("0x10", Some(16.0)),
            ("1e400", Some(f64::INFINITY)),
            (".5", Some(0.5)),
            ("5.", Some(5.0)),
            ("five", None),
            ("inf", None),
        ] {
            assert_eq!(number(text), expected, "{text}");
        }
        for (text, expected) in [
            ("2030-01-01T00:00:00.000Z", Some("2030-01-01T00:00:00.000Z")),
            ("2030-01-01T02:00+02:00", Some("2030-01-01T00:00:00.000Z")),
            ("2030-01-01T10:30", Some("2030-01-01T10:30:00.000Z")),
            ("2030-01-01 10:30:05", Some("2030-01-01T10:30:05.000Z")),
            ("2030/01/01", Some("2030-01-01T00:00:00.000Z")),
            ("Jan 1, 2030", Some("2030-01-01T00:00:00.000Z")),
            ("2030-02", Some("2030-02-01T00:00:00.000Z")),
            ("2030", Some("2030-01-01T00:00:00.000Z")),
            ("soon", None),
        ] {
            assert_eq!(date(text).map(|date| date.to_string()).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn versions_are_in_the_order_of_their_standard() {
        let rising =
            ["1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta", "1.0.0-beta.2", "1.0.0-beta.11"];
        let rising = rising.into_iter().chain(["1.0.0-rc.1", "1.0.0", "1.0.1", "1.10.0"]).collect::<Vec<_>>();
        for (place, one) in rising.iter().enumerate() {
            for (other_place, other) in rising.iter().enumerate() {
                assert_eq!(compare_versions(one, other), place.cmp(&other_place), "{one} {other}");
            }
        }
        assert_eq!(compare_versions("1.0.0+1", "1.0.0+2"), Ordering::Equal);
    }
}
