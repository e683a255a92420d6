//! Trying an integration out.

use poem::web::Data;
use poem_openapi::{Object, OpenApi, param::Path};
use serde::Serialize;

use super::visible;
use crate::{
    api::{
        Tag,
        answer::{ChangeRefusals, Fails, Out},
        body::{Body, Optional},
        permitted::{Permitted, need},
    },
    clock,
    deliveries::{Attempted, attempt},
    domain::{
        actor::Actor,
        event::Event,
        event_kind::EventKind,
        integration::{Integration, delivery::DeliveryState},
        time::Timestamp,
    },
    state::State,
    store,
    wire::{Nullable, RawJson, RawJsonOf},
};

/// The operation that tries an integration out.
#[derive(Debug)]
pub struct AddonTrialApi;

/// Options of a test of an integration.
#[derive(Debug, Default, Object)]
#[oai(rename = "AddonTrial")]
pub struct AddonTrialBody {
    /// The type of the sample event. Absent means the first type that the integration receives.
    #[oai(rename = "type")]
    pub kind: Option<EventKind>,
}

/// What came of it.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "AddonTrialOutcome", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct AddonTrialOutcomeBody {
    /// Whether the receiver accepted it.
    pub state: DeliveryState,
    /// What the receiver said.
    pub state_details: String,
    /// The sample.
    pub event: Event,
    /// What was sent, without secrets.
    pub details: RawJson,
}

#[OpenApi(tag = "Tag::Addons")]
impl AddonTrialApi {
    /// Test an integration
    ///
    /// Sends a sample event once, the same way as real events, and returns the result. The sample is not logged.
    #[oai(path = "/api/admin/addons/:id/test", method = "post", operation_id = "testAddon")]
    async fn test_addon(
        &self,
        caller: Permitted<need::UpdateAddon>,
        Data(state): Data<&State>,
        id: Path<i64>,
        body: Body<AddonTrialBody, Optional>,
    ) -> Result<Out<AddonTrialOutcomeBody>, Fails<ChangeRefusals>> {
        let kind = body.read_or_empty()?.kind;
        let addon = visible(&caller, store::integrations::find(&state.db, &state.vault, id.0).await?, id.0).await?;
        let kind = kind.or(addon.settings.events.first().copied()).unwrap_or(EventKind::FeatureCreated);
        let event = sample(kind, &addon, &caller.actor(), state.clock.now());
        let message_id = format!("test_{}", clock::new_uuid().simple());
        let Attempted { outcome, details } = attempt(state, &addon, &event, &message_id).await;
        let (state, state_details) = outcome.ended();
        Ok(Out(AddonTrialOutcomeBody { state, state_details, event, details: RawJson::of(&details) }))
    }
}

/// An event that might happen where the integration is told of events.
fn sample(kind: EventKind, addon: &Integration, actor: &Actor, now: Timestamp) -> Event {
    let first = |list: &[String], usual: &str| match list.first() {
        Some(one) if one != "*" => one.clone(),
        _ => usual.to_owned(),
    };
    let (project, environment) =
        (first(&addon.settings.projects, "default"), first(&addon.settings.environments, "production"));
    let feature = "sample-feature";
    Event {
        id: 1,
        created_at: now,
        kind,
        label: None,
        created_by: actor.name.clone(),
        created_by_user_id: Some(Nullable(Some(actor.user_id.into()))),
        environment: Some(Nullable(Some(environment))),
        project: Some(Nullable(Some(project))),
        feature_name: Some(Nullable(Some(feature.to_owned()))),
        data: Some(Nullable(Some(RawJson::of(&serde_json::json!({ "name": feature, "isSample": true }))))),
        pre_data: Some(Nullable(None)),
        tags: Some(Nullable(Some(RawJsonOf::of(&Vec::new())))),
    }
}
