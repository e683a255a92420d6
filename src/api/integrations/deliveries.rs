//! Deliveries to an integration, successful and failed ones.

use poem::web::Data;
use poem_openapi::{Object, OpenApi, param::Path, param::Query};
use serde::Serialize;

use crate::{
    api::{
        Tag,
        answer::{ChangeRefusals, Fails, LookupRefusals, Out, Paged, Stretch},
        author::author,
        body::{Body, Optional},
        parameter::{LimitParameter, OffsetParameter},
        permitted::{Permitted, need},
    },
    changes::integrations::visible,
    domain::{event::Event, filter::Page, integration::delivery::DeliveryState, time::Timestamp},
    state::State,
    store::{
        self,
        integrations::deliveries::{Record, list},
    },
    wire::{AtMost, Nullable, RawJson},
};

/// Most entries of a page.
const MOST: u64 = 100;

/// The operations on deliveries.
#[derive(Debug)]
pub struct DeliveriesApi;

/// The log of an integration.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "IntegrationEvents", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct IntegrationEventsBody {
    /// The deliveries of this page, newest first.
    pub integration_events: Vec<IntegrationEventBody>,
}

/// One delivery of an event to an integration.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "IntegrationEvent", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct IntegrationEventBody {
    /// Id of the delivery, in digits.
    pub id: String,
    /// Id of the integration.
    pub integration_id: i64,
    /// When the delivery was queued.
    pub created_at: Timestamp,
    /// State of the delivery.
    pub state: DeliveryState,
    /// The state in words: the answer of the receiver, and when the next attempt is.
    pub state_details: String,
    /// Number of attempts.
    #[oai(validator(minimum(value = "0")))]
    pub attempts: i64,
    /// The event; `null` once it is no longer in the log.
    pub event: Nullable<Event>,
    /// The sent message, without secrets: which properties there are depends on the kind of system.
    pub details: RawJson,
}

/// Deliveries to retry.
#[derive(Debug, Default, Object)]
#[oai(rename = "Redelivery")]
pub struct RedeliveryBody {
    /// Ids of the deliveries, at most 1000. Absent means all that failed.
    pub ids: Option<AtMost<1000, i64>>,
}

/// Deliveries that are attempted again.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "Redelivered")]
pub struct RedeliveredBody {
    /// Number of deliveries that are retried.
    #[oai(validator(minimum(value = "0")))]
    pub redelivered: u64,
}

#[OpenApi(tag = "Tag::Addons")]
impl DeliveriesApi {
    /// List the deliveries to an integration
    ///
    /// Newest first. Finished deliveries are kept for 30 days, the newest 1000 of each integration.
    #[oai(path = "/api/admin/addons/:id/events", method = "get", operation_id = "getIntegrationEvents")]
    async fn get_integration_events(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        id: Path<i64>,
        /// Number of deliveries to return. Anything but a whole number from 1 means 50; above 100 means 100.
        limit: Query<Option<LimitParameter>>,
        /// Number of deliveries to skip. Anything but a whole number from 0 means 0.
        offset: Query<Option<OffsetParameter>>,
    ) -> Result<Paged<IntegrationEventsBody>, Fails<LookupRefusals>> {
        visible(&caller, store::integrations::find(&state.db, &state.vault, id.0).await?, id.0).await?;
        let page = Page::new(offset.0.and_then(|offset| offset.0), limit.0.and_then(|limit| limit.0));
        let page = Page { limit: page.limit.min(MOST), ..page };
        // One more says whether there is another page.
        let mut records = list(&state.db, id.0, page.limit + 1, page.offset).await?;
        let length = usize::try_from(page.limit).unwrap_or(usize::MAX);
        let stretch = Stretch { page, has_more: records.len() > length };
        records.truncate(length);
        let integration_events = records.into_iter().map(|record| IntegrationEventBody::of(id.0, record)).collect();
        Ok(Paged(IntegrationEventsBody { integration_events }, stretch))
    }

    /// Redeliver failed events
    ///
    /// Retries deliveries that were given up, each with its original id. Other deliveries stay as they are. Needs sight
    /// of everything that the integration receives.
    #[oai(path = "/api/admin/addons/:id/redeliver", method = "post", operation_id = "redeliverIntegrationEvents")]
    async fn redeliver_integration_events(
        &self,
        caller: Permitted<need::UpdateAddon>,
        Data(state): Data<&State>,
        id: Path<i64>,
        body: Body<RedeliveryBody, Optional>,
    ) -> Result<Out<RedeliveredBody>, Fails<ChangeRefusals>> {
        let ids = body.read_or_empty()?.ids;
        let ids = ids.as_ref().map(|ids| ids.0.as_slice());
        let redelivered = author(&caller, state).redeliver(&state.vault, id.0, ids).await?;
        Ok(Out(RedeliveredBody { redelivered }))
    }
}

impl IntegrationEventBody {
    fn of(integration_id: i64, record: Record) -> Self {
        Self {
            id: record.id.to_string(),
            integration_id,
            created_at: record.created_at,
            state: record.state,
            state_details: record.state_details,
            attempts: record.attempts,
            event: record.event.into(),
            details: record.details,
        }
    }
}
