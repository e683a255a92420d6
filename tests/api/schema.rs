//! The migrations build what the entities expect, and columns that derive from others say what those say.

use std::collections::BTreeMap;

use flagstone::{
    domain::{
        strategy::{Parameters, StrategyDefinition},
        tag::Tag,
    },
    store::{
        self,
        entity::{feature, feature_dependency, feature_environment, feature_strategy, feature_tag, tag},
    },
};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QuerySelect, Statement};

use crate::harness::{TestApp, add_strategy, change_tags};

macro_rules! select_from_each {
    ($app:expr, $($entity:ident),+ $(,)?) => {{
        $(
            store::entity::$entity::Entity::find().limit(1).all($app.db()).await.expect(stringify!($entity));
        )+
        [$(stringify!($entity)),+]
    }};
}

#[tokio::test]
async fn every_entity_fits_its_table_and_every_table_has_one() {
    let app = TestApp::new().await;
    let entities = select_from_each!(
        app,
        api_token,
        api_token_project,
        app_user,
        archived_dependency,
        banner,
        change_request,
        change_request_approver,
        change_request_change,
        change_request_change_target,
        change_request_comment,
        change_request_configuration,
        change_request_review,
        change_request_schedule,
        change_request_state_entry,
        client_application,
        client_application_project,
        client_instance,
        client_metrics_daily,
        client_metrics_hourly,
        client_metrics_variant_daily,
        client_metrics_variant_hourly,
        client_report,
        context_field,
        delivery,
        environment,
        event,
        event_checkpoint,
        event_hash,
        favorite_feature,
        favorite_project,
        feature,
        feature_dependency,
        feature_environment,
        feature_lifecycle,
        feature_strategy,
        feature_tag,
        feature_type,
        freeze_window,
        insight_environment_type_week,
        insight_flag_day,
        insight_metrics_week,
        insight_project_week,
        insight_user_day,
        integration,
        job_run,
        keyed_request,
        nested_group,
        notification_read,
        password_reset,
        personal_token,
        project,
        project_environment,
        project_group_role,
        project_user_role,
        recovery_code,
        retired_project,
        reviewer_rule,
        reviewer_rule_group,
        role,
        role_permission,
        scim_directory,
        second_factor,
        segment,
        session,
        session_provider,
        setting,
        sign_in_log,
        sign_in_once,
        sign_in_provider,
        sign_in_ticket,
        sign_in_trial,
        signup_link,
        signup_link_user,
        strategy_segment,
        strategy_type,
        tag,
        tag_project,
        tag_type,
        unknown_flag,
        user_access_request,
        user_feedback,
        user_group,
        user_group_member,
        user_identity,
        user_splash,
    );
    assert_eq!(tables(&app).await, entities);
}

/// Names of the tables of the schema, in order, without those of full-text search and of migrations.
async fn tables(app: &TestApp) -> Vec<String> {
    let backend = app.db().get_database_backend();
    let sql = match backend {
        sea_orm::DatabaseBackend::Postgres => "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
        _ => {
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '%\\_fts%' ESCAPE '\\' AND name NOT LIKE 'sqlite%'"
        }
    };
    let rows = app.db().query_all_raw(Statement::from_string(backend, sql)).await.expect("tables");
    let mut tables: Vec<String> = rows.iter().map(|row| row.try_get("", "name").expect("a name")).collect();
    tables.retain(|table| table != "seaql_migrations");
    tables.sort();
    tables
}

/// Derives every derived column once more and compares.
pub async fn assert_derived_columns(app: &TestApp) {
    let db = app.db();
    for row in feature::Entity::find().all(db).await.expect("features") {
        let tags = tags_of(db, row.id).await;
        let lines = tags.iter().map(|(kind, value)| format!("{}:{}", kind.to_lowercase(), value.to_lowercase()));
        let text = std::iter::once(row.name.to_lowercase()).chain(lines).collect::<Vec<_>>().join("\n");
        assert_eq!(row.search_text, text, "search text of {}", row.name);
        let dependencies = feature_dependency::Entity::find().all(db).await.expect("dependencies");
        let kind = if dependencies.iter().any(|dependency| dependency.parent_id == row.id) {
            Some("parent")
        } else if dependencies.iter().any(|dependency| dependency.child_id == row.id) {
            Some("child")
        } else {
            None
        };
        assert_eq!(row.dependency_kind.as_deref(), kind, "dependency kind of {}", row.name);
        let environments = feature_environment::Entity::find()
            .filter(feature_environment::Column::FeatureId.eq(row.id))
            .all(db)
            .await
            .expect("environments");
        for environment in environments {
            let place = format!("{} in {}", row.name, environment.environment);
            assert_eq!(environment.feature_name, row.name, "{place}");
            assert_eq!(environment.feature_created_at, row.created_at, "{place}");
            assert_eq!(environment.live, row.archived_at.is_none(), "{place}");
            let strategies = feature_strategy::Entity::find()
                .filter(feature_strategy::Column::FeatureId.eq(row.id))
                .filter(feature_strategy::Column::Environment.eq(&environment.environment))
                .all(db)
                .await
                .expect("strategies");
            assert_eq!(environment.has_strategies, !strategies.is_empty(), "{place}");
            let enabled = strategies.iter().any(|strategy| !strategy.disabled);
            assert_eq!(environment.has_enabled_strategies, enabled, "{place}");
            let variants: Vec<serde_json::Value> = serde_json::from_str(&environment.variants).expect("JSON");
            assert_eq!(environment.variant_count, i64::try_from(variants.len()).expect("few"), "{place}");
        }
    }
}

async fn tags_of(db: &store::db::Db, feature_id: i64) -> Vec<(String, String)> {
    let links = feature_tag::Entity::find().filter(feature_tag::Column::FeatureId.eq(feature_id)).all(db).await;
    let tags: BTreeMap<i64, tag::Model> =
        tag::Entity::find().all(db).await.expect("tags").into_iter().map(|tag| (tag.id, tag)).collect();
    let of_link = |link: &feature_tag::Model| (tags[&link.tag_id].r#type.clone(), tags[&link.tag_id].value.clone());
    let mut found: Vec<_> = links.expect("links").iter().map(of_link).collect();
    found.sort();
    found
}

#[tokio::test]
async fn derived_columns_follow_what_they_derive_from() {
    let app = TestApp::new().await;
    app.project("shop").await;
    let (parent, child) = (app.feature("shop", "Parent").await, app.feature("shop", "child").await);
    app.tag(child, "simple", "Zürich").await;
    app.tag(child, "simple", "alpha").await;
    let now = app.clock.now();
    let tx = app.tx().await;
    store::features::dependencies::add(&tx, child, parent, true, &[]).await.expect("a dependency");
    let disabled = StrategyDefinition { name: "default".to_owned(), disabled: true, ..StrategyDefinition::default() };
    add_strategy(&tx, child, "development", &disabled, now).await.expect("a strategy");
    app.commit(tx).await;
    assert_derived_columns(&app).await;
    let summary = summary_of(&app, child).await;
    assert_eq!((summary.has_strategies, summary.has_enabled_strategies), (true, false));

    let tx = app.tx().await;
    let enabled = StrategyDefinition {
        name: "default".to_owned(),
        parameters: Parameters::new(),
        ..StrategyDefinition::default()
    };
    add_strategy(&tx, child, "development", &enabled, now).await.expect("a strategy");
    let tag = Tag { kind: "simple".to_owned(), value: "beta".to_owned() };
    let others = store::tags::of_feature(&tx, child).await.expect("tags");
    change_tags(&tx, child, &[tag], &others, now).await;
    app.commit(tx).await;
    assert_derived_columns(&app).await;
    let summary = summary_of(&app, child).await;
    assert_eq!((summary.has_strategies, summary.has_enabled_strategies), (true, true));

    let tx = app.tx().await;
    store::strategies::remove_all(&tx, child, "development").await.expect("no strategies");
    assert!(store::features::dependencies::remove_all(&tx, child).await.expect("no dependencies"));
    app.commit(tx).await;
    assert_derived_columns(&app).await;
    let summary = summary_of(&app, child).await;
    assert_eq!((summary.has_strategies, summary.has_enabled_strategies), (false, false));
}

async fn summary_of(app: &TestApp, feature_id: i64) -> feature_environment::Model {
    feature_environment::Entity::find_by_id((feature_id, "development".to_owned()))
        .one(app.db())
        .await
        .expect("a query")
        .expect("a row")
}
