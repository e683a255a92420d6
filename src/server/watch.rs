//! Timeouts of a connection that keeps the server waiting for too long. A rule: it is given the events and the time.

use std::{collections::HashMap, time::Duration};

use tokio::time::Instant;

use super::figures::CloseReason;

/// Bytes that a slow reader must take in each second, on average over the time that it has.
const LEAST_RATE: u64 = 1024;

/// Limits on the time for which a connection may keep the server waiting.
#[derive(Debug, Clone, Copy)]
pub(super) struct Timeouts {
    /// Time for the head of a request, from its first byte; on a new connection from the beginning.
    pub(super) head: Duration,
    /// Time for the next request.
    pub(super) idle: Duration,
    /// Time for a reader who takes nothing, or next to nothing.
    pub(super) write: Duration,
}

/// State of one connection.
#[derive(Debug)]
pub(super) struct Watch {
    timeouts: Timeouts,
    under_way: usize,
    requests: u64,
    is_http2: bool,
    /// When the last answer ended or some of it was taken.
    resting_since: Instant,
    /// When the head began that is not yet whole.
    head_since: Option<Instant>,
    writing: Pace,
    /// HTTP/2: requests whose answers wait until the reader has room for more, by number.
    held: HashMap<u64, Instant>,
}

impl Watch {
    pub(super) fn new(timeouts: Timeouts, now: Instant) -> Self {
        Self {
            timeouts,
            under_way: 0,
            requests: 0,
            is_http2: false,
            resting_since: now,
            head_since: Some(now),
            writing: Pace::default(),
            held: HashMap::new(),
        }
    }

    /// Some bytes arrived. With HTTP/2 they may be anything; the first request alone must come in time.
    pub(super) fn heard(&mut self, now: Instant) {
        if self.under_way == 0 && !self.is_http2 {
            self.head_since.get_or_insert(now);
        }
    }

    /// A head is whole: its request is under way, and has this number.
    pub(super) fn asked(&mut self, is_http2: bool) -> u64 {
        self.is_http2 = is_http2;
        self.head_since = None;
        self.under_way += 1;
        self.requests += 1;
        self.requests
    }

    /// Notes that the last piece of an answer is on its way, or is not wanted any more.
    pub(super) fn answered(&mut self, request: u64, now: Instant) {
        self.under_way -= 1;
        self.held.remove(&request);
        self.resting_since = now;
    }

    /// The next piece of an answer waits until the reader has room for it.
    pub(super) fn held(&mut self, request: u64, now: Instant) {
        if self.is_http2 {
            self.held.insert(request, now);
        }
    }

    /// Notes that there is room for the next piece of an answer, and no such piece yet.
    pub(super) fn released(&mut self, request: u64) {
        self.held.remove(&request);
    }

    /// The system took so many bytes. With HTTP/2 they may be no answer, but signs of life.
    pub(super) fn written(&mut self, bytes: usize, now: Instant) {
        if !self.is_http2 {
            self.resting_since = now;
        }
        self.writing.moved(bytes, self.timeouts.write);
    }

    /// The system takes no bytes now.
    pub(super) fn blocked(&mut self, now: Instant) {
        self.writing.blocked(now, self.timeouts.write);
    }

    /// Returns the number of the idle time, if the connection is idle.
    pub(super) const fn rest(&self) -> Option<u64> {
        if self.under_way == 0 && !self.writing.is_blocked { Some(self.requests) } else { None }
    }

    /// When the connection is to be ended if nothing happens until then, and why. `None` when it is the server's turn.
    pub(super) fn due(&self) -> Option<(Instant, CloseReason)> {
        let rest = self.rest().map(|_| match self.head_since {
            Some(since) => (since + self.timeouts.head, CloseReason::Head),
            None => (self.resting_since + self.timeouts.idle, CloseReason::Idle),
        });
        let writing = self.writing.since().map(|since| (since + self.timeouts.write, CloseReason::Unread));
        let held = self.held.values().min().map(|since| (*since + self.timeouts.write, CloseReason::Unread));
        [rest, writing, held].into_iter().flatten().min_by_key(|(at, _)| *at)
    }
}

/// Pace at which a reader takes what is written.
#[derive(Debug, Default)]
struct Pace {
    is_blocked: bool,
    /// Since when the reader has been behind, and what it has taken since.
    behind: Option<(Instant, u64)>,
}

impl Pace {
    fn blocked(&mut self, now: Instant, time: Duration) {
        let over = self.behind.is_some_and(|(since, _)| !self.is_blocked && now >= since + time);
        if over {
            self.behind = None;
        }
        self.is_blocked = true;
        self.behind.get_or_insert((now, 0));
    }

    fn moved(&mut self, bytes: usize, time: Duration) {
        self.is_blocked = false;
        if let Some((_, taken)) = &mut self.behind {
            *taken += bytes as u64;
            if *taken >= LEAST_RATE * time.as_secs() {
                self.behind = None;
            }
        }
    }

    /// Since when a reader who is waited for has taken too little.
    fn since(&self) -> Option<Instant> {
        self.behind.filter(|_| self.is_blocked).map(|(since, _)| since)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATIENCE: Timeouts =
        Timeouts { head: Duration::from_secs(30), idle: Duration::from_secs(75), write: Duration::from_mins(1) };

    struct Told(Watch, Instant);

    impl Told {
        fn new() -> Self {
            let began = Instant::now();
            Self(Watch::new(PATIENCE, began), began)
        }

        fn at(&self, second: u64) -> Instant {
            self.1 + Duration::from_secs(second)
        }

        #[track_caller]
        fn is_due(&self, second: u64, ending: CloseReason) {
            let due = self.0.due().map(|(at, ending)| ((at - self.1).as_secs(), ending));
            assert_eq!(due, Some((second, ending)));
        }
    }

    #[test]
    fn a_new_connection_has_the_time_of_a_head_whatever_it_sends() {
        let mut told = Told::new();
        told.is_due(30, CloseReason::Head);
        for second in 1..30 {
            told.0.heard(told.at(second));
        }
        told.is_due(30, CloseReason::Head);
        assert_eq!(told.0.rest(), Some(0));
    }

    #[test]
    fn a_later_head_has_its_time_from_its_first_byte() {
        let mut told = Told::new();
        let request = told.0.asked(false);
        assert_eq!((told.0.due(), told.0.rest()), (None, None), "it is the server's turn");
        told.0.heard(told.at(10));
        told.0.answered(request, told.at(10));
        told.is_due(85, CloseReason::Idle);
        told.0.heard(told.at(80));
        told.0.heard(told.at(81));
        told.is_due(110, CloseReason::Head);
        assert_eq!(told.0.rest(), Some(1));
        told.0.asked(false);
        assert_eq!(told.0.due(), None);
    }

    #[test]
    fn a_resting_connection_of_http2_may_say_what_it_likes_and_gains_nothing() {
        let mut told = Told::new();
        let (first, second) = (told.0.asked(true), told.0.asked(true));
        told.0.answered(first, told.at(10));
        assert_eq!(told.0.due(), None, "one is under way");
        told.0.answered(second, told.at(20));
        told.0.heard(told.at(60));
        told.0.written(17, told.at(60));
        told.is_due(95, CloseReason::Idle);
    }

    #[test]
    fn who_takes_too_little_of_an_answer_is_not_waited_for() {
        let mut told = Told::new();
        let request = told.0.asked(false);
        told.0.blocked(told.at(10));
        told.is_due(70, CloseReason::Unread);
        // A byte each second.
        for second in 11..40 {
            told.0.written(1, told.at(second));
            told.0.blocked(told.at(second));
        }
        told.is_due(70, CloseReason::Unread);
        // The answer is as good as written, but not taken.
        told.0.answered(request, told.at(40));
        told.is_due(70, CloseReason::Unread);
        assert_eq!(told.0.rest(), None);
        // A kibibyte a second will do.
        told.0.written(60 * 1024, told.at(69));
        told.0.blocked(told.at(69));
        told.is_due(129, CloseReason::Unread);
        told.0.written(1, told.at(70));
        told.is_due(145, CloseReason::Idle);
        // What was long ago does not count.
        told.0.blocked(told.at(140));
        told.is_due(200, CloseReason::Unread);
    }

    #[test]
    fn who_takes_nothing_of_one_answer_is_not_waited_for_because_of_others() {
        let mut told = Told::new();
        let (first, second) = (told.0.asked(true), told.0.asked(true));
        told.0.held(first, told.at(5));
        told.0.held(second, told.at(10));
        told.is_due(65, CloseReason::Unread);
        told.0.released(first);
        told.is_due(70, CloseReason::Unread);
        told.0.answered(second, told.at(20));
        assert_eq!(told.0.due(), None);
    }
}
