//! Projects, environments, lists and settings.

use std::collections::HashMap;

use serde_json::Value;

use super::{Source, features::constraints};
use crate::{
    domain::strategy::DefaultStrategy,
    moving_in::{
        ContextField, Environment, FeatureType, Finding, Project, ProjectEnvironment, Segment, Set, StrategyType, Tag,
        TagType, read_integration, read_login,
    },
    store::moving_in::MoveInError,
};

pub(super) const TABLES: &[&str] = &[
    "projects",
    "project_settings",
    "project_environments",
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

pub(super) async fn read(source: &mut Source, set: &mut Set, findings: &mut Vec<Finding>) -> Result<(), MoveInError> {
    projects(source, set, findings).await?;
    integrations(source, set, findings).await?;
    for row in source.rows("environments", "ORDER BY sort_order, name").await? {
        set.environments.push(Environment {
            name: row.text("name")?,
            kind: row.text("type")?,
            enabled: row.is("enabled"),
            protected: row.is("protected"),
            sort_order: row.find_number("sort_order").unwrap_or_default(),
        });
        if row.find_number("required_approvals").is_some() {
            let reason = "no longer asks for approvals: there are no change requests here, changes take effect at once";
            findings.push(Finding::changed("environment", row.text("name")?, reason));
        }
    }
    for row in source.rows("feature_types", "ORDER BY id").await? {
        set.feature_types.push(FeatureType {
            id: row.text("id")?,
            name: row.text("name")?,
            description: row.find_text("description").unwrap_or_default(),
            lifetime_days: row.find_number("lifetime_days"),
        });
    }
    for row in source.rows("strategies", "ORDER BY sort_order, name").await? {
        let name = row.text("name")?;
        set.strategy_types.push(StrategyType {
            title: row.find_text("title"),
            description: row.find_text("description").unwrap_or_default(),
            parameters: row.list("parameters").to_vec(),
            built_in: row.is("built_in"),
            deprecated: row.is("deprecated") || name.starts_with(OUTLIVED),
            sort_order: row.find_number("sort_order").unwrap_or_default(),
            name,
        });
    }
    for row in source.rows("context_fields", "ORDER BY sort_order, name").await? {
        let name = row.text("name")?;
        if let Some(project) = row.find_text("project") {
            let reason = format!("belonged to the project {project}, and belongs to all here");
            findings.push(Finding::changed("context field", &*name, reason));
        }
        set.context_fields.push(ContextField {
            name,
            description: row.find_text("description"),
            stickiness: row.is("stickiness"),
            sort_order: row.find_number("sort_order").unwrap_or_default(),
            legal_values: row.list("legal_values").to_vec(),
            created_at: row.time("created_at"),
        });
    }
    for row in source.rows("tag_types", "ORDER BY name").await? {
        set.tag_types.push(TagType {
            name: row.text("name")?,
            description: row.find_text("description").unwrap_or_default(),
            icon: row.find_text("icon"),
        });
    }
    for row in source.rows("tags", "ORDER BY type, value").await? {
        set.tags.push(Tag { kind: row.text("type")?, value: row.text("value")? });
    }
    for row in source.rows("segments", "ORDER BY id").await? {
        let name = row.text("name")?;
        set.segments.push(Segment {
            id: row.number("id")?,
            description: row.find_text("description"),
            project: row.find_text("segment_project_id"),
            constraints: constraints(&row, &format!("segment {name}"), findings),
            created_by: row.find_text("created_by"),
            created_at: row.time("created_at"),
            name,
        });
    }
    settings(source, set, findings).await
}

async fn projects(source: &mut Source, set: &mut Set, findings: &mut Vec<Finding>) -> Result<(), MoveInError> {
    let mut environments: HashMap<String, Vec<ProjectEnvironment>> = HashMap::new();
    for row in source.rows("project_environments", "ORDER BY project_id, environment_name").await? {
        let (project, environment) = (row.text("project_id")?, row.text("environment_name")?);
        let default_strategy = match row.json("default_strategy") {
            Value::Null => None,
            value => serde_json::from_value::<DefaultStrategy>(value.clone()).ok().or_else(|| {
                let reason = format!("lost its default strategy in {environment}: it has a form that is not known");
                findings.push(Finding::changed("project", &*project, reason));
                None
            }),
        };
        environments.entry(project).or_default().push(ProjectEnvironment { environment, default_strategy });
    }
    let mut settings = HashMap::new();
    for row in source.rows("project_settings", "").await? {
        settings.insert(row.text("project")?, row);
    }
    for row in source.rows("projects", "ORDER BY id").await? {
        let id = row.text("id")?;
        let more = settings.get(&id);
        let text = |column: &str| more.and_then(|more| more.find_text(column));
        set.projects.push(Project {
            name: row.text("name")?,
            description: row.find_text("description"),
            mode: text("project_mode").unwrap_or_default(),
            default_stickiness: text("default_stickiness").unwrap_or_default(),
            feature_limit: more.and_then(|more| more.find_number("feature_limit")),
            naming_pattern: text("feature_naming_pattern").filter(|text| !text.is_empty()),
            naming_example: text("feature_naming_example").filter(|text| !text.is_empty()),
            naming_description: text("feature_naming_description").filter(|text| !text.is_empty()),
            created_at: row.time("created_at"),
            updated_at: row.time("updated_at"),
            archived_at: row.time("archived_at"),
            environments: environments.remove(&id).unwrap_or_default(),
            id,
        });
    }
    Ok(())
}

async fn integrations(source: &mut Source, set: &mut Set, findings: &mut Vec<Finding>) -> Result<(), MoveInError> {
    for row in source.rows("addons", "ORDER BY id").await? {
        let columns = ["provider", "description", "enabled", "parameters", "events", "projects", "environments"];
        let told: Value = columns.into_iter().map(|name| (name.to_owned(), row.json(name).clone())).collect();
        set.settings.integrations.extend(read_integration(&told, findings));
    }
    Ok(())
}

async fn settings(source: &mut Source, set: &mut Set, findings: &mut Vec<Finding>) -> Result<(), MoveInError> {
    for row in source.rows("settings", "ORDER BY name").await? {
        let (name, content) = (row.text("name")?, row.json("content"));
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
                    findings.push(Finding::changed("setting", &*name, reason));
                }
            }
            "unleash.auth.simple" => set.settings.passwords_off = content["disabled"].as_bool(),
            name if name.starts_with("unleash.enterprise.auth.") || name == "unleash.auth.google" => {
                read_login(name, content, &mut set.settings, findings);
            }
            _ => {}
        }
    }
    Ok(())
}
