//! Changes of the policy of login providers beyond the settings of each.

use flagstone_changes::if_match::IfMatch;
use flagstone_domain::{
    client_authentication::ClientAuthentication, preference::Preference as _, sign_in_policy::SignInPolicy,
    version::Version,
};
use flagstone_error::Error;
use flagstone_state::State;
use flagstone_store::{self as store, db::Tx};

use crate::{
    author::Author,
    lock_out::{self, Wanted},
};

/// Replaces the policy, unless that leaves the instance without a way in. The current one leaves no event.
pub async fn replace(state: &State, author: &Author, if_match: &IfMatch, wanted: &SignInPolicy) -> Result<(), Error> {
    let now = state.clock.now();
    let tx = state.db.begin().await?;
    store::access::administrators::hold(&tx, now).await?;
    let before: Option<SignInPolicy> = store::preferences::hold(&tx, SignInPolicy::ID).await?;
    let unset = SignInPolicy::default();
    if_match.check(Version::of(before.as_ref().unwrap_or(&unset)))?;
    judge_key(state, &tx, wanted).await?;
    let event = wanted.changed(before.as_ref(), &unset, &author.actor);
    let Some(event) = event else { return Ok(()) };
    lock_out::judge(state, &tx, author.user_id, &Wanted { policy: Some(wanted), ..Wanted::default() }).await?;
    store::preferences::put(&tx, SignInPolicy::ID, wanted, now).await?;
    tx.commit(now, [event]).await?;
    Ok(())
}

/// Refuses a policy that names a key which is not there, or none though it needs one. The caller has locked the
/// administrators, and so the keys.
async fn judge_key(state: &State, tx: &Tx, wanted: &SignInPolicy) -> Result<(), Error> {
    const PROPERTY: &str = "/body/oidcClientKey";
    let Some(kid) = &wanted.oidc_client_key else {
        return match wanted.client_authentication() {
            ClientAuthentication::PrivateKeyJwt => {
                Err(Error::property(PROPERTY, "is missing, and `private_key_jwt` needs the id of a key"))
            }
            ClientAuthentication::ClientSecret | ClientAuthentication::None => Ok(()),
        };
    };
    let keys = store::sign_in::client_keys::list(tx, &state.vault).await?;
    if keys.iter().any(|key| key.kid == *kid) { Ok(()) } else { Err(Error::unknown(PROPERTY, "key", kid)) }
}
