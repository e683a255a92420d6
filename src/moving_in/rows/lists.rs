//! Projects, environments, lists and settings.

use std::collections::{HashMap, HashSet};

use flagstone_domain::{
    change_request::configuration::DEFAULT_APPROVALS,
    repair::{Row, constraints},
    strategy::DefaultStrategy,
};
use serde_json::{Value, json};

use super::Reading;
use crate::{
    Finding,
    integration::read_integration,
    login::read_login,
    neutral::{
        ContextField, Environment, FeatureType, LinkTemplate, Project, ProjectApprovals, ProjectEnvironment, Segment,
        Set, StrategyType, Tag, TagType,
    },
};

pub(super) const TABLES: &[&str] = &[
    "projects",
    "project_settings",
    "project_environments",
    "change_request_settings",
    "environments",
    "feature_types",
    "strategies",
    "context_fields",
    "tag_types",
    "tags",
    "segments",
    "settings",
    "addons",
];

/// Types of strategies that only old instances have, and that are no longer to be chosen.
const OUTLIVED: &str = "gradualRollout";
/// Reason why a segment without constraints is left out: it would always hold.
const UNKNOWN_CONSTRAINTS: &str =
    "the export names it without its constraints: give the answer of /api/admin/segments as well";

pub(super) fn read(reading: &mut Reading<'_>, set: &mut Set) {
    projects(reading, set);
    for value in reading.take("addons") {
        set.settings.integrations.extend(read_integration(&value, reading.repairs, reading.findings));
    }
    environments(reading, set);
    types(reading, set);
    for value in reading.take("context_fields") {
        let Some(row) = reading.row("context_fields", &["name"], &value) else { continue };
        let Some(name) = row.text("name") else { continue };
        set.context_fields.push(ContextField {
            description: row.find_text("description"),
            stickiness: row.truth("stickiness", false),
            sort_order: row.find_number("sort_order").unwrap_or_default(),
            project: row.find_text("project"),
            legal_values: legal_values(&row),
            created_at: row.time("created_at"),
            name,
        });
    }
    unique(&mut set.context_fields, |field| field.name.clone());
    for value in reading.take("tags") {
        let Some(row) = reading.row("tags", &["type", "value"], &value) else { continue };
        if let (Some(kind), Some(value)) = (row.text("type"), row.text("value")) {
            set.tags.push(Tag { kind, value });
        }
    }
    segments(reading, set);
    settings(reading, set);
}

/// Returns the values that may be chosen, each with its text. Very old rows hold an empty text for none.
fn legal_values(row: &Row<'_>) -> Vec<Value> {
    if row.value("legal_values") == "" {
        return Vec::new();
    }
    let Some(items) = row.objects("legal_values", "value") else {
        row.left_out("legal_values", "is no list: any value may be chosen");
        return Vec::new();
    };
    let read = |item: Row<'_>| {
        if let Value::String(text) = item.whole() {
            item.is_changed("is taken as a value without a description");
            return Some(json!({ "value": text }));
        }
        let value = item.text("value")?;
        Some(match item.find_text("description") {
            Some(description) => json!({ "value": value, "description": description }),
            None => json!({ "value": value }),
        })
    };
    items.into_iter().filter_map(read).collect()
}

/// Returns the definitions of parameters, as they are.
fn parameter_definitions(row: &Row<'_>) -> Vec<Value> {
    let Some(items) = row.objects("parameters", "name") else {
        row.left_out("parameters", "is no list of parameters");
        return Vec::new();
    };
    items.iter().filter(|item| item.text("name").is_some()).map(|item| item.whole().clone()).collect()
}

/// Keeps the first of those that are called the same.
fn unique<T>(items: &mut Vec<T>, called: impl Fn(&T) -> String) {
    let mut seen = HashSet::new();
    items.retain(|item| seen.insert(called(item)));
}

fn environments(reading: &mut Reading<'_>, set: &mut Set) {
    for value in reading.take("environments") {
        let Some(row) = reading.row("environments", &["name"], &value) else { continue };
        let Some(name) = row.text("name") else { continue };
        set.environments.push(Environment {
            kind: row.find_text("type").unwrap_or_else(|| "production".to_owned()),
            enabled: !row.has("enabled") || row.truth("enabled", true),
            protected: row.truth("protected", false),
            sort_order: row.find_number("sort_order").unwrap_or_default(),
            required_approvals: row.find_number("required_approvals"),
            name,
        });
    }
    unique(&mut set.environments, |environment| environment.name.clone());
}

fn types(reading: &mut Reading<'_>, set: &mut Set) {
    for value in reading.take("feature_types") {
        let Some(row) = reading.row("feature_types", &["id"], &value) else { continue };
        let Some(id) = row.text("id") else { continue };
        set.feature_types.push(FeatureType {
            name: row.find_text("name").unwrap_or_else(|| id.clone()),
            description: row.find_text("description").unwrap_or_default(),
            lifetime_days: row.find_number("lifetime_days"),
            id,
        });
    }
    unique(&mut set.feature_types, |kind| kind.id.clone());
    for value in reading.take("strategies") {
        let Some(row) = reading.row("strategies", &["name"], &value) else { continue };
        let Some(name) = row.text("name") else { continue };
        set.strategy_types.push(StrategyType {
            title: row.find_text("title"),
            description: row.find_text("description").unwrap_or_default(),
            parameters: parameter_definitions(&row),
            built_in: row.truth("built_in", false),
            deprecated: row.truth("deprecated", false) || name.starts_with(OUTLIVED),
            sort_order: row.find_number("sort_order").unwrap_or_default(),
            name,
        });
    }
    unique(&mut set.strategy_types, |kind| kind.name.clone());
    for value in reading.take("tag_types") {
        let Some(row) = reading.row("tag_types", &["name"], &value) else { continue };
        let Some(name) = row.text("name") else { continue };
        set.tag_types.push(TagType {
            description: row.find_text("description").unwrap_or_default(),
            icon: row.find_text("icon"),
            name,
        });
    }
    unique(&mut set.tag_types, |kind| kind.name.clone());
}

/// Segments with their constraints. Those without any list of them are left out, so that strategies with them are
/// disabled.
fn segments(reading: &mut Reading<'_>, set: &mut Set) {
    let mut named: Vec<(i64, String)> = Vec::new();
    for value in reading.take("segments") {
        let Some(row) = reading.row("segments", &["id"], &value) else { continue };
        let Some(id) = row.number("id") else { continue };
        let name = row.find_text("name").unwrap_or_else(|| format!("segment {id}"));
        if row.value("constraints").is_null() {
            named.push((id, name));
            continue;
        }
        set.segments.push(Segment {
            id,
            description: row.find_text("description"),
            project: row.find_text("segment_project_id"),
            constraints: constraints(&row, "constraints"),
            created_by: row.find_text("created_by"),
            created_at: row.time("created_at"),
            name,
        });
    }
    let mut seen = HashSet::new();
    set.segments.retain(|segment| seen.insert(segment.id));
    for (id, name) in named {
        if seen.insert(id) {
            reading.findings.push(Finding::left_out("segment", name, UNKNOWN_CONSTRAINTS));
        }
    }
}

fn projects(reading: &mut Reading<'_>, set: &mut Set) {
    let mut environments: HashMap<String, Vec<ProjectEnvironment>> = HashMap::new();
    for value in reading.take("project_environments") {
        let key = ["project_id", "environment_name"];
        let Some(row) = reading.row("project_environments", &key, &value) else { continue };
        let (Some(project), Some(environment)) = (row.text("project_id"), row.text("environment_name")) else {
            continue;
        };
        let default_strategy = default_strategy(&row);
        environments.entry(project).or_default().push(ProjectEnvironment { environment, default_strategy });
    }
    let mut approvals: HashMap<String, Vec<ProjectApprovals>> = HashMap::new();
    for value in reading.take("change_request_settings") {
        let Some(row) = reading.row("change_request_settings", &["project", "environment"], &value) else { continue };
        let (Some(project), Some(environment)) = (row.text("project"), row.text("environment")) else { continue };
        let required = row.find_number("required_approvals").unwrap_or(DEFAULT_APPROVALS);
        approvals.entry(project).or_default().push(ProjectApprovals { environment, required });
    }
    let settings = reading.take("project_settings");
    let settings: HashMap<String, Row<'_>> = settings
        .iter()
        .filter_map(|value| {
            let row = reading.row("project_settings", &["project"], value)?;
            Some((row.text("project")?, row))
        })
        .collect();
    for value in reading.take("projects") {
        let Some(row) = reading.row("projects", &["id"], &value) else { continue };
        let Some(id) = row.text("id") else { continue };
        let more = settings.get(&id);
        let text = |column: &str| more.and_then(|more| more.find_text(column)).filter(|text| !text.is_empty());
        set.projects.push(Project {
            name: row.find_text("name").unwrap_or_else(|| id.clone()),
            description: row.find_text("description"),
            mode: text("project_mode").unwrap_or_default(),
            default_stickiness: text("default_stickiness").unwrap_or_default(),
            feature_limit: more.and_then(|more| more.find_number("feature_limit")),
            naming_pattern: text("feature_naming_pattern"),
            naming_example: text("feature_naming_example"),
            naming_description: text("feature_naming_description"),
            created_at: row.time("created_at"),
            updated_at: row.time("updated_at"),
            archived_at: row.time("archived_at"),
            environments: environments.remove(&id).unwrap_or_default(),
            approvals: approvals.remove(&id).unwrap_or_default(),
            link_templates: more.map(link_templates).unwrap_or_default(),
            id,
        });
    }
    unique(&mut set.projects, |project| project.id.clone());
}

fn link_templates(row: &Row<'_>) -> Vec<LinkTemplate> {
    let value = row.value("link_templates");
    if value.is_null() {
        return Vec::new();
    }
    let read = serde_json::from_value(value.clone());
    if read.is_err() {
        row.left_out("link_templates", "has a form that is not known: new features get no links");
    }
    read.unwrap_or_default()
}

fn default_strategy(row: &Row<'_>) -> Option<DefaultStrategy> {
    let value = row.value("default_strategy");
    if value.is_null() {
        return None;
    }
    let read = serde_json::from_value(value.clone());
    if read.is_err() {
        row.left_out("default_strategy", "has a form that is not known: features start without it");
    }
    read.ok()
}

fn settings(reading: &mut Reading<'_>, set: &mut Set) {
    for value in reading.take("settings") {
        let Some(row) = reading.row("settings", &["name"], &value) else { continue };
        let Some(name) = row.text("name") else { continue };
        let content = row.value("content");
        match name.as_str() {
            "unleash.frontend" => {
                let origins = content["frontendApiOrigins"].as_array();
                set.settings.frontend_origins =
                    origins.map(|origins| origins.iter().filter_map(Value::as_str).map(str::to_owned).collect());
            }
            "maintenance_mode" => {
                set.settings.maintenance = content["enabled"].as_bool();
                if set.settings.maintenance == Some(true) {
                    let reason = "maintenance mode comes over switched on: changes are refused until somebody ends it";
                    reading.findings.push(Finding::changed("setting", &*name, reason));
                }
            }
            "unleash.auth.simple" => set.settings.passwords_off = content["disabled"].as_bool(),
            name if name.starts_with("unleash.enterprise.auth.") || name == "unleash.auth.google" => {
                read_login(name, content, &mut set.settings, reading.findings);
            }
            _ => {}
        }
    }
}
