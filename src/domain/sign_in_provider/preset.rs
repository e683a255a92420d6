//! Table of presets: the known properties of each kind of provider.

use super::{Connection, Icon, Kind};
use crate::{
    settings::{NO_PROVIDER_ADDRESS, is_provider_address},
    sign_in::Provider,
};

/// Way in which a provider proves that an email is a person's, so that an identity may be linked by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EmailProof {
    /// It states so: `email_verified`, or `xms_edov`.
    #[default]
    Stated,
    /// It states that the owner of the email's domain is known (`xms_edov`): users of Entra can set any email.
    DomainOwner,
    /// It states so, and is itself in charge of the email: one of Gmail, or of a domain of Google (`hd`).
    Google,
}

/// Dialect of OAuth 2.0 that a provider speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Dialect {
    /// OpenID Connect.
    #[default]
    OpenId,
    /// GitHub's: people are asked for with its REST API, and there are no ID tokens.
    GitHub,
}

/// Known properties of a kind of provider. In templates, `{name}` stands for the setting of that name.
#[derive(Debug)]
pub struct Preset {
    /// The kind.
    pub kind: Kind,
    /// The protocol.
    pub protocol: Provider,
    /// The dialect of OAuth 2.0.
    pub dialect: Dialect,
    /// Icon that suits it.
    pub icon: Icon,
    /// Template of the issuer, unless `discoverUrl` is given.
    issuer: Option<&'static str>,
    /// Values of settings that are absent.
    defaults: &'static [(&'static str, &'static str)],
    /// Settings that it needs.
    required: &'static [&'static str],
    /// Settings that it may have.
    optional: &'static [&'static [&'static str]],
    /// Scopes that are always asked for.
    pub scopes: &'static [&'static str],
    /// Scopes that are asked for where groups are wanted.
    pub group_scopes: &'static [&'static str],
    /// Path of the groups in what it sends.
    pub groups_path: Option<&'static str>,
    /// Template of the URL at which groups are fetched that are too many for a token.
    groups_url: Option<&'static str>,
    /// Way in which it proves that an email is a person's.
    pub email_proof: EmailProof,
}

/// Fault of a connection: the property, and the rule that it breaks as the end of a sentence about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The property.
    pub property: String,
    /// The rule.
    pub rule: String,
}

const CLIENT: &[&str] = &["clientId", "secret"];
const SCOPES: &[&str] = &["scopes"];
const OPENID: &[&str] = &[
    "scopes",
    "acrValues",
    "idTokenSigningAlgorithm",
    "enableSingleSignOut",
    "requireVerifiedEmail",
    "groupsPath",
    "emailClaim",
    "nameClaim",
    "discoverUrl",
];

/// Any provider of OpenID Connect, which the others differ from.
const ANY: Preset = Preset {
    kind: Kind::Oidc,
    protocol: Provider::Oidc,
    dialect: Dialect::OpenId,
    icon: Icon::Key,
    issuer: None,
    defaults: &[],
    required: &["clientId", "secret", "discoverUrl"],
    optional: &[OPENID],
    scopes: &["openid", "email", "profile"],
    group_scopes: &[],
    groups_path: None,
    groups_url: None,
    email_proof: EmailProof::Stated,
};

/// Each kind once, in the order of [`Kind::ALL`]. Addresses and claims are from the providers' public documentation.
static PRESETS: [Preset; 8] = [
    ANY,
    Preset {
        kind: Kind::Saml,
        protocol: Provider::Saml,
        issuer: Some("{entityId}"),
        required: &["entityId", "signOnUrl", "certificate"],
        optional: &[&[
            "signOutUrl",
            "spEntityId",
            "spCertificate",
            "signRequests",
            "idpInitiated",
            "groupsPath",
            "emailClaim",
            "nameClaim",
        ]],
        scopes: &[],
        ..ANY
    },
    Preset {
        kind: Kind::Google,
        icon: Icon::Google,
        issuer: Some("https://accounts.google.com"),
        required: CLIENT,
        optional: &[OPENID, &["hostedDomains"]],
        email_proof: EmailProof::Google,
        ..ANY
    },
    Preset {
        kind: Kind::Entra,
        icon: Icon::Microsoft,
        issuer: Some("https://login.microsoftonline.com/{tenant}/v2.0"),
        defaults: &[("graphUrl", "https://graph.microsoft.com")],
        required: &["clientId", "secret", "tenant"],
        optional: &[OPENID, &["graphUrl"]],
        group_scopes: &["User.Read"],
        groups_path: Some("groups"),
        groups_url: Some("{graphUrl}/v1.0/me/getMemberGroups"),
        email_proof: EmailProof::DomainOwner,
        ..ANY
    },
    Preset {
        kind: Kind::GitHub,
        dialect: Dialect::GitHub,
        icon: Icon::GitHub,
        issuer: Some("{serverUrl}"),
        defaults: &[("serverUrl", "https://github.com")],
        required: CLIENT,
        optional: &[SCOPES, &["serverUrl"]],
        scopes: &["read:user", "user:email"],
        group_scopes: &["read:org"],
        groups_path: Some("groups"),
        ..ANY
    },
    Preset {
        kind: Kind::GitLab,
        icon: Icon::GitLab,
        issuer: Some("{serverUrl}"),
        defaults: &[("serverUrl", "https://gitlab.com")],
        required: CLIENT,
        optional: &[OPENID, &["serverUrl"]],
        groups_path: Some("groups"),
        ..ANY
    },
    Preset {
        kind: Kind::Okta,
        icon: Icon::Okta,
        issuer: Some("{serverUrl}"),
        required: &["clientId", "secret", "serverUrl"],
        optional: &[OPENID],
        group_scopes: &["groups"],
        groups_path: Some("groups"),
        ..ANY
    },
    Preset {
        kind: Kind::Keycloak,
        icon: Icon::Keycloak,
        issuer: Some("{serverUrl}/realms/{realm}"),
        required: &["clientId", "secret", "serverUrl", "realm"],
        optional: &[OPENID],
        groups_path: Some("groups"),
        ..ANY
    },
];

impl Preset {
    /// Returns the preset of a kind.
    pub fn of(kind: Kind) -> &'static Self {
        PRESETS.iter().find(|preset| preset.kind == kind).unwrap_or(&PRESETS[0])
    }

    /// The issuer: that of `discoverUrl`, or else of the template.
    pub fn issuer(&self, connection: &Connection) -> Option<String> {
        let given = connection.discover_url.as_ref().map(|address| issuer_of(address.as_str()).to_owned());
        given.or_else(|| self.filled(self.issuer?, connection))
    }

    /// Returns the URL at which groups are fetched that are too many for a token.
    pub fn groups_url(&self, connection: &Connection) -> Option<String> {
        self.filled(self.groups_url?, connection)
    }

    /// Names of the settings that it has.
    fn settings(&self) -> impl Iterator<Item = &'static str> {
        self.required.iter().chain(self.optional.iter().copied().flatten()).copied()
    }

    /// Refuses what the kind has no use for, the lack of what it needs, and addresses that secrets may not travel to.
    pub fn judge(&self, connection: &Connection) -> Result<(), Vec<Fault>> {
        let given = connection.given();
        let fault = |property: &str, rule: String| Fault { property: property.to_owned(), rule };
        let kind = self.kind.as_str();
        let mut faults = Vec::new();
        let missing = self.required.iter().filter(|name| !given.contains_key(**name));
        faults.extend(missing.map(|name| fault(name, format!("is missing, and the kind `{kind}` needs it"))));
        let unknown = given.keys().filter(|name| !self.settings().any(|known| known == *name));
        faults.extend(unknown.map(|name| fault(name, format!("is no setting of the kind `{kind}`"))));
        let unsafe_ones = connection.addresses().filter(|(_, address)| !is_provider_address(address));
        faults.extend(unsafe_ones.map(|(name, _)| fault(name, NO_PROVIDER_ADDRESS.to_owned())));
        if faults.is_empty() { Ok(()) } else { Err(faults) }
    }

    /// A template with the settings in their places; `None` where one is absent.
    fn filled(&self, template: &str, connection: &Connection) -> Option<String> {
        let given = connection.given();
        let mut filled = String::new();
        let mut rest = template;
        while let Some((before, from)) = rest.split_once('{') {
            let (name, after) = from.split_once('}')?;
            let default = self.defaults.iter().find(|(default, _)| *default == name).map(|(_, value)| *value);
            let value = given.get(name).and_then(serde_json::Value::as_str).or(default)?;
            filled.push_str(before);
            // Only a template that ends with an address keeps its last slash: some issuers have one.
            filled.push_str(if after.is_empty() { value } else { value.trim_end_matches('/') });
            rest = after;
        }
        filled.push_str(rest);
        Some(filled)
    }
}

/// The issuer that the setting `discoverUrl` means.
fn issuer_of(discover_url: &str) -> &str {
    discover_url.split("/.well-known/openid-configuration").next().unwrap_or(discover_url)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, from_value, json};

    use super::*;

    fn connection(value: Value) -> Connection {
        from_value(value).expect("a connection")
    }

    #[test]
    fn each_kind_has_one_preset_whose_templates_name_settings_that_it_has() {
        for (kind, preset) in Kind::ALL.into_iter().zip(&PRESETS) {
            assert_eq!(preset.kind, kind);
            assert!(std::ptr::eq(Preset::of(kind), preset));
            let named = [preset.issuer, preset.groups_url];
            for template in named.into_iter().flatten() {
                for part in template.split('{').skip(1) {
                    let (name, _) = part.split_once('}').expect("an end");
                    assert!(preset.settings().any(|known| known == name), "{kind:?} {name}");
                }
            }
        }
    }

    #[test]
    fn issuers_are_those_of_the_documentation_unless_the_settings_say_otherwise() {
        let tenant = "8d2b1f4e-9c1a-4a0f-8f0e-0123456789ab";
        for (kind, settings, expected) in [
            (Kind::Google, json!({}), Some("https://accounts.google.com")),
            (
                Kind::Entra,
                json!({ "tenant": tenant }),
                Some("https://login.microsoftonline.com/8d2b1f4e-9c1a-4a0f-8f0e-0123456789ab/v2.0"),
            ),
            (Kind::Entra, json!({}), None),
            (Kind::GitHub, json!({}), Some("https://github.com")),
            (Kind::GitLab, json!({ "serverUrl": "https://git.example.com" }), Some("https://git.example.com")),
            (
                Kind::Okta,
                json!({ "serverUrl": "https://acme.okta.com/oauth2/default" }),
                Some("https://acme.okta.com/oauth2/default"),
            ),
            (
                Kind::Keycloak,
                json!({ "serverUrl": "https://id.example.com/", "realm": "staff" }),
                Some("https://id.example.com/realms/staff"),
            ),
            (
                Kind::Oidc,
                json!({ "discoverUrl": "https://id.example.com/.well-known/openid-configuration" }),
                Some("https://id.example.com"),
            ),
            (Kind::Oidc, json!({ "discoverUrl": "https://id.example.com/" }), Some("https://id.example.com/")),
            (Kind::Google, json!({ "discoverUrl": "https://id.example.com" }), Some("https://id.example.com")),
            (Kind::Saml, json!({ "entityId": "urn:corp" }), Some("urn:corp")),
        ] {
            assert_eq!(
                Preset::of(kind).issuer(&connection(settings.clone())).as_deref(),
                expected,
                "{kind:?} {settings}"
            );
        }
        let graph = Preset::of(Kind::Entra).groups_url(&connection(json!({})));
        assert_eq!(graph.as_deref(), Some("https://graph.microsoft.com/v1.0/me/getMemberGroups"));
        assert_eq!(Preset::of(Kind::Okta).groups_url(&connection(json!({}))), None);
    }

    #[test]
    fn what_a_kind_needs_and_what_it_has_no_use_for_is_named() {
        let judged = |kind: Kind, settings: Value| {
            let faults = Preset::of(kind).judge(&connection(settings)).err().unwrap_or_default();
            faults.into_iter().map(|fault| format!("{} {}", fault.property, fault.rule)).collect::<Vec<_>>()
        };
        assert_eq!(
            judged(Kind::Google, json!({ "clientId": "c", "secret": "s", "hostedDomains": ["example.com"] })),
            [""; 0]
        );
        assert_eq!(
            judged(Kind::Oidc, json!({ "clientId": "c", "secret": "s", "hostedDomains": ["example.com"] })),
            ["discoverUrl is missing, and the kind `oidc` needs it", "hostedDomains is no setting of the kind `oidc`",]
        );
        assert_eq!(
            judged(Kind::GitHub, json!({ "clientId": "c", "secret": "s", "serverUrl": "http://git.example.com" })),
            ["serverUrl must be an absolute https address without credentials (http only for this machine)"]
        );
        assert_eq!(
            judged(
                Kind::Saml,
                json!({ "entityId": "e", "signOnUrl": "https://id.example.com", "certificate": "c", "secret": "s" })
            ),
            ["secret is no setting of the kind `saml`"]
        );
        assert_eq!(
            judged(
                Kind::Saml,
                json!({
                    "entityId": "e", "signOnUrl": "https://id.example.com", "certificate": "c",
                    "signOutUrl": "http://id.example.com",
                })
            ),
            ["signOutUrl must be an absolute https address without credentials (http only for this machine)"]
        );
        let with_logout = json!({ "clientId": "c", "secret": "s", "signOutUrl": "https://id.example.com" });
        assert_eq!(judged(Kind::Google, with_logout), ["signOutUrl is no setting of the kind `google`"]);
    }
}
