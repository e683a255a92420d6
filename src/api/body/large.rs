//! Bodies that may be large: read while they arrive, their lists item by item, so that one takes the memory of what is
//! kept of it and little more.

use std::{
    cell::RefCell,
    fmt,
    io::{self, BufReader, Read},
};

use bytes::Bytes;
use poem_openapi::types::{ParseFromJSON, Type};
use serde_json::Value;
use tokio::sync::mpsc;

use super::{
    LISTED_BYTES,
    arrival::Arrival,
    coding::{self, Coding},
    may_hold_nul, read_within, refuse_nul,
    schema::{self, Listing},
    tree::{self, Allowance, Gatherer, Tree},
};
use crate::{domain::text::without_byte_order_mark, error::Error};

/// Bytes of memory that what is read at once may take: an item of a list, or all that stands outside of lists.
const AT_ONCE_BYTES: usize = 48 << 20;
/// Bytes of memory that what is kept may take at least, however small the bound of the body is.
const KEPT_BYTES: usize = 96 << 20;
/// Bytes of a large body that is kept whole while it is read, which takes half as long as reading it byte by byte: no more
/// than an ordinary body may have.
const WHOLE_BYTES: usize = 1 << 20;
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
    place: Place,
    kept: &'a Allowance,
}

impl Item<'_> {
    /// The value, or what is wrong with it, at its place in the body. 413 when too much is kept already.
    pub fn read<T: ParseFromJSON + 'static>(self) -> Result<T, Error> {
        schema::check::<T>(&self.value, &self.place, Listing::First)?;
        // A list that grows is as long again.
        if !self.kept.take(2 * size_of::<T>() + kept_bytes(&self.value)) {
            return Err(Error::BodyTooComplex { path: self.place.to_string() });
        }
        schema::parsed(self.value, &self.place)
    }
}

/// Place of an item: its JSON pointer, which is written only for those that are refused.
#[derive(Debug, Clone, Copy)]
struct Place {
    within: &'static str,
    list: &'static str,
    index: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "/body/{}/{}/{}", self.within, self.list, self.index)
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
    /// Whether a text may hold a NUL.
    may_hold_nul: bool,
    refusal: RefCell<Option<Error>>,
}

impl<T: Large> Gathering<T> {
    fn refuse(&self, error: Error) {
        self.refusal.borrow_mut().get_or_insert(error);
    }
}

const fn place<T: Large>(list: &'static str, index: usize) -> Place {
    Place { within: T::WITHIN, list, index }
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
        let place = place::<T>(list, index);
        let sound = if self.may_hold_nul { refuse_nul(&item, &place.to_string()) } else { Ok(()) };
        let taken = sound.and_then(|()| {
            let item = Item { value: item, place, kept: &self.kept };
            T::gather(&mut self.lists.borrow_mut(), list, Some(item))
        });
        taken.map_err(|error| self.refuse(error)).is_ok()
    }

    fn exceeded(&self, list: &'static str, index: usize) {
        self.refuse(Error::BodyTooComplex { path: place::<T>(list, index).to_string() });
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
    let beginning = reader.by_ref().take(WHOLE_BYTES as u64 + 1).read_to_end(&mut head);
    beginning.map_err(|error| coding::refusal(error.kind(), limit_bytes))?;
    if head.len() <= LISTED_BYTES {
        return read_within(&head, AT_ONCE_BYTES);
    }
    let is_whole = head.len() <= WHOLE_BYTES;
    let gathering = Gathering::<T> {
        lists: RefCell::default(),
        kept: Allowance::of(limit_bytes.saturating_add(limit_bytes / 2).max(KEPT_BYTES)),
        may_hold_nul: !is_whole || may_hold_nul(&head),
        refusal: RefCell::default(),
    };
    let allowance = Allowance::of(AT_ONCE_BYTES);
    let tree = Tree::gathered_by(&gathering, &allowance);
    let head = without_byte_order_mark(&head);
    let read = if is_whole {
        tree::parse(head, tree)
    } else {
        tree::read(serde_json::de::IoRead::new(BufReader::with_capacity(BUFFER, head.chain(reader))), tree)
    };
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
