//! Programs that ask for features.

pub mod overview;
pub mod usage;

use poem::web::Data;
use poem_openapi::{
    Object, OpenApi,
    param::{Path, Query},
};
use serde::Serialize;

use crate::{
    api::{
        Tag,
        answer::{ActRefusals, Done, DoneAccepted, Fails, LookupRefusals, Out, QueryRefusals, WriteRefusals},
        body::Body,
        caller::Caller,
        parameter::{ListLimitParameter, OffsetParameter, SortOrderParameter, TextParameter},
        permitted::{Permitted, need},
    },
    domain::{event::NewEvent, event_kind::EventKind, filter::Page, text::is_name, time::Timestamp},
    error::Error,
    state::State,
    store::{
        self,
        applications::{Application, Usage},
        db::NoEvent,
    },
};

/// Most characters of an application's name.
const LONGEST_NAME: usize = 255;

/// The operations on applications.
#[derive(Debug)]
pub struct ApplicationsApi;

/// The operations in this folder and this file.
pub fn operations() -> impl OpenApi {
    (ApplicationsApi, overview::ApplicationOverviewApi, usage::FeatureUsageApi)
}

/// A program that asks for features.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "Application", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct ApplicationBody {
    /// Its unique name.
    pub app_name: String,
    /// What it is. Absent when nobody said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Where to read about it. Absent when nobody said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Color to show it in. Absent when nobody said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
    /// Symbol to show it with. Absent when nobody said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub icon: Option<String>,
    /// Names of the strategy types that it knows, as it said when it registered.
    pub strategies: Vec<String>,
    /// When it first registered.
    pub created_at: Timestamp,
    /// When it was last heard of.
    pub seen_at: Timestamp,
    /// The projects that the caller may see whose features it has reported to use, by id.
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

/// What to say about an application.
#[derive(Debug, Object)]
#[oai(rename = "CreateApplication", rename_all = "camelCase")]
pub struct CreateApplicationBody {
    /// What it is: at most 1000 characters. Absent leaves it as it is.
    #[oai(validator(max_length = 1000))]
    pub description: Option<String>,
    /// Where to read about it: at most 2000 characters. Absent leaves it as it is.
    #[oai(validator(max_length = 2000))]
    pub url: Option<String>,
    /// Color to show it in: at most 100 characters. Absent leaves it as it is.
    #[oai(validator(max_length = 100))]
    pub color: Option<String>,
    /// Symbol to show it with: at most 2000 characters. Absent leaves it as it is.
    #[oai(validator(max_length = 2000))]
    pub icon: Option<String>,
    /// Names of the strategy types that it knows: at most 100. Absent leaves them as they are.
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
    /// List applications
    ///
    /// The programs that have registered to ask for features. Any caller may ask, and is told of those that use features
    /// of projects that the caller may see, or whose token is for such a project. Whoever may see all projects is told of
    /// all applications.
    #[oai(path = "/api/admin/metrics/applications", method = "get", operation_id = "getApplications")]
    async fn get_applications(
        &self,
        caller: Caller,
        Data(state): Data<&State>,
        /// Only applications whose name holds this text, whatever the case. `%` and `_` are plain characters. Empty
        /// means any.
        query: Query<Option<TextParameter>>,
        /// Applications to skip. What is no whole number, or below 0, means 0.
        offset: Query<Option<OffsetParameter>>,
        /// Most applications to return. What is no whole number, or below 1, means 1000, which is also the most.
        limit: Query<Option<ListLimitParameter>>,
        /// Direction of the list by name: `asc`, the default, or `desc`.
        #[oai(name = "sortOrder")]
        sort_order: Query<Option<SortOrderParameter>>,
    ) -> Result<Out<ApplicationsBody>, Fails<QueryRefusals>> {
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
        Ok(Out(ApplicationsBody { applications: applications.collect(), total }))
    }

    /// Get an application
    ///
    /// Any caller may ask.
    #[oai(path = "/api/admin/metrics/applications/:appName", method = "get", operation_id = "getApplication")]
    async fn get_application(
        &self,
        caller: Caller,
        Data(state): Data<&State>,
        #[oai(name = "appName")] app_name: Path<String>,
    ) -> Result<Out<ApplicationBody>, Fails<LookupRefusals>> {
        let seen = caller.visibility().await?;
        let application = find(state, &caller, &app_name).await?;
        let mut usage = store::applications::usage(&state.db, &[&application.name], &seen).await?;
        let usage = usage.remove(&application.name).unwrap_or_default();
        Ok(Out(ApplicationBody::of(application, usage)))
    }

    /// Create or update an application
    ///
    /// Makes the application known to everybody if it is not, which leaves an event, and otherwise changes what is
    /// given about it. The list of event types has none for that change, so it leaves none. One that the caller may not
    /// see cannot be described.
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
        let wanted = body.read()?;
        check_name(&app_name)?;
        let (now, actor, seen) = (state.clock.now(), caller.actor(), caller.visibility().await?);
        let tx = state.db.begin().await?;
        let before = store::applications::hold(&tx, &app_name).await?;
        let is_new = before.is_none();
        if !is_new && store::applications::find(&tx, &app_name, &seen).await?.is_none() {
            let message = format!("The name \"{}\" is that of an application that you may not see.", app_name.0);
            return Err(Error::beyond_sight(message).into());
        }
        let mut after = before.clone().unwrap_or_else(|| unknown(app_name.0, now));
        after.description = wanted.description.or(after.description);
        after.url = wanted.url.or(after.url);
        after.color = wanted.color.or(after.color);
        after.icon = wanted.icon.or(after.icon);
        after.strategies = wanted.strategies.unwrap_or(after.strategies);
        if before.as_ref() != Some(&after) {
            store::applications::put(&tx, &after, &actor.name, now).await?;
            if is_new {
                store::applications::open(&tx, &after.name).await?;
            }
            let document = ApplicationBody::of(after, Usage::new());
            let event = NewEvent::new(EventKind::ApplicationCreated, &actor).with_data(&document);
            tx.commit(now, is_new.then_some(event)).await?;
            state.db.note_change();
        }
        Ok(DoneAccepted)
    }

    /// Delete an application
    ///
    /// Forgets it and its running copies; what it reported about features stays. It comes back when it registers again.
    /// The list of event types has none for that, so it leaves none.
    #[oai(path = "/api/admin/metrics/applications/:appName", method = "delete", operation_id = "deleteApplication")]
    async fn delete_application(
        &self,
        caller: Permitted<need::UpdateApplication>,
        Data(state): Data<&State>,
        #[oai(name = "appName")] app_name: Path<String>,
    ) -> Result<Done, Fails<ActRefusals>> {
        find(state, &caller, &app_name).await?;
        let tx = state.db.begin().await?;
        store::applications::remove(&tx, &app_name).await?;
        tx.commit_without_event(NoEvent::Usage).await?;
        state.db.note_change();
        Ok(Done)
    }
}

async fn find(state: &State, caller: &Caller, name: &str) -> Result<Application, Error> {
    let found = store::applications::find(&state.db, name, &caller.visibility().await?).await?;
    found.ok_or_else(|| Error::not_found("application", name))
}

fn unknown(name: String, now: Timestamp) -> Application {
    Application {
        name,
        description: None,
        url: None,
        color: None,
        icon: None,
        strategies: Vec::new(),
        created_at: now,
        seen_at: now,
    }
}

fn check_name(name: &str) -> Result<(), Error> {
    if !is_name(name, LONGEST_NAME) {
        let message =
            format!("The path parameter `appName` must have 1 to {LONGEST_NAME} characters, none of them NUL.");
        return Err(Error::invalid("/path/appName", message));
    }
    Ok(())
}
