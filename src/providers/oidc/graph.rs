//! Microsoft Graph, at which the groups of people are fetched who are in too many for a token of Entra.

use flagstone_outbound::{ANSWER_LIMIT, Outbound, Request};
use serde_json::json;

use super::fetch::{expect_success, object};
use super::refusal::Reason;
use crate::groups::{GroupPath, Groups, GroupsProblem};

/// Property of the answer that holds the ids of the groups.
const VALUE: &str = "value";

/// Fetches the ids of all groups of the person whose access token it is, of groups within groups as well. Nobody is
/// kept out for want of an answer.
pub(super) async fn groups(outbound: &Outbound, url: &str, access_token: &str) -> Groups {
    let body = json!({ "securityEnabledOnly": false }).to_string().into_bytes();
    let request = Request::post(url, "application/json", body, ANSWER_LIMIT)
        .header("accept", "application/json".into())
        .header("authorization", format!("Bearer {access_token}"));
    let not_fetched = Groups::Unusable(GroupsProblem::NotFetched);
    let Ok(answer) = outbound.send(request).await else { return not_fetched };
    if expect_success(&answer, "Microsoft Graph").is_err() {
        return not_fetched;
    }
    match object(&answer, Reason::UserinfoMalformed) {
        Ok(said) => match GroupPath::new(VALUE).read(&said) {
            Groups::Absent => not_fetched,
            told => told,
        },
        Err(_) => not_fetched,
    }
}
