//! The two steps in which a user comes back from a SAML provider.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{
    api::sign_in::{
        arrival::Arrived,
        pending::PendingSignIn,
        responses::{Arriving, CallbackResponse},
    },
    domain::{
        identity::Refusal,
        secret,
        settings::{SamlOn, SamlSettings},
        sign_in::ProviderKey,
        time::Timestamp,
    },
    error::Error,
    providers::{
        groups::GroupPath,
        saml::{
            identity::SignedIdentity,
            verifier::{ResponseVerifier as _, Verifier, decode_form},
        },
    },
    sign_in::{
        Refused,
        admission::{ForProvider, VerifiedIdentity},
        in_force::{self, InForce},
        saml, sealed, trial,
    },
    state::State,
    store::{
        self,
        db::NoEvent,
        sign_in::{identities::Subject, once},
    },
};

/// How long a ticket is good.
const TICKET_MS: i64 = 60_000;
/// Tickets are sealed for this place.
const TICKET: &str = "sign-in-ticket";

/// Sealed contents of a ticket.
#[derive(Serialize, Deserialize)]
struct Ticket {
    identity: SignedIdentity,
    /// Digest of the settings by which it was believed.
    settings: String,
    /// The trial that it is part of.
    trial: Option<String>,
}

/// Verifies a provider's answer and returns its identity.
pub(super) async fn believe(
    state: &State,
    in_force: &InForce<SamlOn>,
    response: String,
) -> Result<Result<SignedIdentity, Refused>, Error> {
    let expected = match in_force.expectations(state) {
        Ok(expected) => expected,
        Err(refused) => return Ok(Err(refused)),
    };
    let now = state.clock.now().instant();
    // A hostile document takes milliseconds, for which no other request should wait.
    let judging = tokio::task::spawn_blocking(move || {
        let xml = decode_form(&response)?;
        Verifier.identity(&xml, &expected, now)
    });
    Ok(judging.await.map_err(Error::internal)?.map_err(Refused::from))
}

/// Uses the assertion up, and keeps whom it names under a ticket.
pub(super) async fn issue_ticket(
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
    // There may be a MiB of attributes, and only groups and what decides about roles is read from them.
    let reads = groups_path(&in_force.settings).is_some() || in_force.rules.newcomers.reads_claims();
    let attributes = if reads { identity.attributes } else { Vec::new() };
    let identity = SignedIdentity { attributes, ..identity };
    let content = Ticket { identity, settings: in_force.digest.clone(), trial };
    let sealed = sealed::seal(key, TICKET, &content)?;
    store::sign_in::sealed::insert_ticket(&tx, &ticket, &sealed, now.plus_millis(TICKET_MS)).await?;
    tx.commit_without_event(NoEvent::SignIn).await?;
    Ok(Ok(ticket))
}

/// Admits the holder of a ticket, if it is the browser that began.
pub(super) async fn finish(arriving: Arriving<'_>, ticket: &str) -> Result<Result<CallbackResponse, Refused>, Error> {
    let Arriving { state, request, .. } = arriving;
    let now = state.clock.now();
    let tx = state.db.begin().await?;
    let sealed = store::sign_in::sealed::take_ticket(&tx, ticket, now).await?;
    tx.commit_without_event(NoEvent::SignIn).await?;
    let Some(Ticket { identity, settings, trial }) =
        sealed.and_then(|sealed| sealed::open(&state.vault, TICKET, &sealed))
    else {
        // 404 for everybody while SAML is not set up.
        required(state, arriving.provider).await?;
        return Ok(Err(Refusal::UnknownTicket.into()));
    };
    let begun = match &identity.in_response_to {
        Some(id) => match PendingSignIn::of(state, request, arriving.provider, id) {
            Ok(begun) => Some(begun),
            Err(refusal) => return Ok(Err(Refused::from(refusal).of(&identity.email))),
        },
        // Let through only where the policy allows it.
        None => None,
    };
    if let Some(id) = trial {
        return try_out(state, begun.as_ref(), &id, identity).await;
    }
    let in_force = &required(state, arriving.provider).await?;
    if begun.as_ref().is_some_and(|begun| begun.trial.is_some()) {
        return Ok(Err(Refusal::UnknownState.into()));
    }
    if settings != in_force.digest || begun.as_ref().is_some_and(|begun| begun.settings != in_force.digest) {
        return Ok(Err(Refusal::SettingsChanged.into()));
    }
    let verified = verified(in_force, identity);
    Arrived { verified: &verified, rules: &in_force.rules, once: &[], begun: begun.as_ref() }.admit(arriving).await
}

/// The settings in force of a provider: 404 while it is off or gone.
async fn required(state: &State, provider: &ProviderKey) -> Result<InForce<SamlOn>, Error> {
    in_force::find_saml(state, provider).await?.ok_or_else(|| in_force::missing(provider))
}

/// Notes what would have come of a sign-in by settings that are tried out.
async fn try_out(
    state: &State,
    begun: Option<&PendingSignIn>,
    id: &str,
    identity: SignedIdentity,
) -> Result<Result<CallbackResponse, Refused>, Error> {
    let (trial, in_force) = trial::required::<SamlSettings>(state, id).await?;
    let verified = verified(&in_force, identity);
    let claims = verified.claims.clone();
    let outcome = trial::preview(state, &verified, &in_force.rules, claims).await?;
    trial::finish(state, id, trial, outcome).await?;
    Ok(Ok(CallbackResponse::tried(begun.map(|begun| PendingSignIn::forget(state, &begun.state)).into_iter().collect())))
}

/// Path of the groups; `None` while the settings do not ask.
fn groups_path(settings: &SamlOn) -> Option<&str> {
    settings.group_json_path.as_deref().filter(|_| settings.enable_group_syncing == Some(true))
}

/// Converts the provider's assertion into an identity.
fn verified(in_force: &InForce<SamlOn>, identity: SignedIdentity) -> VerifiedIdentity {
    let names: Vec<&str> =
        [&identity.first_name, &identity.last_name].into_iter().flatten().map(String::as_str).collect();
    let path = groups_path(&in_force.settings);
    let claims = match identity.attributes_value() {
        Value::Object(claims) => claims,
        _ => Map::new(),
    };
    VerifiedIdentity {
        name: (!names.is_empty()).then(|| names.join(" ")),
        groups: path.map(|path| GroupPath::new(path).read(&claims)),
        ends_at: identity.session_not_on_or_after.map(|end| Timestamp::from_millis(end.timestamp_millis())),
        subject: saml::subject(&in_force.provider, &identity.issuer, &identity.name_id),
        // The assertion is signed by the provider that is trusted to say who people are.
        has_verified_email: true,
        email: identity.email,
        provider_session: identity.session_index.clone(),
        for_provider: ForProvider {
            name_id: Some(identity.name_id),
            session_index: identity.session_index,
            ..ForProvider::default()
        },
        claims,
    }
}
