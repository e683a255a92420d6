//! Links of features to tickets, dashboards and documents, and the links that new features of a project get.

use std::fmt;

use flagstone_wire::Nullable;
use poem_openapi::Object;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use url::Url;

use crate::{
    event::NewEvent,
    event_kind::EventKind,
    ids::{FeatureName, ProjectId},
    naming::MAX_NAME_LENGTH,
    strategy_id,
    text::is_longer,
};

/// Most links of a feature, and most links that new features of a project get.
pub const MOST_LINKS: usize = 10;
/// Most characters of an address.
pub const LONGEST_URL: usize = 2000;
/// Most characters of a title.
pub const LONGEST_TITLE: usize = 255;

/// A link of a feature.
#[derive(Debug, Clone, PartialEq, Eq, Object, Serialize, Deserialize)]
pub struct FeatureLink {
    /// Id of the link, a UUID.
    pub id: String,
    /// Address of a page, with `http` or `https`.
    pub url: String,
    /// Text that is shown instead of the address; `null` for none.
    pub title: Nullable<String>,
}

/// Change of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkChange<'a> {
    /// It is new.
    Added(&'a FeatureLink),
    /// The first became the second.
    Updated(&'a FeatureLink, &'a FeatureLink),
    /// It is gone.
    Removed(&'a FeatureLink),
}

impl LinkChange<'_> {
    /// The type of its event, which also describes the feature and what happened to it.
    pub const KIND: EventKind = EventKind::FeatureUpdated;

    /// Completes an event about the feature.
    pub fn tell(self, event: NewEvent) -> NewEvent {
        match self {
            Self::Added(link) => event.labelled("feature-link-added").with_data(&link.told()),
            Self::Updated(before, after) => {
                event.labelled("feature-link-updated").with_data(&after.told()).with_pre_data(&before.told())
            }
            Self::Removed(link) => event.labelled("feature-link-removed").with_pre_data(&link.told()),
        }
    }
}

impl FeatureLink {
    /// Returns the form of the link in events.
    fn told(&self) -> Value {
        json!({ "url": self.url, "title": self.title })
    }

    /// The link as it is stored: with an address that leads somewhere, and without an empty title.
    pub fn new(id: String, url: &str, title: Option<String>) -> Result<Self, UrlFault> {
        let title = title.filter(|title| !title.is_empty());
        Ok(Self { id, url: normalized(url)?, title: Nullable(title) })
    }
}

/// A link that each new feature of a project gets.
#[derive(Debug, Clone, PartialEq, Eq, Object, Serialize, Deserialize)]
#[oai(rename = "ProjectLinkTemplate", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct LinkTemplate {
    /// Title of the links; `null` for none.
    pub title: Nullable<String>,
    /// Address of the links. `{{project}}` becomes the id of the project, `{{feature}}` the name of the feature.
    pub url_template: String,
}

impl LinkTemplate {
    /// Whether it gives features with names of any length an address.
    pub fn judge(&self) -> Result<(), UrlFault> {
        let longest = "x".repeat(MAX_NAME_LENGTH);
        normalized(&self.address(ProjectId::new(&longest), FeatureName::new(&longest))).map(drop)
    }

    /// The link of a new feature. `None` where the names make no address, as in a host.
    pub fn link(&self, id: String, project: ProjectId<'_>, feature: FeatureName<'_>) -> Option<FeatureLink> {
        FeatureLink::new(id, &self.address(project, feature), self.title.0.clone()).ok()
    }

    fn address(&self, project: ProjectId<'_>, feature: FeatureName<'_>) -> String {
        self.url_template.replace("{{project}}", project.as_str()).replace("{{feature}}", feature.as_str())
    }
}

/// A link of a data set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenLink<'a> {
    /// Id where the data set comes from.
    pub id: Option<&'a str>,
    /// Address.
    pub url: &'a str,
    /// Title.
    pub title: Option<&'a str>,
}

/// Adds the links of a data set whose addresses a feature does not have yet, up to the bound. They keep their ids, unless
/// these are no UUIDs or taken, and titles are cut at their bound. Those that are no links are left out.
pub fn with_given<'a>(
    mut links: Vec<FeatureLink>,
    given: impl IntoIterator<Item = GivenLink<'a>>,
    new_id: impl Fn() -> String,
) -> Vec<FeatureLink> {
    for one in given {
        let title = one.title.map(|title| title.chars().take(LONGEST_TITLE).collect());
        let id = one.id.and_then(strategy_id::parse).map(|id| id.to_string());
        let id = id.filter(|id| links.iter().all(|link| link.id != *id)).unwrap_or_else(&new_id);
        let Ok(link) = FeatureLink::new(id, one.url, title) else { continue };
        if links.len() < MOST_LINKS && links.iter().all(|known| known.url != link.url) {
            links.push(link);
        }
    }
    links
}

/// Why a text cannot be the address of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UrlFault {
    /// It is no address.
    Shape,
    /// It has another scheme.
    Scheme,
    /// It holds a user name or password.
    Credentials,
    /// It is too long.
    Length,
}

impl fmt::Display for UrlFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shape => f.write_str("must be the address of a page, such as https://tickets.example.com/7"),
            Self::Scheme => f.write_str("must begin with http:// or https://, or name no scheme"),
            Self::Credentials => f.write_str("must not hold a user name or password"),
            Self::Length => {
                write!(f, "must have at most {LONGEST_URL} characters, with special characters percent-encoded")
            }
        }
    }
}

/// The address as it is stored: with a scheme, `https` where it names none.
pub fn normalized(text: &str) -> Result<String, UrlFault> {
    let text = text.trim();
    let head = text.split(['/', '?', '#']).next().unwrap_or_default();
    let complete =
        if head.ends_with(':') { text.to_owned() } else { format!("https://{}", text.trim_start_matches('/')) };
    let url = Url::parse(&complete).map_err(|_| UrlFault::Shape)?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(UrlFault::Scheme);
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(UrlFault::Credentials);
    }
    if is_longer(url.as_str(), LONGEST_URL) {
        return Err(UrlFault::Length);
    }
    Ok(url.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actor::Actor;

    #[test]
    fn addresses_get_a_scheme_and_lead_to_pages_only() {
        for (text, expected) in [
            ("https://tickets.example.com/7?a=b#c", "https://tickets.example.com/7?a=b#c"),
            ("http://tickets.example.com/7", "http://tickets.example.com/7"),
            ("HTTPS://Tickets.Example.com/A", "https://tickets.example.com/A"),
            ("  tickets.example.com/7 ", "https://tickets.example.com/7"),
            ("//tickets.example.com/7", "https://tickets.example.com/7"),
            ("localhost:8080/x", "https://localhost:8080/x"),
            ("example.com?to=http://other.example.com", "https://example.com/?to=http://other.example.com"),
            ("example.com/ä", "https://example.com/%C3%A4"),
        ] {
            assert_eq!(normalized(text).as_deref(), Ok(expected), "{text}");
        }
        let long = format!("https://example.com/{}", "x".repeat(LONGEST_URL));
        let grown = format!("https://example.com/{}", "ä".repeat(LONGEST_URL / 2));
        for (text, fault) in [
            ("", UrlFault::Shape),
            ("   ", UrlFault::Shape),
            ("https://", UrlFault::Shape),
            ("two words", UrlFault::Shape),
            ("javascript:alert(1)", UrlFault::Shape),
            ("javascript://example.com/%0aalert(1)", UrlFault::Scheme),
            ("data:text/html,x", UrlFault::Shape),
            ("ftp://example.com", UrlFault::Scheme),
            ("file:///etc/passwd", UrlFault::Scheme),
            ("mailto:ada@example.com", UrlFault::Credentials),
            ("https://ada:secret@example.com", UrlFault::Credentials),
            ("https://example.com@evil.example", UrlFault::Credentials),
            (&*long, UrlFault::Length),
            (&*grown, UrlFault::Length),
        ] {
            assert_eq!(normalized(text), Err(fault), "{text}");
        }
    }

    #[test]
    fn templates_put_names_into_addresses() {
        let template = |url: &str| LinkTemplate { title: Nullable(None), url_template: url.to_owned() };
        let link = |url: &str, feature: &str| {
            template(url).link("1".into(), ProjectId::new("shop"), FeatureName::new(feature)).map(|link| link.url)
        };
        let made = link("tickets.example.com/{{project}}?q={{feature}}&of={{project}}", "f");
        assert_eq!(made.as_deref(), Some("https://tickets.example.com/shop?q=f&of=shop"));
        assert_eq!(template("https://example.com/{{feature}}").judge(), Ok(()));
        assert_eq!(template("ftp://example.com/{{feature}}").judge(), Err(UrlFault::Scheme));
        assert_eq!(template(&format!("example.com/{}", "{{feature}}".repeat(20))).judge(), Err(UrlFault::Length));
        assert_eq!(link("https://{{feature}}/", "v.2"), None);
    }

    #[test]
    fn each_change_of_a_link_has_a_type_of_its_own() {
        let link = FeatureLink::new("1".to_owned(), "example.com", None).expect("a link");
        let changes = [LinkChange::Added(&link), LinkChange::Updated(&link, &link), LinkChange::Removed(&link)];
        let told = changes.map(|change| change.tell(NewEvent::new(LinkChange::KIND, &Actor::system())).stored_type());
        let labels = EventKind::LABELS.into_iter().filter(|(_, kind)| *kind == LinkChange::KIND);
        assert_eq!(told.to_vec(), labels.map(|(label, _)| label).collect::<Vec<_>>());
    }

    #[test]
    fn given_links_join_those_that_are_there() {
        let id = "0b5d1a3c-7a59-4a6f-9f0e-1d2c3b4a5968";
        let stored = vec![FeatureLink::new(id.to_owned(), "example.com/a", None).expect("a link")];
        let given = |id, url, title| GivenLink { id, url, title };
        let links = with_given(
            stored.clone(),
            [
                given(None, "https://example.com/a", Some("again")),
                given(Some(id), "https://example.com/b", Some("")),
                given(Some("01ARZ3NDEKTSV4RRFFQ69G5FAV"), "example.com/c", Some("C")),
                given(None, "ftp://example.com", None),
            ],
            || "new".to_owned(),
        );
        let told: Vec<_> = links.iter().map(|link| (&*link.id, &*link.url, link.title.0.as_deref())).collect();
        let expected = [
            (id, "https://example.com/a", None),
            ("new", "https://example.com/b", None),
            ("01563e3a-b5d3-d676-4c61-efb99302bd5b", "https://example.com/c", Some("C")),
        ];
        assert_eq!(told, expected);
        let many: Vec<String> = (0..20).map(|number| format!("example.com/{number}")).collect();
        let links = with_given(stored, many.iter().map(|url| given(None, url, None)), || "new".to_owned());
        assert_eq!(links.len(), MOST_LINKS);
    }
}
