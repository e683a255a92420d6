//! Trials of a login provider's settings before they are in force: the administrator signs in by them, gets no session,
//! and sees the result that a sign-in would have. Nothing else is stored, and that only for a quarter of an hour.

use flagstone_domain::{
    group_sync,
    identity::{self, Arrival, Refusal},
    opaque_debug, secret,
    settings::{OidcOn, OidcSettings, SamlOn, SamlSettings},
    sign_in::ProviderKey,
    sign_in_provider::SignInProvider,
};
use flagstone_error::Error;
use flagstone_providers::groups::Groups;
use flagstone_state::State;
use flagstone_store::{self as store, db::Tx};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{
    Refused, access_requests,
    admission::VerifiedIdentity,
    further::{self, InForceOf},
    in_force::InForce,
    rules::Rules,
    sealed,
};

/// Lifetime of a trial.
pub const LASTS_MS: i64 = 15 * 60_000;
/// Trials are sealed for this place.
const PLACE: &str = "sign-in-trial";

/// Settings that are tried out, of either kind or of a further provider.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tried {
    /// Settings of OpenID Connect.
    Oidc(OidcSettings),
    /// Settings of SAML.
    Saml(SamlSettings),
    /// A further provider as it would be.
    Further(Box<SignInProvider>),
}

impl Tried {
    /// Key of the provider.
    pub fn key(&self) -> ProviderKey {
        match self {
            Self::Oidc(_) => ProviderKey::OIDC,
            Self::Saml(_) => ProviderKey::SAML,
            Self::Further(provider) => provider.key(),
        }
    }
}

/// A trial. Printing it shows nothing.
#[derive(Clone, Serialize, Deserialize)]
pub struct Trial {
    /// The settings.
    pub tried: Tried,
    /// Outcome; `None` until the provider's answer arrives.
    pub outcome: Option<TrialOutcome>,
}

opaque_debug!(Trial);

/// Result of a test.
#[expect(clippy::large_enum_variant, reason = "there is one at a time, and not for long")]
#[derive(Clone, Serialize, Deserialize)]
pub enum TrialOutcome {
    /// The provider's word would count.
    Vouched {
        /// Claims of the provider.
        claims: Map<String, Value>,
        /// The user who would be signed in; `None` for one to be created, or if the sign-in would be refused.
        user_id: Option<i64>,
        /// The email.
        email: String,
        /// The name, if the provider gives one.
        name: Option<String>,
        /// Id of the root role that the user has, or would get.
        root_role_id: Option<i64>,
        /// Code of the refusal, if the sign-in would be refused.
        refusal: Option<String>,
        /// The groups from the provider; `None` while the settings do not ask.
        groups: Option<ToldGroups>,
        /// Digest of the settings and the policy under which it was, or of all that administrators set of a further
        /// provider.
        #[serde(default)]
        settings: String,
    },
    /// The provider's word would be refused.
    Refused {
        /// A code of a closed list.
        reason: String,
        /// Expected value, where that is no secret.
        expected: Option<String>,
        /// Actual value.
        found: Option<String>,
    },
}

opaque_debug!(TrialOutcome);

impl From<Refused> for TrialOutcome {
    fn from(refused: Refused) -> Self {
        let Refused { reason, expected, found, .. } = refused;
        Self::Refused { reason: reason.to_owned(), expected, found }
    }
}

/// Changes of a user's groups.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct ToldGroups {
    /// Groups from the provider.
    pub received: Vec<String>,
    /// Names of the groups to join.
    pub joined: Vec<String>,
    /// Names of the groups to leave.
    pub left: Vec<String>,
    /// Groups from the provider that are not mapped to any group here.
    pub unmapped: Vec<String>,
    /// Code of the problem, if the provider's groups are unusable.
    pub problem: Option<String>,
}

/// Previews a sign-in by the settings of a trial. Nothing is stored.
pub async fn preview(
    state: &State,
    verified: &VerifiedIdentity,
    rules: &Rules,
    claims: Map<String, Value>,
) -> Result<TrialOutcome, Error> {
    let VerifiedIdentity { subject, email, name, groups, .. } = verified;
    let tx = state.db.begin().await?;
    let now = state.clock.now();
    let recognised = match rules.judge_groups(groups.as_ref()) {
        Ok(()) => {
            let known = store::sign_in::identities::find(&tx, subject, email, now).await?;
            match identity::recognise(known, rules.newcomers.judge(email, verified.has_verified_email)) {
                Err(Refusal::AccessRequested) => Err(access_requests::preview(&tx, verified, now).await?),
                recognised => recognised,
            }
        }
        Err(refusal) => Err(refusal),
    };
    // The user who would be signed in; none for one to be created.
    let admitted = match recognised {
        Ok(Arrival::Returns(id) | Arrival::Links(id) | Arrival::Relinks(id)) => {
            match store::users::find(&tx, id).await? {
                None => Err(Refusal::AccountRemoved),
                Some(account) if account.deactivated_at.is_some() => Err(Refusal::AccountInactive),
                Some(account) => Ok(Some(account)),
            }
        }
        Ok(Arrival::BecomesUser) => Ok(None),
        Err(refusal) => Err(refusal),
    };
    let (user_id, root_role_id, refusal) = match &admitted {
        Ok(Some(account)) => (Some(account.id), Some(account.root_role_id), None),
        Ok(None) => (None, Some(rules.newcomers.root_role_id(&tx, &claims).await?), None),
        Err(refusal) => (None, None, Some(refusal.code().to_owned())),
    };
    let groups = match groups {
        None => None,
        Some(Groups::Unusable(problem)) => {
            Some(ToldGroups { problem: Some(problem.code().to_owned()), ..ToldGroups::default() })
        }
        Some(Groups::Absent) => Some(told_groups(&tx, rules, user_id, &subject.provider, &[]).await?),
        Some(Groups::Names(names)) => Some(told_groups(&tx, rules, user_id, &subject.provider, names).await?),
    };
    Ok(TrialOutcome::Vouched {
        claims,
        user_id,
        email: email.clone(),
        name: name.clone(),
        root_role_id,
        refusal,
        groups,
        settings: rules.digest.clone(),
    })
}

async fn told_groups(
    tx: &Tx,
    rules: &Rules,
    user_id: Option<i64>,
    provider: &ProviderKey,
    names: &[String],
) -> Result<ToldGroups, Error> {
    if !rules.syncs_groups {
        // They decide about admission, and change no membership.
        return Ok(ToldGroups { received: names.to_vec(), ..ToldGroups::default() });
    }
    let groups = store::sign_in::memberships::mapped_groups(tx, user_id, provider).await?;
    let changes = group_sync::sync(names, &groups);
    let called = |ids: &[i64]| {
        let wanted = groups.iter().filter(|group| ids.contains(&group.id));
        wanted.map(|group| group.name.clone()).collect()
    };
    Ok(ToldGroups {
        joined: called(&changes.joins),
        left: called(&changes.leaves),
        received: names.to_vec(),
        unmapped: changes.unmapped,
        problem: None,
    })
}

/// Begins a trial and returns its id, which cannot be guessed.
pub async fn begin(state: &State, tried: Tried) -> Result<String, Error> {
    let id = secret::random_part();
    let sealed = sealed::seal(sealed::key(state).await?, PLACE, &Trial { tried, outcome: None })?;
    let now = state.clock.now();
    let tx = state.db.begin().await?;
    store::sign_in::sealed::insert_trial(&tx, &id, &sealed, now.plus_millis(LASTS_MS)).await?;
    tx.commit_without_event(store::db::NoEvent::SignIn).await?;
    Ok(id)
}

/// A trial that is not over.
async fn find(state: &State, id: &str) -> Result<Option<Trial>, Error> {
    let sealed = store::sign_in::sealed::find_trial(&state.db, id, state.clock.now()).await?;
    Ok(sealed.and_then(|sealed| sealed::open(&state.vault, PLACE, &sealed)))
}

/// Error of a trial that is over, or of another provider.
fn missing() -> Error {
    Error::NotFound("There is no such trial, or it is over.".to_owned())
}

/// A trial of a provider of OpenID Connect, and its settings as if they were in force: 404 when it is over.
pub async fn required_oidc(state: &State, provider: &ProviderKey, id: &str) -> Result<(Trial, InForce<OidcOn>), Error> {
    let trial = required(state, provider, id).await?;
    let in_force = in_force(state, &trial.tried).await?.and_then(InForceOf::oidc);
    Ok((trial, in_force.ok_or_else(missing)?))
}

/// A trial of a provider of SAML, and its settings as if they were in force: 404 when it is over.
pub async fn required_saml(state: &State, provider: &ProviderKey, id: &str) -> Result<(Trial, InForce<SamlOn>), Error> {
    let trial = required(state, provider, id).await?;
    let in_force = in_force(state, &trial.tried).await?.and_then(InForceOf::saml);
    Ok((trial, in_force.ok_or_else(missing)?))
}

/// The settings of a trial of the further provider with this id, as if they were in force: 404 when it is over.
pub async fn required_further(state: &State, provider_id: &str, id: &str) -> Result<InForceOf, Error> {
    let trial = required_of(state, provider_id, id).await?;
    in_force(state, &trial.tried).await?.ok_or_else(missing)
}

/// Returns a trial of the further provider with this id: 404 when it is over, or of another one.
pub async fn required_of(state: &State, provider_id: &str, id: &str) -> Result<Trial, Error> {
    let is_of_provider = |trial: &Trial| trial.tried.key().id.as_deref() == Some(provider_id);
    find(state, id).await?.filter(is_of_provider).ok_or_else(missing)
}

/// Returns a trial of a provider: 404 when it is over, or of another one.
pub async fn required(state: &State, provider: &ProviderKey, id: &str) -> Result<Trial, Error> {
    find(state, id).await?.filter(|trial| trial.tried.key() == *provider).ok_or_else(missing)
}

/// Returns the settings of a trial as if they were in force; `None` while they are off.
async fn in_force(state: &State, tried: &Tried) -> Result<Option<InForceOf>, Error> {
    Ok(match tried {
        Tried::Oidc(settings) => InForce::of(state, settings).await?.map(InForceOf::Oidc),
        Tried::Saml(settings) => InForce::of(state, settings).await?.map(InForceOf::Saml),
        Tried::Further(provider) => Some(further::tried(state, provider).await?),
    })
}

/// Notes what came of a trial.
pub async fn finish(state: &State, id: &str, trial: Trial, outcome: TrialOutcome) -> Result<(), Error> {
    let trial = Trial { outcome: Some(outcome), ..trial };
    let sealed = sealed::seal(sealed::key(state).await?, PLACE, &trial)?;
    let tx = state.db.begin().await?;
    store::sign_in::sealed::save_trial(&tx, id, &sealed).await?;
    tx.commit_without_event(store::db::NoEvent::SignIn).await?;
    Ok(())
}

/// Whether a trial of these very settings, under this very policy, would have let this user in.
pub async fn let_in(state: &State, digest: &str, user_id: i64) -> Result<bool, Error> {
    let now = state.clock.now();
    for sealed in store::sign_in::sealed::trials(&state.db, now).await? {
        let Some(trial) = sealed::open::<Trial>(&state.vault, PLACE, &sealed) else { continue };
        let is_them = matches!(
            &trial.outcome,
            Some(TrialOutcome::Vouched { user_id: Some(id), refusal: None, settings, .. })
                if *id == user_id && settings == digest
        );
        if is_them {
            return Ok(true);
        }
    }
    Ok(false)
}
