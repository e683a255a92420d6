//! A row of any table, as both databases give it, and the checksum of many.

use std::fmt::Write as _;

use sea_orm::sqlx::{self, ColumnIndex, Decode, Row, Type};
use xxhash_rust::xxh3::xxh3_128;

use super::table::{Kind, Table};
use crate::copy::CopyError;

/// A value of a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Cell<'r> {
    Nothing,
    Whole(i64),
    Fraction(f64),
    Truth(bool),
    Text(&'r str),
    Bytes(&'r [u8]),
}

/// Position and error of a value that is not of its column's kind.
pub(super) type Misfit = (usize, sqlx::Error);

/// Reads a row in the order of the table's columns. A value of another type than its column's is an error.
pub(super) fn read<'r, R>(row: &'r R, table: &Table) -> Result<Vec<Cell<'r>>, Misfit>
where
    R: Row,
    usize: ColumnIndex<R>,
    i64: Decode<'r, R::Database> + Type<R::Database>,
    f64: Decode<'r, R::Database> + Type<R::Database>,
    bool: Decode<'r, R::Database> + Type<R::Database>,
    &'r str: Decode<'r, R::Database> + Type<R::Database>,
    &'r [u8]: Decode<'r, R::Database> + Type<R::Database>,
{
    let cell = |index: usize, kind: Kind| {
        Ok(match kind {
            Kind::Whole => row.try_get::<Option<i64>, _>(index)?.map(Cell::Whole),
            Kind::Fraction => row.try_get::<Option<f64>, _>(index)?.map(Cell::Fraction),
            Kind::Truth => row.try_get::<Option<bool>, _>(index)?.map(Cell::Truth),
            Kind::Text => row.try_get::<Option<&'r str>, _>(index)?.map(Cell::Text),
            Kind::Bytes => row.try_get::<Option<&'r [u8]>, _>(index)?.map(Cell::Bytes),
        })
    };
    let columns = table.columns.iter().enumerate();
    columns
        .map(|(index, column)| {
            let cell = cell(index, column.kind).map_err(|error: sqlx::Error| (index, error))?;
            Ok(cell.unwrap_or(Cell::Nothing))
        })
        .collect()
}

/// Appends a row in the text form of `COPY`.
pub(super) fn write(cells: &[Cell<'_>], table: &Table, lines: &mut String) -> Result<(), CopyError> {
    for (index, cell) in cells.iter().enumerate() {
        if index > 0 {
            lines.push('\t');
        }
        let written = match cell {
            Cell::Nothing => lines.write_str("\\N"),
            Cell::Whole(number) => write!(lines, "{number}"),
            // The shortest text that reads as the same number.
            Cell::Fraction(number) => write!(lines, "{number:e}"),
            Cell::Truth(truth) => lines.write_str(if *truth { "t" } else { "f" }),
            Cell::Text(text) => {
                if text.contains('\0') {
                    let reason = "it is a text with a NUL character, which PostgreSQL does not keep".to_owned();
                    return Err(CopyError::Value { place: place(table, index), reason });
                }
                escape(text, lines);
                Ok(())
            }
            Cell::Bytes(bytes) => write!(lines, "\\\\x{}", hex::encode(bytes)),
        };
        written.expect("a text takes what is written to it");
    }
    lines.push('\n');
    Ok(())
}

/// Table and column, for a message.
pub(super) fn place(table: &Table, column: usize) -> String {
    format!("{}.{}", table.name, table.columns.get(column).map_or("?", |column| &column.name))
}

fn escape(text: &str, lines: &mut String) {
    let mut rest = text;
    while let Some(at) = rest.find(['\\', '\n', '\r', '\t']) {
        lines.push_str(&rest[..at]);
        lines.push_str(match rest.as_bytes()[at] {
            b'\\' => "\\\\",
            b'\n' => "\\n",
            b'\r' => "\\r",
            _ => "\\t",
        });
        rest = &rest[at + 1..];
    }
    lines.push_str(rest);
}

/// Number of rows, and a checksum of their content in whatever order they come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Sum {
    pub(super) rows: u64,
    pub(super) checksum: u128,
}

impl Sum {
    pub(super) fn add(&mut self, cells: &[Cell<'_>]) {
        self.rows += 1;
        self.checksum = self.checksum.wrapping_add(xxh3_128(&bytes(cells)));
    }
}

/// The values one after the other, each so that no two rows read alike.
fn bytes(cells: &[Cell<'_>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut add = |kind: u8, content: &[u8]| {
        bytes.push(kind);
        bytes.extend((content.len() as u64).to_le_bytes());
        bytes.extend(content);
    };
    for cell in cells {
        match cell {
            Cell::Nothing => add(0, &[]),
            Cell::Whole(number) => add(1, &number.to_le_bytes()),
            Cell::Fraction(number) => add(2, &number.to_bits().to_le_bytes()),
            Cell::Truth(truth) => add(3, &[u8::from(*truth)]),
            Cell::Text(text) => add(4, text.as_bytes()),
            Cell::Bytes(content) => add(5, content),
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::copy::table::Column;

    fn sum(rows: &[&[Cell<'_>]]) -> Sum {
        let mut sum = Sum::default();
        for row in rows {
            sum.add(row);
        }
        sum
    }

    #[test]
    fn order_does_not_count_and_everything_else_does() {
        let (first, second) = ([Cell::Whole(1), Cell::Text("a")], [Cell::Whole(2), Cell::Text("b")]);
        let both = sum(&[&first, &second]);
        assert_eq!(both, sum(&[&second, &first]));
        let others: [&[&[Cell<'_>]]; 8] = [
            &[&[Cell::Whole(1), Cell::Text("b")], &[Cell::Whole(2), Cell::Text("a")]],
            &[&first],
            &[&first, &second, &second],
            &[&[Cell::Whole(1), Cell::Nothing], &second],
            &[&[Cell::Whole(1), Cell::Text("")], &second],
            &[&[Cell::Whole(1), Cell::Bytes(b"a")], &second],
            &[&[Cell::Truth(true), Cell::Text("a")], &second],
            &[&[Cell::Fraction(1.0), Cell::Text("a")], &second],
        ];
        for other in others {
            assert_ne!(both, sum(other), "{other:?}");
        }
        let [left, right] = [["ab", "c"], ["a", "bc"]].map(|texts| texts.map(Cell::Text));
        assert_ne!(sum(&[&left]), sum(&[&right]));
    }

    #[test]
    fn lines_are_what_copy_reads() {
        let column = |name: &str| Column { name: name.to_owned(), kind: Kind::Text, sequence: None };
        let table = Table { name: "t".to_owned(), columns: vec![column("a"), column("b")] };
        let cases = [
            (Cell::Nothing, "\\N"),
            (Cell::Whole(i64::MIN), "-9223372036854775808"),
            (Cell::Truth(true), "t"),
            (Cell::Truth(false), "f"),
            (Cell::Fraction(-0.0), "-0e0"),
            (Cell::Fraction(0.1 + 0.2), "3.0000000000000004e-1"),
            (Cell::Fraction(f64::NEG_INFINITY), "-inf"),
            (Cell::Text(""), ""),
            (Cell::Text("\\N"), "\\\\N"),
            (Cell::Text("\\."), "\\\\."),
            (Cell::Text("a\tb\r\nc \u{1f6a9} '\"\u{b}"), "a\\tb\\r\\nc \u{1f6a9} '\"\u{b}"),
            (Cell::Bytes(&[0, 0x5c, 0xff]), "\\\\x005cff"),
        ];
        for (cell, line) in cases {
            let mut lines = "before\n".to_owned();
            write(&[cell, Cell::Whole(1)], &table, &mut lines).expect("writes");
            assert_eq!(lines, format!("before\n{line}\t1\n"));
        }
        let refused = write(&[Cell::Nothing, Cell::Text("a\0")], &table, &mut String::new()).expect_err("NUL");
        assert!(refused.to_string().contains("t.b"), "{refused}");
    }
}
