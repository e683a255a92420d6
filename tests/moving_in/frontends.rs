//! The evaluator of old frontends: against what real servers answered to browsers, and against the engine.

use std::collections::BTreeMap;

use flagstone::{
    comparison::{self, Served},
    domain::{
        client_feature::ClientFeature, constraint::Constraint, evaluation::Subject, repair::Repairs,
        repair::client_feature, time::Timestamp,
    },
    moving_in::{
        Origin,
        frontends::{Era, Frontend, Quirk},
    },
};
use serde_json::{Value, json};

use crate::dump;

/// About when the real servers answered.
const WHEN: &str = "2026-11-22T08:00:00Z";

fn now() -> Timestamp {
    Timestamp::parse(WHEN).expect("a time")
}

fn features(answer: &Value, projects: &str) -> Vec<ClientFeature> {
    let repairs = Repairs::default();
    let all = answer["features"].as_array().expect("features").iter();
    let read = all.map(|feature| client_feature(feature, "", &repairs).expect("a feature"));
    read.filter(|feature| projects == "*" || feature.project == projects).collect()
}

fn subject(context: &Value) -> Subject {
    let mut subject = Subject::default();
    for (name, value) in context.as_object().expect("a context") {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        subject.know(name, value).expect("fits");
    }
    subject
}

/// Whether a feature, or one that it depends on, rolls dice for whoever has no id.
fn is_certain(feature: &ClientFeature, all: &[ClientFeature], context: &Value) -> bool {
    let parents = feature.dependencies.iter().flatten();
    let related: Vec<&ClientFeature> =
        parents.filter_map(|parent| all.iter().find(|one| one.name == parent.feature)).chain([feature]).collect();
    let has_id = context["userId"].is_string() && context["sessionId"].is_string();
    let rolls = |feature: &&ClientFeature| {
        let rollout = |name: &str, share: &str| name.contains("ollout") && !["0", "100"].contains(&share);
        let share = |parameters: &BTreeMap<String, String>| {
            ["rollout", "percentage"].iter().find_map(|name| parameters.get(*name)).cloned().unwrap_or_default()
        };
        feature.strategies.iter().any(|strategy| {
            strategy.name == "gradualRolloutRandom"
                || strategy.name == "applicationHostname"
                || strategy.parameters.get("stickiness").is_some_and(|stickiness| stickiness == "random")
                || strategy.variants.iter().any(|variant| variant.stickiness == "random")
                || !has_id && (rollout(&strategy.name, &share(&strategy.parameters)) || strategy.variants.len() > 1)
        }) || feature.variants.iter().any(|variant| variant.stickiness.as_deref() == Some("random"))
            || !has_id && feature.variants.len() > 1
    };
    !related.iter().any(rolls)
}

/// What each frontend answered to each of its callers is what the evaluator decides.
#[test]
fn browsers_of_real_servers_got_what_the_evaluator_decides() {
    let mut compared = 0;
    for (version, newest) in [
        ("4.19.5", "/20221205122253-skip-change-request"),
        ("5.12.8", "/20240430075605-add-scim-external-id"),
        ("6.3.0", "/20240919083625-client-metrics-env-variants-daily-to-bigint"),
        ("8.2.0", "/20260902120000-add-user-agent-to-login-history"),
    ] {
        let expected = dump::expected(version);
        let origin = |version: &str| Origin { product: "Unleash".to_owned(), version: version.to_owned() };
        let era = Era::of(&origin(newest)).expect("an era");
        assert_eq!(Era::of(&origin(version)), Some(era.clone()), "by its version as by its schema");
        for case in expected["frontend"].as_array().expect("cases") {
            let token = case["token"].as_str().expect("a token");
            let (projects, rest) = token.split_once(':').expect("a token of a project");
            let environment = rest.split('.').next().expect("an environment");
            let answer = &expected["clientFeatures"]["answers"][environment];
            if projects == "[]" || answer.is_null() {
                continue;
            }
            let features = features(answer, projects);
            let segments = BTreeMap::new();
            let frontend = Frontend::new(&era, environment, &features, &segments, now());
            let context = &case["context"];
            for feature in features.iter().filter(|feature| is_certain(feature, &features, context)) {
                let decided = frontend.decide(&feature.name, &subject(context));
                let decided = decided.map(|decided| decided.texts().map(|(name, _)| name.to_owned()));
                let answered = case["enabled"].get(&feature.name).map(|variant| variant.as_str().map(str::to_owned));
                assert_eq!(decided, answered, "{version} {} for {context} by {token}", feature.name);
                compared += 1;
            }
        }
    }
    assert!(compared > 1000, "{compared}");
}

/// Numbers that come again: xorshift of 64 bits.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).expect("a place") % bound.max(1)
    }

    fn one<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        of[self.below(of.len())]
    }

    fn constraint(&mut self) -> Value {
        let operators = [
            "IN",
            "NOT_IN",
            "STR_CONTAINS",
            "STR_STARTS_WITH",
            "STR_ENDS_WITH",
            "NUM_EQ",
            "NUM_GT",
            "NUM_GTE",
            "NUM_LT",
            "NUM_LTE",
            "DATE_AFTER",
            "DATE_BEFORE",
            "SEMVER_EQ",
            "SEMVER_GT",
            "SEMVER_LT",
            "SEMVER_GTE",
            "SEMVER_LTE",
            "REGEX",
            "SOMETHING_NEW",
        ];
        let operator = self.one(&operators);
        let field = if operator.starts_with("DATE") {
            self.one(&["currentTime", "signedUpAt"])
        } else {
            self.one(&["country", "userId", "age", "appVersion", "environment", "appName"])
        };
        let value = match operator.split('_').next().expect("a part") {
            "NUM" => self.one(&["5", "-1.5", "0", "007", "five", " 7 "]),
            "DATE" => self.one(&["2026-11-22T07:00:00Z", "2030-01-01", "2020-01-01T10:00", "soon"]),
            "SEMVER" => self.one(&["1.2.3", "2.0.0-rc.1", "1.2", "10.0.0"]),
            _ => self.one(&["NO", "a", "^a", "("]),
        };
        let lists: [&[&str]; 5] = [&["NO", "SE"], &[], &["a"], &["user-1", " user-2"], &["N"]];
        let mut constraint = json!({
            "contextName": field, "operator": operator, "values": self.one(&lists), "value": value,
            "inverted": self.below(4) == 0, "caseInsensitive": self.below(4) == 0,
        });
        if self.below(8) == 0 {
            constraint.as_object_mut().expect("an object").remove("value");
        }
        constraint
    }

    fn strategy(&mut self) -> Value {
        let stickiness = self.one(&["default", "userId", "sessionId", "country", ""]);
        let rollout = self.one(&["0", "25", "50", "100", "150", "x"]);
        let mut parameters = json!({ "rollout": rollout, "stickiness": stickiness, "percentage": rollout,
            "userIds": self.one(&["user-1,user-2", "user-3", ""]), "IPs": self.one(&["10.0.0.1,10.1.0.0/16", "::1/128", "10.0.0.300"]) });
        if self.below(2) == 0 {
            parameters["groupId"] = json!(self.one(&["g", "", "other"]));
        }
        let constraints: Vec<Value> = (0..self.below(3)).map(|_| self.constraint()).collect();
        let variants = self.variants();
        let names = [
            "default",
            "flexibleRollout",
            "flexibleRollout",
            "userWithId",
            "remoteAddress",
            "gradualRolloutUserId",
            "own",
        ];
        json!({ "name": self.one(&names), "parameters": parameters, "constraints": constraints, "variants": variants })
    }

    /// All of a list stick to the same, as every form makes them.
    fn variants(&mut self) -> Vec<Value> {
        let stickiness = self.one(&["default", "userId", "country"]);
        (0..self.below(3)).map(|place| self.variant(place, stickiness)).collect()
    }

    fn variant(&mut self, place: usize, stickiness: &str) -> Value {
        let weight = [0, 1, 333, 1000][self.below(4)];
        json!({
            "name": format!("v{place}"), "weight": weight, "weightType": "variable",
            "stickiness": stickiness, "payload": { "type": "string", "value": "x" },
        })
    }

    fn feature(&mut self, name: &str, parent: Option<&str>) -> Value {
        let strategies: Vec<Value> = (0..self.below(4)).map(|_| self.strategy()).collect();
        let variants = self.variants();
        let parents: Vec<Value> = parent
            // The engine asks for variants of parents in a way of its own, also of those that are off.
            .map(|parent| json!({ "feature": parent, "enabled": self.below(3) > 0, "variants": [] }))
            .into_iter()
            .collect();
        json!({
            "name": name, "enabled": self.below(8) > 0, "project": "p", "type": "release", "strategies": strategies,
            "variants": variants, "dependencies": parents,
        })
    }

    fn person(&mut self) -> Subject {
        let mut known = json!({
            "userId": format!("user-{}", self.below(400)), "sessionId": format!("s{}", self.below(400)),
            "country": self.one(&["NO", "se", "Nö", "a"]),
        });
        for (field, values) in [
            ("age", &["5", "4.5", "x", "1e3"][..]),
            ("appVersion", &["1.2.3", "2.0.0-rc.1", "v1.2.3", "9"]),
            ("signedUpAt", &["2020-06-01T00:00:00Z", "2031-01-01T00:00:00Z"]),
            ("remoteAddress", &["10.0.0.1", "10.1.2.3", "::1"]),
            ("appName", &["web"]),
        ] {
            if self.below(3) > 0 {
                known[field] = json!(self.one(values));
            }
        }
        subject(&known)
    }
}

/// Without any of its quirks the evaluator decides as the engine does: whatever else it finds is one of them.
#[test]
fn without_quirks_an_old_frontend_decides_as_the_engine() {
    let mut chance = Chance(0x5eed);
    let mut values = Vec::new();
    for number in 0..400 {
        let parent = (number % 3 == 1).then(|| format!("f{}", number - 1));
        values.push(chance.feature(&format!("f{number}"), parent.as_deref()));
    }
    let repairs = Repairs::default();
    let features: Vec<ClientFeature> =
        values.iter().map(|value| client_feature(value, "", &repairs).expect("a feature")).collect();
    let segments: BTreeMap<i64, Vec<Constraint>> = BTreeMap::new();
    let people: Vec<Subject> = (0..100).map(|_| chance.person()).collect();
    let frontend = Frontend::new(&Era::of_engine(), "production", &features, &segments, now());
    let engine = comparison::decided(&Served::of("production", &features, &segments), &people, now());
    let (mut on, mut off) = (0, 0);
    for (decided, person) in engine.iter().zip(&people) {
        for (feature, value) in features.iter().zip(&values) {
            let old = frontend.decide(&feature.name, person).map(|decided| comparison::decision(decided.texts()));
            // Variants of strategies are drawn by the engine in a way of its own: of those features only whether they are
            // on is compared.
            let with_variants = feature.strategies.iter().filter(|strategy| !strategy.variants.is_empty()).count();
            let engine = decided.get(&feature.name);
            assert_eq!(old.is_some(), engine.is_some(), "{value:#} for {person:?}");
            if with_variants == 0 {
                assert_eq!(old.as_ref(), engine, "{value:#} for {person:?}");
            }
            if old.is_some() { on += 1 } else { off += 1 }
        }
    }
    assert!(on > 5000 && off > 5000, "{on} {off}");
}

/// For each quirk a feature and somebody for whom it decides, and nobody decides so without it.
#[test]
fn each_quirk_is_one() {
    let strategy = |name: &str, parameters: Value, constraints: Value| json!([{ "name": name, "parameters": parameters, "constraints": constraints }]);
    let constraint = |field: &str, operator: &str, values: Value, value: Value| json!([{ "contextName": field, "operator": operator, "values": values, "value": value }]);
    let only = |constraints: Value| strategy("default", json!({}), constraints);
    let variants = |stickiness: &str| {
        let one =
            |name: &str| json!({ "name": name, "weight": 500, "weightType": "variable", "stickiness": stickiness });
        json!([one("a"), one("b")])
    };
    let with_variants =
        json!([{ "name": "default", "parameters": {}, "constraints": [], "variants": variants("default") }]);
    let half = |more: Value| {
        let mut parameters = json!({ "rollout": "50", "stickiness": "default" });
        parameters.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        strategy("flexibleRollout", parameters, json!([]))
    };
    let cases = [
        (
            Quirk::TimeForEveryDate,
            json!({ "strategies": only(constraint("x", "DATE_AFTER", json!([]), json!("2020-01-01T00:00:00Z"))) }),
        ),
        (
            Quirk::AnyDateForm,
            json!({ "strategies": only(constraint("currentTime", "DATE_AFTER", json!([]), json!("Jan 1, 2020"))) }),
        ),
        (Quirk::AnyNumberForm, json!({ "strategies": only(constraint("empty", "NUM_LT", json!([]), json!("0x10"))) })),
        (
            Quirk::TrimmedValues,
            json!({ "strategies": only(constraint("country", "IN", json!([" NO "]), Value::Null)) }),
        ),
        (
            Quirk::BlanksAroundLists,
            json!({ "strategies": strategy("userWithId", json!({ "userIds": " u1" }), json!([])) }),
        ),
        (Quirk::EmptyGroup, json!({ "strategies": half(json!({})) })),
        (Quirk::UndefinedGroup, json!({ "strategies": with_variants })),
        (Quirk::OldVariantSeed, json!({ "strategies": [], "variants": variants("default") })),
        (Quirk::ByteForLetter, json!({ "strategies": half(json!({ "stickiness": "letters", "groupId": "g" })) })),
        (
            Quirk::OwnApplication,
            json!({ "strategies": half(json!({ "stickiness": "appName", "groupId": "g", "rollout": "100" })) }),
        ),
        (
            Quirk::DefaultEnvironment,
            json!({ "strategies": only(constraint("environment", "IN", json!(["production"]), Value::Null)) }),
        ),
        (Quirk::MissingParents, json!({ "strategies": [], "dependencies": [{ "feature": "off", "enabled": false }] })),
        (
            Quirk::NoVariantsOfParentsOff,
            json!({ "strategies": [], "dependencies": [{ "feature": "nobody", "enabled": false, "variants": ["x"] }] }),
        ),
        (
            Quirk::OldAddresses,
            json!({ "strategies": strategy("remoteAddress", json!({ "IPs": "fe80::/16" }), json!([])) }),
        ),
        (Quirk::NoPatterns, json!({ "strategies": only(constraint("country", "REGEX", json!([]), json!("^N"))) })),
        (
            Quirk::NoVersionBounds,
            json!({ "strategies": only(constraint("version", "SEMVER_GTE", json!([]), json!("1.0.0"))) }),
        ),
    ];
    assert_eq!(cases.iter().map(|(quirk, _)| *quirk).collect::<Vec<_>>(), Quirk::ALL);
    let repairs = Repairs::default();
    for (quirk, mut value) in cases {
        value["name"] = json!("f");
        value["enabled"] = json!(true);
        let off = json!({ "name": "off", "enabled": false, "strategies": [] });
        let nobody =
            json!({ "name": "nobody", "enabled": true, "strategies": [{ "name": "userWithId", "parameters": {} }] });
        let features: Vec<ClientFeature> =
            [&value, &off, &nobody].map(|value| client_feature(value, "", &repairs).expect("a feature")).into();
        let segments = BTreeMap::new();
        let of_engine = Frontend::new(&Era::of_engine(), "production", &features, &segments, now());
        let mut era = Era::of_engine();
        era.quirks.insert(quirk);
        let old = Frontend::new(&era, "production", &features, &segments, now());
        let differs = (0..50).any(|number| {
            let person = subject(&json!({
                "userId": format!("u{number}"), "sessionId": "s", "country": "NO", "empty": "", "version": "1.0.0",
                "letters": format!("zoë{number}"), "remoteAddress": "fe80::1",
            }));
            let (before, after) = (old.decide("f", &person), of_engine.decide("f", &person));
            before.map(|decided| decided.texts().map(|(name, _)| name.to_owned()))
                != after.map(|decided| decided.texts().map(|(name, _)| name.to_owned()))
        });
        assert!(differs, "{quirk:?}: {value}");
        assert_eq!(old.without(quirk).quirks().len(), 0);
    }
}
