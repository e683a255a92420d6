//! Query parameters of the search operations: each publishes its pattern and arrives as the value that it stands for.
//!
//! One that takes a single value is refused when it is repeated: the reader could not tell which one counted.

use poem_openapi::{
    registry::{MetaSchema, MetaSchemaRef},
    types::{ParseError, ParseFromParameter, ParseResult},
};

use uuid::Uuid;

use crate::{
    domain::{
        evaluation::Subject,
        event_archive::ArchiveFormat,
        filter::{
            AnyTag, DateFilter, DayFilter, OptionalDay, Page, Refusal, SegmentFilter, SortKey, SortOrder, StatusFilter,
            TagFilter, TextQuery, ValueFilter, whole_number,
        },
        scim::Sorting,
        strategy_id,
        text::{is_longer, is_name},
    },
    error::Error,
    wire::plain_type,
};

/// Refuses the value of a path parameter that cannot be the name of something.
pub fn check_path_name(parameter: &str, value: &str, most: usize) -> Result<(), Error> {
    if is_name(value, most) {
        return Ok(());
    }
    let message = format!("The path parameter `{parameter}` must have 1 to {most} characters, none of them NUL.");
    Err(Error::invalid(format!("/path/{parameter}"), message))
}

/// Whether the text of a lenient parameter is used as it is: one that takes any text, and means its default where that
/// makes no sense.
pub fn makes_sense(name: &str, text: &str) -> bool {
    match name {
        "limit" | "startIndex" => whole_number(text).is_some_and(|number| number > 0),
        "count" => text.starts_with('-') || whole_number(text).is_some(),
        "hoursBack" => whole_number(text)
            .and_then(|hours| i64::try_from(hours).ok())
            .is_some_and(|hours| (1..=MOST_HOURS_BACK).contains(&hours)),
        "actionable" | "archived" | "favoritesFirst" => matches!(text, "true" | "false"),
        "sortBy" => text == SortKey::DEFAULT || SortKey::parse(text) != SortKey::default(),
        _ => whole_number(text).is_some(),
    }
}

/// Declares parameter types: `Name(Value) = reader, schema;`. Where the reader takes all texts of the parameter, the
/// declaration starts with `list`.
macro_rules! parameters {
    () => {};
    ($(#[$doc:meta])* $name:ident($value:ty) = $read:expr, $schema:expr; $($rest:tt)*) => {
        parameter_type!($(#[$doc])* $name($value), $schema);

        impl ParseFromParameter for $name {
            fn parse_from_parameter(text: &str) -> ParseResult<Self> {
                let read: fn(&str) -> Result<$value, Refusal> = $read;
                read(text).map(Self).map_err(ParseError::custom)
            }

            fn parse_from_parameters<I: IntoIterator<Item = A>, A: AsRef<str>>(texts: I) -> ParseResult<Self> {
                let mut texts = texts.into_iter();
                match (texts.next(), texts.next()) {
                    (Some(text), None) => Self::parse_from_parameter(text.as_ref()),
                    (Some(_), Some(_)) => Err(ParseError::custom("must be given only once")),
                    (None, _) => Err(ParseError::expected_input()),
                }
            }
        }

        parameters!($($rest)*);
    };
    ($(#[$doc:meta])* list $name:ident($value:ty) = $read:expr, $schema:expr; $($rest:tt)*) => {
        parameter_type!($(#[$doc])* $name($value), $schema);

        impl ParseFromParameter for $name {
            fn parse_from_parameter(text: &str) -> ParseResult<Self> {
                Self::parse_from_parameters([text])
            }

            fn parse_from_parameters<I: IntoIterator<Item = A>, A: AsRef<str>>(texts: I) -> ParseResult<Self> {
                ($read)(texts).map(Self).map_err(ParseError::custom)
            }
        }

        parameters!($($rest)*);
    };
}

macro_rules! parameter_type {
    ($(#[$doc:meta])* $name:ident($value:ty), $schema:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct $name(pub $value);

        plain_type!($name, stringify!($name), $schema);
    };
}

parameters! {
    /// Filter on project ids.
    ProjectParameter(ValueFilter) = ValueFilter::parse, pattern(ValueFilter::PATTERN, "IS_ANY_OF:shop,billing");
    /// Filter on `active` and `stale`.
    StateParameter(ValueFilter) = ValueFilter::parse, pattern(ValueFilter::PATTERN, "IS:active");
    /// Filter on lifecycle stages.
    StageParameter(ValueFilter) = ValueFilter::parse, pattern(ValueFilter::PATTERN, "IS_ANY_OF:pre-live,live");
    /// Filter on feature types.
    TypeParameter(ValueFilter) = ValueFilter::parse, pattern(ValueFilter::PATTERN, "IS_NOT:permission");
    /// Filter on ids of creators.
    CreatorParameter(ValueFilter) = ValueFilter::parse, pattern(ValueFilter::PATTERN, "IS:1");
    /// Filter on tags.
    TagParameter(TagFilter) = TagFilter::parse, pattern(TagFilter::PATTERN, "INCLUDE_ALL_OF:simple:beta,team:web");
    /// Filter on names of segments.
    SegmentParameter(SegmentFilter) = SegmentFilter::parse, pattern(SegmentFilter::PATTERN, "INCLUDE:employees");
    /// Filter on the day of creation.
    DateParameter(DateFilter) = DateFilter::parse, pattern(DateFilter::PATTERN, "IS_ON_OR_AFTER:2026-01-15");

    /// Filter of the event search on names of features.
    EventFeatureParameter(ValueFilter) = ValueFilter::parse_inclusive, inclusive("IS:new-checkout");
    /// Filter of the event search on project ids.
    EventProjectParameter(ValueFilter) = ValueFilter::parse_inclusive, inclusive("IS_ANY_OF:shop,billing");
    /// Filter of the event search on names of environments.
    EventEnvironmentParameter(ValueFilter) = ValueFilter::parse_inclusive, inclusive("IS:production");
    /// Filter of the event search on event types.
    EventTypeParameter(ValueFilter) = ValueFilter::parse_inclusive, inclusive("IS:feature-created");
    /// Filter of the event search on ids of creators.
    EventCreatorParameter(ValueFilter) = ValueFilter::parse_inclusive, inclusive("IS_ANY_OF:1,2");
    /// One end of a range of days.
    DayParameter(DayFilter) = DayFilter::parse, pattern(DayFilter::PATTERN, "IS:2026-01-15");

    /// Filter of the search for change requests on a user.
    OneUserParameter(i64) = one_user, pattern(ONE_USER, "IS:2");
    /// Filter of the search for change requests on whether they are open.
    OpenParameter(bool) = is_open, pattern(OPEN_OR_CLOSED, "IS:open");

    /// One end of a range of days, or nothing.
    OptionalDayParameter(OptionalDay) = OptionalDay::parse, pattern(OptionalDay::PATTERN, "2026-01-15");

    /// Alternatives to look for, separated by commas.
    AlternativesParameter(TextQuery) = |text| TextQuery::parse(long(text)?), any_text(Some("checkout,team:web"));
    /// A text that is taken as it is; what it means, and so its example, is the operation's.
    TextParameter(String) = |text| long(text).map(str::to_owned), any_text(None);
    /// Name or id of something; what of, and so its example, is the operation's.
    NameParameter(String) = |text| short(text).map(str::to_owned),
        MetaSchema { max_length: Some(LONGEST_WORD), ..MetaSchema::new("string") };
    /// Application name of an evaluation's context.
    AskerApplicationParameter(String) = |text| Ok(text.to_owned()), of_asker("web-shop");
    /// Id of a user or of a session.
    AskerIdParameter(String) = |text| Ok(text.to_owned()), of_asker("7");
    /// Remote address of an evaluation's context.
    AskerAddressParameter(String) = |text| Ok(text.to_owned()), of_asker("192.0.2.7");
    /// Time of an evaluation's context.
    AskerTimeParameter(String) = |text| Ok(text.to_owned()),
        MetaSchema { format: Some("date-time"), ..of_asker("2026-01-15T12:00:00.000Z") };
    /// Version of the specification that SDKs follow.
    ClientSpecParameter(String) = |text| short(text).map(str::to_owned), word("5.2.0");
    /// By what a report is recognised when it comes again.
    ReportKeyParameter(String) = |text| at_most(LONGEST_KEY, text).map(str::to_owned),
        MetaSchema { max_length: Some(LONGEST_KEY), ..example("6f0e2c1a-6f7e-4b0e-9b57-0d6d7c1f3f52") };
    /// Id of a user. A text that is no whole number is the id of no user.
    UserIdParameter(Option<i64>) = |text| Ok(text.parse().ok()),
        MetaSchema { example: Some(2.into()), ..MetaSchema::new("integer") };
    /// Only the exact word `true` sets it.
    SwitchParameter(bool) = |text| Ok(short(text)? == "true"),
        MetaSchema { default: Some("false".into()), ..word("true") };
    /// Entries to skip. What is no whole number means none.
    OffsetParameter(Option<u64>) = |text| short(text).map(whole_number),
        MetaSchema { default: Some("0".into()), ..word("50") };
    /// Entries of a page. What is no whole number means the default.
    LimitParameter(Option<u64>) = |text| short(text).map(whole_number),
        MetaSchema { default: Some(Page::DEFAULT_LIMIT.to_string().into()), ..word("20") };
    /// Place of the first entry that a directory asks for, from 1. What is no whole number, or less, means 1.
    StartIndexParameter(Option<u64>) = |text| short(text).map(whole_number),
        MetaSchema { default: Some("1".into()), ..word("101") };
    /// Entries that a directory asks for. What is less than nothing means none, what is no whole number the default.
    CountParameter(Option<u64>) = |text| short(text).map(|text| if text.starts_with('-') { Some(0) } else { whole_number(text) }),
        MetaSchema { default: Some("100".into()), ..word("50") };
    /// Direction of a list that a directory asks for. Other words are refused in the form of the protocol.
    ScimSortOrderParameter(String) = |text| short(text).map(str::to_owned), MetaSchema {
        default: Some(Sorting::WORDS[0].into()),
        enum_items: Sorting::WORDS.map(Into::into).to_vec(),
        ..MetaSchema::new("string")
    };
    /// Entries of a list that is whole by default. What is no whole number means the default.
    ListLimitParameter(Option<u64>) = |text| short(text).map(whole_number),
        MetaSchema { default: Some(Page::MAX_LIMIT.to_string().into()), ..word("100") };
    /// Hours to go back. What is no whole number means the default.
    HoursBackParameter(Option<u64>) = |text| short(text).map(whole_number),
        MetaSchema { default: Some("48".into()), ..word("24") };
    /// Form of an archive of events.
    ArchiveFormatParameter(ArchiveFormat) = ArchiveFormat::parse, pattern(ArchiveFormat::PATTERN, "csv");
    /// Sort key of a list of features.
    SortKeyParameter(SortKey) = |text| long(text).map(SortKey::parse),
        MetaSchema { default: Some(SortKey::DEFAULT.into()), ..any_text(Some("environment:production")) };
    /// Direction of a list.
    SortOrderParameter(SortOrder) = SortOrder::parse, MetaSchema {
        default: Some(SortOrder::WORDS[0].into()),
        enum_items: SortOrder::WORDS.map(Into::into).to_vec(),
        ..MetaSchema::new("string")
    };

    /// Pairs of environment and state.
    list StatusParameter(StatusFilter) = |texts| StatusFilter::parse(all_short(texts)?), MetaSchema {
        items: Some(Box::new(MetaSchemaRef::Inline(Box::new(word("production:enabled"))))),
        max_items: Some(StatusFilter::MAX),
        ..MetaSchema::new("array")
    };
    /// Tags one of which is asked for.
    list AnyTagParameter(AnyTag) = AnyTag::parse, MetaSchema {
        items: Some(Box::new(MetaSchemaRef::Inline(Box::new(pattern(AnyTag::PATTERN, "simple:beta"))))),
        max_items: Some(AnyTag::MAX),
        ..MetaSchema::new("array")
    };
    /// Names that are asked for.
    list NamesParameter(Vec<String>) = names, MetaSchema {
        items: Some(Box::new(MetaSchemaRef::Inline(Box::new(word("express-checkout"))))),
        max_items: Some(MOST_NAMES),
        ..MetaSchema::new("array")
    };
    /// Ids of strategies that are asked for.
    list StrategyIdsParameter(Vec<Uuid>) = strategy_ids, MetaSchema {
        items: Some(Box::new(MetaSchemaRef::Inline(Box::new(MetaSchema {
            format: Some("uuid"),
            ..word("0190163d-8694-739b-aea5-966c26f8ad91")
        })))),
        max_items: Some(MOST_NAMES),
        ..MetaSchema::new("array")
    };
    /// Ids of projects that are asked for.
    list ProjectIdsParameter(Vec<String>) = project_ids, MetaSchema {
        items: Some(Box::new(MetaSchemaRef::Inline(Box::new(word("shop"))))),
        max_items: Some(MOST_PROJECTS),
        ..MetaSchema::new("array")
    };
}

/// Hours that a report of usage goes back unless the request says otherwise, and at most.
pub const MOST_HOURS_BACK: i64 = 48;
/// Most projects that one question names.
const MOST_PROJECTS: usize = 500;
/// Most names or ids that one question lists.
const MOST_NAMES: usize = 1000;
/// Pattern of a filter on one user.
const ONE_USER: &str = "^IS:[0-9]{1,18}$";
/// Pattern of a filter on what is open or closed.
const OPEN_OR_CLOSED: &str = "^IS:(open|closed)$";
/// Most characters of a text to look for.
const LONGEST: usize = 50_000;
/// Most characters by which a report is recognised.
const LONGEST_KEY: usize = 255;
/// Most characters of a word, name or number that no pattern bounds.
const LONGEST_WORD: usize = 1000;

fn long(text: &str) -> Result<&str, Refusal> {
    at_most(LONGEST, text)
}

fn short(text: &str) -> Result<&str, Refusal> {
    at_most(LONGEST_WORD, text)
}

fn at_most(most: usize, text: &str) -> Result<&str, Refusal> {
    if is_longer(text, most) { Err(Refusal::TooLong(most)) } else { Ok(text) }
}

fn all_short<S: AsRef<str>>(texts: impl IntoIterator<Item = S>) -> Result<Vec<String>, Refusal> {
    texts.into_iter().map(|text| short(text.as_ref()).map(str::to_owned)).collect()
}

fn project_ids<S: AsRef<str>>(texts: impl IntoIterator<Item = S>) -> Result<Vec<String>, Refusal> {
    let ids = all_short(texts.into_iter().take(MOST_PROJECTS + 1))?;
    if ids.len() > MOST_PROJECTS { Err(Refusal::TooMany(MOST_PROJECTS)) } else { Ok(ids) }
}

fn names<S: AsRef<str>>(texts: impl IntoIterator<Item = S>) -> Result<Vec<String>, Refusal> {
    let names = all_short(texts.into_iter().take(MOST_NAMES + 1))?;
    if names.len() > MOST_NAMES { Err(Refusal::TooMany(MOST_NAMES)) } else { Ok(names) }
}

fn strategy_ids<S: AsRef<str>>(texts: impl IntoIterator<Item = S>) -> Result<Vec<Uuid>, Refusal> {
    let read = |text: &String| strategy_id::parse(text).ok_or(Refusal::Choice("the id of a strategy"));
    names(texts)?.iter().map(read).collect()
}

fn one_user(text: &str) -> Result<i64, Refusal> {
    let id = text.strip_prefix("IS:").filter(|id| id.len() <= 18 && id.bytes().all(|digit| digit.is_ascii_digit()));
    id.and_then(|id| id.parse().ok()).ok_or(Refusal::Pattern(ONE_USER))
}

fn is_open(text: &str) -> Result<bool, Refusal> {
    match text {
        "IS:open" => Ok(true),
        "IS:closed" => Ok(false),
        _ => Err(Refusal::Pattern(OPEN_OR_CLOSED)),
    }
}

fn pattern(pattern: &str, sample: &str) -> MetaSchema {
    MetaSchema { pattern: Some(pattern.to_owned()), ..example(sample) }
}

fn inclusive(sample: &str) -> MetaSchema {
    pattern(ValueFilter::INCLUSIVE_PATTERN, sample)
}

fn of_asker(sample: &str) -> MetaSchema {
    MetaSchema { max_length: Some(Subject::LONGEST_VALUE), ..example(sample) }
}

fn any_text(sample: Option<&str>) -> MetaSchema {
    let example = sample.map(Into::into);
    MetaSchema { max_length: Some(LONGEST), example, ..MetaSchema::new("string") }
}

fn word(sample: &str) -> MetaSchema {
    MetaSchema { max_length: Some(LONGEST_WORD), ..example(sample) }
}

fn example(sample: &str) -> MetaSchema {
    MetaSchema { example: Some(sample.into()), ..MetaSchema::new("string") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read<T: ParseFromParameter>(texts: &[&str]) -> Result<T, String> {
        T::parse_from_parameters(texts).map_err(ParseError::into_message)
    }

    #[test]
    fn a_repeated_single_parameter_is_refused_and_a_repeated_list_is_joined() {
        assert!(read::<ProjectParameter>(&["IS:a"]).is_ok());
        let refusal = read::<ProjectParameter>(&["IS:a", "IS:b"]).expect_err("refused");
        assert!(refusal.ends_with("must be given only once"), "{refusal}");
        assert!(read::<LimitParameter>(&["1", "1"]).is_err());
        let StatusParameter(filter) = read(&["a:enabled", "b:enabled"]).expect("valid");
        assert_eq!(filter.enabled_in, ["a", "b"]);
    }

    #[test]
    fn every_example_fits_its_own_pattern() {
        fn check<T: ParseFromParameter>() {
            let MetaSchemaRef::Inline(schema) = T::schema_ref() else { panic!("inline") };
            let sample = schema.example.expect("an example");
            let sample = sample.as_str().expect("a string");
            let pattern = regex::Regex::new(&schema.pattern.expect("a pattern")).expect("valid");
            assert!(pattern.is_match(sample), "{sample}");
            assert!(T::parse_from_parameter(sample).is_ok(), "{sample}");
        }
        check::<ProjectParameter>();
        check::<StateParameter>();
        check::<StageParameter>();
        check::<TypeParameter>();
        check::<CreatorParameter>();
        check::<TagParameter>();
        check::<SegmentParameter>();
        check::<DateParameter>();
        check::<OptionalDayParameter>();
        check::<EventFeatureParameter>();
        check::<EventProjectParameter>();
        check::<EventEnvironmentParameter>();
        check::<EventTypeParameter>();
        check::<EventCreatorParameter>();
        check::<DayParameter>();
        check::<OneUserParameter>();
        check::<OpenParameter>();
    }
}
