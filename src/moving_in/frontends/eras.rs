//! Versions of frontends by their way of evaluating: by the newest step of the schema of a database, or by the version
//! that an API returns.

use std::collections::BTreeSet;

use super::Quirk;
use crate::neutral::Origin;

/// Way in which frontends of a version evaluate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Era {
    /// Differences from the engine.
    pub quirks: BTreeSet<Quirk>,
    /// Name that they give themselves as an application.
    pub(super) application: &'static str,
}

/// A change of frontends: the first day of it, as steps of the schema are dated, and the first version.
struct Change {
    day: u32,
    version: (u32, u32),
}

/// Version 5.0 of the Node SDK, which draws variants with a seed of their own.
const NEW_SEED: Change = Change { day: 20_231_101, version: (5, 7) };
/// The frontend calls itself `frontend-api`, and no longer `proxy`.
const NEW_NAME: Change = Change { day: 20_240_311, version: (5, 11) };
/// The frontend holds the features alone that are switched on.
const WITHOUT_OFF: Change = Change { day: 20_240_424, version: (5, 12) };
/// `REGEX`.
const PATTERNS: Change = Change { day: 20_260_219, version: (7, 5) };
/// `SEMVER_GTE` and `SEMVER_LTE`.
const VERSION_BOUNDS: Change = Change { day: 20_260_629, version: (8, 1) };

impl Era {
    /// Returns the era of a server; `None` where the version is not known, as in files.
    pub fn of(origin: &Origin) -> Option<Self> {
        let day = origin.version.strip_prefix('/').and_then(|step| step.get(..8)?.parse::<u32>().ok());
        let mut numbers = origin.version.split('.').map(|number| number.parse::<u32>().ok());
        let version = numbers.next().flatten().zip(numbers.next().flatten());
        let is_since = |change: &Change| match (day, version) {
            (Some(day), _) => Some(day >= change.day),
            (None, Some(version)) => Some(version >= change.version),
            (None, None) => None,
        };
        let mut quirks = BTreeSet::from(Quirk::ALL);
        if !is_since(&WITHOUT_OFF)? {
            quirks.remove(&Quirk::MissingParents);
        }
        for (change, quirk) in [
            (&NEW_SEED, Quirk::OldVariantSeed),
            (&PATTERNS, Quirk::NoPatterns),
            (&VERSION_BOUNDS, Quirk::NoVersionBounds),
        ] {
            if is_since(change)? {
                quirks.remove(&quirk);
            }
        }
        let application = if is_since(&NEW_NAME)? { "frontend-api" } else { "proxy" };
        Some(Self { quirks, application })
    }

    /// Returns how the engine evaluates: without any quirk.
    pub const fn of_engine() -> Self {
        Self { quirks: BTreeSet::new(), application: "frontend-api" }
    }
}
