//! An answer with an entity tag of its own, also to a question that comes in a body.

use std::marker::PhantomData;

use poem::{
    IntoResponse, Response,
    http::{HeaderMap, StatusCode, header},
};
use poem_openapi::{
    ApiResponse,
    registry::{MetaMediaType, MetaResponses, Registry},
    types::Type,
};
use serde::Serialize;

use crate::api::{
    answer::{JSON, JSON_UTF8, json},
    http::{ASKED_AGAIN, entity_tag, is_known},
    programs::features::tagged,
};

/// 200 with a JSON body and its tag, or 304 for who has it.
#[derive(Debug)]
pub struct Tagged<T> {
    etag: String,
    body: Option<Vec<u8>>,
    shape: PhantomData<fn() -> T>,
}

impl<T: Serialize> Tagged<T> {
    /// The answer, unless the headers of the question name its tag.
    pub fn of(body: &T, headers: &HeaderMap) -> Self {
        let bytes = json(body);
        let etag = entity_tag(&bytes);
        let body = (!is_known(headers.get(header::IF_NONE_MATCH), &etag)).then_some(bytes);
        Self { etag, body, shape: PhantomData }
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
