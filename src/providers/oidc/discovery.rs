//! Description of a provider by itself (OpenID Connect Discovery 1.0).

use flagstone_domain::settings::is_safe_address;
use flagstone_outbound::{DOCUMENT_LIMIT, Outbound, Request};
use serde_json::{Map, Value};
use url::Url;

use super::{
    Credentials, Settings,
    cache::Fetched,
    client_key::ALGORITHM,
    fetch,
    refusal::{Reason, Refusal},
};

/// Path of the document below its issuer.
const WELL_KNOWN: &str = "/.well-known/openid-configuration";
/// The longest address that is taken, in characters.
const LONGEST_ADDRESS: usize = 2000;

/// Client authentication at the token endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClientAuthentication {
    /// `client_secret_basic`: in a header. What a provider takes that says nothing.
    Basic,
    /// `client_secret_post`: in the body.
    Post,
    /// `private_key_jwt`: a statement that a key of ours signed.
    PrivateKey,
    /// `none`: our name alone.
    None,
}

/// Description of a provider by itself, as far as it matters here. Every address in it is of https, or of this very
/// machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Discovery {
    /// Its name, which its tokens hold byte for byte.
    pub issuer: String,
    /// Endpoint to sign in.
    pub authorization_endpoint: String,
    /// Endpoint that exchanges codes.
    pub token_endpoint: String,
    /// Address of its keys.
    pub jwks_uri: String,
    /// Endpoint with claims about users.
    pub userinfo_endpoint: Option<String>,
    /// Endpoint to sign out.
    pub end_session_endpoint: Option<String>,
    /// The methods by which it says that clients authenticate; empty if it does not say.
    pub authentication_methods: Vec<String>,
    /// The algorithms that it says it takes of clients who sign; empty if it does not say.
    pub authentication_algorithms: Vec<String>,
    /// The methods that it says it knows of PKCE; empty if it does not say.
    pub challenge_methods: Vec<String>,
    /// Whether it names itself in the answers that people bring back (RFC 9207).
    pub names_itself: bool,
    /// The algorithms by which it says that it signs ID tokens; empty if it does not say.
    pub signing_algorithms: Vec<String>,
}

/// The address of the document that the setting `discoverUrl` means: itself, or below the issuer that it is, with or
/// without a slash at the end.
pub(super) fn document_address(settings: &Settings) -> Result<String, Refusal> {
    let given = settings.discover_url.as_deref().map(str::trim).filter(|given| !given.is_empty());
    let given = given.ok_or_else(|| Refusal::new(Reason::DiscoverUrlMissing))?;
    if !is_safe_address(given) {
        return Err(Refusal::new(Reason::EndpointUnsafe).expected("https").found("discoverUrl"));
    }
    Ok(below_issuer(given))
}

fn below_issuer(address: &str) -> String {
    let bare = address.strip_suffix('/').unwrap_or(address);
    let is_document = Url::parse(bare).is_ok_and(|url| url.path().ends_with(WELL_KNOWN));
    if is_document { bare.to_owned() } else { format!("{bare}{WELL_KNOWN}") }
}

/// Gets the document and reads it.
pub(super) async fn fetch(outbound: &Outbound, address: &str) -> Result<Fetched<Discovery>, Refusal> {
    let request = Request::get(address, DOCUMENT_LIMIT);
    let fetched = fetch::document(outbound, request, "the discovery document", Reason::DiscoveryMalformed).await?;
    let value = read(address, &fetched.value)?;
    Ok(Fetched { value, cache_control: fetched.cache_control })
}

fn read(address: &str, document: &Map<String, Value>) -> Result<Discovery, Refusal> {
    let issuer = required(document, "issuer")?.to_owned();
    // Otherwise a document could speak for an issuer whom nobody asked.
    let own_address = Url::parse(&below_issuer(&issuer)).ok().filter(|own| own.query().is_none());
    if own_address.is_none() || own_address != Url::parse(address).ok() || issuer.contains(['?', '#']) {
        return Err(Refusal::new(Reason::DiscoveryIssuer).expected(address).found(below_issuer(&issuer)));
    }
    Ok(Discovery {
        authorization_endpoint: endpoint(document, "authorization_endpoint")?,
        token_endpoint: endpoint(document, "token_endpoint")?,
        jwks_uri: endpoint(document, "jwks_uri")?,
        userinfo_endpoint: optional_endpoint(document, "userinfo_endpoint")?,
        end_session_endpoint: optional_endpoint(document, "end_session_endpoint")?,
        authentication_methods: listed(document, "token_endpoint_auth_methods_supported"),
        authentication_algorithms: listed(document, "token_endpoint_auth_signing_alg_values_supported"),
        challenge_methods: listed(document, "code_challenge_methods_supported"),
        names_itself: document.get("authorization_response_iss_parameter_supported") == Some(&Value::Bool(true)),
        signing_algorithms: listed(document, "id_token_signing_alg_values_supported"),
        issuer,
    })
}

impl Discovery {
    /// The method by which a client with these credentials authenticates here, as far as the provider takes any.
    pub fn client_authentication(&self, credentials: &Credentials) -> Result<ClientAuthentication, Refusal> {
        let methods = &self.authentication_methods;
        let offers = |method: &str| methods.is_empty() || methods.iter().any(|offered| offered == method);
        let refused = |expected: &str, found: &[String]| {
            Err(Refusal::new(Reason::ClientAuthentication).expected(expected).found(found.join(", ")))
        };
        match credentials {
            Credentials::Secret(_) if offers("client_secret_basic") => Ok(ClientAuthentication::Basic),
            Credentials::Secret(_) if offers("client_secret_post") => Ok(ClientAuthentication::Post),
            Credentials::Secret(_) => refused("client_secret_basic or client_secret_post", methods),
            Credentials::PrivateKey { key: None, .. } => Err(Refusal::new(Reason::ClientKeyMissing)),
            Credentials::PrivateKey { .. } if !offers("private_key_jwt") => refused("private_key_jwt", methods),
            Credentials::PrivateKey { .. } => {
                let algorithms = &self.authentication_algorithms;
                if algorithms.is_empty() || algorithms.iter().any(|one| one == ALGORITHM) {
                    Ok(ClientAuthentication::PrivateKey)
                } else {
                    refused(ALGORITHM, algorithms)
                }
            }
            // Hardly any provider lists `none`. Without a secret, a stolen code is of use unless PKCE stands before it.
            Credentials::None => {
                let challenges = &self.challenge_methods;
                if challenges.is_empty() || challenges.iter().any(|one| one == "S256") {
                    Ok(ClientAuthentication::None)
                } else {
                    refused("S256", challenges)
                }
            }
        }
    }
}

fn required<'a>(document: &'a Map<String, Value>, name: &'static str) -> Result<&'a str, Refusal> {
    let text = document.get(name).and_then(Value::as_str);
    text.filter(|text| !text.is_empty() && text.len() <= LONGEST_ADDRESS)
        .ok_or_else(|| Refusal::new(Reason::DiscoveryMalformed).expected(name))
}

fn endpoint(document: &Map<String, Value>, name: &'static str) -> Result<String, Refusal> {
    let address = required(document, name)?;
    if !is_safe_address(address) {
        return Err(Refusal::new(Reason::EndpointUnsafe).expected("https").found(name));
    }
    Ok(address.to_owned())
}

fn optional_endpoint(document: &Map<String, Value>, name: &'static str) -> Result<Option<String>, Refusal> {
    match document.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(_) => endpoint(document, name).map(Some),
    }
}

/// The texts of a list, none if it is absent.
fn listed(document: &Map<String, Value>, name: &'static str) -> Vec<String> {
    let list = document.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    list.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests;
