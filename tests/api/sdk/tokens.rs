use flagstone::{
    accounts,
    domain::{
        actor::Actor,
        event::NewEvent,
        event_kind::EventKind,
        secret::TokenKind,
        time::Timestamp,
        token::{Maker, Reach},
    },
    jobs,
    store::entity::api_token,
};
use poem::http::Method;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, sea_query::Expr};

use super::FEATURES;
use crate::harness::TestApp;

#[tokio::test]
async fn only_programs_are_let_in() {
    let app = TestApp::new().await;
    let reach = Reach { kind: TokenKind::Frontend, projects: vec!["*".to_owned()], environment: "development".into() };
    let made =
        accounts::create_token(app.db(), &reach, "t", None, app.clock.now(), Maker::operator(&Actor::system())).await;
    let frontend = app.with_authorization(&made.expect("a token"));
    let token = app.program_token(&["*"], "development", None).await;
    for path in [FEATURES, "/api/client/features/f", "/api/client/delta", "/api/client/streaming"] {
        frontend.get(path).await.refused(403, "NoAccessError", "kind");
        app.root_admin().await.get(path).await.refused(403, "NoAccessError", "kind");
        app.anonymous().get(path).await.refused(401, "AuthenticationRequired", "token");
        for unknown in ["user:nobody", "*:development.unknown", "", "Basic x", &token.to_uppercase()] {
            app.with_authorization(unknown).get(path).await.refused(401, "AuthenticationRequired", "token");
        }
    }
    for header in [token.clone(), format!("Bearer {token}"), format!("bearer  {token} ")] {
        app.with_authorization(&header).get(FEATURES).await.expect(200);
    }
    // A session is no program.
    let cookie = [("cookie", "unleash-session=anything")];
    let answer = app.anonymous().request(Method::GET, FEATURES, &cookie, vec![]).await;
    answer.refused(401, "AuthenticationRequired", "token");
}

#[tokio::test]
async fn a_token_serves_until_it_ends_or_is_taken_away() {
    let app = TestApp::new().await;
    let ends = app.clock.now().plus_millis(1000);
    let ending = app.with_authorization(&app.program_token(&["*"], "development", Some(ends)).await);
    let other = app.with_authorization(&app.program_token(&["*"], "development", None).await);
    ending.get(FEATURES).await.expect(200);
    other.get(FEATURES).await.expect(200);
    let mut stream = ending.follow("/api/client/streaming", &[]).await;
    assert_eq!(stream.next().await.expect("a greeting").0, "unleash-connected");
    app.clock.advance(999);
    ending.get(FEATURES).await.expect(200);
    app.clock.advance(1);
    ending.get(FEATURES).await.refused(401, "AuthenticationRequired", "token");
    app.db().note_change();
    assert!(stream.next().await.is_none(), "the stream of an ended token ends");

    let mut stream = other.follow("/api/client/streaming", &[]).await;
    assert_eq!(stream.next().await.expect("a greeting").0, "unleash-connected");
    let tx = app.tx().await;
    let gone = api_token::Column::Environment.eq("development");
    api_token::Entity::delete_many().filter(gone).exec(&tx).await.expect("deletes");
    let event = NewEvent::new(EventKind::ApiTokenDeleted, &Actor::system());
    tx.commit(app.clock.now(), [event]).await.expect("commits");
    other.get(FEATURES).await.refused(401, "AuthenticationRequired", "token");
    assert!(stream.next().await.is_none(), "the stream of a deleted token ends");
}

#[tokio::test]
async fn a_change_of_what_a_token_reaches_counts_at_once() {
    let app = TestApp::new().await;
    app.project("shop").await;
    app.feature("shop", "f").await;
    let program = app.program(&["other"], "development").await;
    assert_eq!(super::names(&program.get(FEATURES).await.expect(200)), Vec::<&str>::new());
    let tx = app.tx().await;
    flagstone::store::entity::api_token_project::Entity::update_many()
        .col_expr(flagstone::store::entity::api_token_project::Column::Project, Expr::value("shop"))
        .filter(flagstone::store::entity::api_token_project::Column::Project.eq("other"))
        .exec(&tx)
        .await
        .expect("updates");
    let event = NewEvent::new(EventKind::ApiTokenUpdated, &Actor::system());
    tx.commit(app.clock.now(), [event]).await.expect("commits");
    assert_eq!(super::names(&program.get(FEATURES).await.expect(200)), ["f"]);
}

#[tokio::test]
async fn the_last_use_of_a_token_is_written_now_and_then() {
    let app = TestApp::new().await;
    let program = app.program(&["*"], "development").await;
    let seen = async || {
        let row =
            api_token::Entity::find().filter(api_token::Column::Environment.eq("development")).one(app.db()).await;
        row.expect("reads").expect("exists").seen_at
    };
    let write = async || flagstone::jobs::write_usage(&app.state).await.expect("writes");
    program.get(FEATURES).await.expect(200);
    assert_eq!(seen().await, None);
    let first = app.clock.now();
    write().await;
    assert_eq!(seen().await, Some(first));
    app.clock.advance(29_999);
    program.get(FEATURES).await.expect(200);
    write().await;
    assert_eq!(seen().await, Some(first), "not worth a write");
    app.clock.advance(1);
    program.get(FEATURES).await.expect(200);
    write().await;
    assert_eq!(seen().await, Some(Timestamp::from_millis(first.millis() + 30_000)));
    assert!(jobs::JOBS.iter().any(|job| job.name == "usage"));
}
