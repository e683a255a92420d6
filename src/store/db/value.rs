//! Binding of domain values to statements, and reading of them from rows.

use sea_orm::{DbErr, Statement, Value};

/// Replacement for a NUL in a searched text. It is no character either, and no name contains it.
const IN_PLACE_OF_NUL: &str = "\u{ffff}";

/// A statement that may ask for any text. No row holds a NUL, as no body may; but an address can, which PostgreSQL
/// refuses to be asked for, and at which SQLite's functions take a text to end.
pub(super) fn askable(mut statement: Statement) -> Statement {
    let values = statement.values.iter_mut().flat_map(|values| &mut values.0);
    for text in values.filter_map(|value| if let Value::String(Some(text)) = value { Some(text) } else { None }) {
        if text.contains('\0') {
            *text = text.replace('\0', IN_PLACE_OF_NUL);
        }
    }
    statement
}

/// A stored JSON text that cannot be read is a broken database, not a caller's mistake.
pub(crate) fn json_column<T: serde::de::DeserializeOwned>(column: &str, text: &str) -> Result<T, DbErr> {
    serde_json::from_str(text).map_err(|error| DbErr::Json(format!("column {column}: {error}")))
}

/// Reads a column with a JSON list; `NULL` is the empty one.
pub(crate) fn list_column<T: serde::de::DeserializeOwned>(column: &str, text: Option<&str>) -> Result<Vec<T>, DbErr> {
    text.map_or_else(|| Ok(Vec::new()), |text| json_column(column, text))
}

/// Value of a column with a JSON list: `None`, which is stored as `NULL`, for the empty one.
pub(crate) fn to_list_column<T: serde::Serialize>(list: &[T]) -> Option<String> {
    (!list.is_empty()).then(|| to_json_column(&list))
}

/// Compact JSON of a value that always has one.
pub(crate) fn to_json_column<T: serde::Serialize>(value: &T) -> String {
    serde_json::to_string(value).expect("domain values have string keys and finite numbers")
}
