//! Trying a constraint.

use flagstone::store::entity::context_field;
use sea_orm::{ActiveValue::Set, EntityTrait};
use serde_json::{Value, json};

use crate::{harness::TestApp, strategies::seen};

const VALIDATE: &str = "/api/admin/constraints/validate";

/// A server with the context field `plan`, whose legal values are `free` and `7`.
async fn with_plan() -> TestApp {
    let app = TestApp::new().await;
    let tx = app.tx().await;
    let field = context_field::ActiveModel {
        name: Set("plan".to_owned()),
        description: Set(None),
        stickiness: Set(false),
        sort_order: Set(10),
        legal_values: Set(json!([{ "value": "free" }, { "value": "7" }]).to_string()),
        created_at: Set(app.clock.now()),
        project: Set(None),
    };
    context_field::Entity::insert(field).exec_without_returning(&tx).await.expect("a field");
    app.commit(tx).await;
    app
}

fn constraint(field: &str, operator: &str, values: &[&str], value: Option<&str>) -> Value {
    let mut constraint = json!({ "contextName": field, "operator": operator, "values": values });
    if let Some(value) = value {
        constraint["value"] = json!(value);
    }
    constraint
}

#[tokio::test]
async fn usable_constraints_pass() {
    let app = with_plan().await;
    let viewer = app.viewer().await;
    for good in [
        constraint("userId", "IN", &["anybody"], None),
        constraint("userId", "NOT_IN", &["a", "b"], Some("")),
        constraint("appName", "STR_ENDS_WITH", &["x"], None),
        constraint("userId", "NUM_GTE", &[], Some("-1.5")),
        constraint("currentTime", "DATE_BEFORE", &[], Some("2027-06-30T22:00:00.000Z")),
        constraint("userId", "SEMVER_GT", &[], Some("1.2.3-beta")),
        constraint("userId", "NUM_EQ", &["1"], None),
        constraint("currentTime", "DATE_BEFORE", &[], Some("2027-06-30")),
        constraint("userId", "NUM_LT", &[], Some(" .5 ")),
        constraint("userId", "IN", &["DOMAIN\\ada", "quo\"te", " padded "], None),
        constraint("plan", "IN", &["free", "7"], None),
        constraint("plan", "NUM_EQ", &[], Some("7")),
    ] {
        let answer = viewer.post(VALIDATE, good.clone()).await;
        assert_eq!((answer.status, &*answer.text), (204, ""), "{good}");
    }
    assert_eq!(seen(&app).await, 0);
}

#[tokio::test]
async fn others_are_refused_by_name() {
    let app = with_plan().await;
    let many: Vec<String> = (0..251).map(|value| value.to_string()).collect();
    for (bad, text) in [
        (json!({}), "/body/contextName"),
        (json!([]), "/body"),
        (json!({ "contextName": "userId" }), "/body/operator"),
        (constraint("userId", "LIKE", &["a"], None), "/body/operator"),
        (constraint("userId", "IN", &[], None), "at least one"),
        (constraint("userId", "IN", &[""], None), "1 to 100"),
        (constraint("userId", "NUM_EQ", &[], Some("abc")), "number"),
        (constraint("userId", "NUM_EQ", &[], None), "/body/value"),
        (constraint("userId", "NUM_EQ", &["1", "2"], None), "/body/value"),
        (constraint("currentTime", "DATE_AFTER", &[], Some("soon")), "/body/value"),
        (constraint("currentTime", "DATE_AFTER", &[], None), "/body/value"),
        (constraint("userId", "DATE_AFTER", &[], Some("2027-06-30")), "/body/contextName"),
        (constraint("currentTime", "STR_STARTS_WITH", &["2027"], None), "/body/operator"),
        (constraint("userId", "IN", &["a", "b\\"], None), "/body/values"),
        (constraint("userId", "STR_ENDS_WITH", &["b\\ "], None), "/body/values"),
        (constraint("userId", "SEMVER_EQ", &[], Some("99999999999999999999.0.0")), "/body/value"),
        (constraint("userId", "SEMVER_EQ", &[], Some("1.2.3-01")), "/body/value"),
        (constraint("userId", "REGEX", &[], Some("[a&&b]")), "/body/value"),
        (constraint("userId", "REGEX", &[], None), "/body/value"),
        (constraint("userId", "SEMVER_EQ", &[], Some("v1.2.3")), "version"),
        (constraint("plan", "IN", &["free", "gold"], None), "/body/values/1"),
        (constraint("plan", "NUM_GT", &[], Some("8")), "/body/value"),
    ] {
        app.admin().post(VALIDATE, bad).await.refused(400, "ValidationError", text);
    }
    let many = json!({ "contextName": "userId", "operator": "IN", "values": many });
    app.admin().post(VALIDATE, many).await.refused(400, "ExceedsLimitError", "250");
    let unknown = constraint("nofield", "IN", &["a"], None);
    app.admin().post(VALIDATE, unknown).await.refused(400, "ValidationError", "/body/contextName");
}
