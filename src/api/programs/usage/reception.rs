//! Reports on their way in: judged entry by entry, and taken in at once or not at all.

use std::{collections::BTreeMap, sync::Arc};

use poem::Request;
use serde_json::Value;

use super::{
    BulkEvaluationsBody, BulkMetricsBody, ClientApplicationBody, ClientMetricsBody, EvaluationsBody, ReportedText,
};
use crate::{
    api::{
        body::{
            Body,
            sifting::{sift, sift_within},
        },
        client_address,
        http::Asker,
        parameter::ReportKeyParameter,
        programs::caller::{ClientCaller, ProgramCaller},
    },
    domain::{
        client_feature::ClientFilter,
        ids::{EnvironmentName, FeatureName},
        left_out::LeftOut,
        secret,
        time::{DAY_MS, Timestamp},
        unknown_flag::{Asked, UnknownFlag},
        usage::{Tally, TallyKey, hour_of, is_name},
    },
    error::Error,
    sdk::Environment,
    state::Serving,
    telemetry::{self, LogDecision},
    usage::{Introduction, ReportId, WhyLeftOut},
    wire::{AtMost, Count, Nullable},
};

/// Most environments in one report.
const PLACES: usize = 100;
/// Milliseconds in one minute.
const MINUTE_MS: i64 = 60_000;
/// Time for which a report without a key is recognised, in milliseconds: longer than Unleash Edge tries again with what
/// it has at hand, and less than the minute between two of its reports.
const REPEATED_MS: i64 = 50_000;

/// Takes in that a program runs.
pub(in crate::api) fn introduce<A>(
    state: &Serving,
    caller: &ProgramCaller<A>,
    request: &Request,
    body: Body<ClientApplicationBody>,
) -> Result<(), Error> {
    let (body, left_out) =
        body.read_sifted(|body, left_out| sift::<ReportedText>(body, "/body", "strategies", left_out))?;
    let environment = caller.environment(text(body.environment.clone()).as_deref());
    state.usage.heard(introduction(caller, body, environment), state.clock.now());
    tell(state, request, left_out, LeftOut::default());
    Ok(())
}

/// Takes in how often a program evaluated features.
pub(in crate::api) async fn report<A>(
    state: &Serving,
    caller: &ProgramCaller<A>,
    request: &Request,
    body: Body<ClientMetricsBody>,
) -> Result<(), Error> {
    let (body, left_out) = body.read_sifted(|body, left_out| {
        let Some(bucket) = body.get_mut("bucket") else { return };
        sift_within::<EvaluationsBody>(bucket, "/body/bucket", "toggles", left_out, sift_variants);
    })?;
    let environment = caller.environment(text(body.environment).as_deref());
    let bucket = body.bucket.and_then(Nullable::into_inner);
    let place = match &bucket {
        Some(_) => Some(Place::find(state, caller, &environment).await?),
        None => None,
    };
    let introduction = Introduction {
        instance: text(body.instance_id),
        sdk_version: text(body.sdk_version),
        ..evaluating(caller, &body.app_name, EnvironmentName::new(&environment))
    };
    state.usage.heard(introduction, state.clock.now());
    for (place, bucket) in place.iter().zip(bucket) {
        let start = bucket.start.unwrap_or_default();
        for (feature, evaluations) in &bucket.toggles {
            if let Some(key) = place.key(FeatureName::new(feature), &body.app_name, start.0) {
                state.usage.count(key, tally(evaluations), place.now);
            }
        }
    }
    tell(state, request, left_out, LeftOut::default());
    Ok(())
}

/// Takes in what a proxy gathered. Whatever can fail is done first, so that a report that is refused has not been counted
/// in part.
pub(in crate::api) async fn gather(
    state: &Serving,
    caller: &ClientCaller,
    request: &Request,
    key: Option<ReportKeyParameter>,
    body: Body<BulkMetricsBody>,
) -> Result<(), Error> {
    let (body, left_out) = body.read_sifted(sift_bulk)?;
    let mut elsewhere = LeftOut::default();
    let digests: Vec<String> =
        listed(body.seen_tokens).iter().map(|seen| secret::digest_of_seen(seen.as_str())).collect();
    let seen = if digests.is_empty() { Vec::new() } else { state.source.numbers_of(&digests).await? };
    let mut places: BTreeMap<String, Place<'_>> = BTreeMap::new();
    let mut metrics: Vec<(String, BulkEvaluationsBody)> = Vec::new();
    for (index, told) in listed(body.metrics).into_iter().enumerate() {
        let name = caller.reported_environment(text(told.environment.clone()).as_deref());
        let Some(name) = name.filter(|name| places.contains_key(name) || places.len() < PLACES) else {
            elsewhere.note(|| format!("/body/metrics/{index} is about another environment than the token's."));
            continue;
        };
        if !places.contains_key(&name) {
            places.insert(name.clone(), Place::find(state, caller, &name).await?);
        }
        metrics.push((name, told));
    }
    let now = state.clock.now();
    for (index, application) in listed(body.applications).into_iter().enumerate() {
        match caller.reported_environment(text(application.environment.clone()).as_deref()) {
            Some(environment) => state.usage.heard(introduction(caller, application, environment), now),
            None => {
                elsewhere.note(|| format!("/body/applications/{index} is about another environment than the token's."));
            }
        }
    }
    for id in seen {
        state.usage.used_token(id, now);
    }
    let id = report_id(caller, request, key, &metrics);
    let mut counted: Vec<(TallyKey, Tally)> = Vec::new();
    for (name, told) in metrics {
        let Some(place) = places.get(&name) else { continue };
        state.usage.heard(evaluating(caller, &told.app_name, EnvironmentName::new(&name)), now);
        if let Some(key) = place.key(FeatureName::new(&told.feature_name), &told.app_name, started(&told)) {
            let evaluations = EvaluationsBody { yes: told.yes, no: told.no, variants: told.variants };
            counted.push((key, tally(&evaluations)));
        }
    }
    state.usage.count_report(id, counted, now);
    tell(state, request, left_out, elsewhere);
    Ok(())
}

/// Id by which a report is recognised when it is sent again because its answer was lost: from the key that it was
/// given, or from its contents. The latter takes for a repetition only a report that a proxy sends again within
/// seconds. Programs that count from whole minutes or hours may report the same twice and mean it twice: such reports
/// are all counted.
fn report_id(
    caller: &ClientCaller,
    request: &Request,
    key: Option<ReportKeyParameter>,
    metrics: &[(String, BulkEvaluationsBody)],
) -> Option<ReportId> {
    let id = |kind: &str, told: &str| secret::digest(&format!("{kind} {} {told}", caller.digest()));
    if let Some(ReportKeyParameter(key)) = key.filter(|key| !key.0.is_empty()) {
        return Some(ReportId { id: id("key", &key), lasts_ms: DAY_MS });
    }
    let is_exact = |at: Timestamp| at.millis() % MINUTE_MS != 0;
    if !metrics.iter().any(|(_, told)| started(told).is_some_and(is_exact)) {
        return None;
    }
    let mut lines: Vec<String> = metrics
        .iter()
        .map(|(environment, told)| {
            let variants = told.variants.as_ref().and_then(|variants| variants.0.as_ref());
            let counts = [count(told.yes.as_ref()), count(told.no.as_ref())];
            let started = started(told).map(Timestamp::millis);
            let variants = variants.into_iter().flatten().map(|(name, count)| (name, count.0));
            let line = (&told.feature_name, &told.app_name, environment, started, counts, variants.collect::<Vec<_>>());
            serde_json::to_string(&line).expect("texts and numbers")
        })
        .collect();
    lines.sort_unstable();
    let address = client_address::of(request).ip();
    Some(ReportId { id: id("told", &format!("{address:?} {}", lines.join("\n"))), lasts_ms: REPEATED_MS })
}

fn started(told: &BulkEvaluationsBody) -> Option<Timestamp> {
    told.timestamp.unwrap_or_default().0
}

/// Leaves out of a bulk report what does not fit.
fn sift_bulk(body: &mut Value, left_out: &mut LeftOut) {
    sift_within::<ClientApplicationBody>(body, "/body", "applications", left_out, |application, at, left_out| {
        sift::<ReportedText>(application, at, "strategies", left_out);
    });
    sift_within::<BulkEvaluationsBody>(body, "/body", "metrics", left_out, sift_variants);
    sift::<ReportedText>(body, "/body", "seenTokens", left_out);
}

fn sift_variants(evaluations: &mut Value, at: &str, left_out: &mut LeftOut) {
    sift::<Count>(evaluations, at, "variants", left_out);
}

/// Counts the entries that were left out, and logs them. An edge reports the applications of all environments to each,
/// so that entries about another one only appear in the line of the request.
pub(in crate::api) fn tell(state: &Serving, request: &Request, unfit: LeftOut, elsewhere: LeftOut) {
    state.usage.left_out(WhyLeftOut::Unfit, unfit.count);
    state.usage.left_out(WhyLeftOut::Environment, elsewhere.count);
    if let Some(words) = unfit.words()
        && let LogDecision::Usual(silent) = telemetry::tell_refusal("entries of reports")
    {
        let silent = (silent > 0).then_some(silent);
        tracing::info!(left_out = words, more_reports = silent, "entries of a report were left out");
    }
    let mut all = unfit;
    all.add(elsewhere);
    if let Some(words) = all.words() {
        Asker::note_left_out(request, words);
    }
}

fn text(property: Option<Nullable<String>>) -> Option<String> {
    property.and_then(Nullable::into_inner).filter(|text| !text.is_empty())
}

fn listed<const MAX: usize, T>(property: Option<Nullable<AtMost<MAX, T>>>) -> Vec<T> {
    property.and_then(Nullable::into_inner).map(|list| list.0).unwrap_or_default()
}

fn count(property: Option<&Nullable<Count>>) -> i64 {
    property.and_then(|count| count.0).unwrap_or_default().0
}

fn tally(evaluations: &EvaluationsBody) -> Tally {
    let variants = evaluations.variants.iter().filter_map(|variants| variants.0.as_ref()).flatten();
    let variants = variants.map(|(name, count)| (name.clone(), count.0));
    Tally::of_report(count(evaluations.yes.as_ref()), count(evaluations.no.as_ref()), variants)
}

fn introduction<A>(caller: &ProgramCaller<A>, body: ClientApplicationBody, environment: String) -> Introduction {
    Introduction {
        application: body.app_name,
        instance: text(body.instance_id),
        environment,
        sdk_version: text(body.sdk_version),
        strategies: listed(body.strategies).iter().map(|name| name.as_str().to_owned()).collect(),
        token: caller.name().to_owned(),
        projects: caller.named_projects(),
    }
}

/// Description of an application that evaluated features.
fn evaluating<A>(caller: &ProgramCaller<A>, application: &str, environment: EnvironmentName<'_>) -> Introduction {
    Introduction {
        application: application.to_owned(),
        environment: environment.as_str().to_owned(),
        token: caller.name().to_owned(),
        projects: caller.named_projects(),
        ..Introduction::default()
    }
}

/// An environment in which a program evaluates features, and which of them it may report about.
struct Place<'a> {
    state: &'a Serving,
    environment: Arc<Environment>,
    name: String,
    filter: ClientFilter,
    asked: Asked,
    now: Timestamp,
}

impl<'a> Place<'a> {
    async fn find<A>(state: &'a Serving, caller: &ProgramCaller<A>, name: &str) -> Result<Self, Error> {
        let filter = caller.everything();
        let environment = state.source.environment(name).await?;
        let asked = Asked::of_token(caller.named_projects());
        Ok(Self { state, environment, name: name.to_owned(), filter, asked, now: state.clock.now() })
    }

    fn missed(&self, feature: FeatureName<'_>, application: &str) -> UnknownFlag {
        UnknownFlag {
            feature: feature.as_str().to_owned(),
            application: application.to_owned(),
            environment: self.name.clone(),
            asked: self.asked.clone(),
        }
    }

    /// Key under which evaluations count, unless they do not.
    fn key(&self, feature: FeatureName<'_>, application: &str, at: Option<Timestamp>) -> Option<TallyKey> {
        if !is_name(application) {
            self.state.usage.left_out(WhyLeftOut::Unfit, 1);
            return None;
        }
        if self.environment.find(feature.as_str(), &self.filter).is_none() {
            self.state.usage.left_out(WhyLeftOut::Feature, 1);
            self.state.usage.missed(self.missed(feature, application), self.now);
            return None;
        }
        Some(TallyKey {
            feature: feature.as_str().to_owned(),
            application: application.to_owned(),
            environment: self.name.clone(),
            hour: hour_of(at, self.now),
        })
    }
}
