//! Operations on context fields, of the whole instance or of one project.

use super::bodies::{ContextFieldStrategiesBody, CreateContextFieldBody, UpdateContextFieldBody};
use crate::{
    access::Caller,
    api::author::author,
    changes::{
        context_fields::{admit_name, missing, taken},
        if_match::IfMatch,
    },
    domain::{
        context_field::{ContextField, LegalValue},
        ids::ProjectId,
        project::VisibleProject,
    },
    error::Error,
    state::State,
    store::{self, context_fields::Which},
};

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

    fn project_id(&self) -> Option<ProjectId<'a>> {
        self.project.map(ProjectId::new)
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
        author(self.caller, self.state).create_context_field(self.project, new).await
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
        let edit = |before: &ContextField| body.applied_to(before);
        author(self.caller, self.state).update_context_field(self.project_id(), name, if_match, edit).await
    }

    /// Deletes one that nothing uses.
    pub(super) async fn delete(&self, name: &str, if_match: &IfMatch) -> Result<(), Error> {
        author(self.caller, self.state).delete_context_field(self.project_id(), name, if_match).await
    }

    /// Lists the strategies with a constraint on a name: in the project, or in all that the caller may see.
    pub(super) async fn strategies(&self, name: &str) -> Result<ContextFieldStrategiesBody, Error> {
        let visibility = self.caller.visibility().await?;
        let db = &self.state.db;
        let strategies = store::strategies::uses::of_context_field(db, name, self.project_id(), &visibility).await?;
        Ok(ContextFieldStrategiesBody { strategies })
    }

    /// Adds a legal value to one, or changes its description.
    pub(super) async fn put_legal_value(&self, name: &str, if_match: &IfMatch, value: LegalValue) -> Result<(), Error> {
        author(self.caller, self.state).put_legal_value(self.project_id(), name, if_match, value).await
    }

    /// Takes a legal value that nothing uses from one.
    pub(super) async fn delete_legal_value(&self, name: &str, if_match: &IfMatch, value: &str) -> Result<(), Error> {
        author(self.caller, self.state).delete_legal_value(self.project_id(), name, if_match, value).await
    }
}
