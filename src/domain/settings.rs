//! Settings of login providers. Each is one of two sides, told apart by `enabled`.

use poem_openapi::{Enum, Object, Union};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::json;
use url::{Host, Url};

use crate::{
    domain::{actor::Actor, event::NewEvent, event_kind::EventKind, role::RootRole, sign_in::Provider},
    wire::{False, Number, True, Uri},
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
    /// The protocol that the provider speaks.
    const PROVIDER: Provider;

    /// What counts while nothing is stored.
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
}

/// That a setting changed. The event names it and says no value, neither old nor new.
pub fn setting_changed(kind: EventKind, id: &str, actor: &Actor) -> NewEvent {
    let hidden = json!({ "hideEventDetails": true });
    let event = NewEvent::new(kind, actor).with_data(&json!({ "id": id, "hideEventDetails": true }));
    if kind == EventKind::SettingCreated { event } else { event.with_pre_data(&hidden) }
}

/// Whether secrets may travel to an address: an absolute one of `https`, or of `http` on this very machine, without
/// credentials in it.
pub fn is_safe_address(text: &str) -> bool {
    let Ok(url) = Url::parse(text) else { return false };
    let has_host = url.host().is_some();
    let scheme = url.scheme();
    has_host
        && (scheme == "https" || (scheme == "http" && is_local(&url)))
        && url.username().is_empty()
        && url.password().is_none()
}

/// Whether an address names this very machine.
pub fn is_local(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// Declares both sides of a provider's settings, so that their properties cannot drift apart.
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
            $(#[$required_doc:meta])* $required:ident: at most $required_max:tt;
        )*}
        optional {$(
            $(#[$optional_doc:meta])* $optional:ident: $type:ty $(, at most $optional_max:tt)? $(, from $optional_min:tt)?;
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
            /// Always true: the provider can be used to sign in.
            pub enabled: True,
            $(
                $(#[$required_doc])*
                #[oai(validator(min_length = 1, max_length = $required_max))]
                pub $required: String,
            )*
            $(
                $(#[$optional_doc])*
                $(#[oai(validator(max_length = $optional_max))])?
                $(#[oai(validator(minimum(value = $optional_min)))])?
                #[serde(default, skip_serializing_if = "Option::is_none")]
                pub $optional: Option<$type>,
            )*
        }

        $(#[$off_doc])*
        #[derive(Clone, PartialEq, Default, Object, Serialize, Deserialize)]
        #[oai(rename = $off_name, rename_all = "camelCase", skip_serializing_if_is_none)]
        #[serde(rename_all = "camelCase")]
        pub struct $off {
            /// False or absent: the provider cannot be used to sign in. Answers always hold it.
            #[serde(default)]
            pub enabled: Option<False>,
            $(
                $(#[$required_doc])*
                #[oai(validator(max_length = $required_max))]
                #[serde(default, skip_serializing_if = "Option::is_none")]
                pub $required: Option<String>,
            )*
            $(
                $(#[$optional_doc])*
                $(#[oai(validator(max_length = $optional_max))])?
                #[serde(default, skip_serializing_if = "Option::is_none")]
                pub $optional: Option<$type>,
            )*
        }

        two_sides!(@debug $both $on $off);
    };
    (@debug $($type:ident)*) => {$(
        impl std::fmt::Debug for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!($type)).finish_non_exhaustive()
            }
        }
    )*};
}

two_sides! {
    /// Sign-in through OpenID Connect.
    OidcSettings = "OidcSettings" {
        /// OpenID Connect can be used to sign in.
        OidcOn = "OidcSettingsEnabled";
        /// OpenID Connect cannot be used to sign in. What is given is kept for the day it is enabled.
        OidcOff = "OidcSettingsDisabled";
    }
    required {
        /// Id under which the provider knows this server. At most 1000 characters.
        client_id: at most 1000;
        /// Secret that the provider shares with this server. Kept encrypted, and shown to administrators only. At most
        /// 10000 characters.
        secret: at most 10000;
    }
    optional {
        /// Where the provider describes itself: its issuer, or the full address of its discovery document. An absolute
        /// `https` address without credentials in it; `http` is accepted for this machine (localhost) only. At most
        /// 2000 characters.
        discover_url: Uri, at most 2000;
        /// Whether somebody who signs in for the first time becomes a user, by the email of the ID token.
        auto_create: bool;
        /// Whether signing out here also ends the sessions that the provider keeps for this client id.
        enable_single_sign_out: bool;
        /// Root role of users that are created. Counts only when `autoCreate` is true and `defaultRootRoleId` is absent.
        default_root_role: RootRole;
        /// Id of the root role of users that are created; it must exist. Wins over `defaultRootRole`.
        default_root_role_id: Number, from "1";
        /// Domains whose users may be created, separated by commas. Counts only when `autoCreate` is true. At most
        /// 10000 characters.
        email_domains: String, at most 10000;
        /// Authentication context classes to ask for, separated by blanks. At most 1000 characters.
        acr_values: String, at most 1000;
        /// How the provider signs ID tokens. Absent means RS256.
        id_token_signing_algorithm: SigningAlgorithm;
        /// Whether signing in brings the user's groups in line with those of the provider.
        enable_group_syncing: bool;
        /// Path in the token response where the user's groups are. At most 1000 characters.
        group_json_path: String, at most 1000;
        /// Whether to ask for the scope `groups` too.
        add_groups_scope: bool;
    }
}

two_sides! {
    /// Sign-in through SAML 2.0.
    SamlSettings = "SamlSettings" {
        /// SAML 2.0 can be used to sign in.
        SamlOn = "SamlSettingsEnabled";
        /// SAML 2.0 cannot be used to sign in. What is given is kept for the day it is enabled.
        SamlOff = "SamlSettingsDisabled";
    }
    required {
        /// Entity id of the provider. At most 1000 characters.
        entity_id: at most 1000;
        /// Where the provider signs people in. An absolute `https` address without credentials in it; `http` is
        /// accepted for this machine (localhost) only. At most 2000 characters.
        sign_on_url: at most 2000;
        /// X.509 certificate that the provider's answers are verified with. At most 100000 characters.
        certificate: at most 100_000;
    }
    optional {
        /// Where the provider signs people out: an address like `signOnUrl`. At most 2000 characters.
        sign_out_url: String, at most 2000;
        /// Certificate that belongs to the signature of sign-out requests. At most 100000 characters.
        sp_certificate: String, at most 100_000;
        /// Whether somebody who signs in for the first time becomes a user, by the email of the provider's answer.
        auto_create: bool;
        /// Domains whose users may be created, separated by commas. Counts only when `autoCreate` is true. At most
        /// 10000 characters.
        email_domains: String, at most 10000;
        /// Root role of users that are created. Counts only when `autoCreate` is true and `defaultRootRoleId` is absent.
        default_root_role: RootRole;
        /// Id of the root role of users that are created; it must exist. Wins over `defaultRootRole`.
        default_root_role_id: Number, from "1";
        /// Whether signing in brings the user's groups in line with those of the provider.
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
            Self::On(on) => &on.discover_url,
            Self::Off(off) => &off.discover_url,
        };
        discover_url.iter().map(|address| ("discoverUrl", address.as_str())).collect()
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
            Self::On(on) => (Some(&on.sign_on_url), on.sign_out_url.as_ref()),
            Self::Off(off) => (off.sign_on_url.as_ref(), off.sign_out_url.as_ref()),
        };
        let named = [("signOnUrl", sign_on), ("signOutUrl", sign_out)];
        named.into_iter().filter_map(|(name, address)| Some((name, address?.as_str()))).collect()
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
    fn secrets_travel_only_where_nobody_listens() {
        for safe in [
            "https://id.example.com",
            "https://id.example.com:8443/realms/a?b=c#d",
            "http://localhost:8080/x",
            "http://id.localhost",
            "http://127.0.0.1:8080",
            "http://[::1]/",
        ] {
            assert!(is_safe_address(safe), "{safe}");
        }
        for unsafe_one in [
            "",
            "id.example.com",
            "/realms/a",
            "https://",
            "http://id.example.com",
            "http://localhost.example.com",
            "http://127.0.0.1.example.com",
            "ftp://id.example.com",
            "javascript:alert(1)",
            "https://user@id.example.com",
            "https://:secret@id.example.com",
        ] {
            assert!(!is_safe_address(unsafe_one), "{unsafe_one}");
        }
    }

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
