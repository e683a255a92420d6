//! Paths of the operations. Known without the document, which is large and seldom asked for.

use std::{collections::HashMap, sync::LazyLock};

use poem_openapi::{
    OpenApi,
    registry::{MetaOperation, MetaParamIn, MetaSchemaRef},
};

use crate::api::operations;

/// A part of a path that is a secret.
const SECRET: &str = "{token}";
/// Replacement for parts that are not shown.
const LEFT_OUT: &str = "…";
/// Paths below which there are no secrets.
const PAGES: [&str; 2] = ["/docs", "/console"];
/// Most characters that are shown of the path of a page.
const LONGEST_SHOWN: usize = 200;
/// A part with more characters is no name.
const LONGEST_PART: usize = 255;

/// A published path.
struct Item {
    path: String,
    operations: Vec<Operation>,
}

struct Operation {
    method: String,
    id: Option<&'static str>,
    traits: Traits,
}

/// Traits of an operation that appear in headers of its answers.
#[derive(Debug, Clone, Default)]
pub struct Traits {
    /// The version since which the operation is deprecated, if it is.
    pub deprecated_since: Option<&'static str>,
    /// Names of the query parameters that take any text, and mean their default where it makes no sense.
    pub lenient: Vec<String>,
}

impl Traits {
    fn of(operation: &MetaOperation) -> Self {
        let is_lenient = |schema: &MetaSchemaRef| match schema {
            MetaSchemaRef::Inline(schema) => {
                schema.ty == "string" && schema.default.is_some() && schema.enum_items.is_empty()
            }
            MetaSchemaRef::Reference(_) => false,
        };
        let queries = operation.params.iter().filter(|parameter| parameter.in_type == MetaParamIn::Query);
        Self {
            deprecated_since: operation
                .deprecated
                .then(|| since(operation.description.unwrap_or_default()).unwrap_or_default()),
            lenient: queries
                .filter(|parameter| is_lenient(&parameter.schema))
                .map(|parameter| parameter.name.clone())
                .collect(),
        }
    }
}

/// Returns the version in "Deprecated since 1.2.0:", wherever lines break.
fn since(description: &'static str) -> Option<&'static str> {
    let (_, rest) = description.split_once("Deprecated")?;
    let rest = rest.trim_start().strip_prefix("since")?.trim_start();
    rest.split_once(':').map(|(version, _)| version)
}

/// The traits of each operation that has any.
static TRAITS: LazyLock<HashMap<&'static str, Traits>> = LazyLock::new(|| {
    let operations = ITEMS.iter().flat_map(|item| &item.operations);
    let with_any =
        operations.filter(|Operation { traits, .. }| traits.deprecated_since.is_some() || !traits.lenient.is_empty());
    with_any.filter_map(|operation| Some((operation.id?, operation.traits.clone()))).collect()
});

/// Returns the traits of an operation, if it has any.
pub fn traits_of(operation_id: &str) -> Option<&'static Traits> {
    TRAITS.get(operation_id)
}

static ITEMS: LazyLock<Vec<Item>> = LazyLock::new(|| items(&operations()));

fn items<A: OpenApi>(_: &A) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    for path in A::meta().into_iter().flat_map(|api| api.paths) {
        let operations = path.operations.iter().map(|operation| Operation {
            method: operation.method.to_string(),
            id: operation.operation_id,
            traits: Traits::of(operation),
        });
        // Each resource brings its own operations on a path.
        if let Some(item) = items.iter_mut().find(|item| item.path == path.path) {
            item.operations.extend(operations);
        } else {
            items.push(Item { operations: operations.collect(), path: path.path });
        }
    }
    items
}

/// The methods that the document knows for a request path, comma-separated, or `None` for an unknown path.
pub fn allowed_methods(path: &str) -> Option<String> {
    let methods = item_of(path)?.operations.iter().map(|operation| operation.method.as_str());
    Some(methods.collect::<Vec<_>>().join(", "))
}

/// Method and path of an operation, as the document has them.
pub fn place_of(operation_id: &str) -> Option<(String, String)> {
    ITEMS.iter().find_map(|item| {
        let operation = item.operations.iter().find(|operation| operation.id == Some(operation_id))?;
        Some((operation.method.clone(), item.path.clone()))
    })
}

/// Returns the id of the operation that a method has at a request path.
pub fn operation_at(method: &str, path: &str) -> Option<&'static str> {
    item_of(path)?.operations.iter().find(|operation| operation.method == method)?.id
}

/// Returns the value of a path parameter in a request path for an operation, as it stands there.
pub fn path_value<'a>(template: &str, path: &'a str, name: &str) -> Option<&'a str> {
    let wanted = format!("{{{name}}}");
    template.split('/').zip(path.split('/')).find_map(|(part, value)| (part == wanted).then_some(value))
}

/// The published name of a path parameter, which the framework calls `param0`, `param1` and so on.
pub fn path_parameter<'a>(path: &str, framework_name: &'a str) -> &'a str {
    let index = framework_name.strip_prefix("param").and_then(|index| index.parse::<usize>().ok());
    let template = item_of(path).map(|item| item.path.as_str());
    let mut names =
        template.into_iter().flat_map(|template| template.split('/')).filter_map(|part| part.strip_prefix('{'));
    index.and_then(|index| names.nth(index)).map_or(framework_name, |name| name.trim_end_matches('}'))
}

/// Whether a request path has a part that the document calls so.
pub fn is_path_parameter(path: &str, name: &str) -> bool {
    item_of(path).is_some_and(|item| item.path.contains(&format!("{{{name}}}")))
}

/// The published path that serves a request path. A literal segment wins over a parameter, as it does in routing.
fn item_of(path: &str) -> Option<&'static Item> {
    let matching = ITEMS.iter().filter(|item| template_matches(&item.path, path));
    let parameters = |template: &str| template.split('/').map(|part| part.starts_with('{')).collect::<Vec<_>>();
    matching.min_by_key(|item| parameters(&item.path))
}

/// A request path fit for a log: without possible secrets, and for an unknown path only the part that is known.
pub fn shown_path(path: &str) -> String {
    if PAGES.iter().any(|page| path == *page || path.starts_with(&format!("{page}/"))) {
        return path.chars().take(LONGEST_SHOWN).collect();
    }
    let given: Vec<&str> = path.split('/').collect();
    let fitting = |template: &str| {
        let fits = |(expected, given): &(&str, &&str)| expected == *given || expected.starts_with('{');
        template.split('/').zip(&given).take_while(fits).count()
    };
    // Where one of several puts a secret, there may be one.
    let mut known = 0;
    let mut fitted: Vec<&str> = Vec::new();
    for template in ITEMS.iter().map(|item| item.path.as_str()) {
        let length = fitting(template);
        if length > known {
            known = length;
            fitted.clear();
        }
        if length == known {
            fitted.push(template);
        }
    }
    let is_secret = |place: usize| fitted.iter().any(|template| template.split('/').nth(place) == Some(SECRET));
    let is_token = |part: &str| part.contains(':') || part.contains('%') || part.len() > LONGEST_PART;
    let parts = given
        .iter()
        .enumerate()
        .map(|(place, part)| if place >= known || is_secret(place) || is_token(part) { LEFT_OUT } else { part });
    let mut shown: Vec<&str> = parts.collect();
    shown.truncate(known + 1);
    shown.join("/")
}

fn template_matches(template: &str, path: &str) -> bool {
    let (mut left, mut right) = (template.split('/'), path.split('/'));
    loop {
        match (left.next(), right.next()) {
            (None, None) => return true,
            (Some(expected), Some(given)) if expected == given || (expected.starts_with('{') && !given.is_empty()) => {}
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::document::DOCUMENT;

    #[test]
    fn a_path_is_shown_without_what_may_be_a_secret() {
        for (path, expected) in [
            ("/api/admin/projects/shop/features/basket", "/api/admin/projects/shop/features/basket"),
            ("/api/admin/projects/default/api-tokens/abc", "/api/admin/projects/default/api-tokens/…"),
            ("/api/admin/api-tokens/abc", "/api/admin/api-tokens/…"),
            ("/api/admin/invite-link/tokens/abc", "/api/admin/invite-link/tokens/…"),
            ("/invite/abc/signup", "/invite/…/signup"),
            ("/invite/abc/sign-up", "/invite/…/…"),
            ("/api/admin/features/*:*.abc", "/api/admin/features/…"),
            ("/api/admin/features/%2A%3A%2A.abc", "/api/admin/features/…"),
            ("/wp-admin/abc", "/…"),
            ("/api/admin/nothing/abc", "/api/admin/…"),
            ("/console/features", "/console/features"),
            ("/", "/…"),
            ("", ""),
        ] {
            assert_eq!(shown_path(path), expected, "{path}");
        }
    }

    #[test]
    fn the_places_are_those_of_the_document() {
        let paths = DOCUMENT["paths"].as_object().expect("paths");
        assert_eq!(ITEMS.len(), paths.len());
        for item in &*ITEMS {
            let published = paths[&item.path].as_object().expect("operations");
            assert_eq!(item.operations.len(), published.len(), "{}", item.path);
            for operation in &item.operations {
                let published = &published[&operation.method.to_ascii_lowercase()];
                assert_eq!(published["operationId"].as_str(), operation.id, "{} {}", operation.method, item.path);
            }
        }
    }

    #[test]
    fn allowed_methods_come_from_the_document() {
        assert_eq!(allowed_methods("/api/admin/user/profile").as_deref(), Some("GET"));
        assert_eq!(allowed_methods("/api/admin/nothing"), None);
        assert_eq!(allowed_methods("/api/admin/environments/sort-order").as_deref(), Some("PUT"));
        assert_eq!(allowed_methods("/api/admin/environments/production").as_deref(), Some("GET, DELETE"));
        assert_eq!(path_parameter("/api/admin/segments/x", "param0"), "segmentId");
        assert_eq!(path_parameter("/api/admin/segments/x", "param1"), "param1");
        assert!(is_path_parameter("/api/admin/segments/x", "segmentId"));
        assert!(!is_path_parameter("/api/admin/segments/x", "query"));
    }
}
