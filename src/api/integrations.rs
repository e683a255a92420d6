//! Integrations: other systems that receive events.

mod body;
mod deliveries;
mod trial;

use std::collections::{BTreeMap, BTreeSet};

use poem::web::Data;
use poem_openapi::{OpenApi, param::Path};

use self::body::{AddonBody, AddonContentBody, AddonsBody, Wanted};
use crate::{
    access::Caller,
    api::{
        Tag,
        answer::{Created, Done, Fails, LookupRefusals, Out, ReadRefusals, RemoveRefusals, refusals},
        api_tokens::unknown_project,
        body::Body,
        permitted::{Permitted, need},
        version::Versioned,
    },
    changes::if_match::IfMatch,
    config::admit_one_more,
    domain::{
        actor::Actor,
        event::NewEvent,
        event_kind::EventKind,
        integration::{Integration, Owner, Parameters, Problem, Provider, Settings},
        tag::TagType,
        version::Version,
        visibility::Visibility,
    },
    error::{Error, Finding},
    integrations::check_template,
    state::State,
    store::{
        self,
        db::Tx,
        integrations::{NewIntegration, owners},
    },
    wire::{Nullable, Scalar},
};

/// How many who are no administrators it takes to own all integrations.
const SHARES: u64 = 10;
/// Page below which each kind of system is described.
const DOCUMENTATION: &str = "/docs";

refusals! {
    /// Writes with a body that make something, where nothing else has to exist.
    CreateAddonRefusals = 400, 401, 403, 413, 415, 503;
    /// Writes with a body, to one numbered thing in the state that `If-Match` names.
    UpdateAddonRefusals = 400, 401, 403, 404, 412, 413, 415, 503;
}

/// The operations on integrations.
#[derive(Debug)]
pub struct IntegrationsApi;

/// The operations in this folder and this file.
pub fn operations() -> impl OpenApi {
    (IntegrationsApi, deliveries::DeliveriesApi, trial::AddonTrialApi)
}

#[OpenApi(tag = "Tag::Addons")]
impl IntegrationsApi {
    /// List the integrations
    ///
    /// By id, with the available kinds of integrations. Secrets are shown as `*****`. Integrations that name projects
    /// hidden from the caller are left out.
    #[oai(path = "/api/admin/addons", method = "get", operation_id = "getAddons")]
    async fn get_addons(
        &self,
        caller: Caller,
        Data(state): Data<&State>,
    ) -> Result<Out<AddonsBody>, Fails<ReadRefusals>> {
        let visibility = caller.visibility().await?;
        let mut addons = store::integrations::list(&state.db, &state.vault).await?;
        addons.retain(|addon| is_visible(addon, &visibility));
        let documentation = format!("{}{DOCUMENTATION}", state.config.base_url.trim_end_matches('/'));
        let gone = owners::gone(&state.db, addons.iter().filter_map(|addon| addon.owner.as_ref())).await?;
        Ok(Out(AddonsBody {
            addons: addons.iter().map(|addon| AddonBody::of(addon, &gone)).collect(),
            providers: Provider::ALL.map(|provider| provider.definition(&documentation)).into(),
        }))
    }

    /// Create an integration
    ///
    /// The integration receives events of the given types, in the given projects and environments, from now on. It
    /// cannot send what its owner, who created it or changed it last, may not see: an integration for all projects needs
    /// `ADMIN`, one created by somebody else receives no events that belong to no project, and none receives events of a
    /// project that is hidden from its owner since. Whoever is no administrator can own a tenth of the integrations that
    /// there may be. Missing tag types of its kind are created. Each
    /// event is delivered at least once: receivers recognise duplicates by `webhook-id`. Failed deliveries are retried
    /// for about a day, at growing intervals.
    #[oai(path = "/api/admin/addons", method = "post", operation_id = "createAddon")]
    async fn create_addon(
        &self,
        caller: Permitted<need::CreateAddon>,
        Data(state): Data<&State>,
        body: Body<AddonContentBody>,
    ) -> Result<Created<AddonBody>, Fails<CreateAddonRefusals>> {
        let wanted = Wanted::read(body.read()?, None)?;
        let visibility = caller.visibility().await?;
        let settings = wanted.settings.asked_for_by(&visibility);
        let (now, actor) = (state.clock.now(), caller.actor());
        let tx = store::limits::begin_making(&state.db).await?;
        admit_one_more("integration", store::integrations::count(&tx).await?, state.config.limits.integrations)?;
        let owner = Owner::from(&actor);
        if !caller.is_admin() {
            let share = (state.config.limits.integrations / SHARES).max(1);
            admit_one_more("integration of yours", store::integrations::count_of(&tx, &owner).await?, share)?;
        }
        admit(&tx, &settings, None, &visibility).await?;
        let mut events = make_tag_types(&tx, wanted.provider, &actor).await?;
        let owner = Some(owner);
        let new = NewIntegration { provider: wanted.provider, settings, parameters: wanted.parameters, owner };
        let addon = store::integrations::insert(&tx, &state.vault, new, now).await?;
        events.push(addon.created(&actor));
        tx.commit(now, events).await?;
        Ok(Created(AddonBody::of(&addon, &BTreeSet::new())))
    }

    /// Get an integration
    ///
    /// Secrets read as `*****`.
    #[oai(path = "/api/admin/addons/:id", method = "get", operation_id = "getAddon")]
    async fn get_addon(
        &self,
        caller: Caller,
        Data(state): Data<&State>,
        id: Path<i64>,
    ) -> Result<Versioned<AddonBody>, Fails<LookupRefusals>> {
        let addon = visible(&caller, store::integrations::find(&state.db, &state.vault, id.0).await?, id.0).await?;
        let gone = owners::gone(&state.db, addon.owner.iter()).await?;
        Ok(Versioned(AddonBody::of(&addon, &gone), version(&addon)))
    }

    /// Update an integration
    ///
    /// Replaces the stored values: what is absent is reset; a secret that is sent back as `*****` stays. When the address,
    /// a channel, the content type or the template changes, no secret stays: each must be given again or left out. Events
    /// until now are still delivered with the old values, and the receiver of before hears last of this change. The kind
    /// cannot be changed. A caller who may not see everything that the integration receives, before or after, cannot
    /// change it, and owns it afterwards. A request that changes nothing leaves no event.
    #[oai(path = "/api/admin/addons/:id", method = "put", operation_id = "updateAddon")]
    async fn update_addon(
        &self,
        caller: Permitted<need::UpdateAddon>,
        Data(state): Data<&State>,
        id: Path<i64>,
        #[oai(name = "If-Match")] if_match: IfMatch,
        body: Body<AddonContentBody>,
    ) -> Result<Versioned<AddonBody>, Fails<UpdateAddonRefusals>> {
        let body = body.read()?;
        let visibility = caller.visibility().await?;
        let tx = state.db.begin().await?;
        let before = hold(&caller, state, &tx, id.0).await?;
        if_match.check(version(&before))?;
        let wanted = Wanted::read(body, Some(&before))?;
        let settings = wanted.settings.asked_for_by(&visibility);
        require_sight(&before.settings, &visibility)?;
        admit(&tx, &settings, Some(&before.settings), &visibility).await?;
        let after = Integration { settings, parameters: wanted.parameters, ..before.clone() };
        let gone = owners::gone(&tx, before.owner.iter()).await?;
        if after == before && gone.is_empty() {
            return Ok(Versioned(AddonBody::of(&before, &gone), version(&before)));
        }
        let owner = Some(Owner::from(&caller.actor()));
        let after = Integration { version: before.version + 1, owner, ..after };
        let now = state.clock.now();
        store::integrations::save(&tx, &state.vault, &before, &after, now).await?;
        tx.commit(now, [after.updated(&before, &caller.actor())]).await?;
        Ok(Versioned(AddonBody::of(&after, &BTreeSet::new()), version(&after)))
    }

    /// Delete an integration
    ///
    /// It receives the events until now, and last that it was deleted and by whom; nothing else is delivered to it. A
    /// caller who may not see everything that it receives cannot delete it.
    #[oai(path = "/api/admin/addons/:id", method = "delete", operation_id = "deleteAddon")]
    async fn delete_addon(
        &self,
        caller: Permitted<need::DeleteAddon>,
        Data(state): Data<&State>,
        id: Path<i64>,
        #[oai(name = "If-Match")] if_match: IfMatch,
    ) -> Result<Done, Fails<RemoveRefusals>> {
        let tx = state.db.begin().await?;
        let before = hold(&caller, state, &tx, id.0).await?;
        if_match.check(version(&before))?;
        require_sight(&before.settings, &caller.visibility().await?)?;
        let now = state.clock.now();
        store::integrations::delete(&tx, &before, now).await?;
        tx.commit(now, [before.deleted(&caller.actor())]).await?;
        Ok(Done)
    }
}

const fn version(addon: &Integration) -> Version {
    Version::of_event(addon.version)
}

/// Whether none of the projects that an integration names is hidden.
fn is_visible(addon: &Integration, visibility: &Visibility) -> bool {
    addon.settings.projects.iter().all(|project| visibility.admits(project))
}

async fn visible(caller: &Caller, addon: Option<Integration>, id: i64) -> Result<Integration, Error> {
    let visibility = caller.visibility().await?;
    let shown = addon.filter(|addon| is_visible(addon, &visibility));
    shown.ok_or_else(|| Error::no_id("integration", id))
}

async fn hold(caller: &Caller, state: &State, tx: &Tx, id: i64) -> Result<Integration, Error> {
    visible(caller, store::integrations::hold(tx, &state.vault, id).await?, id).await
}

/// 403 for callers who do not see all events that an integration receives.
fn require_sight(settings: &Settings, visibility: &Visibility) -> Result<(), Error> {
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
            return Err(unknown_project(project));
        }
    }
    for environment in
        settings.environments.iter().filter(|one| *one != "*" && !was_named(|settings| &settings.environments, one))
    {
        if !store::environments::exists(tx, environment).await? {
            let rule = format!("names the environment \"{environment}\", which does not exist");
            return Err(Error::property("/body/environments", rule));
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

/// The parameters that a body gives, or everything that is wrong with them.
fn read_parameters(
    provider: Provider,
    given: &BTreeMap<String, Scalar>,
    before: Option<&Parameters>,
) -> Result<Parameters, Error> {
    let path = |name: &str| format!("/body/parameters/{name}");
    let finding = |problem: Problem| Finding::property(path(&problem.name), problem.rule);
    let parameters = Parameters::admit(provider, given, before)
        .map_err(|problems| Error::Validation(problems.into_iter().map(finding).collect()))?;
    if let Some(template) = parameters.text("bodyTemplate") {
        check_template(&template).map_err(|rule| Error::property(path("bodyTemplate"), rule))?;
    }
    Ok(parameters)
}
