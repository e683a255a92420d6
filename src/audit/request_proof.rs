//! Proof of one change request, from its events.

use std::collections::HashMap;

use flagstone_domain::{
    change_request::{
        ChangeRequest,
        certificate::{CertifiedApplicationBody, CertifiedApprovalBody, CertifiedEventBody, ProofBody, ProofResult},
        moved_in::{self, MOVED_IN},
        proof::{Findings, Proof},
        state::State,
    },
    event_kind::EventKind,
    stored_event::StoredEvent,
};
use flagstone_store::{
    StoreError,
    db::Snapshot,
    events::{
        checkpoints,
        of_change_request::{self, Bounds, Found, Place},
    },
};
use serde_json::Value;

/// Most events of a change request that a proof reads.
pub const MOST_EVENTS: u64 = 10_000;
/// Most MiB of data of these events.
const MOST_MIB: u64 = 64;

/// Proof of a change request, which was read from the same snapshot. Of more than [`MOST_EVENTS`] events, or of more
/// than 64 MiB of them, it proves nothing, and says so in its findings.
pub async fn request_proof(db: &Snapshot, request: &ChangeRequest) -> Result<ProofBody, StoreError> {
    let id = request.id;
    let bounds = Bounds { events: MOST_EVENTS, bytes: MOST_MIB << 20 };
    let Found { events, is_cut } =
        of_change_request::list(db, id, &request.project, request.created_at, bounds).await?;
    let mut proof = Proof::begin(checkpoints::beginning(db).await?.is_none());
    for event in &events {
        proof.read(event);
    }

    let is_of = |event: &&StoredEvent, kinds: &[EventKind]| kinds.iter().any(|kind| kind.as_str() == event.kind);
    let given = |event: &&StoredEvent| event.kind == MOVED_IN || is_of(event, &[EventKind::ChangeRequestApprovalAdded]);
    let done = [EventKind::ChangeRequestApplied, EventKind::ChangeRequestScheduledApplicationSuccess];
    let application = events.iter().rfind(|event| is_of(event, &done));
    let shown: Vec<&StoredEvent> = events.iter().filter(given).chain(application).collect();
    let places = of_change_request::places(db, &shown.iter().map(|event| event.id).collect::<Vec<_>>()).await?;
    let last = shown.iter().map(|event| event.id).max();
    let checkpoint = match last {
        Some(last) => checkpoints::covering(db, last).await?,
        None => None,
    };

    let digest = request.digest();
    let mut certificate = Certificate { request, digest: &digest, places, text: Vec::new(), findings: Vec::new() };
    let application = application.map(|event| certificate.application(event));
    let named = application.as_ref().map(|application| &*application.approval_ids);
    let approvals = events.iter().filter(given).flat_map(|event| certificate.approvals(event, named)).collect();
    let (result, mut remarks) = certificate.judge(&proof.end(), application.as_ref(), is_cut);
    remarks.extend(events.iter().filter(|event| event.kind == MOVED_IN).flat_map(remarks_of_move));
    let findings = certificate.findings;
    Ok(ProofBody {
        change_request_id: id,
        title: request.title(),
        project: request.project.clone(),
        environment: request.environment.clone(),
        state: request.state,
        result,
        findings,
        remarks,
        min_approvals: request.min_approvals,
        changes_digest: digest,
        digested_text: request.digested_text(),
        approvals,
        application: application.into(),
        checkpoint: checkpoint.into(),
    })
}

/// A certificate that is being written.
struct Certificate<'a> {
    request: &'a ChangeRequest,
    /// Digest of its changes.
    digest: &'a str,
    places: HashMap<i64, Place>,
    text: Vec<u8>,
    findings: Vec<String>,
}

impl Certificate<'_> {
    fn application(&mut self, event: &StoredEvent) -> CertifiedApplicationBody {
        let data = data(event);
        CertifiedApplicationBody {
            changes_digest: data["changesDigest"].as_str().map(str::to_owned).into(),
            approval_ids: data["approvalIds"].as_array().into_iter().flatten().filter_map(Value::as_i64).collect(),
            event: self.event(event),
        }
    }

    /// Returns the approvals of an event: none of one from the log of another server, which is bound to nothing.
    fn approvals(&mut self, event: &StoredEvent, named: Option<&[i64]>) -> Vec<CertifiedApprovalBody> {
        let data = data(event);
        let ids: Vec<i64> = if event.kind == MOVED_IN {
            moved_in::approvals(&data).into_iter().map(|(id, _)| id).collect()
        } else {
            data["approvalId"].as_i64().into_iter().collect()
        };
        ids.into_iter().map(|id| self.approval(event, &data, id, named)).collect()
    }

    fn approval(
        &mut self,
        event: &StoredEvent,
        data: &Value,
        approval_id: i64,
        named: Option<&[i64]>,
    ) -> CertifiedApprovalBody {
        let changes_digest = data["changesDigest"].as_str().unwrap_or_default().to_owned();
        let is_current = || {
            let mut given = self.request.approvals.iter();
            changes_digest == self.digest && given.any(|given| given.id == approval_id && given.digest == self.digest)
        };
        let counts = named.map_or_else(is_current, |named| named.contains(&approval_id));
        CertifiedApprovalBody { approval_id, counts, changes_digest, event: self.event(event) }
    }

    fn event(&mut self, event: &StoredEvent) -> CertifiedEventBody {
        let place = self.places.get(&event.id);
        let hashed = place.map(|place| {
            if event.hash(place.previous, &mut self.text) != place.hash {
                self.findings.push(format!("event {} is not the one that was hashed", event.id));
            }
            String::from_utf8_lossy(&self.text).into_owned()
        });
        CertifiedEventBody {
            id: event.id,
            kind: event.kind.clone(),
            created_at: event.created_at,
            created_by: event.created_by.clone(),
            created_by_user_id: event.created_by_user_id.into(),
            hash: place.map(|place| place.hash.to_string()).into(),
            hashed_text: hashed.into(),
        }
    }

    /// Returns the result with its remarks; the findings are completed.
    fn judge(
        &mut self,
        log: &Findings,
        application: Option<&CertifiedApplicationBody>,
        is_cut: bool,
    ) -> (ProofResult, Vec<String>) {
        let findings = &mut self.findings;
        if is_cut {
            findings.push(format!(
                "it has more than {MOST_EVENTS} events, or more than {MOST_MIB} MiB of them; flagstone events verify reads \
                 all of them"
            ));
        } else {
            findings.extend(log.faults.iter().map(ToString::to_string));
        }
        let is_applied = self.request.state == State::Applied;
        match application {
            Some(application) => {
                if application.changes_digest.0.as_ref().is_some_and(|applied| applied != self.digest) {
                    findings.push(format!(
                        "event {} says that other changes were applied than are stored now",
                        application.event.id
                    ));
                }
                if !is_applied {
                    findings.push(format!(
                        "event {} says that it was applied, and its state does not",
                        application.event.id
                    ));
                }
            }
            None if is_applied && log.began_before == 0 && !is_cut => {
                findings.push("its state says that it was applied, and the log does not".to_owned());
            }
            None => {}
        }
        let own = log.own_approvals.iter().map(|own| {
            format!("the approval of event {} is by the author, which only administrators can give", own.approval)
        });
        let elsewhere = "it was applied by another server, which proves nothing of it".to_owned();
        let elsewhere = Some(elsewhere).filter(|_| log.elsewhere > 0);
        let result = match application {
            _ if !findings.is_empty() => ProofResult::NotProved,
            None => ProofResult::NotApplied,
            Some(_) if log.proved > 0 => ProofResult::Proved,
            Some(_) => ProofResult::LogTooShort,
        };
        (result, own.chain(elsewhere).collect())
    }
}

/// A remark about each approval that an event brought from another server.
fn remarks_of_move(event: &StoredEvent) -> Vec<String> {
    let remark = |(id, user): (i64, i64)| {
        format!(
            "the approval {id} was given on another server, by the user {user}: event {} records it, with the changes \
             that came over",
            event.id
        )
    };
    moved_in::approvals(&data(event)).into_iter().map(remark).collect()
}

fn data(event: &StoredEvent) -> Value {
    event.data.as_deref().and_then(|data| serde_json::from_str(data).ok()).unwrap_or_default()
}
