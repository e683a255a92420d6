//! Holds `docs/security/sign-in-cases.md` to the tests: each line of the list of cases stands there once, and what is
//! named beside it shows it.

use std::{fs, path::Path};

/// The numbers of the list.
const OIDC: std::ops::RangeInclusive<u32> = 1..=46;
const SAML: std::ops::RangeInclusive<u32> = 1..=33;

fn read(path: &str) -> Option<String> {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).ok()
}

/// The lines that a row begins with: `O7`, or `S1–S8`.
fn lines(row: &str) -> Vec<(char, u32)> {
    let word = row.split(' ').next().unwrap_or_default();
    let number = |text: &str| text.get(1..).and_then(|digits| digits.parse().ok());
    let (first, last) = word.split_once('–').unwrap_or((word, word));
    let letter = word.chars().next().unwrap_or_default();
    match (number(first), number(last)) {
        (Some(first), Some(last)) => (first..=last).map(|number| (letter, number)).collect(),
        _ => vec![],
    }
}

/// Whether a name that leaves parts out is this one.
fn matches(pattern: &str, name: &str) -> bool {
    let mut rest = name;
    let mut parts = pattern.split('…').peekable();
    let mut is_first = true;
    while let Some(part) = parts.next() {
        let place = if is_first { rest.starts_with(part).then_some(0) } else { rest.find(part) };
        let Some(place) = place else { return false };
        rest = &rest[place + part.len()..];
        is_first = false;
        if parts.peek().is_none() && !part.is_empty() && !rest.is_empty() {
            return false;
        }
    }
    true
}

fn names_of_tests(source: &str) -> Vec<&str> {
    source.split("fn ").skip(1).filter_map(|rest| rest.split('(').next()).collect()
}

/// Whether a source has a test for the line: in a name, or as the first word of a case.
fn shows(source: &str, (letter, number): (char, u32)) -> bool {
    let letter = letter.to_ascii_lowercase();
    let words = [format!("{letter}{number}"), format!("{letter}{number:02}")];
    let in_a_name =
        names_of_tests(source).iter().any(|name| name.split('_').any(|word| words.iter().any(|one| one == word)));
    in_a_name || source.contains(&format!("\"{}{number}\"", letter.to_ascii_uppercase()))
}

/// Names of a row in backticks, each with the pattern of a name in brackets after it.
fn named(tests: &str) -> Vec<(&str, Option<&str>)> {
    let parts: Vec<&str> = tests.split('`').collect();
    let mut named: Vec<(&str, Option<&str>)> = vec![];
    for (place, part) in parts.iter().enumerate().skip(1).step_by(2) {
        match named.last_mut() {
            Some((_, pattern)) if parts[place - 1].trim_end().ends_with('(') => *pattern = Some(part),
            _ => named.push((part, None)),
        }
    }
    named
}

fn check(line: (char, u32), tests: &str, real: &str) {
    for part in tests.split(';') {
        let part = part.trim();
        let (room, rest) = part.split_once(' ').unwrap_or((part, ""));
        for (name, pattern) in named(if room.len() == 1 { rest } else { part }) {
            let path = match room {
                "E" => {
                    assert!(
                        name.split('…').all(|piece| real.contains(piece)),
                        "{line:?}: no test of tests/providers is called {name}"
                    );
                    continue;
                }
                "P" => format!("tests/api/providers/{name}.rs"),
                "S" => format!("tests/saml/{name}.rs"),
                _ => {
                    let path = format!("src/{name}.rs");
                    assert!(read(&path).is_some_and(|source| source.contains("test]")), "{line:?}: {path} has no test");
                    continue;
                }
            };
            let source = read(&path).unwrap_or_else(|| panic!("{line:?}: there is no {path}"));
            match pattern {
                Some(pattern) => assert!(
                    names_of_tests(&source).iter().any(|name| matches(pattern, name)),
                    "{line:?}: {path} has no {pattern}"
                ),
                None => assert!(shows(&source, line), "{line:?}: no test in {path} is named after it"),
            }
        }
    }
}

#[test]
fn each_line_of_the_list_has_the_tests_that_its_row_names() {
    let document = read("docs/security/sign-in-cases.md").expect("the document");
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/providers");
    let real: String = fs::read_dir(directory)
        .expect("the tests with real providers")
        .filter_map(|entry| fs::read_to_string(entry.ok()?.path()).ok())
        .collect();
    let mut found = vec![];
    for row in document.lines().filter_map(|line| line.strip_prefix("| ")) {
        let cells: Vec<&str> = row.trim_end_matches('|').split(" | ").collect();
        let [case, tests, outcome] = cells[..] else { continue };
        for line in lines(case) {
            assert!(tests.contains('`') && !outcome.trim().is_empty(), "{line:?}: {row}");
            check(line, tests, &real);
            found.push(line);
        }
    }
    let expected: Vec<_> = OIDC.map(|number| ('O', number)).chain(SAML.map(|number| ('S', number))).collect();
    assert_eq!(found, expected);
}
