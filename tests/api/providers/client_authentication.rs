//! Authentication of this server as a client: by a key of its own, by a secret, or not at all.

use flagstone::providers::oidc::{Credentials, Reason};
use poem::http::Method;
use serde_json::{Value, json};

use super::{clients::Client, company::Company, hostile::SECRET, world::World};
use crate::harness::Answer;

const POLICY: &str = "/api/admin/auth/policy";
const KEYS: &str = "/api/admin/auth/oidc/client-keys";
const JWKS: &str = "/auth/oidc/jwks";

impl Company {
    async fn policy(&self, change: Value) -> Answer {
        let mut policy = self.app.admin().get(POLICY).await.expect(200);
        let Value::Object(change) = change else { panic!("an object") };
        policy.as_object_mut().expect("an object").extend(change);
        policy.as_object_mut().expect("an object").retain(|_, value| !value.is_null());
        self.app.admin().json(Method::PUT, POLICY, policy).await
    }

    /// Makes a key; its id.
    async fn key(&self) -> String {
        let made = self.app.admin().post(KEYS, Value::Null).await.expect(201);
        assert_eq!(made["inUse"], false);
        made["kid"].as_str().expect("an id").to_owned()
    }

    async fn delete(&self, kid: &str) -> Answer {
        self.app.admin().request(Method::DELETE, &format!("{KEYS}/{kid}"), &[], Vec::new()).await
    }

    /// The keys that anybody can fetch.
    async fn published(&self) -> Value {
        self.app.anonymous().get(JWKS).await.expect(200)
    }

    /// Lets the provider fetch the keys, which it does when it likes.
    async fn let_fetch(&self, audience: &str) {
        let jwks = self.published().await;
        self.provider.state().client = Client::with_keys(jwks, audience);
    }

    async fn expect_sign_in(&self) {
        let mut browser = self.browser();
        self.sign_in(&mut browser).await;
        assert_eq!(self.who(&mut browser).await["email"], "ada@example.com");
    }
}

fn by_key(kid: &str) -> Value {
    json!({ "oidcClientAuthentication": "private_key_jwt", "oidcClientKey": kid })
}

#[tokio::test]
async fn a_key_that_the_server_made_authenticates_and_another_takes_its_place_without_a_gap() {
    let company = Company::new().await;
    let issuer = company.provider.issuer();
    assert_eq!(company.published().await, json!({ "keys": [] }));
    let first = company.key().await;
    company.let_fetch(&issuer).await;
    company.policy(by_key(&first)).await.expect(200);
    company.expect_sign_in().await;
    // Another key is published before it signs.
    let second = company.key().await;
    assert_ne!(first, second);
    let listed = company.app.admin().get(KEYS).await.expect(200);
    let in_use: Vec<_> = listed["keys"].as_array().expect("keys").iter().map(|key| key["inUse"].clone()).collect();
    assert_eq!(in_use, [true, false]);
    assert!(listed["jwksUri"].as_str().expect("an address").ends_with(JWKS));
    company.app.admin().post(KEYS, Value::Null).await.refused(409, "TooManyKeysError", "2 keys");
    // The provider has not seen it yet, and is not asked by it.
    company.expect_sign_in().await;
    company.let_fetch(&issuer).await;
    company.policy(by_key(&second)).await.expect(200);
    company.expect_sign_in().await;
    company.delete(&second).await.refused(409, "KeyInUseError", "policy");
    company.delete(&first).await.expect(204);
    company.delete(&first).await.refused(404, "NotFoundError", &first);
    company.let_fetch(&issuer).await;
    company.expect_sign_in().await;
    // On another node, too.
    let published = company.other_node().anonymous().get(JWKS).await.expect(200);
    assert_eq!(published, company.published().await);
    assert_eq!(published["keys"][0]["kid"], second);
}

#[tokio::test]
async fn the_private_half_is_sealed_and_nobody_is_told() {
    let company = Company::new().await;
    let before = company.app.event_types().await.len();
    let first = company.key().await;
    let second = company.key().await;
    company.delete(&first).await.expect(204);
    company.delete(&second).await.expect(204);
    let types = company.app.event_types().await;
    assert_eq!(types[before..], ["setting-created", "setting-updated", "setting-updated", "setting-deleted"]);
    let first = company.key().await;
    let [jwk] = company.published().await["keys"].as_array().expect("keys").clone().try_into().expect("one");
    let names: Vec<_> = jwk.as_object().expect("a key").keys().cloned().collect();
    assert_eq!(names, ["kty", "crv", "x", "y", "use", "alg", "kid"]);
    assert_eq!((&jwk["kid"], &jwk["alg"], &jwk["use"]), (&json!(first), &json!("ES256"), &json!("sig")));
    let listed = company.app.admin().get(KEYS).await;
    let events = company.app.admin().get("/api/admin/events").await;
    for (text, what) in [(&listed.text, "the list"), (&events.text, "events")] {
        assert!(text.contains(&first), "{what}");
        assert!(!text.contains("pkcs8"), "{what}");
    }
}

#[tokio::test]
async fn the_policy_names_a_key_that_is_there() {
    let company = Company::new().await;
    for (change, text) in [
        (json!({ "oidcClientAuthentication": "private_key_jwt" }), "is missing"),
        (by_key("nobody"), "does not exist"),
        (json!({ "oidcClientKey": "nobody" }), "does not exist"),
    ] {
        company.policy(change).await.refused(400, "ValidationError", text);
    }
    company.policy(json!({ "oidcClientAuthentication": "basic" })).await.refused(
        400,
        "ValidationError",
        "oidcClientAuthentication",
    );
}

#[tokio::test]
async fn the_audience_of_a_statement_is_the_provider_that_it_is_for() {
    let company = Company::new().await;
    let kid = company.key().await;
    let (issuer, endpoint) = (company.provider.issuer(), company.provider.server.url("/token"));
    company.policy(by_key(&kid)).await.expect(200);
    company.let_fetch(&endpoint).await;
    assert_eq!(company.refused(401, "SignInRefusedError").await["reason"], "token-refused");
    company.policy(json!({ "oidcAssertionAudience": "token_endpoint" })).await.expect(200);
    company.expect_sign_in().await;
    company.let_fetch(&issuer).await;
    assert_eq!(company.refused(401, "SignInRefusedError").await["reason"], "token-refused");
}

#[tokio::test]
async fn whoever_authenticates_by_a_key_or_not_at_all_sends_no_secret() {
    let company = Company::new().await;
    let kid = company.key().await;
    company.let_fetch(&company.provider.issuer()).await;
    company.policy(by_key(&kid)).await.expect(200);
    company.expect_sign_in().await;
    company.provider.state().client = Client::Public;
    company.policy(json!({ "oidcClientAuthentication": "none" })).await.expect(200);
    company.expect_sign_in().await;
    for seen in company.provider.server.seen("/token") {
        assert!(!seen.headers.contains_key("authorization") && !seen.body.contains("s3cret"), "{}", seen.body);
        assert!(seen.body.contains("code_verifier="), "{}", seen.body);
    }
    company.provider.state().client = Client::Secret;
    company.policy(json!({ "oidcClientAuthentication": null })).await.expect(200);
    company.expect_sign_in().await;
}

#[tokio::test]
async fn nobody_is_sent_to_a_provider_that_does_not_take_the_client() {
    let mut world = World::new();
    let start = async |world: &World| {
        let secrets = flagstone::providers::oidc::Secrets::from_random(&[7; 96]);
        let start = world.oidc.start(&world.settings, &secrets, super::hostile::REDIRECT_URI, world.now()).await;
        start.map_err(|refusal| refusal.reason)
    };
    world.settings.credentials = Credentials::None;
    world.provider.describe("code_challenge_methods_supported", json!(["plain"]));
    assert_eq!(start(&world).await, Err(Reason::ClientAuthentication));
    world.settings.credentials = Credentials::Secret(SECRET.into());
    assert!(start(&world).await.is_ok());
    world.provider.describe("token_endpoint_auth_methods_supported", json!(["tls_client_auth"]));
    world.forget();
    assert_eq!(start(&world).await, Err(Reason::ClientAuthentication));
}

#[tokio::test]
async fn a_test_of_settings_tells_whether_the_provider_takes_the_client() {
    let company = Company::new().await;
    let kid = company.key().await;
    company.policy(by_key(&kid)).await.expect(200);
    let tried = async || {
        let body = company.settings(json!({}));
        let tried = company.app.admin().post("/api/admin/auth/oidc/test", body).await.expect(200);
        let checks = tried["checks"].as_array().expect("checks");
        checks.iter().find(|check| check["name"] == "clientAuthentication").cloned().expect("a check")
    };
    assert_eq!(tried().await["ok"], true);
    company.provider.describe("token_endpoint_auth_methods_supported", json!(["client_secret_basic"]));
    let check = tried().await;
    assert_eq!(check["ok"], false);
    assert!(check["message"].as_str().expect("a message").contains("private_key_jwt"), "{check}");
    // A sign-in says the same in the log, once the description is fetched again.
    company.advance(3601);
    let answer = company.browser().get("/auth/oidc/login").await;
    let entry = company.reason(answer, 401, "SignInRefusedError").await;
    assert_eq!(entry["reason"], "client-authentication-unsupported");
}
