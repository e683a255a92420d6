//! Certificates of change requests: what proves that what was applied is what was approved, for an auditor.

use flagstone_wire::Nullable;
use poem_openapi::{Enum, Object};
use serde::Serialize;

use super::state::State;
use crate::{event_chain::checkpoint::Checkpoint, time::Timestamp};

/// Result of the proof of one change request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize)]
#[oai(rename = "ChangeRequestProofResult", rename_all = "kebab-case")]
#[serde(rename_all = "kebab-case")]
pub enum ProofResult {
    /// Proof that the applied changes are those that were approved.
    Proved,
    /// Contradictions between the log and the changes, which the findings name.
    NotProved,
    /// Nothing was applied.
    NotApplied,
    /// The log begins after the change request did.
    LogTooShort,
}

impl ProofResult {
    /// The result as a sentence.
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::Proved => "what was applied is what was approved.",
            Self::NotProved => "not proved.",
            Self::NotApplied => "nothing was applied.",
            Self::LogTooShort => "the log begins after the change request did.",
        }
    }
}

/// Proof that what was applied is what was approved, from the event log. Each event has the text of which its hash is the
/// SHA-256, which contains the hash of the event before.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "ChangeRequestProof", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct ProofBody {
    /// Id of the change request.
    #[oai(validator(minimum(value = "1")))]
    pub change_request_id: i64,
    /// Its title.
    pub title: String,
    /// Id of its project.
    pub project: String,
    /// Name of its environment.
    pub environment: String,
    /// State that it is in.
    pub state: State,
    /// Result of the proof.
    pub result: ProofResult,
    /// Reasons why it is not proved, each the text of a sentence; empty when there are none.
    pub findings: Vec<String>,
    /// Observations that are no faults, such as an approval by the author, which only administrators can give.
    pub remarks: Vec<String>,
    /// Approvals that it needs.
    #[oai(validator(minimum(value = "0")))]
    pub min_approvals: i64,
    /// SHA-256 of `digestedText`.
    #[oai(validator(pattern = "^[0-9a-f]{64}$"))]
    pub changes_digest: String,
    /// The changes in their order and the number of approvals that they need, as compact JSON with sorted properties.
    pub digested_text: String,
    /// All approvals that the log recorded, oldest first, including those that were dropped by later changes.
    pub approvals: Vec<CertifiedApprovalBody>,
    /// The application; `null` when nothing was applied.
    pub application: Nullable<CertifiedApplicationBody>,
    /// The first signed checkpoint that covers all events of the proof; `null` when there is none yet.
    pub checkpoint: Nullable<Checkpoint>,
}

/// An approval, as the log recorded it.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "CertifiedApproval", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct CertifiedApprovalBody {
    /// Id of the approval.
    #[oai(validator(minimum(value = "1")))]
    pub approval_id: i64,
    /// Whether the application rests on it; before, whether it is an approval of the changes as they are.
    pub counts: bool,
    /// Digest of the changes that were seen.
    pub changes_digest: String,
    /// The event.
    pub event: CertifiedEventBody,
}

/// An application, as the log recorded it.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "CertifiedApplication", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct CertifiedApplicationBody {
    /// Digest of the changes that were made; `null` when the event has none.
    pub changes_digest: Nullable<String>,
    /// Ids of the approvals that it rests on.
    pub approval_ids: Vec<i64>,
    /// The event.
    pub event: CertifiedEventBody,
}

/// An event of a proof, with its place in the chain.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "CertifiedEvent", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct CertifiedEventBody {
    /// Id of the event.
    #[oai(validator(minimum(value = "1")))]
    pub id: i64,
    /// Type of the event.
    #[oai(rename = "type")]
    #[serde(rename = "type")]
    pub kind: String,
    /// When it happened.
    pub created_at: Timestamp,
    /// Name of the author at that time.
    pub created_by: String,
    /// Id of the user; `null` when unknown.
    pub created_by_user_id: Nullable<i64>,
    /// Its hash; `null` within about a second after the event.
    pub hash: Nullable<String>,
    /// The text of which `hash` is the SHA-256; `null` while there is no hash.
    pub hashed_text: Nullable<String>,
}
