//! Questions that ask for the hidden project by each parameter, and by bodies that the table of authorization lacks.

use poem::http::Method;
use serde_json::{Value, json};

use super::{
    call::Call,
    world::{APPLICATION, DELETED, FEATURE, FIELD, PROJECT, Secrets, TAG, TOKEN, of_field},
};

/// All of them.
pub fn all(secrets: &Secrets) -> Vec<Call> {
    [reads(), change_requests(), lists(), of_programs(), posts(), changes(secrets), of_fields()]
        .into_iter()
        .flatten()
        .collect()
}

fn get(operation: &'static str, path: impl Into<String>) -> Call {
    Call::elsewhere(operation, Method::GET, path.into(), None)
}

fn post(operation: &'static str, path: impl Into<String>, body: Value) -> Call {
    Call::elsewhere(operation, Method::POST, path.into(), Some(body))
}

fn put(operation: &'static str, path: &str, body: Value) -> Call {
    Call::elsewhere(operation, Method::PUT, path.to_owned(), Some(body))
}

fn removal(operation: &'static str, path: &str) -> Call {
    Call::elsewhere(operation, Method::DELETE, path.to_owned(), None)
}

fn change_requests() -> Vec<Call> {
    let (hidden, seen) = (format!("/api/admin/projects/{PROJECT}"), "/api/admin/projects/shop".to_owned());
    let search = "/api/admin/search/change-requests";
    let mut calls = vec![
        get("searchChangeRequests", format!("{search}?createdBy=IS:1&state=IS:open&offset=0&limit=9")),
        get("searchChangeRequests", format!("{search}?createdBy=IS:2&state=IS:closed")),
        get("searchChangeRequests", format!("{search}?requestedApproverId=IS:1")),
        get("searchChangeRequests", format!("{search}?actionable=true")),
    ];
    for project in [hidden, seen] {
        let all = format!("{project}/change-requests");
        calls.extend([
            get("getPendingChangeRequestsForFeature", format!("{all}/pending/{FEATURE}")),
            get("getScheduledChangeRequests", format!("{all}/scheduled?feature={FEATURE}&variantForFlag={FEATURE}")),
            get(
                "getScheduledChangeRequests",
                format!("{all}/scheduled?strategyId=0190163d-8694-739b-aea5-966c26f8ad91"),
            ),
            post(
                "changeRequest",
                format!("{project}/environments/production/change-requests"),
                json!({ "feature": FEATURE, "action": "archiveFeature" }),
            ),
            put("updateChangeRequestState", &format!("{all}/1/state?dryRun=true"), json!({ "state": "Applied" })),
        ]);
    }
    calls
}

fn reads() -> Vec<Call> {
    let project = format!("/api/admin/projects/{PROJECT}");
    vec![
        get("getDeprecatedProjectOverview", format!("{project}?archived=true")),
        get("getFeatures", format!("{project}/features?tag=simple:{TAG}&namePrefix=canary")),
        get("getFeatures", format!("/api/admin/projects/shop/features?tag=simple:{TAG}&namePrefix=canary")),
        get("getFeature", format!("{project}/features/{FEATURE}?variantEnvironments=true")),
        get("getFeature", format!("/api/admin/projects/shop/features/{FEATURE}?variantEnvironments=true")),
        get("getProjectApplications", format!("{project}/applications?query=canary&offset=0&limit=9&sortOrder=desc")),
        get("getProjectApplications", "/api/admin/projects/shop/applications?query=canary"),
        get("getRawFeatureMetrics", format!("/api/admin/client-metrics/features/{FEATURE}/raw?hoursBack=48")),
        get("getFeatureUsageSummary", format!("/api/admin/client-metrics/features/{DELETED}")),
        get("getFeatureUsageHistory", format!("{project}/features/{FEATURE}/usage?period=24m&environment=development")),
        get(
            "getFeatureUsageHistory",
            format!("/api/admin/projects/shop/features/{FEATURE}/usage?appName={APPLICATION}"),
        ),
        get("getEventsForToggle", format!("/api/admin/events/{DELETED}")),
        get("getUserRoles", format!("/api/admin/user/roles?projectId={PROJECT}")),
        get(
            "getUserPermissions",
            format!("/api/admin/user-admin/1/permissions?project={PROJECT}&environment=development"),
        ),
        get(
            "getServiceAccountPermissions",
            format!("/api/admin/service-account/1/permissions?project={PROJECT}&environment=development"),
        ),
        get("getTag", "/api/admin/tags/simple/canarydeletedtag"),
        get("getApiTokensByName", format!("/api/admin/api-tokens/{TOKEN}")),
        get("getApplication", "/api/admin/metrics/applications/canaryregistered"),
        get("getApplication", "/api/admin/metrics/applications/canarygoneuser"),
        get("getApplicationOverview", "/api/admin/metrics/applications/web/overview"),
        get("getApplicationOverview", format!("/api/admin/metrics/applications/{APPLICATION}/overview")),
        get(
            "getApplicationEnvironmentInstances",
            format!("/api/admin/metrics/instances/{APPLICATION}/environment/development"),
        ),
        get("getApplicationEnvironmentInstances", "/api/admin/metrics/instances/web/environment/development"),
        get("validateToken", "/auth/reset/validate?token=canary"),
        get("getReady", "/ready?for=programs"),
        get("exportEvents", "/api/admin/event-log/export?since=0&format=csv"),
        get("verifyEvents", "/api/admin/event-log/integrity?since=0&limit=9"),
        get("getIntegrationEvents", "/api/admin/addons/2/events?limit=9&offset=0"),
        get(
            "getScimUsers",
            "/scim/Users?startIndex=1&count=9&sortBy=userName&sortOrder=descending&attributes=userName&excludedAttributes=groups",
        ),
        get("getScimUser", "/scim/Users/1?attributes=userName&excludedAttributes=groups"),
        get(
            "getScimGroups",
            "/scim/Groups?filter=displayName%20eq%20%22canary%22&startIndex=1&count=9&sortBy=id&sortOrder=ascending&attributes=displayName&excludedAttributes=members",
        ),
        get("getScimGroup", "/scim/Groups/1?attributes=displayName&excludedAttributes=members"),
        get("getOidcSettings", "/api/admin/auth/oidc/settings?maskSecrets=true"),
        get("getSamlSettings", "/api/admin/auth/saml/settings?maskSecrets=true"),
        post("relinkUsers", "/api/admin/user-admin/identities/relink?dryRun=true", json!({ "provider": "oidc" })),
        put(
            "setAccountPolicy",
            "/api/admin/account-policy?dryRun=true",
            json!({
                "personalTokensAllowed": true,
                "personalTokenDays": null,
                "serviceAccountTokenDays": null,
                "inactiveUserDays": 90,
            }),
        ),
        post("setOidcSettings", "/api/admin/auth/oidc/settings?maskSecrets=true", json!({ "enabled": false })),
        post("setSamlSettings", "/api/admin/auth/saml/settings?maskSecrets=true", json!({ "enabled": false })),
    ]
}

/// By the context field of the hidden project, and for its name.
fn of_fields() -> Vec<Call> {
    let (all, shop) = ("/api/admin/context", "/api/admin/projects/shop");
    let named = || json!({ "name": FIELD });
    let data = json!({ "features": [], "featureStrategies": [], "tagTypes": [], "contextFields": [named()] });
    let import = json!({ "project": "shop", "environment": "development", "data": data });
    let strategy = json!({ "name": "default", "constraints": [of_field()] });
    let segment = json!({ "name": "of a field", "constraints": [of_field()] });
    let mut calls = vec![
        get("getContextFields", format!("{all}?include=project")),
        get("getContextFields", format!("{all}?include=root")),
        get("getContextFieldsForProject", format!("{shop}/context?include=project")),
        post("validateConstraint", "/api/admin/constraints/validate", of_field()),
        post("addFeatureStrategy", format!("{shop}/features/f/environments/development/strategies"), strategy),
        post("createSegment", "/api/admin/segments", segment),
        post("importFeatures", "/api/admin/features-batch/import?dryRun=true", import).for_a_name(),
        put("updateProject", shop, json!({ "name": "shop", "defaultStickiness": FIELD })),
    ];
    for (scope, end) in [(all.to_owned(), ""), (format!("{shop}/context"), "ForProject")] {
        let operation = |begin: &str| -> &'static str { format!("{begin}{end}").leak() };
        let one = format!("{scope}/{FIELD}");
        calls.extend([
            get(operation("getContextField"), one.clone()),
            get(operation("getStrategiesByContextField"), format!("{one}/strategies")),
            post(operation("createContextField"), scope.clone(), named()).for_a_name(),
            post(operation("validateContextField"), format!("{scope}/validate"), named()).for_a_name(),
            post(operation("updateContextFieldLegalValue"), format!("{one}/legal-values"), json!({ "value": "x" })),
            put(operation("updateContextField"), &one, json!({})),
            removal(operation("deleteContextField"), &one),
        ]);
    }
    calls
}

fn lists() -> Vec<Call> {
    let mut all = vec![
        get("getProjects", "/api/admin/projects?archived=true"),
        get("getProjects", "/api/admin/projects?archived=false"),
        get("getApplications", "/api/admin/metrics/applications?query=canary&offset=0&limit=9&sortOrder=desc"),
        get("getApplications", "/api/admin/metrics/applications?query=web"),
        get("getApplications", "/api/admin/metrics/applications?offset=1&limit=1"),
        get("getFlagCreators", "/api/admin/flag-creators?q=canary&limit=9&offset=0"),
        get("getUserSessions", "/api/admin/user-sessions?limit=9&offset=0"),
        get("getInsights", "/api/admin/insights?from=2025-12-01&to=2026-02-01"),
        get("searchUsers", "/api/admin/user-admin/search?q=canary"),
        get("getEvents", format!("/api/admin/events?project={PROJECT}")),
    ];
    for query in [
        "query=canary",
        "query=simple:canary",
        "project=IS:canaryprojectid",
        "project=IS_NOT:shop",
        "state=IS:active",
        "type=IS:release",
        "createdBy=IS:1",
        "tag=INCLUDE:simple:canarytag",
        "tag=DO_NOT_INCLUDE:simple:canarytag",
        "segment=INCLUDE:canarysegmentname",
        "status=development:enabled",
        "offset=0&limit=1",
        "sortBy=environment:production&sortOrder=desc&favoritesFirst=true",
        "createdAt=IS_ON_OR_AFTER:2026-01-01",
        "lastSeenAt=IS_ON_OR_AFTER:2020-01-01",
        "lastSeenAt=IS_BEFORE:2099-01-01",
        "favorites=true",
        "lifecycle=IS:initial",
        "lifecycle=IS_ANY_OF:live,archived",
        "lifecycle=IS_NOT:live",
    ] {
        all.push(get("searchFeatures", format!("/api/admin/search/features?{query}")));
    }
    for query in [
        "query=canary",
        "query=CanaryProject",
        "query=canaryreason",
        "feature=IS:canaryfeaturename",
        "feature=IS:canarydeletedfeature",
        "project=IS:canaryprojectid",
        "project=IS_ANY_OF:shop,canaryprojectid",
        "environment=IS_ANY_OF:development,production",
        "type=IS:api-token-created",
        "type=IS:application-created",
        "createdBy=IS:1",
        "createdAtFrom=IS:2026-01-01&createdAtTo=IS:2026-12-31",
        "offset=1&limit=2",
    ] {
        all.push(get("searchEvents", format!("/api/admin/search/events?{query}")));
    }
    all
}

fn of_programs() -> Vec<Call> {
    let mut all = vec![get(
        "getFrontendFeatures",
        "/api/frontend?appName=web&userId=canaryvalue&sessionId=1\
        &remoteAddress=127.0.0.1&currentTime=2026-01-15T12%3A00%3A00Z&environment=development",
    )];
    let narrowed = format!("project={PROJECT}&namePrefix=canary&environment=development");
    for query in [&*narrowed, &format!("project={PROJECT}&project=shop"), "environment=production"] {
        all.push(get("getAllClientFeatures", format!("/api/client/features?{query}")));
        all.push(get("getDelta", format!("/api/client/delta?{query}")));
        all.push(get("getFeatureStream", format!("/api/client/streaming?{query}")));
    }
    all.push(get("getAllClientFeatures", format!("/api/client/features?tag=simple:{TAG}")));
    all.push(get("getClientFeature", format!("/api/client/features/{FEATURE}?environment=development")));
    let toggles = json!({ FEATURE: { "yes": 1, "no": 0 }, DELETED: { "yes": 1, "no": 0 } });
    let start = "2026-01-23T11:30:00Z";
    let bucket = json!({ "start": start, "stop": start, "toggles": toggles });
    let metrics = json!({ "appName": "web", "bucket": bucket });
    for (operation, path) in
        [("registerClientMetrics", "/api/client/metrics"), ("registerFrontendMetrics", "/api/frontend/client/metrics")]
    {
        all.push(post(operation, path, metrics.clone()));
    }
    all
}

fn posts() -> Vec<Call> {
    let context = json!({ "appName": "web", "userId": "canaryvalue" });
    let data = json!({ "features": [{ "name": FEATURE }], "featureStrategies": [], "tagTypes": [] });
    let import = json!({ "project": "shop", "environment": "development", "data": data });
    vec![
        post(
            "getPlayground",
            "/api/admin/playground",
            json!({ "environment": "development", "projects": [PROJECT], "context": context }),
        ),
        post(
            "getPlayground",
            "/api/admin/playground",
            json!({ "environment": "development", "projects": "*", "context": context }),
        ),
        post(
            "getAdvancedPlayground",
            "/api/admin/playground/advanced",
            json!({ "environments": ["development"], "projects": ["shop", PROJECT], "context": context }),
        ),
        post(
            "exportFeatures",
            "/api/admin/features-batch/export",
            json!({ "environment": "development", "features": [FEATURE, "f"] }),
        ),
        post("exportFeatures", "/api/admin/features-batch/export", json!({ "environment": "development", "tag": TAG })),
        post(
            "exportFeatures",
            "/api/admin/features-batch/export",
            json!({ "environment": "development", "features": [] }),
        ),
        post("validateImport", "/api/admin/features-batch/validate", import.clone()).for_a_name(),
        post("importFeatures", "/api/admin/features-batch/import?dryRun=true", import).for_a_name(),
        post("deprecatedSearchEvents", "/api/admin/events/search", json!({ "project": PROJECT })),
        post("deprecatedSearchEvents", "/api/admin/events/search", json!({ "query": "canary" })),
        post("deprecatedSearchEvents", "/api/admin/events/search", json!({ "feature": FEATURE })),
        post(
            "validateConstraint",
            "/api/admin/constraints/validate",
            json!({ "contextName": "userId", "operator": "IN", "values": ["canaryvalue"] }),
        ),
        post("validateProject", "/api/admin/projects/validate", json!({ "id": PROJECT })).for_a_name(),
        post("validateFeature", "/api/admin/features/validate", json!({ "name": FEATURE })).for_a_name(),
        post("validateSegment", "/api/admin/segments/validate", json!({ "name": "canarysegmentname" })).for_a_name(),
        Call::elsewhere(
            "deleteInactiveUsers",
            Method::POST,
            "/api/admin/user-admin/inactive/delete?dryRun=true".to_owned(),
            None,
        ),
        removal("deleteScimUsers", "/api/admin/user-admin/scim-users?dryRun=true"),
        removal("deleteScimGroups", "/api/admin/groups/scim-groups?dryRun=true"),
        Call::elsewhere(
            "linkUserToDirectory",
            Method::POST,
            "/api/admin/user-admin/2/scim-link?directoryId=1".to_owned(),
            None,
        ),
        Call::elsewhere(
            "linkGroupToDirectory",
            Method::POST,
            "/api/admin/groups/1/scim-link?directoryId=1".to_owned(),
            None,
        ),
    ]
}

fn changes(secrets: &Secrets) -> Vec<Call> {
    let shop = "/api/admin/projects/shop";
    let feature = format!("{shop}/features/f");
    let token = |kind: &str, projects: Value| json!({ "tokenName": "t", "type": kind, "environment": "development", "projects": projects });
    let features = || json!({ "features": [FEATURE] });
    let add = |tag: &str| json!([{ "type": "simple", "value": tag }]);
    let tags = json!({ "addedTags": add("delta"), "removedTags": add("gamma") });
    vec![
        post("createApiToken", "/api/admin/api-tokens", token("client", json!(["shop", PROJECT]))),
        post("createApiToken", "/api/admin/api-tokens", token("frontend", json!([PROJECT]))),
        post("createProjectApiToken", format!("{shop}/api-tokens"), token("client", json!(["shop", PROJECT]))),
        post("createTag", "/api/admin/tags", json!({ "type": "simple", "value": TAG })),
        post(
            "createSegment",
            "/api/admin/segments",
            json!({ "name": "another", "constraints": [], "project": PROJECT }),
        ),
        post("createSegment", "/api/admin/segments", json!({ "name": "canarysegmentname", "constraints": [] }))
            .for_a_name(),
        post("createFeatureLink", format!("{shop}/features/{FEATURE}/link"), json!({ "url": "example.com" })),
        post("addFeatureDependency", format!("{feature}/dependencies"), json!({ "feature": FEATURE })),
        post(
            "addFeatureStrategy",
            format!("{feature}/environments/development/strategies"),
            json!({ "name": "default", "segments": [secrets.segment] }),
        ),
        post("cloneFeature", format!("{feature}/clone"), json!({ "name": FEATURE })).for_a_name(),
        post("createFeature", format!("{shop}/features"), json!({ "name": FEATURE })).for_a_name(),
        post("createFeature", "/api/admin/projects/shop/features", json!({ "name": "canarychild" })).for_a_name(),
        post("createProject", "/api/admin/projects", json!({ "id": PROJECT, "name": "x" })).for_a_name(),
        post("createApplication", format!("/api/admin/metrics/applications/{APPLICATION}"), json!({ "url": "x" })),
        post("changeProject", format!("{feature}/changeProject"), json!({ "newProjectId": PROJECT })),
        post("changeProject", format!("{shop}/features/{FEATURE}/changeProject"), json!({ "newProjectId": "default" })),
        post("staleFeatures", format!("{shop}/stale?dryRun=true"), json!({ "features": [FEATURE], "stale": true })),
        post("archiveFeatures", format!("{shop}/archive?dryRun=true"), features()),
        post("validateArchiveFeatures", format!("{shop}/archive/validate"), features()),
        post("reviveFeatures", format!("{shop}/revive?dryRun=true"), json!({ "features": ["canaryarchived"] })),
        post("deleteFeatures", format!("{shop}/delete?dryRun=true"), json!({ "features": ["canaryarchived"] })),
        Call::elsewhere(
            "toggleFeatureEnvironmentOn",
            Method::POST,
            format!("{shop}/features/{FEATURE}/environments/development/on?shouldActivateDisabledStrategies=true"),
            None,
        ),
        post(
            "bulkToggleFeaturesEnvironmentOn",
            format!(
                "{shop}/bulk_features/environments/development/on?shouldActivateDisabledStrategies=true&dryRun=true"
            ),
            features(),
        ),
        post(
            "bulkToggleFeaturesEnvironmentOff",
            format!("{shop}/bulk_features/environments/development/off?dryRun=true"),
            features(),
        ),
        Call::elsewhere(
            "addTagToFeatures",
            Method::PUT,
            format!("{shop}/tags?dryRun=true"),
            Some(json!({ "features": [FEATURE], "tags": tags })),
        ),
        Call::elsewhere("updateTags", Method::PUT, format!("/api/admin/features/{FEATURE}/tags"), Some(tags)),
        removal("deleteTag", "/api/admin/tags/simple/gamma"),
        removal("deleteTag", "/api/admin/tags/simple/canarydeletedtag"),
        get("getTags", "/api/admin/tags").late(),
        get("getTagsByType", "/api/admin/tags/simple").late(),
        get("searchFeatures", "/api/admin/search/features").late(),
    ]
}
