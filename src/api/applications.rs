//! Programs that ask for features.

pub mod overview;
pub mod sdks;
pub mod unknown_flags;
pub mod usage;
pub mod usage_history;

use poem::web::Data;
use poem_openapi::{
    Object, OpenApi,
    param::{Path, Query},
};
use serde::Serialize;

use crate::{
    api::{
        Tag,
        answer::{
            ActRefusals, Done, DoneAccepted, Fails, LookupRefusals, Out, Paged, QueryRefusals, Stretch, WriteRefusals,
        },
        author::author,
        body::Body,
        caller::AuthenticatedCaller,
        parameter::{ListLimitParameter, OffsetParameter, SortOrderParameter, TextParameter, check_path_name},
        permitted::{Permitted, need},
    },
    changes::applications::{ApplicationContent, find},
    domain::{application::Application, filter::Page, time::Timestamp},
    state::State,
    store::{self, applications::Usage},
};

/// Most characters of an application's name.
const LONGEST_NAME: usize = 255;

/// The operations on applications.
#[derive(Debug)]
pub struct ApplicationsApi;

/// The operations in this folder and this file.
pub fn operations() -> impl OpenApi {
    (
        ApplicationsApi,
        overview::ApplicationOverviewApi,
        sdks::SdksApi,
        unknown_flags::UnknownFlagsApi,
        usage::FeatureUsageApi,
        usage_history::UsageHistoryApi,
    )
}

/// A program that evaluates features.
#[serde_with_macros::skip_serializing_none]
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "Application", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct ApplicationBody {
    /// Its unique name.
    pub app_name: String,
    /// Description. Absent when there is none.
    pub description: Option<String>,
    /// Link to more information. Absent when there is none.
    pub url: Option<String>,
    /// Display color. Absent when there is none.
    pub color: Option<String>,
    /// Icon. Absent when there is none.
    pub icon: Option<String>,
    /// Names of the strategy types that it supports, from its registration.
    pub strategies: Vec<String>,
    /// When it first registered.
    pub created_at: Timestamp,
    /// When it last reported.
    pub seen_at: Timestamp,
    /// The projects whose features it has reported, among those that the caller may see, by id.
    pub usage: Vec<ApplicationUsageBody>,
}

/// Features of a project that an application uses.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "ApplicationUsage")]
pub struct ApplicationUsageBody {
    /// Id of the project.
    pub project: String,
    /// Names of the environments in which it uses them, sorted.
    pub environments: Vec<String>,
}

/// A page of applications and the number of all that match.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "Applications")]
pub struct ApplicationsBody {
    /// The applications of this page, by name.
    pub applications: Vec<ApplicationBody>,
    /// Applications that match, on all pages.
    pub total: u64,
}

/// Description of an application.
#[derive(Debug, Object)]
#[oai(rename = "CreateApplication", rename_all = "camelCase")]
pub struct CreateApplicationBody {
    /// Description: at most 1000 characters. Absent leaves it as it is.
    #[oai(validator(max_length = 1000))]
    pub description: Option<String>,
    /// Link to more information: at most 2000 characters. Absent leaves it as it is.
    #[oai(validator(max_length = 2000))]
    pub url: Option<String>,
    /// Display color: at most 100 characters. Absent leaves it as it is.
    #[oai(validator(max_length = 100))]
    pub color: Option<String>,
    /// Icon: at most 2000 characters. Absent leaves it as it is.
    #[oai(validator(max_length = 2000))]
    pub icon: Option<String>,
    /// Names of the strategy types that it supports: at most 100. Absent leaves them as they are.
    #[oai(validator(max_items = 100, max_length = 100))]
    pub strategies: Option<Vec<String>>,
}

impl ApplicationBody {
    fn of(application: Application, usage: Usage) -> Self {
        let usage = usage.into_iter().map(|(project, environments)| ApplicationUsageBody {
            project,
            environments: environments.into_iter().collect(),
        });
        Self {
            app_name: application.name,
            description: application.description,
            url: application.url,
            color: application.color,
            icon: application.icon,
            strategies: application.strategies,
            created_at: application.created_at,
            seen_at: application.seen_at,
            usage: usage.collect(),
        }
    }
}

#[OpenApi(tag = "Tag::Applications")]
impl ApplicationsApi {
    /// List the applications
    ///
    /// The programs that have registered. Needs no permission; the list has applications that use features of projects
    /// that the caller may see, or whose token is for such a project. A caller who may see all projects gets all
    /// applications.
    #[oai(path = "/api/admin/metrics/applications", method = "get", operation_id = "getApplications")]
    async fn get_applications(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        /// Only applications whose name contains this text, case-insensitive. `%` and `_` are plain characters. Empty
        /// means any.
        query: Query<Option<TextParameter>>,
        /// Number of applications to skip. Anything but a whole number from 0 means 0.
        offset: Query<Option<OffsetParameter>>,
        /// Number of applications to return, at most 1000. Anything but a whole number from 1 means 1000.
        limit: Query<Option<ListLimitParameter>>,
        /// Sort direction by name: `asc`, the default, or `desc`.
        #[oai(name = "sortOrder")]
        sort_order: Query<Option<SortOrderParameter>>,
    ) -> Result<Paged<ApplicationsBody>, Fails<QueryRefusals>> {
        let limit = limit.0.and_then(|limit| limit.0).filter(|limit| *limit > 0).unwrap_or(Page::MAX_LIMIT);
        let page = Page::new(offset.0.and_then(|offset| offset.0), Some(limit));
        let part = query.0.map(|text| text.0).unwrap_or_default();
        let order = sort_order.0.map(|order| order.0).unwrap_or_default();
        let seen = caller.visibility().await?;
        let db = &state.db.heavy();
        let (found, total) = store::applications::list(db, &part, order, page, &seen).await?;
        let names: Vec<&str> = found.iter().map(|application| &*application.name).collect();
        let mut usage = store::applications::usage(db, &names, &seen).await?;
        let applications = found.into_iter().map(|application| {
            let usage = usage.remove(&application.name).unwrap_or_default();
            ApplicationBody::of(application, usage)
        });
        Ok(Paged(ApplicationsBody { applications: applications.collect(), total }, Stretch::of(page, total)))
    }

    /// Get an application
    ///
    /// Needs no permission.
    #[oai(path = "/api/admin/metrics/applications/:appName", method = "get", operation_id = "getApplication")]
    async fn get_application(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        #[oai(name = "appName")] app_name: Path<String>,
    ) -> Result<Out<ApplicationBody>, Fails<LookupRefusals>> {
        let seen = caller.visibility().await?;
        let application = find(&state.db, &caller, &app_name).await?;
        let mut usage = store::applications::usage(&state.db, &[&application.name], &seen).await?;
        let usage = usage.remove(&application.name).unwrap_or_default();
        Ok(Out(ApplicationBody::of(application, usage)))
    }

    /// Create or update an application
    ///
    /// Creates the application, which leaves an event, or updates the given properties of an existing one, which leaves
    /// none, since the API has no event type for it. An application that the caller may not see cannot be changed.
    #[oai(path = "/api/admin/metrics/applications/:appName", method = "post", operation_id = "createApplication")]
    async fn create_application(
        &self,
        caller: Permitted<need::UpdateApplication>,
        Data(state): Data<&State>,
        /// Name of the application: 1 to 255 characters.
        #[oai(name = "appName")]
        app_name: Path<String>,
        body: Body<CreateApplicationBody>,
    ) -> Result<DoneAccepted, Fails<WriteRefusals>> {
        let CreateApplicationBody { description, url, color, icon, strategies } = body.read()?;
        check_path_name("appName", &app_name, LONGEST_NAME)?;
        let content = ApplicationContent { description, url, color, icon, strategies };
        author(&caller, state).put_application(app_name.0, content).await?;
        Ok(DoneAccepted)
    }

    /// Delete an application
    ///
    /// Deletes the application and its instances; its reported usage of features stays. It is created again when it
    /// registers again. Leaves no event, since the API has no event type for it.
    #[oai(path = "/api/admin/metrics/applications/:appName", method = "delete", operation_id = "deleteApplication")]
    async fn delete_application(
        &self,
        caller: Permitted<need::UpdateApplication>,
        Data(state): Data<&State>,
        #[oai(name = "appName")] app_name: Path<String>,
    ) -> Result<Done, Fails<ActRefusals>> {
        author(&caller, state).delete_application(&app_name).await?;
        Ok(Done)
    }
}
