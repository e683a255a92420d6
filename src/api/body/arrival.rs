//! A body on its way: no longer than it may be, and no slower.

use std::{pin::Pin, sync::Arc, time::Duration};

use bytes::Bytes;
use futures_util::{Stream, StreamExt as _};
use tokio::time::{Instant, timeout};

use crate::{
    error::Error,
    state::reception::{ByteBudget, Reservation},
};

/// Time that a sender has before its pace counts.
const GRACE: Duration = Duration::from_secs(10);
/// Longest total wait of the server for a body, whatever its pace.
const LONGEST: Duration = Duration::from_mins(2);

/// Bytes a second that a body must arrive with on average, once [`GRACE`] is over.
#[derive(Debug, Clone, Copy)]
pub(super) enum Pace {
    /// Ordinary bodies: one of 1 MiB may take 74 seconds.
    Ordinary,
    /// Large bodies, for which others wait meanwhile.
    Large,
}

impl Pace {
    const fn bytes_per_second(self) -> u64 {
        match self {
            Self::Ordinary => 16 << 10,
            Self::Large => 256 << 10,
        }
    }
}

/// A body on its way.
pub(super) struct Arrival {
    pieces: Pin<Box<dyn Stream<Item = std::io::Result<Bytes>> + Send>>,
    limit_bytes: usize,
    pace: Pace,
    received_bytes: usize,
    /// Total time spent waiting for the sender.
    waited: Duration,
}

impl Arrival {
    pub(super) fn of(body: poem::Body, limit_bytes: usize, pace: Pace) -> Self {
        let pieces = Box::pin(body.into_bytes_stream());
        Self { pieces, limit_bytes, pace, received_bytes: 0, waited: Duration::ZERO }
    }

    /// The next piece; `None` at the end. 413 for a byte too many, 400 when it is late or breaks off.
    pub(super) async fn next(&mut self) -> Result<Option<Bytes>, Error> {
        let received = u64::try_from(self.received_bytes).unwrap_or(u64::MAX);
        let earned = Duration::from_millis(received.saturating_mul(1000) / self.pace.bytes_per_second());
        let allowed = GRACE.saturating_add(earned).min(LONGEST);
        let started = Instant::now();
        let next = timeout(allowed.saturating_sub(self.waited), self.pieces.next()).await;
        self.waited += started.elapsed();
        let piece = match next {
            Err(_) => return Err(self.late()),
            Ok(None) => return Ok(None),
            Ok(Some(Err(_))) => {
                return Err(Error::invalid("/body", "The body ended before its announced length."));
            }
            Ok(Some(Ok(piece))) => piece,
        };
        self.received_bytes += piece.len();
        if self.received_bytes > self.limit_bytes {
            return Err(Error::BodyTooLarge { limit_bytes: self.limit_bytes });
        }
        Ok(Some(piece))
    }

    fn late(&self) -> Error {
        let (grace, longest, pace) = (GRACE.as_secs(), LONGEST.as_secs(), self.pace.bytes_per_second());
        Error::invalid(
            "/body",
            format!(
                "The body arrived too slowly: after {grace} seconds it must come with {pace} bytes a second, and be \
                 there after {longest} seconds."
            ),
        )
    }

    /// The whole body, in its reservation of the budget. `announced_bytes` is what its head said.
    pub(super) async fn whole(
        mut self,
        budget: &Arc<ByteBudget>,
        announced_bytes: Option<usize>,
    ) -> Result<(Vec<u8>, Reservation), Error> {
        let mut reservation = budget.reserve();
        let mut bytes = Vec::new();
        let most = announced_bytes.unwrap_or(self.limit_bytes);
        loop {
            let piece = tokio::select! {
                biased;
                () = reservation.dismissed() => return Err(Error::ReceiveOverload),
                piece = self.next() => piece?,
            };
            let Some(piece) = piece else { break };
            let needed = bytes.len() + piece.len();
            if needed > bytes.capacity() {
                let wanted = needed.saturating_mul(2).min(most.max(needed));
                reservation.grow(wanted - bytes.capacity())?;
                bytes.reserve_exact(wanted - bytes.len());
            }
            bytes.extend_from_slice(&piece);
        }
        reservation.arrived()?;
        Ok((bytes, reservation))
    }
}

#[cfg(test)]
mod tests {
    use futures_util::stream;

    use super::*;

    /// A body of `count` pieces of `bytes` bytes, one every `pause`, that never ends.
    fn trickle(pause: Duration, count: usize, bytes: usize) -> poem::Body {
        let pieces = stream::unfold(0, move |number| async move {
            if number == count {
                std::future::pending::<()>().await;
            }
            tokio::time::sleep(pause).await;
            Some((Ok::<_, std::io::Error>(Bytes::from(vec![b' '; bytes])), number + 1))
        });
        poem::Body::from_bytes_stream(pieces)
    }

    async fn received(body: poem::Body, limit_bytes: usize, pace: Pace) -> (Result<usize, String>, u64) {
        let started = Instant::now();
        let budget = Arc::new(ByteBudget::of(limit_bytes));
        let received = Arrival::of(body, limit_bytes, pace).whole(&budget, None).await;
        let received = received.map(|(bytes, _)| bytes.len()).map_err(|error| error.to_string());
        (received, started.elapsed().as_secs())
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_does_not_come_is_waited_for_no_longer_than_the_grace() {
        for pace in [Pace::Ordinary, Pace::Large] {
            let (received, seconds) = received(trickle(Duration::ZERO, 0, 0), 1 << 20, pace).await;
            assert!(received.expect_err("late").contains("too slowly"));
            assert_eq!(seconds, 10);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn what_has_arrived_earns_time_and_no_more() {
        // All but the last byte of a mebibyte, and then nothing.
        let (late, seconds) = received(trickle(Duration::ZERO, 1, (1 << 20) - 1), 1 << 20, Pace::Ordinary).await;
        assert!(late.is_err());
        assert_eq!(seconds, 73);
        // A byte each second.
        let (late, seconds) = received(trickle(Duration::from_secs(1), 1 << 20, 1), 1 << 20, Pace::Ordinary).await;
        assert!(late.is_err());
        assert_eq!(seconds, 10);
        // At the pace, but longer than anybody may take.
        let (late, seconds) =
            received(trickle(Duration::from_secs(1), usize::MAX, 300_000), 1 << 30, Pace::Large).await;
        assert!(late.is_err());
        assert_eq!(seconds, 120);
    }

    #[tokio::test(start_paused = true)]
    async fn what_arrives_in_time_is_taken_whole_and_a_byte_too_many_is_refused() {
        let slow = |bytes: usize| {
            let pieces = trickle(Duration::from_secs(1), 30, bytes).into_bytes_stream();
            poem::Body::from_bytes_stream(pieces.take(30))
        };
        let (whole, seconds) = received(slow(20_000), 600_000, Pace::Ordinary).await;
        assert_eq!((whole, seconds), (Ok(600_000), 30));
        let (refused, seconds) = received(slow(20_000), 599_999, Pace::Ordinary).await;
        assert!(refused.expect_err("too large").contains("599999"));
        assert_eq!(seconds, 30);
    }

    #[tokio::test]
    async fn a_body_that_came_first_makes_room_for_the_next() {
        let budget = Arc::new(ByteBudget::of(1000));
        let stuck = Arrival::of(trickle(Duration::ZERO, 1, 600), 1000, Pace::Ordinary);
        let (inside, elsewhere) = (Arc::clone(&budget), Arc::clone(&budget));
        let stuck = tokio::spawn(async move { stuck.whole(&inside, Some(600)).await.map(|_| ()) });
        while !stuck.is_finished() {
            budget.reserve().grow(401).expect("room, made by the other");
            tokio::task::yield_now().await;
        }
        assert!(matches!(stuck.await.expect("it ends"), Err(Error::ReceiveOverload)));
        let next = Arrival::of(poem::Body::from_vec(vec![0; 1000]), 1000, Pace::Ordinary);
        assert_eq!(next.whole(&elsewhere, None).await.expect("room").0.len(), 1000);
    }
}
