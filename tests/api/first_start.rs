//! First start of a new instance: its content, and the key that it starts with.

use flagstone::{
    config::presets::Presets,
    domain::password,
    start::{self, FirstSecrets, StartError},
    store::entity::{api_token, api_token_project, app_user},
    vault::Vault,
};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder};
use serde_json::json;

use crate::harness::TestApp;

const LATE: &str = "*:*.late-but-long-enough";

/// An instance without anybody.
async fn empty() -> TestApp {
    let app = TestApp::new().await;
    let tx = app.tx().await;
    api_token::Entity::delete_many().exec(&tx).await.expect("a deletion");
    app.commit(tx).await;
    app
}

fn presets(variables: &[(&str, &str)]) -> Presets {
    let given = |name: &str| variables.iter().find(|(given, _)| *given == name).map(|(_, value)| (*value).to_owned());
    Presets::from_variables(given)
}

async fn prepare(app: &TestApp, variables: &[(&str, &str)]) -> Result<FirstSecrets, StartError> {
    let state = &app.state;
    start::prepare(&state.db, &state.vault, &state.clock, &state.passwords, &presets(variables)).await
}

async fn names(app: &TestApp) -> Vec<String> {
    let people = app_user::Entity::find().filter(app_user::Column::IsSystem.eq(false));
    let people = people.order_by_asc(app_user::Column::Id).all(app.db()).await.expect("rows");
    people.into_iter().filter_map(|person| person.username).collect()
}

async fn kinds(app: &TestApp) -> Vec<String> {
    let tokens = api_token::Entity::find().order_by_asc(api_token::Column::Id).all(app.db()).await.expect("rows");
    tokens.into_iter().map(|token| token.r#type).collect()
}

async fn can_sign_in(app: &TestApp, username: &str, password: &str) -> bool {
    let body = json!({ "username": username, "password": password });
    app.anonymous().post("/auth/simple/login", body).await.status == 200
}

#[tokio::test]
async fn without_presets_the_first_user_and_token_are_generated_once() {
    let app = empty().await;
    let secrets = prepare(&app, &[]).await.expect("starts");
    let (name, generated) = secrets.user.clone().expect("a user");
    let token = secrets.admin_token.clone().expect("a token");
    assert_eq!((name.as_str(), password::judge(&generated)), ("admin", Ok(())));
    assert!(token.starts_with("*:*.") && token.len() == 60, "{token}");
    let shown = secrets.lines().join("\n");
    assert!(shown.contains("admin") && shown.contains(&generated) && shown.contains(&token));
    assert!(!format!("{secrets:?}").contains(&generated));

    assert!(can_sign_in(&app, "admin", &generated).await);
    let profile = app.with_authorization(&token).get("/api/admin/user/profile").await.expect(200);
    assert_eq!(profile["rootRole"]["name"], "Admin");
    let events = app.events().await;
    let told: Vec<_> = events.iter().map(|event| (event.r#type.as_str(), event.created_by.as_str())).collect();
    assert_eq!(told, [("user-created", "unleash_system_user"), ("api-token-created", "unleash_system_user")]);
    let told = format!("{events:?}");
    assert!(!told.contains(&token) && !told.contains(&generated) && !told.contains("argon2"));
    let stored = format!("{:?}", api_token::Entity::find().all(app.db()).await.expect("rows"));
    assert!(!stored.contains(token.split_once('.').expect("a secret").1));

    let again = prepare(&app, &[("INIT_ADMIN_API_TOKENS", LATE)]).await.expect("starts again");
    assert!(again.lines().is_empty());
    assert_eq!((names(&app).await, kinds(&app).await), (vec!["admin".to_owned()], vec!["admin".to_owned()]));
    assert_eq!(app.events().await.len(), 2);
}

#[tokio::test]
async fn preset_tokens_are_taken_as_they_are_and_nothing_is_generated_beside_a_preset_user() {
    let app = empty().await;
    let secrets = prepare(
        &app,
        &[
            ("INIT_ADMIN_API_TOKENS", "*:*.first-of-the-tokens, *:*.second-of-the-tokens"),
            ("INIT_CLIENT_API_TOKENS", "default:development.client-of-the-tests"),
            ("INIT_FRONTEND_API_TOKENS", "*:production.frontend-of-the-tests,[]:production.frontend-of-several"),
            ("UNLEASH_DEFAULT_ADMIN_USERNAME", "root"),
            ("UNLEASH_DEFAULT_ADMIN_PASSWORD", "unleash4all"),
        ],
    )
    .await;
    assert!(matches!(secrets, Err(StartError::Preset { .. })), "[] does not say which projects");
    assert_eq!((names(&app).await.len(), kinds(&app).await.len(), app.events().await.len()), (0, 0, 0));

    let variables = [
        ("INIT_ADMIN_API_TOKENS", "*:*.first-of-the-tokens, *:*.second-of-the-tokens"),
        ("INIT_CLIENT_API_TOKENS", "default:development.client-of-the-tests"),
        ("INIT_FRONTEND_API_TOKENS", "*:production.frontend-of-the-tests"),
        ("UNLEASH_DEFAULT_ADMIN_USERNAME", "root"),
        ("UNLEASH_DEFAULT_ADMIN_PASSWORD", "unleash4all"),
    ];
    assert!(prepare(&app, &variables).await.expect("starts").lines().is_empty());
    assert_eq!(kinds(&app).await, ["admin", "admin", "client", "frontend"]);
    for secret in ["*:*.first-of-the-tokens", "*:*.second-of-the-tokens"] {
        app.with_authorization(secret).get("/api/admin/user/profile").await.expect(200);
    }
    for secret in ["default:development.client-of-the-tests", "*:production.frontend-of-the-tests"] {
        let answer = app.with_authorization(secret).get("/api/admin/user/profile").await;
        answer.refused(403, "NoAccessError", "kind");
    }
    let reach = api_token_project::Entity::find().order_by_asc(api_token_project::Column::TokenId);
    let reach = reach.all(app.db()).await.expect("rows");
    assert_eq!(reach.iter().map(|row| row.project.as_str()).collect::<Vec<_>>(), ["*", "*", "default", "*"]);
    assert!(can_sign_in(&app, "root", "unleash4all").await);
    let told = format!("{:?}", app.events().await);
    assert!(!told.contains("of-the-t") && !told.contains("unleash4all"));
}

#[tokio::test]
async fn each_preset_stands_for_itself() {
    const NAME: &str = "UNLEASH_DEFAULT_ADMIN_USERNAME";
    const PASSWORD: &str = "UNLEASH_DEFAULT_ADMIN_PASSWORD";
    const CLIENT: (&str, &str) = ("INIT_CLIENT_API_TOKENS", "*:development.client-of-the-tests");
    type Expected = (&'static str, bool, &'static [&'static str]);
    // Given; name of the user, whether the password is shown, kinds of the tokens.
    let matrix: [(&[(&str, &str)], Expected); 6] = [
        (&[], ("admin", true, &["admin"])),
        (&[(NAME, "root")], ("root", true, &[])),
        (&[(PASSWORD, "Correct-horse-1")], ("admin", false, &[])),
        (&[(NAME, "root"), (PASSWORD, "Correct-horse-1")], ("root", false, &[])),
        (&[CLIENT], ("admin", true, &["client"])),
        (&[(NAME, "root"), (PASSWORD, "Correct-horse-1"), CLIENT], ("root", false, &["client"])),
    ];
    for (given, (name, shown, tokens)) in matrix {
        let app = empty().await;
        let secrets = prepare(&app, given).await.expect("starts");
        assert_eq!(names(&app).await, [name], "{given:?}");
        assert_eq!(secrets.user.is_some(), shown, "{given:?}");
        assert_eq!(kinds(&app).await, tokens, "{given:?}");
        assert_eq!(secrets.admin_token.is_some(), tokens == ["admin"], "{given:?}");
    }
}

#[tokio::test]
async fn preset_tokens_serve_an_instance_that_lost_all_of_its_own() {
    let app = empty().await;
    prepare(&app, &[("UNLEASH_DEFAULT_ADMIN_PASSWORD", "Correct-horse-1")]).await.expect("starts");
    assert!(prepare(&app, &[]).await.expect("starts").lines().is_empty(), "nothing is generated later on");
    assert_eq!(kinds(&app).await, Vec::<String>::new());
    prepare(&app, &[("INIT_ADMIN_API_TOKENS", LATE)]).await.expect("starts");
    assert_eq!(kinds(&app).await, ["admin"]);
    assert_eq!(names(&app).await, ["admin"]);
}

#[tokio::test]
async fn a_preset_that_is_no_token_stops_the_start_by_name_and_place() {
    let app = empty().await;
    for (variable, list, place, reason) in [
        ("INIT_ADMIN_API_TOKENS", "*:*.good-enough-for-a-test,hunter2", 2, "project:environment.secret"),
        ("INIT_ADMIN_API_TOKENS", "*:production.hunter2", 1, "cannot be bound"),
        ("INIT_CLIENT_API_TOKENS", "*:*.hunter2", 1, "needs one environment"),
        ("INIT_FRONTEND_API_TOKENS", "[]:dev.hunter2", 1, "at least one project"),
        ("INIT_CLIENT_API_TOKENS", "*:dev.hunter2-hunter2-hunter2,*:dev.hunter2-hunter2-hunter2", 2, "listed twice"),
        ("INIT_ADMIN_API_TOKENS", "*:*.good-enough-for-a-test,*:*.hunter2", 2, "after the dot, must have at least 16"),
        ("INIT_CLIENT_API_TOKENS", "a-long-project:with-a-long-environment.hunter2", 1, "at least 16 characters"),
    ] {
        let error = prepare(&app, &[(variable, list)]).await.expect_err("does not start");
        let text = error.to_string();
        assert!(text.contains(&format!("{place} of {variable}")) && text.contains(reason), "{text}");
        assert!(!format!("{text} {error:?}").contains("hunter2"), "{error:?}");
    }
    assert_eq!((names(&app).await.len(), app.events().await.len()), (0, 0), "nothing is left behind");
}

#[tokio::test]
async fn another_key_stops_the_start_and_forgetting_what_it_sealed_helps() {
    const OIDC: &str = "/api/admin/auth/oidc/settings";
    let app = TestApp::new().await;
    prepare(&app, &[]).await.expect("the first key is taken");
    prepare(&app, &[]).await.expect("and known again");
    app.admin().post(OIDC, json!({ "enabled": true, "clientId": "c", "secret": "s" })).await.expect(200);
    let (db, clock, passwords) = (app.db(), &app.clock, &app.state.passwords);
    let other = Vault::with_key(&[8; 32]);
    let error = start::prepare(db, &other, clock, passwords, &Presets::default()).await.expect_err("another key");
    assert!(matches!(error, StartError::WrongKey));
    assert!(error.to_string().contains("FLAGSTONE_KEY_FILE"), "{error}");

    let gone = start::forget_sealed(db, clock.now()).await.expect("forgets");
    assert_eq!(gone, ["unleash.enterprise.auth.oidc"]);
    start::prepare(db, &other, clock, passwords, &Presets::default()).await.expect("takes the other key");
    assert_eq!(app.admin().get(OIDC).await.expect(200), json!({ "enabled": false }));
    let last = app.events().await.pop().expect("an event");
    assert_eq!((last.r#type.as_str(), last.created_by.as_str()), ("setting-deleted", "unleash_system_user"));
}

#[tokio::test]
async fn preset_tokens_for_what_does_not_exist_are_named_without_their_secrets() {
    let app = empty().await;
    let variables = [
        ("INIT_ADMIN_API_TOKENS", "*:*.hush-hush-hush-hush-1"),
        ("INIT_BACKEND_API_TOKENS", "*:development.hush-hush-hush-hush-2, shop:prod.hush-hush-hush-hush-3"),
        ("INIT_CLIENT_API_TOKENS", "shop:prod.hush-hush-hush-hush-3"),
        ("INIT_FRONTEND_API_TOKENS", "default:staging.hush-hush-hush-hush-4"),
    ];
    prepare(&app, &variables).await.expect("starts");
    assert_eq!(kinds(&app).await, ["admin", "client", "client", "frontend"]);
    let unknown = start::unknown_places(&app.state.db, &presets(&variables)).await.expect("a look");
    let expected = [
        ("2 of INIT_BACKEND_API_TOKENS", "the environment \"prod\""),
        ("2 of INIT_BACKEND_API_TOKENS", "the project \"shop\""),
        ("1 of INIT_FRONTEND_API_TOKENS", "the environment \"staging\""),
    ];
    assert_eq!(unknown.len(), expected.len(), "{unknown:?}");
    for (told, (token, place)) in unknown.iter().zip(expected) {
        assert!(told.contains(token) && told.contains(place) && !told.contains("hush"), "{told}");
    }
}
