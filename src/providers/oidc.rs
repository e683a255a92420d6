//! OpenID Connect: the code flow with PKCE. What a provider says is checked before it is
//! believed, and each refusal says why.
//!
//! Steps are those of OpenID Connect Core 1.0 and Discovery 1.0, RP-Initiated and Back-Channel Logout 1.0, and RFC
//! 9207.

mod authorization;
mod cache;
mod claims;
mod client_key;
mod discovery;
mod fetch;
mod github;
mod graph;
mod id_token;
mod jws;
mod keys;
mod logout;
mod recheck;
mod refusal;
mod sign_in;
mod token;
mod userinfo;

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use chrono::{DateTime, Utc};
use flagstone_domain::{
    client_authentication::AssertionAudience,
    opaque_debug,
    sign_in_provider::{Dialect, EmailProof},
    token_algorithm::TokenAlgorithm,
};
use flagstone_outbound::Outbound;

pub use authorization::{Callback, Secrets, Start};
pub use client_key::{ALGORITHM as CLIENT_KEY_ALGORITHM, ClientKey, ClientKeyError, PublicKey};
pub use discovery::{ClientAuthentication, Discovery};
pub use keys::KeySet;
pub use logout::LogoutToken;
pub use recheck::{Confirmed, Held, Recheck};
pub use refusal::{Reason, Refusal};
pub use sign_in::{Attempt, SignedIn};

use cache::Cached;

/// Maximum number of providers in the cache. Some are configured; others come and go as an administrator changes the
/// settings.
const PROVIDERS: usize = 64;

/// Settings and policy for signing in through a provider. Printing it shows nothing.
#[derive(Clone)]
pub struct Settings {
    /// Address of the provider's description: its issuer, or the address of its document.
    pub discover_url: Option<String>,
    /// Our name there.
    pub client_id: String,
    /// Credentials of this server as a client.
    pub credentials: Credentials,
    /// Only algorithm that signs tokens.
    pub algorithm: TokenAlgorithm,
    /// The authentication context classes of which the provider must name one, with blanks between them.
    pub acr_values: Option<String>,
    /// Whether to ask for the scope `groups`.
    pub add_groups_scope: bool,
    /// Additional scopes to ask for.
    pub extra_scopes: Vec<String>,
    /// Path of the groups in the provider's claims; absent while they are not wanted.
    pub groups_path: Option<String>,
    /// Path of the email in the provider's claims; absent for the claim `email`.
    pub email_claim: Option<String>,
    /// Path of the name in the provider's claims; absent for `name`, or else `given_name` and `family_name`.
    pub name_claim: Option<String>,
    /// Whether the provider must say that the email is verified. One that it says is not is refused anyway.
    pub require_verified_email: bool,
    /// Tolerance for the provider's clock in seconds.
    pub skew_seconds: u16,
    /// Particulars of the provider.
    pub particulars: Particulars,
}

/// Particulars of a provider that others of OpenID Connect do not share.
#[derive(Debug, Clone, Default)]
pub struct Particulars {
    /// Dialect of OAuth 2.0 that it speaks.
    pub dialect: Dialect,
    /// Domains of Google organizations of which a person must belong to one; empty where none is needed.
    pub hosted_domains: Vec<String>,
    /// URL at which groups are fetched that the provider leaves out of a token because they are too many.
    pub groups_url: Option<String>,
    /// Proof that an email is a person's.
    pub email_proof: EmailProof,
}

/// Credentials of this server as a client. Printing them shows nothing.
#[derive(Clone)]
pub enum Credentials {
    /// A secret that the provider knows.
    Secret(String),
    /// A key of ours, whose public half the provider knows.
    PrivateKey {
        /// The key, if it is there.
        key: Option<Arc<ClientKey>>,
        /// Audience of what it signs.
        audience: AssertionAudience,
    },
    /// Nothing: a public client.
    None,
}

opaque_debug!(Credentials);

opaque_debug!(Settings { .. });

impl Settings {
    fn accepted_acr(&self) -> Vec<&str> {
        self.acr_values.iter().flat_map(|values| values.split_whitespace()).collect()
    }
}

/// Cache of the providers' documents and keys on a node. Cheap to clone; clones know the same.
///
/// A trial of settings uses one of its own, which knows nothing yet.
#[derive(Debug, Clone)]
pub struct Oidc {
    outbound: Outbound,
    providers: Arc<Mutex<HashMap<String, Arc<Provider>>>>,
}

/// Cached documents and keys of one provider.
#[derive(Debug, Default)]
struct Provider {
    discovery: Cached<Discovery>,
    keys: Cached<KeySet>,
}

impl Oidc {
    /// Knows nothing yet, and asks providers over this client.
    pub fn new(outbound: Outbound) -> Self {
        Self { outbound, providers: Arc::default() }
    }

    /// Returns the provider's description: from memory for an hour, or as long as it allows between five minutes and a
    /// day, and for a day at most while it does not answer.
    pub async fn discovery(&self, settings: &Settings, now: DateTime<Utc>) -> Result<Arc<Discovery>, Refusal> {
        let address = discovery::document_address(settings)?;
        self.document(&self.provider(&address), &address, now).await
    }

    /// The keys that sign its tokens: from memory, as [`Self::discovery`].
    pub async fn keys(&self, settings: &Settings, now: DateTime<Utc>) -> Result<Arc<KeySet>, Refusal> {
        let known = self.known(settings, now).await?;
        self.keys_of(&known, now).await
    }

    async fn known(&self, settings: &Settings, now: DateTime<Utc>) -> Result<Known, Refusal> {
        let address = discovery::document_address(settings)?;
        let provider = self.provider(&address);
        let discovery = self.document(&provider, &address, now).await?;
        Ok(Known { provider, discovery })
    }

    async fn document(
        &self,
        provider: &Provider,
        address: &str,
        now: DateTime<Utc>,
    ) -> Result<Arc<Discovery>, Refusal> {
        provider.discovery.get(now, || discovery::fetch(&self.outbound, address)).await
    }

    async fn keys_of(&self, known: &Known, now: DateTime<Utc>) -> Result<Arc<KeySet>, Refusal> {
        known.provider.keys.get(now, || keys::fetch(&self.outbound, &known.discovery.jwks_uri)).await
    }

    /// Checks a token with the keys that are known. Where that fails because the provider may have others by now, they
    /// are fetched again, once for all sign-ins and not more often than every minute.
    async fn with_keys<T>(
        &self,
        known: &Known,
        now: DateTime<Utc>,
        check: impl Fn(&KeySet) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        let keys = self.keys_of(known, now).await?;
        match check(&keys) {
            Err(refusal) if refusal.reason.may_be_of_other_keys() => {
                let fetch = || keys::fetch(&self.outbound, &known.discovery.jwks_uri);
                match known.provider.keys.renew(&keys, now, fetch).await {
                    Some(renewed) => check(&renewed),
                    None => Err(refusal),
                }
            }
            checked => checked,
        }
    }

    fn provider(&self, address: &str) -> Arc<Provider> {
        // Whatever panicked while it held the lock left a map that is as good as before.
        let mut providers = self.providers.lock().unwrap_or_else(PoisonError::into_inner);
        if providers.len() >= PROVIDERS && !providers.contains_key(address) {
            providers.clear();
        }
        Arc::clone(providers.entry(address.to_owned()).or_default())
    }
}

/// A provider whose document is at hand.
struct Known {
    provider: Arc<Provider>,
    discovery: Arc<Discovery>,
}
