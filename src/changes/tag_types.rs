//! Changes of tag types.

use flagstone_domain::{event::NewEvent, event_kind::EventKind, in_use::Subject, tag::TagType};
use flagstone_error::Error;
use flagstone_store as store;

use crate::{Author, Begin, in_use::require_unused, tags::remove};

impl Author<'_> {
    /// Creates a tag type: 409 when its name is taken.
    pub async fn create_tag_type(self, new: TagType) -> Result<TagType, Error> {
        let transaction = self.begin(Begin::Change).await?;
        if !store::tags::types::insert(&transaction.tx, &new).await? {
            return Err(taken(&new.name));
        }
        let event = NewEvent::new(EventKind::TagTypeCreated, &self.caller.actor()).with_data(&new);
        transaction.commit([event]).await?;
        Ok(new)
    }

    /// Updates the tag type with this name, for which `meant` holds.
    pub async fn update_tag_type(
        self,
        after: TagType,
        meant: impl Fn(&TagType) -> Result<(), Error> + Send,
    ) -> Result<(), Error> {
        let transaction = self.begin(Begin::Change).await?;
        let tx = &transaction.tx;
        let before = store::tags::types::hold(tx, &after.name).await?.ok_or_else(|| missing(&after.name))?;
        meant(&before)?;
        if before == after {
            return Ok(());
        }
        store::tags::types::save(tx, &after).await?;
        let event = NewEvent::new(EventKind::TagTypeUpdated, &self.caller.actor()).with_data(&after);
        transaction.commit([event]).await
    }

    /// Deletes a tag type for which `meant` holds, with its tags: 409 while a feature has one of them.
    pub async fn delete_tag_type(
        self,
        name: &str,
        meant: impl Fn(&TagType) -> Result<(), Error> + Send,
    ) -> Result<(), Error> {
        let (actor, visibility) = (self.caller.actor(), self.caller.visibility().await?);
        let transaction = self.begin(Begin::Change).await?;
        let (tx, now) = (&transaction.tx, transaction.now);
        let before = store::tags::types::hold(tx, name).await?.ok_or_else(|| missing(name))?;
        meant(&before)?;
        require_unused(tx, &Subject::TagType(&before.name), &visibility).await?;
        if store::tags::is_carried_unseen(tx, &before.name, &visibility).await? {
            let message = format!(
                "The tag type \"{}\" goes with its tags, some of which you may not see: somebody who sees all of them \
                 can remove it.",
                before.name
            );
            return Err(Error::not_visible(message));
        }
        let all = store::tags::list(tx, Some(&before.name), &visibility).await?;
        let mut events = remove(tx, &all, (&before.name, None), &visibility, &actor, now).await?;
        store::tags::types::delete(tx, &before.name).await?;
        events.push(NewEvent::new(EventKind::TagTypeDeleted, &actor).with_pre_data(&before));
        transaction.commit(events).await
    }
}

/// Error that there is no such tag type.
pub fn missing(name: &str) -> Error {
    Error::not_found("tag type", name)
}

/// Error that the name of a tag type is taken.
pub fn taken(name: &str) -> Error {
    Error::Conflict(format!("There is a tag type named \"{name}\" already."))
}
