//! Headers by operation: `Deprecation` and `Sunset`, `Location` of a created resource, `Link` to the neighbours of a
//! page, and `X-Defaulted-Parameters`.

use poem::{
    Response,
    http::{HeaderName, HeaderValue, StatusCode, Uri, header},
};
use serde_json::Value;

use crate::{
    api::{
        answer::Stretch,
        document::{self, Deprecation, Traits},
        parameter,
    },
    domain::address::{self, Named},
};

const DEPRECATION: HeaderName = HeaderName::from_static("deprecation");
const SUNSET: HeaderName = HeaderName::from_static("sunset");
const DEFAULTED: HeaderName = HeaderName::from_static("x-defaulted-parameters");
/// Longest query, in characters, that links to pages repeat.
const LONGEST_QUERY: usize = 2000;

/// Places of what operations create, with names of path parameters and of properties of the answer. Where only a list has
/// it, or its name is a secret, it is the place of the list.
const PLACES: [(&str, &str); 30] = [
    ("createFeature", "/api/admin/projects/{projectId}/features/{name}"),
    ("cloneFeature", "/api/admin/projects/{projectId}/features/{name}"),
    ("addTag", "/api/admin/features/{featureName}/tags"),
    ("updateFeatureStrategySegments", "/api/admin/segments/strategies/{strategyId}"),
    ("createStrategy", "/api/admin/strategies/{name}"),
    ("createSegment", "/api/admin/segments/{id}"),
    ("createContextField", "/api/admin/context/{name}"),
    ("createContextFieldForProject", "/api/admin/projects/{projectId}/context/{name}"),
    ("createTag", "/api/admin/tags/{tag.type}/{tag.value}"),
    ("createTagType", "/api/admin/tag-types/{name}"),
    ("createProject", "/api/admin/projects/{id}/overview"),
    ("createProjectApiToken", "/api/admin/projects/{projectId}/api-tokens"),
    ("createEnvironment", "/api/admin/environments/{name}"),
    ("cloneEnvironment", "/api/admin/environments/{name}"),
    ("createUser", "/api/admin/user-admin/{id}"),
    ("approveUserAccessRequest", "/api/admin/user-admin/{id}"),
    ("createServiceAccount", "/api/admin/service-account"),
    ("createServiceAccountToken", "/api/admin/service-account/{id}/token"),
    ("createScimDirectory", "/api/admin/scim-settings/directories"),
    ("createGroup", "/api/admin/groups/{id}"),
    ("createApiToken", "/api/admin/api-tokens"),
    ("addPublicSignupTokenUser", "/api/admin/user-admin/{id}"),
    ("createPublicSignupToken", "/api/admin/invite-link/tokens"),
    ("createPat", "/api/admin/user/tokens"),
    ("registerPasskey", "/api/admin/user/passkeys"),
    ("createOidcClientKey", "/api/admin/auth/oidc/client-keys"),
    ("createSignInProvider", "/api/admin/auth/providers/{id}"),
    ("createBanner", "/api/admin/banners"),
    ("createFreezeWindow", "/api/admin/freeze-windows"),
    ("createAddon", "/api/admin/addons/{id}"),
];

/// The operation that creates something and answers 200, as programs that manage roles expect.
const CREATES_WITHOUT_PLACE: &str = "createRole";

/// Whether an operation creates something for a caller whom credentials identify.
pub fn creates(operation: &str) -> bool {
    operation == CREATES_WITHOUT_PLACE
        || (operation != "addPublicSignupTokenUser" && PLACES.iter().any(|(id, _)| *id == operation))
}

/// Adds the headers to the answer to a request for an operation.
pub(super) async fn declare(mut response: Response, operation: &str, uri: &Uri, base_path: &str) -> Response {
    if let Some(traits) = document::traits_of(operation) {
        note_traits(&mut response, traits, uri);
    }
    if let Some(stretch) = response.data::<Stretch>().copied()
        && let Some(links) = links(uri.query().unwrap_or_default(), stretch)
    {
        response.headers_mut().insert(header::LINK, links);
    }
    if response.status() == StatusCode::CREATED
        && !response.headers().contains_key(header::LOCATION)
        && let Some((_, place)) = PLACES.iter().find(|(id, _)| *id == operation)
    {
        return with_location(response, place, operation, uri.path(), base_path).await;
    }
    response
}

fn note_traits(response: &mut Response, traits: &Traits, uri: &Uri) {
    if let Some(Deprecation { since, sunset, .. }) = traits.deprecated_since.and_then(Deprecation::of) {
        response.headers_mut().insert(DEPRECATION, HeaderValue::from_static(since));
        response.headers_mut().insert(SUNSET, HeaderValue::from_static(sunset));
    }
    let Some(query) = uri.query().filter(|_| !traits.lenient.is_empty() && response.status().is_success()) else {
        return;
    };
    let mut defaulted: Vec<&str> = Vec::new();
    for (name, value) in url::form_urlencoded::parse(query.as_bytes()) {
        let lenient = traits.lenient.iter().find(|lenient| **lenient == name);
        if let Some(lenient) = lenient.filter(|lenient| !parameter::makes_sense(lenient, &value))
            && !defaulted.contains(&&**lenient)
        {
            defaulted.push(lenient);
        }
    }
    if let Ok(names) = HeaderValue::from_str(&defaulted.join(", "))
        && !defaulted.is_empty()
    {
        response.headers_mut().insert(DEFAULTED, names);
    }
}

/// Returns the links to the first page, the one before and the one after, as far as there are such.
fn links(query: &str, stretch: Stretch) -> Option<HeaderValue> {
    if query.len() > LONGEST_QUERY {
        return None;
    }
    let page = stretch.page;
    let others = query.split('&').filter(|pair| {
        let name = pair.split('=').next().unwrap_or_default();
        !pair.is_empty() && name != "offset" && name != "limit"
    });
    let others: String = others.fold(String::new(), |others, pair| format!("{others}{pair}&"));
    let link = |rel: &str, offset: u64| format!("<?{others}offset={offset}&limit={}>; rel=\"{rel}\"", page.limit);
    let mut links = vec![link("first", 0)];
    if page.offset > 0 {
        links.push(link("prev", page.offset.saturating_sub(page.limit)));
    }
    if stretch.has_more {
        links.push(link("next", page.offset.saturating_add(page.limit)));
    }
    HeaderValue::from_str(&links.join(", ")).ok()
}

async fn with_location(response: Response, place: &str, operation: &str, path: &str, base_path: &str) -> Response {
    let (parts, body) = response.into_parts();
    let Ok(bytes) = body.into_bytes().await else { return Response::from_parts(parts, poem::Body::empty()) };
    let made: Value = serde_json::from_slice(&bytes).unwrap_or_default();
    let mut response = Response::from_parts(parts, bytes.into());
    let template = document::place_of(operation).map(|(_, template)| template).unwrap_or_default();
    let location = location(place, &made, |name| document::path_value(&template, path, name));
    if let Some(location) = location.and_then(|at| HeaderValue::from_str(&format!("{base_path}{at}")).ok()) {
        response.headers_mut().insert(header::LOCATION, location);
    }
    response
}

/// Fills in the names of a place: by the path of the request, otherwise by the answer.
fn location<'a>(place: &str, made: &Value, in_path: impl Fn(&str) -> Option<&'a str>) -> Option<String> {
    let mut location = String::new();
    for part in place.split('/').skip(1) {
        location.push('/');
        match part.strip_prefix('{').and_then(|part| part.strip_suffix('}')) {
            None => location.push_str(part),
            Some(name) => match (name.split('.').fold(made, |made, member| &made[member]), in_path(name)) {
                // A copy has another name than what the path names. No new name is a word of a path.
                (Value::String(text), _) => location.push_str(&address::segment(Named::Tag, text)),
                (Value::Number(number), None) => location.push_str(&number.to_string()),
                (_, Some(value)) => location.push_str(value),
                _ => return None,
            },
        }
    }
    Some(location)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{api::document::DOCUMENT, domain::filter::Page};

    #[test]
    fn everything_that_is_created_has_a_place_that_can_be_read() {
        let mut created = Vec::new();
        for (path, item) in DOCUMENT["paths"].as_object().expect("paths") {
            for operation in item.as_object().expect("operations").values() {
                let id = operation["operationId"].as_str().expect("an id");
                // SCIM names the place in its answers.
                if !operation["responses"]["201"].is_null() && !path.starts_with("/scim/") {
                    created.push(id);
                }
            }
        }
        created.sort_unstable();
        let mut placed = PLACES.map(|(id, _)| id);
        placed.sort_unstable();
        assert_eq!(created, placed);
        let shape = |path: &str| {
            let parts = path.split('/').map(|part| if part.starts_with('{') { "{}" } else { part });
            parts.collect::<Vec<_>>().join("/")
        };
        let paths = DOCUMENT["paths"].as_object().expect("paths");
        let readable: Vec<_> =
            paths.iter().filter(|(_, item)| item["get"].is_object()).map(|(path, _)| shape(path)).collect();
        for (id, place) in PLACES {
            assert!(readable.contains(&shape(place)), "{id}: {place}");
        }
    }

    #[test]
    fn names_in_places_are_those_of_the_path_and_of_the_answer() {
        for (place, made, path, expected) in [
            ("/a/{projectId}/b/{name}", json!({ "name": "x/y ü" }), "p", Some("/a/p/b/x%2Fy%20%C3%BC")),
            ("/a/{id}", json!({ "id": 7 }), "", Some("/a/7")),
            ("/a/{name}", json!({ "name": ".." }), "", Some("/a/%252E%252E")),
            ("/a/{id}", json!({}), "", None),
            ("/a", json!(null), "", Some("/a")),
            ("/a/{tag.type}", json!({ "tag": { "type": "x" } }), "", Some("/a/x")),
        ] {
            let in_path = |name: &str| Some(path).filter(|_| name == "projectId");
            assert_eq!(location(place, &made, in_path).as_deref(), expected, "{place}");
        }
        // The token of an account: the answer has an id of its own.
        assert_eq!(location("/a/{id}/token", &json!({ "id": 3 }), |_| Some("7")).as_deref(), Some("/a/7/token"));
    }

    #[test]
    fn pages_are_linked_with_the_rest_of_the_query() {
        let links = |query: &str, offset: u64, total: u64| {
            let stretch = Stretch::of(Page { offset, limit: 10 }, total);
            links(query, stretch).map(|links| links.to_str().expect("text").to_owned())
        };
        let first = "<?offset=0&limit=10>; rel=\"first\"";
        assert_eq!(links("", 0, 10).as_deref(), Some(first));
        assert_eq!(links("", 0, 11), Some(format!("{first}, <?offset=10&limit=10>; rel=\"next\"")));
        assert_eq!(links("limit=x&offset=5", 5, 6), Some(format!("{first}, <?offset=0&limit=10>; rel=\"prev\"")));
        let third = links("query=a%26b&offset=20", 20, 100).expect("links");
        assert!(third.contains("<?query=a%26b&offset=10&limit=10>; rel=\"prev\""), "{third}");
        assert!(third.contains("<?query=a%26b&offset=30&limit=10>; rel=\"next\""), "{third}");
        assert_eq!(links(&"x".repeat(2001), 0, 1), None);
        assert!(links("", u64::MAX, 1).is_some());
    }
}
