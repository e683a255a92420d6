//! Redirection of callers without TLS to the same address with it.

use flagstone_clock as clock;
use poem::{
    Endpoint, Request, Response,
    http::{HeaderValue, StatusCode, header, uri::Authority},
};

/// The port that an https address need not name.
const HTTPS: u16 = 443;
/// Most characters of a host.
const HOST: usize = 255;

/// Sends every request on.
#[derive(Debug)]
pub(super) struct Redirect {
    /// The address that the operator gave, without a path; otherwise the host that was asked for counts.
    pub(super) origin: Option<String>,
    /// The port of https there.
    pub(super) port: u16,
}

impl Endpoint for Redirect {
    type Output = Response;

    async fn call(&self, request: Request) -> poem::Result<Response> {
        let target = self.origin.clone().or_else(|| self.origin_asked_for(&request)).and_then(|origin| {
            let path = request.uri().path_and_query().map_or("/", |path| path.as_str());
            let path = if path.starts_with('/') { path } else { "/" };
            HeaderValue::from_str(&format!("{origin}{path}")).ok()
        });
        let response = Response::builder()
            .header(header::X_CONTENT_TYPE_OPTIONS, "nosniff")
            .header(header::CACHE_CONTROL, "no-store");
        Ok(match target {
            Some(target) => response.status(StatusCode::PERMANENT_REDIRECT).header(header::LOCATION, target).finish(),
            None => response.status(StatusCode::BAD_REQUEST).content_type("application/json; charset=utf-8").body(format!(
                r#"{{"id":"{}","name":"BadDataError","message":"The request does not name the host that it is for."}}"#,
                clock::new_uuid()
            )),
        })
    }
}

impl Redirect {
    fn origin_asked_for(&self, request: &Request) -> Option<String> {
        let mut named = request.headers().get_all(header::HOST).iter();
        let authority = match (request.uri().authority(), named.next()) {
            (Some(authority), _) => authority.as_str(),
            (None, Some(host)) if named.next().is_none() => host.to_str().ok()?,
            _ => return None,
        };
        let host = host(authority)?;
        Some(if self.port == HTTPS { format!("https://{host}") } else { format!("https://{host}:{}", self.port) })
    }
}

/// The host without a port, if it is one that an address can have.
fn host(authority: &str) -> Option<String> {
    let parsed: Authority = authority.parse().ok()?;
    let host = parsed.host();
    let is_name = |sign: u8| sign.is_ascii_alphanumeric() || matches!(sign, b'.' | b'-' | b'_');
    let is_host = match host.strip_prefix('[').and_then(|host| host.strip_suffix(']')) {
        Some(address) => address.parse::<std::net::Ipv6Addr>().is_ok(),
        None => !host.is_empty() && host.bytes().all(is_name),
    };
    (is_host && host.len() <= HOST && !authority.contains('@')).then(|| host.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn sent_to(redirect: &Redirect, target: &str, hosts: &[&str]) -> Result<String, u16> {
        let request = Request::builder().uri(target.parse().expect("a target"));
        let request = hosts.iter().fold(request, |request, host| request.header(header::HOST, *host));
        let response = redirect.get_response(request.finish()).await;
        match response.header(header::LOCATION) {
            Some(location) if response.status() == StatusCode::PERMANENT_REDIRECT => Ok(location.to_owned()),
            _ => Err(response.status().as_u16()),
        }
    }

    #[tokio::test]
    async fn path_and_query_stay_and_the_host_is_one() {
        let redirect = Redirect { origin: None, port: 8443 };
        for (target, hosts, location) in [
            ("/", &["flags.example.com"][..], Ok("https://flags.example.com:8443/")),
            ("/a//b?c=%2F&d", &["flags.example.com:8080"], Ok("https://flags.example.com:8443/a//b?c=%2F&d")),
            ("//evil.example", &["h"], Ok("https://h:8443//evil.example")),
            ("/", &["[::1]:80"], Ok("https://[::1]:8443/")),
            ("/", &["127.0.0.1"], Ok("https://127.0.0.1:8443/")),
            ("http://other.example/x", &["h"], Ok("https://other.example:8443/x")),
            ("/", &[], Err(400)),
            ("/", &[""], Err(400)),
            ("/", &["a", "b"], Err(400)),
            ("/", &["user@evil.example"], Err(400)),
            ("/", &["evil.example/path"], Err(400)),
            ("/", &["evil.example\\@h"], Err(400)),
            ("/", &["[evil]"], Err(400)),
            ("/", &["a b"], Err(400)),
        ] {
            let sent = sent_to(&redirect, target, hosts).await;
            assert_eq!(sent, location.map(str::to_owned), "{target} {hosts:?}");
        }
        let usual = Redirect { origin: None, port: 443 };
        assert_eq!(sent_to(&usual, "/x", &["h:80"]).await, Ok("https://h/x".to_owned()));
    }

    #[tokio::test]
    async fn the_address_of_the_operator_counts_whatever_was_asked_for() {
        let redirect = Redirect { origin: Some("https://flags.example.com".to_owned()), port: 8443 };
        for hosts in [&["evil.example"][..], &[], &["a", "b"]] {
            let sent = sent_to(&redirect, "/x?y", hosts).await;
            assert_eq!(sent, Ok("https://flags.example.com/x?y".to_owned()));
        }
    }
}
