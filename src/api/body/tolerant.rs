//! JSON under either of two labels, brought into the published form before it is judged.

use std::marker::PhantomData;

use poem::{Request, RequestBody};
use poem_openapi::{
    ApiExtractor, ApiExtractorType, ExtractParamOptions,
    registry::{MetaRequest, Registry},
    types::ParseFromJSON,
};
use serde_json::Value;

use super::{Bound as _, Received, Standard, meta_request, receive};
use crate::{
    api::{answer::JSON, http::Attached as _, scim::refusal::SCIM},
    error::Error,
    state::Serving,
};

/// A body that has been received but not yet judged.
#[derive(Debug)]
pub struct Tolerant<T> {
    received: Result<Received, Error>,
    kind: PhantomData<fn() -> T>,
}

impl<T: ParseFromJSON + 'static> Tolerant<T> {
    /// The value of the body once it has been brought into its form, or what is wrong with it: 413, 415, or 400 naming
    /// the property.
    pub fn read(self, bring_into_form: fn(&mut Value)) -> Result<T, Error> {
        self.received?.amended(b"", |body| {
            bring_into_form(body);
            Ok(())
        })
    }

    /// Reads like [`Tolerant::read`] a body that may be refused once it is in its form, before it is judged.
    pub fn read_admitted(self, bring_into_form: fn(&mut Value) -> Result<(), Error>) -> Result<T, Error> {
        self.received?.amended(b"", bring_into_form)
    }
}

/// Reads a part of a body like a body of its own that [`Tolerant::read`] reads.
pub fn read_part<T: ParseFromJSON + 'static>(mut part: Value, bring_into_form: fn(&mut Value)) -> Result<T, Error> {
    bring_into_form(&mut part);
    super::judged(part, super::LISTED_BYTES + 1)
}

impl<'a, T: ParseFromJSON + 'static> ApiExtractor<'a> for Tolerant<T> {
    const TYPES: &'static [ApiExtractorType] = &[ApiExtractorType::RequestObject];
    type ParamType = ();
    type ParamRawType = ();

    fn register(registry: &mut Registry) {
        T::register(registry);
    }

    fn request_meta() -> Option<MetaRequest> {
        Some(meta_request::<T>(JSON, true))
    }

    async fn from_request(
        request: &'a Request,
        body: &mut RequestBody,
        _: ExtractParamOptions<()>,
    ) -> poem::Result<Self> {
        let state = Serving::of(request);
        let limit_bytes = Standard::limit_bytes(&state.config.body_limits);
        let received = receive(request, body, limit_bytes, &[JSON, SCIM], &state.reception).await;
        Ok(Self { received, kind: PhantomData })
    }
}
