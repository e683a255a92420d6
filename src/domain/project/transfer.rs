//! Features that change their project: what stands against it, and what the log says of it.

use std::collections::BTreeSet;

use serde::Serialize;

use super::document::ProjectDocument;
use crate::{actor::Actor, event::NewEvent, event_kind::EventKind, feature_rules::has_room, tag::Tag};

/// A feature on its way from one project to another.
#[derive(Debug, Clone)]
pub struct Transfer<'a> {
    /// Name of the feature.
    pub feature: &'a str,
    /// Whether it is in use; archived features count for no limit.
    pub in_use: bool,
    /// Whether it depends on another feature or another one on it.
    pub has_dependencies: bool,
    /// Names of the segments that its strategies use and that belong to a project.
    pub bound_segments: &'a [String],
    /// Names of the context fields that it uses and that belong to the project where it comes from.
    pub bound_fields: &'a [String],
    /// Project that it comes from.
    pub from: &'a ProjectDocument,
    /// Environments of that project.
    pub from_environments: &'a [String],
    /// Project that it goes to.
    pub to: &'a ProjectDocument,
    /// Environments of that project.
    pub to_environments: &'a [String],
    /// Features in use there.
    pub active_there: i64,
}

/// Reason why a feature cannot change its project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Obstacle {
    /// Dependencies stay within a project.
    Dependencies,
    /// The feature is configured where the other project is not, or the other way round.
    Environments,
    /// A strategy uses what belongs to the old project.
    Segments,
    /// A constraint, a stickiness or an override uses what belongs to the old project.
    ContextFields,
    /// The other project wants other names.
    Name,
    /// The other project is full.
    Limit,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Moved<'a> {
    new_project: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    old_project: Option<&'a str>,
}

impl Transfer<'_> {
    /// Whether the feature may go.
    pub fn judge(&self) -> Result<(), Obstacle> {
        let set = |names: &[String]| names.iter().cloned().collect::<BTreeSet<_>>();
        if self.has_dependencies {
            Err(Obstacle::Dependencies)
        } else if set(self.from_environments) != set(self.to_environments) {
            Err(Obstacle::Environments)
        } else if !self.bound_segments.is_empty() {
            Err(Obstacle::Segments)
        } else if !self.bound_fields.is_empty() {
            Err(Obstacle::ContextFields)
        } else if !self.to.feature_naming.admits(self.feature) {
            Err(Obstacle::Name)
        } else if self.in_use && !has_room(self.to.feature_limit, self.active_there, 1) {
            Err(Obstacle::Limit)
        } else {
            Ok(())
        }
    }

    /// Returns the event that the feature changed its project.
    ///
    /// The event names both projects, so it lies in the new one unless the old one alone is private: a user who may not
    /// see a private project must not read its id. Between two private ones it does not name the former one.
    pub fn event(&self, actor: &Actor, tags: &[Tag]) -> NewEvent {
        let (leaves_private, enters_private) = (self.from.is_private(), self.to.is_private());
        let place = if leaves_private && !enters_private { self.from } else { self.to };
        let old_project = (!(leaves_private && enters_private)).then_some(&*self.from.id);
        NewEvent::new(EventKind::FeatureProjectChange, actor)
            .in_project(&place.id)
            .of_feature(self.feature, tags)
            .with_data(&Moved { new_project: &self.to.id, old_project })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{feature_naming::FeatureNaming, project::ProjectMode};

    fn project(id: &str, mode: ProjectMode) -> ProjectDocument {
        ProjectDocument {
            id: id.to_owned(),
            name: id.to_owned(),
            description: None,
            mode,
            default_stickiness: "default".to_owned(),
            feature_limit: Some(3),
            feature_naming: FeatureNaming { pattern: Some("f.*".to_owned()), ..FeatureNaming::default() },
            archived_at: None,
            link_templates: Vec::new(),
        }
    }

    #[test]
    fn each_obstacle_is_told_and_a_fitting_feature_goes() {
        let (from, to) = (project("a", ProjectMode::Open), project("b", ProjectMode::Open));
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let (here, there, fewer, segment) =
            (names(&["dev", "prod"]), names(&["prod", "dev"]), names(&["dev"]), names(&["s"]));
        let fitting = Transfer {
            feature: "f",
            in_use: true,
            has_dependencies: false,
            bound_segments: &[],
            bound_fields: &[],
            from: &from,
            from_environments: &here,
            to: &to,
            to_environments: &there,
            active_there: 2,
        };
        assert_eq!(fitting.judge(), Ok(()));
        assert_eq!(Transfer { in_use: false, active_there: 3, ..fitting.clone() }.judge(), Ok(()));
        for (transfer, obstacle) in [
            (Transfer { has_dependencies: true, ..fitting.clone() }, Obstacle::Dependencies),
            (Transfer { to_environments: &fewer, ..fitting.clone() }, Obstacle::Environments),
            (Transfer { bound_segments: &segment, ..fitting.clone() }, Obstacle::Segments),
            (Transfer { bound_fields: &segment, ..fitting.clone() }, Obstacle::ContextFields),
            (Transfer { feature: "g", ..fitting.clone() }, Obstacle::Name),
            (Transfer { active_there: 3, ..fitting.clone() }, Obstacle::Limit),
        ] {
            assert_eq!(transfer.judge(), Err(obstacle));
        }
    }

    #[test]
    fn the_log_tells_nobody_of_a_private_project_who_may_not_see_it() {
        use ProjectMode::{Open, Private};
        let both = json!({ "newProject": "b", "oldProject": "a" });
        for (from, to, place, data) in [
            (Open, Open, "b", both.clone()),
            (Open, Private, "b", both.clone()),
            (Private, Open, "a", both),
            (Private, Private, "b", json!({ "newProject": "b" })),
        ] {
            let (from, to) = (project("a", from), project("b", to));
            let transfer = Transfer {
                feature: "f",
                in_use: true,
                has_dependencies: false,
                bound_segments: &[],
                bound_fields: &[],
                from: &from,
                from_environments: &[],
                to: &to,
                to_environments: &[],
                active_there: 0,
            };
            let event = transfer.event(&Actor::system(), &[]);
            assert_eq!((event.project.as_deref(), event.data), (Some(place), Some(data)));
        }
    }
}
