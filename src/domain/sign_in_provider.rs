//! Further login providers, in addition to those of the two settings: what they are, how they are reached, and whom they
//! admit.

mod connection;
mod preset;
mod rules;

use poem_openapi::Enum;
use serde::{Deserialize, Serialize};

pub use self::{
    connection::Connection,
    preset::{Dialect, EmailProof, Fault, Preset},
    rules::{AdmissionRules, RootRoleRule, has_required_group},
};
use crate::{sign_in::ProviderKey, time::Timestamp};

/// Maximum number of further providers of an instance.
pub const MOST: u64 = 50;

/// Kind of a login provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Enum, Serialize, Deserialize)]
#[oai(rename = "SignInProviderKind", rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Any provider of OpenID Connect.
    Oidc,
    /// Any provider of SAML 2.0.
    Saml,
    /// Google.
    Google,
    /// Microsoft Entra.
    Entra,
    /// GitHub, also GitHub Enterprise Server.
    GitHub,
    /// GitLab, also one's own.
    GitLab,
    /// Okta.
    Okta,
    /// Keycloak.
    Keycloak,
}

impl Kind {
    /// Each of them.
    pub const ALL: [Self; 8] =
        [Self::Oidc, Self::Saml, Self::Google, Self::Entra, Self::GitHub, Self::GitLab, Self::Okta, Self::Keycloak];

    /// The name on the wire and in the store.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Oidc => "oidc",
            Self::Saml => "saml",
            Self::Google => "google",
            Self::Entra => "entra",
            Self::GitHub => "github",
            Self::GitLab => "gitlab",
            Self::Okta => "okta",
            Self::Keycloak => "keycloak",
        }
    }

    /// Reads a name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }
}

/// Icon of the button of a login provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Enum, Serialize, Deserialize)]
#[oai(rename = "SignInProviderIcon", rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum Icon {
    /// A key.
    Key,
    /// A shield.
    Shield,
    /// A building.
    Building,
    /// People.
    People,
    /// The mark of Google.
    Google,
    /// The mark of Microsoft.
    Microsoft,
    /// The mark of GitHub.
    GitHub,
    /// The mark of GitLab.
    GitLab,
    /// The mark of Okta.
    Okta,
    /// The mark of Keycloak.
    Keycloak,
}

impl Icon {
    /// Each of them.
    pub const ALL: [Self; 10] = [
        Self::Key,
        Self::Shield,
        Self::Building,
        Self::People,
        Self::Google,
        Self::Microsoft,
        Self::GitHub,
        Self::GitLab,
        Self::Okta,
        Self::Keycloak,
    ];

    /// The name on the wire and in the store.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Key => "key",
            Self::Shield => "shield",
            Self::Building => "building",
            Self::People => "people",
            Self::Google => "google",
            Self::Microsoft => "microsoft",
            Self::GitHub => "github",
            Self::GitLab => "gitlab",
            Self::Okta => "okta",
            Self::Keycloak => "keycloak",
        }
    }

    /// Reads a name. One that this version does not know is a key.
    pub fn parse(name: &str) -> Self {
        Self::ALL.into_iter().find(|icon| icon.as_str() == name).unwrap_or(Self::Key)
    }
}

/// Part of a login provider that administrators set. Printing it shows no secret.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Content {
    /// Text of its button.
    pub label: String,
    /// Icon of its button.
    pub icon: Icon,
    /// Whether people can sign in through it.
    pub enabled: bool,
    /// Settings of its connection, and of the verification of its messages.
    pub connection: Connection,
    /// Rules of admission.
    pub rules: AdmissionRules,
}

/// A further login provider, in addition to those of the settings. Printing it shows no secret.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SignInProvider {
    /// Its id, which is part of its addresses and never changes.
    pub id: String,
    /// Its kind, which never changes.
    pub kind: Kind,
    /// Position of its button, lowest first.
    pub sort_order: i64,
    /// The part that administrators set.
    pub content: Content,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

impl SignInProvider {
    /// Key of the provider.
    pub fn key(&self) -> ProviderKey {
        ProviderKey { protocol: self.preset().protocol, id: Some(self.id.clone()) }
    }

    /// Returns the preset of its kind.
    pub fn preset(&self) -> &'static Preset {
        Preset::of(self.kind)
    }

    /// The issuer, as far as it is known without asking: for SAML the entity id.
    pub fn issuer(&self) -> Option<String> {
        self.preset().issuer(&self.content.connection)
    }

    /// Path of the groups in what it sends; `None` where it sends none.
    pub fn groups_path(&self) -> Option<&str> {
        self.content.connection.groups_path.as_deref().or(self.preset().groups_path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for kind in Kind::ALL {
            assert_eq!(Kind::parse(kind.as_str()), Some(kind));
            assert_eq!(serde_json::to_value(kind).expect("JSON"), kind.as_str());
        }
        for icon in Icon::ALL {
            assert_eq!(Icon::parse(icon.as_str()), icon);
            assert_eq!(serde_json::to_value(icon).expect("JSON"), icon.as_str());
        }
        assert_eq!((Kind::parse("ldap"), Icon::parse("ldap")), (None, Icon::Key));
    }
}
