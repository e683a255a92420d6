//! Filter of the event log: events that a reader asks for, and the page of them.

use crate::{
    event_kind::EventKind,
    filter::{Page, ValueFilter},
    time::Timestamp,
};

/// Filter of the event log. In each list one value that fits is enough; `None` asks for nothing in particular, and an
/// empty list for what cannot be.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EventFilter {
    /// Names of types.
    pub kinds: Option<Vec<String>>,
    /// Ids of projects.
    pub projects: Option<Vec<String>>,
    /// Names of features.
    pub features: Option<Vec<String>>,
    /// Names of environments.
    pub environments: Option<Vec<String>>,
    /// Ids of who did it.
    pub creators: Option<Vec<i64>>,
    /// Earliest moment, included.
    pub from: Option<Timestamp>,
    /// Latest moment, included.
    pub to: Option<Timestamp>,
    /// A text that occurs.
    pub phrase: Option<Phrase>,
}

impl EventFilter {
    /// Whether the filter alone, without a look at any event, rules all of them out.
    pub fn is_impossible(&self) -> bool {
        let lists = [&self.kinds, &self.projects, &self.features, &self.environments];
        lists.into_iter().flatten().any(Vec::is_empty)
            || self.creators.as_ref().is_some_and(Vec::is_empty)
            || self.phrase.as_ref().is_some_and(|phrase| !phrase.can_occur())
    }

    /// The names that a list filter asks for.
    pub fn names(filter: Option<ValueFilter>) -> Option<Vec<String>> {
        filter.map(|filter| filter.values).filter(|values| !values.is_empty())
    }

    /// The ids that a list filter asks for. What is no id drops out.
    pub fn ids(filter: Option<ValueFilter>) -> Option<Vec<i64>> {
        let names = Self::names(filter)?;
        Some(names.iter().filter_map(|name| name.parse().ok()).collect())
    }

    /// One type.
    pub fn kind(kind: Option<EventKind>) -> Option<Vec<String>> {
        kind.map(|kind| vec![kind.as_str().to_owned()])
    }

    /// One name; an empty one asks for nothing in particular.
    pub fn name(name: Option<String>) -> Option<Vec<String>> {
        name.filter(|name| !name.is_empty()).map(|name| vec![name])
    }
}

/// A text that occurs as a whole, whatever the case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Phrase {
    text: String,
    place: PhrasePlace,
}

/// Part of an event in which a [`Phrase`] is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PhrasePlace {
    /// The JSON text of data, previous data and tags, and the reason.
    Payload,
    /// There, in the type, and in the name of who did it.
    PayloadAndOrigin,
}

impl Phrase {
    /// A phrase; an empty text asks for nothing in particular.
    pub fn new(text: Option<&str>, place: PhrasePlace) -> Option<Self> {
        let text = text.filter(|text| !text.is_empty())?;
        Some(Self { text: fold_case(text), place })
    }

    /// The text, with its case folded.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Part of an event to search.
    pub const fn place(&self) -> PhrasePlace {
        self.place
    }

    /// JSON text escapes control characters, and names hold none. The store sets one between the parts of a searched
    /// text, where nothing may match across.
    fn can_occur(&self) -> bool {
        !self.text.contains(|character: char| character.is_ascii_control() && character != '\x7f')
    }
}

/// The form in which texts are compared when case does not count: each letter on its own, so that a part of a text
/// is folded like the whole.
pub fn fold_case(text: &str) -> String {
    // Lower case writes the Greek sigma in two ways, depending on the letters around it.
    text.to_lowercase().replace('ς', "σ")
}

/// A stretch of the matching events, newest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventPage {
    /// The newest event of the page.
    pub start: PageStart,
    /// Most events of the page.
    pub limit: u64,
}

/// Start of a page of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageStart {
    /// After so many matching events.
    Skip(u64),
    /// At the newest matching event whose id is not above this one.
    AtId(i64),
}

impl From<Page> for EventPage {
    fn from(page: Page) -> Self {
        Self { start: PageStart::Skip(page.offset), limit: page.limit }
    }
}

impl EventPage {
    /// Starts at an id; without one, or at 0, at the newest event.
    pub fn from_id(id: Option<i64>, limit: u64) -> Self {
        let start = id.filter(|id| *id > 0).map_or(PageStart::Skip(0), PageStart::AtId);
        Self { start, limit }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn listed(text: &str) -> ValueFilter {
        ValueFilter::parse_inclusive(text).expect("valid")
    }

    #[test]
    fn an_empty_list_asks_for_everything_and_a_useless_one_for_nothing() {
        assert_eq!(EventFilter::names(Some(listed("IS:"))), None);
        assert_eq!(EventFilter::ids(Some(listed("IS: , "))), None);
        for useless in
            [EventFilter::ids(Some(listed("IS:abc"))), EventFilter::ids(Some(listed("IS:99999999999999999999")))]
        {
            assert!(EventFilter { creators: useless, ..EventFilter::default() }.is_impossible());
        }
        assert_eq!(EventFilter::ids(Some(listed("IS_ANY_OF:7,x,-42"))), Some(vec![7, -42]));
        assert!(!EventFilter::default().is_impossible());
    }

    #[test]
    fn phrases_with_control_characters_occur_nowhere() {
        for (text, possible) in [("a b", true), ("a\nb", false), ("\0", false), ("a\x7f", true)] {
            let phrase = Phrase::new(Some(text), PhrasePlace::Payload);
            assert_eq!(EventFilter { phrase, ..EventFilter::default() }.is_impossible(), !possible, "{text:?}");
        }
        assert_eq!(Phrase::new(Some(""), PhrasePlace::Payload), None);
    }

    #[test]
    fn a_page_by_id_starts_at_the_newest_event_when_the_id_is_absent_or_zero() {
        assert_eq!(EventPage::from_id(None, 5).start, PageStart::Skip(0));
        assert_eq!(EventPage::from_id(Some(0), 5).start, PageStart::Skip(0));
        assert_eq!(EventPage::from_id(Some(9), 5), EventPage { start: PageStart::AtId(9), limit: 5 });
    }

    proptest! {
        #[test]
        fn any_part_of_a_text_in_any_case_is_found_in_it(before in "\\PC{0,5}", part in "[a-zA-ZΑ-Ωα-ωςÄöÉ]{1,6}", after in "\\PC{0,5}") {
            let text = fold_case(&format!("{before}{part}{after}"));
            for written in [&part, &part.to_lowercase(), &part.to_uppercase()] {
                prop_assert!(text.contains(&fold_case(written)), "{:?} in {:?}", written, text);
            }
        }
    }
}
