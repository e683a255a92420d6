//! Sign-in by the OAuth 2.0 of GitHub, which has no ID tokens: who a person is, and in which organizations and teams, is
//! asked with its REST API (version 2022-11-28). What protects the code is the state and, where GitHub checks it, PKCE.

use flagstone_domain::{email::is_email, settings::is_safe_address, user::fit_name};
use flagstone_outbound::{ANSWER_LIMIT, Answer, Outbound, Request};
use serde_json::{Map, Value, json};
use url::{Url, form_urlencoded::Serializer};

use super::{
    Credentials, Settings,
    authorization::{Callback, Secrets, Start, scope},
    fetch::{error_code, expect_success, object},
    refusal::{Reason, Refusal},
    sign_in::{Attempt, SignedIn},
};
use crate::groups::{Groups, GroupsProblem};

/// Address of the public service, and that of its REST API. Any other server has the latter below its own.
const PUBLIC: (&str, &str) = ("https://github.com", "https://api.github.com");
/// Path of the REST API of a server of one's own.
const API: &str = "/api/v3";
/// Domain of tenants with a server of their own at GitHub, whose REST API is at `api.` before their name.
const TENANTS: &str = ".ghe.com";
/// Entries of a page, which are the most that there are.
const PAGE: usize = 100;
/// Most pages of organizations or of teams that are read.
const MOST_PAGES: usize = 10;

/// Addresses of a server.
struct Server {
    /// Its name, without a last slash.
    issuer: String,
    /// Address of the REST API.
    api: String,
}

impl Server {
    fn of(settings: &Settings) -> Result<Self, Refusal> {
        let given = settings.discover_url.as_deref().ok_or_else(|| Refusal::new(Reason::DiscoverUrlMissing))?;
        if !is_safe_address(given) {
            return Err(Refusal::new(Reason::EndpointUnsafe).expected("https").found("serverUrl"));
        }
        let issuer = given.trim_end_matches('/').to_owned();
        let api = match issuer.strip_prefix("https://").filter(|host| host.ends_with(TENANTS)) {
            Some(host) => format!("https://api.{host}"),
            None if issuer == PUBLIC.0 => PUBLIC.1.to_owned(),
            None => format!("{issuer}{API}"),
        };
        Ok(Self { issuer, api })
    }
}

/// Returns the address that a browser goes to for signing in.
pub(super) fn start(settings: &Settings, secrets: &Secrets, redirect_uri: &str) -> Result<Start, Refusal> {
    let issuer = Server::of(settings)?.issuer;
    let malformed = |_| Refusal::new(Reason::EndpointUnsafe).expected("https").found("serverUrl");
    let mut url = Url::parse(&format!("{issuer}/login/oauth/authorize")).map_err(malformed)?;
    url.query_pairs_mut().extend_pairs([
        ("client_id", settings.client_id.as_str()),
        ("redirect_uri", redirect_uri),
        ("scope", &scope(settings)),
        ("state", &secrets.state),
        ("code_challenge", &secrets.challenge()),
        ("code_challenge_method", "S256"),
        ("allow_signup", "false"),
    ]);
    Ok(Start { url: url.into(), issuer })
}

/// Exchanges what the browser brought back for who it is that sits before it.
pub(super) async fn finish(
    outbound: &Outbound,
    settings: &Settings,
    attempt: &Attempt<'_>,
    callback: &Callback<'_>,
) -> Result<SignedIn, Refusal> {
    let server = Server::of(settings)?;
    if let Some(issuer) = callback.iss.filter(|issuer| *issuer != server.issuer) {
        return Err(Refusal::new(Reason::CallbackIssuer).expected(&server.issuer).found(issuer));
    }
    let token = exchange(outbound, &server, settings, attempt, callback.any_code()?).await?;
    let api = Api { outbound, server: &server, token: &token };
    let user = object(&api.get("/user", "the user").await?, Reason::UserinfoMalformed)?;
    // Logins are given away again, ids are not.
    let id = user.get("id").and_then(Value::as_u64).filter(|id| *id > 0);
    let id = id.ok_or_else(|| Refusal::new(Reason::UserinfoMalformed).expected("an id"))?;
    let email = api.primary_email().await?;
    let name = ["name", "login"].into_iter().find_map(|name| user.get(name)?.as_str()).and_then(fit_name);
    let groups = match settings.groups_path {
        Some(_) => Some(api.groups().await),
        None => None,
    };
    let mut claims = Map::new();
    claims.insert("id".to_owned(), json!(id));
    claims.insert("email".to_owned(), json!(email));
    claims.insert("email_verified".to_owned(), json!(true));
    claims.extend(["login", "name"].into_iter().filter_map(|name| Some((name.to_owned(), user.get(name)?.clone()))));
    if let Some(Groups::Names(names)) = &groups {
        claims.insert("groups".to_owned(), json!(names));
    }
    Ok(SignedIn {
        issuer: server.issuer,
        subject: id.to_string(),
        session_id: None,
        email,
        email_verified: Some(true),
        proves_email: true,
        name,
        groups,
        id_token: None,
        refresh_token: None,
        claims,
    })
}

/// Exchanges a code for an access token. GitHub tells errors with status 200.
async fn exchange(
    outbound: &Outbound,
    server: &Server,
    settings: &Settings,
    attempt: &Attempt<'_>,
    code: &str,
) -> Result<String, Refusal> {
    let Credentials::Secret(secret) = &settings.credentials else {
        return Err(Refusal::new(Reason::ClientAuthentication).expected("client_secret"));
    };
    let form = [
        ("client_id", settings.client_id.as_str()),
        ("client_secret", secret),
        ("code", code),
        ("redirect_uri", attempt.redirect_uri),
        ("code_verifier", &attempt.secrets.verifier),
    ];
    let body = Serializer::new(String::new()).extend_pairs(form).finish().into_bytes();
    let url = format!("{}/login/oauth/access_token", server.issuer);
    let request = Request::post(&url, "application/x-www-form-urlencoded", body, ANSWER_LIMIT)
        .header("accept", "application/json".into());
    let answer = outbound.send(request).await?;
    if !matches!(answer.status, 400..=499) {
        expect_success(&answer, "the token endpoint")?;
    }
    let said = object(&answer, Reason::TokenAnswerMalformed)?;
    let text = |name: &str| said.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    match (text("error"), text("access_token")) {
        (None, Some(token)) if answer.status == 200 => Ok(token.to_owned()),
        (error, _) => {
            let code = error.and_then(error_code).unwrap_or("no code");
            Err(Refusal::new(Reason::TokenRefused).found(format_args!("{}, {code}", answer.status)))
        }
    }
}

/// The REST API in the name of a person.
struct Api<'a> {
    outbound: &'a Outbound,
    server: &'a Server,
    token: &'a str,
}

impl Api<'_> {
    async fn get(&self, path: &str, what: &'static str) -> Result<Answer, Refusal> {
        let request = Request::get(&format!("{}{path}", self.server.api), ANSWER_LIMIT)
            .header("accept", "application/vnd.github+json".into())
            .header("authorization", format!("Bearer {}", self.token))
            .header("x-github-api-version", "2022-11-28".into());
        let answer = self.outbound.send(request).await?;
        expect_success(&answer, what)?;
        Ok(answer)
    }

    async fn list(&self, path: &str, what: &'static str) -> Result<Vec<Value>, Refusal> {
        let answer = self.get(path, what).await?;
        let list = serde_json::from_slice(&answer.body);
        list.map_err(|_| Refusal::new(Reason::UserinfoMalformed).expected("a JSON list").found(what))
    }

    /// All entries of a list, or `None` where there are too many.
    async fn pages(&self, path: &str, what: &'static str) -> Result<Option<Vec<Value>>, Refusal> {
        let mut all = Vec::new();
        for page in 1..=MOST_PAGES {
            let joint = if path.contains('?') { '&' } else { '?' };
            let mut entries = self.list(&format!("{path}{joint}per_page={PAGE}&page={page}"), what).await?;
            let is_last = entries.len() < PAGE;
            all.append(&mut entries);
            if is_last {
                return Ok(Some(all));
            }
        }
        Ok(None)
    }

    /// The primary email, which has to be verified.
    async fn primary_email(&self) -> Result<String, Refusal> {
        let emails = self.list(&format!("/user/emails?per_page={PAGE}"), "the emails").await?;
        let primary = emails.iter().find(|entry| entry["primary"] == true);
        let email = primary.and_then(|entry| entry["email"].as_str()).filter(|email| is_email(email));
        let email = email.ok_or_else(|| Refusal::new(Reason::EmailMissing))?;
        if primary.is_none_or(|entry| entry["verified"] != true) {
            return Err(Refusal::new(Reason::EmailUnverified).expected(true).found("another word"));
        }
        Ok(email.to_owned())
    }

    /// Organizations and teams of which the person is an active member: `organization`, and `organization/team`. Those
    /// of an organization that restricts access by OAuth apps are not told.
    async fn groups(&self) -> Groups {
        match self.memberships().await {
            Ok(Some(names)) => Groups::Names(names),
            Ok(None) => Groups::Unusable(GroupsProblem::TooMany { found: PAGE * MOST_PAGES }),
            Err(_) => Groups::Unusable(GroupsProblem::NotFetched),
        }
    }

    async fn memberships(&self) -> Result<Option<Vec<String>>, Refusal> {
        let Some(organizations) = self.pages("/user/memberships/orgs?state=active", "the organizations").await? else {
            return Ok(None);
        };
        let Some(teams) = self.pages("/user/teams", "the teams").await? else { return Ok(None) };
        let login = |entry: &Value| entry["organization"]["login"].as_str().map(str::to_owned);
        let active = organizations.iter().filter(|entry| entry["state"] == "active");
        let mut names: Vec<String> = active.filter_map(login).collect();
        let team = |entry: &Value| {
            let organization = login(entry).filter(|login| names.contains(login))?;
            Some(format!("{organization}/{}", entry["slug"].as_str()?))
        };
        let teams: Vec<String> = teams.iter().filter_map(team).collect();
        names.extend(teams);
        Ok(Some(names))
    }
}

#[cfg(test)]
mod tests {
    use flagstone_domain::token_algorithm::TokenAlgorithm;

    use super::{super::Particulars, *};

    fn server(address: &str) -> Result<(String, String), Refusal> {
        let settings = Settings {
            discover_url: Some(address.to_owned()),
            client_id: String::new(),
            credentials: Credentials::None,
            algorithm: TokenAlgorithm::Rs256,
            acr_values: None,
            add_groups_scope: false,
            extra_scopes: Vec::new(),
            groups_path: None,
            email_claim: None,
            name_claim: None,
            require_verified_email: true,
            skew_seconds: 60,
            particulars: Particulars::default(),
        };
        Server::of(&settings).map(|server| (server.issuer, server.api))
    }

    #[test]
    fn the_api_is_where_the_documentation_says() {
        for (address, issuer, api) in [
            ("https://github.com", "https://github.com", "https://api.github.com"),
            ("https://github.com/", "https://github.com", "https://api.github.com"),
            ("https://git.example.com", "https://git.example.com", "https://git.example.com/api/v3"),
            ("https://acme.ghe.com", "https://acme.ghe.com", "https://api.acme.ghe.com"),
            (
                "https://github.com.example.com",
                "https://github.com.example.com",
                "https://github.com.example.com/api/v3",
            ),
        ] {
            assert_eq!(server(address), Ok((issuer.to_owned(), api.to_owned())));
        }
        assert!(server("http://git.example.com").is_err());
    }
}
