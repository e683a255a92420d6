//! Answers that programs and people get from the new server, against those they got from the old one.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use crate::server::Server;

/// The answer to a program, without what need not be the same: ids, times, and what is absent or null.
fn plain(value: &Value) -> Value {
    match value {
        Value::Object(object) => {
            let skipped = ["id", "lastSeenAt", "createdAt", "meta", "version", "query"];
            let kept = object.iter().filter(|(name, value)| !value.is_null() && !skipped.contains(&name.as_str()));
            Value::Object(kept.map(|(name, value)| (name.clone(), plain(value))).collect::<Map<_, _>>())
        }
        Value::Array(list) => Value::Array(list.iter().map(plain).collect()),
        other => other.clone(),
    }
}

fn named(strategy: &Value) -> String {
    format!("{} {}", strategy["name"], sorted(&strategy["parameters"]))
}

/// A text that is the same for the same properties in any order.
fn sorted(value: &Value) -> String {
    let properties: BTreeMap<_, _> = value.as_object().into_iter().flatten().collect();
    serde_json::to_string(&properties).expect("JSON")
}

/// Features by name.
fn features(answer: &Value) -> BTreeMap<String, Value> {
    let list = answer["features"].as_array().unwrap_or_else(|| panic!("features: {answer}"));
    list.iter().map(|feature| (feature["name"].as_str().expect("a name").to_owned(), filled(plain(feature)))).collect()
}

/// With what is the same whether it is absent or empty.
fn filled(mut feature: Value) -> Value {
    if feature["dependencies"].is_null() {
        feature["dependencies"] = Value::Array(Vec::new());
    }
    for parent in feature["dependencies"].as_array_mut().into_iter().flatten() {
        if parent["variants"].is_null() {
            parent["variants"] = Value::Array(Vec::new());
        }
    }
    for strategy in feature["strategies"].as_array_mut().into_iter().flatten() {
        for part in ["variants", "constraints"] {
            if strategy[part].is_null() {
                strategy[part] = Value::Array(Vec::new());
            }
        }
        for constraint in strategy["constraints"].as_array_mut().into_iter().flatten() {
            for part in ["inverted", "caseInsensitive"] {
                if constraint[part].is_null() {
                    constraint[part] = false.into();
                }
            }
            if constraint["values"].is_null() {
                constraint["values"] = Value::Array(Vec::new());
            }
        }
        // Those of segments stand behind those of the strategy, and there in no order among each other.
        if let Some(constraints) = strategy["constraints"].as_array_mut() {
            constraints.sort_by_key(sorted);
        }
    }
    feature
}

/// Every environment is answered as it was, to the token of the old server.
pub fn of_environments(server: &Server, expected: &Value) {
    let answers = expected["clientFeatures"]["answers"].as_object().expect("answers");
    assert!(!answers.is_empty());
    // Version 4 told strategies in no order, which meant nothing as long as they had no variants.
    let is_ordered = !expected["version"].as_str().expect("a version").starts_with("4.");
    for (environment, answer) in answers {
        let token = expected["clientFeatures"]["tokenOf"][environment].as_str().expect("a token");
        let (status, now) = server.get("/api/client/features", token);
        assert_eq!(status, 200, "{environment}: {now}");
        let (mut now, mut before) = (features(&now), features(answer));
        if !is_ordered {
            let strategies = now.values_mut().chain(before.values_mut()).map(|feature| &mut feature["strategies"]);
            strategies.filter_map(Value::as_array_mut).for_each(|list| list.sort_by_key(named));
        }
        let names = |all: &BTreeMap<String, Value>| all.keys().cloned().collect::<BTreeSet<_>>();
        assert_eq!(names(&now), names(&before), "{environment}");
        for (name, feature) in &before {
            assert_eq!(&now[name], feature, "{name} in {environment}");
        }
    }
}

/// Every token reaches what it did, and the one that had run out still has.
pub fn of_tokens(server: &Server, expected: &Value) {
    let tokens = expected["featureNamesByToken"].as_object().expect("tokens");
    assert!(tokens.len() > 10);
    for (token, reach) in tokens {
        let (status, now) = server.get("/api/client/features", token);
        assert_eq!(status, 200, "{token}: {now}");
        let before: BTreeSet<_> = reach["features"]
            .as_array()
            .expect("names")
            .iter()
            .map(|name| name.as_str().expect("a name").to_owned())
            .collect();
        assert_eq!(features(&now).into_keys().collect::<BTreeSet<_>>(), before, "{token}");
    }
    let expired = expected["secrets"]["tokens"]["expired"].as_str().expect("a token");
    assert_eq!(server.get("/api/client/features", expired).0, 401);
    let alias = &expected["secrets"]["tokens"]["alias"];
    let answer = |token: &Value| features(&server.get("/api/client/features", token.as_str().expect("a token")).1);
    assert_eq!(answer(&alias["alias"]), answer(&alias["of"]));
    for token in expected["secrets"]["tokens"]["admin"].as_array().expect("tokens") {
        let (status, projects) = server.get("/api/admin/projects", token.as_str().expect("a token"));
        assert_eq!(status, 200, "{projects}");
    }
    for token in expected["secrets"]["tokens"]["personal"].as_array().expect("tokens") {
        let (status, user) = server.get("/api/admin/user", token["secret"].as_str().expect("a token"));
        assert_eq!(status, 200, "{token}: {user}");
    }
}

/// Compares the answers to browsers and apps, but for features that roll dice or compare a date with a field of their
/// own.
pub fn of_frontends(server: &Server, expected: &Value) {
    let chance = chance(expected);
    for case in expected["frontend"].as_array().expect("cases") {
        let context = case["context"].as_object().expect("a context");
        let mut query = String::new();
        for (field, value) in context {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let known = ["userId", "sessionId", "appName", "environment", "remoteAddress", "currentTime"];
            let field = if known.contains(&field.as_str()) { field.clone() } else { format!("properties[{field}]") };
            let pair = url::form_urlencoded::Serializer::new(String::new()).append_pair(&field, &value).finish();
            query.push_str(&pair);
            query.push('&');
        }
        let token = case["token"].as_str().expect("a token");
        let (status, now) = server.get(&format!("/api/frontend?{query}"), token);
        assert_eq!(status, 200, "{now}");
        let now: BTreeMap<String, Option<String>> = now["toggles"]
            .as_array()
            .expect("features")
            .iter()
            .map(|feature| {
                let variant = feature["variant"]["enabled"]
                    .as_bool()
                    .unwrap_or_default()
                    .then(|| feature["variant"]["name"].as_str());
                (feature["name"].as_str().expect("a name").to_owned(), variant.flatten().map(str::to_owned))
            })
            .filter(|(name, _)| !chance.contains(name))
            .collect();
        let before = case["enabled"].as_object().expect("features").iter();
        let before: BTreeMap<String, Option<String>> = before
            .map(|(name, variant)| (name.clone(), variant.as_str().map(str::to_owned)))
            .filter(|(name, _)| !chance.contains(name))
            .collect();
        assert_eq!(now, before, "{token} {context:?}");
    }
}

/// Features whose answer varies from call to call, or with the time of the call.
fn chance(expected: &Value) -> BTreeSet<String> {
    let answers = expected["clientFeatures"]["answers"].as_object().expect("answers").values();
    let features = answers.flat_map(|answer| answer["features"].as_array().expect("features"));
    let varies = |feature: &&Value| {
        let strategies = feature["strategies"].as_array().expect("strategies");
        let rolls = |strategy: &Value| {
            let parameters = &strategy["parameters"];
            let share = ["rollout", "percentage"].iter().find_map(|name| parameters[name].as_str());
            let variants = strategy["variants"].as_array().is_some_and(|variants| variants.len() > 1);
            let dates = strategy["constraints"].as_array().into_iter().flatten().any(|constraint| {
                constraint["operator"].as_str().is_some_and(|operator| operator.starts_with("DATE_"))
                    && constraint["contextName"] != "currentTime"
            });
            share.is_some_and(|share| share != "100" && share != "0") || variants || dates
        };
        strategies.iter().any(rolls) || feature["variants"].as_array().is_some_and(|variants| variants.len() > 1)
    };
    let mut names: BTreeSet<String> =
        features.filter(varies).map(|feature| feature["name"].as_str().expect("a name").to_owned()).collect();
    let parents = expected["dependencies"].as_array().into_iter().flatten();
    let depending: Vec<String> = parents
        .filter(|dependency| dependency["parent"].as_str().is_some_and(|parent| names.contains(parent)))
        .map(|dependency| dependency["child"].as_str().expect("a name").to_owned())
        .collect();
    names.extend(depending);
    names
}

/// Everybody signs in with the password of the old server, and once more with the hash that was made anew.
pub fn of_people(server: &Server, expected: &Value) {
    let passwords = expected["secrets"]["passwords"].as_object().expect("passwords");
    assert!(passwords.len() > 5);
    for (name, password) in passwords {
        let password = password.as_str().expect("a password");
        assert_eq!(server.sign_in(name, &format!("{password}!")), 401, "{name}");
        assert_eq!(server.sign_in(name, password), 200, "{name}");
    }
    let (name, password) = passwords.iter().next().expect("somebody");
    assert_eq!(server.sign_in(name, password.as_str().expect("a password")), 200, "{name} once more");
    assert_eq!(server.sign_in(name, "wrong"), 401);
}
