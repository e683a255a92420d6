//! The log and usage, as far as the API tells of them.

use serde::Deserialize;
use serde_json::Value;

use super::{Answers, text, time};
use crate::{
    domain::time::Timestamp,
    moving_in::neutral::{Application, Event, Instance, Set, Usage},
};

/// Part of the log.
#[derive(Debug, Default, Deserialize)]
pub struct EventsPage {
    /// Events, latest first or in no order.
    #[serde(default)]
    pub events: Vec<Event>,
    /// How many there are in all, where that is told.
    #[serde(default)]
    pub total: Option<u64>,
}

/// Usage of a feature by the hour, and by the hour and variant.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct UsageOfFeature {
    /// How often it was on and off.
    pub hours: Vec<Usage>,
    /// How often each variant was given.
    pub variants: Vec<Usage>,
}

#[derive(Deserialize)]
struct RawUsage {
    #[serde(default)]
    data: Vec<Hour>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Hour {
    feature_name: String,
    app_name: String,
    environment: String,
    timestamp: Timestamp,
    #[serde(default)]
    yes: i64,
    #[serde(default)]
    no: i64,
    #[serde(default)]
    variants: std::collections::BTreeMap<String, i64>,
}

impl UsageOfFeature {
    /// Reads an answer about the usage of one feature. Hours in which nothing was asked fill its gaps, and say nothing.
    pub fn read(answer: &Value) -> serde_json::Result<Self> {
        let mut usage = Self::default();
        for hour in RawUsage::deserialize(answer)?.data {
            let of_hour = |variant: Option<String>, yes, no| Usage {
                feature: hour.feature_name.clone(),
                app_name: hour.app_name.clone(),
                environment: hour.environment.clone(),
                start: hour.timestamp,
                variant,
                yes,
                no,
            };
            if hour.yes != 0 || hour.no != 0 {
                usage.hours.push(of_hour(None, hour.yes, hour.no));
            }
            let counted = hour.variants.iter().filter(|(_, count)| **count != 0);
            usage.variants.extend(counted.map(|(name, count)| of_hour(Some(name.clone()), *count, 0)));
        }
        Ok(usage)
    }
}

/// Applications and their running copies.
pub(super) fn applications(answers: &Answers, set: &mut Set) {
    let optional = |value: &Value, name: &str| Some(text(value, name)).filter(|text| !text.is_empty());
    for application in &answers.applications {
        // The list names the strategies that an application knows, its own answer describes them.
        let strategies = application["strategies"].as_array().into_iter().flatten();
        let strategies = strategies
            .filter_map(|strategy| strategy.as_str().or_else(|| strategy["name"].as_str()).map(str::to_owned));
        let app_name = text(application, "appName");
        for copy in application["instances"].as_array().into_iter().flatten() {
            set.instances.push(Instance {
                app_name: app_name.clone(),
                instance_id: text(copy, "instanceId"),
                environment: optional(copy, "environment").unwrap_or_else(|| "default".to_owned()),
                sdk_version: optional(copy, "sdkVersion"),
                last_seen_at: time(copy, "lastSeen"),
                created_at: time(copy, "createdAt"),
            });
        }
        set.applications.push(Application {
            app_name,
            description: optional(application, "description"),
            url: optional(application, "url"),
            color: optional(application, "color"),
            icon: optional(application, "icon"),
            strategies: strategies.collect(),
            created_by: optional(application, "createdBy"),
            created_at: time(application, "createdAt"),
            updated_at: time(application, "updatedAt"),
            seen_at: time(application, "seenAt").or_else(|| time(application, "lastSeen")),
        });
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn hours_that_fill_gaps_are_left_out() {
        let hour = |yes: i64, variants: Value| {
            json!({
                "featureName": "f", "appName": "a", "environment": "e", "timestamp": "2026-11-21T06:00:00.000Z",
                "yes": yes, "no": 0, "variants": variants,
            })
        };
        let answer = json!({ "version": 1, "data": [hour(0, json!({})), hour(3, json!({ "one": 2, "two": 0 }))] });
        let usage = UsageOfFeature::read(&answer).expect("reads");
        let [only] = usage.hours.as_slice() else { panic!("{usage:?}") };
        assert_eq!((only.yes, only.no, only.variant.as_deref()), (3, 0, None));
        let [only] = usage.variants.as_slice() else { panic!("{usage:?}") };
        assert_eq!((only.yes, only.variant.as_deref()), (2, Some("one")));
    }

    #[test]
    fn an_event_names_its_feature_in_the_words_of_the_api() {
        let text = r#"{"events":[{"id":7,"type":"feature-created","createdBy":"ada","createdAt":"2026-11-22T07:12:48.598Z",
                       "createdByUserId":1,"data":{"a": 1.0},"preData":null,"tags":[],"featureName":"f","project":"p",
                       "environment":null}],"total":389}"#;
        let page: EventsPage = serde_json::from_str(text).expect("reads");
        let event = &page.events[0];
        assert_eq!((event.id, event.feature.as_deref(), page.total), (7, Some("f"), Some(389)));
        assert_eq!(event.data.as_ref().map(|data| data.get()), Some(r#"{"a": 1.0}"#));
        assert!(event.pre_data.is_none());
    }
}
