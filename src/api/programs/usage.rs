//! What programs report: that they run, and how often they evaluated features.

use std::collections::BTreeMap;

use poem::web::Data;
use poem_openapi::{Object, OpenApi};

use crate::{
    api::{
        Tag,
        answer::{DoneAccepted, Fails, WriteRefusals},
        body::Body,
        moment::Moment,
        programs::caller::{ClientCaller, ProgramCaller},
    },
    domain::{
        client_feature::ClientFilter,
        time::Timestamp,
        usage::{Tally, TallyKey, hour_of, is_name},
    },
    error::Error,
    sdk::Environment,
    state::Serving,
    usage::Introduction,
    wire::{AtMost, Count, Nullable},
};

/// The operations by which programs report.
#[derive(Debug)]
pub struct ClientUsageApi;

/// Registration of a program. Other properties are allowed and ignored.
#[derive(Debug, Clone, Object)]
#[oai(rename = "ClientApplication", rename_all = "camelCase", skip_serializing_if_is_none)]
pub struct ClientApplicationBody {
    /// Name of the application. One of more than 255 characters is discarded.
    #[oai(validator(min_length = 1, max_length = 10_000))]
    pub app_name: String,
    /// Unique name of this instance. Absent or `null`: instances are not distinguished.
    #[oai(validator(max_length = 10_000))]
    pub instance_id: Option<Nullable<String>>,
    /// Name of the environment. Used with an admin token only; a client token has its own.
    #[oai(validator(max_length = 10_000))]
    pub environment: Option<Nullable<String>>,
    /// Name and version of the SDK, such as `unleash-client-node:6.0.0`. Absent or `null`: unknown.
    #[oai(validator(max_length = 10_000))]
    pub sdk_version: Option<Nullable<String>>,
    /// Names of the strategy types that the program supports; the first 200 are stored. Absent or `null`: unknown.
    #[oai(validator(max_length = 10_000))]
    pub strategies: Option<Nullable<AtMost<10_000, String>>>,
    /// When the program started, as RFC 3339 or in milliseconds since 1970. Not stored.
    pub started: Option<Moment>,
    /// Milliseconds between two reports of the program. Not stored.
    pub interval: Option<Nullable<f64>>,
}

/// How often features were evaluated in a period. Other properties are allowed and ignored.
#[derive(Debug, Clone, Object)]
#[oai(rename = "ClientMetrics", rename_all = "camelCase", skip_serializing_if_is_none)]
pub struct ClientMetricsBody {
    /// Name of the application. Evaluations by one of more than 255 characters are discarded.
    #[oai(validator(min_length = 1, max_length = 10_000))]
    pub app_name: String,
    /// Name of the instance. Absent or `null`: instances are not distinguished.
    #[oai(validator(max_length = 10_000))]
    pub instance_id: Option<Nullable<String>>,
    /// Name of the environment. Used with an admin token only; a client token has its own.
    #[oai(validator(max_length = 10_000))]
    pub environment: Option<Nullable<String>>,
    /// Name and version of the SDK. Absent or `null`: unknown.
    #[oai(validator(max_length = 10_000))]
    pub sdk_version: Option<Nullable<String>>,
    /// The evaluations. Absent or `null`: there were none.
    pub bucket: Option<Nullable<MetricsBucketBody>>,
}

/// Evaluations in some time.
#[derive(Debug, Clone, Object)]
#[oai(rename = "MetricsBucket", rename_all = "camelCase", skip_serializing_if_is_none)]
pub struct MetricsBucketBody {
    /// When the counting started, as RFC 3339 or in milliseconds since 1970. The evaluations count for the hour of this
    /// time, or for the current hour when it is absent, more than a day ago or in the future.
    pub start: Option<Moment>,
    /// When the counting stopped. Not stored.
    pub stop: Option<Moment>,
    /// Evaluations by the name of the feature. Those of features that the token does not reach, or that do not exist or
    /// are archived, are discarded.
    pub toggles: BTreeMap<String, EvaluationsBody>,
}

/// Evaluations of one feature.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Evaluations", rename_all = "camelCase", skip_serializing_if_is_none)]
pub struct EvaluationsBody {
    /// How often it was on; larger numbers are reduced to 1000000000. Absent or `null` means 0.
    pub yes: Option<Nullable<Count>>,
    /// How often it was off; larger numbers are reduced to 1000000000. Absent or `null` means 0.
    pub no: Option<Nullable<Count>>,
    /// How often it gave each variant, by the variant's name; at most 100 variants are distinguished. Absent or `null`
    /// means never.
    pub variants: Option<Nullable<BTreeMap<String, Count>>>,
}

/// Usage that a proxy collected from programs.
#[derive(Debug, Clone, Object)]
#[oai(rename = "BulkMetrics", rename_all = "camelCase", skip_serializing_if_is_none)]
pub struct BulkMetricsBody {
    /// Programs that registered. Absent or `null` means none.
    pub applications: Option<Nullable<AtMost<50_000, ClientApplicationBody>>>,
    /// Evaluations. Absent or `null` means none.
    pub metrics: Option<Nullable<AtMost<50_000, BulkEvaluationsBody>>>,
    /// SHA-256 digests, in hexadecimal, of tokens that programs used at the proxy since its last report: this updates
    /// their last use. Absent or `null` means none.
    #[oai(validator(max_length = 64))]
    pub seen_tokens: Option<Nullable<AtMost<2000, String>>>,
}

/// Evaluations of one feature by one application, reported by a proxy.
#[derive(Debug, Clone, Object)]
#[oai(rename = "BulkEvaluations", rename_all = "camelCase", skip_serializing_if_is_none)]
pub struct BulkEvaluationsBody {
    /// Name of the feature. Reports about a feature that the token does not reach, or that does not exist or is
    /// archived, are discarded.
    #[oai(validator(max_length = 10_000))]
    pub feature_name: String,
    /// Name of the application.
    #[oai(validator(min_length = 1, max_length = 10_000))]
    pub app_name: String,
    /// Name of the environment. Used with an admin token only; a client token has its own.
    #[oai(validator(max_length = 10_000))]
    pub environment: Option<Nullable<String>>,
    /// When the counting started, as RFC 3339 or in milliseconds since 1970; assigned to an hour like `start` of a
    /// bucket.
    pub timestamp: Option<Moment>,
    /// How often it was on; larger numbers are reduced to 1000000000. Absent or `null` means 0.
    pub yes: Option<Nullable<Count>>,
    /// How often it was off; larger numbers are reduced to 1000000000. Absent or `null` means 0.
    pub no: Option<Nullable<Count>>,
    /// How often it resolved to each variant, by the variant's name. Absent or `null` means never.
    pub variants: Option<Nullable<BTreeMap<String, Count>>>,
}

#[OpenApi(tag = "Tag::Applications")]
impl ClientUsageApi {
    /// Register a program
    ///
    /// Registers the application and this instance of it. Accepted at once and stored within seconds; the first
    /// registration leaves an event of type `application-created`. Needs a client token or an admin token.
    #[oai(path = "/api/client/register", method = "post", operation_id = "registerClientApplication")]
    async fn register_client_application(
        &self,
        caller: ClientCaller,
        Data(state): Data<&Serving>,
        body: Body<ClientApplicationBody>,
    ) -> Result<DoneAccepted, Fails<WriteRefusals>> {
        introduce(state, &caller, body.read()?);
        Ok(DoneAccepted)
    }

    /// Report the usage of a program
    ///
    /// How often a program evaluated features. Accepted at once and stored within seconds, by the hour; updates usage
    /// counts, last-seen times and lifecycle stages of the features. Needs a client token or an admin token.
    #[oai(path = "/api/client/metrics", method = "post", operation_id = "registerClientMetrics")]
    async fn register_client_metrics(
        &self,
        caller: ClientCaller,
        Data(state): Data<&Serving>,
        body: Body<ClientMetricsBody>,
    ) -> Result<DoneAccepted, Fails<WriteRefusals>> {
        report(state, &caller, body.read()?).await?;
        Ok(DoneAccepted)
    }

    /// Report bulk usage from a proxy
    ///
    /// Registrations and evaluations of many programs, as if each had reported them itself. Needs a client token or an
    /// admin token.
    #[oai(path = "/api/client/metrics/bulk", method = "post", operation_id = "clientBulkMetrics")]
    async fn client_bulk_metrics(
        &self,
        caller: ClientCaller,
        Data(state): Data<&Serving>,
        body: Body<BulkMetricsBody>,
    ) -> Result<DoneAccepted, Fails<WriteRefusals>> {
        gather(state, &caller, body.read()?).await?;
        Ok(DoneAccepted)
    }
}

fn text(property: Option<Nullable<String>>) -> Option<String> {
    property.and_then(Nullable::into_inner).filter(|text| !text.is_empty())
}

fn listed<const MAX: usize, T>(property: Option<Nullable<AtMost<MAX, T>>>) -> Vec<T> {
    property.and_then(Nullable::into_inner).map(|list| list.0).unwrap_or_default()
}

fn count(property: Option<Nullable<Count>>) -> i64 {
    property.and_then(Nullable::into_inner).unwrap_or_default().0
}

fn tally(evaluations: EvaluationsBody) -> Tally {
    let variants = evaluations.variants.and_then(Nullable::into_inner).unwrap_or_default();
    let variants = variants.into_iter().map(|(name, count)| (name, count.0));
    Tally::of_report(count(evaluations.yes), count(evaluations.no), variants)
}

/// Takes in that a program runs.
pub(in crate::api) fn introduce<A>(state: &Serving, caller: &ProgramCaller<A>, body: ClientApplicationBody) {
    let introduction = Introduction {
        application: body.app_name,
        instance: text(body.instance_id),
        environment: caller.environment(text(body.environment).as_deref()),
        sdk_version: text(body.sdk_version),
        strategies: listed(body.strategies),
        token: caller.name().to_owned(),
        projects: caller.named_projects(),
    };
    state.usage.heard(introduction, state.clock.now());
}

/// Takes in how often a program evaluated features.
pub(in crate::api) async fn report<A>(
    state: &Serving,
    caller: &ProgramCaller<A>,
    body: ClientMetricsBody,
) -> Result<(), Error> {
    let bucket = body.bucket.and_then(Nullable::into_inner);
    let environment = caller.environment(text(body.environment).as_deref());
    state.usage.heard(
        Introduction {
            application: body.app_name.clone(),
            instance: text(body.instance_id),
            environment: environment.clone(),
            sdk_version: text(body.sdk_version),
            strategies: Vec::new(),
            token: caller.name().to_owned(),
            projects: caller.named_projects(),
        },
        state.clock.now(),
    );
    let Some(bucket) = bucket else { return Ok(()) };
    let place = Place::find(state, caller, &environment).await?;
    let start = bucket.start.unwrap_or_default();
    for (feature, evaluations) in bucket.toggles {
        place.count(&feature, &body.app_name, start, tally(evaluations));
    }
    Ok(())
}

/// Takes in what a proxy gathered.
pub(in crate::api) async fn gather(state: &Serving, caller: &ClientCaller, body: BulkMetricsBody) -> Result<(), Error> {
    for application in listed(body.applications) {
        introduce(state, caller, application);
    }
    let seen = listed(body.seen_tokens);
    if !seen.is_empty() {
        let now = state.clock.now();
        for id in state.source.numbers_of(&seen).await? {
            state.usage.used_token(id, now);
        }
    }
    let mut places: BTreeMap<String, Place<'_>> = BTreeMap::new();
    for told in listed(body.metrics) {
        let name = caller.environment(text(told.environment).as_deref());
        if !places.contains_key(&name) {
            if places.len() >= PLACES {
                continue;
            }
            let place = Place::find(state, caller, &name).await?;
            places.insert(name.clone(), place);
        }
        let Some(place) = places.get(&name) else { continue };
        place.heard(&told.app_name, caller);
        let evaluations = EvaluationsBody { yes: told.yes, no: told.no, variants: told.variants };
        let timestamp = told.timestamp.unwrap_or_default();
        place.count(&told.feature_name, &told.app_name, timestamp, tally(evaluations));
    }
    Ok(())
}

/// Most environments that one report may tell of.
const PLACES: usize = 100;

/// An environment in which a program evaluates features, and which of them it may report about.
struct Place<'a> {
    state: &'a Serving,
    environment: std::sync::Arc<Environment>,
    name: String,
    filter: ClientFilter,
    now: Timestamp,
}

impl<'a> Place<'a> {
    async fn find<A>(state: &'a Serving, caller: &ProgramCaller<A>, name: &str) -> Result<Self, Error> {
        let filter = caller.everything();
        let environment = state.source.environment(name).await?;
        Ok(Self { state, environment, name: name.to_owned(), filter, now: state.clock.now() })
    }

    fn heard(&self, application: &str, caller: &ClientCaller) {
        let introduction = Introduction {
            application: application.to_owned(),
            environment: self.name.clone(),
            token: caller.name().to_owned(),
            projects: caller.named_projects(),
            ..Introduction::default()
        };
        self.state.usage.heard(introduction, self.now);
    }

    fn count(&self, feature: &str, application: &str, at: Moment, tally: Tally) {
        if !is_name(application) || self.environment.find(feature, &self.filter).is_none() {
            return;
        }
        let key = TallyKey {
            feature: feature.to_owned(),
            application: application.to_owned(),
            environment: self.name.clone(),
            hour: hour_of(at.0, self.now),
        };
        self.state.usage.count(key, tally, self.now);
    }
}
