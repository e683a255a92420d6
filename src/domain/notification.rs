//! Notifications: changes by others in the projects that a user is a member of, the fate of change requests that the user
//! made or scheduled, and change requests that wait for the user's approval.

use crate::{event_kind::EventKind, time::Timestamp};

/// Types of events that users are notified of.
pub const KINDS: [EventKind; 3] =
    [EventKind::FeatureCreated, EventKind::FeatureArchived, EventKind::FeatureEnvironmentEnabled];
/// Types of events that the author of a change request is notified of, and who scheduled it.
pub const REQUEST_KINDS: [EventKind; 4] = [
    EventKind::ChangeRequestApproved,
    EventKind::ChangeRequestRejected,
    EventKind::ChangeRequestScheduledApplicationFailure,
    EventKind::ChangeRequestScheduleSuspended,
];
/// Days for which a notification is listed.
pub const DAYS: i64 = 14;
/// Maximum number of notifications that are listed at once: the newest.
pub const MOST: u64 = 50;

/// Subject of a notification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// The feature with this name.
    Feature(String),
    /// A change request.
    ChangeRequest {
        /// Its id.
        id: i64,
        /// Reason why it was not applied at its time; empty where it was not about that.
        reason: String,
    },
}

/// A change by another user, or news of a change request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notification {
    /// Id of the event.
    pub event_id: i64,
    /// Type of the change: one of [`KINDS`] or [`REQUEST_KINDS`], or [`EventKind::ChangeEdited`] where the
    /// user is asked for an approval.
    pub kind: EventKind,
    /// The project it was done in.
    pub project: String,
    /// Feature or change request that it is about.
    pub subject: Subject,
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
        match &self.subject {
            Subject::Feature(feature) => self.about_feature(feature),
            Subject::ChangeRequest { id, reason } => self.about_change_request(*id, reason),
        }
    }

    fn about_feature(&self, feature: &str) -> String {
        let Self { created_by, project, .. } = self;
        match (self.kind, &self.environment) {
            (EventKind::FeatureCreated, _) => format!("{created_by} created {feature} in {project}"),
            (EventKind::FeatureArchived, _) => format!("{created_by} archived {feature} in {project}"),
            (_, Some(environment)) => format!("{created_by} switched on {feature} in {environment}"),
            (_, None) => format!("{created_by} switched on {feature}"),
        }
    }

    fn about_change_request(&self, id: i64, reason: &str) -> String {
        let created_by = &self.created_by;
        let request = format!("change request {id} in {}", self.environment.as_deref().unwrap_or(&self.project));
        match self.kind {
            EventKind::ChangeRequestApproved => format!("{created_by} approved {request}"),
            EventKind::ChangeRequestRejected => format!("{created_by} rejected {request}"),
            EventKind::ChangeRequestScheduledApplicationFailure => {
                format!("The schedule of {request} failed: {reason}")
            }
            EventKind::ChangeRequestScheduleSuspended => format!("The schedule of {request} was suspended: {reason}"),
            _ => format!("{created_by} asked for your approval of {request}"),
        }
    }

    /// The page of a console that shows it.
    pub fn link(&self) -> String {
        let project = &self.project;
        match (&self.subject, self.kind) {
            (Subject::ChangeRequest { id, .. }, _) => format!("/projects/{project}/change-requests/{id}"),
            (Subject::Feature(_), EventKind::FeatureArchived) => format!("/projects/{project}/archive"),
            (Subject::Feature(feature), _) => format!("/projects/{project}/features/{feature}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(kind: EventKind, environment: Option<&str>) -> (String, String) {
        told_of(Subject::Feature("till".to_owned()), kind, environment)
    }

    fn told_of(subject: Subject, kind: EventKind, environment: Option<&str>) -> (String, String) {
        let notification = Notification {
            event_id: 1,
            kind,
            project: "shop".to_owned(),
            subject,
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
        let [approved, rejected, failed, suspended] = REQUEST_KINDS;
        for (kind, expected) in [
            (approved, "ada approved change request 12 in production"),
            (rejected, "ada rejected change request 12 in production"),
            (failed, "The schedule of change request 12 in production failed: It is gone."),
            (suspended, "The schedule of change request 12 in production was suspended: It is gone."),
            (EventKind::ChangeEdited, "ada asked for your approval of change request 12 in production"),
        ] {
            let subject = Subject::ChangeRequest { id: 12, reason: "It is gone.".to_owned() };
            let expected = page(expected, "/projects/shop/change-requests/12");
            assert_eq!(told_of(subject, kind, Some("production")), expected);
        }
    }
}
