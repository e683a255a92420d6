//! Proof, from the log alone, that what was applied is what was approved.
//!
//! The log holds the changes with which a change request was sent to review, each change since, each approval with the
//! digest of what was seen, and each application with the digest of what was done and the approvals that it rests on. Read
//! in order, one must follow from the other.

mod fault;
mod tracked;

use std::collections::HashMap;

use serde_json::Value;

pub use self::fault::{Fault, FaultKind};
use self::tracked::{Approval, Tracked};
use super::{digest, moved_in::MOVED_IN};
use crate::{event_kind::EventKind, stored_event::StoredEvent};

/// Most faults and remarks that are kept, of each; further ones are only counted.
const KEPT: usize = 100;

/// Observation that is no fault, but worth a look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OwnApproval {
    /// Id of the event of the application.
    pub event_id: i64,
    /// Id of the change request.
    pub change_request: i64,
    /// Id of the event of an approval by the author, which only administrators can give.
    pub approval: i64,
}

/// Result of a proof.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Findings {
    /// Applications that rest on approvals of exactly what was applied.
    pub proved: u64,
    /// Proved applications that rest on approvals which were given on another server, to the changes that came over.
    pub moved: u64,
    /// Applications that cannot be judged, since the log begins after their change request did.
    pub began_before: u64,
    /// Applications that another server made, whose log was taken over: it has no digests.
    pub elsewhere: u64,
    /// Applications that do not follow from approvals, the first ones.
    pub faults: Vec<Fault>,
    /// Number of all faults.
    pub fault_count: u64,
    /// Approvals by the author that an application rests on, the first ones.
    pub own_approvals: Vec<OwnApproval>,
    /// Number of all approvals by authors.
    pub own_approval_count: u64,
}

/// Proof on its way through the log. It remembers the change requests that are open at its place.
#[derive(Debug)]
pub struct Proof {
    /// Whether it has seen every event since the first of all.
    is_whole: bool,
    open: HashMap<i64, Tracked>,
    findings: Findings,
}

impl Proof {
    /// Begins a proof; `is_whole` where no event precedes those that it will see.
    pub fn begin(is_whole: bool) -> Self {
        Self { is_whole, open: HashMap::new(), findings: Findings::default() }
    }

    /// Takes note that events were left out.
    pub const fn skip(&mut self) {
        self.is_whole = false;
    }

    /// Ends the proof.
    pub fn end(self) -> Findings {
        self.findings
    }

    /// Goes on to the next event.
    pub fn read(&mut self, event: &StoredEvent) {
        if event.kind == MOVED_IN {
            let data = parsed(event.data.as_deref());
            if let Some(id) = number(&data, "changeRequestId") {
                self.open.insert(id, Tracked::moved_in(event, &data, change));
            }
            return;
        }
        let Some(kind) = EventKind::parse(&event.kind) else { return };
        if kind == EventKind::ProjectDeleted {
            self.open.retain(|_, tracked| tracked.project != event.project);
            return;
        }
        if !is_of_change_request(kind) {
            return;
        }
        let (data, before) = (parsed(event.data.as_deref()), parsed(event.pre_data.as_deref()));
        let id = number(&data, "changeRequestId").or_else(|| number(&before, "changeRequestId"));
        let Some(id) = id else { return };
        match kind {
            EventKind::ChangeRequestCreated => {
                // One that was taken over from another server may have had this id.
                self.open.insert(id, Tracked::created(event));
            }
            EventKind::ChangeAdded | EventKind::ChangeEdited => {
                self.track(id, event).set(event, number(&data["change"], "id"), change(&data["change"]));
            }
            EventKind::ChangeDiscarded => {
                self.track(id, event).drop(event, number(&before["change"], "id"));
            }
            EventKind::ChangeRequestSentToReview => {
                // Those of other servers show no changes.
                if data["changes"].is_array() {
                    self.track(id, event).send_to_review(event, &data, change);
                }
            }
            EventKind::ChangeRequestApprovalAdded => {
                if let Some(approval) = Approval::of(event, &data) {
                    self.track(id, event).approvals.push(approval);
                }
            }
            EventKind::ChangeRequestApplied | EventKind::ChangeRequestScheduledApplicationSuccess => {
                self.judge(id, event, &data);
            }
            _ => drop(self.open.remove(&id)),
        }
    }

    fn track(&mut self, id: i64, event: &StoredEvent) -> &mut Tracked {
        self.open.entry(id).or_insert_with(|| Tracked::begun_before(event))
    }

    /// Judges an application, with which the change request ends.
    fn judge(&mut self, id: i64, event: &StoredEvent, data: &Value) {
        let tracked = self.open.remove(&id);
        let is_own = tracked.as_ref().is_some_and(|tracked| !tracked.approvals.is_empty());
        let Some(applied) = data["changesDigest"].as_str() else {
            if is_own {
                self.fault(id, event, FaultKind::NoDigest);
            } else {
                self.findings.elsewhere += 1;
            }
            return;
        };
        let Some(tracked) = tracked else {
            if self.is_whole {
                self.fault(id, event, FaultKind::NotOpen);
            } else {
                self.findings.began_before += 1;
            }
            return;
        };
        let named: Vec<i64> = data["approvalIds"].as_array().into_iter().flatten().filter_map(Value::as_i64).collect();
        match self.judge_approvals(id, &tracked, &named, applied) {
            Ok(own) => {
                self.findings.proved += 1;
                let is_moved = |approval: &Approval| approval.is_moved && named.contains(&approval.id);
                self.findings.moved += u64::from(tracked.approvals.iter().any(is_moved));
                for approval in own {
                    self.findings.own_approval_count += 1;
                    if self.findings.own_approvals.len() < KEPT {
                        let own = OwnApproval { event_id: event.id, change_request: id, approval };
                        self.findings.own_approvals.push(own);
                    }
                }
            }
            Err(None) => self.findings.began_before += 1,
            Err(Some(kind)) => self.fault(id, event, kind),
        }
    }

    /// Returns the events of the approvals by the author. The error is the fault, or `None` where the log does not reach
    /// back far enough to tell.
    fn judge_approvals(
        &self,
        id: i64,
        tracked: &Tracked,
        named: &[i64],
        applied: &str,
    ) -> Result<Vec<i64>, Option<FaultKind>> {
        let (mut users, mut own, mut needed) = (Vec::new(), Vec::new(), 0);
        let mut reaches_back = true;
        for approval_id in named {
            let Some(approval) = tracked.approvals.iter().find(|approval| approval.id == *approval_id) else {
                if let Some((other, event_id)) = self.given_to_another(id, *approval_id) {
                    return Err(Some(FaultKind::OfAnother { approval: event_id, change_request: other }));
                }
                if tracked.is_whole {
                    return Err(Some(FaultKind::Unknown { approval_id: *approval_id }));
                }
                reaches_back = false;
                continue;
            };
            if approval.digest != applied {
                return Err(Some(FaultKind::OtherDigest { approval: approval.event_id }));
            }
            if let Some(changed_by) = approval.void_since {
                return Err(Some(FaultKind::Void { approval: approval.event_id, changed_by }));
            }
            needed = needed.max(approval.min_approvals);
            if !users.contains(&approval.user_id) {
                users.push(approval.user_id);
            }
            if tracked.authors.contains(&approval.user_id) {
                own.push(approval.event_id);
            }
        }
        if !reaches_back {
            return Err(None);
        }
        let given = i64::try_from(users.len()).unwrap_or(i64::MAX);
        if given < needed {
            return Err(Some(FaultKind::TooFew { given, needed }));
        }
        if !tracked.is_whole {
            // Its approvals are all there; only the changes before cannot be held against the digest.
            return if named.is_empty() { Err(None) } else { Ok(own) };
        }
        let recorded = digest::of_text(&digest::text(&tracked.texts(), needed));
        if recorded != applied {
            return Err(Some(if named.is_empty() { FaultKind::NotApproved } else { FaultKind::OtherChanges }));
        }
        Ok(own)
    }

    /// Another open change request that an approval was given to, and the event.
    fn given_to_another(&self, id: i64, approval_id: i64) -> Option<(i64, i64)> {
        self.open.iter().filter(|(other, _)| **other != id).find_map(|(other, tracked)| {
            let approval = tracked.approvals.iter().find(|approval| approval.id == approval_id)?;
            Some((*other, approval.event_id))
        })
    }

    fn fault(&mut self, change_request: i64, event: &StoredEvent, kind: FaultKind) {
        self.findings.fault_count += 1;
        if self.findings.faults.len() < KEPT {
            self.findings.faults.push(Fault { event_id: event.id, change_request, kind });
        }
    }
}

/// Types of the events by which a change request begins, changes, is approved or ends.
pub const EVENT_KINDS: [EventKind; 11] = [
    EventKind::ChangeRequestCreated,
    EventKind::ChangeRequestDiscarded,
    EventKind::ChangeAdded,
    EventKind::ChangeEdited,
    EventKind::ChangeDiscarded,
    EventKind::ChangeRequestSentToReview,
    EventKind::ChangeRequestApprovalAdded,
    EventKind::ChangeRequestRejected,
    EventKind::ChangeRequestCancelled,
    EventKind::ChangeRequestApplied,
    EventKind::ChangeRequestScheduledApplicationSuccess,
];

fn is_of_change_request(kind: EventKind) -> bool {
    EVENT_KINDS.contains(&kind)
}

fn parsed(text: Option<&str>) -> Value {
    text.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
}

fn number(data: &Value, property: &str) -> Option<i64> {
    data.get(property).and_then(Value::as_i64)
}

/// Canonical text of a change that an event shows.
fn change(shown: &Value) -> String {
    let payload = shown.get("payload");
    let segment = payload.and_then(|payload| number(payload, "id"));
    digest::change(shown["action"].as_str().unwrap_or_default(), shown["feature"].as_str(), segment, payload)
}

#[cfg(test)]
mod tests;
