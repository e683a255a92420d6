//! Positions of the primary in its log by time, and how far the replica has come. No clock and no database: both are
//! given.

use std::{
    collections::VecDeque,
    time::{Duration, Instant},
};

/// Most moments that are remembered; when there are more, every second one is forgotten.
const REMEMBERED: usize = 512;

/// The primary at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mark {
    /// The moment. What was committed before it lies before `position`.
    pub(super) at: Instant,
    /// The changes that this node had noticed by then.
    pub(super) generation: u64,
    /// The end of the primary's log.
    pub(super) position: i64,
}

/// The moments that the replica has yet to reach, oldest first, and the newest that it has reached.
#[derive(Debug, Default)]
pub(super) struct Trail {
    ahead: VecDeque<Mark>,
    reached: Option<Mark>,
}

impl Trail {
    /// Remembers what the primary had.
    pub(super) fn observe(&mut self, mark: Mark) {
        if self.ahead.len() == REMEMBERED {
            let mut keep = false;
            self.ahead.retain(|_| {
                keep = !keep;
                keep
            });
        }
        self.ahead.push_back(mark);
    }

    /// The replica has the primary's log up to here.
    pub(super) fn replayed(&mut self, position: i64) {
        while let Some(mark) = self.ahead.pop_front_if(|mark| mark.position <= position) {
            self.reached = Some(mark);
        }
    }

    /// Forgets all positions.
    pub(super) fn lose(&mut self) {
        *self = Self::default();
    }

    /// Whether the replica has everything that this node has noticed.
    pub(super) fn has(&self, generation: u64) -> bool {
        self.reached.is_some_and(|mark| mark.generation >= generation)
    }

    /// Greatest possible age of the replica's data, if anything is known.
    pub(super) fn age(&self, now: Instant) -> Option<Duration> {
        self.reached.map(|mark| now.saturating_duration_since(mark.at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn mark(start: Instant, second: u32, generation: u64, position: i64) -> Mark {
        Mark { at: start + SECOND * second, generation, position }
    }

    #[test]
    fn the_replica_is_as_old_as_the_newest_moment_that_it_has_reached() {
        let (start, mut trail) = (Instant::now(), Trail::default());
        assert_eq!((trail.age(start), trail.has(0)), (None, false));
        for (second, generation, position) in [(1, 0, 100), (2, 1, 200), (3, 1, 200), (4, 2, 300)] {
            trail.observe(mark(start, second, generation, position));
        }
        let now = start + SECOND * 5;
        for (replayed, age, has) in
            [(99, None, None), (100, Some(4), Some(0)), (299, Some(2), Some(1)), (300, Some(1), Some(2))]
        {
            trail.replayed(replayed);
            assert_eq!(trail.age(now), age.map(|seconds| SECOND * seconds), "{replayed}");
            assert_eq!((0..4).rev().find(|generation| trail.has(*generation)), has, "{replayed}");
        }
        // A replayed position stays so, and one that was not observed at the primary does not count.
        trail.replayed(50);
        trail.replayed(1000);
        assert_eq!(trail.age(now), Some(SECOND));
        trail.lose();
        assert_eq!((trail.age(now), trail.has(0)), (None, false));
    }

    #[test]
    fn a_replica_that_does_not_move_costs_bounded_memory_and_is_found_again() {
        let (start, mut trail) = (Instant::now(), Trail::default());
        let moments = u32::try_from(REMEMBERED * 5).expect("few");
        for second in 0..moments {
            trail.observe(mark(start, second, 0, second.into()));
            assert!(trail.ahead.len() <= REMEMBERED);
        }
        trail.replayed((moments / 2).into());
        let age = trail.age(start + SECOND * moments).expect("it has reached something");
        assert!(age >= SECOND * (moments / 2) && age < SECOND * moments, "{age:?}");
        trail.replayed(moments.into());
        assert_eq!(trail.age(start + SECOND * moments), Some(SECOND));
    }
}
