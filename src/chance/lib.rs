//! Chance for waits: those that lose the same server together do not return to it together.

use std::time::Duration;

/// A number from 0 to 1.
pub fn share() -> f64 {
    f64::from(number()) / f64::from(u32::MAX)
}

/// A whole number below a bound.
pub fn below(bound: u32) -> u32 {
    number() % bound
}

fn number() -> u32 {
    let mut bytes = [0; 4];
    getrandom::fill(&mut bytes).expect("the operating system gives random bytes");
    u32::from_le_bytes(bytes)
}

/// Varies a time by chance: a tenth less to a tenth more.
pub fn about(time: Duration) -> Duration {
    time.mul_f64(0.9 + 0.2 * share())
}

/// Wait after failures in a row: each doubles the bound, and chance decides within it.
#[derive(Debug)]
pub struct Backoff {
    failures: u32,
    most: Duration,
}

impl Backoff {
    /// Never more than about `most`.
    pub const fn up_to(most: Duration) -> Self {
        Self { failures: 0, most }
    }

    /// Resets the wait after a success.
    pub const fn reset(&mut self) {
        self.failures = 0;
    }

    /// Returns the next wait: at most half a second after the first failure.
    pub fn next_wait(&mut self) -> Duration {
        let bound = Duration::from_millis(500).saturating_mul(1 << self.failures.min(16)).min(self.most);
        self.failures += 1;
        bound.mul_f64(0.5 + 0.5 * share())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_to_their_bound_and_start_over() {
        let mut backoff = Backoff::up_to(Duration::from_mins(1));
        let first = backoff.next_wait();
        assert!(first <= Duration::from_millis(500) && first >= Duration::from_millis(250));
        for _ in 0..100 {
            assert!(backoff.next_wait() <= Duration::from_mins(1));
        }
        assert!(backoff.next_wait() >= Duration::from_secs(30));
        backoff.reset();
        assert!(backoff.next_wait() <= Duration::from_millis(500));
    }
}
