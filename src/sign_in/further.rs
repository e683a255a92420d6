//! Further login providers, in the form of settings in force.

use flagstone_domain::{
    preference::Preference as _,
    secret,
    settings::{OidcOn, SamlOn},
    sign_in::{Provider, ProviderKey},
    sign_in_policy::SignInPolicy,
    sign_in_provider::SignInProvider,
};
use flagstone_error::Error;
use flagstone_providers::oidc::Particulars;
use flagstone_state::State;
use flagstone_store as store;
use flagstone_wire::True;

use crate::{
    in_force::InForce,
    rules::{NewcomerRules, Rules},
};

/// End of the path of the metadata of this server for a SAML provider.
pub const METADATA: &str = "/metadata";

/// Settings in force of a provider, by its protocol.
#[derive(Debug)]
pub enum InForceOf {
    /// Of OpenID Connect, or of the OAuth 2.0 of GitHub.
    Oidc(InForce<OidcOn>),
    /// Of SAML.
    Saml(InForce<SamlOn>),
}

impl InForceOf {
    /// Returns the settings, if they are of OpenID Connect.
    pub fn oidc(self) -> Option<InForce<OidcOn>> {
        if let Self::Oidc(in_force) = self { Some(in_force) } else { None }
    }

    /// Returns the settings, if they are of SAML.
    pub fn saml(self) -> Option<InForce<SamlOn>> {
        if let Self::Saml(in_force) = self { Some(in_force) } else { None }
    }
}

/// Returns the settings in force of the provider with this id, or `None` while it is off or gone.
pub async fn find(state: &State, id: &str) -> Result<Option<InForceOf>, Error> {
    let provider = store::sign_in::providers::find(&state.db, &state.vault, id).await?;
    let Some(provider) = provider.filter(|provider| provider.content.enabled) else { return Ok(None) };
    in_force(state, &provider, &policy(state).await?).map(Some)
}

/// Returns a provider that is tried out in the form of settings in force. Whom it admits is told by its [`proof`].
pub async fn tried(state: &State, provider: &SignInProvider) -> Result<InForceOf, Error> {
    let proof = proof(provider)?;
    let mut tried = in_force(state, provider, &policy(state).await?)?;
    match &mut tried {
        InForceOf::Oidc(in_force) => in_force.rules.digest = proof,
        InForceOf::Saml(in_force) => in_force.rules.digest = proof,
    }
    Ok(tried)
}

async fn policy(state: &State) -> Result<SignInPolicy, Error> {
    Ok(store::preferences::find(&state.db, SignInPolicy::ID).await?.unwrap_or_default())
}

/// Returns the settings in force of the provider with this id: 404 while it is off or gone.
pub async fn required(state: &State, id: &str) -> Result<InForceOf, Error> {
    let missing = || Error::NotFound(format!("Nobody can sign in through a provider with the id \"{id}\"."));
    find(state, id).await?.ok_or_else(missing)
}

/// Digest of what decides about signing in by an identity that is known.
pub fn digest(provider: &SignInProvider) -> Result<String, Error> {
    let connection = serde_json::to_string(&provider.content.connection).map_err(Error::internal)?;
    let required = serde_json::to_string(provider.content.rules.required_groups()).map_err(Error::internal)?;
    Ok(secret::digest(&format!("{}\n{connection}\n{required}", provider.key())))
}

/// Digest of all that a trial is about: how a provider is reached, and whom it admits.
pub fn proof(provider: &SignInProvider) -> Result<String, Error> {
    let connection = serde_json::to_string(&provider.content.connection).map_err(Error::internal)?;
    let rules = serde_json::to_string(&provider.content.rules).map_err(Error::internal)?;
    Ok(secret::digest(&format!("{}\n{connection}\n{rules}", provider.key())))
}

/// Entity id of this server for a SAML provider.
pub fn entity_id(state: &State, provider: &SignInProvider) -> String {
    let given = provider.content.connection.sp_entity_id.clone();
    given.unwrap_or_else(|| provider.key().address(&state.config.base_url, METADATA))
}

/// A provider in the form of settings in force. Of the policy, the clock skew holds for it.
fn in_force(state: &State, provider: &SignInProvider, policy: &SignInPolicy) -> Result<InForceOf, Error> {
    let connection = &provider.content.connection;
    let admission = &provider.content.rules;
    let preset = provider.preset();
    let digest = digest(provider)?;
    let rules = Rules {
        newcomers: NewcomerRules::of_provider(admission),
        digest: digest.clone(),
        required_groups: admission.required_groups().to_vec(),
        syncs_groups: admission.syncs_groups(),
    };
    let enable_group_syncing = Some(admission.wants_groups());
    let group_json_path = provider.groups_path().map(str::to_owned);
    let key = provider.key();
    Ok(match preset.protocol {
        Provider::Oidc => InForceOf::Oidc(InForce {
            provider: key,
            settings: OidcOn {
                enabled: True,
                client_id: connection.client_id.clone().unwrap_or_default(),
                secret: connection.secret.clone().unwrap_or_default(),
                discover_url: provider.issuer().map(Into::into),
                auto_create: None,
                enable_single_sign_out: connection.enable_single_sign_out,
                default_root_role: None,
                default_root_role_id: None,
                email_domains: None,
                acr_values: connection.acr_values.clone(),
                id_token_signing_algorithm: None,
                enable_group_syncing,
                group_json_path,
                add_groups_scope: None,
            },
            digest,
            policy: SignInPolicy {
                oidc_extra_scopes: scopes(provider),
                oidc_signing_algorithm: connection.id_token_signing_algorithm,
                oidc_email_claim: connection.email_claim.clone(),
                oidc_name_claim: connection.name_claim.clone(),
                require_verified_email: connection.require_verified_email != Some(false),
                clock_skew_seconds: policy.clock_skew_seconds,
                ..SignInPolicy::default()
            },
            rules,
            particulars: Particulars {
                dialect: preset.dialect,
                hosted_domains: connection.hosted_domains.clone().unwrap_or_default(),
                groups_url: preset.groups_url(connection),
                email_proof: preset.email_proof,
            },
        }),
        Provider::Saml => InForceOf::Saml(InForce {
            provider: key,
            settings: SamlOn {
                enabled: True,
                entity_id: connection.entity_id.clone().unwrap_or_default(),
                sign_on_url: connection.sign_on_url.clone().unwrap_or_else(|| String::new().into()),
                certificate: connection.certificate.clone().unwrap_or_default(),
                sign_out_url: connection.sign_out_url.clone(),
                sp_certificate: connection.sp_certificate.clone(),
                auto_create: None,
                email_domains: None,
                default_root_role: None,
                default_root_role_id: None,
                enable_group_syncing,
                group_json_path,
            },
            digest,
            policy: SignInPolicy {
                saml_entity_id: Some(entity_id(state, provider)),
                saml_idp_initiated: connection.idp_initiated == Some(true),
                saml_sign_requests: connection.sign_requests == Some(true),
                saml_email_attribute: connection.email_claim.clone(),
                saml_name_attribute: connection.name_claim.clone(),
                clock_skew_seconds: policy.clock_skew_seconds,
                ..SignInPolicy::default()
            },
            rules,
            particulars: Particulars::default(),
        }),
    })
}

/// Scopes that the kind needs, and those of the settings.
fn scopes(provider: &SignInProvider) -> Vec<String> {
    let preset = provider.preset();
    let for_groups = if provider.content.rules.wants_groups() { preset.group_scopes } else { &[] };
    let of_settings = provider.content.connection.scopes.iter().flatten().cloned();
    preset.scopes.iter().chain(for_groups).map(|scope| (*scope).to_owned()).chain(of_settings).collect()
}

/// Keys of all providers, each with its digest, on or off.
pub fn digests(providers: &[SignInProvider]) -> Result<Vec<(ProviderKey, String)>, Error> {
    providers.iter().map(|provider| Ok((provider.key(), digest(provider)?))).collect()
}
