//! Letting somebody in whom a login provider vouches for.

use serde::{Deserialize, Serialize};

use crate::{
    accounts::{self, AccountError, UserChange},
    domain::{
        actor::Actor,
        event::NewEvent,
        identity::{self, Arrival, Newcomers, Refusal},
        role::RootRole,
        secret,
        time::{HOUR_MS, Timestamp},
        user,
    },
    error::Error,
    providers::{email_domains::EmailDomains, groups::Groups},
    sign_in::{Refused, groups, sealed},
    state::State,
    store::{
        self,
        access::people::{Account, NewUser},
        db::{NoEvent, Tx},
        sign_in::{identities::Subject, once, sessions},
    },
    vault::Key,
    wire::Number,
};

/// Most characters of a user's name.
const LONGEST_NAME: usize = 255;

/// Somebody, by a login provider's word. Printing it shows nothing.
pub struct VerifiedIdentity {
    /// Subject of the user at the provider.
    pub subject: Subject,
    /// The email.
    pub email: String,
    /// The name that people read.
    pub name: Option<String>,
    /// The groups; nothing while the settings do not ask.
    pub groups: Option<Groups>,
    /// The provider's own session, if it has a name.
    pub provider_session: Option<String>,
    /// What signing out there needs.
    pub for_sign_out: ForSignOut,
    /// When the provider wants the session to end.
    pub ends_at: Option<Timestamp>,
}

impl std::fmt::Debug for VerifiedIdentity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("VerifiedIdentity")
    }
}

/// What signing out at a provider needs. It lies encrypted beside the session.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct ForSignOut {
    /// The ID token of OpenID Connect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id_token: Option<String>,
    /// The name of SAML in full.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name_id: Option<crate::providers::saml::identity::NameId>,
    /// The session of SAML.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_index: Option<String>,
}

impl std::fmt::Debug for ForSignOut {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ForSignOut")
    }
}

/// Whom settings let in.
#[derive(Debug, Clone)]
pub struct Rules {
    /// Who becomes a user.
    pub newcomers: NewcomerRules,
    /// Tells the settings from others.
    pub digest: String,
}

/// Who becomes a user of those whom nobody knows, and with which role.
#[derive(Debug, Clone)]
pub struct NewcomerRules {
    /// Whether anybody does.
    auto_create: bool,
    /// Whose email does.
    domains: EmailDomains,
    /// The root role, by id.
    role_id: Option<Number>,
    /// The same by name; the id wins.
    role: Option<RootRole>,
}

impl NewcomerRules {
    /// As the settings of both kinds say it.
    pub fn new(
        auto_create: Option<bool>,
        email_domains: Option<&str>,
        role_id: Option<Number>,
        role: Option<RootRole>,
    ) -> Self {
        Self { auto_create: auto_create == Some(true), domains: EmailDomains::parse(email_domains), role_id, role }
    }

    /// Whether somebody with this email becomes a user.
    pub fn judge(&self, email: &str) -> Newcomers {
        match (self.auto_create, self.domains.permit(email)) {
            (false, _) => Newcomers::Never,
            (true, false) => Newcomers::OfOtherDomain,
            (true, true) => Newcomers::Welcome,
        }
    }

    /// The role of users that are made: one that is gone is that of least rights.
    pub async fn root_role_id(&self, tx: &Tx) -> Result<i64, Error> {
        if let Some(id) = self.role_id.and_then(Number::whole)
            && store::roles::is_root(tx, id).await?
        {
            return Ok(id);
        }
        Ok(self.role.unwrap_or(RootRole::Viewer).id())
    }
}

/// Something that serves once, and until when it could be shown again.
#[derive(Debug, Clone, Copy)]
pub struct Once<'a> {
    /// What it is.
    pub kind: once::Kind,
    /// Its value.
    pub value: &'a str,
    /// Until when it could be shown again.
    pub until: Timestamp,
    /// What it means that it was shown before.
    pub refusal: Refusal,
}

/// Somebody who got in.
pub struct Admitted {
    /// Secret of the session.
    pub session: String,
    /// How long the session lasts.
    pub lasts_seconds: i64,
    /// Who it is.
    pub user_id: i64,
    /// How people call them.
    pub name: String,
    /// What the log is to say of groups that did not follow.
    pub groups_left: Option<&'static str>,
}

impl std::fmt::Debug for Admitted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Admitted").field("user_id", &self.user_id).finish_non_exhaustive()
    }
}

/// Lets somebody in, or tells why not. One transaction: what serves once is used up, the user is found or made, their
/// groups follow, the browser's earlier session ends, and there is a session.
pub async fn admit(
    state: &State,
    verified: &VerifiedIdentity,
    rules: &Rules,
    once: &[Once<'_>],
    earlier: Option<&str>,
) -> Result<Result<Admitted, Refused>, Error> {
    let key = sealed::key(state).await?;
    match attempt(state, verified, rules, once, earlier, key).await {
        // Somebody with the same identity or email was faster: now there is one to be found.
        Err(Error::Conflict(_)) => match attempt(state, verified, rules, once, earlier, key).await {
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
    earlier: Option<&str>,
    key: &Key,
) -> Result<Result<Admitted, Refused>, Error> {
    let now = state.clock.now();
    let tx = state.db.begin().await?;
    for one in once {
        if !store::sign_in::once::take(&tx, one.kind, one.value, one.until).await? {
            return Ok(Err(Refused::from(one.refusal).of(&verified.email)));
        }
    }
    let (account, mut events) = match recognised(&tx, verified, rules, now).await? {
        Ok(found) => found,
        Err(refusal) => {
            // What was used up stays so.
            tx.commit_without_event(NoEvent::SignIn).await?;
            return Ok(Err(Refused::from(refusal).of(&verified.email)));
        }
    };
    let mut groups_left = None;
    if let Some(told) = &verified.groups {
        let synced = groups::bring_in_line(&tx, account.id, told, now).await?;
        events.extend(synced.events);
        groups_left = synced.left;
    }
    if let Some(earlier) = earlier {
        store::users::sessions::end(&tx, &secret::digest(earlier)).await?;
    }
    store::access::people::note_sign_in(&tx, account.id, now).await?;
    let session = secret::random_part();
    let digest = secret::digest(&session);
    let lasts_ms = lifetime_ms(state, verified, now);
    store::users::sessions::start(&tx, &digest, account.id, now, now.plus_millis(lasts_ms)).await?;
    let sealed = sealed::seal(key, sessions::PLACE, &verified.for_sign_out)?;
    let provider_session = verified.provider_session.as_deref();
    sessions::insert(&tx, &digest, &verified.subject, provider_session, &rules.digest, &sealed).await?;
    tx.commit(now, events).await?;
    let name = user::display_name(account.name.as_deref(), account.username.as_deref(), account.email.as_deref());
    Ok(Ok(Admitted {
        session,
        lasts_seconds: lasts_ms / 1000,
        user_id: account.id,
        name: name.to_owned(),
        groups_left,
    }))
}

/// How long the session lasts: as long as any, or as the provider wants, if that is shorter.
fn lifetime_ms(state: &State, verified: &VerifiedIdentity, now: Timestamp) -> i64 {
    let usual = state.config.session_hours.saturating_mul(HOUR_MS);
    let wanted = verified.ends_at.map_or(usual, |end| end.millis().saturating_sub(now.millis()));
    usual.min(wanted).max(1000)
}

/// Who it is here, with what changed about them.
async fn recognised(
    tx: &Tx,
    verified: &VerifiedIdentity,
    rules: &Rules,
    now: Timestamp,
) -> Result<Result<(Account, Vec<NewEvent>), Refusal>, Error> {
    let VerifiedIdentity { subject, email, .. } = verified;
    let known = store::sign_in::identities::find(tx, subject, email).await?;
    let arrival = match identity::recognise(known, rules.newcomers.judge(email)) {
        Ok(arrival) => arrival,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let name = verified.name.as_deref().and_then(usable_name);
    let user_id = match arrival {
        Arrival::Returns(user_id) | Arrival::Links(user_id) => user_id,
        Arrival::BecomesUser => {
            let root_role_id = rules.newcomers.root_role_id(tx).await?;
            let new = NewUser { email: Some(email.clone()), name, root_role_id, ..NewUser::default() };
            let (user_id, created) = match accounts::insert_user(tx, new, now, &Actor::system()).await {
                Ok(made) => made,
                Err(AccountError::UserName(_) | AccountError::Name(_) | AccountError::NameTaken(_)) => {
                    return Ok(Err(Refusal::UnusableEmail));
                }
                Err(AccountError::Taken) => return Err(Error::Conflict(String::new())),
                Err(error) => return Err(error.into()),
            };
            link(tx, subject, email, user_id, now).await?;
            let account = store::users::find(tx, user_id).await?;
            let account = account.ok_or_else(|| Error::internal("the new user is missing"))?;
            return Ok(Ok((account, vec![created])));
        }
    };
    let account = store::users::hold(tx, user_id).await?;
    let Some(account) = account else { return Ok(Err(Refusal::AccountRemoved)) };
    if account.deactivated_at.is_some() {
        return Ok(Err(Refusal::AccountInactive));
    }
    match arrival {
        Arrival::Links(_) => link(tx, subject, email, user_id, now).await?,
        _ => store::sign_in::identities::note_seen(tx, subject, email, now).await?,
    }
    // A directory that keeps the user says what they are called.
    let is_kept = account.kept.is_some() && store::scim::is_on(tx).await?;
    let name = name.filter(|_| !is_kept);
    let Some(name) = name.filter(|name| account.name.as_deref() != Some(name)) else {
        return Ok(Ok((account, Vec::new())));
    };
    let change = UserChange { name: Some(name), ..UserChange::default() };
    let changed = accounts::change_user(tx, &account, change, now, &Actor::system()).await;
    let (account, event) = changed.map_err(Error::from)?;
    Ok(Ok((account, event.into_iter().collect())))
}

async fn link(tx: &Tx, subject: &Subject, email: &str, user_id: i64, now: Timestamp) -> Result<(), Error> {
    let inserted = store::sign_in::identities::insert(tx, subject, email, user_id, now).await;
    inserted.map_err(|error| if error.is_duplicate() { Error::Conflict(String::new()) } else { error.into() })
}

/// The name as one of ours; nothing for one that cannot be.
fn usable_name(name: &str) -> Option<String> {
    let name = name.trim();
    let is_usable = !name.is_empty() && name.chars().count() <= LONGEST_NAME && !name.chars().any(char::is_control);
    is_usable.then(|| name.to_owned())
}
