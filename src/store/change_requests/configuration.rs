//! Approvals that changes of projects need in environments.

use std::collections::BTreeMap;

use flagstone_domain::{
    change_request::{configuration::Configuration, reviewers::ReviewerRule},
    ids::{EnvironmentName, ProjectId},
    time::Timestamp,
};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
    sea_query::{Expr, ExprTrait, JoinType, OnConflict, Query, SelectStatement},
};

use super::reviewer_rules::{self, NewReviewerRule};
use crate::{
    StoreError,
    db::Tx,
    entity::{change_request_configuration, environment, project_environment},
    environments::Cloning,
};

/// Approvals that changes of a project need in an environment; `None` where they need none.
pub async fn find(
    db: &impl ConnectionTrait,
    project: ProjectId<'_>,
    environment: EnvironmentName<'_>,
) -> Result<Option<i64>, StoreError> {
    let key = (project.as_str().to_owned(), environment.as_str().to_owned());
    let row = change_request_configuration::Entity::find_by_id(key).one(db).await?;
    Ok(row.map(|row| row.required_approvals))
}

/// Configuration of each environment that a project uses, in the order of the environments.
pub async fn of_project(db: &impl ConnectionTrait, project: &str) -> Result<Vec<Configuration>, StoreError> {
    use change_request_configuration as configuration;
    let of_environment = Expr::col((configuration::Entity, configuration::Column::Environment))
        .equals((environment::Entity, environment::Column::Name))
        .and(Expr::col((configuration::Entity, configuration::Column::Project)).eq(project));
    let used = Expr::col((project_environment::Entity, project_environment::Column::Environment))
        .equals((environment::Entity, environment::Column::Name))
        .and(Expr::col((project_environment::Entity, project_environment::Column::Project)).eq(project));
    let query = Query::select()
        .column((environment::Entity, environment::Column::Name))
        .column((environment::Entity, environment::Column::Type))
        .column((configuration::Entity, configuration::Column::RequiredApprovals))
        .from(environment::Entity)
        .join(JoinType::InnerJoin, project_environment::Entity, used)
        .join(JoinType::LeftJoin, configuration::Entity, of_environment)
        .order_by((environment::Entity, environment::Column::SortOrder), sea_orm::Order::Asc)
        .order_by((environment::Entity, environment::Column::Name), sea_orm::Order::Asc)
        .take();
    let mut configurations = Vec::new();
    for row in db.query_all(&query).await? {
        configurations.push(Configuration {
            environment: row.try_get_by_index(0)?,
            kind: row.try_get_by_index(1)?,
            required_approvals: row.try_get_by_index(2)?,
        });
    }
    Ok(configurations)
}

/// Names of the environments that a project uses and in which its changes need approval, in alphabetical order.
pub async fn guarded(db: &impl ConnectionTrait, project: &str) -> Result<Vec<String>, StoreError> {
    let column = (change_request_configuration::Entity, change_request_configuration::Column::Environment);
    let query = guarded_environments(project).order_by(column, sea_orm::Order::Asc).take();
    let rows = db.query_all(&query).await?;
    rows.iter().map(|row| Ok(row.try_get_by_index(0)?)).collect()
}

/// A query for these names.
pub(crate) fn guarded_environments(project: &str) -> SelectStatement {
    use change_request_configuration as configuration;
    let used = Expr::col((project_environment::Entity, project_environment::Column::Environment))
        .equals((configuration::Entity, configuration::Column::Environment))
        .and(Expr::col((project_environment::Entity, project_environment::Column::Project)).eq(project));
    Query::select()
        .column((configuration::Entity, configuration::Column::Environment))
        .from(configuration::Entity)
        .join(JoinType::InnerJoin, project_environment::Entity, used)
        .and_where(Expr::col((configuration::Entity, configuration::Column::Project)).eq(project))
        .take()
}

/// Lets changes of a project in an environment need so many approvals, or none. Returns how many they needed before.
pub async fn save(
    tx: &Tx,
    project: ProjectId<'_>,
    environment: EnvironmentName<'_>,
    required: Option<i64>,
    now: Timestamp,
) -> Result<Option<i64>, StoreError> {
    use change_request_configuration::{Column, Entity};
    let key = || (project.as_str().to_owned(), environment.as_str().to_owned());
    let before = Entity::find_by_id(key()).lock_exclusive().one(tx).await?.map(|row| row.required_approvals);
    match required {
        Some(required) => {
            let row = row(project, environment, required, now);
            let again = OnConflict::columns([Column::Project, Column::Environment])
                .update_column(Column::RequiredApprovals)
                .to_owned();
            Entity::insert(row).on_conflict(again).exec_without_returning(tx).await?;
        }
        None => {
            Entity::delete_by_id(key()).exec(tx).await?;
        }
    }
    Ok(before)
}

/// Gives a project its first configuration in an environment, unless it has one. Returns the approvals that are needed
/// since; `None` when nothing was written.
pub async fn start(
    tx: &Tx,
    project: ProjectId<'_>,
    environment: EnvironmentName<'_>,
    required: i64,
    now: Timestamp,
) -> Result<Option<i64>, StoreError> {
    let row = row(project, environment, required, now);
    let inserted =
        change_request_configuration::Entity::insert(row).on_conflict_do_nothing().exec_without_returning(tx).await?;
    Ok(matches!(inserted, sea_orm::TryInsertResult::Inserted(1)).then_some(required))
}

fn row(
    project: ProjectId<'_>,
    environment: EnvironmentName<'_>,
    required: i64,
    now: Timestamp,
) -> change_request_configuration::ActiveModel {
    change_request_configuration::ActiveModel {
        project: Set(project.as_str().to_owned()),
        environment: Set(environment.as_str().to_owned()),
        required_approvals: Set(required),
        created_at: Set(now),
    }
}

/// Approvals that new projects need, by environment, where there are any.
pub async fn defaults(db: &impl ConnectionTrait) -> Result<BTreeMap<String, i64>, StoreError> {
    let rows: Vec<(String, Option<i64>)> = environment::Entity::find()
        .select_only()
        .columns([environment::Column::Name, environment::Column::RequiredApprovals])
        .filter(environment::Column::RequiredApprovals.is_not_null())
        .order_by_asc(environment::Column::Name)
        .into_tuple()
        .all(db)
        .await?;
    Ok(rows.into_iter().filter_map(|(name, required)| Some((name, required?))).collect())
}

/// Gives a project that begins to use an environment the configuration that is the default there, unless it has one.
/// Returns the approvals that are needed since; `None` when nothing was written.
pub async fn start_with_default(
    tx: &Tx,
    project: ProjectId<'_>,
    environment: EnvironmentName<'_>,
    now: Timestamp,
) -> Result<Option<i64>, StoreError> {
    let row = environment::Entity::find_by_id(environment.as_str()).one(tx).await?;
    match row.and_then(|row| row.required_approvals) {
        Some(required) => start(tx, project, environment, required, now).await,
        None => Ok(None),
    }
}

/// Gives projects the configuration in the target that they have in the source, with the reviewers that are required
/// there. Returns the configuration by project, where there is one.
pub async fn copy(
    tx: &Tx,
    Cloning { source, target }: Cloning<'_>,
    projects: &[String],
    now: Timestamp,
) -> Result<BTreeMap<String, i64>, StoreError> {
    let mut copied = BTreeMap::new();
    for id in projects {
        let project = ProjectId::new(id);
        if let Some(required) = find(tx, project, source).await? {
            start(tx, project, target, required, now).await?;
            copied.insert(id.clone(), required);
        }
        let rules = reviewer_rules::list(tx, project, source).await?;
        if !rules.is_empty() {
            let new = |rule: ReviewerRule| NewReviewerRule {
                scope: rule.scope,
                need: rule.need,
                groups: rule.groups.into_iter().collect(),
            };
            let rules: Vec<NewReviewerRule> = rules.into_iter().map(new).collect();
            reviewer_rules::replace(tx, project, target, &rules, now).await?;
        }
    }
    Ok(copied)
}
