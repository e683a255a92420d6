//! Content that every instance starts with: a project, environments, and the lists that features choose from.

use std::time::{SystemTime, UNIX_EPOCH};

use sea_orm_migration::prelude::{DbErr, DeriveMigrationName, Expr, MigrationTrait, Query, SchemaManager, async_trait};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let now = now();
        projects(manager, now).await?;
        feature_types(manager).await?;
        strategy_types(manager).await?;
        context_fields(manager, now).await?;
        tag_types(manager).await
    }

    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}

/// Milliseconds since 1970. Migrations have no clock handed to them; these dates are only ever shown.
#[expect(
    clippy::disallowed_methods,
    reason = "a migration is told nothing, and has no other time than that of its run"
)]
pub(crate) fn now() -> i64 {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since_epoch.as_millis()).unwrap_or(i64::MAX)
}

/// Inserts rows into a table; every row has one value for each column.
pub(crate) async fn insert<const N: usize>(
    manager: &SchemaManager<'_>,
    table: &'static str,
    columns: [&'static str; N],
    rows: impl IntoIterator<Item = [Expr; N]>,
) -> Result<(), DbErr> {
    let mut statement = Query::insert();
    statement.into_table(table).columns(columns);
    for row in rows {
        statement.values_panic(row);
    }
    manager.execute(statement).await
}

/// The `default` environment is what tokens without one fall back to; it exists for them and starts switched off.
async fn projects(manager: &SchemaManager<'_>, now: i64) -> Result<(), DbErr> {
    insert(
        manager,
        "project",
        ["id", "name", "description", "created_at", "updated_at"],
        [["default".into(), "Default".into(), "The project that is always there".into(), now.into(), now.into()]],
    )
    .await?;
    let environments = [
        ("default", "production", false, true, 1),
        ("development", "development", true, false, 2),
        ("production", "production", true, false, 3),
    ];
    insert(
        manager,
        "environment",
        ["name", "type", "enabled", "protected", "sort_order"],
        environments.map(|(name, kind, enabled, protected, order)| {
            [name.into(), kind.into(), enabled.into(), protected.into(), order.into()]
        }),
    )
    .await?;
    insert(
        manager,
        "project_environment",
        ["project", "environment"],
        ["development", "production"].map(|environment| ["default".into(), environment.into()]),
    )
    .await
}

async fn feature_types(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    let types = [
        ("release", "Release", "Brings a new feature to users step by step.", Some(40_i64)),
        ("experiment", "Experiment", "Compares variants of a feature with each other.", Some(40)),
        ("operational", "Operational", "Steers a change in how the system works inside.", Some(7)),
        ("kill-switch", "Kill switch", "Turns off a part of the system when it must give way.", None),
        ("permission", "Permission", "Opens a feature to those who are entitled to it.", None),
    ];
    insert(
        manager,
        "feature_type",
        ["id", "name", "description", "lifetime_days"],
        types.map(|(id, name, description, days)| [id.into(), name.into(), description.into(), days.into()]),
    )
    .await
}

async fn strategy_types(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    let types = [
        (
            "flexibleRollout",
            "Gradual rollout",
            "On for a share of users, and steadily for the same ones.",
            r#"[{"name":"rollout","type":"percentage","description":"Share of users in percent.","required":false},{"name":"stickiness","type":"string","description":"Context field that decides who falls into the share: default, random, or a field that allows stickiness.","required":true},{"name":"groupId","type":"string","description":"Features with the same group have the same users in their share.","required":true}]"#,
            false,
        ),
        ("default", "Standard", "On for everybody.", "[]", false),
        (
            "userWithId",
            "User ids",
            "On for the users listed. Write a constraint on userId instead.",
            r#"[{"name":"userIds","type":"list","description":"Ids of the users.","required":false}]"#,
            true,
        ),
        (
            "remoteAddress",
            "IP addresses",
            "On for clients that connect from the addresses listed.",
            r#"[{"name":"IPs","type":"list","description":"Addresses, or ranges in CIDR form.","required":true}]"#,
            false,
        ),
        (
            "applicationHostname",
            "Hosts",
            "On for applications that run on the hosts listed.",
            r#"[{"name":"hostNames","type":"list","description":"Names of the hosts.","required":false}]"#,
            false,
        ),
    ];
    let rows = (0_i64..).zip(types).map(|(order, (name, title, description, parameters, deprecated))| {
        [name.into(), title.into(), description.into(), parameters.into(), true.into(), deprecated.into(), order.into()]
    });
    insert(
        manager,
        "strategy_type",
        ["name", "title", "description", "parameters", "built_in", "deprecated", "sort_order"],
        rows,
    )
    .await
}

async fn context_fields(manager: &SchemaManager<'_>, now: i64) -> Result<(), DbErr> {
    let fields = [
        ("environment", "Environment that the application runs in", false, 0),
        ("userId", "Id of the user", true, 1),
        ("appName", "Name of the application", false, 2),
        ("currentTime", "Time of the evaluation", false, 3),
        ("sessionId", "Id of the user's session", true, 4),
    ];
    insert(
        manager,
        "context_field",
        ["name", "description", "stickiness", "sort_order", "legal_values", "created_at"],
        fields.map(|(name, description, stickiness, order)| {
            [name.into(), description.into(), stickiness.into(), order.into(), "[]".into(), now.into()]
        }),
    )
    .await
}

async fn tag_types(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    insert(
        manager,
        "tag_type",
        ["name", "description", "icon"],
        [["simple".into(), "A word that groups features.".into(), "#".into()]],
    )
    .await
}
