//! Figures of features.

use std::collections::BTreeMap;

use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect,
    QueryTrait,
    sea_query::{Expr, ExprTrait, Query},
};

use crate::{
    domain::{lifecycle::Stage, time::Timestamp, visibility::Visibility},
    store::{
        StoreError,
        entity::{feature, feature_lifecycle, project},
        visibility::not_hidden,
    },
};

/// Name under which the stages are asked a second time.
const LATER: &str = "later";

/// Features by their projects, archived or not.
#[derive(Debug, Clone, Copy)]
pub enum FeaturesOf<'a> {
    /// Features of one project.
    Project(&'a str),
    /// Visible features of the projects in use.
    Visible(&'a Visibility),
}

impl FeaturesOf<'_> {
    /// The condition of a row of `feature`.
    pub(in crate::store) fn condition(self) -> Expr {
        let column = Expr::col((feature::Entity, feature::Column::Project));
        match self {
            Self::Project(id) => column.eq(id),
            Self::Visible(visibility) => {
                let in_use = project::Entity::find()
                    .select_only()
                    .column(project::Column::Id)
                    .filter(project::Column::ArchivedAt.is_null())
                    .filter(not_hidden(project::Column::Id.into_expr(), visibility));
                column.in_subquery(in_use.into_query())
            }
        }
    }
}

/// Number of archived features; with a time, of those that were archived since.
pub async fn count_archived(
    db: &impl ConnectionTrait,
    which: FeaturesOf<'_>,
    since: Option<Timestamp>,
) -> Result<u64, StoreError> {
    let archived = match since {
        Some(since) => feature::Column::ArchivedAt.gte(since),
        None => feature::Column::ArchivedAt.is_not_null(),
    };
    Ok(feature::Entity::find().filter(which.condition()).filter(archived).count(db).await?)
}

/// Numbers of features in use by the stage that they are in: the one entered last, of those entered at once the one
/// that is further on.
pub async fn stages(db: &impl ConnectionTrait, which: FeaturesOf<'_>) -> Result<BTreeMap<Stage, i64>, StoreError> {
    use feature_lifecycle::Column::{EnteredStageAt, FeatureId, Stage as StageName};
    let column = |column: feature_lifecycle::Column| Expr::col((feature_lifecycle::Entity, column));
    let later = |column: feature_lifecycle::Column| Expr::col((LATER, column));
    let at_once =
        later(EnteredStageAt).eq(column(EnteredStageAt)).and(rank(&later(StageName)).gt(rank(&column(StageName))));
    let entered_later = Query::select()
        .expr(Expr::val(1))
        .from_as(feature_lifecycle::Entity, LATER)
        .and_where(later(FeatureId).eq(column(FeatureId)))
        .and_where(later(EnteredStageAt).gt(column(EnteredStageAt)).or(at_once))
        .to_owned();
    let query = Query::select()
        .expr(column(StageName))
        .expr(Expr::cust("count(*)"))
        .from(feature_lifecycle::Entity)
        .inner_join(feature::Entity, Expr::col((feature::Entity, feature::Column::Id)).eq(column(FeatureId)))
        .and_where(which.condition())
        .and_where(Expr::col((feature::Entity, feature::Column::ArchivedAt)).is_null())
        .and_where(Expr::exists(entered_later).not())
        .add_group_by([column(StageName)])
        .to_owned();
    let mut counts = BTreeMap::new();
    for row in db.query_all(&query).await? {
        let (stage, count): (String, i64) = (row.try_get_by_index(0)?, row.try_get_by_index(1)?);
        if let Some(stage) = Stage::parse(&stage) {
            counts.insert(stage, count);
        }
    }
    Ok(counts)
}

/// Place of a stage in their order.
fn rank(stage: &Expr) -> Expr {
    let ranks =
        Stage::ALL.into_iter().zip(0..).fold(None, |ranks: Option<sea_orm::sea_query::CaseStatement>, (name, rank)| {
            let is_it = Condition::all().add(stage.clone().eq(name.as_str()));
            Some(match ranks {
                None => Expr::case(is_it, rank),
                Some(ranks) => ranks.case(is_it, rank),
            })
        });
    ranks.map_or_else(|| Expr::val(0), Expr::expr)
}

/// Stages of the features of a project that have been left, with the milliseconds that they took. Archived features
/// count.
pub async fn durations(db: &impl ConnectionTrait, project: &str) -> Result<Vec<(Stage, i64)>, StoreError> {
    let features = feature::Entity::find()
        .select_only()
        .column(feature::Column::Id)
        .filter(FeaturesOf::Project(project).condition());
    let rows: Vec<(i64, String, Timestamp)> = feature_lifecycle::Entity::find()
        .select_only()
        .columns([
            feature_lifecycle::Column::FeatureId,
            feature_lifecycle::Column::Stage,
            feature_lifecycle::Column::EnteredStageAt,
        ])
        .filter(feature_lifecycle::Column::FeatureId.in_subquery(features.into_query()))
        .order_by_asc(feature_lifecycle::Column::FeatureId)
        .into_tuple()
        .all(db)
        .await?;
    let known = |(id, stage, at): (i64, String, Timestamp)| Some((id, at, Stage::parse(&stage)?));
    let mut entered: Vec<(i64, Timestamp, Stage)> = rows.into_iter().filter_map(known).collect();
    entered.sort_unstable();
    let left = entered.windows(2).filter_map(|pair| match pair {
        [(id, from, stage), (next, until, _)] if id == next => Some((*stage, until.millis() - from.millis())),
        _ => None,
    });
    Ok(left.collect())
}
