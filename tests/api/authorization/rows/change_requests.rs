use poem::http::Method;
use serde_json::{Value, json};

use crate::authorization::{
    access::Access::{Authenticated, Author, Person, Shop, State},
    row::Row,
};

const ALL: &str = "/api/admin/projects/shop/change-requests";
const FIRST: &str = "/api/admin/projects/shop/change-requests/1";
const REQUEST: &str = "/api/admin/projects/shop/environments/production/change-requests";
const CONFIG: &str = "/api/admin/projects/shop/environments/production/change-requests/config";

fn switching(enabled: bool) -> Value {
    json!({ "feature": "f", "action": "updateEnabled", "payload": { "enabled": enabled } })
}

pub fn rows() -> Vec<Row> {
    [reads(), lists(), changes(), states()].into_iter().flatten().collect()
}

/// After change requests are switched on.
fn on(row: Row) -> Row {
    row.after(Method::PUT, CONFIG, json!({ "changeRequestsEnabled": true, "requiredApprovals": 1 }))
}

/// After somebody else has sent one to review.
fn reviewed(row: Row) -> Row {
    on(row).after(Method::POST, REQUEST, switching(true)).after(
        Method::PUT,
        "/api/admin/projects/shop/change-requests/1/state",
        json!({ "state": "In review" }),
    )
}

fn reads() -> Vec<Row> {
    vec![
        Row::get("getProjectChangeRequestConfig", "/api/admin/projects/shop/change-requests/config", Authenticated),
        reviewed(Row::get("getChangeRequest", FIRST, Authenticated)),
        reviewed(Row::get(
            "getRequestedApprovers",
            "/api/admin/projects/shop/change-requests/1/approvers",
            Authenticated,
        )),
        Row::get(
            "getAvailableReviewers",
            "/api/admin/projects/shop/change-requests/available-reviewers/production",
            Authenticated,
        ),
        reviewed(Row::get("getChangeRequestProof", "/api/admin/projects/shop/change-requests/1/proof", Authenticated)),
        reviewed(Row::get(
            "getChangeRequestImpact",
            "/api/admin/projects/shop/change-requests/1/impact",
            Authenticated,
        )),
        Row::post(
            "getImpactOfChanges",
            "/api/admin/projects/shop/environments/production/change-requests/impact",
            Authenticated,
            switching(true),
        ),
    ]
}

fn lists() -> Vec<Row> {
    vec![
        reviewed(Row::get("getProjectChangeRequests", ALL, Authenticated)),
        Row::get("countProjectChangeRequests", "/api/admin/projects/shop/change-requests/count", Authenticated),
        Row::get("countActionableChangeRequests", "/api/admin/projects/shop/change-requests/actionable", Person),
        Row::get("getPendingChangeRequests", "/api/admin/projects/shop/change-requests/pending", Person),
        reviewed(Row::get(
            "getPendingChangeRequestsForFeature",
            "/api/admin/projects/shop/change-requests/pending/f",
            Authenticated,
        )),
        Row::get(
            "getScheduledChangeRequests",
            "/api/admin/projects/shop/change-requests/scheduled?feature=f&variantForFlag=f",
            Authenticated,
        ),
        reviewed(Row::post(
            "getChangeRequestPlayground",
            "/api/admin/playground/change-request/1",
            Authenticated,
            json!({ "context": { "appName": "web" } }),
        )),
        reviewed(Row::get("searchChangeRequests", "/api/admin/search/change-requests", Authenticated)),
    ]
}

fn changes() -> Vec<Row> {
    vec![
        Row::put(
            "updateProjectChangeRequestConfig",
            CONFIG,
            Shop(&["UPDATE_PROJECT", "PROJECT_CHANGE_REQUEST_WRITE"]),
            json!({ "changeRequestsEnabled": true, "requiredApprovals": 2 }),
        )
        .answers(204)
        .leaves(&["change-request-configuration-updated"]),
        on(Row::post("changeRequest", REQUEST, Person, switching(true)))
            .leaves(&["change-request-created", "change-added"]),
        on(Row::put("editChange", "/api/admin/projects/shop/change-requests/1/changes/1", Author, switching(false)))
            .own(Method::POST, REQUEST, switching(true))
            .leaves(&["change-edited"]),
        on(Row::delete("discardChange", "/api/admin/projects/shop/change-requests/1/changes/2", Author))
            .own(Method::POST, REQUEST, json!([switching(true), switching(false)]))
            .leaves(&["change-discarded"]),
        on(Row::delete("deleteChangeRequest", FIRST, Author))
            .own(Method::POST, REQUEST, switching(true))
            .leaves(&["change-request-discarded"]),
        on(Row::put(
            "updateChangeRequestTitle",
            "/api/admin/projects/shop/change-requests/1/title",
            Author,
            json!({ "title": "Launch" }),
        ))
        .own(Method::POST, REQUEST, switching(true))
        .leaves(&["change-request-title-updated"]),
        reviewed(Row::post(
            "addChangeRequestComment",
            "/api/admin/projects/shop/change-requests/1/comments",
            Person,
            json!({ "text": "Why now?" }),
        ))
        .leaves(&["change-request-comment-added"]),
        on(Row::put(
            "updateRequestedApprovers",
            "/api/admin/projects/shop/change-requests/1/approvers",
            Author,
            json!({ "reviewers": [1] }),
        ))
        .own(Method::POST, REQUEST, switching(true))
        .leaves(&["change-request-requested-approvers-updated"]),
    ]
}

fn states() -> Vec<Row> {
    vec![
        on(Row::put(
            "updateChangeRequestState",
            "/api/admin/projects/shop/change-requests/1/state",
            State,
            json!({ "state": "In review" }),
        ))
        .own(Method::POST, REQUEST, switching(true))
        .leaves(&["change-request-sent-to-review"]),
    ]
}
