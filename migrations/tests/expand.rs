//! Migrations only add: what the version before reads and writes stays, so that its nodes work on the new schema until
//! they are replaced.

use std::{fs, path::Path};

/// Statements that take something from the version before, in upper case.
const TAKING: [&str; 8] = [
    "DROP TABLE",
    "DROP COLUMN",
    "RENAME TO",
    "RENAME COLUMN",
    "SET NOT NULL",
    "ALTER COLUMN",
    "ADD CONSTRAINT",
    ".DROP_TABLE(",
];
/// Migrations that remove something, the number of such statements in each, and the version that no longer used it.
const CONTRACTIONS: [(&str, usize, &str); 1] = [("m0021_known_where.rs", 2, "0.1.0, before its release")];

/// Returns the statements of a migration that take something away.
fn taking(text: &str) -> Vec<String> {
    let upper = text.to_uppercase();
    let mut found: Vec<String> = Vec::new();
    for statement in TAKING {
        found.extend(upper.match_indices(statement).map(|_| statement.to_owned()));
    }
    // A column without a default cannot be left out by a program that does not know it.
    for (at, _) in upper.match_indices("ADD COLUMN") {
        let end = upper[at..].find([';', '"', ',']).map_or(upper.len(), |end| at + end);
        let column = &upper[at..end];
        if column.contains("NOT NULL") && !column.contains("DEFAULT") {
            found.push(column.to_owned());
        }
    }
    found
}

#[test]
fn no_migration_takes_away_what_the_version_before_uses() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut walked = 0;
    for entry in fs::read_dir(sources).expect("the migrations") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name").to_owned();
        let text = fs::read_to_string(&path).expect("text");
        let found = taking(&text);
        let allowed =
            CONTRACTIONS.iter().find(|(contraction, ..)| *contraction == name).map_or(0, |(_, count, _)| *count);
        assert_eq!(found.len(), allowed, "{name}: {found:?}. See docs/upgrading.md on expand, migrate and contract");
        walked += 1;
    }
    assert!(walked > 30, "{walked}");
}

#[test]
fn statements_that_take_something_away_are_recognised() {
    for (text, count) in [
        ("ALTER TABLE a DROP COLUMN b", 1),
        ("alter table a rename column b to c", 1),
        ("ALTER TABLE a RENAME TO b; DROP TABLE c", 2),
        ("ALTER TABLE a ADD COLUMN b text NOT NULL", 1),
        ("ALTER TABLE a ADD COLUMN b text NOT NULL DEFAULT ''", 0),
        ("ALTER TABLE a ADD COLUMN b text; CREATE TABLE c (d text NOT NULL)", 0),
        ("DROP INDEX a; DROP TRIGGER b", 0),
    ] {
        assert_eq!(taking(text).len(), count, "{text}");
    }
}
