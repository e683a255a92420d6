//! Reports of programs: their registrations, and how often they evaluated features.

mod reception;

use std::collections::BTreeMap;

use poem::{Request, web::Data};
use poem_openapi::{Object, OpenApi, param::Header, registry::MetaSchema};

pub(in crate::api) use self::reception::{gather, introduce, report, tell};
use crate::{
    api::{
        Tag,
        answer::{DoneAccepted, Fails, WriteRefusals},
        body::Body,
        moment::Moment,
        parameter::ReportKeyParameter,
        programs::caller::ClientCaller,
    },
    state::Serving,
    wire::{AtMost, Count, Nullable, Shape, ShapedText},
};

/// The operations by which programs report.
#[derive(Debug)]
pub struct ClientUsageApi;

/// A text that programs report in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportedShape;

impl Shape for ReportedShape {
    const NAME: &'static str = "string(reported)";

    fn schema() -> MetaSchema {
        MetaSchema { max_length: Some(10_000), ..MetaSchema::new("string") }
    }
}

/// A text that programs report in a list.
pub type ReportedText = ShapedText<ReportedShape>;

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
    /// Name of the environment. Used with an admin token only; a client token has its own, and an entry of a bulk report
    /// about another one is left out.
    #[oai(validator(max_length = 10_000))]
    pub environment: Option<Nullable<String>>,
    /// Name and version of the SDK, such as `unleash-client-node:6.0.0`. Absent or `null`: unknown.
    #[oai(validator(max_length = 10_000))]
    pub sdk_version: Option<Nullable<String>>,
    /// Names of the strategy types that the program supports; the first 200 are stored, and entries that are no names are
    /// left out. Absent or `null`: unknown.
    pub strategies: Option<Nullable<AtMost<10_000, ReportedText>>>,
    /// When the program started, as RFC 3339 or in milliseconds since 1970. Not stored.
    pub started: Option<Moment>,
    /// Milliseconds between two reports of the program. Not stored.
    pub interval: Option<Nullable<f64>>,
}

/// Numbers of evaluations of features in a period. Other properties are allowed and ignored.
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
    /// are archived, are discarded, as are entries that do not fit their schema.
    pub toggles: BTreeMap<String, EvaluationsBody>,
}

/// Evaluations of one feature.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Evaluations", rename_all = "camelCase", skip_serializing_if_is_none)]
pub struct EvaluationsBody {
    /// Number of times it was on; larger numbers are reduced to 1000000000. Absent or `null` means 0.
    pub yes: Option<Nullable<Count>>,
    /// Number of times it was off; larger numbers are reduced to 1000000000. Absent or `null` means 0.
    pub no: Option<Nullable<Count>>,
    /// Number of times it gave each variant, by the variant's name; at most 100 variants are distinguished. Absent or
    /// `null` means never.
    pub variants: Option<Nullable<BTreeMap<String, Count>>>,
}

/// Usage that a proxy collected from programs. Each entry of a list is judged for itself: those that do not fit their
/// schema are left out, as are those about another environment than the token's; metrics count both.
#[derive(Debug, Clone, Object)]
#[oai(rename = "BulkMetrics", rename_all = "camelCase", skip_serializing_if_is_none)]
pub struct BulkMetricsBody {
    /// Programs that registered. Absent or `null` means none.
    pub applications: Option<Nullable<AtMost<50_000, ClientApplicationBody>>>,
    /// Evaluations. Absent or `null` means none.
    pub metrics: Option<Nullable<AtMost<50_000, BulkEvaluationsBody>>>,
    /// Tokens that programs used at the proxy since its last report: their SHA-256 digests in hexadecimal, or the full
    /// secrets, which are not stored. This updates their last use. Absent or `null` means none.
    pub seen_tokens: Option<Nullable<AtMost<10_000, ReportedText>>>,
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
    /// Name of the environment. With a client token, an entry about another environment than the token's is left out.
    #[oai(validator(max_length = 10_000))]
    pub environment: Option<Nullable<String>>,
    /// When the counting started, as RFC 3339 or in milliseconds since 1970; assigned to an hour like `start` of a
    /// bucket.
    pub timestamp: Option<Moment>,
    /// Number of times it was on; larger numbers are reduced to 1000000000. Absent or `null` means 0.
    pub yes: Option<Nullable<Count>>,
    /// Number of times it was off; larger numbers are reduced to 1000000000. Absent or `null` means 0.
    pub no: Option<Nullable<Count>>,
    /// Number of times it resolved to each variant, by the variant's name. Absent or `null` means never.
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
        request: &Request,
        body: Body<ClientApplicationBody>,
    ) -> Result<DoneAccepted, Fails<WriteRefusals>> {
        introduce(state, &caller, request, body)?;
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
        request: &Request,
        body: Body<ClientMetricsBody>,
    ) -> Result<DoneAccepted, Fails<WriteRefusals>> {
        report(state, &caller, request, body).await?;
        Ok(DoneAccepted)
    }

    /// Report bulk usage from a proxy
    ///
    /// Registrations and evaluations of many programs, as if each had reported them itself. A report that comes again
    /// because its answer was lost is counted once if it has an `Idempotency-Key`; without one, if it comes within 50
    /// seconds from the same address, with the same evaluations in periods that do not all start with a whole minute.
    /// Needs a client token or an admin token.
    #[oai(path = "/api/client/metrics/bulk", method = "post", operation_id = "clientBulkMetrics")]
    async fn client_bulk_metrics(
        &self,
        caller: ClientCaller,
        Data(state): Data<&Serving>,
        request: &Request,
        /// A text that no other report with this token has: a report that comes again with it within a day is counted
        /// once.
        #[oai(name = "Idempotency-Key")]
        key: Header<Option<ReportKeyParameter>>,
        body: Body<BulkMetricsBody>,
    ) -> Result<DoneAccepted, Fails<WriteRefusals>> {
        gather(state, &caller, request, key.0, body).await?;
        Ok(DoneAccepted)
    }
}
