//! Bodies that may be large: read while they arrive, their lists item by item, so that one takes the memory of what is
//! kept of it and little more.

use std::{
    cell::RefCell,
    io::{self, BufReader, Read},
};

use bytes::Bytes;
use poem_openapi::types::{ParseFromJSON, Type};
use serde::de::DeserializeSeed as _;
use serde_json::Value;
use tokio::sync::mpsc;

use super::{
    LISTED_BYTES,
    arrival::Arrival,
    coding::{self, Coding},
    read_within, refuse_nul,
    schema::{self, Listing},
    tree::{Allowance, Gatherer, Tree},
};
use crate::{domain::text::without_byte_order_mark, error::Error};

/// Bytes of memory that what is read at once may take: an item of a list, or all that stands outside of lists.
const AT_ONCE_BYTES: usize = 48 << 20;
/// Bytes of memory that what is kept may take at least, however small the bound of the body is.
const KEPT_BYTES: usize = 96 << 20;
/// Pieces of a body that wait to be read.
const PIECES_AHEAD: usize = 4;
/// Bytes that are read at once.
const BUFFER: usize = 1 << 16;

/// A body that may be large.
pub trait Large: ParseFromJSON + Type + Send + 'static {
    /// Items of its lists that have been read.
    type Lists: Default;

    /// The member that has the lists which may be long.
    const WITHIN: &'static str;

    /// The names of these lists.
    const LISTS: &'static [&'static str];

    /// Takes the next item of a list; none when the list begins, and what was taken from it before does not count.
    fn gather(lists: &mut Self::Lists, list: &str, item: Option<Item<'_>>) -> Result<(), Error>;

    /// The body, which has been read with empty lists, with what has been gathered.
    #[must_use]
    fn with(self, lists: Self::Lists) -> Self;
}

/// An item of a list that is not yet judged.
#[derive(Debug)]
pub struct Item<'a> {
    value: Value,
    path: String,
    kept: &'a Allowance,
}

impl Item<'_> {
    /// The value, or what is wrong with it, at its place in the body. 413 when too much is kept already.
    pub fn read<T: ParseFromJSON + 'static>(self) -> Result<T, Error> {
        schema::check::<T>(&self.value, &self.path, Listing::First)?;
        // A list that grows is as long again.
        if !self.kept.take(2 * size_of::<T>() + kept_bytes(&self.value)) {
            return Err(Error::BodyTooComplex { path: self.path });
        }
        schema::parsed(self.value, &self.path)
    }
}

/// Size that a value takes once it has its type, about: that of its texts, and of the parts around them. Names of
/// members belong to the type, mostly.
fn kept_bytes(value: &Value) -> usize {
    const OBJECT: usize = 128;
    const TEXT: usize = size_of::<String>() + 8;
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => size_of::<f64>() * 2,
        Value::String(text) => TEXT + text.len(),
        Value::Array(items) => size_of::<Vec<()>>() + items.iter().map(kept_bytes).sum::<usize>(),
        Value::Object(members) => OBJECT + members.values().map(kept_bytes).sum::<usize>(),
    }
}

/// Parts of a body read so far.
struct Gathering<T: Large> {
    lists: RefCell<T::Lists>,
    kept: Allowance,
    refusal: RefCell<Option<Error>>,
}

impl<T: Large> Gathering<T> {
    fn refuse(&self, error: Error) {
        self.refusal.borrow_mut().get_or_insert(error);
    }
}

fn path<T: Large>(list: &str, index: usize) -> String {
    format!("/body/{}/{list}/{index}", T::WITHIN)
}

impl<T: Large> Gatherer for Gathering<T> {
    fn within(&self) -> &'static str {
        T::WITHIN
    }

    fn list(&self, name: &str) -> Option<&'static str> {
        T::LISTS.iter().copied().find(|list| *list == name)
    }

    fn begin(&self, list: &'static str) {
        if let Err(error) = T::gather(&mut self.lists.borrow_mut(), list, None) {
            self.refuse(error);
        }
    }

    fn item_bytes(&self) -> usize {
        AT_ONCE_BYTES
    }

    fn take(&self, list: &'static str, index: usize, item: Value) -> bool {
        let path = path::<T>(list, index);
        let taken = refuse_nul(&item, &path).and_then(|()| {
            let item = Item { value: item, path, kept: &self.kept };
            T::gather(&mut self.lists.borrow_mut(), list, Some(item))
        });
        taken.map_err(|error| self.refuse(error)).is_ok()
    }

    fn exceeded(&self, list: &'static str, index: usize) {
        self.refuse(Error::BodyTooComplex { path: path::<T>(list, index) });
    }
}

/// Reads a body while it arrives, away from the threads that answer others. `guard` lasts until nothing is read any
/// more, whatever becomes of the request.
pub(super) async fn receive<T: Large, G: Send + 'static>(
    mut arrival: Arrival,
    coding: Coding,
    limit_bytes: usize,
    guard: G,
) -> Result<(T, G), Error> {
    let (feed, pieces) = mpsc::channel(PIECES_AHEAD);
    let reading = tokio::task::spawn_blocking(move || {
        let read = read(Pieces { first: Bytes::new(), others: pieces }, coding, limit_bytes);
        (read, guard)
    });
    let arrived = pass_on(&mut arrival, feed).await;
    let (read, guard) = reading.await.map_err(Error::internal)?;
    // What was wrong with the sender, and only then what is wrong with what was sent.
    arrived?;
    Ok((read?, guard))
}

/// Ends with the body, or when the reader has enough.
async fn pass_on(arrival: &mut Arrival, feed: mpsc::Sender<Bytes>) -> Result<(), Error> {
    while let Some(piece) = arrival.next().await? {
        if feed.send(piece).await.is_err() {
            break;
        }
    }
    Ok(())
}

/// A body as it arrives.
struct Pieces {
    first: Bytes,
    others: mpsc::Receiver<Bytes>,
}

impl Read for Pieces {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.first.is_empty() {
            match self.others.blocking_recv() {
                Some(next) => self.first = next,
                None => return Ok(0),
            }
        }
        let length = self.first.len().min(out.len());
        out[..length].copy_from_slice(&self.first.split_to(length));
        Ok(length)
    }
}

/// Reads a body. One that is not large after all is read as others are, so that all of its faults are listed.
fn read<T: Large>(received: impl Read, coding: Coding, limit_bytes: usize) -> Result<T, Error> {
    let mut reader = coding.reader(received, limit_bytes);
    let mut head = Vec::new();
    let beginning = reader.by_ref().take(LISTED_BYTES as u64 + 1).read_to_end(&mut head);
    beginning.map_err(|error| coding::refusal(error.kind(), limit_bytes))?;
    if head.len() <= LISTED_BYTES {
        return read_within(&head, AT_ONCE_BYTES);
    }
    let gathering = Gathering::<T> {
        lists: RefCell::default(),
        kept: Allowance::of(limit_bytes.saturating_add(limit_bytes / 2).max(KEPT_BYTES)),
        refusal: RefCell::default(),
    };
    let allowance = Allowance::of(AT_ONCE_BYTES);
    let all = BufReader::with_capacity(BUFFER, without_byte_order_mark(&head).chain(reader));
    let mut json = serde_json::Deserializer::from_reader(all);
    let read = Tree::gathered_by(&gathering, &allowance).deserialize(&mut json);
    let read = read.and_then(|value| json.end().map(|()| value));
    let refusal = gathering.refusal.take();
    let value = match (read, refusal) {
        (_, Some(refusal)) => return Err(refusal),
        (Ok(value), None) => value,
        (Err(_), None) if allowance.exceeded() => return Err(Error::BodyTooComplex { path: "/body".to_owned() }),
        (Err(error), None) => {
            return Err(match error.io_error_kind() {
                Some(kind) => coding::refusal(kind, limit_bytes),
                None => super::no_json(&error),
            });
        }
    };
    refuse_nul(&value, "/body")?;
    schema::check::<T>(&value, "/body", Listing::First)?;
    let body: T = schema::parsed(value, "/body")?;
    Ok(body.with(gathering.lists.into_inner()))
}
