//! A sentence about an event, for people.

use flagstone_domain::{
    event::Event,
    event_kind::EventKind,
    ids::{FeatureName, ProjectId},
};
use serde_json::Value;

/// Form of links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Links {
    /// `[text](address)`.
    Markdown,
    /// `<address|text>`.
    Slack,
}

/// Description of an event for people.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Sentence {
    /// The words.
    pub(super) text: String,
    /// Address where it can be looked at.
    pub(super) url: Option<String>,
}

/// Describes an event: author, change, object, place and reason.
pub(super) fn about(event: &Event, base_url: &str, links: Links) -> Sentence {
    let project = nullable(event.project.as_ref().map(|one| &one.0));
    let environment = nullable(event.environment.as_ref().map(|one| &one.0));
    let feature = nullable(event.feature_name.as_ref().map(|one| &one.0));
    let url = address(event.kind, base_url, project.map(ProjectId::new), feature.map(FeatureName::new));
    let who = bold(&event.created_by, links);
    let kind = event.kind.as_str();
    let did = if let (Some(deed), Some(feature)) = (deed(event), feature) {
        format!("{who} {deed} {}", link(feature, url.as_deref(), links))
    } else if let Some(deed) = deed_on_access(event) {
        let whose = first_of(event, &["email"]).map(|email| format!(" of {}", bold(&email, links)));
        format!("{who} {deed}{}", whose.unwrap_or_default())
    } else if let Some(deed) = deed_on_instance(event) {
        format!("{who} {deed}")
    } else {
        match (named(event), kind.rsplit_once('-')) {
            (Some(name), Some((noun, deed))) if deed.ends_with("ed") => {
                format!("{who} {deed} the {} {}", noun.replace('-', " "), link(&name, url.as_deref(), links))
            }
            _ => format!("{who} triggered {}", bold(kind, links)),
        }
    };
    let environment = environment.map(|name| format!(" in the environment {}", bold(name, links)));
    let project = project.map(|id| format!(" in the project {}", bold(id, links)));
    let changes = changes(event).map(|text| format!(": {}", escaped(&text, links)));
    let reason = event.reason.as_ref().map(|reason| format!(" (reason: {})", escaped(reason, links)));
    let text = [Some(did), environment, project, changes, reason].into_iter().flatten().collect();
    Sentence { text, url }
}

/// Returns the verb for a change of a feature.
fn deed(event: &Event) -> Option<&'static str> {
    match event.label.as_deref() {
        Some("feature-link-added") => return Some("added a link to"),
        Some("feature-link-updated") => return Some("changed a link of"),
        Some("feature-link-removed") => return Some("removed a link from"),
        _ => {}
    }
    Some(match event.kind {
        EventKind::FeatureCreated => "created",
        EventKind::FeatureUpdated | EventKind::FeatureMetadataUpdated => "changed",
        EventKind::FeatureDeleted => "deleted",
        EventKind::FeatureArchived => "archived",
        EventKind::FeatureRevived => "revived",
        EventKind::FeatureCompleted => "completed",
        EventKind::FeatureUncompleted => "took up again",
        EventKind::FeatureStaleOn => "marked as stale",
        EventKind::FeatureStaleOff => "marked as not stale",
        EventKind::FeaturePotentiallyStaleOn => "marked as potentially stale",
        EventKind::FeatureTagged => "tagged",
        EventKind::FeatureUntagged => "took a tag off",
        EventKind::FeatureProjectChange => "moved to another project:",
        EventKind::FeatureVariantsUpdated | EventKind::FeatureEnvironmentVariantsUpdated => "changed the variants of",
        EventKind::FeatureEnvironmentEnabled => "switched on",
        EventKind::FeatureEnvironmentDisabled => "switched off",
        EventKind::FeatureStrategyAdd => "added a strategy to",
        EventKind::FeatureStrategyUpdate => "changed a strategy of",
        EventKind::FeatureStrategyRemove => "removed a strategy from",
        EventKind::StrategyOrderChanged => "changed the order of the strategies of",
        EventKind::FeatureDependencyAdded => "added a dependency to",
        EventKind::FeatureDependencyRemoved | EventKind::FeatureDependenciesRemoved => "removed a dependency from",
        EventKind::FeatureFavorited => "marked as a favourite",
        EventKind::FeatureUnfavorited => "marked as no favourite",
        _ => return None,
    })
}

/// Returns the words for a change of a setting of the instance that has a type of its own.
fn deed_on_instance(event: &Event) -> Option<&'static str> {
    match event.label.as_deref()? {
        "freeze-window-created" => Some("created a freeze window"),
        "freeze-window-updated" => Some("changed a freeze window"),
        "freeze-window-deleted" => Some("deleted a freeze window"),
        "scim-users-deleted" => Some("deleted the users of the directory"),
        "scim-groups-deleted" => Some("deleted the groups of the directory"),
        _ => None,
    }
}

/// Returns the words for a step of a request for access.
fn deed_on_access(event: &Event) -> Option<&'static str> {
    match event.label.as_deref()? {
        "user-access-request-registered" => Some("registered a request for access"),
        "user-access-request-approved" => Some("approved the request for access"),
        "user-access-request-rejected" => Some("rejected the request for access"),
        _ => None,
    }
}

/// Returns the name of the object of an event that is not about a feature.
fn named(event: &Event) -> Option<String> {
    first_of(event, &["name", "username", "email", "message", "provider", "changeRequestId"])
}

/// Returns the first of these properties of the object of an event.
fn first_of(event: &Event, keys: &[&str]) -> Option<String> {
    let of = |json: &Value| {
        keys.iter().find_map(|key| match &json[*key] {
            Value::String(text) if !text.is_empty() => Some(text.chars().take(100).collect()),
            Value::Number(number) => Some(format!("#{number}")),
            _ => None,
        })
    };
    let data = event.data.as_ref().and_then(|data| data.0.as_ref());
    let pre_data = event.pre_data.as_ref().and_then(|data| data.0.as_ref());
    [data, pre_data].into_iter().flatten().find_map(|json| of(&serde_json::from_str(json.text()).ok()?))
}

/// Returns the parts of a strategy that a change changed.
fn changes(event: &Event) -> Option<String> {
    if event.kind != EventKind::FeatureStrategyUpdate {
        return None;
    }
    let read = |json: &str| serde_json::from_str::<Value>(json).ok();
    let data = read(event.data.as_ref()?.0.as_ref()?.text())?;
    let pre_data = read(event.pre_data.as_ref()?.0.as_ref()?.text())?;
    let parts = ["parameters", "constraints", "segments", "variants", "title", "disabled"];
    let changed: Vec<&str> = parts.into_iter().filter(|part| data[*part] != pre_data[*part]).collect();
    let rollout = |json: &Value| json["parameters"]["rollout"].as_str().map(str::to_owned);
    match (rollout(&pre_data), rollout(&data)) {
        (Some(before), Some(after)) if before != after => {
            let others = changed.into_iter().filter(|part| *part != "parameters").map(str::to_owned);
            Some(
                std::iter::once(format!("rollout {before} % to {after} %"))
                    .chain(others)
                    .collect::<Vec<_>>()
                    .join(", "),
            )
        }
        _ => (!changed.is_empty()).then(|| changed.join(", ")),
    }
}

fn address(
    kind: EventKind,
    base_url: &str,
    project: Option<ProjectId<'_>>,
    feature: Option<FeatureName<'_>>,
) -> Option<String> {
    let base = base_url.trim_end_matches('/');
    // A project list, as that of a segment that moved, leads nowhere.
    let project = project.filter(|project| !project.as_str().contains(','));
    match (project, feature) {
        (Some(project), Some(_)) if kind == EventKind::FeatureArchived => {
            Some(format!("{base}/console/projects/{project}/archive"))
        }
        (Some(project), Some(feature)) => Some(format!("{base}/console/projects/{project}/features/{feature}")),
        (Some(project), None) => Some(format!("{base}/console/projects/{project}")),
        (None, _) => None,
    }
}

fn nullable(value: Option<&Option<String>>) -> Option<&str> {
    value?.as_deref()
}

fn bold(text: &str, links: Links) -> String {
    format!("*{}*", escaped(text, links))
}

fn link(text: &str, url: Option<&str>, links: Links) -> String {
    match (url, links) {
        (None, _) => bold(text, links),
        (Some(url), Links::Markdown) => format!("[{}]({url})", escaped(text, links)),
        (Some(url), Links::Slack) => format!("<{url}|{}>", escaped(text, links)),
    }
}

/// Returns a text without what would be taken for markup: names and texts of people must not make links or mention all
/// members.
pub(super) fn escaped(text: &str, links: Links) -> String {
    match links {
        Links::Slack => text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;"),
        Links::Markdown => text.replace(['[', ']', '<', '>'], " "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{event, with};

    const BASE: &str = "https://flags.example.com/";

    fn text(event: &Event, links: Links) -> String {
        about(event, BASE, links).text
    }

    #[test]
    fn a_sentence_says_who_did_what_to_what_where() {
        let on = event(EventKind::FeatureEnvironmentEnabled);
        let sentence = about(&on, BASE, Links::Markdown);
        assert_eq!(
            sentence.text,
            "*ann@example.com* switched on [new-till](https://flags.example.com/console/projects/shop/features/new-till) \
             in the environment *production* in the project *shop*"
        );
        assert_eq!(sentence.url.as_deref(), Some("https://flags.example.com/console/projects/shop/features/new-till"));
        assert!(
            text(&on, Links::Slack)
                .contains("<https://flags.example.com/console/projects/shop/features/new-till|new-till>")
        );
    }

    #[test]
    fn what_is_no_feature_is_called_by_its_name() {
        let no_feature = |kind| Event { feature_name: None, environment: None, project: None, ..event(kind) };
        for (kind, data, expected) in [
            (EventKind::SegmentUpdated, r#"{"name":"Staff"}"#, "*ann@example.com* updated the segment *Staff*"),
            (
                EventKind::UserCreated,
                r#"{"email":"b@example.com"}"#,
                "*ann@example.com* created the user *b@example.com*",
            ),
            (
                EventKind::ChangeRequestApproved,
                r#"{"changeRequestId":7}"#,
                "*ann@example.com* approved the change request *#7*",
            ),
            (EventKind::SettingUpdated, r#"{"id":"x"}"#, "*ann@example.com* triggered *setting-updated*"),
        ] {
            assert_eq!(text(&with(no_feature(kind), Some(data), None), Links::Markdown), expected);
        }
    }

    #[test]
    fn links_are_told_by_their_label() {
        for (label, deed) in [
            ("feature-link-added", "added a link to"),
            ("feature-link-updated", "changed a link of"),
            ("feature-link-removed", "removed a link from"),
        ] {
            let change = Event { label: Some(label.to_owned()), ..event(EventKind::FeatureUpdated) };
            let told = text(&change, Links::Markdown);
            assert!(told.starts_with(&format!("*ann@example.com* {deed} [new-till](")), "{told}");
        }
        let foreign = Event { label: Some("melted".to_owned()), ..event(EventKind::FeatureUpdated) };
        assert!(text(&foreign, Links::Markdown).starts_with("*ann@example.com* changed [new-till]("));
    }

    #[test]
    fn the_end_of_a_directory_is_told_by_its_label() {
        let no_feature =
            Event { feature_name: None, environment: None, project: None, ..event(EventKind::SettingUpdated) };
        let change = with(no_feature, Some(r#"{"count":7}"#), None);
        for (label, deed) in [
            ("freeze-window-updated", "changed a freeze window"),
            ("scim-users-deleted", "deleted the users of the directory"),
            ("scim-groups-deleted", "deleted the groups of the directory"),
            ("melted", "triggered *setting-updated*"),
        ] {
            let change = Event { label: Some(label.to_owned()), ..change.clone() };
            assert_eq!(text(&change, Links::Markdown), format!("*ann@example.com* {deed}"));
        }
    }

    #[test]
    fn a_request_for_access_is_told_by_the_email_and_not_by_the_name_that_a_stranger_chose() {
        let change = Event { feature_name: None, environment: None, project: None, ..event(EventKind::SettingUpdated) };
        let data = Some(r#"{"id":7,"email":"joan@example.com","name":"*Ada*"}"#);
        for (label, data, pre_data, deed) in [
            ("registered", data, None, "registered a request for access"),
            ("approved", data, None, "approved the request for access"),
            ("rejected", None, data, "rejected the request for access"),
        ] {
            let label = Some(format!("user-access-request-{label}"));
            let change = Event { label, ..with(change.clone(), data, pre_data) };
            assert_eq!(text(&change, Links::Markdown), format!("*ann@example.com* {deed} of *joan@example.com*"));
        }
    }

    #[test]
    fn a_change_of_a_strategy_says_what_changed() {
        let update = event(EventKind::FeatureStrategyUpdate);
        let (before, after) = (
            r#"{"parameters":{"rollout":"10"},"constraints":[]}"#,
            r#"{"parameters":{"rollout":"50"},"constraints":[1]}"#,
        );
        let told = text(&with(update, Some(after), Some(before)), Links::Markdown);
        assert!(told.ends_with(": rollout 10 % to 50 %, constraints"), "{told}");
    }

    #[test]
    fn names_make_no_links_and_call_nobody() {
        let rude = Event { created_by: "<!channel>".to_owned(), ..event(EventKind::FeatureCreated) };
        assert!(text(&rude, Links::Slack).starts_with("*&lt;!channel&gt;* created"));
        let rude = Event { created_by: "[x](https://evil)".to_owned(), ..event(EventKind::FeatureCreated) };
        assert!(!text(&rude, Links::Markdown).contains("](https://evil)"));
    }

    #[test]
    fn the_reason_comes_last_and_makes_no_links() {
        let because =
            |reason: &str| Event { reason: Some(reason.to_owned()), ..event(EventKind::FeatureEnvironmentDisabled) };
        let told = text(&because("the till is slow"), Links::Markdown);
        assert!(told.ends_with(" in the project *shop* (reason: the till is slow)"), "{told}");
        assert!(text(&because("<!channel> & co"), Links::Slack).ends_with("(reason: &lt;!channel&gt; &amp; co)"));
        assert!(!text(&because("[x](https://evil)"), Links::Markdown).contains("](https://evil)"));
        assert!(!text(&event(EventKind::FeatureEnvironmentDisabled), Links::Slack).contains("reason"));
    }
}
