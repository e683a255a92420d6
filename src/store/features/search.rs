//! The feature search: one page first, by indexes and semi-joins, then everything about the features on it.

mod details;
mod matching;
mod order;
mod stage;
mod totals;

use flagstone_domain::{
    filter::{DateFilter, Page, SegmentFilter, SortKey, SortOrder, StatusFilter, TagFilter, TextQuery, ValueFilter},
    search::SearchFeature,
    time::Timestamp,
    visibility::Visibility,
};
use sea_orm::ConnectionTrait;

pub use self::totals::Totals;
use crate::StoreError;

/// Query of a search. Filters are combined with AND; an absent one lets everything pass.
#[derive(Debug, Clone)]
pub struct FeatureQuery {
    /// The projects whose features may be found.
    pub visibility: Visibility,
    /// The person whose favourites count, if it is a person who asks.
    pub reader: Option<i64>,
    /// Part of the name or of a tag.
    pub text: Option<TextQuery>,
    /// Project id.
    pub project: Option<ValueFilter>,
    /// `active`, or any other word for stale.
    pub state: Option<ValueFilter>,
    /// Feature type.
    pub kind: Option<ValueFilter>,
    /// Id of the creator.
    pub creator: Option<ValueFilter>,
    /// Tags.
    pub tag: Option<TagFilter>,
    /// Segments of any strategy.
    pub segment: Option<SegmentFilter>,
    /// State in environments.
    pub status: Option<StatusFilter>,
    /// Day of creation.
    pub created_at: Option<DateFilter>,
    /// Day on which usage was last reported; no feature satisfies it of which none ever was.
    pub last_seen_at: Option<DateFilter>,
    /// Whether only the reader's favourites are found.
    pub only_favorites: bool,
    /// Stage. Archived features are found only when it asks for them.
    pub stage: Option<ValueFilter>,
    /// Main key of the order.
    pub sort: SortKey,
    /// Direction of the main key.
    pub order: SortOrder,
    /// Whether the reader's favourites come before everything else.
    pub favorites_first: bool,
    /// The stretch that is wanted.
    pub page: Page,
}

/// Result of a search.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The features of the page, in order.
    pub features: Vec<SearchFeature>,
    /// Total number on all pages.
    pub total: u64,
}

/// Finds features. Usage counts are those of hours that began within the hour before `now`; what was counted before is
/// looked up in `totals`.
pub async fn search(
    db: &impl ConnectionTrait,
    totals: &Totals,
    query: &FeatureQuery,
    now: Timestamp,
) -> Result<Found, StoreError> {
    let (ids, total) = order::page(db, totals, query).await?;
    let features = details::of(db, &ids, query.reader, now).await?;
    Ok(Found { features, total })
}

#[cfg(test)]
mod tests;
