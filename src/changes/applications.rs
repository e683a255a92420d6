//! Changes of applications.

use flagstone_access::Caller;
use flagstone_domain::{
    address::{self, Named},
    application::Application,
};
use flagstone_error::Error;
use flagstone_store::{
    self as store,
    db::{Db, NoEvent},
};

use crate::{Author, Begin, Transaction};

/// Properties of an application to create or to update. Those that are `None` stay as they are.
#[derive(Debug, Clone, Default)]
pub struct ApplicationContent {
    /// Description.
    pub description: Option<String>,
    /// Address of its documentation.
    pub url: Option<String>,
    /// Color to show it in.
    pub color: Option<String>,
    /// Symbol to show it with.
    pub icon: Option<String>,
    /// Names of the strategy types that it knows.
    pub strategies: Option<Vec<String>>,
}

impl Author<'_> {
    /// Creates an application, which leaves an event, or updates one, which leaves none: 403 for one that the author may
    /// not see.
    pub async fn put_application(self, name: String, content: ApplicationContent) -> Result<(), Error> {
        let (actor, visibility) = (self.caller.actor(), self.caller.visibility().await?);
        let transaction = self.begin(Begin::Change).await?;
        let Transaction { tx, now, .. } = &transaction;
        let before = store::applications::hold(tx, &name).await?;
        let is_new = before.is_none();
        if is_new {
            address::judge(Named::Application, &name)
                .map_err(|fault| Error::invalid("/path/appName", format!("The path parameter `appName` {fault}.")))?;
        } else if store::applications::find(tx, &name, &visibility).await?.is_none() {
            let message = format!("The name \"{name}\" is that of an application that you may not see.");
            return Err(Error::not_visible(message));
        }
        let mut after = before.clone().unwrap_or_else(|| Application::new(name, *now));
        after.description = content.description.or(after.description);
        after.url = content.url.or(after.url);
        after.color = content.color.or(after.color);
        after.icon = content.icon.or(after.icon);
        after.strategies = content.strategies.unwrap_or(after.strategies);
        if before.as_ref() == Some(&after) {
            return Ok(());
        }
        store::applications::put(tx, &after, &actor.name, *now).await?;
        if is_new {
            store::applications::open(tx, &after.name).await?;
        }
        transaction.commit(is_new.then(|| after.created(&actor))).await?;
        self.db.note_change();
        Ok(())
    }

    /// Deletes an application that the author may see, with its running copies. Leaves no event.
    pub async fn delete_application(self, name: &str) -> Result<(), Error> {
        find(self.db, self.caller, name).await?;
        let transaction = self.begin(Begin::Change).await?;
        store::applications::remove(&transaction.tx, name).await?;
        transaction.tx.commit_without_event(NoEvent::Usage).await?;
        self.db.note_change();
        Ok(())
    }
}

/// Returns an application that the caller may see, or 404.
pub async fn find(db: &Db, caller: &Caller, name: &str) -> Result<Application, Error> {
    let found = store::applications::find(db, name, &caller.visibility().await?).await?;
    found.ok_or_else(|| Error::not_found("application", name))
}
