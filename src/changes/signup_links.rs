//! Changes of sign-up links.

use flagstone_domain::{
    event::NewEvent,
    event_kind::EventKind,
    secret,
    signup_link::{self, SignupLink},
    time::Timestamp,
    version::Version,
};
use flagstone_error::Error;
use flagstone_store::{self as store, access::people::Account};

use crate::{Author, Begin, Transaction, if_match::IfMatch};

impl Author<'_> {
    /// Creates a sign-up link that ends at `expires_at`, as [`end`] returned it; with `email`, only that address can
    /// sign up with it. Returns it with its secret, which is shown here and never again.
    pub async fn create_signup_link(
        self,
        name: &str,
        email: Option<&str>,
        expires_at: Timestamp,
    ) -> Result<(SignupLink, String), Error> {
        let (secret, actor) = (secret::random_part(), self.caller.actor());
        let transaction = self.begin(Begin::Change).await?;
        let Transaction { tx, now, .. } = &transaction;
        let digest = secret::digest(&secret);
        let link = store::users::signup_links::insert(tx, &digest, name, email, &actor.name, *now, expires_at).await?;
        let event = NewEvent::new(EventKind::PublicSignupTokenCreated, &actor).with_data(&link);
        transaction.commit([event]).await?;
        Ok((link, secret))
    }

    /// Updates a sign-up link; what is `None` stays. An update that changes nothing leaves no event. Returns the link
    /// with the users who signed up with it.
    pub async fn update_signup_link(
        self,
        id: i64,
        if_match: &IfMatch,
        enabled: Option<bool>,
        expires_at: Option<Timestamp>,
    ) -> Result<(SignupLink, Vec<Account>), Error> {
        let transaction = self.begin(Begin::Change).await?;
        let Transaction { tx, now, .. } = &transaction;
        let before = store::users::signup_links::hold(tx, id).await?.ok_or_else(missing)?;
        if_match.check(Version::of(&before))?;
        let after = SignupLink {
            enabled: enabled.unwrap_or(before.enabled),
            expires_at: match expires_at {
                Some(asked) => end(asked, *now)?,
                None => before.expires_at,
            },
            ..before.clone()
        };
        let changed = before != after;
        if changed {
            store::users::signup_links::save(tx, &after).await?;
        }
        let event = NewEvent::new(EventKind::PublicSignupTokenUpdated, &self.caller.actor());
        let event = changed.then(|| event.with_data(&after).with_pre_data(&before));
        let found = store::users::signup_links::find(tx, id).await?.ok_or_else(missing)?;
        transaction.commit(event).await?;
        Ok(found)
    }
}

/// Returns when a sign-up link ends whose end is asked for: 400 for a time that is not in the future.
pub fn end(asked: Timestamp, now: Timestamp) -> Result<Timestamp, Error> {
    let rule = "must be in the future";
    signup_link::end(asked, now).ok_or_else(|| Error::property("/body/expiresAt", rule))
}

/// Error of a sign-up link that does not exist.
pub fn missing() -> Error {
    Error::NotFound("There is no such sign-up link.".to_owned())
}
