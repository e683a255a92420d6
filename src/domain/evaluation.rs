//! What evaluating features is about: who asks, what is configured, and what comes out.

use std::collections::BTreeMap;

use crate::domain::{
    constraint::Constraint, feature::Dependency, strategy::FeatureStrategy, text::is_longer, variant::FeatureVariant,
};

/// What is known about whoever asks for features.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Subject(pub BTreeMap<String, String>);

/// Why somebody cannot be known by a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TooMuch {
    /// It is too long, or its name is.
    Long,
    /// There are too many others.
    Many,
}

impl std::fmt::Display for TooMuch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Long => write!(f, "must have at most {} characters, and its name as well", Subject::LONGEST_VALUE),
            Self::Many => write!(f, "is one too many: a context has at most {} values", Subject::MOST_VALUES),
        }
    }
}

impl Subject {
    /// Most values that somebody may be known by.
    pub const MOST_VALUES: usize = 100;
    /// Most characters of a value, and of its name.
    pub const LONGEST_VALUE: usize = 10_000;

    /// Adds a value, or puts it in the place of an earlier one of that name.
    pub fn know(&mut self, name: &str, value: String) -> Result<(), TooMuch> {
        if is_longer(&value, Self::LONGEST_VALUE) || is_longer(name, Self::LONGEST_VALUE) {
            return Err(TooMuch::Long);
        }
        if self.0.len() >= Self::MOST_VALUES && !self.0.contains_key(name) {
            return Err(TooMuch::Many);
        }
        self.0.insert(name.to_owned(), value);
        Ok(())
    }
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

/// What comes out of evaluating something that may be of a kind that only its own clients know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// It does not hold.
    False,
    /// Only a client that knows the kind can tell.
    Unknown,
    /// It holds.
    True,
}

impl From<bool> for Verdict {
    fn from(holds: bool) -> Self {
        if holds { Self::True } else { Self::False }
    }
}

/// The combinations of a context whose values are lists, separated by commas: each takes one value of each list.
/// `None` when there would be more than `limit`.
pub fn combinations(lists: &Subject, limit: usize) -> Option<Vec<Subject>> {
    let mut subjects = vec![Subject::default()];
    for (name, list) in &lists.0 {
        let mut values: Vec<&str> = Vec::new();
        for value in list.split(',').map(str::trim) {
            if !values.contains(&value) {
                values.push(value);
            }
            if subjects.len().saturating_mul(values.len()) > limit {
                return None;
            }
        }
        let extended = subjects.iter().flat_map(|subject| {
            values.iter().map(|value| {
                let mut extended = subject.clone();
                extended.0.insert(name.clone(), (*value).to_owned());
                extended
            })
        });
        subjects = extended.collect();
    }
    Some(subjects)
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
        let all = combinations(&lists, 4).expect("four");
        let pairs: Vec<_> = all.iter().map(|one| (&*one.0["tier"], &*one.0["userId"])).collect();
        assert_eq!(pairs, [("a", "1"), ("a", "2"), ("b", "1"), ("b", "2")]);
        assert!(all.iter().all(|one| one.0["appName"] == "web"));
        assert_eq!(combinations(&lists, 3), None);
        let long = subject(&[("x", &"a,b,c,d".repeat(1000))]);
        assert_eq!(combinations(&long, 3), None);
    }

    #[test]
    fn somebody_is_known_by_so_many_values_and_no_more() {
        let mut subject = Subject::default();
        for number in 0..Subject::MOST_VALUES {
            assert_eq!(subject.know(&number.to_string(), "ä".repeat(Subject::LONGEST_VALUE)), Ok(()));
        }
        assert_eq!(subject.know("0", "again".to_owned()), Ok(()));
        assert_eq!(subject.know("another", String::new()), Err(TooMuch::Many));
        assert_eq!(subject.know("0", "a".repeat(Subject::LONGEST_VALUE + 1)), Err(TooMuch::Long));
        assert_eq!(subject.know(&"a".repeat(Subject::LONGEST_VALUE + 1), String::new()), Err(TooMuch::Long));
        assert_eq!(subject.0["0"], "again");
    }

    #[test]
    fn what_holds_outweighs_what_is_unknown() {
        assert!(Verdict::True > Verdict::Unknown && Verdict::Unknown > Verdict::False);
    }
}
