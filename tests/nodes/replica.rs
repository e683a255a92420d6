//! Heavy reads go to a streaming replica while it is recent, never lack what their node knows of, and do not fail when
//! the replica does.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use flagstone::{
    clock::Clock,
    store::db::{Db, Mismatch, ReplicaFigures, Standing},
};
use poem::http::Method;
use serde_json::json;

use crate::{
    cluster::{Node, Program, call, database_on, empty_database, eventually, nodes_on},
    private_server::PrivateServer,
};

/// Longer than any test takes.
const FOREVER: Duration = Duration::from_hours(1);
const PATIENCE: Duration = Duration::from_mins(2);
const CALLERS: usize = 4;
/// Requests that are answered before the test goes on.
const LOAD: usize = 100;

/// Operations whose heavy reads may go to the replica, each about everything there is.
const HEAVY: [&str; 23] = [
    "/api/admin/search/features",
    "/api/admin/search/events",
    "/api/admin/event-creators",
    "/api/admin/events",
    "/api/admin/events/elsewhere",
    "/api/admin/projects",
    "/api/admin/projects/default",
    "/api/admin/projects/default/features",
    "/api/admin/projects/default/features/elsewhere/usage",
    "/api/admin/projects/default/overview",
    "/api/admin/projects/default/health-report",
    "/api/admin/projects/default/insights",
    "/api/admin/projects/default/dora",
    "/api/admin/projects/default/applications",
    "/api/admin/projects/default/flag-creators",
    "/api/admin/projects/default/sdks/outdated",
    "/api/admin/archive/features",
    "/api/admin/archive/features/default",
    "/api/admin/metrics/applications",
    "/api/admin/client-metrics/features/elsewhere",
    "/api/admin/client-metrics/features/elsewhere/raw",
    "/api/admin/instance-admin/statistics",
    "/api/admin/insights",
];

/// A primary with a migrated database, and the URLs of that on it and on its replica.
struct Pair {
    server: PrivateServer,
    primary: String,
    replica: String,
}

impl Pair {
    /// `None` when nothing is tested on PostgreSQL.
    async fn start() -> Option<Self> {
        empty_database().await?;
        let (mut server, url) = PrivateServer::start()?;
        let primary = database_on(&url).await;
        let replica = server.start_replica();
        let replica = named(&replica, primary.rsplit('/').next().expect("a name"));
        Some(Self { server, primary, replica })
    }

    /// A node that knows of no replica and one that does, which has looked at it.
    async fn nodes(&self, bound: Duration) -> (Node, Node) {
        let ([writer], clock) = nodes_on(&self.primary).await;
        let reader = self.reader(&self.replica, bound, clock).await;
        (writer, reader)
    }

    async fn reader(&self, replica: &str, bound: Duration, clock: Clock) -> Node {
        let db = Db::open(&self.primary).await.expect("PostgreSQL");
        let reader = Node::on(db.with_replica(replica, bound).expect("a URL"), clock);
        reader.state.db.look_at_replica().await;
        reader
    }
}

/// The URL of another database on the same server.
fn named(url: &str, name: &str) -> String {
    let (server, _) = url.rsplit_once('/').expect("a database URL");
    format!("{server}/{name}")
}

fn figures(node: &Node) -> ReplicaFigures {
    node.state.db.replica_figures().expect("a replica")
}

/// Waits until the next heavy read goes to the replica.
async fn until_it_serves(node: &Node) {
    eventually("the replica is not read", async || {
        node.state.db.look_at_replica().await;
        let before = figures(node).chosen;
        node.finds("anything").await;
        figures(node).chosen > before
    })
    .await;
    assert_eq!(figures(node).standing, Standing::Recent);
}

#[tokio::test]
async fn heavy_reads_go_to_the_replica_unless_it_lacks_what_the_node_knows_of() {
    let Some(mut pair) = Pair::start().await else { return };
    let (writer, reader) = pair.nodes(FOREVER).await;
    until_it_serves(&reader).await;

    pair.server.pause_replay();
    writer.create("elsewhere").await;
    assert!(writer.finds("elsewhere").await);
    assert!(!reader.finds("elsewhere").await, "within the bound, and told by the replica");

    reader.create("own").await;
    assert!(reader.finds("own").await && reader.finds("elsewhere").await, "the primary is read");
    reader.state.db.look_at_replica().await;
    assert!(reader.finds("own").await, "still");

    let application = "/api/admin/metrics/applications/shop";
    reader.call(Method::POST, application, Some(json!({ "description": "first" }))).await;
    pair.server.resume_replay();
    until_it_serves(&reader).await;
    pair.server.pause_replay();
    // This leaves no event, and is a change all the same.
    reader.call(Method::POST, application, Some(json!({ "description": "second" }))).await;
    let told = reader.call(Method::GET, "/api/admin/metrics/applications", None).await;
    assert_eq!(told["applications"][0]["description"], "second");

    pair.server.resume_replay();
    until_it_serves(&reader).await;
    assert!(reader.finds("own").await && reader.finds("elsewhere").await);

    pair.server.pause_replay();
    writer.create("noticed").await;
    assert!(!reader.finds("noticed").await);
    reader.state.sdk.poll().await.expect("looks");
    assert!(reader.tells_of("noticed").await, "programs are told from the primary");
    assert!(reader.finds("noticed").await, "people are not told less than programs");
    pair.server.resume_replay();
}

#[tokio::test]
async fn both_servers_give_the_same_answers() {
    let Some(pair) = Pair::start().await else { return };
    let (writer, reader) = pair.nodes(FOREVER).await;
    writer.create("elsewhere").await;
    reader.state.sdk.poll().await.expect("looks");
    until_it_serves(&reader).await;
    eventually("the replica gets what another node did", async || reader.finds("elsewhere").await).await;
    for path in HEAVY {
        let before = figures(&reader);
        let told = reader.call(Method::GET, path, None).await;
        let after = figures(&reader);
        assert_eq!((after.chosen - before.chosen, after.passed_over - before.passed_over), (1, 0), "{path}");
        assert_eq!(after.retried, 0, "{path}");
        assert_eq!(told, writer.call(Method::GET, path, None).await, "{path}");
    }
}

#[tokio::test]
async fn a_replica_that_falls_behind_the_bound_is_left_until_it_has_caught_up() {
    let Some(mut pair) = Pair::start().await else { return };
    let (writer, reader) = pair.nodes(Duration::from_millis(200)).await;
    until_it_serves(&reader).await;
    pair.server.pause_replay();
    writer.create("late").await;
    eventually("the primary is not read", async || {
        reader.state.db.look_at_replica().await;
        reader.finds("late").await
    })
    .await;
    reader.state.db.look_at_replica().await;
    assert_eq!(figures(&reader).standing, Standing::Behind);
    pair.server.resume_replay();
    until_it_serves(&reader).await;
    // Without another look nothing vouches for it any more.
    let looked = figures(&reader);
    eventually("an unwatched replica is read", async || {
        reader.finds("late").await;
        figures(&reader).passed_over > looked.passed_over
    })
    .await;
}

#[tokio::test]
async fn what_is_no_replica_of_the_database_is_not_read() {
    let Some(mut pair) = Pair::start().await else { return };
    let Some(elsewhere) = empty_database().await else { return };
    let ([writer], clock) = nodes_on(&pair.primary).await;
    writer.create("here").await;
    for (url, mismatch) in [
        (pair.primary.clone(), Mismatch::NoReplica),
        (elsewhere, Mismatch::Cluster),
        (named(&pair.replica, "flagstone"), Mismatch::Database),
    ] {
        let reader = pair.reader(&url, FOREVER, clock.clone()).await;
        assert_eq!(figures(&reader).standing, Standing::Foreign(mismatch), "{url}");
        assert!(reader.finds("here").await);
        assert_eq!((figures(&reader).chosen, figures(&reader).passed_over), (0, 1));
    }
    let reader = pair.reader(&pair.replica, FOREVER, clock).await;
    until_it_serves(&reader).await;
    pair.server.promote_replica();
    writer.create("after").await;
    reader.state.db.look_at_replica().await;
    assert_eq!(figures(&reader).standing, Standing::Foreign(Mismatch::NoReplica));
    assert!(reader.finds("after").await);
}

#[tokio::test]
async fn what_the_replica_refuses_the_primary_answers() {
    let Some(mut pair) = Pair::start().await else { return };
    let ([writer], clock) = nodes_on(&pair.primary).await;
    writer.create("here").await;
    // Somebody who may connect and see how far the replica is, but no table.
    pair.server.execute("CREATE ROLE onlooker LOGIN PASSWORD 'onlooker'");
    let (_, server) = pair.replica.rsplit_once('@').expect("a user");
    let reader = pair.reader(&format!("postgres://onlooker:onlooker@{server}"), FOREVER, clock).await;
    eventually("the replica learns of the role", async || {
        reader.state.db.look_at_replica().await;
        figures(&reader).standing == Standing::Recent
    })
    .await;
    for request in 1..=2 {
        assert!(reader.finds("here").await);
        let figures = figures(&reader);
        assert_eq!((figures.chosen, figures.retried), (request, request), "one attempt for each request");
    }
    assert_eq!(figures(&reader).standing, Standing::Recent, "who was refused was answered");
}

/// Searches until told to stop; gives the answers that were no page of features.
fn search_until_stopped(address: &str, stop: &AtomicBool, count: &AtomicUsize) -> Vec<String> {
    let mut failures = Vec::new();
    while !stop.load(Ordering::SeqCst) {
        match call(address, "/api/admin/search/features?query=flag", None) {
            Some((200, page)) if page["total"] == 1 => {}
            other => failures.push(format!("{other:?}")),
        }
        count.fetch_add(1, Ordering::SeqCst);
    }
    failures
}

#[tokio::test]
async fn no_request_fails_when_the_replica_dies_or_hangs() {
    let Some(mut pair) = Pair::start().await else { return };
    let program = Program::start_with(&pair.primary, &[("DATABASE_READ_URL", &pair.replica)]);
    program.wait_until_ready();
    let made = program.call("/api/admin/projects/default/features", Some(json!({ "name": "flag" })));
    assert_eq!(made.map(|(status, _)| status), Some(201));
    let (stop, count) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let callers: Vec<_> = (0..CALLERS)
        .map(|_| {
            let (address, stop, count) = (program.address.clone(), Arc::clone(&stop), Arc::clone(&count));
            thread::spawn(move || search_until_stopped(&address, &stop, &count))
        })
        .collect();
    let wait = |what: &str, is_so: &dyn Fn() -> bool| {
        let began = Instant::now();
        while !is_so() {
            assert!(began.elapsed() < PATIENCE, "{what}");
            thread::sleep(Duration::from_millis(20));
        }
    };
    let state = |name: &str| program.figure(&format!("flagstone_replica_state{{state=\"{name}\"}}")) > 0.0;
    let chosen = || program.figure("flagstone_replica_requests_total{to=\"replica\"}");
    let load = || {
        let before = count.load(Ordering::SeqCst);
        wait("no request is answered", &|| count.load(Ordering::SeqCst) >= before + LOAD);
    };
    let serves = || {
        let before = chosen();
        wait("the replica is not read", &|| chosen() > before);
    };

    serves();
    for _ in 0..2 {
        pair.server.stop_replica();
        wait("its end is not noticed", &|| state("away"));
        load();
        pair.server.resume_replica();
        serves();
        pair.server.freeze_replica();
        wait("its silence is not noticed", &|| state("away"));
        load();
        assert_eq!(program.call("/ready", None).map(|(status, _)| status), Some(200));
        pair.server.thaw_replica();
        serves();
    }
    stop.store(true, Ordering::SeqCst);
    for caller in callers {
        assert_eq!(caller.join().expect("no caller panicked"), Vec::<String>::new());
    }
    assert!(program.figure("flagstone_database_connections_limit{pool=\"replica\"}") > 0.0);
}
