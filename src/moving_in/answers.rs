//! What a running Unleash tells an administrator over its API, as the neutral set.
//!
//! Its answers about features are put together as the file that old versions write of their whole state, and read like
//! that; beside them stand people and tokens, of which no file tells.

mod document;
mod history;
mod people;

use std::collections::BTreeMap;

use serde_json::Value;

pub use self::history::{EventsPage, UsageOfFeature};
use super::{
    Finding,
    files::{FileError, Options, read_state},
    neutral::{Origin, ProjectEnvironment, Set, Settings, Stage},
    read_integration, read_login,
};
use crate::domain::{
    settings::{OidcSettings, ProviderSettings as _, SamlSettings},
    time::Timestamp,
};

/// The answers as they came. What a server of its version does not tell is null.
#[derive(Debug, Default)]
pub struct Answers {
    /// Of `ui-config`: the version, and settings of the instance.
    pub ui_config: Value,
    /// Of `environments`.
    pub environments: Value,
    /// Of `segments`.
    pub segments: Value,
    /// Of `context`.
    pub context_fields: Value,
    /// Of `strategies`.
    pub strategies: Value,
    /// Of `tag-types`.
    pub tag_types: Value,
    /// Of `tags`.
    pub tags: Value,
    /// Of `feature-types`.
    pub feature_types: Value,
    /// Of `api-tokens`.
    pub api_tokens: Value,
    /// Of `user-admin`.
    pub users: Value,
    /// Of `invite-link/tokens`.
    pub signup_links: Value,
    /// Of `addons`.
    pub addons: Value,
    /// Of `state/export`, which versions 4 and 5 have.
    pub state: Value,
    /// Overviews of projects, by id.
    pub projects: BTreeMap<String, Value>,
    /// What the search tells of features: their tags.
    pub found: Vec<Value>,
    /// Each feature in use, with all its environments.
    pub features: Vec<Value>,
    /// Archived features.
    pub archived: Vec<Value>,
    /// Applications that have connected, each with its running copies.
    pub applications: Vec<Value>,
    /// Of `auth/oidc/settings`, which the paid edition has.
    pub oidc: Value,
    /// Of `auth/saml/settings`, likewise.
    pub saml: Value,
}

impl Answers {
    /// The set, and what of it is to be told. `now` is the time of the move.
    pub fn read(&self, now: Timestamp) -> Result<(Set, Vec<Finding>), FileError> {
        let options = Options { project: "default".to_owned(), environment: "default".to_owned(), now };
        let (mut set, mut findings) = read_state(&document::of(self), &options)?;
        let version = self.ui_config["version"].as_str().unwrap_or("of an unknown version");
        set.origin = Origin { product: "Unleash, by its API".to_owned(), version: version.to_owned() };
        set.feature_types = listed(&self.feature_types, "types");
        set.settings = Settings {
            frontend_origins: serde_json::from_value(self.ui_config["frontendApiOrigins"].clone()).ok(),
            maintenance: self.ui_config["maintenanceMode"].as_bool(),
            passwords_off: self.ui_config["disablePasswordAuth"].as_bool(),
            ..Settings::default()
        };
        for (id, content) in [(OidcSettings::ID, &self.oidc), (SamlSettings::ID, &self.saml)] {
            if content.is_null() {
                let reason = "the API of the open edition does not tell it: set it up anew if people sign in by it";
                findings.push(Finding::left_out("setting", id, reason));
            } else {
                read_login(id, content, &mut set.settings, &mut findings);
            }
        }
        history::applications(self, &mut set);
        self.projects(&mut set);
        self.lifecycle(&mut set);
        people::read(self, &mut set, &mut findings);
        for addon in self.addons["addons"].as_array().into_iter().flatten() {
            set.settings.integrations.extend(read_integration(addon, &mut findings));
        }
        if !self.archived.is_empty() {
            let reason = "the API tells no strategies, variants and dependencies of archived features: revive those that \
                          will be needed before the move, or move in from the database";
            findings.push(Finding::left_out("configuration", "archived features", reason));
        }
        for (kind, reason) in [
            ("days of usage", "the API tells the hours of the last two days alone"),
            ("favourites", "the API tells those of the asking token alone"),
        ] {
            findings.push(Finding::left_out(kind, "all", reason));
        }
        Ok((set, findings))
    }

    /// Which environments projects use, and what features start with there.
    fn projects(&self, set: &mut Set) {
        for project in &mut set.projects {
            let Some(overview) = self.projects.get(&project.id) else { continue };
            let environments = overview["environments"].as_array().into_iter().flatten();
            let used = environments.filter_map(|entry| {
                let environment = entry.as_str().or_else(|| entry["environment"].as_str())?.to_owned();
                let default_strategy = serde_json::from_value(entry["defaultStrategy"].clone()).ok();
                Some(ProjectEnvironment { environment, default_strategy })
            });
            let used: Vec<ProjectEnvironment> = used.collect();
            if !used.is_empty() {
                project.environments = used;
            }
        }
    }

    /// The stage that each feature is in; the earlier ones are not told.
    fn lifecycle(&self, set: &mut Set) {
        let stages: BTreeMap<&str, &Value> = self
            .features
            .iter()
            .filter_map(|feature| Some((feature["name"].as_str()?, &feature["lifecycle"])))
            .collect();
        for feature in &mut set.features {
            let Some(stage) = stages.get(&*feature.name) else { continue };
            if let Some(name) = stage["stage"].as_str() {
                feature.lifecycle.push(Stage {
                    stage: name.to_owned(),
                    status: stage["status"].as_str().map(str::to_owned),
                    status_value: None,
                    entered_at: time(stage, "enteredStageAt"),
                });
            }
        }
    }
}

/// What a list of an answer tells, without what cannot be read.
fn listed<T: serde::de::DeserializeOwned>(answer: &Value, name: &str) -> Vec<T> {
    let items = answer[name].as_array().into_iter().flatten();
    items.filter_map(|item| serde_json::from_value(without_nulls(item)).ok()).collect()
}

fn without_nulls(item: &Value) -> Value {
    let mut item = item.clone();
    if let Some(members) = item.as_object_mut() {
        members.retain(|_, member| !member.is_null());
    }
    item
}

fn text(value: &Value, name: &str) -> String {
    value[name].as_str().unwrap_or_default().to_owned()
}

fn time(value: &Value, name: &str) -> Option<Timestamp> {
    value[name].as_str().and_then(Timestamp::parse)
}
