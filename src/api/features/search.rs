//! The feature search.

use poem_openapi::{Object, OpenApi, param::Query};
use serde::Serialize;

use crate::{
    api::{
        Tag,
        answer::{Fails, Out, refusals},
        caller::Caller,
        parameter::{
            AlternativesParameter, CreatorParameter, DateParameter, LimitParameter, OffsetParameter, ProjectParameter,
            SegmentParameter, SortKeyParameter, SortOrderParameter, StateParameter, StatusParameter, SwitchParameter,
            TagParameter, TypeParameter,
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
    /// The features of the page, in the order asked for.
    pub features: Vec<SearchFeature>,
    /// How many features match on all pages together, also when the page lies behind the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<Number>,
}

#[OpenApi(tag = "Tag::Search")]
impl SearchApi {
    /// Search features
    ///
    /// Finds features that are not archived, in all projects that the caller may see. Filters are combined with AND,
    /// and one that lists no value is none. A filter chooses features; it never takes environments, tags or segments
    /// away from those that it finds. A filter lists at most 1000 different values.
    #[oai(path = "/api/admin/search/features", method = "get", operation_id = "searchFeatures")]
    #[expect(clippy::too_many_arguments, reason = "the contract has that many parameters")]
    async fn search_features(
        &self,
        caller: Caller,
        poem::web::Data(state): poem::web::Data<&State>,
        /// Part of the name or of a tag (its value, or `type:value`); upper and lower case count as equal. Commas
        /// separate at most 50 alternatives. No character has a special meaning.
        Query(query): Query<Option<AlternativesParameter>>,
        /// Ids of projects: `IS` and `IS_ANY_OF` ask for features of one of them, `IS_NOT` and `IS_NONE_OF` for those of
        /// none. Case counts; an unknown id is nobody's.
        Query(project): Query<Option<ProjectParameter>>,
        /// `active` for features that nobody marked as stale; any other word means stale. `IS` and `IS_ANY_OF` ask for
        /// features in one of these states, `IS_NOT` and `IS_NONE_OF` for those in none.
        #[oai(name = "state")]
        Query(state_filter): Query<Option<StateParameter>>,
        /// Flag types: `IS` and `IS_ANY_OF` ask for features of one of them, `IS_NOT` and `IS_NONE_OF` for those of none.
        /// Case counts.
        #[oai(name = "type")]
        Query(kind): Query<Option<TypeParameter>>,
        /// Ids of users, -42 for admin API tokens: `IS` and `IS_ANY_OF` ask for features that one of them created,
        /// `IS_NOT` and `IS_NONE_OF` for those that somebody else did. What is no id is nobody's. A feature whose creator
        /// is unknown satisfies no such filter.
        #[oai(name = "createdBy")]
        Query(created_by): Query<Option<CreatorParameter>>,
        /// Tags, each `type:value`, blanks around it ignored; case counts. `INCLUDE` and `INCLUDE_ANY_OF` ask for features
        /// with at least one of them, `INCLUDE_ALL_OF` for those with all; `DO_NOT_INCLUDE` and `EXCLUDE_IF_ANY_OF` for
        /// those with none, and `EXCLUDE_ALL` for those that lack at least one.
        Query(tag): Query<Option<TagParameter>>,
        /// Names of segments that strategies use in any environment; case counts. `INCLUDE` and `INCLUDE_ANY_OF` ask for
        /// features with at least one of them, `INCLUDE_ALL_OF` for those with all; `DO_NOT_INCLUDE` and
        /// `EXCLUDE_IF_ANY_OF` for those with none, and `EXCLUDE_ALL` for those that lack at least one.
        Query(segment): Query<Option<SegmentParameter>>,
        /// Pairs `environment:enabled` or `environment:disabled`, one of which is enough; other pairs are passed over.
        /// A feature that is not configured in an environment is neither enabled nor disabled there. At most 1000.
        Query(status): Query<Option<StatusParameter>>,
        /// Number of features to skip. What is no whole number means 0.
        Query(offset): Query<Option<OffsetParameter>>,
        /// Number of features on the page, at most 1000: more means 1000, and what is no positive whole number means 50.
        Query(limit): Query<Option<LimitParameter>>,
        /// `createdAt`, `name`, `type`, `project`, `stale`, `lastSeenAt` or `environment:NAME`, which sorts by the
        /// feature's switch in that environment; anything else means `createdAt`. Features that were never seen, or lack
        /// the environment, come last in both directions. Ties are ascending by time of creation, then name.
        #[oai(name = "sortBy")]
        Query(sort_by): Query<Option<SortKeyParameter>>,
        /// Direction of the key that `sortBy` names.
        #[oai(name = "sortOrder")]
        Query(sort_order): Query<Option<SortOrderParameter>>,
        /// `true` puts the caller's favourites before all others, each of the two in the order asked for; any other
        /// text means false. API tokens have no favourites.
        #[oai(name = "favoritesFirst")]
        Query(favorites_first): Query<Option<SwitchParameter>>,
        /// Day of creation, in UTC: `IS_BEFORE:YYYY-MM-DD` asks for features created before the day begins,
        /// `IS_ON_OR_AFTER:YYYY-MM-DD` for those created on it or later.
        #[oai(name = "createdAt")]
        Query(created_at): Query<Option<DateParameter>>,
    ) -> Result<Out<SearchFeaturesBody>, Fails<SearchRefusals>> {
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
            sort: sort_by.map(|parameter| parameter.0).unwrap_or_default(),
            order: sort_order.map(|parameter| parameter.0).unwrap_or_default(),
            favorites_first: favorites_first.is_some_and(|parameter| parameter.0),
            page: Page::new(offset.and_then(|parameter| parameter.0), limit.and_then(|parameter| parameter.0)),
        };
        let found = search::search(&state.db.heavy(), state.db.feature_totals(), &query, state.clock.now()).await?;
        let total = i64::try_from(found.total).unwrap_or(i64::MAX);
        Ok(Out(SearchFeaturesBody { features: found.features, total: Some(total.into()) }))
    }
}
