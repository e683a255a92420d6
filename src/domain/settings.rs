//! Settings of login providers. Each is one of two sides, distinguished by `enabled`.

use flagstone_wire::{False, Number, True, Uri};
use poem_openapi::{Enum, Object, Union};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::json;

use crate::{actor::Actor, event::NewEvent, event_kind::EventKind, role::RootRole, sign_in::Provider};

mod address;
pub mod mask;

pub use self::address::{
    AddressUri, NO_PROVIDER_ADDRESS, NO_URI, is_local, is_provider_address, is_safe_address, is_uri, unmatched,
};

/// Algorithm that signs ID tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize, Deserialize)]
pub enum SigningAlgorithm {
    /// RSA with SHA-256.
    #[oai(rename = "RS256")]
    #[serde(rename = "RS256")]
    Rs256,
    /// RSA with SHA-384.
    #[oai(rename = "RS384")]
    #[serde(rename = "RS384")]
    Rs384,
    /// RSA with SHA-512.
    #[oai(rename = "RS512")]
    #[serde(rename = "RS512")]
    Rs512,
}

/// The settings of one login provider.
pub trait ProviderSettings: Serialize + DeserializeOwned + PartialEq + Send + Sync {
    /// Id of the setting in the store and in events.
    const ID: &'static str;
    /// Protocol of the provider.
    const PROVIDER: Provider;

    /// Settings that count while nothing is stored.
    fn off() -> Self;

    /// The form that is stored and answered: it says which side it is.
    #[must_use]
    fn stored(self) -> Self;

    /// Whether they say that people can sign in through the provider. What counts for that alone is judged only then.
    fn are_on(&self) -> bool;

    /// The properties that must be addresses, by name, as far as they are given.
    fn addresses(&self) -> Vec<(&'static str, &str)>;

    /// The role that created users get, if it is given by id.
    fn default_root_role_id(&self) -> Option<Number>;

    /// Name of the property that holds a secret.
    const SECRET: &'static str;

    /// The secret, as far as it is given.
    fn secret(&self) -> Option<&str>;

    /// Puts another secret in its place.
    fn set_secret(&mut self, secret: String);

    /// The server to which the secret is sent; nothing where it stays here.
    fn destination(&self) -> Option<&str>;
}

/// Returns the event that a setting changed. The event names the setting, but neither its old nor its new value.
pub fn setting_changed(kind: EventKind, id: &str, actor: &Actor) -> NewEvent {
    let hidden = json!({ "hideEventDetails": true });
    let event = NewEvent::new(kind, actor).with_data(&json!({ "id": id, "hideEventDetails": true }));
    if kind == EventKind::SettingCreated { event } else { event.with_pre_data(&hidden) }
}

/// Declares both sides of a provider's settings, so that their properties cannot drift apart. A type after `enabled` or
/// `disabled`, and what a number begins with, hold for that side alone: numbers of the disabled side are kept as given.
///
/// Neither side shows its values in `Debug`: some are secret.
macro_rules! two_sides {
    (
        $(#[$doc:meta])*
        $both:ident = $both_name:literal {
            $(#[$on_doc:meta])* $on:ident = $on_name:literal;
            $(#[$off_doc:meta])* $off:ident = $off_name:literal;
        }
        required {$(
            $(#[$required_doc:meta])* $required:ident: $(enabled $required_on:ident, disabled $required_off:ident,)?
                at most $required_max:tt;
        )*}
        optional {$(
            $(#[$optional_doc:meta])* $optional:ident: $type:ident
                $(, enabled $optional_on:ident, disabled $optional_off:ident)? $(, at most $optional_max:tt)? $(, id from $optional_min:tt to $optional_largest:tt)?;
        )*}
    ) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Union, Serialize, Deserialize)]
        #[oai(one_of, rename = $both_name)]
        #[serde(untagged)]
        pub enum $both {
            /// Sign-in through the provider is possible.
            On($on),
            /// Sign-in through the provider is not possible.
            Off($off),
        }

        $(#[$on_doc])*
        #[derive(Clone, PartialEq, Object, Serialize, Deserialize)]
        #[oai(rename = $on_name, rename_all = "camelCase", skip_serializing_if_is_none)]
        #[serde(rename_all = "camelCase")]
        pub struct $on {
            /// Always true: the provider is enabled.
            pub enabled: True,
            $(
                $(#[$required_doc])*
                #[oai(validator(min_length = 1, max_length = $required_max))]
                pub $required: two_sides!(@side String $(, $required_on)?),
            )*
            $(
                $(#[$optional_doc])*
                $(#[oai(validator(max_length = $optional_max))])?
                $(#[oai(validator(
                    multiple_of = 1.0,
                    minimum(value = $optional_min),
                    maximum(value = $optional_largest)
                ))])?
                #[serde(default, skip_serializing_if = "Option::is_none")]
                pub $optional: Option<two_sides!(@side $type $(, $optional_on)?)>,
            )*
        }

        $(#[$off_doc])*
        #[derive(Clone, PartialEq, Default, Object, Serialize, Deserialize)]
        #[oai(rename = $off_name, rename_all = "camelCase", skip_serializing_if_is_none)]
        #[serde(rename_all = "camelCase")]
        pub struct $off {
            /// False or absent: the provider is disabled. Always present in answers.
            #[serde(default)]
            pub enabled: Option<False>,
            $(
                $(#[$required_doc])*
                #[oai(validator(max_length = $required_max))]
                #[serde(default, skip_serializing_if = "Option::is_none")]
                pub $required: Option<two_sides!(@side String $(, $required_off)?)>,
            )*
            $(
                $(#[$optional_doc])*
                $(#[oai(validator(max_length = $optional_max))])?
                #[serde(default, skip_serializing_if = "Option::is_none")]
                pub $optional: Option<two_sides!(@side $type $(, $optional_off)?)>,
            )*
        }

        two_sides!(@debug $both $on $off);
    };
    (@side $type:ident) => { $type };
    (@side $type:ident, $of_side:ident) => { $of_side };
    (@debug $($type:ident)*) => { $(opaque_debug!($type { .. });)* };
}

two_sides! {
    /// Sign-in through OpenID Connect.
    OidcSettings = "OidcSettings" {
        /// OpenID Connect is enabled.
        OidcOn = "OidcSettingsEnabled";
        /// OpenID Connect is disabled. The given settings are stored for when it is enabled.
        OidcOff = "OidcSettingsDisabled";
    }
    required {
        /// Client id of this server at the provider. At most 1000 characters.
        client_id: at most 1000;
        /// Client secret. Stored encrypted, and shown to administrators only. At most 10000 characters.
        secret: at most 10000;
    }
    optional {
        /// Issuer of the provider, or the full URL of its discovery document: a URI. While the provider is enabled, it
        /// must be an absolute `https` URL without credentials; `http` is accepted for localhost only. At most 2000
        /// characters.
        discover_url: String, enabled AddressUri, disabled Uri, at most 2000;
        /// Whether to create a user at the first sign-in, with the email of the ID token.
        auto_create: bool;
        /// Whether signing out here also ends the sessions that the provider keeps for this client id.
        enable_single_sign_out: bool;
        /// Root role of users that are created. Used only when `autoCreate` is true and `defaultRootRoleId` is absent.
        default_root_role: RootRole;
        /// Id of the root role of users that are created; it must exist. Takes precedence over `defaultRootRole`.
        default_root_role_id: Number, id from "1" to "2147483647";
        /// Email domains whose users may be created, or linked to the user who has their email, separated by commas.
        /// Absent: every domain. At most 10000 characters.
        email_domains: String, at most 10000;
        /// Authentication context classes (`acr_values`) to request, separated by blanks. At most 1000 characters.
        acr_values: String, at most 1000;
        /// Algorithm by which the provider signs ID tokens. Absent means RS256.
        id_token_signing_algorithm: SigningAlgorithm;
        /// Whether signing in synchronises the user's groups with those of the provider.
        enable_group_syncing: bool;
        /// Path in the token response where the user's groups are. At most 1000 characters.
        group_json_path: String, at most 1000;
        /// Whether to request the scope `groups`, too.
        add_groups_scope: bool;
    }
}

two_sides! {
    /// Sign-in through SAML 2.0.
    SamlSettings = "SamlSettings" {
        /// SAML 2.0 is enabled.
        SamlOn = "SamlSettingsEnabled";
        /// SAML 2.0 is disabled. The given settings are stored for when it is enabled.
        SamlOff = "SamlSettingsDisabled";
    }
    required {
        /// Entity id of the provider. At most 1000 characters.
        entity_id: at most 1000;
        /// Single sign-on URL of the provider: a URI. While the provider is enabled, it must be an absolute `https` URL
        /// without credentials; `http` is accepted for localhost only. At most 2000 characters.
        sign_on_url: enabled AddressUri, disabled Uri, at most 2000;
        /// X.509 certificate with which responses of the provider are verified. At most 100000 characters.
        certificate: at most 100_000;
    }
    optional {
        /// Single logout URL of the provider, with the same rules as `signOnUrl`. At most 2000 characters.
        sign_out_url: String, enabled AddressUri, disabled Uri, at most 2000;
        /// Private key that signs messages to the provider, optionally with its certificate, and with that of the next key.
        /// At most 100000 characters.
        sp_certificate: String, at most 100_000;
        /// Whether to create a user at the first sign-in, with the email of the provider's response.
        auto_create: bool;
        /// Email domains whose users may be created, or linked to the user who has their email, separated by commas.
        /// Absent: every domain. At most 10000 characters.
        email_domains: String, at most 10000;
        /// Root role of users that are created. Used only when `autoCreate` is true and `defaultRootRoleId` is absent.
        default_root_role: RootRole;
        /// Id of the root role of users that are created; it must exist. Takes precedence over `defaultRootRole`.
        default_root_role_id: Number, id from "1" to "2147483647";
        /// Whether signing in synchronises the user's groups with those of the provider.
        enable_group_syncing: bool;
        /// Path in the provider's answer where the user's groups are. At most 1000 characters.
        group_json_path: String, at most 1000;
    }
}

impl ProviderSettings for OidcSettings {
    const ID: &'static str = "unleash.enterprise.auth.oidc";
    const PROVIDER: Provider = Provider::Oidc;

    fn off() -> Self {
        Self::Off(OidcOff::default()).stored()
    }

    fn stored(self) -> Self {
        match self {
            Self::On(_) => self,
            Self::Off(off) => Self::Off(OidcOff { enabled: Some(False), ..off }),
        }
    }

    fn are_on(&self) -> bool {
        matches!(self, Self::On(_))
    }

    fn addresses(&self) -> Vec<(&'static str, &str)> {
        let discover_url = match self {
            Self::On(on) => on.discover_url.as_ref().map(AddressUri::as_str),
            Self::Off(off) => off.discover_url.as_ref().map(Uri::as_str),
        };
        discover_url.into_iter().map(|address| ("discoverUrl", address)).collect()
    }

    const SECRET: &'static str = "secret";

    fn secret(&self) -> Option<&str> {
        match self {
            Self::On(on) => Some(&on.secret),
            Self::Off(off) => off.secret.as_deref(),
        }
    }

    fn set_secret(&mut self, secret: String) {
        match self {
            Self::On(on) => on.secret = secret,
            Self::Off(off) => off.secret = Some(secret),
        }
    }

    fn destination(&self) -> Option<&str> {
        match self {
            Self::On(on) => on.discover_url.as_ref().map(AddressUri::as_str),
            Self::Off(off) => off.discover_url.as_ref().map(Uri::as_str),
        }
    }

    fn default_root_role_id(&self) -> Option<Number> {
        match self {
            Self::On(on) => on.default_root_role_id,
            Self::Off(off) => off.default_root_role_id,
        }
    }
}

impl ProviderSettings for SamlSettings {
    const ID: &'static str = "unleash.enterprise.auth.saml";
    const PROVIDER: Provider = Provider::Saml;

    fn off() -> Self {
        Self::Off(SamlOff::default()).stored()
    }

    fn stored(self) -> Self {
        match self {
            Self::On(_) => self,
            Self::Off(off) => Self::Off(SamlOff { enabled: Some(False), ..off }),
        }
    }

    fn are_on(&self) -> bool {
        matches!(self, Self::On(_))
    }

    fn addresses(&self) -> Vec<(&'static str, &str)> {
        let (sign_on, sign_out) = match self {
            Self::On(on) => (Some(on.sign_on_url.as_str()), on.sign_out_url.as_ref().map(AddressUri::as_str)),
            Self::Off(off) => (off.sign_on_url.as_ref().map(Uri::as_str), off.sign_out_url.as_ref().map(Uri::as_str)),
        };
        let named = [("signOnUrl", sign_on), ("signOutUrl", sign_out)];
        named.into_iter().filter_map(|(name, address)| Some((name, address?))).collect()
    }

    const SECRET: &'static str = "spCertificate";

    fn secret(&self) -> Option<&str> {
        match self {
            Self::On(on) => on.sp_certificate.as_deref(),
            Self::Off(off) => off.sp_certificate.as_deref(),
        }
    }

    fn set_secret(&mut self, secret: String) {
        match self {
            Self::On(on) => on.sp_certificate = Some(secret),
            Self::Off(off) => off.sp_certificate = Some(secret),
        }
    }

    fn destination(&self) -> Option<&str> {
        None
    }

    fn default_root_role_id(&self) -> Option<Number> {
        match self {
            Self::On(on) => on.default_root_role_id,
            Self::Off(off) => off.default_root_role_id,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{from_value, json, to_value};

    use super::*;

    #[test]
    fn stored_settings_read_back_as_the_side_they_were() {
        let on = json!({ "enabled": true, "clientId": "c", "secret": "s", "defaultRootRoleId": 2 });
        let read: OidcSettings = from_value(on.clone()).expect("reads");
        assert!(matches!(read, OidcSettings::On(_)));
        assert_eq!(to_value(&read).expect("writes"), on);
        let off = json!({ "enabled": false, "clientId": "c" });
        let read: OidcSettings = from_value(off.clone()).expect("reads");
        assert!(matches!(read, OidcSettings::Off(_)));
        assert_eq!(to_value(&read).expect("writes"), off);
        assert_eq!(to_value(SamlSettings::off()).expect("writes"), json!({ "enabled": false }));
    }

    #[test]
    fn debug_output_shows_no_value() {
        let settings: OidcSettings =
            from_value(json!({ "enabled": true, "clientId": "hunter2", "secret": "hunter2" })).expect("reads");
        assert!(!format!("{settings:?}").contains("hunter2"));
        let OidcSettings::On(on) = settings else { panic!("the other side") };
        assert!(!format!("{on:?}").contains("hunter2"));
    }
}
