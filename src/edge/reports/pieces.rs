//! Reports in pieces that an upstream takes.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use flagstone_domain::{
    client_feature::ClientFilter,
    time::Timestamp,
    usage::{Gathered, HeardApplication, HeardInstance, InstanceKey, MOST_AT_ONCE, Tally},
};
use serde::Serialize;

use crate::Edge;

/// Bytes of a report: upstreams refuse those of a hundred kilobytes.
const LARGEST: usize = 88_000;
/// Bytes around the entries of a report.
const AROUND: usize = 64;

/// A part of a report, by its subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Application,
    Evaluation,
    Seen,
}

/// A piece of a report, with the part of the gathered usage that it contains.
pub(super) struct Piece {
    part: Part,
    json: String,
    pub(super) source: Gathered,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Application<'a> {
    app_name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    instance_id: Option<&'a str>,
    environment: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    sdk_version: Option<&'a str>,
    strategies: &'a [String],
    projects: Vec<&'a str>,
    started: Timestamp,
    interval: u64,
    connect_via: [Via<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Via<'a> {
    app_name: &'a str,
    instance_id: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Evaluation<'a> {
    feature_name: &'a str,
    app_name: &'a str,
    environment: &'a str,
    timestamp: Timestamp,
    yes: i64,
    no: i64,
    variants: &'a BTreeMap<String, i64>,
}

/// Pieces, so many together as one report holds.
pub(super) fn batches(pieces: Vec<Piece>) -> Vec<Vec<Piece>> {
    let mut batches: Vec<Vec<Piece>> = Vec::new();
    let mut bytes = usize::MAX;
    for piece in pieces {
        let length = piece.json.len() + 1;
        if bytes.saturating_add(length) > LARGEST {
            batches.push(Vec::new());
            bytes = AROUND;
        }
        bytes += length;
        batches.last_mut().expect("one was begun").push(piece);
    }
    batches
}

pub(super) fn body(batch: &[Piece]) -> Vec<u8> {
    let list = |part: Part| {
        let own = batch.iter().filter(|piece| piece.part == part).map(|piece| piece.json.as_str());
        own.collect::<Vec<_>>().join(",")
    };
    let seen = list(Part::Seen);
    let seen = if seen.is_empty() { String::new() } else { format!(",\"seenTokens\":[{seen}]") };
    let (applications, metrics) = (list(Part::Application), list(Part::Evaluation));
    format!("{{\"applications\":[{applications}],\"metrics\":[{metrics}]{seen}}}").into_bytes()
}

/// A piece with its environment and project, where it has one.
pub(super) type Placed = (Option<String>, Option<String>, Piece);

/// The pieces of what was gathered.
pub(super) fn pieces(edge: &Edge, gathered: Gathered) -> Vec<Placed> {
    let mut pieces = Vec::new();
    for (key, tally) in gathered.tallies {
        let environment = edge.mirror.get(&key.environment);
        let flag =
            environment.as_ref().and_then(|one| one.find(&key.feature, &ClientFilter::default()).map(Arc::clone));
        let project = flag.map(|flag| flag.project.to_string());
        let evaluated = gathered.evaluated.get(&(key.feature.clone(), key.environment.clone())).copied();
        for tally in bounded(tally) {
            let json = json(&Evaluation {
                feature_name: &key.feature,
                app_name: &key.application,
                environment: &key.environment,
                timestamp: key.hour,
                yes: tally.yes,
                no: tally.no,
                variants: &tally.variants,
            });
            let mut source = Gathered::default();
            if let Some(at) = evaluated {
                source.evaluated.insert((key.feature.clone(), key.environment.clone()), at);
            }
            source.tallies.insert(key.clone(), tally);
            let place = (Some(key.environment.clone()), project.clone());
            pieces.push((place.0, place.1, Piece { part: Part::Evaluation, json, source }));
        }
    }
    for (flag, at) in gathered.unknown_flags {
        // Without counts: whoever knows the feature after all has counted nothing that was not evaluated.
        let json = json(&Evaluation {
            feature_name: &flag.feature,
            app_name: &flag.application,
            environment: &flag.environment,
            timestamp: at,
            yes: 0,
            no: 0,
            variants: &BTreeMap::new(),
        });
        let environment = Some(flag.environment.clone());
        let source = Gathered { unknown_flags: BTreeMap::from([(flag, at)]), ..Gathered::default() };
        pieces.push((environment, None, Piece { part: Part::Evaluation, json, source }));
    }
    pieces.extend(introductions(edge, gathered.instances, gathered.applications));
    for (id, at) in gathered.tokens {
        let source = Gathered { tokens: BTreeMap::from([(id, at)]), ..Gathered::default() };
        for digest in edge.token_cache.digests([id]) {
            let source = source.clone();
            pieces.push((None, None, Piece { part: Part::Seen, json: json(&digest), source }));
        }
    }
    pieces
}

/// Applications with their instances, and those of which no instance is known.
fn introductions(
    edge: &Edge,
    instances: BTreeMap<InstanceKey, HeardInstance>,
    applications: BTreeMap<String, HeardApplication>,
) -> Vec<Placed> {
    let mut pieces = Vec::new();
    let mut told: BTreeSet<String> = BTreeSet::new();
    let application = |name: &str| applications.get(name).cloned();
    for (key, heard) in instances {
        let about = application(&key.application);
        let strategies = about.as_ref().map(|about| about.strategies.clone()).unwrap_or_default();
        let mut source = Gathered::default();
        if let Some(about) = about {
            source.applications.insert(key.application.clone(), about);
        }
        let json = introduction(
            edge,
            &key.application,
            Some(&key.instance),
            &key.environment,
            heard.sdk_version.as_deref(),
            &strategies,
            &source,
        );
        told.insert(key.application.clone());
        let environment = key.environment.clone();
        source.instances.insert(key, heard);
        pieces.push((Some(environment), None, Piece { part: Part::Application, json, source }));
    }
    for (name, about) in applications.into_iter().filter(|(name, _)| !told.contains(name)) {
        let strategies = about.strategies.clone();
        let source = Gathered { applications: BTreeMap::from([(name.clone(), about)]), ..Gathered::default() };
        let json = introduction(edge, &name, None, "", None, &strategies, &source);
        pieces.push((None, None, Piece { part: Part::Application, json, source }));
    }
    pieces
}

fn introduction(
    edge: &Edge,
    name: &str,
    instance: Option<&str>,
    environment: &str,
    sdk_version: Option<&str>,
    strategies: &[String],
    source: &Gathered,
) -> String {
    let projects = source.applications.get(name).map(|about| &about.projects).into_iter().flatten();
    json(&Application {
        app_name: name,
        instance_id: instance,
        environment,
        sdk_version,
        strategies,
        projects: projects.map(String::as_str).collect(),
        started: edge.started,
        interval: u64::try_from(edge.settings.reports.as_millis()).unwrap_or(u64::MAX),
        connect_via: [Via { app_name: &edge.settings.app_name, instance_id: &edge.settings.instance_id }],
    })
}

/// Counts in parts that a server takes at once for what they are.
fn bounded(mut tally: Tally) -> Vec<Tally> {
    let mut parts = Vec::new();
    let part = |count: &mut i64| {
        let taken = (*count).min(MOST_AT_ONCE);
        *count -= taken;
        taken
    };
    while !tally.is_empty() {
        let (yes, no) = (part(&mut tally.yes), part(&mut tally.no));
        let variants = tally.variants.iter_mut().map(|(name, count)| (name.clone(), part(count))).collect();
        tally.variants.retain(|_, count| *count > 0);
        parts.push(Tally { yes, no, variants });
    }
    parts
}

fn json<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).expect("names and numbers serialise")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_split_below_what_upstreams_take() {
        let piece = |length: usize| Piece {
            part: Part::Evaluation,
            json: format!("\"{}\"", "x".repeat(length)),
            source: Gathered::default(),
        };
        let lengths = (0..3000).map(|number| 100 + number % 700);
        let batches = batches(lengths.map(piece).collect());
        assert!(batches.len() > 10);
        assert_eq!(batches.iter().map(Vec::len).sum::<usize>(), 3000);
        for batch in &batches {
            let body = body(batch);
            assert!(body.len() < 90_000, "{}", body.len());
            serde_json::from_slice::<serde_json::Value>(&body).expect("JSON");
        }
    }

    #[test]
    fn nothing_is_lost_where_counts_are_greater_than_a_server_takes_at_once() {
        let tally =
            Tally { yes: 2 * MOST_AT_ONCE + 7, no: 3, variants: BTreeMap::from([("a".to_owned(), MOST_AT_ONCE + 1)]) };
        let mut sum = Tally::default();
        for part in bounded(tally.clone()) {
            assert!(part.yes <= MOST_AT_ONCE && part.variants.values().all(|count| *count <= MOST_AT_ONCE));
            sum.add(part);
        }
        assert_eq!(sum, tally);
    }
}
