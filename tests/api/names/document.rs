//! The words that addresses take, derived from the paths of the document.

use std::collections::{BTreeMap, BTreeSet};

use flagstone::{api::document::DOCUMENT, domain::address::Named};
use serde_json::Value;

/// Kind of value that a textual path parameter takes.
enum Text {
    /// A name of this kind.
    Name(Named),
    /// A value that the server chose, such as a secret or an id.
    Own,
}

/// Returns the kind of value that a textual path parameter takes.
fn kind(parameter: &str, path: &str) -> Option<Text> {
    let named = match parameter {
        "featureName" | "parent" | "key" => Named::Feature,
        "projectId" => Named::Project,
        "environment" => Named::Environment,
        "name" if path.starts_with("/api/admin/environments/") => Named::Environment,
        "contextField" => Named::ContextField,
        "legalValue" => Named::LegalValue,
        "tagType" | "type" => Named::TagType,
        "value" => Named::Tag,
        "strategyName" => Named::StrategyType,
        "featureTypeId" => Named::FeatureType,
        "appName" => Named::Application,
        "providerId" => Named::SignInProvider,
        "token" if path.contains("/api-tokens/") => Named::ApiToken,
        "token" if path.contains("/invite") => return Some(Text::Own),
        "identityId" | "kid" | "linkId" | "sessionId" | "strategyId" | "trialId" => return Some(Text::Own),
        "id" if path.starts_with("/scim/") || path.contains("/splash/") || path.contains("/feedback/") => {
            return Some(Text::Own);
        }
        _ => return None,
    };
    Some(Text::Name(named))
}

fn is_parameter(segment: &str) -> bool {
    segment.starts_with('{')
}

/// The segment at which the router leaves one path for another that a name in it may spell: the first at which a
/// parameter meets a word, if all that follow can be alike.
fn meeting<'a>(path: &[&'a str], other: &[&'a str]) -> Option<(usize, &'a str)> {
    let alike = |one: &str, two: &str| one == two || is_parameter(one) && is_parameter(two);
    let place = path.iter().zip(other).position(|(one, two)| !alike(one, two))?;
    let may_be_alike = |(one, two): (&&str, &&str)| is_parameter(one) || is_parameter(two) || one == two;
    let follows = path.len() == other.len() && path[place..].iter().zip(&other[place..]).all(may_be_alike);
    (follows && is_parameter(path[place]) && !is_parameter(other[place])).then_some((place, other[place]))
}

#[test]
fn the_words_that_names_must_not_be_are_those_beside_them_in_the_document() {
    let document: &Value = &DOCUMENT;
    let paths: BTreeMap<&str, &Value> =
        document["paths"].as_object().expect("paths").iter().map(|(path, item)| (&**path, item)).collect();
    let mut derived: BTreeMap<Named, BTreeSet<&str>> = BTreeMap::new();
    for (path, item) in &paths {
        let segments: Vec<&str> = path.split('/').collect();
        for segment in segments.iter().filter(|segment| is_parameter(segment)) {
            let name = segment.trim_matches(['{', '}']);
            if is_text(item, name) {
                assert!(kind(name, path).is_some(), "{path} takes the text `{name}`, which has no kind of name here");
            }
        }
        for other in paths.keys() {
            let words: Vec<&str> = other.split('/').collect();
            let Some((place, word)) = meeting(&segments, &words) else { continue };
            let name = segments[place].trim_matches(['{', '}']);
            if let Some(Text::Name(kind)) = kind(name, path).filter(|_| is_text(item, name)) {
                derived.entry(kind).or_default().insert(word);
            }
        }
    }
    for kind in Named::ALL {
        let written: BTreeSet<&str> = kind.taken().iter().copied().collect();
        assert_eq!(written, derived.remove(&kind).unwrap_or_default(), "{kind:?}");
    }
    assert!(derived.is_empty());
}

/// Whether a path parameter is a text and no number.
fn is_text(item: &Value, name: &str) -> bool {
    let operations = item.as_object().expect("operations").values();
    let parameters = operations.flat_map(|operation| operation["parameters"].as_array().into_iter().flatten());
    let mut meant = parameters.filter(|parameter| parameter["in"] == "path" && parameter["name"] == name);
    meant.any(|parameter| parameter["schema"]["type"] == "string")
}

#[test]
fn a_word_meets_a_name_where_the_router_would_prefer_it() {
    let meeting = |path: &'static str, other: &'static str| {
        let [path, other]: [Vec<&str>; 2] = [path, other].map(|path| path.split('/').collect());
        meeting(&path, &other)
    };
    assert_eq!(meeting("/p/{id}", "/p/validate"), Some((2, "validate")));
    assert_eq!(meeting("/p/{id}/stale", "/p/archive/{id}"), Some((2, "archive")));
    assert_eq!(meeting("/p/archive/{id}", "/p/{id}/stale"), None);
    assert_eq!(meeting("/p/{id}/tags", "/p/validate"), None);
    assert_eq!(meeting("/p/{id}/tags", "/p/roles/access"), None);
}
