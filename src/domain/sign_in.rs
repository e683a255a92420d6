//! Ways to sign in, as they are shown before signing in.

use poem_openapi::{Enum, Object};
use serde::{Deserialize, Serialize};

use crate::domain::preference::Preference;

/// Path that a name and a password are sent to.
const PASSWORD_PATH: &str = "/auth/simple/login";

/// A protocol that login providers speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Enum, Serialize, Deserialize)]
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

/// Login providers through which users can sign in. Kept next to their settings, which are encrypted, so that it can be
/// read without the key.
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

    /// Whether people can sign in through any.
    pub const fn any(self) -> bool {
        self.oidc || self.saml
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
    pub const fn is_off(self, enabled: EnabledProviders) -> bool {
        self.disabled && enabled.any()
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
    /// The login providers that people can sign in through.
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "SignInOption")]
pub struct SignInOption {
    /// Protocol of the provider.
    pub r#type: Provider,
    /// Text of the button.
    pub message: String,
    /// Path to send the browser to, on the host of the public URL.
    pub path: String,
}

impl SignInWays {
    /// `base_path` is the path of the public address, without a last slash; `has_passkeys` whether that allows passkeys.
    pub fn of(enabled: EnabledProviders, passwords: PasswordSignIn, base_path: &str, has_passkeys: bool) -> Self {
        let option = |provider: Provider| SignInOption {
            r#type: provider,
            message: provider.message().to_owned(),
            path: format!("{base_path}/auth/{}/login", provider.as_str()),
        };
        Self {
            r#type: SignInForm::Password,
            path: PASSWORD_PATH.to_owned(),
            default_hidden: passwords.is_off(enabled),
            options: Provider::ALL.into_iter().filter(|provider| enabled.has(*provider)).map(option).collect(),
            passkeys: has_passkeys && !passwords.is_off(enabled),
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
            let of = |has_passkeys| SignInWays::of(enabled, PasswordSignIn { disabled }, "/team", has_passkeys);
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
}
