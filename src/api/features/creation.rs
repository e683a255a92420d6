//! Making features: new ones, and copies of others.

use poem::web::Data;
use poem_openapi::{Object, OpenApi, param::Path};

use crate::{
    api::{
        Tag,
        answer::{CreateRefusals, Created, Done, Fails},
        author::author,
        body::Body,
        caller::AuthenticatedCaller,
        permitted::{InProject, Permitted, need},
        tags::types::NewNameRefusals,
    },
    changes::creation::{CloneFeature, CreateFeature, admit_name, require_free},
    domain::{
        feature::{DEFAULT_TYPE, Feature},
        feature_rules::FeatureRules,
        tag,
    },
    state::State,
    store,
    wire::Nullable,
};

/// The operations that make features.
#[derive(Debug)]
pub struct FeatureCreationApi;

/// A feature to create.
#[derive(Debug, Clone, PartialEq, Object)]
#[oai(rename = "CreateFeature", rename_all = "camelCase")]
pub struct CreateFeatureBody {
    /// Name, unique in the whole instance, archived features included: 1 to 100 characters that need no encoding in a
    /// URL. It must match the naming pattern of the project, if there is one, and can never be changed.
    #[oai(validator(min_length = 1, max_length = 100, pattern = r"^[A-Za-z0-9_.!~*'()-]+$"))]
    pub name: String,
    /// Id of a feature type, such as `release`, `experiment`, `operational`, `kill-switch` or `permission`. Absent
    /// means `release`.
    #[oai(rename = "type", validator(max_length = 100))]
    pub kind: Option<String>,
    /// Purpose of the feature. Absent or `null` means none.
    #[oai(validator(max_length = 100000))]
    pub description: Option<Nullable<String>>,
    /// Whether SDKs report each evaluation. Absent means false.
    pub impression_data: Option<bool>,
    /// Tags of the feature; those that do not exist yet are created. Absent means none.
    #[oai(validator(max_items = 50))]
    pub tags: Option<Vec<tag::Tag>>,
}

/// A copy of a feature to create.
#[derive(Debug, Clone, PartialEq, Eq, Object)]
#[oai(rename = "CloneFeature", rename_all = "camelCase")]
pub struct CloneFeatureBody {
    /// Name of the copy, under the same rules as that of any new feature.
    #[oai(validator(min_length = 1, max_length = 100, pattern = r"^[A-Za-z0-9_.!~*'()-]+$"))]
    pub name: String,
    /// Whether the parameter `groupId` of strategies is set to the name of the copy. With the group of the original, which
    /// is its name where a rollout names none, both features are on for the same users. Absent means true.
    pub replace_group_id: Option<bool>,
}

/// A name to check for a feature.
#[derive(Debug, Clone, PartialEq, Eq, Object)]
#[oai(rename = "ValidateFeature", rename_all = "camelCase")]
pub struct ValidateFeatureBody {
    /// The name.
    #[oai(validator(min_length = 1, max_length = 100, pattern = r"^[A-Za-z0-9_.!~*'()-]+$"))]
    pub name: String,
    /// Id of the project whose naming pattern to check, too. Absent or `null`: none.
    #[oai(validator(max_length = 100))]
    pub project_id: Option<Nullable<String>>,
}

#[OpenApi(tag = "Tag::Features")]
impl FeatureCreationApi {
    /// Create a feature
    ///
    /// The feature starts disabled in every environment of the project, and with the links that the settings of the
    /// project name. Its tags are added in the same step. Refused
    /// with 400 when the name breaks the rules or the project's pattern (`PatternError`), or when the instance holds as
    /// many features as it may (`ExceedsLimitError`); with 403 when the project does; with 409 when the name is taken.
    #[oai(path = "/api/admin/projects/:projectId/features", method = "post", operation_id = "createFeature")]
    async fn create_feature(
        &self,
        caller: Permitted<need::CreateFeature, InProject>,
        Data(state): Data<&State>,
        /// Id of the project that will own the feature.
        #[oai(name = "projectId")]
        project_id: Path<String>,
        body: Body<CreateFeatureBody>,
    ) -> Result<Created<Feature>, Fails<CreateRefusals>> {
        let project = caller.project(&project_id.0).await?;
        let body = body.read()?;
        let visibility = caller.visibility().await?;
        let create = CreateFeature {
            name: body.name,
            kind: body.kind.unwrap_or_else(|| DEFAULT_TYPE.to_owned()),
            description: body.description.and_then(Nullable::into_inner),
            impression_data: body.impression_data.unwrap_or(false),
            tags: body.tags.unwrap_or_default(),
            visibility: &visibility,
        };
        Ok(Created(author(&caller, state).create_feature(&project, create).await?))
    }

    /// Clone a feature
    ///
    /// The copy belongs to the same project and has the description, type, impression data, dependencies, variants and
    /// strategies of the original, including their segments, but not its tags and links. It is disabled in every
    /// environment and has the links of a new feature.
    /// Refused like creating a feature. It also needs the permissions of adding the parts one by one:
    /// `UPDATE_FEATURE_DEPENDENCY` if the original depends on others, `UPDATE_FEATURE_ENVIRONMENT_VARIANTS` in each
    /// environment where it has variants, and `CREATE_FEATURE_STRATEGY` in each where it has strategies.
    #[oai(
        path = "/api/admin/projects/:projectId/features/:featureName/clone",
        method = "post",
        operation_id = "cloneFeature"
    )]
    async fn clone_feature(
        &self,
        caller: Permitted<need::CreateFeature, InProject>,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        /// Name of the feature to copy.
        #[oai(name = "featureName")]
        feature_name: Path<String>,
        body: Body<CloneFeatureBody>,
    ) -> Result<Created<Feature>, Fails<CreateRefusals>> {
        let project = caller.project(&project_id.0).await?;
        let body = body.read()?;
        let clone = CloneFeature {
            original: &feature_name.0,
            name: body.name,
            replace_group_id: body.replace_group_id.unwrap_or(true),
        };
        Ok(Created(author(&caller, state).clone_feature(&project, clone).await?))
    }

    /// Validate a feature name
    ///
    /// Checks whether a feature can be created with this name: 400 when it breaks the rules or the project's naming
    /// pattern, 409 when it is taken, also by an archived feature. Nothing is stored.
    #[oai(path = "/api/admin/features/validate", method = "post", operation_id = "validateFeature")]
    async fn validate_feature(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        body: Body<ValidateFeatureBody>,
    ) -> Result<Done, Fails<NewNameRefusals>> {
        let body = body.read()?;
        if let Some(project_id) = body.project_id.and_then(Nullable::into_inner) {
            let project = caller.visible_project(&project_id).await;
            let project = project.map_err(|error| error.named_in("/body/projectId", "project", &project_id))?;
            admit_name(&store::features::admission(&state.db, &project).await?.rules, &body.name)?;
        } else {
            admit_name(&FeatureRules::default(), &body.name)?;
        }
        require_free(store::features::find_archived(&state.db, &body.name).await?)?;
        Ok(Done)
    }
}
