//! A server that was worked with: everything that the document's examples tell of, and what they do not.

use flagstone::{
    api::document::DOCUMENT,
    audit,
    clock::Clock,
    config::presets::Presets,
    domain::{
        access_request::AccessRequest, account_powers::Origin, scim::KeptGroup, second_factor::Kind as Factor, secret,
        session::Client, sign_in::ProviderKey, sign_in_log::Method as Way, time::Timestamp,
    },
    jobs::{self, JOBS, Scope},
    sign_in, start,
    store::{
        self,
        db::NoEvent,
        groups::GroupContent,
        integrations::spreading,
        scim::directories,
        sign_in::{
            access_requests,
            identities::{self, NewIdentity, Subject},
            memberships, once, sealed,
            sessions::{self, NewSessionProvider},
        },
        users::{second_factors, sessions::NewSession},
    },
};
use poem::http::Method;
use serde_json::{Value, json};

use super::requests;
use crate::{
    admin_token::ADMIN_TOKEN,
    cluster::{ADMINISTRATOR, Node},
};

/// The first user's.
const PASSWORD: &str = "Correct-horse-1";
/// Key of the id of the change request among what the server made up.
pub const CHANGE_REQUEST: &str = "change request";
/// Operations whose examples are sent. In this order, each finds what it needs.
const ACTS: &[&str] = &[
    "createEnvironment",
    "createProject",
    "createUser",
    "createTagType",
    "createTag",
    "createContextField",
    "createContextFieldForProject",
    "createSegment",
    "createStrategy",
    "createAddon",
    "createFeature",
    "createFeatureLink",
    "addFeatureStrategy",
    "addTag",
    "toggleFeatureEnvironmentOn",
    "createRole",
    "createGroup",
    "addAccessToProject",
    "addDefaultStrategyToProjectEnvironment",
    "importFeatures",
    "overwriteFeatureVariants",
    "patchFeature",
    "updateFeature",
    "addFeatureDependency",
    "setUiConfig",
    "setOidcSettings",
    "setSamlSettings",
    "createSignInProvider",
    "createApplication",
];
/// Text that a copy could spoil.
const AWKWARD: &str =
    "\\N \\. \\\\ 'single' \"double\" `back` $1 ?1 %s {}\ttab\nline\r\nend \u{1f6a9}\u{200d} e\u{301} ß \u{feff}";

/// Credentials for the server.
pub struct Keys {
    /// Headers by which somebody is let in: an administrator, a person, a program, a browser.
    pub callers: Vec<(&'static str, String)>,
    /// Values that the server made up, by the name of the path's parameter.
    pub made_up: Vec<(&'static str, String)>,
}

/// Method and address of an operation with the values that the document gives as examples, or with those given here.
pub fn address(operation: &Value, path: &str, values: &[(&str, String)]) -> String {
    let mut address = path.to_owned();
    let mut query = Vec::new();
    for parameter in operation["parameters"].as_array().into_iter().flatten() {
        let name = parameter["name"].as_str().expect("a name");
        let example = parameter.get("example").or_else(|| parameter["schema"].get("example"));
        let example = example.map(|example| example.as_str().map_or_else(|| example.to_string(), str::to_owned));
        let known = values.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone());
        let value = known.or(example).unwrap_or_default();
        if parameter["in"] == "path" {
            address = address.replace(&format!("{{{name}}}"), &value);
        } else if parameter["in"] == "query" && parameter["required"] == true {
            query.push(format!("{name}={value}"));
        }
    }
    if query.is_empty() { address } else { format!("{address}?{}", query.join("&")) }
}

/// Method, path and description of each operation.
pub fn operations() -> Vec<(Method, &'static str, &'static Value)> {
    let paths = DOCUMENT["paths"].as_object().expect("paths");
    let each = paths.iter().flat_map(|(path, item)| {
        item.as_object().expect("operations").iter().map(move |(method, operation)| {
            (method.to_ascii_uppercase().parse().expect("a method"), path.as_str(), operation)
        })
    });
    each.collect()
}

/// Sends an example of the document; gives the answer's body.
pub async fn play(node: &Node, operation_id: &str) -> Value {
    play_as(node, operation_id, ADMINISTRATOR).await
}

async fn play_as(node: &Node, operation_id: &str, caller: (&str, &str)) -> Value {
    let found = operations().into_iter().find(|(_, _, operation)| operation["operationId"] == operation_id);
    let (method, path, operation) = found.expect(operation_id);
    let body = operation["requestBody"]["content"]["application/json"].get("example").cloned();
    send(node, method, &address(operation, path, &[]), body, caller).await
}

/// Sends a request that must succeed; gives the answer's body.
pub async fn send(node: &Node, method: Method, path: &str, body: Option<Value>, caller: (&str, &str)) -> Value {
    let answer = node.ask(method, path, body, caller).await;
    let status = answer.status();
    let text = answer.into_body().into_string().await.expect("a body");
    assert!(status.is_success(), "{path}: {status} {text}");
    serde_json::from_str(&text).unwrap_or_default()
}

async fn post(node: &Node, path: &str, body: Value) -> Value {
    send(node, Method::POST, path, Some(body), ADMINISTRATOR).await
}

/// Works with an empty server until each of its tables holds rows.
pub async fn open(node: &Node, clock: &Clock) -> Keys {
    let variables = [("UNLEASH_DEFAULT_ADMIN_PASSWORD", PASSWORD), ("INIT_ADMIN_API_TOKENS", ADMIN_TOKEN)];
    let presets = Presets::from_variables(|name| {
        variables.iter().find(|variable| variable.0 == name).map(|variable| variable.1.to_owned())
    });
    let state = &node.state;
    start::prepare(&state.db, &state.vault, clock, &state.passwords, &presets).await.expect("a first start");
    for act in ACTS {
        play(node, act).await;
    }
    let directory = directory(node).await;
    awkward_things(node).await;
    let mut keys = people(node).await;
    keys.callers.push(("authorization", directory));
    // After days, hours of usage become days of usage.
    for days in [0, 4, 0] {
        clock.advance(days * 24 * 60 * 60 * 1000);
        let due = JOBS.iter().filter(|job| days > 0 || job.scope == Scope::Node);
        reports(node, &keys, clock.now()).await;
        for job in due {
            jobs::run_if_due(state, job).await.expect("runs");
        }
    }
    audit::make_checkpoint_now(state).await.expect("signs");
    audit::extend(state).await.expect("hashes");
    // What lasts for a day has ended.
    keys.callers.push(("cookie", sign_in(node).await));
    let once = node.ask_once("/api/admin/context", "copied", &json!({ "name": "once" })).await;
    assert_eq!(once.status(), 201);
    through_a_provider(node, clock.now()).await;
    second_factor(node, clock.now()).await;
    directories_and_groups(node, clock.now()).await;
    wait_for_delivery(node, clock.now()).await;
    let strategy = keys.made_up.iter().find(|(name, _)| *name == "strategyId").map(|(_, id)| id.as_str());
    let request = requests::store(node, clock.now(), strategy.expect("an id"), AWKWARD).await;
    keys.made_up.push((CHANGE_REQUEST, request.to_string()));
    let link = post(node, "/api/admin/user-admin/reset-password", json!({ "id": 2 })).await;
    let (_, reset) = link["resetPasswordUrl"].as_str().and_then(|link| link.rsplit_once("token=")).expect("a link");
    keys.made_up.push(("reset", reset.to_owned()));
    keys
}

/// Makes what no example tells of: text that needs care, values that are absent, things that are archived or gone.
async fn awkward_things(node: &Node) {
    for name in ["plain", "old", "gone", "older"] {
        post(node, "/api/admin/projects/default/features", json!({ "name": name, "description": AWKWARD })).await;
    }
    post(node, "/api/admin/projects/default/features/older/dependencies", json!({ "feature": "plain" })).await;
    let archived = json!({ "features": ["old", "gone", "older"] });
    post(node, "/api/admin/projects/default/archive", archived).await;
    post(node, "/api/admin/projects/default/delete", json!({ "features": ["gone"] })).await;
    let strategy = json!({ "name": "default", "title": AWKWARD, "parameters": { "a": AWKWARD } });
    post(node, "/api/admin/projects/default/features/plain/environments/development/strategies", strategy).await;
    let constraint = json!({ "contextName": "userId", "operator": "IN", "values": [AWKWARD, "'", "\"", "\\'"] });
    post(node, "/api/admin/segments", json!({ "name": "awkward '\"\\", "constraints": [constraint] })).await;
    post(node, "/api/admin/context", json!({ "name": "bare" })).await;
    post(node, "/api/admin/features/plain/tags", json!({ "type": "simple", "value": "'\"\\ \u{1f6a9}" })).await;
    // The provider that the examples of SAML name.
    let settings = json!({
        "entityId": AWKWARD.trim(), "signOnUrl": "https://id.example.com/sso",
        "certificate": include_str!("../../saml/keys/provider.crt"),
    });
    let provider = json!({ "id": "contractors", "kind": "saml", "label": "'\"\\ \u{1f6a9}", "settings": settings });
    post(node, "/api/admin/auth/providers", provider).await;
    let hidden = json!({ "id": "hidden", "name": AWKWARD.trim(), "mode": "private" });
    post(node, "/api/admin/projects", hidden).await;
    post(node, "/api/admin/projects/archive/hidden", json!({})).await;
    send(node, Method::DELETE, "/api/admin/projects/hidden", None, ADMINISTRATOR).await;
}

/// Makes users whom a directory keeps. Gives its token.
async fn directory(node: &Node) -> String {
    play(node, "setScimSettings").await;
    let made = post(node, "/api/admin/scim-settings/generate-new-token", Value::Null).await;
    let token = made["token"].as_str().expect("a token").to_owned();
    for act in ["createScimUser", "createScimGroup"] {
        play_as(node, act, ("authorization", &token)).await;
    }
    token
}

/// Tokens of every kind, links, and what a person does who has signed in.
async fn people(node: &Node) -> Keys {
    let mut callers = vec![("authorization", ADMIN_TOKEN.to_owned())];
    for (kind, name) in [("client", "shop-backend"), ("frontend", "shop-pages")] {
        let token = json!({ "tokenName": name, "type": kind, "environment": "production", "projects": ["shop"] });
        let made = post(node, "/api/admin/api-tokens", token).await;
        callers.push(("authorization", made["secret"].as_str().expect("a secret").to_owned()));
    }
    let cookie = sign_in(node).await;
    let person = ("cookie", cookie.as_str());
    let token = json!({ "description": AWKWARD.trim(), "expiresAt": "2027-01-01T00:00:00.000Z" });
    let made = send(node, Method::POST, "/api/admin/user/tokens", Some(token), person).await;
    callers.push(("authorization", made["secret"].as_str().expect("a secret").to_owned()));
    for path in [
        "/api/admin/projects/shop/favorites",
        "/api/admin/projects/shop/features/express-checkout/favorites",
        "/api/admin/splash/welcome",
    ] {
        send(node, Method::POST, path, None, person).await;
    }
    let feedback = json!({ "feedbackId": "survey", "neverShow": true });
    send(node, Method::POST, "/api/admin/feedback", Some(feedback), person).await;
    // Before the guest: the examples know it by this number.
    for act in ["createServiceAccount", "createServiceAccountToken", "createBanner"] {
        play(node, act).await;
    }
    let invited = play(node, "createPublicSignupToken").await;
    let invited = invited["secret"].as_str().expect("a secret").to_owned();
    let guest = json!({ "email": "alan@example.com", "name": "Alan", "password": "Tests-Guest-1" });
    post(node, &format!("/invite/{invited}/signup"), guest).await;
    let owner = json!({ "roles": [4], "groups": [], "users": [1] });
    post(node, "/api/admin/projects/shop/access", owner).await;
    let told = send(node, Method::GET, "/api/admin/notifications", None, person).await;
    let read = json!({ "notifications": [told[0]["id"]] });
    send(node, Method::POST, "/api/admin/notifications/read", Some(read), person).await;
    let path = "/api/admin/projects/shop/features/express-checkout/environments/production/strategies";
    let strategies = send(node, Method::GET, path, None, ADMINISTRATOR).await;
    let strategy = strategies[0]["id"].as_str().expect("an id").to_owned();
    let made_up = vec![("strategyId", strategy), ("signup", invited)];
    Keys { callers, made_up }
}

/// Leaves the rows of a person who enrolled an authenticator app.
async fn second_factor(node: &Node, now: Timestamp) {
    let state = &node.state;
    let tx = state.db.begin().await.expect("a transaction");
    let place = second_factors::place(2, Factor::Totp);
    let sealed = state.vault.main().seal(&place, &[7; 20]);
    second_factors::begin(&tx, 2, Factor::Totp, &sealed, now).await.expect("a factor");
    let factor = second_factors::find(&tx, 2, Factor::Totp).await.expect("reads").expect("a factor");
    assert!(second_factors::confirm(&tx, factor.id, 59_000_000, now).await.expect("a factor in use"));
    let codes = [secret::digest("a recovery code")];
    second_factors::replace_recovery_codes(&tx, 2, codes, now).await.expect("a recovery code");
    tx.commit(now, []).await.expect("commits");
}

/// A group of a directory, nested in another one, with a member whom a login provider put into it, and a directory with a token of its own.
async fn directories_and_groups(node: &Node, now: Timestamp) {
    let tx = node.state.db.begin().await.expect("a transaction");
    let content = |name: &str, nested_groups: Vec<i64>| GroupContent {
        name: name.to_owned(),
        description: None,
        mappings_sso: Vec::new(),
        root_role: None,
        users: Vec::new(),
        nested_groups,
        kept: Some(KeptGroup::default()),
        origin: Some(Origin::Made),
        directory_id: None,
    };
    let inner = store::groups::insert(&tx, &content("inner", Vec::new()), "scim", now).await.expect("a group");
    assert!(memberships::join(&tx, inner, 2, &ProviderKey::OIDC, now).await.expect("joins"));
    store::groups::insert(&tx, &content("outer", vec![inner]), "scim", now).await.expect("a group around it");
    let digest = secret::digest("a directory's token");
    directories::insert(&tx, "Okta", digest, "admin", now).await.expect("a directory");
    tx.commit(now, []).await.expect("commits");
}

/// Leaves the traces of somebody who signed in through a login provider, one who is about to, and a trial of settings.
async fn through_a_provider(node: &Node, now: Timestamp) {
    let state = &node.state;
    sign_in::log::write(state).await.expect("writes");
    let subject = Subject {
        provider: ProviderKey::OIDC,
        issuer: "https://id.example.com".to_owned(),
        subject: AWKWARD.to_owned(),
    };
    let (session, ends) = (secret::digest("a session"), now.plus_days(1));
    let tx = state.db.begin().await.expect("a transaction");
    let identity = NewIdentity {
        subject: &subject,
        email: Some("ada@example.com"),
        proves_owner: true,
        settings: Some("settings"),
    };
    identities::insert(&tx, identity, 2, now).await.expect("an identity");
    let client = Client { address: Some("192.0.2.7".to_owned()), user_agent: Some(AWKWARD.to_owned()) };
    let new = NewSession { digest: &session, user_id: 2, method: Way::Oidc, client, now, expires_at: ends };
    store::users::sessions::start(&tx, new).await.expect("a session");
    let sealed = state.vault.main().seal(sessions::PLACE, b"{}");
    let provider = NewSessionProvider {
        session_digest: &session,
        subject: &subject,
        provider_session: Some("sid"),
        settings_hash: "settings",
        sealed: &sealed,
        check_at: Some(ends),
    };
    sessions::insert(&tx, provider).await.expect("its provider");
    assert!(once::take(&tx, once::Kind::State, "state", ends).await.expect("a state"));
    sealed::insert_ticket(&tx, "ticket", &sealed, ends).await.expect("a ticket");
    sealed::insert_trial(&tx, "trial", &sealed, ends).await.expect("a trial");
    let request = AccessRequest {
        id: 0,
        provider: ProviderKey::OIDC,
        issuer: "https://id.example.com".to_owned(),
        subject: "person-7".to_owned(),
        email: "joan@example.com".to_owned(),
        name: Some(AWKWARD.to_owned()),
        proves_owner: true,
        requested_at: now,
        last_requested_at: now,
        ends_at: now.plus_days(30),
        rejected_at: None,
    };
    access_requests::insert(&tx, &request).await.expect("a request for access");
    tx.commit(now, []).await.expect("commits");
}

/// Notes what integrations are still to be told of.
async fn wait_for_delivery(node: &Node, now: Timestamp) {
    let tx = node.state.db.begin().await.expect("a transaction");
    while spreading::spread(&tx, now).await.expect("spreads") {}
    tx.commit_without_event(NoEvent::Upkeep).await.expect("commits");
}

/// A session cookie of the first user.
async fn sign_in(node: &Node) -> String {
    let credentials = json!({ "username": "admin", "password": PASSWORD });
    let answer = node.ask(Method::POST, "/auth/simple/login", Some(credentials), ("accept", "*/*")).await;
    let cookie = answer.headers().get("set-cookie").and_then(|cookie| cookie.to_str().ok()).expect("a cookie");
    cookie.split(';').next().expect("a cookie").to_owned()
}

/// Sends the reports of a program about itself and the flags.
async fn reports(node: &Node, keys: &Keys, now: Timestamp) {
    let (header, secret) = &keys.callers[1];
    let application = json!({
        "appName": "web-shop",
        "instanceId": "web-shop-7f9c",
        "sdkVersion": "unleash-client-node:6.6.0",
        "strategies": ["default", "flexibleRollout"],
        "started": now,
        "interval": 15000,
    });
    let usage = json!({
        "appName": "web-shop",
        "instanceId": "web-shop-7f9c",
        "bucket": {
            "start": now,
            "stop": now,
            "toggles": {
                "express-checkout": { "yes": 123, "no": 321, "variants": { "green": 123 } },
                "never-created": { "yes": 0, "no": 9 },
            },
        },
    });
    // A proxy's, which is recognised when it comes again.
    let gathered = json!({
        "metrics": [{
            "featureName": "express-checkout",
            "appName": "web-shop",
            "environment": "production",
            "timestamp": now.plus_millis(-1234),
            "yes": 5,
            "no": 7,
        }],
    });
    for (path, body) in
        [("/api/client/register", application), ("/api/client/metrics", usage), ("/api/client/metrics/bulk", gathered)]
    {
        send(node, Method::POST, path, Some(body), (header, secret)).await;
    }
}
