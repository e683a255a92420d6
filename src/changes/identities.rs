//! Changes of the identities that users have at login providers.

use flagstone_accounts::UserData;
use flagstone_domain::{
    event::NewEvent,
    event_kind::EventKind,
    identity::Relinking,
    sign_in::{Provider, ProviderKey},
    time::{HOUR_MS, Timestamp},
};
use flagstone_error::Error;
use flagstone_store::{self as store, access::people::Account, sign_in::identities};
use flagstone_vault::Vault;
use serde_json::json;

use crate::{Author, Begin, Transaction};

/// Users to be linked to new identities, and the login provider that has them.
#[derive(Debug)]
pub struct UsersToRelink {
    /// Protocol of the provider.
    pub protocol: Provider,
    /// Id of the provider; `None` for that of the protocol's settings.
    pub provider_id: Option<String>,
    /// Ids of the users; `None` for everybody who has an identity of the provider.
    pub ids: Option<Vec<i64>>,
    /// Hours in which they can be linked.
    pub hours: u16,
}

/// Users who can be linked to new identities.
#[derive(Debug)]
pub struct RelinkableUsers {
    /// The users, by id.
    pub users: Vec<Account>,
    /// Until when they can be linked.
    pub until: Timestamp,
}

impl Author<'_> {
    /// Lets users be linked to new identities of a login provider, in the place of what was allowed before. With
    /// `dry_run` everything stays as it is.
    pub async fn relink_users(
        self,
        vault: &Vault,
        wanted: UsersToRelink,
        dry_run: bool,
    ) -> Result<RelinkableUsers, Error> {
        let UsersToRelink { protocol, provider_id, ids, hours } = wanted;
        let transaction = self.begin(Begin::Change).await?;
        let Transaction { tx, now, .. } = &transaction;
        let until = now.plus_millis(i64::from(hours) * HOUR_MS);
        let provider = match provider_id {
            None => ProviderKey::of_settings(protocol),
            Some(id) => {
                let found = store::sign_in::providers::find(tx, vault, &id).await?;
                let key = found.map(|found| found.key()).filter(|key| key.protocol == protocol);
                key.ok_or_else(|| Error::unknown("/body/providerId", "login provider", &id))?
            }
        };
        let users = identities::to_relink(tx, &provider, ids.as_deref()).await?;
        let owners: Vec<i64> = users.iter().map(|account| account.id).collect();
        let relinking = Relinking { provider, until };
        identities::let_relink(tx, &owners, &relinking).await?;
        let actor = self.caller.actor();
        let event = |account: &Account| {
            let before = json!(UserData::of(account));
            let mut after = before.clone();
            after["relinkedUntil"] = json!(until);
            after["relinkedProvider"] = json!(relinking.provider);
            NewEvent::new(EventKind::UserUpdated, &actor).with_data(&after).with_pre_data(&before)
        };
        let events: Vec<NewEvent> = users.iter().map(event).collect();
        if !dry_run {
            transaction.commit(events).await?;
        }
        Ok(RelinkableUsers { users, until })
    }
}
