//! One project on a personal dashboard.

use std::fmt::Write as _;

use poem_openapi::{Enum, Object};
use serde::Serialize;

use super::{MOST, image_of};
use crate::{
    access::Caller,
    api::projects::list::{OwnerBody, OwnerType},
    domain::{
        event::Event,
        event_filter::{EventFilter, EventPage},
        user,
    },
    error::Error,
    state::State,
    store::{
        self,
        dashboard::{HeldRole, Onboarding},
        db::HeavyReads,
    },
    wire::{Nullable, Number},
};

/// Events of a project that are shown.
const EVENTS: u64 = 4;
/// Weeks of a window of health figures.
const WINDOW_WEEKS: usize = 4;

/// Details of a project of the caller.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "PersonalDashboardProjectDetails", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct DashboardDetailsBody {
    /// Users and groups that own it; the system when there are none.
    pub owners: Vec<OwnerBody>,
    /// The roles that the caller holds in it, directly or through groups, by id.
    pub roles: Vec<DashboardRoleBody>,
    /// Its four latest events, newest first.
    pub latest_events: Vec<DashboardEventBody>,
    /// Progress of the project's setup.
    pub onboarding_status: OnboardingBody,
    /// Its health.
    pub insights: DashboardInsightsBody,
}

/// A role in a project.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "PersonalDashboardRole")]
pub struct DashboardRoleBody {
    /// Id of the role.
    pub id: i64,
    /// Name of the role.
    pub name: String,
    /// `project` for the built-in ones, else `custom`.
    #[oai(rename = "type")]
    #[serde(rename = "type")]
    pub kind: String,
}

impl From<HeldRole> for DashboardRoleBody {
    fn from(role: HeldRole) -> Self {
        Self { id: role.id, name: role.name, kind: role.kind }
    }
}

/// An event in short.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "PersonalDashboardEvent", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct DashboardEventBody {
    /// Id of the event.
    pub id: i64,
    /// Summary of the event, in Markdown.
    pub summary: Nullable<String>,
    /// Author of the event, by their name at that time.
    pub created_by: String,
    /// Address of their profile image.
    pub created_by_image_url: String,
}

/// Progress of a project's setup.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "OnboardingStatus", skip_serializing_if_is_none)]
pub struct OnboardingBody {
    /// Step that the setup has reached.
    pub status: OnboardingStep,
    /// The oldest feature. Only with `first-flag-created`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feature: Option<String>,
}

/// Step of the onboarding.
#[derive(Debug, Clone, Copy, Enum, Serialize)]
#[oai(rename_all = "kebab-case")]
#[serde(rename_all = "kebab-case")]
pub enum OnboardingStep {
    /// There are no features yet.
    OnboardingStarted,
    /// There are features, and no application has asked for any.
    FirstFlagCreated,
    /// Applications ask for features.
    Onboarded,
}

impl From<Onboarding> for OnboardingBody {
    fn from(onboarding: Onboarding) -> Self {
        match onboarding {
            Onboarding::Started => Self { status: OnboardingStep::OnboardingStarted, feature: None },
            Onboarding::FirstFlag(name) => Self { status: OnboardingStep::FirstFlagCreated, feature: Some(name) },
            Onboarding::Done => Self { status: OnboardingStep::Onboarded, feature: None },
        }
    }
}

/// The health of a project.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "PersonalDashboardInsights", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct DashboardInsightsBody {
    /// Mean health of the last four weeks, in percent, rounded; `null` when none has been recorded.
    pub avg_health_current_window: Nullable<i64>,
    /// Mean health of the four weeks before; `null` when none has been recorded.
    pub avg_health_past_window: Nullable<i64>,
    /// Features that are not archived.
    pub total_flags: i64,
    /// Features that are neither stale nor potentially stale.
    pub active_flags: i64,
    /// Features that are marked as stale.
    pub stale_flags: i64,
    /// Potentially stale features: not marked as stale, and older than the lifetime of their type.
    pub potentially_stale_flags: i64,
    /// Percentage of features that are neither stale nor potentially stale, rounded; 100 without features.
    pub health: i64,
    /// Percentage of features that are stale or potentially stale: 100 − `health`.
    pub technical_debt: i64,
}

/// The details of a project for a caller who may see it.
pub(super) async fn details(
    state: &State,
    caller: &Caller,
    user_id: i64,
    id: &str,
) -> Result<DashboardDetailsBody, Error> {
    let db = &state.db.heavy();
    let roles = store::dashboard::roles(&state.db, user_id, id).await?;
    Ok(DashboardDetailsBody {
        owners: owners(state, caller, id).await?,
        roles: roles.into_iter().map(Into::into).collect(),
        latest_events: latest_events(db, caller, id).await?,
        onboarding_status: store::dashboard::onboarding(db, id).await?.into(),
        insights: insights(state, db, id).await?,
    })
}

async fn owners(state: &State, caller: &Caller, id: &str) -> Result<Vec<OwnerBody>, Error> {
    let people = store::dashboard::owners(&state.db, Some(id), &caller.visibility().await?, MOST).await?;
    let groups = store::dashboard::owner_groups(&state.db, id).await?;
    let mut owners: Vec<OwnerBody> = people.into_iter().map(OwnerBody::from).collect();
    let other = |owner_type, name| OwnerBody { owner_type, name, image_url: None, email: None };
    owners.extend(groups.into_iter().map(|name| other(OwnerType::Group, Some(name))));
    if owners.is_empty() {
        owners.push(other(OwnerType::System, None));
    }
    Ok(owners)
}

async fn latest_events(db: &HeavyReads<'_>, caller: &Caller, id: &str) -> Result<Vec<DashboardEventBody>, Error> {
    let filter = EventFilter { projects: Some(vec![id.to_owned()]), ..EventFilter::default() };
    let seen = caller.visibility().await?;
    let found = store::events::search::search(db, &filter, &seen, EventPage::from_id(None, EVENTS)).await?;
    let creator = |event: &Event| {
        let id = event.created_by_user_id.and_then(Nullable::into_inner);
        id.and_then(Number::whole).unwrap_or_default()
    };
    let ids: Vec<i64> = found.events.iter().map(creator).collect();
    let contacts = store::dashboard::contacts(db, &ids).await?;
    let bodies = found.events.into_iter().map(|event| {
        let id = creator(&event);
        let image = contacts.get(&id).map_or_else(|| user::image_url(None, None, id), image_of);
        DashboardEventBody {
            id: event.id,
            summary: Some(summary(&event)).into(),
            created_by: event.created_by,
            created_by_image_url: image,
        }
    });
    Ok(bodies.collect())
}

/// Summary of an event: author, type, feature and environment.
fn summary(event: &Event) -> String {
    let text = |text: &Option<Nullable<String>>| text.clone().and_then(Nullable::into_inner);
    let mut summary = format!("**{}**: {}", event.created_by, event.kind.as_str().replace('-', " "));
    for (word, part) in [("", text(&event.feature_name)), (" in", text(&event.environment))] {
        if let Some(part) = part {
            let _ = write!(summary, "{word} **{part}**");
        }
    }
    summary
}

async fn insights(state: &State, db: &HeavyReads<'_>, id: &str) -> Result<DashboardInsightsBody, Error> {
    let lifetimes = store::health::lifetimes(db).await?;
    let counts = store::health::counts_of_project(db, id, &lifetimes, state.clock.now()).await?;
    let weeks = store::dashboard::weekly_health(db, id, 2 * WINDOW_WEEKS as u64).await?;
    let (current, past) = weeks.split_at(weeks.len().min(WINDOW_WEEKS));
    Ok(DashboardInsightsBody {
        avg_health_current_window: mean(current).into(),
        avg_health_past_window: mean(past).into(),
        total_flags: counts.total(),
        active_flags: counts.healthy,
        stale_flags: counts.stale,
        potentially_stale_flags: counts.potentially_stale,
        health: counts.health(),
        technical_debt: counts.technical_debt(),
    })
}

/// The mean, rounded half up.
fn mean(values: &[i64]) -> Option<i64> {
    let count = i64::try_from(values.len()).ok().filter(|count| *count > 0)?;
    Some((2 * values.iter().sum::<i64>() + count) / (2 * count))
}
