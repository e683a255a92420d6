//! Rest of a request that is still arriving when its answer is ready. A connection on which that is on its way cannot
//! be used again: either it is read over, or the answer says that the connection ends.

use std::{
    io,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, ready},
    time::Duration,
};

use bytes::Bytes;
use futures_util::{Stream, StreamExt as _};
use hyper::{
    Request, Version,
    body::{Body as _, Incoming},
    header,
};
use poem::Body;
use tokio::time::timeout;

/// Most bytes that are read over.
const MOST_BYTES: u64 = 1 << 16;
/// Time limit for them: as long as for those of a body that is read, before its pace counts.
const PATIENCE: Duration = Duration::from_secs(10);

/// The body of a request of HTTP/1, as its connection sees it. Another request of HTTP/2 does not wait for it.
#[derive(Clone)]
pub(super) struct Unread(Arc<Mutex<Arriving>>);

struct Arriving {
    pieces: Option<Pin<Box<dyn Stream<Item = io::Result<Bytes>> + Send>>>,
    /// Bytes that are still to come, where the length is known.
    left: Option<u64>,
    is_begun: bool,
    is_over: bool,
    /// Whether the sender waits for `100 Continue`.
    is_held_back: bool,
}

impl Unread {
    /// State of a body before it is read; `None` where nothing can be left of it.
    pub(super) fn of(request: &Request<Incoming>) -> Option<Self> {
        let body = request.body();
        if request.version() == Version::HTTP_2 || body.is_end_stream() {
            return None;
        }
        let arriving = Arriving {
            pieces: None,
            left: body.size_hint().exact(),
            is_begun: false,
            is_over: false,
            is_held_back: request.headers().contains_key(header::EXPECT),
        };
        Some(Self(Arc::new(Mutex::new(arriving))))
    }

    /// Wraps the body so that reading it is observed.
    pub(super) fn watch(&self, body: Body) -> Body {
        self.look().pieces = Some(Box::pin(body.into_bytes_stream()));
        Body::from_bytes_stream(self.clone())
    }

    /// Reads over a short body that was not read at all. Returns whether nothing of the body is left.
    pub(super) async fn drain(mut self) -> bool {
        {
            let arriving = self.look();
            let is_long = arriving.left.is_some_and(|left| left > MOST_BYTES);
            if arriving.is_over || arriving.is_begun || arriving.is_held_back || is_long {
                return arriving.is_over;
            }
        }
        let mut read = 0;
        let read_over = async {
            while let Some(Ok(piece)) = self.next().await {
                read += piece.len() as u64;
                if read > MOST_BYTES {
                    break;
                }
            }
        };
        // For a late sender the connection ends.
        drop(timeout(PATIENCE, read_over).await);
        self.look().is_over
    }

    fn look(&self) -> MutexGuard<'_, Arriving> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Stream for Unread {
    type Item = io::Result<Bytes>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut arriving = self.look();
        arriving.is_begun = true;
        let Some(pieces) = &mut arriving.pieces else { return Poll::Ready(None) };
        let piece = ready!(pieces.as_mut().poll_next(cx));
        match &piece {
            Some(Ok(bytes)) => {
                arriving.left = arriving.left.map(|left| left.saturating_sub(bytes.len() as u64));
                arriving.is_over = arriving.left == Some(0);
            }
            Some(Err(_)) => {}
            None => arriving.is_over = true,
        }
        Poll::Ready(piece)
    }
}
