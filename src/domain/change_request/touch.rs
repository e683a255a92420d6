//! Changes that touch what scheduled change requests are about, found by the events that they leave.

use serde_json::Value;
use uuid::Uuid;

use super::{conflict::ScheduledChange, schedule::Trigger};
use crate::{change_request::action::Action, event::NewEvent, event_kind::EventKind, strategy_id};

/// Something that a change has touched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Touch<'a> {
    /// A feature was archived.
    FeatureArchived(&'a str),
    /// A strategy was deleted.
    StrategyDeleted {
        /// Name of its feature.
        feature: &'a str,
        /// Its id.
        id: Uuid,
    },
    /// A strategy was changed.
    StrategyUpdated {
        /// Name of its feature.
        feature: &'a str,
        /// Its id.
        id: Uuid,
    },
    /// All strategies of a feature in an environment were replaced by others.
    StrategiesReplaced {
        /// Name of the feature.
        feature: &'a str,
        /// Name of the environment.
        environment: &'a str,
    },
    /// The variants of a feature were changed.
    VariantsUpdated {
        /// Name of the feature.
        feature: &'a str,
        /// Name of the environment; `None` for all.
        environment: Option<&'a str>,
    },
    /// A segment was changed.
    SegmentUpdated {
        /// Its id.
        id: i64,
        /// Its name.
        name: &'a str,
    },
}

impl<'a> Touch<'a> {
    /// Returns what the change behind an event has touched, or `None` when that is nothing that schedules look at.
    pub fn of(event: &'a NewEvent) -> Option<Self> {
        let feature = event.feature.as_deref();
        let environment = event.environment.as_deref();
        let strategy = |data: &'a Option<Value>| strategy_id::parse(data.as_ref()?.get("id")?.as_str()?);
        match event.kind {
            EventKind::FeatureArchived => Some(Self::FeatureArchived(feature?)),
            EventKind::FeatureStrategyUpdate => {
                Some(Self::StrategyUpdated { feature: feature?, id: strategy(&event.data)? })
            }
            EventKind::FeatureStrategyRemove => {
                Some(Self::StrategyDeleted { feature: feature?, id: strategy(&event.pre_data)? })
            }
            EventKind::FeatureVariantsUpdated => Some(Self::VariantsUpdated { feature: feature?, environment: None }),
            EventKind::FeatureEnvironmentVariantsUpdated => {
                Some(Self::VariantsUpdated { feature: feature?, environment })
            }
            EventKind::SegmentUpdated => {
                let segment = event.data.as_ref()?;
                Some(Self::SegmentUpdated { id: segment.get("id")?.as_i64()?, name: segment.get("name")?.as_str()? })
            }
            _ => None,
        }
    }

    /// Name of the feature that it belongs to, if it belongs to one.
    pub const fn feature(&self) -> Option<&'a str> {
        match self {
            Self::FeatureArchived(feature)
            | Self::StrategyDeleted { feature, .. }
            | Self::StrategyUpdated { feature, .. }
            | Self::StrategiesReplaced { feature, .. }
            | Self::VariantsUpdated { feature, .. } => Some(feature),
            Self::SegmentUpdated { .. } => None,
        }
    }

    /// Id of the segment, if it is one.
    pub const fn segment(&self) -> Option<i64> {
        match self {
            Self::SegmentUpdated { id, .. } => Some(*id),
            _ => None,
        }
    }

    /// Why a schedule with this change in an environment is suspended; `None` where the change is about something else.
    pub fn suspends(self, environment: &str, change: &ScheduledChange) -> Option<Trigger<'a>> {
        let of_feature = |feature: &str| change.feature.as_deref() == Some(feature);
        let changes_variants = || change.action == Action::PATCH_VARIANT;
        let here = |touched: Option<&str>| touched.is_none_or(|touched| touched == environment);
        match self {
            Self::FeatureArchived(feature) => of_feature(feature).then_some(Trigger::FeatureArchived(feature)),
            Self::StrategyDeleted { feature, id } => {
                change.strategies.contains(&id).then_some(Trigger::StrategyDeleted(feature))
            }
            Self::StrategyUpdated { feature, id } => {
                change.strategies.contains(&id).then_some(Trigger::StrategyUpdated(feature))
            }
            Self::StrategiesReplaced { feature, environment: place } => {
                let is_hit = of_feature(feature) && here(Some(place)) && !change.strategies.is_empty();
                is_hit.then_some(Trigger::StrategyDeleted(feature))
            }
            Self::VariantsUpdated { feature, environment: place } => {
                let is_hit = of_feature(feature) && here(place) && changes_variants();
                is_hit.then_some(Trigger::VariantsUpdated(feature))
            }
            Self::SegmentUpdated { id, name } => (change.segment == Some(id)).then_some(Trigger::SegmentUpdated(name)),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::actor::Actor;

    const FIRST: Uuid = Uuid::from_u128(1);
    const SECOND: Uuid = Uuid::from_u128(2);

    fn event(kind: EventKind) -> NewEvent {
        NewEvent::new(kind, &Actor::new(1, "ada")).in_project("shop").of_feature("cart", &[])
    }

    #[test]
    fn events_tell_what_was_touched() {
        let strategy = json!({ "id": FIRST, "name": "default" });
        let in_production = |kind| event(kind).in_environment("production");
        let segment = json!({ "id": 7, "name": "staff" });
        for (event, expected) in [
            (event(EventKind::FeatureArchived), Some(Touch::FeatureArchived("cart"))),
            (
                in_production(EventKind::FeatureStrategyUpdate).with_data(&strategy),
                Some(Touch::StrategyUpdated { feature: "cart", id: FIRST }),
            ),
            (
                in_production(EventKind::FeatureStrategyRemove).with_pre_data(&strategy),
                Some(Touch::StrategyDeleted { feature: "cart", id: FIRST }),
            ),
            (
                event(EventKind::FeatureVariantsUpdated),
                Some(Touch::VariantsUpdated { feature: "cart", environment: None }),
            ),
            (
                in_production(EventKind::FeatureEnvironmentVariantsUpdated),
                Some(Touch::VariantsUpdated { feature: "cart", environment: Some("production") }),
            ),
            (
                NewEvent::new(EventKind::SegmentUpdated, &Actor::new(1, "ada")).with_data(&segment),
                Some(Touch::SegmentUpdated { id: 7, name: "staff" }),
            ),
            (in_production(EventKind::FeatureStrategyAdd).with_data(&strategy), None),
            (in_production(EventKind::FeatureEnvironmentEnabled), None),
            (event(EventKind::FeatureTagged), None),
        ] {
            assert_eq!(Touch::of(&event), expected, "{event:?}");
        }
    }

    #[test]
    fn a_change_is_suspended_by_what_touches_its_target_and_nothing_besides() {
        let change = |feature: Option<&str>, action: &str, strategies: &[Uuid], segment| ScheduledChange {
            request: 1,
            title: None,
            feature: feature.map(str::to_owned),
            action: action.to_owned(),
            strategies: strategies.to_vec(),
            segment,
        };
        let changes = [
            change(Some("cart"), "updateEnabled", &[], None),
            change(Some("cart"), "updateStrategy", &[FIRST], None),
            change(Some("cart"), "reorderStrategy", &[FIRST, SECOND], None),
            change(Some("cart"), "patchVariant", &[], None),
            change(None, "updateSegment", &[], Some(7)),
            change(Some("order"), "patchVariant", &[], None),
        ];
        let hits = |touch: Touch<'_>| -> Vec<usize> {
            let is_hit = |change: &ScheduledChange| touch.suspends("production", change).is_some();
            changes.iter().enumerate().filter(|(_, change)| is_hit(change)).map(|(place, _)| place).collect()
        };
        let variants = |feature, environment| Touch::VariantsUpdated { feature, environment };
        let replaced = |feature, environment| Touch::StrategiesReplaced { feature, environment };
        for (touch, expected) in [
            (Touch::FeatureArchived("cart"), &[0, 1, 2, 3][..]),
            (Touch::FeatureArchived("Cart"), &[]),
            (Touch::StrategyUpdated { feature: "cart", id: FIRST }, &[1, 2]),
            (Touch::StrategyDeleted { feature: "cart", id: SECOND }, &[2]),
            (replaced("cart", "production"), &[1, 2]),
            (replaced("cart", "development"), &[]),
            (variants("cart", Some("production")), &[3]),
            (variants("cart", None), &[3]),
            (variants("cart", Some("development")), &[]),
            (variants("order", None), &[5]),
            (Touch::SegmentUpdated { id: 7, name: "staff" }, &[4]),
            (Touch::SegmentUpdated { id: 8, name: "staff" }, &[]),
        ] {
            assert_eq!(hits(touch), expected, "{touch:?}");
        }
        let reason = Touch::StrategyDeleted { feature: "cart", id: FIRST }.suspends("production", &changes[1]);
        assert_eq!(reason, Some(Trigger::StrategyDeleted("cart")));
    }
}
