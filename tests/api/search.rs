//! The feature search.

mod element;
mod model;
mod world;

use std::collections::BTreeSet;

use flagstone::store::entity::project;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, sea_query::Expr};
use serde_json::{Value, json};

use self::world::World;
use crate::harness::{TestApp, encoded, role};

const PATH: &str = "/api/admin/search/features";

/// The address of a search, its parameters percent-encoded.
fn path(parameters: &[(&str, String)]) -> String {
    let pairs: Vec<String> = parameters.iter().map(|(name, value)| format!("{name}={}", encoded(value))).collect();
    format!("{PATH}?{}", pairs.join("&"))
}

fn search(name: &str, value: &str) -> String {
    path(&[(name, value.to_owned())])
}

/// Names of the found features, in order.
fn names(body: &Value) -> Vec<String> {
    let features = body["features"].as_array().expect("a list");
    features.iter().map(|feature| feature["name"].as_str().expect("a name").to_owned()).collect()
}

#[tokio::test]
async fn needs_credentials_and_nothing_more() {
    let app = TestApp::new().await;
    app.anonymous().get(PATH).await.refused(401, "AuthenticationRequired", "token");
    app.anonymous().get(&search("project", "wrong")).await.refused(401, "AuthenticationRequired", "token");
    let body = app.viewer().await.get(PATH).await.expect(200);
    assert_eq!(body, json!({ "features": [], "total": 0 }));
}

#[tokio::test]
async fn features_of_private_projects_are_found_by_members_and_administrators_only() {
    let app = TestApp::new().await;
    for name in ["shop", "secret"] {
        app.project(name).await;
        app.feature(name, &format!("{name}-flag")).await;
    }
    let tx = app.tx().await;
    let hide = project::Entity::update_many().col_expr(project::Column::Mode, Expr::value("private"));
    hide.filter(project::Column::Id.eq("secret")).exec(&tx).await.expect("updated");
    app.commit(tx).await;
    let outsiders = [app.viewer().await, app.editor().await, app.member("shop").await];
    for outsider in &outsiders {
        let body = outsider.get(PATH).await.expect(200);
        assert_eq!((names(&body), &body["total"]), (vec!["shop-flag".to_owned()], &json!(1)));
        for (name, value) in [("project", "IS:secret"), ("query", "secret"), ("project", "IS_NOT:shop")] {
            let body = outsider.get(&search(name, value)).await.expect(200);
            assert_eq!(body, json!({ "features": [], "total": 0 }), "{name}={value}");
        }
    }
    for insider in [app.member("secret").await, app.owner("secret").await, app.root_admin().await, app.admin()] {
        let body = insider.get(&search("sortBy", "environment:production")).await.expect(200);
        assert_eq!((names(&body).len(), &body["total"]), (2, &json!(2)));
    }
    // The root role of an editor reaches into every project that is not private.
    let both = app.person(role::EDITOR, Some(("secret", role::MEMBER))).await;
    assert_eq!(both.get(PATH).await.expect(200)["total"], 2);
}

#[tokio::test]
async fn every_order_pages_through_all_features_exactly_once() {
    let world = World::new().await;
    let all: BTreeSet<String> = world.flags.iter().map(|flag| flag.name.clone()).collect();
    let keys = [
        "createdAt",
        "name",
        "type",
        "project",
        "stale",
        "lastSeenAt",
        "environment:production",
        "environment:qa",
        "x",
    ];
    for key in keys {
        for order in ["asc", "desc"] {
            for favorites in ["true", "false"] {
                let mut seen = Vec::new();
                for offset in (0..=all.len()).step_by(7) {
                    let parameters = [
                        ("sortBy", key.to_owned()),
                        ("sortOrder", order.to_owned()),
                        ("favoritesFirst", favorites.to_owned()),
                        ("offset", offset.to_string()),
                        ("limit", "7".to_owned()),
                    ];
                    let body = world.person.get(&path(&parameters)).await.expect(200);
                    assert_eq!(body["total"], all.len());
                    seen.extend(names(&body));
                }
                assert_eq!(seen.len(), all.len(), "{key} {order} {favorites}");
                assert_eq!(seen.into_iter().collect::<BTreeSet<_>>(), all, "{key} {order} {favorites}");
            }
        }
    }
}

#[tokio::test]
async fn page_parameters_that_make_no_sense_mean_the_default() {
    let app = TestApp::new().await;
    app.project("shop").await;
    for number in 0..60 {
        app.feature("shop", &format!("flag-{number:02}")).await;
    }
    let admin = app.admin();
    for value in ["0", "-1", "1.5", "many", "", "0x10", "1e1"] {
        let body = admin.get(&search("limit", value)).await.expect(200);
        assert_eq!((names(&body).len(), &body["total"]), (50, &json!(60)), "{value}");
        let body = admin.get(&search("offset", value)).await.expect(200);
        assert_eq!(names(&body)[0], "flag-00", "{value}");
    }
    for value in ["60", "1000", "1001", "99999999999999999999999"] {
        assert_eq!(names(&admin.get(&search("limit", value)).await.expect(200)).len(), 60, "{value}");
    }
    for value in ["60", "99999999999999999999999"] {
        let body = admin.get(&search("offset", value)).await.expect(200);
        assert_eq!(body, json!({ "features": [], "total": 60 }), "the total is that of all pages");
    }
    for key in ["favorite", "", "environment:", "environment:moon", "environment:\0", "NAME"] {
        assert_eq!(names(&admin.get(&search("sortBy", key)).await.expect(200))[0], "flag-00", "{key}");
        let parameters = [("sortBy", key.to_owned()), ("sortOrder", "desc".to_owned()), ("limit", "1".to_owned())];
        assert_eq!(names(&admin.get(&path(&parameters)).await.expect(200)), ["flag-00"], "ties ascend: {key:?}");
    }
}

#[tokio::test]
async fn refusals_name_the_parameter() {
    let app = TestApp::new().await;
    let admin = app.admin();
    let broken = [
        ("project", "shop"),
        ("state", "IS_BETWEEN:active"),
        ("type", "is:release"),
        ("createdBy", "IS:1\nIS:2"),
        ("tag", "INCLUDE::a:b"),
        ("tag", "INCLUDE:simple"),
        ("segment", "IS:employees"),
        ("createdAt", "IS:2026-01-15"),
        ("lifecycle", "live"),
        ("lifecycle", "INCLUDE:live"),
        ("createdAt", "IS_BEFORE:2026-02-30"),
        ("lastSeenAt", "IS_AFTER:2026-01-15"),
        ("lastSeenAt", "IS_BEFORE:2026-13-01"),
        ("favorites", "yes"),
        ("favorites", ""),
        ("sortOrder", "DESC"),
        ("sortOrder", ""),
    ];
    for (name, value) in broken {
        let answer = admin.get(&search(name, value)).await;
        assert_eq!(answer.body["details"][0]["path"], format!("/query/{name}"), "{}", answer.text);
        answer.refused(400, "ValidationError", &format!("`{name}`"));
    }
    let twice = [
        ("project", "IS:a"),
        ("query", "a"),
        ("limit", "1"),
        ("offset", "1"),
        ("sortBy", "name"),
        ("sortOrder", "asc"),
        ("favoritesFirst", "true"),
        ("createdAt", "IS_BEFORE:2026-01-15"),
        ("lastSeenAt", "IS_BEFORE:2026-01-15"),
        ("tag", "INCLUDE:simple:a"),
        ("lifecycle", "IS:live"),
    ];
    for (name, value) in twice {
        let answer = admin.get(&path(&[(name, value.to_owned()), (name, value.to_owned())])).await;
        answer.refused(400, "ValidationError", &format!("`{name}` must be given only once"));
    }
    let many = |prefix: &str| (0..1001).map(|number| format!("{prefix}{number}")).collect::<Vec<_>>().join(",");
    for (name, value) in [
        ("project", format!("IS:{}", many(""))),
        ("tag", format!("INCLUDE:{}", many("simple:"))),
        ("segment", format!("EXCLUDE_ALL:{}", many(""))),
        ("query", many("")),
        ("lifecycle", format!("IS_NOT:{}", many(""))),
    ] {
        admin.get(&search(name, &value)).await.refused(400, "ValidationError", &format!("`{name}`"));
    }
}

#[tokio::test]
async fn hostile_texts_find_nothing_and_break_nothing() {
    let world = World::new().await;
    let total = world.flags.len();
    let long = "x".repeat(16_000);
    let many = |prefix: &str| (0..1000).map(|number| format!("{prefix}{number}")).collect::<Vec<_>>().join(",");
    let texts = [
        "\0",
        "a\0b",
        "\"",
        "'",
        "\\",
        "\" OR \"",
        "name:*",
        "^al",
        "NEAR(a b)",
        "' OR 1=1 --",
        "%%%",
        "___",
        "😀",
        "\u{301}",
        "a\nsimple",
        &long,
    ];
    for client in [world.app.admin(), world.person.clone()] {
        for text in texts {
            assert_eq!(client.get(&search("query", text)).await.expect(200)["total"], 0, "{text:?}");
            if text.contains('\n') {
                continue;
            }
            for name in ["project", "type", "createdBy", "lifecycle"] {
                let found = client.get(&search(name, &format!("IS:{text}"))).await.expect(200);
                assert_eq!(found["total"], 0, "{name} {text:?}");
            }
            for name in ["project", "type", "lifecycle"] {
                let found = client.get(&search(name, &format!("IS_NOT:{text}"))).await.expect(200);
                assert_eq!(found["total"], total, "{name} {text:?}");
            }
            for (operator, expected) in [("INCLUDE", 0), ("EXCLUDE_ALL", total), ("INCLUDE_ALL_OF", 0)] {
                let found = client.get(&search("segment", &format!("{operator}:{text}"))).await.expect(200);
                assert_eq!(found["total"], expected, "{operator} {text:?}");
                let tag = text.replace(',', "");
                let found = client.get(&search("tag", &format!("{operator}:simple:{tag}"))).await.expect(200);
                assert_eq!(found["total"], expected, "{operator} {text:?}");
            }
            let found = client.get(&search("status", &format!("{text}:enabled"))).await;
            if text == long {
                found.refused(400, "ValidationError", "`status`");
            } else {
                assert_eq!(found.expect(200)["total"], 0, "{text:?}");
            }
            client.get(&search("sortBy", &format!("environment:{text}"))).await.expect(200);
        }
        let crowded = [
            ("project", format!("IS_NOT:{}", many("p"))),
            ("type", format!("IS_NOT:{}", many("t"))),
            ("createdBy", format!("IS:-42,{}", many("1").rsplit_once(',').expect("a list").0)),
            ("tag", format!("EXCLUDE_ALL:{}", many("simple:"))),
            ("segment", format!("EXCLUDE_ALL:{}", many("s"))),
            ("lifecycle", format!("IS_NOT:{}", many("l"))),
            ("query", (0..50).map(|number| format!("flag-{number:02}")).collect::<Vec<_>>().join(",")),
            ("sortBy", "environment:production".to_owned()),
        ];
        let body = client.get(&path(&crowded)).await.expect(200);
        assert!(body["total"].as_u64().expect("a number") > 0);
    }
    let statuses: Vec<(&str, String)> = (0..1000).map(|number| ("status", format!("e{number}:enabled"))).collect();
    assert_eq!(world.person.get(&path(&statuses)).await.expect(200)["total"], 0);
    let malformed = world.person.get(&format!("{PATH}?query=%FF%&project")).await;
    assert!(matches!(malformed.status, 200 | 400), "{}", malformed.text);
}

#[tokio::test]
async fn a_text_is_looked_for_in_the_name_and_in_each_tag_but_not_across_them() {
    let app = TestApp::new().await;
    app.project("shop").await;
    let id = app.feature("shop", "Checkout_v2").await;
    app.tag(id, "simple", "100% Größe").await;
    app.feature("shop", "checkoutXv2").await;
    let admin = app.admin();
    for (text, expected) in [
        ("checkout", 2),
        ("CHECKOUT_V", 1),
        ("v2", 2),
        ("t_", 1),
        ("100% GRÖSSE", 0),
        ("100% gRÖß", 1),
        ("0%", 1),
        ("simple:100%", 1),
        ("e:1", 1),
        ("v2\nsimple", 0),
        ("nothing , checkoutx", 1),
        (" , ,", 2),
    ] {
        assert_eq!(admin.get(&search("query", text)).await.expect(200)["total"], expected, "{text:?}");
    }
}

#[tokio::test]
async fn list_parameters_are_one_list_however_they_are_sent() {
    let world = World::new().await;
    let count = |query: &str| {
        let (client, path) = (world.app.admin(), format!("{PATH}?{query}"));
        async move { client.get(&path).await.expect(200)["total"].as_u64().expect("a number") }
    };
    let on = count("status=production:enabled").await;
    let off = count("status=production:disabled").await;
    let either = count("status=production:enabled&status=production:disabled").await;
    assert!(on > 0 && off > 0);
    assert_eq!(either, on + off);
    assert_eq!(count("status[]=production:enabled&status[]=production:disabled").await, either);
    assert_eq!(count("status=production:on&status=production").await, world.flags.len() as u64);
    assert_eq!(count("status=production:on&status=production:enabled").await, on);
}
