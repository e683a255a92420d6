//! A path prefix below which a server answers, behind proxies that pass it on.

use poem::{
    Endpoint, IntoResponse as _, Request, Response,
    http::{HeaderValue, StatusCode, Uri, header},
};

/// An endpoint that answers below a prefix as at the root.
pub(super) struct Below<E> {
    pub(super) inside: E,
    /// The prefix, with a slash at its beginning and none at its end; empty for none.
    pub(super) prefix: String,
}

impl<E: Endpoint<Output = Response>> Endpoint for Below<E> {
    type Output = Response;

    async fn call(&self, mut request: Request) -> poem::Result<Response> {
        let rest = request.uri().path().strip_prefix(&*self.prefix).filter(|_| !self.prefix.is_empty());
        match rest.map(str::to_owned) {
            Some(rest) if rest.is_empty() => return Ok(to_slash(&request)),
            Some(rest) if rest.starts_with('/') => set_path(&mut request, &rest),
            _ => {}
        }
        self.inside.call(request).await
    }
}

/// Leads from the prefix to the prefix with a slash, against which pages resolve what they load. The address is relative,
/// since a proxy may have another prefix.
fn to_slash(request: &Request) -> Response {
    let last = request.uri().path().rsplit('/').next().unwrap_or_default();
    let query = request.uri().query().map(|query| format!("?{query}")).unwrap_or_default();
    match HeaderValue::from_str(&format!("{last}/{query}")) {
        Ok(location) => Response::builder()
            .status(StatusCode::PERMANENT_REDIRECT)
            .header(header::LOCATION, location)
            .header(header::X_CONTENT_TYPE_OPTIONS, "nosniff")
            .finish(),
        Err(_) => StatusCode::NOT_FOUND.into_response(),
    }
}

/// Gives a request another path, and leaves its query and authority as they are.
pub fn set_path(request: &mut Request, path: &str) {
    let query = request.uri().query().map(|query| format!("?{query}")).unwrap_or_default();
    let mut parts = request.uri().clone().into_parts();
    parts.path_and_query = format!("{path}{query}").parse().ok();
    if let Ok(uri) = Uri::from_parts(parts) {
        *request.uri_mut() = uri;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_prefix_is_taken_off_and_the_root_stays_as_it_is() {
        let shown = poem::endpoint::make(|request: Request| async move {
            Ok::<_, poem::Error>(request.uri().to_string().into_response())
        });
        let below = Below { inside: shown, prefix: "/tools/flags".to_owned() };
        for (given, expected) in [
            ("/tools/flags/api/admin?a=b", "/api/admin?a=b"),
            ("http://x/tools/flags/", "http://x/"),
            ("/tools/flagship", "/tools/flagship"),
            ("/api/admin", "/api/admin"),
            ("/tools/flags//x", "//x"),
        ] {
            let request = Request::builder().uri(given.parse().expect("an address")).finish();
            let answer = below.call(request).await.expect("an answer").into_body().into_string().await;
            assert_eq!(answer.expect("text"), expected, "{given}");
        }
        let request = Request::builder().uri("/tools/flags?a".parse().expect("an address")).finish();
        let answer = below.call(request).await.expect("an answer");
        assert_eq!(
            (answer.status(), &answer.headers()["location"]),
            (StatusCode::PERMANENT_REDIRECT, &"flags/?a".parse().expect("text"))
        );
    }
}
