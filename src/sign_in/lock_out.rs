//! Protection against lock-out: changes after which no user could sign in and administer the instance are refused.

use std::sync::Arc;

use flagstone_domain::{
    preference::Preference as _,
    settings::{OidcSettings, ProviderSettings, SamlSettings},
    sign_in::{EnabledProviders, OpenProviders, PasswordSignIn, Provider, ProviderButton, ProviderKey},
    sign_in_policy::SignInPolicy,
    sign_in_provider::{Icon, SignInProvider},
    ways_in::Situation,
};
use flagstone_error::Error;
use flagstone_state::State;
use flagstone_store::{self as store, db::Tx};

use crate::{
    further,
    in_force::{self, NodeSettings},
    trial,
};

/// Target of lines in the log, by the part of the program: a crate is none to those who operate it.
const LOG: &str = "flagstone::sign_in::lock_out";

/// The way back that no setting takes away.
const WAY_BACK: &str = "On the machine of the server, `flagstone user sign-in-link NAME` signs somebody in, and `flagstone \
    settings passwords on` switches passwords on.";

/// Changes to the ways of signing in; what is `None` stays.
#[derive(Debug, Default)]
pub struct Wanted<'a> {
    /// The settings of OpenID Connect.
    pub oidc: Option<&'a OidcSettings>,
    /// The settings of SAML.
    pub saml: Option<&'a SamlSettings>,
    /// Policy of all providers.
    pub policy: Option<&'a SignInPolicy>,
    /// Whether people can sign in with a password.
    pub passwords: Option<PasswordSignIn>,
    /// All further providers.
    pub further: Option<&'a [SignInProvider]>,
}

/// Settings of a provider that can be wanted.
pub trait Wantable: ProviderSettings {
    /// The change to these settings, with the others as they are.
    fn wanted(&self) -> Wanted<'_>;
}

impl Wantable for OidcSettings {
    fn wanted(&self) -> Wanted<'_> {
        Wanted { oidc: Some(self), ..Wanted::default() }
    }
}

impl Wantable for SamlSettings {
    fn wanted(&self) -> Wanted<'_> {
        Wanted { saml: Some(self), ..Wanted::default() }
    }
}

/// Refuses a change of settings or policy that leaves no way to sign in which an administrator has used since it last
/// changed, unless the user who makes it has signed in by these very settings in a test. The caller has locked the
/// administrators.
pub async fn judge(state: &State, tx: &Tx, user_id: Option<i64>, wanted: &Wanted<'_>) -> Result<(), Error> {
    let before = situation(state, tx, &Wanted::default()).await?;
    let after = situation(state, tx, wanted).await?;
    let ways = store::access::administrators::ways_in(tx, state.clock.now()).await?;
    if !after.locks_out(&before, &ways) {
        return Ok(());
    }
    for proof in proofs(wanted, &before, &after)? {
        if let Some(user_id) = user_id
            && trial::let_in(state, &proof, user_id).await?
        {
            return Ok(());
        }
    }
    let rule = match (after.has_passwords_off(), after.enabled.any() && before.enabled.any()) {
        (true, _) if before.has_passwords_off() => {
            "Nobody can sign in with a password, and this would change the only login provider that an administrator has \
             signed in through: test these very settings and sign in by them first, or switch passwords on, and see that \
             an administrator has one."
        }
        (true, _) => {
            "No administrator has signed in through a login provider under its present settings, and nobody could sign in \
             with a password any more: sign in through a login provider first."
        }
        (false, true) => {
            "No administrator has a password, and this would change the only login provider that one has signed in through, \
             so that perhaps nobody could administer the instance: test these very settings and sign in by them first, or \
             give an administrator a password."
        }
        (false, false) => {
            "No administrator has a password, and this would disable the only login provider that one has signed in \
             through, so that nobody could administer the instance: give an administrator a password first."
        }
    };
    Err(Error::forbidden(format!("{rule} {WAY_BACK}")))
}

/// Digests by which a trial proves that a user gets in by what is wanted: of the settings that are, and of each further
/// provider that changes, as far as people can sign in through them afterwards.
fn proofs(wanted: &Wanted<'_>, before: &Situation, after: &Situation) -> Result<Vec<String>, Error> {
    let of_settings = [(ProviderKey::OIDC, wanted.oidc.is_some()), (ProviderKey::SAML, wanted.saml.is_some())];
    let of_settings = of_settings.iter().filter(|(key, is_wanted)| *is_wanted && after.enabled.has(key));
    let mut proofs: Vec<String> = of_settings.filter_map(|(key, _)| digest_in(after, key)).map(str::to_owned).collect();
    for provider in wanted.further.into_iter().flatten() {
        let key = provider.key();
        let stays = before.enabled.has(&key) && digest_in(before, &key) == digest_in(after, &key);
        if after.enabled.has(&key) && !stays {
            proofs.push(further::proof(provider)?);
        }
    }
    Ok(proofs)
}

fn digest_in<'a>(situation: &'a Situation, key: &ProviderKey) -> Option<&'a str> {
    situation.digests.iter().find(|(other, _)| other == key).map(|(_, digest)| digest.as_str())
}

/// Logs the way back for the operator, once passwords are switched off.
pub fn tell_way_back() {
    tracing::warn!(target: LOG, "sign-in with a password is switched off. {WAY_BACK}");
}

async fn situation(state: &State, tx: &Tx, wanted: &Wanted<'_>) -> Result<Situation, Error> {
    let stored: EnabledProviders = store::preferences::find(tx, EnabledProviders::ID).await?.unwrap_or_default();
    let stored = wanted.oidc.map_or(stored, |oidc| stored.with(Provider::Oidc, oidc.are_on()));
    let stored = wanted.saml.map_or(stored, |saml| stored.with(Provider::Saml, saml.are_on()));
    let policy = match wanted.policy {
        Some(policy) => policy.clone(),
        None => store::preferences::find(tx, SignInPolicy::ID).await?.unwrap_or_default(),
    };
    let passwords = match wanted.passwords {
        Some(passwords) => passwords,
        None => store::preferences::find(tx, PasswordSignIn::ID).await?.unwrap_or_default(),
    };
    let oidc = digest(state, tx, wanted.oidc, &policy).await?;
    let saml = digest(state, tx, wanted.saml, &policy).await?;
    let (further, further_digests) = match wanted.further {
        Some(providers) => standing(providers)?,
        None => standing_as_stored(state, tx).await?,
    };
    let mut digests = vec![(ProviderKey::OIDC, oidc), (ProviderKey::SAML, saml)];
    digests.extend(further_digests);
    let enabled = OpenProviders { of_settings: state.config.providers.enabled(stored), further: Arc::new(further) };
    Ok(Situation { enabled, passwords, digests })
}

type Standing = (Vec<ProviderButton>, Vec<(ProviderKey, String)>);

/// The further providers as they are stored. Unreadable ones admit no user.
async fn standing_as_stored(state: &State, tx: &Tx) -> Result<Standing, Error> {
    match store::sign_in::providers::list(tx, &state.vault).await {
        Ok(providers) => standing(&providers),
        Err(error) => {
            tracing::debug!(target: LOG, %error, "login providers cannot be read");
            Ok(Standing::default())
        }
    }
}

/// Returns the enabled ones of these providers, and the digests of all. Labels and order do not matter for getting in.
fn standing(providers: &[SignInProvider]) -> Result<Standing, Error> {
    let on = providers.iter().filter(|provider| provider.content.enabled);
    let button =
        |provider: &SignInProvider| ProviderButton { key: provider.key(), label: String::new(), icon: Icon::Key };
    let (mut buttons, mut digests) = (on.map(button).collect::<Vec<_>>(), further::digests(providers)?);
    buttons.sort_unstable_by(|one, other| one.key.cmp(&other.key));
    digests.sort_unstable();
    Ok((buttons, digests))
}

/// The digest of settings that are wanted, or of those in force.
async fn digest<T: NodeSettings>(
    state: &State,
    tx: &Tx,
    wanted: Option<&T>,
    policy: &SignInPolicy,
) -> Result<String, Error> {
    let settings = match (T::of(&state.config.providers), wanted) {
        (Some(settings), _) | (None, Some(settings)) => settings.clone(),
        // Unreadable settings admit no user.
        (None, None) => match store::settings::get::<T>(tx, &state.vault).await {
            Ok(settings) => settings,
            Err(error) => {
                tracing::debug!(target: LOG, %error, "settings of a login provider cannot be read");
                return Ok(String::new());
            }
        },
    };
    in_force::digest(&settings, policy)
}
