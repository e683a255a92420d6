//! GitHub by a stand-in that follows its documentation: the web application flow of OAuth apps, and the REST API.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use ring::digest::{SHA256, digest};
use serde_json::{Value, json};
use url::form_urlencoded;

use super::{
    beside::PROVIDERS,
    browser::{BASE, Browser, location},
    company::Company,
    server::{Reply, Seen, Server},
};
use crate::harness::{Answer, encoded, role};

const WORD: (u16, &str) = (401, "SignInRefusedError");
const ADMISSION: (u16, &str) = (403, "NotAdmittedError");
const PROVIDER: (u16, &str) = (424, "LoginProviderError");
const ACCESS_TOKEN: &str = "gho_16C7e42F292c6912E7710c838347Ae178B4a";

struct State {
    user: Value,
    emails: Value,
    organizations: Value,
    teams: Vec<Value>,
    /// Codes that were not exchanged, with their challenges.
    codes: HashMap<String, String>,
    /// Answer of a path instead of its usual one.
    replies: HashMap<&'static str, (u16, Value)>,
}

struct GitHub {
    server: Server,
    state: Arc<Mutex<State>>,
}

impl GitHub {
    async fn new(company: &Company, rules: &Value) -> Self {
        let state = Arc::new(Mutex::new(State {
            user: json!({ "login": "grace", "id": 583_231, "name": "Grace Hopper", "email": "public@example.com" }),
            emails: json!([
                { "email": "other@example.com", "verified": true, "primary": false, "visibility": null },
                { "email": "grace@example.com", "verified": true, "primary": true, "visibility": "public" },
            ]),
            organizations: json!([membership("acme", "active")]),
            teams: vec![team("acme", "platform")],
            codes: HashMap::new(),
            replies: HashMap::new(),
        }));
        let shared = Arc::clone(&state);
        let server = Server::new(move |seen| answer(&mut shared.lock().expect("a lock"), seen));
        let created = json!({
            "id": "github", "kind": "github", "label": "GitHub", "enabled": true, "rules": rules,
            "settings": { "clientId": "Iv1.8a61f9b3", "secret": "s3cret", "serverUrl": server.url("") },
        });
        company.app.admin().post(PROVIDERS, created).await.expect(201);
        Self { server, state }
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().expect("a lock")
    }

    /// Sets the organizations and the teams of the person.
    fn set_groups(&self, organizations: Value, teams: Vec<Value>) {
        let mut state = self.state();
        (state.organizations, state.teams) = (organizations, teams);
    }

    /// Goes to GitHub, where the person agrees: the code and the state that come back.
    async fn begin(&self, browser: &mut Browser) -> (String, String) {
        self.begin_for(browser, "").await
    }

    async fn begin_for(&self, browser: &mut Browser, query: &str) -> (String, String) {
        let address = location(&browser.get(&format!("/auth/providers/github/login{query}")).await);
        assert_eq!(address.path(), "/login/oauth/authorize");
        let query: HashMap<_, _> = address.query_pairs().into_owned().collect();
        assert_eq!(query["client_id"], "Iv1.8a61f9b3");
        assert_eq!(query["redirect_uri"], format!("{BASE}/auth/providers/github/callback"));
        let mut state = self.state();
        let code = format!("code-{}", state.codes.len());
        state.codes.insert(code.clone(), query["code_challenge"].clone());
        (code, query["state"].clone())
    }

    async fn sign_in(&self, browser: &mut Browser) -> Answer {
        let (code, state) = self.begin(browser).await;
        browser.get(&callback(&code, &state)).await
    }

    async fn signed_in(&self, company: &Company) -> Value {
        let mut browser = company.browser();
        let answer = self.sign_in(&mut browser).await;
        assert_eq!(answer.status, 302, "{}", answer.text);
        company.who(&mut browser).await
    }

    async fn refused(&self, company: &Company, (status, name): (u16, &str)) -> Value {
        let answer = self.sign_in(&mut company.browser()).await;
        company.reason(answer, status, name).await
    }
}

fn membership(organization: &str, state: &str) -> Value {
    json!({ "state": state, "role": "member", "organization": { "login": organization, "id": 1 } })
}

fn team(organization: &str, slug: &str) -> Value {
    json!({ "id": 1, "name": "A Team", "slug": slug, "organization": { "login": organization, "id": 1 } })
}

fn callback(code: &str, state: &str) -> String {
    format!("/auth/providers/github/callback?code={}&state={}", encoded(code), encoded(state))
}

fn answer(state: &mut State, seen: &Seen) -> Reply {
    if let Some((status, body)) = state.replies.get(&*seen.path) {
        return Reply::status(*status, body);
    }
    if seen.path == "/login/oauth/access_token" {
        return exchange(state, seen);
    }
    let header = |name: &str| seen.headers.get(name).map(String::as_str).unwrap_or_default();
    // The API refuses whoever does not say who they are.
    if header("authorization") != format!("Bearer {ACCESS_TOKEN}") || header("user-agent").is_empty() {
        return Reply::status(401, &json!({ "message": "Requires authentication" }));
    }
    assert_eq!(header("accept"), "application/vnd.github+json");
    assert_eq!(header("x-github-api-version"), "2022-11-28");
    match seen.path.as_str() {
        "/api/v3/user" => Reply::json(&state.user),
        "/api/v3/user/emails" => Reply::json(&state.emails),
        "/api/v3/user/memberships/orgs" => {
            assert!(seen.query.contains("state=active"), "{}", seen.query);
            Reply::json(&state.organizations)
        }
        "/api/v3/user/teams" => {
            let query: HashMap<_, _> = form_urlencoded::parse(seen.query.as_bytes()).into_owned().collect();
            assert_eq!(query["per_page"], "100");
            let page: usize = query["page"].parse().expect("a page");
            let teams: Vec<&Value> = state.teams.iter().skip((page - 1) * 100).take(100).collect();
            Reply::json(&json!(teams))
        }
        _ => Reply::status(404, &json!({ "message": "Not Found" })),
    }
}

/// Errors come with status 200.
fn exchange(state: &mut State, seen: &Seen) -> Reply {
    let form: HashMap<_, _> = form_urlencoded::parse(seen.body.as_bytes()).into_owned().collect();
    assert_eq!(seen.headers["accept"], "application/json");
    let refused = |error: &str| Reply::json(&json!({ "error": error, "error_description": "s3cret" }));
    if form["client_id"] != "Iv1.8a61f9b3" || form["client_secret"] != "s3cret" {
        return refused("incorrect_client_credentials");
    }
    if form["redirect_uri"] != format!("{BASE}/auth/providers/github/callback") {
        return refused("redirect_uri_mismatch");
    }
    let challenge = URL_SAFE_NO_PAD.encode(digest(&SHA256, form["code_verifier"].as_bytes()));
    if state.codes.remove(&form["code"]) != Some(challenge) {
        return refused("bad_verification_code");
    }
    Reply::json(&json!({ "access_token": ACCESS_TOKEN, "scope": "read:user,user:email", "token_type": "bearer" }))
}

#[tokio::test]
async fn a_person_of_github_becomes_a_user_by_their_number_and_their_primary_email() {
    let company = Company::new().await;
    let github = GitHub::new(&company, &json!({ "autoCreate": true })).await;
    let user = github.signed_in(&company).await;
    assert_eq!((&user["email"], &user["name"]), (&json!("grace@example.com"), &json!("Grace Hopper")));
    let identities =
        company.app.admin().get(&format!("/api/admin/user-admin/{}/identities", user["id"])).await.expect(200);
    let identity = &identities["identities"][0];
    assert_eq!(
        (&identity["providerId"], &identity["issuer"], &identity["subject"]),
        (&json!("github"), &json!(github.server.url("")), &json!("583231"))
    );
    assert!(github.server.seen("/api/v3/user/teams").is_empty(), "nobody asked for groups");
    // The login is given to somebody else, who is another person.
    github.state().user["id"] = json!(7);
    let entry = github.refused(&company, ADMISSION).await;
    assert_eq!(entry["reason"], "email-of-another-identity");
}

#[tokio::test]
async fn an_email_that_is_not_verified_or_not_the_primary_one_counts_nothing() {
    let company = Company::new().await;
    let github = GitHub::new(&company, &json!({ "autoCreate": true, "linkByEmail": true })).await;
    let boss = json!({ "email": "ada@example.com", "rootRole": role::ADMIN });
    company.app.admin().post("/api/admin/user-admin", boss).await.expect(201);
    for (emails, reason) in [
        (json!([]), "email-missing"),
        (json!([{ "email": "ada@example.com", "verified": true, "primary": false }]), "email-missing"),
        (json!([{ "email": "ada@example.com", "verified": false, "primary": true }]), "email-unverified"),
        (json!([{ "email": "ada@example.com", "primary": true }]), "email-unverified"),
        (json!({ "email": "ada@example.com" }), "userinfo-malformed"),
    ] {
        github.state().emails = emails.clone();
        assert_eq!(github.refused(&company, WORD).await["reason"], reason, "{emails}");
    }
}

#[tokio::test]
async fn organizations_and_teams_are_groups_of_which_one_can_be_required() {
    let company = Company::new().await;
    let rules = |groups: Value| json!({ "autoCreate": true, "requiredGroups": groups });
    let github = GitHub::new(&company, &rules(json!(["acme/platform"]))).await;
    let address = location(&company.browser().get("/auth/providers/github/login").await);
    let scope = address.query_pairs().find(|(name, _)| name == "scope").map(|(_, value)| value.into_owned());
    assert_eq!(scope.as_deref(), Some("read:user user:email read:org"));
    for (organizations, teams) in [
        (json!([membership("acme", "active")]), vec![team("acme", "sales")]),
        // Of an organization that only invited the person, or that is another one, no team counts.
        (json!([membership("acme", "pending")]), vec![team("acme", "platform")]),
        (json!([membership("evil", "active")]), vec![team("evil", "platform"), team("acme", "platform")]),
        (json!([]), vec![]),
    ] {
        github.set_groups(organizations.clone(), teams);
        assert_eq!(github.refused(&company, ADMISSION).await["reason"], "required-group-missing", "{organizations}");
    }
    // On the second page.
    let mut teams: Vec<Value> = (0..100).map(|number| team("acme", &format!("team-{number}"))).collect();
    teams.push(team("acme", "platform"));
    github.set_groups(json!([membership("acme", "active")]), teams);
    github.signed_in(&company).await;
    // What is not told is no membership.
    for path in ["/api/v3/user/teams", "/api/v3/user/memberships/orgs"] {
        github.state().replies.insert(path, (403, json!({ "message": "Forbidden" })));
        assert_eq!(github.refused(&company, ADMISSION).await["reason"], "required-group-missing", "{path}");
        github.state().replies.clear();
    }
    let content = json!({
        "label": "GitHub", "icon": "github", "enabled": true, "rules": rules(json!(["acme"])),
        "settings": { "clientId": "Iv1.8a61f9b3", "secret": "********", "serverUrl": github.server.url("") },
    });
    company.app.admin().json(poem::http::Method::PUT, &format!("{PROVIDERS}/github"), content).await.expect(200);
    github.state().teams.clear();
    github.signed_in(&company).await;
}

#[tokio::test]
async fn o43_a_code_counts_once_in_the_browser_that_began_and_with_its_verifier() {
    let company = Company::new().await;
    let github = GitHub::new(&company, &json!({ "autoCreate": true })).await;
    let state = (400, "SignInStateError");
    let mut browser = company.browser();
    let (code, token) = github.begin(&mut browser).await;
    let refused = company.browser().get(&callback(&code, &token)).await;
    assert_eq!(company.reason(refused, state.0, state.1).await["reason"], "unknown-state");
    // A code of somebody else's sign-in, injected into one's own.
    let (stolen, _) = github.begin(&mut company.browser()).await;
    let refused = browser.clone().get(&callback(&stolen, &token)).await;
    let entry = company.reason(refused, WORD.0, WORD.1).await;
    assert_eq!((&entry["reason"], &entry["found"]), (&json!("token-refused"), &json!("200, bad_verification_code")));
    assert_eq!(browser.get(&callback(&code, &token)).await.status, 302);
}

#[tokio::test]
async fn what_github_refuses_or_fails_at_is_told_to_administrators_alone() {
    let company = Company::new().await;
    let github = GitHub::new(&company, &json!({ "autoCreate": true })).await;
    for (path, status, body, class, reason) in [
        ("/login/oauth/access_token", 200, json!({ "error": "incorrect_client_credentials" }), WORD, "token-refused"),
        ("/login/oauth/access_token", 200, json!({ "token_type": "bearer" }), WORD, "token-refused"),
        ("/login/oauth/access_token", 500, json!({}), PROVIDER, "provider-status"),
        ("/api/v3/user", 401, json!({ "message": "Bad credentials" }), PROVIDER, "provider-status"),
        ("/api/v3/user", 200, json!({ "login": "grace" }), WORD, "userinfo-malformed"),
        ("/api/v3/user", 200, json!([]), WORD, "userinfo-malformed"),
        ("/api/v3/user/emails", 404, json!({}), PROVIDER, "provider-status"),
    ] {
        github.state().replies.insert(path, (status, body.clone()));
        assert_eq!(github.refused(&company, class).await["reason"], reason, "{path} {body}");
        github.state().replies.clear();
    }
    let mut browser = company.browser();
    let (_, token) = github.begin(&mut browser).await;
    let denied = format!("/auth/providers/github/callback?error=access_denied&state={}", encoded(&token));
    let refused = browser.get(&denied).await;
    let entry = company.reason(refused, WORD.0, WORD.1).await;
    assert_eq!((&entry["reason"], &entry["found"]), (&json!("provider-error"), &json!("access_denied")));
}

#[tokio::test]
async fn a_trial_tells_who_comes_from_github_and_in_which_groups() {
    let company = Company::new().await;
    let github = GitHub::new(&company, &json!({})).await;
    let admin = company.app.admin();
    let place = format!("{PROVIDERS}/github/test");
    let proposal = json!({
        "kind": "github", "rules": { "autoCreate": true, "requiredGroups": ["acme/platform"] },
        "settings": { "clientId": "Iv1.8a61f9b3", "secret": "********", "serverUrl": github.server.url("") },
    });
    let trial = admin.post(&place, proposal).await.expect(200);
    assert_eq!(trial["checks"], json!([]), "it publishes nothing about itself");
    let id = trial["id"].as_str().expect("an id");
    let mut browser = company.browser();
    let (code, state) = github.begin_for(&mut browser, &format!("?trial={id}")).await;
    let answer = browser.get(&callback(&code, &state)).await;
    assert!(answer.status == 200 && answer.text.contains("Nobody was signed in"), "{}", answer.text);
    let outcome = admin.get(&format!("{place}/{id}")).await.expect(200);
    assert_eq!((&outcome["state"], &outcome["email"]), (&json!("admitted"), &json!("grace@example.com")));
    assert_eq!(outcome["groups"]["received"], json!(["acme", "acme/platform"]));
    // The rules in force admit nobody yet.
    assert_eq!(github.refused(&company, ADMISSION).await["reason"], "not-invited");
}
