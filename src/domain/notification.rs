//! Notifications: changes by others in the projects that a user is a member of.

use crate::domain::{event_kind::EventKind, time::Timestamp};

/// Types of events that users are notified of.
pub const KINDS: [EventKind; 3] =
    [EventKind::FeatureCreated, EventKind::FeatureArchived, EventKind::FeatureEnvironmentEnabled];
/// Days for which a notification is listed.
pub const DAYS: i64 = 14;
/// Maximum number of notifications that are listed at once: the newest.
pub const MOST: u64 = 50;

/// A change by another user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notification {
    /// Id of the event.
    pub event_id: i64,
    /// Type of the change: one of [`KINDS`].
    pub kind: EventKind,
    /// The project it was done in.
    pub project: String,
    /// The feature it was done to.
    pub feature: String,
    /// The environment it was done in.
    pub environment: Option<String>,
    /// Name of the author at that time.
    pub created_by: String,
    /// Id of who did it.
    pub created_by_user_id: Option<i64>,
    /// When it was done.
    pub created_at: Timestamp,
    /// When it was read.
    pub read_at: Option<Timestamp>,
}

impl Notification {
    /// A sentence about it.
    pub fn message(&self) -> String {
        let Self { created_by, feature, project, .. } = self;
        match (self.kind, &self.environment) {
            (EventKind::FeatureCreated, _) => format!("{created_by} created {feature} in {project}"),
            (EventKind::FeatureArchived, _) => format!("{created_by} archived {feature} in {project}"),
            (_, Some(environment)) => format!("{created_by} switched on {feature} in {environment}"),
            (_, None) => format!("{created_by} switched on {feature}"),
        }
    }

    /// The page of a console that shows it.
    pub fn link(&self) -> String {
        let Self { project, feature, .. } = self;
        match self.kind {
            EventKind::FeatureArchived => format!("/projects/{project}/archive"),
            _ => format!("/projects/{project}/features/{feature}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(kind: EventKind, environment: Option<&str>) -> (String, String) {
        let notification = Notification {
            event_id: 1,
            kind,
            project: "shop".to_owned(),
            feature: "till".to_owned(),
            environment: environment.map(str::to_owned),
            created_by: "ada".to_owned(),
            created_by_user_id: Some(2),
            created_at: Timestamp::from_millis(0),
            read_at: None,
        };
        (notification.message(), notification.link())
    }

    #[test]
    fn each_kind_is_told_in_a_sentence_and_leads_to_its_page() {
        let [created, archived, enabled] = KINDS;
        let page = |text: &str, link: &str| (text.to_owned(), link.to_owned());
        assert_eq!(told(created, None), page("ada created till in shop", "/projects/shop/features/till"));
        assert_eq!(told(archived, None), page("ada archived till in shop", "/projects/shop/archive"));
        let on = page("ada switched on till in production", "/projects/shop/features/till");
        assert_eq!(told(enabled, Some("production")), on);
    }
}
