//! Impact: who gains and who loses, told before anything is changed.

use flagstone::{
    config::Config,
    domain::{
        change_request::{Target, state::State},
        murmur::Murmur3,
        time::HOUR_MS,
    },
    store::entity::client_metrics_hourly,
};
use sea_orm::{ActiveValue::Set, EntityTrait as _};
use serde_json::{Value, json};

use crate::{
    change_requests::world::{PRODUCTION, World, feature, of, switch},
    harness::{TestApp, role},
};

const CART: &str = "/api/admin/projects/shop/features/cart";
const IDS: usize = 10_000;

fn path(id: i64) -> String {
    format!("/api/admin/projects/shop/change-requests/{id}/impact")
}

fn rollout(percentage: u32) -> Value {
    let parameters = json!({ "rollout": percentage.to_string(), "stickiness": "userId", "groupId": "cart" });
    json!({ "name": "flexibleRollout", "parameters": parameters })
}

/// Number of the made ids that a share of a hundred holds.
fn drawn(of_hundred: u32) -> usize {
    let place = |id: usize| Murmur3::new(0).with(format!("cart:user-{id}").as_bytes()).finish() % 100 + 1;
    (0..IDS).filter(|id| place(*id) <= of_hundred).count()
}

/// Switches `cart` on in `production`, for a strategy. Returns the id of the strategy.
async fn serve(app: &TestApp, strategy: Value) -> Value {
    let environment = format!("{CART}/environments/{PRODUCTION}");
    let id = app.admin().post(&format!("{environment}/strategies"), strategy).await.expect(200)["id"].clone();
    app.admin().post(&format!("{environment}/on"), json!({})).await.expect(200);
    id
}

async fn used(app: &TestApp, application: &str, hours_ago: i64, yes: i64, no: i64) {
    let row = client_metrics_hourly::ActiveModel {
        feature_name: Set("cart".to_owned()),
        app_name: Set(application.to_owned()),
        environment: Set(PRODUCTION.to_owned()),
        timestamp: Set(app.clock.now().plus_millis(-hours_ago * HOUR_MS)),
        yes: Set(yes),
        no: Set(no),
    };
    let tx = app.tx().await;
    client_metrics_hourly::Entity::insert(row).exec_without_returning(&tx).await.expect("usage");
    app.commit(tx).await;
}

#[tokio::test]
async fn a_larger_share_names_who_gains_and_how_many_evaluations_that_is() {
    let world = World::new().await;
    let app = &world.app;
    let id = serve(app, rollout(50)).await;
    for (application, hours_ago, yes, no) in
        [("till", 1, 400, 500), ("till", 23, 100, 0), ("web", 2, 10, 20), ("web", 25, 9_000, 9_000)]
    {
        used(app, application, hours_ago, yes, no).await;
    }
    let mut update = rollout(60);
    update["id"] = id.clone();
    let request = world.request(world.ada, State::InReview, &[of(world.target(), "updateStrategy", update)]).await;
    let before = app.event_types().await;
    let told = app.admin().get(&path(request)).await.expect(200);

    let gained = drawn(60) - drawn(50);
    assert!((900..1100).contains(&gained), "{gained}");
    let off = IDS - drawn(50);
    let changing = |no: usize| (no * gained + off / 2) / off;
    let share = f64::from(u32::try_from(gained).expect("few")) / 10_000.0;
    let expected = json!({
        "features": [{
            "feature": "cart",
            "environment": PRODUCTION,
            "basis": "synthetic",
            "contexts": IDS,
            "changed": { "count": gained, "share": share, "gained": gained, "lost": 0, "variant": 0 },
            "byConstraintValue": [],
            "evaluationsPerDay": {
                "total": 1030,
                "wouldChange": changing(520),
                "applications": [
                    { "appName": "till", "yes": 500, "no": 500, "wouldChange": changing(500) },
                    { "appName": "web", "yes": 10, "no": 20, "wouldChange": changing(20) },
                ],
            },
            "dependents": [],
            "reasons": [],
        }],
        "leftOut": 0,
    });
    assert_eq!(told, expected);
    // Nothing has changed.
    let strategies = app.admin().get(&format!("{CART}/environments/{PRODUCTION}/strategies")).await.expect(200);
    assert_eq!(strategies[0]["parameters"]["rollout"], "50");
    assert_eq!((app.event_types().await, world.read(request).await.state), (before, State::InReview));
}

#[tokio::test]
async fn a_segment_reaches_every_environment_and_the_features_that_apply_it_with_their_children() {
    let world = World::new().await;
    let app = &world.app;
    let regions = |values: &[&str]| json!([{ "contextName": "appName", "operator": "IN", "values": values }]);
    let segment = json!({ "name": "north", "project": "shop", "constraints": regions(&["till"]) });
    let segment = app.admin().post("/api/admin/segments", segment).await.expect(201)["id"].as_i64().expect("an id");
    serve(app, json!({ "name": "default", "segments": [segment] })).await;
    app.feature("shop", "child").await;
    let parent = json!({ "feature": "cart", "enabled": true });
    app.admin().post("/api/admin/projects/shop/features/child/dependencies", parent).await.expect(200);
    let child = format!("/api/admin/projects/shop/features/child/environments/{PRODUCTION}/on");
    app.admin().post(&child, json!({})).await.expect(200);

    let update = json!({ "id": segment, "name": "north", "constraints": regions(&["web"]) });
    let request =
        world.request(world.ada, State::InReview, &[of(Target::Segment(segment), "updateSegment", update)]).await;
    let told = app.admin().get(&path(request)).await.expect(200);
    let rows: Vec<Value> = told["features"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| {
            let changed = &one["changed"];
            json!([
                one["feature"],
                one["environment"],
                changed["gained"],
                changed["lost"],
                one["dependents"],
                one["reasons"]
            ])
        })
        .collect();
    let expected = [
        json!(["cart", "production", 3333, 3334, ["child"], []]),
        json!(["child", "production", 3333, 3334, [], []]),
        json!(["cart", "development", 0, 0, ["child"], ["off-before", "off-after"]]),
        json!(["child", "development", 0, 0, [], ["off-before", "off-after"]]),
    ];
    assert_eq!(rows, expected);
    let by_value = json!([
        { "contextName": "appName", "value": "till", "contexts": 3334,
          "changed": { "count": 3334, "share": 1.0, "gained": 0, "lost": 3334, "variant": 0 } },
        { "contextName": "appName", "value": "web", "contexts": 3333,
          "changed": { "count": 3333, "share": 1.0, "gained": 3333, "lost": 0, "variant": 0 } },
        { "contextName": "appName", "value": null, "contexts": 3333,
          "changed": { "count": 0, "share": 0.0, "gained": 0, "lost": 0, "variant": 0 } },
    ]);
    assert_eq!(told["features"][0]["byConstraintValue"], by_value);
}

#[tokio::test]
async fn an_impact_is_shown_while_there_is_something_to_apply_and_to_those_who_see_it() {
    let world = World::new().await;
    let app = &world.app;
    let viewer = app.person(role::VIEWER, None).await;
    serve(app, json!({ "name": "default" })).await;
    let draft = world.request(world.ada, State::Draft, &[switch("cart", false)]).await;
    assert_eq!(viewer.get(&path(draft)).await.status, 404);
    let open = world.request(world.ben, State::Approved, &[switch("cart", false)]).await;
    let told = viewer.get(&path(open)).await.expect(200);
    assert_eq!(
        (&told["features"][0]["changed"]["lost"], &told["features"][0]["reasons"]),
        (&json!(IDS), &json!(["off-after"]))
    );

    let closed = world.request(world.cleo, State::Rejected, &[switch("cart", false)]).await;
    viewer.get(&path(closed)).await.refused(409, "ChangeRequestConflictError", "is closed");
    let gone = world.request(world.cleo, State::InReview, &[switch("nowhere", false)]).await;
    let answer = viewer.get(&path(gone)).await;
    assert_eq!((answer.status, answer.body["name"].as_str()), (409, Some("ChangeRequestConflictError")));
    let archived = world.request_in("shop", "development", world.ben, State::InReview, &[of_archive()]).await;
    let told = viewer.get(&path(archived)).await.expect(200);
    let row = |place: usize| {
        (told["features"][place]["environment"].clone(), told["features"][place]["changed"]["lost"].clone())
    };
    assert_eq!([row(0), row(1)], [(json!("development"), json!(0)), (json!(PRODUCTION), json!(IDS))]);
}

fn of_archive() -> flagstone::store::change_requests::NewChange {
    crate::change_requests::world::change(
        feature("cart"),
        flagstone::domain::change_request::action::Action::ArchiveFeature,
    )
}

#[tokio::test]
async fn sampled_contexts_take_the_place_of_made_ones_without_their_ids() {
    let config = Config { sample_contexts_every: 2, ..Config::default() };
    let world = World::with_config(config).await;
    let app = &world.app;
    app.admin().post("/api/admin/context", json!({ "name": "region" })).await.expect(201);
    let constraint = json!({ "contextName": "region", "operator": "IN", "values": ["north"] });
    let id = serve(app, json!({ "name": "default", "constraints": [constraint] })).await;
    let browser = app.browser(&["shop"], PRODUCTION).await;
    // Of each pair the first is sampled.
    for number in 0..400 {
        let region = if number % 8 == 0 { "south" } else { "north" };
        let path = format!("/api/frontend?userId=ada-{number}&properties[region]={region}");
        browser.get(&path).await.expect(200);
    }
    let constraint = json!({ "contextName": "region", "operator": "IN", "values": ["south"] });
    let update = json!({ "id": id, "name": "default", "constraints": [constraint] });
    let request = world.request(world.ada, State::InReview, &[of(world.target(), "updateStrategy", update)]).await;
    let told = app.admin().get(&path(request)).await.expect(200);
    let found = &told["features"][0];
    assert_eq!((&found["basis"], &found["contexts"], &found["reasons"]), (&json!("sampled"), &json!(200), &json!([])));
    let changed = json!({ "count": 200, "share": 1.0, "gained": 50, "lost": 150, "variant": 0 });
    assert_eq!(found["changed"], changed);
    assert!(!told.to_string().contains("ada"), "{told}");
}
