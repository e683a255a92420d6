//! Links of identities by whom they concern: the signed-in user, or an administrator.

use crate::{
    accounts::identity_links,
    domain::{
        account_powers::Way,
        actor::Actor,
        email,
        identity::{Known, Owner, Refusal},
        secret,
    },
    error::Error,
    sign_in::{
        Refused,
        admission::{Once, VerifiedIdentity},
        browser::Browser,
        rules::Rules,
    },
    state::State,
    store::{
        self,
        access::people::Account,
        db::NoEvent,
        sign_in::identities::{NewIdentity, Subject},
    },
};

/// Reason in the log of sign-ins for an identity that the signed-in user linked.
pub const LINKED: &str = "linked-by-user";

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
    for one in once {
        if !store::sign_in::once::take(&tx, one.kind, one.value, one.until).await? {
            return Ok(Err(Refused::from(one.refusal).of(&verified.email)));
        }
    }
    let known = store::sign_in::identities::find(&tx, subject, &verified.email, now).await?;
    let account = store::users::hold(&tx, user_id).await?;
    let account = account.filter(|account| account.deactivated_at.is_none());
    let is_them = match browser.earlier {
        Some(session) => store::users::sessions::owner(&tx, &secret::digest(session), now).await? == Some(user_id),
        None => false,
    };
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
        identity_links::link(&tx, account.clone(), subject, &[], true, Way::Themself, &actor(&account)).await?;
    tx.commit(now, linked.events).await?;
    Ok(Ok(()))
}

/// The user as the author of a change.
fn actor(account: &Account) -> Actor {
    let name = account.email.as_deref().or(account.username.as_deref());
    Actor::new(account.id, name.unwrap_or_default())
}

/// Links an identity, with which nobody has signed in yet, to a user: 404 where there is none, and 409 where the identity
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
    tx.commit(now, linked.events).await?;
    Ok(())
}
