//! Whether the server works, for load balancers and supervisors.

use poem::web::Data;
use poem_openapi::{Enum, Object, OpenApi, param::Query};
use serde::Serialize;

use crate::{
    api::{
        Tag,
        answer::{Fails, Out, refusals},
    },
    error::Error,
    state::State,
    store::{self, StoreError, db::NoEvent},
};

/// Milliseconds after a failure for lack of room during which the disk counts as full, so that callers without
/// credentials cause few writes.
const RESPITE_MS: i64 = 5000;

/// The operations for the health of the server.
#[derive(Debug)]
pub struct HealthApi;

refusals! {
    /// The server runs but cannot do its work.
    NotReady = 400, 503;
}

/// State of a server that runs.
#[derive(Debug, Clone, Copy, Enum, Serialize)]
#[oai(rename_all = "UPPERCASE")]
#[serde(rename_all = "UPPERCASE")]
pub enum HealthState {
    /// It does.
    Good,
}

/// Health of a server that runs.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "Health")]
pub struct HealthBody {
    /// Always `GOOD`.
    pub health: HealthState,
}

/// Callers that a server is ready for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "lowercase")]
pub enum ReadyFor {
    /// Callers of the administration API.
    Administration,
    /// Programs that evaluate flags.
    Programs,
}

/// Whether flags are served from memory, also while the database is unreachable.
pub fn serves_from_memory(state: &State) -> bool {
    state.sdk.environments_kept() > 0
}

#[OpenApi(tag = "Tag::Operational")]
impl HealthApi {
    /// Check that the server runs
    ///
    /// Needs no credentials and does not touch the database.
    #[oai(path = "/health", method = "get", operation_id = "getHealth")]
    async fn get_health(&self) -> Out<HealthBody> {
        Out(HealthBody { health: HealthState::Good })
    }

    /// Check that the server is ready
    ///
    /// Needs no credentials. For administration it reads one row from the database; 503 while that fails, and
    /// `DiskFullError` while its disk is full. For programs 200 as soon as the flags of an environment are in memory,
    /// also while the database is unreachable or its disk is full, and before that like administration.
    #[oai(path = "/ready", method = "get", operation_id = "getReady")]
    async fn get_ready(
        &self,
        Data(state): Data<&State>,
        /// Callers that the server is to be ready for. Absent: `administration`.
        #[oai(name = "for")]
        ready_for: Query<Option<ReadyFor>>,
    ) -> Result<Out<HealthBody>, Fails<NotReady>> {
        let is_for_programs = ready_for.0 == Some(ReadyFor::Programs);
        if !(is_for_programs && serves_from_memory(state)) {
            store::environments::of_project(&state.db, "default").await?;
        }
        if !is_for_programs {
            check_room(state).await?;
        }
        Ok(Out(HealthBody { health: HealthState::Good }))
    }
}

/// Fails while the disk of the database is full: after a failure for lack of room, until something could be written.
async fn check_room(state: &State) -> Result<(), Error> {
    let now = state.clock.now();
    let Some(full_for_ms) = state.disk.full_for_ms(now) else { return Ok(()) };
    if (0..RESPITE_MS).contains(&full_for_ms) {
        let cause = StoreError::external("a change failed for lack of room a moment ago".to_owned());
        return Err(Error::DiskFull(Box::new(cause)));
    }
    let tx = state.db.begin().await?;
    store::preferences::take_room(&tx, now).await?;
    tx.commit_without_event(NoEvent::Upkeep).await?;
    let tx = state.db.begin().await?;
    store::preferences::give_room_back(&tx).await?;
    tx.commit_without_event(NoEvent::Upkeep).await?;
    state.disk.note_room();
    Ok(())
}
