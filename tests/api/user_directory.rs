//! Users seen together: finding them, what they may do, and those who are gone.

use flagstone::{
    domain::time::DAY_MS,
    store::{
        self,
        entity::{app_user, personal_token},
    },
};
use poem::http::Method;
use sea_orm::{ActiveValue::Set, EntityTrait};
use serde_json::{Value, json};

use crate::{
    harness::{TestApp, encoded, role},
    users::{USERS, newest, user},
};

fn ids(list: &Value) -> Vec<i64> {
    list.as_array().expect("a list").iter().map(|one| one["id"].as_i64().expect("an id")).collect()
}

#[tokio::test]
async fn people_are_found_by_any_part_of_any_name() {
    let app = TestApp::new().await;
    let ada = user(&app, "ada", role::VIEWER).await;
    let new = json!({ "email": "zoe@muller.example", "name": "Zoë Müller", "rootRole": 3 });
    let zoe = app.admin().post(USERS, new).await.expect(201)["id"].as_i64().expect("an id");
    let viewer = app.viewer().await;
    for (text, found) in [
        ("ADA", vec![ada]),
        ("MÜLL", vec![zoe]),
        ("example", vec![ada, zoe, viewer.user_id.expect("a person")]),
        ("%%", vec![]),
        ("__", vec![]),
        ("a", vec![]),
        ("", vec![]),
        ("unleash_system", vec![]),
    ] {
        let list = viewer.get(&format!("{USERS}/search?q={}", encoded(text))).await.expect(200);
        assert_eq!(ids(&list), found, "{text}");
    }
    assert_eq!(viewer.get(&format!("{USERS}/search")).await.expect(200), json!([]));
    let list = viewer.get(&format!("{USERS}/search?q=ada")).await.expect(200);
    assert_eq!(
        list[0],
        json!({
            "id": ada,
            "accountType": "User",
            "username": "ada",
            "email": "ada@example.com",
            "imageUrl": flagstone::domain::user::image_url(Some("ada@example.com"), None, ada),
            "rootRole": role::VIEWER,
        })
    );
    app.admin().request(Method::DELETE, &format!("{USERS}/{ada}"), &[], vec![]).await.expect(200);
    assert_eq!(viewer.get(&format!("{USERS}/search?q=ada")).await.expect(200), json!([]));
}

#[tokio::test]
async fn users_and_groups_are_listed_for_those_who_give_roles() {
    let app = TestApp::new().await;
    let (ada, grace) = (user(&app, "ada", role::EDITOR).await, user(&app, "grace", role::VIEWER).await);
    app.group("team", &[grace, ada]).await;
    app.group("empty", &[]).await;
    let listed = app.viewer().await.get(&format!("{USERS}/access")).await.expect(200);
    assert_eq!(ids(&listed["users"])[..2], [ada, grace]);
    assert_eq!(listed["users"][0]["rootRole"], role::EDITOR);
    let groups: Vec<_> = listed["groups"].as_array().expect("a list").iter().map(|group| &group["name"]).collect();
    assert_eq!(groups, ["empty", "team"]);
    let team = &listed["groups"][1];
    assert_eq!((&team["userCount"], &team["userIds"]), (&json!(2), &json!([ada, grace])));
}

#[tokio::test]
async fn what_somebody_may_do_is_told_permission_by_permission() {
    let app = TestApp::new().await;
    app.project("shop").await;
    let owner = app.owner("shop").await.user_id.expect("a person");
    let held = |answer: &Value, list: &str| -> Vec<String> {
        let all = answer["overview"][list].as_array().expect("a list");
        assert!(all.iter().all(|one| one["type"] == list));
        let held = all.iter().filter(|one| one["hasPermission"] == true);
        held.map(|one| one["name"].as_str().expect("a name").to_owned()).collect()
    };
    let path = format!("{USERS}/{owner}/permissions");
    let here = app.admin().get(&format!("{path}?project=shop&environment=production")).await.expect(200);
    assert!(held(&here, "root").is_empty());
    assert!(held(&here, "project").contains(&"DELETE_PROJECT".to_owned()));
    assert!(held(&here, "environment").contains(&"UPDATE_FEATURE_ENVIRONMENT".to_owned()));
    assert_eq!((&here["user"]["id"], &here["rootRole"]["name"]), (&json!(owner), &json!("Viewer")));
    assert_eq!(here["projectRoles"][0]["name"], "Owner");
    assert_eq!(here["matrix"], here["overview"]);
    for elsewhere in ["", "?project=default", "?project=nope&environment=production"] {
        let there = app.admin().get(&format!("{path}{elsewhere}")).await.expect(200);
        assert!(held(&there, "project").is_empty() && held(&there, "environment").is_empty(), "{elsewhere}");
        assert_eq!(there["projectRoles"], json!([]));
    }
    let admin = user(&app, "ada", role::ADMIN).await;
    let all = app.admin().get(&format!("{USERS}/{admin}/permissions")).await.expect(200);
    let count: usize = ["root", "project", "environment"].iter().map(|list| held(&all, list).len()).sum();
    assert_eq!(count, flagstone::domain::permission::Permission::ALL.len());
}

async fn seen(app: &TestApp, id: i64) {
    let tx = app.tx().await;
    store::access::people::mark_seen(&tx, &[(id, app.clock.now())]).await.expect("an update");
    app.commit(tx).await;
}

#[tokio::test]
async fn those_without_a_sign_of_life_for_180_days_are_inactive() {
    let app = TestApp::new().await;
    let [never, seen_early, seen_late, by_token] = ["never", "early", "late", "token"];
    let never = user(&app, never, role::VIEWER).await;
    let early = user(&app, seen_early, role::VIEWER).await;
    let late = user(&app, seen_late, role::VIEWER).await;
    let by_token = user(&app, by_token, role::VIEWER).await;
    seen(&app, early).await;
    let start = app.clock.now();
    app.clock.advance(10 * DAY_MS);
    seen(&app, late).await;
    let (tx, now) = (app.tx().await, app.clock.now());
    for (user, name) in [(by_token, "user:one"), (never, "user:two")] {
        let made = store::tokens::insert_personal_token(&tx, user, name, name, now.plus_days(900), now).await;
        let seen_at = Set((user == by_token).then_some(now));
        let row = personal_token::ActiveModel { id: Set(made.expect("a token")), seen_at, ..Default::default() };
        personal_token::Entity::update(row).exec(&tx).await.expect("an update");
    }
    app.commit(tx).await;
    let inactive = || async { app.admin().get(&format!("{USERS}/inactive")).await.expect(200) };
    app.clock.advance(170 * DAY_MS);
    assert_eq!(inactive().await["inactiveUsers"], json!([]), "180 days, not one more");
    app.clock.advance(1);
    let list = inactive().await;
    assert_eq!((&list["version"], ids(&list["inactiveUsers"])), (&json!(1), vec![never, early]));
    assert_eq!(
        list["inactiveUsers"][1],
        json!({
            "id": early,
            "username": "early",
            "email": "early@example.com",
            "seenAt": start,
            "createdAt": start,
        })
    );
    app.clock.advance(10 * DAY_MS);
    let list = inactive().await;
    assert_eq!(ids(&list["inactiveUsers"]), [never, early, late, by_token]);
    assert_eq!(list["inactiveUsers"][3]["patSeenAt"], json!(now));
    let new = user(&app, "new", role::VIEWER).await;
    assert!(!ids(&inactive().await["inactiveUsers"]).contains(&new));
}

#[tokio::test]
async fn only_the_inactive_are_deleted_and_a_dry_run_says_so_without_doing_it() {
    let app = TestApp::new().await;
    let (gone, back) = (user(&app, "gone", role::VIEWER).await, user(&app, "back", role::VIEWER).await);
    let caller = app.root_admin().await;
    app.clock.advance(181 * DAY_MS);
    seen(&app, back).await;
    let path = format!("{USERS}/inactive/delete");
    let body = json!({ "ids": [gone, back, caller.user_id, 77, -42] });
    let event = json!({ "type": "user-deleted", "project": null, "featureName": null, "environment": null });
    let before = app.event_types().await;
    let dry = caller.post(&format!("{path}?dryRun=true"), body.clone()).await.expect(200);
    assert_eq!(dry, json!({ "dryRun": true, "events": [event.clone()] }));
    assert_eq!(app.event_types().await, before);
    let done = caller.post(&path, body.clone()).await.expect(200);
    assert_eq!(done, json!({ "dryRun": false, "events": [event] }));
    let data = json!({ "id": gone, "username": "gone", "email": "gone@example.com", "rootRole": role::VIEWER });
    assert_eq!(newest(&app).await, ("user-deleted".to_owned(), Value::Null, data));
    assert_eq!(caller.post(&path, body).await.expect(200)["events"], json!([]));
    let deleted = |row: &app_user::Model| row.deleted_at.is_some();
    let rows = app_user::Entity::find().all(app.db()).await.expect("rows");
    assert_eq!(rows.iter().filter(|row| deleted(row)).map(|row| row.id).collect::<Vec<_>>(), [gone]);
    for broken in [json!({}), json!({ "ids": "all" }), json!({ "ids": ["ada"] }), json!({ "ids": vec![1; 1001] })] {
        app.admin().post(&path, broken).await.refused(400, "ValidationError", "/body/ids");
    }
}
