//! Changes of context fields, of the whole instance or of one project.

use std::collections::{BTreeSet, HashSet};

use flagstone_domain::{
    address::{self, Named},
    context_field::{ContextField, LegalValue},
    event::NewEvent,
    event_kind::EventKind,
    ids::ProjectId,
    in_use::Subject,
    version::Version,
};
use flagstone_error::Error;
use flagstone_store::{self as store, context_fields::Which};
use flagstone_wire::Nullable;

use crate::{Author, Begin, Transaction, if_match::IfMatch, in_use::require_unused, projects::hold_in_use};

/// Most legal values of a field.
const MAX_LEGAL_VALUES: usize = 1000;

impl Author<'_> {
    /// Creates a context field, of a project or of the whole instance.
    pub async fn create_context_field(self, project: Option<&str>, new: ContextField) -> Result<ContextField, Error> {
        admit_name(&new.name)?;
        admit_legal_values(&new, &[])?;
        let transaction = self.begin(Begin::Change).await?;
        let (tx, now) = (&transaction.tx, transaction.now);
        if let Some(project) = project {
            hold_in_use(tx, project).await?;
        }
        if !store::context_fields::insert(tx, &new, now).await? {
            return Err(taken(&new.name));
        }
        let event = self.event_about_field(EventKind::ContextFieldCreated, project).with_data(&new);
        transaction.commit([event]).await?;
        Ok(ContextField { created_at: Some(Nullable(Some(now))), ..new })
    }

    /// Updates a context field to the one that `edit` returns.
    pub async fn update_context_field(
        self,
        project: Option<ProjectId<'_>>,
        name: &str,
        if_match: &IfMatch,
        edit: impl FnOnce(&ContextField) -> ContextField + Send,
    ) -> Result<(), Error> {
        let transaction = self.begin(Begin::Change).await?;
        let before = hold(&transaction, project, name, if_match).await?;
        let project = project.map(ProjectId::as_str);
        let after = edit(&before);
        admit_legal_values(&after, before.legal())?;
        if !after.legal().is_empty() {
            require_unused_values(&transaction, project, &before, &after).await?;
        }
        save(transaction, project, &before, &after).await
    }

    /// Deletes a context field: 409 while anything uses it.
    pub async fn delete_context_field(
        self,
        project: Option<ProjectId<'_>>,
        name: &str,
        if_match: &IfMatch,
    ) -> Result<(), Error> {
        let visibility = self.caller.visibility().await?;
        let transaction = self.begin(Begin::Change).await?;
        let before = hold(&transaction, project, name, if_match).await?;
        let project = project.map(ProjectId::as_str);
        let subject = Subject::ContextField { name: &before.name, project };
        require_unused(&transaction.tx, &subject, &visibility).await?;
        store::context_fields::delete(&transaction.tx, &before.name).await?;
        let event = self.event_about_field(EventKind::ContextFieldDeleted, project).with_pre_data(&before.for_log());
        transaction.commit([event]).await
    }

    /// Adds a legal value to a context field, or changes its description.
    pub async fn put_legal_value(
        self,
        project: Option<ProjectId<'_>>,
        name: &str,
        if_match: &IfMatch,
        value: LegalValue,
    ) -> Result<(), Error> {
        let transaction = self.begin(Begin::Change).await?;
        let before = hold(&transaction, project, name, if_match).await?;
        let project = project.map(ProjectId::as_str);
        let only = ContextField { legal_values: Some(vec![value.clone()]), ..ContextField::default() };
        if let Some((_, member, rule)) = only.faulty_value(|value| holds(before.legal(), value)) {
            return Err(Error::property(format!("/body/{member}"), rule));
        }
        let mut legal = before.legal().to_vec();
        match legal.iter().position(|other| other.value == value.value) {
            Some(index) => legal[index] = value,
            None if legal.len() < MAX_LEGAL_VALUES => legal.push(value),
            None => {
                let rule = format!("must not be one more: there are {MAX_LEGAL_VALUES}");
                return Err(Error::property("/body/value", rule));
            }
        }
        let after = ContextField { legal_values: Some(legal), ..before.clone() };
        save(transaction, project, &before, &after).await
    }

    /// Takes a legal value from a context field: 409 while anything uses it.
    pub async fn delete_legal_value(
        self,
        project: Option<ProjectId<'_>>,
        name: &str,
        if_match: &IfMatch,
        value: &str,
    ) -> Result<(), Error> {
        let transaction = self.begin(Begin::Change).await?;
        let before = hold(&transaction, project, name, if_match).await?;
        let project = project.map(ProjectId::as_str);
        let legal = before.legal().iter().filter(|legal| legal.value != value).cloned().collect();
        let after = ContextField { legal_values: Some(legal), ..before.clone() };
        require_unused_values(&transaction, project, &before, &after).await?;
        save(transaction, project, &before, &after).await
    }

    fn event_about_field(self, kind: EventKind, project: Option<&str>) -> NewEvent {
        NewEvent::new(kind, &self.caller.actor()).belonging_to(project)
    }
}

/// Locks a context field in the state that the change is meant for.
async fn hold(
    transaction: &Transaction<'_>,
    project: Option<ProjectId<'_>>,
    name: &str,
    if_match: &IfMatch,
) -> Result<ContextField, Error> {
    let which = Which::belonging_to(project.map(ProjectId::as_str));
    let held = store::context_fields::hold(&transaction.tx, which, name).await?;
    let field = held.ok_or_else(|| missing(name))?;
    if_match.check(Version::of(&field))?;
    Ok(field)
}

/// Saves a context field with its event, if anything is other than before.
async fn save(
    transaction: Transaction<'_>,
    project: Option<&str>,
    before: &ContextField,
    after: &ContextField,
) -> Result<(), Error> {
    if before == after {
        return Ok(());
    }
    store::context_fields::save(&transaction.tx, after).await?;
    let event = transaction.author.event_about_field(EventKind::ContextFieldUpdated, project);
    transaction.commit([event.with_data(&after.for_log()).with_pre_data(&before.for_log())]).await
}

/// Refuses a change that takes away a legal value in use.
async fn require_unused_values(
    transaction: &Transaction<'_>,
    project: Option<&str>,
    before: &ContextField,
    after: &ContextField,
) -> Result<(), Error> {
    let kept: HashSet<&str> = after.legal().iter().map(|legal| &*legal.value).collect();
    let held = before.legal().iter().map(|legal| &*legal.value);
    let gone: BTreeSet<&str> = held.filter(|value| !kept.contains(value)).collect();
    if gone.is_empty() {
        return Ok(());
    }
    let subject = Subject::LegalValues { field: &before.name, project, values: gone };
    require_unused(&transaction.tx, &subject, &transaction.author.caller.visibility().await?).await
}

/// Refuses a name that no address can hold.
pub fn admit_name(name: &str) -> Result<(), Error> {
    address::judge(Named::ContextField, name).map_err(|fault| Error::property("/body/name", fault))
}

fn holds(legal: &[LegalValue], value: &str) -> bool {
    legal.iter().any(|legal| legal.value == value)
}

fn admit_legal_values(field: &ContextField, stored: &[LegalValue]) -> Result<(), Error> {
    match field.faulty_value(|value| holds(stored, value)) {
        None => Ok(()),
        Some((index, member, rule)) => Err(Error::property(format!("/body/legalValues/{index}/{member}"), rule)),
    }
}

/// Error that there is no such context field.
pub fn missing(name: &str) -> Error {
    Error::not_found("context field", name)
}

/// Error for a taken name, the same for one in a project that the caller must not know of.
pub fn taken(name: &str) -> Error {
    Error::Conflict(format!("There is a context field named \"{name}\" already."))
}
