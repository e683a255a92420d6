//! Taking environments into use and out of it, and sorting them.

use std::collections::BTreeMap;

use poem::web::Data;
use poem_openapi::{OpenApi, param::Path};

use crate::{
    api::{
        Tag,
        answer::{Done, Fails, NoContent, RemoveRefusals, WriteRefusals},
        author::author,
        body::Body,
        permitted::{Permitted, need},
        version::IfMatchHeader,
    },
    error::{Error, Finding},
    state::State,
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
        author(&caller, state).order_environments(&positions).await?;
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
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
    ) -> Result<NoContent, Fails<RemoveRefusals>> {
        author(&caller, state).switch_environment(&name, &if_match, true).await?;
        Ok(NoContent)
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
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
    ) -> Result<NoContent, Fails<RemoveRefusals>> {
        author(&caller, state).switch_environment(&name, &if_match, false).await?;
        Ok(NoContent)
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
