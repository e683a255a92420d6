//! Instants as programs write them.

use chrono::{DateTime, NaiveDateTime};
use poem_openapi::{
    registry::MetaSchema,
    types::{ParseFromJSON, ParseResult, ToJSON},
};
use serde_json::Value;

use crate::{domain::time::Timestamp, wire::plain_type};

/// An instant as programs write it: RFC 3339, the same without an offset, or milliseconds since 1970. What is none of
/// these is no reason to refuse all that comes with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Moment(pub Option<Timestamp>);

impl Moment {
    fn read(value: &Value) -> Option<Timestamp> {
        match value {
            Value::Number(number) => number.as_i64().map(Timestamp::from_millis),
            Value::String(text) => {
                let text = text.trim();
                let with_offset = DateTime::parse_from_rfc3339(text).map(|instant| instant.timestamp_millis());
                let without = ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f"]
                    .iter()
                    .find_map(|form| NaiveDateTime::parse_from_str(text, form).ok())
                    .map(|instant| instant.and_utc().timestamp_millis());
                with_offset.ok().or(without).map(Timestamp::from_millis)
            }
            _ => None,
        }
    }
}

plain_type!(Moment, "moment", MetaSchema::ANY);

impl ParseFromJSON for Moment {
    fn parse_from_json(value: Option<Value>) -> ParseResult<Self> {
        Ok(Self(value.as_ref().and_then(Self::read)))
    }
}

impl ToJSON for Moment {
    fn to_json(&self) -> Option<Value> {
        self.0.map(|instant| instant.to_string().into())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_forms_of_all_programs_are_read_and_others_are_nothing() {
        let expected = Timestamp::parse("2026-01-15T12:00:00.500Z");
        for value in [
            json!("2026-01-15T12:00:00.500Z"),
            json!("2026-01-15T13:00:00.5+01:00"),
            json!("2026-01-15T12:00:00.500123"),
            json!("2026-01-15 12:00:00.5"),
            json!(1_768_478_400_500_i64),
        ] {
            assert_eq!(Moment::read(&value), expected, "{value}");
        }
        for value in [json!(null), json!("yesterday"), json!(""), json!({}), json!(1e300)] {
            assert_eq!(Moment::read(&value), None, "{value}");
        }
    }
}
