//! The JSON request body: bounded, checked against the published schema, and refused by naming the property.

mod arrival;
mod coding;
mod form;
mod large;
mod schema;
pub mod sifting;
mod tolerant;
mod tree;

use std::{marker::PhantomData, sync::Arc};

use poem::{Request, RequestBody, http::header};
use poem_openapi::{
    ApiExtractor, ApiExtractorType, ExtractParamOptions,
    registry::{MetaMediaType, MetaRequest, Registry},
    types::{ParseFromJSON, Type},
};
use serde_json::Value;

use self::{
    arrival::{Arrival, Pace},
    coding::Coding,
    schema::Listing,
    tree::{Allowance, Tree},
};
pub use self::{
    form::Form,
    large::{Item, Large},
    tolerant::{Tolerant, read_part},
};
use crate::{
    api::{answer::JSON, http::Attached as _},
    config::BodyLimits,
    domain::{left_out::LeftOut, patch::told_value, text::without_byte_order_mark},
    error::Error,
    state::{
        Serving,
        reception::{LargeBodyPermit, Queue, Reception, Reservation},
    },
};

/// Largest body that is not large, and whose findings are all listed.
const LISTED_BYTES: usize = 1 << 16;
/// Bytes of memory that reading an ordinary body may take, for each byte that one may have.
const MEMORY_PER_BYTE: usize = 32;
/// Bytes of memory that reading a body may take at least, however small the bound is.
const MEMORY_BYTES: usize = 32 << 20;
/// Levels of lists and objects that the parser follows.
const MOST_LEVELS: usize = 127;
/// The media type of a JSON patch (RFC 6902).
const JSON_PATCH: &str = "application/json-patch+json";

/// Bound on a body, and the media types that it can have.
pub trait Bound: Send + Sync + 'static {
    /// Whether the document demands a body.
    const REQUIRED: bool = true;
    /// The media types that are taken. The first is the one in the document: some generators of clients refuse a body with
    /// two.
    const MEDIA_TYPES: &'static [&'static str] = &[JSON];
    /// The description of the body in the document.
    const DESCRIPTION: Option<&'static str> = None;

    /// The bound in bytes.
    fn limit_bytes(limits: &BodyLimits) -> usize {
        limits.standard_bytes
    }
}

/// The bound of ordinary bodies.
#[derive(Debug)]
pub struct Standard;

/// The bound of ordinary bodies of operations that do without one: [`Body::read_or_empty`].
#[derive(Debug)]
pub struct Optional;

/// The bound of ordinary bodies that are a JSON patch, which has a media type of its own.
#[derive(Debug)]
pub struct Patch;

impl Bound for Standard {}

impl Bound for Optional {
    const REQUIRED: bool = false;
}

impl Bound for Patch {
    const MEDIA_TYPES: &'static [&'static str] = &[JSON, JSON_PATCH];
    const DESCRIPTION: Option<&'static str> =
        Some("The operations of the patch. `application/json-patch+json` is accepted, too.");
}

/// A JSON body that has been received but not yet judged.
///
/// The operation calls [`Body::read`] after it has admitted the caller, so that no caller without the permission learns
/// about the body's faults or makes the server work on it.
#[derive(Debug)]
pub struct Body<T, B = Standard> {
    received: Result<Received, Error>,
    kind: PhantomData<fn() -> (T, B)>,
}

/// A body that arrived whole. It is expanded when it is read, as little before as it is judged.
#[derive(Debug)]
struct Received {
    bytes: Vec<u8>,
    coding: Coding,
    limit_bytes: usize,
    /// Its room, which others have once it has been read.
    _reservation: Reservation,
}

impl Received {
    /// Receives a body whole.
    async fn of(body: poem::Body, head: Head, limit_bytes: usize, reception: &Reception) -> Result<Self, Error> {
        let arrival = Arrival::of(body, limit_bytes, Pace::Ordinary);
        let (bytes, reservation) = arrival.whole(reception.budget(), head.announced_bytes).await?;
        Ok(Self { bytes, coding: head.coding, limit_bytes, _reservation: reservation })
    }

    /// The value. An empty body is read as `instead`.
    fn read<T: ParseFromJSON + 'static>(self, instead: &[u8]) -> Result<T, Error> {
        self.amended(instead, |_| Ok(()))
    }

    /// Reads the value after a change that is made before it is judged.
    fn amended<T: ParseFromJSON + 'static>(
        self,
        instead: &[u8],
        amend: impl FnOnce(&mut Value) -> Result<(), Error>,
    ) -> Result<T, Error> {
        let most_bytes = self.limit_bytes.saturating_mul(MEMORY_PER_BYTE).max(MEMORY_BYTES);
        let bytes = self.coding.decoded(self.bytes, self.limit_bytes)?;
        let bytes = without_byte_order_mark(&bytes);
        let bytes = if bytes.is_empty() { instead } else { bytes };
        let mut value = parse_within(bytes, most_bytes)?;
        amend(&mut value)?;
        judged(value, bytes.len())
    }

    /// The value after `sift` has left out entries that do not fit, where anything does not.
    fn sifted<T: ParseFromJSON + 'static>(self, sift: fn(&mut Value, &mut LeftOut)) -> Result<(T, LeftOut), Error> {
        let most_bytes = self.limit_bytes.saturating_mul(MEMORY_PER_BYTE).max(MEMORY_BYTES);
        let bytes = self.coding.decoded(self.bytes, self.limit_bytes)?;
        let (mut value, mut left_out) = (parse_tree(&bytes, most_bytes)?, LeftOut::default());
        if check_texts(&bytes, &value).is_ok() && schema::fits::<T>(&value) {
            return Ok((schema::parsed(value, "/body")?, left_out));
        }
        sift(&mut value, &mut left_out);
        check_texts(&bytes, &value)?;
        Ok((judged(value, bytes.len())?, left_out))
    }
}

impl<T: ParseFromJSON + 'static, B> Body<T, B> {
    /// The value, or what is wrong with it: 413, 415, or 400 naming the property.
    pub fn read(self) -> Result<T, Error> {
        self.received?.read(b"")
    }

    /// Reads like [`Body::read`], but properties that are empty texts count as absent: forms send all that they have.
    /// Only `enabled` does not, as its absence would switch off the setting that the form is about.
    pub fn read_form(self) -> Result<T, Error> {
        self.received?.amended(b"", |value| {
            if let Value::Object(members) = value {
                members.retain(|name, member| name == "enabled" || *member != "");
            }
            Ok(())
        })
    }

    /// Reads like [`Body::read`], but `sift` leaves out entries that do not fit, which are listed.
    pub fn read_sifted(self, sift: fn(&mut Value, &mut LeftOut)) -> Result<(T, LeftOut), Error> {
        self.received?.sifted(sift)
    }

    /// Reads like [`Body::read`], but an empty body means the empty object.
    pub fn read_or_empty(self) -> Result<T, Error> {
        self.received?.read(b"{}")
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
        Some(MetaRequest { description: B::DESCRIPTION, ..meta_request::<T>(JSON, B::REQUIRED) })
    }

    async fn from_request(
        request: &'a Request,
        body: &mut RequestBody,
        _: ExtractParamOptions<()>,
    ) -> poem::Result<Self> {
        let state = Serving::of(request);
        let limit_bytes = B::limit_bytes(&state.config.body_limits);
        let received = receive(request, body, limit_bytes, B::MEDIA_TYPES, &state.reception).await;
        Ok(Self { received, kind: PhantomData })
    }
}

async fn receive(
    request: &Request,
    body: &mut RequestBody,
    limit_bytes: usize,
    media_types: &[&'static str],
    reception: &Reception,
) -> Result<Received, Error> {
    check_media_type(request, media_types)?;
    let head = Head::of(request, limit_bytes)?;
    let body = body.take().map_err(Error::internal)?;
    Received::of(body, head, limit_bytes, reception).await
}

/// Receives the body of a request whole, at most that of an ordinary one, and gives the request the same again.
pub async fn received_whole(request: &mut Request) -> Result<Vec<u8>, Error> {
    let serving = Serving::of(request);
    let limit_bytes = Standard::limit_bytes(&serving.config.body_limits);
    let reception = Arc::clone(&serving.reception);
    let head = Head::of(request, limit_bytes)?;
    let arrival = Arrival::of(request.take_body(), limit_bytes, Pace::Ordinary);
    let (bytes, _reservation) = arrival.whole(reception.budget(), head.announced_bytes).await?;
    request.set_body(bytes.clone());
    Ok(bytes)
}

/// A JSON body of which nothing has been received, and which may be large.
///
/// The operation calls [`LargeBody::read`] once it knows that the caller may send one.
pub struct LargeBody<T> {
    arriving: Result<Arriving, Error>,
    kind: PhantomData<fn() -> T>,
}

/// A body whose sender waits for the server.
struct Arriving {
    head: Head,
    body: poem::Body,
    limit_bytes: usize,
    reception: Arc<Reception>,
}

impl<T: Large> LargeBody<T> {
    /// Receives and reads the body: the value, or what is wrong with it as with [`Body::read`]. If it is large, it
    /// waits for a permit first, at most a minute, and no other of its queue is received before the second value is
    /// dropped.
    pub async fn read(self, queue: Queue) -> Result<(T, Option<LargeBodyPermit>), Error> {
        let Arriving { head, body, limit_bytes, reception } = self.arriving?;
        if !head.coding.expands() && head.announced_bytes.is_some_and(|bytes| bytes <= LISTED_BYTES) {
            let received = Received::of(body, head, limit_bytes, &reception).await?;
            let reading = tokio::task::spawn_blocking(move || received.read(b""));
            return Ok((reading.await.map_err(Error::internal)??, None));
        }
        let permit = reception.acquire(queue).await?;
        let arrival = Arrival::of(body, limit_bytes, Pace::Large);
        let (value, permit) = large::receive(arrival, head.coding, limit_bytes, permit).await?;
        Ok((value, Some(permit)))
    }
}

impl<'a, T: Large> ApiExtractor<'a> for LargeBody<T> {
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
        let limit_bytes = state.config.body_limits.import_bytes;
        let arriving = check_media_type(request, &[JSON]).and_then(|()| {
            let head = Head::of(request, limit_bytes)?;
            let body = body.take().map_err(Error::internal)?;
            Ok(Arriving { head, body, limit_bytes, reception: Arc::clone(&state.reception) })
        });
        Ok(Self { arriving, kind: PhantomData })
    }
}

fn meta_request<T: Type>(content_type: &'static str, required: bool) -> MetaRequest {
    let content = vec![MetaMediaType { content_type, schema: T::schema_ref() }];
    MetaRequest { description: None, content, required }
}

/// Properties of a body in the head of its request.
#[derive(Debug, Clone, Copy)]
struct Head {
    coding: Coding,
    announced_bytes: Option<usize>,
}

impl Head {
    /// Reads the head: 413 for a length above the bound, 415 for an unknown coding.
    fn of(request: &Request, limit_bytes: usize) -> Result<Self, Error> {
        let header = request.headers().get(header::CONTENT_LENGTH);
        let announced: Option<u64> = header.and_then(|value| value.to_str().ok()?.parse().ok());
        let announced_bytes = announced.map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
        if announced_bytes.is_some_and(|bytes| bytes > limit_bytes) {
            return Err(Error::BodyTooLarge { limit_bytes });
        }
        Ok(Self { coding: Coding::of(request.headers())?, announced_bytes })
    }
}

/// 415 for what is of none of the media types, naming the first of them.
fn check_media_type(request: &Request, expected: &[&'static str]) -> Result<(), Error> {
    let header = request.headers().get(header::CONTENT_TYPE);
    let received = header.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
    let media_type = received.as_deref().and_then(|value| value.split(';').next()).map(str::trim);
    if media_type.is_some_and(|media_type| expected.iter().any(|expected| media_type.eq_ignore_ascii_case(expected))) {
        Ok(())
    } else {
        Err(Error::ContentType { received, expected: expected.first().copied().unwrap_or_default() })
    }
}

/// Reads bytes as a body of type `T`: also what arrives in a file is held against the published schema.
pub fn read_bytes<T: ParseFromJSON + 'static>(bytes: &[u8]) -> Result<T, Error> {
    read_within(bytes, usize::MAX)
}

/// Reads bytes as a body of type `T`, in so many bytes of memory: 413 for one that would take more.
fn read_within<T: ParseFromJSON + 'static>(bytes: &[u8], most_bytes: usize) -> Result<T, Error> {
    judged(parse_within(without_byte_order_mark(bytes), most_bytes)?, bytes.len())
}

fn parse_within(bytes: &[u8], most_bytes: usize) -> Result<Value, Error> {
    let value = parse_tree(bytes, most_bytes)?;
    check_texts(bytes, &value)?;
    Ok(value)
}

fn parse_tree(bytes: &[u8], most_bytes: usize) -> Result<Value, Error> {
    let allowance = Allowance::of(most_bytes);
    tree::parse(bytes, Tree::within(&allowance)).map_err(|error| {
        if allowance.exceeded() { Error::BodyTooComplex { path: "/body".to_owned() } } else { no_json(&error) }
    })
}

/// Refuses a NUL in a decoded text.
fn check_texts(bytes: &[u8], value: &Value) -> Result<(), Error> {
    if may_hold_nul(bytes) { refuse_nul(value, "/body") } else { Ok(()) }
}

/// Whether a text of the JSON may hold a NUL: it can only have come as an escape.
fn may_hold_nul(bytes: &[u8]) -> bool {
    memchr::memmem::find(bytes, br"\u0000").is_some()
}

/// A body that took so many bytes as a value of type `T`.
fn judged<T: ParseFromJSON + 'static>(value: Value, bytes: usize) -> Result<T, Error> {
    let listing = if bytes > LISTED_BYTES { Listing::First } else { Listing::All };
    schema::check::<T>(&value, "/body", listing)?;
    schema::parsed(value, "/body")
}

fn no_json(error: &serde_json::Error) -> Error {
    let place = format!("line {}, column {}", error.line(), error.column());
    // The parser tells these two, which are no mistakes in JSON, by its words alone.
    let told = error.to_string();
    let mistake = if told.starts_with("recursion limit exceeded") {
        format!("is JSON that is nested too deeply: it has more than {MOST_LEVELS} levels near {place}")
    } else if told.starts_with("number out of range") {
        format!("is JSON with a number that is too large, near {place}")
    } else {
        format!("is not valid JSON: the mistake is near {place}")
    };
    Error::invalid("/body", format!("The body {mistake}."))
}

/// 400 for a text that holds a NUL, which PostgreSQL cannot store; refused on every database alike. In an operation of
/// a patch it names the property, too.
fn refuse_nul(value: &Value, root: &str) -> Result<(), Error> {
    let Some(path) = nul_character(value, &mut root.to_owned()) else { return Ok(()) };
    let operation = path.strip_prefix(root).and_then(|place| value.pointer(place.strip_suffix("/value")?));
    let target = operation.and_then(|operation| operation.get("path")?.as_str()).filter(|path| !path.contains('\0'));
    let meant = target.map_or_else(String::new, |path| format!(": {}", told_value(path)));
    Err(Error::invalid(&*path, format!("{path} holds a NUL character, which no text may{meant}.")))
}

/// The path of the first text that holds a NUL.
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
