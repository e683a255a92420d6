//! Language of the doc comments in `src`, room by room: how many summaries begin with a riddle instead of naming the
//! thing, and how many use private words where the field has terms of its own.

use std::{collections::BTreeMap, fs};

use crate::rooms::files;

/// Beginnings of a summary that describe the thing by a clause instead of naming it.
const RIDDLES: [&str; 19] = [
    "what", "whatever", "who", "whom", "whose", "whoever", "which", "the same", "that", "those", "one that", "such",
    "so", "as", "like", "how", "where", "the one", "the ones",
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

/// Summaries of one room, and the offending ones with their places.
#[derive(Default)]
struct Count {
    summaries: usize,
    riddles: Vec<String>,
    private_words: Vec<String>,
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
    let mut wrong = Vec::new();
    for (room, count) in counts() {
        let measures = [("begin with a riddle", count.riddles), ("use a private word", count.private_words)];
        for (measure, offending) in measures {
            // The goal of both is below one per cent of the summaries of each room.
            if offending.len() * 100 >= count.summaries.max(1) {
                wrong.push(format!("{room}: {} of {} {measure}: {offending:#?}", offending.len(), count.summaries));
            }
        }
    }
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
    assert!(begins_with_a_riddle("How far it is."));
    assert!(!begins_with_a_riddle("Assertions of a provider, as they came."));
    assert!(!begins_with_a_riddle("Whether it is what was asked."));
    assert!(uses_a_private_word("Whether somebody, or `nobody`, waits."));
    assert!(!uses_a_private_word("Intelligence of a `fn_tell`."));
}
