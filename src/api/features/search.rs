//! The feature search.

use poem_openapi::{Object, OpenApi, param::Query};
use serde::Serialize;

use crate::{
    api::{
        Tag,
        answer::{Fails, Paged, Stretch, refusals},
        caller::AuthenticatedCaller,
        parameter::{
            AlternativesParameter, CreatorParameter, DateParameter, LastSeenParameter, LimitParameter, OffsetParameter,
            ProjectParameter, SegmentParameter, SortKeyParameter, SortOrderParameter, StageParameter, StateParameter,
            StatusParameter, SwitchParameter, TagParameter, TypeParameter,
        },
    },
    domain::{filter::Page, search::SearchFeature},
    state::State,
    store::features::search::{self, FeatureQuery},
    wire::Number,
};

refusals! {
    /// The search names nothing that could be missing; 404 stands in the contract.
    SearchRefusals = 400, 401, 403, 404, 503;
}

/// The search for features.
#[derive(Debug)]
pub struct SearchApi;

/// A page of the features that a search found.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "SearchFeatures", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct SearchFeaturesBody {
    /// The features of the page, in the requested order.
    pub features: Vec<SearchFeature>,
    /// Number of matching features on all pages, also for a page past the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<Number>,
}

#[OpenApi(tag = "Tag::Search")]
impl SearchApi {
    /// Search features
    ///
    /// Finds features in all projects that the caller may see, archived ones only when `lifecycle` asks for them.
    /// Filters are combined with AND; a filter without values is ignored. Filters select features; the features found
    /// always have all their environments, tags and segments. A filter has at most 1000 different values.
    #[oai(path = "/api/admin/search/features", method = "get", operation_id = "searchFeatures")]
    #[expect(clippy::too_many_arguments, reason = "the contract has that many parameters")]
    async fn search_features(
        &self,
        caller: AuthenticatedCaller,
        poem::web::Data(state): poem::web::Data<&State>,
        /// Part of the name or of a tag (its value, or `type:value`), case-insensitive. Commas separate at most 50
        /// alternatives. No other character has a special meaning.
        Query(query): Query<Option<AlternativesParameter>>,
        /// Ids of projects: `IS` and `IS_ANY_OF` find features of one of them, `IS_NOT` and `IS_NONE_OF` features of
        /// none of them. Case-sensitive; an unknown id matches nothing.
        Query(project): Query<Option<ProjectParameter>>,
        /// `active` for features that are not marked as stale; any other word means stale. `IS` and `IS_ANY_OF` find
        /// features in one of these states, `IS_NOT` and `IS_NONE_OF` features in none of them.
        #[oai(name = "state")]
        Query(state_filter): Query<Option<StateParameter>>,
        /// Feature types: `IS` and `IS_ANY_OF` find features of one of them, `IS_NOT` and `IS_NONE_OF` features of none
        /// of them. Case-sensitive.
        #[oai(name = "type")]
        Query(kind): Query<Option<TypeParameter>>,
        /// Ids of users, -42 for admin API tokens: `IS` and `IS_ANY_OF` find features that one of them created,
        /// `IS_NOT` and `IS_NONE_OF` features of other creators. A text that is no id matches nothing. A feature whose
        /// creator is unknown satisfies no such filter.
        #[oai(name = "createdBy")]
        Query(created_by): Query<Option<CreatorParameter>>,
        /// Tags, each `type:value`, with blanks around it ignored; case-sensitive. `INCLUDE` and `INCLUDE_ANY_OF` find
        /// features with at least one of them, `INCLUDE_ALL_OF` those with all, `DO_NOT_INCLUDE` and
        /// `EXCLUDE_IF_ANY_OF` those with none, and `EXCLUDE_ALL` those that lack at least one.
        Query(tag): Query<Option<TagParameter>>,
        /// Names of segments that strategies use in any environment; case-sensitive. `INCLUDE` and `INCLUDE_ANY_OF`
        /// find features with at least one of them, `INCLUDE_ALL_OF` those with all, `DO_NOT_INCLUDE` and
        /// `EXCLUDE_IF_ANY_OF` those with none, and `EXCLUDE_ALL` those that lack at least one.
        Query(segment): Query<Option<SegmentParameter>>,
        /// Pairs `environment:enabled` or `environment:disabled`; one that matches is enough. Other pairs are ignored.
        /// A feature that is not configured in an environment is neither enabled nor disabled there. At most 1000.
        Query(status): Query<Option<StatusParameter>>,
        /// Number of features to skip. Anything but a whole number means 0.
        Query(offset): Query<Option<OffsetParameter>>,
        /// Number of features on the page, at most 1000: more means 1000, and anything but a positive whole number
        /// means 50.
        Query(limit): Query<Option<LimitParameter>>,
        /// `createdAt`, `name`, `type`, `project`, `stale`, `lastSeenAt` or `environment:NAME`, which sorts by the
        /// feature's switch in that environment; anything else means `createdAt`. Features that were never seen, or
        /// lack the environment, come last in both directions. Ties are ascending by time of creation, then name.
        #[oai(name = "sortBy")]
        Query(sort_by): Query<Option<SortKeyParameter>>,
        /// Direction of the key that `sortBy` names.
        #[oai(name = "sortOrder")]
        Query(sort_order): Query<Option<SortOrderParameter>>,
        /// `true` lists the caller's favourites first, in the requested order, then all others; any other text means
        /// false. API tokens have no favourites.
        #[oai(name = "favoritesFirst")]
        Query(favorites_first): Query<Option<SwitchParameter>>,
        /// Day of creation, in UTC: `IS_BEFORE:YYYY-MM-DD` finds features created before that day,
        /// `IS_ON_OR_AFTER:YYYY-MM-DD` those created on it or later.
        #[oai(name = "createdAt")]
        Query(created_at): Query<Option<DateParameter>>,
        /// Day on which usage was last reported from any environment, in UTC: `IS_BEFORE:YYYY-MM-DD` finds features last
        /// seen before that day, `IS_ON_OR_AFTER:YYYY-MM-DD` those seen on it or later. A feature that was never seen
        /// satisfies neither.
        #[oai(name = "lastSeenAt")]
        Query(last_seen_at): Query<Option<LastSeenParameter>>,
        /// Whether to find only the caller's favourites: `true` or `false`. API tokens have none, and find nothing.
        /// Absent means false.
        Query(favorites): Query<Option<bool>>,
        /// Lifecycle stages: `initial`, `pre-live`, `live`, `completed` and `archived`. `IS` and `IS_ANY_OF` find
        /// features whose current stage is one of them, and with `archived` those archived in active projects; `IS_NOT`
        /// and `IS_NONE_OF` find features that are not archived and in none of them. Case-sensitive; another word
        /// matches nothing.
        Query(lifecycle): Query<Option<StageParameter>>,
    ) -> Result<Paged<SearchFeaturesBody>, Fails<SearchRefusals>> {
        let query = FeatureQuery {
            visibility: caller.visibility().await?,
            reader: caller.user_id(),
            text: query.map(|parameter| parameter.0),
            project: project.map(|parameter| parameter.0),
            state: state_filter.map(|parameter| parameter.0),
            kind: kind.map(|parameter| parameter.0),
            creator: created_by.map(|parameter| parameter.0),
            tag: tag.map(|parameter| parameter.0),
            segment: segment.map(|parameter| parameter.0),
            status: status.map(|parameter| parameter.0),
            created_at: created_at.map(|parameter| parameter.0),
            last_seen_at: last_seen_at.map(|parameter| parameter.0),
            only_favorites: favorites.unwrap_or_default(),
            stage: lifecycle.map(|parameter| parameter.0),
            sort: sort_by.map(|parameter| parameter.0).unwrap_or_default(),
            order: sort_order.map(|parameter| parameter.0).unwrap_or_default(),
            favorites_first: favorites_first.is_some_and(|parameter| parameter.0),
            page: Page::new(offset.and_then(|parameter| parameter.0), limit.and_then(|parameter| parameter.0)),
        };
        let found = search::search(&state.db.heavy(), state.db.feature_totals(), &query, state.clock.now()).await?;
        let total = i64::try_from(found.total).unwrap_or(i64::MAX);
        let stretch = Stretch::of(query.page, found.total);
        Ok(Paged(SearchFeaturesBody { features: found.features, total: Some(total.into()) }, stretch))
    }
}
