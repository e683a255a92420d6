//! Approvals that changes of a project need in its environments.

use flagstone_domain::{change_request::event::configured, ids::EnvironmentName, project::ProjectScope};
use flagstone_error::Error;
use flagstone_store::change_requests::configuration;

use crate::{Author, Begin, default_strategies::unused, projects::hold_in_use};

impl Author<'_> {
    /// Lets changes of a project in an environment need so many approvals, or none: 404 when the project does not use
    /// the environment.
    pub async fn configure_change_requests(
        self,
        project: &ProjectScope,
        environment: EnvironmentName<'_>,
        required: Option<i64>,
    ) -> Result<(), Error> {
        let transaction = self.begin(Begin::Change).await?;
        let held = hold_in_use(&transaction.tx, project.id()).await?;
        if held.environment(environment.as_str()).is_none() {
            return Err(unused(project.as_id(), environment));
        }
        let (tx, now) = (&transaction.tx, transaction.now);
        let before = configuration::save(tx, project.as_id(), environment, required, now).await?;
        let event = configured(project.as_id(), environment, before, required, &self.caller.actor());
        match event {
            Some(event) => transaction.commit([event]).await,
            None => Ok(()),
        }
    }
}
