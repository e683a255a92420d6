//! Numbers of things that are counted before and afterwards.

use super::neutral::Set;

/// Kinds of things that are counted, in the order of the report.
pub const KINDS: [&str; 15] = [
    "projects",
    "environments",
    "features",
    "feature environments",
    "strategies",
    "segments",
    "tags",
    "users",
    "groups",
    "project roles",
    "favorites",
    "API tokens",
    "personal tokens",
    "sign-up links",
    "change requests",
];

/// Returns the numbers of things in a set, in the order of [`KINDS`].
pub fn sizes(set: &Set) -> [u64; KINDS.len()] {
    let environments = || set.features.iter().flat_map(|feature| &feature.environments);
    let strategies = environments().map(|state| state.strategies.len()).sum();
    [
        set.projects.len(),
        set.environments.len(),
        set.features.len(),
        environments().count(),
        strategies,
        set.segments.len(),
        set.tags.len(),
        set.users.len(),
        set.groups.len(),
        set.project_roles.len(),
        set.favorites.len(),
        set.api_tokens.len(),
        set.personal_tokens.len(),
        set.signup_links.len(),
        set.change_requests.len(),
    ]
    .map(|count| u64::try_from(count).unwrap_or(u64::MAX))
}
