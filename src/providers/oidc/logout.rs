//! Signing out: at the provider too, and here because it says so.

use chrono::{DateTime, TimeDelta, Utc};
use url::Url;

use super::{
    Oidc, Settings,
    claims::Claims,
    discovery::Discovery,
    id_token::{check_parties, check_times, shown},
    jws,
    keys::KeySet,
    refusal::{Reason, Refusal},
};

/// The event that a logout token is about.
const EVENT: &str = "http://schemas.openid.net/event/backchannel-logout";
/// Maximum age of a logout token.
const OLDEST: TimeDelta = TimeDelta::minutes(2);
/// The longest address that a browser is sent to. Servers commonly take 8 KiB.
const LONGEST_ADDRESS: usize = 7000;

/// Statement of the provider that a user signed out there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogoutToken {
    /// The provider.
    pub issuer: String,
    /// The user's subject there; without a session, all sessions end that the person has through the provider.
    pub subject: Option<String>,
    /// The session there that ended.
    pub session_id: Option<String>,
    /// The token's name. It counts once.
    pub jti: String,
    /// When the name may be forgotten: from then on the token is refused as too old.
    pub usable_until: DateTime<Utc>,
}

impl Oidc {
    /// Returns the address that the browser goes to for signing out at the provider too; `None` if that has no such
    /// endpoint.
    ///
    /// The ID token goes along as far as there is one and the address does not become longer than servers take. The
    /// provider knows by our name, too, whom it may send back.
    pub async fn end_session_url(
        &self,
        settings: &Settings,
        id_token: Option<&str>,
        post_logout_redirect_uri: &str,
        state: &str,
        now: DateTime<Utc>,
    ) -> Result<Option<String>, Refusal> {
        let discovery = self.discovery(settings, now).await?;
        Ok(end_session_url(&discovery, &settings.client_id, id_token, post_logout_redirect_uri, state))
    }

    /// Reads a logout token (Back-Channel Logout 1.0, 2.6). That it counts once is for the caller to know.
    pub async fn logout_token(
        &self,
        settings: &Settings,
        token: &str,
        now: DateTime<Utc>,
    ) -> Result<LogoutToken, Refusal> {
        let known = self.known(settings, now).await?;
        self.with_keys(&known, now, |keys| verify(token, keys, settings, &known.discovery.issuer, now)).await
    }
}

fn end_session_url(
    discovery: &Discovery,
    client_id: &str,
    id_token: Option<&str>,
    post_logout_redirect_uri: &str,
    state: &str,
) -> Option<String> {
    let mut url = Url::parse(discovery.end_session_endpoint.as_deref()?).ok()?;
    url.set_fragment(None);
    let parameters =
        [("client_id", client_id), ("post_logout_redirect_uri", post_logout_redirect_uri), ("state", state)];
    url.query_pairs_mut().extend_pairs(parameters);
    let mut hinted = url.clone();
    hinted.query_pairs_mut().extend_pairs(id_token.map(|token| ("id_token_hint", token)));
    Some(if hinted.as_str().len() <= LONGEST_ADDRESS { hinted.into() } else { url.into() })
}

fn verify(
    token: &str,
    keys: &KeySet,
    settings: &Settings,
    issuer: &str,
    now: DateTime<Utc>,
) -> Result<LogoutToken, Refusal> {
    let map = jws::open(token, keys, settings.algorithm, &["JWT", "logout+jwt"])?;
    let claims = Claims(&map);
    check_parties(&claims, issuer, &settings.client_id)?;
    let skew = TimeDelta::seconds(settings.skew_seconds.into());
    check_times(&claims, skew, now)?;
    let issued_at = claims.time("iat")?;
    let usable_until = issued_at + OLDEST + skew;
    if usable_until <= now {
        return Err(Refusal::new(Reason::LogoutAge).expected(shown(now)).found(shown(issued_at)));
    }
    if !map.get("events").and_then(|events| events.get(EVENT)).is_some_and(serde_json::Value::is_object) {
        return Err(Refusal::new(Reason::LogoutEvent).expected(EVENT));
    }
    // An ID token could otherwise be passed off as one.
    if map.contains_key("nonce") {
        return Err(Refusal::new(Reason::LogoutNonce));
    }
    let subject = claims.optional_id("sub")?.map(str::to_owned);
    let session_id = claims.optional_id("sid")?.map(str::to_owned);
    if subject.is_none() && session_id.is_none() {
        return Err(Refusal::new(Reason::LogoutSubject).expected("sub or sid"));
    }
    let jti = claims.id("jti")?.to_owned();
    Ok(LogoutToken { issuer: issuer.to_owned(), subject, session_id, jti, usable_until })
}
