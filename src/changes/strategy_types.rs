//! Changes of custom strategy types.

use flagstone_access::Caller;
use flagstone_domain::{
    event::NewEvent,
    event_kind::EventKind,
    in_use::Subject,
    strategy_type::{StrategyType, StrategyTypeDefinition},
    version::Version,
};
use flagstone_error::Error;
use flagstone_store as store;
use flagstone_wire::Nullable;
use serde_json::json;

use crate::{Author, Begin, Transaction, if_match::IfMatch, in_use::require_unused};

impl Author<'_> {
    /// Creates a strategy type: 409 when its name is taken.
    pub async fn create_strategy_type(self, name: &str, new: StrategyTypeDefinition) -> Result<StrategyType, Error> {
        let transaction = self.begin(Begin::Change).await?;
        if store::strategies::types::hold(&transaction.tx, name).await?.is_some() {
            return Err(taken(name));
        }
        match store::strategies::types::insert(&transaction.tx, name, &new).await {
            Err(error) if error.is_duplicate() => return Err(taken(name)),
            outcome => outcome?,
        }
        let made = shown(name, new, false);
        let event = NewEvent::new(EventKind::StrategyCreated, &self.caller.actor()).with_data(&made);
        transaction.commit([event]).await?;
        Ok(made)
    }

    /// Updates a strategy type to the definition that `edit` returns.
    pub async fn update_strategy_type(
        self,
        name: &str,
        if_match: &IfMatch,
        edit: impl FnOnce(&StrategyType) -> Result<StrategyTypeDefinition, Error> + Send,
    ) -> Result<(), Error> {
        let transaction = self.begin(Begin::Change).await?;
        let before = custom(&transaction, name, if_match).await?;
        let after = edit(&before)?;
        let made = shown(&before.name, after.clone(), before.deprecated);
        if made == before {
            return Ok(());
        }
        store::strategies::types::replace(&transaction.tx, &before.name, &after).await?;
        let event = NewEvent::new(EventKind::StrategyUpdated, &self.caller.actor()).with_data(&made);
        transaction.commit([event]).await
    }

    /// Deletes a strategy type: 409 while a feature has a strategy of it.
    pub async fn delete_strategy_type(self, name: &str, if_match: &IfMatch) -> Result<(), Error> {
        let visibility = self.caller.visibility().await?;
        let transaction = self.begin(Begin::Change).await?;
        let before = custom(&transaction, name, if_match).await?;
        require_unused(&transaction.tx, &Subject::StrategyType(&before.name), &visibility).await?;
        store::strategies::types::remove(&transaction.tx, &before.name).await?;
        transaction.commit([about(EventKind::StrategyDeleted, self.caller, &before.name)]).await
    }

    /// Marks a strategy type as deprecated, or removes the mark.
    pub async fn deprecate_strategy_type(self, name: &str, if_match: &IfMatch, deprecated: bool) -> Result<(), Error> {
        let transaction = self.begin(Begin::Change).await?;
        let before = custom(&transaction, name, if_match).await?;
        if before.deprecated == deprecated {
            return Ok(());
        }
        store::strategies::types::set_deprecated(&transaction.tx, name, deprecated).await?;
        let kind = if deprecated { EventKind::StrategyDeprecated } else { EventKind::StrategyReactivated };
        transaction.commit([about(kind, self.caller, name)]).await
    }
}

/// Locks a strategy type that can be changed.
async fn custom(transaction: &Transaction<'_>, name: &str, if_match: &IfMatch) -> Result<StrategyType, Error> {
    let found = store::strategies::types::hold(&transaction.tx, name).await?.ok_or_else(|| unknown(name))?;
    if_match.check(Version::of(&found))?;
    if !found.editable {
        let message = format!("The strategy type \"{name}\" comes with the server and cannot be changed or deleted.");
        return Err(Error::forbidden(message));
    }
    Ok(found)
}

fn shown(name: &str, definition: StrategyTypeDefinition, deprecated: bool) -> StrategyType {
    StrategyType {
        name: name.to_owned(),
        title: Nullable(definition.title.clone()),
        display_name: Nullable(definition.title),
        description: definition.description,
        editable: true,
        deprecated,
        parameters: definition.parameters,
    }
}

fn about(kind: EventKind, caller: &Caller, name: &str) -> NewEvent {
    NewEvent::new(kind, &caller.actor()).with_data(&json!({ "name": name }))
}

/// Error that there is no such strategy type.
pub fn unknown(name: &str) -> Error {
    Error::not_found("strategy type", name)
}

fn taken(name: &str) -> Error {
    Error::Conflict(format!("There is a strategy type named \"{name}\" already."))
}
