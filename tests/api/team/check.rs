//! Comparison of what the server says with the books.

use std::collections::BTreeSet;

use poem::http::Method;
use serde_json::{Value, json};

use super::{
    Team,
    books::{Books, DAY_MS, Entry, Flag},
};
use crate::harness::{Client, encoded};

/// Searches, reports, lists and logs agree with the books.
pub async fn agree(team: &Team, who: &Client) {
    logs_agree(team, who).await;
    searches_agree(team, who).await;
    for project in team.books.projects.keys() {
        reports_agree(team, who, project).await;
    }
}

type Wanted = fn(&str, &Flag) -> bool;

/// Queries, and which flags in use they are about.
const SEARCHES: &[(&str, Wanted)] = &[
    ("", |_, _| true),
    ("project=IS:shop", |_, flag| flag.project == "shop"),
    ("project=IS_NOT:shop", |_, flag| flag.project != "shop"),
    ("state=IS:stale", |_, flag| flag.stale),
    ("state=IS:active", |_, flag| !flag.stale),
    ("type=IS_ANY_OF:operational,experiment", |_, flag| ["operational", "experiment"].contains(&&*flag.kind)),
    ("tag=INCLUDE:simple:web", |_, flag| has_tag(flag, "web")),
    ("tag=DO_NOT_INCLUDE:simple:web", |_, flag| !has_tag(flag, "web")),
    ("status=production:enabled", |_, flag| is_on(flag, "production")),
    ("status=development:disabled", |_, flag| {
        flag.environments.contains_key("development") && !is_on(flag, "development")
    }),
    ("query=a", |name, flag| name.contains('a') || flag.tags.iter().any(|(kind, value)| in_tag(kind, value))),
    ("segment=INCLUDE:testers", |_, flag| flag.segments().contains("testers")),
];

fn in_tag(kind: &str, value: &str) -> bool {
    kind.contains('a') || value.contains('a')
}

fn has_tag(flag: &Flag, value: &str) -> bool {
    flag.tags.contains(&("simple".to_owned(), value.to_owned()))
}

fn is_on(flag: &Flag, environment: &str) -> bool {
    flag.environments.get(environment).is_some_and(|place| place.enabled)
}

/// Flags in use in the order of their creation.
fn in_order(books: &Books, wanted: impl Fn(&str, &Flag) -> bool) -> Vec<(&String, &Flag)> {
    let in_use = books.flags.iter().filter(|(_, flag)| flag.in_use());
    let mut flags: Vec<_> = in_use.filter(|(name, flag)| wanted(name, flag)).collect();
    flags.sort_by_key(|(name, flag)| (flag.created_at, *name));
    flags
}

async fn searches_agree(team: &Team, who: &Client) {
    for (query, wanted) in SEARCHES {
        let answer = who.get(&format!("/api/admin/search/features?limit=100&{query}")).await.expect(200);
        let expected: Vec<Value> = in_order(&team.books, wanted)
            .into_iter()
            .map(|(name, flag)| element(&team.books, name, flag, who.user_id))
            .collect();
        assert_eq!(answer["total"], expected.len(), "{query}");
        let found: Vec<Value> = answer["features"].as_array().expect("a list").iter().map(reduced).collect();
        assert_eq!(found, expected, "{query}");
    }
}

/// Element of a search result as the books know it.
fn element(books: &Books, name: &str, flag: &Flag, reader: Option<i64>) -> Value {
    let order = &books.projects[&flag.project].environments;
    let places: Vec<Value> = order
        .iter()
        .map(|environment| {
            let place = &flag.environments[environment];
            json!({
                "name": environment,
                "enabled": place.enabled,
                "hasStrategies": !place.strategies.is_empty(),
                "hasEnabledStrategies": place.strategies.iter().any(|strategy| !strategy.disabled),
                "variantCount": place.variants,
            })
        })
        .collect();
    let dependency = if books.children(name).next().is_some() {
        json!("parent")
    } else if flag.parents.is_empty() {
        Value::Null
    } else {
        json!("child")
    };
    json!({
        "name": name,
        "type": flag.kind,
        "project": flag.project,
        "description": flag.description,
        "stale": flag.stale,
        "createdBy": flag.created_by,
        "favorite": reader.is_some_and(|reader| flag.favorite_of.contains(&reader)),
        "dependencyType": dependency,
        "environments": places,
        "tags": flag.tags.iter().map(|(kind, value)| format!("{kind}:{value}")).collect::<Vec<_>>(),
        "segments": flag.segments(),
    })
}

/// Element of a search result as the server answered it.
fn reduced(found: &Value) -> Value {
    let places: Vec<Value> = found["environments"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|place| {
            json!({
                "name": place["name"],
                "enabled": place["enabled"],
                "hasStrategies": place["hasStrategies"],
                "hasEnabledStrategies": place["hasEnabledStrategies"],
                "variantCount": place["variantCount"],
            })
        })
        .collect();
    let tags = found["tags"].as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let tags: BTreeSet<String> =
        tags.iter().map(|tag| format!("{}:{}", text(&tag["type"]), text(&tag["value"]))).collect();
    json!({
        "name": found["name"],
        "type": found["type"],
        "project": found["project"],
        "description": found["description"],
        "stale": found["stale"],
        "createdBy": found["createdBy"]["id"],
        "favorite": found["favorite"],
        "dependencyType": found["dependencyType"],
        "environments": places,
        "tags": tags,
        "segments": found["segments"],
    })
}

async fn reports_agree(team: &Team, who: &Client, project: &str) {
    let now = team.app.clock.now().millis();
    let flags = in_order(&team.books, |_, flag| flag.project == project);
    let names: Vec<String> = flags.iter().map(|(name, _)| (*name).clone()).collect();
    let stale = flags.iter().filter(|(_, flag)| flag.stale).count();
    let overdue = flags.iter().filter(|(_, flag)| flag.is_overdue(now)).count();
    let total = flags.len();
    let health = if total == 0 { 100 } else { (200 * (total - stale - overdue) + total) / (2 * total) };
    let members = &team.books.projects[project].members;

    let report = who.get(&format!("/api/admin/projects/{project}/health-report")).await.expect(200);
    let overview = who.get(&format!("/api/admin/projects/{project}")).await.expect(200);
    for answer in [&report, &overview] {
        assert_eq!(answer["name"], team.books.projects[project].name, "{project}");
        assert_eq!(answer["health"], health, "{project}");
        assert_eq!(answer["members"], members.len(), "{project}");
        assert_eq!(named(&answer["features"], "name"), names, "{project}");
        let used = &team.books.projects[project].environments;
        assert_eq!(named(&answer["environments"], "environment"), *used, "{project}");
        assert_eq!(answer["stats"], stats(&team.books, project, now), "{project}");
    }
    let counts = ["potentiallyStaleCount", "activeCount", "staleCount"].map(|count| report[count].clone());
    assert_eq!(counts, [json!(overdue), json!(total - stale), json!(stale)], "{project}");

    let list = who.get(&format!("/api/admin/projects/{project}/features")).await.expect(200);
    assert_eq!(named(&list["features"], "name"), names, "{project}");
    let archived = who.get(&format!("/api/admin/projects/{project}?archived=true")).await.expect(200);
    let shelved = team.books.flags.iter().filter(|(_, flag)| flag.project == project && !flag.in_use());
    let shelved: BTreeSet<&String> = shelved.map(|(name, _)| name).collect();
    let found: BTreeSet<String> = named(&archived["features"], "name").into_iter().collect();
    assert_eq!(found.iter().collect::<BTreeSet<_>>(), shelved, "{project}");
}

fn named(list: &Value, key: &str) -> Vec<String> {
    let text = |entry: &Value| entry[key].as_str().expect("a text").to_owned();
    list.as_array().expect("a list").iter().map(text).collect()
}

fn stats(books: &Books, project: &str, now: i64) -> Value {
    let (current, past) = (now - 30 * DAY_MS, now - 60 * DAY_MS);
    let in_current = |at: i64| (current..=now).contains(&at);
    let in_past = |at: i64| (past..current).contains(&at);
    let flags: Vec<&Flag> = books.flags.values().filter(|flag| flag.project == project).collect();
    let count = |when: &dyn Fn(&Flag) -> bool| flags.iter().filter(|flag| when(flag)).count();
    let activity = |when: &dyn Fn(i64) -> bool| {
        books.log.iter().filter(|entry| entry.project.as_deref() == Some(project) && when(entry.at)).count()
    };
    let joined = books.projects[project].members.values().filter(|since| **since >= current).count();
    let days: Vec<i64> = flags
        .iter()
        .filter(|flag| flag.kind == "release")
        .filter_map(|flag| Some((flag.produced_at? - flag.created_at) / DAY_MS))
        .collect();
    json!({
        "avgTimeToProdCurrentWindow": mean(&days),
        "createdCurrentWindow": count(&|flag| flag.in_use() && in_current(flag.created_at)),
        "createdPastWindow": count(&|flag| flag.in_use() && in_past(flag.created_at)),
        "archivedCurrentWindow": count(&|flag| flag.archived_at.is_some_and(in_current)),
        "archivedPastWindow": count(&|flag| flag.archived_at.is_some_and(in_past)),
        "projectActivityCurrentWindow": activity(&in_current),
        "projectActivityPastWindow": activity(&in_past),
        "projectMembersAddedCurrentWindow": joined,
    })
}

/// To one decimal; 0.1 for what rounds to nothing, and nothing without flags that got there.
fn mean(days: &[i64]) -> Value {
    if days.is_empty() {
        return json!(0);
    }
    let count = i64::try_from(days.len()).expect("few");
    let tenths = (20 * days.iter().sum::<i64>() + count) / (2 * count);
    match tenths {
        0 => json!(0.1),
        tenths if tenths % 10 == 0 => json!(tenths / 10),
        #[expect(clippy::cast_precision_loss, reason = "a few thousand days")]
        tenths => json!(tenths as f64 / 10.0),
    }
}

async fn logs_agree(team: &Team, who: &Client) {
    let expected: Vec<&Entry> = team.books.log.iter().rev().take(1000).collect();
    let answer = who.get("/api/admin/search/events?limit=1000").await.expect(200);
    let found: Vec<Entry> = answer["events"].as_array().expect("a list").iter().map(entry).collect();
    assert_same_log(&found, &expected);
    assert_eq!(answer["total"], team.books.log.len());
    if let Some(newest) = expected.first() {
        let by = |wanted: &dyn Fn(&Entry) -> bool| team.books.log.iter().filter(|entry| wanted(entry)).count();
        let kind = encoded(&format!("IS:{}", newest.kind));
        let of_kind = who.get(&format!("/api/admin/search/events?limit=1&type={kind}")).await.expect(200);
        assert_eq!(of_kind["total"], by(&|entry| entry.kind == newest.kind), "{}", newest.kind);
        if let Some(feature) = &newest.feature {
            let body = json!({ "feature": feature, "limit": 1 });
            let older = who.json(Method::POST, "/api/admin/events/search", body).await.expect(200);
            assert_eq!(older["totalEvents"], by(&|entry| entry.feature.as_deref() == Some(feature)), "{feature}");
        }
    }
}

fn assert_same_log(found: &[Entry], expected: &[&Entry]) {
    for (index, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert_eq!(found, *expected, "event {index} from the newest");
    }
    assert_eq!(found.len(), expected.len());
}

fn entry(event: &Value) -> Entry {
    let text = |key: &str| event[key].as_str().map(str::to_owned);
    let at = flagstone::domain::time::Timestamp::parse(event["createdAt"].as_str().expect("a time")).expect("a time");
    Entry {
        kind: text("type").expect("a type"),
        project: text("project"),
        feature: text("featureName"),
        environment: text("environment"),
        by: event["createdByUserId"].as_i64().expect("an id"),
        at: at.millis(),
    }
}
