//! Answers to directories: the attributes that were asked for, under the label that was.

use std::marker::PhantomData;

use poem::{
    IntoResponse, Response,
    http::{StatusCode, header},
};
use poem_openapi::types::Type;
use serde::Serialize;
use serde_json::Value;

use super::{directory::Directory, refusal::Label};
use crate::{
    api::answer::{Created, Out, refusals},
    api::parameter::TextParameter,
    api::response_meta::api_response,
    domain::{scim::path::Path, version::Version},
};

refusals! {
    /// Refusals of discovery.
    DiscoveryRefusals = 401, 404, 429, 503;
    /// Refusals of lists.
    ListRefusals = 400, 401, 404, 429, 503;
    /// Refusals of creation.
    MakingRefusals = 400, 401, 403, 404, 409, 413, 415, 429, 503;
    /// Refusals of changes.
    ChangeRefusals = 400, 401, 403, 404, 409, 412, 413, 415, 429, 503;
    /// Refusals of bulks.
    BulkRefusals = 400, 401, 404, 413, 415, 429, 503;
    /// Refusals of deletion.
    DeletionRefusals = 400, 401, 403, 404, 409, 412, 429, 503;
}

/// Attributes that are always answered.
const ALWAYS: [&str; 2] = ["id", "schemas"];

/// Selection of attributes to answer.
#[derive(Debug, Default)]
pub struct Selection {
    only: Option<Vec<String>>,
    without: Vec<String>,
}

impl Selection {
    /// Selection by the two parameters: names of attributes, separated by commas.
    pub fn of(attributes: Option<TextParameter>, excluded: Option<TextParameter>) -> Self {
        let names = |TextParameter(text): TextParameter| -> Vec<String> {
            text.split(',').filter_map(|name| Some(Path::parse(name).ok()?.attribute)).collect()
        };
        let only = attributes.filter(|text| !text.0.trim().is_empty()).map(names);
        Self { only, without: excluded.map(names).unwrap_or_default() }
    }

    /// Whether an attribute is asked for.
    pub fn has(&self, attribute: &str) -> bool {
        let is_named = |names: &[String]| names.iter().any(|name| name.eq_ignore_ascii_case(attribute));
        ALWAYS.contains(&attribute)
            || (self.only.as_ref().is_none_or(|only| is_named(only)) && !is_named(&self.without))
    }

    /// A resource with what is asked for of it.
    pub fn apply<T: Serialize>(&self, resource: &T) -> Value {
        let mut value = serde_json::to_value(resource).expect("resources have string keys");
        if let Some(members) = value.as_object_mut() {
            members.retain(|attribute, _| self.has(attribute));
        }
        value
    }
}

/// 200 with a body of this type, of which attributes may be left out.
#[derive(Debug)]
pub struct Resource<T> {
    value: Value,
    label: Label,
    kind: PhantomData<fn() -> T>,
}

impl<T> Resource<T> {
    /// `value` is a `T`, as far as it is asked for.
    pub const fn new(value: Value, directory: &Directory) -> Self {
        Self { value, label: directory.label, kind: PhantomData }
    }
}

impl<T: Serialize> Resource<T> {
    /// The whole body, with all attributes.
    pub fn whole(body: &T, directory: &Directory) -> Self {
        Self::new(serde_json::to_value(body).expect("resources have string keys"), directory)
    }
}

impl<T: Send> IntoResponse for Resource<T> {
    fn into_response(self) -> Response {
        labelled(&self.value, self.label)
    }
}

api_response!([T: Type + Serialize] Resource<T>, Out::<T>::response());

/// 200 with a resource and its version as the `ETag`, or 304 for a directory that has this version.
#[derive(Debug)]
pub struct Current<T> {
    resource: Resource<T>,
    tag: String,
    is_known: bool,
}

impl<T> Current<T> {
    /// `value` is a `T` of this version, as far as it is asked for.
    pub fn new(value: Value, version: Version, directory: &Directory) -> Self {
        let tag = version.entity_tag();
        Self { resource: Resource::new(value, directory), is_known: directory.knows(&tag), tag }
    }
}

impl<T: Send> IntoResponse for Current<T> {
    fn into_response(self) -> Response {
        if self.is_known {
            return Response::builder().status(StatusCode::NOT_MODIFIED).header(header::ETAG, self.tag).finish();
        }
        self.resource.with_header(header::ETAG, self.tag).into_response()
    }
}

api_response!([T: Type + Serialize] Current<T>, Out::<T>::response().resource_tag());

/// 201 with what was made, its version as the `ETag`, and where it is.
#[derive(Debug)]
pub struct Made<T> {
    body: Value,
    label: Label,
    place: String,
    tag: String,
    kind: PhantomData<fn() -> T>,
}

impl<T> Made<T> {
    /// `body` is a `T` of this version, as far as it is asked for.
    pub fn new(body: Value, version: Version, directory: &Directory, place: String) -> Self {
        Self { body, label: directory.label, place, tag: version.entity_tag(), kind: PhantomData }
    }
}

impl<T: Send> IntoResponse for Made<T> {
    fn into_response(self) -> Response {
        let made = labelled(&self.body, self.label).with_header(header::LOCATION, self.place);
        made.with_header(header::ETAG, self.tag).with_status(StatusCode::CREATED).into_response()
    }
}

api_response!(
    [T: Type + Serialize] Made<T>,
    Created::<T>::response().header("Location", "Where it is.").resource_tag(),
);

fn labelled(body: &Value, label: Label) -> Response {
    let bytes = serde_json::to_vec(body).expect("answers have string keys and finite numbers");
    Response::builder().content_type(label.as_str()).body(bytes)
}
