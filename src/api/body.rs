//! The JSON request body: bounded, checked against the published schema, and refused by naming the property.

mod coding;
mod tree;

use std::{
    any::TypeId,
    collections::HashMap,
    marker::PhantomData,
    sync::{Arc, LazyLock, RwLock},
    time::Duration,
};

use jsonschema::{PatternOptions, ValidationError, Validator, error::ValidationErrorKind};
use poem::{Request, RequestBody, http::header};
use poem_openapi::{
    ApiExtractor, ApiExtractorType, ExtractParamOptions,
    registry::{MetaMediaType, MetaRequest, Registry},
    types::{ParseFromJSON, Type},
};
use serde_json::{Value, json};
use tokio::sync::{Semaphore, SemaphorePermit};

use self::coding::Received;
use crate::{
    api::{answer::JSON, state::State},
    config::BodyLimits,
    error::{Error, Finding},
};

/// Most findings that one refusal lists.
const MAX_FINDINGS: usize = 20;

/// Largest body that is not large, and whose findings are all listed. The checker collects every one before the first
/// can be taken, and a large body may have millions: of such a one only the first is told.
const LISTED_BYTES: usize = 1 << 16;
/// How long a body may take to arrive.
const ARRIVAL: Duration = Duration::from_mins(2);
/// A parsed data set takes many times its bytes: one is read at a time, away from the threads that answer others.
static LARGE_BODIES: Semaphore = Semaphore::const_new(1);
/// How long a large body waits for the one before it.
const LARGE_BODY_WAIT: Duration = Duration::from_mins(1);

/// Which bound applies to a body.
pub trait Bound: Send + Sync + 'static {
    /// Whether the document demands a body.
    const REQUIRED: bool = true;

    /// The bound in bytes.
    fn limit_bytes(limits: &BodyLimits) -> usize;
}

/// The bound of ordinary bodies.
#[derive(Debug)]
pub struct Standard;

/// The bound of ordinary bodies of operations that do without one: [`Body::read_or_empty`].
#[derive(Debug)]
pub struct Optional;

/// The bound of bodies that carry a whole export.
#[derive(Debug)]
pub struct Import;

impl Bound for Standard {
    fn limit_bytes(limits: &BodyLimits) -> usize {
        limits.standard_bytes
    }
}

impl Bound for Optional {
    const REQUIRED: bool = false;

    fn limit_bytes(limits: &BodyLimits) -> usize {
        Standard::limit_bytes(limits)
    }
}

impl Bound for Import {
    fn limit_bytes(limits: &BodyLimits) -> usize {
        limits.import_bytes
    }
}

/// A JSON body that has been received but not yet judged.
///
/// The operation calls [`Body::read`] after it has let the caller in, so that nobody without the permission learns
/// about the body's faults or makes the server work on it.
#[derive(Debug)]
pub struct Body<T, B = Standard> {
    received: Result<Received, Error>,
    kind: PhantomData<fn() -> (T, B)>,
}

impl<T: ParseFromJSON + 'static, B> Body<T, B> {
    /// The value, or what is wrong with it: 413, 415, or 400 naming the property.
    pub fn read(self) -> Result<T, Error> {
        read_bytes(&self.received?.decoded()?)
    }
}

impl<T: ParseFromJSON + Send + 'static> Body<T, Import> {
    /// Like [`Body::read`], for bodies that may be large.
    pub async fn read_large(self) -> Result<T, Error> {
        Ok(self.read_large_alone().await?.0)
    }

    /// The same for what is used for long: if it is large, no other one is read before the second value is dropped.
    pub async fn read_large_alone(self) -> Result<(T, Option<SemaphorePermit<'static>>), Error> {
        let received = self.received?;
        let turn = if received.may_exceed(LISTED_BYTES) {
            let turn = tokio::time::timeout(LARGE_BODY_WAIT, LARGE_BODIES.acquire()).await;
            Some(turn.map_err(|late| Error::Busy(late.into()))?.map_err(Error::internal)?)
        } else {
            None
        };
        let reading = tokio::task::spawn_blocking(move || read_bytes(&received.decoded()?));
        Ok((reading.await.map_err(Error::internal)??, turn))
    }
}

/// Reads bytes as a body of type `T`: also what arrives in a file is held against the published schema.
pub fn read_bytes<T: ParseFromJSON + 'static>(bytes: &[u8]) -> Result<T, Error> {
    let value = read_json(bytes)?;
    check::<T>(&value, bytes.len())?;
    T::parse_from_json(Some(value)).map_err(|_| Error::invalid("/body", "The body does not fit its schema."))
}

impl<T: ParseFromJSON + 'static, B> Body<T, B> {
    /// Like [`Body::read`], but an empty body means the empty object.
    pub fn read_or_empty(self) -> Result<T, Error> {
        let bytes = self.received?.decoded()?;
        read_bytes(if bytes.is_empty() { b"{}" } else { &bytes })
    }
}

impl<'a, T: ParseFromJSON + 'static, B: Bound> ApiExtractor<'a> for Body<T, B> {
    const TYPES: &'static [ApiExtractorType] = &[ApiExtractorType::RequestObject];
    type ParamType = ();
    type ParamRawType = ();

    fn register(registry: &mut Registry) {
        T::register(registry);
    }

    fn request_meta() -> Option<MetaRequest> {
        let content = vec![MetaMediaType { content_type: JSON, schema: T::schema_ref() }];
        Some(MetaRequest { description: None, content, required: B::REQUIRED })
    }

    async fn from_request(
        request: &'a Request,
        body: &mut RequestBody,
        _: ExtractParamOptions<()>,
    ) -> poem::Result<Self> {
        let limits = &State::of(request).config.body_limits;
        Ok(Self { received: receive(request, body, B::limit_bytes(limits)).await, kind: PhantomData })
    }
}

async fn receive(request: &Request, body: &mut RequestBody, limit_bytes: usize) -> Result<Received, Error> {
    check_media_type(request)?;
    let announced = request.headers().get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok());
    if announced.is_some_and(|bytes: u64| !usize::try_from(bytes).is_ok_and(|bytes| bytes <= limit_bytes)) {
        return Err(Error::BodyTooLarge { limit_bytes });
    }
    let body = body.take().map_err(Error::internal)?;
    let Ok(received) = tokio::time::timeout(ARRIVAL, body.into_bytes_limit(limit_bytes)).await else {
        let seconds = ARRIVAL.as_secs();
        return Err(Error::invalid("/body", format!("The body did not arrive within {seconds} seconds.")));
    };
    match received {
        Ok(bytes) => Received::of(request.headers(), bytes, limit_bytes),
        Err(poem::error::ReadBodyError::PayloadTooLarge) => Err(Error::BodyTooLarge { limit_bytes }),
        Err(_) => Err(Error::invalid("/body", "The body ended before its announced length.")),
    }
}

fn check_media_type(request: &Request) -> Result<(), Error> {
    let header = request.headers().get(header::CONTENT_TYPE);
    let received = header.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
    let media_type = received.as_deref().and_then(|value| value.split(';').next()).map(str::trim);
    if media_type.is_some_and(|media_type| media_type.eq_ignore_ascii_case(JSON)) {
        Ok(())
    } else {
        Err(Error::ContentType { received })
    }
}

fn read_json(bytes: &[u8]) -> Result<Value, Error> {
    let value = tree::parse(bytes).map_err(|error| {
        let place = format!("line {}, column {}", error.line(), error.column());
        Error::invalid("/body", format!("The body is not valid JSON: the mistake is near {place}."))
    })?;
    // It can only have come as an escape.
    let may_hold_nul = memchr::memmem::find(bytes, br"\u0000").is_some();
    match may_hold_nul.then(|| nul_character(&value, &mut String::from("/body"))).flatten() {
        Some(path) => Err(Error::invalid(&*path, format!("{path} holds a NUL character, which no text may."))),
        None => Ok(value),
    }
}

/// The path of the first text that holds a NUL, which PostgreSQL cannot store; refused on every database alike.
fn nul_character(value: &Value, path: &mut String) -> Option<String> {
    let length = path.len();
    let mut inside = |segment: &dyn std::fmt::Display, value: &Value| {
        use std::fmt::Write as _;
        let _ = write!(path, "/{segment}");
        let found = nul_character(value, path);
        path.truncate(length);
        found
    };
    match value {
        Value::String(text) => text.contains('\0').then(|| path.clone()),
        Value::Array(items) => items.iter().enumerate().find_map(|(index, item)| inside(&index, item)),
        Value::Object(members) => members
            .iter()
            .find_map(|(name, item)| if name.contains('\0') { Some(path_of(name)) } else { inside(name, item) }),
        _ => None,
    }
}

fn path_of(name: &str) -> String {
    format!("/body/{}", name.replace('\0', "\u{fffd}"))
}

/// The published schema of a type as JSON Schema, self-contained.
fn schema_of<T: Type>() -> Value {
    let mut registry = Registry::new();
    T::register(&mut registry);
    let root = serde_json::to_value(T::schema_ref()).expect("schemas serialise");
    let mut schema = json!({ "components": { "schemas": registry.schemas }, "allOf": [root] });
    admit_null(&mut schema);
    schema
}

/// Turns OpenAPI's `nullable` into JSON Schema, which has no such word.
fn admit_null(schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(admit_null),
        Value::Object(members) => {
            members.values_mut().for_each(admit_null);
            if members.remove("nullable") == Some(Value::Bool(true)) {
                let inner = Value::Object(std::mem::take(members));
                members.insert("anyOf".into(), json!([inner, { "type": "null" }]));
            }
        }
        _ => {}
    }
}

fn validator<T: Type + 'static>() -> Arc<Validator> {
    static COMPILED: LazyLock<RwLock<HashMap<TypeId, Arc<Validator>>>> = LazyLock::new(RwLock::default);
    let key = TypeId::of::<T>();
    if let Some(validator) = COMPILED.read().expect("no panic while compiling").get(&key) {
        return Arc::clone(validator);
    }
    let compiled = jsonschema::draft7::options()
        .should_validate_formats(true)
        .with_pattern_options(PatternOptions::regex())
        .build(&schema_of::<T>())
        .expect("published schemas compile");
    let compiled = Arc::new(compiled);
    COMPILED.write().expect("no panic while compiling").insert(key, Arc::clone(&compiled));
    compiled
}

/// Compares a value with the published schema of `T`.
fn check<T: Type + 'static>(value: &Value, bytes: usize) -> Result<(), Error> {
    let validator = validator::<T>();
    if validator.is_valid(value) {
        return Ok(());
    }
    if bytes > LISTED_BYTES {
        let first = validator.validate(value).err();
        return Err(Error::Validation(first.iter().flat_map(closest).take(MAX_FINDINGS).collect()));
    }
    let findings = validator.iter_errors(value).flat_map(|error| closest(&error)).take(MAX_FINDINGS).collect();
    Err(Error::Validation(findings))
}

/// What is wrong; of a failed union, the complaints of the branch that the value was most likely meant for.
fn closest(error: &ValidationError<'_>) -> Vec<Finding> {
    match error.kind() {
        ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
            let best = context.iter().min_by_key(|branch| branch.iter().map(cost).sum::<usize>());
            match best {
                Some(branch) if !branch.is_empty() => complaints(branch),
                _ => vec![finding(error)],
            }
        }
        _ => vec![finding(error)],
    }
}

/// Those of one branch. A value of the wrong type cannot be one of a list either; saying so again helps nobody.
fn complaints(branch: &[ValidationError<'_>]) -> Vec<Finding> {
    let wrong_type = |error: &ValidationError<'_>| matches!(error.kind(), ValidationErrorKind::Type { .. });
    let repeats = |error: &ValidationError<'_>| {
        matches!(error.kind(), ValidationErrorKind::Enum { .. })
            && branch.iter().any(|other| wrong_type(other) && other.instance_path() == error.instance_path())
    };
    branch.iter().filter(|error| !repeats(error)).flat_map(closest).collect()
}

/// A wrong tag says "other branch"; anything else says "this branch, with a mistake".
fn cost(error: &ValidationError<'_>) -> usize {
    match error.kind() {
        ValidationErrorKind::Enum { .. } | ValidationErrorKind::Constant { .. } => 100,
        ValidationErrorKind::Type { kind } if format!("{kind:?}").contains("Null") => 100,
        _ => 1,
    }
}

fn finding(error: &ValidationError<'_>) -> Finding {
    let mut path = format!("/body{}", error.instance_path().as_str());
    let reason = match error.kind() {
        ValidationErrorKind::Required { property } => {
            path.push('/');
            path.push_str(property.as_str().unwrap_or_default());
            "is required".to_owned()
        }
        ValidationErrorKind::AdditionalProperties { unexpected } => {
            if let Some(name) = unexpected.first() {
                path.push('/');
                path.push_str(name);
            }
            "is not a known property".to_owned()
        }
        _ => reason(error),
    };
    Finding { message: format!("The {path} property {reason}."), path: Some(path) }
}

/// What is wrong, without the submitted value: it may be a secret.
fn reason(error: &ValidationError<'_>) -> String {
    match error.kind() {
        ValidationErrorKind::Type { kind } => {
            let expected = match kind {
                jsonschema::error::TypeKind::Single(kind) => kind.to_string(),
                jsonschema::error::TypeKind::Multiple(kinds) => {
                    kinds.iter().map(|kind| kind.to_string()).collect::<Vec<_>>().join(" or ")
                }
            };
            format!("must be of type {expected}")
        }
        ValidationErrorKind::Enum { options } => {
            let allowed: Vec<String> = match options.as_array() {
                Some(options) => options.iter().map(ToString::to_string).collect(),
                None => vec![options.to_string()],
            };
            format!("must be one of {}", allowed.join(", "))
        }
        ValidationErrorKind::Minimum { limit } => format!("must be at least {limit}"),
        ValidationErrorKind::Maximum { limit } => format!("must be at most {limit}"),
        ValidationErrorKind::MinLength { limit } => format!("must have at least {limit} characters"),
        ValidationErrorKind::MaxLength { limit } => format!("must have at most {limit} characters"),
        ValidationErrorKind::MinItems { limit } => format!("must have at least {limit} items"),
        ValidationErrorKind::MaxItems { limit } => format!("must have at most {limit} items"),
        ValidationErrorKind::Pattern { pattern } => format!("must match the pattern {pattern}"),
        ValidationErrorKind::Format { format } => format!("must be a valid {format}"),
        _ => "does not fit its schema".to_owned(),
    }
}
