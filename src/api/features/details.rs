//! One feature, with all that belongs to it.

use poem::web::Data;
use poem_openapi::{
    OpenApi,
    param::{Path, Query},
};

use crate::{
    api::{
        Tag,
        answer::{Fails, LookupRefusals},
        caller::Caller,
        features::access::missing_feature,
        version::Versioned,
    },
    domain::{feature::FeatureEnvironment, feature_details::FeatureDetails},
    error::Error,
    state::State,
    store,
};

/// The operations that read one feature.
#[derive(Debug)]
pub struct FeatureDetailsApi;

#[OpenApi(tag = "Tag::Features")]
impl FeatureDetailsApi {
    /// Get a feature
    ///
    /// The feature with its strategies and its usage within the last hour in each environment, its dependencies, the
    /// stage of its life, and the people who worked on it. Archived features are not found here.
    #[oai(path = "/api/admin/projects/:projectId/features/:featureName", method = "get", operation_id = "getFeature")]
    async fn get_feature(
        &self,
        caller: Caller,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "featureName")] feature_name: Path<String>,
        /// Whether each environment comes with its variants. Absent means false.
        #[oai(name = "variantEnvironments")]
        variant_environments: Query<Option<bool>>,
    ) -> Result<Versioned<FeatureDetails>, Fails<LookupRefusals>> {
        let project = caller.visible_project(&project_id.0).await?;
        let found = store::features::look_up(&state.db, &project, &feature_name.0).await?;
        let Some(found) = found else {
            return Err(missing_feature(&caller, state, &project, &feature_name.0).await?.into());
        };
        if found.document.is_archived() {
            let name = &found.document.name;
            return Err(
                Error::NotFound(format!("The feature \"{name}\" is archived; revive it to work with it.")).into()
            );
        }
        // Read before the feature: a change in between must make the version too old, not too new.
        let version = store::events::version_of_feature(&state.db, &feature_name.0).await?;
        let details = store::features::find_details(&state.db, found.id, caller.user_id(), state.clock.now()).await?;
        let details = details.ok_or_else(|| Error::not_found("feature", &feature_name.0))?;
        let with_variants = variant_environments.0.unwrap_or(false);
        Ok(Versioned(if with_variants { details } else { details.without_variants() }, version))
    }

    /// Get a feature in an environment
    ///
    /// Whether the feature is on there, with its strategies and variants. `name` is the name of the feature.
    #[oai(
        path = "/api/admin/projects/:projectId/features/:featureName/environments/:environment",
        method = "get",
        operation_id = "getFeatureEnvironment"
    )]
    async fn get_feature_environment(
        &self,
        caller: Caller,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "featureName")] feature_name: Path<String>,
        /// Name of an environment of the project.
        environment: Path<String>,
    ) -> Result<Versioned<FeatureEnvironment>, Fails<LookupRefusals>> {
        let project = caller.visible_project(&project_id.0).await?;
        let found = store::features::look_up(&state.db, &project, &feature_name.0).await?;
        let Some(found) = found else {
            return Err(missing_feature(&caller, state, &project, &feature_name.0).await?.into());
        };
        let version = store::events::version_of_feature(&state.db, &feature_name.0).await?;
        let configuration = store::features::find_in_environment(&state.db, &found, &environment.0).await?;
        let configuration = configuration.ok_or_else(|| not_used(&feature_name.0, &environment.0))?;
        Ok(Versioned(configuration, version))
    }
}

/// That a feature has no place in an environment.
pub(in crate::api) fn not_used(feature: &str, environment: &str) -> Error {
    Error::NotFound(format!("The feature \"{feature}\" is not used in an environment named \"{environment}\"."))
}
