//! Sessions that several nodes know of.

use std::sync::Arc;

use flagstone::{
    domain::{secret, session::Client, sign_in::ProviderKey, sign_in_log::Method as Way, time::Timestamp},
    store::{
        db::NoEvent,
        sign_in::{
            identities::Subject,
            rechecks,
            sessions::{self, NewSessionProvider},
        },
        users::sessions::{Ending, NewSession, end_those, mark_seen, start},
    },
};
use poem::http::{Method, header};
use serde_json::json;

use crate::cluster::{ADMINISTRATOR, Node, nodes};

const PASSWORD: &str = "Correct-horse-1";
const PROFILE: &str = "/api/admin/user/profile";

/// Makes a user; gives the id.
async fn user(node: &Node, name: &str) -> i64 {
    let new = json!({ "username": name, "password": PASSWORD, "rootRole": 3, "sendEmail": false });
    node.call(Method::POST, "/api/admin/user-admin", Some(new)).await["id"].as_i64().expect("an id")
}

/// Signs a user in at a node; gives the cookie.
async fn sign_in(node: &Node, name: &str) -> String {
    let body = json!({ "username": name, "password": PASSWORD });
    let answer = node.ask(Method::POST, "/auth/simple/login", Some(body), ("accept", "application/json")).await;
    let set = answer.headers()[header::SET_COOKIE].to_str().expect("ASCII");
    set.split(';').next().expect("a pair").to_owned()
}

async fn status(node: &Node, cookie: &str) -> u16 {
    node.ask(Method::GET, PROFILE, None, ("cookie", cookie)).await.status().as_u16()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_session_that_ends_on_one_node_is_refused_by_the_next_request_on_any_other() {
    let Some(([one, other], _)) = nodes::<2>().await else { return };
    user(&one, "ada").await;
    for round in 0..10 {
        let cookie = sign_in(&one, "ada").await;
        // Both remember it by now.
        assert_eq!((status(&one, &cookie).await, status(&other, &cookie).await), (200, 200));
        assert_eq!((status(&one, &cookie).await, status(&other, &cookie).await), (200, 200));
        let ended = if round % 2 == 0 {
            one.call(Method::DELETE, "/api/admin/user-sessions", None).await
        } else {
            other.call(Method::DELETE, "/api/admin/user-sessions", None).await
        };
        assert_eq!(ended["ended"], 1);
        assert_eq!((status(&one, &cookie).await, status(&other, &cookie).await), (401, 401), "round {round}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_nodes_that_end_the_same_sessions_at_once_each_session_is_ended_by_one() {
    let Some(([one, other], _)) = nodes::<2>().await else { return };
    let mut ids = Vec::new();
    for name in ["ada", "bob", "eve"] {
        ids.push(user(&one, name).await);
    }
    for _ in 0..10 {
        for name in ["ada", "bob", "eve", "ada", "bob"] {
            sign_in(&one, name).await;
        }
        let of_ada = format!("/api/admin/user-admin/{}/sessions", ids[0]);
        let (first, second, third) = tokio::join!(
            one.call(Method::DELETE, "/api/admin/user-sessions", None),
            other.call(Method::DELETE, "/api/admin/user-sessions", None),
            other.call(Method::DELETE, &of_ada, None),
        );
        let ended = [first, second, third].map(|answer| answer["ended"].as_i64().expect("a number"));
        assert_eq!(ended.iter().sum::<i64>(), 5, "{ended:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn uses_of_a_session_and_its_end_do_not_wait_for_each_other_and_a_check_is_claimed_once() {
    let Some(([one, other], clock)) = nodes::<2>().await else { return };
    let user_id = user(&one, "ada").await;
    let (now, later) = (clock.now(), clock.now().plus_days(1));
    let digests: Vec<Arc<str>> = (0..20).map(|number| Arc::from(secret::digest(&number.to_string()))).collect();
    let tx = one.state.db.begin().await.expect("a transaction");
    for digest in &digests {
        let (method, client) = (Way::Oidc, Client::default());
        start(&tx, NewSession { digest, user_id, method, client, now, expires_at: later }).await.expect("starts");
        let issuer = "https://id.example.com".to_owned();
        let subject = &Subject { provider: ProviderKey::OIDC, issuer, subject: "ada".to_owned() };
        let (provider_session, settings_hash, sealed) = (None, "settings", "sealed");
        let check_at = Some(now);
        let session_digest = digest;
        let new = NewSessionProvider { session_digest, subject, provider_session, settings_hash, sealed, check_at };
        sessions::insert(&tx, new).await.expect("inserts");
    }
    tx.commit_without_event(NoEvent::SignIn).await.expect("commits");

    // Both nodes see the same ones due, and each is claimed by one.
    let [mine, theirs] = [&one, &other].map(|node| rechecks::due(&node.state.db, now, 50));
    let (mine, theirs) = (mine.await.expect("due"), theirs.await.expect("due"));
    assert_eq!((mine.len(), theirs.len()), (20, 20));
    let claim = async |node: &Node, due| {
        let tx = node.state.db.begin().await.expect("a transaction");
        let claimed = rechecks::claim(&tx, due, later).await.expect("claims");
        tx.commit_without_event(NoEvent::SignIn).await.expect("commits");
        claimed.len()
    };
    let (first, second) = tokio::join!(claim(&one, mine), claim(&other, theirs));
    assert_eq!(first + second, 20);

    let sightings: Vec<(Arc<str>, Timestamp)> = digests.iter().map(|digest| (Arc::clone(digest), later)).collect();
    let ending = one.state.db.begin().await.expect("a transaction");
    let ended = end_those(&ending, Ending { user_id: Some(user_id), id: None, kept: None }, now).await.expect("ends");
    assert_eq!(ended.len(), 20);
    // While those are held, the other node writes what it saw without them.
    let seeing = other.state.db.begin().await.expect("a transaction");
    mark_seen(&seeing, &sightings).await.expect("writes");
    seeing.commit_without_event(NoEvent::Upkeep).await.expect("commits");
    ending.commit_without_event(NoEvent::SignIn).await.expect("commits");
    let listed = one.ask(Method::GET, "/api/admin/user-sessions", None, ADMINISTRATOR).await;
    assert!(listed.into_body().into_string().await.expect("a body").contains("\"total\":0"));
}
