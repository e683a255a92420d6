//! Users and makers of a project's features.

use std::collections::{BTreeMap, BTreeSet};

use poem::web::Data;
use poem_openapi::{
    Object, OpenApi,
    param::{Path, Query},
};
use serde::Serialize;

use crate::{
    api::{
        Tag,
        answer::{Fails, LookupRefusals, Out, Paged, Stretch},
        caller::AuthenticatedCaller,
        parameter::{LimitParameter, OffsetParameter, SortOrderParameter, TextParameter},
    },
    domain::{
        event_filter::fold_case,
        filter::{Page, SortOrder},
        sdk::Sdk,
    },
    state::State,
    store::{
        features::figures::FeaturesOf,
        projects::usage::{self, Instance},
    },
};

/// Users and makers of a project's features.
#[derive(Debug)]
pub struct ProjectUsageApi;

/// An SDK that an application uses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "ProjectApplicationSdk")]
pub struct SdkBody {
    /// Name of the SDK.
    pub name: String,
    /// Its versions, sorted as texts.
    pub versions: Vec<String>,
}

/// An application that uses features of a project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "ProjectApplication")]
pub struct ProjectApplicationBody {
    /// Name of the application, as it reported.
    pub name: String,
    /// Names of the environments that it runs in, sorted.
    pub environments: Vec<String>,
    /// Names of its instances, sorted.
    pub instances: Vec<String>,
    /// The SDKs that it uses, by name.
    pub sdks: Vec<SdkBody>,
}

/// A page of the applications that use features of a project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "ProjectApplications")]
pub struct ProjectApplicationsBody {
    /// Total number on all pages.
    #[oai(validator(minimum(value = "0")))]
    pub total: i64,
    /// The applications of the page, by name.
    pub applications: Vec<ProjectApplicationBody>,
}

/// A user who created a feature of a project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "ProjectFlagCreator")]
pub struct FlagCreatorBody {
    /// Id of the user.
    pub id: i64,
    /// Display name.
    pub name: String,
}

impl From<usage::Maker> for FlagCreatorBody {
    fn from(maker: usage::Maker) -> Self {
        Self { id: maker.id, name: maker.name }
    }
}

/// An SDK that is behind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "OutdatedSdk", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct OutdatedSdkBody {
    /// Name and version of the SDK, with `:` between them.
    pub sdk_version: String,
    /// Names of the applications that use it, sorted.
    pub applications: Vec<String>,
}

/// SDKs that are behind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "OutdatedSdks")]
pub struct OutdatedSdksBody {
    /// The SDKs, by name and version.
    pub sdks: Vec<OutdatedSdkBody>,
}

impl OutdatedSdksBody {
    /// Returns the outdated SDKs of pairs of SDK and application.
    pub fn of(pairs: Vec<(String, String)>) -> Self {
        let mut sdks: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (sdk, application) in pairs {
            if Sdk::parse(&sdk).is_outdated() {
                sdks.entry(sdk).or_default().push(application);
            }
        }
        let sdks = sdks.into_iter().map(|(sdk_version, applications)| OutdatedSdkBody { sdk_version, applications });
        Self { sdks: sdks.collect() }
    }
}

#[OpenApi(tag = "Tag::Projects")]
impl ProjectUsageApi {
    /// List the applications of a project
    ///
    /// The registered applications that reported usage of a feature of the project, with their instances in all
    /// environments. Needs no permission but to see the project.
    #[oai(
        path = "/api/admin/projects/:projectId/applications",
        method = "get",
        operation_id = "getProjectApplications"
    )]
    #[expect(clippy::too_many_arguments, reason = "each query parameter is one")]
    async fn get_project_applications(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        /// Part of the application's name, case-insensitive. Absent or empty: all of them.
        query: Query<Option<TextParameter>>,
        /// Number of applications to skip. Absent, or no whole number: none.
        offset: Query<Option<OffsetParameter>>,
        /// Number of applications on the page, at most 1000. Absent, zero, or no whole number: 50.
        limit: Query<Option<LimitParameter>>,
        /// Sort direction of the names. Absent: `asc`.
        #[oai(name = "sortOrder")]
        sort_order: Query<Option<SortOrderParameter>>,
    ) -> Result<Paged<ProjectApplicationsBody>, Fails<LookupRefusals>> {
        let project = caller.visible_project(&project_id).await?;
        let db = &state.db.heavy();
        let mut names = usage::applications(db, project.id()).await?;
        if let Some(part) = query.0.map(|part| fold_case(&part.0)) {
            names.retain(|name| fold_case(name).contains(&part));
        }
        if sort_order.0.is_some_and(|order| order.0 == SortOrder::Descending) {
            names.reverse();
        }
        let total = i64::try_from(names.len()).unwrap_or(i64::MAX);
        let count = names.len() as u64;
        let page = Page::new(offset.0.and_then(|offset| offset.0), limit.0.and_then(|limit| limit.0));
        let stretch = Stretch::of(page, count);
        let names = page.of(names);
        let mut instances: BTreeMap<String, Vec<Instance>> = BTreeMap::new();
        for instance in usage::instances(db, &names).await? {
            instances.entry(instance.app_name.clone()).or_default().push(instance);
        }
        let application = |name: String| {
            let instances = instances.remove(&name).unwrap_or_default();
            application(name, &instances)
        };
        let applications = names.into_iter().map(application).collect();
        Ok(Paged(ProjectApplicationsBody { total, applications }, stretch))
    }

    /// List the creators of a project's features
    ///
    /// Everybody who created one of its features, including archived ones, by name, then id. Needs no permission but to
    /// see the project.
    #[oai(
        path = "/api/admin/projects/:projectId/flag-creators",
        method = "get",
        operation_id = "getProjectFlagCreators"
    )]
    async fn get_project_flag_creators(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
    ) -> Result<Out<Vec<FlagCreatorBody>>, Fails<LookupRefusals>> {
        let project = caller.visible_project(&project_id).await?;
        let makers = usage::makers(&state.db.heavy(), FeaturesOf::Project(project.id())).await?;
        Ok(Out(makers.into_iter().map(FlagCreatorBody::from).collect()))
    }

    /// List the outdated SDKs of a project
    ///
    /// SDKs older than the version that this server recommends, with the applications of the project that use them.
    /// SDKs that the server does not know are never listed. Needs no permission but to see the project.
    #[oai(
        path = "/api/admin/projects/:projectId/sdks/outdated",
        method = "get",
        operation_id = "getOutdatedProjectSdks"
    )]
    async fn get_outdated_project_sdks(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
    ) -> Result<Out<OutdatedSdksBody>, Fails<LookupRefusals>> {
        let project = caller.visible_project(&project_id).await?;
        Ok(Out(OutdatedSdksBody::of(usage::sdks(&state.db.heavy(), project.id()).await?)))
    }
}

fn application(name: String, instances: &[Instance]) -> ProjectApplicationBody {
    let sorted = |part: fn(&Instance) -> &String| {
        let parts: BTreeSet<&String> = instances.iter().map(part).collect();
        parts.into_iter().cloned().collect()
    };
    let mut sdks: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for sdk in instances.iter().filter_map(|instance| instance.sdk_version.as_deref()).map(Sdk::parse) {
        sdks.entry(sdk.name).or_default().extend((!sdk.version.is_empty()).then_some(sdk.version));
    }
    let sdk = |(name, versions): (&str, BTreeSet<&str>)| SdkBody {
        name: name.to_owned(),
        versions: versions.into_iter().map(str::to_owned).collect(),
    };
    ProjectApplicationBody {
        name,
        environments: sorted(|instance| &instance.environment),
        instances: sorted(|instance| &instance.instance_id),
        sdks: sdks.into_iter().map(sdk).collect(),
    }
}
