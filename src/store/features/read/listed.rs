//! A feature in the form of lists: hundreds are written at once, so that their texts stay where the database wrote
//! them.

use flagstone_domain::{
    feature::{Dependency, Feature, FeatureEnvironment, UserSummary},
    lifecycle::Lifecycle,
    tag::Tag,
    time::Timestamp,
};
use flagstone_wire::{Nullable, Number};
use serde::Serialize;

use crate::db::packed::Text;

/// A feature with borrowed texts, which makes the same JSON as the [`Feature`] that it can be turned into.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::features) struct Listed<'a> {
    pub(super) name: Text<'a>,
    #[serde(rename = "type")]
    pub(super) kind: Text<'a>,
    pub(super) description: Option<Text<'a>>,
    pub(super) archived: bool,
    pub(super) project: Text<'a>,
    pub(super) enabled: bool,
    pub(super) stale: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) favorite: Option<bool>,
    pub(super) impression_data: bool,
    pub(super) created_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) created_by: Option<&'a UserSummary>,
    pub(super) archived_at: Option<Timestamp>,
    pub(super) last_seen_at: Option<Timestamp>,
    pub(super) environments: &'a [ListedEnvironment<'a>],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub(super) tags: &'a [ListedTag<'a>],
    pub(super) children: &'a [Text<'a>],
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) lifecycle: Option<&'a Lifecycle>,
    pub(super) dependencies: &'a [Dependency],
}

/// An environment with borrowed texts, which makes the same JSON as [`FeatureEnvironment`].
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ListedEnvironment<'a> {
    pub(super) name: Text<'a>,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub(super) kind: Option<Text<'a>>,
    pub(super) enabled: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) sort_order: Option<Number>,
    pub(super) variant_count: Number,
    pub(super) last_seen_at: Option<Timestamp>,
    pub(super) has_strategies: bool,
    pub(super) has_enabled_strategies: bool,
}

/// A tag with borrowed texts, which makes the same JSON as [`Tag`].
#[derive(Serialize)]
pub(super) struct ListedTag<'a> {
    pub(super) value: Text<'a>,
    #[serde(rename = "type")]
    pub(super) kind: Text<'a>,
}

impl From<&Listed<'_>> for Feature {
    fn from(listed: &Listed<'_>) -> Self {
        let tags: Vec<Tag> = listed.tags.iter().map(Tag::from).collect();
        Self {
            name: listed.name.to_string(),
            kind: Some(listed.kind.to_string()),
            description: Some(Nullable(listed.description.as_deref().map(str::to_owned))),
            archived: Some(listed.archived),
            project: Some(listed.project.to_string()),
            enabled: Some(listed.enabled),
            stale: Some(listed.stale),
            favorite: listed.favorite,
            impression_data: Some(listed.impression_data),
            created_at: Some(Nullable(Some(listed.created_at))),
            created_by: listed.created_by.cloned(),
            archived_at: Some(Nullable(listed.archived_at)),
            last_seen_at: Some(Nullable(listed.last_seen_at)),
            environments: Some(listed.environments.iter().map(FeatureEnvironment::from).collect()),
            tags: (!tags.is_empty()).then_some(Nullable(Some(tags))),
            children: Some(listed.children.iter().map(|name| name.to_string()).collect()),
            lifecycle: listed.lifecycle.cloned(),
            dependencies: Some(listed.dependencies.to_vec()),
            variants: None,
            strategies: None,
        }
    }
}

impl From<&ListedEnvironment<'_>> for FeatureEnvironment {
    fn from(listed: &ListedEnvironment<'_>) -> Self {
        Self {
            name: listed.name.to_string(),
            kind: listed.kind.as_deref().map(str::to_owned),
            enabled: listed.enabled,
            sort_order: listed.sort_order,
            variant_count: Some(listed.variant_count),
            last_seen_at: Some(Nullable(listed.last_seen_at)),
            has_strategies: Some(listed.has_strategies),
            has_enabled_strategies: Some(listed.has_enabled_strategies),
            feature_name: None,
            environment: None,
            strategies: None,
            variants: None,
        }
    }
}

impl From<&ListedTag<'_>> for Tag {
    fn from(listed: &ListedTag<'_>) -> Self {
        Self { value: listed.value.to_string(), kind: listed.kind.to_string() }
    }
}

#[cfg(test)]
mod tests {
    use flagstone_domain::lifecycle::Stage;

    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_700_000_000_001);

    fn bare() -> Listed<'static> {
        Listed {
            name: "bare".into(),
            kind: "release".into(),
            description: None,
            archived: false,
            project: "default".into(),
            enabled: false,
            stale: false,
            favorite: None,
            impression_data: false,
            created_at: NOW,
            created_by: None,
            archived_at: None,
            last_seen_at: None,
            environments: &[],
            tags: &[],
            children: &[],
            lifecycle: None,
            dependencies: &[],
        }
    }

    fn environment() -> ListedEnvironment<'static> {
        ListedEnvironment {
            name: "production".into(),
            kind: None,
            enabled: true,
            sort_order: None,
            variant_count: 2.into(),
            last_seen_at: None,
            has_strategies: true,
            has_enabled_strategies: false,
        }
    }

    fn assert_alike(listed: &Listed<'_>) {
        let written = serde_json::to_string(listed).expect("JSON");
        assert_eq!(written, serde_json::to_string(&Feature::from(listed)).expect("JSON"));
    }

    #[test]
    fn a_listed_feature_is_written_like_any_other() {
        assert_alike(&bare());
        let of_known_kind = ListedEnvironment {
            kind: Some("production".into()),
            sort_order: Some(3.into()),
            last_seen_at: Some(NOW),
            ..environment()
        };
        let ada = UserSummary { id: 7, name: "Ada".to_owned(), image_url: "https://example.com/ada".to_owned() };
        let variants = Some(vec!["blue".to_owned()]);
        assert_alike(&Listed {
            description: Some("a \"quoted\" line\n".into()),
            archived: true,
            enabled: true,
            stale: true,
            favorite: Some(true),
            impression_data: true,
            created_by: Some(&ada),
            archived_at: Some(NOW),
            last_seen_at: Some(NOW),
            environments: &[environment(), of_known_kind],
            tags: &[ListedTag { value: "green".into(), kind: "simple".into() }],
            children: &["child".into()],
            lifecycle: Some(&Lifecycle { stage: Stage::PreLive, entered_stage_at: NOW }),
            dependencies: &[Dependency { feature: "parent".to_owned(), enabled: Some(true), variants }],
            ..bare()
        });
    }
}
