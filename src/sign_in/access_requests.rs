//! Requests for access by identities that belong to no user, made by signing in.

use flagstone_accounts::{self as accounts, AccountError};
use flagstone_domain::{
    access_request::{AccessRequest, DAYS, LONGEST_ISSUER, LONGEST_SUBJECT, MOST, Step},
    actor::Actor,
    email,
    event::NewEvent,
    identity::Refusal,
    text::is_longer,
    time::Timestamp,
    user::fit_name,
};
use flagstone_error::Error;
use flagstone_state::State;
use flagstone_store::{
    self as store,
    access::people::NewUser,
    db::Tx,
    sign_in::access_requests::{self, find_of},
};

use crate::{admission::VerifiedIdentity, in_force, rules::Rules};

/// Refusal of an identity that requests access, with the event of a request that was recorded.
#[derive(Debug)]
pub struct Requested {
    /// The refusal.
    pub refusal: Refusal,
    /// The event; `None` where there is no new request.
    pub event: Option<NewEvent>,
}

/// Records that an identity, which belongs to no user, requests access. A request that is open already stays, unless the
/// email is another one by now: then it is a new request in the place of that.
pub async fn register(tx: &Tx, verified: &VerifiedIdentity, rules: &Rules, now: Timestamp) -> Result<Requested, Error> {
    let proves_owner = rules.newcomers.vouches_for_email(verified.has_verified_email);
    let ends_at = now.plus_days(DAYS);
    let present = match judge(tx, verified, now).await? {
        Ok(present) => present,
        Err(refusal) => return Ok(Requested { refusal, event: None }),
    };
    let refusal = Refusal::AccessRequested;
    if let Some(present) = present {
        let repeated = AccessRequest { proves_owner, last_requested_at: now, ends_at, ..present };
        access_requests::save(tx, &repeated).await?;
        return Ok(Requested { refusal, event: None });
    }
    let subject = &verified.subject;
    let mut request = AccessRequest {
        id: 0,
        provider: subject.provider.clone(),
        issuer: subject.issuer.clone(),
        subject: subject.subject.clone(),
        email: email::folded(&verified.email),
        name: verified.name.as_deref().and_then(fit_name),
        proves_owner,
        requested_at: now,
        last_requested_at: now,
        ends_at,
        rejected_at: None,
    };
    request.id = access_requests::insert(tx, &request).await?;
    Ok(Requested { refusal, event: Some(request.event(Step::Registered, &Actor::system())) })
}

/// Previews the refusal of an identity that requests access. Nothing is stored.
pub async fn preview(tx: &Tx, verified: &VerifiedIdentity, now: Timestamp) -> Result<Refusal, Error> {
    Ok(judge(tx, verified, now).await?.err().unwrap_or(Refusal::AccessRequested))
}

/// Returns the open request with the email of an identity, `None` where a new one is to be made, or why none may be.
async fn judge(
    tx: &Tx,
    verified: &VerifiedIdentity,
    now: Timestamp,
) -> Result<Result<Option<AccessRequest>, Refusal>, Error> {
    let VerifiedIdentity { subject, email, name, .. } = verified;
    let names = [(&subject.subject, LONGEST_SUBJECT), (&subject.issuer, LONGEST_ISSUER)];
    if names.into_iter().any(|(text, most)| is_longer(text, most) || text.contains(char::is_control)) {
        return Ok(Err(Refusal::NotInvited));
    }
    let present = find_of(tx, subject, now).await?;
    if present.as_ref().is_some_and(|present| present.rejected_at.is_some()) {
        return Ok(Err(Refusal::AccessRejected));
    }
    // As for a user who is created at once: the email, or a name to sign in with that it is, may be taken.
    let name = name.as_deref().and_then(fit_name);
    let new = NewUser { email: Some(email::folded(email)), name, ..NewUser::default() };
    match accounts::judge_names(&new) {
        Ok(()) => {}
        Err(AccountError::UserName(_) | AccountError::Name(_)) => return Ok(Err(Refusal::UnusableEmail)),
        Err(error) => return Err(error.into()),
    }
    if store::users::claimed(tx, None, Some(email), None).await?.is_some() {
        return Ok(Err(Refusal::UnusableEmail));
    }
    if present.is_none() && access_requests::count(tx, now).await? >= MOST {
        return Ok(Err(Refusal::TooManyAccessRequests));
    }
    Ok(Ok(present.filter(|present| present.email == email::folded(email))))
}

/// Refuses a decision to admit an identity whose login provider is off or gone. 404 for a request that is not open.
pub async fn require_provider(state: &State, id: i64) -> Result<(), Error> {
    let request = access_requests::find(&state.db, id, state.clock.now()).await?;
    let request = request.ok_or_else(|| Error::no_id("access request", id))?;
    if in_force::find_digest(state, &request.provider).await?.is_some() {
        return Ok(());
    }
    Err(Error::InUse {
        name: "LoginProviderOffError",
        message: "The login provider of this request is disabled or deleted: enable it first, or reject the request."
            .to_owned(),
    })
}
