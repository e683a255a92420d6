//! Changes of freeze windows.

use std::collections::BTreeSet;

use flagstone_config::admit_one_more;
use flagstone_domain::{
    actor::Actor,
    event::NewEvent,
    event_kind::EventKind,
    freeze_window::{FreezeWindow, FreezeWindowDocument, MOST_WINDOWS},
};
use flagstone_error::Error;
use flagstone_store::{
    self as store,
    db::Tx,
    freeze_windows::{self, StoredWindow},
};

use crate::{Author, Begin};

const CREATED: &str = "freeze-window-created";
const UPDATED: &str = "freeze-window-updated";
const DELETED: &str = "freeze-window-deleted";

impl Author<'_> {
    /// Creates a freeze window.
    pub async fn create_freeze_window(self, window: FreezeWindow) -> Result<FreezeWindowDocument, Error> {
        let transaction = self.begin(Begin::MakingLimited).await?;
        let tx = &transaction.tx;
        admit(tx, &window, None).await?;
        admit_another(tx, window.environment.as_deref()).await?;
        let id = freeze_windows::insert(tx, &window, transaction.now).await?;
        let created = FreezeWindowDocument::new(id, &window);
        transaction.commit([about(CREATED, None, Some(&created), &self.caller.actor())]).await?;
        Ok(created)
    }

    /// Replaces the content of a freeze window. One that stays as it is leaves no event.
    pub async fn update_freeze_window(self, id: i64, window: FreezeWindow) -> Result<FreezeWindowDocument, Error> {
        let transaction = self.begin(Begin::MakingLimited).await?;
        let tx = &transaction.tx;
        let held = hold(tx, id).await?;
        let (before, after) = (FreezeWindowDocument::new(id, &held.window), FreezeWindowDocument::new(id, &window));
        if before == after {
            return Ok(after);
        }
        admit(tx, &window, Some(&held.window)).await?;
        if held.window.environment != window.environment {
            admit_another(tx, window.environment.as_deref()).await?;
        }
        freeze_windows::save(tx, &StoredWindow { id, window }).await?;
        transaction.commit([about(UPDATED, Some(&before), Some(&after), &self.caller.actor())]).await?;
        Ok(after)
    }

    /// Deletes a freeze window.
    pub async fn delete_freeze_window(self, id: i64) -> Result<(), Error> {
        let transaction = self.begin(Begin::Change).await?;
        let held = hold(&transaction.tx, id).await?;
        freeze_windows::delete(&transaction.tx, id).await?;
        let before = FreezeWindowDocument::new(id, &held.window);
        transaction.commit([about(DELETED, Some(&before), None, &self.caller.actor())]).await
    }
}

async fn hold(tx: &Tx, id: i64) -> Result<StoredWindow, Error> {
    freeze_windows::hold(tx, id).await?.ok_or_else(|| Error::no_id("freeze window", id))
}

/// Refuses an environment and roles that do not exist, unless the window has named them before.
async fn admit(tx: &Tx, window: &FreezeWindow, before: Option<&FreezeWindow>) -> Result<(), Error> {
    if let Some(environment) = &window.environment
        && !store::environments::exists(tx, environment).await?
    {
        return Err(Error::unknown("/body/environment", "environment", environment));
    }
    let kept = before.map_or_else(BTreeSet::new, |before| before.exempt_roles.clone());
    let added: Vec<i64> = window.exempt_roles.difference(&kept).copied().collect();
    if added.is_empty() {
        return Ok(());
    }
    let known: BTreeSet<i64> = store::roles::list(tx).await?.into_iter().map(|role| role.id).collect();
    match added.into_iter().find(|role| !known.contains(role)) {
        Some(role) => {
            Err(Error::property("/body/exemptRoles", format_args!("names the role {role}, which does not exist")))
        }
        None => Ok(()),
    }
}

async fn admit_another(tx: &Tx, environment: Option<&str>) -> Result<(), Error> {
    let what = match environment {
        Some(environment) => format!("freeze window of the environment \"{environment}\""),
        None => "freeze window of all environments".to_owned(),
    };
    admit_one_more(&what, freeze_windows::count(tx, environment).await?, MOST_WINDOWS)
}

fn about(
    label: &'static str,
    before: Option<&FreezeWindowDocument>,
    after: Option<&FreezeWindowDocument>,
    actor: &Actor,
) -> NewEvent {
    let mut event = NewEvent::new(EventKind::SettingUpdated, actor).labelled(label);
    if let Some(environment) = after.or(before).and_then(|window| window.environment.0.as_deref()) {
        event = event.in_environment(environment);
    }
    if let Some(after) = after {
        event = event.with_data(after);
    }
    if let Some(before) = before {
        event = event.with_pre_data(before);
    }
    event
}
