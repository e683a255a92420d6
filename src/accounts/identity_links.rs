//! Links of identities at login providers to accounts that were there before.

use flagstone_domain::{
    account_powers::{self, Power, Way},
    actor::Actor,
    event::NewEvent,
    event_kind::EventKind,
};
use flagstone_store::{
    self as store, StoreError,
    access::people::Account,
    db::Tx,
    sign_in::{
        identities::{self, Identity, Subject},
        sessions::{self, Ending},
    },
};
use serde::Serialize;
use serde_json::{Value, json};

use super::{
    AccountError, UserData, standing,
    users::{Ended, end_all},
};

/// An account that was linked to an identity.
#[derive(Debug)]
pub struct Linked {
    /// The account.
    pub account: Account,
    /// Events of the link, and of what it ended.
    pub events: Vec<NewEvent>,
    /// Whether a password, sessions or personal tokens ended.
    pub has_ended: bool,
}

/// An identity, as events name it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct IdentityData<'a> {
    provider: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    provider_id: Option<&'a str>,
    issuer: &'a str,
    subject: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LinkData<'a> {
    #[serde(flatten)]
    user: UserData,
    linked_identity: IdentityData<'a>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    replaced_identities: Vec<IdentityData<'a>>,
    #[serde(flatten)]
    ended: Option<Ended>,
}

fn data(subject: &Subject) -> IdentityData<'_> {
    IdentityData {
        provider: subject.provider.protocol.as_str(),
        provider_id: subject.provider.id.as_deref(),
        issuer: &subject.issuer,
        subject: &subject.subject,
    }
}

/// Links an account, which the transaction holds, to an identity, in the place of `replaced`. If the owner of the
/// account was never proved, another person may have made it: its password, second factor, sessions, personal tokens
/// and links to set a password end.
pub async fn link(
    tx: &Tx,
    account: Account,
    subject: &Subject,
    replaced: &[Subject],
    is_proved: bool,
    way: Way,
    actor: &Actor,
) -> Result<Linked, AccountError> {
    account_powers::judge(way, Power::Link, standing(tx, &account, way).await?)?;
    let before = UserData::of(&account);
    let mut told = LinkData {
        user: UserData::of(&account),
        linked_identity: data(subject),
        replaced_identities: replaced.iter().map(data).collect(),
        ended: None,
    };
    if is_proved {
        let event = NewEvent::new(EventKind::UserUpdated, actor).with_data(&told).with_pre_data(&before);
        return Ok(Linked { account, events: vec![event], has_ended: false });
    }
    let had_password = account.password_hash.is_some();
    if had_password {
        store::access::people::set_password_hash(tx, account.id, None).await?;
    }
    store::users::second_factors::remove_all(tx, account.id).await?;
    let (sessions, tokens) = end_all(tx, account.id, None).await?;
    told.ended = Some(Ended { sessions, personal_tokens: tokens.len(), password: Some(had_password) });
    let event = NewEvent::new(EventKind::UserUpdated, actor).with_data(&told).with_pre_data(&before);
    let ended = tokens.iter().map(|token| token.event(EventKind::PatDeleted, actor));
    Ok(Linked {
        events: std::iter::once(event).chain(ended).collect(),
        has_ended: had_password || sessions > 0 || !tokens.is_empty(),
        account: Account { password_hash: None, ..account },
    })
}

/// Removes an identity of a user, or without an id all of them, and ends the sessions that came through them. A deleted
/// user has no `account`. Returns the event, or `None` if there is no such identity.
pub async fn unlink(
    tx: &Tx,
    user_id: i64,
    account: Option<&Account>,
    only: Option<&str>,
    actor: &Actor,
) -> Result<Option<NewEvent>, StoreError> {
    let known = identities::list(tx, user_id).await?;
    let is_meant = |identity: &&Identity| only.is_none_or(|id| identity.id == id);
    let (removed, left): (Vec<&Identity>, Vec<&Identity>) = known.iter().partition(is_meant);
    if removed.is_empty() {
        return Ok(None);
    }
    let mut ended_sessions = 0;
    for identity in &removed {
        ended_sessions += sessions::end(tx, Ending::Subject(&identity.subject)).await?;
    }
    match only {
        Some(id) => identities::remove(tx, id).await?,
        None => identities::remove_all(tx, user_id).await?,
    }
    let user = account.map_or_else(|| json!({ "id": user_id }), |account| json!(UserData::of(account)));
    let mut before = user.clone();
    before["identities"] = issuers(&known.iter().collect::<Vec<_>>());
    let mut after = user;
    after["identities"] = issuers(&left);
    after["unlinkedIdentities"] = removed.iter().map(|identity| json!(data(&identity.subject))).collect();
    after["endedSessions"] = json!(ended_sessions);
    Ok(Some(NewEvent::new(EventKind::UserUpdated, actor).with_data(&after).with_pre_data(&before)))
}

fn issuers(identities: &[&Identity]) -> Value {
    identities.iter().map(|identity| json!(identity.subject.issuer)).collect()
}
