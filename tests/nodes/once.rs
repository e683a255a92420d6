//! What is to be done once is done once, however many nodes there are.

use flagstone::{
    config::presets::Presets,
    jobs::{self, JOBS, Scope},
    start,
    store::{self, db::Db, entity::app_user},
};
use futures_util::future::{join_all, try_join_all};
use sea_orm::{ColumnTrait as _, EntityTrait as _, PaginatorTrait as _, QueryFilter as _};

use crate::cluster::{Program, empty_database, nodes};

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn nodes_that_start_together_on_an_empty_database_all_find_the_schema() {
    let Some(url) = empty_database().await else { return };
    let dbs = try_join_all((0..4).map(|_| Db::open(&url))).await.expect("opens");
    let migrated = join_all(dbs.iter().map(store::migrate::migrate)).await;
    assert!(migrated.iter().all(Result::is_ok), "{migrated:?}");
    store::migrate::migrate(&dbs[0]).await.expect("again");
    for db in &dbs {
        assert_eq!(store::revisions::newest(db).await.expect("reads"), 0);
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
    assert_eq!(done_by.iter().sum::<usize>(), 5 * 4);
}
