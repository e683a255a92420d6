//! The only representation of an instant: milliseconds since 1970, always UTC.

#[cfg(feature = "sea-orm")]
mod column;

use std::{borrow::Cow, fmt};

use chrono::{DateTime, Datelike, Days, NaiveDate, SecondsFormat, Timelike};
use flagstone_wire::plain_type;
use poem_openapi::{
    registry::MetaSchema,
    types::{ParseError, ParseFromJSON, ParseResult, ToJSON},
};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// Milliseconds in one hour.
pub const HOUR_MS: i64 = 3_600_000;
/// Milliseconds in one day.
pub const DAY_MS: i64 = 24 * HOUR_MS;
/// The beginning of the year 0, which is the first that RFC 3339 can write.
const FIRST_WRITTEN_MS: i64 = -62_167_219_200_000;
/// The end of the year 9999, which is the last.
const LAST_WRITTEN_MS: i64 = 253_402_300_799_999;

/// An instant with a precision of one millisecond.
///
/// Written as RFC 3339 in UTC with three fractional digits and `Z`; read from any RFC 3339 text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp(i64);

impl Timestamp {
    /// The first instant that RFC 3339 can write.
    pub const FIRST: Self = Self(FIRST_WRITTEN_MS);
    /// The last instant that RFC 3339 can write.
    pub const LAST: Self = Self(LAST_WRITTEN_MS);

    /// The instant `millis` milliseconds after 1970-01-01T00:00:00Z.
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// Milliseconds since 1970-01-01T00:00:00Z.
    pub const fn millis(self) -> i64 {
        self.0
    }

    /// Reads RFC 3339 text with any offset; digits beyond the millisecond are cut. Where an offset leads out of the
    /// years that RFC 3339 can write, it is the nearest instant within.
    pub fn parse(text: &str) -> Option<Self> {
        let instant = DateTime::parse_from_rfc3339(text).ok()?;
        Some(Self(instant.timestamp_millis().clamp(FIRST_WRITTEN_MS, LAST_WRITTEN_MS)))
    }

    /// The first instant of a calendar day, or `None` beyond the range of dates.
    pub fn start_of(day: NaiveDate) -> Self {
        Self(day.and_time(chrono::NaiveTime::MIN).and_utc().timestamp_millis())
    }

    /// This instant moved by a number of milliseconds, kept within range.
    #[must_use]
    pub const fn plus_millis(self, millis: i64) -> Self {
        Self(self.0.saturating_add(millis))
    }

    /// This instant moved by a number of days of 24 hours.
    #[must_use]
    pub const fn plus_days(self, days: i64) -> Self {
        self.plus_millis(days.saturating_mul(DAY_MS))
    }

    /// The start of the hour that holds this instant.
    #[must_use]
    pub const fn floor_hour(self) -> Self {
        Self(self.0.div_euclid(HOUR_MS) * HOUR_MS)
    }

    /// The start of the UTC day that holds this instant.
    #[must_use]
    pub const fn floor_day(self) -> Self {
        Self(self.0.div_euclid(DAY_MS) * DAY_MS)
    }

    /// The last millisecond of the UTC day that holds this instant.
    #[must_use]
    pub const fn end_of_day(self) -> Self {
        Self(self.floor_day().0 + DAY_MS - 1)
    }

    /// The UTC calendar day that holds this instant.
    pub fn day(self) -> NaiveDate {
        self.instant().date_naive()
    }

    /// Year and two-digit week, such as `2026-07`: weeks start on Monday and belong to the year of that Monday,
    /// counted from the first Monday of the year. As a text it sorts by time.
    pub fn week(self) -> String {
        let day = self.day();
        let back = u64::from(day.weekday().num_days_from_monday());
        let monday = day.checked_sub_days(Days::new(back)).unwrap_or(day);
        format!("{:04}-{:02}", monday.year(), monday.ordinal0() / 7 + 1)
    }

    /// Returns the moment as a `DateTime` of chrono.
    pub fn instant(self) -> DateTime<chrono::Utc> {
        DateTime::from_timestamp_millis(self.0).unwrap_or(if self.0 < 0 {
            DateTime::<chrono::Utc>::MIN_UTC
        } else {
            DateTime::<chrono::Utc>::MAX_UTC
        })
    }

    /// Calls `with` with the text. A long list has a thousand of them, so years of four digits are not left to the
    /// general formatter.
    fn with_text<T>(self, with: impl FnOnce(&str) -> T) -> T {
        let instant = self.instant();
        let Some(year) = u32::try_from(instant.year()).ok().filter(|year| *year < 10_000) else {
            return with(&instant.to_rfc3339_opts(SecondsFormat::Millis, true));
        };
        let mut text = *b"0000-00-00T00:00:00.000Z";
        let numbers = [
            (0..4, year),
            (5..7, instant.month()),
            (8..10, instant.day()),
            (11..13, instant.hour()),
            (14..16, instant.minute()),
            (17..19, instant.second()),
            (20..23, instant.timestamp_subsec_millis()),
        ];
        for (place, mut number) in numbers {
            for digit in text[place].iter_mut().rev() {
                *digit += u8::try_from(number % 10).unwrap_or_default();
                number /= 10;
            }
        }
        with(std::str::from_utf8(&text).unwrap_or_default())
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.with_text(|text| f.write_str(text))
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.with_text(|text| serializer.serialize_str(text))
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| de::Error::custom("not an RFC 3339 date-time"))
    }
}

plain_type!(Timestamp, "string(date-time)", MetaSchema::new_with_format("string", "date-time"));

impl ParseFromJSON for Timestamp {
    fn parse_from_json(value: Option<serde_json::Value>) -> ParseResult<Self> {
        value
            .as_ref()
            .and_then(serde_json::Value::as_str)
            .and_then(Self::parse)
            .ok_or_else(|| ParseError::custom("not an RFC 3339 date-time"))
    }
}

impl ToJSON for Timestamp {
    fn to_json(&self) -> Option<serde_json::Value> {
        Some(self.to_string().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_written_in_utc_with_milliseconds_whatever_was_read() {
        let read = Timestamp::parse("2026-11-21T04:07:09.63399+02:00").expect("valid");
        assert_eq!(read.to_string(), "2026-11-21T02:07:09.633Z");
        assert_eq!(Timestamp::parse("2026-11-21T02:07:09Z").expect("valid").to_string(), "2026-11-21T02:07:09.000Z");
    }

    #[test]
    fn what_was_read_can_be_read_again_when_written() {
        for (text, written) in [
            ("9999-12-31T23:59:59.999-23:59", "9999-12-31T23:59:59.999Z"),
            ("0000-01-01T00:00:00+23:59", "0000-01-01T00:00:00.000Z"),
            ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000Z"),
        ] {
            let read = Timestamp::parse(text).expect("valid");
            assert_eq!(read.to_string(), written);
            assert_eq!(Timestamp::parse(written), Some(read));
        }
    }

    #[test]
    fn refuses_what_is_no_instant() {
        for text in ["", "2026-11-21", "2026-13-01T00:00:00Z", "yesterday"] {
            assert_eq!(Timestamp::parse(text), None, "{text}");
        }
    }

    #[test]
    fn extremes_are_written_without_a_panic() {
        for millis in [i64::MIN, i64::MAX] {
            assert!(!Timestamp::from_millis(millis).to_string().is_empty());
        }
    }

    #[test]
    fn is_written_as_the_general_formatter_does() {
        let day_and_a_bit = 86_461_001;
        let ancient = -62_135_596_800_000 - 40 * day_and_a_bit;
        let beyond = 253_402_300_799_999;
        let around = |millis: i64| (millis - 2000 * day_and_a_bit..=millis + 2000 * day_and_a_bit).step_by(86_461_001);
        for millis in [0, ancient, beyond, 1_700_000_000_000].into_iter().flat_map(around).chain([beyond, beyond + 1]) {
            let instant = Timestamp::from_millis(millis);
            let general = instant.instant().to_rfc3339_opts(SecondsFormat::Millis, true);
            assert_eq!(instant.to_string(), general, "{millis}");
            assert_eq!(serde_json::to_string(&instant).expect("a text"), format!("\"{general}\""));
        }
    }

    #[test]
    fn weeks_start_on_monday_and_sort_by_time() {
        let week = |text: &str| Timestamp::parse(text).expect("valid").week();
        assert_eq!(week("2024-02-12T00:00:00Z"), week("2024-02-18T23:59:59.999Z"));
        assert_ne!(week("2024-02-18T23:59:59.999Z"), week("2024-02-19T00:00:00Z"));
        // 2024-12-30 is a Monday; the days of January in its week carry its year.
        assert_eq!(week("2025-01-01T12:00:00Z"), "2024-53");
        assert_eq!(week("2024-02-18T12:00:00Z"), "2024-07");
    }

    #[test]
    fn days_and_hours_round_towards_the_past() {
        let before_epoch = Timestamp::from_millis(-1);
        assert_eq!(before_epoch.floor_hour().millis(), -HOUR_MS);
        assert_eq!(before_epoch.end_of_day().millis(), -1);
    }
}
