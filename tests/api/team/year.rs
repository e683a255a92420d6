//! A year of a team: five people, two projects, three environments, thirty flags. At its end all thirteen endpoints are
//! held against the books.

mod people;
mod strategies;

use std::collections::BTreeMap;

use flagstone::{config::Config, jobs};
use poem::http::Method;
use serde_json::{Value, json};

use self::{people::People, strategies::STRATEGIES};
use super::{
    Team,
    act::Act,
    books::{Books, DAY_MS, Place, Project, Strategy},
    check,
};
use crate::harness::{Client, TestApp, role};

const KINDS: &[&str] = &["release", "experiment", "operational", "kill-switch", "permission"];
const MONTH_DAYS: i64 = 28;

/// The `n`th flag of the year; even ones are the shop's.
fn flag(n: usize) -> String {
    format!("flag-{n:02}")
}

async fn founded() -> (Team, People) {
    // Longer than the year.
    let app = TestApp::with_config(Config { personal_token_days: 400, ..Config::default() }).await;
    let mut team = Team { app, books: Books::default() };
    let used = ["development", "production"].map(str::to_owned).to_vec();
    let default = Project { name: "Default".to_owned(), environments: used, ..Project::default() };
    team.books.projects.insert("default".to_owned(), default);
    let people = People::hire(&mut team).await;
    (team, people)
}

impl Team {
    /// Enters an event that concerns no flag and happened just now, before the second that the call took.
    fn happened(&mut self, kind: &str, project: Option<&str>, environment: Option<&str>, by: &Client) {
        let at = self.app.clock.now().millis() - 1_000;
        self.books.note(kind, project, None, by.user_id.expect("a person"), at);
        self.books.log.last_mut().expect("just noted").environment = environment.map(str::to_owned);
    }

    async fn night(&mut self, days: i64) {
        self.app.clock.advance(days * DAY_MS);
        jobs::mark_potentially_stale(&self.app.state).await.expect("runs");
        self.books.night(self.app.clock.now().millis());
        jobs::write_presence(&self.app.state).await.expect("runs");
        jobs::record_insights(&self.app.state).await.expect("runs");
    }
}

/// January: a third environment, two projects, and who works in them.
async fn organise(team: &mut Team, people: &People) {
    let boss = &people.boss;
    let staging = json!({ "name": "staging", "type": "test", "sortOrder": 1 });
    team.calls(boss, Method::POST, "/api/admin/environments", staging).await;
    team.happened("environment-created", None, Some("staging"), boss);
    for (id, name) in [("shop", "Shop"), ("ops", "Operations of the shop")] {
        let environments = ["staging", "development", "production"];
        let project = json!({ "id": id, "name": name, "environments": environments });
        team.calls(boss, Method::POST, "/api/admin/projects", project).await;
        team.happened("project-created", Some(id), None, boss);
        let since = team.app.clock.now().millis() - 1_000;
        let kept = Project {
            name: name.to_owned(),
            environments: environments.map(str::to_owned).to_vec(),
            members: BTreeMap::from([(boss.user_id.expect("a person"), since)]),
        };
        team.books.projects.insert(id.to_owned(), kept);
    }
    for (project, person, role) in [
        ("shop", &people.owner, role::OWNER),
        ("shop", &people.member, role::MEMBER),
        ("ops", &people.member, role::MEMBER),
    ] {
        let id = person.user_id.expect("a person");
        let access = json!({ "roles": [role], "groups": [], "users": [id] });
        team.calls(boss, Method::POST, &format!("/api/admin/projects/{project}/access"), access).await;
        team.happened("project-access-added", Some(project), None, boss);
        let since = team.app.clock.now().millis() - 1_000;
        team.books.projects.get_mut(project).expect("made").members.insert(id, since);
    }
    team.calls(boss, Method::PUT, "/api/admin/projects/ops", json!({ "name": "Operations" })).await;
    team.happened("project-updated", Some("ops"), None, boss);
    "Operations".clone_into(&mut team.books.projects.get_mut("ops").expect("made").name);
}

/// Makes what strategies refer to: a segment, a context field with values, and a strategy type of the team's own.
async fn prepare(team: &mut Team, people: &People) {
    let editor = &people.editor;
    let constraint = json!({ "contextName": "userId", "operator": "IN", "values": ["1", "2"] });
    let segment = json!({ "name": "testers", "constraints": [constraint] });
    let made = team.calls(editor, Method::POST, "/api/admin/segments", segment).await;
    assert_eq!(made["id"], 1, "the first segment");
    team.happened("segment-created", None, None, editor);
    let region = json!({ "name": "region", "legalValues": [{ "value": "eu" }, { "value": "us" }] });
    team.calls(editor, Method::POST, "/api/admin/context", region).await;
    team.happened("context-field-created", None, None, editor);
    let weekday = json!({ "name": "weekday", "parameters": [{ "name": "days", "type": "list" }] });
    team.calls(editor, Method::POST, "/api/admin/strategies", weekday).await;
    team.happened("strategy-created", None, None, editor);
}

/// A flag each twelve days: made, tagged, tried in staging by one of the kinds of strategy, on for everybody later.
async fn build(team: &mut Team, people: &People, n: usize) {
    let name = flag(n);
    let (project, who) = if n.is_multiple_of(2) { ("shop", &people.member) } else { ("ops", &people.member) };
    let kind = KINDS[n % KINDS.len()];
    team.does(who, &Act::Create { project: project.to_owned(), name: name.clone(), kind }).await;
    team.does(who, &Act::Describe { flag: name.clone(), text: format!("The {n}. idea of the year") }).await;
    let tag = ["web", "app", "mail"][n % 3].to_owned();
    team.does(who, &Act::Tag { flag: name.clone(), value: tag }).await;
    let (body, segment) = &STRATEGIES[n % STRATEGIES.len()];
    let body: Value = serde_json::from_str(body).expect("JSON");
    for environment in ["staging", "development"] {
        let add = Act::AddStrategy {
            flag: name.clone(),
            environment: environment.to_owned(),
            disabled: environment == "development" && n.is_multiple_of(4),
            segment: segment.map(str::to_owned),
            body: body.clone(),
        };
        team.does(who, &add).await;
        team.does(who, &Act::Switch { flag: name.clone(), environment: environment.to_owned(), on: true }).await;
    }
    if n.is_multiple_of(5) {
        team.does(who, &Act::Variants { flag: name.clone(), environment: "production".to_owned(), count: 3 }).await;
    }
    team.does(&people.viewer, &Act::Favor { flag: name, on: true }).await;
}

/// Tends the flags made before.
async fn tend(team: &mut Team, people: &People, n: usize) {
    let (member, owner, boss) = (&people.member, &people.owner, &people.boss);
    let production = |flag: String, on: bool| Act::Switch { flag, environment: "production".to_owned(), on };
    if n >= 2 {
        team.does(member, &production(flag(n - 2), true)).await;
    }
    if n >= 4 && n.is_multiple_of(2) {
        team.does(member, &Act::Depend { flag: flag(n), parent: flag(n - 4) }).await;
    }
    if n >= 6 && n.is_multiple_of(3) {
        team.does(member, &Act::Stale { flag: flag(n - 6), on: true, batch: n.is_multiple_of(2) }).await;
        team.does(member, &production(flag(n - 6), false)).await;
        team.does(member, &Act::Archive { flag: flag(n - 6) }).await;
    }
    if n >= 10 && n.is_multiple_of(5) {
        team.does(member, &Act::Archive { flag: flag(n - 10) }).await;
        team.does(member, &Act::Revive { flag: flag(n - 10) }).await;
        team.does(member, &Act::RemoveStrategy { flag: flag(n - 5), environment: "staging".to_owned(), nth: 0 }).await;
    }
    if n == 20 {
        // Who may move must may it in both projects.
        team.does(boss, &Act::Move { flag: flag(19), to: "shop".to_owned() }).await;
        team.does(owner, &Act::Retype { flag: flag(19), kind: "operational" }).await;
        team.does(member, &Act::Delete { flag: flag(3) }).await;
    }
}

/// In autumn the flags of a partner are taken over into `ops`: one new, one that is there already.
async fn take_over(team: &mut Team, people: &People) {
    let (known, new) = (flag(17), "partner-login".to_owned());
    let strategy = json!({ "name": "default", "featureName": new, "parameters": {}, "constraints": [] });
    let body = json!({ "project": "ops", "environment": "development", "data": {
        "features": [{ "name": new, "type": "permission" }, { "name": known, "type": "release", "description": "Theirs" }],
        "featureStrategies": [strategy],
        "featureEnvironments": [{ "name": new, "environment": "prod", "enabled": true, "featureName": new }],
        "tagTypes": [],
        "featureTags": [],
    } });
    team.calls(&people.member, Method::POST, "/api/admin/features-batch/import", body).await;
    let (by, at) = (people.member.user_id.expect("a person"), team.app.clock.now().millis() - 1_000);
    let books = &mut team.books;
    let created = Act::Create { project: "ops".to_owned(), name: new.clone(), kind: "permission" };
    books.note_flag(&["feature-metadata-updated"], &known, None, by, at);
    assert!(books.enter(&created, by, at));
    let flag = books.flags.get_mut(&known).expect("built");
    "release".clone_into(&mut flag.kind);
    flag.description = Some("Theirs".to_owned());
    flag.stale = false;
    flag.tags.clear();
    let place = flag.environments.get_mut("development").expect("a place");
    let replaced = std::mem::take(&mut place.strategies);
    // Without a strategy it would be on for everybody, which nobody asked for.
    let goes_off = std::mem::take(&mut place.enabled);
    let place =
        Place { enabled: true, strategies: vec![Strategy { id: None, disabled: false, segment: None }], variants: 0 };
    books.flags.get_mut(&new).expect("imported").environments.insert("development".to_owned(), place);
    for _ in replaced {
        books.note_flag(&["feature-strategy-remove"], &known, Some("development"), by, at);
    }
    books.note_flag(&["feature-strategy-add", "feature-environment-enabled"], &new, Some("development"), by, at);
    if goes_off {
        books.note_flag(&["feature-environment-disabled"], &known, Some("development"), by, at);
    }
    books.note("features-imported", Some("ops"), None, by, at);
    books.log.last_mut().expect("just noted").environment = Some("development".to_owned());
}

/// Endpoints 8 to 10: both variants of both settings, as they were sent.
async fn settings_agree(team: &mut Team, people: &People) {
    let boss = &people.boss;
    for (provider, on) in [
        ("oidc", json!({ "enabled": true, "clientId": "flagstone", "secret": "from the provider" })),
        (
            "saml",
            json!({ "enabled": true, "entityId": "flagstone", "signOnUrl": "https://id.example.com/sso", "certificate": "MIIC" }),
        ),
    ] {
        let path = format!("/api/admin/auth/{provider}/settings");
        for (settings, event) in [(on, "setting-created"), (json!({ "enabled": false }), "setting-updated")] {
            let answer = team.calls(boss, Method::POST, &path, settings.clone()).await;
            team.happened(event, None, None, boss);
            for shown in [answer, boss.get(&path).await.expect(200)] {
                for (name, value) in settings.as_object().expect("an object") {
                    assert_eq!(shown[name], *value, "{provider} {name}");
                }
            }
            people.viewer.get(&path).await.refused(403, "NoAccessError", "ADMIN");
        }
    }
}

/// Endpoint 11.
async fn profiles_agree(team: &Team, people: &People) {
    for (who, root_role) in people.with_root_roles() {
        let id = who.user_id.expect("a person");
        let mut projects: Vec<&str> = vec!["default"];
        projects.extend(
            team.books.projects.iter().filter(|(_, project)| project.members.contains_key(&id)).map(|(id, _)| &**id),
        );
        projects.sort_unstable();
        let profile = who.get("/api/admin/user/profile").await.expect(200);
        assert_eq!(profile["projects"], json!(projects), "{id}");
        assert_eq!(profile["rootRole"]["id"], root_role, "{id}");
        assert_eq!(profile["features"], json!([]));
    }
}

/// Endpoint 12: a data set with some of everything, judged by the books.
async fn validation_agrees(team: &Team, people: &People) {
    let mut names: Vec<&str> = team.books.flags.keys().map(String::as_str).collect();
    names.push("never-seen");
    let features: Vec<Value> = names.iter().map(|name| json!({ "name": name })).collect();
    let data = json!({ "features": features, "featureStrategies": [], "tagTypes": [] });
    let body = json!({ "project": "shop", "environment": "development", "data": data });
    let found = people.viewer.post("/api/admin/features-batch/validate", body).await.expect(200);
    let of = |wanted: &dyn Fn(&str) -> bool| -> Vec<&str> {
        let mut names: Vec<&str> = team.books.flags.keys().map(String::as_str).filter(|name| wanted(name)).collect();
        names.sort_unstable();
        names
    };
    let flag = |name: &str| &team.books.flags[name];
    let elsewhere: Vec<String> =
        of(&|name| flag(name).project != "shop").iter().map(|name| format!("{name} (in project ops)")).collect();
    let archived = of(&|name| !flag(name).in_use());
    let overwritten = of(&|name| flag(name).in_use() && flag(name).project == "shop");
    let items = |list: &Value, index: usize| -> Vec<String> {
        let items = list[index]["affectedItems"].as_array().expect("a list").iter();
        let mut items: Vec<String> = items.map(|item| item.as_str().expect("a text").to_owned()).collect();
        items.sort_unstable();
        items
    };
    assert_eq!(items(&found["errors"], 0), elsewhere);
    assert_eq!(found["errors"].as_array().map(Vec::len), Some(1), "{found:#}");
    assert_eq!(items(&found["warnings"], 0), archived);
    assert_eq!(items(&found["warnings"], 1), overwritten);
    assert_eq!(
        items(&found["permissions"], 0),
        ["Create feature flags", "Delete activation strategies", "Update feature flags"]
    );
}

/// Endpoint 13, at both its addresses: today's figures, and the changes of the whole year.
async fn insights_agree(team: &Team, people: &People) {
    let insights = people.viewer.get("/api/admin/dashboard/executive").await.expect(200);
    assert_eq!(people.viewer.get("/api/admin/insights").await.expect(200), insights);
    let now = team.app.clock.now().millis();
    let in_use = team.books.flags.values().filter(|flag| flag.in_use()).count();
    assert_eq!(insights["flags"], json!({ "total": in_use }));
    assert_eq!(insights["users"], json!({ "total": 5, "active": 5, "inactive": 0 }));
    for project in team.books.projects.keys() {
        let rows = insights["projectFlagTrends"].as_array().expect("a list").iter();
        let latest = rows.filter(|row| row["project"] == **project).max_by_key(|row| row["week"].as_str());
        let latest = latest.expect("this week's row");
        let flags: Vec<_> =
            team.books.flags.values().filter(|flag| flag.in_use() && flag.project == *project).collect();
        let stale = flags.iter().filter(|flag| flag.stale).count();
        let overdue = flags.iter().filter(|flag| flag.is_overdue(now)).count();
        assert_eq!(latest["total"], flags.len(), "{project}");
        assert_eq!(latest["stale"], stale, "{project}");
        assert_eq!(latest["potentiallyStale"], overdue, "{project}");
        assert_eq!(latest["active"], flags.len() - stale - overdue, "{project}");
    }
    for (kind, environment) in [("development", "development"), ("test", "staging"), ("production", "production")] {
        let rows = insights["environmentTypeTrends"].as_array().expect("a list").iter();
        let updates: i64 = rows
            .filter(|row| row["environmentType"] == kind)
            .map(|row| row["totalUpdates"].as_i64().expect("a number"))
            .sum();
        let entries = team.books.log.iter();
        let expected =
            entries.filter(|entry| entry.feature.is_some() && entry.environment.as_deref() == Some(environment));
        assert_eq!(updates, i64::try_from(expected.count()).expect("few"), "{kind}");
    }
}

#[tokio::test]
async fn a_year_of_a_team() {
    let (mut team, people) = founded().await;
    organise(&mut team, &people).await;
    prepare(&mut team, &people).await;
    for n in 0..30 {
        build(&mut team, &people, n).await;
        tend(&mut team, &people, n).await;
        team.night(MONTH_DAYS * 12 / 30).await;
        if n % 10 == 9 {
            check::agree(&team, &people.boss).await;
        }
        if n == 24 {
            take_over(&mut team, &people).await;
        }
    }
    settings_agree(&mut team, &people).await;
    people.everybody_looks_in(&team).await;
    team.night(0).await;
    check::agree(&team, &people.boss).await;
    profiles_agree(&team, &people).await;
    validation_agrees(&team, &people).await;
    insights_agree(&team, &people).await;
    crate::schema::assert_derived_columns(&team.app).await;
}
