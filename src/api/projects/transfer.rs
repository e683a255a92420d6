//! Features that change their project.

use poem::web::Data;
use poem_openapi::{Object, OpenApi, param::Path};

use crate::{
    api::{
        Tag,
        answer::{Done, EditRefusals, Fails},
        author::author,
        body::Body,
        permitted::{InProject, Permitted, need},
        version::IfMatchHeader,
    },
    changes::feature::Target,
    state::State,
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
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
        body: Body<ChangeProjectBody>,
    ) -> Result<Done, Fails<EditRefusals>> {
        let from = caller.project(&project_id).await?;
        let body = body.read()?;
        let to = caller.project(&body.new_project_id).await;
        let to = to.map_err(|error| error.named_in("/body/newProjectId", "project", &body.new_project_id))?;
        author(&caller, state).move_feature(Target::new(&from, &feature_name, &if_match), &to).await?;
        Ok(Done)
    }
}
