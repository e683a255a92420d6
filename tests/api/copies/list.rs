//! The list in `docs/copies.md`, and that nothing is missing in it.

use std::collections::{BTreeMap, BTreeSet};

use flagstone::api::document::DOCUMENT;
use regex::Regex;
use sea_orm::{ConnectionTrait, DatabaseBackend, Statement};

use crate::harness::TestApp;

const LIST: &str = include_str!("../../../docs/copies.md");
/// Schemas of the document that say what a feature has.
const SCHEMAS: [&str; 3] = ["Feature", "FeatureEnvironment", "FeatureStrategy"];

/// Ways of copying, by the columns of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    Clone,
    Environment,
    Project,
    Import,
    Revival,
    MoveIn,
}

/// Treatment of a column by a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Same,
    New,
    Own,
}

/// The rows of the list: names of the first two cells, and the verdicts.
fn rows() -> Vec<(Vec<String>, Vec<String>, [Verdict; 6])> {
    let name = Regex::new(r"`([A-Za-z_]+\.[A-Za-z_*]+)`").expect("a pattern");
    let names = |cell: &str| name.captures_iter(cell).map(|found| found[1].to_owned()).collect::<Vec<_>>();
    let lines = LIST.lines().filter(|line| line.starts_with('|')).skip(2);
    let verdict = |cell: &str| match cell {
        "same" => Verdict::Same,
        "new" => Verdict::New,
        "own" => Verdict::Own,
        other => panic!("{other:?} is no verdict"),
    };
    lines
        .map(|line| {
            let cells: Vec<&str> = line.split('|').map(str::trim).collect();
            let verdicts: Vec<Verdict> = cells[3..9].iter().map(|cell| verdict(cell)).collect();
            (names(cells[1]), names(cells[2]), verdicts.try_into().expect("six ways"))
        })
        .collect()
}

/// Returns the treatment of each column by a way of copying, `table.*` for all that are not named.
pub fn verdicts(way: Way) -> BTreeMap<String, Verdict> {
    let mut verdicts = BTreeMap::new();
    for (columns, _, of_row) in rows() {
        for column in columns {
            assert_eq!(verdicts.insert(column.clone(), of_row[way as usize]), None, "{column} stands in it twice");
        }
    }
    verdicts
}

/// Columns of the tables that name a feature, or what belongs to one.
async fn columns(app: &TestApp) -> BTreeSet<String> {
    let sql = match app.db().get_database_backend() {
        DatabaseBackend::Postgres => {
            "WITH RECURSIVE belonging(name) AS (
               SELECT 'feature'::text
               UNION SELECT conrelid::regclass::text FROM pg_constraint
                     JOIN belonging ON confrelid = belonging.name::regclass WHERE contype = 'f')
             SELECT table_name || '.' || column_name AS name FROM information_schema.columns
             WHERE table_schema = 'public' AND (table_name IN (SELECT name FROM belonging) OR table_name IN
               (SELECT table_name FROM information_schema.columns
                WHERE table_schema = 'public' AND column_name = 'feature_name'))"
        }
        _ => {
            "WITH RECURSIVE belonging(name) AS (
               SELECT 'feature'
               UNION SELECT of_key.name FROM belonging JOIN
                     (SELECT schema.name AS name, key.\"table\" AS parent
                      FROM sqlite_schema AS schema, pragma_foreign_key_list(schema.name) AS key
                      WHERE schema.type = 'table') AS of_key ON of_key.parent = belonging.name),
             every(name, member) AS (
               SELECT schema.name, member.name FROM sqlite_schema AS schema, pragma_table_info(schema.name) AS member
               WHERE schema.type = 'table' AND schema.name NOT LIKE '%\\_fts%' ESCAPE '\\')
             SELECT name || '.' || member AS name FROM every
             WHERE name IN (SELECT name FROM belonging)
                OR name IN (SELECT name FROM every WHERE member = 'feature_name')"
        }
    };
    let statement = Statement::from_string(app.db().get_database_backend(), sql);
    let rows = app.db().query_all_raw(statement).await.expect("columns");
    rows.iter().map(|row| row.try_get("", "name").expect("a name")).collect()
}

#[tokio::test]
async fn every_column_that_belongs_to_a_feature_is_in_the_list() {
    let app = TestApp::new().await;
    let listed: BTreeSet<String> = verdicts(Way::Clone).into_keys().collect();
    let stored = columns(&app).await;
    let whole = |column: &str| format!("{}.*", column.split_once('.').expect("a table").0);
    let missing: Vec<&String> =
        stored.iter().filter(|column| !listed.contains(*column) && !listed.contains(&whole(column))).collect();
    assert!(missing.is_empty(), "docs/copies.md does not say what copies do with {missing:?}");
    let tables: BTreeSet<String> = stored.iter().map(|column| whole(column)).collect();
    let gone: Vec<&String> =
        listed.iter().filter(|column| !stored.contains(*column) && !tables.contains(*column)).collect();
    assert!(gone.is_empty(), "docs/copies.md names {gone:?}, which nothing has");
}

#[test]
fn every_property_of_a_feature_in_the_document_is_in_the_list() {
    let listed: Vec<String> = rows().into_iter().flat_map(|(_, properties, _)| properties).collect();
    let mut stated = BTreeSet::new();
    for schema in SCHEMAS {
        let properties = DOCUMENT["components"]["schemas"][schema]["properties"].as_object().expect(schema);
        stated.extend(properties.keys().map(|property| format!("{schema}.{property}")));
    }
    assert_eq!(listed.iter().cloned().collect::<BTreeSet<_>>(), stated);
    assert_eq!(listed.len(), stated.len(), "each stands in it once");
}
