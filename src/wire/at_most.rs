use std::borrow::Cow;

use poem_openapi::{
    registry::{MetaSchema, MetaSchemaRef, Registry},
    types::{ParseFromJSON, ParseResult, ToJSON, Type},
};

/// A list whose greatest length is part of its type, so that the document says it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AtMost<const MAX: usize, T>(pub Vec<T>);

impl<const MAX: usize, T: Type> Type for AtMost<MAX, T> {
    const IS_REQUIRED: bool = true;
    type RawValueType = Self;
    type RawElementValueType = T::RawValueType;

    fn name() -> Cow<'static, str> {
        format!("list_of_at_most_{MAX}_{}", T::name()).into()
    }

    fn schema_ref() -> MetaSchemaRef {
        Vec::<T>::schema_ref().merge(MetaSchema { max_items: Some(MAX), ..MetaSchema::ANY })
    }

    fn register(registry: &mut Registry) {
        T::register(registry);
    }

    fn as_raw_value(&self) -> Option<&Self> {
        Some(self)
    }

    fn raw_element_iter<'a>(&'a self) -> Box<dyn Iterator<Item = &'a T::RawValueType> + 'a> {
        self.0.raw_element_iter()
    }
}

/// Does not count: the body has been compared with the schema before.
impl<const MAX: usize, T: ParseFromJSON> ParseFromJSON for AtMost<MAX, T> {
    fn parse_from_json(value: Option<serde_json::Value>) -> ParseResult<Self> {
        Vec::parse_from_json(value).map(Self).map_err(poem_openapi::types::ParseError::propagate)
    }
}

impl<const MAX: usize, T: ToJSON> ToJSON for AtMost<MAX, T> {
    fn to_json(&self) -> Option<serde_json::Value> {
        self.0.to_json()
    }
}
