//! Values of documents, and the keys that stand several times in one object: the last of them counts, as it does for most
//! readers.

use std::{cell::RefCell, fmt};

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// Maximum number of keys that are reported.
const MOST_TOLD: usize = 100;
/// Maximum number of characters of a key that are reported.
const MOST_CHARACTERS: usize = 100;

/// The value of a document, with the paths of keys that stand there several times.
pub(super) fn read<'de, D: Deserializer<'de>>(document: D) -> Result<(Value, Vec<String>), D::Error> {
    let repeated = RefCell::default();
    let value = Reading { place: &Place::Whole, repeated: &repeated }.deserialize(document)?;
    Ok((value, repeated.into_inner()))
}

/// Place of a value.
enum Place<'a> {
    Whole,
    Key(&'a Place<'a>, &'a str),
    Position(&'a Place<'a>, usize),
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole => Ok(()),
            Self::Position(above, position) => write!(f, "{above}[{position}]"),
            Self::Key(above, key) => {
                let dot = if matches!(above, Self::Whole) { "" } else { "." };
                write!(f, "{above}{dot}{}", key.chars().take(MOST_CHARACTERS).collect::<String>())
            }
        }
    }
}

#[derive(Clone, Copy)]
struct Reading<'a> {
    place: &'a Place<'a>,
    repeated: &'a RefCell<Vec<String>>,
}

impl<'de> DeserializeSeed<'de> for Reading<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Reading<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any valid JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        self.deserialize(deserializer)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        loop {
            let place = Place::Position(self.place, values.len());
            match access.next_element_seed(Reading { place: &place, ..self })? {
                Some(value) => values.push(value),
                None => return Ok(Value::Array(values)),
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut values = Map::new();
        while let Some(key) = access.next_key::<String>()? {
            let place = Place::Key(self.place, &key);
            let value = access.next_value_seed(Reading { place: &place, ..self })?;
            let mut repeated = self.repeated.borrow_mut();
            if values.contains_key(&key) && repeated.len() < MOST_TOLD {
                let told = place.to_string();
                if !repeated.contains(&told) {
                    repeated.push(told);
                }
            }
            drop(repeated);
            values.insert(key, value);
        }
        Ok(Value::Object(values))
    }
}
