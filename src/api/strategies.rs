//! The strategies of features in environments.

mod change;
pub mod constraints;
pub mod segments;
pub mod types;

use std::collections::HashMap;

use poem::web::Data;
use poem_openapi::{OpenApi, param::Path};
use uuid::Uuid;

use self::change::{NewStrategyBody, StrategyChangeBody, StrategyPositionBody, check_members, whole_change};
pub use self::change::{admitted, replace, settle, unusable_variants};
use crate::{
    access::Caller,
    api::{
        Tag,
        answer::{Done, EditRefusals, Fails, LookupRefusals, Out, RemoveRefusals},
        body::{Body, Patch},
        features::{
            access::{FeatureWrite, read_feature, unused_environment},
            json_patch::{blame, patched},
        },
        permitted::{InEnvironment, Permitted, need},
        version::{IfMatch, Versioned},
    },
    config::admit_one_more,
    domain::{
        event_kind::EventKind,
        json_patch::JsonPatchOp,
        strategy::{FeatureStrategy, StrategyDefinition},
        strategy_id,
    },
    error::Error,
    state::State,
    store,
    wire::{AtMost, Number},
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
        caller: Caller,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "featureName")] feature_name: Path<String>,
        environment: Path<String>,
    ) -> Result<Versioned<Vec<FeatureStrategy>>, Fails<LookupRefusals>> {
        let feature = read_feature(&caller, state, &project_id.0, &feature_name.0).await?;
        if store::features::configurations::find(&state.db, feature.found.id, &environment.0).await?.is_none() {
            return Err(Error::NotFound(unused_environment(feature.project.id(), &environment.0)).into());
        }
        let strategies = store::strategies::list(&state.db, feature.found.id, &feature_name.0, &environment.0).await?;
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
        #[oai(name = "If-Match")] if_match: IfMatch,
        body: Body<NewStrategyBody>,
    ) -> Result<Out<FeatureStrategy>, Fails<EditRefusals>> {
        let environment = &environment.0;
        let project = caller.project(&project_id.0, environment).await?;
        let new = body.read()?;
        let write = FeatureWrite::begin(&caller, state, &project, &feature_name.0, &if_match).await?;
        let feature_id = write.held.id;
        if store::features::configurations::find(&write.tx, feature_id, environment).await?.is_none() {
            return Err(Error::invalid("/path/environment", unused_environment(project.id(), environment)).into());
        }
        let present = store::strategies::count(&write.tx, feature_id, environment).await?;
        admit_one_more("strategy of the feature in the environment", present, state.config.limits.strategies)?;
        let stickiness = store::strategies::default_stickiness(&write.tx, project.id()).await?;
        let new = new.definition(present).with_default_parameters(&feature_name.0, &stickiness);
        let new = settle(&write, state, &project, None, new).await?;
        let id = store::strategies::add(&write.tx, feature_id, environment, &new, write.now).await?;
        let event = write.event_in(EventKind::FeatureStrategyAdd, environment).with_data(&new.shown(id, None));
        write.commit(vec![event]).await?;
        Ok(Out(new.shown(id, Some(&feature_name.0))))
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
        #[oai(name = "If-Match")] if_match: IfMatch,
        body: Body<AtMost<1000, StrategyPositionBody>>,
    ) -> Result<Done, Fails<EditRefusals>> {
        let environment = &environment.0;
        let project = caller.project(&project_id.0, environment).await?;
        let positions = body.read()?.0;
        let write = FeatureWrite::begin(&caller, state, &project, &feature_name.0, &if_match).await?;
        write.configuration(environment).await?;
        let before = store::strategies::list(&write.tx, write.held.id, &feature_name.0, environment).await?;
        let changed = positions_that_differ(&before, &positions)?;
        if changed.is_empty() {
            return Ok(Done);
        }
        store::strategies::set_positions(&write.tx, write.held.id, environment, &changed).await?;
        let after = store::strategies::list(&write.tx, write.held.id, &feature_name.0, environment).await?;
        let event = write.event_in(EventKind::StrategyOrderChanged, environment);
        let event = event.with_data(&ids_in_order(&after)).with_pre_data(&ids_in_order(&before));
        write.commit(vec![event]).await?;
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
        caller: Caller,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "featureName")] feature_name: Path<String>,
        environment: Path<String>,
        #[oai(name = "strategyId")] strategy_id: Path<String>,
    ) -> Result<Versioned<FeatureStrategy>, Fails<LookupRefusals>> {
        let feature = read_feature(&caller, state, &project_id.0, &feature_name.0).await?;
        let found = match strategy_id::parse(&strategy_id.0) {
            Some(id) => {
                store::strategies::find(&state.db, feature.found.id, &feature_name.0, &environment.0, id).await?
            }
            None => None,
        };
        let found = found.ok_or_else(|| unknown_strategy(&strategy_id.0, &environment.0))?;
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
        #[oai(name = "If-Match")] if_match: IfMatch,
        body: Body<StrategyChangeBody>,
    ) -> Result<Out<FeatureStrategy>, Fails<EditRefusals>> {
        let environment = &environment.0;
        let project = caller.project(&project_id.0, environment).await?;
        let change = body.read()?;
        let write = FeatureWrite::begin(&caller, state, &project, &feature_name.0, &if_match).await?;
        let (id, before) = stored(&write, environment, &strategy_id.0).await?;
        let before = StrategyDefinition::from(before);
        let after = settle(&write, state, &project, Some(&before), change.apply_to(&before)).await?;
        Ok(Out(replace(write, environment, id, &before, &after).await?))
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
        #[oai(name = "If-Match")] if_match: IfMatch,
        body: Body<AtMost<100, JsonPatchOp>, Patch>,
    ) -> Result<Out<FeatureStrategy>, Fails<EditRefusals>> {
        let environment = &environment.0;
        let project = caller.project(&project_id.0, environment).await?;
        let ops = body.read()?.0;
        let write = FeatureWrite::begin(&caller, state, &project, &feature_name.0, &if_match).await?;
        let (id, before) = stored(&write, environment, &strategy_id.0).await?;
        let document = serde_json::to_value(&before).map_err(Error::internal)?;
        let outcome = patched(&document, &ops)?;
        let before = StrategyDefinition::from(before);
        if outcome == document {
            return Ok(Out(before.shown(id, Some(&feature_name.0))));
        }
        check_members(&document, &outcome).map_err(|error| blame(&ops, error))?;
        let after = whole_change(&outcome, &ops, &before)?;
        let settled = settle(&write, state, &project, Some(&before), after).await;
        let after = settled.map_err(|error| blame(&ops, error))?;
        Ok(Out(replace(write, environment, id, &before, &after).await?))
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
        #[oai(name = "If-Match")] if_match: IfMatch,
    ) -> Result<Done, Fails<RemoveRefusals>> {
        let environment = &environment.0;
        let project = caller.project(&project_id.0, environment).await?;
        let write = FeatureWrite::begin(&caller, state, &project, &feature_name.0, &if_match).await?;
        let (id, before) = stored(&write, environment, &strategy_id.0).await?;
        store::strategies::remove(&write.tx, write.held.id, environment, id).await?;
        let mut events: Vec<_> = write.switch_off_without_strategies(environment).await?.into_iter().collect();
        let removed = write.event_in(EventKind::FeatureStrategyRemove, environment);
        events.push(removed.with_pre_data(&StrategyDefinition::from(before).shown(id, None)));
        write.commit(events).await?;
        Ok(Done)
    }
}

fn unknown_strategy(id: &str, environment: &str) -> Error {
    Error::NotFound(format!("The feature has no strategy with the id \"{id}\" in the environment \"{environment}\"."))
}

/// A strategy of the feature that is about to be changed.
async fn stored(write: &FeatureWrite<'_>, environment: &str, strategy: &str) -> Result<(Uuid, FeatureStrategy), Error> {
    let unknown = || unknown_strategy(strategy, environment);
    let id = strategy_id::parse(strategy).ok_or_else(unknown)?;
    let found = store::strategies::find(&write.tx, write.held.id, write.name(), environment, id).await?;
    Ok((id, found.ok_or_else(unknown)?))
}

/// Returns the positions that differ from the stored ones: 400 for an id that is unknown or named twice.
fn positions_that_differ(
    before: &[FeatureStrategy],
    positions: &[StrategyPositionBody],
) -> Result<Vec<(Uuid, i64)>, Error> {
    let mut stored: HashMap<Uuid, Option<i64>> = before
        .iter()
        .filter_map(|strategy| Some((strategy.id?.0, strategy.sort_order.and_then(Number::whole))))
        .collect();
    let mut changed = Vec::new();
    for (index, position) in positions.iter().enumerate() {
        let named = strategy_id::parse(&position.id);
        let Some((id, held)) = named.and_then(|id| stored.remove_entry(&id)) else {
            let path = format!("/body/{index}/id");
            let rule = "must be the id of a strategy of the feature in the environment, each named once";
            return Err(Error::property(path, rule));
        };
        if held != Some(position.sort_order) {
            changed.push((id, position.sort_order));
        }
    }
    Ok(changed)
}

fn ids_in_order(strategies: &[FeatureStrategy]) -> serde_json::Value {
    let ids: Vec<_> = strategies.iter().map(|strategy| strategy.id).collect();
    serde_json::json!({ "strategyIds": ids })
}
