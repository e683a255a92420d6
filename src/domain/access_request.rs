//! Requests for access by people whom a login provider vouches for and who have no account.

use serde::Serialize;

use crate::{
    actor::Actor,
    event::NewEvent,
    event_kind::EventKind,
    sign_in::{Provider, ProviderKey},
    time::Timestamp,
};

/// Maximum number of open requests of an instance.
pub const MOST: u64 = 500;
/// Days until a request ends that is not made again, and until a rejected identity may ask anew.
pub const DAYS: i64 = 30;
/// Most characters of a subject that is recorded.
pub const LONGEST_SUBJECT: usize = 1000;
/// Most characters of an issuer that is recorded.
pub const LONGEST_ISSUER: usize = 2000;

/// Request for access by an identity at a login provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessRequest {
    /// Id of the request.
    pub id: i64,
    /// Key of the provider.
    pub provider: ProviderKey,
    /// Name of the provider: the issuer, or the entity id.
    pub issuer: String,
    /// Subject of the person at the provider.
    pub subject: String,
    /// The email, in lower case.
    pub email: String,
    /// The name that people read.
    pub name: Option<String>,
    /// Whether the identity proves whose the email is: the provider is trusted for it.
    pub proves_owner: bool,
    /// When it was made.
    pub requested_at: Timestamp,
    /// When it was last made again.
    pub last_requested_at: Timestamp,
    /// When it ends.
    pub ends_at: Timestamp,
    /// When it was rejected; `None` for one that is open.
    pub rejected_at: Option<Timestamp>,
}

/// Step in the life of a request, each with an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// It was made.
    Registered,
    /// An administrator approved it.
    Approved {
        /// Id of the user who was created.
        user_id: i64,
        /// Id of the root role of the user.
        root_role_id: i64,
    },
    /// An administrator rejected it.
    Rejected,
}

impl Step {
    /// Type of the event, which is not in the list of types.
    const fn label(self) -> &'static str {
        match self {
            Self::Registered => "user-access-request-registered",
            Self::Approved { .. } => "user-access-request-approved",
            Self::Rejected => "user-access-request-rejected",
        }
    }
}

/// Data of events about a request.
#[serde_with_macros::skip_serializing_none]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RequestData<'a> {
    id: i64,
    email: &'a str,
    name: Option<&'a str>,
    provider: Provider,
    provider_id: Option<&'a str>,
    issuer: &'a str,
    subject: &'a str,
    requested_at: Timestamp,
    user_id: Option<i64>,
    root_role: Option<i64>,
}

impl AccessRequest {
    /// Returns the event of a step.
    pub fn event(&self, step: Step, actor: &Actor) -> NewEvent {
        let data = RequestData {
            id: self.id,
            email: &self.email,
            name: self.name.as_deref(),
            provider: self.provider.protocol,
            provider_id: self.provider.id.as_deref(),
            issuer: &self.issuer,
            subject: &self.subject,
            requested_at: self.requested_at,
            user_id: None,
            root_role: None,
        };
        let event = NewEvent::new(EventKind::SettingUpdated, actor).labelled(step.label());
        match step {
            Step::Registered => event.with_data(&data),
            Step::Approved { user_id, root_role_id } => {
                event.with_data(&RequestData { user_id: Some(user_id), root_role: Some(root_role_id), ..data })
            }
            Step::Rejected => event.with_pre_data(&data),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_step_has_an_event_of_a_known_type_with_what_an_administrator_decides_by() {
        let at = Timestamp::from_millis(0);
        let request = AccessRequest {
            id: 7,
            provider: ProviderKey::parse("oidc:corp").expect("a key"),
            issuer: "https://id.example.com".to_owned(),
            subject: "person-7".to_owned(),
            email: "ada@example.com".to_owned(),
            name: None,
            proves_owner: true,
            requested_at: at,
            last_requested_at: at,
            ends_at: at.plus_days(DAYS),
            rejected_at: None,
        };
        let data = json!({
            "id": 7, "email": "ada@example.com", "provider": "oidc", "providerId": "corp",
            "issuer": "https://id.example.com", "subject": "person-7", "requestedAt": at,
        });
        let approved = Step::Approved { user_id: 3, root_role_id: 2 };
        for (step, label) in [(Step::Registered, "registered"), (approved, "approved"), (Step::Rejected, "rejected")] {
            let event = request.event(step, &Actor::system());
            assert_eq!(event.stored_type(), format!("user-access-request-{label}"));
            assert_eq!(EventKind::labelled(event.stored_type()), Some(event.kind));
        }
        let actor = Actor::system();
        assert_eq!(request.event(Step::Registered, &actor).data, Some(data.clone()));
        assert_eq!(request.event(Step::Rejected, &actor).pre_data, Some(data.clone()));
        let mut told = data;
        told["userId"] = json!(3);
        told["rootRole"] = json!(2);
        assert_eq!(request.event(approved, &actor).data, Some(told));
    }
}
