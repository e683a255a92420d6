//! A project whose changes in `production` need approvals, and those who work there.

use flagstone::{
    domain::change_request::{review::Verdict, state::State},
    store::{
        change_requests::{self, NewChangeRequest, schedules},
        entity::change_request,
    },
};
use poem::http::Method;
use sea_orm::EntityTrait;
use serde_json::{Value, json};

use super::world::{PRODUCTION, put, switch};
use crate::{
    authorization::somebody_granted,
    harness::{Answer, Client, TestApp},
};

/// Path at which changes are requested.
pub const REQUEST: &str = "/api/admin/projects/shop/environments/production/change-requests";
/// The change requests of the project.
pub const ALL: &str = "/api/admin/projects/shop/change-requests";
/// The configuration of the environment.
pub const CONFIG: &str = "/api/admin/projects/shop/environments/production/change-requests/config";
/// The feature.
pub const CART: &str = "/api/admin/projects/shop/features/cart";

/// A server with the project `shop` and its feature `cart`.
pub struct Shop {
    pub app: TestApp,
    /// Requests changes, and has no permission for anything.
    pub ada: Client,
    /// Approves and applies them.
    pub ben: Client,
    /// Approves them, too.
    pub cleo: Client,
}

impl Shop {
    /// Changes in `production` need so many approvals.
    pub async fn needing(approvals: i64) -> Self {
        let app = TestApp::new().await;
        app.project("shop").await;
        app.feature("shop", "cart").await;
        let config = json!({ "changeRequestsEnabled": true, "requiredApprovals": approvals });
        app.admin().json(Method::PUT, CONFIG, config).await.expect(204);
        let ada = app.viewer().await;
        let ben = reviewer(&app, &["APPROVE_CHANGE_REQUEST", "APPLY_CHANGE_REQUEST"]).await;
        let cleo = reviewer(&app, &["APPROVE_CHANGE_REQUEST"]).await;
        Self { app, ada, ben, cleo }
    }

    /// Requests that `cart` is switched on, and sends that to review. Returns the id.
    pub async fn in_review(&self) -> i64 {
        let id = id_of(&self.ada.post(REQUEST, switching("cart", true)).await.expect(200));
        self.to(&self.ada, id, "In review").await.expect(200);
        id
    }

    /// Asks for a state.
    pub async fn to(&self, client: &Client, id: i64, state: &str) -> Answer {
        client.json(Method::PUT, &format!("{ALL}/{id}/state"), json!({ "state": state })).await
    }

    pub async fn read(&self, id: i64) -> Value {
        self.app.root_admin().await.get(&format!("{ALL}/{id}")).await.expect(200)
    }

    /// The types of the events since there were so many.
    pub async fn events_since(&self, before: usize) -> Vec<String> {
        self.app.event_types().await.split_off(before)
    }

    /// Puts a change request of a user, which needs two approvals, into a state as it is, with them where they have been
    /// given then. Returns its id and that of its first change.
    pub async fn put(&self, user: i64, state: State) -> (i64, i64) {
        let new = NewChangeRequest { project: "shop", environment: PRODUCTION, created_by: user, min_approvals: 2 };
        let (id, changes) = put(&self.app, &new, state, &[switch("cart", true), switch("cart", false)]).await;
        let (tx, now) = (self.app.tx().await, self.app.clock.now());
        if matches!(state, State::Approved | State::Scheduled) {
            let request = change_requests::find(&tx, id).await.expect("reads").expect("a change request");
            for reviewer in [&self.ben, &self.cleo].map(|client| client.user_id.expect("a person")) {
                let (approval, digest) = (Verdict::Approval, request.digest());
                change_requests::add_review(&tx, id, reviewer, approval, &digest, now).await.expect("approves");
            }
        }
        if state == State::Scheduled {
            schedules::set(&tx, id, now.plus_days(1), user).await.expect("schedules");
        }
        self.app.commit(tx).await;
        (id, changes[0])
    }

    /// Removes a change request, whatever its state.
    pub async fn remove(&self, id: i64) {
        let tx = self.app.tx().await;
        change_request::Entity::delete_by_id(id).exec(&tx).await.expect("removes");
        self.app.commit(tx).await;
    }
}

/// Somebody who has these permissions in `production`.
pub async fn reviewer(app: &TestApp, permissions: &[&str]) -> Client {
    let grants: Vec<_> = permissions.iter().map(|permission| (*permission, Some(PRODUCTION))).collect();
    somebody_granted(app, Some("shop"), &grants).await
}

/// A change that switches a feature.
pub fn switching(feature: &str, enabled: bool) -> Value {
    json!({ "feature": feature, "action": "updateEnabled", "payload": { "enabled": enabled } })
}

/// A change that adds a rollout to a feature.
pub fn adding(feature: &str, title: &str) -> Value {
    let payload = json!({ "name": "flexibleRollout", "title": title, "parameters": { "rollout": "50" } });
    json!({ "feature": feature, "action": "addStrategy", "payload": payload })
}

pub fn id_of(body: &Value) -> i64 {
    body["id"].as_i64().expect("an id")
}
