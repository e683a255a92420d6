use std::{borrow::Cow, marker::PhantomData, sync::Arc};

use poem_openapi::{
    registry::{MetaSchemaRef, Registry},
    types::{ParseError, ParseFromJSON, ParseResult, ToJSON, Type},
};
use serde::{Serialize, Serializer};
use serde_json::value::to_raw_value;

use super::RawJson;

/// The JSON of a `T`, which passes through without being read; copies share it. The document shows the schema of `T`.
#[derive(Debug)]
pub struct RawJsonOf<T> {
    json: Arc<RawJson>,
    shape: PhantomData<fn() -> T>,
}

impl<T> Clone for RawJsonOf<T> {
    fn clone(&self) -> Self {
        Self { json: Arc::clone(&self.json), shape: PhantomData }
    }
}

impl<T: Serialize> RawJsonOf<T> {
    /// Writes a value, whose members have names that are texts and numbers that are finite.
    pub fn of(value: &T) -> Self {
        Self::like(value)
    }
}

impl<T> RawJsonOf<T> {
    /// Writes a value that makes the same JSON as a `T`.
    pub fn like(value: &(impl Serialize + ?Sized)) -> Self {
        RawJson(to_raw_value(value).expect("string keys and finite numbers")).into()
    }

    /// Takes JSON text that was written from a `T`.
    pub fn from_text(text: String) -> serde_json::Result<Self> {
        RawJson::from_text(text).map(Self::from)
    }

    /// The JSON text.
    pub fn text(&self) -> &str {
        self.json.text()
    }
}

impl<T> From<RawJson> for RawJsonOf<T> {
    fn from(json: RawJson) -> Self {
        Self { json: json.into(), shape: PhantomData }
    }
}

impl<T> Serialize for RawJsonOf<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.json.serialize(serializer)
    }
}

impl<T: Type> Type for RawJsonOf<T> {
    const IS_REQUIRED: bool = true;
    type RawValueType = Self;
    type RawElementValueType = Self;

    fn name() -> Cow<'static, str> {
        T::name()
    }

    fn schema_ref() -> MetaSchemaRef {
        T::schema_ref()
    }

    fn register(registry: &mut Registry) {
        T::register(registry);
    }

    fn as_raw_value(&self) -> Option<&Self> {
        Some(self)
    }

    fn raw_element_iter<'a>(&'a self) -> Box<dyn Iterator<Item = &'a Self> + 'a> {
        Box::new(std::iter::once(self))
    }
}

impl<T: Type> ParseFromJSON for RawJsonOf<T> {
    fn parse_from_json(value: Option<serde_json::Value>) -> ParseResult<Self> {
        RawJson::parse_from_json(value).map(Self::from).map_err(ParseError::propagate)
    }
}

impl<T: Type> ToJSON for RawJsonOf<T> {
    fn to_json(&self) -> Option<serde_json::Value> {
        self.json.to_json()
    }
}
