//! Tags and tag types, and what happens to the tags of a feature.

use std::collections::HashSet;

use flagstone_wire::Nullable;
use poem_openapi::Object;
use serde::{Deserialize, Serialize};

use crate::{
    actor::Actor,
    event::NewEvent,
    event_kind::EventKind,
    ids::{FeatureName, ProjectId},
};

/// A label on a feature.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Object, Serialize, Deserialize)]
pub struct Tag {
    /// The label's text, 2 to 50 characters.
    #[oai(validator(min_length = 2, max_length = 50))]
    pub value: String,
    /// Name of the tag type that the label belongs to, such as `simple`, at most 50 characters.
    #[serde(rename = "type")]
    #[oai(rename = "type", validator(max_length = 255))]
    pub kind: String,
}

/// A kind of tag.
#[derive(Debug, Clone, PartialEq, Eq, Object, Serialize, Deserialize)]
#[oai(skip_serializing_if_is_none)]
pub struct TagType {
    /// Unique name of the tag type, 2 to 50 characters.
    pub name: String,
    /// Purpose of tags of this type, in at most 1000 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Icon of tags of this type, at most 255 characters; `null` for none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub icon: Option<Nullable<String>>,
}

/// Change of the tags of one feature.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TagChange {
    /// The tags that it has.
    pub before: Vec<Tag>,
    /// Tags to add, none of which it has.
    pub added: Vec<Tag>,
    /// Tags to remove, all of which it has.
    pub removed: Vec<Tag>,
}

impl TagChange {
    /// The change that a wish comes to: what is there already is not added, what is not there is not taken off.
    pub fn new(before: Vec<Tag>, added: &[Tag], removed: &[Tag]) -> Self {
        let mut seen: HashSet<&Tag> = before.iter().collect();
        let added = added.iter().filter(|tag| seen.insert(*tag)).cloned().collect();
        let removed = before.iter().filter(|tag| removed.contains(tag)).cloned().collect();
        Self { before, added, removed }
    }

    /// Whether anything changes.
    pub const fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty()
    }

    /// The tags that it has afterwards, by type, then value.
    pub fn after(&self) -> Vec<Tag> {
        let stay = self.before.iter().filter(|tag| !self.removed.contains(tag));
        let mut after: Vec<Tag> = stay.chain(&self.added).cloned().collect();
        after.sort_by(|a, b| (&a.kind, &a.value).cmp(&(&b.kind, &b.value)));
        after
    }

    /// Returns the events of the change. Tags among `new_tags` are new to the instance: the first event about one says
    /// so, and takes it out of there. Each event carries the tags of its moment, one that is taken off included.
    pub fn events(
        &self,
        project: ProjectId<'_>,
        feature: FeatureName<'_>,
        actor: &Actor,
        new_tags: &mut HashSet<Tag>,
    ) -> Vec<NewEvent> {
        let mut tags = self.before.clone();
        let mut events = Vec::new();
        let about = |kind, tags: &[Tag]| {
            NewEvent::new(kind, actor).in_project(project.as_str()).of_feature(feature.as_str(), tags)
        };
        for tag in &self.added {
            if new_tags.remove(tag) {
                events.push(tag.created(actor));
            }
            tags.push(tag.clone());
            tags.sort_by(|a, b| (&a.kind, &a.value).cmp(&(&b.kind, &b.value)));
            events.push(about(EventKind::FeatureTagged, &tags).with_data(tag));
        }
        for tag in &self.removed {
            events.push(about(EventKind::FeatureUntagged, &tags).with_pre_data(tag));
            tags.retain(|other| other != tag);
        }
        events
    }
}

impl Tag {
    /// The event that nothing had this tag before.
    pub fn created(&self, actor: &Actor) -> NewEvent {
        NewEvent::new(EventKind::TagCreated, actor).with_data(self)
    }

    /// The event that the tag is gone.
    pub fn deleted(&self, actor: &Actor) -> NewEvent {
        NewEvent::new(EventKind::TagDeleted, actor).with_data(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tag(value: &str) -> Tag {
        Tag { value: value.to_owned(), kind: "simple".to_owned() }
    }

    #[test]
    fn only_what_changes_is_told_with_the_tags_of_the_moment() {
        let change = TagChange::new(
            vec![tag("bb"), tag("dd")],
            &[tag("cc"), tag("bb"), tag("aa"), tag("cc")],
            &[tag("dd"), tag("none")],
        );
        assert_eq!((&change.added, &change.removed), (&vec![tag("cc"), tag("aa")], &vec![tag("dd")]));
        assert_eq!(change.after(), [tag("aa"), tag("bb"), tag("cc")]);
        let mut new_tags = HashSet::from([tag("aa")]);
        let (project, feature) = (ProjectId::new("shop"), FeatureName::new("f"));
        let events = change.events(project, feature, &Actor::system(), &mut new_tags);
        let told: Vec<_> = events.iter().map(|event| (event.kind.as_str(), event.tags.len())).collect();
        let tagged = "feature-tagged";
        assert_eq!(told, [(tagged, 3), ("tag-created", 0), (tagged, 4), ("feature-untagged", 4)]);
        assert!(new_tags.is_empty());
        assert!(TagChange::new(vec![tag("aa")], &[tag("aa")], &[tag("bb")]).is_empty());
    }
}
