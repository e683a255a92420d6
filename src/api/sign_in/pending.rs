//! A sign-in that was begun: it travels with the browser, encrypted, so that any node finishes it and nothing is stored
//! before there is a good answer.

use poem::Request;
use serde::{Deserialize, Serialize};

use crate::{
    api::sign_in::cookies,
    domain::{identity::Refusal, page_origin::is_https, secret, sign_in::ProviderKey, time::Timestamp},
    error::Error,
    providers::oidc::Secrets,
    sign_in::sealed,
    state::State,
};

/// Longest time that a sign-in may take, in milliseconds.
pub const LASTS_MS: i64 = 10 * 60_000;
/// Sign-ins that a browser may have begun at a time, in several tabs.
const MOST: usize = 5;
/// Prefix of the names of the cookies that hold one each.
const NAME: &str = "flagstone-sign-in-";
/// Prefix of these names where the public address is https: see [`crate::api::sign_in::session_cookie::HOST_NAME`].
const HOST_PREFIX: &str = "__Host-";
/// Most bytes of a cookie, name and attributes included: browsers keep 4096, and drop what is longer without a word.
const LONGEST_COOKIE: usize = 4000;
/// Characters of a state's digest in a name.
const DIGEST_CHARACTERS: usize = 8;

/// A sign-in that was begun. Printing it shows nothing.
#[derive(Clone, Serialize, Deserialize)]
pub struct PendingSignIn {
    /// Key of the provider.
    pub provider: ProviderKey,
    /// State that comes back with the browser, and distinguishes this sign-in from others.
    pub state: String,
    /// The secrets of OpenID Connect.
    pub secrets: Option<Secrets>,
    /// Path to which the browser goes afterwards.
    pub return_path: Option<String>,
    /// When it began.
    pub at: Timestamp,
    /// Digest of the settings under which it began.
    pub settings: String,
    /// The trial that it is part of.
    pub trial: Option<String>,
    /// Id of the signed-in user who wants to link the identity; `None` for signing in.
    #[serde(default)]
    pub links_to: Option<i64>,
}

opaque_debug!(PendingSignIn { provider, .. });

impl PendingSignIn {
    /// The headers that give it to the browser, and take away the oldest of those that the browser has when these
    /// become too many.
    pub async fn keep(&self, state: &State, request: &Request) -> Result<Vec<String>, Error> {
        let is_secure = is_https(&state.config.base_url);
        let name = name(is_secure, &self.state);
        let key = sealed::key(state).await?;
        let cookie = |begun: &Self| {
            let value = sealed::seal(key, &name, begun)?;
            Ok::<_, Error>(cookies::set(&state.config, &name, &value, LASTS_MS / 1000))
        };
        let mut kept = cookie(self)?;
        if kept.len() > LONGEST_COOKIE {
            // Users would rather begin on the first page than not at all.
            kept = cookie(&Self { return_path: None, ..self.clone() })?;
        }
        let mut headers = vec![kept];
        let mut others: Vec<(Option<Timestamp>, &str)> = cookies::of(request)
            .filter(|(other, _)| is_one(is_secure, other) && *other != name)
            .map(|(other, value)| (sealed::open::<Self>(&state.vault, other, value).map(|begun| begun.at), other))
            .collect();
        others.sort_unstable();
        let too_many = (others.len() + 1).saturating_sub(MOST);
        headers.extend(others.iter().take(too_many).map(|(_, other)| cookies::set(&state.config, other, "", 0)));
        Ok(headers)
    }

    /// Returns the sign-in that the browser brings back, while it lasts.
    pub fn of(state: &State, request: &Request, provider: &ProviderKey, token: &str) -> Result<Self, Refusal> {
        let name = name(is_https(&state.config.base_url), token);
        let mut values = cookies::of(request).filter(|(given, _)| *given == name).map(|(_, value)| value);
        let begun = values.find_map(|value| sealed::open::<Self>(&state.vault, &name, value));
        let begun = begun.filter(|begun| begun.provider == *provider && begun.state == token);
        let begun = begun.ok_or(Refusal::UnknownState)?;
        let age_ms = state.clock.now().millis().saturating_sub(begun.at.millis());
        if age_ms >= LASTS_MS { Err(Refusal::ExpiredState) } else { Ok(begun) }
    }

    /// The header that takes it from the browser.
    pub fn forget(state: &State, token: &str) -> String {
        cookies::set(&state.config, &name(is_https(&state.config.base_url), token), "", 0)
    }
}

/// The name of the cookie for a state.
fn name(is_secure: bool, token: &str) -> String {
    let prefix = if is_secure { HOST_PREFIX } else { "" };
    format!("{prefix}{NAME}{}", &secret::digest(token)[..DIGEST_CHARACTERS])
}

fn is_one(is_secure: bool, name: &str) -> bool {
    let name = if is_secure { name.strip_prefix(HOST_PREFIX) } else { Some(name) };
    name.and_then(|name| name.strip_prefix(NAME)).is_some_and(|digest| digest.len() == DIGEST_CHARACTERS)
}
