//! Sending people to the provider, and what they bring back.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, Utc};
use flagstone_domain::{opaque_debug, sign_in_provider::Dialect};
use ring::digest::{SHA256, digest};
use serde::{Deserialize, Serialize};
use url::Url;

use super::{
    Oidc, Settings,
    discovery::Discovery,
    fetch::error_code,
    github,
    refusal::{Reason, Refusal},
};

/// Scopes that each sign-in of OpenID Connect asks for.
const SCOPES: [&str; 3] = ["openid", "email", "profile"];
/// The longest code that is exchanged, in bytes.
const LONGEST_CODE: usize = 8192;

/// Secrets of a sign-in that only the browser that began it and this server know. Printing it shows nothing.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Secrets {
    /// Comes back with the browser, and says which sign-in it belongs to.
    pub state: String,
    /// Comes back in the ID token.
    pub nonce: String,
    /// Proves to the token endpoint that the code is ours (PKCE). The provider sees its hash before.
    pub verifier: String,
}

/// Start of a sign-in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Start {
    /// Address that the browser goes to.
    pub url: String,
    /// The provider's name.
    pub issuer: String,
}

/// Callback of the browser: the parameters of the query, decoded.
#[derive(Clone, Copy, Default)]
pub struct Callback<'a> {
    /// Authorization code, which is exchanged for tokens.
    pub code: Option<&'a str>,
    /// Issuer of the answer (RFC 9207).
    pub iss: Option<&'a str>,
    /// Error code, when there is no code.
    pub error: Option<&'a str>,
}

opaque_debug!(Secrets);

opaque_debug!(Callback<'_>);

impl Secrets {
    /// Makes three texts of 43 characters, each of 32 of these bytes, which must be unpredictable.
    pub fn from_random(bytes: &[u8; 96]) -> Self {
        let part = |at: usize| URL_SAFE_NO_PAD.encode(&bytes[at * 32..(at + 1) * 32]);
        Self { state: part(0), nonce: part(1), verifier: part(2) }
    }

    /// The hash of the verifier, which the provider sees first (S256).
    pub(super) fn challenge(&self) -> String {
        URL_SAFE_NO_PAD.encode(digest(&SHA256, self.verifier.as_bytes()))
    }
}

impl Callback<'_> {
    /// Refuses what the provider refused. Its code is logged, its words are not.
    pub fn provider_error(&self) -> Result<(), Refusal> {
        match self.error {
            None => Ok(()),
            Some(error) => {
                let code = error_code(error).unwrap_or("something else than a code");
                Err(Refusal::new(Reason::ProviderError).found(code))
            }
        }
    }

    /// The code, if it is the provider's who was asked.
    pub(super) fn code_of(&self, discovery: &Discovery) -> Result<&str, Refusal> {
        match self.iss {
            Some(issuer) if issuer != discovery.issuer => {
                return Err(Refusal::new(Reason::CallbackIssuer).expected(&discovery.issuer).found(issuer));
            }
            None if discovery.names_itself => {
                return Err(Refusal::new(Reason::CallbackIssuerMissing).expected(&discovery.issuer));
            }
            _ => {}
        }
        self.any_code()
    }

    /// The code, if there is one.
    pub(super) fn any_code(&self) -> Result<&str, Refusal> {
        let code = self.code.filter(|code| !code.is_empty() && code.len() <= LONGEST_CODE);
        code.ok_or_else(|| Refusal::new(Reason::CodeMissing))
    }
}

impl Oidc {
    /// Returns the address that a browser goes to for signing in. The provider is asked if it is not known.
    pub async fn start(
        &self,
        settings: &Settings,
        secrets: &Secrets,
        redirect_uri: &str,
        now: DateTime<Utc>,
    ) -> Result<Start, Refusal> {
        if settings.particulars.dialect == Dialect::GitHub {
            return github::start(settings, secrets, redirect_uri);
        }
        let discovery = self.discovery(settings, now).await?;
        // Nobody is sent to a provider from which they could not come back.
        discovery.client_authentication(&settings.credentials)?;
        let url = authorization_url(&discovery, settings, secrets, redirect_uri)?;
        Ok(Start { url, issuer: discovery.issuer.clone() })
    }
}

fn authorization_url(
    discovery: &Discovery,
    settings: &Settings,
    secrets: &Secrets,
    redirect_uri: &str,
) -> Result<String, Refusal> {
    let malformed = |_| Refusal::new(Reason::DiscoveryMalformed).expected("authorization_endpoint");
    let mut url = Url::parse(&discovery.authorization_endpoint).map_err(malformed)?;
    url.set_fragment(None);
    let challenge = secrets.challenge();
    let scope = scope(settings);
    let acr_values = settings.accepted_acr().join(" ");
    // Google shows accounts of the domain alone; what counts is what it says in the end.
    let hosted_domain = match settings.particulars.hosted_domains.as_slice() {
        [] => "",
        [domain] => domain,
        _ => "*",
    };
    let parameters = [
        ("response_type", "code"),
        ("client_id", &settings.client_id),
        ("redirect_uri", redirect_uri),
        ("scope", &scope),
        ("state", &secrets.state),
        ("nonce", &secrets.nonce),
        ("code_challenge", &challenge),
        ("code_challenge_method", "S256"),
        ("acr_values", &acr_values),
        ("hd", hosted_domain),
    ];
    url.query_pairs_mut().extend_pairs(parameters.into_iter().filter(|(_, value)| !value.is_empty()));
    Ok(url.into())
}

/// The scopes that a sign-in asks for.
pub(super) fn scope(settings: &Settings) -> String {
    let mut scopes = match settings.particulars.dialect {
        Dialect::OpenId => SCOPES.to_vec(),
        Dialect::GitHub => Vec::new(),
    };
    let groups = settings.add_groups_scope.then_some("groups");
    let extra = settings.extra_scopes.iter().flat_map(|scope| scope.split_whitespace());
    for scope in groups.into_iter().chain(extra) {
        if !scopes.contains(&scope) {
            scopes.push(scope);
        }
    }
    scopes.join(" ")
}
