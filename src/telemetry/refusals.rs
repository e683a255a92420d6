//! Log lines about refusals: each has one, but repeated refusals cannot fill a disk.

use std::{
    collections::HashMap,
    sync::{LazyLock, Mutex, PoisonError},
    time::{Duration, Instant},
};

/// Lines about refusals of one kind in a window.
const LINES: u32 = 30;
/// Length of a window.
const WINDOW: Duration = Duration::from_mins(1);

/// Lines of one kind in the present window.
struct Window {
    began: Instant,
    told: u32,
    left_out: u64,
}

static WINDOWS: LazyLock<Mutex<HashMap<&'static str, Window>>> = LazyLock::new(Mutex::default);

/// Level at which a refusal is logged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogDecision {
    /// At the usual level; so many of its kind were left out since the last one.
    Usual(u64),
    /// Only in a log of the most verbose level: there were many of its kind.
    Fine,
}

/// Decides how a refusal of this kind is logged.
pub fn tell_refusal(kind: &'static str) -> LogDecision {
    let now = Instant::now();
    let mut windows = WINDOWS.lock().unwrap_or_else(PoisonError::into_inner);
    next(windows.entry(kind).or_insert(Window { began: now, told: 0, left_out: 0 }), now)
}

fn next(window: &mut Window, now: Instant) -> LogDecision {
    if now.duration_since(window.began) >= WINDOW {
        (window.began, window.told) = (now, 0);
    }
    if window.told >= LINES {
        window.left_out += 1;
        return LogDecision::Fine;
    }
    window.told += 1;
    LogDecision::Usual(std::mem::take(&mut window.left_out))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_each_window_are_told_and_the_next_window_tells_how_many_were_not() {
        let began = Instant::now();
        let mut window = Window { began, told: 0, left_out: 0 };
        for _ in 0..LINES {
            assert_eq!(next(&mut window, began), LogDecision::Usual(0));
        }
        assert_eq!(next(&mut window, began), LogDecision::Fine);
        assert_eq!(next(&mut window, began + WINDOW / 2), LogDecision::Fine);
        assert_eq!(next(&mut window, began + WINDOW), LogDecision::Usual(2));
        assert_eq!(next(&mut window, began + WINDOW), LogDecision::Usual(0));
    }
}
