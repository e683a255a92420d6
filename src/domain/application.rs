//! Applications: programs that evaluate features.

use serde::Serialize;

use crate::{actor::Actor, event::NewEvent, event_kind::EventKind, time::Timestamp};

/// A program that evaluates features.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Application {
    /// Its unique name.
    pub name: String,
    /// Description.
    pub description: Option<String>,
    /// Address of its documentation.
    pub url: Option<String>,
    /// Color to show it in.
    pub color: Option<String>,
    /// Symbol to show it with.
    pub icon: Option<String>,
    /// Names of the strategy types that it knows.
    pub strategies: Vec<String>,
    /// When it first registered.
    pub created_at: Timestamp,
    /// When it last reported.
    pub seen_at: Timestamp,
}

impl Application {
    /// Returns an application of which only the name is known.
    pub const fn new(name: String, now: Timestamp) -> Self {
        Self {
            name,
            description: None,
            url: None,
            color: None,
            icon: None,
            strategies: Vec::new(),
            created_at: now,
            seen_at: now,
        }
    }

    /// Returns the event that the application was created by hand, when it uses no feature yet.
    pub fn created(&self, actor: &Actor) -> NewEvent {
        NewEvent::new(EventKind::ApplicationCreated, actor).with_data(&ApplicationData {
            app_name: &self.name,
            description: self.description.as_deref(),
            url: self.url.as_deref(),
            color: self.color.as_deref(),
            icon: self.icon.as_deref(),
            strategies: &self.strategies,
            created_at: self.created_at,
            seen_at: self.seen_at,
            usage: &[],
        })
    }
}

#[serde_with_macros::skip_serializing_none]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ApplicationData<'a> {
    app_name: &'a str,
    description: Option<&'a str>,
    url: Option<&'a str>,
    color: Option<&'a str>,
    icon: Option<&'a str>,
    strategies: &'a [String],
    created_at: Timestamp,
    seen_at: Timestamp,
    usage: &'a [String],
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Application;
    use crate::{actor::Actor, time::Timestamp};

    #[test]
    fn the_event_has_the_properties_that_are_known_in_order_and_no_usage() {
        let now = Timestamp::parse("2026-01-15T12:00:00.000Z").expect("valid");
        let url = Some("https://example.com/till".to_owned());
        let application = Application { url, ..Application::new("till".to_owned(), now) };
        let event = application.created(&Actor::new(7, "ada"));
        let expected = json!({
            "appName": "till", "url": "https://example.com/till", "strategies": [],
            "createdAt": "2026-01-15T12:00:00.000Z", "seenAt": "2026-01-15T12:00:00.000Z", "usage": [],
        });
        assert_eq!(event.data.expect("data").to_string(), expected.to_string());
    }
}
