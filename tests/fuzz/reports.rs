//! Reports of programs.

use std::sync::LazyLock;

use flagstone::{
    api::{
        body::read_bytes,
        programs::usage::{BulkMetricsBody, ClientApplicationBody, ClientMetricsBody, EvaluationsBody},
    },
    domain::{
        sdk::Sdk,
        time::Timestamp,
        usage::{EARLIEST_MS, MAX_NAME, MOST_IN_AN_HOUR, Tally, TallyKey, hour_of, is_name},
    },
    usage::{Introduction, Usage},
    wire::{Count, Nullable},
};
use serde_json::Value;

use crate::document::{document, seeds};

const NOW: Timestamp = Timestamp::from_millis(1_768_478_400_000);

fn text(property: Option<Nullable<String>>) -> Option<String> {
    property.and_then(Nullable::into_inner)
}

fn introduce(usage: &Usage, body: ClientApplicationBody) {
    let strategies = body.strategies.and_then(Nullable::into_inner).map(|list| list.0).unwrap_or_default();
    let sdk_version = text(body.sdk_version);
    if let Some(version) = &sdk_version {
        let _ = Sdk::parse(version).is_outdated();
    }
    usage.heard(
        Introduction {
            application: body.app_name,
            instance: text(body.instance_id),
            environment: "development".to_owned(),
            sdk_version,
            strategies: strategies.iter().map(|name| name.as_str().to_owned()).collect(),
            token: "fuzz".to_owned(),
            projects: Vec::new(),
        },
        NOW,
    );
}

fn count(usage: &Usage, feature: &str, application: &str, start: Option<Timestamp>, told: EvaluationsBody) {
    let number = |count: Option<Nullable<Count>>| count.and_then(Nullable::into_inner).unwrap_or_default().0;
    let variants = told.variants.and_then(Nullable::into_inner).unwrap_or_default();
    let tally =
        Tally::of_report(number(told.yes), number(told.no), variants.into_iter().map(|(name, count)| (name, count.0)));
    let hour = hour_of(start, NOW);
    assert!(hour <= NOW && hour >= NOW.plus_millis(-EARLIEST_MS).floor_hour());
    if is_name(application) && is_name(feature) {
        let key = TallyKey {
            feature: feature.to_owned(),
            application: application.to_owned(),
            environment: "development".to_owned(),
            hour,
        };
        usage.count(key, tally, NOW);
    }
}

/// Whatever they say, what is kept of it has names of a length that can be stored and counts that can be added up.
pub fn usage_stays_within_bounds(input: &[u8]) {
    static SEEDS: LazyLock<Vec<Value>> = LazyLock::new(|| seeds("reports"));
    let body = document(input, &SEEDS).to_string();
    let usage = Usage::default();
    if let Ok(application) = read_bytes::<ClientApplicationBody>(body.as_bytes()) {
        introduce(&usage, application);
    }
    if let Ok(metrics) = read_bytes::<ClientMetricsBody>(body.as_bytes())
        && let Some(bucket) = metrics.bucket.and_then(Nullable::into_inner)
    {
        let start = bucket.start.unwrap_or_default().0;
        for (feature, told) in bucket.toggles {
            count(&usage, &feature, &metrics.app_name, start, told);
        }
    }
    if let Ok(bulk) = read_bytes::<BulkMetricsBody>(body.as_bytes()) {
        bulk.applications.and_then(Nullable::into_inner).into_iter().flat_map(|list| list.0).for_each(|application| {
            introduce(&usage, application);
        });
        for told in bulk.metrics.and_then(Nullable::into_inner).into_iter().flat_map(|list| list.0) {
            let start = told.timestamp.unwrap_or_default().0;
            let evaluations = EvaluationsBody { yes: told.yes, no: told.no, variants: told.variants };
            count(&usage, &told.feature_name, &told.app_name, start, evaluations);
        }
    }
    let first = usage.take();
    usage.put_back(first.clone());
    usage.put_back(first);
    let gathered = usage.take();
    let is_short = |text: &String| text.chars().count() <= MAX_NAME && !text.contains('\0');
    for (key, tally) in &gathered.tallies {
        assert!(is_short(&key.feature) && is_short(&key.application), "{key:?}");
        let counts = tally.variants.values().chain([&tally.yes, &tally.no]);
        assert!(counts.into_iter().all(|count| (0..=MOST_IN_AN_HOUR).contains(count)), "{tally:?}");
        assert!(tally.variants.len() <= 100 && tally.variants.keys().all(is_short), "{tally:?}");
    }
    for (name, heard) in &gathered.applications {
        assert!(is_short(name) && heard.strategies.len() <= 200 && heard.strategies.iter().all(is_short), "{heard:?}");
    }
    for (key, heard) in &gathered.instances {
        assert!(is_short(&key.application) && is_short(&key.instance), "{key:?}");
        assert!(heard.sdk_version.iter().all(is_short), "{heard:?}");
    }
}
