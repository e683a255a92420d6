//! SAML of this server: its names and addresses, and the settings in the protocol's form.

use flagstone_domain::{settings::SamlOn, sign_in::ProviderKey};
use flagstone_error::Error;
use flagstone_providers::saml::{
    certificate::Certificates, identity::NameId, logout::LogoutExpectations, refusal::Refusal, signing::SigningKey,
    verifier::Expectations,
};
use flagstone_state::State;
use flagstone_store::sign_in::identities::Subject;

use crate::{
    Refused,
    in_force::{InForce, groups_path},
};

/// End of the path of the assertion consumer service.
const ASSERTION_CONSUMER: &str = "/acs";
/// End of the path of the assertion consumer service for the provider of the settings.
const CALLBACK: &str = "/callback";
/// End of the path of the single logout service.
const LOGOUT: &str = "/logout/done";

/// URL of the assertion consumer service for a provider.
pub fn acs_url(state: &State, provider: &ProviderKey) -> String {
    let end = if provider.id.is_some() { ASSERTION_CONSUMER } else { CALLBACK };
    provider.address(&state.config.base_url, end)
}

/// URL of the single logout service for a provider.
pub fn logout_url(state: &State, provider: &ProviderKey) -> String {
    provider.address(&state.config.base_url, LOGOUT)
}

/// Subject of a name at a provider.
pub fn subject(provider: &ProviderKey, issuer: &str, name: &NameId) -> Subject {
    Subject { provider: provider.clone(), issuer: issuer.to_owned(), subject: name.subject() }
}

/// Random bytes for the id of a message.
pub fn random() -> Result<[u8; 28], Error> {
    let mut random = [0; 28];
    getrandom::fill(&mut random).map_err(Error::internal)?;
    Ok(random)
}

/// The key that signs what this server sends, if the settings hold one.
pub fn signing_key(sp_certificate: Option<&str>) -> Option<SigningKey> {
    let key = sp_certificate.map(SigningKey::read)?;
    // It was judged when it was set; settings of an earlier version may hold a certificate there.
    key.inspect_err(|fault| {
        tracing::warn!(
            target: "flagstone::sign_in::saml",
            %fault,
            "spCertificate holds no key; messages go out unsigned"
        );
    })
    .ok()
}

impl InForce<SamlOn> {
    /// The name by which providers know this server.
    pub fn entity_id(&self, state: &State) -> String {
        self.policy.saml_entity_id.clone().unwrap_or_else(|| state.config.base_url.clone())
    }

    /// Path of the groups in what the provider states; `None` while the settings do not ask.
    pub fn groups_path(&self) -> Option<&str> {
        groups_path(self.settings.group_json_path.as_deref(), self.settings.enable_group_syncing)
    }

    /// Requirements on an answer to a sign-in.
    pub fn expectations(&self, state: &State) -> Result<Expectations, Refused> {
        Ok(Expectations {
            entity_id: self.entity_id(state),
            acs_url: acs_url(state, &self.provider),
            provider_entity_id: self.settings.entity_id.clone(),
            certificates: self.certificates()?,
            skew_seconds: self.policy.clock_skew_seconds,
            allow_unsolicited: self.policy.saml_idp_initiated,
            email_attribute: self.policy.saml_email_attribute.clone(),
        })
    }

    /// Requirements on a message about signing out.
    pub fn logout_expectations(&self, state: &State) -> Result<LogoutExpectations, Refused> {
        Ok(LogoutExpectations {
            logout_url: logout_url(state, &self.provider),
            provider_entity_id: self.settings.entity_id.clone(),
            certificates: self.certificates()?,
            skew_seconds: self.policy.clock_skew_seconds,
        })
    }

    fn certificates(&self) -> Result<Certificates, Refused> {
        let read = Certificates::read(&self.settings.certificate);
        read.map_err(|fault| Refused::from(Refusal::from(fault)))
    }
}
