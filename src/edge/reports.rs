//! Reports of usage, sent upstream in pieces that it takes. What is not sent is gathered again, as far as there is
//! room.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, atomic::Ordering},
};

use serde::Serialize;
use tokio::{
    sync::watch,
    time::{Duration, sleep},
};

use super::{Edge, feed::Feed, upstream::UpstreamError};
use crate::{
    chance::{Backoff, about},
    domain::{
        client_feature::ClientFilter,
        time::Timestamp,
        usage::{Gathered, HeardApplication, HeardInstance, InstanceKey, MOST_AT_ONCE, Tally},
    },
    state::Serving,
};

/// Bytes of a report: upstreams refuse those of a hundred kilobytes.
const LARGEST: usize = 88_000;
/// Bytes around the entries of a report.
const AROUND: usize = 64;
/// How long the last reports may take.
const LAST: Duration = Duration::from_secs(10);

/// One piece of a report, by what it is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Application,
    Evaluation,
    Seen,
}

/// A piece of a report, and what of the gathered it stands for.
struct Piece {
    part: Part,
    json: String,
    source: Gathered,
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

/// Sends reports at the interval until told to halt: a report under way goes to its end.
pub(super) async fn run(edge: &Edge, serving: &Serving, mut halted: watch::Receiver<bool>) {
    let mut backoff = Backoff::up_to(Duration::from_mins(5));
    let mut wait = about(edge.settings.reports);
    loop {
        tokio::select! {
            () = sleep(wait) => {}
            _ = halted.wait_for(|halted| *halted) => return,
        }
        if edge.is_offline {
            // Nobody is there to be told.
            serving.usage.take();
            continue;
        }
        wait = if send(edge, serving).await {
            backoff.reset();
            about(edge.settings.reports)
        } else {
            about(edge.settings.reports).max(backoff.next())
        };
    }
}

/// Sends what there is, before the end.
pub(super) async fn send_all(edge: &Edge, serving: &Serving) {
    let sending = async {
        let mut backoff = Backoff::up_to(Duration::from_secs(2));
        while !send(edge, serving).await {
            sleep(backoff.next()).await;
        }
    };
    if tokio::time::timeout(LAST, sending).await.is_err() {
        let left = serving.usage.buffered();
        tracing::warn!(counts = left.tallies, programs = left.programs, "usage could not be reported before the end");
    }
}

/// Sends what was gathered; false when some of it is left.
async fn send(edge: &Edge, serving: &Serving) -> bool {
    let gathered = serving.usage.take();
    if gathered.is_empty() {
        return true;
    }
    let feeds: Vec<Arc<Feed>> = edge.all_feeds().into_iter().filter(|feed| !feed.lacks_secret()).collect();
    let Some(any) = feeds.first() else {
        serving.usage.put_back(gathered);
        return false;
    };
    let mut by_feed: BTreeMap<String, (Arc<Feed>, Vec<Piece>)> = BTreeMap::new();
    for (environment, project, piece) in pieces(edge, gathered) {
        let here = || feeds.iter().filter(|feed| environment.as_ref().is_none_or(|name| feed.environment == *name));
        let reaching =
            here().find(|feed| project.as_ref().is_none_or(|id| feed.reaches(Some(std::slice::from_ref(id)))));
        let feed = reaching.or_else(|| here().next()).unwrap_or(any);
        let entry = by_feed.entry(feed.digest.clone()).or_insert_with(|| (Arc::clone(feed), Vec::new()));
        entry.1.push(piece);
    }
    let mut is_all = true;
    for (feed, pieces) in by_feed.into_values() {
        is_all &= send_pieces(edge, serving, &feed, pieces).await;
    }
    is_all
}

/// Sends pieces with the token of a feed, as many at once as the upstream takes.
async fn send_pieces(edge: &Edge, serving: &Serving, feed: &Feed, pieces: Vec<Piece>) -> bool {
    let mut batches = batches(pieces);
    while let Some(batch) = batches.pop() {
        match edge.upstream.post("/api/client/metrics/bulk", Some(&feed.secret.0), body(&batch)).await {
            Ok(_) => {
                edge.counts.sent.fetch_add(1, Ordering::Relaxed);
            }
            Err(UpstreamError::Unfit) if batch.len() > 1 => {
                // One of them may be what it does not take: the others are no reason to lose.
                let mut first = batch;
                let second = first.split_off(first.len() / 2);
                batches.extend([second, first]);
            }
            Err(UpstreamError::Unfit) => {
                edge.counts.dropped.fetch_add(1, Ordering::Relaxed);
                tracing::warn!("the upstream does not take a report of usage, which is left out");
            }
            Err(error) => {
                edge.counts.failed.fetch_add(1, Ordering::Relaxed);
                tracing::warn!(%error, "usage cannot be reported; it is kept for later");
                if error == UpstreamError::Refused {
                    edge.doubt.notify_one();
                }
                for piece in batch.into_iter().chain(batches.into_iter().flatten()) {
                    serving.usage.put_back(piece.source);
                }
                return false;
            }
        }
    }
    true
}

/// Pieces, so many together as one report holds.
fn batches(pieces: Vec<Piece>) -> Vec<Vec<Piece>> {
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

fn body(batch: &[Piece]) -> Vec<u8> {
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
type Placed = (Option<String>, Option<String>, Piece);

/// The pieces of what was gathered.
fn pieces(edge: &Edge, gathered: Gathered) -> Vec<Placed> {
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
