//! Answers of providers that must be JSON.

use flagstone_outbound::{Answer, Outbound, Request};
use serde_json::{Map, Value};

use super::{
    cache::Fetched,
    refusal::{Reason, Refusal},
};

/// The longest code of an error that is shown, in characters.
const LONGEST_CODE: usize = 64;

/// Gets a document, which has to be a JSON object.
pub(super) async fn document(
    outbound: &Outbound,
    request: Request,
    what: &'static str,
    malformed: Reason,
) -> Result<Fetched<Map<String, Value>>, Refusal> {
    let answer = outbound.send(request.header("accept", "application/json".into())).await?;
    expect_success(&answer, what)?;
    Ok(Fetched { value: object(&answer, malformed)?, cache_control: answer.cache_control })
}

/// An object in JSON. Of what stands there instead only the type is reported: often it is a page.
pub(super) fn object(answer: &Answer, malformed: Reason) -> Result<Map<String, Value>, Refusal> {
    serde_json::from_slice(&answer.body).map_err(|_| {
        let kind = answer.content_type.as_deref().unwrap_or("nothing");
        Refusal::new(malformed).expected("a JSON object").found(format_args!("something else, which says it is {kind}"))
    })
}

/// Only a status of 200 is an answer.
pub(super) fn expect_success(answer: &Answer, what: &'static str) -> Result<(), Refusal> {
    if answer.status == 200 {
        return Ok(());
    }
    Err(Refusal::new(Reason::ProviderStatus).expected(200).found(format_args!("{} from {what}", answer.status)))
}

/// The code of an error of OAuth, if it is one that may be shown.
pub(super) fn error_code(text: &str) -> Option<&str> {
    let is_code = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-' | '.' | ':' | '/');
    (!text.is_empty() && text.len() <= LONGEST_CODE && text.chars().all(is_code)).then_some(text)
}
