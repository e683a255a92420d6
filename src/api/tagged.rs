//! An answer with an entity tag of its own, also to a question that comes in a body.

use std::{cell::Cell, marker::PhantomData};

use poem::{
    IntoResponse, Response,
    http::{HeaderMap, StatusCode, header},
};
use poem_openapi::{
    ApiResponse,
    registry::{MetaMediaType, MetaResponses, Registry},
    types::Type,
};
use serde::{Serialize, Serializer, ser::SerializeMap as _};

use crate::{
    api::{
        answer::{JSON, JSON_UTF8, json},
        http::{ASKED_AGAIN, is_known},
        programs::features::tagged,
    },
    domain::version::entity_tag,
};

/// 200 with a JSON body and its tag, or 304 for who has it.
#[derive(Debug)]
pub struct Tagged<T> {
    etag: String,
    body: Option<Vec<u8>>,
    shape: PhantomData<fn() -> T>,
}

impl<T> Tagged<T> {
    /// An object whose one property is a list, unless the headers of the question name its tag. The items are written as
    /// they come: what takes room is the answer alone.
    pub fn list(property: &'static str, items: impl Iterator<Item: Serialize>, headers: &HeaderMap) -> Self {
        let mut bytes = json(&List { property, items: Items(Cell::new(Some(items))) });
        // It grew by doubling, and is kept until its reader has taken it.
        bytes.shrink_to_fit();
        let etag = entity_tag(None, &bytes);
        let body = (!is_known(headers, &etag)).then_some(bytes);
        Self { etag, body, shape: PhantomData }
    }
}

struct List<I> {
    property: &'static str,
    items: Items<I>,
}

impl<I: Iterator<Item: Serialize>> Serialize for List<I> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(Some(1))?;
        object.serialize_entry(self.property, &self.items)?;
        object.end()
    }
}

/// Written once, since an iterator ends.
struct Items<I>(Cell<Option<I>>);

impl<I: Iterator<Item: Serialize>> Serialize for Items<I> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.take().into_iter().flatten())
    }
}

impl<T> IntoResponse for Tagged<T> {
    fn into_response(self) -> Response {
        let response = Response::builder().header(header::ETAG, self.etag).header(header::CACHE_CONTROL, ASKED_AGAIN);
        match self.body {
            None => response.status(StatusCode::NOT_MODIFIED).finish(),
            Some(bytes) => response.content_type(JSON_UTF8).body(bytes),
        }
    }
}

impl<T: Type> ApiResponse for Tagged<T> {
    fn meta() -> MetaResponses {
        let content = vec![MetaMediaType { content_type: JSON, schema: T::schema_ref() }];
        MetaResponses {
            responses: vec![tagged("The answer.", 200, content), tagged("The reader has it.", 304, vec![])],
        }
    }

    fn register(registry: &mut Registry) {
        T::register(registry);
    }
}
