//! Rules that are larger than anybody could make them over the API: a database that another program filled, or an
//! earlier version, must not be able to end the process.

use flagstone::{
    clock,
    domain::{
        constraint::{Constraint, Operator},
        strategy::StrategyDefinition,
    },
    store::{
        self,
        entity::{feature_environment, feature_strategy},
        segments::NewSegment,
    },
};
use sea_orm::{ActiveValue::Set, EntityTrait};
use serde_json::{Value, json};

use crate::harness::{TestApp, add_strategy};

/// More than overflows the stack of a thread.
const MANY: usize = 25_000;

async fn shop() -> TestApp {
    let app = TestApp::new().await;
    app.project("shop").await;
    for name in ["huge", "plain"] {
        let id = app.feature("shop", name).await;
        let tx = app.tx().await;
        let row = feature_environment::ActiveModel {
            feature_id: Set(id),
            environment: Set("production".to_owned()),
            enabled: Set(true),
            ..Default::default()
        };
        feature_environment::Entity::update(row).exec(&tx).await.expect("switches on");
        app.commit(tx).await;
    }
    app
}

/// Constraints that all hold for the user 7.
fn constraints() -> Vec<Constraint> {
    let one = Constraint {
        context_name: "userId".to_owned(),
        operator: Operator::NumGt,
        case_insensitive: None,
        inverted: None,
        values: None,
        value: Some("1".to_owned()),
    };
    vec![one; MANY]
}

/// Id of the feature that gets the rule.
async fn huge(app: &TestApp) -> i64 {
    use sea_orm::{ColumnTrait as _, QueryFilter as _};
    use store::entity::feature;
    let found = feature::Entity::find().filter(feature::Column::Name.eq("huge")).one(app.db()).await;
    found.expect("reads").expect("the feature").id
}

/// Asks everywhere that rules are judged or told: the neighbour is on, the rule that is too large is off.
async fn everybody_asks(app: &TestApp) {
    let browser = app.browser(&["shop"], "production").await;
    let on = |answer: &Value, list: &str, name: &str| -> Vec<Value> {
        answer[list].as_array().expect("a list").iter().map(|feature| feature[name].clone()).collect()
    };
    for _ in 0..2 {
        let told = browser.get("/api/frontend?userId=7").await.expect(200);
        assert_eq!(on(&told, "toggles", "name"), ["plain"]);
    }
    let flag = |key: &str| format!("/ofrep/v1/evaluate/flags/{key}");
    let context = json!({ "context": { "targetingKey": "7" } });
    assert_eq!(browser.post(&flag("huge"), context.clone()).await.expect(200)["value"], false);
    assert_eq!(browser.post(&flag("plain"), context).await.expect(200)["value"], true);

    let question =
        json!({ "environment": "production", "projects": ["shop"], "context": { "appName": "web", "userId": "7" } });
    let judged = app.admin().post("/api/admin/playground", question).await.expect(200);
    assert_eq!(on(&judged, "features", "name"), ["huge", "plain"]);
    assert_eq!(on(&judged, "features", "isEnabled"), [json!(false), json!(true)]);

    let told = app.program(&["shop"], "production").await.get("/api/client/features").await.expect(200);
    assert_eq!(on(&told, "features", "name"), ["huge", "plain"]);
}

#[tokio::test]
async fn a_strategy_of_tens_of_thousands_of_constraints_ends_no_process() {
    let app = shop().await;
    let strategy =
        StrategyDefinition { name: "default".to_owned(), constraints: constraints(), ..StrategyDefinition::default() };
    let tx = app.tx().await;
    add_strategy(&tx, huge(&app).await, "production", &strategy, app.clock.now()).await.expect("a strategy");
    app.commit(tx).await;
    everybody_asks(&app).await;
}

#[tokio::test]
async fn a_segment_of_tens_of_thousands_of_constraints_ends_no_process() {
    let app = shop().await;
    let tx = app.tx().await;
    let segment = NewSegment { name: "huge".to_owned(), constraints: constraints(), ..NewSegment::default() };
    let segment = store::segments::insert(&tx, &segment, app.clock.now()).await.expect("a segment");
    let strategy =
        StrategyDefinition { name: "default".to_owned(), segments: vec![segment], ..StrategyDefinition::default() };
    add_strategy(&tx, huge(&app).await, "production", &strategy, app.clock.now()).await.expect("a strategy");
    app.commit(tx).await;
    everybody_asks(&app).await;
}

#[tokio::test]
async fn tens_of_thousands_of_strategies_end_no_process() {
    let app = shop().await;
    let feature_id = huge(&app).await;
    let tx = app.tx().await;
    for batch in 0..MANY / 1000 {
        let rows = (0..1000).map(|index| feature_strategy::ActiveModel {
            id: Set(clock::new_uuid().to_string()),
            feature_id: Set(feature_id),
            environment: Set("production".to_owned()),
            name: Set("default".to_owned()),
            title: Set(None),
            disabled: Set(false),
            sort_order: Set(i64::try_from(batch * 1000 + index).expect("few")),
            parameters: Set("{}".to_owned()),
            constraints: Set("[]".to_owned()),
            variants: Set("[]".to_owned()),
            created_at: Set(app.clock.now()),
        });
        feature_strategy::Entity::insert_many(rows).exec_without_returning(&tx).await.expect("strategies");
    }
    app.commit(tx).await;
    everybody_asks(&app).await;
}
