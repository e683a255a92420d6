//! Refusing every change for a while.

use poem::{Request, http::Method, web::Data};
use poem_openapi::OpenApi;

use crate::{
    api::{
        Tag,
        answer::{Fails, NoContent, Out, ReadRefusals, WriteRefusals},
        body::Body,
        permitted::{Permitted, need},
        preference,
    },
    domain::preference::Maintenance,
    error::Error,
    state::State,
};

/// The address that stays open under maintenance, so that it can be ended.
const PATH: &str = "/api/admin/maintenance";

/// The operations on maintenance.
#[derive(Debug)]
pub struct MaintenanceApi;

#[OpenApi(tag = "Tag::Instance")]
impl MaintenanceApi {
    /// Get the maintenance mode
    #[oai(path = "/api/admin/maintenance", method = "get", operation_id = "getMaintenance")]
    async fn get_maintenance(
        &self,
        _caller: Permitted<need::UpdateMaintenanceMode>,
        Data(state): Data<&State>,
    ) -> Result<Out<Maintenance>, Fails<ReadRefusals>> {
        Ok(Out(preference::get(state).await?))
    }

    /// Update the maintenance mode
    ///
    /// During maintenance, every operation of the administration API other than `GET` answers 503 to everybody, except
    /// this one; signing in and out keeps working, with enrolling a second factor, and so do SDKs. Setting the current
    /// value leaves no event.
    #[oai(path = "/api/admin/maintenance", method = "post", operation_id = "toggleMaintenance")]
    async fn toggle_maintenance(
        &self,
        caller: Permitted<need::UpdateMaintenanceMode>,
        Data(state): Data<&State>,
        body: Body<Maintenance>,
    ) -> Result<NoContent, Fails<WriteRefusals>> {
        preference::replace(state, &caller, &body.read()?, &Maintenance::default()).await?;
        Ok(NoContent)
    }
}

/// Refuses a request that would change something while the instance is under maintenance.
pub async fn check(state: &State, request: &Request) -> Result<(), Error> {
    if request.method() == Method::GET || request.uri().path() == PATH {
        return Ok(());
    }
    let maintenance = state.sdk.maintenance().await?;
    if maintenance.is_some_and(|maintenance| maintenance.enabled) { Err(Error::Maintenance) } else { Ok(()) }
}
