//! Credentials of requests: forms of the header, kinds of tokens, their end, and the cookie beside them.

use flagstone::{
    accounts,
    domain::{
        actor::Actor,
        secret::TokenKind,
        time::Timestamp,
        token::{Maker, Reach},
    },
    store::entity::{app_user, personal_token},
};
use poem::http::Method;
use sea_orm::{ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter};
use serde_json::json;

use crate::{
    admin_token::ADMIN_TOKEN as ADMIN,
    harness::{TestApp, role, start_session},
};

const PROFILE: &str = "/api/admin/user/profile";
const OIDC: &str = "/api/admin/auth/oidc/settings";

async fn token(app: &TestApp, kind: TokenKind, environment: &str, expires_at: Option<Timestamp>) -> String {
    let reach = Reach { kind, projects: vec!["*".to_owned()], environment: environment.to_owned() };
    let made =
        accounts::create_token(app.db(), &reach, "t", expires_at, app.clock.now(), Maker::operator(&Actor::system()))
            .await;
    made.expect("a token")
}

/// A session of a new person, as a cookie.
async fn session(app: &TestApp, root_role_id: i64) -> (String, i64) {
    let user_id = app.person(root_role_id, None).await.user_id.expect("a person");
    let secret = format!("session-{user_id}");
    let (tx, now) = (app.tx().await, app.clock.now());
    let digest = flagstone::domain::secret::digest(&secret);
    start_session(&tx, &digest, user_id, now, now.plus_days(1)).await.expect("a session");
    app.commit(tx).await;
    (format!("first=1; unleash-session={secret}; last=2"), user_id)
}

#[tokio::test]
async fn the_header_takes_the_secret_bare_or_after_bearer() {
    let app = TestApp::new().await;
    for header in [ADMIN.to_owned(), format!("Bearer {ADMIN}"), format!("bearer   {ADMIN}"), format!("BEARER {ADMIN} ")]
    {
        let role = app.with_authorization(&header).get(PROFILE).await.expect(200);
        assert_eq!(role["rootRole"]["name"], "Admin", "{header}");
    }
    let unknown = [
        String::new(),
        "Bearer".to_owned(),
        "Bearer ".to_owned(),
        format!("Basic {ADMIN}"),
        format!("{ADMIN}x"),
        ADMIN.to_uppercase(),
        "user:nobody".to_owned(),
        "*:*.unknown".to_owned(),
        "[]:".to_owned(),
        "' OR ''='".to_owned(),
        "x".repeat(10_000),
    ];
    for header in unknown {
        let answer = app.with_authorization(&header).get(PROFILE).await;
        assert!(!answer.text.contains("admin-token"));
        answer.refused(401, "AuthenticationRequired", "");
    }
    let not_ascii = app.anonymous().request(Method::GET, PROFILE, &[("authorization", "caf\u{e9}")], vec![]).await;
    not_ascii.refused(401, "AuthenticationRequired", "");
}

#[tokio::test]
async fn tokens_of_the_wrong_kind_are_told_so() {
    let app = TestApp::new().await;
    for kind in [TokenKind::Client, TokenKind::Frontend] {
        let secret = token(&app, kind, "development", None).await;
        for path in [PROFILE, OIDC] {
            app.with_authorization(&secret).get(path).await.refused(403, "NoAccessError", "kind");
        }
        // A session beside it does not help.
        let (cookie, _) = session(&app, role::ADMIN).await;
        let answer = app.with_authorization(&secret).request(Method::GET, OIDC, &[("cookie", &cookie)], vec![]).await;
        answer.refused(403, "NoAccessError", "kind");
    }
}

#[tokio::test]
async fn a_token_serves_until_the_moment_it_ends() {
    let app = TestApp::new().await;
    let ends = app.clock.now().plus_millis(1000);
    let secret = token(&app, TokenKind::Admin, "*", Some(ends)).await;
    let person = app.viewer().await;
    let tx = app.tx().await;
    let row = personal_token::ActiveModel { expires_at: Set(ends), ..Default::default() };
    let of_person = personal_token::Column::UserId.eq(person.user_id.expect("a person"));
    personal_token::Entity::update_many().set(row).filter(of_person).exec(&tx).await.expect("an update");
    app.commit(tx).await;
    app.clock.advance(999);
    app.with_authorization(&secret).get(PROFILE).await.expect(200);
    person.get(PROFILE).await.expect(200);
    app.clock.advance(1);
    app.with_authorization(&secret).get(PROFILE).await.refused(401, "AuthenticationRequired", "");
    person.get(PROFILE).await.refused(401, "AuthenticationRequired", "");
    app.admin().get(PROFILE).await.expect(200);
}

#[tokio::test]
async fn a_personal_token_ends_with_its_user_and_when_it_is_deleted() {
    let app = TestApp::new().await;
    let (one, other) = (app.viewer().await, app.viewer().await);
    let tx = app.tx().await;
    let gone = app_user::ActiveModel {
        id: Set(one.user_id.expect("a person")),
        deleted_at: Set(Some(app.clock.now())),
        ..Default::default()
    };
    app_user::Entity::update(gone).exec(&tx).await.expect("an update");
    let of_other = personal_token::Column::UserId.eq(other.user_id.expect("a person"));
    personal_token::Entity::delete_many().filter(of_other).exec(&tx).await.expect("a deletion");
    app.commit(tx).await;
    for client in [one, other] {
        client.get(PROFILE).await.refused(401, "AuthenticationRequired", "");
    }
}

#[tokio::test]
async fn a_session_wins_over_an_admin_token_but_not_over_a_bad_header() {
    let app = TestApp::new().await;
    let (viewer, _) = session(&app, role::VIEWER).await;
    let (admin, user_id) = session(&app, role::ADMIN).await;
    let with = |cookie: &str| {
        let (client, cookie) = (app.admin(), cookie.to_owned());
        let json = ("content-type", "application/json");
        let body = json!({ "enabled": false }).to_string().into_bytes();
        async move { client.request(Method::POST, OIDC, &[json, ("cookie", &cookie)], body).await }
    };
    with(&viewer).await.refused(403, "NoAccessError", "ADMIN");
    with(&admin).await.expect(200);
    let events = app.events().await;
    assert_eq!(events[0].created_by_user_id, Some(user_id), "the person did it, not the token");
    let stale = "unleash-session=nobody";
    let answer = app.admin().request(Method::GET, OIDC, &[("cookie", stale)], vec![]).await;
    answer.expect(200);
    let bad = app.with_authorization("*:*.unknown");
    bad.request(Method::GET, OIDC, &[("cookie", &admin)], vec![]).await.refused(401, "AuthenticationRequired", "");
    let alone = app.anonymous().request(Method::GET, OIDC, &[("cookie", &admin)], vec![]).await;
    alone.expect(200);
}
