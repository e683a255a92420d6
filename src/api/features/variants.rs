//! The variants of features, in all environments at once or in one.

use poem::web::Data;
use poem_openapi::{Object, OpenApi, param::Path};
use serde::Serialize;

use crate::{
    api::{
        Tag,
        answer::{EditRefusals, Fails, LookupRefusals, Out},
        author::author,
        body::{Body, Patch},
        caller::AuthenticatedCaller,
        features::{
            json_patch::{blame, patched, read_patched},
            reading::read_feature,
        },
        permitted::{InEnvironment, InProject, Permitted, need},
        version::{IfMatchHeader, Versioned},
    },
    changes::{
        feature::{Target, unused_environment},
        variants::{Environments, SetVariants, balanced, of_feature},
    },
    domain::{
        ids::{EnvironmentName, FeatureName, ProjectId},
        json_patch::JsonPatchOp,
        variant::FeatureVariant,
    },
    error::Error,
    state::State,
    store,
    wire::AtMost,
};

/// The operations on the variants of features.
#[derive(Debug)]
pub struct VariantsApi;

/// The variants of a feature.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "FeatureVariants")]
pub struct VariantsBody {
    /// Version of this format: 1.
    pub version: i64,
    /// The variants, by name.
    pub variants: Vec<FeatureVariant>,
}

/// A list of variants for several environments.
#[derive(Debug, Clone, Object)]
#[oai(rename = "FeatureVariantsInEnvironments")]
pub struct VariantsInEnvironmentsBody {
    /// The variants. Variable weights are recalculated and need not be right.
    #[oai(validator(max_items = 1000))]
    pub variants: Vec<FeatureVariant>,
    /// Names of the environments, all of which the project must use.
    #[oai(validator(min_items = 1, max_items = 1000, max_length = 100))]
    pub environments: Vec<String>,
}

#[OpenApi(tag = "Tag::Variants")]
impl VariantsApi {
    /// Get the variants of a feature
    ///
    /// The variants of the first environment, by sort order, that has any. Environments may have different variants:
    /// read those of one environment to be sure.
    #[oai(
        path = "/api/admin/projects/:projectId/features/:featureName/variants",
        method = "get",
        operation_id = "getFeatureVariants"
    )]
    async fn get_feature_variants(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "featureName")] feature_name: Path<String>,
    ) -> Result<Versioned<VariantsBody>, Fails<LookupRefusals>> {
        let (project, name) = (ProjectId::new(&project_id.0), FeatureName::new(&feature_name.0));
        let feature = read_feature(&caller, state, project, name).await?;
        let configurations = store::features::configurations::list(&state.db, feature.found.id).await?;
        Ok(Versioned(body_of(of_feature(&configurations).to_vec()), feature.version))
    }

    /// Update the variants of a feature
    ///
    /// Sets them in all environments of the feature. Variable weights are distributed evenly, regardless of the values
    /// sent; the answer has the resulting weights. Setting the current variants leaves no event.
    #[oai(
        path = "/api/admin/projects/:projectId/features/:featureName/variants",
        method = "put",
        operation_id = "overwriteFeatureVariants"
    )]
    async fn overwrite_feature_variants(
        &self,
        caller: Permitted<need::UpdateFeatureVariants, InProject>,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "featureName")] feature_name: Path<String>,
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
        body: Body<AtMost<1000, FeatureVariant>>,
    ) -> Result<Out<VariantsBody>, Fails<EditRefusals>> {
        let project = caller.project(&project_id.0).await?;
        let given = body.read()?.0;
        let set = SetVariants {
            environments: Environments::All,
            edit: |_: &[FeatureVariant]| balanced("/body", given).map(Some),
        };
        let target = Target::new(&project, &feature_name.0, &if_match);
        Ok(Out(body_of(author(&caller, state).change(target, set).await?)))
    }

    /// Update the variants of a feature with a JSON Patch
    ///
    /// Applies the operations of a JSON Patch to the list that `getFeatureVariants` returns, with paths such as
    /// `/0/weight` or `/-`, and writes the result to all environments; all operations or none take effect. An error
    /// message names the operation that caused it.
    #[oai(
        path = "/api/admin/projects/:projectId/features/:featureName/variants",
        method = "patch",
        operation_id = "patchFeatureVariants"
    )]
    async fn patch_feature_variants(
        &self,
        caller: Permitted<need::UpdateFeatureVariants, InProject>,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "featureName")] feature_name: Path<String>,
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
        body: Body<AtMost<100, JsonPatchOp>, Patch>,
    ) -> Result<Out<VariantsBody>, Fails<EditRefusals>> {
        let project = caller.project(&project_id.0).await?;
        let ops = body.read()?.0;
        let set = SetVariants {
            environments: Environments::All,
            edit: |before: &[FeatureVariant]| after_patch(before, &ops),
        };
        let target = Target::new(&project, &feature_name.0, &if_match);
        Ok(Out(body_of(author(&caller, state).change(target, set).await?)))
    }

    /// Get the variants of a feature in an environment
    ///
    /// 404 where the project does not use the environment.
    #[oai(
        path = "/api/admin/projects/:projectId/features/:featureName/environments/:environment/variants",
        method = "get",
        operation_id = "getEnvironmentFeatureVariants"
    )]
    async fn get_environment_feature_variants(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "featureName")] feature_name: Path<String>,
        environment: Path<String>,
    ) -> Result<Versioned<VariantsBody>, Fails<LookupRefusals>> {
        let (project, name) = (ProjectId::new(&project_id.0), FeatureName::new(&feature_name.0));
        let feature = read_feature(&caller, state, project, name).await?;
        let found = store::features::configurations::find(&state.db, feature.found.id, &environment.0).await?;
        let environment = EnvironmentName::new(&environment.0);
        let unused = || Error::NotFound(unused_environment(feature.project.as_id(), environment));
        Ok(Versioned(body_of(found.ok_or_else(unused)?.variants), feature.version))
    }

    /// Update the variants of a feature in an environment
    ///
    /// Variable weights are distributed evenly, regardless of the values sent; the answer has the resulting weights.
    /// Setting the current variants leaves no event.
    #[oai(
        path = "/api/admin/projects/:projectId/features/:featureName/environments/:environment/variants",
        method = "put",
        operation_id = "overwriteEnvironmentFeatureVariants"
    )]
    #[expect(clippy::too_many_arguments, reason = "each is a parameter of the operation")]
    async fn overwrite_environment_feature_variants(
        &self,
        caller: Permitted<need::UpdateFeatureEnvironmentVariants, InEnvironment>,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "featureName")] feature_name: Path<String>,
        environment: Path<String>,
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
        body: Body<AtMost<1000, FeatureVariant>>,
    ) -> Result<Out<VariantsBody>, Fails<EditRefusals>> {
        let (project, named) = (ProjectId::new(&project_id.0), EnvironmentName::new(&environment.0));
        let project = caller.project(project, named).await?;
        let given = body.read()?.0;
        let set = SetVariants {
            environments: Environments::One(&environment.0),
            edit: |_: &[FeatureVariant]| balanced("/body", given).map(Some),
        };
        let target = Target::new(&project, &feature_name.0, &if_match);
        Ok(Out(body_of(author(&caller, state).change(target, set).await?)))
    }

    /// Update the variants of a feature in an environment with a JSON Patch
    ///
    /// Applies the operations of a JSON Patch to the list of variants, with paths such as `/0/weight` or `/-`; all or
    /// none take effect. An error message names the operation that caused it.
    #[oai(
        path = "/api/admin/projects/:projectId/features/:featureName/environments/:environment/variants",
        method = "patch",
        operation_id = "patchEnvironmentsFeatureVariants"
    )]
    #[expect(clippy::too_many_arguments, reason = "each is a parameter of the operation")]
    async fn patch_environments_feature_variants(
        &self,
        caller: Permitted<need::UpdateFeatureEnvironmentVariants, InEnvironment>,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "featureName")] feature_name: Path<String>,
        environment: Path<String>,
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
        body: Body<AtMost<100, JsonPatchOp>, Patch>,
    ) -> Result<Out<VariantsBody>, Fails<EditRefusals>> {
        let (project, named) = (ProjectId::new(&project_id.0), EnvironmentName::new(&environment.0));
        let project = caller.project(project, named).await?;
        let ops = body.read()?.0;
        let set = SetVariants {
            environments: Environments::One(&environment.0),
            edit: |before: &[FeatureVariant]| after_patch(before, &ops),
        };
        let target = Target::new(&project, &feature_name.0, &if_match);
        Ok(Out(body_of(author(&caller, state).change(target, set).await?)))
    }

    /// Update the variants of a feature in several environments
    ///
    /// Each environment gets the same list, with an event of its own unless it had that list already; all or none take
    /// effect. The permission is needed in each of the environments.
    #[oai(
        path = "/api/admin/projects/:projectId/features/:featureName/variants-batch",
        method = "put",
        operation_id = "overwriteFeatureVariantsOnEnvironments"
    )]
    async fn overwrite_feature_variants_on_environments(
        &self,
        caller: Permitted<need::UpdateFeatureEnvironmentVariants, InEnvironment>,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "featureName")] feature_name: Path<String>,
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
        body: Body<VariantsInEnvironmentsBody>,
    ) -> Result<Out<VariantsBody>, Fails<EditRefusals>> {
        let project = caller.project_somewhere(&project_id.0).await?;
        let VariantsInEnvironmentsBody { variants, environments } = body.read()?;
        for environment in &environments {
            caller.require_in(&project, environment)?;
        }
        let set = SetVariants {
            environments: Environments::Some(&environments),
            edit: |_: &[FeatureVariant]| balanced("/body/variants", variants).map(Some),
        };
        let target = Target::new(&project, &feature_name.0, &if_match);
        Ok(Out(body_of(author(&caller, state).change(target, set).await?)))
    }
}

fn body_of(variants: Vec<FeatureVariant>) -> VariantsBody {
    VariantsBody { version: 1, variants }
}

/// The variants that a patch makes; none when it changes nothing.
fn after_patch(before: &[FeatureVariant], ops: &[JsonPatchOp]) -> Result<Option<Vec<FeatureVariant>>, Error> {
    let document = serde_json::to_value(before).map_err(Error::internal)?;
    let outcome = patched(&document, ops)?;
    if outcome == document {
        return Ok(None);
    }
    let given: AtMost<1000, FeatureVariant> = read_patched(&outcome, ops)?;
    balanced("/body", given.0).map(Some).map_err(|error| blame(ops, error))
}
