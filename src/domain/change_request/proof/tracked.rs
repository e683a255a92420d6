//! Change requests as the log tells of them.

use serde_json::Value;

use super::number;
use crate::{change_request::moved_in, stored_event::StoredEvent};

/// An approval, as its event tells of it.
#[derive(Debug)]
pub(super) struct Approval {
    pub(super) event_id: i64,
    pub(super) id: i64,
    pub(super) user_id: i64,
    pub(super) digest: String,
    pub(super) min_approvals: i64,
    /// Id of the event of the change after which it is void.
    pub(super) void_since: Option<i64>,
    /// Whether it was given on another server.
    pub(super) is_moved: bool,
}

impl Approval {
    /// The approval of an event; `None` where it is bound to nothing, as those of other servers are.
    pub(super) fn of(event: &StoredEvent, data: &Value) -> Option<Self> {
        Some(Self {
            event_id: event.id,
            id: number(data, "approvalId")?,
            user_id: event.created_by_user_id?,
            digest: data["changesDigest"].as_str()?.to_owned(),
            min_approvals: number(data, "minApprovals")?,
            void_since: None,
            is_moved: false,
        })
    }
}

/// A change request that is open.
#[derive(Debug)]
pub(super) struct Tracked {
    /// Whether all was seen that decides about it: its first event, or that of its review.
    pub(super) is_whole: bool,
    pub(super) project: Option<String>,
    /// Ids of the users who created it or recorded changes.
    pub(super) authors: Vec<i64>,
    /// Canonical texts of its changes by their ids, in the order in which they are applied.
    changes: Vec<(i64, String)>,
    pub(super) approvals: Vec<Approval>,
}

impl Tracked {
    /// Returns the request that an event created.
    pub(super) fn created(event: &StoredEvent) -> Self {
        let authors = event.created_by_user_id.into_iter().collect();
        Self { is_whole: true, project: event.project.clone(), authors, changes: Vec::new(), approvals: Vec::new() }
    }

    /// Returns the request that an event brought from another server, with changes that have canonical texts.
    pub(super) fn moved_in(event: &StoredEvent, data: &Value, text: impl Fn(&Value) -> String) -> Self {
        let authors = number(data, "createdByUserId").into_iter().collect();
        let digest = data["changesDigest"].as_str().unwrap_or_default();
        let min_approvals = number(data, "minApprovals").unwrap_or_default();
        let approvals = moved_in::approvals(data).into_iter().map(|(id, user_id)| Approval {
            event_id: event.id,
            id,
            user_id,
            digest: digest.to_owned(),
            min_approvals,
            void_since: None,
            is_moved: true,
        });
        let (project, approvals) = (event.project.clone(), approvals.collect());
        let mut moved = Self { is_whole: true, project, authors, changes: Vec::new(), approvals };
        moved.hold(data, text);
        moved
    }

    /// One whose first event was not seen.
    pub(super) fn begun_before(event: &StoredEvent) -> Self {
        let project = event.project.clone();
        Self { is_whole: false, project, authors: Vec::new(), changes: Vec::new(), approvals: Vec::new() }
    }

    /// Takes over the changes with which it is sent to review, whatever came before.
    pub(super) fn send_to_review(&mut self, event: &StoredEvent, data: &Value, text: impl Fn(&Value) -> String) {
        self.change(event);
        self.hold(data, text);
        self.is_whole = true;
    }

    /// Holds the changes that an event shows, and no others.
    fn hold(&mut self, data: &Value, text: impl Fn(&Value) -> String) {
        let changes = data["changes"].as_array().map(Vec::as_slice).unwrap_or_default();
        for author in changes.iter().filter_map(|change| number(change, "createdByUserId")) {
            self.add_author(author);
        }
        self.changes = changes.iter().filter_map(|change| Some((number(change, "id")?, text(change)))).collect();
    }

    /// Adds a change, or replaces it. Of a draft, events show none.
    pub(super) fn set(&mut self, event: &StoredEvent, id: Option<i64>, text: String) {
        self.change(event);
        let Some(id) = id else { return };
        match self.changes.iter_mut().find(|(known, _)| *known == id) {
            Some((_, known)) => *known = text,
            None => self.changes.push((id, text)),
        }
    }

    /// Drops a change.
    pub(super) fn drop(&mut self, event: &StoredEvent, id: Option<i64>) {
        self.change(event);
        self.changes.retain(|(known, _)| Some(*known) != id);
    }

    /// Canonical texts of its changes.
    pub(super) fn texts(&self) -> Vec<&str> {
        self.changes.iter().map(|(_, text)| &**text).collect()
    }

    fn change(&mut self, event: &StoredEvent) {
        if let Some(user_id) = event.created_by_user_id {
            self.add_author(user_id);
        }
        for approval in &mut self.approvals {
            approval.void_since.get_or_insert(event.id);
        }
    }

    fn add_author(&mut self, user_id: i64) {
        if !self.authors.contains(&user_id) {
            self.authors.push(user_id);
        }
    }
}
