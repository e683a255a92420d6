//! The older lists of the log.

use poem_openapi::{
    Object, OpenApi,
    param::{Path, Query},
};
use serde::Serialize;

use crate::{
    api::{
        Tag,
        answer::{Fails, Out, QueryRefusals},
        caller::AuthenticatedCaller,
        events::EventsBody,
        parameter::NameParameter,
        permitted::{Permitted, need},
    },
    domain::{
        event::Event,
        event_filter::{EventFilter, EventPage},
    },
    state::State,
    store,
};

/// Events of a list.
const LIMIT: u64 = 100;

/// The operations that list events without a search.
#[derive(Debug)]
pub struct EventListsApi;

/// The latest events about a feature, and the number of all.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "FeatureEvents", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct FeatureEventsBody {
    /// Version of this format: 1.
    pub version: i64,
    /// Name of the feature.
    pub toggle_name: String,
    /// The latest events about it, newest first: at most 100.
    pub events: Vec<Event>,
    /// Number of events about it that the caller may see.
    pub total_events: i64,
}

#[OpenApi(tag = "Tag::Events")]
impl EventListsApi {
    /// List the latest events
    ///
    /// The latest 100 events, newest first, and the number of all. Deprecated since 0.1.0: use `GET
    /// /api/admin/search/events`, which reaches all events.
    #[oai(path = "/api/admin/events", method = "get", operation_id = "getEvents", deprecated)]
    async fn get_events(
        &self,
        caller: Permitted<need::ReadLogs>,
        poem::web::Data(state): poem::web::Data<&State>,
        /// Only events in the project with this id. Case-sensitive. Empty means any.
        project: Query<Option<NameParameter>>,
    ) -> Result<Out<EventsBody>, Fails<QueryRefusals>> {
        let projects = EventFilter::name(project.0.map(|project| project.0));
        let filter = EventFilter { projects, ..EventFilter::default() };
        let seen = caller.visibility().await?;
        let page = EventPage::from_id(None, LIMIT);
        let found = store::events::search::search(&state.db.heavy(), &filter, &seen, page).await?;
        Ok(Out(EventsBody { version: 1, events: found.events, total_events: Some(found.total) }))
    }

    /// List the latest events of a feature
    ///
    /// The latest 100 events, newest first, and the number of all; none for a name without events. Administrators find
    /// every event, other callers the events of projects that they may see. Deprecated since 0.1.0: use `GET
    /// /api/admin/search/events`, which reaches all events.
    #[oai(path = "/api/admin/events/:featureName", method = "get", operation_id = "getEventsForToggle", deprecated)]
    async fn get_events_for_toggle(
        &self,
        caller: AuthenticatedCaller,
        poem::web::Data(state): poem::web::Data<&State>,
        /// Name of the feature. Case-sensitive.
        #[oai(name = "featureName", validator(max_length = 255))]
        feature_name: Path<String>,
    ) -> Result<Out<FeatureEventsBody>, Fails<QueryRefusals>> {
        let features = Some(vec![feature_name.0.clone()]);
        let filter = EventFilter { features, ..EventFilter::default() };
        let seen = caller.visibility().await?;
        let page = EventPage::from_id(None, LIMIT);
        let found = store::events::search::search(&state.db.heavy(), &filter, &seen, page).await?;
        Ok(Out(FeatureEventsBody {
            version: 1,
            toggle_name: feature_name.0,
            events: found.events,
            total_events: found.total,
        }))
    }
}
