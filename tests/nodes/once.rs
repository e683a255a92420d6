//! What is to be done once is done once, however many nodes there are.

use flagstone::{
    config::presets::Presets,
    jobs::{self, JOBS, Scope},
    start,
    store::{
        self,
        db::Db,
        entity::{app_user, event, personal_token},
    },
};
use futures_util::future::{join, join_all, try_join_all};
use poem::http::Method;
use sea_orm::{ColumnTrait as _, EntityTrait as _, PaginatorTrait as _, QueryFilter as _};

use serde_json::json;

use crate::cluster::{ADMINISTRATOR, Program, empty_database, nodes};

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn nodes_that_start_together_on_an_empty_database_all_find_the_schema() {
    let Some(url) = empty_database().await else { return };
    let dbs = try_join_all((0..4).map(|_| Db::open(&url))).await.expect("opens");
    let migrated = join_all(dbs.iter().map(store::migrate::migrate)).await;
    assert!(migrated.iter().all(Result::is_ok), "{migrated:?}");
    store::migrate::migrate(&dbs[0]).await.expect("again");
    for db in &dbs {
        assert_eq!(store::events::revisions::newest(db).await.expect("reads"), 0);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn nodes_that_start_together_make_one_first_user() {
    let Some((nodes, _)) = nodes::<3>().await else { return };
    let presets = Presets::default();
    let prepared = nodes.iter().map(|node| {
        let state = &node.state;
        start::prepare(&state.db, &state.vault, &state.clock, &state.passwords, &presets)
    });
    let made = try_join_all(prepared).await.expect("prepares");
    assert_eq!(made.iter().filter(|secrets| secrets.user.is_some()).count(), 1, "one shows the password");
    let users = app_user::Entity::find().filter(app_user::Column::Username.eq("admin"));
    assert_eq!(users.count(&nodes[0].state.db).await.expect("counts"), 1);
}

#[tokio::test]
async fn programs_that_start_together_on_an_empty_database_all_serve() {
    let Some(url) = empty_database().await else { return };
    let programs: Vec<_> = (0..3).map(|_| Program::start(&url)).collect();
    for program in &programs {
        program.wait_until_ready();
        let (status, projects) = program.call("/api/admin/projects", None).expect("an answer");
        assert_eq!((status, projects["projects"].as_array().map(Vec::len)), (200, Some(1)));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_node_does_each_job_of_the_database_in_each_of_its_periods() {
    let Some((nodes, clock)) = nodes::<3>().await else { return };
    let jobs: Vec<_> = JOBS.iter().filter(|job| job.scope == Scope::Database).collect();
    assert_ne!(jobs.len(), 0);
    for job in jobs {
        for _ in 0..5 {
            clock.advance(i64::try_from(job.period(&nodes[0].state.config.periods).as_millis()).expect("short"));
            let ran = try_join_all(nodes.iter().map(|node| jobs::run_if_due(&node.state, job))).await.expect("runs");
            assert_eq!(ran.iter().filter(|ran| **ran).count(), 1, "{job:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn features_that_two_nodes_revive_at_once_share_the_room_that_there_is() {
    let Some((nodes, _)) = nodes::<2>().await else { return };
    let paths = ["one", "two"].map(|name| format!("/api/admin/projects/default/features/{name}"));
    for name in ["one", "two"] {
        nodes[0].create(name).await;
    }
    nodes[0].call(Method::PUT, "/api/admin/projects/default/settings", Some(json!({ "featureLimit": 1 }))).await;
    let patched = json!([{ "op": "replace", "path": "/archived", "value": false }]);
    let moved = json!([{ "op": "move", "from": "/archived", "path": "/stale" }]);
    let ways = [(Method::PUT, json!({ "archived": false })), (Method::PATCH, patched), (Method::PATCH, moved)];
    for (method, body) in ways.iter().cycle().take(30) {
        for path in &paths {
            nodes[0].call(Method::DELETE, path, None).await;
        }
        let revive = |node: usize| nodes[node].ask(method.clone(), &paths[node], Some(body.clone()), ADMINISTRATOR);
        let (one, two) = join(revive(0), revive(1)).await;
        let mut statuses = [one.status().as_u16(), two.status().as_u16()];
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 403], "{method} {body}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn nodes_that_deactivate_inactive_users_at_once_deactivate_each_once_and_leave_an_administrator() {
    let Some((nodes, clock)) = nodes::<2>().await else { return };
    let policy = json!({
        "personalTokensAllowed": true, "personalTokenDays": null, "serviceAccountTokenDays": null, "inactiveUserDays": 7,
    });
    nodes[0].call(Method::PUT, "/api/admin/account-policy", Some(policy)).await;
    for (name, root_role) in [("ada", 1), ("grace", 1), ("eve", 1), ("bob", 3), ("dan", 3), ("kim", 3)] {
        let new = json!({ "username": name, "password": "Correct-horse-1", "rootRole": root_role });
        nodes[0].call(Method::POST, "/api/admin/user-admin", Some(new)).await;
    }
    clock.advance(7 * flagstone::domain::time::DAY_MS);
    let run = || join_all(nodes.iter().map(|node| jobs::deactivate_inactive_users(&node.state)));
    for outcome in run().await.into_iter().chain(run().await) {
        outcome.expect("runs");
    }
    let active = app_user::Entity::find()
        .filter(app_user::Column::IsSystem.eq(false))
        .filter(app_user::Column::DeactivatedAt.is_null())
        .all(&nodes[1].state.db)
        .await
        .expect("reads");
    let names: Vec<_> = active.iter().filter_map(|user| user.username.as_deref()).collect();
    assert_eq!(names, ["eve"], "the last of the administrators");
    let events = event::Entity::find().all(&nodes[0].state.db).await.expect("reads");
    assert_eq!(events.iter().filter(|event| event.r#type == "user-updated").count(), 5, "an event for each");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_token_that_is_created_while_the_policy_is_set_does_not_outlive_it() {
    let Some((nodes, clock)) = nodes::<2>().await else { return };
    let account = json!({ "name": "Deployer", "username": "deployer", "rootRole": 3 });
    let id = nodes[0].call(Method::POST, "/api/admin/service-account", Some(account)).await["id"].clone();
    let path = format!("/api/admin/service-account/{id}/token");
    let policy = |days: serde_json::Value| {
        json!({
            "personalTokensAllowed": true, "personalTokenDays": null, "serviceAccountTokenDays": days,
            "inactiveUserDays": null,
        })
    };
    for round in 0..8 {
        nodes[0].call(Method::PUT, "/api/admin/account-policy", Some(policy(json!(null)))).await;
        let token = json!({ "description": round.to_string(), "expiresAt": clock.now().plus_days(300) });
        let (created, set) = join(
            nodes[0].ask(Method::POST, &path, Some(token), ADMINISTRATOR),
            nodes[1].ask(Method::PUT, "/api/admin/account-policy", Some(policy(json!(30))), ADMINISTRATOR),
        )
        .await;
        assert_eq!(set.status().as_u16(), 200);
        assert!([201, 400].contains(&created.status().as_u16()), "{}", created.status());
        let tokens = personal_token::Entity::find().all(&nodes[0].state.db).await.expect("reads");
        assert!(tokens.iter().all(|token| token.expires_at <= clock.now().plus_days(30)), "{tokens:?}");
    }
}
