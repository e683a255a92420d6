//! Rules by which a provider admits people: groups of which one is required, and roles by what it says of them.

use serde_json::{Value, json};

use super::{beside::Beside, company::Company};
use crate::harness::role;

const ADMISSION: (u16, &str) = (403, "NotAdmittedError");

async fn root_role(company: &Company, user: &Value) -> Value {
    let user = company.app.admin().get(&format!("/api/admin/user-admin/{}", user["id"])).await.expect(200);
    user["rootRole"].clone()
}

#[tokio::test]
async fn whoever_is_in_no_required_group_stays_out_also_when_known() {
    let company = Company::new().await;
    let rules = json!({ "autoCreate": true, "requiredGroups": ["flags", "ops"] });
    let beside = Beside::with(&company, "staff", "oidc", json!({ "groupsPath": "groups" }), &rules).await;
    beside.provider.claim("email", "grace@example.com");
    for groups in [json!(null), json!([]), json!(["sales"]), json!(["Ops"]), json!({ "ops": true })] {
        beside.provider.claim("groups", groups.clone());
        let entry = beside.refused(&company, ADMISSION.0, ADMISSION.1).await;
        assert_eq!(entry["reason"], "required-group-missing", "{groups}");
    }
    beside.provider.claim("groups", json!(["sales", "ops"]));
    let (_, user) = beside.signed_in(&company).await;
    assert_eq!(user["email"], "grace@example.com");
    beside.provider.claim("groups", json!(["sales"]));
    assert_eq!(beside.refused(&company, ADMISSION.0, ADMISSION.1).await["reason"], "required-group-missing");
}

#[tokio::test]
async fn memberships_follow_only_where_the_rules_say_so() {
    let company = Company::new().await;
    let group = json!({ "name": "Ops", "mappingsSSO": ["ops"] });
    let group = company.app.admin().post("/api/admin/groups", group).await.expect(201)["id"].clone();
    let members = || async {
        let group = company.app.admin().get(&format!("/api/admin/groups/{group}")).await.expect(200);
        group["users"].as_array().expect("users").len()
    };
    let rules = |syncs: bool| json!({ "autoCreate": true, "requiredGroups": ["ops"], "syncGroups": syncs });
    let beside = Beside::with(&company, "staff", "oidc", json!({ "groupsPath": "groups" }), &rules(false)).await;
    beside.provider.claim("email", "grace@example.com");
    beside.provider.claim("groups", json!(["ops"]));
    beside.signed_in(&company).await;
    assert_eq!(members().await, 0);
    beside.set(&company, true, json!({ "groupsPath": "groups" }), &rules(true)).await.expect(200);
    beside.signed_in(&company).await;
    assert_eq!(members().await, 1);
}

#[tokio::test]
async fn the_first_rule_that_matches_gives_a_new_user_the_role_and_nobody_else() {
    let company = Company::new().await;
    let rules = json!({
        "autoCreate": true,
        "defaultRootRoleId": role::VIEWER,
        "rootRoles": [
            { "claim": "realm.roles", "value": "flags-admin", "roleId": role::ADMIN },
            { "claim": "department", "value": "engineering", "roleId": role::EDITOR },
        ],
    });
    let beside = Beside::with(&company, "staff", "oidc", json!({}), &rules).await;
    for (name, department, roles, expected) in [
        ("a", json!("sales"), json!([]), role::VIEWER),
        ("b", json!("engineering"), json!(null), role::EDITOR),
        ("c", json!("engineering"), json!(["dev", "flags-admin"]), role::ADMIN),
        ("d", json!(["x", "engineering"]), json!("dev"), role::EDITOR),
    ] {
        beside.provider.claim("sub", name);
        beside.provider.claim("email", format!("{name}@example.com"));
        beside.provider.claim("department", department);
        beside.provider.claim("realm", json!({ "roles": roles }));
        let (_, user) = beside.signed_in(&company).await;
        assert_eq!(root_role(&company, &user).await, expected, "{name}");
    }
    // Nobody who exists is raised by a rule, nor lowered.
    beside.provider.claim("realm", json!({ "roles": ["flags-admin"] }));
    let (_, user) = beside.signed_in(&company).await;
    assert_eq!(root_role(&company, &user).await, role::EDITOR);
}

#[tokio::test]
async fn access_ends_between_sign_ins_with_the_required_group() {
    let company = Company::new().await;
    let settings = json!({ "groupsPath": "groups", "scopes": ["offline_access"] });
    let rules = json!({ "autoCreate": true, "requiredGroups": ["ops"] });
    let beside = Beside::with(&company, "staff", "oidc", settings, &rules).await;
    beside.provider.state().gives_refresh_tokens = true;
    beside.provider.claim("email", "grace@example.com");
    beside.provider.claim("groups", json!(["ops"]));
    let (mut browser, _) = beside.signed_in(&company).await;
    let pass = async || {
        company.app.clock.advance(15 * 60_000);
        beside.provider.state().now += 15 * 60;
        flagstone::sign_in::recheck::check_due(&company.app.state).await.expect("checks");
    };
    pass().await;
    browser.get("/api/admin/user").await.expect(200);
    assert_eq!(beside.provider.server.seen("/token").len(), 2, "the provider of the session was asked");
    beside.provider.claim("groups", json!(["sales"]));
    pass().await;
    browser.get("/api/admin/user").await.refused(401, "AuthenticationRequired", "");
    let entry = company.newest_entry().await;
    assert_eq!(
        (&entry["outcome"], &entry["reason"], &entry["providerId"]),
        (&json!("signed-out"), &json!("required-group-missing"), &json!("staff"))
    );
}
