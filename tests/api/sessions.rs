//! Sessions: seen and ended by whoever has them, and by administrators.

use flagstone::{jobs, sign_in};
use poem::http::Method;
use serde_json::{Value, json};

use crate::{
    calls::delete,
    harness::{Answer, Client, START, TestApp, role},
    users::{STRONG, USERS, newest, user},
};

const LOGIN: &str = "/auth/simple/login";
const OWN: &str = "/api/admin/user/sessions";
const ALL: &str = "/api/admin/user-sessions";
const PROFILE: &str = "/api/admin/user/profile";

/// Signs in with a browser of this name; gives the browser.
async fn browser(app: &TestApp, username: &str, name: &str) -> Client {
    let body = json!({ "username": username, "password": STRONG }).to_string();
    let headers = [("user-agent", name), ("content-type", "application/json")];
    let answer = app.anonymous().request(Method::POST, LOGIN, &headers, body.into_bytes()).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let set = answer.headers["set-cookie"].to_str().expect("ASCII");
    let cookie = set.split(';').next().expect("a pair");
    app.anonymous().sending(&[("cookie", cookie)])
}

async fn is_in(browser: &Client) -> bool {
    let status = browser.get(PROFILE).await.status;
    assert!(matches!(status, 200 | 401), "{status}");
    status == 200
}

/// The sessions of a list, by the names of their browsers.
fn names(list: &Value) -> Vec<&str> {
    list["sessions"].as_array().expect("sessions").iter().filter_map(|one| one["userAgent"].as_str()).collect()
}

/// Id of the session of a browser with this name.
fn id_of(list: &Value, name: &str) -> String {
    let sessions = list["sessions"].as_array().expect("sessions");
    let session = sessions.iter().find(|session| session["userAgent"] == name).expect("a session");
    session["id"].as_str().expect("an id").to_owned()
}

fn ended(answer: Answer) -> Value {
    answer.expect(200)["ended"].clone()
}

#[tokio::test]
async fn somebody_sees_their_own_browsers_and_nobody_else_s() {
    let app = TestApp::new().await;
    let ada = user(&app, "ada", role::VIEWER).await;
    user(&app, "bob", role::VIEWER).await;
    let laptop = browser(&app, "ada", "Laptop/1.0").await;
    app.clock.advance(60_000);
    let phone = browser(&app, "ada", "Phone\t/2.0").await;
    browser(&app, "bob", "Bob/1.0").await;
    let answer = laptop.get(OWN).await;
    let cookie = laptop.sent("cookie").replace("unleash-session=", "");
    assert!(!cookie.is_empty() && !answer.text.contains(&cookie), "the secret is shown to nobody");
    let list = answer.expect(200);
    assert_eq!(names(&list), ["Phone\u{fffd}/2.0", "Laptop/1.0"], "newest first");
    let id = id_of(&list, "Laptop/1.0");
    let expected = json!({
        "id": id, "userId": ada, "method": "simple", "address": null, "userAgent": "Laptop/1.0",
        "createdAt": START, "seenAt": START, "expiresAt": "2026-01-17T12:00:00.000Z", "current": true,
    });
    assert_eq!(list["sessions"][1], expected);
    assert_eq!(list["sessions"][0]["current"], false);
    assert_eq!((id.len(), cookie.contains(&id)), (32, false));
    // In the other browser it is the other one that is current.
    assert_eq!(phone.get(OWN).await.expect(200)["sessions"][0]["current"], true);
    // An API token is nobody.
    app.admin().get(OWN).await.refused(403, "InvalidOperationError", "nobody");
    app.clock.advance(48 * 3_600_000);
    assert_eq!(app.admin().get(ALL).await.expect(200), json!({ "sessions": [], "users": [], "total": 0 }));
}

#[tokio::test]
async fn somebody_ends_one_of_their_browsers_or_all_others() {
    let app = TestApp::new().await;
    user(&app, "ada", role::VIEWER).await;
    user(&app, "bob", role::VIEWER).await;
    let (laptop, phone) = (browser(&app, "ada", "laptop").await, browser(&app, "ada", "phone").await);
    let (tablet, bob) = (browser(&app, "ada", "tablet").await, browser(&app, "bob", "bob").await);
    let events = app.events().await.len();
    let list = laptop.get(OWN).await.expect(200);
    let phones = format!("{OWN}/{}", id_of(&list, "phone"));
    // Of another person, it does not exist.
    delete(&bob, &phones).await.refused(404, "NotFoundError", "no session");
    delete(&laptop, &phones).await.expect(200);
    assert!(!is_in(&phone).await && is_in(&laptop).await);
    delete(&laptop, &phones).await.refused(404, "NotFoundError", "no session");
    for odd in ["x", "%25", "0123", &"f".repeat(32), &"f".repeat(500)] {
        delete(&laptop, &format!("{OWN}/{odd}")).await.refused(404, "NotFoundError", "no session");
    }
    assert_eq!(ended(delete(&laptop, OWN).await), 1);
    assert!(!is_in(&tablet).await && is_in(&laptop).await && is_in(&bob).await);
    assert_eq!(ended(delete(&laptop, OWN).await), 0);
    // The last is the one that asks.
    let own = id_of(&laptop.get(OWN).await.expect(200), "laptop");
    delete(&laptop, &format!("{OWN}/{own}")).await.expect(200);
    laptop.get(PROFILE).await.refused(401, "AuthenticationRequired", "");
    assert_eq!(app.events().await.len(), events, "as signing out, it leaves no event");
    delete(&app.admin(), OWN).await.refused(403, "InvalidOperationError", "nobody");
    // Personal tokens are no session: nothing is spared.
    let token = app.person(role::VIEWER, None).await;
    let there = app.in_session(&token).await;
    assert_eq!(token.get(OWN).await.expect(200)["sessions"][0]["current"], false);
    assert_eq!(ended(delete(&token, OWN).await), 1);
    assert!(!is_in(&there).await && is_in(&token).await);
}

#[tokio::test]
async fn administrators_see_who_is_signed_in_and_end_one_session_with_an_event() {
    let app = TestApp::new().await;
    let (ada, root) = (user(&app, "ada", role::VIEWER).await, user(&app, "root", role::ADMIN).await);
    let laptop = browser(&app, "ada", "laptop").await;
    app.clock.advance(1000);
    let desk = browser(&app, "root", "desk").await;
    laptop.get(ALL).await.refused(403, "NoAccessError", "ADMIN");
    let list = desk.get(ALL).await.expect(200);
    assert_eq!((names(&list), &list["total"]), (vec!["desk", "laptop"], &json!(2)));
    let people: Vec<&Value> = list["users"].as_array().expect("users").iter().map(|user| &user["id"]).collect();
    assert_eq!(people, [&json!(ada), &json!(root)]);
    assert_eq!(list["sessions"][0]["current"], true);
    let page = desk.get(&format!("{ALL}?limit=1&offset=1")).await;
    assert!(page.headers["link"].to_str().expect("text").contains("rel=\"prev\""));
    let page = page.expect(200);
    assert_eq!((names(&page), &page["total"], &page["users"][0]["id"]), (vec!["laptop"], &json!(2), &json!(ada)));
    let of_ada = desk.get(&format!("{USERS}/{ada}/sessions")).await.expect(200);
    assert_eq!((names(&of_ada), &of_ada["total"]), (vec!["laptop"], &json!(1)));
    desk.get(&format!("{USERS}/999/sessions")).await.refused(404, "NotFoundError", "999");

    let path = format!("{ALL}/{}", id_of(&list, "laptop"));
    let events = app.events().await.len();
    delete(&laptop, &path).await.refused(403, "NoAccessError", "ADMIN");
    delete(&desk, &path).await.expect(200);
    laptop.get(PROFILE).await.refused(401, "AuthenticationRequired", "");
    delete(&desk, &path).await.refused(404, "NotFoundError", "no session");
    assert_eq!(app.events().await.len(), events + 1);
    let user = json!({ "id": ada, "username": "ada", "email": "ada@example.com", "rootRole": role::VIEWER });
    let mut told = user.clone();
    told["endedSessions"] = json!(1);
    told["endedPersonalTokens"] = json!(0);
    assert_eq!(newest(&app).await, ("user-updated".to_owned(), told, user));
    let event = app.events().await.pop().expect("an event");
    assert_eq!(event.created_by_user_id, Some(root), "who did it");
}

#[tokio::test]
async fn administrators_end_all_sessions_of_somebody_or_of_everybody_and_keep_their_own() {
    let app = TestApp::new().await;
    let ada = user(&app, "ada", role::VIEWER).await;
    user(&app, "bob", role::VIEWER).await;
    let root = user(&app, "root", role::ADMIN).await;
    let mut others = Vec::new();
    for (username, name) in [("ada", "a"), ("ada", "b"), ("bob", "c"), ("root", "elsewhere")] {
        others.push(browser(&app, username, name).await);
    }
    let desk = browser(&app, "root", "desk").await;
    assert_eq!(ended(delete(&desk, &format!("{USERS}/{ada}/sessions")).await), 2);
    assert_eq!(newest(&app).await.1["endedSessions"], 2);
    let events = app.events().await.len();
    assert_eq!(ended(delete(&desk, &format!("{USERS}/{ada}/sessions")).await), 0);
    assert_eq!(app.events().await.len(), events, "what changes nothing leaves no event");
    assert_eq!(ended(delete(&desk, ALL).await), 2);
    for other in &others {
        assert!(!is_in(other).await);
    }
    assert!(is_in(&desk).await);
    let ids: Vec<Value> = app.events().await[events..]
        .iter()
        .map(|event| serde_json::from_str::<Value>(event.data.as_deref().expect("data")).expect("JSON")["id"].clone())
        .collect();
    assert_eq!(ids.len(), 2, "bob and the other session of the administrator");
    assert!(ids.contains(&json!(root)));
    delete(&others[2], ALL).await.refused(401, "AuthenticationRequired", "");
    // A token has no session of its own to keep.
    assert_eq!(ended(delete(&app.admin(), ALL).await), 1);
    assert!(!is_in(&desk).await);
}

#[tokio::test]
async fn the_address_is_the_one_that_a_trusted_proxy_names_and_the_log_of_sign_ins_has_the_same() {
    let proxies = "127.0.0.0/8".parse().expect("networks");
    let config = flagstone::config::Config { trusted_proxies: proxies, ..flagstone::config::Config::default() };
    let app = TestApp::with_config(config).await;
    user(&app, "ada", role::VIEWER).await;
    // In process there is no peer: what headers say is nobody's word.
    let said = app.anonymous().sending(&[("x-forwarded-for", "192.0.2.7")]);
    said.post(LOGIN, json!({ "username": "ada", "password": STRONG })).await.expect(200);
    sign_in::log::write(&app.state).await.expect("writes");
    let list = app.admin().get(ALL).await.expect(200);
    let log = app.admin().get("/api/admin/auth/sign-ins").await.expect(200);
    assert_eq!((&list["sessions"][0]["address"], &log["signIns"][0]["address"]), (&Value::Null, &Value::Null));
    assert_eq!(list["sessions"][0]["userAgent"], Value::Null, "none was named");
}

#[tokio::test]
async fn when_a_session_was_last_used_is_written_every_five_minutes_and_no_request_writes() {
    let app = TestApp::new().await;
    user(&app, "ada", role::VIEWER).await;
    let laptop = browser(&app, "ada", "laptop").await;
    let seen = async || app.admin().get(ALL).await.expect(200)["sessions"][0]["seenAt"].clone();
    for (advance, expected) in [
        (60_000, "2026-01-15T12:01:00.000Z"),
        (60_000, "2026-01-15T12:01:00.000Z"),
        (180_000, "2026-01-15T12:01:00.000Z"),
        (60_000, "2026-01-15T12:06:00.000Z"),
    ] {
        app.clock.advance(advance);
        assert!(is_in(&laptop).await);
        jobs::write_presence(&app.state).await.expect("writes");
        assert_eq!(seen().await, expected);
    }
    // A session that ended meanwhile is none that is written.
    app.clock.advance(300_000);
    assert!(is_in(&laptop).await);
    assert_eq!(ended(delete(&app.admin(), ALL).await), 1);
    jobs::write_presence(&app.state).await.expect("writes");
    assert_eq!(app.admin().get(ALL).await.expect(200)["total"], 0);
}

#[tokio::test]
async fn of_two_who_end_the_same_sessions_at_once_each_is_counted_once() {
    let app = TestApp::new().await;
    for name in ["ada", "bob", "eve"] {
        user(&app, name, role::VIEWER).await;
    }
    for round in 0..5 {
        for name in ["ada", "bob", "eve"] {
            for _ in 0..3 {
                browser(&app, name, "x").await;
            }
        }
        let one = app.admin().get(ALL).await.expect(200);
        let id = one["sessions"][round % 9]["id"].as_str().expect("an id").to_owned();
        let (admin, other) = (app.admin(), app.admin());
        let single = format!("{ALL}/{id}");
        let (first, second, alone) = tokio::join!(delete(&admin, ALL), delete(&other, ALL), delete(&admin, &single));
        let alone_ended = match alone.status {
            200 => 1,
            404 => 0,
            other => panic!("{other}: {}", alone.text),
        };
        let all = [first, second].map(|answer| ended(answer).as_i64().expect("a number"));
        assert_eq!(all[0] + all[1] + alone_ended, 9, "{all:?} {alone_ended}");
        let told: i64 = app
            .events()
            .await
            .iter()
            .filter_map(|event| serde_json::from_str::<Value>(event.data.as_deref()?).ok()?["endedSessions"].as_i64())
            .sum();
        assert_eq!(told, 9 * (i64::try_from(round).expect("few") + 1), "each end is told once");
    }
}

#[tokio::test]
async fn a_password_a_deactivation_and_a_deletion_end_sessions() {
    let app = TestApp::new().await;
    let others = [("ada", 0), ("bob", 1), ("eve", 2)];
    for (name, way) in others {
        let id = user(&app, name, role::VIEWER).await;
        let laptop = browser(&app, name, "laptop").await;
        assert!(is_in(&laptop).await);
        let (admin, path) = (app.admin(), format!("{USERS}/{id}"));
        let answer = match way {
            0 => admin.post(&format!("{path}/change-password"), json!({ "password": "Another-horse-2" })).await,
            1 => admin.json(Method::PUT, &path, json!({ "active": false })).await,
            _ => delete(&admin, &path).await,
        };
        assert_eq!(answer.status, 200, "{}", answer.text);
        laptop.get(PROFILE).await.refused(401, "AuthenticationRequired", "");
        assert_eq!(admin.get(ALL).await.expect(200)["total"], 0, "{name}");
    }
}
