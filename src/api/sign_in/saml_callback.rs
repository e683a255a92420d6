//! The two steps in which a user comes back from a SAML provider.

use serde_json::{Map, Value};

use crate::{
    api::sign_in::{
        arrival::Arrived,
        pending::PendingSignIn,
        responses::{Arriving, CallbackResponse},
    },
    domain::{identity::Refusal, settings::SamlOn, time::Timestamp},
    error::Error,
    providers::{
        groups::GroupPath,
        saml::{
            identity::SignedIdentity,
            verifier::{decode_form, verify},
        },
    },
    sign_in::{
        Refused,
        admission::{ForProvider, VerifiedIdentity},
        in_force::{self, InForce},
        saml,
        saml_ticket::{self, Ticket},
        trial,
    },
    state::State,
};

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
        verify(&xml, &expected, now)
    });
    Ok(judging.await.map_err(Error::internal)?.map_err(Refused::from))
}

/// Admits the holder of a ticket, if it is the browser that began.
pub(super) async fn finish(arriving: Arriving<'_>, ticket: &str) -> Result<Result<CallbackResponse, Refused>, Error> {
    let Arriving { state, request, .. } = arriving;
    let Some(Ticket { identity, settings, trial }) = saml_ticket::take(state, ticket).await? else {
        // 404 for everybody while the provider is off or gone.
        in_force::required_saml(state, arriving.provider).await?;
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
        return try_out(arriving, begun.as_ref(), &id, identity).await;
    }
    let in_force = &in_force::required_saml(state, arriving.provider).await?;
    if begun.as_ref().is_some_and(|begun| begun.trial.is_some()) {
        return Ok(Err(Refusal::UnknownState.into()));
    }
    if settings != in_force.digest || begun.as_ref().is_some_and(|begun| begun.settings != in_force.digest) {
        return Ok(Err(Refusal::SettingsChanged.into()));
    }
    let verified = verified(in_force, identity);
    Arrived { verified: &verified, rules: &in_force.rules, once: &[], begun: begun.as_ref() }.admit(arriving).await
}

/// Notes what would have come of a sign-in by settings that are tried out.
async fn try_out(
    arriving: Arriving<'_>,
    begun: Option<&PendingSignIn>,
    id: &str,
    identity: SignedIdentity,
) -> Result<Result<CallbackResponse, Refused>, Error> {
    let Arriving { state, provider, .. } = arriving;
    let (trial, in_force) = trial::required_saml(state, provider, id).await?;
    let verified = verified(&in_force, identity);
    let claims = verified.claims.clone();
    let outcome = trial::preview(state, &verified, &in_force.rules, claims).await?;
    trial::finish(state, id, trial, outcome).await?;
    Ok(Ok(CallbackResponse::tried(begun.map(|begun| PendingSignIn::forget(state, &begun.state)).into_iter().collect())))
}

/// Converts the provider's assertion into an identity.
fn verified(in_force: &InForce<SamlOn>, identity: SignedIdentity) -> VerifiedIdentity {
    let names: Vec<&str> =
        [&identity.first_name, &identity.last_name].into_iter().flatten().map(String::as_str).collect();
    let name = match &in_force.policy.saml_name_attribute {
        Some(attribute) => identity.only_text(attribute).map(str::to_owned),
        None => (!names.is_empty()).then(|| names.join(" ")),
    };
    let claims = match identity.attributes_value() {
        Value::Object(claims) => claims,
        _ => Map::new(),
    };
    VerifiedIdentity {
        name,
        groups: in_force.groups_path().map(|path| GroupPath::new(path).read(&claims)),
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
