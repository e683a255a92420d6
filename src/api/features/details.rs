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
        caller::AuthenticatedCaller,
        features::reading::{ReadFeature, read_feature},
        version::Versioned,
    },
    changes::feature::unused_environment,
    domain::{
        feature::FeatureEnvironment,
        feature_details::FeatureDetails,
        ids::{EnvironmentName, FeatureName, ProjectId},
    },
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
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "featureName")] feature_name: Path<String>,
        /// Whether each environment comes with its variants. Absent means false.
        #[oai(name = "variantEnvironments")]
        variant_environments: Query<Option<bool>>,
    ) -> Result<Versioned<FeatureDetails>, Fails<LookupRefusals>> {
        let (project, name) = (ProjectId::new(&project_id.0), FeatureName::new(&feature_name.0));
        let ReadFeature { found, version, .. } = read_feature(&caller, state, project, name).await?;
        if found.document.is_archived() {
            let name = &found.document.name;
            return Err(
                Error::NotFound(format!("The feature \"{name}\" is archived; revive it to work with it.")).into()
            );
        }
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
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "featureName")] feature_name: Path<String>,
        environment: Path<String>,
    ) -> Result<Versioned<FeatureEnvironment>, Fails<LookupRefusals>> {
        let (project, name) = (ProjectId::new(&project_id.0), FeatureName::new(&feature_name.0));
        let ReadFeature { found, project, version } = read_feature(&caller, state, project, name).await?;
        let configuration = store::features::find_in_environment(&state.db, &found, &environment.0).await?;
        let unused = || Error::NotFound(unused_environment(project.as_id(), EnvironmentName::new(&environment.0)));
        let configuration = configuration.ok_or_else(unused)?;
        Ok(Versioned(configuration, version))
    }
}
