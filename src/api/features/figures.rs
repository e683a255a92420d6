//! Figures of the features in all projects that a caller may see.

use std::collections::BTreeMap;

use poem::web::Data;
use poem_openapi::{Object, OpenApi, param::Query};
use serde::Serialize;

use crate::{
    api::{
        Tag,
        answer::{Fails, Out, Paged, QueryRefusals, ReadRefusals, Stretch},
        caller::AuthenticatedCaller,
        parameter::{LimitParameter, OffsetParameter, TextParameter},
        projects::usage::FlagCreatorBody,
    },
    domain::{event_filter::fold_case, filter::Page, lifecycle::Stage},
    state::State,
    store::{
        features::figures::{self, FeaturesOf},
        projects::usage,
    },
};

/// The operations on figures of features.
#[derive(Debug)]
pub struct FeatureFiguresApi;

/// Numbers of features by stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "LifecycleCount", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct LifecycleCountBody {
    /// Features that no application has asked for.
    pub initial: i64,
    /// Features that applications have asked for, in no environment of type `production` while enabled.
    pub pre_live: i64,
    /// Features that applications have asked for in an environment of type `production` while enabled.
    pub live: i64,
    /// Completed features.
    pub completed: i64,
    /// Archived features.
    pub archived: u64,
}

impl LifecycleCountBody {
    fn of(counts: &BTreeMap<Stage, i64>, archived: u64) -> Self {
        let of = |stage| counts.get(&stage).copied().unwrap_or_default();
        Self {
            initial: of(Stage::Initial),
            pre_live: of(Stage::PreLive),
            live: of(Stage::Live),
            completed: of(Stage::Completed),
            archived,
        }
    }
}

/// A page of the users who created features.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "ProjectFlagCreators", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct FlagCreatorsBody {
    /// The users of the page, by name, then id.
    pub flag_creators: Vec<FlagCreatorBody>,
    /// Total number on all pages.
    pub total: u64,
}

#[OpenApi(tag = "Tag::Features")]
impl FeatureFiguresApi {
    /// Count the features by stage
    ///
    /// Features of all projects that the caller may see, by the stage that they are in. Archived features are counted as
    /// archived alone. Needs no permission.
    #[oai(path = "/api/admin/lifecycle/count", method = "get", operation_id = "getLifecycleCount")]
    async fn get_lifecycle_count(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
    ) -> Result<Out<LifecycleCountBody>, Fails<ReadRefusals>> {
        let seen = caller.visibility().await?;
        let db = &state.db.heavy();
        let counts = figures::stages(db, FeaturesOf::Visible(&seen)).await?;
        let archived = figures::count_archived(db, FeaturesOf::Visible(&seen), None).await?;
        Ok(Out(LifecycleCountBody::of(&counts, archived)))
    }

    /// List the creators of features
    ///
    /// Everybody who created a feature, archived or not, in a project that the caller may see. Needs no permission.
    #[oai(path = "/api/admin/flag-creators", method = "get", operation_id = "getFlagCreators")]
    async fn get_flag_creators(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        /// Part of the display name, case-insensitive. Absent or empty: everybody.
        q: Query<Option<TextParameter>>,
        /// Number of users on the page, at most 1000. Absent, zero, or no whole number: 50.
        limit: Query<Option<LimitParameter>>,
        /// Number of users to skip. Absent, or no whole number: none.
        offset: Query<Option<OffsetParameter>>,
    ) -> Result<Paged<FlagCreatorsBody>, Fails<QueryRefusals>> {
        let seen = caller.visibility().await?;
        let mut makers = usage::makers(&state.db.heavy(), FeaturesOf::Visible(&seen)).await?;
        let part = fold_case(&q.0.map(|TextParameter(text)| text).unwrap_or_default());
        makers.retain(|maker| fold_case(&maker.name).contains(&part));
        let total = u64::try_from(makers.len()).unwrap_or(u64::MAX);
        let page = Page::new(offset.0.and_then(|offset| offset.0), limit.0.and_then(|limit| limit.0));
        let stretch = Stretch::of(page, total);
        let flag_creators = page.of(makers).into_iter().map(FlagCreatorBody::from).collect();
        Ok(Paged(FlagCreatorsBody { flag_creators, total }, stretch))
    }
}
