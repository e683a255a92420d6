//! Terms of the evaluation of features: contexts, configuration and results.

use std::collections::BTreeMap;

use flagstone_wire::MaybeKnown;

use crate::{
    constraint::Constraint, feature::Dependency, strategy::FeatureStrategy, text::is_longer, time::Timestamp,
    variant::FeatureVariant,
};

/// Name of the context property with the time of the evaluation.
pub const CURRENT_TIME: &str = "currentTime";

/// Evaluation context: properties of the user or program that features are evaluated for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Subject(pub BTreeMap<String, String>);

/// Reason why a value cannot be part of an evaluation context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnfitValue {
    /// It is too long, or its name is.
    Long,
    /// There are too many others.
    Many,
    /// It is to be a time, and is none.
    NoTime,
}

impl std::fmt::Display for UnfitValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoTime => f.write_str("must be a time of RFC 3339, such as 2026-01-15T12:00:00Z"),
            Self::Long => write!(f, "must have at most {} characters, and its name as well", Subject::LONGEST_VALUE),
            Self::Many => write!(f, "is one too many: a context has at most {} values", Subject::MOST_VALUES),
        }
    }
}

impl Subject {
    /// Maximum number of properties of a context.
    pub const MOST_VALUES: usize = 100;
    /// Most characters of a value, and of its name.
    pub const LONGEST_VALUE: usize = 10_000;

    /// Adds a value, or puts it in the place of an earlier one of that name.
    pub fn know(&mut self, name: &str, value: String) -> Result<(), UnfitValue> {
        let value = if name == CURRENT_TIME { time(&value)? } else { value };
        self.keep(name, value)
    }

    /// Adds a property whose value is a list, separated by commas.
    pub fn know_choices(&mut self, name: &str, values: String) -> Result<(), UnfitValue> {
        if name != CURRENT_TIME {
            return self.keep(name, values);
        }
        let times: Vec<String> = listed(&values).map(time).collect::<Result<_, _>>()?;
        self.keep(name, times.join(","))
    }

    fn keep(&mut self, name: &str, value: String) -> Result<(), UnfitValue> {
        if is_longer(&value, Self::LONGEST_VALUE) || is_longer(name, Self::LONGEST_VALUE) {
            return Err(UnfitValue::Long);
        }
        if self.0.len() >= Self::MOST_VALUES && !self.0.contains_key(name) {
            return Err(UnfitValue::Many);
        }
        self.0.insert(name.to_owned(), value);
        Ok(())
    }
}

/// A time in the form that every engine reads. An empty text says none.
fn time(text: &str) -> Result<String, UnfitValue> {
    if text.is_empty() {
        return Ok(String::new());
    }
    Timestamp::parse(text).map(|at| at.to_string()).ok_or(UnfitValue::NoTime)
}

/// The values of a list that is separated by commas. Blanks next to a comma belong to it; others are part of the value,
/// as they are where there is no list.
fn listed(text: &str) -> impl Iterator<Item = &str> {
    let last = text.matches(',').count();
    text.split(',').enumerate().map(move |(place, value)| {
        let value = if place > 0 { value.trim_start() } else { value };
        if place < last { value.trim_end() } else { value }
    })
}

/// A feature as it is configured in one environment.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ConfiguredFeature {
    /// Its name.
    pub name: String,
    /// Id of its project.
    pub project: String,
    /// Whether it is on in the environment.
    pub enabled: bool,
    /// Its strategies, in their order, disabled ones included.
    pub strategies: Vec<FeatureStrategy>,
    /// Its variants in the environment.
    pub variants: Vec<FeatureVariant>,
    /// The features that it depends on.
    pub dependencies: Vec<Dependency>,
}

/// A segment as strategies refer to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownSegment {
    /// Its id.
    pub id: i64,
    /// Its name.
    pub name: String,
    /// Conditions that must all hold.
    pub constraints: Vec<Constraint>,
}

/// Result of evaluating something that may be of a kind that only its own clients know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// It does not hold.
    False,
    /// Only a client that knows the kind can evaluate it.
    Unknown,
    /// It holds.
    True,
}

impl From<bool> for Verdict {
    fn from(holds: bool) -> Self {
        if holds { Self::True } else { Self::False }
    }
}

impl From<Verdict> for MaybeKnown {
    fn from(verdict: Verdict) -> Self {
        Self(match verdict {
            Verdict::True => Some(true),
            Verdict::False => Some(false),
            Verdict::Unknown => None,
        })
    }
}

/// A context whose values are lists, separated by commas: each of its combinations takes one value of each list.
#[derive(Debug)]
pub struct Choices<'a>(Vec<(&'a str, Vec<&'a str>)>);

impl<'a> Choices<'a> {
    /// Reads the lists. `None` when there are more than so many combinations.
    pub fn of(lists: &'a Subject, most: usize) -> Option<Self> {
        let (mut choices, mut count) = (Vec::with_capacity(lists.0.len()), 1_usize);
        for (name, list) in &lists.0 {
            let mut values: Vec<&str> = Vec::new();
            for value in listed(list) {
                if !values.contains(&value) {
                    values.push(value);
                }
                if count.saturating_mul(values.len()) > most {
                    return None;
                }
            }
            count *= values.len();
            choices.push((&**name, values));
        }
        Some(Self(choices))
    }

    /// Number of combinations.
    pub fn count(&self) -> usize {
        self.0.iter().map(|(_, values)| values.len()).product()
    }

    /// Bytes of all names and values of all combinations.
    pub fn bytes(&self) -> usize {
        let count = self.count();
        let of_list = |(name, values): &(&str, Vec<&str>)| {
            let all: usize = values.iter().map(|value| value.len()).sum();
            name.len() * count + all * (count / values.len().max(1))
        };
        self.0.iter().map(of_list).sum()
    }

    /// The combinations, the last list changing first.
    pub fn subjects(&self) -> Vec<Subject> {
        let mut subjects = vec![Subject::default()];
        for (name, values) in &self.0 {
            let extended = subjects.iter().flat_map(|subject| {
                values.iter().map(|value| {
                    let mut extended = subject.clone();
                    extended.0.insert((*name).to_owned(), (*value).to_owned());
                    extended
                })
            });
            subjects = extended.collect();
        }
        subjects
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subject(pairs: &[(&str, &str)]) -> Subject {
        Subject(pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect())
    }

    #[test]
    fn each_value_of_each_list_meets_each_other() {
        let lists = subject(&[("appName", "web"), ("userId", "1, 2,1"), ("tier", "a,b")]);
        let all = Choices::of(&lists, 4).expect("four").subjects();
        let pairs: Vec<_> = all.iter().map(|one| (&*one.0["tier"], &*one.0["userId"])).collect();
        assert_eq!(pairs, [("a", "1"), ("a", "2"), ("b", "1"), ("b", "2")]);
        assert!(all.iter().all(|one| one.0["appName"] == "web"));
        assert!(Choices::of(&lists, 3).is_none());
        let long = subject(&[("x", &"a,b,c,d".repeat(1000))]);
        assert!(Choices::of(&long, 3).is_none());
    }

    #[test]
    fn the_size_of_all_combinations_is_known_before_they_are_made() {
        for pairs in [&[("appName", "web"), ("userId", "1, 22,1"), ("tier", "a,bcd,")][..], &[("x", "")], &[]] {
            let lists = subject(pairs);
            let choices = Choices::of(&lists, 100).expect("few");
            let subjects = choices.subjects();
            let bytes: usize =
                subjects.iter().flat_map(|one| &one.0).map(|(name, value)| name.len() + value.len()).sum();
            assert_eq!((choices.count(), choices.bytes()), (subjects.len(), bytes), "{pairs:?}");
        }
    }

    #[test]
    fn somebody_is_known_by_so_many_values_and_no_more() {
        let mut subject = Subject::default();
        for number in 0..Subject::MOST_VALUES {
            assert_eq!(subject.know(&number.to_string(), "ä".repeat(Subject::LONGEST_VALUE)), Ok(()));
        }
        assert_eq!(subject.know("0", "again".to_owned()), Ok(()));
        assert_eq!(subject.know("another", String::new()), Err(UnfitValue::Many));
        assert_eq!(subject.know("0", "a".repeat(Subject::LONGEST_VALUE + 1)), Err(UnfitValue::Long));
        assert_eq!(subject.know(&"a".repeat(Subject::LONGEST_VALUE + 1), String::new()), Err(UnfitValue::Long));
        assert_eq!(subject.0["0"], "again");
    }

    #[test]
    fn the_time_is_one_and_has_one_form() {
        for (given, kept) in [
            ("2026-01-15T12:00:00Z", Ok("2026-01-15T12:00:00.000Z")),
            ("2026-01-15T13:00:00.5+01:00", Ok("2026-01-15T12:00:00.500Z")),
            ("", Ok("")),
            ("nonsense", Err(UnfitValue::NoTime)),
            ("2026-02-30T12:00:00Z", Err(UnfitValue::NoTime)),
            ("2026-01-15", Err(UnfitValue::NoTime)),
            (" ", Err(UnfitValue::NoTime)),
            ("1768478400000", Err(UnfitValue::NoTime)),
        ] {
            let mut subject = Subject::default();
            let known = subject.know(CURRENT_TIME, given.to_owned());
            assert_eq!(known.map(|()| &*subject.0[CURRENT_TIME]), kept, "{given}");
        }
        let mut subject = Subject::default();
        let list = "2026-01-15T12:00:00Z , 2027-01-15T12:00:00Z";
        assert_eq!(subject.know_choices(CURRENT_TIME, list.to_owned()), Ok(()));
        assert_eq!(subject.0[CURRENT_TIME], "2026-01-15T12:00:00.000Z,2027-01-15T12:00:00.000Z");
        assert_eq!(subject.know_choices(CURRENT_TIME, format!("{list},never")), Err(UnfitValue::NoTime));
    }

    #[test]
    fn blanks_belong_to_a_value_unless_a_comma_is_beside_them() {
        for (list, values) in [
            (" 5 ", &[" 5 "][..]),
            (" 5 , 6 ", &[" 5", "6 "]),
            ("a,\tb ,c", &["a", "b", "c"]),
            (" , ", &["", ""]),
            ("", &[""]),
        ] {
            assert_eq!(listed(list).collect::<Vec<_>>(), values, "{list:?}");
        }
    }

    #[test]
    fn what_holds_outweighs_what_is_unknown() {
        assert!(Verdict::True > Verdict::Unknown && Verdict::Unknown > Verdict::False);
    }
}
