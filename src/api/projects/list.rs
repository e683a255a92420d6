//! The list of projects.

use poem::web::Data;
use poem_openapi::{Enum, Object, OpenApi, param::Query};
use serde::Serialize;

use crate::{
    api::{
        Tag,
        answer::{Fails, Out, QueryRefusals},
        caller::AuthenticatedCaller,
        parameter::SwitchParameter,
    },
    domain::{
        event_filter::fold_case,
        health::HealthCounts,
        project::ProjectMode,
        time::Timestamp,
        user::{display_name, image_url},
    },
    state::State,
    store::{
        self,
        projects::{
            list::{Listed, Owner},
            statistics,
        },
    },
    wire::Nullable,
};

/// The version of the list's format.
const VERSION: i64 = 1;

/// The list of projects.
#[derive(Debug)]
pub struct ProjectListApi;

/// Kind of a project's owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize)]
#[oai(rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum OwnerType {
    /// A person.
    User,
    /// A group of people.
    Group,
    /// The server itself, where there is no other owner.
    System,
}

/// Owner of a project.
#[serde_with_macros::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "ProjectOwner", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct OwnerBody {
    /// Type of the owner. A project without owners has one of type `system`.
    pub owner_type: OwnerType,
    /// Name of the person or group. Absent for the system.
    pub name: Option<String>,
    /// Address of the person. Absent for others, and where none is known.
    pub email: Option<String>,
    /// Address of the person's profile image. Absent for others.
    pub image_url: Option<String>,
}

/// A project in the list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "Project", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct ListedProjectBody {
    /// Id of the project.
    pub id: String,
    /// Name of the project.
    pub name: String,
    /// Purpose of the project; `null` for none.
    pub description: Nullable<String>,
    /// Percentage of features that are neither stale nor potentially stale, rounded; 100 without features. Archived
    /// features are not counted.
    #[oai(validator(minimum(value = "0"), maximum(value = "100")))]
    pub health: i64,
    /// Whether the caller marked the project as a favourite; false for API tokens.
    pub favorite: bool,
    /// Features that are not archived.
    #[oai(validator(minimum(value = "0")))]
    pub feature_count: i64,
    /// Number of users with a role in the project, directly or through a group. Root roles are not counted.
    #[oai(validator(minimum(value = "0")))]
    pub member_count: i64,
    /// When the project was created.
    pub created_at: Timestamp,
    /// When the project was archived; `null` while it is in use.
    pub archived_at: Nullable<Timestamp>,
    /// Mode of the project: who may see it and submit change requests.
    pub mode: ProjectMode,
    /// When usage of one of its features was last reported; `null` for never.
    pub last_reported_flag_usage: Nullable<Timestamp>,
    /// When the last event in the project happened; `null` when there was none.
    pub last_updated_at: Nullable<Timestamp>,
    /// Owners of the project: people by id, then groups by name.
    pub owners: Vec<OwnerBody>,
}

/// Projects.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "Projects")]
pub struct ProjectsBody {
    /// Version of this format, 1.
    pub version: i64,
    /// The projects, by name whatever the case, then by id.
    pub projects: Vec<ListedProjectBody>,
}

#[OpenApi(tag = "Tag::Projects")]
impl ProjectListApi {
    /// List the projects
    ///
    /// Every project that the caller may see, with figures as of this call. Needs no permission; private projects are
    /// listed for their members and for administrators only.
    #[oai(path = "/api/admin/projects", method = "get", operation_id = "getProjects")]
    async fn get_projects(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        /// `true` lists the archived projects instead of those in use. Any other value means false, the default.
        archived: Query<Option<SwitchParameter>>,
    ) -> Result<Out<ProjectsBody>, Fails<QueryRefusals>> {
        let db = &state.db.heavy();
        let visibility = caller.visibility().await?;
        let mut listed =
            store::projects::list::list(db, archived.0.is_some_and(|archived| archived.0), &visibility).await?;
        listed.sort_by_cached_key(|project| (fold_case(&project.name), project.id.clone()));
        let lifetimes = store::health::lifetimes(db).await?;
        let counts = store::health::counts_by_project(db, &lifetimes, state.clock.now()).await?;
        let members = statistics::member_counts(db).await?;
        let mut owners = store::projects::list::owners(db).await?;
        let favorites = match caller.user_id() {
            Some(user_id) => store::projects::favorites::of_user(db, user_id).await?,
            None => Vec::new(),
        };
        let projects = listed.into_iter().map(|project| {
            let counts = counts.iter().find(|(id, _)| *id == project.id).map(|(_, counts)| *counts);
            let members = members.iter().find(|(id, _)| *id == project.id).map(|(_, members)| *members);
            let owners = owners.remove(&project.id).unwrap_or_default();
            let favorite = favorites.contains(&project.id);
            body(project, counts.unwrap_or_default(), members.unwrap_or_default(), owners, favorite)
        });
        Ok(Out(ProjectsBody { version: VERSION, projects: projects.collect() }))
    }
}

fn body(project: Listed, counts: HealthCounts, members: i64, owners: Vec<Owner>, favorite: bool) -> ListedProjectBody {
    let mut owners: Vec<OwnerBody> = owners.into_iter().map(OwnerBody::from).collect();
    if owners.is_empty() {
        owners.push(OwnerBody { owner_type: OwnerType::System, name: None, email: None, image_url: None });
    }
    ListedProjectBody {
        id: project.id,
        name: project.name,
        description: project.description.into(),
        health: counts.health(),
        favorite,
        feature_count: counts.total(),
        member_count: members,
        created_at: project.created_at,
        archived_at: project.archived_at.into(),
        mode: ProjectMode::parse(&project.mode),
        last_reported_flag_usage: project.last_usage_at.into(),
        last_updated_at: project.last_event_at.into(),
        owners,
    }
}

impl From<Owner> for OwnerBody {
    fn from(owner: Owner) -> Self {
        match owner {
            Owner::User { id, name, username, email } => Self {
                owner_type: OwnerType::User,
                name: Some(display_name(name.as_deref(), username.as_deref(), email.as_deref()).to_owned()),
                image_url: Some(image_url(email.as_deref(), username.as_deref(), id)),
                email,
            },
            Owner::Group { name } => {
                Self { owner_type: OwnerType::Group, name: Some(name), email: None, image_url: None }
            }
        }
    }
}
