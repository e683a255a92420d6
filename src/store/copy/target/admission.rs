//! Whether a database may receive a copy: it is empty, or holds no more than a server that was started once leaves.

use flagstone_domain::{
    actor::SYSTEM_USER_ID, event_chain::checkpoint::SETTING, event_kind::EventKind, token::FIRST_NAME,
};
use sea_orm::sqlx::{self, AssertSqlSafe};

use super::Target;
use crate::copy::{
    CopyError,
    table::{MIGRATIONS, quoted},
};

/// Tables in which migrations, the first start and the jobs leave rows by themselves. Whatever else is changed in them
/// leaves events.
const BEGUN: &[&str] = &[
    "api_token",
    "api_token_project",
    "app_user",
    "context_field",
    "environment",
    "event",
    "event_checkpoint",
    "event_hash",
    "feature_type",
    "insight_environment_type_week",
    "insight_flag_day",
    "insight_metrics_week",
    "insight_project_week",
    "insight_user_day",
    "job_run",
    "project",
    "project_environment",
    "role",
    "role_permission",
    "setting",
    "strategy_type",
    "tag_type",
];

impl Target {
    /// Refuses a foreign database or one in use, before it is touched.
    pub(in crate::copy) async fn refuse_others(&mut self) -> Result<(), CopyError> {
        let tables = self.names().await?;
        if tables.is_empty() {
            return Ok(());
        }
        if !tables.iter().any(|table| table == MIGRATIONS) {
            return Err(CopyError::Foreign(tables));
        }
        self.refuse_used().await
    }

    /// Refuses a database in use.
    pub(super) async fn refuse_used(&mut self) -> Result<(), CopyError> {
        let mut found = Vec::new();
        for table in self.names().await? {
            let rows = match table.as_str() {
                MIGRATIONS => 0,
                "event" => self.count("event", &later_event()).await?,
                "app_user" => self.count("app_user", "NOT is_system").await?.saturating_sub(1),
                "api_token" => self.count("api_token", &format!("token_name <> '{FIRST_NAME}'")).await?,
                begun if BEGUN.contains(&begun) => 0,
                other => self.count(other, "true").await?,
            };
            if rows > 0 {
                found.push((table, rows));
            }
        }
        if found.is_empty() { Ok(()) } else { Err(CopyError::InUse(found)) }
    }

    async fn count(&mut self, table: &str, condition: &str) -> Result<u64, CopyError> {
        let sql = format!("SELECT count(*) FROM {} WHERE {condition}", quoted(table));
        let rows: i64 =
            sqlx::query_scalar(AssertSqlSafe(sql)).fetch_one(&mut self.connection).await.map_err(CopyError::Target)?;
        Ok(u64::try_from(rows).unwrap_or_default())
    }

    /// The tables of all owners, save those of extensions.
    async fn names(&mut self) -> Result<Vec<String>, CopyError> {
        let names = "\
            SELECT relname::text FROM pg_class c \
            WHERE relkind IN ('r', 'p') AND relnamespace = current_schema()::regnamespace \
              AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e') \
            ORDER BY relname";
        sqlx::query_scalar(names).fetch_all(&mut self.connection).await.map_err(CopyError::Target)
    }
}

/// An event that no first start leaves, nor a server by itself.
fn later_event() -> String {
    let [user, token] = [EventKind::UserCreated, EventKind::ApiTokenCreated].map(EventKind::as_str);
    let checkpoint = format!("data LIKE '{{\"id\":\"{SETTING}\"%'");
    format!(
        "created_by_user_id IS DISTINCT FROM {SYSTEM_USER_ID} OR NOT (type IN ('{user}', '{token}') OR coalesce({checkpoint}, false))"
    )
}
