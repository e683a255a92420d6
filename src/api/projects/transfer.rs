//! Features that change their project.

use poem::web::Data;
use poem_openapi::{Object, OpenApi, param::Path};

use super::hold_in_use;
use crate::{
    api::{
        Tag,
        answer::{Done, EditRefusals, Fails},
        body::Body,
        features::access::hold_in,
        permitted::{InProject, Permitted, need},
        version::IfMatch,
    },
    domain::project::transfer::{Obstacle, Transfer},
    error::Error,
    state::State,
    store::{
        self,
        projects::{transfer, write},
    },
};

/// Features that change their project.
#[derive(Debug)]
pub struct FeatureTransferApi;

/// Project to move a feature to.
#[derive(Debug, Clone, PartialEq, Eq, Object)]
#[oai(rename = "ChangeProject", rename_all = "camelCase")]
pub struct ChangeProjectBody {
    /// Id of the project that is to own the feature.
    #[oai(validator(min_length = 1, max_length = 100))]
    new_project_id: String,
}

#[OpenApi(tag = "Tag::Features")]
impl FeatureTransferApi {
    /// Move a feature to another project
    ///
    /// Moves the feature with its configuration, tags and history. Both projects must use the same environments. The
    /// feature must have no dependencies, use no segment and no context field of its current project, match the naming
    /// pattern of the target, and fit within the target's limit of features. The permission is needed in both projects.
    /// 400 for a target that does not exist. Moving a feature to its current project leaves no event.
    #[oai(
        path = "/api/admin/projects/:projectId/features/:featureName/changeProject",
        method = "post",
        operation_id = "changeProject"
    )]
    async fn change_project(
        &self,
        caller: Permitted<need::MoveFeatureToggle, InProject>,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "featureName")] feature_name: Path<String>,
        #[oai(name = "If-Match")] if_match: IfMatch,
        body: Body<ChangeProjectBody>,
    ) -> Result<Done, Fails<EditRefusals>> {
        let from = caller.project(&project_id).await?;
        let body = body.read()?;
        let to = caller.project(&body.new_project_id).await;
        let to = to.map_err(|error| error.named_in("/body/newProjectId", "project", &body.new_project_id))?;
        // The other project may have room for one more feature only.
        let tx = store::features::begin_making(&state.db).await?;
        // In the order of ids, so that two moves in opposite directions do not wait for each other.
        let (first, second) = if from.id() < to.id() { (&from, &to) } else { (&to, &from) };
        let first = hold_in_use(&tx, first.id()).await?;
        let second = hold_in_use(&tx, second.id()).await?;
        let (source, target) = if first.document.id == from.id() { (first, second) } else { (second, first) };
        let (tx, held) = hold_in(tx, &caller, state, &from, &feature_name).await?;
        if_match.check_feature(&tx, &held.document.name).await?;
        if from == to {
            return Ok(Done);
        }
        let bound_segments = transfer::bound_segments(&tx, held.id).await?;
        let bound_fields = transfer::bound_fields(&tx, held.id, from.id()).await?;
        let moving = Transfer {
            feature: &held.document.name,
            in_use: !held.document.is_archived(),
            has_dependencies: transfer::has_dependencies(&tx, held.id).await?,
            bound_segments: &bound_segments,
            bound_fields: &bound_fields,
            from: &source.document,
            from_environments: &source.environment_names(),
            to: &target.document,
            to_environments: &target.environment_names(),
            active_there: write::count_features(&tx, to.id()).await?,
        };
        moving.judge().map_err(|obstacle| refused(obstacle, &moving))?;
        transfer::reassign(&tx, held.id, to.id()).await?;
        let tags = store::tags::of_feature(&tx, held.id).await?;
        tx.commit(state.clock.now(), [moving.event(&caller.actor(), &tags)]).await?;
        Ok(Done)
    }
}

fn refused(obstacle: Obstacle, moving: &Transfer<'_>) -> Error {
    let (feature, from, to) = (moving.feature, &moving.from.id, &moving.to.id);
    let incompatible = |message| Error::Forbidden { name: "IncompatibleProjectError", message };
    match obstacle {
        Obstacle::Dependencies => Error::Forbidden {
            name: "ForbiddenError",
            message: format!("The feature \"{feature}\" cannot leave its project while it has dependencies."),
        },
        Obstacle::Environments => {
            incompatible(format!("The projects \"{from}\" and \"{to}\" do not use the same environments."))
        }
        Obstacle::Segments => incompatible(format!(
            "Strategies of the feature \"{feature}\" use segments that belong to a project: {}.",
            moving.bound_segments.join(", ")
        )),
        Obstacle::ContextFields => incompatible(format!(
            "The feature \"{feature}\" uses context fields that belong to the project \"{from}\": {}.",
            moving.bound_fields.join(", ")
        )),
        Obstacle::Name => Error::Pattern(format!(
            "The name \"{feature}\" does not match the naming pattern of the project that /body/newProjectId names."
        )),
        Obstacle::Limit => Error::forbidden(format!("The project \"{to}\" has as many features as its limit allows.")),
    }
}
