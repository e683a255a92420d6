//! What the tokens of programs can make the server keep, and how much of it: in memory, and in the database.
//!
//! Whatever outlives a request in memory stands behind a lock, in a cache or in a channel. Each of those has a row here,
//! so that a new one is not made without saying who fills it and where it ends.

mod places;
mod rows;

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use regex::Regex;

use self::places::{BOUNDED_BY_PROGRAMS, FILLED_BY_OTHERS};

/// A place that programs fill, and its bound in words, in which constants of the source stand by their names.
pub struct Kept {
    /// The file, and the field or type in it; in the database, the table.
    pub place: (&'static str, &'static str),
    /// Things that are kept there.
    pub what: &'static str,
    /// Bound on their number or size.
    pub bound: &'static str,
    /// Constants that the bound relies on, with their values, by file.
    pub constants: &'static [(&'static str, &'static str)],
}

fn source(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{file}: {error}"))
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Every field, static and wrapping type of the program that holds something behind a lock, in a cache or in a channel:
/// its file and its name. What is made once and never changes is none of them.
fn holders() -> BTreeSet<(String, String)> {
    let holding = Regex::new(r"\b(Mutex|RwLock|ArcSwap|Cache|OnceLock|OnceCell|mpsc::Sender|mpsc::Receiver)<");
    let holding = holding.expect("a pattern");
    let field = Regex::new(r"^\s*(?:pub(?:\([^)]*\))? )?(?:static )?(\w+): ").expect("a pattern");
    let wrapper = Regex::new(r"^\s*(?:pub(?:\([^)]*\))? )?struct (\w+)(?:<[^(]*>)?\(").expect("a pattern");
    let variant = Regex::new(r"^\s+(\w+)\(").expect("a pattern");
    let mut paths = Vec::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    files(&root.join("src"), &mut paths);
    let mut found = BTreeSet::new();
    for path in paths {
        let text = fs::read_to_string(&path).expect("a file");
        let file = path.strip_prefix(root).expect("below it").to_string_lossy().into_owned();
        for line in text.split("#[cfg(test)]").next().unwrap_or_default().lines() {
            let code = line.split("//").next().unwrap_or_default();
            if !holding.is_match(code) || code.contains("fn ") || code.contains("->") || code.contains("= |") {
                continue;
            }
            let name = [&field, &wrapper, &variant].into_iter().find_map(|pattern| pattern.captures(code));
            let Some(name) = name else { continue };
            found.insert((file.clone(), name[1].to_owned()));
        }
    }
    found
}

#[test]
fn every_place_in_memory_is_in_the_table() {
    let listed: BTreeSet<(String, String)> = BOUNDED_BY_PROGRAMS
        .iter()
        .map(|kept| kept.place)
        .chain(FILLED_BY_OTHERS.iter().map(|(place, _)| *place))
        .map(|(file, name)| (file.to_owned(), name.to_owned()))
        .collect();
    let found = holders();
    assert!(found.len() > 40, "{found:?}");
    let missing: Vec<_> = found.difference(&listed).collect();
    assert!(missing.is_empty(), "no row says who fills these, and where they end: {missing:?}");
    let gone: Vec<_> = listed.difference(&found).collect();
    assert!(gone.is_empty(), "rows about nothing: {gone:?}");
    assert_eq!(listed.len(), BOUNDED_BY_PROGRAMS.len() + FILLED_BY_OTHERS.len(), "a place has two rows");
    let unbounded: Vec<_> = found.iter().filter(|(file, _)| source(file).contains("unbounded_channel")).collect();
    assert!(unbounded.is_empty(), "{unbounded:?}");
}

#[test]
fn each_bound_is_what_the_source_says() {
    for kept in BOUNDED_BY_PROGRAMS.iter().chain(&rows::WRITTEN_BY_PROGRAMS) {
        for (file, constant) in kept.constants {
            let name = constant.split([':', ' ']).next().expect("a name");
            assert!(source(file).contains(constant), "{:?}: {file} has no {constant}", kept.place);
            assert!(kept.bound.contains(name), "{:?}: {name} is not named in its bound", kept.place);
        }
        assert!(!kept.bound.is_empty() && !kept.what.is_empty());
    }
}

#[test]
fn the_document_has_the_table() {
    let document = source("docs/security/threat-model.md");
    for kept in BOUNDED_BY_PROGRAMS.iter().chain(&rows::WRITTEN_BY_PROGRAMS) {
        let (file, name) = kept.place;
        let row = format!("| `{file}` {name} | {} | {} |", kept.what, kept.bound);
        assert!(document.contains(&row), "docs/security/threat-model.md lacks the row\n{row}");
    }
}
