//! In which environments of a project changes need approval, and how many.

/// Fewest and most approvals that consoles offer and new projects take.
pub const APPROVALS: std::ops::RangeInclusive<i64> = 1..=10;
/// Approvals that are needed where none are named.
pub const DEFAULT_APPROVALS: i64 = 1;
/// Most approvals that can be asked for.
pub const MOST_APPROVALS: i64 = 100;

/// Configuration of an environment of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Configuration {
    /// Name of the environment.
    pub environment: String,
    /// Its type, such as `production`.
    pub kind: String,
    /// Approvals that a change request needs; `None` where changes need none.
    pub required_approvals: Option<i64>,
}

/// Approvals of a new project in an environment: those that were asked for, within [`APPROVALS`].
pub fn of_new_project(asked: Option<i64>) -> i64 {
    asked.unwrap_or(DEFAULT_APPROVALS).clamp(*APPROVALS.start(), *APPROVALS.end())
}

/// Returns the environment that a change which belongs to none is requested in: the first of type `production` with
/// change requests, else the first with change requests.
pub fn environment_of_project(environments: &[Configuration]) -> Option<&Configuration> {
    let is_on = |one: &&Configuration| one.required_approvals.is_some();
    let first_of = |kind: &str| environments.iter().filter(is_on).find(|one| one.kind == kind);
    first_of("production").or_else(|| environments.iter().find(is_on))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_projects_take_one_to_ten_approvals() {
        assert_eq!([None, Some(-1), Some(0), Some(3), Some(11)].map(of_new_project), [1, 1, 1, 3, 10]);
    }

    #[test]
    fn changes_without_an_environment_are_requested_in_production_if_they_can() {
        let one = |environment: &str, kind: &str, required_approvals| Configuration {
            environment: environment.to_owned(),
            kind: kind.to_owned(),
            required_approvals,
        };
        let chosen = |environments: &[Configuration]| {
            environment_of_project(environments).map(|chosen| chosen.environment.clone())
        };
        let mut environments =
            vec![one("dev", "development", None), one("qa", "test", Some(0)), one("eu", "production", None)];
        assert_eq!(chosen(&environments).as_deref(), Some("qa"));
        environments.extend([one("us", "production", Some(1)), one("asia", "production", Some(1))]);
        assert_eq!(chosen(&environments).as_deref(), Some("us"));
        assert_eq!(chosen(&environments[..1]), None);
    }
}
