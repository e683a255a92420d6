//! Secrets of login settings that answers do not show.

use super::ProviderSettings;

/// Mask of a secret that is not shown. Sent back it means the one that is stored.
pub const MASK: &str = "********";

/// Reason why a mask cannot be taken for the secret that is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MaskFault {
    /// None is stored.
    NothingStored,
    /// It would go to another server than the one that it is for.
    OtherServer,
}

impl MaskFault {
    /// The rest of a sentence about the property.
    pub const fn rule(self) -> &'static str {
        match self {
            Self::NothingStored => "is masked, and none is stored that the mask could stand for: give the secret",
            Self::OtherServer => "is masked, and would be sent to another server than before: give the secret again",
        }
    }
}

/// The settings with a mask in the place of their secret, if they have one.
#[must_use]
pub fn masked<T: ProviderSettings>(mut settings: T) -> T {
    if settings.secret().is_some_and(|secret| !secret.is_empty()) {
        settings.set_secret(MASK.to_owned());
    }
    settings
}

/// The settings with the secret that is stored in the place of a mask.
pub fn unmasked<T: ProviderSettings>(mut wanted: T, stored: &T) -> Result<T, MaskFault> {
    if wanted.secret() != Some(MASK) {
        return Ok(wanted);
    }
    let secret = stored.secret().filter(|secret| !secret.is_empty()).ok_or(MaskFault::NothingStored)?;
    if wanted.destination() != stored.destination() {
        return Err(MaskFault::OtherServer);
    }
    wanted.set_secret(secret.to_owned());
    Ok(wanted)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::settings::{OidcSettings, SamlSettings};

    fn oidc(secret: &str, discover_url: &str) -> OidcSettings {
        let settings = json!({ "enabled": true, "clientId": "c", "secret": secret, "discoverUrl": discover_url });
        serde_json::from_value(settings).expect("settings")
    }

    fn saml(key: Option<&str>) -> SamlSettings {
        let settings = json!({ "enabled": false, "entityId": "e", "spCertificate": key });
        serde_json::from_value(settings).expect("settings")
    }

    #[test]
    fn a_mask_stands_for_the_secret_that_is_stored_and_goes_nowhere_else() {
        let stored = oidc("s3cret", "https://id.example.com");
        let shown = masked(stored.clone());
        assert_eq!(shown.secret(), Some(MASK));
        assert!(unmasked(shown, &stored) == Ok(stored.clone()));
        let elsewhere = oidc(MASK, "https://evil.example.com");
        assert!(unmasked(elsewhere, &stored) == Err(MaskFault::OtherServer));
        let anew = oidc("other", "https://evil.example.com");
        assert!(unmasked(anew.clone(), &stored) == Ok(anew));
        assert!(unmasked(oidc(MASK, "https://id.example.com"), &OidcSettings::off()) == Err(MaskFault::NothingStored));
        // The key of SAML signs here, and is sent to nobody.
        let stored = saml(Some("-----BEGIN PRIVATE KEY-----"));
        assert!(unmasked(masked(stored.clone()), &stored) == Ok(stored));
        assert_eq!(masked(saml(None)).secret(), None);
    }
}
