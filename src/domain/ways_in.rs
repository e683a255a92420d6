//! Protection against lockout: no change of settings or policy leaves an instance without a way in that at least one
//! administrator has walked through since it last changed.

use crate::sign_in::{OpenProviders, PasswordSignIn, ProviderKey};

/// Ways in of the administrators.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AdministratorWays {
    /// Whether one has a password.
    pub have_password: bool,
    /// Whether one has a personal token that has not ended: it mends settings, too.
    pub have_token: bool,
    /// Login providers through which one came, and the digest of the settings and the policy under which they did last.
    pub walked: Vec<(ProviderKey, String)>,
}

/// Settings that decide which ways in are open.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Situation {
    /// Login providers through which users can sign in.
    pub enabled: OpenProviders,
    /// Whether they can with a password.
    pub passwords: PasswordSignIn,
    /// Digests of the settings and the policy of each provider.
    pub digests: Vec<(ProviderKey, String)>,
}

impl Situation {
    /// Whether signing in with a password is off.
    pub fn has_passwords_off(&self) -> bool {
        self.passwords.is_off(&self.enabled)
    }

    /// Whether one of the administrators gets in. A personal token alone counts only next to passwords: it cannot be
    /// given out in a hurry.
    pub fn lets_in(&self, ways: &AdministratorWays) -> bool {
        let by_password = !self.has_passwords_off() && (ways.have_password || ways.have_token);
        by_password || ways.walked.iter().any(|way| self.enabled.has(&way.0) && self.digests.contains(way))
    }

    /// Whether a change from another situation to this one leaves no way in. Where there was none before, nothing gets
    /// worse, unless passwords are off: then it would be done blindly.
    pub fn locks_out(&self, before: &Self, ways: &AdministratorWays) -> bool {
        self != before && !self.lets_in(ways) && (before.lets_in(ways) || self.has_passwords_off())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sign_in::{EnabledProviders, Provider};

    fn situation(oidc: Option<&str>, saml: Option<&str>, disabled: bool) -> Situation {
        let digests = [(ProviderKey::OIDC, oidc), (ProviderKey::SAML, saml)];
        let of_settings = EnabledProviders { oidc: oidc.is_some(), saml: saml.is_some() };
        Situation {
            enabled: OpenProviders { of_settings, ..OpenProviders::default() },
            passwords: PasswordSignIn { disabled },
            digests: digests
                .into_iter()
                .filter_map(|(provider, digest)| Some((provider, digest?.to_owned())))
                .collect(),
        }
    }

    fn through(walked: &[(Provider, &str)]) -> AdministratorWays {
        let walked =
            walked.iter().map(|(protocol, digest)| (ProviderKey::of_settings(*protocol), (*digest).to_owned()));
        let walked = walked.collect();
        AdministratorWays { walked, ..AdministratorWays::default() }
    }

    #[test]
    fn what_changed_since_an_administrator_walked_through_is_no_way_in() {
        use Provider::{Oidc, Saml};
        let by_oidc = through(&[(Oidc, "a")]);
        let both = through(&[(Oidc, "a"), (Saml, "s")]);
        let with_password = AdministratorWays { have_password: true, ..through(&[]) };
        let with_token = AdministratorWays { have_token: true, ..through(&[]) };
        let (oidc, nothing) = (situation(Some("a"), None, true), situation(None, None, false));
        for (ways, before, after, locks_out) in [
            // The only provider changes, goes, or is pointed elsewhere beside another that nobody has tried.
            (&by_oidc, oidc.clone(), situation(Some("b"), None, true), true),
            (&by_oidc, oidc.clone(), situation(None, None, true), true),
            (&by_oidc, oidc.clone(), situation(Some("a"), Some("s"), true), false),
            (&by_oidc, situation(Some("a"), Some("s"), true), situation(Some("b"), Some("s"), true), true),
            (&both, situation(Some("a"), Some("s"), true), situation(Some("b"), Some("s"), true), false),
            (&both, situation(Some("a"), Some("s"), true), situation(Some("b"), Some("t"), true), true),
            // Passwords count while they let people in.
            (&with_password, situation(Some("a"), None, false), situation(Some("b"), None, false), false),
            (&with_password, situation(Some("a"), None, false), oidc.clone(), true),
            (&with_token, situation(Some("a"), None, false), nothing.clone(), false),
            (&with_token, oidc.clone(), situation(Some("b"), None, true), true),
            // Passwords are on, and no administrator has one.
            (&by_oidc, situation(Some("a"), None, false), situation(Some("b"), None, false), true),
            (&by_oidc, situation(Some("a"), None, false), nothing.clone(), true),
            // Nobody got in before.
            (&through(&[]), nothing.clone(), situation(Some("a"), None, false), false),
            (&through(&[]), situation(Some("a"), None, false), situation(Some("b"), None, false), false),
            (&through(&[]), oidc.clone(), situation(Some("b"), None, true), true),
            // The way back is never barred.
            (&through(&[]), oidc.clone(), situation(Some("a"), None, false), false),
            (&through(&[]), oidc.clone(), oidc.clone(), false),
        ] {
            assert_eq!(after.locks_out(&before, ways), locks_out, "{ways:?} {before:?} {after:?}");
        }
    }
}
