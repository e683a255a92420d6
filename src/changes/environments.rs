//! Changes of environments.

use std::collections::BTreeMap;

use flagstone_config::admit_one_more;
use flagstone_domain::{
    address::{self, Named},
    change_request,
    environment::{Environment, projects_changed},
    event::NewEvent,
    event_kind::EventKind,
    ids::{EnvironmentName, ProjectId},
    version::Version,
};
use flagstone_error::Error;
use flagstone_store::{self as store, change_requests::configuration, db::Tx, environments::Cloning};
use flagstone_wire::Nullable;

use crate::{Author, Begin, Transaction, freeze::refuse_frozen, guard::Reach, if_match::IfMatch};

/// An environment to create.
#[derive(Debug)]
pub struct NewEnvironment {
    /// Unique name.
    pub name: String,
    /// Type of the environment.
    pub kind: String,
    /// Whether it is enabled.
    pub enabled: bool,
    /// Position in lists; `None` for the last.
    pub sort_order: Option<i64>,
    /// Approvals that projects need there from the start; `None` for none.
    pub required_approvals: Option<i64>,
}

/// Settings of an environment to update, each where it is given.
#[derive(Debug)]
pub struct UpdateEnvironment {
    /// Type of the environment.
    pub kind: Option<String>,
    /// Position in lists.
    pub sort_order: Option<i64>,
    /// Approvals that projects need there from the start.
    pub required_approvals: Option<Nullable<i64>>,
}

/// A clone of an environment to create.
#[derive(Debug)]
pub struct CloneEnvironment {
    /// Unique name of the clone.
    pub name: String,
    /// Type of the clone; `None` for that of the original.
    pub kind: Option<String>,
    /// Projects that use the clone, among those that use the original; `None` for all of these.
    pub projects: Option<Vec<String>>,
    /// Whether role permissions that are limited to the original are copied.
    pub with_permissions: bool,
}

impl Author<'_> {
    /// Creates an environment.
    pub async fn create_environment(self, wanted: NewEnvironment) -> Result<Environment, Error> {
        let transaction = self.begin(Begin::MakingLimited).await?;
        let new = Environment {
            name: wanted.name,
            kind: wanted.kind,
            enabled: wanted.enabled,
            protected: false,
            sort_order: sort_order(&transaction.tx, wanted.sort_order).await?,
            required_approvals: wanted.required_approvals.into(),
        };
        make(&transaction, &new).await?;
        transaction.commit([new.created(&self.caller.actor())]).await?;
        Ok(new)
    }

    /// Updates settings of an environment.
    pub async fn update_environment(
        self,
        name: &str,
        update: UpdateEnvironment,
        if_match: &IfMatch,
    ) -> Result<(), Error> {
        let transaction = self.begin(Begin::Change).await?;
        let before = hold(&transaction.tx, name, if_match).await?;
        let after = Environment {
            kind: update.kind.unwrap_or_else(|| before.kind.clone()),
            sort_order: update.sort_order.unwrap_or(before.sort_order),
            required_approvals: update.required_approvals.unwrap_or(before.required_approvals),
            ..before.clone()
        };
        if before.protected && before.kind != after.kind {
            return Err(Error::forbidden(format!("The type of the protected environment \"{name}\" stays.")));
        }
        save(transaction, &before, &after).await
    }

    /// Enables or disables an environment.
    pub async fn switch_environment(self, name: &str, if_match: &IfMatch, enabled: bool) -> Result<(), Error> {
        let transaction = self.begin(Begin::Change).await?;
        let before = hold(&transaction.tx, name, if_match).await?;
        let after = Environment { enabled, ..before.clone() };
        save(transaction, &before, &after).await
    }

    /// Sets the positions of environments, by name.
    pub async fn order_environments(self, positions: &BTreeMap<String, i64>) -> Result<(), Error> {
        let transaction = self.begin(Begin::Change).await?;
        let tx = &transaction.tx;
        let names: Vec<&str> = positions.keys().map(String::as_str).collect();
        let held = store::environments::hold_all(tx, &names).await?;
        if let Some(name) = names.iter().find(|name| held.iter().all(|known| known.name != **name)) {
            return Err(Error::unknown(format!("/body/{name}"), "environment", name));
        }
        let actor = self.caller.actor();
        let mut events = Vec::new();
        for before in held {
            let after = Environment { sort_order: positions[&before.name], ..before.clone() };
            if let Some(event) = before.updated(&after, &actor) {
                store::environments::save(tx, &after).await?;
                events.push(event);
            }
        }
        transaction.commit(events).await
    }

    /// Deletes an environment with everything in it: 409 while it is the only one of a project, 403 while it is frozen.
    pub async fn delete_environment(self, name: &str, if_match: &IfMatch) -> Result<(), Error> {
        let transaction = self.begin(Begin::Change).await?;
        let tx = &transaction.tx;
        let held = hold(tx, name, if_match).await?;
        if held.protected {
            return Err(Error::forbidden(format!("The environment \"{name}\" is protected.")));
        }
        let needing = store::environments::sole_users(tx, name).await?;
        if !needing.is_empty() {
            return Err(needed(name, &needing));
        }
        let actor = self.caller.actor();
        let projects = store::environments::users(tx, name).await?;
        for project in &projects {
            refuse_frozen(&transaction, project, Reach::Environment(name)).await?;
        }
        let tokens = store::environments::remove(tx, name).await?;
        let mut events: Vec<NewEvent> =
            projects_changed(EventKind::ProjectEnvironmentRemoved, name, &projects, &actor).collect();
        events.extend(tokens.iter().map(|token| token.deleted(&actor)));
        events.push(held.deleted(&actor));
        transaction.commit(events).await
    }

    /// Creates a clone of an environment, in which features are configured as in the original.
    pub async fn clone_environment(self, name: &str, wanted: CloneEnvironment) -> Result<Environment, Error> {
        let transaction = self.begin(Begin::MakingLimited).await?;
        let tx = &transaction.tx;
        let original = store::environments::hold(tx, name).await?;
        let original = original.ok_or_else(|| Error::not_found("environment", name))?;
        let clone = Environment {
            name: wanted.name,
            kind: wanted.kind.unwrap_or(original.kind),
            enabled: original.enabled,
            protected: false,
            sort_order: store::environments::next_sort_order(tx).await?,
            required_approvals: original.required_approvals,
        };
        make(&transaction, &clone).await?;
        let users = store::environments::users(tx, name).await?;
        let projects = choose(users, wanted.projects, name)?;
        let cloning = Cloning { source: EnvironmentName::new(name), target: EnvironmentName::new(&clone.name) };
        let on = store::environments::copy_projects(tx, cloning, &projects).await?;
        if wanted.with_permissions {
            store::environments::copy_grants(tx, cloning).await?;
        }
        let configured = configuration::copy(tx, cloning, &projects, transaction.now).await?;
        let actor = self.caller.actor();
        let mut events = vec![clone.created(&actor)];
        events.extend(projects_changed(EventKind::ProjectEnvironmentAdded, &clone.name, &projects, &actor));
        events.extend(configured.iter().filter_map(|(project, required)| {
            change_request::event::configured(ProjectId::new(project), cloning.target, None, Some(*required), &actor)
        }));
        events.extend(on.iter().map(|feature| {
            NewEvent::new(EventKind::FeatureEnvironmentEnabled, &actor)
                .in_project(&feature.project)
                .of_feature(&feature.name, &feature.tags)
                .in_environment(&clone.name)
        }));
        transaction.commit(events).await?;
        Ok(clone)
    }
}

/// Makes an environment, unless its name is taken or there are too many. The transaction is of
/// [`Begin::MakingLimited`].
async fn make(transaction: &Transaction<'_>, new: &Environment) -> Result<(), Error> {
    let tx = &transaction.tx;
    address::judge(Named::Environment, &new.name).map_err(|fault| Error::property("/body/name", fault))?;
    if store::environments::exists(tx, &new.name).await? {
        return Err(taken(&new.name));
    }
    admit_one_more("environment", store::environments::count(tx).await?, transaction.author.limits.environments)?;
    if store::environments::add(tx, new).await? { Ok(()) } else { Err(taken(&new.name)) }
}

async fn sort_order(tx: &Tx, wanted: Option<i64>) -> Result<i64, Error> {
    match wanted {
        Some(wanted) => Ok(wanted),
        None => Ok(store::environments::next_sort_order(tx).await?),
    }
}

/// The environment, in the state that the change is meant for.
async fn hold(tx: &Tx, name: &str, if_match: &IfMatch) -> Result<Environment, Error> {
    let held = store::environments::hold(tx, name).await?.ok_or_else(|| Error::not_found("environment", name))?;
    if_match.check(Version::of(&held))?;
    Ok(held)
}

/// Saves an environment with its event, if anything is other than before.
async fn save(transaction: Transaction<'_>, before: &Environment, after: &Environment) -> Result<(), Error> {
    let Some(event) = before.updated(after, &transaction.author.caller.actor()) else { return Ok(()) };
    store::environments::save(&transaction.tx, after).await?;
    transaction.commit([event]).await
}

/// Error that the name of an environment is taken.
pub fn taken(name: &str) -> Error {
    Error::Conflict(format!("There is an environment named \"{name}\" already."))
}

fn needed(name: &str, projects: &[String]) -> Error {
    Error::InUse {
        name: "EnvironmentInUseError",
        message: format!(
            "The environment \"{name}\" is the only one of: {}. Add another one to each of these projects first.",
            projects.join(", ")
        ),
    }
}

/// The wanted projects among those that use the original, sorted.
fn choose(users: Vec<String>, wanted: Option<Vec<String>>, original: &str) -> Result<Vec<String>, Error> {
    let Some(wanted) = wanted else { return Ok(users) };
    if let Some((index, id)) = wanted.iter().enumerate().find(|(_, id)| !users.contains(id)) {
        let path = format!("/body/projects/{index}");
        return Err(Error::property(path, format!("names \"{id}\", which is no project that uses \"{original}\"")));
    }
    Ok(users.into_iter().filter(|id| wanted.contains(id)).collect())
}
