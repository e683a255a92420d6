//! Any combination of parameters finds what the second opinion finds, in the same order.

use std::sync::atomic::{AtomicU32, Ordering};

use proptest::{
    collection::vec,
    option,
    prelude::{Just, Strategy, prop_oneof},
    sample::{select, subsequence},
    test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner},
};
use serde_json::Value;

use super::{
    names, path,
    world::{Parameters, SEGMENTS, TAGS, World, expected},
};
use crate::harness::Client;

const CASES: u32 = 300;

fn filter(operators: &'static [&'static str], values: Vec<String>) -> impl Strategy<Value = String> {
    let most = values.len();
    (select(operators), subsequence(values, 0..=most))
        .prop_map(|(operator, values)| format!("{operator}:{}", values.join(",")))
}

fn value_filter(values: &[&str]) -> impl Strategy<Value = String> {
    filter(&["IS", "IS_NOT", "IS_ANY_OF", "IS_NONE_OF"], values.iter().map(|value| (*value).to_owned()).collect())
}

const SET_OPERATORS: &[&str] =
    &["INCLUDE", "DO_NOT_INCLUDE", "INCLUDE_ALL_OF", "INCLUDE_ANY_OF", "EXCLUDE_IF_ANY_OF", "EXCLUDE_ALL"];

fn tag_filter() -> impl Strategy<Value = String> {
    let mut tags: Vec<String> = TAGS.iter().map(|(kind, value)| format!("{kind}:{value}")).collect();
    tags.push("simple:unknown".to_owned());
    (select(SET_OPERATORS), subsequence(tags, 1..=3))
        .prop_map(|(operator, tags)| format!("{operator}:{}", tags.join(", ")))
}

fn segment_filter() -> impl Strategy<Value = String> {
    let mut names: Vec<String> = SEGMENTS.iter().map(|name| (*name).to_owned()).collect();
    names.push("employee".to_owned());
    filter(SET_OPERATORS, names)
}

const TEXTS: &[&str] =
    &["alpha", "ALPHA_", "%", "_", "a", "eta", "größe", "team:", "web 100%", "e:B", "nothing-of-this", "l-0", "\"", ""];
const STATUSES: &[&str] =
    &["production:enabled", "production:disabled", "qa:enabled", "qa:disabled", "moon:enabled", "qa:on"];
const SORTS: &[&str] = &[
    "createdAt",
    "name",
    "type",
    "project",
    "stale",
    "lastSeenAt",
    "environment:production",
    "environment:qa",
    "environment:moon",
    "favorite",
];

fn parameters(creators: Vec<String>) -> impl Strategy<Value = Parameters> {
    let filters = (
        option::of(vec(select(TEXTS), 1..3).prop_map(|texts| texts.join(" ,"))),
        option::of(value_filter(&["shop", "billing", "Shop", "none"])),
        option::of(value_filter(&["active", "stale", "potentially-stale"])),
        option::of(value_filter(&["release", "kill-switch", "operational"])),
        option::of(filter(&["IS", "IS_NOT", "IS_ANY_OF", "IS_NONE_OF"], creators)),
        option::of(tag_filter()),
        option::of(segment_filter()),
        vec(select(STATUSES).prop_map(str::to_owned), 0..3),
        option::of(prop_oneof![
            Just("IS_BEFORE:2026-01-17".to_owned()),
            Just("IS_ON_OR_AFTER:2026-01-17".to_owned()),
            Just("IS_BEFORE:2020-01-01".to_owned()),
        ]),
        option::of(value_filter(&["initial", "pre-live", "live", "completed", "archived", "LIVE"])),
    );
    let seen = (
        option::of(select(&["IS_BEFORE:2026-01-18", "IS_ON_OR_AFTER:2026-01-18", "IS_BEFORE:2020-01-01"][..])),
        option::of(select(&["true", "false"][..])),
    );
    let order = (
        option::of(select(SORTS)),
        option::of(select(&["asc", "desc"][..])),
        option::of(select(&["true", "false", "TRUE"][..])),
        option::of(0..60_usize),
        option::of(1..60_usize),
    );
    // Few filters at once, or hardly anything would ever match.
    (filters, seen, order, vec(proptest::bool::weighted(0.3), 12)).prop_map(|(filters, seen, order, chosen)| {
        let (query, project, state, kind, creator, tag, segment, statuses, created_at, lifecycle) = filters;
        let (last_seen_at, favorites) = seen;
        let named = [
            ("query", query),
            ("project", project),
            ("state", state),
            ("type", kind),
            ("createdBy", creator),
            ("tag", tag),
            ("segment", segment),
            ("createdAt", created_at),
            ("lifecycle", lifecycle),
            ("lastSeenAt", last_seen_at.map(str::to_owned)),
            ("favorites", favorites.map(str::to_owned)),
        ];
        let mut parameters: Parameters = named
            .into_iter()
            .zip(&chosen)
            .filter_map(|((name, value), chosen)| value.filter(|_| *chosen).map(|value| (name, value)))
            .collect();
        parameters.extend(statuses.into_iter().filter(|_| chosen[11]).map(|status| ("status", status)));
        let (sort, direction, favorites, offset, limit) = order;
        parameters.extend(sort.map(|sort| ("sortBy", sort.to_owned())));
        parameters.extend(direction.map(|direction| ("sortOrder", direction.to_owned())));
        parameters.extend(favorites.map(|favorites| ("favoritesFirst", favorites.to_owned())));
        parameters.extend(offset.map(|offset| ("offset", offset.to_string())));
        parameters.extend(limit.map(|limit| ("limit", limit.to_string())));
        parameters
    })
}

/// Whatever the filters, each feature comes with all that it has.
fn is_whole(element: &Value, world: &World, is_person: bool) -> bool {
    let mut flags = world.flags.iter().chain(&world.archived);
    let flag = flags.find(|flag| element["name"] == flag.name).expect("a seeded feature");
    let environments: Vec<(String, bool)> = element["environments"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|row| (row["name"].as_str().expect("a name").to_owned(), row["enabled"].as_bool().expect("a switch")))
        .collect();
    // development 2, production 3 and qa 9 are in the order of their names.
    let switches: Vec<(String, bool)> = flag.switches.iter().map(|(name, on)| ((*name).to_owned(), *on)).collect();
    let mut segments: Vec<&str> = flag.segments.iter().copied().collect();
    segments.sort_unstable();
    let tags: Vec<Value> =
        flag.tags.iter().map(|(kind, value)| serde_json::json!({ "value": value, "type": kind })).collect();
    environments == switches
        && element["segments"] == serde_json::json!(segments)
        && (if tags.is_empty() { element.get("tags").is_none() } else { element["tags"] == Value::Array(tags) })
        && element["favorite"] == (is_person && flag.favorite)
        && element["lifecycle"]["stage"].as_str() == flag.stage
        && element["archived"].as_bool().unwrap_or_default() == flag.archived
        && element.get("archivedAt").is_some() == flag.archived
}

async fn agrees(world: &World, client: &Client, parameters: &Parameters) -> Result<(), TestCaseError> {
    let is_person = client.user_id.is_some();
    let answer = client.get(&path(parameters)).await;
    if answer.status != 200 {
        return Err(TestCaseError::fail(answer.text));
    }
    let (page, total) = expected(world, parameters, is_person);
    if names(&answer.body) != page || answer.body["total"] != total {
        let found = (names(&answer.body), answer.body["total"].clone());
        return Err(TestCaseError::fail(format!("found {found:?}, expected {:?}", (page, total))));
    }
    let elements = answer.body["features"].as_array().expect("a list");
    match elements.iter().find(|element| !is_whole(element, world, is_person)) {
        Some(element) => Err(TestCaseError::fail(format!("incomplete: {element:#}"))),
        None => Ok(()),
    }
}

/// A text and a project are two ways of leaving few, so that the switches of each are looked up.
#[tokio::test]
async fn pages_of_what_is_on_in_several_environments_follow_each_other() {
    let world = World::new().await;
    for (name, value) in [("query", "a"), ("query", "%"), ("project", "IS:shop")] {
        let parameters = |offset: usize| {
            let status = |pair: &str| ("status", pair.to_owned());
            let page = [("offset", offset.to_string()), ("limit", "3".to_owned())];
            let filters = [(name, value.to_owned()), status("production:enabled"), status("qa:enabled")];
            filters.into_iter().chain(page).collect::<Parameters>()
        };
        let (_, total) = expected(&world, &parameters(0), true);
        assert!(total > 6, "{name}: {total}");
        for offset in 0..=total {
            agrees(&world, &world.person, &parameters(offset)).await.expect(name);
        }
    }
}

#[test]
fn any_query_finds_what_a_second_opinion_finds() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let world = runtime.block_on(World::new());
    let creators = vec![
        "-42".to_owned(),
        world.person.user_id.expect("a person").to_string(),
        "999999".to_owned(),
        "nobody".to_owned(),
    ];
    let clients = [world.person.clone(), world.app.admin()];
    // The same questions each time: what only some of them show must not come up by chance in somebody else's change.
    let config = Config { cases: CASES, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let found_something = AtomicU32::new(0);
    let strategy = (parameters(creators), select(vec![0_usize, 1]));
    let outcome = runner.run(&strategy, |(parameters, client)| {
        let (page, _) = expected(&world, &parameters, client == 0);
        found_something.fetch_add(u32::from(!page.is_empty()), Ordering::Relaxed);
        runtime.block_on(agrees(&world, &clients[client], &parameters))
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
    assert!(found_something.into_inner() > CASES / 4, "too few of the queries find anything");
}
