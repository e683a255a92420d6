//! Segments that strategies apply, from either side.

use poem::web::Data;
use poem_openapi::{Object, OpenApi, param::Path};
use serde::Serialize;

use crate::{
    api::{
        Tag,
        answer::{Created, EditRefusals, Fails, LookupRefusals, Out},
        author::author,
        body::Body,
        caller::AuthenticatedCaller,
        permitted::{InEnvironment, Permitted, need},
        segments::SegmentsBody,
        version::IfMatchHeader,
    },
    changes::{
        feature::Target,
        segments::visible,
        strategies::{StrategyEdit, UpdateStrategy},
    },
    domain::{
        ids::{EnvironmentName, ProjectId},
        strategy::{FeatureStrategy, StrategyDefinition},
        strategy_id,
        strategy_use::StrategyUse,
    },
    error::Error,
    state::State,
    store::{
        self,
        change_requests::segment_uses::{self, SegmentUse},
    },
    wire::Nullable,
};

/// The operations on the segments of strategies.
#[derive(Debug)]
pub struct StrategySegmentsApi;

/// The segments of a strategy.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "UpdateFeatureStrategySegments", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct StrategySegmentsBody {
    /// Id of the project that owns the feature.
    #[oai(validator(max_length = 100))]
    pub project_id: String,
    /// Environment of the strategy.
    #[oai(validator(max_length = 100))]
    pub environment_id: String,
    /// Id of the strategy.
    #[oai(validator(pattern = r"^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$"))]
    pub strategy_id: String,
    /// Ids of the segments that must all match, at most 1000, which replace all others. Each must exist and be usable
    /// in the project.
    #[oai(validator(max_items = 1000, minimum(value = "1")))]
    pub segment_ids: Vec<i64>,
}

/// The strategies that use a segment.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "SegmentStrategies", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct SegmentStrategiesBody {
    /// The strategies, by feature, environment and id.
    pub strategies: Vec<StrategyUse>,
    /// Strategies that open change requests would add or change and that would use the segment, in the order in which
    /// these changes were recorded.
    pub change_request_strategies: Vec<ChangeRequestStrategyBody>,
}

/// A strategy that an open change request would add or change.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "ChangeRequestStrategyUse", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct ChangeRequestStrategyBody {
    /// Id of the strategy; absent while the change request would add it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Name of the feature.
    pub feature_name: String,
    /// Id of the feature's project.
    pub project_id: String,
    /// Environment of the strategy.
    pub environment: String,
    /// Name of the strategy type.
    pub strategy_name: String,
    /// The change request.
    pub change_request: ProposingChangeRequestBody,
}

/// A change request, by its id.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "ProposingChangeRequest", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct ProposingChangeRequestBody {
    /// Id of the change request.
    #[oai(validator(minimum(value = "1")))]
    pub id: i64,
    /// Title that a user gave the change request; `null` without one.
    pub title: Nullable<String>,
}

impl From<SegmentUse> for ChangeRequestStrategyBody {
    fn from(found: SegmentUse) -> Self {
        Self {
            id: found.strategy_id.map(|id| id.to_string()),
            feature_name: found.feature,
            project_id: found.project,
            environment: found.environment,
            strategy_name: found.strategy,
            change_request: ProposingChangeRequestBody { id: found.change_request_id, title: found.title.into() },
        }
    }
}

#[OpenApi(tag = "Tag::Segments")]
impl StrategySegmentsApi {
    /// Update the segments of a strategy
    ///
    /// Replaces the segments that the strategy uses. Setting the current segments leaves no event.
    #[oai(path = "/api/admin/segments/strategies", method = "post", operation_id = "updateFeatureStrategySegments")]
    async fn update_feature_strategy_segments(
        &self,
        caller: Permitted<need::UpdateFeatureStrategy, InEnvironment>,
        Data(state): Data<&State>,
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
        body: Body<StrategySegmentsBody>,
    ) -> Result<Created<StrategySegmentsBody>, Fails<EditRefusals>> {
        caller.require_somewhere()?;
        let body = body.read()?;
        let environment = &*body.environment_id;
        let id = strategy_id::parse(&body.strategy_id)
            .ok_or_else(|| Error::property("/body/strategyId", "must be the id of a strategy"))?;
        let (project, place) = (ProjectId::new(&body.project_id), EnvironmentName::new(environment));
        let project = caller.project(project, place).await;
        let project = project.map_err(|error| error.named_in("/body/projectId", "project", &body.project_id))?;
        let missing = || {
            let rule = format!("names the strategy {id}, which does not exist in \"{environment}\" of this project");
            Error::property("/body/strategyId", rule)
        };
        let place = store::strategies::uses::find(&state.db, id).await?;
        let place = place.filter(|place| place.project_id == project.id() && place.environment == environment);
        let feature = place.ok_or_else(missing)?.feature_name;
        let edit = ReplacedSegments(&body.segment_ids);
        let update = UpdateStrategy { environment, id: &body.strategy_id, edit, blame: renamed };
        author(&caller, state).change(Target::new(&project, &feature, &if_match), update).await?;
        Ok(Created(body))
    }

    /// List the segments of a strategy
    ///
    /// The answer leaves out usage counts. 404 for a strategy of a project that is hidden from the caller.
    #[oai(
        path = "/api/admin/segments/strategies/:strategyId",
        method = "get",
        operation_id = "getSegmentsByStrategyId"
    )]
    async fn get_segments_by_strategy_id(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        #[oai(name = "strategyId")] strategy_id: Path<String>,
    ) -> Result<Out<SegmentsBody>, Fails<LookupRefusals>> {
        let visibility = caller.visibility().await?;
        let place = match strategy_id::parse(&strategy_id.0) {
            Some(id) => store::strategies::uses::find(&state.db, id).await?,
            None => None,
        };
        let place = place.filter(|place| visibility.admits(&place.project_id));
        let place = place.ok_or_else(|| Error::not_found("strategy", &strategy_id.0))?;
        Ok(Out(SegmentsBody { segments: store::segments::of_strategy(&state.db, &place.id, &visibility).await? }))
    }

    /// List the strategies that use a segment
    ///
    /// Archived features included, and strategies that open change requests would add or change; what is hidden from the
    /// caller is left out, such as drafts of others.
    #[oai(
        path = "/api/admin/segments/:segmentId/strategies",
        method = "get",
        operation_id = "getStrategiesBySegmentId"
    )]
    async fn get_strategies_by_segment_id(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        #[oai(name = "segmentId")] id: Path<i64>,
    ) -> Result<Out<SegmentStrategiesBody>, Fails<LookupRefusals>> {
        visible(&caller, store::segments::find(&state.db, id.0).await?, id.0).await?;
        let visibility = caller.visibility().await?;
        let strategies = store::strategies::uses::of_segment(&state.db, id.0, &visibility).await?;
        let proposed = segment_uses::list(&state.db, id.0, &visibility, caller.user_id()).await?;
        let change_request_strategies = proposed.into_iter().map(ChangeRequestStrategyBody::from).collect();
        Ok(Out(SegmentStrategiesBody { strategies, change_request_strategies }))
    }
}

/// Segments of a strategy that replace all others.
struct ReplacedSegments<'a>(&'a [i64]);

impl StrategyEdit for ReplacedSegments<'_> {
    fn edit(self, _: &FeatureStrategy, before: &StrategyDefinition) -> Result<Option<StrategyDefinition>, Error> {
        Ok(Some(StrategyDefinition { segments: self.0.to_vec(), ..before.clone() }))
    }
}

/// Blames the property under the name that it has here.
fn renamed(error: Error) -> Error {
    let Error::Validation(mut findings) = error else { return error };
    let rename = |text: &str| text.replace("/body/segments", "/body/segmentIds");
    for finding in &mut findings {
        finding.message = rename(&finding.message);
        finding.path = finding.path.as_deref().map(rename);
    }
    Error::Validation(findings)
}
