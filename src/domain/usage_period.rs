//! Periods over which usage is told: buckets of one length, all in UTC.

use chrono::{Datelike as _, Months, NaiveDate};
use poem_openapi::Enum;
use serde::Serialize;

use crate::{
    filter::Refusal,
    time::{HOUR_MS, Timestamp},
};

/// Period of usage, which ends with the current hour, day or month.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Enum, Serialize)]
pub enum UsagePeriod {
    /// 48 hours, by the hour.
    #[default]
    #[oai(rename = "48h")]
    #[serde(rename = "48h")]
    Hours,
    /// 30 days, by the day.
    #[oai(rename = "30d")]
    #[serde(rename = "30d")]
    Days,
    /// 24 months, by the month.
    #[oai(rename = "24m")]
    #[serde(rename = "24m")]
    Months,
}

/// Length of time over which evaluations are added up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize)]
#[oai(rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum UsageBucket {
    /// An hour.
    Hour,
    /// A day, in UTC.
    Day,
    /// A calendar month, in UTC.
    Month,
}

impl UsagePeriod {
    /// The words on the wire.
    pub const WORDS: [&'static str; 3] = ["48h", "30d", "24m"];

    /// Reads `48h`, `30d` or `24m`.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        let all = [Self::Hours, Self::Days, Self::Months];
        let found = all.into_iter().find(|period| period.as_str() == text);
        found.ok_or(Refusal::Choice("48h, 30d or 24m"))
    }

    /// The word on the wire.
    pub const fn as_str(self) -> &'static str {
        Self::WORDS[self as usize]
    }

    /// Length of its buckets.
    pub const fn bucket(self) -> UsageBucket {
        match self {
            Self::Hours => UsageBucket::Hour,
            Self::Days => UsageBucket::Day,
            Self::Months => UsageBucket::Month,
        }
    }

    /// Starts of all buckets up to the one that `now` lies in, oldest first.
    pub fn buckets(self, now: Timestamp) -> Vec<Timestamp> {
        match self {
            Self::Hours => (0..48).rev().map(|back| now.floor_hour().plus_millis(-back * HOUR_MS)).collect(),
            Self::Days => (0..30).rev().map(|back| now.floor_day().plus_days(-back)).collect(),
            Self::Months => {
                let first = |day: NaiveDate| day.with_day(1).unwrap_or(day);
                let before = |back| now.day().checked_sub_months(Months::new(back)).unwrap_or(NaiveDate::MIN);
                (0..24).rev().map(|back| Timestamp::start_of(first(before(back)))).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        Timestamp::parse(text).expect("valid")
    }

    #[test]
    fn words_are_read_as_they_are_written() {
        for word in UsagePeriod::WORDS {
            assert_eq!(UsagePeriod::parse(word).map(UsagePeriod::as_str), Ok(word));
        }
        for word in ["", "48", "48H", "24h", "1m", "30d "] {
            assert!(UsagePeriod::parse(word).is_err(), "{word}");
        }
    }

    #[test]
    fn buckets_end_with_the_current_one() {
        // The last day of a month, before one that is shorter, in a leap year.
        let now = at("2028-03-31T23:59:59.999Z");
        let ends = |period: UsagePeriod| {
            let all = period.buckets(now);
            (all.len(), all[0], all[all.len() - 2], all[all.len() - 1])
        };
        let hours = (48, at("2028-03-30T00:00:00Z"), at("2028-03-31T22:00:00Z"), at("2028-03-31T23:00:00Z"));
        assert_eq!(ends(UsagePeriod::Hours), hours);
        let days = (30, at("2028-03-02T00:00:00Z"), at("2028-03-30T00:00:00Z"), at("2028-03-31T00:00:00Z"));
        assert_eq!(ends(UsagePeriod::Days), days);
        let months = (24, at("2026-04-01T00:00:00Z"), at("2028-02-01T00:00:00Z"), at("2028-03-01T00:00:00Z"));
        assert_eq!(ends(UsagePeriod::Months), months);
        assert_eq!(UsagePeriod::Days.buckets(at("2028-03-01T00:00:00Z"))[28], at("2028-02-29T00:00:00Z"));
    }
}
