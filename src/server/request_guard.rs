//! A request under way, from its head to the last piece of its answer, as the watch of its connection sees it.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use tokio::time::Instant;

use super::{
    sent::{Sent, WhenSent},
    socket::SharedWatch,
};

/// Most bytes that a connection is given at once: it would keep an answer whole that its reader does not take.
const PIECE: usize = 1 << 16;

/// A request under way; it is over when this is dropped.
#[derive(Debug)]
pub(super) struct RequestGuard {
    watch: SharedWatch,
    request: u64,
}

impl RequestGuard {
    pub(super) fn begin(watch: &SharedWatch, is_http2: bool) -> Self {
        let request = watch.look().asked(is_http2);
        Self { watch: watch.clone(), request }
    }

    /// An answer's body that lasts as long as this.
    pub(super) fn answer<B: Body<Data = Bytes>>(self, body: B, when_sent: Option<WhenSent>) -> Answer<B> {
        self.wait();
        let sent = Sent { bytes: 0, is_whole: body.is_end_stream() };
        let sending = when_sent.map(|when_sent| Sending { when_sent, sent });
        Answer { body, rest: Bytes::new(), guard: self, sending }
    }

    fn wait(&self) {
        self.watch.look().held(self.request, Instant::now());
    }
}

impl Drop for RequestGuard {
    fn drop(&mut self) {
        self.watch.look().answered(self.request, Instant::now());
    }
}

/// The body of an answer. It is asked for the next piece when there is room for one.
#[derive(Debug)]
pub(super) struct Answer<B> {
    body: B,
    /// Rest of a piece that was too large.
    rest: Bytes,
    guard: RequestGuard,
    /// Progress of sending, where it is observed.
    sending: Option<Sending>,
}

#[derive(Debug)]
struct Sending {
    when_sent: WhenSent,
    sent: Sent,
}

impl Drop for Sending {
    fn drop(&mut self) {
        self.when_sent.tell(self.sent);
    }
}

impl<B: Body<Data = Bytes>> Answer<B> {
    fn count(&mut self, frame: Option<&Result<Frame<Bytes>, B::Error>>) {
        let is_last = self.rest.is_empty() && self.body.is_end_stream();
        let Some(Sending { sent, .. }) = &mut self.sending else { return };
        match frame {
            Some(Ok(frame)) => {
                sent.bytes += frame.data_ref().map_or(0, |piece| piece.len() as u64);
                sent.is_whole = is_last;
            }
            Some(Err(_)) => sent.is_whole = false,
            None => sent.is_whole = true,
        }
    }
}

impl<B: Body<Data = Bytes> + Unpin> Body for Answer<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        let frame = if self.rest.is_empty() {
            let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(cx) else {
                self.guard.watch.look().released(self.guard.request);
                return Poll::Pending;
            };
            frame
        } else {
            Some(Ok(Frame::data(std::mem::take(&mut self.rest))))
        };
        self.guard.wait();
        let frame = frame.map(|frame| {
            frame.map(|frame| {
                frame.map_data(|mut piece| {
                    if piece.len() > PIECE {
                        self.rest = piece.split_off(PIECE);
                    }
                    piece
                })
            })
        });
        self.count(frame.as_ref());
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let mut hint = self.body.size_hint();
        let rest = self.rest.len() as u64;
        if let Some(upper) = hint.upper() {
            hint.set_upper(upper + rest);
        }
        hint.set_lower(hint.lower() + rest);
        hint
    }
}

#[cfg(test)]
mod tests {
    use std::{future::poll_fn, time::Duration};

    use poem::Response;

    use super::*;
    use crate::{
        figures::CloseReason,
        watch::{Timeouts, Watch},
    };

    #[tokio::test]
    async fn an_answer_goes_out_in_pieces_and_each_is_waited_for() {
        let second = Duration::from_secs(1);
        let timeouts = Timeouts { head: second, idle: second, write: second };
        let watch = SharedWatch::new(Watch::new(timeouts, Instant::now()));
        let bytes: Vec<u8> = (0..=3 * PIECE).map(|place| u8::try_from(place % 251).expect("below 256")).collect();
        let response: hyper::Response<_> = Response::builder().body(bytes.clone()).into();
        let mut answer = RequestGuard::begin(&watch, true).answer(response.into_body(), None);
        let mut sent = Vec::new();
        while !answer.is_end_stream() {
            assert_eq!(answer.size_hint().exact(), Some((bytes.len() - sent.len()) as u64));
            assert!(matches!(watch.look().due(), Some((_, CloseReason::Unread))), "whether it is taken");
            let frame = poll_fn(|cx| Pin::new(&mut answer).poll_frame(cx)).await;
            let piece = frame.expect("more").expect("no error").into_data().expect("bytes");
            assert!(piece.len() <= PIECE);
            sent.extend_from_slice(&piece);
        }
        assert_eq!(sent, bytes);
        drop(answer);
        assert!(matches!(watch.look().due(), Some((_, CloseReason::Idle))), "the next request");
    }

    #[tokio::test]
    async fn an_answer_that_is_not_ready_is_the_servers_business() {
        let second = Duration::from_secs(1);
        let timeouts = Timeouts { head: second, idle: second, write: second };
        let watch = SharedWatch::new(Watch::new(timeouts, Instant::now()));
        let never = poem::Body::from_bytes_stream(futures_util::stream::pending::<Result<Bytes, std::io::Error>>());
        let response: hyper::Response<_> = Response::builder().body(never).into();
        let mut answer = RequestGuard::begin(&watch, true).answer(response.into_body(), None);
        let is_pending = poll_fn(|cx| Poll::Ready(Pin::new(&mut answer).poll_frame(cx).is_pending())).await;
        assert!(is_pending);
        assert_eq!(watch.look().due(), None);
    }
}
