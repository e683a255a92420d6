//! Notifications of changes that other nodes commit, through PostgreSQL; SQLite has one node.

use std::{sync::Arc, time::Duration};

use flagstone_domain::opaque_debug;
use futures_util::FutureExt as _;
use sea_orm::{
    DatabaseBackend, DatabaseConnection, DbErr, RuntimeErr,
    sqlx::{
        self, Executor as _,
        postgres::{PgListener, PgPoolOptions},
    },
};
use tokio::time::timeout;

use crate::StoreError;

/// Channel of the nodes of a database.
const CHANNEL: &str = "flagstone_changes";
/// Quiet time after which the connection is checked.
const QUIET: Duration = Duration::from_secs(30);
/// Longest time that a connection may take to answer, or to be made.
const PATIENCE: Duration = Duration::from_secs(10);

/// The statement by which a node notifies the others of a change: they receive it when the transaction commits.
pub(crate) fn announcement(node: &str) -> String {
    format!("pg_notify('{CHANNEL}', '{node}')")
}

/// A connection that receives the notifications of other nodes.
pub struct Listener {
    connection: PgListener,
    node: Arc<str>,
}

opaque_debug!(Listener { node, .. });

impl Listener {
    /// Opens a connection of its own, as the node of this name; `None` on SQLite.
    pub(crate) async fn open(database: &DatabaseConnection, node: Arc<str>) -> Result<Option<Self>, StoreError> {
        if database.get_database_backend() != DatabaseBackend::Postgres {
            return Ok(None);
        }
        let options = database.get_postgres_connection_pool().connect_options();
        let alone =
            PgPoolOptions::new().max_connections(1).acquire_timeout(PATIENCE).idle_timeout(None).max_lifetime(None);
        let pool = alone.connect_with((*options).clone()).await.map_err(lost)?;
        let mut connection = PgListener::connect_with(&pool).await.map_err(lost)?;
        connection.eager_reconnect(false);
        connection.listen(CHANNEL).await.map_err(lost)?;
        Ok(Some(Self { connection, node }))
    }

    /// Waits until another node has changed something. After an error nothing more is heard.
    pub async fn wait(&mut self) -> Result<(), StoreError> {
        loop {
            match timeout(QUIET, self.connection.try_recv()).await {
                Ok(heard) => {
                    if self.is_news(heard)? {
                        return self.skip_what_waits();
                    }
                }
                Err(_) => self.probe().await?,
            }
        }
    }

    /// Skips waiting notifications: one look covers all of them.
    fn skip_what_waits(&mut self) -> Result<(), StoreError> {
        while let Some(heard) = self.connection.try_recv().now_or_never() {
            self.is_news(heard)?;
        }
        Ok(())
    }

    fn is_news(&self, heard: Result<Option<sqlx::postgres::PgNotification>, sqlx::Error>) -> Result<bool, StoreError> {
        match heard.map_err(lost)? {
            Some(notification) => Ok(notification.payload() != &*self.node),
            None => Err(lost(sqlx::Error::Io(std::io::ErrorKind::ConnectionAborted.into()))),
        }
    }

    /// Finds out whether the other side is still there: a connection can end without a word.
    async fn probe(&mut self) -> Result<(), StoreError> {
        let answer = timeout(PATIENCE, self.connection.execute("SELECT 1")).await;
        answer.unwrap_or(Err(sqlx::Error::PoolTimedOut)).map_err(lost)?;
        Ok(())
    }
}

fn lost(error: sqlx::Error) -> StoreError {
    DbErr::Conn(RuntimeErr::SqlxError(error.into())).into()
}
