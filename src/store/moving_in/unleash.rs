//! The database of Unleash, read as it is at one moment and never written.
//!
//! Versions differ in tables and columns. Each row is asked for as JSON with whatever columns it has, and what is not
//! among them counts as null.

mod history;
mod left_behind;

use std::collections::{BTreeMap, BTreeSet};

use flagstone_domain::opaque_debug;
use flagstone_domain::repair::{self, Repairs};
use flagstone_moving_in::{Event, Finding, Origin, Set, TABLES, Tables, Usage};
use futures_util::{StreamExt as _, TryStreamExt as _, stream::BoxStream};
use sea_orm::sqlx::{self, AssertSqlSafe, postgres::PgConnection};

use serde_json::Value;

use super::MoveInError;
use crate::db::{options::postgres, reach};

/// Name of the product.
const PRODUCT: &str = "Unleash";
/// The newest step of the oldest schema that is read: version 4.19.
const OLDEST: &str = "/20221205122253";
/// The newest step that is known: version 8.2.
const NEWEST: &str = "/20260902120000-add-user-agent-to-login-history";
/// Tables by which the database is known.
const KNOWN_BY: [&str; 3] = ["migrations", "features", "feature_strategies"];

/// Orders of rows, where they mean something or are to be the same each time.
const ORDERS: [(&str, &str); 42] = [
    ("project_environments", "ORDER BY project_id, environment_name"),
    ("change_request_settings", "ORDER BY project, environment"),
    ("projects", "ORDER BY id"),
    ("addons", "ORDER BY id"),
    ("environments", "ORDER BY sort_order, name"),
    ("feature_types", "ORDER BY id"),
    ("strategies", "ORDER BY sort_order, name"),
    ("context_fields", "ORDER BY sort_order, name"),
    ("tag_types", "ORDER BY name"),
    ("tags", "ORDER BY type, value"),
    ("segments", "ORDER BY id"),
    ("settings", "ORDER BY name"),
    ("features", "ORDER BY created_at, name"),
    ("feature_link", "ORDER BY id"),
    ("feature_environments", "ORDER BY feature_name, environment"),
    ("feature_strategy_segment", "ORDER BY feature_strategy_id, created_at, segment_id"),
    ("feature_strategies", "ORDER BY feature_name, environment, sort_order, created_at"),
    ("dependent_features", "ORDER BY child, parent"),
    ("feature_lifecycles", "ORDER BY feature, created_at"),
    ("banners", "ORDER BY id"),
    // The newest are those that come over.
    ("login_history", "ORDER BY created_at DESC LIMIT 10000"),
    ("roles", "ORDER BY id"),
    ("users", "ORDER BY id"),
    ("group_user", "ORDER BY group_id, user_id"),
    ("groups", "ORDER BY id"),
    ("role_user", "ORDER BY role_id"),
    ("group_role", "ORDER BY role_id"),
    ("api_tokens", "ORDER BY created_at"),
    ("api_tokens_v2", "ORDER BY created_at"),
    ("personal_access_tokens", "ORDER BY created_at"),
    ("public_signup_tokens", "ORDER BY created_at"),
    ("client_applications", "ORDER BY app_name"),
    ("client_instances", "ORDER BY app_name, instance_id"),
    ("change_requests", "ORDER BY id"),
    ("change_request_events", "ORDER BY id"),
    ("change_request_approvals", "ORDER BY created_at, id"),
    ("change_request_rejections", "ORDER BY created_at, id"),
    ("change_request_comments", "ORDER BY id"),
    ("change_request_requested_approvers", "ORDER BY change_request_id, user_id"),
    ("change_request_schedule", "ORDER BY change_request"),
    ("favorite_features", "ORDER BY user_id, feature"),
    ("favorite_projects", "ORDER BY user_id, project"),
];

/// Kind of counted usage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UsageKind {
    /// Usage by the hour.
    Hourly,
    /// Usage by the hour and variant.
    Variants,
    /// Usage by the day.
    Daily,
    /// Usage by the day and variant.
    VariantsDaily,
}

/// The database, open for reading.
pub struct Source {
    connection: PgConnection,
    schema: String,
    /// Tables, and whether they may be read.
    tables: BTreeMap<String, bool>,
}

opaque_debug!(Source { schema, .. });

impl Source {
    /// Begins to read. What is written there from now on is not seen.
    pub async fn open(url: &str) -> Result<Self, MoveInError> {
        let options = postgres(url)
            .map_err(MoveInError::Unreachable)?
            .options([("statement_timeout", "0"), ("DateStyle", "ISO")]);
        let mut connection = reach::connect(&options).await.map_err(MoveInError::Unreachable)?;
        let begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
        sqlx::raw_sql(begin).execute(&mut connection).await.map_err(MoveInError::Source)?;
        let schema = schema(&mut connection).await?;
        let tables = sqlx::query_as(
            "SELECT c.relname::text, has_table_privilege(c.oid, 'SELECT') FROM pg_class c \
             JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relkind IN ('r', 'p', 'v', 'm')",
        );
        let tables: Vec<(String, bool)> =
            tables.bind(&schema).fetch_all(&mut connection).await.map_err(MoveInError::Source)?;
        let source = Self { connection, schema, tables: tables.into_iter().collect() };
        source.require(&KNOWN_BY)?;
        Ok(source)
    }

    /// Reads everything but the history, with the findings.
    pub async fn read(&mut self) -> Result<(Set, Vec<Finding>), MoveInError> {
        let origin = self.origin().await?;
        self.require(&self.wanted())?;
        let mut tables = Tables::default();
        for table in TABLES.iter().copied().flatten() {
            let order = ORDERS.iter().find(|(ordered, _)| ordered == table).map_or("", |(_, order)| *order);
            for text in self.texts(table, order).await? {
                tables.add_text(table, text);
            }
        }
        let is_newer = origin.version.as_str() > NEWEST;
        let (set, mut findings) = tables.read(origin);
        if is_newer {
            let reason = "its schema is newer than this program knows: what has been added since is not looked at";
            findings.insert(0, Finding::changed("version", &*set.origin.version, reason));
        }
        left_behind::tell(self, &mut findings).await?;
        Ok((set, findings))
    }

    /// The log of changes, oldest first, as it comes in; `None` for an entry that is left out.
    pub fn events<'a>(&'a mut self, repairs: &'a Repairs) -> BoxStream<'a, Result<Option<Event>, MoveInError>> {
        history::events(self, repairs)
    }

    /// Usage, as it comes in; `None` for a row that is left out.
    pub fn usage<'a>(
        &'a mut self,
        kind: UsageKind,
        repairs: &'a Repairs,
    ) -> BoxStream<'a, Result<Option<Usage>, MoveInError>> {
        history::usage(self, kind, repairs)
    }

    /// Number of rows of a table.
    pub async fn count(&mut self, table: &str) -> Result<u64, MoveInError> {
        if !self.tables.contains_key(table) {
            return Ok(0);
        }
        let sql = format!("SELECT count(*) FROM {}", self.name(table));
        let rows: i64 = sqlx::query_scalar(AssertSqlSafe(sql))
            .fetch_one(&mut self.connection)
            .await
            .map_err(MoveInError::Source)?;
        Ok(u64::try_from(rows).unwrap_or_default())
    }

    async fn origin(&mut self) -> Result<Origin, MoveInError> {
        let sql = format!("SELECT coalesce(max(name::text COLLATE \"C\"), '') FROM {}", self.name("migrations"));
        let newest: String = sqlx::query_scalar(AssertSqlSafe(sql))
            .fetch_one(&mut self.connection)
            .await
            .map_err(MoveInError::Source)?;
        if newest.as_str() < OLDEST {
            return Err(MoveInError::TooOld { newest });
        }
        Ok(Origin { product: PRODUCT.to_owned(), version: newest })
    }

    /// The tables that are read, as far as there are any.
    fn wanted(&self) -> Vec<&'static str> {
        let all = [&TABLES.concat()[..], history::TABLES, left_behind::TABLES].concat();
        all.into_iter().filter(|table| self.tables.contains_key(*table)).collect()
    }

    /// Refuses where tables are missing or closed.
    fn require(&self, tables: &[&str]) -> Result<(), MoveInError> {
        let closed: BTreeSet<_> = tables
            .iter()
            .filter(|table| self.tables.get(**table) != Some(&true))
            .map(|&table| table.to_owned())
            .collect();
        if closed.is_empty() { Ok(()) } else { Err(MoveInError::Unreadable(closed.into_iter().collect())) }
    }

    /// A table as statements name it.
    fn name(&self, table: &str) -> String {
        let quoted = |name: &str| format!("\"{}\"", name.replace('"', "\"\""));
        format!("{}.{}", quoted(&self.schema), quoted(table))
    }

    fn statement(&self, table: &str, rest: &str) -> String {
        format!("SELECT to_json(t)::text FROM {} t {rest}", self.name(table))
    }

    /// The rows of a small table.
    async fn rows(&mut self, table: &'static str, rest: &str) -> Result<Vec<Value>, MoveInError> {
        let texts = self.texts(table, rest).await?;
        Ok(texts.iter().map(|text| repair::parse(text.as_bytes()).unwrap_or_default()).collect())
    }

    /// The rows of a table, each as JSON; none where there is no such table.
    async fn texts(&mut self, table: &'static str, rest: &str) -> Result<Vec<String>, MoveInError> {
        if !self.tables.contains_key(table) {
            return Ok(Vec::new());
        }
        let sql = self.statement(table, rest);
        let mut rows = sqlx::query_scalar(AssertSqlSafe(sql)).fetch(&mut self.connection);
        let mut texts = Vec::new();
        while let Some(text) = rows.try_next().await.map_err(MoveInError::Source)? {
            texts.push(text);
        }
        Ok(texts)
    }

    /// The rows of a large table, each as JSON, as they come in.
    fn stream(&mut self, table: &'static str, rest: &str) -> BoxStream<'_, Result<String, MoveInError>> {
        if !self.tables.contains_key(table) {
            return futures_util::stream::empty().boxed();
        }
        let sql = self.statement(table, rest);
        sqlx::query_scalar(AssertSqlSafe(sql)).fetch(&mut self.connection).map_err(MoveInError::Source).boxed()
    }
}

/// The schema that holds the tables.
async fn schema(connection: &mut PgConnection) -> Result<String, MoveInError> {
    let sql = "SELECT n.nspname::text, n.nspname = current_schema() FROM pg_namespace n \
               WHERE has_schema_privilege(n.oid, 'USAGE') AND (SELECT count(*) FROM pg_class c \
               WHERE c.relnamespace = n.oid AND c.relkind IN ('r', 'p', 'v', 'm') AND c.relname = ANY($1)) = $2 \
               ORDER BY 2 DESC NULLS LAST, 1";
    let names: Vec<String> = KNOWN_BY.iter().map(|name| (*name).to_owned()).collect();
    let count = i64::try_from(names.len()).unwrap_or_default();
    let found: Vec<(String, Option<bool>)> =
        sqlx::query_as(sql).bind(names).bind(count).fetch_all(&mut *connection).await.map_err(MoveInError::Source)?;
    match found.as_slice() {
        [(schema, _)] | [(schema, Some(true)), ..] => Ok(schema.clone()),
        [] => {
            let name = sqlx::query_scalar("SELECT current_database()::text").fetch_one(connection).await;
            Err(MoveInError::Foreign { database: name.map_err(MoveInError::Source)? })
        }
        several => Err(MoveInError::Ambiguous(several.iter().map(|(schema, _)| schema.clone()).collect())),
    }
}
