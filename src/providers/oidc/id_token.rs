//! ID tokens: a user's identity, asserted by the provider to us and for this one sign-in (OpenID Connect Core 1.0,
//! 3.1.3.7).

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, TimeDelta, Utc};
use flagstone_domain::token_algorithm::TokenAlgorithm;
use ring::digest;
use serde_json::{Map, Value};

use super::{
    claims::Claims,
    jws,
    keys::KeySet,
    refusal::{Reason, Refusal},
};

/// Expected content of an ID token.
#[derive(Debug, Clone, Copy)]
pub(super) struct Expected<'a> {
    /// The issuer of the discovery document.
    pub issuer: &'a str,
    /// Our name at the provider.
    pub client_id: &'a str,
    /// Only algorithm that is accepted.
    pub algorithm: TokenAlgorithm,
    /// Tolerance for the provider's clock in seconds.
    pub skew_seconds: u16,
    /// The nonce that was sent along.
    pub nonce: &'a str,
    /// When the sign-in began.
    pub started_at: DateTime<Utc>,
    /// The authentication context classes of which it has to name one, if there are any.
    pub acr_values: &'a [&'a str],
    /// The access token that came along with it.
    pub access_token: Option<&'a str>,
}

/// The claims of an ID token in which everything is right.
pub(super) fn verify(
    token: &str,
    keys: &KeySet,
    expected: &Expected<'_>,
    now: DateTime<Utc>,
) -> Result<Map<String, Value>, Refusal> {
    let map = jws::open(token, keys, expected.algorithm, &["JWT"])?;
    let claims = Claims(&map);
    check_parties(&claims, expected.issuer, expected.client_id)?;
    let skew = TimeDelta::seconds(expected.skew_seconds.into());
    // A logout token may do without, because it counts for minutes only.
    claims.time("exp")?;
    check_times(&claims, skew, now)?;
    let issued_at = claims.time("iat")?;
    if issued_at + skew < expected.started_at {
        let refusal = Refusal::new(Reason::IssuedBeforeStart);
        return Err(refusal.expected(shown(expected.started_at)).found(shown(issued_at)));
    }
    claims.id("sub")?;
    match claims.text("nonce")? {
        Some(nonce) if nonce == expected.nonce => {}
        found => return Err(Refusal::new(Reason::Nonce).found(if found.is_some() { "another" } else { "none" })),
    }
    if let Some(hash) = claims.text("at_hash")? {
        check_access_token(hash, expected.algorithm, expected.access_token)?;
    }
    check_acr(&claims, expected.acr_values)?;
    Ok(map)
}

/// Expected content of an ID token that came for a refresh token.
#[derive(Debug, Clone, Copy)]
pub(super) struct ExpectedAgain<'a> {
    /// The issuer of the discovery document.
    pub issuer: &'a str,
    /// Our name at the provider.
    pub client_id: &'a str,
    /// Only algorithm that is accepted.
    pub algorithm: TokenAlgorithm,
    /// Tolerance for the provider's clock in seconds.
    pub skew_seconds: u16,
    /// Subject of the user who signed in.
    pub subject: &'a str,
    /// The nonce of the sign-in.
    pub nonce: Option<&'a str>,
    /// The authentication context classes of which it names one, if it names any and there are any.
    pub acr_values: &'a [&'a str],
    /// The access token that came along with it.
    pub access_token: Option<&'a str>,
}

/// The claims of an ID token that came for a refresh token, in which everything is right (OpenID Connect Core 1.0,
/// 12.2).
pub(super) fn verify_again(
    token: &str,
    keys: &KeySet,
    expected: &ExpectedAgain<'_>,
    now: DateTime<Utc>,
) -> Result<Map<String, Value>, Refusal> {
    let map = jws::open(token, keys, expected.algorithm, &["JWT"])?;
    let claims = Claims(&map);
    check_parties(&claims, expected.issuer, expected.client_id)?;
    claims.time("exp")?;
    check_times(&claims, TimeDelta::seconds(expected.skew_seconds.into()), now)?;
    let subject = claims.id("sub")?;
    if subject != expected.subject {
        return Err(Refusal::new(Reason::Subject).expected(expected.subject).found(subject));
    }
    // It should have none.
    if let Some(nonce) = claims.text("nonce")?
        && Some(nonce) != expected.nonce
    {
        return Err(Refusal::new(Reason::Nonce).found("another"));
    }
    if let Some(hash) = claims.text("at_hash")? {
        check_access_token(hash, expected.algorithm, expected.access_token)?;
    }
    if claims.text("acr")?.is_some() {
        check_acr(&claims, expected.acr_values)?;
    }
    Ok(map)
}

/// The claims of an ID token that was verified before.
pub(super) fn verified_before(token: &str) -> Option<Map<String, Value>> {
    let payload = URL_SAFE_NO_PAD.decode(token.split('.').nth(1)?).ok()?;
    serde_json::from_slice(&payload).ok()
}

/// Checks that a token is of this issuer and for us, as ID tokens and logout tokens must be.
pub(super) fn check_parties(claims: &Claims<'_>, issuer: &str, client_id: &str) -> Result<(), Refusal> {
    let found = claims.id("iss")?;
    if found != issuer {
        return Err(Refusal::new(Reason::Issuer).expected(issuer).found(found));
    }
    let audience = claims.texts("aud")?;
    if !audience.contains(&client_id) {
        return Err(Refusal::new(Reason::Audience).expected(client_id).found(audience.join(", ")));
    }
    let party = claims.text("azp")?;
    let is_ours = party.map_or_else(|| audience.iter().all(|one| *one == client_id), |party| party == client_id);
    if !is_ours {
        let found = party.map_or_else(|| format!("none, for {}", audience.join(", ")), str::to_owned);
        return Err(Refusal::new(Reason::AuthorizedParty).expected(client_id).found(found));
    }
    Ok(())
}

/// Checks that a token is valid now, as ID tokens and logout tokens must be.
pub(super) fn check_times(claims: &Claims<'_>, skew: TimeDelta, now: DateTime<Utc>) -> Result<(), Refusal> {
    let late = |reason, found| Err(Refusal::new(reason).expected(shown(now)).found(shown(found)));
    if let Some(expires_at) = claims.optional_time("exp")?.filter(|end| *end + skew <= now) {
        return late(Reason::Expired, expires_at);
    }
    if let Some(valid_from) = claims.optional_time("nbf")?.filter(|from| *from > now + skew) {
        return late(Reason::NotYetValid, valid_from);
    }
    let issued_at = claims.time("iat")?;
    if issued_at > now + skew {
        return late(Reason::IssuedInFuture, issued_at);
    }
    Ok(())
}

fn check_access_token(hash: &str, algorithm: TokenAlgorithm, token: Option<&str>) -> Result<(), Refusal> {
    let token = token.ok_or_else(|| Refusal::new(Reason::AccessTokenHash).found("no access token"))?;
    let whole = digest::digest(jws::hash(algorithm), token.as_bytes());
    let (left, _) = whole.as_ref().split_at(whole.as_ref().len() / 2);
    // Some pad what the standard does not.
    if hash.trim_end_matches('=') == URL_SAFE_NO_PAD.encode(left) {
        Ok(())
    } else {
        Err(Refusal::new(Reason::AccessTokenHash))
    }
}

fn check_acr(claims: &Claims<'_>, accepted: &[&str]) -> Result<(), Refusal> {
    if accepted.is_empty() {
        return Ok(());
    }
    let found = claims.text("acr")?;
    if found.is_some_and(|found| accepted.contains(&found)) {
        return Ok(());
    }
    Err(Refusal::new(Reason::Acr).expected(accepted.join(" or ")).found(found.unwrap_or("none")))
}

pub(super) fn shown(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(chrono::SecondsFormat::Secs, true)
}
