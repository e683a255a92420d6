//! Approvals that changes of a project need in its environments.

use crate::{
    changes::{Author, Begin, default_strategies::unused, projects::hold_in_use},
    domain::{change_request::event::configured, ids::EnvironmentName, project::ProjectScope},
    error::Error,
    store::change_requests::configuration,
};

impl Author<'_> {
    /// Lets changes of a project in an environment need so many approvals, or none: 404 when the project does not use
    /// the environment.
    pub async fn configure_change_requests(
        self,
        project: &ProjectScope,
        environment: &str,
        required: Option<i64>,
    ) -> Result<(), Error> {
        let transaction = self.begin(Begin::Change).await?;
        let held = hold_in_use(&transaction.tx, project.id()).await?;
        if held.environment(environment).is_none() {
            return Err(unused(project.id(), environment));
        }
        let before = configuration::save(&transaction.tx, project.id(), environment, required, transaction.now).await?;
        let event =
            configured(project.as_id(), EnvironmentName::new(environment), before, required, &self.caller.actor());
        match event {
            Some(event) => transaction.commit([event]).await,
            None => Ok(()),
        }
    }
}
