//! The query parameters of searches, and those of directories.

use std::fmt::Display;

use arbitrary::Unstructured;
use flagstone::domain::{
    event_filter::{EventFilter, Phrase, PhrasePlace, fold_case},
    filter::{
        AnyTag, DateFilter, DayFilter, MAX_VALUES, OptionalDay, Page, Refusal, SegmentFilter, SortKey, SortOrder,
        StatusFilter, TagFilter, TextQuery, ValueFilter, whole_number,
    },
    scim::filter::{Filter, Kind},
};

use crate::document::text;

/// Checks that what was read and written again is read as the same.
#[track_caller]
fn returns<T: Display + PartialEq + std::fmt::Debug>(read: fn(&str) -> Result<T, Refusal>, given: &str) -> Option<T> {
    match read(given) {
        Ok(value) => {
            assert_eq!(read(&value.to_string()).as_ref(), Ok(&value), "from {given:?}");
            Some(value)
        }
        Err(refusal) => {
            assert!(!refusal.to_string().is_empty());
            None
        }
    }
}

fn one(given: &str) {
    let listed = [returns(ValueFilter::parse, given), returns(ValueFilter::parse_inclusive, given)];
    for filter in listed.into_iter().flatten() {
        assert!(filter.values.len() <= MAX_VALUES && filter.values.iter().all(|value| value.trim() == value));
        let creators = EventFilter::ids(Some(filter));
        let _ = EventFilter { creators, ..EventFilter::default() }.is_impossible();
    }
    // The published pattern takes a blank for a type or value, of which nothing is left: no feature has such a tag.
    let is_blank = |filter: &TagFilter| filter.values.iter().any(|tag| tag.kind.is_empty() || tag.value.is_empty());
    if !TagFilter::parse(given).is_ok_and(|filter| is_blank(&filter)) {
        returns(TagFilter::parse, given);
    }
    if let Some(filter) = returns(SegmentFilter::parse, given) {
        assert!(filter.values.len() <= MAX_VALUES);
    }
    if let Some(filter) = returns(DateFilter::parse, given) {
        assert_eq!(filter.start().day(), filter.day);
    }
    if let Some(filter) = returns(DayFilter::parse, given) {
        assert_eq!((filter.start().day(), filter.end().day()), (filter.0, filter.0));
        assert!(filter.start() < filter.end());
    }
    let _ = OptionalDay::parse(given);
    if let Ok(query) = TextQuery::parse(given) {
        assert!(query.alternatives.len() <= TextQuery::MAX_ALTERNATIVES);
        assert_eq!(TextQuery::parse(&query.alternatives.join(",")), Ok(query));
    }
    of_directory(given);
    let number = whole_number(given);
    let page = Page::new(number, number);
    assert!(number.is_none_or(|number| i64::try_from(number).is_ok()));
    assert!((1..=Page::MAX_LIMIT).contains(&page.limit));
    let _ = (SortKey::parse(given), SortOrder::parse(given));
    if let Some(phrase) = Phrase::new(Some(given), PhrasePlace::Payload) {
        assert_eq!(phrase.text(), fold_case(given));
        assert_eq!(Phrase::new(Some(phrase.text()), PhrasePlace::Payload).as_ref(), Some(&phrase));
    }
}

/// Words of which filters of directories are made.
const WORDS: &[&str] = &[
    "userName",
    "emails",
    "members",
    "meta.created",
    "active",
    "[value",
    "]",
    ".value",
    "(",
    ")",
    "not",
    "and",
    "or",
    "eq",
    "ne",
    "co",
    "gt",
    "pr",
    "null",
    "true",
    "\"ä\"",
    "\"2026-02-28T09:00:00Z\"",
    "ä",
];

/// A filter of a directory is one, or is refused in few words.
fn of_directory(given: &str) {
    for kind in [Kind::User, Kind::Group] {
        if let Err(fault) = Filter::parse(kind, given) {
            assert!(fault.message.contains("`filter` is wrong") && fault.message.len() < 1000, "{given:?} {fault}");
        }
    }
}

/// Every text means something or is refused, and what it means can be written again.
pub fn parameters(input: &[u8]) {
    if let Ok(given) = std::str::from_utf8(input) {
        one(given);
    }
    let mut choices = Unstructured::new(input);
    let mut texts = Vec::new();
    while !choices.is_empty() && texts.len() < 8 {
        let Ok(text) = text(&mut choices) else { break };
        one(&text);
        texts.push(text);
    }
    let words = input.iter().map(|byte| WORDS[usize::from(*byte) % WORDS.len()]);
    of_directory(&words.take(60).collect::<Vec<_>>().join(" "));
    if let Ok(tags) = AnyTag::parse(&texts) {
        let written: Vec<String> = tags.0.iter().map(|tag| format!("{}:{}", tag.kind, tag.value)).collect();
        assert_eq!(written, texts);
    }
    let status = StatusFilter::parse(&texts).expect("few");
    assert!(status.enabled_in.len() + status.disabled_in.len() <= texts.len());
    if let [first, second, ..] = texts.as_slice() {
        let both = format!("{first}{second}");
        assert_eq!(fold_case(&both), format!("{}{}", fold_case(first), fold_case(second)), "{first:?} {second:?}");
    }
}
