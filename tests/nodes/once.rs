//! What is to be done once is done once, however many nodes there are.

use flagstone::{
    config::presets::Presets,
    jobs::{self, JOBS, Scope},
    start,
    store::{self, db::Db, entity::app_user},
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
    let mut done_by = [0; 3];
    for job in JOBS.iter().filter(|job| job.scope == Scope::Database) {
        for _ in 0..5 {
            clock.advance(i64::try_from(job.period(&nodes[0].state.config.periods).as_millis()).expect("short"));
            let ran = try_join_all(nodes.iter().map(|node| jobs::run_if_due(&node.state, job))).await.expect("runs");
            assert_eq!(ran.iter().filter(|ran| **ran).count(), 1, "{job:?}");
            for (count, ran) in done_by.iter_mut().zip(ran) {
                *count += usize::from(ran);
            }
        }
    }
    assert_eq!(done_by.iter().sum::<usize>(), 5 * 7);
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
