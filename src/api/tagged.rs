//! An answer with an entity tag of its own, also to a question that comes in a body.

use std::{io, io::Write as _, marker::PhantomData};

use bytes::Bytes;
use futures_util::{StreamExt as _, stream};
use poem::{
    Body, IntoResponse, Response,
    http::{HeaderMap, StatusCode, header},
};
use poem_openapi::types::Type;
use serde::Serialize;

use crate::{
    api::{
        answer::{JSON_UTF8, Out},
        http::{ASKED_AGAIN, InPieces, is_known},
        response_meta::{ResponseMeta, api_response},
    },
    domain::version::entity_tag,
};

/// Bytes of a piece of an answer: as many as a connection takes at once.
const PIECE: usize = 1 << 16;

/// 200 with a JSON body and its tag, or 304 for who has it.
#[derive(Debug)]
pub struct Tagged<T> {
    etag: String,
    body: Option<Pieces>,
    shape: PhantomData<fn() -> T>,
}

/// An item of a list, which is written as JSON.
pub trait Written {
    /// Adds the item to the text of the answer.
    fn write(self, text: &mut Pieces);
}

/// An item that serde writes.
#[derive(Debug)]
pub struct AsJson<T>(pub T);

impl<T: Serialize> Written for AsJson<T> {
    fn write(self, text: &mut Pieces) {
        text.json(&self.0);
    }
}

impl<T> Tagged<T> {
    /// An object whose one property is a list, unless the headers of the question name its tag. The items are written
    /// as they come: what takes room is the answer alone. The name of the property needs no escape.
    pub fn list(property: &'static str, items: impl Iterator<Item: Written>, headers: &HeaderMap) -> Self {
        let mut text = Pieces::default();
        text.raw("{\"").raw(property).raw("\":[");
        for (place, item) in items.enumerate() {
            if place > 0 {
                text.raw(",");
            }
            item.write(&mut text);
        }
        text.raw("]}");
        let etag = entity_tag(None, text.full.iter().map(|piece| &**piece).chain([&*text.last]));
        let body = (!is_known(headers, &etag)).then_some(text);
        Self { etag, body, shape: PhantomData }
    }
}

/// Text that is being written. What is there never moves when more comes, and each piece is given back when it is sent:
/// many readers at once would otherwise keep several times the text that they receive.
#[derive(Debug, Default)]
pub struct Pieces {
    full: Vec<Bytes>,
    last: Vec<u8>,
}

impl Pieces {
    /// Adds a text that is JSON already.
    pub fn raw(&mut self, text: &str) -> &mut Self {
        self.write_all(text.as_bytes()).expect("memory takes everything");
        self
    }

    /// Adds a value as JSON; its keys are strings and its numbers finite.
    pub fn json(&mut self, value: &(impl Serialize + ?Sized)) -> &mut Self {
        serde_json::to_writer(&mut *self, value).expect("answers have string keys and finite numbers");
        self
    }
}

impl io::Write for Pieces {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        self.write_all(text).map(|()| text.len())
    }

    #[inline]
    fn write_all(&mut self, mut text: &[u8]) -> io::Result<()> {
        // Most of what JSON is written in, such as quotation marks and commas.
        if let [mark] = text
            && self.last.len() < PIECE
        {
            self.last.push(*mark);
            return Ok(());
        }
        loop {
            let (fitting, rest) = text.split_at(text.len().min(PIECE - self.last.len()));
            self.last.extend_from_slice(fitting);
            if rest.is_empty() {
                return Ok(());
            }
            let full = std::mem::replace(&mut self.last, Vec::with_capacity(PIECE));
            self.full.push(full.into());
            text = rest;
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<T> IntoResponse for Tagged<T> {
    fn into_response(self) -> Response {
        let response = Response::builder().header(header::ETAG, self.etag).header(header::CACHE_CONTROL, ASKED_AGAIN);
        match self.body {
            None => response.status(StatusCode::NOT_MODIFIED).finish(),
            Some(Pieces { full, last }) => {
                let response = response.content_type(JSON_UTF8);
                if full.is_empty() {
                    return response.body(last);
                }
                let length = full.iter().map(Bytes::len).sum::<usize>() + last.len();
                let pieces = stream::iter(full.into_iter().chain([last.into()]));
                let body = Body::from_bytes_stream(pieces.map(Ok::<_, io::Error>));
                response.header(header::CONTENT_LENGTH, length).extension(InPieces).body(body)
            }
        }
    }
}

api_response!(
    [T: Type] Tagged<T>,
    Out::<T>::response().answer_tag(),
    ResponseMeta::new(304, "The reader has it.").answer_tag(),
);

/// Returns the text as which an item is written.
#[cfg(test)]
pub fn text_of(item: impl Written) -> String {
    let mut text = Pieces::default();
    item.write(&mut text);
    let bytes: Vec<u8> = text.full.iter().flatten().copied().chain(text.last).collect();
    String::from_utf8(bytes).expect("JSON is UTF-8")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_pieces_are_the_whole_and_have_its_tag() {
        for length in [0, 1, PIECE - 9, PIECE - 8, PIECE, 5 * PIECE] {
            let items =
                || (0..length / 1000).map(|number| "ä".repeat(number % 1000)).chain(["x".repeat(length % 1000)]);
            let whole = serde_json::json!({ "texts": items().collect::<Vec<_>>() }).to_string();
            let answer = Tagged::<()>::list("texts", items().map(AsJson), &HeaderMap::new());
            let written = answer.body.as_ref().expect("a body");
            assert!(written.full.iter().all(|piece| piece.len() == PIECE) && written.last.len() <= PIECE);
            assert_eq!(answer.etag, entity_tag(None, [whole.as_bytes()]));
            let known = [(header::IF_NONE_MATCH, answer.etag.parse().expect("a value"))].into_iter().collect();
            assert!(Tagged::<()>::list("texts", items().map(AsJson), &known).body.is_none());
            let text = answer.into_response().into_body().into_string().await.expect("text");
            assert!(text == whole, "{length}");
        }
    }
}
