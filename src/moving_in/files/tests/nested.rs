//! Segments that name others, leave some out and are negated: a user who is in one there is in it here.

use super::*;

/// A person: key, email, country and plan.
type Person = (&'static str, &'static str, &'static str, &'static str);

fn people() -> impl Iterator<Item = Person> {
    let keys = ["ada", "eve", "zoe", "mallory", "nobody"].into_iter();
    keys.flat_map(|key| {
        ["", "x@example.com", "x@example.org"].into_iter().flat_map(move |email| {
            ["", "DE", "US"]
                .into_iter()
                .flat_map(move |country| ["", "pro"].into_iter().map(move |plan| (key, email, country, plan)))
        })
    })
}

fn staff((key, email, ..): Person) -> bool {
    key == "ada" || (key != "eve" && email.ends_with("@example.com"))
}

fn beta(person: Person) -> bool {
    staff(person) || person.2 == "DE"
}

fn payers(person: Person) -> bool {
    person.0 != "mallory" && !staff(person) && person.3 == "pro"
}

fn clause(attribute: &str, operator: &str, values: &[&str]) -> Value {
    json!({ "attribute": attribute, "op": operator, "values": values, "negate": false })
}

fn inside(segments: &[&str]) -> Value {
    clause("", "segmentMatch", segments)
}

fn outside(segments: &[&str]) -> Value {
    let mut clause = inside(segments);
    clause["negate"] = json!(true);
    clause
}

fn segment(key: &str, included: &[&str], excluded: &[&str], rules: &[Value]) -> Value {
    let rules: Vec<Value> = rules.iter().map(|clauses| json!({ "clauses": clauses })).collect();
    json!({
        "key": key, "included": included, "excluded": excluded, "rules": rules,
        "_links": { "self": { "href": format!("/api/v2/segments/shop/production/{key}") } },
    })
}

fn flag(key: &str, for_all: bool, given: bool, clauses: &Value) -> Value {
    let variation = |truth: bool| i32::from(!truth);
    json!({
        "key": key, "kind": "boolean", "variations": [{ "value": true }, { "value": false }],
        "environments": { "production": {
            "on": true, "offVariation": 1, "targets": [], "prerequisites": [],
            "rules": [{ "variation": variation(given), "clauses": clauses }],
            "fallthrough": { "variation": variation(for_all) },
        } },
    })
}

#[test]
fn launchdarkly_segments_hold_for_the_same_people() {
    type Expected = fn(Person) -> bool;
    let cases: [(&str, bool, bool, Value, Expected); 10] = [
        ("in-staff", false, true, json!([inside(&["staff"])]), staff),
        ("in-beta", false, true, json!([inside(&["beta"])]), beta),
        ("in-payers", false, true, json!([inside(&["payers"])]), payers),
        ("not-staff", false, true, json!([outside(&["staff"])]), |person| !staff(person)),
        ("not-beta", false, true, json!([outside(&["beta"])]), |person| !beta(person)),
        ("not-payers", false, true, json!([outside(&["payers"])]), |person| !payers(person)),
        ("off-for-beta", true, false, json!([inside(&["beta"])]), |person| !beta(person)),
        ("one-of", false, true, json!([inside(&["payers", "list"])]), |person| payers(person) || person.0 == "zoe"),
        ("none-of", false, true, json!([outside(&["staff", "list"])]), |person| !staff(person) && person.0 != "zoe"),
        ("both", false, true, json!([inside(&["beta"]), outside(&["list"])]), |person| {
            beta(person) && person.0 != "zoe"
        }),
    ];
    let flags = cases.iter().map(|(key, for_all, given, clauses, _)| flag(key, *for_all, *given, clauses));
    let mut items: Vec<Value> = flags.collect();
    items.extend([
        segment("staff", &["ada"], &["eve"], &[json!([clause("email", "endsWith", &["@example.com"])])]),
        segment("beta", &[], &[], &[json!([inside(&["staff"])]), json!([clause("country", "in", &["DE", "FR"])])]),
        segment("payers", &[], &["mallory"], &[json!([outside(&["staff"]), clause("plan", "in", &["pro"])])]),
        segment("list", &["zoe"], &[], &[]),
    ]);
    let moved = moved_json(Format::LaunchDarkly, &json!({ "items": items }));
    for (key, .., expected) in &cases {
        for person in people() {
            let (id, email, country, plan) = person;
            let given = [("userId", id), ("email", email), ("country", country), ("plan", plan)];
            let given: Vec<_> = given.into_iter().filter(|(_, value)| !value.is_empty()).collect();
            assert_eq!(moved.on("production", key, &given), expected(person), "{key} {given:?}");
        }
    }
    assert!(moved.findings.iter().all(|finding| finding.kind == "segment"), "{:#?}", moved.findings);
}
