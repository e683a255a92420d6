//! State of a PostgreSQL server and its log, by its own account.

use std::fmt;

use sea_orm::{DatabaseBackend, DbErr, FromQueryResult, Statement};

use crate::db::readers::Readers;

/// Asks either server. Positions are bytes since the beginning of the log: what is safe on the primary, what can be
/// read on the replica. Each part may be asked by any role. The timeline of a replica is the newest that it is known to
/// follow; a role that may not look at its receiver learns of a new one at the replica's next checkpoint.
const QUESTION: &str = "\
    SELECT pg_is_in_recovery() AS is_replica, system_identifier AS system, \
    (SELECT oid::bigint FROM pg_database WHERE datname = current_database()) AS database, \
    CASE WHEN pg_is_in_recovery() THEN \
        greatest(min_recovery_end_timeline, timeline_id, (SELECT max(received_tli) FROM pg_stat_wal_receiver)) \
        ELSE ('x' || left(pg_walfile_name(pg_current_wal_flush_lsn()), 8))::bit(32)::integer END AS timeline, \
    (CASE WHEN pg_is_in_recovery() THEN coalesce(pg_last_wal_replay_lsn(), '0/0') \
        ELSE pg_current_wal_flush_lsn() END - '0/0')::bigint AS position \
    FROM pg_control_system(), pg_control_recovery(), pg_control_checkpoint()";

/// A server at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromQueryResult)]
pub(super) struct Server {
    is_replica: bool,
    /// Id of the cluster, which its replicas share.
    system: i64,
    /// The database within the cluster.
    database: i64,
    /// Timeline: the history of the cluster since servers were promoted.
    timeline: i32,
    pub(super) position: i64,
}

/// Reason why a server is no replica of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mismatch {
    /// It takes writes itself: a primary, or a replica that was promoted.
    NoReplica,
    /// The other one takes none.
    NoPrimary,
    /// It belongs to another cluster.
    Cluster,
    /// The URL names another database of the same cluster.
    Database,
    /// It follows another primary since one was promoted, or does not show yet that it follows the new one.
    Timeline,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoReplica => "it takes writes itself, so it is a primary or was promoted",
            Self::NoPrimary => "the server of DATABASE_URL is a replica itself",
            Self::Cluster => "it belongs to another cluster",
            Self::Database => "it names another database of the cluster",
            Self::Timeline => "its history is not that of the primary: another server was promoted",
        })
    }
}

impl Server {
    pub(super) async fn ask(connection: &Readers) -> Result<Self, DbErr> {
        let statement = Statement::from_string(DatabaseBackend::Postgres, QUESTION);
        let row = connection.one(&statement).await?;
        let row = row.ok_or_else(|| DbErr::RecordNotFound("a server that says nothing about itself".to_owned()))?;
        Self::from_query_result(&row, "")
    }

    pub(super) const fn is_replica(&self) -> bool {
        self.is_replica
    }

    /// Reason why it is no replica of this primary.
    pub(super) fn mismatch(&self, primary: &Self) -> Option<Mismatch> {
        [
            (primary.system != self.system, Mismatch::Cluster),
            (!self.is_replica, Mismatch::NoReplica),
            (primary.is_replica, Mismatch::NoPrimary),
            (primary.database != self.database, Mismatch::Database),
            (primary.timeline != self.timeline, Mismatch::Timeline),
        ]
        .into_iter()
        .find_map(|(holds, mismatch)| holds.then_some(mismatch))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_replica_of_the_same_database_and_history_is_taken() {
        let primary = Server { is_replica: false, system: 1, database: 2, timeline: 3, position: 100 };
        let replica = Server { is_replica: true, position: 90, ..primary };
        assert_eq!(replica.mismatch(&primary), None);
        for (other, of, expected) in [
            (primary, primary, Mismatch::NoReplica),
            (Server { timeline: 4, is_replica: false, ..replica }, primary, Mismatch::NoReplica),
            (replica, replica, Mismatch::NoPrimary),
            (Server { system: 9, ..replica }, primary, Mismatch::Cluster),
            (Server { system: 9, ..primary }, primary, Mismatch::Cluster),
            (Server { database: 9, ..replica }, primary, Mismatch::Database),
            (Server { timeline: 2, ..replica }, primary, Mismatch::Timeline),
            (Server { timeline: 4, ..replica }, primary, Mismatch::Timeline),
        ] {
            assert_eq!(other.mismatch(&of), Some(expected), "{other:?} of {of:?}");
        }
    }
}
