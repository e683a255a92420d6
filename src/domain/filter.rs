//! The grammar of the search operations' query parameters: `IS_ANY_OF:a,b` and its kin, read once into values.
//!
//! Every reader is total: any text gives a value or a [`Refusal`], in time linear in its length.

mod date;
mod paging;
mod set;
mod status;
mod tags;
mod text;
mod value;

use std::{collections::HashSet, fmt};

pub use self::{
    date::{DateFilter, DateOperator, DayFilter, OptionalDay},
    paging::{Page, SortKey, SortOrder, whole_number},
    set::{SegmentFilter, SetFilter, SetOperator, TagFilter},
    status::StatusFilter,
    tags::AnyTag,
    text::TextQuery,
    value::{ValueFilter, ValueOperator},
};

/// Most different values that one parameter may list: it bounds the size of a statement.
pub const MAX_VALUES: usize = 1000;

/// Reason why a text is no value of its parameter. `Display` ends the sentence "The query parameter x …".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// The text does not match this pattern.
    Pattern(&'static str),
    /// The text is none of these words.
    Choice(&'static str),
    /// The text lists more different values than this.
    TooMany(usize),
    /// The text has more characters than this.
    TooLong(usize),
    /// The date is in no calendar.
    NoSuchDay,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pattern(pattern) => write!(f, "must match the pattern {pattern}"),
            Self::Choice(words) => write!(f, "must be {words}"),
            Self::TooMany(most) => write!(f, "must not list more than {most} values"),
            Self::TooLong(most) => write!(f, "must have at most {most} characters"),
            Self::NoSuchDay => f.write_str("must hold a date of the calendar"),
        }
    }
}

impl std::error::Error for Refusal {}

/// The words of an operator: an enum that knows its spelling.
macro_rules! operators {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[$variant_doc])* $variant,)+
        }

        impl $name {
            /// Every operator.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The word on the wire.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }

            fn parse(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|operator| operator.as_str() == word)
            }
        }
    };
}
use operators;

/// The parts between commas, trimmed; empty ones and repetitions are dropped.
fn list(text: &str, most: usize) -> Result<Vec<String>, Refusal> {
    let mut seen = HashSet::new();
    let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
    let parts: Vec<&str> = parts.filter(|part| seen.insert(*part)).take(most + 1).collect();
    if parts.len() > most {
        return Err(Refusal::TooMany(most));
    }
    Ok(parts.into_iter().map(str::to_owned).collect())
}

#[cfg(test)]
mod tests;
