//! Ceremonies of Web Authentication: challenges, which the server keeps and which are answered once, and their answers.

use flagstone_config::Config;
use flagstone_domain::{
    opaque_debug,
    passkey::{CHALLENGE_MS, Refusal, RelyingParty},
    second_factor::Kind,
    secret,
    time::Timestamp,
};
use flagstone_error::Error;
use flagstone_state::State;
use flagstone_store::{
    self as store,
    db::{NoEvent, Tx},
    users::{passkeys::StoredPasskey, second_factors::place},
};
use flagstone_vault::{Key, Vault};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use uuid::Uuid;
use webauthn_rs::{
    Webauthn, WebauthnBuilder,
    prelude::{DiscoverableAuthentication, Passkey, PublicKeyCredential, RequestChallengeResponse, WebauthnError},
};

use crate::{sealed, second_factor::issuer};

/// Target of lines in the log, by the part of the program: a crate is none to those who operate it.
const LOG: &str = "flagstone::sign_in::passkeys::ceremony";

/// Challenges for proving a passkey are sealed for this place, whose name also keeps their tickets apart from others.
const PROOF: &str = "passkey-proof";

/// A challenge that was given out.
#[derive(Debug)]
pub struct Challenge<T> {
    /// Id by which its answer names it.
    pub id: String,
    /// Options for the browser.
    pub options: T,
}

/// Content of a stored passkey.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Content {
    /// Handle under which authenticators keep the account of its user.
    pub(super) handle: Uuid,
    /// Public key and counter.
    pub(super) passkey: Passkey,
}

/// The answer of a passkey to a challenge, as it comes with a request. Printing it shows nothing.
#[derive(Clone)]
pub struct PasskeyAnswer {
    /// Id of the challenge.
    pub challenge_id: String,
    /// Credential that the browser returned.
    pub credential: PublicKeyCredential,
}

opaque_debug!(PasskeyAnswer);

impl PasskeyAnswer {
    /// Uses up its challenge: whatever the answer proves, the challenge serves no other one.
    pub async fn take(self, state: &State) -> Result<TakenChallenge, Error> {
        Ok(TakenChallenge { ceremony: take(state, PROOF, &self.challenge_id).await?, credential: self.credential })
    }
}

/// A challenge that is used up, with its answer. Printing it shows nothing.
pub struct TakenChallenge {
    /// State of the ceremony; `None` where the challenge is unknown, used or too old.
    ceremony: Option<DiscoverableAuthentication>,
    credential: PublicKeyCredential,
}

opaque_debug!(TakenChallenge);

impl TakenChallenge {
    /// Digest of the id by which the passkey calls itself.
    pub(super) fn credential_digest(&self) -> String {
        credential_digest(self.credential.get_credential_id())
    }
}

/// Digest of the id by which a passkey calls itself.
pub(super) fn credential_digest(credential_id: &[u8]) -> String {
    secret::digest(&hex::encode(credential_id))
}

/// The library with this server as the relying party: 422 where the public address allows no passkeys.
pub(super) fn webauthn(config: &Config) -> Result<Webauthn, Error> {
    let party = RelyingParty::of(&config.base_url).ok_or(Error::PasskeysOff)?;
    let name = issuer(&config.base_url);
    let builder = WebauthnBuilder::new(&party.id, &party.origin).map_err(Error::internal)?;
    builder.rp_name(&name).build().map_err(Error::internal)
}

/// Gives out a challenge for proving a passkey of any user.
pub async fn begin_proof(state: &State) -> Result<Challenge<RequestChallengeResponse>, Error> {
    let (options, ceremony) = webauthn(&state.config)?.start_discoverable_authentication().map_err(Error::internal)?;
    Ok(Challenge { id: keep(state, PROOF, &ceremony).await?, options })
}

/// Keeps the state of a ceremony for five minutes, for all nodes, and returns the id of its challenge.
pub(super) async fn keep<T: Serialize>(state: &State, place: &str, ceremony: &T) -> Result<String, Error> {
    let id = secret::random_part();
    let sealed = sealed::seal(sealed::key(state).await?, place, ceremony)?;
    let expires_at = state.clock.now().plus_millis(CHALLENGE_MS);
    let tx = state.db.begin().await?;
    store::sign_in::sealed::insert_ticket(&tx, &format!("{place}:{id}"), &sealed, expires_at).await?;
    tx.commit_without_event(NoEvent::SignIn).await?;
    Ok(id)
}

/// Takes the state of a ceremony: of several answers to one challenge, on whatever nodes, one gets it.
pub(super) async fn take<T: DeserializeOwned>(state: &State, place: &str, id: &str) -> Result<Option<T>, Error> {
    let tx = state.db.begin().await?;
    let ticket = format!("{place}:{id}");
    let sealed = store::sign_in::sealed::take_ticket(&tx, &ticket, state.clock.now()).await?;
    tx.commit_without_event(NoEvent::SignIn).await?;
    Ok(sealed.and_then(|sealed| sealed::open(&state.vault, place, &sealed)))
}

/// Opens a stored passkey, and returns it with the key that it is sealed with. One that does not open proves nothing.
pub(super) fn open<'a>(vault: &'a Vault, stored: &StoredPasskey) -> Option<(Content, &'a Key)> {
    let opened = vault.open(&place(stored.user_id, Kind::Passkey), &stored.sealed).ok();
    let content = opened.and_then(|(bytes, key)| Some((serde_json::from_slice(&bytes).ok()?, key)));
    if content.is_none() {
        tracing::error!(
            target: LOG,
            user_id = stored.user_id,
            "a passkey of a user cannot be read with the key of this server"
        );
    }
    content
}

/// Checks that a passkey of a user, whom the transaction holds, answered its challenge, and notes its use and its
/// counter: 401 otherwise.
pub(crate) async fn prove(
    tx: &Tx,
    state: &State,
    user_id: i64,
    taken: &TakenChallenge,
    now: Timestamp,
) -> Result<(), Error> {
    let webauthn = webauthn(&state.config)?;
    let refused = Error::PasskeyMismatch;
    let ceremony = taken.ceremony.clone().ok_or(refused(Refusal::Challenge))?;
    let stored = store::users::passkeys::hold(tx, &taken.credential_digest()).await?;
    let stored = stored.filter(|stored| stored.user_id == user_id).ok_or(refused(Refusal::Unknown))?;
    let (mut content, key) = open(&state.vault, &stored).ok_or(refused(Refusal::Unknown))?;
    let (handle, _) =
        webauthn.identify_discoverable_authentication(&taken.credential).map_err(|error| refusal_of(&error))?;
    if handle != content.handle {
        return Err(refused(Refusal::Unknown));
    }
    let proved = webauthn
        .finish_discoverable_authentication_v2(&taken.credential, ceremony, &content.passkey)
        .map_err(|error| refusal_of(&error))?;
    let is_changed = content.passkey.update_credential(&proved) == Some(true);
    let place = place(user_id, Kind::Passkey);
    let sealed = if is_changed { Some(sealed::seal(key, &place, &content)?) } else { None };
    store::users::passkeys::note_use(tx, stored.id, sealed, now).await?;
    Ok(())
}

/// The refusal for what the library finds in an answer.
pub(super) fn refusal_of(error: &WebauthnError) -> Error {
    tracing::debug!(target: LOG, %error, "the answer of a passkey does not prove it");
    Error::PasskeyMismatch(match error {
        WebauthnError::CredentialPossibleCompromise => Refusal::Counter,
        _ => Refusal::Answer,
    })
}
