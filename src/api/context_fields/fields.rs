//! Operations on context fields, of the whole instance or of one project.

use std::collections::{BTreeSet, HashSet};

use super::bodies::{ContextFieldStrategiesBody, CreateContextFieldBody, UpdateContextFieldBody};
use crate::{
    access::Caller,
    api::{in_use::require_unused, projects::hold_in_use, version::IfMatch},
    domain::{
        address::{self, Named},
        context_field::{ContextField, LegalValue},
        event::NewEvent,
        event_kind::EventKind,
        in_use::Subject,
        project::VisibleProject,
        version::Version,
    },
    error::Error,
    state::State,
    store::{self, context_fields::Which, db::Tx},
    wire::Nullable,
};

/// Most legal values of a field.
const MAX_LEGAL_VALUES: usize = 1000;

/// The context fields of the whole instance, or those of one project: never both, except in lists that ask for them.
pub(super) struct Fields<'a> {
    state: &'a State,
    caller: &'a Caller,
    project: Option<&'a str>,
}

impl<'a> Fields<'a> {
    /// Context fields of the whole instance.
    pub(super) const fn of_instance(state: &'a State, caller: &'a Caller) -> Self {
        Self { state, caller, project: None }
    }

    /// Context fields of a project.
    pub(super) fn of_project(state: &'a State, caller: &'a Caller, project: &'a VisibleProject) -> Self {
        Self { state, caller, project: Some(project.id()) }
    }

    const fn own(&self) -> Which<'a> {
        Which::belonging_to(self.project)
    }

    /// Lists them by name. With `with_others`, those of the whole instance come with those of the visible projects, and
    /// those of a project with those of the whole instance.
    pub(super) async fn list(&self, with_others: bool) -> Result<Vec<ContextField>, Error> {
        let visibility = self.caller.visibility().await?;
        let which = match self.project {
            None if with_others => Which::VisibleTo(&visibility),
            Some(project) if with_others => Which::UsableIn(project),
            _ => self.own(),
        };
        Ok(store::context_fields::list(&self.state.db, which, &visibility).await?)
    }

    /// Creates one.
    pub(super) async fn create(&self, body: CreateContextFieldBody) -> Result<ContextField, Error> {
        let new = body.into_field(self.project);
        admit_name(&new.name)?;
        admit_legal_values(&new, &[])?;
        let now = self.state.clock.now();
        let tx = self.state.db.begin().await?;
        if let Some(project) = self.project {
            hold_in_use(&tx, project).await?;
        }
        if !store::context_fields::insert(&tx, &new, now).await? {
            return Err(taken(&new.name));
        }
        tx.commit(now, [self.event(EventKind::ContextFieldCreated).with_data(&new)]).await?;
        Ok(ContextField { created_at: Some(Nullable(Some(now))), ..new })
    }

    /// Refuses a name that a new one could not have.
    pub(super) async fn validate(&self, name: &str) -> Result<(), Error> {
        admit_name(name)?;
        if store::context_fields::exists(&self.state.db, name).await? { Err(taken(name)) } else { Ok(()) }
    }

    /// Returns the one of this name.
    pub(super) async fn get(&self, name: &str) -> Result<ContextField, Error> {
        let found = store::context_fields::find(&self.state.db, self.own(), name).await?;
        found.ok_or_else(|| missing(name))
    }

    /// Replaces the stored values of one.
    pub(super) async fn update(
        &self,
        name: &str,
        if_match: &IfMatch,
        body: UpdateContextFieldBody,
    ) -> Result<(), Error> {
        let (tx, before) = self.hold(name, if_match).await?;
        let after = body.applied_to(&before);
        admit_legal_values(&after, before.legal())?;
        if !after.legal().is_empty() {
            self.require_unused_values(&tx, &before, &after).await?;
        }
        self.change(tx, &before, &after).await
    }

    /// Deletes one that nothing uses.
    pub(super) async fn delete(&self, name: &str, if_match: &IfMatch) -> Result<(), Error> {
        let visibility = self.caller.visibility().await?;
        let (tx, before) = self.hold(name, if_match).await?;
        let subject = Subject::ContextField { name: &before.name, project: self.project };
        require_unused(&tx, &subject, &visibility).await?;
        store::context_fields::delete(&tx, &before.name).await?;
        let event = self.event(EventKind::ContextFieldDeleted).with_pre_data(&before.for_log());
        tx.commit(self.state.clock.now(), [event]).await?;
        Ok(())
    }

    /// Lists the strategies with a constraint on a name: in the project, or in all that the caller may see.
    pub(super) async fn strategies(&self, name: &str) -> Result<ContextFieldStrategiesBody, Error> {
        let visibility = self.caller.visibility().await?;
        let db = &self.state.db;
        let strategies = store::strategies::uses::of_context_field(db, name, self.project, &visibility).await?;
        Ok(ContextFieldStrategiesBody { strategies })
    }

    /// Adds a legal value to one, or changes its description.
    pub(super) async fn put_legal_value(&self, name: &str, if_match: &IfMatch, value: LegalValue) -> Result<(), Error> {
        let (tx, before) = self.hold(name, if_match).await?;
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
        self.change(tx, &before, &after).await
    }

    /// Takes a legal value that nothing uses from one.
    pub(super) async fn delete_legal_value(&self, name: &str, if_match: &IfMatch, value: &str) -> Result<(), Error> {
        let (tx, before) = self.hold(name, if_match).await?;
        let legal = before.legal().iter().filter(|legal| legal.value != value).cloned().collect();
        let after = ContextField { legal_values: Some(legal), ..before.clone() };
        self.require_unused_values(&tx, &before, &after).await?;
        self.change(tx, &before, &after).await
    }

    fn event(&self, kind: EventKind) -> NewEvent {
        NewEvent::new(kind, &self.caller.actor()).belonging_to(self.project)
    }

    /// Starts a transaction that holds one in the state that the change is meant for.
    async fn hold(&self, name: &str, if_match: &IfMatch) -> Result<(Tx, ContextField), Error> {
        let tx = self.state.db.begin().await?;
        let held = store::context_fields::hold(&tx, self.own(), name).await?;
        let field = held.ok_or_else(|| missing(name))?;
        if_match.check(Version::of(&field))?;
        Ok((tx, field))
    }

    async fn change(&self, tx: Tx, before: &ContextField, after: &ContextField) -> Result<(), Error> {
        if before != after {
            store::context_fields::save(&tx, after).await?;
            let event = self.event(EventKind::ContextFieldUpdated);
            let event = event.with_data(&after.for_log()).with_pre_data(&before.for_log());
            tx.commit(self.state.clock.now(), [event]).await?;
        }
        Ok(())
    }

    /// Refuses a change that takes away a legal value in use.
    async fn require_unused_values(&self, tx: &Tx, before: &ContextField, after: &ContextField) -> Result<(), Error> {
        let kept: HashSet<&str> = after.legal().iter().map(|legal| &*legal.value).collect();
        let held = before.legal().iter().map(|legal| &*legal.value);
        let gone: BTreeSet<&str> = held.filter(|value| !kept.contains(value)).collect();
        if gone.is_empty() {
            return Ok(());
        }
        let subject = Subject::LegalValues { field: &before.name, project: self.project, values: gone };
        require_unused(tx, &subject, &self.caller.visibility().await?).await
    }
}

fn admit_name(name: &str) -> Result<(), Error> {
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

fn missing(name: &str) -> Error {
    Error::not_found("context field", name)
}

/// Error for a taken name, the same for one in a project that the caller must not know of.
fn taken(name: &str) -> Error {
    Error::Conflict(format!("There is a context field named \"{name}\" already."))
}
