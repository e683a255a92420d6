//! The filter by stage, which alone leads to archived features.

use flagstone_domain::{filter::ValueFilter, lifecycle::Stage};
use sea_orm::{
    ColumnTrait, Condition,
    sea_query::{Expr, ExprTrait, Func},
};

use super::FeatureQuery;
use crate::{
    entity::feature,
    features::{figures::FeaturesOf, lifecycle::current_stage},
};

/// Whether a search finds archived features, too.
pub(super) fn finds_archived(query: &FeatureQuery) -> bool {
    query.stage.as_ref().is_some_and(|filter| !filter.is_negated() && filter.values.iter().any(is_archived))
}

/// Condition of the stage. Archived features are those of projects in use, whatever stage is recorded for them.
pub(super) fn condition(query: &FeatureQuery) -> Condition {
    let in_use = Condition::all().add(feature::Column::ArchivedAt.is_null());
    let Some(filter) = query.stage.as_ref().filter(|filter| !filter.values.is_empty()) else {
        return in_use;
    };
    let in_stages = in_stages(filter);
    if !finds_archived(query) {
        return in_use.add_option(in_stages);
    }
    let archived = feature::Column::ArchivedAt.is_not_null().and(FeaturesOf::Visible(&query.visibility).condition());
    Condition::any().add_option(in_stages.map(|in_stages| in_use.add(in_stages))).add(archived)
}

/// Condition of the stage of a feature in use. One without a stage is in none of them.
fn in_stages(filter: &ValueFilter) -> Option<Expr> {
    let stages: Vec<&str> = filter.values.iter().filter(|value| !is_archived(value)).map(String::as_str).collect();
    let condition = if filter.is_negated() {
        Expr::expr(Func::coalesce([current_stage(), Expr::val("")])).is_not_in(stages.clone())
    } else {
        current_stage().is_in(stages.clone())
    };
    (!stages.is_empty()).then_some(condition)
}

fn is_archived(value: impl AsRef<str>) -> bool {
    value.as_ref() == Stage::Archived.as_str()
}
