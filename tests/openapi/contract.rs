//! Contract that the specification fixes: operations, statuses, required properties, patterns.

use std::collections::BTreeSet;

use flagstone::api::document::DOCUMENT;
use serde_json::{Value, json};

use crate::{operations, schemas};

/// Operations of the specification: method, path, operation id, the statuses that it lists, whether it is deprecated.
const CONTRACT: &[(&str, &str, &str, &[u16], bool)] = &[
    ("get", "/api/admin/projects/{projectId}/health-report", "getProjectHealthReport", &[200, 401, 403, 404], false),
    ("get", "/api/admin/projects/{projectId}", "getDeprecatedProjectOverview", &[200, 401, 403, 404], true),
    (
        "patch",
        "/api/admin/projects/{projectId}/features/{featureName}",
        "patchFeature",
        &[200, 401, 403, 404, 415],
        false,
    ),
    ("get", "/api/admin/search/features", "searchFeatures", &[200, 401, 403, 404], false),
    ("get", "/api/admin/projects/{projectId}/features", "getFeatures", &[200, 400, 401, 403], false),
    ("get", "/api/admin/search/events", "searchEvents", &[200], false),
    ("post", "/api/admin/events/search", "deprecatedSearchEvents", &[200], true),
    ("post", "/api/admin/auth/oidc/settings", "setOidcSettings", &[200, 400, 401, 403, 415], false),
    ("get", "/api/admin/auth/oidc/settings", "getOidcSettings", &[200, 400, 401, 403], false),
    ("post", "/api/admin/auth/saml/settings", "setSamlSettings", &[200, 400, 401, 403, 415], false),
    ("get", "/api/admin/user/profile", "getProfile", &[200, 401], false),
    ("post", "/api/admin/features-batch/validate", "validateImport", &[200, 404], false),
    ("get", "/api/admin/dashboard/executive", "getInstanceInsights", &[200], true),
];

#[test]
fn the_contract_is_published_whole() {
    for (method, path, id, statuses, deprecated) in CONTRACT {
        let operation = &DOCUMENT["paths"][path][method];
        assert_eq!(operation["operationId"], *id, "{method} {path}");
        assert_eq!(operation["deprecated"].as_bool().unwrap_or(false), *deprecated, "{method} {path}");
        let published = operation["responses"].as_object().expect("responses");
        for status in *statuses {
            assert!(published.contains_key(&status.to_string()), "{method} {path} does not publish {status}");
        }
    }
}

/// Schemas of the specification with the properties that it requires; every other property is optional.
const REQUIRED: &[(&str, &[&str])] = &[
    ("Constraint", &["contextName", "operator"]),
    ("VariantPayload", &["type", "value"]),
    ("StrategyVariant", &["name", "weight", "weightType", "stickiness"]),
    ("FeatureVariant", &["name", "weight"]),
    ("VariantOverride", &["contextName", "values"]),
    ("FeatureStrategy", &["name"]),
    ("FeatureEnvironment", &["name", "enabled"]),
    ("SearchFeatureEnvironment", &["name", "type", "enabled"]),
    ("Lifecycle", &["stage", "enteredStageAt"]),
    ("SearchFeatureLifecycle", &["stage", "enteredStageAt"]),
    ("FeatureDependency", &["feature"]),
    ("UserSummary", &["id", "name", "imageUrl"]),
    ("Feature", &["name"]),
    (
        "SearchFeature",
        &[
            "name",
            "type",
            "description",
            "dependencyType",
            "project",
            "stale",
            "favorite",
            "impressionData",
            "createdAt",
            "environments",
            "segments",
            "createdBy",
        ],
    ),
    ("ProjectEnvironment", &["environment"]),
    ("DefaultStrategy", &["name"]),
    (
        "ProjectStats",
        &[
            "avgTimeToProdCurrentWindow",
            "createdCurrentWindow",
            "createdPastWindow",
            "archivedCurrentWindow",
            "archivedPastWindow",
            "projectActivityCurrentWindow",
            "projectActivityPastWindow",
            "projectMembersAddedCurrentWindow",
        ],
    ),
    ("ProjectFeatureNaming", &["pattern"]),
    (
        "HealthReport",
        &[
            "version",
            "name",
            "defaultStickiness",
            "mode",
            "members",
            "health",
            "environments",
            "features",
            "potentiallyStaleCount",
            "activeCount",
            "staleCount",
        ],
    ),
    ("DeprecatedProjectOverview", &["version", "name"]),
    ("PatchOperation", &["path", "op"]),
    ("SearchFeatures", &["features"]),
    ("Features", &["version", "features"]),
    ("Event", &["id", "createdAt", "type", "createdBy"]),
    ("EventSearchResult", &["events", "total"]),
    ("EventSearch", &[]),
    ("Events", &["version", "events"]),
    ("OidcSettingsEnabled", &["enabled", "clientId", "secret"]),
    ("SamlSettingsEnabled", &["enabled", "entityId", "signOnUrl", "certificate"]),
    ("Role", &["id", "type", "name"]),
    ("Profile", &["rootRole", "projects", "features"]),
    ("ContextField", &["name"]),
    ("LegalValue", &["value"]),
    ("FeatureTag", &["featureName", "tagValue"]),
    ("TagType", &["name"]),
    ("SegmentReference", &["id", "name"]),
    ("ImportDependency", &["feature", "dependencies"]),
    ("ImportRequest", &["project", "environment", "data"]),
    ("ImportData", &["features", "featureStrategies", "tagTypes"]),
    ("ImportFinding", &["message", "affectedItems"]),
    ("ImportFindings", &["errors", "warnings"]),
    ("InsightsUsers", &["total", "active", "inactive"]),
    ("InsightsFlags", &["total"]),
    ("InsightsUserTrend", &["date", "total", "active", "inactive"]),
    ("InsightsFlagTrend", &["date", "total", "active", "stale", "potentiallyStale"]),
    (
        "InsightsProjectFlagTrend",
        &["week", "project", "health", "date", "total", "active", "stale", "potentiallyStale"],
    ),
    (
        "InsightsMetricsSummaryTrend",
        &[
            "week",
            "date",
            "project",
            "totalRequests",
            "totalYes",
            "totalNo",
            "totalApps",
            "totalFlags",
            "totalEnvironments",
        ],
    ),
    ("InsightsEnvironmentTypeTrend", &["date", "week", "environmentType", "totalUpdates"]),
];

#[test]
fn required_is_what_the_specification_requires() {
    let schemas = schemas();
    let mut other = Vec::new();
    for (name, required) in REQUIRED {
        let schema = schemas.iter().find(|(known, _)| known == &name).unwrap_or_else(|| panic!("no schema {name}")).1;
        let published: BTreeSet<&str> =
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let expected: BTreeSet<&str> = required.iter().copied().collect();
        other.extend(published.symmetric_difference(&expected).map(|property| format!("{name}.{property}")));
    }
    assert!(other.is_empty(), "required in one of specification and document: {other:?}");
}

#[test]
fn what_a_feature_is_among_dependencies_may_be_null() {
    let published = &DOCUMENT["components"]["schemas"]["SearchFeature"]["properties"]["dependencyType"];
    // A list of values would have to hold null, which makers of clients take for a value.
    assert_eq!((&published["pattern"], &published["nullable"]), (&json!("^(parent|child)$"), &json!(true)));
    assert!(published["enum"].is_null());
}

#[test]
fn ids_of_segments_are_numbers() {
    for name in ["FeatureStrategy", "DefaultStrategy"] {
        let items = &DOCUMENT["components"]["schemas"][name]["properties"]["segments"]["items"];
        assert_eq!(items["type"], "number", "{name}");
    }
}

#[test]
fn filters_explain_each_of_their_operators() {
    let mut silent = Vec::new();
    for (_, path, operation) in operations() {
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            let pattern = parameter["schema"]["pattern"].as_str().unwrap_or_default();
            let Some((operators, _)) = pattern.strip_prefix("^(").and_then(|rest| rest.split_once("):")) else {
                continue;
            };
            let description = parameter["description"].as_str().unwrap_or_default();
            let words: BTreeSet<&str> = description.split(|c: char| !c.is_ascii_uppercase() && c != '_').collect();
            let missing = operators.split('|').filter(|operator| !words.contains(operator));
            silent.extend(missing.map(|operator| format!("{path} {}: {operator}", parameter["name"])));
        }
    }
    assert!(silent.is_empty(), "{silent:#?}");
}

#[test]
fn the_patterns_are_those_of_the_specification() {
    let pattern = |path: &str, name: &str| {
        let parameters = DOCUMENT["paths"][path]["get"]["parameters"].as_array().expect("parameters");
        let parameter = parameters.iter().find(|parameter| parameter["name"] == name).expect(name);
        parameter["schema"]["pattern"].as_str().unwrap_or_default().to_owned()
    };
    let features = "/api/admin/search/features";
    for name in ["project", "state", "type", "createdBy"] {
        assert_eq!(pattern(features, name), r"^(IS|IS_NOT|IS_ANY_OF|IS_NONE_OF):(.*?)(,([a-zA-Z0-9_]+))*$", "{name}");
    }
    // With colons in values, which tags may have.
    assert_eq!(
        pattern(features, "tag"),
        r"^(INCLUDE|DO_NOT_INCLUDE|INCLUDE_ALL_OF|INCLUDE_ANY_OF|EXCLUDE_IF_ANY_OF|EXCLUDE_ALL):(?:\s*[^,:]+:[^,]+\s*)(?:,\s*[^,:]+:[^,]+\s*)*$"
    );
    assert_eq!(
        pattern(features, "segment"),
        r"^(INCLUDE|DO_NOT_INCLUDE|INCLUDE_ALL_OF|INCLUDE_ANY_OF|EXCLUDE_IF_ANY_OF|EXCLUDE_ALL):(.*?)(,([a-zA-Z0-9_]+))*$"
    );
    // With the days that there are.
    let day = r"([0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])|[0-9]{4}-(0[13-9]|1[0-2])-(29|30)|[0-9]{4}-(0[13578]|1[02])-31|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)";
    assert_eq!(pattern(features, "createdAt"), format!("^(IS_BEFORE|IS_ON_OR_AFTER):{day}$"));
    let events = "/api/admin/search/events";
    for name in ["feature", "project", "environment", "type", "createdBy"] {
        assert_eq!(pattern(events, name), r"^(IS|IS_ANY_OF):(.*?)(,([a-zA-Z0-9_]+))*$", "{name}");
    }
    for name in ["createdAtFrom", "createdAtTo"] {
        assert_eq!(pattern(events, name), format!("^(IS):{day}$"), "{name}");
    }
}
