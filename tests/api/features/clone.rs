//! Copies of features: whoever makes one needs what adding its parts one by one would need.

use flagstone::{
    domain::{strategy::StrategyDefinition, variant::FeatureVariant},
    store,
};
use serde_json::json;

use super::{SHOP, shop_with_feature};
use crate::{authorization::somebody_granted, harness::add_strategy};

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
    let strategy = StrategyDefinition { name: "default".to_owned(), ..StrategyDefinition::default() };
    add_strategy(&tx, id, "development", &strategy, app.clock.now()).await.expect("a strategy");
    add_strategy(&tx, id, "production", &strategy, app.clock.now()).await.expect("a strategy");
    let variant: FeatureVariant =
        serde_json::from_value(json!({ "name": "v", "weight": 1000, "weightType": "variable" })).expect("a variant");
    store::features::variants::set(&tx, id, "development", &[variant]).await.expect("variants");
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
        let caller = somebody_granted(&app, Some("shop"), grants).await;
        let answer = caller.post(&format!("{SHOP}/f/clone"), copy.clone()).await;
        assert_eq!(answer.body["permissions"], json!([missing]), "{grants:?}");
        answer.refused(403, "NoAccessError", &format!("in the \"{environment}\" environment"));
        // What has nothing needs nothing.
        caller.post(&format!("{SHOP}/bare/clone"), json!({ "name": format!("bare-{number}") })).await.expect(201);
    }
    assert!(!app.event_types().await.iter().any(|kind| kind != "feature-created"), "nothing else was made");
    app.admin().post("/api/admin/features/validate", copy.clone()).await.expect(200);
    let copier = somebody_granted(&app, Some("shop"), &everything).await;
    copier.post(&format!("{SHOP}/f/clone"), copy).await.expect(201);
}

#[tokio::test]
async fn a_copy_of_a_child_needs_what_its_dependencies_need_and_leaves_their_events() {
    let (app, id) = shop_with_feature().await;
    let parent = app.feature("shop", "parent").await;
    let tx = app.tx().await;
    store::features::dependencies::add(&tx, id, parent, true, &["blue".to_owned()]).await.expect("a dependency");
    app.commit(tx).await;
    let copy = json!({ "name": "copy" });
    let maker = somebody_granted(&app, Some("shop"), &[("CREATE_FEATURE", None)]).await;
    let answer = maker.post(&format!("{SHOP}/f/clone"), copy.clone()).await;
    assert_eq!(answer.body["permissions"], json!(["UPDATE_FEATURE_DEPENDENCY"]));
    answer.refused(403, "NoAccessError", "UPDATE_FEATURE_DEPENDENCY");
    assert_eq!(app.event_types().await, [""; 0]);
    let grants = [("CREATE_FEATURE", None), ("UPDATE_FEATURE_DEPENDENCY", None)];
    let made = somebody_granted(&app, Some("shop"), &grants).await.post(&format!("{SHOP}/f/clone"), copy).await;
    let dependency = json!({ "feature": "parent", "enabled": true, "variants": ["blue"] });
    assert_eq!(made.expect(201)["dependencies"], json!([dependency]));
    assert_eq!(app.event_types().await, ["feature-created", "feature-dependency-added"]);
    let told = app.events().await.pop().expect("an event");
    assert_eq!((told.feature_name.as_deref(), told.project.as_deref()), (Some("copy"), Some("shop")));
    assert_eq!(serde_json::from_str::<serde_json::Value>(&told.data.expect("data")).expect("JSON"), dependency);
    // Whoever clones a parent gets no children with it.
    let twin = app.admin().post(&format!("{SHOP}/parent/clone"), json!({ "name": "twin" })).await.expect(201);
    assert_eq!((&twin["dependencies"], &twin["children"]), (&json!([]), &json!([])));
}
