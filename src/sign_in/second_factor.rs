//! Second factors in addition to a password: enrolling and removing one's own, and proving it when signing in.

use flagstone_accounts::{self as accounts, SecondFactorChange};
use flagstone_domain::{
    account_powers::Way,
    actor::Actor,
    opaque_debug,
    preference::Preference as _,
    second_factor::{Code, ENROLMENT_MS, Kind, RECOVERY_CODES, SecondFactorPolicy, recovery_code},
    time::Timestamp,
    totp::Secret,
};
use flagstone_error::Error;
use flagstone_state::State;
use flagstone_store::{
    self as store,
    access::people::Account,
    db::{NoEvent, Tx},
    users::second_factors::{self, StoredFactor, place},
};
use flagstone_vault::Vault;

use crate::{
    passkeys::{self, PasskeyAnswer, TakenChallenge},
    sealed,
};

/// Name of this server in authenticator apps, before its host, so that entries of several servers differ.
const ISSUER: &str = "Flagstone";
/// Characters of a user's name in authenticator apps: with more of them, a QR code could not hold the address.
const LONGEST_LABEL: usize = 60;
/// Reason in the log of sign-ins: the password came without a code.
pub const MISSING: &str = "second-factor-missing";
/// Reason in the log of sign-ins: the code was wrong, or used before.
pub const WRONG: &str = "wrong-second-factor";
/// Reason in the log of sign-ins: a recovery code was used.
pub const RECOVERED: &str = "recovery-code";

/// Reason in the log of sign-ins for a refusal of [`pass`]; `None` for what is no refusal of a proof.
pub const fn reason(error: &Error) -> Option<&'static str> {
    match error {
        Error::SecondFactorRequired => Some(MISSING),
        Error::SecondFactorMismatch => Some(WRONG),
        Error::PasskeyMismatch(refusal) => Some(refusal.code()),
        _ => None,
    }
}

/// A user who changes their own second factor.
#[derive(Debug)]
pub struct Owner<'a> {
    /// Id of the user.
    pub id: i64,
    /// Digest of the session that the request came in.
    pub session: Option<&'a str>,
    /// Actor of the events.
    pub actor: Actor,
}

/// An enrolment that has begun.
#[derive(Debug)]
pub struct Begun {
    /// Secret for the authenticator app.
    pub secret: Secret,
    /// Secret as an address, which apps read from a QR code.
    pub uri: String,
}

/// A proof of a second factor, as it comes with a request. Printing it shows nothing.
#[derive(Clone)]
pub enum Proof {
    /// A code of the authenticator app, or a recovery code.
    Code(String),
    /// The answer of a passkey to a challenge.
    Passkey(Box<PasskeyAnswer>),
}

opaque_debug!(Proof);

/// A proof that counts as an attempt of its user. Printing it shows nothing.
pub enum CountedProof {
    /// A code of the authenticator app, or a recovery code.
    Code(String),
    /// The answer of a passkey to a challenge, which is used up.
    Passkey(Box<TakenChallenge>),
}

opaque_debug!(CountedProof);

/// Counts the proof of a user, if there is one, as an attempt, and uses up its challenge: 429 when there were too many.
/// Whoever finds the proof good gives the attempt back.
pub async fn count(state: &State, user_id: i64, proof: Option<Proof>) -> Result<Option<CountedProof>, Error> {
    let Some(proof) = proof else { return Ok(None) };
    state.attempts.second_factor.count(&user_id)?;
    Ok(Some(match proof {
        Proof::Code(code) => CountedProof::Code(code),
        Proof::Passkey(answer) => CountedProof::Passkey(Box::new(answer.take(state).await?)),
    }))
}

/// Gives back the attempt that a good proof, if there is one, counted as.
pub(super) fn give_back(state: &State, user_id: i64, proof: Option<&CountedProof>) {
    if proof.is_some() {
        state.attempts.second_factor.give_back(&user_id);
    }
}

/// Way in which a sign-in passed the second factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Passed {
    /// The user has none.
    WithoutFactor,
    /// With a code of the authenticator app.
    OneTimeCode,
    /// With a recovery code, which is used up.
    RecoveryCode,
    /// With a passkey.
    Passkey,
}

/// The policy in force.
pub async fn policy(state: &State) -> Result<SecondFactorPolicy, Error> {
    Ok(store::preferences::find(&state.db, SecondFactorPolicy::ID).await?.unwrap_or_default())
}

/// Begins the enrolment of an authenticator app, which replaces one that was not confirmed, of a user who proves the
/// password and, if they have a second factor, that. 409 while an app is in use.
pub async fn begin_totp(
    state: &State,
    owner: &Owner<'_>,
    password: String,
    proof: Option<Proof>,
) -> Result<Begun, Error> {
    let hash = prove_password(state, owner.id, password).await?;
    let proof = count(state, owner.id, proof).await?;
    let now = state.clock.now();
    let tx = state.db.begin().await?;
    let key = sealed::lasting_key(&tx, &state.vault, now).await?;
    let account = hold(&tx, owner.id, Some(&hash)).await?;
    if second_factors::find(&tx, account.id, Kind::Totp).await?.is_some_and(|factor| factor.confirmed_at.is_some()) {
        return Err(Error::InUse {
            name: "SecondFactorExistsError",
            message: "You have an authenticator app already: remove the second factor before you enrol another one."
                .to_owned(),
        });
    }
    pass(&tx, state, account.id, proof.as_ref(), now).await?;
    let secret = Secret::generate();
    let sealed = key.seal(&place(account.id, Kind::Totp), secret.bytes());
    second_factors::begin(&tx, account.id, Kind::Totp, &sealed, now).await?;
    tx.commit_without_event(NoEvent::SignIn).await?;
    give_back(state, owner.id, proof.as_ref());
    let uri = secret.uri(&issuer(&state.config.base_url), &label_of(&account));
    Ok(Begun { secret, uri })
}

/// Name that a user signs in with, or its beginning, as the name of the entry in an app and of a passkey.
pub(super) fn label_of(account: &Account) -> String {
    let login = account.email.as_ref().or(account.username.as_ref());
    login.map_or_else(|| account.id.to_string(), |login| login.chars().take(LONGEST_LABEL).collect())
}

/// Name of this server in authenticator apps and for passkeys.
pub(super) fn issuer(base_url: &str) -> String {
    let host = url::Url::parse(base_url).ok().and_then(|url| url.host_str().map(str::to_owned));
    host.map_or_else(|| ISSUER.to_owned(), |host| format!("{ISSUER} {host}"))
}

/// Takes an authenticator app into use, by a code of it, and ends the other sessions of the user, which came in without
/// it. Returns the recovery codes, which take the place of those before and are shown here and never again. 404 without an enrolment that began within an
/// hour, 401 for a wrong code.
pub async fn confirm_totp(state: &State, owner: &Owner<'_>, code: &str) -> Result<Vec<String>, Error> {
    state.attempts.second_factor.count(&owner.id)?;
    let now = state.clock.now();
    let tx = state.db.begin().await?;
    let account = hold(&tx, owner.id, None).await?;
    let is_pending =
        |factor: &StoredFactor| factor.confirmed_at.is_none() && factor.created_at.plus_millis(ENROLMENT_MS) > now;
    let pending = second_factors::find(&tx, account.id, Kind::Totp).await?.filter(is_pending);
    let pending =
        pending.ok_or_else(|| Error::NotFound("No enrolment has begun within an hour: begin one.".to_owned()))?;
    let Some(Code::OneTime(digits)) = Code::read(code) else { return Err(Error::SecondFactorMismatch) };
    let secret = open(&state.vault, account.id, &pending);
    let step = secret.and_then(|secret| secret.step_of(&digits, now)).ok_or(Error::SecondFactorMismatch)?;
    if !second_factors::confirm(&tx, pending.id, step, now).await? {
        return Err(Error::SecondFactorMismatch);
    }
    let codes = give_recovery_codes(&tx, account.id, now).await?;
    let sessions = store::users::sessions::end_all(&tx, account.id, owner.session).await?;
    let event = accounts::second_factor_changed(&account, SecondFactorChange::Enrolled, sessions, &owner.actor);
    tx.commit(now, [event]).await?;
    state.attempts.second_factor.give_back(&owner.id);
    Ok(codes)
}

/// Replaces the recovery codes of a user who proves the second factor, and returns the new ones, which are shown here
/// and never again.
pub async fn renew_recovery_codes(
    state: &State,
    owner: &Owner<'_>,
    proof: Option<Proof>,
) -> Result<Vec<String>, Error> {
    let proof = count(state, owner.id, proof).await?;
    let now = state.clock.now();
    let tx = state.db.begin().await?;
    let account = hold(&tx, owner.id, None).await?;
    require(&tx, state, account.id, proof.as_ref(), now).await?;
    let codes = give_recovery_codes(&tx, account.id, now).await?;
    let event = accounts::second_factor_changed(&account, SecondFactorChange::RenewedCodes, 0, &owner.actor);
    tx.commit(now, [event]).await?;
    state.attempts.second_factor.give_back(&owner.id);
    Ok(codes)
}

/// Removes the second factors of a user who proves both password and second factor, and ends their other sessions.
pub async fn remove_own(state: &State, owner: &Owner<'_>, password: String, proof: Option<Proof>) -> Result<(), Error> {
    let hash = prove_password(state, owner.id, password).await?;
    let proof = count(state, owner.id, proof).await?;
    let now = state.clock.now();
    let tx = state.db.begin().await?;
    let account = hold(&tx, owner.id, Some(&hash)).await?;
    require(&tx, state, account.id, proof.as_ref(), now).await?;
    let removed = accounts::remove_second_factors(&tx, &account, owner.session, Way::Themself, &owner.actor).await?;
    tx.commit(now, removed).await?;
    state.attempts.second_factor.give_back(&owner.id);
    Ok(())
}

/// Lets a sign-in with the right password pass, if the user has no second factor or the proof is one of theirs. What it
/// uses up is used up by the transaction, which holds the user.
pub async fn pass(
    tx: &Tx,
    state: &State,
    user_id: i64,
    proof: Option<&CountedProof>,
    now: Timestamp,
) -> Result<Passed, Error> {
    let factors = second_factors::in_use(tx, user_id).await?;
    if factors.is_empty() {
        return Ok(Passed::WithoutFactor);
    }
    let code = match proof.ok_or(Error::SecondFactorRequired)? {
        CountedProof::Code(code) => code,
        CountedProof::Passkey(challenge) => {
            passkeys::prove(tx, state, user_id, challenge, now).await?;
            return Ok(Passed::Passkey);
        }
    };
    let passed = match Code::read(code) {
        Some(Code::OneTime(digits)) => {
            let totp = factors.iter().find(|factor| factor.kind == Kind::Totp).ok_or(Error::SecondFactorMismatch)?;
            let secret = open(&state.vault, user_id, totp).ok_or(Error::SecondFactorMismatch)?;
            let step = secret.step_of(&digits, now).ok_or(Error::SecondFactorMismatch)?;
            second_factors::use_step(tx, totp.id, step).await?.then_some(Passed::OneTimeCode)
        }
        Some(Code::Recovery(digest)) => {
            second_factors::use_recovery_code(tx, user_id, &digest).await?.then_some(Passed::RecoveryCode)
        }
        None => None,
    };
    passed.ok_or(Error::SecondFactorMismatch)
}

/// Refuses what proves no second factor of the user: 404 for a user who has none.
pub(super) async fn require(
    tx: &Tx,
    state: &State,
    user_id: i64,
    proof: Option<&CountedProof>,
    now: Timestamp,
) -> Result<(), Error> {
    match pass(tx, state, user_id, proof, now).await? {
        Passed::WithoutFactor => Err(Error::NotFound("You have no second factor.".to_owned())),
        Passed::OneTimeCode | Passed::RecoveryCode | Passed::Passkey => Ok(()),
    }
}

/// Opens the secret of a factor. One that does not open proves nothing; recovery codes go on serving.
fn open(vault: &Vault, user_id: i64, factor: &StoredFactor) -> Option<Secret> {
    let opened = vault.open(&place(user_id, Kind::Totp), &factor.sealed).ok();
    let secret = opened.and_then(|(bytes, _)| Secret::read(&bytes));
    if secret.is_none() {
        tracing::error!(
            target: "flagstone::sign_in::second_factor",
            user_id,
            "the second factor of a user cannot be read with the key of this server"
        );
    }
    secret
}

/// Gives a user recovery codes in the place of those before.
pub(super) async fn give_recovery_codes(tx: &Tx, user_id: i64, now: Timestamp) -> Result<Vec<String>, Error> {
    let codes: Vec<String> = std::iter::repeat_with(recovery_code).take(RECOVERY_CODES).collect();
    let digests = codes.iter().filter_map(|code| match Code::read(code) {
        Some(Code::Recovery(digest)) => Some(digest),
        Some(Code::OneTime(_)) | None => None,
    });
    let digests: Vec<String> = digests.collect();
    second_factors::replace_recovery_codes(tx, user_id, digests, now).await?;
    Ok(codes)
}

/// Checks the password of a user, and returns its hash: 401 for a wrong one.
pub(super) async fn prove_password(state: &State, user_id: i64, password: String) -> Result<String, Error> {
    state.attempts.password_change.count(&user_id)?;
    let account = store::users::find(&state.db, user_id).await?.ok_or(Error::Unauthenticated)?;
    let stored = account.password_hash;
    if !state.passwords.matches(password, stored.clone()).await? {
        return Err(Error::PasswordMismatch);
    }
    stored.ok_or(Error::PasswordMismatch)
}

/// The user, locked until the transaction ends, unless they have another password than the one that was proved.
pub(super) async fn hold(tx: &Tx, user_id: i64, proved: Option<&str>) -> Result<Account, Error> {
    let account = store::users::hold(tx, user_id).await?.ok_or(Error::Unauthenticated)?;
    if proved.is_some() && account.password_hash.as_deref() != proved {
        return Err(Error::PasswordMismatch);
    }
    Ok(account)
}
