//! Rows of packed lists: one list of fields makes the struct, the columns that the database writes, and their reader.
//!
//! In the database a row is a list without names, which is read fastest; since its order and that of the reader are the
//! order of one declaration, a column cannot come to stand in the place of another.

use std::{fmt, marker::PhantomData};

use flagstone_domain::time::Timestamp;
use flagstone_wire::RawJson;
use sea_orm::{
    DatabaseBackend,
    sea_query::{Expr, ExprTrait, Func},
};
use serde::{
    Deserialize, Deserializer,
    de::{DeserializeSeed, Error as _, SeqAccess, Visitor},
};

use super::Text;

/// Columns of a row that [`row`] declares.
pub(crate) trait Row {
    /// Number of its columns of stored JSON, which are the last ones.
    const STORED: usize;

    /// Returns the columns in the order in which they are read.
    fn columns(backend: DatabaseBackend) -> Vec<Expr>;
}

/// Reader of a row that [`row`] declares.
pub(crate) trait ReadRow<'de>: Sized {
    /// Reads the columns.
    fn read<A: SeqAccess<'de>>(columns: A) -> Result<Self, A::Error>;
}

/// Value of a row: how the database writes it, and how it is read.
pub(crate) trait PackedValue<'de>: Sized {
    /// The expression that a row gives for it.
    type Column;

    /// 1 for stored JSON, which goes into rows as it is (see [`super::rows_with_json`]).
    const STORED: usize = 0;

    /// Returns the column as the database writes it.
    fn written(backend: DatabaseBackend, column: Self::Column) -> Expr;

    /// Reads what was written.
    fn read<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error>;
}

/// Declares a row: each field with its type, and after `=` its column of an entity, or after `=>` any expression.
///
/// With `impl for TYPE { … }` in place of a struct the row is a type that is declared by another name.
macro_rules! row {
    (
        $(#[$meta:meta])*
        $visibility:vis struct $name:ident $(<$lifetime:lifetime>)? {
            $(
                $(#[$doc:meta])*
                $seen:vis $field:ident: $type:ty $(= $column:expr)? $(=> $expr:expr)?
            ),+ $(,)?
        }
    ) => {
        $(#[$meta])*
        $visibility struct $name $(<$lifetime>)? {
            $($(#[$doc])* $seen $field: $type),+
        }

        $crate::db::packed::row! {
            impl $(<$lifetime>)? for $name $(<$lifetime>)? {
                $($field: $type $(= $column)? $(=> $expr)?),+
            }
        }
    };
    (
        impl $(<$lifetime:lifetime>)? for $row:ty {
            $($field:ident: $type:ty $(= $column:expr)? $(=> $expr:expr)?),+ $(,)?
        }
    ) => {
        impl $(<$lifetime>)? $crate::db::packed::Row for $row {
            const STORED: usize = {
                let mut stored = 0;
                $(stored += <$type as $crate::db::packed::PackedValue<'static>>::STORED;)+
                stored
            };

            fn columns(backend: sea_orm::DatabaseBackend) -> Vec<sea_orm::sea_query::Expr> {
                vec![$(
                    <$type as $crate::db::packed::PackedValue<'static>>::written(
                        backend,
                        $(sea_orm::ColumnTrait::into_expr($column))? $($expr)?
                    )
                ),+]
            }
        }

        impl<'de $(: $lifetime, $lifetime)?> $crate::db::packed::ReadRow<'de> for $row {
            fn read<A: serde::de::SeqAccess<'de>>(mut columns: A) -> Result<Self, A::Error> {
                Ok(Self { $($field: $crate::db::packed::read_column(&mut columns)?),+ })
            }
        }

        impl<'de $(: $lifetime, $lifetime)?> serde::Deserialize<'de> for $row {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::db::packed::read_row(deserializer)
            }
        }
    };
}

/// Declares several flags that are written as one number, since each value has its price: the first counts 1, the next
/// 2, then 4. Each has its column as in [`row`], where such a field gives `()`.
macro_rules! flags {
    (
        $(#[$meta:meta])*
        $visibility:vis struct $name:ident { $($flag:ident $(= $column:expr)? $(=> $expr:expr)?),+ $(,)? }
    ) => {
        $(#[$meta])*
        $visibility struct $name {
            $($flag: bool),+
        }

        impl<'de> $crate::db::packed::PackedValue<'de> for $name {
            type Column = ();

            fn written(backend: sea_orm::DatabaseBackend, (): ()) -> sea_orm::sea_query::Expr {
                let flags = [$($(sea_orm::ColumnTrait::into_expr($column))? $($expr)?),+];
                $crate::db::packed::weighed(backend, flags)
            }

            fn read<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let mut flags = <u64 as serde::Deserialize>::deserialize(deserializer)?;
                let mut next = || {
                    let flag = flags & 1 == 1;
                    flags >>= 1;
                    flag
                };
                Ok(Self { $($flag: next()),+ })
            }
        }
    };
}

/// Declares the answers to several queries: each list with the type of its rows, or values, and the function that makes
/// its query.
macro_rules! lists {
    (
        $(#[$meta:meta])*
        $visibility:vis struct $name:ident $(<$lifetime:lifetime>)? {
            $($list:ident: $row:ty = $query:path),+ $(,)?
        }
    ) => {
        $(#[$meta])*
        $visibility struct $name $(<$lifetime>)? {
            $($list: Vec<$row>),+
        }

        impl $(<$lifetime>)? $name $(<$lifetime>)? {
            /// Number of the queries.
            $visibility const NUMBER: usize = [$(stringify!($list)),+].len();

            /// Returns the queries, each with one column.
            $visibility fn queries(backend: sea_orm::DatabaseBackend) -> Vec<sea_orm::sea_query::SelectStatement> {
                vec![$($query(backend)),+]
            }

            /// Reads the answers.
            $visibility fn read(
                answers: &$($lifetime)? [$crate::db::packed::Written],
            ) -> Result<Self, sea_orm::DbErr> {
                let mut answers = answers.iter();
                Ok(Self { $($list: $crate::db::packed::read_list(&mut answers)?),+ })
            }
        }
    };
}

pub(crate) use {flags, lists, row};

/// Makes types values of rows: how each is written and read, and whether it is stored JSON.
macro_rules! values {
    ($($type:ty $(where $lifetime:lifetime)? = $written:path, $read:expr, $stored:literal;)+) => {
        $(
            impl<'de $(: $lifetime, $lifetime)?> PackedValue<'de> for $type {
                type Column = Expr;

                const STORED: usize = $stored;

                fn written(_: DatabaseBackend, column: Expr) -> Expr {
                    $written(column)
                }

                fn read<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                    Deserialize::deserialize(deserializer).map($read)
                }
            }
        )+
    };
}

values! {
    i64 = plain, plain, 0;
    String = plain, plain, 0;
    Option<i64> = plain, plain, 0;
    Option<String> = plain, plain, 0;
    Text<'a> where 'a = plain, plain, 0;
    Option<Text<'a>> where 'a = plain, plain, 0;
    RawJson = plain, plain, 1;
    Option<RawJson> = plain, plain, 1;
    // SQLite has flags as numbers alone.
    bool = number, |number: i64| number != 0, 0;
    Timestamp = plain, Timestamp::from_millis, 0;
    Option<Timestamp> = plain, |millis: Option<i64>| millis.map(Timestamp::from_millis), 0;
}

fn plain<T>(value: T) -> T {
    value
}

/// A flag as the number 0 or 1.
fn number(flag: Expr) -> Expr {
    Func::cast_as(flag, "integer").into()
}

/// Several flags as one number, as [`flags`] says.
pub(crate) fn weighed<const N: usize>(backend: DatabaseBackend, flags: [Expr; N]) -> Expr {
    let weighed = flags.into_iter().enumerate().map(|(place, flag)| {
        // SQLite's flags are numbers already.
        let flag = if backend == DatabaseBackend::Postgres { number(flag) } else { flag };
        flag.mul(Expr::cust((1_u64 << place).to_string()))
    });
    weighed.reduce(ExprTrait::add).unwrap_or_else(|| Expr::cust("0"))
}

/// Reads a row.
pub(crate) fn read_row<'de, R: ReadRow<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<R, D::Error> {
    deserializer.deserialize_seq(RowVisitor::<R>(PhantomData))
}

/// Reads the next column of a row.
pub(crate) fn read_column<'de, V: PackedValue<'de>, A: SeqAccess<'de>>(columns: &mut A) -> Result<V, A::Error> {
    let value = columns.next_element_seed(ValueSeed::<V>(PhantomData))?;
    value.ok_or_else(|| A::Error::custom("a row has too few columns"))
}

struct RowVisitor<R>(PhantomData<R>);

impl<'de, R: ReadRow<'de>> Visitor<'de> for RowVisitor<R> {
    type Value = R;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a row")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, columns: A) -> Result<R, A::Error> {
        R::read(columns)
    }
}

struct ValueSeed<V>(PhantomData<V>);

impl<'de, V: PackedValue<'de>> DeserializeSeed<'de> for ValueSeed<V> {
    type Value = V;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<V, D::Error> {
        V::read(deserializer)
    }
}
