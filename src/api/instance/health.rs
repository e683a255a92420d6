//! Whether the server works, for load balancers and supervisors.

use poem::web::Data;
use poem_openapi::{Enum, Object, OpenApi, param::Query};
use serde::Serialize;

use crate::{
    api::{
        Tag,
        answer::{Fails, Out, refusals},
    },
    state::State,
    store,
};

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
            state.disk.check_room(&state.db, state.clock.now()).await?;
        }
        Ok(Out(HealthBody { health: HealthState::Good }))
    }
}
