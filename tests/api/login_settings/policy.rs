//! The policy of login providers, as two administrators change it at the same time.

use serde_json::{Value, json};

use crate::{
    calls::{meant_for, put, tag_of},
    harness::TestApp,
};

const POLICY: &str = "/api/admin/auth/policy";

/// The policy as it is, with another tolerance for clocks.
fn with_skew(policy: &Value, seconds: u16) -> Value {
    let mut policy = policy.clone();
    policy["clockSkewSeconds"] = json!(seconds);
    policy
}

#[tokio::test]
async fn a_policy_that_is_meant_for_another_one_is_refused() {
    let app = TestApp::new().await;
    let admin = app.admin();
    let seen = admin.get(POLICY).await;
    let unset = tag_of(&seen);
    let policy = seen.expect(200);
    meant_for(&admin, &unset, POLICY, Some(with_skew(&policy, 120))).await.expect(200);
    let read = tag_of(&admin.get(POLICY).await);
    let mut unknown_key = with_skew(&policy, 30);
    unknown_key["oidcClientKey"] = json!("none");
    for stale in [with_skew(&policy, 30), unknown_key.clone()] {
        let refused = meant_for(&admin, &unset, POLICY, Some(stale)).await;
        refused.refused(412, "PreconditionFailedError", "If-Match");
    }
    let refused = meant_for(&admin, &read, POLICY, Some(unknown_key)).await;
    refused.refused(400, "ValidationError", "/body/oidcClientKey");
    assert_eq!(admin.get(POLICY).await.expect(200)["clockSkewSeconds"], 120);
    meant_for(&admin, &read, POLICY, Some(with_skew(&policy, 60))).await.expect(200);
    put(&admin, POLICY, with_skew(&policy, 0)).await.expect(200);
    assert_eq!(app.event_types().await, ["setting-created", "setting-updated", "setting-updated"]);
}
