//! The browser in which a user signs in.

use flagstone_config::Config;
use flagstone_domain::{
    opaque_debug, secret,
    session::Client,
    sign_in_log::Method,
    time::{HOUR_MS, Timestamp},
};
use flagstone_store::{self as store, StoreError, db::Tx, users::sessions::NewSession};

/// Browser in which a user signs in. Printing it shows no secret.
#[derive(Clone)]
pub struct Browser<'a> {
    /// Secret of the session that it has already, which ends.
    pub earlier: Option<&'a str>,
    /// Address and name of the browser.
    pub client: Client,
}

opaque_debug!(Browser<'_> { client, .. });

/// A session that has begun. Printing it shows no secret.
pub struct BegunSession {
    /// Secret of the session, for the cookie.
    pub secret: String,
    /// Seconds until the session ends.
    pub lasts_seconds: i64,
}

opaque_debug!(BegunSession { lasts_seconds, .. });

impl Browser<'_> {
    /// Begins a session of a user, whom the transaction holds, in the place of the one that the browser had.
    pub async fn begin_session(
        &self,
        tx: &Tx,
        config: &Config,
        user_id: i64,
        method: Method,
        now: Timestamp,
    ) -> Result<BegunSession, StoreError> {
        let lasts_ms = config.session_hours.saturating_mul(HOUR_MS);
        self.begin_session_of(tx, user_id, method, lasts_ms, now).await
    }

    /// Begins a session as [`Browser::begin_session`] does, of another length.
    pub async fn begin_session_of(
        &self,
        tx: &Tx,
        user_id: i64,
        method: Method,
        lasts_ms: i64,
        now: Timestamp,
    ) -> Result<BegunSession, StoreError> {
        if let Some(earlier) = self.earlier {
            store::users::sessions::end(tx, &secret::digest(earlier)).await?;
        }
        store::access::people::note_sign_in(tx, user_id, now).await?;
        let secret = secret::random_part();
        let new = NewSession {
            digest: &secret::digest(&secret),
            user_id,
            method,
            client: self.client.clone(),
            now,
            expires_at: now.plus_millis(lasts_ms),
        };
        store::users::sessions::start(tx, new).await?;
        Ok(BegunSession { secret, lasts_seconds: lasts_ms / 1000 })
    }

    /// Whether the browser is signed in as a user.
    pub async fn is_of(&self, tx: &Tx, user_id: i64, now: Timestamp) -> Result<bool, StoreError> {
        let Some(earlier) = self.earlier else { return Ok(false) };
        Ok(store::users::sessions::owner(tx, &secret::digest(earlier), now).await? == Some(user_id))
    }
}
