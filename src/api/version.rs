//! Concurrent edits: answers carry the version of what they show, and writes may say which version they are meant for.

use std::ops::Deref;

use poem::{
    IntoResponse, Request, RequestBody, Response,
    http::{HeaderMap, HeaderValue, header},
};
use poem_openapi::{
    ApiExtractor, ApiExtractorType, ExtractParamOptions,
    registry::{MetaParamIn, MetaSchema, MetaSchemaRef, Registry},
    types::Type,
};
use serde::Serialize;

use crate::{
    api::{answer::Out, response_meta::api_response},
    changes::if_match::IfMatch,
    domain::version::Version,
    error::Error,
};

/// Most characters of `If-Match`.
const LONGEST: usize = 10_000;

/// 200 with a resource and the version of it, which becomes part of the `ETag`.
#[derive(Debug)]
pub struct Versioned<T>(pub T, pub Version);

impl<T: Serialize> Versioned<T> {
    /// A resource that is all in this one body.
    pub fn whole(body: T) -> Self {
        let version = Version::of(&body);
        Self(body, version)
    }
}

impl<T: Serialize + Send> IntoResponse for Versioned<T> {
    fn into_response(self) -> Response {
        let mut response = Out(self.0).into_response();
        response.extensions_mut().insert(self.1);
        response
    }
}

api_response!([T: Type + Serialize] Versioned<T>, Out::<T>::response().resource_tag());

/// Reads the header `If-Match`.
fn if_match_of(headers: &HeaderMap) -> IfMatch {
    let given = headers.get_all(header::IF_MATCH).iter();
    let tags = given
        .flat_map(|value| value.as_bytes().split(|byte| *byte == b','))
        .map(|tag| String::from_utf8_lossy(tag).trim().to_owned());
    IfMatch::of_tags(tags.collect())
}

/// The header `If-Match`, as the versions that the change is meant for.
#[derive(Debug)]
pub struct IfMatchHeader(IfMatch);

impl Deref for IfMatchHeader {
    type Target = IfMatch;

    fn deref(&self) -> &IfMatch {
        &self.0
    }
}

impl<'a> ApiExtractor<'a> for IfMatchHeader {
    const TYPES: &'static [ApiExtractorType] = &[ApiExtractorType::Parameter];
    const PARAM_IS_REQUIRED: bool = false;
    type ParamType = Option<String>;
    type ParamRawType = String;

    fn register(_: &mut Registry) {}

    fn param_in() -> Option<MetaParamIn> {
        Some(MetaParamIn::Header)
    }

    fn param_schema_ref() -> Option<MetaSchemaRef> {
        let schema = MetaSchema { max_length: Some(LONGEST), ..MetaSchema::new("string") };
        Some(MetaSchemaRef::Inline(Box::new(schema)))
    }

    fn param_raw_type(&self) -> Option<&String> {
        None
    }

    async fn from_request(
        request: &'a Request,
        _: &mut RequestBody,
        _: ExtractParamOptions<Option<String>>,
    ) -> poem::Result<Self> {
        let given: usize = request.headers().get_all(header::IF_MATCH).iter().map(HeaderValue::len).sum();
        if given > LONGEST {
            let message = format!("The header `If-Match` must have at most {LONGEST} characters.");
            return Err(Error::invalid("/header/If-Match", message).into());
        }
        Ok(Self(if_match_of(request.headers())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn if_match(values: &[&'static str]) -> IfMatch {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(header::IF_MATCH, value.parse().expect("a header value"));
        }
        if_match_of(&headers)
    }

    #[test]
    fn a_change_goes_through_when_it_names_the_current_version_or_none() {
        let current = Version::of_event(0x2a);
        assert!(if_match(&[]).check(current).is_ok());
        for value in
            ["*", "W/\"000000000000002a.10-ff\"", "\"000000000000002a.1-2\"", "\"x.1\", \"000000000000002a.1\""]
        {
            assert!(if_match(&[value]).check(current).is_ok(), "{value}");
        }
        for value in ["", "\"000000000000002b.10-ff\"", "000000000000002a.10", "\"000000000000002a\"", "W/\"1-2\""] {
            assert!(if_match(&[value]).check(current).is_err(), "{value}");
        }
        assert!(if_match(&["\"x.1\"", "\"000000000000002a.1\""]).check(current).is_ok());
    }
}
