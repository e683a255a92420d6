//! Making an environment in the likeness of another.

use poem::web::Data;
use poem_openapi::{Object, OpenApi, param::Path};

use crate::{
    api::{
        Tag,
        answer::{CreateRefusals, Created, Fails},
        body::Body,
        environments::{EnvironmentBody, make},
        permitted::{Permitted, need},
    },
    domain::{
        environment::{Environment, projects_changed},
        event::NewEvent,
        event_kind::EventKind,
    },
    error::Error,
    state::State,
    store::{self, environments::Counted},
};

/// The operation that clones environments.
#[derive(Debug)]
pub struct EnvironmentCloningApi;

/// The environment to create as a clone.
#[derive(Debug, Object)]
#[oai(rename = "CloneEnvironment", rename_all = "camelCase")]
pub struct CloneEnvironmentBody {
    /// Unique name, which cannot be changed later; 1 to 100 letters, digits, `~`, `_`, `.` or `-`. The words `project`,
    /// `sort-order`, `update` and `validate` are reserved, since they are parts of paths.
    #[oai(validator(pattern = "^[a-zA-Z0-9~_.-]+$", max_length = 100))]
    pub name: String,
    /// Type, such as `development` or `production`: 1 to 100 characters. Absent means that of the original.
    #[oai(rename = "type", validator(min_length = 1, max_length = 100))]
    pub kind: Option<String>,
    /// Ids of the projects that use the clone from the start, at most 1000; each must use the original. Absent means
    /// all that do.
    #[oai(validator(max_items = 1000, max_length = 255))]
    pub projects: Option<Vec<String>>,
    /// Whether to copy role permissions that are limited to the original. Absent means true.
    pub clone_permissions: Option<bool>,
}

#[OpenApi(tag = "Tag::Environments")]
impl EnvironmentCloningApi {
    /// Clone an environment
    ///
    /// Creates an environment in which the features of the given projects are configured as in the original: state,
    /// strategies with their segments, variants, and the default strategies of the projects. It is last in the order,
    /// enabled if the original is, and not protected. API tokens are not cloned. Besides the events of the environment
    /// and its projects, each feature that is enabled in it leaves `feature-environment-enabled`.
    #[oai(path = "/api/admin/environments/:name/clone", method = "post", operation_id = "cloneEnvironment")]
    async fn clone_environment(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        /// Name of the original.
        name: Path<String>,
        body: Body<CloneEnvironmentBody>,
    ) -> Result<Created<EnvironmentBody>, Fails<CreateRefusals>> {
        let wanted = body.read()?;
        let tx = store::limits::begin_making(&state.db).await?;
        let original = store::environments::hold(&tx, &name).await?;
        let original = original.ok_or_else(|| Error::not_found("environment", &name))?;
        let clone = Environment {
            name: wanted.name,
            kind: wanted.kind.unwrap_or(original.kind),
            enabled: original.enabled,
            protected: false,
            sort_order: store::environments::next_sort_order(&tx).await?,
        };
        make(&tx, state, &clone).await?;
        let users = store::environments::users(&tx, &name).await?;
        let projects = choose(users, wanted.projects, &name)?;
        let on = store::environments::copy_projects(&tx, &name, &clone.name, &projects).await?;
        if wanted.clone_permissions.unwrap_or(true) {
            store::environments::copy_grants(&tx, &name, &clone.name).await?;
        }
        let actor = caller.actor();
        let mut events = vec![clone.created(&actor)];
        events.extend(projects_changed(EventKind::ProjectEnvironmentAdded, &clone.name, &projects, &actor));
        events.extend(on.iter().map(|feature| {
            NewEvent::new(EventKind::FeatureEnvironmentEnabled, &actor)
                .in_project(&feature.project)
                .of_feature(&feature.name, &feature.tags)
                .in_environment(&clone.name)
        }));
        tx.commit(state.clock.now(), events).await?;
        let found = store::environments::find(&state.db, &clone.name, &caller.visibility().await?).await?;
        let none = Counted { environment: clone, projects: 0, api_tokens: 0, enabled_features: 0 };
        Ok(Created(found.unwrap_or(none).into()))
    }
}

/// The wanted projects among those that use the original, sorted.
fn choose(users: Vec<String>, wanted: Option<Vec<String>>, original: &str) -> Result<Vec<String>, Error> {
    let Some(wanted) = wanted else { return Ok(users) };
    if let Some((index, id)) = wanted.iter().enumerate().find(|(_, id)| !users.contains(id)) {
        let path = format!("/body/projects/{index}");
        return Err(Error::property(path, format!("names \"{id}\", which is no project that uses \"{original}\"")));
    }
    Ok(users.into_iter().filter(|id| wanted.contains(id)).collect())
}
