//! Tables as the schema of the target describes them. No table is named here, so that none is forgotten.

use std::collections::{BTreeMap, BTreeSet};

use crate::copy::CopyError;

/// Table of the migrations' own record: each database has its own.
pub(super) const MIGRATIONS: &str = "seaql_migrations";

/// Kind of a column's values. The schema knows no more, and a copy no other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Whole,
    Fraction,
    Truth,
    Text,
    Bytes,
}

impl Kind {
    /// Kind of the type with this name in PostgreSQL.
    pub(super) fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "bigint" => Self::Whole,
            "double precision" => Self::Fraction,
            "boolean" => Self::Truth,
            "text" => Self::Text,
            "bytea" => Self::Bytes,
            _ => return None,
        })
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Column {
    pub(super) name: String,
    pub(super) kind: Kind,
    /// Sequence that numbers new rows.
    pub(super) sequence: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Table {
    pub(super) name: String,
    /// Columns that are not computed by the database.
    pub(super) columns: Vec<Column>,
}

impl Table {
    pub(super) fn quoted(&self) -> String {
        quoted(&self.name)
    }

    /// The columns, as a statement lists them.
    pub(super) fn list(&self) -> String {
        self.columns.iter().map(|column| quoted(&column.name)).collect::<Vec<_>>().join(", ")
    }
}

/// A name, as both databases read it.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Tables and their columns, by name.
pub(super) type Columns = BTreeMap<String, BTreeSet<String>>;

/// Refuses when a table or column is on one side only.
pub(super) fn compare(source: &Columns, target: &[Table]) -> Result<(), CopyError> {
    let names = |table: &Table| table.columns.iter().map(|column| column.name.clone()).collect();
    let target: Columns = target.iter().map(|table| (table.name.clone(), names(table))).collect();
    let each = |tables: &Columns| -> BTreeSet<String> {
        let columns = |(table, columns): (&String, &BTreeSet<String>)| {
            columns.iter().map(|column| format!("{table}.{column}")).collect::<Vec<_>>()
        };
        tables.iter().flat_map(columns).collect()
    };
    let (source, target) = (each(source), each(&target));
    match (source.difference(&target).next(), target.difference(&source).next()) {
        (Some(only), _) => Err(CopyError::Unmatched(format!("only the source has {only}"))),
        (_, Some(only)) => Err(CopyError::Unmatched(format!("only the target has {only}"))),
        (None, None) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(name: &str, columns: &[&str]) -> Table {
        let column = |name: &&str| Column { name: (*name).to_owned(), kind: Kind::Text, sequence: None };
        Table { name: name.to_owned(), columns: columns.iter().map(column).collect() }
    }

    #[test]
    fn what_is_on_one_side_only_is_found() {
        let columns = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let source: Columns = [("a".to_owned(), columns(&["x", "y"])), ("b".to_owned(), columns(&["z"]))].into();
        let compared = |target: &[Table]| compare(&source, target).map_err(|error| error.to_string());
        assert_eq!(compared(&[table("b", &["z"]), table("a", &["y", "x"])]), Ok(()));
        let cases = [
            (vec![table("a", &["x", "y"])], "only the source has b.z"),
            (vec![table("a", &["x"]), table("b", &["z"])], "only the source has a.y"),
            (vec![table("a", &["x", "y"]), table("b", &["z"]), table("c", &["w"])], "only the target has c.w"),
            (vec![table("a", &["x", "y"]), table("b", &["w", "z"])], "only the target has b.w"),
        ];
        for (target, complaint) in cases {
            let refused = compared(&target).expect_err(complaint);
            assert!(refused.ends_with(complaint), "{refused}");
        }
    }

    #[test]
    fn names_are_quoted() {
        assert_eq!(table("a\"b", &["x", "order"]).quoted(), "\"a\"\"b\"");
        assert_eq!(table("a", &["x", "order"]).list(), "\"x\", \"order\"");
    }
}
