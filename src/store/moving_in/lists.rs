//! Projects, environments, lists and settings.

use std::collections::HashSet;

use flagstone_domain::{
    feature_link::LinkTemplate,
    integration,
    preference::{Frontend, Maintenance, Preference as _},
    project::DEFAULT_PROJECT,
    sign_in::PasswordSignIn,
    time::Timestamp,
};
use flagstone_moving_in::{Project, Set, Settings, StrategyType};
use flagstone_vault::Vault;
use sea_orm::{ActiveValue::Set as To, ColumnTrait, EntityTrait, QueryFilter};

use super::{MoveInError, target::insert};
use crate::{
    db::{
        Tx,
        value::{to_json_column, to_list_column},
    },
    entity::{
        change_request_configuration, client_application, client_application_project, client_instance, context_field,
        environment, feature_type, project, project_environment, segment, strategy_type, tag, tag_project, tag_type,
    },
    integrations::{self, NewIntegration},
    preferences, settings,
};

/// Default environment of tokens without one; it stays, though switched off, where none of this name comes over.
const FALLBACK: &str = "default";
/// Placeholder for all projects.
const EVERYWHERE: &str = "*";

/// Whether the built-in project stays in addition to those that come over, with their environments.
pub(super) fn keeps_project(set: &Set) -> bool {
    set.projects.iter().all(|project| project.id != DEFAULT_PROJECT)
}

/// Whether the default environment of tokens stays in addition to those that come over.
pub(super) fn keeps_environment(set: &Set) -> bool {
    set.environments.iter().all(|environment| environment.name != FALLBACK)
}

/// Writes lists and frames. What a new database has under the same names gives way.
pub(super) async fn write(tx: &Tx, set: &Set, now: Timestamp) -> Result<(), MoveInError> {
    environments(tx, set).await?;
    choices(tx, set).await?;
    let rows = set.projects.iter().map(|project| project::ActiveModel {
        id: To(project.id.clone()),
        name: To(project.name.clone()),
        description: To(project.description.clone()),
        mode: To(project.mode.clone()),
        default_stickiness: To(project.default_stickiness.clone()),
        feature_limit: To(project.feature_limit),
        naming_pattern: To(project.naming_pattern.clone()),
        naming_example: To(project.naming_example.clone()),
        naming_description: To(project.naming_description.clone()),
        created_at: To(project.created_at.unwrap_or(now)),
        updated_at: To(project.updated_at.or(project.created_at).unwrap_or(now)),
        archived_at: To(project.archived_at),
        link_templates: To(to_list_column(&link_templates(project))),
    });
    let ids = set.projects.iter().map(|project| project.id.clone());
    project::Entity::delete_many().filter(project::Column::Id.is_in(ids)).exec(tx).await?;
    insert(tx, rows.collect()).await?;
    context_fields(tx, set, now).await?;
    let of_set = set.projects.iter().flat_map(|project| {
        project.environments.iter().map(|used| project_environment::ActiveModel {
            project: To(project.id.clone()),
            environment: To(used.environment.clone()),
            default_strategy: To(used.default_strategy.as_ref().map(to_json_column)),
        })
    });
    let own = set.environments.iter().filter(|environment| environment.enabled && keeps_project(set));
    let of_own = own.map(|environment| project_environment::ActiveModel {
        project: To(DEFAULT_PROJECT.to_owned()),
        environment: To(environment.name.clone()),
        default_strategy: To(None),
    });
    insert(tx, of_set.chain(of_own).collect()).await?;
    let approvals = set.projects.iter().flat_map(|project| {
        project.approvals.iter().map(|one| change_request_configuration::ActiveModel {
            project: To(project.id.clone()),
            environment: To(one.environment.clone()),
            required_approvals: To(one.required),
            created_at: To(now),
        })
    });
    insert(tx, approvals.collect()).await?;
    let rows = set.segments.iter().map(|segment| segment::ActiveModel {
        id: To(segment.id),
        name: To(segment.name.clone()),
        description: To(segment.description.clone()),
        project: To(segment.project.clone()),
        constraints: To(to_json_column(&segment.constraints)),
        created_by: To(segment.created_by.clone()),
        created_at: To(segment.created_at.unwrap_or(now)),
    });
    insert(tx, rows.collect()).await?;
    applications(tx, set, now).await
}

fn link_templates(project: &Project) -> Vec<LinkTemplate> {
    let templates = project.link_templates.iter().map(|template| LinkTemplate {
        title: template.title.clone().filter(|title| !title.is_empty()).into(),
        url_template: template.url_template.clone(),
    });
    templates.collect()
}

/// Adds context fields, after the projects that they belong to.
async fn context_fields(tx: &Tx, set: &Set, now: Timestamp) -> Result<(), MoveInError> {
    let names = set.context_fields.iter().map(|field| field.name.clone());
    context_field::Entity::delete_many().filter(context_field::Column::Name.is_in(names)).exec(tx).await?;
    let rows = set.context_fields.iter().map(|field| context_field::ActiveModel {
        name: To(field.name.clone()),
        description: To(field.description.clone()),
        stickiness: To(field.stickiness),
        sort_order: To(field.sort_order),
        legal_values: To(to_json_column(&field.legal_values)),
        created_at: To(field.created_at.unwrap_or(now)),
        project: To(field.project.clone()),
    });
    insert(tx, rows.collect()).await
}

async fn environments(tx: &Tx, set: &Set) -> Result<(), MoveInError> {
    project_environment::Entity::delete_many().exec(tx).await?;
    let mut gone = environment::Entity::delete_many();
    if keeps_environment(set) {
        gone = gone.filter(environment::Column::Name.ne(FALLBACK));
    }
    gone.exec(tx).await?;
    let rows = set.environments.iter().map(|environment| environment::ActiveModel {
        name: To(environment.name.clone()),
        r#type: To(environment.kind.clone()),
        enabled: To(environment.enabled),
        protected: To(environment.protected),
        sort_order: To(environment.sort_order),
        required_approvals: To(environment.required_approvals),
    });
    insert(tx, rows.collect()).await
}

async fn choices(tx: &Tx, set: &Set) -> Result<(), MoveInError> {
    let ids = set.feature_types.iter().map(|kind| kind.id.clone());
    feature_type::Entity::delete_many().filter(feature_type::Column::Id.is_in(ids)).exec(tx).await?;
    let rows = set.feature_types.iter().map(|kind| feature_type::ActiveModel {
        id: To(kind.id.clone()),
        name: To(kind.name.clone()),
        description: To(kind.description.clone()),
        lifetime_days: To(kind.lifetime_days),
    });
    insert(tx, rows.collect()).await?;
    strategy_types(tx, &set.strategy_types).await?;
    tag_type::Entity::delete_many().exec(tx).await?;
    let rows = set.tag_types.iter().map(|kind| tag_type::ActiveModel {
        name: To(kind.name.clone()),
        description: To(kind.description.clone()),
        icon: To(kind.icon.clone()),
    });
    insert(tx, rows.collect()).await?;
    tags(tx, set).await
}

/// Adds strategy types. The built-in ones keep their own texts.
async fn strategy_types(tx: &Tx, given: &[StrategyType]) -> Result<(), MoveInError> {
    let own: Vec<strategy_type::Model> = strategy_type::Entity::find().all(tx).await?;
    let is_own = |name: &str| own.iter().any(|row| row.name == name);
    let rows = given.iter().filter(|kind| !is_own(&kind.name)).map(|kind| strategy_type::ActiveModel {
        name: To(kind.name.clone()),
        title: To(kind.title.clone()),
        description: To(kind.description.clone()),
        parameters: To(to_json_column(&kind.parameters)),
        built_in: To(kind.built_in),
        deprecated: To(kind.deprecated),
        sort_order: To(kind.sort_order),
    });
    insert(tx, rows.collect()).await?;
    for kind in given.iter().filter(|kind| is_own(&kind.name)) {
        let changed = strategy_type::ActiveModel {
            name: To(kind.name.clone()),
            deprecated: To(kind.deprecated),
            sort_order: To(kind.sort_order),
            ..Default::default()
        };
        strategy_type::Entity::update(changed).exec(tx).await?;
    }
    Ok(())
}

/// Tags are numbered by their place, from 1.
pub(super) fn tag_ids(set: &Set) -> impl Iterator<Item = (i64, &flagstone_moving_in::Tag)> {
    (1..).zip(&set.tags)
}

async fn tags(tx: &Tx, set: &Set) -> Result<(), MoveInError> {
    let rows = tag_ids(set).map(|(id, tag)| tag::ActiveModel {
        id: To(id),
        r#type: To(tag.kind.clone()),
        value: To(tag.value.clone()),
    });
    insert(tx, rows.collect()).await?;
    let carried =
        set.features.iter().flat_map(|feature| feature.tags.iter().map(|tag| (tag, feature.project.as_str())));
    let mut known: HashSet<_> = carried.collect();
    let carried: HashSet<_> = known.iter().map(|(tag, _)| *tag).collect();
    known.extend(set.tags.iter().filter(|tag| !carried.contains(tag)).map(|tag| (tag, EVERYWHERE)));
    let ids: std::collections::HashMap<_, _> = tag_ids(set).map(|(id, tag)| (tag, id)).collect();
    let rows = known.into_iter().filter_map(|(tag, project)| {
        Some(tag_project::ActiveModel { tag_id: To(*ids.get(tag)?), project: To(project.to_owned()) })
    });
    insert(tx, rows.collect()).await
}

async fn applications(tx: &Tx, set: &Set, now: Timestamp) -> Result<(), MoveInError> {
    let rows = set.applications.iter().map(|application| client_application::ActiveModel {
        app_name: To(application.app_name.clone()),
        description: To(application.description.clone()),
        url: To(application.url.clone()),
        color: To(application.color.clone()),
        icon: To(application.icon.clone()),
        strategies: To(to_json_column(&application.strategies)),
        created_by: To(application.created_by.clone()),
        created_at: To(application.created_at.unwrap_or(now)),
        updated_at: To(application.updated_at.or(application.created_at).unwrap_or(now)),
        seen_at: To(application.seen_at.or(application.updated_at).unwrap_or(now)),
    });
    insert(tx, rows.collect()).await?;
    let rows = set.applications.iter().map(|application| client_application_project::ActiveModel {
        app_name: To(application.app_name.clone()),
        project: To(EVERYWHERE.to_owned()),
    });
    insert(tx, rows.collect()).await?;
    let rows = set.instances.iter().map(|instance| client_instance::ActiveModel {
        app_name: To(instance.app_name.clone()),
        instance_id: To(instance.instance_id.clone()),
        environment: To(instance.environment.clone()),
        sdk_version: To(instance.sdk_version.clone()),
        last_seen_at: To(instance.last_seen_at.unwrap_or(now)),
        created_at: To(instance.created_at.unwrap_or(now)),
    });
    insert(tx, rows.collect()).await
}

/// Writes the settings of login providers and the integrations, sealed.
pub async fn write_sealed(tx: &Tx, given: &Settings, vault: &Vault, now: Timestamp) -> Result<(), MoveInError> {
    if let Some(oidc) = &given.oidc {
        settings::replace(tx, vault, oidc, now).await?;
    }
    if let Some(saml) = &given.saml {
        settings::replace(tx, vault, saml, now).await?;
    }
    let mut taken = HashSet::new();
    for integration in given.integrations.clone() {
        let (id, created_at) = (integration.id.filter(|id| taken.insert(*id)), integration.created_at.unwrap_or(now));
        let settings = integration::Settings {
            enabled: integration.enabled,
            description: integration.description,
            events: integration.events,
            projects: integration.projects,
            environments: integration.environments,
            instance_events: true,
        };
        let new = NewIntegration {
            provider: integration.provider,
            settings,
            parameters: integration.parameters,
            owner: None,
        };
        integrations::insert_as(tx, vault, new, id, created_at, now).await?;
    }
    Ok(())
}

/// Writes the settings that were made, but for those that are sealed.
pub(super) async fn write_settings(tx: &Tx, set: &Set, now: Timestamp) -> Result<(), MoveInError> {
    if let Some(origins) = &set.settings.frontend_origins {
        let preference = Frontend { frontend_api_origins: origins.clone() };
        preferences::put(tx, Frontend::ID, &preference, now).await?;
    }
    if let Some(enabled) = set.settings.maintenance {
        preferences::put(tx, Maintenance::ID, &Maintenance { enabled }, now).await?;
    }
    if let Some(disabled) = set.settings.passwords_off {
        preferences::put(tx, PasswordSignIn::ID, &PasswordSignIn { disabled }, now).await?;
    }
    Ok(())
}
