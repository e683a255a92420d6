//! Moving features between instances: validation, import, export, and the commands.

mod bounds;
mod clean;
mod closing;
mod command;
mod dry_run;
mod effects;
mod exporting;
mod findings;
mod marks;
mod permissions;

use flagstone::store::{self, entity, segments::NewSegment};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, EntityTrait, FromQueryResult, QueryFilter, Statement,
    sea_query::Expr,
};
use serde_json::{Value, json};

use crate::harness::{Client, TestApp};

const VALIDATE: &str = "/api/admin/features-batch/validate";
const IMPORT: &str = "/api/admin/features-batch/import";
const EXPORT: &str = "/api/admin/features-batch/export";

/// An instance with the project `shop`.
async fn shop() -> TestApp {
    let app = TestApp::new().await;
    app.project("shop").await;
    app
}

/// A data set for `development` of `shop`: the given members in place of empty ones.
fn request(members: Value) -> Value {
    let mut data = json!({ "features": [], "featureStrategies": [], "tagTypes": [] });
    let Value::Object(members) = members else { panic!("an object") };
    for (name, value) in members {
        data[name] = value;
    }
    json!({ "project": "shop", "environment": "development", "data": data })
}

async fn validate(client: &Client, members: Value) -> Value {
    client.post(VALIDATE, request(members)).await.expect(200)
}

async fn import(client: &Client, members: Value) {
    client.post(IMPORT, request(members)).await.expect(200);
}

/// A small export from another server.
fn export_file(name: &str) -> Value {
    let path = format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_slice(&std::fs::read(path).expect("the file")).expect("JSON")
}

async fn segment(app: &TestApp, name: &str, project: Option<&str>) -> i64 {
    let tx = app.tx().await;
    let new = NewSegment { name: name.to_owned(), project: project.map(str::to_owned), ..NewSegment::default() };
    let id = store::segments::insert(&tx, &new, app.clock.now()).await.expect("a segment");
    app.commit(tx).await;
    id
}

async fn custom_strategy(app: &TestApp, name: &str) {
    let tx = app.tx().await;
    let row = entity::strategy_type::ActiveModel {
        name: Set(name.to_owned()),
        title: Set(None),
        description: Set(String::new()),
        parameters: Set("[]".to_owned()),
        built_in: Set(false),
        deprecated: Set(false),
        sort_order: Set(9),
    };
    row.insert(&tx).await.expect("a strategy type");
    app.commit(tx).await;
}

async fn context_field(app: &TestApp, name: &str, legal_values: Value) {
    let tx = app.tx().await;
    let row = entity::context_field::ActiveModel {
        name: Set(name.to_owned()),
        description: Set(None),
        stickiness: Set(false),
        sort_order: Set(9),
        legal_values: Set(legal_values.to_string()),
        created_at: Set(app.clock.now()),
        project: Set(None),
    };
    row.insert(&tx).await.expect("a context field");
    app.commit(tx).await;
}

async fn archive(app: &TestApp, name: &str) {
    let tx = app.tx().await;
    entity::feature::Entity::update_many()
        .col_expr(entity::feature::Column::ArchivedAt, Expr::value(app.clock.now()))
        .filter(entity::feature::Column::Name.eq(name))
        .exec(&tx)
        .await
        .expect("archives");
    app.commit(tx).await;
}

/// Sets columns of the project `shop`.
async fn set_up_project(app: &TestApp, change: impl FnOnce(&mut entity::project::ActiveModel)) {
    let tx = app.tx().await;
    let mut row = entity::project::ActiveModel { id: Set("shop".to_owned()), ..Default::default() };
    change(&mut row);
    row.update(&tx).await.expect("changes");
    app.commit(tx).await;
}

/// Every table that an import may write, row by row: equal before and after means that nothing was left behind.
async fn everything(app: &TestApp) -> Vec<Value> {
    use sea_orm::ConnectionTrait as _;
    let tables = [
        "feature",
        "feature_environment",
        "feature_strategy",
        "strategy_segment",
        "feature_tag",
        "tag",
        "tag_type",
        "context_field",
        "feature_dependency",
        "feature_lifecycle",
        "segment",
        "project",
        "environment",
        "project_environment",
        "strategy_type",
        "event",
    ];
    let mut rows = Vec::new();
    for table in tables {
        let backend = app.db().get_database_backend();
        let statement = Statement::from_string(backend, format!("SELECT * FROM {table}"));
        let mut found = sea_orm::JsonValue::find_by_statement(statement).all(app.db()).await.expect("rows");
        found.sort_by_key(ToString::to_string);
        rows.push(json!({ table: found }));
    }
    rows
}

fn names(values: &Value, key: &str) -> Vec<String> {
    let list = values.as_array().expect("a list");
    list.iter().map(|item| item[key].as_str().expect("a text").to_owned()).collect()
}
