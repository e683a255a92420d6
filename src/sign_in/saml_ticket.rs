//! Tickets between the two steps in which a user comes back from a SAML provider: the first believes what the provider
//! posts, the second knows the browser.

use flagstone_domain::{identity::Refusal, secret, settings::SamlOn, time::Timestamp};
use flagstone_error::Error;
use flagstone_providers::saml::identity::SignedIdentity;
use flagstone_state::State;
use flagstone_store::{
    self as store,
    db::NoEvent,
    sign_in::{identities::Subject, once},
};
use serde::{Deserialize, Serialize};

use crate::{Refused, in_force::InForce, sealed};

/// Lifetime of a ticket.
const LASTS_MS: i64 = 60_000;
/// Tickets are sealed for this place.
const PLACE: &str = "sign-in-ticket";

/// Sealed contents of a ticket.
#[derive(Debug, Serialize, Deserialize)]
pub struct Ticket {
    /// Identity that the provider's assertion states.
    pub identity: SignedIdentity,
    /// Digest of the settings by which it was believed.
    pub settings: String,
    /// Id of the trial that it is part of.
    pub trial: Option<String>,
}

/// Uses the assertion of an identity up, and issues a ticket for the identity.
pub async fn issue(
    state: &State,
    in_force: &InForce<SamlOn>,
    identity: SignedIdentity,
    trial: Option<String>,
) -> Result<Result<String, Refused>, Error> {
    let now = state.clock.now();
    let until = Timestamp::from_millis(identity.not_on_or_after.timestamp_millis());
    let issuer =
        Subject { provider: in_force.provider.clone(), issuer: identity.issuer.clone(), subject: String::new() };
    let key = sealed::key(state).await?;
    let tx = state.db.begin().await?;
    let assertion = issuer.session_digest(&identity.assertion_id);
    let mut is_new = once::take(&tx, once::Kind::Assertion, &assertion, until).await?;
    if let Some(request) = &identity.in_response_to {
        is_new &= once::take(&tx, once::Kind::Request, request, until).await?;
    }
    if !is_new {
        return Ok(Err(Refused::from(Refusal::UsedAssertion).of(&identity.email)));
    }
    let ticket = secret::random_part();
    // There may be a MiB of attributes, and only groups, what decides about roles, and a chosen name is read from them.
    let reads = in_force.groups_path().is_some()
        || in_force.rules.newcomers.reads_claims()
        || in_force.policy.saml_name_attribute.is_some();
    let attributes = if reads { identity.attributes } else { Vec::new() };
    let identity = SignedIdentity { attributes, ..identity };
    let content = Ticket { identity, settings: in_force.digest.clone(), trial };
    let sealed = sealed::seal(key, PLACE, &content)?;
    store::sign_in::sealed::insert_ticket(&tx, &ticket, &sealed, now.plus_millis(LASTS_MS)).await?;
    tx.commit_without_event(NoEvent::SignIn).await?;
    Ok(Ok(ticket))
}

/// Uses a ticket up, and returns its contents, or `None` for one that is unknown, used or too old.
pub async fn take(state: &State, ticket: &str) -> Result<Option<Ticket>, Error> {
    let now = state.clock.now();
    let tx = state.db.begin().await?;
    let sealed = store::sign_in::sealed::take_ticket(&tx, ticket, now).await?;
    tx.commit_without_event(NoEvent::SignIn).await?;
    Ok(sealed.and_then(|sealed| sealed::open(&state.vault, PLACE, &sealed)))
}
