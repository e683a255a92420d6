//! SDKs of applications.

use poem::web::Data;
use poem_openapi::OpenApi;

use crate::{
    api::{
        Tag,
        answer::{Fails, Out, ReadRefusals},
        caller::AuthenticatedCaller,
        projects::usage::OutdatedSdksBody,
    },
    state::State,
    store,
};

/// The operation on SDKs.
#[derive(Debug)]
pub struct SdksApi;

#[OpenApi(tag = "Tag::Applications")]
impl SdksApi {
    /// List the outdated SDKs
    ///
    /// SDKs older than the version that this server recommends, with the applications that use them, of those that
    /// `getApplications` lists. SDKs that the server does not know are never listed. Needs no permission.
    #[oai(path = "/api/admin/metrics/sdks/outdated", method = "get", operation_id = "getOutdatedSdks")]
    async fn get_outdated_sdks(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
    ) -> Result<Out<OutdatedSdksBody>, Fails<ReadRefusals>> {
        let seen = caller.visibility().await?;
        Ok(Out(OutdatedSdksBody::of(store::applications::sdks(&state.db.heavy(), &seen).await?)))
    }
}
