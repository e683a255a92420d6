//! Features that applications ask for and that do not exist.

use std::collections::{BTreeMap, BTreeSet};

use poem::web::Data;
use poem_openapi::{Object, OpenApi};
use serde::Serialize;

use crate::{
    api::{
        Tag,
        answer::{Fails, Out, ReadRefusals},
        caller::AuthenticatedCaller,
    },
    domain::time::Timestamp,
    state::State,
    store::programs::unknown_flags::{self, Seen},
    wire::Nullable,
};

/// Most names in one answer.
const NAMES: usize = 1000;

/// The operation on features that do not exist.
#[derive(Debug)]
pub struct UnknownFlagsApi;

/// Names of features that do not exist.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "UnknownFlagsList", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct UnknownFlagsBody {
    /// The names, at most 1000: those that applications asked for last first, then by name.
    pub unknown_flags: Vec<UnknownFlagBody>,
}

/// A name of a feature that does not exist, and who asks for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "UnknownFlag", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct UnknownFlagBody {
    /// The name, as applications spell it.
    pub name: String,
    /// When an application last reported it.
    pub last_seen_at: Timestamp,
    /// When the last event of a feature with this name was, such as that it was deleted; `null` for none that the
    /// caller may see.
    pub last_event_at: Nullable<Timestamp>,
    /// The applications, by name.
    pub reports: Vec<UnknownFlagReportBody>,
}

/// An application that asks for a feature that does not exist.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "UnknownFlagReport", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct UnknownFlagReportBody {
    /// Name of the application.
    pub app_name: String,
    /// The environments that it asks in, by name.
    pub environments: Vec<UnknownFlagEnvironmentBody>,
}

/// An environment in which an application asks for a feature that does not exist.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "UnknownFlagEnvironment", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct UnknownFlagEnvironmentBody {
    /// Name of the environment.
    pub environment: String,
    /// When the application last reported the name there.
    pub seen_at: Timestamp,
}

#[OpenApi(tag = "Tag::Applications")]
impl UnknownFlagsApi {
    /// List the unknown feature flags
    ///
    /// Names that applications reported evaluations of within the last seven days, and that are no feature in the
    /// projects of the token that they used: misspelt, deleted, or of another project. The server keeps at most 10000
    /// combinations of name, application, environment and projects; further ones are left out, and so are those of
    /// programs behind an edge of this server. A name is left out for callers who may not see everything that the token
    /// reaches. Needs no permission.
    #[oai(path = "/api/admin/metrics/unknown-flags", method = "get", operation_id = "getUnknownFlags")]
    async fn get_unknown_flags(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
    ) -> Result<Out<UnknownFlagsBody>, Fails<ReadRefusals>> {
        let visibility = caller.visibility().await?;
        let db = &state.db.heavy();
        let seen = unknown_flags::list(db, &visibility).await?;
        let names: BTreeSet<&str> = seen.iter().map(|seen| seen.flag.feature.as_str()).collect();
        let events = unknown_flags::last_events(db, &names, &visibility).await?;
        Ok(Out(UnknownFlagsBody { unknown_flags: by_name(seen, &events) }))
    }
}

/// Environments with the time of the last report, by application.
type Reports = BTreeMap<String, BTreeMap<String, Timestamp>>;

fn by_name(seen: Vec<Seen>, events: &BTreeMap<String, Timestamp>) -> Vec<UnknownFlagBody> {
    let mut by_name: BTreeMap<String, Reports> = BTreeMap::new();
    for Seen { flag, at } in seen {
        let environments = by_name.entry(flag.feature).or_default().entry(flag.application).or_default();
        let last = environments.entry(flag.environment).or_insert(at);
        *last = at.max(*last);
    }
    let mut flags: Vec<UnknownFlagBody> = by_name
        .into_iter()
        .map(|(name, reports)| UnknownFlagBody {
            last_seen_at: reports.values().flat_map(BTreeMap::values).copied().max().unwrap_or_default(),
            last_event_at: events.get(&name).copied().into(),
            reports: reports.into_iter().map(|(app_name, environments)| report(app_name, environments)).collect(),
            name,
        })
        .collect();
    flags.sort_by(|one, other| other.last_seen_at.cmp(&one.last_seen_at).then_with(|| one.name.cmp(&other.name)));
    flags.truncate(NAMES);
    flags
}

fn report(app_name: String, environments: BTreeMap<String, Timestamp>) -> UnknownFlagReportBody {
    let environments =
        environments.into_iter().map(|(environment, seen_at)| UnknownFlagEnvironmentBody { environment, seen_at });
    UnknownFlagReportBody { app_name, environments: environments.collect() }
}
