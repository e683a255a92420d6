//! Ids of reports that were counted lately, where no database remembers them.

use std::collections::{HashMap, VecDeque};

use flagstone_domain::time::Timestamp;

/// Reports that are remembered.
const REPORTS: usize = 10_000;

/// Reports that were counted lately, each until some time.
#[derive(Debug, Default)]
pub(super) struct RecentReports {
    until: HashMap<String, Timestamp>,
    /// Ids in the order in which they came.
    order: VecDeque<String>,
}

impl RecentReports {
    /// Remembers a report; false where it was remembered already.
    pub(super) fn remember(&mut self, id: String, until: Timestamp, now: Timestamp) -> bool {
        if self.until.get(&id).is_some_and(|until| *until > now) {
            return false;
        }
        if self.until.insert(id.clone(), until).is_none() {
            self.order.push_back(id);
        }
        if self.order.len() > REPORTS
            && let Some(oldest) = self.order.pop_front()
        {
            self.until.remove(&oldest);
        }
        true
    }

    /// Reports that are still remembered at `now`, the oldest first.
    pub(super) fn list(&self, now: Timestamp) -> Vec<(String, Timestamp)> {
        let known = self.order.iter().filter_map(|id| Some((id.clone(), *self.until.get(id)?)));
        known.filter(|(_, until)| *until > now).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_known_until_its_time_and_there_are_only_so_many() {
        let at = Timestamp::from_millis;
        let mut recent = RecentReports::default();
        assert!(recent.remember("a".to_owned(), at(10), at(0)));
        assert!(!recent.remember("a".to_owned(), at(20), at(9)));
        assert!(recent.remember("a".to_owned(), at(20), at(10)));
        assert_eq!(recent.list(at(19)), [("a".to_owned(), at(20))]);
        assert_eq!(recent.list(at(20)), []);
        for number in 0..REPORTS {
            assert!(recent.remember(number.to_string(), at(100), at(50)));
        }
        assert_eq!((recent.until.len(), recent.order.len()), (REPORTS, REPORTS));
        assert!(recent.remember("a".to_owned(), at(100), at(0)), "it made room");
    }
}
