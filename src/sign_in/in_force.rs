//! The settings that people sign in by at this node: those of the environment, or else those that are stored, and those
//! of further providers.

use flagstone_config::providers::FromEnvironment;
use flagstone_domain::{
    actor::Actor,
    client_authentication::ClientAuthentication,
    event::NewEvent,
    event_kind::EventKind,
    preference::Preference as _,
    secret,
    settings::{OidcOn, OidcSettings, ProviderSettings, SamlOn, SamlSettings, setting_changed},
    sign_in::{OpenProviders, PasswordSignIn, Provider, ProviderKey},
    sign_in_policy::SignInPolicy,
    token_algorithm::TokenAlgorithm,
};
use flagstone_error::Error;
use flagstone_providers::{
    oidc::{self, Credentials, Particulars},
    saml::certificate::{Certificate, Certificates},
};
use flagstone_state::State;
use flagstone_store::{self as store, StoreError};
use serde_json::Value;

use crate::{
    client_keys, further,
    rules::{NewcomerRules, Rules},
};

/// Settings of a provider, with what holds for signing in by them.
#[derive(Debug, Clone)]
pub struct InForce<On> {
    /// Key of the provider.
    pub provider: ProviderKey,
    /// The settings, which are on.
    pub settings: On,
    /// Digest that distinguishes these settings from others. A sign-in that began under others is not finished under
    /// these.
    pub digest: String,
    /// Policy that holds for the provider.
    pub policy: SignInPolicy,
    /// Rules of admission.
    pub rules: Rules,
    /// Particulars of the provider that others of OpenID Connect do not share.
    pub particulars: Particulars,
}

impl<On: NewcomerPolicy> InForce<On> {
    /// Settings as if they were in force; nothing while they are off.
    pub async fn of<T: NodeSettings<On = On>>(state: &State, settings: &T) -> Result<Option<Self>, Error> {
        let Some(on) = settings.on() else { return Ok(None) };
        let policy: SignInPolicy = store::preferences::find(&state.db, SignInPolicy::ID).await?.unwrap_or_default();
        let digest = digest(settings, &policy)?;
        Ok(Some(Self {
            provider: ProviderKey::of_settings(T::PROVIDER),
            rules: Rules::of_settings(on.newcomer_rules().under(&policy), digest.clone()),
            settings: on,
            digest,
            policy,
            particulars: Particulars::default(),
        }))
    }
}

impl<On> InForce<On> {
    /// An address of the provider here, by the end of its path.
    pub fn address(&self, state: &State, end: &str) -> String {
        self.provider.address(&state.config.base_url, end)
    }
}

/// The settings that a node uses of a kind of provider.
pub trait NodeSettings: ProviderSettings + Clone {
    /// The side of them by which people sign in.
    type On: NewcomerPolicy;

    /// Settings of the environment, which win.
    fn of(environment: &FromEnvironment) -> Option<&Self>;

    /// The side by which people sign in, if it is the one.
    fn on(&self) -> Option<Self::On>;

    /// SHA-256 of each certificate that may sign for the provider, by which events identify them.
    fn fingerprints(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Settings about identities that are not known yet, the same fields in both kinds.
pub trait NewcomerPolicy {
    /// Rules for identities that are not known yet.
    fn newcomer_rules(&self) -> NewcomerRules;
}

impl NodeSettings for OidcSettings {
    type On = OidcOn;

    fn of(environment: &FromEnvironment) -> Option<&Self> {
        environment.oidc.as_ref()
    }

    fn on(&self) -> Option<OidcOn> {
        if let Self::On(on) = self { Some(on.clone()) } else { None }
    }
}

impl NodeSettings for SamlSettings {
    type On = SamlOn;

    fn of(environment: &FromEnvironment) -> Option<&Self> {
        environment.saml.as_ref()
    }

    fn on(&self) -> Option<SamlOn> {
        if let Self::On(on) = self { Some(on.clone()) } else { None }
    }

    fn fingerprints(&self) -> Vec<String> {
        let text = match self {
            Self::On(on) => Some(on.certificate.as_str()),
            Self::Off(off) => off.certificate.as_deref(),
        };
        let certificates = text.and_then(|text| Certificates::read(text).ok());
        certificates.map(|all| all.iter().map(Certificate::fingerprint).collect()).unwrap_or_default()
    }
}

impl NewcomerPolicy for OidcOn {
    fn newcomer_rules(&self) -> NewcomerRules {
        let email_domains = self.email_domains.as_deref();
        NewcomerRules::new(self.auto_create, email_domains, self.default_root_role_id, self.default_root_role)
    }
}

impl NewcomerPolicy for SamlOn {
    fn newcomer_rules(&self) -> NewcomerRules {
        let email_domains = self.email_domains.as_deref();
        NewcomerRules::new(self.auto_create, email_domains, self.default_root_role_id, self.default_root_role)
    }
}

/// The settings of a kind of provider, on or off.
pub async fn settings<T: NodeSettings>(state: &State) -> Result<T, StoreError> {
    match T::of(&state.config.providers) {
        Some(settings) => Ok(settings.clone()),
        None => store::settings::get(&state.db, &state.vault).await,
    }
}

/// Returns the settings in force of a provider of OpenID Connect: 404 while it is off or gone.
pub async fn required_oidc(state: &State, provider: &ProviderKey) -> Result<InForce<OidcOn>, Error> {
    find_oidc(state, provider).await?.ok_or_else(|| missing(provider))
}

/// Returns the settings in force of a provider of SAML: 404 while it is off or gone.
pub async fn required_saml(state: &State, provider: &ProviderKey) -> Result<InForce<SamlOn>, Error> {
    find_saml(state, provider).await?.ok_or_else(|| missing(provider))
}

/// Error of a provider that is off or gone.
pub fn missing(provider: &ProviderKey) -> Error {
    let protocol = provider.protocol.protocol();
    Error::NotFound(match &provider.id {
        None => format!("Nobody can sign in through {protocol}: it is not set up here."),
        Some(id) => format!("Nobody can sign in through a provider of {protocol} with the id \"{id}\"."),
    })
}

/// Returns the settings in force, or `None` while they are off.
pub async fn find<T: NodeSettings>(state: &State) -> Result<Option<InForce<T::On>>, Error> {
    InForce::of(state, &settings::<T>(state).await?).await
}

/// Returns the settings in force of a provider of OpenID Connect, or `None` while it is off or gone.
pub async fn find_oidc(state: &State, provider: &ProviderKey) -> Result<Option<InForce<OidcOn>>, Error> {
    match &provider.id {
        None => find::<OidcSettings>(state).await,
        Some(id) => Ok(further::find(state, id).await?.and_then(further::InForceOf::oidc)),
    }
}

/// Returns the settings in force of a provider of SAML, or `None` while it is off or gone.
pub async fn find_saml(state: &State, provider: &ProviderKey) -> Result<Option<InForce<SamlOn>>, Error> {
    match &provider.id {
        None => find::<SamlSettings>(state).await,
        Some(id) => Ok(further::find(state, id).await?.and_then(further::InForceOf::saml)),
    }
}

/// Returns the digest of the settings in force of a provider, or `None` while it is off or gone.
pub async fn find_digest(state: &State, provider: &ProviderKey) -> Result<Option<String>, Error> {
    Ok(match provider.protocol {
        Provider::Oidc => find_oidc(state, provider).await?.map(|in_force| in_force.digest),
        Provider::Saml => find_saml(state, provider).await?.map(|in_force| in_force.digest),
    })
}

/// Digest of settings with the part of the policy that concerns them.
pub fn digest<S: ProviderSettings>(settings: &S, policy: &SignInPolicy) -> Result<String, Error> {
    let settings = serde_json::to_string(settings).map_err(Error::internal)?;
    Ok(secret::digest(&format!("{settings}\n{}", policy.about(S::PROVIDER))))
}

/// Event of changed settings: no value of them, but the certificates that counted and those that do now.
pub fn changed<T: NodeSettings>(kind: EventKind, before: Option<&T>, after: &T, actor: &Actor) -> NewEvent {
    let mut event = setting_changed(kind, T::ID, actor);
    let told = |data: &mut Option<Value>, fingerprints: Vec<String>| {
        if let (Some(Value::Object(data)), false) = (data, fingerprints.is_empty()) {
            data.insert("certificateFingerprints".to_owned(), fingerprints.into());
        }
    };
    told(&mut event.pre_data, before.map(T::fingerprints).unwrap_or_default());
    told(&mut event.data, after.fingerprints());
    event
}

/// Through which login providers people can sign in at this node, and whether they may with a password; from memory.
pub async fn ways(state: &State) -> Result<(OpenProviders, PasswordSignIn), StoreError> {
    let (stored, passwords) = state.sdk.sign_in().await?;
    Ok((OpenProviders { of_settings: state.config.providers.enabled(stored.of_settings), ..stored }, passwords))
}

/// Returns the path of the groups in what a provider states; `None` while its settings do not ask for them.
pub(super) fn groups_path(path: Option<&str>, is_synced: Option<bool>) -> Option<&str> {
    path.filter(|_| is_synced == Some(true))
}

impl InForce<OidcOn> {
    /// Settings in the protocol's own form.
    pub async fn protocol(&self, state: &State) -> Result<oidc::Settings, Error> {
        let on = &self.settings;
        let of_settings = on.id_token_signing_algorithm.map(TokenAlgorithm::from);
        let credentials = match self.policy.client_authentication() {
            ClientAuthentication::ClientSecret => Credentials::Secret(on.secret.clone()),
            ClientAuthentication::PrivateKeyJwt => Credentials::PrivateKey {
                key: client_keys::find(state, self.policy.oidc_client_key.as_deref()).await?,
                audience: self.policy.assertion_audience(),
            },
            ClientAuthentication::None => Credentials::None,
        };
        Ok(oidc::Settings {
            discover_url: on.discover_url.as_ref().map(|address| address.as_str().to_owned()),
            client_id: on.client_id.clone(),
            credentials,
            algorithm: self.policy.oidc_signing_algorithm.or(of_settings).unwrap_or(TokenAlgorithm::Rs256),
            acr_values: on.acr_values.clone(),
            add_groups_scope: on.add_groups_scope == Some(true),
            extra_scopes: self.policy.oidc_extra_scopes.clone(),
            groups_path: groups_path(on.group_json_path.as_deref(), on.enable_group_syncing).map(str::to_owned),
            email_claim: self.policy.oidc_email_claim.clone(),
            name_claim: self.policy.oidc_name_claim.clone(),
            require_verified_email: self.policy.require_verified_email,
            skew_seconds: self.policy.clock_skew_seconds,
            particulars: self.particulars.clone(),
        })
    }
}
