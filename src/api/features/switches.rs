//! Switching features on and off in environments, one by one or many at once.

use poem::web::Data;
use poem_openapi::{
    OpenApi,
    param::{Path, Query},
};

use crate::{
    api::{
        Tag,
        answer::{ChangeRefusals, Fails, Out, RemoveRefusals},
        author::author,
        body::Body,
        features::FeatureNamesBody,
        permitted::{InEnvironment, Permitted, need},
        version::IfMatchHeader,
    },
    changes::{
        feature::{Target, WithDetails},
        if_match::IfMatch,
        switches::Switch,
    },
    domain::{
        change_summary::ChangesBody,
        feature_details::FeatureDetails,
        ids::{EnvironmentName, FeatureName, ProjectId},
    },
    error::Error,
    state::State,
};

/// The operations that switch features.
#[derive(Debug)]
pub struct SwitchesApi;

#[OpenApi(tag = "Tag::Features")]
impl SwitchesApi {
    /// Enable a feature in an environment
    ///
    /// A feature without an enabled strategy in the environment first gets the default strategy of the project, or a
    /// rollout to everybody when the project has none. If it had no strategy at all, this also needs
    /// `CREATE_FEATURE_STRATEGY`. An enabled feature stays as it is. Refused for archived features. The answer is the
    /// feature, as in `getFeature`.
    #[oai(
        path = "/api/admin/projects/:projectId/features/:featureName/environments/:environment/on",
        method = "post",
        operation_id = "toggleFeatureEnvironmentOn"
    )]
    #[expect(clippy::too_many_arguments, reason = "each is a parameter of the operation")]
    async fn toggle_feature_environment_on(
        &self,
        caller: Switcher,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "featureName")] feature_name: Path<String>,
        environment: Path<String>,
        #[oai(name = "shouldActivateDisabledStrategies")] should_activate_disabled_strategies: Query<Option<bool>>,
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
    ) -> Result<Out<FeatureDetails>, Fails<RemoveRefusals>> {
        let switch = Switch {
            environment: &environment.0,
            on: true,
            activate: should_activate_disabled_strategies.0.unwrap_or(false),
            named_at: FEATURE_NAME,
        };
        let (project, feature) = (ProjectId::new(&project_id.0), FeatureName::new(&feature_name.0));
        Ok(Out(switch_one(&caller, state, project, feature, &if_match, switch).await?))
    }

    /// Disable a feature in an environment
    ///
    /// A disabled feature stays as it is. Refused for archived features, which are off anyway. The answer is the
    /// feature, as in `getFeature`.
    #[oai(
        path = "/api/admin/projects/:projectId/features/:featureName/environments/:environment/off",
        method = "post",
        operation_id = "toggleFeatureEnvironmentOff"
    )]
    async fn toggle_feature_environment_off(
        &self,
        caller: Switcher,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "featureName")] feature_name: Path<String>,
        environment: Path<String>,
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
    ) -> Result<Out<FeatureDetails>, Fails<RemoveRefusals>> {
        let switch = Switch { environment: &environment.0, on: false, activate: false, named_at: FEATURE_NAME };
        let (project, feature) = (ProjectId::new(&project_id.0), FeatureName::new(&feature_name.0));
        Ok(Out(switch_one(&caller, state, project, feature, &if_match, switch).await?))
    }

    /// Enable features in an environment
    ///
    /// Enables all of them, or none when one of them cannot be enabled. 400 when one does not exist, 403 when one
    /// belongs to another project.
    #[oai(
        path = "/api/admin/projects/:projectId/bulk_features/environments/:environment/on",
        method = "post",
        operation_id = "bulkToggleFeaturesEnvironmentOn"
    )]
    #[expect(clippy::too_many_arguments, reason = "each is a parameter of the operation")]
    async fn bulk_toggle_features_environment_on(
        &self,
        caller: Switcher,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        environment: Path<String>,
        #[oai(name = "shouldActivateDisabledStrategies")] should_activate_disabled_strategies: Query<Option<bool>>,
        #[oai(name = "dryRun")] dry_run: Query<Option<bool>>,
        body: Body<FeatureNamesBody>,
    ) -> Result<Out<ChangesBody>, Fails<ChangeRefusals>> {
        let switch = Switch {
            environment: &environment.0,
            on: true,
            activate: should_activate_disabled_strategies.0.unwrap_or(false),
            named_at: FEATURE_NAME,
        };
        let dry_run = dry_run.0.unwrap_or(false);
        Ok(Out(switch_many(&caller, state, &project_id.0, body, dry_run, switch).await?))
    }

    /// Disable features in an environment
    ///
    /// Disables all of them, or none when one of them cannot be disabled. 400 when one does not exist, 403 when one
    /// belongs to another project.
    #[oai(
        path = "/api/admin/projects/:projectId/bulk_features/environments/:environment/off",
        method = "post",
        operation_id = "bulkToggleFeaturesEnvironmentOff"
    )]
    async fn bulk_toggle_features_environment_off(
        &self,
        caller: Switcher,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        environment: Path<String>,
        #[oai(name = "dryRun")] dry_run: Query<Option<bool>>,
        body: Body<FeatureNamesBody>,
    ) -> Result<Out<ChangesBody>, Fails<ChangeRefusals>> {
        let switch = Switch { environment: &environment.0, on: false, activate: false, named_at: FEATURE_NAME };
        let dry_run = dry_run.0.unwrap_or(false);
        Ok(Out(switch_many(&caller, state, &project_id.0, body, dry_run, switch).await?))
    }
}

/// Caller who may switch features in an environment.
type Switcher = Permitted<need::UpdateFeatureEnvironment, InEnvironment>;

/// Place of the name of a feature in a request for one.
const FEATURE_NAME: Option<&str> = Some("/path/featureName");

async fn switch_one(
    caller: &Switcher,
    state: &State,
    project: ProjectId<'_>,
    feature: FeatureName<'_>,
    if_match: &IfMatch,
    switch: Switch<'_>,
) -> Result<FeatureDetails, Error> {
    let project = caller.project(project, EnvironmentName::new(switch.environment)).await?;
    let target = Target::new(&project, feature.as_str(), if_match);
    let details = author(caller, state).change(target, WithDetails(switch)).await?;
    Ok(details.without_variants())
}

async fn switch_many(
    caller: &Switcher,
    state: &State,
    project: &str,
    body: Body<FeatureNamesBody>,
    dry_run: bool,
    switch: Switch<'_>,
) -> Result<ChangesBody, Error> {
    let project = caller.project(ProjectId::new(project), EnvironmentName::new(switch.environment)).await?;
    let names = body.read()?.features;
    author(caller, state).change_all(&project, &names, switch, dry_run).await
}
