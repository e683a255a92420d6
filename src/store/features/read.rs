//! Reading features together with what hangs on them: one statement, whatever their number.

mod belongings;
mod listed;

use flagstone_domain::{event_filter::fold_case, feature::Feature, tag::Tag, time::Timestamp};
use flagstone_wire::RawJsonOf;
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DatabaseBackend,
    sea_query::{CommonTableExpression, Expr, ExprTrait, Query, SelectStatement, SubQueryStatement},
};

pub(super) use self::belongings::{CreatorRow, EnvironmentKind, environment_kinds};
use self::{
    belongings::{Belongings, Found, favorites},
    listed::Listed,
};
use crate::{
    StoreError,
    db::{
        packed::{self, Text},
        sql_text::SqlText,
        text,
    },
    entity::{feature, feature_tag, tag},
};

/// The features in question, as the statement calls them.
pub(super) const WANTED: &str = "wanted";

/// Columns of their rows that the statement needs.
pub(super) const ASKED: [feature::Column; 11] = [
    feature::Column::Id,
    feature::Column::Name,
    feature::Column::Type,
    feature::Column::Description,
    feature::Column::Project,
    feature::Column::Stale,
    feature::Column::ImpressionData,
    feature::Column::CreatedAt,
    feature::Column::ArchivedAt,
    feature::Column::LastSeenAt,
    feature::Column::CreatedByUserId,
];

/// Selection of a project's features to list.
#[derive(Debug, Clone, Default)]
pub struct ListQuery {
    /// Id of the project. One that does not exist has no features.
    pub project: String,
    /// Whether to list the archived features instead of those in use.
    pub archived: bool,
    /// Only features that carry one of these tags; empty for all.
    pub tags: Vec<Tag>,
    /// Only features whose name starts so, whatever the case.
    pub name_prefix: Option<String>,
}

impl ListQuery {
    /// All features in use of a project.
    pub fn of_project(project: &str) -> Self {
        Self { project: project.to_owned(), ..Self::default() }
    }

    /// Whether no feature is left out but for being archived or not.
    pub(super) fn is_whole_project(&self) -> bool {
        self.tags.is_empty() && self.name_prefix.is_none()
    }

    /// `None` when nothing can match.
    fn condition(&self) -> Option<Condition> {
        let in_use = feature::Column::ArchivedAt.is_null();
        let mut condition = Condition::all().add(feature::Column::Project.eq(&*self.project)).add(if self.archived {
            in_use.not()
        } else {
            in_use
        });
        if let Some(prefix) = &self.name_prefix {
            // The text starts with the name, its case folded; a line break would lead into what follows it.
            if prefix.contains('\n') {
                return None;
            }
            let beginning = text::starting_with(&fold_case(prefix));
            let text = Expr::col((feature::Entity, feature::Column::SearchText));
            condition = condition.add(text.like(beginning));
        }
        if !self.tags.is_empty() {
            condition = condition.add(feature::Column::Id.in_subquery(carrying_any(&self.tags)));
        }
        Some(condition)
    }
}

/// Ids of the features that carry one of these tags.
fn carrying_any(tags: &[Tag]) -> SelectStatement {
    let wanted = tags.iter().fold(Condition::any(), |any, wanted| {
        any.add(tag::Column::Type.eq(&wanted.kind).and(tag::Column::Value.eq(&wanted.value)))
    });
    Query::select()
        .column((feature_tag::Entity, feature_tag::Column::FeatureId))
        .from(feature_tag::Entity)
        .inner_join(tag::Entity, tag::Column::Id.into_expr().equals((feature_tag::Entity, feature_tag::Column::TagId)))
        .cond_where(wanted)
        .to_owned()
}

/// See [`super::list_as_json`].
pub(super) async fn list(
    db: &impl ConnectionTrait,
    query: &ListQuery,
    reader: Option<i64>,
) -> Result<RawJsonOf<Vec<Feature>>, StoreError> {
    static COLUMNS: SqlText = SqlText::new();
    let Some(which) = query.condition() else { return Ok(RawJsonOf::of(&Vec::new())) };
    let backend = db.get_database_backend();
    let question = question(backend, &which, reader, COLUMNS.columns(backend, || queries(backend)));
    assemble(&mut packed::texts(db, &question).await?, reader, |features| RawJsonOf::like(features))
}

packed::row! {
    struct Row<'a> {
        id: i64 => of(feature::Column::Id),
        name: Text<'a> => of(feature::Column::Name),
        kind: Text<'a> => of(feature::Column::Type),
        description: Option<Text<'a>> => of(feature::Column::Description),
        project: Text<'a> => of(feature::Column::Project),
        flags: Flags => (),
        created_at: Timestamp => of(feature::Column::CreatedAt),
        archived_at: Option<Timestamp> => of(feature::Column::ArchivedAt),
        last_seen_at: Option<Timestamp> => of(feature::Column::LastSeenAt),
        created_by: Option<i64> => of(feature::Column::CreatedByUserId),
    }
}

packed::flags! {
    struct Flags {
        stale => of(feature::Column::Stale),
        impression_data => of(feature::Column::ImpressionData),
    }
}

/// A column of the features in question.
fn of(column: feature::Column) -> Expr {
    Expr::col((WANTED, column))
}

/// Query for the features that a condition admits. The columns may refer to them as [`WANTED`].
pub(super) fn question(
    backend: DatabaseBackend,
    which: &Condition,
    reader: Option<i64>,
    columns: Expr,
) -> SelectStatement {
    let wanted = Query::select().columns(ASKED).from(feature::Entity).cond_where(which.clone()).take();
    question_about(backend, wanted, reader, columns)
}

/// Query for the features that a statement gives, with the columns [`ASKED`].
pub(super) fn question_about(
    backend: DatabaseBackend,
    wanted: impl Into<SubQueryStatement>,
    reader: Option<i64>,
    columns: Expr,
) -> SelectStatement {
    Query::select()
        .with_cte(CommonTableExpression::new().table_name(WANTED).materialized(true).query(wanted).to_owned())
        .expr(Expr::from(favorites(backend, reader)))
        .expr(columns)
        .take()
}

/// Queries for each feature and its belongings; [`assemble`] takes the answers.
pub(super) fn queries(backend: DatabaseBackend) -> Vec<SelectStatement> {
    Found::queries(backend)
}

/// Reads the answers to a [`question`], and hands over the features that they make up, oldest first, then by name.
pub(super) fn assemble<R>(
    found: &mut packed::Texts,
    reader: Option<i64>,
    then: impl FnOnce(&[Listed<'_>]) -> R,
) -> Result<R, StoreError> {
    let favorites = Some(found.next()?).filter(|_| reader.is_some());
    let written = found.take(Found::NUMBER)?;
    let (mut rows, belongings) = Belongings::read(Found::read(&written)?, favorites)?;
    rows.sort_unstable_by(|a, b| (a.created_at, &a.name).cmp(&(b.created_at, &b.name)));
    let features: Vec<_> = rows.into_iter().map(|row| listed(row, &belongings)).collect();
    Ok(then(&features))
}

/// The feature of a row, with what hangs on it.
fn listed<'a>(row: Row<'a>, belongings: &'a Belongings<'_>) -> Listed<'a> {
    let environments = belongings.environments.of(row.id);
    Listed {
        name: row.name,
        kind: row.kind,
        description: row.description,
        archived: row.archived_at.is_some(),
        project: row.project,
        enabled: environments.iter().any(|environment| environment.enabled),
        stale: row.flags.stale,
        favorite: belongings.is_favorite(row.id),
        impression_data: row.flags.impression_data,
        created_at: row.created_at,
        created_by: row.created_by.and_then(|id| belongings.creators.get(&id)),
        archived_at: row.archived_at,
        last_seen_at: row.last_seen_at,
        environments,
        tags: belongings.tags.of(row.id),
        children: belongings.children.of(row.id),
        lifecycle: belongings.stages.of(row.id).last(),
        dependencies: belongings.parents.of(row.id),
    }
}

fn rows(backend: DatabaseBackend) -> SelectStatement {
    Query::select().expr(packed::rows::<Row<'_>>(backend)).from(WANTED).to_owned()
}
