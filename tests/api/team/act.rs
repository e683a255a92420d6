//! Acts of people on flags, and the requests for them.

use poem::http::Method;
use serde_json::{Value, json};

use super::books::Books;

#[derive(Debug, Clone)]
pub enum Act {
    Create { project: String, name: String, kind: &'static str },
    Describe { flag: String, text: String },
    Retype { flag: String, kind: &'static str },
    Stale { flag: String, on: bool, batch: bool },
    Archive { flag: String },
    Revive { flag: String },
    Delete { flag: String },
    Switch { flag: String, environment: String, on: bool },
    AddStrategy { flag: String, environment: String, disabled: bool, segment: Option<String>, body: Value },
    RemoveStrategy { flag: String, environment: String, nth: usize },
    Variants { flag: String, environment: String, count: usize },
    Tag { flag: String, value: String },
    Untag { flag: String, value: String },
    Depend { flag: String, parent: String },
    Undepend { flag: String, parent: String },
    Favor { flag: String, on: bool },
    Move { flag: String, to: String },
}

impl Act {
    /// The flag that it is about, unless it makes one.
    pub fn flag(&self) -> Option<&str> {
        match self {
            Self::Create { .. } => None,
            Self::Describe { flag, .. }
            | Self::Retype { flag, .. }
            | Self::Stale { flag, .. }
            | Self::Archive { flag }
            | Self::Revive { flag }
            | Self::Delete { flag }
            | Self::Switch { flag, .. }
            | Self::AddStrategy { flag, .. }
            | Self::RemoveStrategy { flag, .. }
            | Self::Variants { flag, .. }
            | Self::Tag { flag, .. }
            | Self::Untag { flag, .. }
            | Self::Depend { flag, .. }
            | Self::Undepend { flag, .. }
            | Self::Favor { flag, .. }
            | Self::Move { flag, .. } => Some(flag),
        }
    }

    /// The request for it, to the project where the flag is.
    pub fn request(&self, books: &Books) -> (Method, String, Option<Value>) {
        let project = |flag: &str| books.flags.get(flag).map_or("default", |flag| &flag.project).to_owned();
        let at = |flag: &str, rest: &str| format!("/api/admin/projects/{}/features/{flag}{rest}", project(flag));
        let batch = |flag: &str, what: &str| format!("/api/admin/projects/{}/{what}", project(flag));
        let patch = |path: &str, value: Value| Some(json!([{ "op": "replace", "path": path, "value": value }]));
        match self {
            Self::Create { project, name, kind } => (
                Method::POST,
                format!("/api/admin/projects/{project}/features"),
                Some(json!({ "name": name, "type": kind })),
            ),
            Self::Describe { flag, text } => (Method::PATCH, at(flag, ""), patch("/description", json!(text))),
            Self::Retype { flag, kind } => (Method::PATCH, at(flag, ""), patch("/type", json!(kind))),
            Self::Stale { flag, on, batch: true } => {
                (Method::POST, batch(flag, "stale"), Some(json!({ "features": [flag], "stale": on })))
            }
            Self::Stale { flag, on, .. } => (Method::PATCH, at(flag, ""), patch("/stale", json!(on))),
            Self::Archive { flag } => (Method::DELETE, at(flag, ""), None),
            Self::Revive { flag } => (Method::POST, batch(flag, "revive"), Some(json!({ "features": [flag] }))),
            Self::Delete { flag } => (Method::POST, batch(flag, "delete"), Some(json!({ "features": [flag] }))),
            Self::Switch { flag, environment, on } => {
                let switch = if *on { "on" } else { "off" };
                (Method::POST, at(flag, &format!("/environments/{environment}/{switch}")), None)
            }
            Self::AddStrategy { flag, environment, disabled, body, .. } => {
                let mut body = body.clone();
                body["disabled"] = json!(disabled);
                (Method::POST, at(flag, &format!("/environments/{environment}/strategies")), Some(body))
            }
            Self::RemoveStrategy { flag, environment, nth } => {
                let place = books.flags.get(flag).and_then(|flag| flag.environments.get(environment));
                let id = place.and_then(|place| place.strategies.get(*nth)).and_then(|strategy| strategy.id.as_deref());
                let id = id.unwrap_or("00000000-0000-4000-8000-000000000000");
                (Method::DELETE, at(flag, &format!("/environments/{environment}/strategies/{id}")), None)
            }
            Self::Variants { flag, environment, count } => {
                let variant = |index| json!({ "name": format!("v{index}"), "weight": 0, "weightType": "variable" });
                let variants: Vec<Value> = (0..*count).map(variant).collect();
                (Method::PUT, at(flag, &format!("/environments/{environment}/variants")), Some(variants.into()))
            }
            Self::Tag { flag, value } => (
                Method::POST,
                format!("/api/admin/features/{flag}/tags"),
                Some(json!({ "type": "simple", "value": value })),
            ),
            Self::Untag { flag, value } => {
                (Method::DELETE, format!("/api/admin/features/{flag}/tags/simple/{value}"), None)
            }
            Self::Depend { flag, parent } => {
                (Method::POST, at(flag, "/dependencies"), Some(json!({ "feature": parent })))
            }
            Self::Undepend { flag, parent } => (Method::DELETE, at(flag, &format!("/dependencies/{parent}")), None),
            Self::Favor { flag, on: true } => (Method::POST, at(flag, "/favorites"), None),
            Self::Favor { flag, .. } => (Method::DELETE, at(flag, "/favorites"), None),
            Self::Move { flag, to } => (Method::POST, at(flag, "/changeProject"), Some(json!({ "newProjectId": to }))),
        }
    }
}
