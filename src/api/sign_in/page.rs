//! Pages of a browser's way through a login provider: without scripts, forms or anything of other origins.

use poem::{
    IntoResponse, Request, Response,
    http::{HeaderMap, HeaderValue, header},
};

use crate::{error::Error, state::State};

/// Paths that browsers pass on their way.
const PLACES: [&str; 3] = ["/auth/oidc/", "/auth/saml/", FURTHER];
/// Path of further providers, whose ids follow.
const FURTHER: &str = "/auth/providers/";
/// Path that providers ask themselves.
const ASKED_BY_PROVIDERS: &str = "/auth/oidc/backchannel-logout";
/// Path that pages of providers show within themselves.
pub const FRAMED: &str = "/auth/oidc/frontchannel-logout";
/// Content security policy: nothing is loaded, nothing is sent, and no page shows this within itself.
const POLICY: &str = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/// Content security policy of pages that providers show within theirs.
const FRAMED_POLICY: &str = "default-src 'none'; base-uri 'none'; form-action 'none'";

/// Whether a refusal of this request is to be a page.
pub fn is_wanted(request: &Request) -> bool {
    let path = request.uri().path();
    let accepts = |value: &HeaderValue| value.to_str().is_ok_and(|value| value.contains("text/html"));
    PLACES.iter().any(|place| path.starts_with(place))
        && path != ASKED_BY_PROVIDERS
        && request.headers().get_all(header::ACCEPT).iter().any(accepts)
}

/// A refusal as a page: what is wrong, the id by which an administrator finds the reason, and where to go.
pub async fn refusal(state: &State, path: &str, error: Error) -> Response {
    let ways = crate::sign_in::in_force::ways(state).await;
    let passwords_are_off = ways.is_ok_and(|(enabled, passwords)| passwords.is_off(&enabled));
    let base = &state.config.base_url;
    let login = login_of(path);
    let plain = error.into_response();
    let (mut parts, body) = plain.into_parts();
    let body: serde_json::Value = match body.into_json().await {
        Ok(body) => body,
        Err(_) => serde_json::Value::Null,
    };
    let text = |name: &str| body[name].as_str().map(escaped).unwrap_or_default();
    let mut links = vec![format!("<a href=\"{}{}\">Try again</a>", escaped(base), escaped(&login))];
    if !passwords_are_off {
        links.push(format!("<a href=\"{}/\">Use a password</a>", escaped(base)));
    }
    let content = format!(
        "<h1>You are not signed in</h1>\n<p>{}</p>\n<p>Error <code>{}</code></p>\n<p>{}</p>",
        text("message"),
        text("id"),
        links.join(" ")
    );
    parts.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    parts.headers.remove(header::CONTENT_LENGTH);
    Response::from_parts(parts, page("Not signed in", &content).into())
}

/// Path at which the sign-in begins that a path belongs to.
fn login_of(path: &str) -> String {
    let place = PLACES.into_iter().find(|place| path.starts_with(place)).unwrap_or(PLACES[0]);
    let id = path.strip_prefix(FURTHER).and_then(|rest| rest.split('/').next()).unwrap_or_default();
    let end = if place == FURTHER { format!("{id}/login") } else { "login".to_owned() };
    format!("{place}{end}")
}

/// A page with a title and what stands on it, which is HTML.
pub fn page(title: &str, content: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width\">\n<title>{} - Flagstone</title>\n</head>\n<body>\n{content}\n</body>\n</html>\n",
        escaped(title)
    )
}

/// A text as it may stand in HTML, attributes included.
pub fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            character => escaped.push(character),
        }
    }
    escaped
}

/// Adds the headers of every answer below `/auth/`.
pub fn declare(path: &str, headers: &mut HeaderMap) {
    if !path.starts_with("/auth/") {
        return;
    }
    let policy = if path == FRAMED { FRAMED_POLICY } else { POLICY };
    headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(HeaderValue::from_static(policy));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_is_refused_begins_anew_at_the_same_provider() {
        for (path, login) in [
            ("/auth/oidc/callback", "/auth/oidc/login"),
            ("/auth/saml/callback", "/auth/saml/login"),
            ("/auth/providers/corp/acs", "/auth/providers/corp/login"),
            ("/auth/providers/corp", "/auth/providers/corp/login"),
        ] {
            assert_eq!(login_of(path), login);
        }
    }

    #[test]
    fn no_text_becomes_markup() {
        assert_eq!(escaped("<a b='c'>&\"d\"</a>"), "&lt;a b=&#39;c&#39;&gt;&amp;&quot;d&quot;&lt;/a&gt;");
        assert!(page("<x>", "<p>ok</p>").contains("<title>&lt;x&gt; - Flagstone</title>"));
    }
}
