//! Odd rows give the same set and the same repairs whatever way they come.

use std::collections::{BTreeMap, BTreeSet};

use flagstone::{
    comparison::Served,
    domain::{
        repair::{Repairs, client_feature, client_segment},
        time::Timestamp,
    },
    moving_in::{
        Answers, Finding, Origin, Set, Tables,
        files::{self, Format, Options, SourceFile},
        served,
    },
};
use serde_json::{Value, json};

use crate::old::{self, Rows};

/// Columns that are generated, by table. Those by which rows are known are apart: other rows name them.
const COLUMNS: [(&str, &[&str]); 7] = [
    ("environments", &["type", "enabled", "protected", "sort_order"]),
    ("features", &["project", "type", "description", "stale", "impression_data", "created_at", "last_seen_at"]),
    ("feature_environments", &["enabled", "last_seen_at", "variants"]),
    (
        "feature_strategies",
        &[
            "id",
            "strategy_name",
            "title",
            "disabled",
            "sort_order",
            "parameters",
            "constraints",
            "variants",
            "segments",
            "created_at",
        ],
    ),
    ("segments", &["name", "description", "constraints", "created_at"]),
    ("context_fields", &["description", "stickiness", "sort_order", "project", "legal_values", "created_at"]),
    ("tag_types", &["description", "icon"]),
];
/// Tables and columns that programs are served from.
const SERVED: [(&str, &[&str]); 4] = [
    ("features", &["type", "description", "stale", "impression_data"]),
    ("feature_environments", &["enabled", "variants"]),
    ("feature_strategies", &["strategy_name", "parameters", "constraints", "variants", "segments"]),
    ("segments", &["constraints"]),
];
/// Columns by which rows are known.
const KEYS: [(&str, &str); 7] = [
    ("environments", "name"),
    ("features", "name"),
    ("feature_environments", "environment"),
    ("feature_environments", "feature_name"),
    ("feature_strategies", "environment"),
    ("segments", "id"),
    ("context_fields", "name"),
];

fn odd_values() -> Vec<Value> {
    let constraint = |name: &str, value: Value| {
        let mut constraint = json!({ "contextName": "country", "operator": "IN", "values": ["NO"] });
        constraint[name] = value;
        json!([constraint])
    };
    let variant = |name: &str, value: Value| {
        let mut variant = json!({ "name": "v", "weight": 1000, "weightType": "fix", "stickiness": "default" });
        variant[name] = value;
        json!([variant])
    };
    let plain = [
        Value::Null,
        json!(5),
        json!(0),
        json!(-1),
        json!(2.5),
        json!(true),
        json!(false),
        json!(""),
        json!("text"),
        json!("5"),
        json!("1e400"),
        json!("infinity"),
        json!("-infinity"),
        json!("2026-11-22"),
        json!("12026-01-01T00:00:00Z"),
        json!(1_795_331_562_519_i64),
        json!([]),
        json!([null]),
        json!([5]),
        json!(["3"]),
        json!([[]]),
        json!({}),
        json!({ "a": 1 }),
        json!([{ "a": 1 }]),
        json!({ "rollout": 50 }),
        json!({ "id": 3 }),
        json!([{ "id": 3 }]),
        json!("[{\"contextName\":\"a\",\"operator\":\"IN\",\"values\":[]}]"),
        json!({ "contextName": "country", "operator": "IN", "values": ["NO"] }),
        json!({ "0": { "contextName": "country", "operator": "IN", "values": ["NO"] } }),
        json!("x".repeat(300)),
    ];
    let nested =
        [json!(5), json!(null), json!("text"), json!("true"), json!([]), json!(["a", 5, null]), json!({ "a": 1 })];
    let of_constraints = ["contextName", "operator", "values", "value", "inverted", "caseInsensitive"];
    let of_variants = ["name", "weight", "weightType", "stickiness", "payload", "overrides"];
    let payloads =
        [json!({ "type": "number", "value": 5 }), json!({ "type": "new", "value": "x" }), json!({ "value": null })];
    let mut all: Vec<Value> = plain.into();
    for value in &nested {
        all.extend(of_constraints.map(|name| constraint(name, value.clone())));
        all.extend(of_variants.map(|name| variant(name, value.clone())));
    }
    all.extend(payloads.map(|payload| variant("payload", payload)));
    all.push(variant("overrides", json!([{ "contextName": 5, "values": [1] }, { "values": [] }])));
    all
}

type Read = (BTreeMap<&'static str, Value>, BTreeSet<String>);

/// Content of a set on all ways, and its repairs.
fn read((set, findings): (Set, Vec<Finding>)) -> Read {
    let parts = [
        ("features", json!(set.features)),
        ("segments", json!(set.segments)),
        ("environments", json!(set.environments)),
        ("context fields", json!(set.context_fields)),
        ("types of tags", json!(set.tag_types)),
    ];
    (BTreeMap::from(parts), repairs(findings))
}

fn repairs(findings: Vec<Finding>) -> BTreeSet<String> {
    let told = findings.into_iter().filter(|finding| finding.cell.is_some());
    told.map(|finding| format!("{:?} {} {}: {}", finding.outcome, finding.kind, finding.name, finding.reason)).collect()
}

fn now() -> Timestamp {
    Timestamp::from_millis(1_795_331_562_000)
}

fn by_database(rows: &Rows) -> (Set, Vec<Finding>) {
    let mut tables = Tables::default();
    for (table, rows) in rows {
        tables.extend(table, rows.iter().cloned());
    }
    tables.read(Origin::default())
}

fn by_file(rows: &Rows) -> (Set, Vec<Finding>) {
    let text = old::state(rows).to_string();
    let options = Options { project: "default".to_owned(), environment: "production".to_owned(), now: now() };
    let file = SourceFile { name: "state.json", environment: None, bytes: text.as_bytes() };
    files::read(Format::Unleash, &[file], &options).expect("reads")
}

fn by_api(rows: &Rows) -> (Set, Vec<Finding>) {
    let answers = Answers {
        ui_config: json!({ "version": "6.3.0" }),
        environments: json!({ "environments": old::list(rows, "environments") }),
        segments: json!({ "segments": old::list(rows, "segments") }),
        context_fields: json!(old::list(rows, "context_fields")),
        tag_types: json!({ "tagTypes": old::list(rows, "tag_types") }),
        projects: BTreeMap::from([("shop".to_owned(), json!({ "name": "Shop", "environments": ["production"] }))]),
        features: vec![old::feature(rows)],
        ..Answers::default()
    };
    answers.read(now()).expect("reads")
}

/// Each odd value in each column.
fn each(columns: &[(&'static str, &[&'static str])], mut check: impl FnMut(&'static str, &'static str, &Rows)) {
    for (table, columns) in columns {
        for column in *columns {
            for value in odd_values() {
                let mut rows = old::rows();
                rows.get_mut(table).expect("a table")[0][*column] = value;
                check(table, column, &rows);
            }
        }
    }
}

#[test]
fn database_api_and_file_give_the_same() {
    let plain = [by_database, by_file, by_api].map(|way| read(way(&old::rows())));
    assert!(plain.iter().all(|(_, repairs)| repairs.is_empty()), "{plain:#?}");
    let (mut checked, mut repaired) = (0, BTreeSet::new());
    each(&COLUMNS, |table, column, rows| {
        let [database, file, api] = [by_database, by_file, by_api].map(|way| read(way(rows)));
        let value = &rows[table][0][column];
        assert_eq!(database, file, "{table}.{column}: {value}");
        assert_eq!(database, api, "{table}.{column}: {value}");
        let named = |repair: &String| repair.contains(&format!(" {table} ")) && repair.contains(column);
        assert!(database.1.iter().all(named), "{table}.{column}: {value}: {:?}", database.1);
        checked += 1;
        if !database.1.is_empty() {
            repaired.insert((table, column));
        }
    });
    assert!(checked > 3000, "{checked}");
    // There is no column in which nothing is odd.
    assert_eq!(repaired.len(), COLUMNS.iter().map(|(_, columns)| columns.len()).sum::<usize>());
}

#[test]
fn programs_comparison_and_edge_read_the_same() {
    each(&SERVED, |table, column, rows| {
        let value = &rows[table][0][column];
        let (set, findings) = by_database(rows);
        let recorded = Repairs::default();
        let answer = old::client(rows);
        let mut feature = client_feature(&answer["features"][0], "production", &recorded).expect("a feature");
        for strategy in &mut feature.strategies {
            strategy.segments = strategy.segments.take().filter(|segments| !segments.is_empty());
        }
        let segment = client_segment(&answer["segments"][0], &recorded);
        assert_eq!(served::client_features(&set, "production"), [feature], "{table}.{column}: {value}");
        let constraints = set.segments.first().map(|segment| segment.constraints.clone());
        if !value.is_null() {
            assert_eq!(segment.map(|segment| segment.constraints), constraints, "{table}.{column}: {value}");
        }
        // Answers to programs are named in their own words.
        let recorded = repairs(recorded.into_all().into_iter().map(Finding::from).collect()).into_iter();
        let recorded: BTreeSet<String> = recorded
            .map(|repair| {
                repair.replace("impressionData: ", "impression_data: ").replace(": name: ", ": strategy_name: ")
            })
            .collect();
        assert_eq!(recorded, repairs(findings), "{table}.{column}: {value}");
        // What says nothing is passed over there, and everything else is told.
        let compared = Served::read(answer.to_string().as_bytes()).expect("reads");
        assert_eq!(compared.names().collect::<Vec<_>>(), ["f"], "{table}.{column}: {value}");
    });
}

#[test]
fn rows_that_are_known_by_something_odd_stop_nothing_and_are_named() {
    for (table, column) in KEYS {
        for value in odd_values() {
            let mut rows = old::rows();
            rows.get_mut(table).expect("a table")[0][column] = value.clone();
            // A file of one environment need not name it at its strategies.
            let is_sole = table == "feature_strategies" && value.is_null();
            let is_fit =
                is_sole || value.as_str().is_some_and(|text| !text.is_empty()) || value.is_i64() && column == "id";
            for way in [by_database, by_file, by_api] {
                let (_, findings) = way(&rows);
                let is_named = findings
                    .iter()
                    .any(|finding| finding.cell.is_some() || finding.outcome == flagstone::moving_in::Outcome::LeftOut);
                assert!(is_fit || is_named || value == "", "{table}.{column}: {value}");
            }
        }
    }
    // And whole rows that are none.
    for table in old::rows().into_keys() {
        for value in odd_values().into_iter().filter(|value| !value.is_object()) {
            let mut rows = old::rows();
            rows.get_mut(table).expect("a table").push(value.clone());
            let (_, findings) = by_database(&rows);
            let of_table = findings.iter().filter(|finding| finding.kind == table && finding.cell.is_some()).count();
            assert_eq!(of_table, 1, "{table}: {value}: {findings:?}");
            by_file(&rows);
            by_api(&rows);
        }
    }
}

#[test]
fn numbers_out_of_range_are_read_as_their_texts() {
    let text = old::state(&old::rows()).to_string();
    let text =
        text.replace("\"sortOrder\":1", "\"sortOrder\":1e400").replace("\"rollout\":\"100\"", "\"rollout\":1e400");
    let options = Options { project: "default".to_owned(), environment: "production".to_owned(), now: now() };
    let file = SourceFile { name: "state.json", environment: None, bytes: text.as_bytes() };
    let (set, findings) = files::read(Format::Unleash, &[file], &options).expect("reads");
    assert_eq!(set.features[0].environments[0].strategies[0].parameters["rollout"], "1e400");
    let told = repairs(findings);
    assert!(told.iter().any(|repair| repair.contains("sort_order: \"1e400\": is no whole number")), "{told:?}");
}
