//! Passkeys of users: registered, renamed and removed by their users, and for signing in without a password. Beside the
//! password they are a [second factor](super::second_factor).

mod ceremony;

use flagstone_accounts::{self as accounts, SecondFactorChange};
use flagstone_clock as clock;
use flagstone_domain::{
    identity, opaque_debug,
    passkey::{MOST, Passkey, Refusal},
    second_factor::Kind,
    sign_in_log::{Entry, Method, Outcome},
};
use flagstone_error::Error;
use flagstone_state::State;
use flagstone_store::{
    self as store,
    access::people::Account,
    db::NoEvent,
    users::{passkeys::NewPasskey, second_factors::place},
};
use serde::{Deserialize, Serialize};
use uuid::Uuid;
use webauthn_rs::prelude::{CreationChallengeResponse, PasskeyRegistration, RegisterPublicKeyCredential};

pub(super) use self::ceremony::prove;
pub use self::ceremony::{Challenge, PasskeyAnswer, TakenChallenge, begin_proof};
use self::ceremony::{Content, credential_digest, keep, open, refusal_of, take, webauthn};
use crate::{
    browser::{BegunSession, Browser},
    log, sealed,
    second_factor::{
        Owner, Proof, count, give_back, give_recovery_codes, hold, label_of, pass, prove_password, require,
    },
};

/// Registrations are sealed for this place, whose name also keeps their tickets apart from others.
const REGISTRATION: &str = "passkey-registration";

/// A registration that has begun.
#[derive(Serialize, Deserialize)]
struct Registration {
    user_id: i64,
    handle: Uuid,
    ceremony: PasskeyRegistration,
}

/// A passkey that was registered. Printing it does not show the recovery codes.
pub struct Registered {
    /// The passkey.
    pub passkey: Passkey,
    /// Recovery codes, for the first second factor of a user; none for a further one.
    pub recovery_codes: Vec<String>,
}

opaque_debug!(Registered { passkey, .. });

/// Begins the registration of a passkey of a user who proves the password and, if they have a second factor, that.
pub async fn begin_registration(
    state: &State,
    owner: &Owner<'_>,
    password: String,
    proof: Option<Proof>,
) -> Result<Challenge<CreationChallengeResponse>, Error> {
    let webauthn = webauthn(&state.config)?;
    let hash = prove_password(state, owner.id, password).await?;
    let proof = count(state, owner.id, proof).await?;
    let now = state.clock.now();
    let tx = state.db.begin().await?;
    let account = hold(&tx, owner.id, Some(&hash)).await?;
    pass(&tx, state, account.id, proof.as_ref(), now).await?;
    let registered = store::users::passkeys::list_stored(&tx, account.id).await?;
    refuse_more_than_most(registered.len())?;
    tx.commit_without_event(NoEvent::SignIn).await?;
    let contents: Vec<Content> = registered.iter().filter_map(|stored| Some(open(&state.vault, stored)?.0)).collect();
    // One handle for all passkeys of a user: an authenticator keeps one passkey under it.
    let handle = contents.first().map_or_else(clock::new_uuid, |content| content.handle);
    let known = contents.iter().map(|content| content.passkey.cred_id().clone()).collect();
    let label = label_of(&account);
    let name = account.name.as_deref().filter(|name| !name.is_empty()).unwrap_or(&label);
    let (options, ceremony) =
        webauthn.start_passkey_registration(handle, &label, name, Some(known)).map_err(Error::internal)?;
    let id = keep(state, REGISTRATION, &Registration { user_id: account.id, handle, ceremony }).await?;
    give_back(state, owner.id, proof.as_ref());
    Ok(Challenge { id, options })
}

fn refuse_more_than_most(passkeys: usize) -> Result<(), Error> {
    if passkeys < MOST {
        return Ok(());
    }
    Err(Error::ExceedsLimit(format!("You have {MOST} passkeys, which is as many as can be: remove one first.")))
}

/// Registers the passkey that answered the challenge of a registration, and returns it with the recovery codes, which
/// are shown here and never again. The first second factor of a user ends their other sessions, which came in without
/// it. 401 for an answer that proves nothing, 409 for a passkey that is registered already.
pub async fn register(
    state: &State,
    owner: &Owner<'_>,
    name: &str,
    challenge_id: &str,
    credential: &RegisterPublicKeyCredential,
) -> Result<Registered, Error> {
    let webauthn = webauthn(&state.config)?;
    state.attempts.second_factor.count(&owner.id)?;
    let registration: Option<Registration> = take(state, REGISTRATION, challenge_id).await?;
    let registration = registration
        .filter(|registration| registration.user_id == owner.id)
        .ok_or(Error::PasskeyMismatch(Refusal::Challenge))?;
    let passkey =
        webauthn.finish_passkey_registration(credential, &registration.ceremony).map_err(|error| refusal_of(&error))?;
    let now = state.clock.now();
    let tx = state.db.begin().await?;
    let key = sealed::lasting_key(&tx, &state.vault, now).await?;
    let account = hold(&tx, owner.id, None).await?;
    let before = store::users::second_factors::in_use(&tx, account.id).await?;
    refuse_more_than_most(before.iter().filter(|factor| factor.kind == Kind::Passkey).count())?;
    let credential_digest = credential_digest(passkey.cred_id());
    let content = Content { handle: registration.handle, passkey };
    let new = NewPasskey {
        user_id: account.id,
        name,
        credential_digest: &credential_digest,
        sealed: &sealed::seal(key, &place(account.id, Kind::Passkey), &content)?,
    };
    let inserted = store::users::passkeys::insert(&tx, new, now).await;
    let id = inserted.map_err(|error| if error.is_duplicate() { registered_already() } else { error.into() })?;
    let passkey = Passkey { id, name: name.to_owned(), created_at: now, used_at: None };
    let is_first = before.is_empty();
    let recovery_codes = if is_first { give_recovery_codes(&tx, account.id, now).await? } else { Vec::new() };
    let sessions = if is_first { store::users::sessions::end_all(&tx, account.id, owner.session).await? } else { 0 };
    let change = SecondFactorChange::AddedPasskey { passkey: &passkey, is_first };
    let event = accounts::second_factor_changed(&account, change, sessions, &owner.actor);
    tx.commit(now, [event]).await?;
    state.attempts.second_factor.give_back(&owner.id);
    Ok(Registered { passkey, recovery_codes })
}

fn registered_already() -> Error {
    Error::InUse {
        name: "PasskeyExistsError",
        message: "This passkey is registered already: use it, or another device.".to_owned(),
    }
}

/// Gives a passkey of a user another name, and returns it: 404 for one that is not theirs.
pub async fn rename(state: &State, owner: &Owner<'_>, id: i64, name: &str) -> Result<Passkey, Error> {
    let now = state.clock.now();
    let tx = state.db.begin().await?;
    let account = hold(&tx, owner.id, None).await?;
    let before = store::users::passkeys::find(&tx, account.id, id).await?;
    let before = before.ok_or_else(|| Error::no_id("passkey of yours", id))?;
    if before.name == name {
        return Ok(before);
    }
    store::users::passkeys::rename(&tx, id, name).await?;
    let renamed = Passkey { name: name.to_owned(), ..before.clone() };
    let change = SecondFactorChange::RenamedPasskey { before: &before, after: &renamed };
    let event = accounts::second_factor_changed(&account, change, 0, &owner.actor);
    tx.commit(now, [event]).await?;
    Ok(renamed)
}

/// Removes a passkey of a user who proves both password and second factor, and ends their other sessions: 404 for one
/// that is not theirs.
pub async fn remove(
    state: &State,
    owner: &Owner<'_>,
    id: i64,
    password: String,
    proof: Option<Proof>,
) -> Result<(), Error> {
    let hash = prove_password(state, owner.id, password).await?;
    let proof = count(state, owner.id, proof).await?;
    let now = state.clock.now();
    let tx = state.db.begin().await?;
    let account = hold(&tx, owner.id, Some(&hash)).await?;
    require(&tx, state, account.id, proof.as_ref(), now).await?;
    let removed = accounts::remove_passkey(&tx, &account, id, owner.session, &owner.actor).await?;
    let event = removed.ok_or_else(|| Error::no_id("passkey of yours", id))?;
    tx.commit(now, [event]).await?;
    state.attempts.second_factor.give_back(&owner.id);
    Ok(())
}

/// Begins a session of the user whose passkey answered a challenge, and notes in the log of sign-ins how that ended: 401
/// for an answer that proves nothing.
pub async fn sign_in(
    state: &State,
    answer: PasskeyAnswer,
    browser: &Browser<'_>,
) -> Result<(Account, BegunSession), Error> {
    webauthn(&state.config)?;
    let taken = answer.take(state).await?;
    let now = state.clock.now();
    let tx = state.db.begin().await?;
    let owner = store::users::passkeys::owner(&tx, &taken.credential_digest()).await?;
    let account = match owner {
        Some(id) => store::users::hold(&tx, id).await?,
        None => None,
    };
    let note = |outcome, reason: Option<&str>| {
        let entry = Entry {
            reason: reason.map(str::to_owned),
            user_id: account.as_ref().map(|account| account.id),
            subject: account.as_ref().and_then(|account| account.email.clone().or_else(|| account.username.clone())),
            address: browser.client.address.clone(),
            ..Entry::new(now, Method::Passkey, outcome)
        };
        log::note(state, entry);
    };
    let proved = match &account {
        Some(account) => prove(&tx, state, account.id, &taken, now).await,
        None => Err(Error::PasskeyMismatch(Refusal::Unknown)),
    };
    if let Err(error) = proved {
        drop(tx);
        if let Error::PasskeyMismatch(refusal) = &error {
            note(Outcome::Refused, Some(refusal.code()));
        }
        return Err(error);
    }
    let Some(found) = account.clone().filter(|account| account.deactivated_at.is_none()) else {
        drop(tx);
        note(Outcome::Refused, Some(identity::Refusal::AccountInactive.code()));
        return Err(Error::PasskeyMismatch(Refusal::Unknown));
    };
    let session = browser.begin_session(&tx, &state.config, found.id, Method::Passkey, now).await?;
    tx.commit_without_event(NoEvent::SignIn).await?;
    note(Outcome::SignedIn, None);
    Ok((found, session))
}
