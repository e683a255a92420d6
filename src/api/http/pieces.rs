//! Large answers that are kept in memory go out piece by piece.
//!
//! A connection copies what it is given before it sends it, and keeps the room: thousands of connections would each
//! hold a whole answer.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use bytes::Bytes;
use futures_util::Stream;
use poem::Body;

/// Bytes of a piece.
const PIECE: usize = 32 << 10;

/// A body of these bytes. The answer sets the length.
pub fn in_pieces(bytes: Bytes) -> Body {
    Body::from_bytes_stream(Pieces { rest: bytes, is_sent: true })
}

struct Pieces {
    rest: Bytes,
    /// Whether the connection had time to send the piece before.
    is_sent: bool,
}

impl Stream for Pieces {
    type Item = Result<Bytes, std::io::Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.rest.is_empty() {
            return Poll::Ready(None);
        }
        if !self.is_sent {
            // A connection that waits sends what it has.
            self.is_sent = true;
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        self.is_sent = false;
        let length = self.rest.len().min(PIECE);
        Poll::Ready(Some(Ok(self.rest.split_to(length))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_pieces_are_the_whole() {
        for length in [0, 1, PIECE, PIECE + 1, PIECE * 3] {
            let bytes: Bytes = (0..length).map(|place| u8::try_from(place % 251).expect("below 256")).collect();
            assert_eq!(in_pieces(bytes.clone()).into_bytes().await.expect("a body"), bytes);
        }
    }
}
