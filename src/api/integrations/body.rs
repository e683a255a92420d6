//! Integrations on the wire.

use std::collections::{BTreeMap, BTreeSet};

use poem_openapi::Object;
use serde::Serialize;

use super::read_parameters;
use crate::{
    domain::{
        actor::Actor,
        event_kind::EventKind,
        integration::{Integration, Owner, Parameters, Provider, ProviderDefinition, Settings},
        time::Timestamp,
    },
    error::Error,
    wire::{AtMost, Nullable, Scalar},
};

/// Settings of an integration.
#[derive(Debug, Clone, Object)]
#[oai(rename = "AddonCreateUpdate")]
pub struct AddonContentBody {
    /// Kind of the receiving system.
    pub provider: Provider,
    /// Whether it receives events.
    pub enabled: bool,
    /// Purpose of the integration, at most 1000 characters. Absent or `null` means none.
    #[oai(validator(max_length = 1000))]
    pub description: Option<Nullable<String>>,
    /// Parameters of its kind, by the names in its definition.
    pub parameters: BTreeMap<String, Scalar>,
    /// The types of events that it receives, at most 144.
    pub events: AtMost<144, EventKind>,
    /// Ids of the projects whose events it receives, at most 100. Absent, empty or beginning with `*` means all.
    #[oai(validator(max_items = 100, max_length = 255))]
    pub projects: Option<Vec<String>>,
    /// Names of the environments whose events it receives, at most 100, in addition to events that belong to none.
    /// Absent, empty or beginning with `*` means all.
    #[oai(validator(max_items = 100, max_length = 255))]
    pub environments: Option<Vec<String>>,
}

/// An integration.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "Addon", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct AddonBody {
    /// Id of the integration.
    #[oai(validator(minimum(value = "1")))]
    pub id: i64,
    /// Kind of the receiving system.
    pub provider: Provider,
    /// Whether it receives events.
    pub enabled: bool,
    /// Purpose of the integration; `null` for none.
    pub description: Nullable<String>,
    /// Parameters of its kind, with `*****` instead of each secret.
    pub parameters: BTreeMap<String, Scalar>,
    /// The types of events that it receives.
    pub events: Vec<EventKind>,
    /// Ids of the projects whose events it receives; empty, or beginning with `*`, is all.
    pub projects: Vec<String>,
    /// Names of the environments whose events it receives; empty, or beginning with `*`, is all.
    pub environments: Vec<String>,
    /// Since when no delivery has succeeded; `null` when the last one did, or there was none.
    pub failing_since: Nullable<Timestamp>,
    /// When it was created.
    pub created_at: Timestamp,
    /// User who created it or changed it last: it receives only the events that they may see now. `null` when that user
    /// is gone and it receives nothing until another user saves it.
    pub owner: Nullable<AddonOwnerBody>,
}

/// Owner of an integration, whose permissions limit the events that it receives.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "AddonOwner")]
pub struct AddonOwnerBody {
    /// Id of the user; -42 for an admin token, and -1337 for the instance, which has integrations from before owners were
    /// recorded or from another server.
    pub id: i64,
    /// Their name when they created or changed it.
    pub name: String,
}

/// The integrations, and the available kinds.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "Addons")]
pub struct AddonsBody {
    /// The integrations, by id.
    pub addons: Vec<AddonBody>,
    /// The kinds of systems.
    pub providers: Vec<ProviderDefinition>,
}

impl AddonBody {
    /// An integration, unless its owner is one of those who are gone.
    pub(super) fn of(addon: &Integration, gone: &BTreeSet<i64>) -> Self {
        let owner = addon.owner.clone().unwrap_or_else(|| Owner::from(&Actor::system()));
        let owner = (!gone.contains(&owner.user_id)).then_some(AddonOwnerBody { id: owner.user_id, name: owner.name });
        let Settings { enabled, description, events, projects, environments, .. } = addon.settings.clone();
        Self {
            id: addon.id,
            provider: addon.provider,
            enabled,
            description: description.into(),
            parameters: addon.parameters.masked(addon.provider),
            events,
            projects,
            environments,
            failing_since: addon.failing_since.into(),
            created_at: addon.created_at,
            owner: owner.into(),
        }
    }
}

/// An integration to create or change.
pub(super) struct Wanted {
    pub(super) provider: Provider,
    pub(super) settings: Settings,
    pub(super) parameters: Parameters,
}

impl Wanted {
    /// Reads a body, in the place of `before`.
    pub(super) fn read(body: AddonContentBody, before: Option<&Integration>) -> Result<Self, Error> {
        let AddonContentBody { provider, enabled, description, parameters, events, projects, environments } = body;
        let parameters = read_parameters(provider, &parameters, before.map(|before| &before.parameters))?;
        if let Some(other) = before.map(|before| before.provider).filter(|other| *other != provider) {
            let rule = format!("cannot change: the integration is one of {}", other.name());
            return Err(Error::property("/body/provider", rule));
        }
        let mut kinds: Vec<EventKind> = Vec::new();
        for kind in events.0 {
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        Ok(Self {
            provider,
            parameters,
            settings: Settings {
                enabled,
                description: description.and_then(Nullable::into_inner),
                events: kinds,
                projects: projects.unwrap_or_default(),
                environments: environments.unwrap_or_default(),
                instance_events: false,
            },
        })
    }
}
