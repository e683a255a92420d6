//! The five people, each hired through the API and signed in with a password of their own.

use poem::http::{Method, header};
use serde_json::{Value, json};

use crate::{
    harness::{Client, role},
    team::{Team, books::SYSTEM},
};

const PASSWORD: &str = "Correct-Horse-7-Battery";

/// People who work on the flags.
pub struct People {
    /// Administrator.
    pub boss: Client,
    /// Editor.
    pub editor: Client,
    /// Viewer who owns the shop.
    pub owner: Client,
    /// Viewer who is a member of both projects.
    pub member: Client,
    /// Viewer.
    pub viewer: Client,
}

impl People {
    /// The first administrator is there from the start; they hire the others.
    pub async fn hire(team: &mut Team) -> Self {
        let founder = team.app.admin();
        let boss = hire(team, &founder, "boss", role::ADMIN).await;
        let editor = hire(team, &boss, "editor", role::EDITOR).await;
        let owner = hire(team, &boss, "owner", role::VIEWER).await;
        let member = hire(team, &boss, "member", role::VIEWER).await;
        let viewer = hire(team, &boss, "viewer", role::VIEWER).await;
        Self { boss, editor, owner, member, viewer }
    }

    pub fn with_root_roles(&self) -> [(&Client, i64); 5] {
        [
            (&self.boss, role::ADMIN),
            (&self.editor, role::EDITOR),
            (&self.owner, role::VIEWER),
            (&self.member, role::VIEWER),
            (&self.viewer, role::VIEWER),
        ]
    }

    /// So that nobody counts as inactive.
    pub async fn everybody_looks_in(&self, team: &Team) {
        for (who, _) in self.with_root_roles() {
            team.calls(who, Method::GET, "/api/admin/projects", Value::Null).await;
        }
    }
}

async fn hire(team: &mut Team, by: &Client, name: &str, root_role: i64) -> Client {
    let user = json!({ "username": name, "password": PASSWORD, "rootRole": root_role, "sendEmail": false });
    let made = team.calls(by, Method::POST, "/api/admin/user-admin", user).await;
    let id = made["id"].as_i64().expect("an id");
    let at = team.app.clock.now().millis() - 1_000;
    team.books.note("user-created", None, None, by.user_id.unwrap_or(-42), at);
    assert_ne!(id, SYSTEM);

    let login = json!({ "username": name, "password": PASSWORD });
    let signed_in = team.app.anonymous().post("/auth/simple/login", login).await;
    let cookie = signed_in.headers[header::SET_COOKIE].to_str().expect("a text").split(';').next().expect("a pair");
    let expires = team.app.clock.now().plus_days(400);
    let token = serde_json::to_vec(&json!({ "description": "scripts", "expiresAt": expires })).expect("JSON");
    let headers = [("Cookie", cookie), ("Content-Type", "application/json")];
    let anonymous = team.app.anonymous();
    let token = anonymous.request(Method::POST, "/api/admin/user/tokens", &headers, token).await.expect(201);
    team.books.note("pat-created", None, None, id, team.app.clock.now().millis());
    team.app.clock.advance(1_000);
    let mut client = team.app.with_authorization(token["secret"].as_str().expect("a secret"));
    client.user_id = Some(id);
    client
}
