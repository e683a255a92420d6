//! Answers that are written while they are read.
//!
//! A large answer for one reader is not made as a whole: a [`StreamWriter`] writes it on a thread of its own, a piece
//! ahead of the reader. Others wait for their turn to write, and never for the reader of another answer.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::{Duration, Instant},
};

use bytes::Bytes;
use futures_util::Stream;
use poem::{Body, Response};
use tokio::{
    runtime::Handle,
    sync::{OwnedSemaphorePermit, Semaphore, mpsc},
    time::timeout,
};

use crate::error::Error;

/// Bytes of a piece, at least.
const PIECE: usize = 64 << 10;
/// Pieces that wait for the reader.
const PIECES_AHEAD: usize = 2;
/// Longest time that a reader may take for a piece.
const PATIENCE: Duration = Duration::from_secs(10);
/// Longest total wait of all pieces of an answer for their reader.
const LONGEST: Duration = Duration::from_mins(1);
/// Longest wait of a writer for its turn before anything has been written.
const TURN_WAIT: Duration = Duration::from_secs(20);

/// The reader has gone, or is too slow.
#[derive(Debug)]
pub struct Gone;

/// Writes an answer piece by piece.
pub struct StreamWriter {
    text: Vec<u8>,
    pieces: mpsc::Sender<Piece>,
    turns: Arc<Semaphore>,
    turn: Option<OwnedSemaphorePermit>,
    runtime: Handle,
    /// Total time spent waiting for the reader.
    waited: Duration,
}

enum Piece {
    More(Bytes),
    Last(Bytes),
}

impl StreamWriter {
    /// Text that has been written and not yet sent; the rest is added at its end.
    pub const fn text(&mut self) -> &mut Vec<u8> {
        &mut self.text
    }

    /// Sends what has been written, if it is worth while. While the reader is slow, others have the turn.
    pub fn pause(&mut self) -> Result<(), Gone> {
        if self.text.len() < PIECE {
            return Ok(());
        }
        let piece = Piece::More(std::mem::take(&mut self.text).into());
        self.send(piece)
    }

    fn send(&mut self, piece: Piece) -> Result<(), Gone> {
        let piece = match self.pieces.try_send(piece) {
            Ok(()) => return Ok(()),
            Err(mpsc::error::TrySendError::Closed(_)) => return Err(Gone),
            Err(mpsc::error::TrySendError::Full(piece)) => piece,
        };
        self.turn = None;
        let patience = PATIENCE.min(LONGEST.saturating_sub(self.waited));
        let started = Instant::now();
        let sent = self.runtime.block_on(async { timeout(patience, self.pieces.send(piece)).await });
        self.waited += started.elapsed();
        match sent {
            Ok(Ok(())) => {
                self.turn = self.runtime.block_on(Arc::clone(&self.turns).acquire_owned()).ok();
                Ok(())
            }
            Ok(Err(_)) | Err(_) => Err(Gone),
        }
    }
}

/// Has an answer written, one writer at a time of those that share these turns. What is short is there as a whole when
/// this returns. `keep` lasts until nothing is written any more. [`Error::LargeRequestTimeout`] when the first turn
/// does not come.
pub async fn written<K: Send + 'static>(
    turns: &Arc<Semaphore>,
    keep: K,
    write: impl FnOnce(&mut StreamWriter) -> Result<(), Gone> + Send + 'static,
) -> Result<Response, Error> {
    let turns = Arc::clone(turns);
    let turn = timeout(TURN_WAIT, Arc::clone(&turns).acquire_owned()).await;
    let turn = turn.map_err(|_late| Error::LargeRequestTimeout)?.map_err(Error::internal)?;
    let (pieces, mut rest) = mpsc::channel(PIECES_AHEAD);
    let runtime = Handle::current();
    let writing = tokio::task::spawn_blocking(move || {
        let mut writer =
            StreamWriter { text: Vec::new(), pieces, turns, turn: Some(turn), runtime, waited: Duration::ZERO };
        if write(&mut writer).is_ok() {
            let last = Piece::Last(std::mem::take(&mut writer.text).into());
            // No receiver is left.
            let _ = writer.send(last);
        }
        drop((writer, keep));
    });
    match rest.recv().await {
        Some(Piece::Last(whole)) => Ok(Response::builder().body(whole)),
        Some(Piece::More(first)) => {
            let reading = Reading { first: Some(first), rest, is_whole: false };
            Ok(Response::builder().extension(InPieces).body(Body::from_bytes_stream(reading)))
        }
        None => match writing.await {
            Ok(()) => Err(Error::internal("an answer has not been written")),
            Err(panic) => Err(Error::internal(panic)),
        },
    }
}

/// Mark in the extensions of an answer whose body comes in pieces: it is not gathered.
#[derive(Debug, Clone, Copy)]
pub struct InPieces;

struct Reading {
    first: Option<Bytes>,
    rest: mpsc::Receiver<Piece>,
    is_whole: bool,
}

impl Stream for Reading {
    type Item = Result<Bytes, std::io::Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if let Some(first) = self.first.take() {
            return Poll::Ready(Some(Ok(first)));
        }
        if self.is_whole {
            return Poll::Ready(None);
        }
        let next = ready!(self.rest.poll_recv(context));
        self.is_whole = !matches!(next, Some(Piece::More(_)));
        Poll::Ready(Some(match next {
            Some(Piece::More(piece) | Piece::Last(piece)) => Ok(piece),
            // So that the reader does not take it for the whole.
            None => Err(std::io::Error::other("the reader was too slow, or the answer could not be finished")),
        }))
    }
}

#[cfg(test)]
mod tests {
    use futures_util::StreamExt as _;

    use super::*;

    fn lines(writer: &mut StreamWriter, count: usize) -> Result<(), Gone> {
        for number in 0..count {
            writer.text().extend_from_slice(format!("{number:09}\n").as_bytes());
            writer.pause()?;
        }
        Ok(())
    }

    #[tokio::test]
    async fn the_pieces_are_what_has_been_written() {
        let turns = Arc::new(Semaphore::new(1));
        for count in [0, 1, 5000, 7000, 200_000] {
            let answer = written(&turns, (), move |writer| lines(writer, count)).await.expect("an answer");
            assert_eq!(answer.extensions().get::<InPieces>().is_some(), count * 10 >= PIECE, "{count}");
            let text = answer.into_body().into_string().await.expect("the whole");
            assert_eq!(text.len(), count * 10);
            assert!(text.lines().enumerate().all(|(number, line)| line.parse() == Ok(number)));
        }
    }

    #[tokio::test]
    async fn a_reader_who_is_slow_or_gone_keeps_nobody_waiting() {
        let turns = Arc::new(Semaphore::new(1));
        let (kept, mut lasts) = mpsc::channel::<()>(1);
        let slow = written(&turns, kept, |writer| lines(writer, 1_000_000)).await.expect("an answer");
        // It holds pieces that are not read, and another request is answered.
        let other = written(&turns, (), |writer| lines(writer, 100_000)).await.expect("an answer");
        assert_eq!(other.into_body().into_bytes().await.expect("the whole").len(), 1_000_000);
        let mut pieces = slow.into_body().into_bytes_stream();
        assert_eq!(&pieces.next().await.expect("a piece").expect("bytes")[..10], b"000000000\n");
        drop(pieces);
        assert_eq!(lasts.recv().await, None);
        drop(turns.acquire().await.expect("a turn"));
    }

    #[tokio::test]
    async fn what_is_not_finished_does_not_look_whole() {
        let turns = Arc::new(Semaphore::new(1));
        let broken = written(&turns, (), |writer| {
            lines(writer, 100_000)?;
            Err(Gone)
        });
        assert!(broken.await.expect("an answer").into_body().into_bytes().await.is_err());
        assert!(written(&turns, (), |_| panic!("meant")).await.is_err());
    }
}
