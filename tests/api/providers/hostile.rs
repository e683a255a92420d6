//! An OpenID provider that does everything right until it is told to do something wrong.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard},
};

use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD},
};
use ring::digest::{SHA256, digest};
use serde_json::{Map, Value, json};
use url::{Url, form_urlencoded};

use super::{
    clients::Client,
    pairs::Pair,
    server::{Reply, Seen, Server},
};

pub const CLIENT_ID: &str = "https://flags.example.com";
/// With characters that a form has to encode.
pub const SECRET: &str = "s3cret: 100%+ü";
pub const REDIRECT_URI: &str = "https://flags.example.com/auth/oidc/callback";
pub const SUBJECT: &str = "person-7";

pub struct Provider {
    pub server: Server,
    state: Arc<Mutex<State>>,
}

/// State of the provider, for tests to change.
pub struct State {
    pub issuer: String,
    pub discovery: Map<String, Value>,
    /// The published keys.
    pub keys: Vec<Value>,
    /// The pair by which tokens are signed, the algorithm by which they are in fact, and their head.
    pub signs_with: Pair,
    pub algorithm: &'static str,
    pub header: Map<String, Value>,
    /// Claims of ID tokens besides the ordinary, or instead; null takes a claim out.
    pub claims: Map<String, Value>,
    pub userinfo: Map<String, Value>,
    pub client: Client,
    /// Address to which browsers are sent back.
    pub redirect_uri: String,
    /// Of the token endpoint's answer.
    pub access_token: Option<&'static str>,
    /// Whether it gives refresh tokens, each of which counts once.
    pub gives_refresh_tokens: bool,
    /// Error that refresh tokens are refused with.
    pub refresh_refusal: Option<(u16, &'static str)>,
    /// Whether an answer for a refresh token holds an ID token.
    pub tells_again: bool,
    /// Replies of paths instead of the ordinary ones, once or always.
    pub replies: HashMap<&'static str, Box<dyn Fn() -> Reply + Send>>,
    /// The time, in seconds.
    pub now: i64,
    codes: HashMap<String, Authorized>,
    next_code: u32,
    /// Refresh tokens that were not used, with their nonces.
    refresh_tokens: HashMap<String, String>,
}

struct Authorized {
    nonce: String,
    challenge: String,
    acr: Option<String>,
}

/// Parameters that a browser brings back from the provider.
#[derive(Clone)]
pub struct Returned {
    pub code: String,
    pub state: String,
    pub iss: String,
}

impl Provider {
    pub fn new(now: i64) -> Self {
        let shared: Arc<Mutex<Option<Arc<Mutex<State>>>>> = Arc::default();
        let for_server = Arc::clone(&shared);
        let server = Server::new(move |seen| {
            let state = for_server.lock().expect("a lock").clone().expect("a state");
            answer(&mut state.lock().expect("a lock"), seen)
        });
        let state = Arc::new(Mutex::new(State::new(&server, now)));
        *shared.lock().expect("a lock") = Some(Arc::clone(&state));
        Self { server, state }
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("a lock")
    }

    pub fn issuer(&self) -> String {
        self.state().issuer.clone()
    }

    /// Sets a claim of the tokens to come.
    pub fn claim(&self, name: &str, value: impl Into<Value>) {
        self.state().claims.insert(name.into(), value.into());
    }

    /// Sets a property of the head of the tokens to come.
    pub fn header(&self, name: &str, value: impl Into<Value>) {
        self.state().header.insert(name.into(), value.into());
    }

    /// Sets a property of the discovery document.
    pub fn describe(&self, name: &str, value: impl Into<Value>) {
        self.state().discovery.insert(name.into(), value.into());
    }

    pub fn reply(&self, path: &'static str, reply: impl Fn() -> Reply + Send + 'static) {
        self.state().replies.insert(path, Box::new(reply));
    }

    /// Does as the provider when a browser comes with this address: the person agrees at once.
    pub fn authorize(&self, url: &str) -> Returned {
        let url = Url::parse(url).expect("an address");
        let query: HashMap<_, _> = url.query_pairs().into_owned().collect();
        assert_eq!(url.path(), "/authorize");
        let mut state = self.state();
        for (name, expected) in [
            ("response_type", "code"),
            ("client_id", CLIENT_ID),
            ("redirect_uri", &state.redirect_uri),
            ("code_challenge_method", "S256"),
        ] {
            assert_eq!(query[name], expected, "{name}");
        }
        state.next_code += 1;
        let code = format!("code-{}", state.next_code);
        let acr = query.get("acr_values").and_then(|values| values.split(' ').next()).map(str::to_owned);
        let authorized = Authorized { nonce: query["nonce"].clone(), challenge: query["code_challenge"].clone(), acr };
        state.codes.insert(code.clone(), authorized);
        Returned { code, state: query["state"].clone(), iss: state.issuer.clone() }
    }

    /// A token of these claims, signed as tokens are now.
    pub fn sign(&self, claims: &Value) -> String {
        self.state().sign(claims)
    }
}

impl State {
    fn new(server: &Server, now: i64) -> Self {
        let Value::Object(discovery) = json!({
            "issuer": server.url(""),
            "authorization_endpoint": server.url("/authorize"),
            "token_endpoint": server.url("/token"),
            "userinfo_endpoint": server.url("/userinfo"),
            "jwks_uri": server.url("/keys"),
            "end_session_endpoint": server.url("/end"),
        }) else {
            unreachable!()
        };
        let Value::Object(header) = json!({ "typ": "JWT", "alg": "RS256", "kid": "first" }) else { unreachable!() };
        let Value::Object(userinfo) = json!({ "sub": SUBJECT }) else { unreachable!() };
        Self {
            issuer: server.url(""),
            discovery,
            keys: vec![Pair::First.jwk("first")],
            signs_with: Pair::First,
            algorithm: "RS256",
            header,
            claims: Map::new(),
            userinfo,
            client: Client::default(),
            redirect_uri: REDIRECT_URI.to_owned(),
            access_token: Some("access-token"),
            gives_refresh_tokens: false,
            refresh_refusal: None,
            tells_again: true,
            refresh_tokens: HashMap::new(),
            replies: HashMap::new(),
            now,
            codes: HashMap::new(),
            next_code: 0,
        }
    }

    fn sign(&self, claims: &Value) -> String {
        let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let message = format!("{}.{}", part(&Value::Object(self.header.clone())), part(claims));
        let signature = self.signs_with.sign(self.algorithm, message.as_bytes());
        format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature))
    }

    fn exchange(&mut self, seen: &Seen) -> Reply {
        let refused = |status, error| Reply::status(status, &json!({ "error": error, "error_description": SECRET }));
        let form: HashMap<_, _> = form_urlencoded::parse(seen.body.as_bytes()).into_owned().collect();
        if !self.client.is_known(seen, &form, self.now) {
            return refused(401, "invalid_client");
        }
        if form.get("grant_type").is_some_and(|kind| kind == "refresh_token") {
            return self.refresh(&form["refresh_token"]);
        }
        // A code counts once.
        let Some(authorized) = form.get("code").and_then(|code| self.codes.remove(code)) else {
            return refused(400, "invalid_grant");
        };
        let challenge = URL_SAFE_NO_PAD.encode(digest(&SHA256, form["code_verifier"].as_bytes()));
        if challenge != authorized.challenge || form["redirect_uri"] != self.redirect_uri {
            return refused(400, "invalid_grant");
        }
        let claims = self.claims_with(json!({ "nonce": authorized.nonce, "acr": authorized.acr }));
        let refresh_token = self.gives_refresh_tokens.then(|| self.new_refresh_token(authorized.nonce));
        Reply::json(&json!({
            "token_type": "Bearer", "expires_in": 300, "access_token": self.access_token, "id_token": self.sign(&claims),
            "refresh_token": refresh_token,
        }))
    }

    fn new_refresh_token(&mut self, nonce: String) -> String {
        self.next_code += 1;
        let token = format!("refresh-{}", self.next_code);
        self.refresh_tokens.insert(token.clone(), nonce);
        token
    }

    fn refresh(&mut self, token: &str) -> Reply {
        if let Some((status, error)) = self.refresh_refusal {
            return Reply::status(status, &json!({ "error": error, "error_description": SECRET }));
        }
        let Some(nonce) = self.refresh_tokens.remove(token) else {
            return Reply::status(400, &json!({ "error": "invalid_grant" }));
        };
        let id_token = self.tells_again.then(|| self.sign(&self.claims_with(json!({}))));
        let refresh_token = self.new_refresh_token(nonce);
        let mut reply = json!({
            "token_type": "Bearer", "expires_in": 300, "access_token": self.access_token, "id_token": id_token,
            "refresh_token": refresh_token,
        });
        reply.as_object_mut().expect("an object").retain(|_, value| !value.is_null());
        Reply::json(&reply)
    }

    fn claims_with(&self, more: Value) -> Value {
        let mut claims = json!({
            "iss": self.issuer,
            "aud": CLIENT_ID,
            "sub": SUBJECT,
            "iat": self.now,
            "exp": self.now + 300,
            "email": "ada@example.com",
        });
        let all = claims.as_object_mut().expect("an object");
        let Value::Object(more) = more else { panic!("an object") };
        all.extend(more);
        for (name, value) in &self.claims {
            all.insert(name.clone(), value.clone());
        }
        all.retain(|_, value| !value.is_null());
        claims
    }
}

fn answer(state: &mut State, seen: &Seen) -> Reply {
    if let Some(reply) = state.replies.get(&*seen.path) {
        return reply();
    }
    match seen.path.as_str() {
        "/.well-known/openid-configuration" => Reply::json(&Value::Object(state.discovery.clone())),
        "/keys" => Reply::json(&json!({ "keys": state.keys })),
        "/token" => state.exchange(seen),
        "/userinfo" if seen.headers.get("authorization").is_some_and(|given| given == "Bearer access-token") => {
            Reply::json(&Value::Object(state.userinfo.clone()))
        }
        "/userinfo" => Reply::status(401, &json!({})),
        _ => Reply::status(404, &json!({})),
    }
}

/// The client's name and secret: from a header, of which each part is decoded as in a form, or from the body.
pub fn credentials(seen: &Seen, form: &HashMap<String, String>) -> Option<(String, String)> {
    let Some(basic) = seen.headers.get("authorization").and_then(|given| given.strip_prefix("Basic ")) else {
        return form.get("client_id").cloned().zip(form.get("client_secret").cloned());
    };
    let joined = String::from_utf8(STANDARD.decode(basic).ok()?).ok()?;
    let (id, secret) = joined.split_once(':')?;
    let decoded = |part: &str| form_urlencoded::parse(part.as_bytes()).next().map(|(name, _)| name.into_owned());
    decoded(id).zip(decoded(secret))
}
