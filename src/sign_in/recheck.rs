//! Access of people who signed in through OpenID Connect, checked again while their sessions go on: where the provider
//! gave a refresh token, it is asked every few minutes whether they may still come in.

use std::collections::{HashMap, HashSet};

use flagstone_config::Config;
use flagstone_domain::{
    identity,
    sign_in::ProviderKey,
    sign_in_log::{Entry, Method, Outcome},
    time::Timestamp,
};
use flagstone_error::Error;
use flagstone_providers::{
    groups::Groups,
    oidc::{self, Confirmed, Held, Recheck},
};
use flagstone_state::State;
use flagstone_store::{
    self as store, StoreError,
    db::NoEvent,
    sign_in::{
        rechecks::{self, DueSession},
        sessions::PLACE,
    },
};
use flagstone_vault::Key;
use futures_util::{StreamExt as _, stream};

use crate::{Refused, admission::ForProvider, groups, in_force, log, rules::Rules, sealed};

/// Target of lines in the log, by the part of the program: a crate is none to those who operate it.
const LOG: &str = "flagstone::sign_in::recheck";

/// Sessions that are taken up at once.
const BATCH: u64 = 50;
/// Most sessions of one run, so that it ends.
const MOST: usize = 2000;
/// Sessions whose providers are asked at the same time.
const AT_ONCE: usize = 4;
const MINUTE_MS: i64 = 60_000;

/// Returns what is kept of a new session for its provider, and when its access is checked for the first time. Where
/// that is off, no refresh token is kept.
pub fn prepared(config: &Config, held: ForProvider, now: Timestamp) -> (ForProvider, Option<Timestamp>) {
    let check_at = held.refresh_token.as_ref().and(next(config, now));
    let refresh_token = held.refresh_token.filter(|_| check_at.is_some());
    (ForProvider { refresh_token, ..held }, check_at)
}

fn next(config: &Config, now: Timestamp) -> Option<Timestamp> {
    let minutes = config.access_check_minutes;
    (minutes > 0).then(|| now.plus_millis(minutes.saturating_mul(MINUTE_MS)))
}

/// Outcome of a check, as far as it concerns the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Heard {
    /// The provider answered.
    Answer,
    /// It did not.
    Nothing,
}

/// Checks the access of all whose check is due. While the provider does not answer, sessions go on until their ordinary
/// end, and are checked again in as many minutes.
pub async fn check_due(state: &State) -> Result<(), StoreError> {
    let mut checked = 0;
    while checked < MOST {
        let now = state.clock.now();
        let Some(next) = next(&state.config, now) else { return Ok(()) };
        let due = rechecks::due(&state.db, now, BATCH).await?;
        if due.is_empty() {
            return Ok(());
        }
        let providers = providers(state, &due).await;
        checked += due.len();
        let tx = state.db.begin().await?;
        let claimed = rechecks::claim(&tx, due, next).await?;
        tx.commit_without_event(NoEvent::SignIn).await?;
        let key = store::settings::key_for_now(&state.db, &state.vault).await?;
        let checks = claimed.into_iter().filter_map(|session| {
            // Sessions of a provider that is off or gone end with it, and are none of another one.
            let provider = providers.get(&session.provider)?;
            Some(check(state, provider, key, session))
        });
        let heard: Vec<Result<Heard, StoreError>> = stream::iter(checks).buffer_unordered(AT_ONCE).collect().await;
        let mut is_silent = false;
        for heard in heard {
            is_silent |= heard? == Heard::Nothing;
        }
        if is_silent {
            return Ok(());
        }
    }
    Ok(())
}

/// A provider that is asked.
struct Asked {
    settings: oidc::Settings,
    rules: Rules,
}

/// The providers of sessions, as far as people can sign in through them. One whose settings cannot be read stops no
/// other.
async fn providers(state: &State, due: &[DueSession]) -> HashMap<ProviderKey, Asked> {
    let keys: HashSet<&ProviderKey> = due.iter().map(|session| &session.provider).collect();
    let mut providers = HashMap::new();
    for key in keys {
        match asked(state, key).await {
            Ok(asked) => providers.extend(asked.map(|asked| (key.clone(), asked))),
            Err(error) => {
                let provider = key.to_string();
                tracing::error!(
                    target: LOG,
                    provider,
                    %error,
                    "cannot read the settings of a login provider, so access is not checked"
                );
            }
        }
    }
    providers
}

/// Returns a provider to ask; `None` for one that is off or gone.
async fn asked(state: &State, key: &ProviderKey) -> Result<Option<Asked>, Error> {
    let Some(in_force) = in_force::find_oidc(state, key).await? else { return Ok(None) };
    Ok(Some(Asked { settings: in_force.protocol(state).await?, rules: in_force.rules }))
}

async fn check(state: &State, asked: &Asked, key: &Key, session: DueSession) -> Result<Heard, StoreError> {
    let Some(held) = sealed::open::<ForProvider>(&state.vault, PLACE, &session.sealed) else {
        return Ok(Heard::Answer);
    };
    let (Some(refresh_token), Some(id_token)) = (&held.refresh_token, &held.id_token) else {
        return Ok(Heard::Answer);
    };
    let clock = state.clock.clone();
    let tokens = Held { refresh_token, id_token };
    let outcome = state.oidc.recheck(&asked.settings, tokens, &move || clock.now().instant()).await;
    match outcome {
        Recheck::Confirmed(confirmed) if has_lost_required_group(&asked.rules, &confirmed) => {
            end(state, &session, identity::Refusal::RequiredGroup.into()).await?;
            Ok(Heard::Answer)
        }
        Recheck::Confirmed(confirmed) => {
            go_on(state, asked, key, &session, held, confirmed).await?;
            Ok(Heard::Answer)
        }
        Recheck::Withdrawn(refusal) => {
            end(state, &session, refusal.into()).await?;
            Ok(Heard::Answer)
        }
        Recheck::Unknown(refusal) => {
            let reason = refusal.reason.code();
            tracing::warn!(
                target: LOG,
                reason,
                "a login provider does not say whether people may still come in; sessions go on"
            );
            Ok(if refusal.is_providers_fault() { Heard::Nothing } else { Heard::Answer })
        }
        Recheck::Elsewhere => Ok(Heard::Answer),
    }
}

/// Whether the provider states the groups of a user, and none of them is one that the rules require.
fn has_lost_required_group(rules: &Rules, confirmed: &Confirmed) -> bool {
    let are_told = matches!(confirmed.groups, Some(Groups::Names(_) | Groups::Absent));
    are_told && rules.judge_groups(confirmed.groups.as_ref()).is_err()
}

/// Keeps the new tokens of a user who may still come in, and follows the groups.
async fn go_on(
    state: &State,
    asked: &Asked,
    key: &Key,
    session: &DueSession,
    held: ForProvider,
    confirmed: Confirmed,
) -> Result<(), StoreError> {
    let Confirmed { refresh_token, id_token, groups } = confirmed;
    let groups = groups.filter(|_| asked.rules.syncs_groups);
    let has_new_tokens = refresh_token.is_some() || id_token.is_some();
    if !has_new_tokens && groups.is_none() {
        return Ok(());
    }
    let now = state.clock.now();
    let tx = state.db.begin().await?;
    let account = store::users::hold(&tx, session.user_id).await?;
    if account.is_none_or(|account| account.deactivated_at.is_some()) {
        return Ok(());
    }
    // Why groups stay as they are is told by the log when the user signs in, and not every few minutes.
    let events = match &groups {
        Some(groups) => groups::bring_in_line(&tx, session.user_id, &session.provider, groups, now).await?.events,
        None => Vec::new(),
    };
    if has_new_tokens {
        let kept = ForProvider {
            refresh_token: refresh_token.or(held.refresh_token),
            id_token: id_token.or(held.id_token),
            ..ForProvider::default()
        };
        let Ok(sealed) = sealed::seal(key, PLACE, &kept) else { return Ok(()) };
        rechecks::replace_sealed(&tx, &session.digest, &sealed).await?;
    }
    if events.is_empty() && !has_new_tokens {
        return Ok(());
    }
    if events.is_empty() {
        return tx.commit_without_event(NoEvent::SignIn).await;
    }
    tx.commit(now, events).await?;
    Ok(())
}

/// Ends the session of a user who may not come in any more.
async fn end(state: &State, session: &DueSession, refused: Refused) -> Result<(), StoreError> {
    let tx = state.db.begin().await?;
    store::users::sessions::end(&tx, &session.digest).await?;
    tx.commit_without_event(NoEvent::SignIn).await?;
    let account = store::users::find(&state.db, session.user_id).await?;
    let entry = Entry {
        reason: Some(refused.reason.to_owned()),
        expected: refused.expected,
        found: refused.found,
        provider_id: session.provider.id.clone(),
        user_id: Some(session.user_id),
        subject: account.and_then(|account| account.email.or(account.username)),
        ..Entry::new(state.clock.now(), Method::Oidc, Outcome::SignedOut)
    };
    log::note(state, entry);
    Ok(())
}
