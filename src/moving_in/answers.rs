//! Answers of the API of a running Unleash to an administrator, as the neutral set.
//!
//! Its answers about features are put together as the file that old versions write of their whole state, and read like
//! that; people and tokens, which no file has, are read separately.

mod document;
mod history;
mod people;

use std::collections::BTreeMap;

use flagstone_domain::{
    settings::{OidcSettings, ProviderSettings as _, SamlSettings},
    time::Timestamp,
};
use serde_json::{Value, json};

pub use self::history::{EventsPage, UsageOfFeature};
use super::{
    Finding,
    files::{FileError, Options, complete, state_tables},
    login::read_login,
    neutral::{Origin, Set, Settings},
    rows::{Tables, snake_case},
};

/// The answers as they came. Null where a server of its version has none.
#[derive(Debug, Default)]
pub struct Answers {
    /// Answer of `ui-config`: the version, and settings of the instance.
    pub ui_config: Value,
    /// Answer of `environments`.
    pub environments: Value,
    /// Answer of `segments`.
    pub segments: Value,
    /// Answer of `context`.
    pub context_fields: Value,
    /// Answer of `strategies`.
    pub strategies: Value,
    /// Answer of `tag-types`.
    pub tag_types: Value,
    /// Answer of `tags`.
    pub tags: Value,
    /// Answer of `feature-types`.
    pub feature_types: Value,
    /// Answer of `api-tokens`.
    pub api_tokens: Value,
    /// Answer of `user-admin`.
    pub users: Value,
    /// Answer of `invite-link/tokens`.
    pub signup_links: Value,
    /// Answer of `addons`.
    pub addons: Value,
    /// Answer of `state/export`, which versions 4 and 5 have.
    pub state: Value,
    /// Overviews of projects, by id.
    pub projects: BTreeMap<String, Value>,
    /// Features as the search returns them: their tags.
    pub found: Vec<Value>,
    /// Each feature in use, with all its environments.
    pub features: Vec<Value>,
    /// Archived features.
    pub archived: Vec<Value>,
    /// Applications that have connected, each with its running copies.
    pub applications: Vec<Value>,
    /// Answer of `auth/oidc/settings`, which the paid edition has.
    pub oidc: Value,
    /// Answer of `auth/saml/settings`, likewise.
    pub saml: Value,
}

impl Answers {
    /// Returns the set, and findings about it. `now` is the time of the move.
    pub fn read(&self, now: Timestamp) -> Result<(Set, Vec<Finding>), FileError> {
        let options = Options { project: "default".to_owned(), environment: "default".to_owned(), now };
        let (mut tables, told) = state_tables(document::of(self), &options)?;
        let mut findings = Vec::new();
        tables.extend("feature_types", items(&self.feature_types, "types").map(row));
        tables.extend("addons", items(&self.addons, "addons").map(row));
        self.projects(&mut tables);
        self.lifecycle(&mut tables);
        history::applications(self, &mut tables);
        people::read(self, &mut tables, &mut findings);
        let version = self.ui_config["version"].as_str().unwrap_or("of an unknown version");
        let origin = Origin { product: "Unleash, by its API".to_owned(), version: version.to_owned() };
        let (mut set, read) = tables.read(origin);
        complete(&mut set);
        if !set.users.is_empty() {
            let reason =
                "the API does not tell them: give people links to set new ones, or connect your login provider";
            findings.push(Finding::left_out("passwords", "all", reason));
        }
        let integrations = std::mem::take(&mut set.settings.integrations);
        set.settings = Settings {
            frontend_origins: serde_json::from_value(self.ui_config["frontendApiOrigins"].clone()).ok(),
            maintenance: self.ui_config["maintenanceMode"].as_bool(),
            passwords_off: self.ui_config["disablePasswordAuth"].as_bool(),
            integrations,
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
        if !self.archived.is_empty() {
            let reason = "the API tells no strategies, variants and dependencies of archived features: revive those that \
                          will be needed before the move, or move in from the database";
            findings.push(Finding::left_out("configuration", "archived features", reason));
        }
        for (kind, reason) in [
            ("days of usage", "the API tells the hours of the last two days alone"),
            ("favourites", "the API tells those of the asking token alone"),
            (
                "change requests",
                "the API is not asked for them: move in from the database, or request anew what is open",
            ),
        ] {
            findings.push(Finding::left_out(kind, "all", reason));
        }
        findings.extend(read.into_iter().chain(told));
        Ok((set, findings))
    }

    /// Reads the environments that projects use, and the default strategies there.
    fn projects(&self, tables: &mut Tables) {
        for (id, overview) in &self.projects {
            for entry in items(overview, "environments") {
                let environment = if entry.is_string() { entry } else { &entry["environment"] };
                let default_strategy = &entry["defaultStrategy"];
                tables.add(
                    "project_environments",
                    json!({
                        "project_id": id, "environment_name": environment, "default_strategy": default_strategy,
                    }),
                );
            }
        }
    }

    /// Reads the stage that each feature is in; the API does not have earlier ones.
    fn lifecycle(&self, tables: &mut Tables) {
        for feature in &self.features {
            let stage = &feature["lifecycle"];
            if !stage["stage"].is_null() {
                tables.add(
                    "feature_lifecycles",
                    json!({
                        "feature": feature["name"], "stage": stage["stage"], "status": stage["status"],
                        "created_at": stage["enteredStageAt"],
                    }),
                );
            }
        }
    }
}

/// The items of a list of an answer.
fn items<'a>(answer: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> {
    answer[name].as_array().into_iter().flatten()
}

/// An item with its properties named as columns.
fn row(item: &Value) -> Value {
    let Value::Object(members) = item else { return item.clone() };
    Value::Object(members.iter().map(|(name, value)| (snake_case(name), value.clone())).collect())
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
