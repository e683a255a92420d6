//! Statements of the database as spans: what is done to which table, and never a value.

use opentelemetry::{
    KeyValue,
    trace::{SpanBuilder, SpanKind},
};

use super::Timed;

/// Operations of statements, by their first word.
const OPERATIONS: [&str; 16] = [
    "SELECT",
    "INSERT",
    "UPDATE",
    "DELETE",
    "WITH",
    "BEGIN",
    "COMMIT",
    "SAVEPOINT",
    "RELEASE",
    "ROLLBACK",
    "PRAGMA",
    "LOCK",
    "CREATE",
    "ALTER",
    "DROP",
    "VACUUM",
];
/// Most characters of the name of a table.
const LONGEST_NAME: usize = 64;

/// Begins the span of a statement, below the current one if that is recorded.
pub fn statement(system: &'static str, sql: &str) -> Timed {
    Timed::below(|| {
        let (operation, table) = summary(sql);
        let mut attributes =
            vec![KeyValue::new("db.system.name", system), KeyValue::new("db.operation.name", operation)];
        let name = match table {
            Some(table) => {
                attributes.push(KeyValue::new("db.collection.name", table.to_owned()));
                format!("{operation} {table}")
            }
            None => operation.to_owned(),
        };
        attributes.push(KeyValue::new("db.query.summary", name.clone()));
        SpanBuilder::from_name(name).with_kind(SpanKind::Client).with_attributes(attributes)
    })
}

/// Returns the operation of a statement, and the first table that it names.
fn summary(sql: &str) -> (&'static str, Option<&str>) {
    let mut words = sql.split_ascii_whitespace();
    let first = words.next().unwrap_or_default().trim_end_matches(';');
    let known = OPERATIONS.iter().find(|operation| operation.eq_ignore_ascii_case(first));
    let Some(operation) = known else { return ("OTHER", None) };
    if *operation == "UPDATE" {
        return (operation, words.next().and_then(name));
    }
    let mut table = None;
    while let Some(word) = words.next() {
        if word.eq_ignore_ascii_case("FROM") || word.eq_ignore_ascii_case("INTO") {
            table = words.next().and_then(name);
            if table.is_some() {
                break;
            }
        }
    }
    (operation, table)
}

/// A word without its quotes, if it is a name.
fn name(word: &str) -> Option<&str> {
    let name = word.trim_end_matches([',', ';', ')']).trim_matches(['"', '`']);
    let is_name = |sign: u8| sign.is_ascii_alphanumeric() || sign == b'_';
    (!name.is_empty() && name.len() <= LONGEST_NAME && name.bytes().all(is_name)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_is_told_by_what_it_does_to_which_table() {
        for (sql, expected) in [
            (r#"SELECT "feature"."name" FROM "feature" WHERE "name" = 'x'"#, ("SELECT", Some("feature"))),
            (r#"INSERT INTO "event" ("id") VALUES (?)"#, ("INSERT", Some("event"))),
            (r#"UPDATE "feature" SET "name" = ?"#, ("UPDATE", Some("feature"))),
            (r"DELETE FROM session WHERE ended < ?", ("DELETE", Some("session"))),
            ("WITH found AS (SELECT 1 FROM (SELECT 2) x) SELECT a FROM feature", ("WITH", Some("feature"))),
            ("COMMIT", ("COMMIT", None)),
            ("pragma data_version", ("PRAGMA", None)),
            ("SELECT 'a secret FROM'", ("SELECT", None)),
            ("SELECT 1 FROM 'a-secret'", ("SELECT", None)),
            ("", ("OTHER", None)),
            ("'secret'", ("OTHER", None)),
        ] {
            assert_eq!(summary(sql), expected, "{sql}");
        }
    }
}
