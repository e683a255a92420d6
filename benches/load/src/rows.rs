//! The requests whose cost is measured.

use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};

use crate::{
    Outcome,
    data::{self, Size, project, segment},
    http::{if_none_match, request},
    server::Server,
    words::flag,
};

/// Flags of one import that is validated.
const VALIDATED: u64 = 500;

/// Characters of a text that nobody would type.
const HOSTILE: usize = 16_000;

/// A kind of request.
pub(crate) struct Row {
    /// Name in the table.
    pub(crate) name: String,
    /// The status of its answers.
    pub(crate) status: u16,
    /// The bytes of the one with this number.
    pub(crate) request: Box<dyn Fn(u64) -> Vec<u8>>,
}

impl Row {
    fn same(name: &str, status: u16, bytes: Vec<u8>) -> Self {
        Self { name: name.to_owned(), status, request: Box::new(move |_| bytes.clone()) }
    }
}

/// All kinds, in the order of the table.
pub(crate) async fn rows(size: Size, server: &Server) -> Outcome<Vec<Row>> {
    let (admin, person) = (Server::admin(), server.person().await?);
    let get = |name: &str, path: &str| Row::same(name, 200, request("GET", path, &admin, None));
    let mut rows = searches(size, &get);
    rows.extend(reports(&get));
    rows.extend(reports_in_turn(size, &admin));
    rows.extend(logs(size, &get));
    let everything = json!({});
    rows.push(Row::same(
        "events, POST form, 100",
        200,
        request("POST", "/api/admin/events/search", &admin, Some(&everything)),
    ));
    let validated = data::import(Size { flags: VALIDATED.min(size.flags * size.projects), ..size }, 0, "production");
    let validation = request("POST", "/api/admin/features-batch/validate", &admin, Some(&in_new_project(validated)));
    rows.push(Row::same("validation of an import, 500 flags", 200, validation));
    rows.push(get("profile", "/api/admin/user/profile"));
    rows.push(Row::same("profile, signed in", 200, request("GET", "/api/admin/user/profile", &person, None)));
    rows.extend(programs(server).await?);
    // Of one feature by all callers, which so wait for each other, and of one after the other.
    rows.push(patch(size, &admin, "PATCH with its event", |_| 0));
    rows.push(patch(size, &admin, "PATCH of features in turn", move |number| number % size.flags));
    Ok(rows)
}

/// Changes the description of one of the features of the second project, which is chosen by the number of the request.
fn patch(size: Size, admin: &str, name: &str, choose: impl Fn(u64) -> u64 + Send + Sync + 'static) -> Row {
    let admin = admin.to_owned();
    let request = move |number: u64| {
        let operations = json!([{ "op": "replace", "path": "/description", "value": format!("change {number}") }]);
        let path = format!("/api/admin/projects/{}/features/{}", project(1), flag(size.flags + choose(number)));
        request("PATCH", &path, &admin, Some(&operations))
    };
    Row { name: name.to_owned(), status: 200, request: Box::new(request) }
}

/// The import as it would go into the default project, where all names would clash with those of another.
fn in_new_project(mut import: Value) -> Value {
    import["project"] = json!(project(0));
    import
}

fn searches(size: Size, get: &impl Fn(&str, &str) -> Row) -> Vec<Row> {
    let search = |name: &str, query: &str| get(name, &format!("/api/admin/search/features{query}"));
    let filters = format!(
        "?project=IS%3A{}&type=IS_ANY_OF%3Arelease%2Cexperiment&state=IS%3Aactive&tag=INCLUDE%3Ateam%3Agolf",
        project(3),
    );
    let by_segment = format!("?status=production%3Aenabled&segment=INCLUDE%3A{}", segment(3));
    let mut rows = vec![
        search("search, first page of 50", ""),
        search("search, text", "?query=carousel"),
        search("search, text of two characters", "?query=ca"),
        search("search, several filters", &filters),
        search("search, status and segment", &by_segment),
        search("search, deep page", &format!("?offset={}", size.projects * size.flags * 8 / 10)),
    ];
    for key in ["name", "type", "project", "stale", "lastSeenAt", "environment:production"] {
        rows.push(search(&format!("search, sorted by {key}"), &format!("?sortBy={}", key.replace(':', "%3A"))));
    }
    rows.push(search("search, 16 kB of text", &format!("?query={}", hostile())));
    rows
}

fn reports(get: &impl Fn(&str, &str) -> Row) -> Vec<Row> {
    let of_project = format!("/api/admin/projects/{}", project(2));
    vec![
        get("features of a project", &format!("{of_project}/features")),
        get("project overview", &of_project),
        get("health report", &format!("{of_project}/health-report")),
    ]
}

/// Reports of one project after the other, so that hardly any answer is still known from the last time.
fn reports_in_turn(size: Size, admin: &str) -> Vec<Row> {
    let of_each = |name: &str, below: &'static str| {
        let (admin, asked) = (admin.to_owned(), AtomicU64::new(0));
        let request = move |_| {
            let number = asked.fetch_add(1, Ordering::Relaxed) % size.projects;
            request("GET", &format!("/api/admin/projects/{}{below}", project(number)), &admin, None)
        };
        Row { name: name.to_owned(), status: 200, request: Box::new(request) }
    };
    vec![of_each("features of projects in turn", "/features"), of_each("health reports in turn", "/health-report")]
}

fn logs(size: Size, get: &impl Fn(&str, &str) -> Row) -> Vec<Row> {
    let search = |name: &str, query: &str| get(name, &format!("/api/admin/search/events{query}"));
    vec![
        search("events, first page", ""),
        search(
            "events, type and dates",
            "?type=IS%3Afeature-created&createdAtFrom=IS%3A2020-01-01&createdAtTo=IS%3A2099-12-31",
        ),
        search("events, rare text", &format!("?query={}", flag(size.flags * 3 + 5))),
        search("events, common text", "?query=flexibleRollout"),
        search("events, 16 kB of text", &format!("?query={}", hostile())),
    ]
}

/// A long text that begins like many others.
fn hostile() -> String {
    "feature".chars().cycle().take(HOSTILE).collect()
}

/// Requests of programs, of a server or an edge.
pub(crate) async fn programs(server: &Server) -> Outcome<Vec<Row>> {
    let path = "/api/client/features";
    let plain = request("GET", path, &Server::client(), None);
    let answer = server.connect().await?.send(&plain).await?;
    let etag = answer.etag.ok_or("client features have no entity tag")?;
    let known = request("GET", path, &format!("{}{}", Server::client(), if_none_match(Some(&etag))), None);
    let packed = request("GET", path, &format!("{}Accept-Encoding: gzip\r\n", Server::client()), None);
    Ok(vec![
        Row::same("client features", 200, plain),
        Row::same("client features, gzip", 200, packed),
        Row::same("client features, matching ETag", 304, known),
        Row { name: "one browser's flags".to_owned(), status: 200, request: Box::new(of_browser) },
        Row { name: "one browser's flags, OFREP".to_owned(), status: 200, request: Box::new(by_open_feature) },
    ])
}

/// Each time of another user.
fn of_browser(number: u64) -> Vec<u8> {
    let path = format!("/api/frontend?userId={number}&sessionId=s{number}&properties[region]=north");
    request("GET", &path, &Server::browser(), None)
}

fn by_open_feature(number: u64) -> Vec<u8> {
    let context = json!({ "context": { "targetingKey": number.to_string(), "region": "north" } });
    request("POST", "/ofrep/v1/evaluate/flags", &Server::browser(), Some(&context))
}
