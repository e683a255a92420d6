//! Answers of the day, by kind and interval.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use super::plan::{Group, KINDS, What};

/// Seconds of an interval.
pub(crate) const INTERVAL: u64 = 5;

/// The answers of one kind in one interval.
#[derive(Debug, Clone, Default)]
pub(crate) struct Answers {
    /// Milliseconds from the intended moment to the end of the answer.
    pub(crate) times: Vec<f64>,
    /// Not answered, or not as it should be.
    pub(crate) failed: usize,
}

impl Answers {
    /// Quantile of the times for this share in hundredths.
    pub(crate) fn quantile(&self, share: usize) -> Option<f64> {
        let mut times = self.times.clone();
        times.sort_by(f64::total_cmp);
        times.get((times.len() * share / 100).min(times.len().saturating_sub(1))).copied()
    }
}

/// Something that happened once.
#[derive(Debug, Clone)]
pub(crate) struct Happening {
    pub(crate) name: &'static str,
    pub(crate) from: Duration,
    pub(crate) until: Duration,
    /// Outcome in words.
    pub(crate) outcome: String,
}

/// All that is noted while the day passes.
#[derive(Debug)]
pub(crate) struct Record {
    pub(crate) began: Instant,
    answers: BTreeMap<What, Vec<Answers>>,
    /// Failures while the server was being replaced, by kind: refused, cut off, too late.
    pub(crate) meanwhile: BTreeMap<What, usize>,
    /// Numbers of failures at any time, by kind and reason.
    pub(crate) reasons: BTreeMap<(What, String), usize>,
    pub(crate) happenings: Vec<Happening>,
    /// When the server was asked to stop, and when its successor answered.
    pub(crate) upgrade: (Option<Duration>, Option<Duration>),
    under_way: BTreeMap<Group, (usize, usize)>,
    intervals: usize,
}

impl Record {
    pub(crate) fn new(time: Duration) -> Self {
        let intervals = interval_of(time) + 1;
        Self {
            began: Instant::now(),
            answers: KINDS.iter().map(|kind| (kind.what, vec![Answers::default(); intervals])).collect(),
            meanwhile: BTreeMap::new(),
            reasons: BTreeMap::new(),
            happenings: Vec::new(),
            upgrade: (None, None),
            under_way: BTreeMap::new(),
            intervals,
        }
    }

    /// Notes the end of what was meant for this moment.
    pub(crate) fn note(&mut self, what: What, intended: Duration, outcome: Result<(), String>) {
        let now = self.began.elapsed();
        let Some(answers) = self.answers.get_mut(&what).and_then(|all| all.get_mut(interval_of(intended))) else {
            return;
        };
        match outcome {
            Ok(()) => answers.times.push(now.saturating_sub(intended).as_secs_f64() * 1000.0),
            Err(reason) => {
                let while_away = match self.upgrade {
                    (None, _) => false,
                    (Some(from), until) => now >= from && until.is_none_or(|until| intended <= until),
                };
                if while_away {
                    *self.meanwhile.entry(what).or_default() += 1;
                } else {
                    answers.failed += 1;
                }
                let when = if while_away { "while the server was replaced: " } else { "" };
                *self.reasons.entry((what, format!("{when}{reason}"))).or_default() += 1;
            }
        }
    }

    /// Notes that one more is under way.
    pub(crate) fn begins(&mut self, group: Group) {
        let (now, most) = self.under_way.entry(group).or_default();
        *now += 1;
        *most = (*most).max(*now);
    }

    /// Notes that one less is.
    pub(crate) fn ends(&mut self, group: Group) {
        let (now, _) = self.under_way.entry(group).or_default();
        *now = now.saturating_sub(1);
    }

    /// Whether anything is under way.
    pub(crate) fn is_busy(&self) -> bool {
        self.under_way.values().any(|(now, _)| *now > 0)
    }

    /// Most that were under way since this was asked last.
    pub(crate) fn most_under_way(&mut self, group: Group) -> usize {
        let (now, most) = self.under_way.entry(group).or_default();
        std::mem::replace(most, *now)
    }

    /// By interval.
    pub(crate) fn of(&self, what: What) -> &[Answers] {
        self.answers.get(&what).map_or(&[], Vec::as_slice)
    }

    /// Of the whole day.
    pub(crate) fn total(&self, what: What) -> Answers {
        let mut total = Answers::default();
        for interval in self.of(what) {
            total.times.extend(&interval.times);
            total.failed += interval.failed;
        }
        total
    }

    /// Number of intervals.
    pub(crate) const fn intervals(&self) -> usize {
        self.intervals
    }
}

/// The interval of a moment.
pub(crate) fn interval_of(at: Duration) -> usize {
    usize::try_from(at.as_secs() / INTERVAL).unwrap_or(usize::MAX)
}
