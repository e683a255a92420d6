//! Ways to sign in, as they are shown before signing in.

use std::{fmt, sync::Arc};

use poem_openapi::{Enum, Object};
use serde::{Deserialize, Serialize};

use crate::{preference::Preference, sign_in_provider::Icon};

/// Path that a name and a password are sent to.
const PASSWORD_PATH: &str = "/auth/simple/login";

/// A protocol that login providers speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Enum, Serialize, Deserialize)]
#[oai(rename = "LoginProvider", rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum Provider {
    /// OpenID Connect.
    Oidc,
    /// SAML 2.0.
    Saml,
}

impl Provider {
    /// All of them, in the order in which people are offered them.
    pub const ALL: [Self; 2] = [Self::Oidc, Self::Saml];

    /// The name on the wire and in the store.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Oidc => "oidc",
            Self::Saml => "saml",
        }
    }

    /// Reads a name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|provider| provider.as_str() == name)
    }

    /// Label of the button that signs in through it.
    const fn message(self) -> &'static str {
        match self {
            Self::Oidc => "Sign in with OpenID Connect",
            Self::Saml => "Sign in with SAML 2.0",
        }
    }

    /// The protocol, as sentences name it.
    pub const fn protocol(self) -> &'static str {
        match self {
            Self::Oidc => "OpenID Connect",
            Self::Saml => "SAML",
        }
    }
}

/// Key of a login provider: a protocol, for the provider of its settings, and an id, for a further one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ProviderKey {
    /// The protocol.
    pub protocol: Provider,
    /// Id of the provider; `None` for the provider of the settings.
    pub id: Option<String>,
}

impl ProviderKey {
    /// Provider of the settings of OpenID Connect.
    pub const OIDC: Self = Self::of_settings(Provider::Oidc);
    /// Provider of the settings of SAML.
    pub const SAML: Self = Self::of_settings(Provider::Saml);

    /// Key of the provider of a protocol's settings.
    pub const fn of_settings(protocol: Provider) -> Self {
        Self { protocol, id: None }
    }

    /// Reads a key, as it is displayed. `None` for a protocol that this version does not know.
    pub fn parse(text: &str) -> Option<Self> {
        match text.split_once(':') {
            Some((protocol, id)) => Some(Self { protocol: Provider::parse(protocol)?, id: Some(id.to_owned()) }),
            None => Provider::parse(text).map(Self::of_settings),
        }
    }

    /// Path below which people sign in through it, below the public address.
    fn path(&self) -> String {
        match &self.id {
            Some(id) => format!("/auth/providers/{id}"),
            None => format!("/auth/{}", self.protocol.as_str()),
        }
    }

    /// Returns the address of the provider here, by the end of its path.
    pub fn address(&self, base_url: &str, end: &str) -> String {
        format!("{base_url}{}{end}", self.path())
    }
}

impl fmt::Display for ProviderKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.protocol.as_str())?;
        self.id.as_ref().map_or(Ok(()), |id| write!(f, ":{id}"))
    }
}

impl From<ProviderKey> for String {
    fn from(key: ProviderKey) -> Self {
        key.to_string()
    }
}

impl TryFrom<String> for ProviderKey {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text).ok_or("no key of a login provider")
    }
}

/// Login providers of the settings through which users can sign in. Kept next to their settings, which are encrypted, so
/// that it can be read without the key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct EnabledProviders {
    /// Whether through OpenID Connect.
    #[serde(default)]
    pub oidc: bool,
    /// Whether through SAML 2.0.
    #[serde(default)]
    pub saml: bool,
}

impl Preference for EnabledProviders {
    const ID: &'static str = "flagstone.login-providers";
}

impl EnabledProviders {
    /// Whether people can sign in through this one.
    pub const fn has(self, provider: Provider) -> bool {
        match provider {
            Provider::Oidc => self.oidc,
            Provider::Saml => self.saml,
        }
    }

    /// Returns a copy in which one provider is enabled or not.
    #[must_use]
    pub const fn with(self, provider: Provider, enabled: bool) -> Self {
        match provider {
            Provider::Oidc => Self { oidc: enabled, ..self },
            Provider::Saml => Self { saml: enabled, ..self },
        }
    }
}

/// Button of a further login provider, in addition to those of the settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderButton {
    /// Key of the provider.
    pub key: ProviderKey,
    /// Text of the button.
    pub label: String,
    /// Icon of the button.
    pub icon: Icon,
}

/// All login providers through which users can sign in.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OpenProviders {
    /// Login providers of the settings.
    pub of_settings: EnabledProviders,
    /// Further ones, in the order of their buttons.
    pub further: Arc<Vec<ProviderButton>>,
}

impl OpenProviders {
    /// Whether people can sign in through this one.
    pub fn has(&self, key: &ProviderKey) -> bool {
        match key.id {
            None => self.of_settings.has(key.protocol),
            Some(_) => self.further.iter().any(|button| button.key == *key),
        }
    }

    /// Whether people can sign in through any.
    pub fn any(&self) -> bool {
        self.of_settings.oidc || self.of_settings.saml || !self.further.is_empty()
    }
}

/// Whether sign-in with a password is switched off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, Object)]
#[oai(rename = "PasswordSettings")]
pub struct PasswordSignIn {
    /// Whether password sign-in is disabled. Has an effect only while a login provider is enabled.
    pub disabled: bool,
}

impl Preference for PasswordSignIn {
    const ID: &'static str = "unleash.auth.simple";
}

impl PasswordSignIn {
    /// Whether signing in with a password is off: without a login provider it is always on, or there would be no way to
    /// sign in at all.
    pub fn is_off(self, providers: &OpenProviders) -> bool {
        self.disabled && providers.any()
    }
}

/// Ways to sign in, for a sign-in page: one form for name and password, and a button for each login provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "SignInWays", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct SignInWays {
    /// Fields of the form.
    pub r#type: SignInForm,
    /// Path to which the form is sent, below the public URL of the server.
    pub path: String,
    /// Whether to hide the form, because password sign-in is disabled.
    pub default_hidden: bool,
    /// The login providers that people can sign in through, in the order of their buttons.
    pub options: Vec<SignInOption>,
    /// Whether people can sign in with a passkey (`beginPasskeyProof`, `signInWithPasskey`): the public URL of the server
    /// allows it, and password sign-in is not disabled.
    pub passkeys: bool,
}

/// Fields of the sign-in form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize)]
#[oai(rename = "SignInForm", rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum SignInForm {
    /// A name and a password.
    Password,
}

/// A login provider that people can sign in through.
#[serde_with_macros::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "SignInOption", skip_serializing_if_is_none)]
pub struct SignInOption {
    /// Protocol of the provider. `oidc` stands for the OAuth 2.0 of GitHub, too.
    pub r#type: Provider,
    /// Text of the button.
    pub message: String,
    /// Path to send the browser to, on the host of the public URL.
    pub path: String,
    /// Id of the provider. Absent for the providers of the two settings.
    pub id: Option<String>,
    /// Icon of the button. Absent for the providers of the two settings.
    pub icon: Option<Icon>,
}

impl SignInWays {
    /// `base_path` is the path of the public address, without a last slash; `has_passkeys` whether that allows passkeys.
    pub fn of(providers: &OpenProviders, passwords: PasswordSignIn, base_path: &str, has_passkeys: bool) -> Self {
        let path = |key: &ProviderKey| format!("{base_path}{}/login", key.path());
        let of_settings = Provider::ALL.into_iter().filter(|protocol| providers.of_settings.has(*protocol));
        let of_settings = of_settings.map(|protocol| SignInOption {
            r#type: protocol,
            message: protocol.message().to_owned(),
            path: path(&ProviderKey::of_settings(protocol)),
            id: None,
            icon: None,
        });
        let further = providers.further.iter().map(|button| SignInOption {
            r#type: button.key.protocol,
            message: button.label.clone(),
            path: path(&button.key),
            id: button.key.id.clone(),
            icon: Some(button.icon),
        });
        Self {
            r#type: SignInForm::Password,
            path: PASSWORD_PATH.to_owned(),
            default_hidden: passwords.is_off(providers),
            options: of_settings.chain(further).collect(),
            passkeys: has_passkeys && !passwords.is_off(providers),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_provider_that_is_on_has_a_button_and_passwords_are_hidden_only_beside_one() {
        let none = EnabledProviders::default();
        let oidc = none.with(Provider::Oidc, true);
        let both = oidc.with(Provider::Saml, true);
        for (enabled, disabled, hidden, types) in [
            (none, false, false, json!([])),
            (none, true, false, json!([])),
            (oidc, true, true, json!(["oidc"])),
            (both, false, false, json!(["oidc", "saml"])),
            (both.with(Provider::Oidc, false), true, true, json!(["saml"])),
        ] {
            let providers = OpenProviders { of_settings: enabled, ..OpenProviders::default() };
            let of = |has_passkeys| SignInWays::of(&providers, PasswordSignIn { disabled }, "/team", has_passkeys);
            let ways = serde_json::to_value(of(true)).expect("JSON");
            assert_eq!((of(true).passkeys, of(false).passkeys), (!hidden, false), "{enabled:?}");
            assert_eq!((&ways["type"], &ways["path"]), (&json!("password"), &json!("/auth/simple/login")));
            assert_eq!(ways["defaultHidden"], hidden, "{enabled:?}");
            let options = ways["options"].as_array().expect("a list");
            let shown: Vec<_> = options.iter().map(|option| option["type"].clone()).collect();
            assert_eq!(json!(shown), types);
            for option in options {
                let path = format!("/team/auth/{}/login", option["type"].as_str().expect("a text"));
                assert_eq!(option["path"], json!(path));
            }
        }
    }

    #[test]
    fn further_providers_follow_those_of_the_settings_with_their_own_words() {
        let key = ProviderKey::parse("saml:corp").expect("a key");
        let corp = ProviderButton { key, label: "Contractors".to_owned(), icon: Icon::Building };
        let providers =
            OpenProviders { of_settings: EnabledProviders { oidc: true, saml: false }, further: Arc::new(vec![corp]) };
        let ways = SignInWays::of(&providers, PasswordSignIn { disabled: true }, "", false);
        let options = serde_json::to_value(ways.options).expect("JSON");
        assert_eq!(
            options,
            json!([
                { "type": "oidc", "message": "Sign in with OpenID Connect", "path": "/auth/oidc/login" },
                {
                    "type": "saml", "message": "Contractors", "path": "/auth/providers/corp/login", "id": "corp",
                    "icon": "building",
                },
            ])
        );
        let alone = OpenProviders { of_settings: EnabledProviders::default(), ..providers };
        assert!(PasswordSignIn { disabled: true }.is_off(&alone));
    }

    #[test]
    fn a_key_is_read_as_it_is_written() {
        for text in ["oidc", "saml", "oidc:google", "saml:oidc"] {
            assert_eq!(ProviderKey::parse(text).map(|key| key.to_string()).as_deref(), Some(text));
        }
        assert_eq!(ProviderKey::parse("oidc"), Some(ProviderKey::OIDC));
        assert_eq!(ProviderKey::parse("ldap:corp"), None);
    }
}
