//! Conflicts of changes with what has happened since they were recorded.

use std::{collections::HashMap, fmt};

use serde_json::{Value, json};
use uuid::Uuid;

use super::{Target, action::Action};
use crate::{segment::Segment, strategy::FeatureStrategy, variant::FeatureVariant};

/// A feature as it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeatureNow {
    /// Internal id.
    pub id: i64,
    /// Project that owns it.
    pub project: String,
    /// Whether it is archived.
    pub is_archived: bool,
}

/// Targets of changes as they are now, in the environment of their change request. What is missing does not exist.
#[derive(Debug, Clone, Default)]
pub struct Current {
    /// Features by name.
    pub features: HashMap<String, FeatureNow>,
    /// Strategies by id, with the name of their feature.
    pub strategies: HashMap<Uuid, (String, FeatureStrategy)>,
    /// Variants of features by the name of the feature.
    pub variants: HashMap<String, Vec<FeatureVariant>>,
    /// Segments by id.
    pub segments: HashMap<i64, Segment>,
}

/// Reason why a change cannot be applied as long as it lasts. Written as a phrase without a final stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Conflict {
    /// The feature was deleted.
    FeatureGone,
    /// The feature is archived.
    FeatureArchived,
    /// The feature belongs to another project.
    FeatureMoved,
    /// A strategy of the change was deleted.
    StrategyGone,
    /// The segment was deleted.
    SegmentGone,
    /// The segment no longer belongs to the project.
    SegmentMoved,
    /// This version of the server cannot read the change.
    Unreadable,
}

impl Conflict {
    /// Whether it concerns all changes of the feature.
    pub const fn is_of_feature(self) -> bool {
        matches!(self, Self::FeatureGone | Self::FeatureArchived | Self::FeatureMoved)
    }
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::FeatureGone => "The feature has been deleted",
            Self::FeatureArchived => "The feature is archived. Revive it to apply the changes",
            Self::FeatureMoved => "The feature has moved to another project",
            Self::StrategyGone => "A strategy of this change has been deleted",
            Self::SegmentGone => "The segment has been deleted",
            Self::SegmentMoved => "The segment no longer belongs to the project",
            Self::Unreadable => "This version of the server cannot read the change",
        })
    }
}

/// Returns the conflict of a feature of a project, if any.
pub fn of_feature(name: &str, id: Option<i64>, project: &str, current: &Current) -> Option<Conflict> {
    let Some(now) = current.features.get(name) else { return Some(Conflict::FeatureGone) };
    if id.is_some_and(|id| id != now.id) {
        Some(Conflict::FeatureGone)
    } else if now.project != project {
        Some(Conflict::FeatureMoved)
    } else {
        now.is_archived.then_some(Conflict::FeatureArchived)
    }
}

/// Returns the conflict of a change in a project, if any: that of its feature first.
pub fn of_change(target: &Target, action: &Action, project: &str, current: &Current) -> Option<Conflict> {
    match target {
        Target::Feature { name, id } => of_feature(name, *id, project, current).or_else(|| {
            if action.is_unreadable() {
                return Some(Conflict::Unreadable);
            }
            let has = |id: &Uuid| current.strategies.get(id).is_some_and(|(feature, _)| feature == name);
            (!action.strategies().iter().all(has)).then_some(Conflict::StrategyGone)
        }),
        Target::Segment(_) if action.is_unreadable() => Some(Conflict::Unreadable),
        Target::Segment(id) => match current.segments.get(id) {
            None => Some(Conflict::SegmentGone),
            Some(segment) => (segment.project.0.as_deref() != Some(project)).then_some(Conflict::SegmentMoved),
        },
    }
}

/// Returns the target of an action as a snapshot shows it; `None` for actions without one, and for targets that are gone.
pub fn snapshot(target: &Target, action: &Action, current: &Current) -> Option<Value> {
    match (target, action) {
        (Target::Feature { .. }, Action::UpdateStrategy(_) | Action::DeleteStrategy(_)) => {
            let id = action.strategies().into_iter().next()?;
            let (_, strategy) = current.strategies.get(&id)?;
            Some(json!(FeatureStrategy { feature_name: None, ..strategy.clone() }))
        }
        (Target::Feature { name, .. }, Action::PatchVariant(_)) => {
            Some(json!(current.variants.get(name).map(Vec::as_slice).unwrap_or_default()))
        }
        (Target::Segment(id), _) => Some(json!(current.segments.get(id)?)),
        _ => None,
    }
}

/// A change of a scheduled change request, as far as others can collide with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScheduledChange {
    /// Id of its change request.
    pub request: i64,
    /// Title of the change request, if a user gave it one.
    pub title: Option<String>,
    /// Its feature, if it has one.
    pub feature: Option<String>,
    /// Its action.
    pub action: String,
    /// Strategies that it changes.
    pub strategies: Vec<Uuid>,
    /// Segment that it changes.
    pub segment: Option<i64>,
}

/// Whether a change and one that is scheduled by another change request would be about the same: a strategy, the variants of
/// a feature, a segment, the dependencies or the end of a feature.
pub fn collide(target: &Target, action: &Action, scheduled: &ScheduledChange) -> bool {
    let Target::Feature { name, .. } = target else {
        return action.segment().is_some() && action.segment() == scheduled.segment;
    };
    if scheduled.feature.as_ref() != Some(name) {
        return false;
    }
    let archives = |action: &str| action == Action::ArchiveFeature.name();
    let touches_strategy = action.strategies().iter().any(|id| scheduled.strategies.contains(id));
    let is_same_kind = action.name() == scheduled.action && !matches!(action, Action::AddStrategy(_));
    let is_same_property = is_same_kind && action.strategies().is_empty();
    touches_strategy || is_same_property || archives(action.name()) || archives(&scheduled.action)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        change_request::action::tests::{STRATEGY, sample},
        time::Timestamp,
    };

    fn cart() -> Target {
        Target::Feature { name: "cart".to_owned(), id: Some(1) }
    }

    fn strategy_id() -> Uuid {
        Uuid::parse_str(STRATEGY).expect("an id")
    }

    fn current() -> Current {
        let sample_strategy = sample("addStrategy").proposed_strategy().cloned().expect("a strategy");
        let constraints = match sample("updateSegment") {
            Action::UpdateSegment(update) => update.constraints,
            other => panic!("{other:?}"),
        };
        let segment = Segment {
            id: 7,
            name: "Staff".to_owned(),
            description: None.into(),
            project: Some("shop".to_owned()).into(),
            constraints,
            created_by: None.into(),
            created_at: Timestamp::from_millis(0),
            used_in_projects: None,
            used_in_features: None,
        };
        Current {
            features: HashMap::from([(
                "cart".to_owned(),
                FeatureNow { id: 1, project: "shop".to_owned(), is_archived: false },
            )]),
            strategies: HashMap::from([(strategy_id(), ("cart".to_owned(), sample_strategy))]),
            variants: HashMap::new(),
            segments: HashMap::from([(7, segment)]),
        }
    }

    fn conflict(name: &str, current: &Current) -> Option<Conflict> {
        let action = sample(name);
        let target = action.segment().map_or_else(cart, Target::Segment);
        of_change(&target, &action, "shop", current)
    }

    #[test]
    fn what_a_change_is_about_must_still_be_there() {
        type Adjust = fn(&mut Current);
        for name in Action::NAMES {
            assert_eq!(conflict(name, &current()), None, "{name}");
        }
        let feature: [(Adjust, Conflict); 4] = [
            (|now| drop(now.features.remove("cart")), Conflict::FeatureGone),
            (|now| now.features.get_mut("cart").expect("it").id = 2, Conflict::FeatureGone),
            (|now| now.features.get_mut("cart").expect("it").is_archived = true, Conflict::FeatureArchived),
            (|now| now.features.get_mut("cart").expect("it").project = "bank".to_owned(), Conflict::FeatureMoved),
        ];
        for (adjust, expected) in feature {
            let mut now = current();
            adjust(&mut now);
            for name in Action::NAMES {
                let is_of_feature = sample(name).segment().is_none();
                assert_eq!(conflict(name, &now), is_of_feature.then_some(expected), "{name}");
            }
        }
    }

    #[test]
    fn strategies_and_segments_go_and_move_too() {
        let needs_strategy = ["updateStrategy", "deleteStrategy", "reorderStrategy"];
        for of_another in [false, true] {
            let mut now = current();
            if of_another {
                now.strategies.get_mut(&strategy_id()).expect("it").0 = "order".to_owned();
            } else {
                now.strategies.clear();
            }
            for name in Action::NAMES {
                let expected = needs_strategy.contains(&name).then_some(Conflict::StrategyGone);
                assert_eq!(conflict(name, &now), expected, "{name}");
            }
        }
        let mut now = current();
        now.segments.get_mut(&7).expect("it").project = None.into();
        assert_eq!(conflict("updateSegment", &now), Some(Conflict::SegmentMoved));
        now.segments.clear();
        assert_eq!(conflict("deleteSegment", &now), Some(Conflict::SegmentGone));
    }

    #[test]
    fn what_cannot_be_read_cannot_be_applied() {
        let unreadable = Action::of_stored("renameFeature".to_owned(), None, true);
        for target in [cart(), Target::Segment(7), Target::Segment(8)] {
            assert_eq!(of_change(&target, &unreadable, "shop", &current()), Some(Conflict::Unreadable));
        }
        assert_eq!(of_change(&cart(), &unreadable, "bank", &current()), Some(Conflict::FeatureMoved));
    }

    #[test]
    fn changes_collide_where_they_are_about_the_same() {
        let scheduled = |name: &str| {
            let action = sample(name);
            ScheduledChange {
                request: 1,
                title: None,
                feature: action.segment().is_none().then(|| "cart".to_owned()),
                action: name.to_owned(),
                strategies: action.strategies(),
                segment: action.segment(),
            }
        };
        let with_strategy = ["updateStrategy", "deleteStrategy", "reorderStrategy"];
        for one in Action::NAMES {
            for other in Action::NAMES {
                let (action, scheduled) = (sample(one), scheduled(other));
                let both = |names: &[&str]| names.contains(&one) && names.contains(&other);
                let is_archive = one == "archiveFeature" || other == "archiveFeature";
                let are_of_features = !one.ends_with("Segment") && !other.ends_with("Segment");
                let expected = both(&with_strategy)
                    || both(&["updateSegment", "deleteSegment"])
                    || (one == other && one != "addStrategy")
                    || (is_archive && are_of_features);
                let target = action.segment().map_or_else(cart, Target::Segment);
                assert_eq!(collide(&target, &action, &scheduled), expected, "{one} {other}");
                let elsewhere = ScheduledChange {
                    feature: scheduled.feature.clone().map(|_| "order".to_owned()),
                    segment: scheduled.segment.map(|_| 8),
                    ..scheduled
                };
                assert!(!collide(&target, &action, &elsewhere), "{one} {other}");
            }
        }
    }
}
