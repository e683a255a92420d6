//! The empty database that receives everything, in one transaction: what is dropped before its commit keeps nothing.

use flagstone_domain::{project::DEFAULT_PROJECT, time::Timestamp};
use flagstone_moving_in::{KINDS, Set, sizes};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, DatabaseBackend, EntityTrait, IntoActiveModel, PaginatorTrait,
    QueryFilter,
};

use super::{MoveInError, change_requests, features, lists, people};
use crate::{
    db::{Db, NoEvent, Tx, batches::WRITTEN_AT_ONCE},
    entity::{
        api_token, app_user, change_request, environment, event, favorite_feature, favorite_project, feature,
        feature_environment, feature_strategy, personal_token, project, project_group_role, project_user_role, segment,
        signup_link, tag, user_group,
    },
    integrations, jobs,
};

/// Pages that SQLite keeps meanwhile, in KiB; negative, as it distinguishes KiB from pages.
const CACHE: &str = "PRAGMA cache_size = -65536";

/// Tables whose rows come with ids of their own, after which new ones are to be numbered.
const NUMBERED: [&str; 15] = [
    "role",
    "app_user",
    "user_group",
    "segment",
    "feature",
    "tag",
    "api_token",
    "personal_token",
    "signup_link",
    "event",
    "integration",
    "change_request",
    "change_request_change",
    "change_request_review",
    "change_request_comment",
];

/// Begins to write into a database that has not been used.
pub async fn begin(db: &Db) -> Result<Tx, MoveInError> {
    let tx = db.begin_exclusive().await?;
    let people = app_user::Entity::find().filter(app_user::Column::IsSystem.eq(false));
    let found = [
        ("users", people.count(&tx).await?),
        ("features", feature::Entity::find().count(&tx).await?),
        ("segments", segment::Entity::find().count(&tx).await?),
        ("API tokens", api_token::Entity::find().count(&tx).await?),
        ("events", event::Entity::find().count(&tx).await?),
        ("further projects", project::Entity::find().filter(project::Column::Id.ne(DEFAULT_PROJECT)).count(&tx).await?),
    ];
    let found: Vec<_> = found.into_iter().filter(|(_, count)| *count > 0).collect();
    if tx.get_database_backend() == DatabaseBackend::Sqlite {
        // Indexes of a million events do not fit into what a server keeps: each page would be read and written again
        // and again.
        tx.execute_unprepared(CACHE).await?;
    }
    if found.is_empty() { Ok(tx) } else { Err(MoveInError::InUse(found)) }
}

/// Writes everything but the history.
pub async fn write(tx: &Tx, set: &Set, now: Timestamp) -> Result<(), MoveInError> {
    people::write_roles(tx, set).await?;
    people::write_people(tx, set, now).await?;
    lists::write(tx, set, now).await?;
    features::write(tx, set, now).await?;
    people::write_access(tx, set, now).await?;
    people::write_tokens(tx, set, now).await?;
    people::write_notices(tx, set, now).await?;
    lists::write_settings(tx, set, now).await?;
    change_requests::write(tx, set, now).await?;
    let there = counts(tx).await?;
    for ((kind, sent), there) in KINDS.into_iter().zip(sizes(set)).zip(there) {
        let keeps_own = match kind {
            "projects" => lists::keeps_project(set),
            "environments" => lists::keeps_environment(set),
            _ => false,
        };
        let expected = sent + u64::from(keeps_own);
        if there != expected {
            return Err(MoveInError::Differs(kind, expected, there));
        }
    }
    Ok(())
}

/// Contents of the target, in the order of [`KINDS`].
async fn counts(tx: &Tx) -> Result<[u64; KINDS.len()], MoveInError> {
    let people = app_user::Entity::find().filter(app_user::Column::IsSystem.eq(false));
    Ok([
        project::Entity::find().count(tx).await?,
        environment::Entity::find().count(tx).await?,
        feature::Entity::find().count(tx).await?,
        feature_environment::Entity::find().count(tx).await?,
        feature_strategy::Entity::find().count(tx).await?,
        segment::Entity::find().count(tx).await?,
        tag::Entity::find().count(tx).await?,
        people.count(tx).await?,
        user_group::Entity::find().count(tx).await?,
        project_user_role::Entity::find().count(tx).await? + project_group_role::Entity::find().count(tx).await?,
        favorite_feature::Entity::find().count(tx).await? + favorite_project::Entity::find().count(tx).await?,
        api_token::Entity::find().count(tx).await?,
        personal_token::Entity::find().count(tx).await?,
        signup_link::Entity::find().count(tx).await?,
        change_request::Entity::find().count(tx).await?,
    ])
}

/// Keeps everything. New rows are numbered after those that came over, and the figures of the past are made again.
pub async fn finish(tx: Tx, now: Timestamp) -> Result<(), MoveInError> {
    change_requests::complete(&tx, now).await?;
    if tx.get_database_backend() == DatabaseBackend::Postgres {
        for table in NUMBERED {
            let sql = format!(
                "SELECT setval(pg_get_serial_sequence('{table}', 'id'), greatest((SELECT max(id) FROM {table}), 1))"
            );
            tx.execute_unprepared(&sql).await?;
        }
    }
    integrations::pass_over_history(&tx).await?;
    jobs::retell_history(&tx).await?;
    Ok(tx.commit_without_event(NoEvent::Upkeep).await?)
}

/// Writes rows, many at a time.
pub(super) async fn insert<A>(tx: &Tx, rows: Vec<A>) -> Result<(), MoveInError>
where
    A: ActiveModelTrait + Send,
    <A::Entity as EntityTrait>::Model: IntoActiveModel<A>,
{
    let mut rows = rows.into_iter().peekable();
    while rows.peek().is_some() {
        let batch: Vec<A> = rows.by_ref().take(WRITTEN_AT_ONCE).collect();
        A::Entity::insert_many(batch).exec_without_returning(tx).await?;
    }
    Ok(())
}
