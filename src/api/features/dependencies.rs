//! Dependencies between features.

use poem::web::Data;
use poem_openapi::{Object, OpenApi, param::Path};
use serde::Serialize;

use crate::{
    api::{
        Tag,
        answer::{Done, EditRefusals, Fails, LookupRefusals, Out, QueryRefusals, RemoveRefusals},
        author::author,
        body::Body,
        caller::AuthenticatedCaller,
        features::reading::read_feature,
        permitted::{InProject, Permitted, need},
        version::{IfMatchHeader, Versioned},
    },
    changes::{
        dependencies::{AddDependency, DeleteDependencies, DeleteDependency},
        feature::Target,
    },
    domain::{
        ids::{FeatureName, ProjectId},
        text::is_longer,
    },
    error::Error,
    state::State,
    store,
};

/// The operations on dependencies between features.
#[derive(Debug)]
pub struct DependenciesApi;

/// Most characters of the name of a variant.
const MAX_VARIANT_NAME: usize = 100;

/// A dependency to add to a feature.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "AddFeatureDependency", rename_all = "camelCase")]
pub struct NewDependencyBody {
    /// Name of the parent: another feature of the same project that is not archived.
    #[oai(validator(min_length = 1, max_length = 100))]
    pub feature: String,
    /// Whether the parent must be enabled; with false it must be disabled. Absent means true.
    pub enabled: Option<bool>,
    /// Names of variants, of 1 to 100 characters, one of which the parent must resolve to. Absent or empty means any;
    /// ignored when `enabled` is false.
    #[oai(validator(max_items = 1000, max_length = 100))]
    pub variants: Option<Vec<String>>,
}

#[OpenApi(tag = "Tag::Dependencies")]
impl DependenciesApi {
    /// Add a dependency to a feature
    ///
    /// SDKs then evaluate the feature as off unless its parent is in the required state. An existing dependency on the
    /// same parent is updated. A parent must belong to the same project, not be archived, and have no parent itself:
    /// anything else is 403, and a parent that does not exist or is archived 400. Adding a dependency that exists leaves
    /// no event.
    #[oai(
        path = "/api/admin/projects/:projectId/features/:featureName/dependencies",
        method = "post",
        operation_id = "addFeatureDependency"
    )]
    async fn add_feature_dependency(
        &self,
        caller: Permitted<need::UpdateFeatureDependency, InProject>,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "featureName")] feature_name: Path<String>,
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
        body: Body<NewDependencyBody>,
    ) -> Result<Done, Fails<EditRefusals>> {
        let project = caller.project(&project_id.0).await?;
        let given = body.read()?;
        let (parent, enabled) = (given.feature, given.enabled.unwrap_or(true));
        let variants = given.variants.filter(|_| enabled).unwrap_or_default();
        check_names(&variants)?;
        let visibility = caller.visibility().await?;
        let add = AddDependency { parent, enabled, variants, visibility: &visibility };
        author(&caller, state).change(Target::new(&project, &feature_name.0, &if_match), add).await?;
        Ok(Done)
    }

    /// Delete a dependency of a feature
    ///
    /// A parent that the feature does not depend on changes nothing and leaves no event.
    #[oai(
        path = "/api/admin/projects/:projectId/features/:featureName/dependencies/:parent",
        method = "delete",
        operation_id = "deleteFeatureDependency"
    )]
    async fn delete_feature_dependency(
        &self,
        caller: Permitted<need::UpdateFeatureDependency, InProject>,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "featureName")] feature_name: Path<String>,
        /// Name of the feature that it depends on.
        parent: Path<String>,
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
    ) -> Result<Done, Fails<RemoveRefusals>> {
        let project = caller.project(&project_id.0).await?;
        let delete = DeleteDependency { parent: &parent.0 };
        author(&caller, state).change(Target::new(&project, &feature_name.0, &if_match), delete).await?;
        Ok(Done)
    }

    /// Delete all dependencies of a feature
    ///
    /// A feature without dependencies stays as it is, without an event.
    #[oai(
        path = "/api/admin/projects/:projectId/features/:featureName/dependencies",
        method = "delete",
        operation_id = "deleteFeatureDependencies"
    )]
    async fn delete_feature_dependencies(
        &self,
        caller: Permitted<need::UpdateFeatureDependency, InProject>,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "featureName")] feature_name: Path<String>,
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
    ) -> Result<Done, Fails<RemoveRefusals>> {
        let project = caller.project(&project_id.0).await?;
        let target = Target::new(&project, &feature_name.0, &if_match);
        author(&caller, state).change(target, DeleteDependencies).await?;
        Ok(Done)
    }

    /// List the possible parents of a feature
    ///
    /// Names of the features that it can depend on: the other features of its project that are not archived and have no
    /// parent. None when other features depend on it.
    #[oai(
        path = "/api/admin/projects/:projectId/features/:featureName/parents",
        method = "get",
        operation_id = "listParentOptions"
    )]
    async fn list_parent_options(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "featureName")] feature_name: Path<String>,
    ) -> Result<Out<Vec<String>>, Fails<LookupRefusals>> {
        let (project, name) = (ProjectId::new(&project_id.0), FeatureName::new(&feature_name.0));
        let feature = read_feature(&caller, state, project, name).await?;
        Ok(Out(store::features::parents::possible_parents(&state.db, &feature.project, feature.found.id).await?))
    }

    /// List the variants of a possible parent
    ///
    /// Names of all variants that the feature can resolve to in any environment: its own and those of its strategies. A
    /// feature that does not exist has none; this is no error, since consoles ask before a parent is chosen.
    #[oai(
        path = "/api/admin/projects/:projectId/features/:featureName/parent-variants",
        method = "get",
        operation_id = "listParentVariantOptions"
    )]
    async fn list_parent_variant_options(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        /// Name of the feature that others may depend on.
        #[oai(name = "featureName")]
        feature_name: Path<String>,
    ) -> Result<Versioned<Vec<String>>, Fails<QueryRefusals>> {
        let (project, name) = (ProjectId::new(&project_id.0), FeatureName::new(&feature_name.0));
        let feature = match read_feature(&caller, state, project, name).await {
            Err(Error::NotFound(_)) => return Ok(Versioned::whole(Vec::new())),
            feature => feature?,
        };
        let names = store::features::parents::variant_names(&state.db, feature.found.id).await?;
        Ok(Versioned(names, feature.version))
    }

    /// Check whether a project has dependencies
    ///
    /// Whether any feature of the project that is not archived depends on another: a bare `true` or `false`.
    #[oai(
        path = "/api/admin/projects/:projectId/dependencies",
        method = "get",
        operation_id = "checkDependenciesExist"
    )]
    async fn check_dependencies_exist(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
    ) -> Result<Out<bool>, Fails<LookupRefusals>> {
        let project = caller.visible_project(&project_id.0).await?;
        Ok(Out(store::features::parents::is_any_in(&state.db, &project).await?))
    }
}

fn check_names(variants: &[String]) -> Result<(), Error> {
    let Some(index) = variants.iter().position(|name| name.is_empty() || is_longer(name, MAX_VARIANT_NAME)) else {
        return Ok(());
    };
    Err(Error::property(format!("/body/variants/{index}"), format!("must have 1 to {MAX_VARIANT_NAME} characters")))
}
