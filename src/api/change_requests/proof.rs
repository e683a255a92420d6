//! Proof that what was applied is what was approved.

use poem::web::Data;
use poem_openapi::{OpenApi, param::Path};

use super::reading;
use crate::{
    api::{
        Tag,
        answer::{Fails, LookupRefusals, Out},
        caller::AuthenticatedCaller,
    },
    audit,
    domain::change_request::certificate::ProofBody,
    state::State,
};

/// The operation on the proof of a change request.
#[derive(Debug)]
pub struct ProofApi;

#[OpenApi(tag = "Tag::ChangeRequests")]
impl ProofApi {
    /// Get the proof of a change request
    ///
    /// Returns the approvals of a change request and its application as the event log recorded them, with the digests
    /// that bind them to the changes, the hashes of the events, and the text of which each is the SHA-256. The answer
    /// can be checked without this server; `flagstone events verify` checks the same of all change requests. A draft is
    /// seen by its author alone.
    #[oai(
        path = "/api/admin/projects/:projectId/change-requests/:id/proof",
        method = "get",
        operation_id = "getChangeRequestProof"
    )]
    async fn get_change_request_proof(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        id: Path<i64>,
    ) -> Result<Out<ProofBody>, Fails<LookupRefusals>> {
        let project = caller.visible_project(&project_id).await?;
        let snapshot = state.db.snapshot().await?;
        let request = reading::visible(&caller, &snapshot, &project, *id).await?;
        Ok(Out(audit::request_proof(&snapshot, &request).await?))
    }
}
