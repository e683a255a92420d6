//! Change requests with what belongs to them.

use std::collections::HashMap;

use flagstone_domain::{change_request::configuration::DEFAULT_APPROVALS, repair::Row};

use super::Reading;
use crate::neutral::{AskedReviewer, ChangeRequest, Comment, RequestedChange, Review, Schedule, Set};

pub(super) const TABLES: &[&str] = &[
    "change_requests",
    "change_request_events",
    "change_request_approvals",
    "change_request_rejections",
    "change_request_comments",
    "change_request_requested_approvers",
    "change_request_schedule",
];

/// Change requests by id, in the order in which they came.
#[derive(Default)]
struct Requests {
    all: Vec<ChangeRequest>,
    places: HashMap<i64, usize>,
}

impl Requests {
    /// Returns the change request that a column of a row names. Rows of one that does not exist are left out.
    fn of(&mut self, row: &Row<'_>, column: &str) -> Option<&mut ChangeRequest> {
        let id = row.number(column)?;
        let Some(place) = self.places.get(&id) else {
            row.is_left_out("is of a change request that does not exist or is left out");
            return None;
        };
        Some(&mut self.all[*place])
    }
}

pub(super) fn read(reading: &mut Reading<'_>, set: &mut Set) {
    let mut requests = Requests::default();
    each(reading, "change_requests", &["id"], |row| {
        let Some(request) = request(row) else { return };
        let next = requests.all.len();
        if *requests.places.entry(request.id).or_insert(next) == next {
            requests.all.push(request);
        }
    });
    each(reading, "change_request_events", &["id", "change_request_id"], |row| {
        if let (Some(request), Some(change)) = (requests.of(row, "change_request_id"), change(row)) {
            request.changes.push(change);
        }
    });
    each(reading, "change_request_approvals", &["id", "change_request_id"], |row| {
        if let (Some(request), Some(review)) = (requests.of(row, "change_request_id"), review(row)) {
            request.approvals.push(review);
        }
    });
    each(reading, "change_request_rejections", &["id", "change_request_id"], |row| {
        if let (Some(request), Some(review)) = (requests.of(row, "change_request_id"), review(row)) {
            request.rejections.push(review);
        }
    });
    each(reading, "change_request_comments", &["id", "change_request"], |row| {
        if let (Some(request), Some(comment)) = (requests.of(row, "change_request"), comment(row)) {
            request.comments.push(comment);
        }
    });
    each(reading, "change_request_requested_approvers", &["user_id", "change_request_id"], |row| {
        if let (Some(request), Some(user)) = (requests.of(row, "change_request_id"), row.number("user_id")) {
            request.reviewers.push(AskedReviewer { user, requested_at: row.time("requested_at") });
        }
    });
    each(reading, "change_request_schedule", &["change_request"], |row| {
        if let Some(request) = requests.of(row, "change_request") {
            request.schedule = Some(schedule(row));
        }
    });
    set.change_requests = requests.all;
}

/// Takes the rows of a table, each under the key that these columns give.
fn each(reading: &mut Reading<'_>, table: &'static str, key: &[&str], mut take: impl FnMut(&Row<'_>)) {
    for value in reading.take(table) {
        if let Some(row) = reading.row(table, key, &value) {
            take(&row);
        }
    }
}

fn request(row: &Row<'_>) -> Option<ChangeRequest> {
    Some(ChangeRequest {
        id: row.number("id")?,
        project: row.text("project")?,
        environment: row.text("environment")?,
        state: row.text("state")?,
        title: row.find_text("title"),
        min_approvals: row.find_number("min_approvals").unwrap_or(DEFAULT_APPROVALS),
        created_by: row.number("created_by")?,
        created_at: row.time("created_at"),
        ..ChangeRequest::default()
    })
}

fn change(row: &Row<'_>) -> Option<RequestedChange> {
    Some(RequestedChange {
        id: row.find_number("id").unwrap_or_default(),
        feature: row.find_text("feature").filter(|name| !name.is_empty()),
        action: row.text("action")?,
        payload: Some(row.value("payload")).filter(|payload| !payload.is_null()).cloned(),
        snapshot: None,
        created_by: row.find_number("created_by").unwrap_or_default(),
        created_at: row.time("created_at"),
    })
}

fn review(row: &Row<'_>) -> Option<Review> {
    Some(Review { user: row.number("created_by")?, created_at: row.time("created_at") })
}

fn comment(row: &Row<'_>) -> Option<Comment> {
    Some(Comment {
        id: row.find_number("id").unwrap_or_default(),
        text: row.text("text")?,
        created_by: row.number("created_by")?,
        created_at: row.time("created_at"),
    })
}

fn schedule(row: &Row<'_>) -> Schedule {
    let reason = || row.find_text("reason").or_else(|| row.find_text("failure_reason"));
    Schedule {
        at: row.time("scheduled_at"),
        scheduled_by: row.find_number("created_by"),
        status: row.find_text("status").unwrap_or_default(),
        reason: reason().filter(|reason| !reason.is_empty()),
    }
}
