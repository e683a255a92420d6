//! An instant as a column: in tables and in statements it is its milliseconds.

use sea_orm::{
    ColIdx, ColumnType, DbErr, QueryResult, TryFromU64, TryGetError, TryGetable, Value,
    sea_query::{ArrayType, Nullable, ValueType, ValueTypeErr},
};

use super::Timestamp;

impl From<Timestamp> for Value {
    fn from(instant: Timestamp) -> Self {
        Self::BigInt(Some(instant.millis()))
    }
}

impl TryGetable for Timestamp {
    fn try_get_by<I: ColIdx>(row: &QueryResult, index: I) -> Result<Self, TryGetError> {
        i64::try_get_by(row, index).map(Self::from_millis)
    }
}

impl ValueType for Timestamp {
    fn try_from(value: Value) -> Result<Self, ValueTypeErr> {
        <i64 as ValueType>::try_from(value).map(Self::from_millis)
    }

    fn type_name() -> String {
        "Timestamp".to_owned()
    }

    fn array_type() -> ArrayType {
        ArrayType::BigInt
    }

    fn column_type() -> ColumnType {
        ColumnType::BigInteger
    }
}

/// Asked for by tables whose key holds an instant.
impl TryFromU64 for Timestamp {
    fn try_from_u64(millis: u64) -> Result<Self, DbErr> {
        TryInto::<i64>::try_into(millis).map(Self::from_millis).map_err(|_| DbErr::ConvertFromU64("Timestamp"))
    }
}

impl Nullable for Timestamp {
    fn null() -> Value {
        Value::BigInt(None)
    }
}
