//! Changes of integrations, and retries of their deliveries.

use std::collections::BTreeSet;

use flagstone_access::Caller;
use flagstone_config::admit_one_more;
use flagstone_domain::{
    actor::Actor,
    event::NewEvent,
    event_kind::EventKind,
    integration::{Integration, Owner, Parameters, Provider, Settings},
    tag::TagType,
    version::Version,
    visibility::Visibility,
};
use flagstone_error::Error;
use flagstone_store::{
    self as store,
    db::{NoEvent, Tx},
    integrations::{NewIntegration, deliveries::redeliver, owners},
};
use flagstone_vault::Vault;
use flagstone_wire::Nullable;

use crate::{Author, Begin, Transaction, if_match::IfMatch};

/// Share of all integrations, as one in so many, that anybody but an administrator can own.
const SHARES: u64 = 10;

impl Author<'_> {
    /// Creates an integration, with the tag types of its kind that are missing. The author owns it.
    pub async fn create_integration(
        self,
        vault: &Vault,
        provider: Provider,
        settings: Settings,
        parameters: Parameters,
    ) -> Result<Integration, Error> {
        let visibility = self.caller.visibility().await?;
        let settings = settings.asked_for_by(&visibility);
        let actor = self.caller.actor();
        let transaction = self.begin(Begin::MakingLimited).await?;
        let Transaction { tx, now, .. } = &transaction;
        admit_one_more("integration", store::integrations::count(tx).await?, self.limits.integrations)?;
        let owner = Owner::from(&actor);
        if !self.caller.is_admin() {
            let share = (self.limits.integrations / SHARES).max(1);
            admit_one_more("integration of yours", store::integrations::count_of(tx, &owner).await?, share)?;
        }
        admit(tx, &settings, None, &visibility).await?;
        let mut events = make_tag_types(tx, provider, &actor).await?;
        let new = NewIntegration { provider, settings, parameters, owner: Some(owner) };
        let integration = store::integrations::insert(tx, vault, new, *now).await?;
        events.push(integration.created(&actor));
        transaction.commit(events).await?;
        Ok(integration)
    }

    /// Replaces settings and parameters of an integration by those that `edit` returns; the author owns it then. Returns
    /// it with the ids of its owners who are gone.
    pub async fn update_integration(
        self,
        vault: &Vault,
        id: i64,
        if_match: &IfMatch,
        edit: impl FnOnce(&Integration) -> Result<(Settings, Parameters), Error> + Send,
    ) -> Result<(Integration, BTreeSet<i64>), Error> {
        let visibility = self.caller.visibility().await?;
        let transaction = self.begin(Begin::Change).await?;
        let Transaction { tx, now, .. } = &transaction;
        let before = hold(&transaction, vault, id, if_match).await?;
        let (settings, parameters) = edit(&before)?;
        let settings = settings.asked_for_by(&visibility);
        require_sight(&before.settings, &visibility)?;
        admit(tx, &settings, Some(&before.settings), &visibility).await?;
        let after = Integration { settings, parameters, ..before.clone() };
        let gone = owners::gone(tx, before.owner.iter()).await?;
        if after == before && gone.is_empty() {
            return Ok((before, gone));
        }
        let actor = self.caller.actor();
        let after = Integration { version: before.version + 1, owner: Some(Owner::from(&actor)), ..after };
        store::integrations::save(tx, vault, &before, &after, *now).await?;
        transaction.commit([after.updated(&before, &actor)]).await?;
        Ok((after, BTreeSet::new()))
    }

    /// Deletes an integration, which last receives that it was deleted.
    pub async fn delete_integration(self, vault: &Vault, id: i64, if_match: &IfMatch) -> Result<(), Error> {
        let transaction = self.begin(Begin::Change).await?;
        let before = hold(&transaction, vault, id, if_match).await?;
        require_sight(&before.settings, &self.caller.visibility().await?)?;
        store::integrations::delete(&transaction.tx, &before, transaction.now).await?;
        transaction.commit([before.deleted(&self.caller.actor())]).await
    }

    /// Has failed deliveries of an integration attempted again: those with these ids, or all. Returns their number.
    pub async fn redeliver(self, vault: &Vault, id: i64, ids: Option<&[i64]>) -> Result<u64, Error> {
        let transaction = self.begin(Begin::Change).await?;
        let integration = hold(&transaction, vault, id, &IfMatch::default()).await?;
        require_sight(&integration.settings, &self.caller.visibility().await?)?;
        let redelivered = redeliver(&transaction.tx, id, ids, transaction.now).await?;
        transaction.tx.commit_without_event(NoEvent::Upkeep).await?;
        Ok(redelivered)
    }
}

/// Whether none of the projects that an integration names is hidden.
pub fn is_visible(integration: &Integration, visibility: &Visibility) -> bool {
    integration.settings.projects.iter().all(|project| visibility.admits(project))
}

/// Returns an integration that the caller may see, or 404.
pub async fn visible(caller: &Caller, integration: Option<Integration>, id: i64) -> Result<Integration, Error> {
    let visibility = caller.visibility().await?;
    let shown = integration.filter(|integration| is_visible(integration, &visibility));
    shown.ok_or_else(|| Error::no_id("integration", id))
}

async fn hold(transaction: &Transaction<'_>, vault: &Vault, id: i64, if_match: &IfMatch) -> Result<Integration, Error> {
    let held = store::integrations::hold(&transaction.tx, vault, id).await?;
    let integration = visible(transaction.author.caller, held, id).await?;
    if_match.check(Version::of_event(integration.version))?;
    Ok(integration)
}

/// Refuses callers who do not see all events that an integration receives: 403.
pub fn require_sight(settings: &Settings, visibility: &Visibility) -> Result<(), Error> {
    if settings.are_within(visibility) {
        return Ok(());
    }
    let message = "The integration is told of more than you may see: name projects that you may see, or have an \
                   administrator do this.";
    Err(Error::not_visible(message))
}

/// Refuses projects and environments that do not exist, unless they were named before, and more than the caller may
/// see.
async fn admit(tx: &Tx, settings: &Settings, before: Option<&Settings>, visibility: &Visibility) -> Result<(), Error> {
    let was_named =
        |list: fn(&Settings) -> &Vec<String>, one: &String| before.is_some_and(|before| list(before).contains(one));
    for project in settings.projects.iter().filter(|one| *one != "*" && !was_named(|settings| &settings.projects, one))
    {
        if !visibility.admits(project) || !store::projects::exists(tx, project).await? {
            return Err(Error::unknown("/body/projects", "project", project));
        }
    }
    for environment in
        settings.environments.iter().filter(|one| *one != "*" && !was_named(|settings| &settings.environments, one))
    {
        if !store::environments::exists(tx, environment).await? {
            return Err(Error::unknown("/body/environments", "environment", environment));
        }
    }
    require_sight(settings, visibility)
}

/// Makes the tag types that belong to a kind of system, where they are missing.
async fn make_tag_types(tx: &Tx, provider: Provider, actor: &Actor) -> Result<Vec<NewEvent>, Error> {
    let system = Actor::system().because(actor.reason.clone());
    let mut events = Vec::new();
    for definition in provider.tag_types() {
        let tag_type = TagType {
            name: definition.name,
            description: Some(definition.description),
            icon: Some(Nullable(Some(definition.icon))),
        };
        if store::tags::types::insert(tx, &tag_type).await? {
            events.push(NewEvent::new(EventKind::TagTypeCreated, &system).with_data(&tag_type));
        }
    }
    Ok(events)
}
