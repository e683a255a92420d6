//! Counting what was there at each of many moments, in time proportional to what began and ended.

use crate::time::Timestamp;

/// Number of spans of time that hold each of some moments.
#[derive(Debug, Clone)]
pub(super) struct Steps {
    /// At each moment, how many more spans hold it than the moment before.
    changes: Vec<i64>,
}

impl Steps {
    pub(super) fn new(moments: &[Timestamp]) -> Self {
        Self { changes: vec![0; moments.len() + 1] }
    }

    /// Counts a span, which holds its start and not its end; without an end it lasts.
    pub(super) fn add(&mut self, moments: &[Timestamp], from: Timestamp, to: Option<Timestamp>) {
        let first_at = |instant: Timestamp| moments.partition_point(|moment| *moment < instant);
        let (begin, end) = (first_at(from), to.map_or(moments.len(), first_at));
        if begin < end {
            self.changes[begin] += 1;
            self.changes[end] -= 1;
        }
    }

    /// The count at each moment.
    pub(super) fn counts(&self) -> Vec<i64> {
        let moments = self.changes.len() - 1;
        let running = self.changes.iter().take(moments).scan(0, |count, change| {
            *count += change;
            Some(*count)
        });
        running.collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn counts_are_those_of_looking_at_every_span_at_every_moment(
            mut moments in prop::collection::vec(0_i64..50, 0..20),
            spans in prop::collection::vec((0_i64..50, prop::option::of(0_i64..50)), 0..30),
        ) {
            moments.sort_unstable();
            let moments: Vec<_> = moments.into_iter().map(Timestamp::from_millis).collect();
            let mut steps = Steps::new(&moments);
            let spans: Vec<_> = spans
                .into_iter()
                .map(|(from, to)| (Timestamp::from_millis(from), to.map(Timestamp::from_millis)))
                .collect();
            for (from, to) in &spans {
                steps.add(&moments, *from, *to);
            }
            let holds = |moment, (from, to): &(Timestamp, Option<Timestamp>)| {
                *from <= moment && to.is_none_or(|to| moment < to)
            };
            let expected: Vec<i64> = moments
                .iter()
                .map(|moment| spans.iter().map(|span| i64::from(holds(*moment, span))).sum())
                .collect();
            prop_assert_eq!(steps.counts(), expected);
        }
    }
}
