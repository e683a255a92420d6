//! Trying an integration out.

use poem::web::Data;
use poem_openapi::{Object, OpenApi, param::Path};
use serde::Serialize;

use crate::{
    api::{
        Tag,
        answer::{Fails, Out, refusals},
        body::{Body, Optional},
        permitted::{Permitted, need},
    },
    changes::integrations::{require_sight, visible},
    clock,
    deliveries::{Attempted, Quoting, try_out},
    domain::{
        actor::Actor,
        event::Event,
        event_kind::EventKind,
        integration::{Integration, delivery::DeliveryState},
        time::Timestamp,
    },
    error::Error,
    state::{State, deliveries::TooManyTrials},
    store,
    wire::{Nullable, RawJson, RawJsonOf},
};

/// Seconds after which a trial may begin that there was no room for: most have ended by then.
const RETRY_SECONDS: u64 = 10;

refusals! {
    /// Trials, of which there are few at a time.
    TrialRefusals = 400, 401, 403, 404, 413, 415, 429, 503;
}

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

/// Result of a test delivery.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "AddonTrialOutcome", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct AddonTrialOutcomeBody {
    /// Whether the receiver accepted it.
    pub state: DeliveryState,
    /// Answer of the receiver.
    pub state_details: String,
    /// The sample.
    pub event: Event,
    /// The sent message, without secrets.
    pub details: RawJson,
}

#[OpenApi(tag = "Tag::Addons")]
impl AddonTrialApi {
    /// Test an integration
    ///
    /// Sends a sample event once, the same way as real events, and returns the result. The sample is not logged. Needs
    /// sight of everything that the integration receives. Only administrators are shown what the receiver answered
    /// besides its status. 429 when too many tests are under way, in all or of one user.
    #[oai(path = "/api/admin/addons/:id/test", method = "post", operation_id = "testAddon")]
    async fn test_addon(
        &self,
        caller: Permitted<need::UpdateAddon>,
        Data(state): Data<&State>,
        id: Path<i64>,
        body: Body<AddonTrialBody, Optional>,
    ) -> Result<Out<AddonTrialOutcomeBody>, Fails<TrialRefusals>> {
        let kind = body.read_or_empty()?.kind;
        let addon = visible(&caller, store::integrations::find(&state.db, &state.vault, id.0).await?, id.0).await?;
        require_sight(&addon.settings, &caller.visibility().await?)?;
        let kind = kind.or(addon.settings.events.first().copied()).unwrap_or(EventKind::FeatureCreated);
        let actor = caller.actor();
        let event = sample(kind, &addon, &actor, state.clock.now());
        let message_id = format!("test_{}", clock::new_uuid().simple());
        let quoting = if caller.is_admin() { Quoting::Beginning } else { Quoting::None };
        let Attempted { outcome, details } = try_out(state, actor.user_id, &addon, &event, &message_id, quoting)
            .await
            .map_err(|TooManyTrials| Error::RateLimit { retry_after_seconds: RETRY_SECONDS })?;
        let (state, state_details) = outcome.ended();
        Ok(Out(AddonTrialOutcomeBody { state, state_details, event, details: RawJson::of(&details) }))
    }
}

/// A sample event within the projects and environments of the integration.
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
        reason: None,
        environment: Some(Nullable(Some(environment))),
        project: Some(Nullable(Some(project))),
        feature_name: Some(Nullable(Some(feature.to_owned()))),
        data: Some(Nullable(Some(RawJson::of(&serde_json::json!({ "name": feature, "isSample": true }))))),
        pre_data: Some(Nullable(None)),
        tags: Some(Nullable(Some(RawJsonOf::of(&Vec::new())))),
    }
}
