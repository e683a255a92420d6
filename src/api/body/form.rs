//! A form, as browsers and login providers send one: bounded, and checked against the published schema like JSON.

use std::marker::PhantomData;

use poem::{Request, RequestBody};
use poem_openapi::{
    ApiExtractor, ApiExtractorType, ExtractParamOptions,
    registry::{MetaRequest, Registry},
    types::ParseFromJSON,
};
use serde_json::{Map, Value};
use url::form_urlencoded;

use super::{Received, judged, meta_request, receive, refuse_nul};
use crate::{api::http::Attached as _, error::Error, state::Serving};

/// The media type of forms.
pub const FORM: &str = "application/x-www-form-urlencoded";
/// Most bytes of one: a SAML document of a MiB, in base64, with its signs encoded.
const MOST_BYTES: usize = 2 << 20;
/// Most fields of one.
const MOST_FIELDS: usize = 32;

/// A form that has been received but not yet judged. What the schema does not know is ignored.
#[derive(Debug)]
pub struct Form<T> {
    received: Result<Received, Error>,
    kind: PhantomData<fn() -> T>,
}

impl<T: ParseFromJSON + 'static> Form<T> {
    /// The value, or what is wrong with it: 413, 415, or 400 naming the field.
    pub fn read(self) -> Result<T, Error> {
        let received = self.received?;
        let bytes = received.coding.decoded(received.bytes, received.limit_bytes)?;
        let mut fields = Map::new();
        for (name, value) in form_urlencoded::parse(&bytes).take(MOST_FIELDS) {
            if fields.insert(name.clone().into_owned(), Value::String(value.into_owned())).is_some() {
                let message = "A field of the form is given twice, so that nobody could tell which one counts.";
                return Err(Error::invalid("/body", message));
            }
        }
        let value = Value::Object(fields);
        refuse_nul(&value, "/body")?;
        judged(value, bytes.len())
    }
}

impl<'a, T: ParseFromJSON + 'static> ApiExtractor<'a> for Form<T> {
    const TYPES: &'static [ApiExtractorType] = &[ApiExtractorType::RequestObject];
    type ParamType = ();
    type ParamRawType = ();

    fn register(registry: &mut Registry) {
        T::register(registry);
    }

    fn request_meta() -> Option<MetaRequest> {
        Some(meta_request::<T>(FORM, true))
    }

    async fn from_request(
        request: &'a Request,
        body: &mut RequestBody,
        _: ExtractParamOptions<()>,
    ) -> poem::Result<Self> {
        let state = Serving::of(request);
        let received = receive(request, body, MOST_BYTES, &[FORM], &state.reception).await;
        Ok(Self { received, kind: PhantomData })
    }
}
