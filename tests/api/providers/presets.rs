//! Ready kinds of OpenID Connect, against a provider that says what theirs document.

use serde_json::{Map, Value, json};

use super::{
    beside::Beside,
    browser::location,
    company::Company,
    server::{Reply, Server},
};

const WORD: (u16, &str) = (401, "SignInRefusedError");
const ADMISSION: (u16, &str) = (403, "NotAdmittedError");
const TENANT: &str = "8d2b1f4e-9c1a-4a0f-8f0e-0123456789ab";

#[tokio::test]
async fn google_admits_the_organizations_of_the_settings_and_no_other_account() {
    let company = Company::new().await;
    let settings = json!({ "hostedDomains": ["example.com", "example.org"] });
    let beside = Beside::with(&company, "google", "google", settings, &json!({ "autoCreate": true })).await;
    let address = location(&company.browser().get("/auth/providers/google/login").await);
    let asked: Map<String, Value> =
        address.query_pairs().map(|(name, value)| (name.into_owned(), value.into_owned().into())).collect();
    assert_eq!((&asked["hd"], &asked["scope"]), (&json!("*"), &json!("openid email profile")));
    beside.provider.claim("email", "grace@example.com");
    for (domain, found) in [(json!(null), "none"), (json!("evil.example"), "evil.example")] {
        beside.provider.claim("hd", domain);
        // The user info endpoint is nobody to say so.
        beside.provider.state().userinfo.insert("hd".to_owned(), json!("example.com"));
        let entry = beside.refused(&company, WORD.0, WORD.1).await;
        assert_eq!((&entry["reason"], &entry["found"]), (&json!("wrong-hosted-domain"), &json!(found)));
    }
    beside.provider.claim("hd", "example.org");
    assert_eq!(beside.signed_in(&company).await.1["email"], "grace@example.com");
}

#[tokio::test]
async fn google_proves_emails_of_its_own_domains_and_of_gmail() {
    let company = Company::new().await;
    let beside = Beside::with(&company, "google", "google", json!({}), &json!({ "linkByEmail": true })).await;
    for (email, domain, links) in [
        ("ada@example.com", None, false),
        ("ada@example.com", Some("example.com"), true),
        ("grace@gmail.com", None, true),
        ("alan@gmail.com.evil.example", None, false),
    ] {
        let known = company.app.admin().get("/api/admin/user-admin").await.expect(200);
        if !known.to_string().contains(email) {
            company.make_user(email).await;
        }
        beside.provider.claim("sub", email);
        beside.provider.claim("email", email);
        beside.provider.claim("hd", domain);
        if links {
            assert_eq!(beside.signed_in(&company).await.1["email"], email);
        } else {
            assert_eq!(beside.refused(&company, ADMISSION.0, ADMISSION.1).await["reason"], "linking-off", "{email}");
        }
    }
}

#[tokio::test]
async fn entra_proves_emails_by_the_owner_of_their_domain_alone() {
    let company = Company::new().await;
    let id = company.make_user("ada@example.com").await;
    let beside =
        Beside::with(&company, "entra", "entra", json!({ "tenant": TENANT }), &json!({ "linkByEmail": true })).await;
    // Users of any tenant can set any email: what the standard's claim says of it links nothing.
    let entry = beside.refused(&company, ADMISSION.0, ADMISSION.1).await;
    assert_eq!(entry["reason"], "linking-off");
    beside.provider.claim("email_verified", Value::Null);
    beside.provider.claim("xms_edov", json!(false));
    assert_eq!(beside.refused(&company, WORD.0, WORD.1).await["reason"], "email-unverified");
    for word in [json!(true), json!("1"), json!(1)] {
        beside.provider.claim("xms_edov", word);
        assert_eq!(beside.signed_in(&company).await.1["id"], id);
    }
}

#[tokio::test]
async fn groups_that_are_too_many_for_a_token_of_entra_are_asked_of_graph() {
    let company = Company::new().await;
    let graph = Server::new(|seen| {
        let is_right = seen.method == "POST"
            && seen.path == "/v1.0/me/getMemberGroups"
            && seen.headers.get("authorization").is_some_and(|given| given == "Bearer access-token")
            && serde_json::from_str::<Value>(&seen.body)
                .is_ok_and(|body| body == json!({ "securityEnabledOnly": false }));
        if is_right {
            Reply::json(&json!({ "@odata.context": "…#Collection(Edm.String)", "value": ["0ps", "d3v"] }))
        } else {
            Reply::status(403, &json!({ "error": { "code": "Authorization_RequestDenied" } }))
        }
    });
    let settings = json!({ "tenant": TENANT, "graphUrl": graph.url("") });
    let rules = json!({ "autoCreate": true, "requiredGroups": ["0ps"] });
    let beside = Beside::with(&company, "entra", "entra", settings, &rules).await;
    beside.provider.claim("email", "grace@example.com");
    let address = location(&company.browser().get("/auth/providers/entra/login").await);
    assert!(address.query_pairs().any(|(name, value)| name == "scope" && value.ends_with(" User.Read")), "{address}");
    // Few enough stand in the token, and Graph is not asked.
    beside.provider.claim("groups", json!(["d3v"]));
    assert_eq!(beside.refused(&company, ADMISSION.0, ADMISSION.1).await["reason"], "required-group-missing");
    assert!(graph.seen("/v1.0/me/getMemberGroups").is_empty());
    beside.provider.claim("groups", Value::Null);
    beside.provider.claim("_claim_names", json!({ "groups": "src1" }));
    // Where Entra says that they are is not where they are asked for.
    beside.provider.claim("_claim_sources", json!({ "src1": { "endpoint": "https://evil.example/getMemberObjects" } }));
    beside.signed_in(&company).await;
    assert_eq!(graph.seen("/v1.0/me/getMemberGroups").len(), 1);
    // Without Graph's word nobody is in a group.
    beside.provider.state().access_token = Some("another");
    assert_eq!(beside.refused(&company, ADMISSION.0, ADMISSION.1).await["reason"], "required-group-missing");
}

#[tokio::test]
async fn the_scopes_and_claims_of_the_others_are_those_that_they_document() {
    let company = Company::new().await;
    let rules = json!({ "autoCreate": true, "requiredGroups": ["ops"] });
    for (kind, settings, scope) in [
        ("okta", json!({ "serverUrl": "https://acme.okta.com" }), "openid email profile groups"),
        ("gitlab", json!({}), "openid email profile"),
        ("keycloak", json!({ "serverUrl": "https://id.example.com", "realm": "staff" }), "openid email profile"),
    ] {
        let id: &'static str = kind;
        let beside = Beside::with(&company, id, kind, settings, &rules).await;
        let address = location(&company.browser().get(&format!("/auth/providers/{id}/login")).await);
        let asked = address.query_pairs().find(|(name, _)| name == "scope").map(|(_, value)| value.into_owned());
        assert_eq!(asked.as_deref(), Some(scope), "{kind}");
        beside.provider.claim("sub", kind);
        beside.provider.claim("email", format!("{kind}@example.com"));
        // GitLab tells them with the user info alone.
        let told = json!({ "sub": kind, "groups": ["ops"] });
        beside.provider.state().userinfo = told.as_object().expect("an object").clone();
        assert_eq!(beside.signed_in(&company).await.1["email"], format!("{kind}@example.com"));
    }
}
