use chrono::NaiveDate;
use proptest::prelude::*;

use super::*;
use crate::tag::Tag;

/// Text that a list keeps as it is: no comma, no line break, no blank at either end.
fn value() -> impl Strategy<Value = String> {
    "[a-zA-Z0-9_:.äß'\"%-]([a-zA-Z0-9_ :.äß'\"%-]{0,10}[a-zA-Z0-9_:.äß'\"%-])?"
}

fn values() -> impl Strategy<Value = Vec<String>> {
    proptest::collection::hash_set(value(), 1..6).prop_map(|values| values.into_iter().collect())
}

fn tag(kind: &str, value: &str) -> Tag {
    Tag { value: value.to_owned(), kind: kind.to_owned() }
}

fn tags() -> impl Strategy<Value = Vec<Tag>> {
    let tag = ("[a-z]([a-z -]{0,5}[a-z])?", "[a-zä]([a-z ä_%:]{0,5}[a-zä:])?");
    let tags = proptest::collection::hash_set(tag, 1..6);
    tags.prop_map(|tags| tags.into_iter().map(|(kind, value)| Tag { value, kind }).collect())
}

fn day() -> impl Strategy<Value = NaiveDate> {
    (0..=9999_i32, 1..=366_u32).prop_filter_map("a day of the year", |(year, day)| NaiveDate::from_yo_opt(year, day))
}

/// Texts near the grammar, so that readers get past the operator.
fn nearly_a_filter() -> impl Strategy<Value = String> {
    let operator = "(IS|IS_NOT|IS_ANY_OF|INCLUDE|EXCLUDE_ALL|IS_BEFORE|IS_ON_OR_AFTER)?:?";
    (operator, prop_oneof![".{0,40}", "[0-9:, -]{0,20}", "[0-9]{4}-[0-9]{2}-[0-9]{2}", "\\PC{0,40}", "(?s:.){0,40}"])
        .prop_map(|(operator, rest)| operator + &rest)
}

proptest! {
    #[test]
    fn no_text_makes_a_reader_panic(text in nearly_a_filter()) {
        let _ = (ValueFilter::parse(&text), ValueFilter::parse_inclusive(&text));
        let _ = (TagFilter::parse(&text), SegmentFilter::parse(&text));
        let _ = (DateFilter::parse(&text), DayFilter::parse(&text));
        let _ = (TextQuery::parse(&text), StatusFilter::parse([&text]), SortKey::parse(&text));
        let _ = (SortOrder::parse(&text), Page::new(whole_number(&text), whole_number(&text)));
    }

    #[test]
    fn a_reader_accepts_exactly_what_its_published_pattern_accepts(text in nearly_a_filter()) {
        let matches = |pattern| regex::Regex::new(pattern).expect("valid").is_match(&text);
        prop_assert_eq!(ValueFilter::parse(&text).is_ok(), matches(ValueFilter::PATTERN));
        prop_assert_eq!(ValueFilter::parse_inclusive(&text).is_ok(), matches(ValueFilter::INCLUSIVE_PATTERN));
        prop_assert_eq!(TagFilter::parse(&text).is_ok(), matches(TagFilter::PATTERN));
        prop_assert_eq!(SegmentFilter::parse(&text).is_ok(), matches(SegmentFilter::PATTERN));
        prop_assert_eq!(DateFilter::parse(&text).is_ok(), matches(DateFilter::PATTERN));
        prop_assert_eq!(DayFilter::parse(&text).is_ok(), matches(DayFilter::PATTERN));
        prop_assert_eq!(OptionalDay::parse(&text).is_ok(), matches(OptionalDay::PATTERN));
    }

    #[test]
    fn a_printed_filter_reads_as_itself(
        operator in proptest::sample::select(ValueOperator::ALL),
        set_operator in proptest::sample::select(SetOperator::ALL),
        date_operator in proptest::sample::select(DateOperator::ALL),
        values in values(),
        tags in tags(),
        day in day(),
    ) {
        let filter = ValueFilter { operator, values: values.clone() };
        prop_assert_eq!(ValueFilter::parse(&filter.to_string()), Ok(filter));
        let filter = SegmentFilter { operator: set_operator, values };
        prop_assert_eq!(SegmentFilter::parse(&filter.to_string()), Ok(filter));
        let filter = TagFilter { operator: set_operator, values: tags };
        prop_assert_eq!(TagFilter::parse(&filter.to_string()), Ok(filter));
        let filter = DateFilter { operator: date_operator, day };
        prop_assert_eq!(DateFilter::parse(&filter.to_string()), Ok(filter));
        prop_assert_eq!(DayFilter::parse(&DayFilter(day).to_string()), Ok(DayFilter(day)));
    }

    #[test]
    fn a_negative_operator_is_the_complement_of_its_positive_one(rest in "[a-z,: ]{0,20}") {
        for (positive, negative) in [("IS", "IS_NOT"), ("IS_ANY_OF", "IS_NONE_OF")] {
            let read = |operator| ValueFilter::parse(&format!("{operator}:{rest}")).expect("any values will do");
            let (positive, negative) = (read(positive), read(negative));
            prop_assert_eq!(&positive.values, &negative.values);
            prop_assert!(!positive.is_negated() && negative.is_negated());
        }
        let pairs = [
            ("INCLUDE", "DO_NOT_INCLUDE"),
            ("INCLUDE_ANY_OF", "EXCLUDE_IF_ANY_OF"),
            ("INCLUDE_ALL_OF", "EXCLUDE_ALL"),
        ];
        for (positive, negative) in pairs {
            let read = |operator| SegmentFilter::parse(&format!("{operator}:{rest}")).expect("any values will do");
            let (positive, negative) = (read(positive), read(negative));
            prop_assert_eq!(&positive.values, &negative.values);
            prop_assert_eq!(positive.needs_all(), negative.needs_all());
            prop_assert!(!positive.is_negated() && negative.is_negated());
        }
    }

    #[test]
    fn page_parameters_stay_within_their_bounds(offset in ".{0,25}", limit in "[0-9 -]{0,25}") {
        let page = Page::new(whole_number(&offset), whole_number(&limit));
        prop_assert!((1..=Page::MAX_LIMIT).contains(&page.limit));
        prop_assert!(i64::try_from(page.offset).is_ok());
    }
}

#[test]
fn lists_are_trimmed_and_lose_blanks_and_repetitions() {
    let filter = ValueFilter::parse("IS_ANY_OF: kill-switch ,,release, release").expect("valid");
    assert_eq!(filter.values, ["kill-switch", "release"]);
    assert_eq!(ValueFilter::parse("IS:").expect("valid").values, [""; 0]);
    let filter = TagFilter::parse("INCLUDE: simple:a b ,team:x").expect("valid");
    assert_eq!(filter.values, [tag("simple", "a b"), tag("team", "x")]);
}

#[test]
fn the_value_of_a_tag_is_whatever_follows_the_first_colon() {
    let filter = TagFilter::parse("EXCLUDE_ALL:simple:a:b, link:https://example.com:8080/x ,team::").expect("valid");
    assert_eq!(filter.values, [tag("simple", "a:b"), tag("link", "https://example.com:8080/x"), tag("team", ":")]);
}

#[test]
fn what_breaks_the_pattern_is_refused_with_the_pattern() {
    for text in ["", "IS", "is:a", "IS_BETWEEN:a", " IS:a", "IS:a\nb"] {
        assert_eq!(ValueFilter::parse(text), Err(Refusal::Pattern(ValueFilter::PATTERN)), "{text:?}");
    }
    assert_eq!(ValueFilter::parse_inclusive("IS_NOT:a"), Err(Refusal::Pattern(ValueFilter::INCLUSIVE_PATTERN)));
    for text in ["INCLUDE:", "INCLUDE:simple", "INCLUDE::a:b", "INCLUDE:simple:a:b,", "IS:simple:a"] {
        assert_eq!(TagFilter::parse(text), Err(Refusal::Pattern(TagFilter::PATTERN)), "{text:?}");
    }
    for text in ["IS:2024-01-01", "IS_BEFORE:2024-1-1", "IS_BEFORE:2024-01-01 ", "IS_BEFORE:"] {
        assert_eq!(DateFilter::parse(text), Err(Refusal::Pattern(DateFilter::SHAPE)), "{text:?}");
    }
    for text in ["IS_BEFORE:2024-01-01", "2024-01-01", "IS:2024-01-01T00:00:00Z"] {
        assert_eq!(DayFilter::parse(text), Err(Refusal::Pattern(DayFilter::SHAPE)), "{text:?}");
    }
    assert!(SortOrder::parse("DESC").is_err());
}

#[test]
fn the_patterns_know_the_calendar() {
    let pattern = |text| regex::Regex::new(text).expect("valid");
    let patterns = [pattern(DateFilter::PATTERN), pattern(DayFilter::PATTERN), pattern(OptionalDay::PATTERN)];
    let years = (1895..=2105).chain([0, 1, 4, 100, 400, 9996, 9999]);
    for (year, month, day) in
        years.flat_map(|year| (0..=13).flat_map(move |month| (0..=32).map(move |day| (year, month, day))))
    {
        let date = format!("{year:04}-{month:02}-{day:02}");
        let exists = chrono::NaiveDate::from_ymd_opt(year, month, day).is_some();
        let texts = [format!("IS_BEFORE:{date}"), format!("IS:{date}"), date.clone()];
        let matched = [0, 1, 2].map(|index| patterns[index].is_match(&texts[index]));
        let read = [
            DateFilter::parse(&texts[0]).is_ok(),
            DayFilter::parse(&texts[1]).is_ok(),
            OptionalDay::parse(&texts[2]).is_ok(),
        ];
        assert_eq!((matched, read), ([exists; 3], [exists; 3]), "{date}");
    }
}

#[test]
fn impossible_days_are_told_from_wrong_forms() {
    for day in ["2024-13-45", "2023-02-29", "2024-00-10", "٢٠٢٤-٠١-٠١"] {
        assert_eq!(DateFilter::parse(&format!("IS_BEFORE:{day}")), Err(Refusal::NoSuchDay), "{day}");
        assert_eq!(DayFilter::parse(&format!("IS:{day}")), Err(Refusal::NoSuchDay), "{day}");
    }
    let day = DayFilter::parse("IS:2024-02-29").expect("a leap year");
    assert_eq!(day.start().to_string(), "2024-02-29T00:00:00.000Z");
    assert_eq!(day.end().to_string(), "2024-02-29T23:59:59.999Z");
}

#[test]
fn lists_have_a_bound_on_different_values() {
    let numbers = |count: usize| (0..count).map(|number| number.to_string()).collect::<Vec<_>>().join(",");
    assert_eq!(ValueFilter::parse(&format!("IS:{}", numbers(MAX_VALUES))).expect("valid").values.len(), MAX_VALUES);
    let refusal = Err(Refusal::TooMany(MAX_VALUES));
    assert_eq!(ValueFilter::parse(&format!("IS:{}", numbers(MAX_VALUES + 1))), refusal);
    assert!(ValueFilter::parse(&format!("IS:{}", "a,".repeat(MAX_VALUES * 2))).is_ok());
    assert!(StatusFilter::parse(vec!["production:enabled"; MAX_VALUES]).is_ok());
    for pair in ["production:enabled", "nothing"] {
        assert_eq!(StatusFilter::parse(vec![pair; MAX_VALUES + 1]), Err(Refusal::TooMany(MAX_VALUES)), "{pair}");
    }
    let most = TextQuery::MAX_ALTERNATIVES;
    assert!(TextQuery::parse(&numbers(most)).is_ok());
    assert_eq!(TextQuery::parse(&numbers(most + 1)), Err(Refusal::TooMany(most)));
}

#[test]
fn status_pairs_with_another_word_are_passed_over() {
    let filter = StatusFilter::parse(["dev:enabled", "prod:disabled", "prod:on", "enabled", "a:b:enabled"]);
    let filter = filter.expect("valid");
    assert_eq!(filter.enabled_in, ["dev", "a:b"]);
    assert_eq!(filter.disabled_in, ["prod"]);
    assert!(StatusFilter::parse(["prod:on"]).expect("valid").is_empty());
}

#[test]
fn a_text_query_is_split_at_commas_and_lower_cased() {
    let query = TextQuery::parse(" Alpha Two ,,ÄRGER,alpha two").expect("valid");
    assert_eq!(query.alternatives, ["alpha two", "ärger"]);
    assert_eq!(TextQuery::parse(" , ").expect("valid"), TextQuery::default());
}

#[test]
fn pages_and_keys_fall_back_to_their_defaults() {
    let page = |offset, limit| Page::new(whole_number(offset), whole_number(limit));
    assert_eq!(page("", ""), Page { offset: 0, limit: 50 });
    assert_eq!(page("-1", "0"), Page { offset: 0, limit: 50 });
    assert_eq!(page("1.5", "1.5"), Page { offset: 0, limit: 50 });
    assert_eq!(page("7", "1001"), Page { offset: 7, limit: 1000 });
    let largest = u64::try_from(i64::MAX).expect("positive");
    assert_eq!(page("99999999999999999999999", "99999999999999999999999"), Page { offset: largest, limit: 1000 });
    assert_eq!(SortKey::parse("favorite"), SortKey::CreatedAt);
    assert_eq!(SortKey::parse("environment:a:b"), SortKey::Environment("a:b".to_owned()));
}
