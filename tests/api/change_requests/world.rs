//! A project with a feature, its people, and change requests in the states that a test needs.

use flagstone::{
    config::Config,
    domain::{
        change_request::{
            ChangeRequest, Target,
            action::{Action, Switch},
            state::State,
        },
        time::Timestamp,
    },
    store::{
        change_requests::{self, Head, NewChange, NewChangeRequest},
        db::Tx,
    },
};
use serde_json::json;

use crate::{
    authorization::{role_granted, somebody_granted},
    harness::{Client, TestApp},
};

/// The environment of the tests.
pub const PRODUCTION: &str = "production";
const APPLYING: &[(&str, Option<&str>)] = &[("APPLY_CHANGE_REQUEST", None)];

/// A server with the project `shop`, its feature `cart`, and three people who may apply change requests.
pub struct World {
    pub app: TestApp,
    pub cart: i64,
    pub ada: i64,
    pub ben: i64,
    pub cleo: i64,
}

impl World {
    pub async fn new() -> Self {
        Self::with_config(Config::default()).await
    }

    pub async fn with_config(config: Config) -> Self {
        let app = Box::pin(TestApp::with_config(config)).await;
        app.project("shop").await;
        let cart = app.feature("shop", "cart").await;
        let role = role_granted(&app, false, APPLYING).await;
        let mut people = Vec::new();
        for _ in 0..3 {
            people.push(app.person(role, None).await.user_id.expect("a person"));
        }
        Self { app, cart, ada: people[0], ben: people[1], cleo: people[2] }
    }

    /// Somebody else who may apply change requests.
    pub async fn person(&self) -> Client {
        somebody_granted(&self.app, None, APPLYING).await
    }

    pub fn now(&self) -> Timestamp {
        self.app.clock.now()
    }

    pub async fn read(&self, id: i64) -> ChangeRequest {
        change_requests::find(self.app.db(), id).await.expect("reads").expect("a change request")
    }

    /// A change request of a user in `production` with these changes, in a state that it is put into as it is.
    pub async fn request(&self, user: i64, state: State, changes: &[NewChange]) -> i64 {
        self.request_in("shop", PRODUCTION, user, state, changes).await
    }

    pub async fn request_in(
        &self,
        project: &str,
        environment: &str,
        user: i64,
        state: State,
        changes: &[NewChange],
    ) -> i64 {
        let new = NewChangeRequest { project, environment, created_by: user, min_approvals: 1 };
        put(&self.app, &new, state, changes).await.0
    }

    /// The feature `cart` with its internal id.
    pub fn target(&self) -> Target {
        Target::Feature { name: "cart".to_owned(), id: Some(self.cart) }
    }

    /// A change request of a user that is scheduled by that user for an instant.
    pub async fn scheduled(&self, user: i64, at: Timestamp, changes: &[NewChange]) -> i64 {
        let id = self.request(user, State::Scheduled, changes).await;
        let tx = self.app.tx().await;
        change_requests::schedules::set(&tx, id, at, user).await.expect("schedules");
        self.app.commit(tx).await;
        id
    }
}

/// Puts a new change request with these changes into a state as it is. Returns its id and those of the changes.
pub async fn put(app: &TestApp, new: &NewChangeRequest<'_>, state: State, changes: &[NewChange]) -> (i64, Vec<i64>) {
    let (tx, now) = (app.tx().await, app.clock.now());
    let (head, created) = change_requests::join_or_create(&tx, new, now).await.expect("joins");
    assert!(created, "the user has a pending one");
    let ids = change_requests::append(&tx, &head, changes, new.created_by, now).await.expect("appends");
    if state != State::Draft {
        let head = held(&tx, head.id).await;
        assert!(change_requests::enter(&tx, &head, state, now).await.expect("enters"));
    }
    app.commit(tx).await;
    (head.id, ids)
}

/// Whether `cart` is on in an environment.
pub async fn is_on(app: &TestApp, environment: &str) -> bool {
    let path = format!("/api/admin/projects/shop/features/cart/environments/{environment}");
    app.admin().get(&path).await.expect(200)["enabled"] == true
}

/// Creates a segment of the whole instance. Returns its id.
pub async fn segment(client: &Client) -> i64 {
    let new = json!({ "name": "staff", "constraints": [] });
    client.post("/api/admin/segments", new).await.expect(201)["id"].as_i64().expect("an id")
}

/// A server with the project `shop` and its features `f` and `g`.
pub async fn two_features() -> TestApp {
    let app = TestApp::new().await;
    app.project("shop").await;
    for name in ["f", "g"] {
        app.feature("shop", name).await;
    }
    app
}

/// The change request with this id, locked.
pub async fn held(tx: &Tx, id: i64) -> Head {
    change_requests::hold(tx, id).await.expect("reads").expect("a change request")
}

/// A change that has no snapshot.
pub fn change(target: Target, action: Action) -> NewChange {
    NewChange { target, action, snapshot: None }
}

/// A feature by its name alone.
pub fn feature(name: &str) -> Target {
    Target::Feature { name: name.to_owned(), id: None }
}

/// A change that switches a feature on or off.
pub fn switch(name: &str, enabled: bool) -> NewChange {
    let switch = Switch { enabled, should_activate_disabled_strategies: None };
    change(feature(name), Action::UpdateEnabled(switch))
}

/// A change by the name of its action and its payload.
pub fn of(target: Target, action: &str, payload: serde_json::Value) -> NewChange {
    change(target, Action::read(action, Some(payload)).expect("an action"))
}
