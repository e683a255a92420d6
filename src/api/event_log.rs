//! The log of events as a whole: as an archive, and its proof.

use futures_util::stream;
use poem::{Body, IntoResponse, Response, http::header, web::Data};
use poem_openapi::{Object, OpenApi, param::Query};
use serde::Serialize;

use crate::{
    api::{
        Tag,
        answer::{CSV, Fails, Out, QueryRefusals},
        parameter::ArchiveFormatParameter,
        permitted::{Permitted, need},
        response_meta::{ResponseMeta, api_response},
    },
    audit::{Archive, Scope, Trust, verify},
    domain::{
        event_archive::ArchiveFormat,
        event_chain::{FaultKind, checkpoint::Checkpoint},
    },
    error::Error,
    state::State,
    store::{
        StoreError,
        events::{chain, checkpoints},
    },
    wire::Nullable,
};

/// Events that are verified by default.
const VERIFIED: u64 = 100_000;

/// The operations on the log as a whole.
#[derive(Debug)]
pub struct EventLogApi;

/// Result of a verification of the event log.
#[serde_with_macros::skip_serializing_none]
#[derive(Debug, Serialize, Object)]
#[oai(rename = "EventLogIntegrity", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct IntegrityBody {
    /// Whether all verified events match their hashes and all checkpoints.
    pub holds: bool,
    /// The first mismatch. Absent when there is none.
    pub fault: Option<FaultBody>,
    /// Id of the event after which the verification started, whose hash is trusted. 0 is before the first event.
    #[oai(validator(minimum(value = "0")))]
    pub from: i64,
    /// Id of the last event that holds.
    #[oai(validator(minimum(value = "0")))]
    pub up_to: i64,
    /// Events that hold.
    #[oai(validator(minimum(value = "0")))]
    pub verified: u64,
    /// Value of `since` to continue with when `limit` was reached; `null` at the end.
    pub next: Nullable<i64>,
    /// Id of the last event that has a hash. Later events get theirs within about a second.
    #[oai(validator(minimum(value = "0")))]
    pub hashed_up_to: i64,
    /// Id of the newest event.
    #[oai(validator(minimum(value = "0")))]
    pub newest: i64,
    /// Number of checkpoints that match the log, signed by keys of this server: stored ones, and those of events.
    #[oai(validator(minimum(value = "0")))]
    pub confirmed_checkpoints: u64,
    /// Number of checkpoints signed by unknown keys, which prove nothing.
    #[oai(validator(minimum(value = "0")))]
    pub unknown_checkpoints: u64,
    /// The latest checkpoint: store it in another place to compare later. Absent before the first.
    pub newest_checkpoint: Option<Checkpoint>,
    /// The start of the log, when older events were removed by retention. Absent otherwise.
    pub beginning: Option<Checkpoint>,
}

/// Fault in the log of events.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "EventLogFault", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct FaultBody {
    /// Id of the event; below 1 for one that was inserted there.
    pub event_id: i64,
    /// Kind of the fault.
    pub kind: FaultKind,
    /// Description of the fault, a sentence.
    pub message: String,
}

#[OpenApi(tag = "Tag::Events")]
impl EventLogApi {
    /// Export events
    ///
    /// Streams all events after the given one, oldest first, for archives, up to the newest event when the export
    /// starts. Each has the properties that `searchEvents` returns and its `hash`, which is empty for events of the
    /// last second. To continue later, send the last id as `since`.
    #[oai(path = "/api/admin/event-log/export", method = "get", operation_id = "exportEvents")]
    async fn export_events(
        &self,
        _caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        /// Start with the first event after this id. Absent or 0 starts with the first event of the log.
        #[oai(validator(minimum(value = "0"), maximum(value = "9007199254740991")))]
        since: Query<Option<i64>>,
        /// `jsonl` (the default) for a JSON object on each line, `csv` for comma-separated values.
        format: Query<Option<ArchiveFormatParameter>>,
    ) -> Result<Exported, Fails<QueryRefusals>> {
        let format = format.0.map(|format| format.0).unwrap_or_default();
        let archive = Archive::begin(&state.db, since.0.unwrap_or_default(), format).await?;
        Ok(Exported { archive, format })
    }

    /// Verify the event log
    ///
    /// Checks the hash chain of the event log and reports the first event where it is broken, if any. One verification
    /// runs at a time; a second one is refused with 503.
    #[oai(path = "/api/admin/event-log/integrity", method = "get", operation_id = "verifyEvents")]
    async fn verify_events(
        &self,
        _caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        /// Start after the event with this id. Absent or 0 starts with the first event.
        #[oai(validator(minimum(value = "0"), maximum(value = "9007199254740991")))]
        since: Query<Option<i64>>,
        /// Number of events to verify: 100000 when absent.
        #[oai(validator(minimum(value = "1"), maximum(value = "1000000")))]
        limit: Query<Option<u64>>,
    ) -> Result<Out<IntegrityBody>, Fails<QueryRefusals>> {
        let _turn = state.audit.turns.try_acquire().map_err(|_| Error::LargeRequestTimeout)?;
        let scope =
            Scope { since: since.0.unwrap_or_default(), limit: limit.0.unwrap_or(VERIFIED), ..Scope::default() };
        let verdict = verify(&state.db, &Trust::in_vault(&state.vault), &[], scope).await?;
        let fault = verdict.fault_at(state.clock.now()).map(|fault| FaultBody {
            event_id: fault.event_id,
            kind: fault.kind,
            message: fault.to_string(),
        });
        let goes_on = fault.is_none() && !verdict.is_complete;
        Ok(Out(IntegrityBody {
            holds: fault.is_none(),
            fault,
            from: verdict.from.event_id,
            up_to: verdict.at.event_id,
            verified: verdict.verified,
            next: Nullable(goes_on.then_some(verdict.at.event_id)),
            hashed_up_to: verdict.head.event_id,
            newest: chain::reach(&state.db).await?.newest,
            confirmed_checkpoints: verdict.confirmed,
            unknown_checkpoints: verdict.unknown,
            newest_checkpoint: checkpoints::newest(&state.db).await?,
            beginning: verdict.beginning,
        }))
    }
}

/// Events as they are read.
#[derive(Debug)]
pub struct Exported {
    archive: Archive,
    format: ArchiveFormat,
}

impl IntoResponse for Exported {
    fn into_response(self) -> Response {
        let pieces = stream::try_unfold(self.archive, |mut archive| async move {
            let piece = archive.next().await.map_err(|error| broken_off(&error))?;
            Ok::<_, std::io::Error>(piece.map(|piece| (piece, archive)))
        });
        let name = match self.format {
            ArchiveFormat::Jsonl => "attachment; filename=\"events.jsonl\"",
            ArchiveFormat::Csv => "attachment; filename=\"events.csv\"",
        };
        Response::builder()
            .content_type(self.format.media_type())
            .header(header::CONTENT_DISPOSITION, name)
            .body(Body::from_bytes_stream(pieces))
    }
}

/// An answer that ends too early is one that does not end well: the connection is given up.
fn broken_off(error: &StoreError) -> std::io::Error {
    tracing::error!(%error, "an export of events broke off");
    std::io::Error::other("the database did not answer")
}

api_response!(Exported, ResponseMeta::new(200, "The events.").text("application/x-ndjson").text(CSV));
