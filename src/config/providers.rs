//! Settings of login providers that the operator gives instead of an administrator.

use std::path::Path;

use flagstone_domain::{
    settings::{NO_URI, OidcSettings, ProviderSettings as _, SamlSettings, is_provider_address, is_uri},
    sign_in::EnabledProviders,
};
use serde_json::{Map, Value, json};

use super::{
    file,
    variables::{Holds, Variable, Variables},
};

/// Kind of value that a variable sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Truth,
    /// The text is in the file that the variable names.
    File,
}
use Kind::{File, Text, Truth};

/// Variables without their prefix, with the properties that they set.
const OIDC: &[(&str, &str, Kind)] = &[
    ("DISCOVER_URL", "discoverUrl", Text),
    ("CLIENT_ID", "clientId", Text),
    ("CLIENT_SECRET", "secret", Text),
    ("AUTO_CREATE", "autoCreate", Truth),
    ("AUTO_CREATE_EMAIL_DOMAINS", "emailDomains", Text),
    ("ENABLE_GROUP_SYNCING", "enableGroupSyncing", Truth),
    ("GROUP_JSON_PATH", "groupJsonPath", Text),
    ("ADD_GROUPS_SCOPE", "addGroupsScope", Truth),
    ("DEFAULT_ROOT_ROLE", "defaultRootRole", Text),
    ("ACR_VALUES", "acrValues", Text),
    ("ID_TOKEN_SIGNING_ALGORITHM", "idTokenSigningAlgorithm", Text),
    ("ENABLE_SINGLE_SIGN_OUT", "enableSingleSignOut", Truth),
];
const SAML: &[(&str, &str, Kind)] = &[
    ("ENTITY_ID", "entityId", Text),
    ("SIGNON_URL", "signOnUrl", Text),
    ("CERTIFICATE", "certificate", Text),
    ("CERTIFICATE_FILE", "certificate", File),
    ("AUTO_CREATE", "autoCreate", Truth),
    ("EMAIL_DOMAINS", "emailDomains", Text),
    ("DEFAULT_ROOT_ROLE", "defaultRootRole", Text),
    ("SIGNOUT_URL", "signOutUrl", Text),
    ("SIGNOUT_CERTIFICATE", "spCertificate", Text),
    ("SIGNOUT_CERTIFICATE_PATH", "spCertificate", File),
    ("ENABLE_GROUP_SYNCING", "enableGroupSyncing", Truth),
    ("GROUP_JSON_PATH", "groupJsonPath", Text),
];
/// Properties whose values are secret: the latter holds a key, too.
const SECRETS: [&str; 2] = ["secret", "spCertificate"];

/// The variables that are read here.
pub(super) fn variables() -> impl Iterator<Item = Variable> {
    [("OIDC", OIDC), ("SAML", SAML)].into_iter().flat_map(|(prefix, variables)| {
        let of = move |(name, property, kind): (&str, &str, Kind)| Variable {
            name: format!("{prefix}_{name}"),
            holds: if kind == Truth { Holds::Truth } else { Holds::Text },
            is_secret: kind != File && SECRETS.contains(&property),
        };
        std::iter::once(of(("ENABLED", "enabled", Truth))).chain(variables.iter().copied().map(of))
    })
}

/// The settings of login providers in the environment. Where there are any, on or off, those that administrators make
/// do not count. Printing it shows nothing.
#[derive(Clone, Default)]
pub struct FromEnvironment {
    /// Settings of OpenID Connect.
    pub oidc: Option<OidcSettings>,
    /// Settings of SAML.
    pub saml: Option<SamlSettings>,
}

impl std::fmt::Debug for FromEnvironment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FromEnvironment")
            .field("oidc", &self.oidc.is_some())
            .field("saml", &self.saml.is_some())
            .finish()
    }
}

impl FromEnvironment {
    /// Reads what the operator set, and the files that it names. The error names the variable and never its value.
    pub fn read(variables: &Variables) -> Result<Self, String> {
        Self::from_variables(|name| variables.get(name), file::text)
    }

    /// Reads variables; empty ones count as absent.
    pub fn from_variables(
        variable: impl Fn(&str) -> Option<String>,
        file: impl Fn(&Path) -> Result<String, String>,
    ) -> Result<Self, String> {
        let oidc = settings("OIDC", OIDC, &["clientId", "secret"], &variable, &file)?;
        let saml = settings("SAML", SAML, &["entityId", "signOnUrl", "certificate"], &variable, &file)?;
        Ok(Self {
            oidc: oidc.map(|settings| read("OIDC", OIDC, &settings)).transpose()?.map(OidcSettings::stored),
            saml: saml.map(|settings| read("SAML", SAML, &settings)).transpose()?.map(SamlSettings::stored),
        })
    }

    /// Login providers through which users can sign in, when administrators said this.
    pub fn enabled(&self, by_administrators: EnabledProviders) -> EnabledProviders {
        EnabledProviders {
            oidc: self.oidc.as_ref().map_or(by_administrators.oidc, OidcSettings::are_on),
            saml: self.saml.as_ref().map_or(by_administrators.saml, SamlSettings::are_on),
        }
    }
}

/// The settings as a body of the API would hold them; nothing where the environment is silent about them.
fn settings(
    prefix: &str,
    variables: &[(&str, &str, Kind)],
    required: &[&str],
    variable: &impl Fn(&str) -> Option<String>,
    file: &impl Fn(&Path) -> Result<String, String>,
) -> Result<Option<Map<String, Value>>, String> {
    let given = |name: &str| variable(&format!("{prefix}_{name}")).filter(|value| !value.trim().is_empty());
    let Some(enabled) = given("ENABLED") else { return Ok(None) };
    let mut settings = Map::new();
    let is_on = truth(&format!("{prefix}_ENABLED"), &enabled)?;
    settings.insert("enabled".to_owned(), json!(is_on));
    for (name, property, kind) in variables {
        let Some(value) = given(name) else { continue };
        let name = format!("{prefix}_{name}");
        let value = match kind {
            Text => json!(value.trim()),
            Truth => json!(truth(&name, &value)?),
            File => json!(file(Path::new(value.trim())).map_err(|error| format!("{name}: {error}"))?),
        };
        if let Some(address) = value.as_str().filter(|_| property.ends_with("Url")) {
            if is_on && !is_provider_address(address) {
                return Err(format!("{name} must be an absolute https address (http only for this machine)"));
            }
            if !is_uri(address) {
                return Err(format!("{name} {NO_URI}"));
            }
        }
        settings.insert((*property).to_owned(), value);
    }
    let missing = required.iter().find(|property| is_on && !settings.contains_key(**property));
    if let Some(property) = missing {
        let names = variables.iter().filter(|(_, of, _)| of == property).map(|(name, ..)| format!("{prefix}_{name}"));
        let names = names.collect::<Vec<_>>().join(" or ");
        return Err(format!("{prefix}_ENABLED is true, and so {names} must be set"));
    }
    Ok(Some(settings))
}

/// Judges each property by itself, so that the error names its variable.
fn read<T: serde::de::DeserializeOwned>(
    prefix: &str,
    variables: &[(&str, &str, Kind)],
    settings: &Map<String, Value>,
) -> Result<T, String> {
    if let Ok(settings) = serde_json::from_value(Value::Object(settings.clone())) {
        return Ok(settings);
    }
    let without = |property: &str| {
        let mut fewer = settings.clone();
        fewer.remove(property);
        serde_json::from_value::<T>(Value::Object(fewer)).is_ok()
    };
    let guilty = variables.iter().find(|(_, property, _)| settings.contains_key(*property) && without(property));
    match guilty {
        Some((name, ..)) => Err(format!("{prefix}_{name} has none of the values that it may have")),
        None => Err(format!("the variables {prefix}_… do not fit together")),
    }
}

fn truth(name: &str, value: &str) -> Result<bool, String> {
    match value.trim().to_ascii_lowercase().as_str() {
        "true" | "1" | "yes" | "on" => Ok(true),
        "false" | "0" | "no" | "off" => Ok(false),
        _ => Err(format!("{name} must be true or false")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(variables: &[(&str, &str)]) -> Result<FromEnvironment, String> {
        let variable =
            |name: &str| variables.iter().find(|(given, _)| *given == name).map(|(_, value)| (*value).to_owned());
        FromEnvironment::from_variables(variable, |path| match path.to_str() {
            Some("/cert.pem") => Ok("PEM".to_owned()),
            _ => Err("no such file".to_owned()),
        })
    }

    #[test]
    fn what_enables_or_disables_makes_the_environment_win_and_nothing_else_does() {
        let stored = EnabledProviders { oidc: true, saml: false };
        let silent = read(&[("OIDC_CLIENT_ID", "c"), ("SAML_ENABLED", " ")]).expect("reads");
        assert!(silent.oidc.is_none() && silent.saml.is_none());
        assert_eq!(silent.enabled(stored), stored);
        let said = read(&[
            ("OIDC_ENABLED", "false"),
            ("SAML_ENABLED", "true"),
            ("SAML_ENTITY_ID", "e"),
            ("SAML_SIGNON_URL", "https://id.example.com"),
            ("SAML_CERTIFICATE_FILE", "/cert.pem"),
            ("SAML_AUTO_CREATE", "TRUE"),
        ])
        .expect("reads");
        assert_eq!(said.enabled(stored), EnabledProviders { oidc: false, saml: true });
        let Some(SamlSettings::On(saml)) = said.saml else { panic!("on") };
        assert_eq!((saml.certificate.as_str(), saml.auto_create), ("PEM", Some(true)));
    }

    #[test]
    fn addresses_are_uris_also_while_the_provider_is_disabled() {
        for (enabled, address) in [
            ("OIDC_ENABLED", "OIDC_DISCOVER_URL"),
            ("SAML_ENABLED", "SAML_SIGNON_URL"),
            ("SAML_ENABLED", "SAML_SIGNOUT_URL"),
        ] {
            for kept in ["", " ", "http://not-safe-yet.example.com"] {
                read(&[(enabled, "false"), (address, kept)]).expect(address);
            }
            let refused = read(&[(enabled, "false"), (address, "not a uri")]).expect_err(address);
            assert!(refused.starts_with(&format!("{address} must be a URI")), "{refused}");
        }
    }

    #[test]
    fn variables_give_new_users_built_in_roles_alone() {
        let by_id = OIDC.iter().chain(SAML).find(|(_, property, _)| *property == "defaultRootRoleId");
        assert!(by_id.is_none(), "deleting a role has to ask for {by_id:?}");
    }

    #[test]
    fn each_variable_sets_its_property_and_what_is_wrong_is_named_without_its_value() {
        let base = [("OIDC_ENABLED", "true"), ("OIDC_CLIENT_ID", "c"), ("OIDC_CLIENT_SECRET", "hunter2")];
        let with = |more: &[(&'static str, &'static str)]| read(&[&base[..], more].concat());
        let read_all = with(&[
            ("OIDC_DISCOVER_URL", "https://id.example.com"),
            ("OIDC_DEFAULT_ROOT_ROLE", "Editor"),
            ("OIDC_ID_TOKEN_SIGNING_ALGORITHM", "RS512"),
            ("OIDC_AUTO_CREATE_EMAIL_DOMAINS", "a.example"),
            ("OIDC_ADD_GROUPS_SCOPE", "1"),
        ]);
        let Some(OidcSettings::On(oidc)) = read_all.expect("reads").oidc else { panic!("on") };
        assert_eq!(oidc.email_domains.as_deref(), Some("a.example"));
        assert_eq!(oidc.add_groups_scope, Some(true));
        for (more, named) in [
            (&[("OIDC_ENABLED", "hunter2")][..], "OIDC_ENABLED must be true or false"),
            (&[("OIDC_ENABLED", "true"), ("OIDC_CLIENT_ID", "hunter2")], "OIDC_CLIENT_SECRET must be set"),
            (&[("SAML_ENABLED", "true")], "SAML_ENTITY_ID must be set"),
            (
                &[("SAML_ENABLED", "true"), ("SAML_ENTITY_ID", "e"), ("SAML_SIGNON_URL", "https://x")],
                "SAML_CERTIFICATE or SAML_CERTIFICATE_FILE must be set",
            ),
            (&[("SAML_ENABLED", "true"), ("SAML_CERTIFICATE_FILE", "/hunter2")], "SAML_CERTIFICATE_FILE: no such file"),
        ] {
            let refused = read(more).expect_err(named);
            assert!(refused.contains(named) && !refused.contains("hunter2"), "{refused}");
        }
        for (more, named) in [
            (("OIDC_DISCOVER_URL", "ftp://hunter2"), "OIDC_DISCOVER_URL must be"),
            (("OIDC_DEFAULT_ROOT_ROLE", "hunter2"), "OIDC_DEFAULT_ROOT_ROLE has none"),
            (("OIDC_ID_TOKEN_SIGNING_ALGORITHM", "hunter2"), "OIDC_ID_TOKEN_SIGNING_ALGORITHM has none"),
            (("OIDC_AUTO_CREATE", "hunter2"), "OIDC_AUTO_CREATE must be true or false"),
        ] {
            let refused = with(&[more]).expect_err(named);
            assert!(refused.contains(named) && !refused.contains("hunter2"), "{refused}");
        }
    }
}
