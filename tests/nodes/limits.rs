//! Two nodes do not pass a limit together.

use flagstone::{
    config::Limits,
    domain::secret,
    store::{
        self,
        db::{Db, NoEvent},
        entity::{user_feedback, user_splash},
        notices::Feedback,
    },
};
use futures_util::future::join;
use poem::http::Method;
use sea_orm::EntityTrait as _;
use serde_json::{Value, json};

use crate::cluster::{ADMINISTRATOR, Node, migrated_database, nodes_on};

/// Number of times that each limit is tried to be passed.
const ROUNDS: usize = 15;

/// A request with its method, path and body.
type Asked = (Method, String, Value);

/// Has each of two nodes answer one of these at once.
async fn both(nodes: &[Node; 2], [one, other]: [&Asked; 2], caller: (&str, &str)) -> [(u16, Value); 2] {
    join(answer(&nodes[0], one, caller), answer(&nodes[1], other, caller)).await.into()
}

async fn answer(node: &Node, (method, path, body): &Asked, caller: (&str, &str)) -> (u16, Value) {
    let response = node.ask(method.clone(), path, Some(body.clone()), caller).await;
    let status = response.status().as_u16();
    let text = response.into_body().into_string().await.expect("a body");
    (status, serde_json::from_str(&text).unwrap_or_default())
}

/// The body of the one that succeeded with this status, when the other exceeded the limit.
fn the_one_admitted(answers: [(u16, Value); 2], success: u16, what: &str) -> Value {
    let statuses = [answers[0].0, answers[1].0];
    let (admitted, refused): (Vec<_>, Vec<_>) = answers.into_iter().partition(|(status, _)| *status == success);
    assert_eq!((admitted.len(), refused.len()), (1, 1), "{what}: {statuses:?}");
    assert_eq!((refused[0].0, &refused[0].1["name"]), (400, &json!("ExceedsLimitError")), "{what}: {}", refused[0].1);
    admitted.into_iter().map(|(_, body)| body).next().expect("one")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_there_is_room_for_once_is_made_once_when_two_nodes_are_asked() {
    let Some(url) = migrated_database().await else { return };
    let ([plain], clock) = nodes_on::<1>(&url).await;
    let mut kinds = [
        ("projects", "projects", "id", json!({})),
        ("environments", "environments", "name", json!({ "type": "test" })),
        ("segments", "segments", "id", json!({ "constraints": [] })),
        (
            "addons",
            "addons",
            "id",
            json!({
                "provider": "webhook", "enabled": true, "events": ["feature-created"],
                "parameters": { "url": "http://127.0.0.1:9/told" },
            }),
        ),
        ("banners", "banners", "id", json!({ "message": "Hello" })),
    ];
    let mut room = Vec::new();
    for (path, property, ..) in &kinds {
        let found = plain.call(Method::GET, &format!("/api/admin/{path}"), None).await;
        room.push(1 + u64::try_from(found[property].as_array().expect("a list").len()).expect("few"));
    }
    // How many banners there may be is fixed.
    for _ in 0..100 - room[4] {
        plain.call(Method::POST, "/api/admin/banners", Some(kinds[4].3.clone())).await;
    }
    let limits = Limits {
        projects: room[0],
        environments: room[1],
        segments: room[2],
        integrations: room[3],
        ..Limits::default()
    };
    let db = async || Db::open(&url).await.expect("a database");
    let nodes = [Node::with(db().await, clock.clone(), limits.clone()), Node::with(db().await, clock.clone(), limits)];
    for round in 0..ROUNDS {
        for (kind, _, key, body) in &mut kinds {
            let path = format!("/api/admin/{kind}");
            let named = |which: &str| {
                let mut body = body.clone();
                if !matches!(*kind, "addons" | "banners") {
                    body["name"] = format!("{which}-{round}").into();
                }
                (Method::POST, path.clone(), body)
            };
            let made = both(&nodes, [&named("one"), &named("other")], ADMINISTRATOR).await;
            let made = the_one_admitted(made, 201, kind);
            let key = made[*key].as_str().map_or_else(|| made[*key].to_string(), str::to_owned);
            plain.call(Method::DELETE, &format!("{path}/{key}"), None).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_project_that_is_revived_while_one_is_made_shares_the_room_that_there_is() {
    let Some(url) = migrated_database().await else { return };
    let ([plain], clock) = nodes_on::<1>(&url).await;
    let limits = Limits { projects: 2, ..Limits::default() };
    let db = async || Db::open(&url).await.expect("a database");
    let nodes = [Node::with(db().await, clock.clone(), limits.clone()), Node::with(db().await, clock.clone(), limits)];
    plain.call(Method::POST, "/api/admin/projects", Some(json!({ "id": "old", "name": "Old" }))).await;
    let revive = (Method::POST, "/api/admin/projects/revive/old".to_owned(), Value::Null);
    let make = (Method::POST, "/api/admin/projects".to_owned(), json!({ "id": "new", "name": "New" }));
    for round in 0..ROUNDS {
        plain.call(Method::POST, "/api/admin/projects/archive/old", None).await;
        let [revived, created] = both(&nodes, [&revive, &make], ADMINISTRATOR).await;
        assert!(matches!((revived.0, created.0), (200, 400) | (400, 201)), "round {round}: {revived:?} {created:?}");
        if created.0 == 201 {
            plain.call(Method::DELETE, "/api/admin/projects/new", None).await;
            plain.call(Method::POST, "/api/admin/projects/revive/old", None).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_feature_that_moves_into_a_project_while_one_is_made_there_shares_the_room_that_there_is() {
    let Some(url) = migrated_database().await else { return };
    let (nodes, _) = nodes_on::<2>(&url).await;
    let plain = &nodes[0];
    plain.create("mover").await;
    plain.call(Method::POST, "/api/admin/projects", Some(json!({ "id": "small", "name": "Small" }))).await;
    let room = json!({ "featureLimit": 1 });
    plain.call(Method::PUT, "/api/admin/projects/small/settings", Some(room)).await;
    let moving = |from: &str, to: &str| {
        let path = format!("/api/admin/projects/{from}/features/mover/changeProject");
        (Method::POST, path, json!({ "newProjectId": to }))
    };
    let features = "/api/admin/projects/small/features";
    for round in 0..ROUNDS {
        let make = (Method::POST, features.to_owned(), json!({ "name": format!("made-{round}") }));
        let [moved, created] = both(&nodes, [&moving("default", "small"), &make], ADMINISTRATOR).await;
        assert!(matches!((moved.0, created.0), (200, 403) | (403, 201)), "round {round}: {moved:?} {created:?}");
        if moved.0 == 200 {
            let (method, path, body) = moving("small", "default");
            plain.call(method, &path, Some(body)).await;
        } else {
            plain.call(Method::DELETE, &format!("{features}/made-{round}"), None).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_a_person_saw_and_answered_on_two_nodes_at_once_shares_the_room_that_there_is() {
    let Some(url) = migrated_database().await else { return };
    let (nodes, clock) = nodes_on::<2>(&url).await;
    let user = json!({ "username": "ada", "rootRole": 1, "sendEmail": false });
    let user = nodes[0].call(Method::POST, "/api/admin/user-admin", Some(user)).await["id"].as_i64().expect("an id");
    let (db, now) = (&nodes[0].state.db, clock.now());
    let secret = secret::personal_secret();
    let tx = db.begin().await.expect("begins");
    store::tokens::insert_personal_token(&tx, user, "test", &secret, now.plus_days(1), now).await.expect("a token");
    for number in 0..99 {
        let (id, never_show) = (format!("before-{number}"), false);
        store::notices::saw(&tx, user, &id, now).await.expect("seen");
        store::notices::answer(&tx, user, &Feedback { id, never_show, given_at: None }).await.expect("answered");
    }
    tx.commit_without_event(NoEvent::Personal).await.expect("commits");
    for _ in 0..ROUNDS {
        let caller = ("authorization", &*secret);
        let saw = |id: &str| (Method::POST, format!("/api/admin/splash/{id}"), Value::Null);
        the_one_admitted(both(&nodes, [&saw("one"), &saw("other")], caller).await, 200, "notices");
        let answered = |id: &str| (Method::POST, "/api/admin/feedback".to_owned(), json!({ "feedbackId": id }));
        the_one_admitted(both(&nodes, [&answered("one"), &answered("other")], caller).await, 200, "answers");
        let tx = db.begin().await.expect("begins");
        for id in ["one", "other"] {
            user_splash::Entity::delete_by_id((user, id.to_owned())).exec(&tx).await.expect("deletes");
            user_feedback::Entity::delete_by_id((user, id.to_owned())).exec(&tx).await.expect("deletes");
        }
        tx.commit_without_event(NoEvent::Personal).await.expect("commits");
    }
}
