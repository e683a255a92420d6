//! Searching the log of changes.

pub mod lists;

use poem::{FromRequest, Request, RequestBody};
use poem_openapi::{Object, OpenApi, error::ParseParamError, param::Query, types::ParseFromParameter};
use serde::Serialize;

use crate::{
    api::{
        Tag,
        answer::{Fails, Out, Paged, QueryRefusals, ReadRefusals, Stretch, WriteRefusals},
        body::{Body, Optional},
        caller::AuthenticatedCaller,
        parameter::{
            DayParameter, EventCreatorParameter, EventEnvironmentParameter, EventFeatureParameter,
            EventProjectParameter, EventTypeParameter, LimitParameter, OffsetParameter, TextParameter,
        },
    },
    domain::{
        event::Event,
        event_filter::{EventFilter, EventPage, Phrase, PhrasePlace},
        event_kind::EventKind,
        filter::{DayFilter, Page},
    },
    state::State,
    store,
};

/// Events on a page of the older search by default, and the most it gives.
const OLDER_LIMIT: u64 = 100;

/// The operations on the event log.
#[derive(Debug)]
pub struct EventsApi;

/// The operations in this folder and this file.
pub fn operations() -> impl OpenApi {
    (EventsApi, lists::EventListsApi)
}

/// A page of events and the number of all that match.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "EventSearchResult")]
pub struct EventPageBody {
    /// The events of this page, newest first.
    pub events: Vec<Event>,
    /// Number of events that match, on all pages.
    #[oai(validator(minimum(value = "0")))]
    pub total: i64,
}

/// Filters of an event search. Every property is optional; an event must match all that are given.
#[derive(Debug, Object)]
#[oai(rename = "EventSearch")]
pub struct EventSearchBody {
    /// Only events of this type. Case-sensitive.
    #[oai(rename = "type")]
    pub kind: Option<EventKind>,
    /// Only events in the project with this id. Case-sensitive. Empty means any.
    #[oai(validator(max_length = 1000))]
    pub project: Option<String>,
    /// Only events about the feature with this name. Case-sensitive. Empty means any.
    #[oai(validator(max_length = 1000))]
    pub feature: Option<String>,
    /// Only events whose type, creator's name or reason, or whose data, previous data or tags in their JSON, contain
    /// this text, case-insensitive. `%` and `_` are plain characters. Empty means any.
    #[oai(validator(max_length = 1_000_000))]
    pub query: Option<String>,
    /// Number of events to return: 1 to 100, and 100 when absent.
    #[oai(validator(minimum(value = "1"), maximum(value = "100")))]
    pub limit: Option<u64>,
    /// The event id to start from: the answer begins with the newest matching event with this id or a lower one. Absent
    /// or 0 starts at the newest. For the next page, send the last id of the previous page minus one.
    #[oai(validator(minimum(value = "0"), maximum(value = "9007199254740991")))]
    pub offset: Option<i64>,
}

/// Events and the number of all that match.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "Events", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct EventsBody {
    /// Version of this format: 1.
    #[oai(validator(minimum(value = "1"), maximum(value = "1")))]
    pub version: i64,
    /// The matching events, newest first.
    pub events: Vec<Event>,
    /// Number of events that match, regardless of offset and limit.
    #[oai(validator(minimum(value = "0")))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_events: Option<i64>,
}

/// A user or program in the event log.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "EventCreator")]
pub struct EventCreatorBody {
    /// Id of the user: -1337 for the server itself, -42 for admin API tokens.
    pub id: i64,
    /// Display name, else user name, else email.
    pub name: String,
}

#[OpenApi]
impl EventsApi {
    /// Search events
    ///
    /// Events that match all given filters, newest first. Administrators find every event, other callers the events of
    /// projects that they may see.
    #[oai(path = "/api/admin/search/events", method = "get", operation_id = "searchEvents", tag = "Tag::Search")]
    #[expect(clippy::too_many_arguments, reason = "one for each parameter of the operation")]
    async fn search_events(
        &self,
        caller: AuthenticatedCaller,
        poem::web::Data(state): poem::web::Data<&State>,
        later_names: LaterNames,
        /// Only events whose reason, or whose data, previous data or tags in their JSON, contain this text,
        /// case-insensitive. `%` and `_` are plain characters. Empty means any.
        query: Query<Option<TextParameter>>,
        /// Only events about features with these names: `IS:name` or `IS_ANY_OF:name,name`. Case-sensitive.
        feature: Query<Option<EventFeatureParameter>>,
        /// Only events in projects with these ids: `IS:id` or `IS_ANY_OF:id,id`. Case-sensitive.
        project: Query<Option<EventProjectParameter>>,
        /// Only events of these types: `IS:type` or `IS_ANY_OF:type,type`. An unknown type matches nothing.
        #[oai(name = "type")]
        kind: Query<Option<EventTypeParameter>>,
        /// Only events of users with these ids: `IS:id` or `IS_ANY_OF:id,id`. -1337 is the server itself, -42 stands
        /// for admin API tokens. A text that is no id matches nothing.
        #[oai(name = "createdBy")]
        created_by: Query<Option<EventCreatorParameter>>,
        /// Only events on or after this day, in UTC: `IS:YYYY-MM-DD`.
        #[oai(name = "createdAtFrom")]
        created_at_from: Query<Option<DayParameter>>,
        /// Only events on or before this day, in UTC: `IS:YYYY-MM-DD`.
        #[oai(name = "createdAtTo")]
        created_at_to: Query<Option<DayParameter>>,
        /// Number of matching events to skip. Anything but a whole number from 0 means 0.
        offset: Query<Option<OffsetParameter>>,
        /// Number of events to return. Anything but a whole number from 1 means 50; above 1000 means 1000.
        limit: Query<Option<LimitParameter>>,
        /// Only events in environments with these names: `IS:name` or `IS_ANY_OF:name,name`. Case-sensitive.
        environment: Query<Option<EventEnvironmentParameter>>,
    ) -> Result<Paged<EventPageBody>, Fails<QueryRefusals>> {
        let filter = EventFilter {
            kinds: EventFilter::names(kind.0.map(|kind| kind.0)),
            projects: EventFilter::names(project.0.map(|project| project.0)),
            features: EventFilter::names(feature.0.map(|feature| feature.0)),
            environments: EventFilter::names(environment.0.map(|environment| environment.0)),
            creators: EventFilter::ids(created_by.0.map(|creator| creator.0)),
            from: created_at_from.0.map(|day| day.0).or(later_names.from).map(DayFilter::start),
            to: created_at_to.0.map(|day| day.0).or(later_names.to).map(DayFilter::end),
            phrase: Phrase::new(query.0.as_ref().map(|text| &*text.0), PhrasePlace::Payload),
        };
        let page = Page::new(offset.0.and_then(|offset| offset.0), limit.0.and_then(|limit| limit.0));
        let seen = caller.visibility().await?;
        let found = store::events::search::search(&state.db.heavy(), &filter, &seen, page.into()).await?;
        let stretch = Stretch::of(page, u64::try_from(found.total).unwrap_or_default());
        Ok(Paged(EventPageBody { events: found.events, total: found.total }, stretch))
    }

    /// Search events with a body
    ///
    /// Deprecated since 0.1.0: use `GET /api/admin/search/events`. An empty body, or one without any property, matches
    /// every event. Administrators find every event, other callers the events of projects that they may see.
    #[oai(
        path = "/api/admin/events/search",
        method = "post",
        operation_id = "deprecatedSearchEvents",
        tag = "Tag::Events",
        deprecated
    )]
    async fn deprecated_search_events(
        &self,
        caller: AuthenticatedCaller,
        poem::web::Data(state): poem::web::Data<&State>,
        body: Body<EventSearchBody, Optional>,
    ) -> Result<Out<EventsBody>, Fails<WriteRefusals>> {
        let asked = body.read_or_empty()?;
        let filter = EventFilter {
            kinds: EventFilter::kind(asked.kind),
            projects: EventFilter::name(asked.project),
            features: EventFilter::name(asked.feature),
            phrase: Phrase::new(asked.query.as_deref(), PhrasePlace::PayloadAndOrigin),
            ..EventFilter::default()
        };
        let page = EventPage::from_id(asked.offset, asked.limit.unwrap_or(OLDER_LIMIT));
        let seen = caller.visibility().await?;
        let found = store::events::search::search(&state.db.heavy(), &filter, &seen, page).await?;
        Ok(Out(EventsBody { version: 1, events: found.events, total_events: Some(found.total) }))
    }

    /// List the creators of events
    ///
    /// Everybody who caused an event that the caller may see, ordered by id: the values for the filter `createdBy` of
    /// the event search.
    #[oai(path = "/api/admin/event-creators", method = "get", operation_id = "getEventCreators", tag = "Tag::Events")]
    async fn get_event_creators(
        &self,
        caller: AuthenticatedCaller,
        poem::web::Data(state): poem::web::Data<&State>,
    ) -> Result<Out<Vec<EventCreatorBody>>, Fails<ReadRefusals>> {
        let seen = caller.visibility().await?;
        let creators = store::events::creators::creators(&state.db.heavy(), &seen).await?;
        let bodies = creators.into_iter().map(|creator| EventCreatorBody { id: creator.id, name: creator.name });
        Ok(Out(bodies.collect()))
    }
}

/// `from` and `to`, as later clients call `createdAtFrom` and `createdAtTo`. Read, but not published; the published
/// name counts where both are given.
struct LaterNames {
    from: Option<DayFilter>,
    to: Option<DayFilter>,
}

impl<'a> FromRequest<'a> for LaterNames {
    async fn from_request(request: &'a Request, _: &mut RequestBody) -> poem::Result<Self> {
        let pairs: Vec<(String, String)> = request.params().unwrap_or_default();
        Ok(Self { from: day_named("from", &pairs)?, to: day_named("to", &pairs)? })
    }
}

fn day_named(name: &'static str, pairs: &[(String, String)]) -> Result<Option<DayFilter>, ParseParamError> {
    let texts: Vec<&str> = pairs.iter().filter(|(key, _)| key == name).map(|(_, text)| &**text).collect();
    if texts.is_empty() {
        return Ok(None);
    }
    let day = DayParameter::parse_from_parameters(texts);
    day.map(|day| Some(day.0)).map_err(|error| ParseParamError { name, reason: error.into_message() })
}
