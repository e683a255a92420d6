//! The log and usage, as far as the API has them.

use flagstone_domain::repair::{Repairs, Row};
use serde::Deserialize;
use serde_json::{Value, json, value::RawValue};

use super::{Answers, items, row};
use crate::{
    neutral::{Event, Usage},
    rows::{Tables, read_event, read_usage},
};

/// Part of the log.
#[derive(Debug, Default)]
pub struct EventsPage {
    /// Events, latest first or in no order.
    pub events: Vec<Event>,
    /// Number of entries on the page, with those that cannot be read.
    pub length: u64,
    /// Number of events in all, where the answer has it.
    pub total: Option<u64>,
}

#[derive(Deserialize)]
struct RawPage<'a> {
    #[serde(default, borrow)]
    events: Vec<&'a RawValue>,
    #[serde(default)]
    total: Option<Value>,
}

impl EventsPage {
    /// Reads an answer about the log. An entry that cannot be read is left out.
    pub fn read(answer: &[u8], repairs: &Repairs) -> serde_json::Result<Self> {
        let page: RawPage<'_> = serde_json::from_slice(answer)?;
        Ok(Self {
            events: page.events.iter().filter_map(|raw| read_event(raw.get(), repairs)).collect(),
            length: u64::try_from(page.events.len()).unwrap_or(u64::MAX),
            total: page.total.and_then(|total| total.as_u64()),
        })
    }
}

/// Usage of a feature by the hour, and by the hour and variant.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct UsageOfFeature {
    /// Numbers of evaluations as on and as off.
    pub hours: Vec<Usage>,
    /// Numbers of evaluations by variant.
    pub variants: Vec<Usage>,
}

impl UsageOfFeature {
    /// Reads an answer about the usage of one feature. Hours in which nothing was asked fill its gaps, and say nothing.
    pub fn read(answer: &Value, repairs: &Repairs) -> Self {
        let mut usage = Self::default();
        for hour in items(answer, "data") {
            let hour = row(hour);
            let key = hour["feature_name"].as_str().unwrap_or("?");
            let read = Row::new("client_metrics_env", key, &hour, repairs);
            let Some(counted) = read_usage(&read, "timestamp", false) else { continue };
            for (variant, count) in hour["variants"].as_object().into_iter().flatten() {
                let count = json!({ "count": count });
                let row = Row::new("client_metrics_env_variants", key, &count, repairs);
                let count = row.find_number("count").unwrap_or_default();
                if count != 0 {
                    usage.variants.push(Usage { variant: Some(variant.clone()), yes: count, no: 0, ..counted.clone() });
                }
            }
            if counted.yes != 0 || counted.no != 0 {
                usage.hours.push(counted);
            }
        }
        usage
    }
}

/// Applications and their running copies.
pub(super) fn applications(answers: &Answers, tables: &mut Tables) {
    for application in &answers.applications {
        for copy in items(application, "instances") {
            let mut copy = row(copy);
            if let Some(members) = copy.as_object_mut() {
                members.insert("app_name".to_owned(), application["appName"].clone());
            }
            tables.add("client_instances", copy);
        }
        // The list names the strategies that an application knows, its own answer describes them.
        let strategies = items(application, "strategies");
        let strategies = strategies.map(|strategy| if strategy.is_object() { &strategy["name"] } else { strategy });
        let strategies: Vec<&Value> = strategies.filter(|name| !name.is_null()).collect();
        let mut told = row(application);
        if let Some(members) = told.as_object_mut() {
            members.insert("strategies".to_owned(), json!(strategies));
            members.entry("seen_at").or_insert_with(|| application["lastSeen"].clone());
        }
        tables.add("client_applications", told);
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
        let usage = UsageOfFeature::read(&answer, &Repairs::default());
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
        let page = EventsPage::read(text.as_bytes(), &Repairs::default()).expect("reads");
        let event = &page.events[0];
        assert_eq!((event.id, event.feature.as_deref(), page.total), (7, Some("f"), Some(389)));
        assert_eq!(event.data.as_ref().map(|data| data.get()), Some(r#"{"a": 1.0}"#));
        assert!(event.pre_data.is_none());
    }
}
