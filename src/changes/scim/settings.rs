//! Changes of the settings of SCIM.

use flagstone_domain::{
    event::NewEvent,
    event_kind::EventKind,
    preference::Preference as _,
    scim::{Provisioning, directory::generate_token},
    secret,
};
use flagstone_error::Error;
use flagstone_store as store;
use serde_json::{Value, json};

use crate::{Author, Begin, Transaction};

impl Author<'_> {
    /// Switches SCIM on or off. Returns the settings then.
    pub async fn switch_scim(self, enabled: bool) -> Result<Provisioning, Error> {
        self.change_scim_settings(|before| Provisioning { enabled, ..before }).await
    }

    /// Replaces the token of the default directory. The one before stops working at once. Returns the new one, which is
    /// shown here and never again.
    pub async fn rotate_scim_token(self) -> Result<String, Error> {
        let token = generate_token();
        let token_hash = Some(secret::digest(&token));
        self.change_scim_settings(|before| Provisioning { token_hash, ..before }).await?;
        Ok(token)
    }

    /// Changes the settings to what `edit` returns. The current ones leave no event.
    async fn change_scim_settings(
        self,
        edit: impl FnOnce(Provisioning) -> Provisioning + Send,
    ) -> Result<Provisioning, Error> {
        let transaction = self.begin(Begin::Change).await?;
        let Transaction { tx, now, .. } = &transaction;
        let before: Option<Provisioning> = store::preferences::hold(tx, Provisioning::ID).await?;
        let after = edit(before.clone().unwrap_or_default());
        if after == before.clone().unwrap_or_default() {
            return Ok(after);
        }
        store::preferences::put(tx, Provisioning::ID, &after, *now).await?;
        let (mut data, actor) = (told(&after), self.caller.actor());
        let event = match &before {
            Some(before) => {
                data["newToken"] = (before.token_hash != after.token_hash).into();
                NewEvent::new(EventKind::SettingUpdated, &actor).with_data(&data).with_pre_data(&told(before))
            }
            None => NewEvent::new(EventKind::SettingCreated, &actor).with_data(&data),
        };
        transaction.commit([event]).await?;
        Ok(after)
    }
}

/// Data of events: never the digest.
fn told(settings: &Provisioning) -> Value {
    json!({ "id": Provisioning::ID, "enabled": settings.enabled, "hasToken": settings.token_hash.is_some() })
}
