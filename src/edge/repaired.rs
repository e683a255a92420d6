//! Values of an upstream's answers that were put right or left out, for the log and for the status of the edge.

use std::sync::{Mutex, MutexGuard, PoisonError};

use flagstone_domain::repair::Repair;

/// Most repairs of one feed that are remembered.
const REMEMBERED: usize = 1000;

/// The repairs of what one feed brings now.
#[derive(Debug, Default)]
pub(super) struct Repaired(Mutex<Vec<Repair>>);

impl Repaired {
    /// Takes the repairs of everything that the feed brings, and logs those that are new.
    pub(super) fn replace(&self, environment: &str, repairs: &[Repair]) {
        let mut known = self.lock();
        log(environment, repairs, &known);
        *known = repairs.iter().take(REMEMBERED).cloned().collect();
    }

    /// Replaces the repairs of features and segments that have changed; `is_other` holds for the repairs that stay.
    pub(super) fn update(&self, environment: &str, repairs: &[Repair], is_other: impl Fn(&Repair) -> bool) {
        let mut known = self.lock();
        log(environment, repairs, &known);
        known.retain(is_other);
        let room = REMEMBERED.saturating_sub(known.len());
        known.extend(repairs.iter().take(room).cloned());
    }

    /// Returns the repairs.
    pub(super) fn all(&self) -> Vec<Repair> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Repair>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn log(environment: &str, repairs: &[Repair], known: &[Repair]) {
    for repair in repairs.iter().filter(|repair| !known.contains(repair)).take(REMEMBERED) {
        tracing::warn!(
            target: "flagstone::edge::repaired",
            environment,
            %repair,
            "the upstream answers what cannot be read as it is"
        );
    }
}

/// Returns whether a repair concerns this feature.
pub(super) fn concerns_feature(repair: &Repair, name: &str) -> bool {
    let rest = repair.key.strip_prefix(name);
    repair.table != "segments" && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(", strategy "))
}

/// Returns whether a repair concerns this segment.
pub(super) fn concerns_segment(repair: &Repair, id: i64) -> bool {
    repair.table == "segments" && repair.key == id.to_string()
}
