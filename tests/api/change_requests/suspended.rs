//! Schedules that are suspended by what else is changed, whichever way it is changed.

use flagstone::{
    domain::{
        change_request::{Target, action::Action, schedule::Status},
        strategy_id,
    },
    store::{change_requests::NewChange, entity::event},
};
use poem::http::Method;
use serde_json::{Value, json};
use uuid::Uuid;

use super::{
    scheduled_application::{run, scheduled},
    world::{PRODUCTION, World, change, feature, of, switch},
};
use crate::{calls::put, harness::Client};

const SUSPENDED: &str = "change-request-schedule-suspended";
const DAY_MS: i64 = 86_400_000;
const CART: &str = "/api/admin/projects/shop/features/cart";

/// A server on which everything that can be touched is the target of a scheduled change request.
struct Watched {
    world: World,
    admin: Client,
    strategy: Uuid,
    segment: i64,
}

impl Watched {
    async fn new() -> Self {
        let world = World::new().await;
        let admin = world.app.admin();
        let strategies = format!("{CART}/environments/{PRODUCTION}/strategies");
        let strategy = json!({ "name": "flexibleRollout", "parameters": { "rollout": "50", "stickiness": "default" } });
        let added = admin.post(&strategies, strategy).await.expect(200);
        let segment = json!({ "name": "staff", "project": "shop", "constraints": [] });
        let segment = admin.post("/api/admin/segments", segment).await.expect(201);
        let strategy = strategy_id::parse(added["id"].as_str().expect("an id")).expect("an id");
        let segment = segment["id"].as_i64().expect("an id");
        Self { world, admin, strategy, segment }
    }

    /// Schedules a change for a later day.
    async fn schedule(&self, change: NewChange) -> i64 {
        let user = self.world.person().await.user_id.expect("a person");
        scheduled(&self.world, user, DAY_MS, &[change]).await
    }

    fn update_strategy(&self) -> NewChange {
        of(feature("cart"), "updateStrategy", json!({ "id": self.strategy, "name": "flexibleRollout" }))
    }

    fn update_segment(&self) -> NewChange {
        let update = json!({ "id": self.segment, "name": "staff", "constraints": [] });
        of(Target::Segment(self.segment), "updateSegment", update)
    }

    fn strategy_path(&self) -> String {
        format!("{CART}/environments/{PRODUCTION}/strategies/{}", self.strategy)
    }

    async fn is_pending(&self, id: i64) -> bool {
        self.world.read(id).await.schedule.expect("a schedule").status == Status::Pending
    }

    async fn told(&self) -> Vec<event::Model> {
        let events = self.world.app.events().await;
        events.into_iter().filter(|event| event.r#type == SUSPENDED).collect()
    }

    /// What was told last: of the one change request that was suspended.
    async fn suspended(&self, id: i64, words: &str) {
        let Status::Suspended(reason) = self.world.read(id).await.schedule.expect("a schedule").status else {
            panic!("{id} is not suspended: {words}")
        };
        assert!(reason.contains(words), "{reason}");
        let events = self.world.app.events().await;
        let last = events.last().expect("an event");
        assert_eq!(last.r#type, SUSPENDED, "with the change: {events:?}");
        let data: Value = last.data.as_deref().expect("data").parse().expect("JSON");
        assert_eq!(data, json!({ "changeRequestId": id, "reason": reason }));
        assert_eq!((last.project.as_deref(), last.environment.as_deref()), (Some("shop"), Some(PRODUCTION)));
    }
}

fn variants(name: &str) -> Value {
    json!([{ "name": name, "weight": 1000, "weightType": "variable", "stickiness": "default" }])
}

#[tokio::test]
async fn a_change_of_a_strategy_suspends_and_so_does_its_deletion() {
    let watched = Watched::new().await;
    let (first, other) =
        (watched.schedule(watched.update_strategy()).await, watched.schedule(switch("cart", true)).await);
    let update = json!({ "name": "flexibleRollout", "title": "Half", "parameters": { "rollout": "60" } });
    put(&watched.admin, &watched.strategy_path(), update.clone()).await.expect(200);
    watched.suspended(first, "was changed").await;
    assert!(watched.is_pending(other).await, "of the same feature, and about something else");
    put(&watched.admin, &watched.strategy_path(), update).await.expect(200);
    assert_eq!(watched.told().await.len(), 1, "what changes nothing suspends nothing");

    let again = watched.schedule(watched.update_strategy()).await;
    let deleted = watched.admin.request(Method::DELETE, &watched.strategy_path(), &[], Vec::new()).await;
    assert_eq!(deleted.status, 200, "{}", deleted.text);
    watched.suspended(again, "was deleted").await;
    assert_eq!(watched.told().await.len(), 2, "what is suspended already is not told again");
}

#[tokio::test]
async fn a_change_of_variants_suspends_in_its_environment_alone() {
    let watched = Watched::new().await;
    let proposal = || of(feature("cart"), "patchVariant", json!({ "variants": variants("a") }));
    let id = watched.schedule(proposal()).await;
    let path = |environment: &str| format!("{CART}/environments/{environment}/variants");
    put(&watched.admin, &path("development"), variants("b")).await.expect(200);
    assert!(watched.is_pending(id).await);
    put(&watched.admin, &path(PRODUCTION), variants("b")).await.expect(200);
    watched.suspended(id, "variants").await;
    let id = watched.schedule(proposal()).await;
    put(&watched.admin, &format!("{CART}/variants"), variants("c")).await.expect(200);
    watched.suspended(id, "variants").await;
}

#[tokio::test]
async fn a_change_of_a_segment_suspends() {
    let watched = Watched::new().await;
    let id = watched.schedule(watched.update_segment()).await;
    let update = json!({ "name": "crew", "project": "shop", "constraints": [] });
    let path = format!("/api/admin/segments/{}", watched.segment);
    assert_eq!(put(&watched.admin, &path, update).await.status, 204);
    watched.suspended(id, "crew").await;
}

#[tokio::test]
async fn archiving_suspends_everything_about_the_feature_and_a_dry_run_tells_it() {
    let watched = Watched::new().await;
    let id = watched.schedule(switch("cart", true)).await;
    let archive = |query: &str| {
        let path = format!("/api/admin/projects/shop/archive{query}");
        let admin = watched.admin.clone();
        async move { admin.post(&path, json!({ "features": ["cart"] })).await }
    };
    let preview = archive("?dryRun=true").await;
    let kinds: Vec<&str> = preview.body["events"]
        .as_array()
        .expect("events")
        .iter()
        .map(|event| event["type"].as_str().expect("a type"))
        .collect();
    assert_eq!(kinds.last(), Some(&SUSPENDED), "{preview:?}");
    assert!(watched.is_pending(id).await);
    assert!(watched.told().await.is_empty());
    archive("").await;
    watched.suspended(id, "was archived").await;
    watched.world.app.clock.advance(2 * DAY_MS);
    run(&watched.world).await;
    watched.suspended(id, "was archived").await;
}

#[tokio::test]
async fn an_import_over_the_feature_suspends() {
    let watched = Watched::new().await;
    let ids = [
        watched.schedule(watched.update_strategy()).await,
        watched.schedule(of(feature("cart"), "patchVariant", json!({ "variants": variants("a") }))).await,
        watched.schedule(switch("cart", true)).await,
    ];
    let data = json!({
        "features": [{ "name": "cart", "type": "release", "project": "shop" }],
        "featureStrategies": [{ "name": "default", "featureName": "cart", "parameters": {}, "constraints": [] }],
        "featureEnvironments": [{
            "name": "cart", "featureName": "cart", "environment": PRODUCTION, "enabled": false,
            "variants": variants("imported"),
        }],
        "featureTags": [], "tagTypes": [], "contextFields": [], "segments": [], "dependencies": [],
    });
    let import = json!({ "project": "shop", "environment": PRODUCTION, "data": data });
    watched.admin.post("/api/admin/features-batch/import", import).await.expect(200);
    let pending =
        [watched.is_pending(ids[0]).await, watched.is_pending(ids[1]).await, watched.is_pending(ids[2]).await];
    assert_eq!(pending, [false, false, true]);
    assert_eq!(watched.told().await.len(), 2);
}

#[tokio::test]
async fn the_deletion_of_who_scheduled_suspends() {
    let watched = Watched::new().await;
    let (ada, ben) = (watched.world.ada, watched.world.ben);
    let hers = scheduled(&watched.world, ada, DAY_MS, &[switch("cart", true)]).await;
    let his = scheduled(&watched.world, ben, DAY_MS, &[switch("cart", true)]).await;
    let path = format!("/api/admin/user-admin/{ada}");
    let deleted = watched.admin.request(Method::DELETE, &path, &[], Vec::new()).await;
    assert_eq!(deleted.status, 200, "{}", deleted.text);
    watched.suspended(hers, "account").await;
    assert!(watched.is_pending(his).await);
}

#[tokio::test]
async fn an_application_suspends_others_and_not_itself() {
    let watched = Watched::new().await;
    let archive = || change(feature("cart"), Action::ArchiveFeature);
    let other = watched.schedule(archive()).await;
    let user = watched.world.ada;
    let applied = scheduled(&watched.world, user, 0, &[archive()]).await;
    run(&watched.world).await;
    assert!(watched.world.read(applied).await.schedule.is_none());
    watched.suspended(other, "was archived").await;
}

#[tokio::test]
async fn a_change_of_nothing_that_is_scheduled_suspends_nothing() {
    let watched = Watched::new().await;
    watched.world.app.feature("shop", "order").await;
    let id = watched.schedule(switch("order", true)).await;
    put(&watched.admin, &watched.strategy_path(), json!({ "name": "default" })).await.expect(200);
    let archived = watched.admin.request(Method::DELETE, CART, &[], Vec::new()).await;
    assert_eq!(archived.status, 202, "{}", archived.text);
    assert!(watched.is_pending(id).await);
    assert!(watched.told().await.is_empty());
}
