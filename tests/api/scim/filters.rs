//! Any filter finds what a second opinion finds: plain comparisons of plain values, written from RFC 7644.

use std::sync::atomic::{AtomicU32, Ordering};

use flagstone::domain::time::Timestamp;
use proptest::{
    prelude::{Just, Strategy, prop_oneof},
    sample::select,
    test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner},
};
use serde_json::{Value, json};

use super::{Directory, USER, USERS, directory, id_of, place};
use crate::harness::{TestApp, encoded};

const CASES: u32 = 400;

/// The users, as they are shown; those who lack a text have it neither here nor there.
struct World {
    directory: Directory,
    users: Vec<Value>,
    _app: TestApp,
}

impl World {
    async fn new() -> Self {
        let app = TestApp::new().await;
        let directory = directory(&app).await;
        for (name, content) in [
            ("ada@example.com", json!({ "externalId": "Seven", "displayName": "Ada 50%", "active": true })),
            (
                "BOB@example.org",
                json!({ "externalId": "seven", "name": { "givenName": "Bob", "familyName": "O'Malley" } }),
            ),
            ("eve", json!({ "externalId": "a\\b_", "displayName": "ada", "active": false })),
            ("Zoe", json!({ "name": { "formatted": "Zoë \"Z\" B" }, "emails": [{ "value": "ada@example.org" }] })),
            ("a_c", json!({ "displayName": "A", "name": { "familyName": "malley" }, "active": false })),
        ] {
            app.clock.advance(1000);
            let mut body = json!({ "schemas": [USER], "userName": name });
            body.as_object_mut().expect("an object").extend(content.as_object().expect("an object").clone());
            directory.post(USERS, body).await.expect(201);
        }
        let users = directory.get(USERS).await.expect(200)["Resources"].as_array().expect("a list").clone();
        assert!(users.len() >= 5);
        Self { directory, users, _app: app }
    }
}

#[derive(Debug, Clone, Copy)]
enum Attribute {
    Exact(&'static str),
    Text(&'static str),
    Active,
    Created,
}

/// A filter, and what decides on each user.
#[derive(Debug, Clone)]
enum Filter {
    Present(Attribute),
    Compared(Attribute, &'static str, Value),
    Not(Box<Self>),
    And(Box<Self>, Box<Self>),
    Or(Box<Self>, Box<Self>),
}

impl Attribute {
    const fn name(self) -> &'static str {
        match self {
            Self::Exact(name) | Self::Text(name) => name,
            Self::Active => "active",
            Self::Created => "meta.created",
        }
    }

    fn value(self, user: &Value) -> Option<Value> {
        let found = match self.name() {
            "emails.value" => &user["emails"][0]["value"],
            name => name.split('.').fold(user, |value, part| &value[part]),
        };
        Some(found.clone()).filter(|value| !value.is_null())
    }

    /// Order of two values; `None` for what has none.
    fn compare(self, value: &Value, other: &Value) -> Option<std::cmp::Ordering> {
        let texts = || Some((value.as_str()?, other.as_str()?));
        match self {
            Self::Exact(_) => texts().map(|(value, other)| value.cmp(other)),
            Self::Text(_) => texts().map(|(value, other)| value.to_ascii_lowercase().cmp(&other.to_ascii_lowercase())),
            Self::Created => texts().map(|(value, other)| Timestamp::parse(value).cmp(&Timestamp::parse(other))),
            Self::Active => Some(value.as_bool().cmp(&other.as_bool())),
        }
    }
}

impl Filter {
    /// The filter as text; `and` binds before `or`, and both before what stands around them.
    fn text(&self) -> String {
        let enclosed = |filter: &Self| match filter {
            Self::Or(..) => format!("( {} )", filter.text()),
            _ => filter.text(),
        };
        match self {
            Self::Present(attribute) => format!("{} PR", attribute.name()),
            Self::Compared(attribute, operator, value) => format!("{} {operator} {value}", attribute.name()),
            Self::Not(inner) => format!("not ({})", inner.text()),
            Self::And(one, other) => format!("{} and {}", enclosed(one), enclosed(other)),
            Self::Or(one, other) => format!("{} or {}", one.text(), other.text()),
        }
    }

    fn admits(&self, user: &Value) -> bool {
        match self {
            Self::Present(attribute) => attribute.value(user).is_some(),
            Self::Not(inner) => !inner.admits(user),
            Self::And(one, other) => one.admits(user) && other.admits(user),
            Self::Or(one, other) => one.admits(user) || other.admits(user),
            Self::Compared(attribute, operator, wanted) => {
                let value = attribute.value(user);
                if wanted.is_null() {
                    return value.is_none() == (*operator == "eq");
                }
                let Some(value) = value else { return *operator == "ne" };
                let fold = |text: &Value| match attribute {
                    Attribute::Exact(_) => text.as_str().unwrap_or_default().to_owned(),
                    _ => text.as_str().unwrap_or_default().to_ascii_lowercase(),
                };
                let order = attribute.compare(&value, wanted).expect("of one kind");
                match *operator {
                    "eq" => order.is_eq(),
                    "ne" => order.is_ne(),
                    "lt" => order.is_lt(),
                    "le" => order.is_le(),
                    "gt" => order.is_gt(),
                    "ge" => order.is_ge(),
                    "co" => fold(&value).contains(&fold(wanted)),
                    "sw" => fold(&value).starts_with(&fold(wanted)),
                    "ew" => fold(&value).ends_with(&fold(wanted)),
                    other => panic!("{other} is no operator"),
                }
            }
        }
    }
}

const TEXTS: &[&str] = &[
    "",
    "a",
    "ADA",
    "seven",
    "Seven",
    "EVEN",
    "%",
    "_",
    "\\",
    "o'm",
    "ë",
    "\"z\"",
    "@example.org",
    "example",
    "B",
    "zoe",
];

fn leaf(times: Vec<Value>) -> impl Strategy<Value = Filter> {
    let text = select(TEXTS).prop_map(Value::from);
    let names = ["userName", "displayName", "name.formatted", "name.givenName", "name.familyName", "emails.value"];
    let attribute = prop_oneof![
        6 => select(names.to_vec()).prop_map(Attribute::Text),
        2 => Just(Attribute::Exact("externalId")),
    ];
    let of_texts = ["eq", "ne", "co", "sw", "ew", "lt", "le", "gt", "ge"];
    let of_times = ["eq", "ne", "lt", "le", "gt", "ge"];
    prop_oneof![
        8 => (attribute.clone(), select(of_texts.to_vec()), text)
            .prop_map(|(attribute, operator, value)| Filter::Compared(attribute, operator, value)),
        1 => attribute.clone().prop_map(Filter::Present),
        1 => (attribute, select(vec!["eq", "ne"]))
            .prop_map(|(attribute, operator)| Filter::Compared(attribute, operator, Value::Null)),
        1 => (select(vec!["eq", "ne"]), proptest::bool::ANY)
            .prop_map(|(operator, truth)| Filter::Compared(Attribute::Active, operator, truth.into())),
        2 => (select(of_times.to_vec()), select(times))
            .prop_map(|(operator, time)| Filter::Compared(Attribute::Created, operator, time)),
    ]
}

fn filter(times: Vec<Value>) -> impl Strategy<Value = Filter> {
    leaf(times).prop_recursive(4, 16, 2, |inner| {
        prop_oneof![
            inner.clone().prop_map(|inner| Filter::Not(Box::new(inner))),
            (inner.clone(), inner.clone()).prop_map(|(one, other)| Filter::And(Box::new(one), Box::new(other))),
            (inner.clone(), inner).prop_map(|(one, other)| Filter::Or(Box::new(one), Box::new(other))),
        ]
    })
}

async fn agrees(world: &World, filter: &Filter) -> Result<usize, TestCaseError> {
    let text = filter.text();
    let answer = world.directory.get(&format!("{USERS}?filter={}", encoded(&text))).await;
    if answer.status != 200 {
        return Err(TestCaseError::fail(format!("{text}: {}", answer.text)));
    }
    let ids = |users: Vec<&Value>| users.into_iter().map(|user| user["id"].clone()).collect::<Vec<_>>();
    let found = ids(answer.body["Resources"].as_array().expect("a list").iter().collect());
    let expected = ids(world.users.iter().filter(|user| filter.admits(user)).collect());
    if found != expected {
        return Err(TestCaseError::fail(format!("{text} finds {found:?} in the place of {expected:?}")));
    }
    Ok(found.len())
}

#[test]
fn any_filter_finds_what_a_second_opinion_finds() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let world = runtime.block_on(World::new());
    let times = world.users.iter().map(|user| user["meta"]["created"].clone()).collect();
    // The same questions each time, so that a failure is that of a change.
    let config = Config { cases: CASES, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let some = AtomicU32::new(0);
    let outcome = runner.run(&filter(times), |filter| {
        let found = runtime.block_on(agrees(&world, &filter))?;
        some.fetch_add(u32::from(found > 0 && found < world.users.len()), Ordering::Relaxed);
        Ok(())
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
    assert!(some.into_inner() > CASES / 4, "too few of the filters choose");
}

#[tokio::test]
async fn groups_of_users_and_parts_of_emails_are_compared() {
    let app = TestApp::new().await;
    let directory = directory(&app).await;
    let ada = directory.make_user("ada@example.com").await;
    let bob = place(&directory.post(USERS, json!({ "schemas": [USER], "userName": "bob" })).await.expect(201));
    let crew = id_of(&directory.make_group("crew", &[&bob]).await);
    let kept = async |filter: &str| -> Vec<String> {
        let found = directory.find(USERS, &format!("({filter}) and externalId ne \"nobody\"")).await;
        let ids = found.iter().map(|user| user["id"].as_str().expect("an id").to_owned());
        ids.filter(|id| [id_of(&ada), id_of(&bob)].contains(id)).collect()
    };
    for (filter, expected) in [
        (format!("groups.value eq \"{crew}\""), &bob),
        (format!("groups[value eq \"{crew}\"]"), &bob),
        ("groups pr".to_owned(), &bob),
        (format!("groups.value ne \"{crew}\""), &ada),
        ("groups eq null".to_owned(), &ada),
        ("emails.type sw \"WO\"".to_owned(), &ada),
        ("emails.primary eq true".to_owned(), &ada),
        ("emails[primary eq true and value co \"ADA\"]".to_owned(), &ada),
        ("emails.type eq null".to_owned(), &bob),
    ] {
        assert_eq!(kept(&filter).await, [id_of(expected)], "{filter}");
    }
    assert_eq!(kept("emails.primary eq false").await, Vec::<String>::new());
    assert_eq!(kept("emails[type eq \"home\"]").await, Vec::<String>::new());
}
