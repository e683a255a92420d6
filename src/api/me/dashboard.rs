//! Personal dashboard of the caller.

mod project;

use std::collections::HashMap;

use poem::web::Data;
use poem_openapi::{Object, OpenApi, param::Path};
use serde::Serialize;

use self::project::DashboardDetailsBody;
use crate::{
    api::{
        Tag,
        answer::{Fails, LookupRefusals, Out, ReadRefusals},
        caller::AuthenticatedCaller,
        projects::list::{OwnerBody, OwnerType},
    },
    domain::user,
    error::Error,
    state::State,
    store::{
        self,
        dashboard::{Contact, Flag},
        projects::statistics,
    },
};

/// Most features, owners and administrators of an answer.
const MOST: u64 = 100;

/// The operations on the personal dashboard.
#[derive(Debug)]
pub struct DashboardApi;

/// The caller's projects and features, and whom to contact.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "PersonalDashboard", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct DashboardBody {
    /// The projects that the caller is a member of, by id; everybody is a member of `default`.
    pub projects: Vec<DashboardProjectBody>,
    /// The features that the caller created or marked as favourites and that are not archived, newest first: at most
    /// 100.
    pub flags: Vec<DashboardFlagBody>,
    /// The people who own a project that the caller may see, by id: at most 100.
    pub project_owners: Vec<OwnerBody>,
    /// The administrators, by id: at most 100.
    pub admins: Vec<AdminBody>,
}

/// A project in figures.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "PersonalDashboardProject", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct DashboardProjectBody {
    /// Id of the project.
    pub id: String,
    /// Name of the project.
    pub name: String,
    /// Percentage of its features that are neither stale nor potentially stale, rounded; 100 without features.
    pub health: i64,
    /// Percentage of its features that are stale or potentially stale: 100 − `health`.
    pub technical_debt: i64,
    /// People who hold a role in it, directly or through a group.
    pub member_count: i64,
    /// Features that are not archived.
    pub feature_count: i64,
}

/// A feature in short.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "PersonalDashboardFlag")]
pub struct DashboardFlagBody {
    /// Name of the feature.
    pub name: String,
    /// Id of its project.
    pub project: String,
    /// Its type.
    #[oai(rename = "type")]
    #[serde(rename = "type")]
    pub kind: String,
}

impl From<Flag> for DashboardFlagBody {
    fn from(flag: Flag) -> Self {
        Self { name: flag.name, project: flag.project, kind: flag.kind }
    }
}

/// An administrator.
#[serde_with_macros::skip_serializing_none]
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "PersonalDashboardAdmin", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct AdminBody {
    /// Id of the user.
    pub id: i64,
    /// Display name. Absent when there is none.
    pub name: Option<String>,
    /// Name to sign in with. Absent for those who sign in by email only.
    pub username: Option<String>,
    /// Email. Absent when there is none.
    pub email: Option<String>,
    /// Address of the profile image.
    pub image_url: String,
}

impl From<Contact> for OwnerBody {
    fn from(contact: Contact) -> Self {
        let name = user::display_name(contact.name.as_deref(), contact.username.as_deref(), contact.email.as_deref());
        Self {
            owner_type: OwnerType::User,
            name: Some(name.to_owned()),
            image_url: Some(image_of(&contact)),
            email: contact.email,
        }
    }
}

impl From<Contact> for AdminBody {
    fn from(contact: Contact) -> Self {
        Self {
            image_url: image_of(&contact),
            id: contact.id,
            name: contact.name,
            username: contact.username,
            email: contact.email,
        }
    }
}

fn image_of(contact: &Contact) -> String {
    user::image_url(contact.email.as_deref(), contact.username.as_deref(), contact.id)
}

#[OpenApi(tag = "Tag::Profile")]
impl DashboardApi {
    /// Get your own dashboard
    ///
    /// The caller's projects and features, and the project owners and administrators to contact. The caller must be a
    /// person.
    #[oai(path = "/api/admin/personal-dashboard", method = "get", operation_id = "getPersonalDashboard")]
    async fn get_personal_dashboard(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
    ) -> Result<Out<DashboardBody>, Fails<ReadRefusals>> {
        let user_id = caller.require_person()?.id;
        let (db, seen) = (&state.db, caller.visibility().await?);
        let flags = store::dashboard::flags(db, user_id, &seen, MOST).await?;
        let owners = store::dashboard::owners(db, None, &seen, MOST).await?;
        let admins = store::dashboard::admins(db, MOST).await?;
        Ok(Out(DashboardBody {
            projects: projects(state, user_id).await?,
            flags: flags.into_iter().map(Into::into).collect(),
            project_owners: owners.into_iter().map(Into::into).collect(),
            admins: admins.into_iter().map(Into::into).collect(),
        }))
    }

    /// Get a project on your own dashboard
    ///
    /// The owners of the project, the roles of the caller in it, the latest events, and its health. The caller must be
    /// a person who may see the project.
    #[oai(
        path = "/api/admin/personal-dashboard/:projectId",
        method = "get",
        operation_id = "getPersonalDashboardProjectDetails"
    )]
    async fn get_personal_dashboard_project_details(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
    ) -> Result<Out<DashboardDetailsBody>, Fails<LookupRefusals>> {
        let user_id = caller.require_person()?.id;
        let project = caller.visible_project(&project_id).await?;
        Ok(Out(project::details(state, &caller, user_id, project.id()).await?))
    }
}

async fn projects(state: &State, user_id: i64) -> Result<Vec<DashboardProjectBody>, Error> {
    let db = &state.db;
    let ids = store::access::member_projects(db, user_id).await?;
    let mut names = store::dashboard::project_names(db, &ids).await?;
    let lifetimes = store::health::lifetimes(db).await?;
    let counts = store::health::counts_by_project(db, &lifetimes, state.clock.now()).await?;
    let counts: HashMap<String, _> = counts.into_iter().collect();
    let members: HashMap<String, i64> = statistics::member_counts(db).await?.into_iter().collect();
    let bodies = ids.into_iter().map(|id| {
        let counts = counts.get(&id).copied().unwrap_or_default();
        DashboardProjectBody {
            name: names.remove(&id).unwrap_or_default(),
            health: counts.health(),
            technical_debt: counts.technical_debt(),
            member_count: members.get(&id).copied().unwrap_or_default(),
            feature_count: counts.total(),
            id,
        }
    });
    Ok(bodies.collect())
}
