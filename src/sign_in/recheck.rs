//! Access of people who signed in through OpenID Connect, checked again while their sessions go on: where the provider
//! gave a refresh token, it is asked every few minutes whether they may still come in.

use futures_util::{StreamExt as _, stream};

use crate::{
    config::Config,
    domain::{
        sign_in_log::{Entry, Method, Outcome},
        time::Timestamp,
    },
    providers::oidc::{self, Confirmed, Held, Recheck, Refusal},
    sign_in::{admission::ForProvider, groups, in_force, log, sealed},
    state::State,
    store::{
        self, StoreError,
        db::NoEvent,
        sign_in::{
            rechecks::{self, DueSession},
            sessions::PLACE,
        },
    },
    vault::Key,
};

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
        let settings = match in_force::oidc_protocol(state).await {
            Ok(Some(settings)) => settings,
            Ok(None) => return Ok(()),
            Err(error) => {
                tracing::error!(%error, "cannot read the settings of OpenID Connect, so access is not checked");
                return Ok(());
            }
        };
        checked += due.len();
        let tx = state.db.begin().await?;
        let claimed = rechecks::claim(&tx, due, next).await?;
        tx.commit_without_event(NoEvent::SignIn).await?;
        let key = store::settings::key_for_now(&state.db, &state.vault).await?;
        let checks = claimed.into_iter().map(|session| check(state, &settings, key, session));
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

async fn check(state: &State, settings: &oidc::Settings, key: &Key, session: DueSession) -> Result<Heard, StoreError> {
    let Some(held) = sealed::open::<ForProvider>(&state.vault, PLACE, &session.sealed) else {
        return Ok(Heard::Answer);
    };
    let (Some(refresh_token), Some(id_token)) = (&held.refresh_token, &held.id_token) else {
        return Ok(Heard::Answer);
    };
    let clock = state.clock.clone();
    let tokens = Held { refresh_token, id_token };
    let outcome = state.oidc.recheck(settings, tokens, &move || clock.now().instant()).await;
    match outcome {
        Recheck::Confirmed(confirmed) => {
            go_on(state, key, &session, held, confirmed).await?;
            Ok(Heard::Answer)
        }
        Recheck::Withdrawn(refusal) => {
            end(state, &session, refusal).await?;
            Ok(Heard::Answer)
        }
        Recheck::Unknown(refusal) => {
            let reason = refusal.reason.code();
            tracing::warn!(reason, "a login provider does not say whether people may still come in; sessions go on");
            Ok(if refusal.is_providers_fault() { Heard::Nothing } else { Heard::Answer })
        }
        Recheck::Elsewhere => Ok(Heard::Answer),
    }
}

/// Keeps the new tokens of a user who may still come in, and follows the groups.
async fn go_on(
    state: &State,
    key: &Key,
    session: &DueSession,
    held: ForProvider,
    confirmed: Confirmed,
) -> Result<(), StoreError> {
    let Confirmed { refresh_token, id_token, groups } = confirmed;
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
        Some(groups) => groups::bring_in_line(&tx, session.user_id, groups, now).await?.events,
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
async fn end(state: &State, session: &DueSession, refusal: Refusal) -> Result<(), StoreError> {
    let tx = state.db.begin().await?;
    store::users::sessions::end(&tx, &session.digest).await?;
    tx.commit_without_event(NoEvent::SignIn).await?;
    let account = store::users::find(&state.db, session.user_id).await?;
    let entry = Entry {
        reason: Some(refusal.reason.code().to_owned()),
        expected: refusal.expected,
        found: refusal.found,
        user_id: Some(session.user_id),
        subject: account.and_then(|account| account.email.or(account.username)),
        ..Entry::new(state.clock.now(), Method::Oidc, Outcome::SignedOut)
    };
    log::note(state, entry);
    Ok(())
}
