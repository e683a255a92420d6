//! Keys by which this server authenticates at OpenID Connect providers. Their public halves are published, so that
//! nothing secret is copied to a provider, and there are two of them while one takes the place of the other.

use std::sync::Arc;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use flagstone_domain::{
    actor::Actor, event::NewEvent, event_kind::EventKind, preference::Preference as _, sign_in_policy::SignInPolicy,
};
use flagstone_error::Error;
use flagstone_providers::oidc::{ClientKey, PublicKey};
use flagstone_state::State;
use flagstone_store::{
    self as store, StoreError,
    sign_in::client_keys::{self, StoredKey},
};

/// The most keys: one, and another during a change.
const MOST: usize = 2;
/// Path of the public keys, below the public address.
const JWKS: &str = "/auth/oidc/jwks";

/// URL at which providers find the public keys.
pub fn jwks_uri(state: &State) -> String {
    format!("{}{JWKS}", state.config.base_url)
}

/// The keys, the oldest first.
pub async fn list(state: &State) -> Result<Vec<StoredKey>, StoreError> {
    client_keys::list(&state.db, &state.vault).await
}

/// The public halves of the keys, the oldest first.
pub async fn public(state: &State) -> Result<Vec<PublicKey>, Error> {
    let keys = list(state).await?;
    keys.iter().map(|stored| Ok(open(stored)?.public().clone())).collect()
}

/// The key of an id, which the policy names; `None` when it is not there.
pub async fn find(state: &State, kid: Option<&str>) -> Result<Option<Arc<ClientKey>>, Error> {
    let keys = list(state).await?;
    let stored = keys.iter().find(|stored| Some(stored.kid.as_str()) == kid);
    stored.map(|stored| open(stored).map(Arc::new)).transpose()
}

fn open(stored: &StoredKey) -> Result<ClientKey, Error> {
    let pkcs8 = STANDARD.decode(&stored.pkcs8).map_err(Error::internal)?;
    ClientKey::read(&pkcs8).map_err(Error::internal)
}

/// Makes a key, which is published at once and signs when the policy names it: 409 where there are two.
pub async fn create(state: &State, actor: &Actor) -> Result<StoredKey, Error> {
    let pkcs8 = ClientKey::generate().map_err(Error::internal)?;
    let kid = ClientKey::read(&pkcs8).map_err(Error::internal)?.public().kid.clone();
    let now = state.clock.now();
    let made = StoredKey { kid, pkcs8: STANDARD.encode(pkcs8), created_at: now };
    let tx = state.db.begin().await?;
    // Changes of the keys and of the policy that names one follow each other.
    store::access::administrators::hold(&tx, now).await?;
    let before = client_keys::list(&tx, &state.vault).await?;
    if before.len() >= MOST {
        return Err(Error::InUse {
            name: "TooManyKeysError",
            message: format!("There are {MOST} keys already: delete the one that no provider needs any more."),
        });
    }
    let after = [before.as_slice(), std::slice::from_ref(&made)].concat();
    client_keys::replace(&tx, &state.vault, &after, now).await?;
    tx.commit(now, [changed(&before, &after, actor)]).await?;
    Ok(made)
}

/// Deletes a key: 404 where there is none of this id, and 409 while the policy names it.
pub async fn delete(state: &State, actor: &Actor, kid: &str) -> Result<(), Error> {
    let now = state.clock.now();
    let tx = state.db.begin().await?;
    store::access::administrators::hold(&tx, now).await?;
    let before = client_keys::list(&tx, &state.vault).await?;
    let after: Vec<_> = before.iter().filter(|key| key.kid != kid).cloned().collect();
    if after.len() == before.len() {
        return Err(Error::not_found("key", kid));
    }
    let policy: Option<SignInPolicy> = store::preferences::find(&tx, SignInPolicy::ID).await?;
    if policy.and_then(|policy| policy.oidc_client_key).as_deref() == Some(kid) {
        return Err(Error::InUse {
            name: "KeyInUseError",
            message: "The policy names this key as the one that signs: name another one there first.".to_owned(),
        });
    }
    client_keys::replace(&tx, &state.vault, &after, now).await?;
    tx.commit(now, [changed(&before, &after, actor)]).await?;
    Ok(())
}

/// Event of changed keys: their ids, which are public.
fn changed(before: &[StoredKey], after: &[StoredKey], actor: &Actor) -> NewEvent {
    let told = |keys: &[StoredKey]| {
        let ids: Vec<_> = keys.iter().map(|key| key.kid.as_str()).collect();
        serde_json::json!({ "id": client_keys::ID, "keys": ids })
    };
    match (before, after) {
        ([], _) => NewEvent::new(EventKind::SettingCreated, actor).with_data(&told(after)),
        (_, []) => NewEvent::new(EventKind::SettingDeleted, actor).with_pre_data(&told(before)),
        _ => NewEvent::new(EventKind::SettingUpdated, actor).with_pre_data(&told(before)).with_data(&told(after)),
    }
}
