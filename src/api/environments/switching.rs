//! Taking environments into use and out of it, and sorting them.

use std::collections::BTreeMap;

use poem::web::Data;
use poem_openapi::{OpenApi, param::Path};

use crate::{
    api::{
        Tag,
        answer::{ChangeRefusals, Done, Fails, NoContent, RemoveRefusals},
        body::Body,
        caller::Caller,
        environments::{hold, settle},
        state::State,
        version::IfMatch,
    },
    domain::{environment::Environment, permission::Permission},
    error::{Error, Finding},
    store,
};

/// The last position that an environment can have.
const LAST_POSITION: i64 = 1_000_000;

/// The operations that switch and sort environments.
#[derive(Debug)]
pub struct EnvironmentSwitchesApi;

#[OpenApi(tag = "Tag::Environments")]
impl EnvironmentSwitchesApi {
    /// Sort the environments
    ///
    /// The body gives positions by name; environments that it leaves out keep theirs. Each environment that moves leaves
    /// an event. Needs `ADMIN`.
    #[oai(path = "/api/admin/environments/sort-order", method = "put", operation_id = "updateSortOrder")]
    async fn update_sort_order(
        &self,
        caller: Caller,
        Data(state): Data<&State>,
        body: Body<BTreeMap<String, i64>>,
    ) -> Result<Done, Fails<ChangeRefusals>> {
        caller.require(Permission::Admin)?;
        let positions = body.read()?;
        check(&positions)?;
        let tx = state.db.begin().await?;
        let names: Vec<&str> = positions.keys().map(String::as_str).collect();
        let held = store::environments::hold_all(&tx, &names).await?;
        if let Some(name) = names.iter().find(|name| held.iter().all(|known| known.name != **name)) {
            return Err(Error::not_found("environment", name).into());
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

    /// Take an environment into use
    ///
    /// Leaves no event when it is in use already. Needs `ADMIN`.
    #[oai(path = "/api/admin/environments/:name/on", method = "post", operation_id = "toggleEnvironmentOn")]
    async fn toggle_environment_on(
        &self,
        caller: Caller,
        Data(state): Data<&State>,
        /// Name of the environment.
        name: Path<String>,
        /// The version that the change is meant for: the `ETag` of an earlier answer. Absent: any.
        #[oai(name = "If-Match")]
        if_match: IfMatch,
    ) -> Result<NoContent, Fails<RemoveRefusals>> {
        Ok(switch(state, &caller, &name, &if_match, true).await?)
    }

    /// Take an environment out of use
    ///
    /// What features have in it stays as it is. Leaves no event when it is out of use already. Needs `ADMIN`.
    #[oai(path = "/api/admin/environments/:name/off", method = "post", operation_id = "toggleEnvironmentOff")]
    async fn toggle_environment_off(
        &self,
        caller: Caller,
        Data(state): Data<&State>,
        /// Name of the environment.
        name: Path<String>,
        /// The version that the change is meant for: the `ETag` of an earlier answer. Absent: any.
        #[oai(name = "If-Match")]
        if_match: IfMatch,
    ) -> Result<NoContent, Fails<RemoveRefusals>> {
        Ok(switch(state, &caller, &name, &if_match, false).await?)
    }
}

fn check(positions: &BTreeMap<String, i64>) -> Result<(), Error> {
    let off = positions.iter().filter(|(_, position)| !(0..=LAST_POSITION).contains(*position));
    let findings: Vec<Finding> = off
        .map(|(name, _)| {
            let path = format!("/body/{name}");
            Finding { message: format!("The {path} property must be from 0 to {LAST_POSITION}."), path: Some(path) }
        })
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
    caller.require(Permission::Admin)?;
    let tx = state.db.begin().await?;
    let before = hold(&tx, name, if_match).await?;
    let after = Environment { enabled, ..before.clone() };
    settle(tx, state, &caller.actor(), &before, &after).await?;
    Ok(NoContent)
}
