use std::{fmt, sync::LazyLock};

use chrono::NaiveDate;
use regex::Regex;

use super::{Refusal, operators};
use crate::time::Timestamp;

operators! {
    /// Side of a day's start on which an instant lies.
    DateOperator {
        /// Before the first instant of the day.
        IsBefore = "IS_BEFORE",
        /// At or after the first instant of the day.
        IsOnOrAfter = "IS_ON_OR_AFTER",
    }
}

/// The days of the calendar as a pattern, in years of four digits: the first 28 of every month, then those that only
/// some have, and last the one that only leap years have.
macro_rules! day {
    () => {
        concat!(
            r"([0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])",
            r"|[0-9]{4}-(0[13-9]|1[0-2])-(29|30)",
            r"|[0-9]{4}-(0[13578]|1[02])-31",
            r"|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)"
        )
    };
}

/// A filter on an instant, such as `IS_BEFORE:2026-02-28`. Days are those of UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DateFilter {
    /// The comparison.
    pub operator: DateOperator,
    /// The day whose start counts.
    pub day: NaiveDate,
}

impl DateFilter {
    /// Pattern that the specification demands; a refusal repeats it, as it is easy to read.
    pub const SHAPE: &'static str = r"^(IS_BEFORE|IS_ON_OR_AFTER):\d{4}-\d{2}-\d{2}$";
    /// Pattern that is accepted: only with days that exist.
    pub const PATTERN: &'static str = concat!("^(IS_BEFORE|IS_ON_OR_AFTER):", day!(), "$");

    /// Reads an operator and a day.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        static REGEX: LazyLock<Regex> = LazyLock::new(|| Regex::new(DateFilter::SHAPE).expect("valid pattern"));
        let refusal = Refusal::Pattern(Self::SHAPE);
        let (operator, day) = text.split_once(':').filter(|_| REGEX.is_match(text)).ok_or(refusal)?;
        let operator = DateOperator::parse(operator).ok_or(refusal)?;
        Ok(Self { operator, day: parse_day(day)? })
    }

    /// The first instant of the day.
    pub fn start(self) -> Timestamp {
        Timestamp::start_of(self.day)
    }
}

impl fmt::Display for DateFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.operator.as_str(), self.day.format("%Y-%m-%d"))
    }
}

/// One end of a range of days, such as `IS:2026-02-28`. Days are those of UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DayFilter(pub NaiveDate);

impl DayFilter {
    /// Pattern that the specification demands; a refusal repeats it, as it is easy to read.
    pub const SHAPE: &'static str = r"^(IS):\d{4}-\d{2}-\d{2}$";
    /// Pattern that is accepted: only with days that exist.
    pub const PATTERN: &'static str = concat!("^(IS):", day!(), "$");

    /// Reads the word `IS` and a day.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        static REGEX: LazyLock<Regex> = LazyLock::new(|| Regex::new(DayFilter::SHAPE).expect("valid pattern"));
        let day = text.strip_prefix("IS:").filter(|_| REGEX.is_match(text));
        parse_day(day.ok_or(Refusal::Pattern(Self::SHAPE))?).map(Self)
    }

    /// The first instant of the day.
    pub fn start(self) -> Timestamp {
        Timestamp::start_of(self.0)
    }

    /// The last millisecond of the day.
    pub fn end(self) -> Timestamp {
        self.start().end_of_day()
    }
}

impl fmt::Display for DayFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "IS:{}", self.0.format("%Y-%m-%d"))
    }
}

/// A day such as `2026-02-28`, or nothing: consoles send the parameter empty when no day was picked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OptionalDay(pub Option<NaiveDate>);

impl OptionalDay {
    /// A day or nothing; a refusal repeats it, as it is easy to read.
    pub const SHAPE: &'static str = r"^(\d{4}-\d{2}-\d{2})?$";
    /// Pattern that is accepted: only with days that exist.
    pub const PATTERN: &'static str = concat!("^", day!(), "?$");

    /// Reads a day, or an empty text.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        static REGEX: LazyLock<Regex> = LazyLock::new(|| Regex::new(OptionalDay::SHAPE).expect("valid pattern"));
        if !REGEX.is_match(text) {
            return Err(Refusal::Pattern(Self::SHAPE));
        }
        if text.is_empty() { Ok(Self(None)) } else { parse_day(text).map(|day| Self(Some(day))) }
    }
}

fn parse_day(text: &str) -> Result<NaiveDate, Refusal> {
    NaiveDate::parse_from_str(text, "%Y-%m-%d").map_err(|_| Refusal::NoSuchDay)
}
