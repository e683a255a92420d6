//! Taking environments into use and out of it, and sorting them.

use std::collections::BTreeMap;

use poem::web::Data;
use poem_openapi::{OpenApi, param::Path};

use crate::{
    access::Caller,
    api::{
        Tag,
        answer::{Done, Fails, NoContent, RemoveRefusals, WriteRefusals},
        body::Body,
        environments::{hold, settle},
        permitted::{Permitted, need},
        version::IfMatch,
    },
    domain::environment::Environment,
    error::{Error, Finding},
    state::State,
    store,
};

/// The last position that an environment can have.
const LAST_POSITION: i64 = 1_000_000;

/// The operations that switch and sort environments.
#[derive(Debug)]
pub struct EnvironmentSwitchesApi;

#[OpenApi(tag = "Tag::Environments")]
impl EnvironmentSwitchesApi {
    /// Update the order of environments
    ///
    /// The body has positions by name; environments that it leaves out keep theirs. Each environment that moves leaves
    /// an event. 400 for a name that does not exist.
    #[oai(path = "/api/admin/environments/sort-order", method = "put", operation_id = "updateSortOrder")]
    async fn update_sort_order(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        body: Body<BTreeMap<String, i64>>,
    ) -> Result<Done, Fails<WriteRefusals>> {
        let positions = body.read()?;
        check(&positions)?;
        let tx = state.db.begin().await?;
        let names: Vec<&str> = positions.keys().map(String::as_str).collect();
        let held = store::environments::hold_all(&tx, &names).await?;
        if let Some(name) = names.iter().find(|name| held.iter().all(|known| known.name != **name)) {
            return Err(Error::unknown(format!("/body/{name}"), "environment", name).into());
        }
        let actor = caller.actor();
        let mut events = Vec::new();
        for before in held {
            let after = Environment { sort_order: positions[&before.name], ..before.clone() };
            if let Some(event) = before.updated(&after, &actor) {
                store::environments::save(&tx, &after).await?;
                events.push(event);
            }
        }
        tx.commit(state.clock.now(), events).await?;
        Ok(Done)
    }

    /// Enable an environment
    ///
    /// An environment that is enabled already leaves no event.
    #[oai(path = "/api/admin/environments/:name/on", method = "post", operation_id = "toggleEnvironmentOn")]
    async fn toggle_environment_on(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        name: Path<String>,
        #[oai(name = "If-Match")] if_match: IfMatch,
    ) -> Result<NoContent, Fails<RemoveRefusals>> {
        Ok(switch(state, &caller, &name, &if_match, true).await?)
    }

    /// Disable an environment
    ///
    /// The configuration of features in it stays. An environment that is disabled already leaves no event.
    #[oai(path = "/api/admin/environments/:name/off", method = "post", operation_id = "toggleEnvironmentOff")]
    async fn toggle_environment_off(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        name: Path<String>,
        #[oai(name = "If-Match")] if_match: IfMatch,
    ) -> Result<NoContent, Fails<RemoveRefusals>> {
        Ok(switch(state, &caller, &name, &if_match, false).await?)
    }
}

fn check(positions: &BTreeMap<String, i64>) -> Result<(), Error> {
    let off = positions.iter().filter(|(_, position)| !(0..=LAST_POSITION).contains(*position));
    let findings: Vec<Finding> = off
        .map(|(name, _)| Finding::property(format!("/body/{name}"), format!("must be from 0 to {LAST_POSITION}")))
        .take(20)
        .collect();
    if findings.is_empty() { Ok(()) } else { Err(Error::Validation(findings)) }
}

async fn switch(
    state: &State,
    caller: &Caller,
    name: &str,
    if_match: &IfMatch,
    enabled: bool,
) -> Result<NoContent, Error> {
    let tx = state.db.begin().await?;
    let before = hold(&tx, name, if_match).await?;
    let after = Environment { enabled, ..before.clone() };
    settle(tx, state, &caller.actor(), &before, &after).await?;
    Ok(NoContent)
}
