//! Recent activity of a project: the figures behind its statistics.

use flagstone_domain::{
    event_kind::EventKind,
    health::{TimesToProduction, Windows},
    time::{DAY_MS, Timestamp},
};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, FromQueryResult,
    sea_query::{Alias, Expr, ExprTrait, Func, Query, SelectStatement, UnionType},
};

use crate::{
    StoreError,
    db::sql_text::{Placeholder, SqlText},
    entity::{app_user, environment, event, feature, project_group_role, project_user_role, user_group_member},
    projects::PROJECT,
};

/// The type whose features are meant to reach production and be removed again.
const TRACKED_TYPE: &str = "release";
/// Environments of this type count as production.
const PRODUCTION: &str = "production";

/// Counts of the two windows, and the times to production over the whole life of a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromQueryResult)]
pub struct Activity {
    /// Features in use that were created in the current window.
    pub created_current: i64,
    /// Features in use that were created in the past window.
    pub created_past: i64,
    /// Features archived in the current window and not revived since.
    pub archived_current: i64,
    /// Features archived in the past window and not revived since.
    pub archived_past: i64,
    /// Events of the current window.
    pub events_current: i64,
    /// Events of the past window.
    pub events_past: i64,
    /// Features of type `release` that have been enabled in production.
    pub produced: i64,
    /// Sum of the whole days that those took.
    pub produced_days: i64,
}

impl Activity {
    /// The times to production.
    pub const fn times_to_production(self) -> TimesToProduction {
        TimesToProduction { features: self.produced, days: self.produced_days }
    }
}

/// Placeholders of the values that differ, in addition to the project, from one query of the activity to the next.
const PAST: Placeholder = Placeholder::new(2);
const CURRENT: Placeholder = Placeholder::new(3);
const NOW: Placeholder = Placeholder::new(4);

/// Activity and members of a project, in one statement.
pub async fn activity(
    db: &impl ConnectionTrait,
    project: &str,
    windows: Windows,
) -> Result<(Activity, Members), StoreError> {
    // Spelling this takes as long as a good part of answering it.
    static TEXT: SqlText = SqlText::new();
    let values = [PROJECT.is(project), PAST.is(windows.past), CURRENT.is(windows.current), NOW.is(windows.now)];
    let row = db.query_one_raw(TEXT.statement(db.get_database_backend(), activity_query, values)).await?;
    let row = row.ok_or_else(|| sea_orm::DbErr::RecordNotFound("counts".to_owned()))?;
    Ok((Activity::from_query_result(&row, "")?, Members::from_query_result(&row, MEMBERS)?))
}

fn activity_query() -> SelectStatement {
    let of_project = feature::Column::Project.into_expr().eq(PROJECT.expr());
    let in_use = of_project.clone().and(feature::Column::ArchivedAt.is_null());
    let created = count_windows(feature::Column::CreatedAt, &in_use, ["created_current", "created_past"]);
    let archived = count_windows(feature::Column::ArchivedAt, &of_project, ["archived_current", "archived_past"]);
    let of_project = event::Column::Project.into_expr().eq(PROJECT.expr());
    let events = count_windows(event::Column::CreatedAt, &of_project, ["events_current", "events_past"]);
    let mut arrivals = first_enablings();
    arrivals.and_where(Expr::col((feature::Entity, feature::Column::Project)).eq(PROJECT.expr()));
    let produced = Query::select()
        .expr_as(Expr::col("days").count(), "produced")
        .expr_as(whole_sum("days"), "produced_days")
        .from_subquery(arrivals, "arrivals")
        .to_owned();
    // Each part is a single row, so their product is one too.
    Query::select()
        .expr(Expr::cust("*"))
        .from_subquery(created, "created")
        .from_subquery(archived, "archived")
        .from_subquery(events, "events")
        .from_subquery(produced, "produced")
        .from_subquery(members(), "members")
        .to_owned()
}

/// Rows of the current and of the past window by a column that holds an instant. Each is a count of nothing but rows,
/// which costs an index half of what looking at every instant does.
fn count_windows<C: ColumnTrait>(instant: C, which: &Expr, [current, past]: [&'static str; 2]) -> SelectStatement {
    let count = |window: Expr| {
        let rows = Query::select()
            .expr(Expr::cust("*").count())
            .from(instant.entity_name())
            .and_where(which.clone())
            .and_where(window)
            .to_owned();
        Expr::from(rows)
    };
    let column = || instant.into_expr();
    Query::select()
        .expr_as(count(column().between(CURRENT.expr(), NOW.expr())), current)
        .expr_as(count(column().gte(PAST.expr()).and(column().lt(CURRENT.expr()))), past)
        .to_owned()
}

/// A sum of whole numbers that is a whole number on every database, and 0 over no rows.
pub(crate) fn whole_sum(column: &'static str) -> Expr {
    Expr::expr(Func::cast_as(Func::coalesce([Expr::col(column).sum(), Expr::value(0)]), "bigint"))
}

/// Query for every feature of type `release` that has been enabled in production: `project`, `enabled_at` for the first
/// time and the whole `days` since its creation.
fn first_enablings() -> SelectStatement {
    let of_feature = |column: feature::Column| Expr::col((feature::Entity, column));
    let of_event = |column: event::Column| Expr::col((event::Entity, column));
    let production = Query::select()
        .column(environment::Column::Name)
        .from(environment::Entity)
        .and_where(environment::Column::Type.eq(PRODUCTION))
        .to_owned();
    let enabling = Condition::all()
        .add(of_event(event::Column::FeatureName).equals((feature::Entity, feature::Column::Name)))
        // Spelled out, so that the index of these events alone is known to serve.
        .add(Expr::cust(format!("\"event\".\"type\" = '{}'", EventKind::FeatureEnvironmentEnabled.as_str())))
        .add(of_event(event::Column::Environment).in_subquery(production))
        .add(of_event(event::Column::CreatedAt).gte(of_feature(feature::Column::CreatedAt)));
    let enabled_at = of_event(event::Column::CreatedAt).min();
    Query::select()
        .column((feature::Entity, feature::Column::Project))
        .expr_as(enabled_at.clone(), "enabled_at")
        .expr_as(enabled_at.sub(of_feature(feature::Column::CreatedAt)).div(DAY_MS), "days")
        .from(feature::Entity)
        // A left join keeps SQLite from going through all enablings of the instance to find those of the features.
        .left_join(event::Entity, enabling)
        .and_where(of_feature(feature::Column::Type).eq(TRACKED_TYPE))
        .add_group_by([feature::Column::Id, feature::Column::Project, feature::Column::CreatedAt].map(of_feature))
        .and_having(of_event(event::Column::CreatedAt).count().gt(0))
        .to_owned()
}

/// The people with a role in a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromQueryResult)]
pub struct Members {
    /// Number of users who hold a role, directly or through a group.
    pub total: i64,
    /// Users who got a role since the start of the current window.
    pub added: i64,
}

/// Prefix of the columns of [`members`].
const MEMBERS: &str = "members_";

/// The members of a project; root roles do not count.
fn members() -> SelectStatement {
    let user_id = (Membership::Table, Membership::UserId);
    let added = Expr::case(Expr::col((Membership::Table, Membership::Since)).gte(CURRENT.expr()), Expr::col(user_id));
    let mut query = of_living_users(Some(PROJECT.expr()));
    query
        .expr_as(Expr::expr(Func::count_distinct(Expr::col(user_id))), Alias::new(format!("{MEMBERS}total")))
        .expr_as(Expr::expr(Func::count_distinct(Expr::expr(added))), Alias::new(format!("{MEMBERS}added")));
    query
}

/// Numbers of members of each project that has any.
pub async fn member_counts(db: &impl ConnectionTrait) -> Result<Vec<(String, i64)>, StoreError> {
    let mut query = of_living_users(None);
    query
        .column((Membership::Table, Membership::Project))
        .expr_as(Expr::expr(Func::count_distinct(Expr::col((Membership::Table, Membership::UserId)))), "total")
        .add_group_by([Expr::col((Membership::Table, Membership::Project))]);
    let rows = db.query_all(&query).await?;
    rows.iter()
        .map(|row| Ok((row.try_get("", "project")?, row.try_get("", "total")?)))
        .collect::<Result<_, sea_orm::DbErr>>()
        .map_err(StoreError::from)
}

/// Columns of the union of direct memberships and those through groups.
#[derive(Debug, Clone, Copy, sea_orm::DeriveIden)]
enum Membership {
    Table,
    Project,
    UserId,
    Since,
}

fn of_living_users(project: Option<Expr>) -> SelectStatement {
    Query::select()
        .from_subquery(memberships(project), Membership::Table)
        .inner_join(
            app_user::Entity,
            Expr::col((app_user::Entity, app_user::Column::Id)).equals((Membership::Table, Membership::UserId)),
        )
        .and_where(Expr::col((app_user::Entity, app_user::Column::DeletedAt)).is_null())
        .to_owned()
}

/// A membership through a group exists since the person joined the group and the group got its role.
fn memberships(project: Option<Expr>) -> SelectStatement {
    let joined = (user_group_member::Entity, user_group_member::Column::CreatedAt);
    let granted = (project_group_role::Entity, project_group_role::Column::CreatedAt);
    let later = Expr::case(Expr::col(joined).gt(Expr::col(granted)), Expr::col(joined)).finally(Expr::col(granted));
    let mut through_groups = Query::select();
    through_groups
        .expr_as(Expr::col((project_group_role::Entity, project_group_role::Column::Project)), Membership::Project)
        .expr_as(Expr::col((user_group_member::Entity, user_group_member::Column::UserId)), Membership::UserId)
        .expr_as(Expr::expr(later), Membership::Since)
        .from(project_group_role::Entity)
        .inner_join(
            user_group_member::Entity,
            Expr::col((user_group_member::Entity, user_group_member::Column::GroupId))
                .equals((project_group_role::Entity, project_group_role::Column::GroupId)),
        );
    let mut memberships = Query::select();
    memberships
        .expr_as(Expr::col(project_user_role::Column::Project), Membership::Project)
        .expr_as(Expr::col(project_user_role::Column::UserId), Membership::UserId)
        .expr_as(Expr::col(project_user_role::Column::CreatedAt), Membership::Since)
        .from(project_user_role::Entity);
    if let Some(project) = project {
        through_groups.and_where(
            Expr::col((project_group_role::Entity, project_group_role::Column::Project)).eq(project.clone()),
        );
        memberships.and_where(project_user_role::Column::Project.into_expr().eq(project));
    }
    memberships.union(UnionType::All, through_groups).to_owned()
}

/// When something was first enabled in production, and how long that took.
#[derive(Debug, Clone, PartialEq, Eq, FromQueryResult)]
pub struct FirstEnabling {
    /// Project that owns the feature now.
    pub project: String,
    /// The first enabling.
    pub enabled_at: Timestamp,
    /// Whole days since the feature's creation.
    pub days: i64,
}

/// The first enabling in production of every feature of type `release`, in all projects.
pub async fn all_first_enablings(db: &impl ConnectionTrait) -> Result<Vec<FirstEnabling>, StoreError> {
    let rows = db.query_all(&first_enablings()).await?;
    let rows: Result<Vec<_>, _> = rows.iter().map(|row| FirstEnabling::from_query_result(row, "")).collect();
    Ok(rows?)
}

/// Time that a feature took to reach production.
#[derive(Debug, Clone, PartialEq, Eq, FromQueryResult)]
pub struct LeadTime {
    /// Name of the feature.
    pub name: String,
    /// Whole days from its creation to its first enabling in production.
    pub days: i64,
}

/// The features of type `release` of a project that have been enabled in production, by name.
pub async fn lead_times(db: &impl ConnectionTrait, project: &str) -> Result<Vec<LeadTime>, StoreError> {
    let mut query = first_enablings();
    query
        .expr_as(Expr::col((feature::Entity, feature::Column::Name)), "name")
        .and_where(Expr::col((feature::Entity, feature::Column::Project)).eq(project))
        .add_group_by([Expr::col((feature::Entity, feature::Column::Name))])
        .order_by((feature::Entity, feature::Column::Name), sea_orm::Order::Asc);
    let rows = db.query_all(&query).await?;
    let rows: Result<Vec<_>, _> = rows.iter().map(|row| LeadTime::from_query_result(row, "")).collect();
    Ok(rows?)
}

#[cfg(test)]
mod tests {
    use sea_orm::{Statement, sea_query::SqliteQueryBuilder};

    use super::*;
    use crate::{db::Db, migrate::migrate};

    #[tokio::test]
    async fn the_statistics_of_a_project_read_no_table_whole() {
        let files = tempfile::tempdir().expect("a temporary directory");
        let db = Db::open(&format!("sqlite://{}", files.path().join("plan.db").display())).await.expect("opens");
        migrate(&db).await.expect("migrates");
        let query = activity_query().to_string(SqliteQueryBuilder);
        let explain = Statement::from_string(db.get_database_backend(), format!("EXPLAIN QUERY PLAN {query}"));
        let plan = db.query_all_raw(explain).await.expect("explains");
        let plan: Vec<String> = plan.iter().map(|row| row.try_get("", "detail").expect("a step")).collect();
        for table in ["feature", "event"] {
            assert!(!plan.iter().any(|step| step.split(' ').take(2).eq(["SCAN", table])), "{plan:#?}");
        }
        let serves = |index: &str| plan.iter().any(|step| step.contains(&format!("INDEX {index}")));
        for index in [
            "ix_feature__project_created_at_name",
            "ix_feature__project_archived_at",
            "ix_event__project_created_at",
            "ix_event__feature_name_environment_created_at",
        ] {
            assert!(serves(index), "{index} does not serve: {plan:#?}");
        }
    }
}
