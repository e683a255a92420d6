//! Copies of features: whoever makes one needs what adding its parts one by one would need.

use flagstone::{
    domain::variant::FeatureVariant,
    store::{
        self,
        entity::{role as role_entity, role_permission},
        strategies::NewStrategy,
    },
};
use sea_orm::{ActiveValue::Set, EntityTrait};
use serde_json::json;

use super::{SHOP, shop_with_feature};
use crate::harness::{Client, TestApp, role};

/// Somebody who has these permissions in the project `shop`, each in one environment or without one.
async fn somebody(app: &TestApp, name: &str, grants: &[(&str, Option<&str>)]) -> Client {
    let tx = app.tx().await;
    let row = role_entity::ActiveModel {
        name: Set(name.to_owned()),
        r#type: Set("custom".to_owned()),
        description: Set(String::new()),
        ..Default::default()
    };
    let id = role_entity::Entity::insert(row).exec_with_returning(&tx).await.expect("a role").id;
    let grants = grants.iter().map(|(permission, environment)| role_permission::ActiveModel {
        role_id: Set(id),
        permission: Set((*permission).to_owned()),
        environment: Set(environment.map(str::to_owned)),
        ..Default::default()
    });
    role_permission::Entity::insert_many(grants).exec_without_returning(&tx).await.expect("grants");
    app.commit(tx).await;
    app.person(role::VIEWER, Some(("shop", id))).await
}

#[tokio::test]
async fn a_copy_needs_what_its_strategies_and_variants_need_where_they_are() {
    const MAKE: (&str, Option<&str>) = ("CREATE_FEATURE", None);
    const STRATEGY: &str = "CREATE_FEATURE_STRATEGY";
    const VARIANTS: &str = "UPDATE_FEATURE_ENVIRONMENT_VARIANTS";
    const DEVELOPMENT: Option<&str> = Some("development");
    const PRODUCTION: Option<&str> = Some("production");
    let (app, id) = shop_with_feature().await;
    app.feature("shop", "bare").await;
    let tx = app.tx().await;
    let strategy = NewStrategy { name: "default".to_owned(), ..NewStrategy::default() };
    store::strategies::add(&tx, id, "development", &strategy, app.clock.now()).await.expect("a strategy");
    store::strategies::add(&tx, id, "production", &strategy, app.clock.now()).await.expect("a strategy");
    let variant: FeatureVariant =
        serde_json::from_value(json!({ "name": "v", "weight": 1000, "weightType": "variable" })).expect("a variant");
    store::variants::set(&tx, id, "development", &[variant]).await.expect("variants");
    app.commit(tx).await;
    let everything = [MAKE, (STRATEGY, DEVELOPMENT), (STRATEGY, PRODUCTION), (VARIANTS, DEVELOPMENT)];
    let cases = [
        (&[MAKE][..], VARIANTS, "development"),
        (&[MAKE, (VARIANTS, PRODUCTION), (STRATEGY, None)], VARIANTS, "development"),
        (&[MAKE, (VARIANTS, DEVELOPMENT)], STRATEGY, "development"),
        (&[MAKE, (VARIANTS, DEVELOPMENT), (STRATEGY, PRODUCTION)], STRATEGY, "development"),
        (&everything[..2], VARIANTS, "development"),
        (&[MAKE, (VARIANTS, None), (STRATEGY, DEVELOPMENT)], STRATEGY, "production"),
    ];
    let copy = json!({ "name": "copy" });
    for (number, (grants, missing, environment)) in cases.into_iter().enumerate() {
        let caller = somebody(&app, &format!("role {number}"), grants).await;
        let answer = caller.post(&format!("{SHOP}/f/clone"), copy.clone()).await;
        assert_eq!(answer.body["permissions"], json!([missing]), "{grants:?}");
        answer.refused(403, "NoAccessError", &format!("in the \"{environment}\" environment"));
        // What has nothing needs nothing.
        caller.post(&format!("{SHOP}/bare/clone"), json!({ "name": format!("bare-{number}") })).await.expect(201);
    }
    assert!(!app.event_types().await.iter().any(|kind| kind != "feature-created"), "nothing else was made");
    app.admin().post("/api/admin/features/validate", copy.clone()).await.expect(200);
    let copier = somebody(&app, "copier", &everything).await;
    copier.post(&format!("{SHOP}/f/clone"), copy).await.expect(201);
}
