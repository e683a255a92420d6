//! Paths and queries as clients spell them, brought to the one spelling that the routes know.

use std::borrow::Cow;

use poem::{Request, http::Uri};

use crate::domain::address::undotted;

/// Collapses repeated slashes, drops a trailing one under `/api`, `/auth` and `/ofrep`, reads names of dots alone as they
/// are meant, and `name[]=` as `name=`.
pub(super) fn tidy(request: &mut Request) {
    let uri = request.uri();
    let path = tidy_path(uri.path());
    let query = uri.query().map(tidy_query);
    if path == uri.path() && query.as_deref() == uri.query() {
        return;
    }
    let path_and_query = match query {
        Some(query) => format!("{path}?{query}"),
        None => path,
    };
    if let Ok(tidied) = Uri::builder().path_and_query(path_and_query).build() {
        *request.uri_mut() = tidied;
    }
}

fn tidy_path(path: &str) -> String {
    let mut tidied = String::with_capacity(path.len());
    for character in path.chars() {
        if character != '/' || !tidied.ends_with('/') {
            tidied.push(character);
        }
    }
    if tidied.ends_with('/') && ["/api/", "/auth/", "/ofrep/"].iter().any(|root| tidied.starts_with(root)) {
        tidied.pop();
    }
    if tidied.contains("%25") {
        let segments = tidied.split('/').map(|segment| undotted(segment).map_or(Cow::Borrowed(segment), Cow::Owned));
        return segments.collect::<Vec<_>>().join("/");
    }
    tidied
}

fn tidy_query(query: &str) -> String {
    let tidy_pair = |pair: &str| match pair.split_once('=') {
        Some((name, value)) => format!("{}={value}", without_brackets(name)),
        None => without_brackets(pair).to_owned(),
    };
    query.split('&').map(tidy_pair).collect::<Vec<_>>().join("&")
}

fn without_brackets(name: &str) -> &str {
    ["[]", "%5B%5D", "%5b%5d"].iter().find_map(|brackets| name.strip_suffix(brackets)).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slashes_are_collapsed_and_a_trailing_one_is_dropped_where_no_page_lives() {
        assert_eq!(tidy_path("//api//admin/projects//p/"), "/api/admin/projects/p");
        assert_eq!(tidy_path("/docs/openapi/"), "/docs/openapi/");
        assert_eq!(tidy_path("/"), "/");
    }

    #[test]
    fn names_of_dots_have_a_spelling_that_no_client_resolves() {
        assert_eq!(tidy_path("/api/admin/tags/simple/%252E%252E"), "/api/admin/tags/simple/%2E%2E");
        assert_eq!(tidy_path("/api/admin/tags/simple/50%25/%252f"), "/api/admin/tags/simple/50%25/%252f");
    }

    #[test]
    fn list_parameters_lose_their_brackets_and_values_stay() {
        assert_eq!(tidy_query("status[]=a:b&status%5B%5D=c&x=y[]&flag"), "status=a:b&status=c&x=y[]&flag");
    }
}
