//! Responses of operations, for the document.
//!
//! `#[derive(ApiResponse)]` is for enums alone, writes the names of headers in capitals, and gives the document and the
//! response the same media type. Answers for which one of these is wrong are described by `api_response`.

use poem_openapi::{
    registry::{MetaHeader, MetaMediaType, MetaResponse, MetaResponses, Registry},
    types::Type,
};

use crate::api::answer::JSON;

/// One response of an operation.
#[derive(Debug)]
#[must_use]
pub struct ResponseMeta {
    meta: MetaResponse,
    register: fn(&mut Registry),
}

impl ResponseMeta {
    /// Returns a response without a body and without headers.
    pub fn new(status: u16, description: &'static str) -> Self {
        let meta =
            MetaResponse { description, status: Some(status), status_range: None, content: vec![], headers: vec![] };
        Self { meta, register: |_| () }
    }

    /// Adds a JSON body.
    pub fn json<T: Type>(mut self) -> Self {
        self.meta.content.push(MetaMediaType { content_type: JSON, schema: T::schema_ref() });
        self.register = T::register;
        self
    }

    /// Adds a body that is a text of this media type.
    pub fn text(mut self, content_type: &'static str) -> Self {
        self.meta.content.push(MetaMediaType { content_type, schema: String::schema_ref() });
        self
    }

    /// Adds a header.
    pub fn header(self, name: &str, description: &str) -> Self {
        self.with_header(name, description, true)
    }

    /// Adds a header that may be absent.
    pub fn optional_header(self, name: &str, description: &str) -> Self {
        self.with_header(name, description, false)
    }

    /// Adds the `ETag` of a resource.
    pub fn resource_tag(self) -> Self {
        self.header(
            "ETag",
            "Version of the resource. Send it as `If-Match` with a change that must not overwrite somebody else's, or \
             as `If-None-Match` to get 304 when nothing has changed.",
        )
    }

    /// Adds the `ETag` of an answer that is of no single resource.
    pub fn answer_tag(self) -> Self {
        self.header("ETag", "Version of this answer. Send it as `If-None-Match` to get 304 when nothing has changed.")
    }

    fn with_header(mut self, name: &str, description: &str, required: bool) -> Self {
        self.meta.headers.push(MetaHeader {
            name: name.to_owned(),
            description: Some(description.to_owned()),
            required,
            deprecated: false,
            schema: String::schema_ref(),
        });
        self
    }

    /// Adds the schema of the JSON body to the document.
    pub fn register(&self, registry: &mut Registry) {
        (self.register)(registry);
    }
}

/// Returns the responses in the order of the document.
pub fn responses(of: impl IntoIterator<Item = ResponseMeta>) -> MetaResponses {
    MetaResponses { responses: of.into_iter().map(|response| response.meta).collect() }
}

/// Describes an answer by its responses: `api_response!(Redirect, ResponseMeta::new(302, "There is no body."))`, with
/// parameters of the type in front of it: `api_response!([T: Type] Tagged<T>, …)`.
macro_rules! api_response {
    ($([$($parameters:tt)*])? $answer:path, $($response:expr),+ $(,)?) => {
        impl<$($($parameters)*)?> ::poem_openapi::ApiResponse for $answer {
            fn meta() -> ::poem_openapi::registry::MetaResponses {
                $crate::api::response_meta::responses([$($response),+])
            }

            fn register(registry: &mut ::poem_openapi::registry::Registry) {
                $($response.register(registry);)+
            }
        }
    };
}
pub(crate) use api_response;
