//! Projects, environments, lists and settings.

use std::collections::HashSet;

use sea_orm::{ActiveValue::Set as To, ColumnTrait, EntityTrait, QueryFilter};

use super::{MoveInError, target::insert};
use crate::{
    domain::{
        integration,
        preference::{Frontend, Maintenance, Preference as _},
        sign_in::PasswordSignIn,
        time::Timestamp,
    },
    moving_in::{Set, Settings, StrategyType},
    store::{
        db::{Tx, value::to_json_column},
        entity::{
            client_application, client_application_project, client_instance, context_field, environment, feature_type,
            project, project_environment, segment, strategy_type, tag, tag_project, tag_type,
        },
        integrations::{self, NewIntegration},
        preferences, settings,
    },
    vault::Vault,
};

/// What tokens without an environment fall back to; it stays, though switched off, where nobody else has one.
const FALLBACK: &str = "default";
/// Stands for all projects.
const EVERYWHERE: &str = "*";

/// Writes lists and frames. What a new database has under the same names gives way.
pub(super) async fn write(tx: &Tx, set: &Set, now: Timestamp) -> Result<(), MoveInError> {
    environments(tx, set).await?;
    choices(tx, set, now).await?;
    let rows = set.projects.iter().map(|it| project::ActiveModel {
        id: To(it.id.clone()),
        name: To(it.name.clone()),
        description: To(it.description.clone()),
        mode: To(it.mode.clone()),
        default_stickiness: To(it.default_stickiness.clone()),
        feature_limit: To(it.feature_limit),
        naming_pattern: To(it.naming_pattern.clone()),
        naming_example: To(it.naming_example.clone()),
        naming_description: To(it.naming_description.clone()),
        created_at: To(it.created_at.unwrap_or(now)),
        updated_at: To(it.updated_at.or(it.created_at).unwrap_or(now)),
        archived_at: To(it.archived_at),
    });
    let ids = set.projects.iter().map(|it| it.id.clone());
    project::Entity::delete_many().filter(project::Column::Id.is_in(ids)).exec(tx).await?;
    insert(tx, rows.collect()).await?;
    let rows = set.projects.iter().flat_map(|it| {
        it.environments.iter().map(|used| project_environment::ActiveModel {
            project: To(it.id.clone()),
            environment: To(used.environment.clone()),
            default_strategy: To(used.default_strategy.as_ref().map(to_json_column)),
        })
    });
    insert(tx, rows.collect()).await?;
    let rows = set.segments.iter().map(|it| segment::ActiveModel {
        id: To(it.id),
        name: To(it.name.clone()),
        description: To(it.description.clone()),
        project: To(it.project.clone()),
        constraints: To(to_json_column(&it.constraints)),
        created_by: To(it.created_by.clone()),
        created_at: To(it.created_at.unwrap_or(now)),
    });
    insert(tx, rows.collect()).await?;
    applications(tx, set, now).await
}

async fn environments(tx: &Tx, set: &Set) -> Result<(), MoveInError> {
    project_environment::Entity::delete_many().exec(tx).await?;
    let mut gone = environment::Entity::delete_many();
    if !set.environments.iter().any(|it| it.name == FALLBACK) {
        gone = gone.filter(environment::Column::Name.ne(FALLBACK));
    }
    gone.exec(tx).await?;
    let rows = set.environments.iter().map(|it| environment::ActiveModel {
        name: To(it.name.clone()),
        r#type: To(it.kind.clone()),
        enabled: To(it.enabled),
        protected: To(it.protected),
        sort_order: To(it.sort_order),
    });
    insert(tx, rows.collect()).await
}

async fn choices(tx: &Tx, set: &Set, now: Timestamp) -> Result<(), MoveInError> {
    let ids = set.feature_types.iter().map(|it| it.id.clone());
    feature_type::Entity::delete_many().filter(feature_type::Column::Id.is_in(ids)).exec(tx).await?;
    let rows = set.feature_types.iter().map(|it| feature_type::ActiveModel {
        id: To(it.id.clone()),
        name: To(it.name.clone()),
        description: To(it.description.clone()),
        lifetime_days: To(it.lifetime_days),
    });
    insert(tx, rows.collect()).await?;
    strategy_types(tx, &set.strategy_types).await?;
    let names = set.context_fields.iter().map(|it| it.name.clone());
    context_field::Entity::delete_many().filter(context_field::Column::Name.is_in(names)).exec(tx).await?;
    let rows = set.context_fields.iter().map(|it| context_field::ActiveModel {
        name: To(it.name.clone()),
        description: To(it.description.clone()),
        stickiness: To(it.stickiness),
        sort_order: To(it.sort_order),
        legal_values: To(to_json_column(&it.legal_values)),
        created_at: To(it.created_at.unwrap_or(now)),
    });
    insert(tx, rows.collect()).await?;
    tag_type::Entity::delete_many().exec(tx).await?;
    let rows = set.tag_types.iter().map(|it| tag_type::ActiveModel {
        name: To(it.name.clone()),
        description: To(it.description.clone()),
        icon: To(it.icon.clone()),
    });
    insert(tx, rows.collect()).await?;
    tags(tx, set).await
}

/// Those that are always there keep their own texts.
async fn strategy_types(tx: &Tx, given: &[StrategyType]) -> Result<(), MoveInError> {
    let own: Vec<strategy_type::Model> = strategy_type::Entity::find().all(tx).await?;
    let is_own = |name: &str| own.iter().any(|it| it.name == name);
    let rows = given.iter().filter(|it| !is_own(&it.name)).map(|it| strategy_type::ActiveModel {
        name: To(it.name.clone()),
        title: To(it.title.clone()),
        description: To(it.description.clone()),
        parameters: To(to_json_column(&it.parameters)),
        built_in: To(it.built_in),
        deprecated: To(it.deprecated),
        sort_order: To(it.sort_order),
    });
    insert(tx, rows.collect()).await?;
    for it in given.iter().filter(|it| is_own(&it.name)) {
        let changed = strategy_type::ActiveModel {
            name: To(it.name.clone()),
            deprecated: To(it.deprecated),
            sort_order: To(it.sort_order),
            ..Default::default()
        };
        strategy_type::Entity::update(changed).exec(tx).await?;
    }
    Ok(())
}

/// Tags are numbered by their place, from 1.
pub(super) fn tag_ids(set: &Set) -> impl Iterator<Item = (i64, &crate::moving_in::Tag)> {
    (1..).zip(&set.tags)
}

async fn tags(tx: &Tx, set: &Set) -> Result<(), MoveInError> {
    let rows = tag_ids(set).map(|(id, it)| tag::ActiveModel {
        id: To(id),
        r#type: To(it.kind.clone()),
        value: To(it.value.clone()),
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
    let rows = set.applications.iter().map(|it| client_application::ActiveModel {
        app_name: To(it.app_name.clone()),
        description: To(it.description.clone()),
        url: To(it.url.clone()),
        color: To(it.color.clone()),
        icon: To(it.icon.clone()),
        strategies: To(to_json_column(&it.strategies)),
        created_by: To(it.created_by.clone()),
        created_at: To(it.created_at.unwrap_or(now)),
        updated_at: To(it.updated_at.or(it.created_at).unwrap_or(now)),
        seen_at: To(it.seen_at.or(it.updated_at).unwrap_or(now)),
    });
    insert(tx, rows.collect()).await?;
    let rows = set.applications.iter().map(|it| client_application_project::ActiveModel {
        app_name: To(it.app_name.clone()),
        project: To(EVERYWHERE.to_owned()),
    });
    insert(tx, rows.collect()).await?;
    let rows = set.instances.iter().map(|it| client_instance::ActiveModel {
        app_name: To(it.app_name.clone()),
        instance_id: To(it.instance_id.clone()),
        environment: To(it.environment.clone()),
        sdk_version: To(it.sdk_version.clone()),
        last_seen_at: To(it.last_seen_at.unwrap_or(now)),
        created_at: To(it.created_at.unwrap_or(now)),
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
    for it in given.integrations.clone() {
        let settings = integration::Settings {
            enabled: it.enabled,
            description: it.description,
            events: it.events,
            projects: it.projects,
            environments: it.environments,
            instance_events: true,
        };
        let new = NewIntegration { provider: it.provider, settings, parameters: it.parameters };
        integrations::insert(tx, vault, new, now).await?;
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
