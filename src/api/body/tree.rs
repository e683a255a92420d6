//! A parsed body: numbers as the types that follow know them, and objects made as large as they will be.

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, SeqAccess, Visitor},
};
use serde_json::{Map, Value};

use crate::wire::Number;

/// Any JSON. `1.0` is read as `1`: a schema knows them as one integer, the types that follow do not.
pub(super) struct Tree(pub(super) Value);

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reading).map(Self)
    }
}

struct Reading;

impl<'de> Visitor<'de> for Reading {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Value, E> {
        Ok(Value::Bool(flag))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        Ok(Number::from(number).whole().map_or_else(|| number.into(), Value::from))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::String(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Value, E> {
        Ok(Value::String(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(Tree(value)) = items.next_element()? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    /// Members are gathered first: a map that grows with each of them is rebuilt again and again, and a data set has
    /// thousands.
    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut gathered: Vec<(String, Value)> = Vec::with_capacity(8);
        while let Some((name, Tree(value))) = members.next_entry()? {
            gathered.push((name, value));
        }
        let mut object = Map::with_capacity(gathered.len());
        object.extend(gathered);
        Ok(Value::Object(object))
    }
}

/// Reads a whole text.
pub(super) fn parse(bytes: &[u8]) -> serde_json::Result<Value> {
    // Looked at once, and not text by text; where it is no UTF-8, what follows tells the place.
    let read = std::str::from_utf8(bytes).map_or_else(|_| serde_json::from_slice(bytes), serde_json::from_str);
    read.map(|Tree(value)| value)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn reads_what_the_general_reader_does_but_for_whole_fractions() {
        let text = r#"{"b":[1,-2,1.5,true,null,"\u00e9\n",{}],"a":{"b":"x","a":18446744073709551615,"b":"y"},"":[]}"#;
        let read = parse(text.as_bytes()).expect("JSON");
        let general: Value = serde_json::from_str(text).expect("JSON");
        assert_eq!(read.to_string(), general.to_string());
        let whole = parse(b"[1.0,-0.0,3e2,9007199254740991.0,9007199254740993.0,1e300]").expect("JSON");
        assert_eq!(whole, json!([1, 0, 300, 9_007_199_254_740_991_i64, 9_007_199_254_740_992.0, 1e300]));
    }

    #[test]
    fn a_member_cannot_smuggle_in_another_text() {
        let text = r#"{"$serde_json::private::RawValue":"[1]"}"#;
        assert_eq!(parse(text.as_bytes()).expect("JSON").to_string(), text);
    }

    #[test]
    fn what_is_no_json_or_too_deep_is_refused() {
        let deep = "[".repeat(200) + &"]".repeat(200);
        for text in ["", "{", "[1,]", "{\"a\"}", "1 2", "nan", &deep] {
            assert!(parse(text.as_bytes()).is_err(), "{text}");
        }
    }
}
