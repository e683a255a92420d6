//! Figures of features.

use std::collections::BTreeMap;

use flagstone_domain::{lifecycle::Stage, time::Timestamp, visibility::Visibility};
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect, QueryTrait,
    sea_query::{Expr, ExprTrait, Query},
};

use crate::{
    StoreError,
    entity::{feature, feature_lifecycle, project},
    features::lifecycle::current_stage,
    visibility::not_hidden,
};

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
    pub(crate) fn condition(self) -> Expr {
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

/// Numbers of features in use by the stage that they are in.
pub async fn stages(db: &impl ConnectionTrait, which: FeaturesOf<'_>) -> Result<BTreeMap<Stage, i64>, StoreError> {
    let current = Query::select()
        .expr_as(current_stage(), "stage")
        .from(feature::Entity)
        .and_where(which.condition())
        .and_where(feature::Column::ArchivedAt.is_null())
        .take();
    let query = Query::select()
        .column("stage")
        .expr(Expr::cust("count(*)"))
        .from_subquery(current, "current")
        .and_where(Expr::col("stage").is_not_null())
        .group_by_col("stage")
        .take();
    let mut counts = BTreeMap::new();
    for row in db.query_all(&query).await? {
        let (stage, count): (String, i64) = (row.try_get_by_index(0)?, row.try_get_by_index(1)?);
        if let Some(stage) = Stage::parse(&stage) {
            counts.insert(stage, count);
        }
    }
    Ok(counts)
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
