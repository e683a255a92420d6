//! Two hundred made-up sequences of changes, made directly in one world and requested, approved and applied in another:
//! either both succeed and nothing differs, or both are refused and the second world is as before.

use std::collections::{BTreeMap, HashMap};

use flagstone::{domain::change_request::state::State, store::change_requests};
use regex::{Captures, Regex};
use serde_json::{Value, json};

use super::{
    apply, approved, caller,
    generated::{Dice, Feature, Scene, Step, sequence},
};
use crate::change_requests::world::{World, held};

const SEQUENCES: u64 = 200;

/// Makes two features with two strategies each, and a segment of the project.
async fn scene(world: &World, number: u64) -> Scene {
    let admin = world.app.admin();
    let mut features = Vec::new();
    for letter in ["f", "g"] {
        let name = format!("{letter}{number}");
        let id = world.app.feature("shop", &name).await;
        let path = format!("/api/admin/projects/shop/features/{name}/environments/development/strategies");
        let mut strategies = Vec::new();
        for (disabled, position) in [(true, 50), (false, 60)] {
            let new = json!({ "name": "default", "disabled": disabled, "sortOrder": position });
            strategies.push(admin.post(&path, new).await.expect(200)["id"].as_str().expect("an id").to_owned());
        }
        features.push(Feature { name, id, strategies });
    }
    let segment = json!({ "name": format!("staff of f{number}"), "project": "shop", "constraints": [] });
    let segment = admin.post("/api/admin/segments", segment).await.expect(201)["id"].as_i64().expect("an id");
    Scene { features: features.try_into().expect("two"), segment }
}

/// Everything that can be read of a scene, with ids by the order of their coming.
async fn told(world: &World, scene: &Scene) -> String {
    let admin = world.app.admin();
    let mut all = Vec::new();
    for Feature { name, .. } in &scene.features {
        let feature = format!("/api/admin/projects/shop/features/{name}");
        for path in [
            feature.clone(),
            format!("{feature}/variants"),
            format!("{feature}/environments/development"),
            format!("{feature}/environments/production"),
        ] {
            let answer = admin.get(&path).await;
            all.push(json!({ "path": path, "status": answer.status, "body": comparable(answer.body) }));
        }
    }
    let export = json!({ "environment": "development", "features": scene.features.each_ref().map(|one| &one.name) });
    let answer = admin.post("/api/admin/features-batch/export", export).await;
    all.push(json!({ "export": comparable(answer.body) }));
    let segment = admin.get(&format!("/api/admin/segments/{}", scene.segment)).await;
    all.push(json!({ "status": segment.status, "segment": comparable(segment.body) }));
    let program = world.app.program(&["shop"], "development").await;
    let programs = program.get("/api/client/features").await.expect(200);
    let own = |feature: &&Value| scene.features.iter().any(|one| feature["name"] == *one.name);
    all.push(json!(programs["features"].as_array().expect("a list").iter().filter(own).collect::<Vec<_>>()));
    numbered(&canonical(&json!(all)))
}

/// Without who had a hand in it, and of a refusal its kind alone.
fn comparable(mut body: Value) -> Value {
    if body.get("message").is_some() {
        return json!(body["name"]);
    }
    if let Some(feature) = body.as_object_mut() {
        feature.remove("collaborators");
    }
    body
}

/// The events since, without who made them.
async fn events(world: &World, since: usize) -> String {
    let events = world.app.events().await.split_off(since);
    let parsed = |text: &Option<String>| text.as_ref().map(|text| serde_json::from_str::<Value>(text).expect("JSON"));
    let shown = events.iter().filter(|event| !event.r#type.starts_with("change-request-")).map(|event| {
        json!([
            event.r#type,
            event.project,
            event.environment,
            event.feature_name,
            parsed(&event.data),
            parsed(&event.pre_data),
        ])
    });
    numbered(&canonical(&json!(shown.collect::<Vec<_>>())))
}

fn canonical(value: &Value) -> String {
    flagstone::domain::change_request::digest::canonical(value)
}

/// The text with each UUID as the number of its first place.
fn numbered(text: &str) -> String {
    let uuid = Regex::new("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}").expect("a pattern");
    let mut seen: HashMap<String, usize> = HashMap::new();
    let number = |found: &Captures<'_>| {
        let next = seen.len();
        format!("#{}", seen.entry(found[0].to_owned()).or_insert(next))
    };
    uuid.replace_all(text, number).into_owned()
}

/// Makes the steps directly, up to the first that is refused. Returns whether none was.
async fn directly(world: &World, scene: &Scene, steps: &[Step]) -> bool {
    let admin = world.app.admin();
    for step in steps {
        let answer = step.call(&admin, scene).await;
        assert!(answer.status < 500, "{step:?}: {}", answer.text);
        if answer.status >= 300 {
            return false;
        }
    }
    true
}

/// Requests the steps and applies them. Returns whether they were applied.
async fn by_request(world: &World, scene: &Scene, steps: &[Step]) -> bool {
    let app = &world.app;
    let changes: Vec<_> = steps.iter().map(|step| step.change(scene)).collect();
    let id = approved(app, world.ada, world.ben, &changes).await;
    let caller = caller(app, world.cleo).await;
    let Err(error) = apply(app, &caller, id, false).await else { return true };
    assert!(error.to_string().starts_with("The change request cannot be applied. Change"), "{error}");
    // Out of the way of the next one.
    let tx = app.tx().await;
    let head = held(&tx, id).await;
    assert!(change_requests::enter(&tx, &head, State::Cancelled, world.now()).await.expect("enters"));
    app.commit(tx).await;
    false
}

#[tokio::test]
async fn a_request_does_what_the_direct_calls_do() {
    let (one, other) = (World::new().await, World::new().await);
    let mut outcomes: BTreeMap<bool, u64> = BTreeMap::new();
    for number in 0..SEQUENCES {
        let (direct, requested) = (scene(&one, number).await, scene(&other, number).await);
        assert_eq!(direct.segment, requested.segment);
        let steps = sequence(&mut Dice::new(number), direct.segment);
        let before = told(&other, &requested).await;
        let (since, since_other) = (one.app.events().await.len(), other.app.events().await.len());
        let succeeded = directly(&one, &direct, &steps).await;
        assert_eq!(by_request(&other, &requested, &steps).await, succeeded, "sequence {number}: {steps:?}");
        *outcomes.entry(succeeded).or_default() += 1;
        let left = events(&other, since_other).await;
        let expected = if succeeded { events(&one, since).await } else { "[]".to_owned() };
        assert_eq!(left, expected, "sequence {number}: {steps:?}");
        let expected = if succeeded { told(&one, &direct).await } else { before };
        assert_eq!(told(&other, &requested).await, expected, "sequence {number}: {steps:?}");
    }
    println!("{outcomes:?}");
    assert!(outcomes.values().all(|count| *count >= 30) && outcomes[&true] >= 80, "{outcomes:?}");
}
