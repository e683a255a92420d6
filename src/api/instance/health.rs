//! Whether the server works, for load balancers and supervisors.

use poem::web::Data;
use poem_openapi::{Enum, Object, OpenApi};
use serde::Serialize;

use crate::{
    api::{
        Tag,
        answer::{Fails, Out, refusals},
    },
    state::State,
    store,
};

/// The operations that tell whether the server works.
#[derive(Debug)]
pub struct HealthApi;

refusals! {
    /// The server runs but cannot do its work.
    NotReady = 503;
}

/// That the server runs.
#[derive(Debug, Clone, Copy, Enum, Serialize)]
#[oai(rename_all = "UPPERCASE")]
#[serde(rename_all = "UPPERCASE")]
pub enum HealthState {
    /// It does.
    Good,
}

/// That the server runs.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "Health")]
pub struct HealthBody {
    /// Always `GOOD`.
    pub health: HealthState,
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
    /// Needs no credentials. Reads one row from the database; 503 while that fails.
    #[oai(path = "/ready", method = "get", operation_id = "getReady")]
    async fn get_ready(&self, Data(state): Data<&State>) -> Result<Out<HealthBody>, Fails<NotReady>> {
        store::environments::of_project(&state.db, "default").await?;
        Ok(Out(HealthBody { health: HealthState::Good }))
    }
}
