//! Links of identities, made and removed by the signed-in user or by an administrator.

use flagstone_accounts::{administrators::keep_a_way_in, identity_links};
use flagstone_domain::{
    account_powers::Way,
    actor::Actor,
    email,
    identity::{Known, Owner, Refusal},
};
use flagstone_error::Error;
use flagstone_state::State;
use flagstone_store::{
    self as store,
    access::people::Account,
    db::{NoEvent, Tx},
    sign_in::identities::{NewIdentity, Subject},
};

use crate::{
    Refused,
    admission::{Once, VerifiedIdentity, use_up},
    author::themself,
    browser::Browser,
    rules::Rules,
    second_factor::{self, CountedProof, Proof, count, give_back, hold, pass, prove_password},
};

/// Reason in the log of sign-ins for an identity that the signed-in user linked.
pub const LINKED: &str = "linked-by-user";
const LAST_WAY_IN: &str = "This identity is your last way in: set a password or link another identity first. While signing in \
    with a password is switched off, only another identity counts.";

/// A password that was checked, and a proof of the second factor that is still to be checked.
struct Proved {
    hash: String,
    proof: Option<CountedProof>,
}

/// Checks the password of a user. Whoever has none has nothing to prove.
async fn check_password(
    state: &State,
    user_id: i64,
    password: Option<String>,
    proof: Option<Proof>,
) -> Result<Option<Proved>, Error> {
    let account = store::users::find(&state.db, user_id).await?.ok_or(Error::Unauthenticated)?;
    if account.password_hash.is_none() {
        return Ok(None);
    }
    let hash = prove_password(state, user_id, password.unwrap_or_default()).await?;
    Ok(Some(Proved { hash, proof: count(state, user_id, proof).await? }))
}

impl Proved {
    /// Holds the user, and checks the second factor where they have one.
    async fn complete(proved: Option<&Self>, tx: &Tx, state: &State, user_id: i64) -> Result<Account, Error> {
        let account = hold(tx, user_id, proved.map(|proved| proved.hash.as_str())).await?;
        match proved {
            Some(proved) => {
                pass(tx, state, user_id, proved.proof.as_ref(), state.clock.now()).await?;
            }
            // Set meanwhile.
            None if account.password_hash.is_some() => return Err(Error::PasswordMismatch),
            None => {}
        }
        Ok(account)
    }

    /// Gives back the attempt that the proof counted as.
    fn give_back(proved: Option<&Self>, state: &State, user_id: i64) {
        give_back(state, user_id, proved.and_then(|proved| proved.proof.as_ref()));
    }
}

/// Proves that it is the user who wants to link an identity, by the password and, where they have one, the second factor:
/// from then on the identity needs neither. Whoever has no password has nothing to prove.
pub async fn prove(state: &State, user_id: i64, password: Option<String>, proof: Option<Proof>) -> Result<(), Error> {
    let proved = check_password(state, user_id, password, proof).await?;
    if proved.is_none() {
        return Ok(());
    }
    let tx = state.db.begin().await?;
    Proved::complete(proved.as_ref(), &tx, state, user_id).await?;
    tx.commit_without_event(NoEvent::SignIn).await?;
    Proved::give_back(proved.as_ref(), state, user_id);
    Ok(())
}

/// Removes an identity of the signed-in user, who proves as for a link that it is them, and ends the sessions that came
/// through it: 404 for one that is not theirs, and 409 for their last way in.
pub async fn unlink(
    state: &State,
    owner: &second_factor::Owner<'_>,
    id: &str,
    password: Option<String>,
    proof: Option<Proof>,
) -> Result<(), Error> {
    let proved = check_password(state, owner.id, password, proof).await?;
    let now = state.clock.now();
    let tx = state.db.begin().await?;
    let administrators = store::access::administrators::hold(&tx, now).await?;
    let account = Proved::complete(proved.as_ref(), &tx, state, owner.id).await?;
    let event = identity_links::unlink(&tx, owner.id, Some(&account), Some(id), &owner.actor).await?;
    let event = event.ok_or_else(|| Error::NotFound("You have no identity with this id.".to_owned()))?;
    if !store::access::administrators::can_sign_in(&tx, owner.id).await? {
        return Err(Error::InUse { name: "LastWayInError", message: LAST_WAY_IN.to_owned() });
    }
    keep_a_way_in(&tx, administrators).await?;
    tx.commit(now, [event]).await?;
    Proved::give_back(proved.as_ref(), state, owner.id);
    Ok(())
}

/// Removes, for an administrator, an identity of a user, or without an id all of them, and ends the sessions that came
/// through them: 404 where there never was such a user. Returns whether there were any.
pub async fn unlink_for(state: &State, user_id: i64, only: Option<&str>, actor: &Actor) -> Result<bool, Error> {
    let now = state.clock.now();
    let tx = state.db.begin().await?;
    let administrators = store::access::administrators::hold(&tx, now).await?;
    let account = store::users::hold(&tx, user_id).await?;
    if account.is_none() && !store::users::ever_was(&tx, user_id).await? {
        return Err(Error::no_id("user", user_id));
    }
    let event = identity_links::unlink(&tx, user_id, account.as_ref(), only, actor).await?;
    let Some(event) = event else { return Ok(false) };
    keep_a_way_in(&tx, administrators).await?;
    tx.commit(now, [event]).await?;
    Ok(true)
}

/// Links an identity to the signed-in user who began to, or returns the reason of the refusal. The browser still has to
/// be signed in as that user.
pub async fn link(
    state: &State,
    verified: &VerifiedIdentity,
    rules: &Rules,
    once: &[Once<'_>],
    browser: &Browser<'_>,
    user_id: i64,
) -> Result<Result<(), Refused>, Error> {
    let now = state.clock.now();
    let subject = &verified.subject;
    let tx = state.db.begin().await?;
    if let Err(refused) = use_up(&tx, once, &verified.email).await? {
        return Ok(Err(refused));
    }
    let known = store::sign_in::identities::find(&tx, subject, &verified.email, now).await?;
    let account = store::users::hold(&tx, user_id).await?;
    let account = account.filter(|account| account.deactivated_at.is_none());
    let is_them = browser.is_of(&tx, user_id, now).await?;
    let refusal = match (rules.judge_groups(verified.groups.as_ref()), known.owner) {
        _ if !is_them => Some(Refusal::UnknownState),
        (Err(refusal), _) => Some(refusal),
        (Ok(()), Some(owner)) if owner.user_id != user_id => Some(Refusal::IdentityOfAnotherUser),
        (Ok(()), _) => None,
    };
    let account = match (refusal, account) {
        (None, Some(account)) => account,
        (refusal, _) => {
            // What was used up stays so.
            tx.commit_without_event(NoEvent::SignIn).await?;
            let refused = Refused::from(refusal.unwrap_or(Refusal::AccountInactive));
            return Ok(Err(refused.of(&verified.email).about(user_id)));
        }
    };
    if known.owner.is_some() {
        store::sign_in::identities::note_seen(&tx, subject, &verified.email, &rules.digest, now).await?;
        tx.commit_without_event(NoEvent::SignIn).await?;
        return Ok(Ok(()));
    }
    // A provider that is trusted for another email than that of the account proves nothing of it.
    let is_of_account = account.email.as_deref() == Some(&*email::folded(&verified.email));
    let new = NewIdentity {
        subject,
        email: Some(&verified.email),
        proves_owner: is_of_account && rules.newcomers.vouches_for_email(verified.has_verified_email),
        settings: Some(&rules.digest),
    };
    store::sign_in::identities::insert(&tx, new, user_id, now).await?;
    let linked =
        identity_links::link(&tx, account.clone(), subject, &[], true, Way::Themself, &themself(&account)).await?;
    store::sign_in::access_requests::remove_of(&tx, subject).await?;
    tx.commit(now, linked.events).await?;
    Ok(Ok(()))
}

/// Links an identity that has not signed in yet to a user: 404 where there is none, and 409 where the identity
/// is that of another one. An identity that the user has already leaves no event.
pub async fn link_for(state: &State, subject: &Subject, user_id: i64, actor: &Actor) -> Result<(), Error> {
    let now = state.clock.now();
    let tx = state.db.begin().await?;
    let Known { owner, .. } = store::sign_in::identities::find(&tx, subject, "", now).await?;
    let account = store::users::hold(&tx, user_id).await?.ok_or_else(|| Error::no_id("user", user_id))?;
    match owner {
        Some(Owner { user_id: owner, .. }) if owner == user_id => return Ok(()),
        Some(_) => {
            return Err(Error::InUse {
                name: "IdentityTakenError",
                message: "This identity is that of another user: delete the identities of that user first.".to_owned(),
            });
        }
        None => {}
    }
    let new = NewIdentity { subject, email: None, proves_owner: true, settings: None };
    store::sign_in::identities::insert(&tx, new, user_id, now).await?;
    let linked = identity_links::link(&tx, account, subject, &[], true, Way::Administrator, actor).await?;
    store::sign_in::access_requests::remove_of(&tx, subject).await?;
    tx.commit(now, linked.events).await?;
    Ok(())
}
