//! Overview of an application: its environments, and problems with the features that it asks for.

use std::collections::BTreeSet;

use poem::web::Data;
use poem_openapi::{Object, OpenApi, param::Path};
use serde::Serialize;

use crate::{
    api::{
        Tag,
        answer::{Fails, LookupRefusals, Out},
        caller::AuthenticatedCaller,
    },
    changes::applications::find,
    domain::{ids::EnvironmentName, sdk, time::Timestamp},
    state::State,
    store::{
        self,
        applications::overview::{Instance, Place},
    },
    wire::Nullable,
};

/// The operations on the running copies of applications.
#[derive(Debug)]
pub struct ApplicationOverviewApi;

/// Environments of an application, and problems found.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "ApplicationOverview", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct ApplicationOverviewBody {
    /// Ids of the projects whose features it uses, sorted.
    pub projects: Vec<String>,
    /// Features that it uses.
    pub feature_count: i64,
    /// The environments in which it runs or uses features, by name.
    pub environments: Vec<ApplicationEnvironmentBody>,
    /// Problems in any environment.
    pub issues: ApplicationIssuesBody,
}

/// An application in one environment.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "ApplicationEnvironment", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct ApplicationEnvironmentBody {
    /// Name of the environment.
    pub name: String,
    /// Instances that have registered.
    pub instance_count: i64,
    /// Names and versions of their SDKs, sorted.
    pub sdks: Vec<String>,
    /// SDKs that run on the user's device.
    pub frontend_sdks: Vec<String>,
    /// SDKs that run on servers.
    pub backend_sdks: Vec<String>,
    /// When an instance last reported; `null` when none has registered.
    pub last_seen: Nullable<Timestamp>,
    /// Problems found there.
    pub issues: ApplicationEnvironmentIssuesBody,
}

/// Problems of an application in an environment.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "ApplicationEnvironmentIssues", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct ApplicationEnvironmentIssuesBody {
    /// Names of features that it evaluates and that do not exist, sorted.
    pub missing_features: Vec<String>,
    /// SDKs of which there is a newer version. Always empty, since the server does not look up SDK versions.
    pub outdated_sdks: Vec<String>,
}

/// Problems of an application.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "ApplicationIssues", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct ApplicationIssuesBody {
    /// Names of strategy types that it supports and that do not exist here.
    pub missing_strategies: Vec<String>,
}

/// The instances of an application.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "ApplicationInstances")]
pub struct ApplicationInstancesBody {
    /// The instances, the most recently reported first: at most 1000.
    pub instances: Vec<ApplicationInstanceBody>,
}

/// An instance (running copy) of an application.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "ApplicationInstance", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct ApplicationInstanceBody {
    /// Id that it gave itself.
    pub instance_id: String,
    /// Name and version of its SDK; `null` when unknown.
    pub sdk_version: Nullable<String>,
    /// When it last reported.
    pub last_seen: Timestamp,
}

impl From<Instance> for ApplicationInstanceBody {
    fn from(instance: Instance) -> Self {
        Self { instance_id: instance.id, sdk_version: instance.sdk_version.into(), last_seen: instance.last_seen_at }
    }
}

impl ApplicationEnvironmentBody {
    fn of(name: String, place: Place, missing_features: Vec<String>) -> Self {
        let (frontend_sdks, backend_sdks) = place.sdks.iter().cloned().partition(|name| sdk::is_frontend(name));
        Self {
            name,
            instance_count: place.instances,
            sdks: place.sdks.into_iter().collect(),
            frontend_sdks,
            backend_sdks,
            last_seen: place.last_seen_at.into(),
            issues: ApplicationEnvironmentIssuesBody { missing_features, outdated_sdks: Vec::new() },
        }
    }
}

#[OpenApi(tag = "Tag::Applications")]
impl ApplicationOverviewApi {
    /// Get an application's overview
    ///
    /// Where the application runs, what it uses, and problems found. Features of projects that the caller may not see
    /// are not counted. Needs no permission.
    #[oai(
        path = "/api/admin/metrics/applications/:appName/overview",
        method = "get",
        operation_id = "getApplicationOverview"
    )]
    async fn get_application_overview(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        #[oai(name = "appName")] app_name: Path<String>,
    ) -> Result<Out<ApplicationOverviewBody>, Fails<LookupRefusals>> {
        let application = find(&state.db, &caller, &app_name).await?;
        let seen = caller.visibility().await?;
        let db = &state.db.heavy();
        let mut places = store::applications::overview::places(db, &app_name).await?;
        let asked = store::applications::overview::asked(db, &app_name, &seen).await?;
        for one in &asked {
            places.entry(one.environment.clone()).or_default();
        }
        let missing = |environment: &str| {
            let there = asked.iter().filter(|one| one.environment == environment && one.project.is_none());
            there.map(|one| one.feature.clone()).collect()
        };
        let projects: BTreeSet<&String> = asked.iter().filter_map(|one| one.project.as_ref()).collect();
        let known = asked.iter().filter(|one| one.project.is_some());
        let features: BTreeSet<&String> = known.map(|one| &one.feature).collect();
        let missing_strategies = store::applications::overview::missing_strategies(db, &application.strategies).await?;
        let environments = places.into_iter().map(|(name, place)| {
            let missing = missing(&name);
            ApplicationEnvironmentBody::of(name, place, missing)
        });
        Ok(Out(ApplicationOverviewBody {
            environments: environments.collect(),
            projects: projects.into_iter().cloned().collect(),
            feature_count: i64::try_from(features.len()).unwrap_or(i64::MAX),
            issues: ApplicationIssuesBody { missing_strategies },
        }))
    }

    /// List the instances of an application in an environment
    ///
    /// Needs no permission.
    #[oai(
        path = "/api/admin/metrics/instances/:appName/environment/:environment",
        method = "get",
        operation_id = "getApplicationEnvironmentInstances"
    )]
    async fn get_application_environment_instances(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        #[oai(name = "appName")] app_name: Path<String>,
        environment: Path<String>,
    ) -> Result<Out<ApplicationInstancesBody>, Fails<LookupRefusals>> {
        find(&state.db, &caller, &app_name).await?;
        let (db, environment) = (state.db.heavy(), EnvironmentName::new(&environment));
        let found = store::applications::overview::instances(&db, &app_name, environment).await?;
        Ok(Out(ApplicationInstancesBody { instances: found.into_iter().map(Into::into).collect() }))
    }
}
