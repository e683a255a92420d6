//! The user info endpoint, where some providers return what they leave out of ID tokens.

use flagstone_outbound::{ANSWER_LIMIT, Outbound, Request};
use serde_json::{Map, Value};

use super::{
    claims::Claims,
    fetch,
    refusal::{Reason, Refusal},
};

/// Fetches the claims about the subject of an ID token.
pub(super) async fn fetch(
    outbound: &Outbound,
    endpoint: &str,
    access_token: &str,
    subject: &str,
) -> Result<Map<String, Value>, Refusal> {
    let request = Request::get(endpoint, ANSWER_LIMIT).header("authorization", format!("Bearer {access_token}"));
    let said = fetch::document(outbound, request, "the user info endpoint", Reason::UserinfoMalformed).await?.value;
    // Without it, somebody's access token would fetch somebody else's email (Core 1.0, 5.3.2).
    match Claims(&said).text("sub") {
        Ok(Some(found)) if found == subject => Ok(said),
        Ok(Some(found)) => Err(Refusal::new(Reason::UserinfoSubject).expected(subject).found(found)),
        _ => Err(Refusal::new(Reason::UserinfoSubject).expected(subject).found("none")),
    }
}
