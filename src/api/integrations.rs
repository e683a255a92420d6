//! Integrations: other systems that receive events.

mod body;
mod deliveries;
mod trial;

use std::collections::{BTreeMap, BTreeSet};

use poem::web::Data;
use poem_openapi::{OpenApi, param::Path};

use self::body::{AddonBody, AddonContentBody, AddonsBody, Wanted};
use crate::{
    api::{
        Tag,
        answer::{Created, Done, Fails, LookupRefusals, Out, ReadRefusals, RemoveRefusals, refusals},
        author::author,
        body::Body,
        caller::AuthenticatedCaller,
        permitted::{Permitted, need},
        version::{IfMatchHeader, Versioned},
    },
    changes::integrations::{is_visible, visible},
    domain::{
        integration::{Integration, Parameters, Problem, Provider},
        version::Version,
    },
    error::{Error, Finding},
    integrations::check_template,
    state::State,
    store::{self, integrations::owners},
    wire::Scalar,
};

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
        caller: AuthenticatedCaller,
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
        let Wanted { provider, settings, parameters } = Wanted::read(body.read()?, None)?;
        let author = author(&caller, state);
        let addon = author.create_integration(&state.vault, provider, settings, parameters).await?;
        Ok(Created(AddonBody::of(&addon, &BTreeSet::new())))
    }

    /// Get an integration
    ///
    /// Secrets read as `*****`.
    #[oai(path = "/api/admin/addons/:id", method = "get", operation_id = "getAddon")]
    async fn get_addon(
        &self,
        caller: AuthenticatedCaller,
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
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
        body: Body<AddonContentBody>,
    ) -> Result<Versioned<AddonBody>, Fails<UpdateAddonRefusals>> {
        let body = body.read()?;
        let edit = |before: &Integration| {
            let Wanted { settings, parameters, .. } = Wanted::read(body, Some(before))?;
            Ok((settings, parameters))
        };
        let author = author(&caller, state);
        let (addon, gone) = author.update_integration(&state.vault, id.0, &if_match, edit).await?;
        Ok(Versioned(AddonBody::of(&addon, &gone), version(&addon)))
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
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
    ) -> Result<Done, Fails<RemoveRefusals>> {
        author(&caller, state).delete_integration(&state.vault, id.0, &if_match).await?;
        Ok(Done)
    }
}

const fn version(addon: &Integration) -> Version {
    Version::of_event(addon.version)
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
