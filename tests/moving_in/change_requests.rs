//! Change requests of the old server: what comes over of each state, what is told of what cannot, and what the log proves
//! of those that are applied here.

mod rows;

use std::{
    path::Path,
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use self::rows::{EACH_STATE, HOSTILE};
use crate::{
    dump,
    server::{self, Server},
    stored,
};

/// Time limit for the server to hash its log.
const PATIENCE: Duration = Duration::from_mins(1);
/// The id of a strategy of `pay.fraud-model` in production, there and here.
const ULID: &str = "01M811681C8AAS3JD9FDMD6H4A";

/// URL of the database into which the old one moves.
async fn target(directory: &Path, to_postgres: bool) -> String {
    if to_postgres {
        return dump::empty().await.expect("a server");
    }
    format!("sqlite://{}", directory.join("new.db").display())
}

/// The report of moving in.
fn moved(directory: &Path, from: &str, to: &str, more: &[&str]) -> Value {
    let report = directory.join("report.json");
    let more = [more, &["--report", report.to_str().expect("a path")]].concat();
    server::moved(from, to, &more);
    serde_json::from_slice(&std::fs::read(report).expect("the report")).expect("JSON")
}

/// Findings about change requests: outcome, name and reason of each.
fn findings(report: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let found = report["findings"].as_array().expect("findings").iter();
    let found =
        found.filter(|finding| ["change request", "requested change"].iter().any(|kind| finding["kind"] == *kind));
    found
        .map(|finding| {
            format!("{} {}: {}", text(&finding["outcome"]), text(&finding["name"]), text(&finding["reason"]))
        })
        .collect()
}

/// Numbers of change requests there and here.
fn counted(report: &Value) -> (u64, u64) {
    let counted = report["counted"].as_array().expect("numbers");
    let counted = counted.iter().find(|counted| counted["kind"] == "change requests").expect("a number");
    (counted["before"].as_u64().expect("a number"), counted["after"].as_u64().expect("a number"))
}

/// A personal token of a user.
fn token_of(expected: &Value, user: &str) -> String {
    let tokens = expected["secrets"]["tokens"]["personal"].as_array().expect("tokens");
    let token = tokens.iter().find(|token| token["user"] == user).expect("a token");
    token["secret"].as_str().expect("a secret").to_owned()
}

/// Waits until the log is hashed to its end, and returns what verifying it says, which must find no fault.
fn verified(database: &str) -> String {
    let began = Instant::now();
    loop {
        let output = server::events(database, &["verify"]);
        let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        if output.status.success() && !said.contains("no hash yet") {
            return said;
        }
        assert!(began.elapsed() < PATIENCE, "{said}");
        thread::sleep(Duration::from_millis(200));
    }
}

async fn each_state_moves(to_postgres: bool) {
    let Some(from) = dump::restored("8.2.0").await else { return };
    dump::execute(&from, EACH_STATE).await;
    let directory = tempfile::tempdir().expect("a directory");
    let to = target(directory.path(), to_postgres).await;
    let expected = [
        "changed 14: its schedule is suspended: schedule it again, apply it or reject it",
        "left-out 30 of change request 18 (addReleasePlan): there is no such action here",
        "changed 18: 1 of its 2 changes are left out",
        "changed 18: lost its approvals: they were given to changes of which not all come over",
        "changed 18: is In review here instead of Approved: it needs 1 approvals of its changes, and has 0",
    ];
    if !to_postgres {
        let report = moved(directory.path(), &from, &to, &["--dry-run"]);
        assert_eq!((counted(&report), findings(&report)), ((10, 10), expected.map(str::to_owned).into()));
        assert!(!directory.path().join("new.db").exists());
    }
    let report = moved(directory.path(), &from, &to, &[]);
    assert_eq!((counted(&report), findings(&report)), ((10, 10), expected.map(str::to_owned).into()));
    assert!(server::complaint(&from, &to).contains("the target is in use"));

    let answers = dump::expected("8.2.0");
    let server = Server::start(directory.path(), &to).await;
    let payments = Payments {
        server: &server,
        database: &to,
        admin: token_of(&answers, "admin"),
        ada: token_of(&answers, "ada@example.com"),
    };
    payments.every_state_is_there(&token_of(&answers, "grace@example.com"));
    payments.what_belongs_to_them_is_there();
    payments.nothing_is_proved_of_what_happened_elsewhere();
    payments.what_was_approved_is_applied_and_proved();
    payments.what_is_open_goes_on();
}

/// The project whose change requests came over, at a server.
struct Payments<'a> {
    server: &'a Server,
    database: &'a str,
    /// Tokens of two administrators.
    admin: String,
    ada: String,
}

impl Payments<'_> {
    fn path(id: i64) -> String {
        format!("/api/admin/projects/payments/change-requests/{id}")
    }

    fn get(&self, id: i64) -> Value {
        let (status, request) = self.server.get(&Self::path(id), &self.admin);
        assert_eq!(status, 200, "{request}");
        request
    }

    fn proof(&self, id: i64) -> Value {
        let (status, proof) = self.server.get(&format!("{}/proof", Self::path(id)), &self.admin);
        assert_eq!(status, 200, "{proof}");
        proof
    }

    /// The status of bringing a change request into a state.
    fn bring(&self, id: i64, state: &str) -> u16 {
        let (status, answer) =
            self.server.put(&format!("{}/state", Self::path(id)), &self.ada, &json!({ "state": state }));
        assert!([200, 409].contains(&status), "{id}: {answer}");
        status
    }

    fn every_state_is_there(&self, author_of_draft: &str) {
        let (_, listed) = self.server.get("/api/admin/projects/payments/change-requests", &self.admin);
        let listed = listed.as_array().expect("a list").iter();
        let listed: Vec<_> = listed.map(|one| (one["id"].clone(), one["state"].clone())).collect();
        let states = [
            (19, "Applied"),
            (18, "In review"),
            (17, "Cancelled"),
            (16, "Rejected"),
            (15, "Applied"),
            (14, "Scheduled"),
            (13, "Approved"),
            (12, "In review"),
            (1, "In review"),
        ];
        assert_eq!(listed, states.map(|(id, state)| (json!(id), json!(state))));
        // A draft is its author's alone.
        assert_eq!(self.server.get(&Self::path(11), &self.admin).0, 404);
        let (_, draft) = self.server.get(&Self::path(11), author_of_draft);
        assert_eq!((&draft["state"], &draft["createdBy"]["id"]), (&json!("Draft"), &json!(3)), "{draft}");
    }

    fn what_belongs_to_them_is_there(&self) {
        let in_review = self.get(12);
        assert_eq!(in_review["minApprovals"], 2, "{in_review}");
        assert_eq!(in_review["createdAt"], "2026-10-02T10:00:00.000Z");
        assert_eq!(in_review["approvals"].as_array().map(Vec::len), Some(1), "{in_review}");
        assert_eq!(in_review["approvals"][0]["createdBy"]["id"], 1);
        assert_eq!(in_review["approvals"][0]["createdAt"], "2026-10-02T11:00:00.000Z");
        let change = &in_review["features"][0]["changes"][0];
        assert_eq!((&change["id"], &change["createdBy"]["id"]), (&json!(22), &json!(4)), "{in_review}");
        assert_eq!(change["payload"]["parameters"]["rollout"], "20");
        let (_, asked) = self.server.get(&format!("{}/approvers", Self::path(12)), &self.admin);
        let asked = asked["reviewers"].as_array().expect("a list").iter().map(|one| one["id"].clone());
        assert_eq!(asked.collect::<Vec<_>>(), [1, 2]);

        let approved = self.get(13);
        assert_eq!(approved["title"], "Fraud model");
        assert_eq!(approved["comments"][0]["text"], "Tried in staging", "{approved}");
        assert_eq!(approved["comments"][0]["createdAt"], "2026-10-03T10:30:00.000Z");
        assert_eq!(approved["stateTimestamps"]["Approved"], "2026-10-03T11:00:01.000Z", "the log knows better");
        let changes = &approved["features"][0]["changes"];
        assert_eq!((&changes[0]["payload"]["id"], &changes[1]["action"]), (&json!(uuid()), &json!("updateEnabled")));
        assert_eq!(changes[0]["payload"]["snapshot"]["parameters"]["rollout"], "51", "{approved}");

        let schedule = json!({
            "status": "suspended",
            "scheduledAt": "2026-12-24T09:00:00.000Z",
            "reason": "It was moved in from another server.",
            "scheduledBy": 2,
        });
        assert_eq!(self.get(14)["schedule"], schedule);
        assert_eq!(self.get(15)["stateTimestamps"]["Applied"], "2026-10-05T12:00:00.000Z");
        assert_eq!(self.get(16)["rejections"][0]["createdAt"], "2026-10-06T11:00:00.000Z");
        let lossy = self.get(18);
        assert_eq!(lossy["features"][0]["changes"].as_array().map(Vec::len), Some(1), "{lossy}");
        assert_eq!(lossy["approvals"], json!([]));
    }

    /// And that is no fault.
    fn nothing_is_proved_of_what_happened_elsewhere(&self) {
        let said = verified(self.database);
        assert!(said.contains("1 change requests were applied by another server"), "{said}");
        let proof = self.proof(15);
        assert_eq!((&proof["result"], &proof["approvals"]), (&json!("log-too-short"), &json!([])), "{proof}");
        assert_eq!(proof["remarks"], json!(["it was applied by another server, which proves nothing of it"]));
        assert_eq!(self.proof(19)["result"], "not-proved", "no log tells of it");
    }

    /// By the event of the move.
    fn what_was_approved_is_applied_and_proved(&self) {
        assert_eq!(self.bring(13, "Applied"), 200);
        let (_, feature) = self.server.get("/api/admin/projects/payments/features/pay.fraud-model", &self.admin);
        let environments = feature["environments"].as_array().expect("environments");
        let production = environments.iter().find(|one| one["name"] == "production").expect("an environment");
        assert_eq!((&production["enabled"], &production["strategies"][0]["id"]), (&json!(true), &json!(uuid())));
        assert_eq!(production["strategies"][0]["parameters"]["rollout"], "99");
        let said = verified(self.database);
        assert!(said.contains("1 applied change requests are what was approved."), "{said}");
        assert!(said.contains("1 of them by approvals of another server"), "{said}");
        let proof = self.proof(13);
        assert_eq!((&proof["result"], &proof["findings"]), (&json!("proved"), &json!([])), "{proof}");
        let [approval] = proof["approvals"].as_array().expect("approvals").as_slice() else { panic!("{proof}") };
        assert_eq!((&approval["counts"], &approval["event"]["type"]), (&json!(true), &json!(stored::MOVED_IN)));
        let remark = proof["remarks"][0].as_str().expect("a remark");
        assert!(remark.contains("was given on another server, by the user 1"), "{remark}");
    }

    fn what_is_open_goes_on(&self) {
        // One of two approvals is missing; with it, this is like any other.
        assert_eq!(self.bring(12, "Applied"), 409);
        assert_eq!(self.bring(12, "Approved"), 200);
        assert_eq!(self.bring(12, "Applied"), 200);
        assert_eq!(self.bring(14, "Rejected"), 200);
        let said = verified(self.database);
        assert!(said.contains("2 applied change requests are what was approved."), "{said}");
        // New ones are numbered after those that came over.
        let change = json!({ "feature": "pay.3ds2", "action": "updateEnabled", "payload": { "enabled": true } });
        let path = "/api/admin/projects/payments/environments/production/change-requests";
        let (status, requested) = self.server.post(path, &self.admin, &change);
        assert_eq!((status, &requested["id"]), (200, &json!(20)), "{requested}");
        assert_eq!(requested["features"][0]["changes"][0]["id"], 32, "{requested}");
    }
}

/// The id of that strategy here.
fn uuid() -> String {
    flagstone::domain::strategy_id::parse(ULID).expect("an id").to_string()
}

#[tokio::test]
async fn each_state_moves_into_sqlite_and_goes_on() {
    each_state_moves(false).await;
}

#[tokio::test]
async fn each_state_moves_into_postgresql_and_goes_on() {
    each_state_moves(true).await;
}

#[tokio::test]
async fn rows_of_change_requests_that_no_server_makes_stop_nothing_and_are_named() {
    let Some(from) = dump::restored("8.2.0").await else { return };
    dump::execute(&from, HOSTILE).await;
    for to_postgres in [false, true] {
        let directory = tempfile::tempdir().expect("a directory");
        let to = target(directory.path(), to_postgres).await;
        let report = moved(directory.path(), &from, &to, &[]);
        let told = findings(&report);
        for expected in [
            "left-out 51: its project \"nowhere\" does not exist",
            "left-out 52: its environment \"nowhere\" does not exist",
            "left-out 53: its author, the user 999, does not exist",
            "left-out 54: there is no state \"Asleep\" here",
            "changed 55: has a title of 255 characters: it was longer",
            "left-out 61 of change request 55 (updateEnabled): /payload does not fit the action updateEnabled: ",
            "changed 62 of change request 55 (updateEnabled): counts as the author's: the user 999 does not exist",
            "left-out 63 of change request 55 (updateEnabled): /feature is missing",
            "changed 55: 2 of its 4 changes are left out",
            "changed 55: 1 of its approvals are left out: nobody gave them, or twice",
            "changed 55: 2 of its comments are left out: they are empty, or nobody's",
            "changed 55: 1 of its comments end after 1000 characters: more are none",
            "changed 55: 9001 of its comments are left out, the oldest: a change request has 1000 at most",
            "changed 55: lost its approvals",
            "left-out 65 of change request 56 (): there is no such action here",
            "changed 56: is Cancelled here instead of In review: it has no changes",
            "changed 58: is Cancelled here instead of In review: its author has another one there, 1,",
        ] {
            assert!(told.iter().any(|told| told.starts_with(expected)), "{expected}: {told:#?}");
        }
        // Rows without what they cannot be without are named as everywhere.
        for (kind, name) in [("change_requests", "57"), ("change_request_events", "66 in 999")] {
            let found = report["findings"].as_array().expect("findings");
            let is_it = |finding: &Value| finding["kind"] == kind && finding["name"] == name;
            assert!(found.iter().any(|finding| is_it(finding) && finding["outcome"] == "left-out"), "{report:#}");
        }
        assert_eq!(counted(&report).1, 4);

        let admin = token_of(&dump::expected("8.2.0"), "admin");
        let server = Server::start(directory.path(), &to).await;
        let (status, request) = server.get("/api/admin/projects/payments/change-requests/55", &admin);
        assert_eq!(status, 200, "{request}");
        assert_eq!(request["comments"].as_array().map(Vec::len), Some(1000));
        assert_eq!(request["comments"][0]["text"], "comment 9002");
        assert_eq!(request["comments"][999]["text"].as_str().map(str::len), Some(1000));
        assert_eq!(request["minApprovals"], 100);
        let (status, all) = server.get("/api/admin/search/change-requests?limit=100", &admin);
        assert_eq!((status, &all["total"]), (200, &json!(4)), "{all}");
        verified(&to);
        drop(server);
        assert_eq!(stored::moved_in_events(&to).await, 2);
    }
}

/// Versions without the tables of later ones.
#[tokio::test]
async fn change_requests_of_every_version_come_over() {
    for version in ["4.19.5", "5.12.8", "6.3.0"] {
        let Some(from) = dump::restored(version).await else { return };
        let directory = tempfile::tempdir().expect("a directory");
        let to = target(directory.path(), false).await;
        let report = moved(directory.path(), &from, &to, &[]);
        assert_eq!((counted(&report), findings(&report)), ((1, 1), Vec::new()), "{version}");
        let admin = token_of(&dump::expected(version), "admin");
        let server = Server::start(directory.path(), &to).await;
        let (_, request) = server.get("/api/admin/projects/payments/change-requests/1", &admin);
        assert_eq!((&request["state"], &request["createdBy"]["id"]), (&json!("In review"), &json!(2)), "{request}");
        let title = if version == "4.19.5" { "Change request #1" } else { "Turn refunds on" };
        assert_eq!((&request["title"], &request["comments"][0]["text"]), (&json!(title), &json!("Looks fine to me")));
        verified(&to);
    }
}
