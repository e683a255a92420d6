//! The strategies of features in environments.

pub mod change;
pub mod constraints;
pub mod segments;
pub mod types;

use poem::web::Data;
use poem_openapi::{OpenApi, param::Path};

use self::change::{NewStrategyBody, StrategyChangeBody, StrategyPatch, StrategyPositionBody};
use crate::{
    api::{
        Tag,
        answer::{Done, EditRefusals, Fails, LookupRefusals, Out, RemoveRefusals},
        author::author,
        body::{Body, Patch},
        caller::AuthenticatedCaller,
        features::{json_patch::blame, reading::read_feature},
        permitted::{InEnvironment, Permitted, need},
        version::{IfMatchHeader, Versioned},
    },
    changes::{
        feature::{Target, unused_environment},
        strategies::{AddStrategy, DeleteStrategy, OrderStrategies, UpdateStrategy, unknown_strategy},
    },
    domain::{
        ids::{EnvironmentName, FeatureName, ProjectId},
        json_patch::JsonPatchOp,
        strategy::FeatureStrategy,
        strategy_id,
    },
    error::Error,
    state::State,
    store,
    wire::AtMost,
};

/// The operations on the strategies of features.
#[derive(Debug)]
pub struct StrategiesApi;

/// The operations in this folder and this file.
pub fn operations() -> impl OpenApi {
    (StrategiesApi, constraints::ConstraintsApi, segments::StrategySegmentsApi, types::StrategyTypesApi)
}

#[OpenApi(tag = "Tag::Strategies")]
impl StrategiesApi {
    /// List the strategies of a feature in an environment
    ///
    /// In sort order. Every caller who can see the project may read them. 404 when the project does not use the
    /// environment.
    #[oai(
        path = "/api/admin/projects/:projectId/features/:featureName/environments/:environment/strategies",
        method = "get",
        operation_id = "getFeatureStrategies"
    )]
    async fn get_feature_strategies(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "featureName")] feature_name: Path<String>,
        environment: Path<String>,
    ) -> Result<Versioned<Vec<FeatureStrategy>>, Fails<LookupRefusals>> {
        let (name, place) = (FeatureName::new(&feature_name.0), EnvironmentName::new(&environment.0));
        let feature = read_feature(&caller, state, ProjectId::new(&project_id.0), name).await?;
        if store::features::configurations::find(&state.db, feature.found.id, &environment.0).await?.is_none() {
            return Err(Error::NotFound(unused_environment(feature.project.as_id(), place)).into());
        }
        let strategies = store::strategies::list(&state.db, feature.found.id, name, place).await?;
        Ok(Versioned(strategies, feature.version))
    }

    /// Create a strategy
    ///
    /// Adds a strategy to a feature in an environment. Missing parameters of a `flexibleRollout` are filled in. The
    /// server limits the number of strategies and the size of each. An environment that the project does not use is
    /// 400, a constraint on an unknown context field 404.
    #[oai(
        path = "/api/admin/projects/:projectId/features/:featureName/environments/:environment/strategies",
        method = "post",
        operation_id = "addFeatureStrategy"
    )]
    #[expect(clippy::too_many_arguments, reason = "each is a parameter of the operation")]
    async fn add_feature_strategy(
        &self,
        caller: Permitted<need::CreateFeatureStrategy, InEnvironment>,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "featureName")] feature_name: Path<String>,
        environment: Path<String>,
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
        body: Body<NewStrategyBody>,
    ) -> Result<Out<FeatureStrategy>, Fails<EditRefusals>> {
        let environment = &environment.0;
        let project = caller.project(ProjectId::new(&project_id.0), EnvironmentName::new(environment)).await?;
        let new = body.read()?;
        let comes_last = new.sort_order.is_none();
        let add = AddStrategy { environment, strategy: new.definition(), comes_last };
        Ok(Out(author(&caller, state).change(Target::new(&project, &feature_name.0, &if_match), add).await?))
    }

    /// Update the order of strategies
    ///
    /// Sets the positions of strategies of a feature in an environment; strategies that are not listed keep theirs.
    /// Every id must belong to a strategy there. Unchanged positions leave no event.
    #[oai(
        path = "/api/admin/projects/:projectId/features/:featureName/environments/:environment/strategies/set-sort-order",
        method = "post",
        operation_id = "setStrategySortOrder"
    )]
    #[expect(clippy::too_many_arguments, reason = "each is a parameter of the operation")]
    async fn set_strategy_sort_order(
        &self,
        caller: Permitted<need::UpdateFeatureStrategy, InEnvironment>,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "featureName")] feature_name: Path<String>,
        environment: Path<String>,
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
        body: Body<AtMost<1000, StrategyPositionBody>>,
    ) -> Result<Done, Fails<EditRefusals>> {
        let environment = &environment.0;
        let project = caller.project(ProjectId::new(&project_id.0), EnvironmentName::new(environment)).await?;
        let positions = body.read()?.0.into_iter().map(|position| (position.id, position.sort_order)).collect();
        let order = OrderStrategies { environment, positions };
        author(&caller, state).change(Target::new(&project, &feature_name.0, &if_match), order).await?;
        Ok(Done)
    }

    /// Get a strategy
    ///
    /// Every caller who can see the project may read it.
    #[oai(
        path = "/api/admin/projects/:projectId/features/:featureName/environments/:environment/strategies/:strategyId",
        method = "get",
        operation_id = "getFeatureStrategy"
    )]
    async fn get_feature_strategy(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "featureName")] feature_name: Path<String>,
        environment: Path<String>,
        #[oai(name = "strategyId")] strategy_id: Path<String>,
    ) -> Result<Versioned<FeatureStrategy>, Fails<LookupRefusals>> {
        let (name, place) = (FeatureName::new(&feature_name.0), EnvironmentName::new(&environment.0));
        let feature = read_feature(&caller, state, ProjectId::new(&project_id.0), name).await?;
        let found = match strategy_id::parse(&strategy_id.0) {
            Some(id) => store::strategies::find(&state.db, feature.found.id, name, place, id).await?,
            None => None,
        };
        let found = found.ok_or_else(|| unknown_strategy(&strategy_id.0, place))?;
        Ok(Versioned(found, feature.version))
    }

    /// Update a strategy
    ///
    /// Absent `constraints` and `variants` are cleared; other absent properties stay as they are. A strategy that
    /// exceeds a limit may stay so, but not grow. A change that leaves no enabled strategy in the environment disables
    /// the feature there. A request that changes nothing leaves no event.
    #[oai(
        path = "/api/admin/projects/:projectId/features/:featureName/environments/:environment/strategies/:strategyId",
        method = "put",
        operation_id = "updateFeatureStrategy"
    )]
    #[expect(clippy::too_many_arguments, reason = "each is a parameter of the operation")]
    async fn update_feature_strategy(
        &self,
        caller: Permitted<need::UpdateFeatureStrategy, InEnvironment>,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "featureName")] feature_name: Path<String>,
        environment: Path<String>,
        #[oai(name = "strategyId")] strategy_id: Path<String>,
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
        body: Body<StrategyChangeBody>,
    ) -> Result<Out<FeatureStrategy>, Fails<EditRefusals>> {
        let environment = &environment.0;
        let project = caller.project(ProjectId::new(&project_id.0), EnvironmentName::new(environment)).await?;
        let edit = body.read()?.replacement();
        let update = UpdateStrategy { environment, id: &strategy_id.0, edit, blame: |error| error };
        Ok(Out(author(&caller, state).change(Target::new(&project, &feature_name.0, &if_match), update).await?))
    }

    /// Update a strategy with a JSON Patch
    ///
    /// Applies the operations of a JSON Patch in order to the strategy as `getFeatureStrategy` returns it; all or none
    /// take effect. `/id` and `/featureName` cannot be changed. The result must follow the same rules as in
    /// `updateFeatureStrategy`, and has the same effects; an error message names the operation that caused it.
    #[oai(
        path = "/api/admin/projects/:projectId/features/:featureName/environments/:environment/strategies/:strategyId",
        method = "patch",
        operation_id = "patchFeatureStrategy"
    )]
    #[expect(clippy::too_many_arguments, reason = "each is a parameter of the operation")]
    async fn patch_feature_strategy(
        &self,
        caller: Permitted<need::UpdateFeatureStrategy, InEnvironment>,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "featureName")] feature_name: Path<String>,
        environment: Path<String>,
        #[oai(name = "strategyId")] strategy_id: Path<String>,
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
        body: Body<AtMost<100, JsonPatchOp>, Patch>,
    ) -> Result<Out<FeatureStrategy>, Fails<EditRefusals>> {
        let environment = &environment.0;
        let project = caller.project(ProjectId::new(&project_id.0), EnvironmentName::new(environment)).await?;
        let patch = StrategyPatch(body.read()?.0);
        let blamed = |error| blame(&patch.0, error);
        let update = UpdateStrategy { environment, id: &strategy_id.0, edit: &patch, blame: blamed };
        Ok(Out(author(&caller, state).change(Target::new(&project, &feature_name.0, &if_match), update).await?))
    }

    /// Delete a strategy
    ///
    /// When no enabled strategy is left, the feature is disabled in the environment.
    #[oai(
        path = "/api/admin/projects/:projectId/features/:featureName/environments/:environment/strategies/:strategyId",
        method = "delete",
        operation_id = "deleteFeatureStrategy"
    )]
    #[expect(clippy::too_many_arguments, reason = "each is a parameter of the operation")]
    async fn delete_feature_strategy(
        &self,
        caller: Permitted<need::DeleteFeatureStrategy, InEnvironment>,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "featureName")] feature_name: Path<String>,
        environment: Path<String>,
        #[oai(name = "strategyId")] strategy_id: Path<String>,
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
    ) -> Result<Done, Fails<RemoveRefusals>> {
        let environment = &environment.0;
        let project = caller.project(ProjectId::new(&project_id.0), EnvironmentName::new(environment)).await?;
        let delete = DeleteStrategy { environment, id: &strategy_id.0 };
        author(&caller, state).change(Target::new(&project, &feature_name.0, &if_match), delete).await?;
        Ok(Done)
    }
}
