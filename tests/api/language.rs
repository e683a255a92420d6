//! Language of the doc comments in `src`, room by room: how many summaries begin with a riddle instead of naming the
//! thing, and how many use private words where the field has terms of its own.

use std::{collections::BTreeMap, fs};

use crate::rooms::files;

/// Beginnings of a summary that describe the thing by a clause instead of naming it.
const RIDDLES: [&str; 15] = [
    "what", "whatever", "who", "whom", "whose", "whoever", "which", "the same", "that", "those", "one that", "such",
    "so", "as", "like",
];

/// Words that readers of other programs do not meet in documentation.
const PRIVATE_WORDS: [&str; 14] = [
    "told",
    "tell",
    "tells",
    "telling",
    "somebody",
    "nobody",
    "whoever",
    "beside",
    "besides",
    "elsewhere",
    "heed",
    "heeds",
    "heeded",
    "heeding",
];

/// Rooms above the goal, with the percentages of riddles and of private words that stand for them, rounded down. In all
/// others both stay below one per cent.
const ABOVE_THE_GOAL: &[(&str, Percentages)] = &[
    ("accounts", Percentages { riddles: 11, private_words: 17 }),
    ("api", Percentages { riddles: 8, private_words: 5 }),
    ("audit", Percentages { riddles: 12, private_words: 7 }),
    ("backups", Percentages { riddles: 20, private_words: 11 }),
    ("cli", Percentages { riddles: 11, private_words: 12 }),
    ("clock", Percentages { riddles: 0, private_words: 12 }),
    ("deliveries", Percentages { riddles: 13, private_words: 18 }),
    ("edge", Percentages { riddles: 13, private_words: 12 }),
    ("edges", Percentages { riddles: 15, private_words: 10 }),
    ("error", Percentages { riddles: 4, private_words: 6 }),
    ("files", Percentages { riddles: 6, private_words: 33 }),
    ("jobs", Percentages { riddles: 6, private_words: 9 }),
    ("lib", Percentages { riddles: 20, private_words: 0 }),
    ("passwords", Percentages { riddles: 0, private_words: 28 }),
    ("presence", Percentages { riddles: 28, private_words: 0 }),
    ("sdk", Percentages { riddles: 18, private_words: 14 }),
    ("server", Percentages { riddles: 14, private_words: 13 }),
    ("sign_in", Percentages { riddles: 30, private_words: 23 }),
    ("start", Percentages { riddles: 9, private_words: 9 }),
    ("state", Percentages { riddles: 18, private_words: 12 }),
    ("store", Percentages { riddles: 11, private_words: 8 }),
    ("usage", Percentages { riddles: 7, private_words: 13 }),
    ("vault", Percentages { riddles: 11, private_words: 11 }),
];

/// Shares of a room's summaries in whole percent, rounded down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Percentages {
    riddles: usize,
    private_words: usize,
}

/// Summaries of one room, and the offending ones with their places.
#[derive(Default)]
struct Count {
    summaries: usize,
    riddles: Vec<String>,
    private_words: Vec<String>,
}

impl Count {
    fn percentages(&self) -> Percentages {
        let share = |offending: &[String]| offending.len() * 100 / self.summaries.max(1);
        Percentages { riddles: share(&self.riddles), private_words: share(&self.private_words) }
    }
}

/// Returns the first sentence of each doc comment of a file, with the number of its line.
fn summaries(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut block: Option<(&str, usize, Vec<&str>)> = None;
    for (number, line) in text.lines().chain([""]).enumerate() {
        let line = line.trim();
        let doc = ["///", "//!"].into_iter().find(|sign| line.starts_with(sign) && !line.starts_with("////"));
        match (doc, &mut block) {
            (Some(sign), Some((open, _, lines))) if sign == *open => lines.push(line[sign.len()..].trim()),
            (_, open) => {
                found.extend(open.take().map(|(_, number, lines)| (number, first_sentence(&lines))));
                block = doc.map(|sign| (sign, number + 1, vec![line[sign.len()..].trim()]));
            }
        }
    }
    found
}

/// Returns the first sentence of the first paragraph.
fn first_sentence(lines: &[&str]) -> String {
    let paragraph: Vec<&str> = lines.iter().copied().take_while(|line| !line.is_empty()).collect();
    let paragraph = paragraph.join(" ");
    let end = [". ", "! ", "? "].into_iter().filter_map(|end| paragraph.find(end)).min();
    end.map_or(paragraph.clone(), |end| paragraph[..=end].to_owned())
}

fn begins_with_a_riddle(summary: &str) -> bool {
    let summary = summary.to_lowercase();
    let ends_there = |rest: &str| !rest.starts_with(char::is_alphanumeric);
    RIDDLES.into_iter().any(|riddle| summary.strip_prefix(riddle).is_some_and(ends_there))
}

fn uses_a_private_word(summary: &str) -> bool {
    let is_private = |word: &str| PRIVATE_WORDS.contains(&word.to_lowercase().as_str());
    summary.split(|sign: char| !sign.is_alphanumeric() && sign != '_').any(is_private)
}

/// Counts the summaries of `src` by room.
fn counts() -> BTreeMap<String, Count> {
    let mut counts: BTreeMap<String, Count> = BTreeMap::new();
    for (room, path) in files() {
        let count = counts.entry(room).or_default();
        for (line, summary) in summaries(&fs::read_to_string(&path).expect("a file")) {
            let place = format!("{}:{line}: {summary}", path.display());
            count.summaries += 1;
            if begins_with_a_riddle(&summary) {
                count.riddles.push(place.clone());
            }
            if uses_a_private_word(&summary) {
                count.private_words.push(place);
            }
        }
    }
    counts
}

#[test]
fn summaries_name_the_thing_in_terms_of_the_field() {
    let mut standing: BTreeMap<&str, Percentages> = ABOVE_THE_GOAL.iter().copied().collect();
    let mut wrong = Vec::new();
    for (room, count) in counts() {
        let (stands, counted) = (standing.remove(room.as_str()).unwrap_or_default(), count.percentages());
        let measures = [
            ("begin with a riddle", stands.riddles, counted.riddles, count.riddles),
            ("use a private word", stands.private_words, counted.private_words, count.private_words),
        ];
        for (measure, stands, counted, offending) in measures {
            if counted > stands {
                let list = offending.join("\n  ");
                wrong.push(format!("{room}: {counted} %, not {stands} %, of the summaries {measure}:\n  {list}"));
            } else if counted < stands {
                wrong.push(format!("{room}: lower {stands} to {counted}: no more of the summaries {measure}"));
            }
        }
        if stands == Percentages::default() && ABOVE_THE_GOAL.iter().any(|(above, _)| *above == room) {
            wrong.push(format!("{room}: has reached the goal and needs no row"));
        }
    }
    wrong.extend(standing.into_keys().map(|room| format!("{room}: no such room")));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_summary_is_the_first_sentence_of_a_doc_comment() {
    let text = "//! A room. It\n//! rests.\n\n/// Cache of\n/// answers, by key. What it costs.\n///\n/// More.\nfn one() {}\n\
                // A reason.\n    /// Returns it\nfn two() {}\n/// Last.";
    let expected = [(1, "A room."), (4, "Cache of answers, by key."), (10, "Returns it"), (12, "Last.")];
    assert_eq!(summaries(text), expected.map(|(line, summary)| (line, summary.to_owned())));
}

#[test]
fn riddles_and_private_words_are_whole_words() {
    assert!(begins_with_a_riddle("What it holds."));
    assert!(begins_with_a_riddle("The same, by name."));
    assert!(!begins_with_a_riddle("Assertions of a provider, as they came."));
    assert!(!begins_with_a_riddle("Whether it is what was asked."));
    assert!(uses_a_private_word("Whether somebody, or `nobody`, waits."));
    assert!(!uses_a_private_word("Intelligence of a `fn_tell`."));
}
