//! Looking for any part of a text: how it is spelled for each database.

use sea_orm::sea_query::{BinOper, LikeExpr};

/// Text search by an index needs at least this many characters.
pub(crate) const SHORTEST_INDEXED: usize = 3;

/// Operator that puts one text behind another.
pub(crate) const CONCAT: BinOper = BinOper::Custom("||");

/// A text that contains `part`, whose `%` and `_` are plain characters.
pub(crate) fn containing(part: &str) -> LikeExpr {
    LikeExpr::new(format!("%{}%", escaped(part))).escape('\\')
}

/// A text that starts with `part`, whose `%` and `_` are plain characters.
pub(crate) fn starting_with(part: &str) -> LikeExpr {
    LikeExpr::new(format!("{}%", escaped(part))).escape('\\')
}

/// A text that ends with `part`, whose `%` and `_` are plain characters.
pub(crate) fn ending_with(part: &str) -> LikeExpr {
    LikeExpr::new(format!("%{}", escaped(part))).escape('\\')
}

fn escaped(part: &str) -> String {
    part.replace('\\', r"\\").replace('%', r"\%").replace('_', r"\_")
}

/// A full-text expression of SQLite: `part` as one phrase of consecutive trigrams, without any meaning of its signs.
pub(crate) fn phrase(part: &str) -> String {
    format!("\"{}\"", part.replace('"', "\"\""))
}

/// A full-text expression of SQLite for `part` in any of these columns.
pub(crate) fn phrase_in(columns: &[&str], part: &str) -> String {
    format!("{{{}}} : {}", columns.join(" "), phrase(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_of_either_language_lose_their_meaning() {
        assert_eq!(escaped(r"50%_\"), r"50\%\_\\");
        assert_eq!(phrase_in(&["a", "b"], "x\" OR *"), "{a b} : \"x\"\" OR *\"");
    }
}
