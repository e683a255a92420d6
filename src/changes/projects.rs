//! Changes of projects.

use flagstone_config::admit_one_more;
use flagstone_domain::project::{DEFAULT_PROJECT, ProjectScope, document::ProjectDocument};
use flagstone_error::Error;
use flagstone_store::{
    self as store,
    context_fields::Which,
    db::Tx,
    projects::{
        removal,
        write::{self, HeldProject},
    },
};

use crate::{Author, Begin, Transaction, if_match::IfMatch};

/// Updates a project.
#[derive(Debug)]
pub struct UpdateProject<F> {
    /// Name to set, which must not be blank.
    pub name: Option<String>,
    /// Default stickiness to set, which must be usable.
    pub default_stickiness: Option<String>,
    /// Changes the other properties.
    pub edit: F,
}

impl Author<'_> {
    /// Updates a project.
    pub async fn update_project<F>(
        self,
        project: &ProjectScope,
        if_match: &IfMatch,
        update: UpdateProject<F>,
    ) -> Result<(), Error>
    where
        F: FnOnce(&mut ProjectDocument) -> Result<(), Error> + Send,
    {
        let transaction = self.begin(Begin::Change).await?;
        let held = hold_in_use(&transaction.tx, project.id()).await?;
        if_match.check(held.version)?;
        let before = held.document;
        let mut after = before.clone();
        if let Some(name) = update.name {
            after.name = named(name)?;
        }
        if let Some(field) = update.default_stickiness.filter(|field| *field != after.default_stickiness) {
            after.default_stickiness = stickiness(&transaction.tx, Some(&after.id), field).await?;
        }
        (update.edit)(&mut after)?;
        save(transaction, &before, &after).await
    }

    /// Archives a project, which must have no features in use.
    pub async fn archive_project(self, project: &ProjectScope, if_match: &IfMatch) -> Result<(), Error> {
        let transaction = self.begin(Begin::Change).await?;
        let held = hold_in_use(&transaction.tx, project.id()).await?;
        if_match.check(held.version)?;
        require_idle(&transaction.tx, &held.document, "archived").await?;
        let after = ProjectDocument { archived_at: Some(transaction.now), ..held.document.clone() };
        save(transaction, &held.document, &after).await
    }

    /// Revives a project.
    pub async fn revive_project(self, project: &ProjectScope, if_match: &IfMatch) -> Result<(), Error> {
        let transaction = self.begin(Begin::MakingLimited).await?;
        let tx = &transaction.tx;
        let held = write::hold(tx, project.id()).await?.ok_or_else(|| missing(project.id()))?;
        if_match.check(held.version)?;
        if held.document.is_archived() {
            admit_one_more("project", write::count(tx).await?, self.limits.projects)?;
        }
        let after = ProjectDocument { archived_at: None, ..held.document.clone() };
        save(transaction, &held.document, &after).await
    }

    /// Deletes a project, which must have no features in use, with everything in it.
    pub async fn delete_project(self, project: &ProjectScope, if_match: &IfMatch) -> Result<(), Error> {
        let transaction = self.begin(Begin::Change).await?;
        let (tx, now) = (&transaction.tx, transaction.now);
        let held = write::hold(tx, project.id()).await?.ok_or_else(|| missing(project.id()))?;
        if_match.check(held.version)?;
        require_idle(tx, &held.document, "deleted").await?;
        if removal::lends_segments(tx, project.id()).await? {
            return Err(Error::forbidden("Features of other projects use segments of this one; it cannot be deleted."));
        }
        let removed = removal::gather(tx, &held.document).await?;
        removal::remove(tx, &removed, now).await?;
        transaction.commit(removed.events(&self.caller.actor())).await
    }
}

/// Saves a project with its event, if anything is other than before.
async fn save(transaction: Transaction<'_>, before: &ProjectDocument, after: &ProjectDocument) -> Result<(), Error> {
    if after.id == DEFAULT_PROJECT && after.is_private() {
        return Err(Error::property("/body/mode", "cannot be private for the project that everybody works in"));
    }
    let Some(event) = before.updated(after, &transaction.author.caller.actor()) else { return Ok(()) };
    write::save(&transaction.tx, after, transaction.now).await?;
    transaction.commit([event]).await
}

/// Locks a project that the caller was admitted to, unless it has been archived or deleted since.
pub async fn hold_in_use(tx: &Tx, id: &str) -> Result<HeldProject, Error> {
    let held = store::projects::write::hold(tx, id).await?;
    held.filter(|held| !held.document.is_archived()).ok_or_else(|| missing(id))
}

/// Error about a project that does not exist, or that the caller may not see.
pub fn missing(id: &str) -> Error {
    Error::not_found("project", id)
}

/// Refuses a blank name of a project.
pub fn named(name: String) -> Result<String, Error> {
    if name.trim().is_empty() {
        return Err(Error::property("/body/name", "must hold more than blanks"));
    }
    Ok(name)
}

/// The field, if rollouts of a project can stick to it, or those of one that is yet to be made.
pub async fn stickiness(tx: &Tx, project: Option<&str>, field: String) -> Result<String, Error> {
    let usable = Which::usable_in(project);
    if matches!(&*field, "default" | "random") || store::context_fields::allows_stickiness(tx, usable, &field).await? {
        return Ok(field);
    }
    let rule = format!(
        "must be default, random, or a context field that allows stickiness; \
         \"{field}\" is none"
    );
    Err(Error::property("/body/defaultStickiness", rule))
}

async fn require_idle(tx: &Tx, project: &ProjectDocument, what: &str) -> Result<(), Error> {
    if project.id == DEFAULT_PROJECT {
        return Err(Error::forbidden(format!("The project \"{DEFAULT_PROJECT}\" cannot be {what}.")));
    }
    match write::count_features(tx, &project.id).await? {
        0 => Ok(()),
        count => Err(Error::forbidden(format!(
            "The project \"{}\" cannot be {what} while it has {count} features in use; archive them first.",
            project.id
        ))),
    }
}
