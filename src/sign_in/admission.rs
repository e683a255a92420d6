//! Admission of a user whom a login provider vouches for.

use flagstone_accounts::{self as accounts, AccountError, UserChange, identity_links};
use flagstone_domain::{
    account_powers::{self, Power, Way},
    actor::Actor,
    event::NewEvent,
    identity::{self, Arrival, Refusal},
    opaque_debug, secret,
    sign_in::Provider,
    time::{HOUR_MS, Timestamp},
    user,
};
use flagstone_error::Error;
use flagstone_providers::groups::Groups;
use flagstone_state::State;
use flagstone_store::{
    self as store,
    access::people::{Account, NewUser},
    db::{NoEvent, Tx},
    sign_in::{
        identities::{NewIdentity, Subject},
        once,
        sessions::{self, NewSessionProvider},
    },
};
use flagstone_vault::Key;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{Refused, access_requests, browser::Browser, groups, recheck, rules::Rules, sealed};

/// Reason in the log of sign-ins for an identity that was linked to an account.
pub const LINKED: &str = "linked-by-email";
/// Reason in the log for an identity that took the place of others.
pub const RELINKED: &str = "relinked";
/// Reason in the log for an identity that was linked to an account not proved to belong to the same person.
pub const LINKED_AND_ENDED: &str = "linked-by-email-and-ended";

/// Identity that a login provider vouches for. Printing it shows nothing.
pub struct VerifiedIdentity {
    /// Subject of the user at the provider.
    pub subject: Subject,
    /// The email.
    pub email: String,
    /// Whether the provider proves that the email is theirs.
    pub has_verified_email: bool,
    /// The name that people read.
    pub name: Option<String>,
    /// The groups; nothing while the settings do not ask.
    pub groups: Option<Groups>,
    /// The provider's own session, if it has a name.
    pub provider_session: Option<String>,
    /// Data that the provider is shown later.
    pub for_provider: ForProvider,
    /// When the provider wants the session to end.
    pub ends_at: Option<Timestamp>,
    /// Claims or attributes of the provider.
    pub claims: Map<String, Value>,
}

impl VerifiedIdentity {
    /// Way in by which the user comes.
    pub const fn way(&self) -> Way {
        match self.subject.provider.protocol {
            Provider::Oidc => Way::Oidc,
            Provider::Saml => Way::Saml,
        }
    }
}

opaque_debug!(VerifiedIdentity);

/// Data of a session that its provider is shown when the user signs out, and when access is checked again. It is stored
/// encrypted with the session.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct ForProvider {
    /// The refresh token of OpenID Connect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refresh_token: Option<String>,
    /// The ID token of OpenID Connect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id_token: Option<String>,
    /// The name of SAML in full.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name_id: Option<flagstone_providers::saml::identity::NameId>,
    /// The session of SAML.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_index: Option<String>,
}

opaque_debug!(ForProvider);

/// Something that serves once, and until when it could be shown again.
#[derive(Debug, Clone, Copy)]
pub struct Once<'a> {
    /// Kind of the value.
    pub kind: once::Kind,
    /// Its value.
    pub value: &'a str,
    /// End of the time in which it could be shown again.
    pub until: Timestamp,
    /// Refusal when it was shown before.
    pub refusal: Refusal,
}

/// User who was admitted.
pub struct Admitted {
    /// Secret of the session.
    pub session: String,
    /// Lifetime of the session, in seconds.
    pub lasts_seconds: i64,
    /// Id of the user.
    pub user_id: i64,
    /// Name by which people call them.
    pub name: String,
    /// Reason for the log, if groups were not synchronised.
    pub groups_left: Option<&'static str>,
    /// Reason for the log, if an identity was linked to an account.
    pub linked: Option<&'static str>,
}

opaque_debug!(Admitted { user_id, .. });

/// Admits the user of a verified identity, or returns the reason of the refusal. One transaction: what serves once is
/// used up, the user is found or made, their groups follow, the browser's earlier session ends, and there is a session.
pub async fn admit(
    state: &State,
    verified: &VerifiedIdentity,
    rules: &Rules,
    once: &[Once<'_>],
    browser: &Browser<'_>,
) -> Result<Result<Admitted, Refused>, Error> {
    let key = sealed::key(state).await?;
    match attempt(state, verified, rules, once, browser, key).await {
        // Another sign-in with the same identity or email was faster: now there is one to be found.
        Err(Error::Conflict(_)) => match attempt(state, verified, rules, once, browser, key).await {
            Err(Error::Conflict(_)) => Err(Error::Busy("another sign-in made the same user or identity".into())),
            outcome => outcome,
        },
        outcome => outcome,
    }
}

async fn attempt(
    state: &State,
    verified: &VerifiedIdentity,
    rules: &Rules,
    once: &[Once<'_>],
    browser: &Browser<'_>,
    key: &Key,
) -> Result<Result<Admitted, Refused>, Error> {
    let now = state.clock.now();
    let tx = state.db.begin().await?;
    if let Err(refused) = use_up(&tx, once, &verified.email).await? {
        return Ok(Err(refused));
    }
    let recognised = match rules.judge_groups(verified.groups.as_ref()) {
        Ok(()) => recognised(&tx, verified, rules, browser, now).await?,
        Err(refusal) => Err(Refused::from(refusal).into()),
    };
    let Recognised { account, mut events, linked, is_new_identity } = match recognised {
        Ok(found) => found,
        Err(Unrecognised { refused, event }) => {
            // What was used up stays so.
            match event {
                Some(event) => tx.commit(now, [event]).await?,
                None => tx.commit_without_event(NoEvent::SignIn).await?,
            }
            return Ok(Err(refused.of(&verified.email)));
        }
    };
    let mut groups_left = None;
    if let Some(told) = verified.groups.as_ref().filter(|_| rules.syncs_groups) {
        let synced = groups::bring_in_line(&tx, account.id, &verified.subject.provider, told, now).await?;
        events.extend(synced.events);
        groups_left = synced.left;
    }
    let method = verified.subject.provider.protocol.into();
    let lasts_ms = lifetime_ms(state, verified, now);
    let session = browser.begin_session_of(&tx, account.id, method, lasts_ms, now).await?;
    let digest = secret::digest(&session.secret);
    let (for_provider, check_at) = recheck::prepared(&state.config, verified.for_provider.clone(), now);
    let provided = NewSessionProvider {
        session_digest: &digest,
        subject: &verified.subject,
        provider_session: verified.provider_session.as_deref(),
        settings_hash: &rules.digest,
        sealed: &sealed::seal(key, sessions::PLACE, &for_provider)?,
        check_at,
    };
    sessions::insert(&tx, provided).await?;
    if is_new_identity {
        store::sign_in::access_requests::remove_of(&tx, &verified.subject).await?;
    }
    tx.commit(now, events).await?;
    let name = user::display_name(account.name.as_deref(), account.username.as_deref(), account.email.as_deref());
    Ok(Ok(Admitted {
        session: session.secret,
        lasts_seconds: session.lasts_seconds,
        user_id: account.id,
        name: name.to_owned(),
        groups_left,
        linked,
    }))
}

/// Uses up everything that serves once, or returns the refusal of what was used before.
pub(super) async fn use_up(tx: &Tx, once: &[Once<'_>], email: &str) -> Result<Result<(), Refused>, Error> {
    for one in once {
        if !store::sign_in::once::take(tx, one.kind, one.value, one.until).await? {
            return Ok(Err(Refused::from(one.refusal).of(email)));
        }
    }
    Ok(Ok(()))
}

/// Lifetime of the session: as long as any, or as the provider wants, if that is shorter.
fn lifetime_ms(state: &State, verified: &VerifiedIdentity, now: Timestamp) -> i64 {
    let usual = state.config.session_hours.saturating_mul(HOUR_MS);
    let wanted = verified.ends_at.map_or(usual, |end| end.millis().saturating_sub(now.millis()));
    usual.min(wanted).max(1000)
}

/// User whom an identity belongs to.
struct Recognised {
    account: Account,
    /// Events of the changes to the user.
    events: Vec<NewEvent>,
    /// Reason for the log, if an identity was linked.
    linked: Option<&'static str>,
    /// Whether the identity belonged to no user before.
    is_new_identity: bool,
}

/// Refusal of an identity, with the event of a request for access that it made.
struct Unrecognised {
    refused: Refused,
    event: Option<NewEvent>,
}

impl From<Refused> for Unrecognised {
    fn from(refused: Refused) -> Self {
        Self { refused, event: None }
    }
}

/// Finds or creates the user of an identity, with the events of the changes.
async fn recognised(
    tx: &Tx,
    verified: &VerifiedIdentity,
    rules: &Rules,
    browser: &Browser<'_>,
    now: Timestamp,
) -> Result<Result<Recognised, Unrecognised>, Error> {
    let VerifiedIdentity { subject, email, .. } = verified;
    let way = verified.way();
    let known = store::sign_in::identities::find(tx, subject, email, now).await?;
    let arrival = match identity::recognise(known, rules.newcomers.judge(email, verified.has_verified_email)) {
        Ok(arrival) => arrival,
        Err(Refusal::AccessRequested) => {
            let requested = access_requests::register(tx, verified, rules, now).await?;
            return Ok(Err(Unrecognised { refused: requested.refusal.into(), event: requested.event }));
        }
        Err(refusal) => {
            let refused = Refused::from(refusal);
            // An administrator needs the number to undo it: a deleted user is in no list.
            let concerned = known.owner.map(|owner| owner.user_id);
            let concerned = concerned.or_else(|| known.by_email.map(|by_email| by_email.user_id));
            let refused = match concerned {
                Some(user_id) => refused.about(user_id),
                None => refused,
            };
            return Ok(Err(refused.into()));
        }
    };
    let name = verified.name.as_deref().and_then(user::fit_name);
    let user_id = match arrival {
        Arrival::Returns(user_id) | Arrival::Links(user_id) | Arrival::Relinks(user_id) => user_id,
        Arrival::BecomesUser => {
            let root_role_id = rules.newcomers.root_role_id(tx, &verified.claims).await?;
            let new = NewUser { email: Some(email.clone()), name, root_role_id, ..NewUser::default() };
            let (user_id, created) = match accounts::insert_user(tx, new, way, now, &Actor::system()).await {
                Ok(made) => made,
                Err(AccountError::UserName(_) | AccountError::Name(_) | AccountError::NameTaken(_)) => {
                    return Ok(Err(Refused::from(Refusal::UnusableEmail).into()));
                }
                Err(AccountError::Taken) => return Err(Error::Conflict(String::new())),
                Err(error) => return Err(error.into()),
            };
            link(tx, verified, rules, user_id, now).await?;
            let account = store::users::find(tx, user_id).await?;
            let account = account.ok_or_else(|| Error::internal("the new user is missing"))?;
            return Ok(Ok(Recognised { account, events: vec![created], linked: None, is_new_identity: true }));
        }
    };
    let account = store::users::hold(tx, user_id).await?;
    let Some(mut account) = account else {
        return Ok(Err(Refused::from(Refusal::AccountRemoved).about(user_id).into()));
    };
    if account.deactivated_at.is_some() {
        return Ok(Err(Refused::from(Refusal::AccountInactive).about(user_id).into()));
    }
    let (mut events, mut told) = (Vec::new(), None);
    match arrival {
        Arrival::Links(_) => {
            // Who is signed in as that user is the one who was there before.
            let is_them = browser.is_of(tx, user_id, now).await?;
            let is_proved = is_them || store::sign_in::identities::has_proof(tx, user_id).await?;
            // Whoever came by identities of providers that are not trusted may be another person.
            let replaced =
                if is_proved { Vec::new() } else { store::sign_in::identities::take_all(tx, user_id).await? };
            let replaced: Vec<Subject> = replaced.into_iter().map(|identity| identity.subject).collect();
            link(tx, verified, rules, user_id, now).await?;
            let linked =
                identity_links::link(tx, account, subject, &replaced, is_proved, way, &Actor::system()).await?;
            told = Some(if linked.has_ended { LINKED_AND_ENDED } else { LINKED });
            account = linked.account;
            events = linked.events;
        }
        Arrival::Relinks(_) => {
            let taken = store::sign_in::identities::take_over(tx, user_id, &subject.provider).await?;
            let replaced: Vec<Subject> = taken.into_iter().map(|identity| identity.subject).collect();
            for former in &replaced {
                sessions::end(tx, sessions::Ending::Subject(former)).await?;
            }
            link(tx, verified, rules, user_id, now).await?;
            let is_proved = !replaced.is_empty();
            let linked =
                identity_links::link(tx, account, subject, &replaced, is_proved, way, &Actor::system()).await?;
            told = Some(if linked.has_ended { LINKED_AND_ENDED } else { RELINKED });
            account = linked.account;
            events = linked.events;
        }
        _ => store::sign_in::identities::note_seen(tx, subject, email, &rules.digest, now).await?,
    }
    let is_new_identity = !matches!(arrival, Arrival::Returns(_));
    // A directory that keeps the user says what they are called.
    let standing = accounts::standing(tx, &account, way).await?;
    let name = name.filter(|_| account_powers::judge(way, Power::Rename, standing).is_ok());
    let Some(name) = name.filter(|name| account.name.as_deref() != Some(name)) else {
        return Ok(Ok(Recognised { account, events, linked: told, is_new_identity }));
    };
    let change = UserChange { name: Some(name), ..UserChange::default() };
    let changed = accounts::change_user(tx, &account, change, way, now, &Actor::system()).await;
    let (account, event) = changed.map_err(Error::from)?;
    events.extend(event);
    Ok(Ok(Recognised { account, events, linked: told, is_new_identity }))
}

async fn link(tx: &Tx, verified: &VerifiedIdentity, rules: &Rules, user_id: i64, now: Timestamp) -> Result<(), Error> {
    let new = NewIdentity {
        subject: &verified.subject,
        email: Some(&verified.email),
        proves_owner: rules.newcomers.vouches_for_email(verified.has_verified_email),
        settings: Some(&rules.digest),
    };
    let inserted = store::sign_in::identities::insert(tx, new, user_id, now).await;
    inserted.map_err(|error| if error.is_duplicate() { Error::Conflict(String::new()) } else { error.into() })
}
