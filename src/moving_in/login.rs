//! Settings of login providers, as other servers keep them.

use flagstone_domain::settings::{OidcSettings, ProviderSettings, SamlSettings};
use poem_openapi::types::ParseFromJSON;
use serde_json::{Value, json};

use super::{Finding, neutral::Settings};

/// Text in an answer in the place of a secret that is not shown.
const MASK: &str = "***";

/// Takes the settings of the login provider with this id, if it is one that exists here.
pub(super) fn read_login(id: &str, content: &Value, settings: &mut Settings, findings: &mut Vec<Finding>) {
    match id {
        OidcSettings::ID => settings.oidc = read(content, findings),
        SamlSettings::ID => settings.saml = read(content, findings),
        id => {
            let reason = "there is no such login provider here: set it up as one that speaks OpenID Connect or SAML";
            findings.push(Finding::left_out("setting", id, reason));
        }
    }
}

/// Settings that people can sign in by where that was so and all of it is there, and settings that are kept otherwise.
fn read<T: ProviderSettings + ParseFromJSON>(content: &Value, findings: &mut Vec<Finding>) -> Option<T> {
    let mut content = content.clone();
    let unknown =
        || Finding::left_out("setting", T::ID, "has a form that is not known: set the login provider up anew");
    let Some(members) = content.as_object_mut() else {
        findings.push(unknown());
        return None;
    };
    let is_masked = members.get("secret").and_then(Value::as_str).is_some_and(|secret| secret.starts_with(MASK));
    // Forms send a text that is not set as an empty one.
    let is_unset = |value: &Value| value.is_null() || value == "";
    members.retain(|name, value| !(is_unset(value) || is_masked && name == "secret"));
    let whole = T::parse_from_json(Some(content.clone())).map(T::stored);
    if let Ok(settings) = whole {
        return Some(settings);
    }
    content["enabled"] = json!(false);
    let Ok(settings) = T::parse_from_json(Some(content)).map(T::stored) else {
        findings.push(unknown());
        return None;
    };
    let reason = if is_masked {
        "is switched off: its secret is not told; enter it, and switch it on"
    } else {
        "is switched off: something that it needs is missing or has another form; look it through, and switch it on"
    };
    findings.push(Finding::changed("setting", T::ID, reason));
    Some(settings)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(id: &str, content: &Value) -> (Settings, Vec<Finding>) {
        let (mut settings, mut findings) = (Settings::default(), Vec::new());
        read_login(id, content, &mut settings, &mut findings);
        (settings, findings)
    }

    #[test]
    fn whole_settings_come_as_they_are() {
        let content = json!({
            "enabled": true, "clientId": "c", "secret": "s", "discoverUrl": "https://id.example.test", "acrValues": null, "emailDomains": "",
            "idTokenSigningAlgorithm": "RS384", "somethingNew": 1,
        });
        let (settings, findings) = told(OidcSettings::ID, &content);
        let Some(OidcSettings::On(on)) = settings.oidc else { panic!("off") };
        assert_eq!((on.client_id.as_str(), on.secret.as_str()), ("c", "s"));
        assert!(on.acr_values.is_none() && on.email_domains.is_none() && findings.is_empty(), "{findings:?}");
    }

    #[test]
    fn what_lacks_something_is_kept_switched_off() {
        for (content, word) in [
            (json!({ "enabled": true, "clientId": "c", "secret": "*****" }), "not told"),
            (json!({ "enabled": true, "clientId": "c" }), "missing"),
        ] {
            let (settings, findings) = told(OidcSettings::ID, &content);
            let Some(OidcSettings::Off(off)) = settings.oidc else { panic!("on") };
            assert_eq!((off.client_id.as_deref(), off.secret), (Some("c"), None));
            assert!(findings[0].reason.contains(word), "{findings:?}");
        }
    }

    #[test]
    fn what_cannot_be_kept_is_left_out() {
        let (settings, findings) = told(SamlSettings::ID, &json!("off"));
        assert!(settings.saml.is_none() && findings[0].reason.contains("not known"), "{findings:?}");
        let (_, findings) = told("unleash.auth.google", &json!({ "enabled": true }));
        assert!(findings[0].reason.contains("no such login provider"), "{findings:?}");
    }
}
