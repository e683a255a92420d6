//! Names in addresses: one judge for every name that becomes part of a path, in every way in, and an address for what is
//! stored with a name that nothing new may have.

mod document;
mod moved;
mod stored;

use flagstone::domain::address::Named;
use poem::http::Method;
use serde_json::{Value, json};

use crate::{
    harness::{Answer, Client, TestApp, encoded},
    scim,
};

/// A way in for names of a kind. Every name that the judge refuses is refused here.
struct Way {
    kind: Named,
    operation: &'static str,
    method: Method,
    path: &'static str,
    body: fn(&str) -> Value,
    /// The property that the refusal names.
    property: &'static str,
    /// Client that makes the calls.
    asker: Asker,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Asker {
    Administrator,
    Directory,
}

impl Way {
    const fn new(
        kind: Named,
        operation: &'static str,
        method: Method,
        path: &'static str,
        body: fn(&str) -> Value,
        property: &'static str,
    ) -> Self {
        Self { kind, operation, method, path, body, property, asker: Asker::Administrator }
    }

    fn of_directory(self) -> Self {
        Self { asker: Asker::Directory, ..self }
    }
}

fn named(name: &str) -> Value {
    json!({ "name": name })
}

fn tag(name: &str) -> Value {
    json!({ "type": "simple", "value": name })
}

fn added_tag(name: &str) -> Value {
    json!({ "addedTags": [tag("fine"), tag(name)], "removedTags": [] })
}

fn strategy_type(name: &str) -> Value {
    json!({ "name": name, "parameters": [] })
}

fn segment(name: &str) -> Value {
    json!({ "name": name, "constraints": [] })
}

fn token(name: &str) -> Value {
    json!({ "tokenName": name, "type": "client", "environment": "development", "projects": ["shop"] })
}

fn renaming(name: &str) -> Value {
    json!({ "schemas": [scim::PATCH], "Operations": [{ "op": "replace", "path": "displayName", "value": name }] })
}

/// The table: kinds of names × ways in. Kinds that come by import are in `moved.rs`, those of the command line in
/// `command_line.rs` and `import/command.rs`.
fn ways() -> Vec<Way> {
    of_features().into_iter().chain(of_labels()).chain(of_people()).collect()
}

/// Features, and what they live in and depend on.
fn of_features() -> Vec<Way> {
    use Named::{ContextField, Environment, Feature, LegalValue, Project};
    let (post, put, way) = (Method::POST, Method::PUT, Way::new);
    let legal = |name: &str| json!({ "legalValues": [{ "value": "fine" }, { "value": name }] });
    let (of_shop, tier) = ("/api/admin/projects/shop/context", "/api/admin/projects/shop/context/tier");
    vec![
        way(ContextField, "createContextFieldForProject", post.clone(), of_shop, named, "/body/name"),
        way(
            ContextField,
            "validateContextFieldForProject",
            post.clone(),
            "/api/admin/projects/shop/context/validate",
            named,
            "/body/name",
        ),
        way(LegalValue, "updateContextFieldForProject", put.clone(), tier, legal, "/body/legalValues/1/value"),
        way(Feature, "createFeature", post.clone(), "/api/admin/projects/shop/features", named, "/body/name"),
        way(Feature, "cloneFeature", post.clone(), "/api/admin/projects/shop/features/f/clone", named, "/body/name"),
        way(Feature, "validateFeature", post.clone(), "/api/admin/features/validate", named, "/body/name"),
        way(
            Feature,
            "validateFeature",
            post.clone(),
            "/api/admin/features/validate",
            |name| json!({ "name": name, "projectId": "shop" }),
            "/body/name",
        ),
        way(
            Project,
            "createProject",
            post.clone(),
            "/api/admin/projects",
            |name| json!({ "id": name, "name": "New" }),
            "/body/id",
        ),
        way(
            Project,
            "validateProject",
            post.clone(),
            "/api/admin/projects/validate",
            |name| json!({ "id": name }),
            "/body/id",
        ),
        way(
            Environment,
            "createEnvironment",
            post.clone(),
            "/api/admin/environments",
            |name| json!({ "name": name, "type": "test" }),
            "/body/name",
        ),
        way(
            Environment,
            "validateEnvironmentName",
            post.clone(),
            "/api/admin/environments/validate",
            named,
            "/body/name",
        ),
        way(
            Environment,
            "cloneEnvironment",
            post.clone(),
            "/api/admin/environments/development/clone",
            named,
            "/body/name",
        ),
        way(ContextField, "createContextField", post.clone(), "/api/admin/context", named, "/body/name"),
        way(ContextField, "validateContextField", post.clone(), "/api/admin/context/validate", named, "/body/name"),
        way(
            LegalValue,
            "createContextField",
            post.clone(),
            "/api/admin/context",
            |name| json!({ "name": "new", "legalValues": [{ "value": name }] }),
            "/body/legalValues/0/value",
        ),
        way(LegalValue, "updateContextField", put, "/api/admin/context/plan", legal, "/body/legalValues/1/value"),
        way(
            LegalValue,
            "updateContextFieldLegalValue",
            post.clone(),
            "/api/admin/context/plan/legal-values",
            |name| json!({ "value": name }),
            "/body/value",
        ),
    ]
}

/// Tags, types, tokens and applications.
fn of_labels() -> Vec<Way> {
    use Named::{ApiToken, Application, StrategyType, Tag, TagType};
    let (post, put, way) = (Method::POST, Method::PUT, Way::new);
    vec![
        way(TagType, "createTagType", post.clone(), "/api/admin/tag-types", named, "/body/name"),
        way(TagType, "validateTagType", post.clone(), "/api/admin/tag-types/validate", named, "/body/name"),
        way(Tag, "createTag", post.clone(), "/api/admin/tags", tag, "/body/value"),
        way(Tag, "addTag", post.clone(), "/api/admin/features/f/tags", tag, "/body/value"),
        way(Tag, "updateTags", put.clone(), "/api/admin/features/f/tags", added_tag, "/body/addedTags/1/value"),
        way(
            Tag,
            "addTagToFeatures",
            put.clone(),
            "/api/admin/projects/shop/tags",
            |name| json!({ "features": ["f"], "tags": added_tag(name) }),
            "/body/tags/addedTags/1/value",
        ),
        way(
            Tag,
            "createFeature",
            post.clone(),
            "/api/admin/projects/shop/features",
            |name| json!({ "name": "new", "tags": [tag(name)] }),
            "/body/tags/0/value",
        ),
        way(StrategyType, "createStrategy", post.clone(), "/api/admin/strategies", strategy_type, "/body/name"),
        way(ApiToken, "createApiToken", post.clone(), "/api/admin/api-tokens", token, "/body/tokenName"),
        way(
            ApiToken,
            "createProjectApiToken",
            post.clone(),
            "/api/admin/projects/shop/api-tokens",
            token,
            "/body/tokenName",
        ),
        way(
            Application,
            "createApplication",
            post.clone(),
            "/api/admin/metrics/applications/{name}",
            |_| json!({}),
            "/path/appName",
        ),
    ]
}

/// Segments, groups and roles, which no path names yet.
fn of_people() -> Vec<Way> {
    use Named::{Group, Role, Segment};
    let (post, put, way) = (Method::POST, Method::PUT, Way::new);
    vec![
        way(Segment, "createSegment", post.clone(), "/api/admin/segments", segment, "/body/name"),
        way(Segment, "updateSegment", put.clone(), "/api/admin/segments/1", segment, "/body/name"),
        way(Segment, "validateSegment", post.clone(), "/api/admin/segments/validate", named, "/body/name"),
        way(Group, "createGroup", post.clone(), "/api/admin/groups", named, "/body/name"),
        way(Group, "updateGroup", put.clone(), "/api/admin/groups/1", named, "/body/name"),
        way(
            Group,
            "createGroupThroughScim",
            post.clone(),
            scim::GROUPS,
            |name| json!({ "schemas": [scim::GROUP], "displayName": name }),
            "displayName",
        )
        .of_directory(),
        way(Group, "updateGroupThroughScim", Method::PATCH, "/scim/Groups/2", renaming, "displayName").of_directory(),
        way(
            Group,
            "replaceGroupThroughScim",
            put.clone(),
            "/scim/Groups/2",
            |name| json!({ "schemas": [scim::GROUP], "displayName": name }),
            "displayName",
        )
        .of_directory(),
        way(Role, "createRole", post.clone(), "/api/admin/roles", named, "/body/name"),
        way(Role, "updateRole", put, "/api/admin/roles/7", named, "/body/name"),
        way(Role, "validateRole", post, "/api/admin/roles/validate", named, "/body/name"),
    ]
}

/// Names that nothing of a kind may have.
fn refused(kind: Named) -> Vec<String> {
    let spelled = ["..", ".", "%2e%2E", ".%2e", "a\u{7}b"].map(str::to_owned);
    spelled.into_iter().chain(kind.taken().iter().map(|word| (*word).to_owned())).collect()
}

/// A server where each kind of thing is there once, named as the ways in say.
async fn furnished() -> (TestApp, Client) {
    let app = TestApp::new().await;
    app.project("shop").await;
    app.feature("shop", "f").await;
    let admin = app.admin();
    admin.post("/api/admin/context", json!({ "name": "plan" })).await.expect(201);
    admin.post("/api/admin/projects/shop/context", json!({ "name": "tier" })).await.expect(201);
    admin.post("/api/admin/segments", segment("employees")).await.expect(201);
    admin.post("/api/admin/groups", named("team")).await.expect(201);
    let role = admin.post("/api/admin/roles", named("tester")).await.expect(200);
    assert_eq!(role["roles"]["id"], 7, "{role}");
    let directory = scim::client(&app).await;
    let group =
        send(&directory, Method::POST, scim::GROUPS, json!({ "schemas": [scim::GROUP], "displayName": "kept" }));
    assert_eq!(group.await.expect(201)["id"], "2");
    (app, directory)
}

async fn send(client: &Client, method: Method, path: &str, body: Value) -> Answer {
    let kind = if path.starts_with("/scim") { "application/scim+json" } else { "application/json" };
    client.request(method, path, &[("content-type", kind)], body.to_string().into_bytes()).await
}

#[tokio::test]
async fn no_way_in_takes_a_name_that_has_no_plain_address() {
    let (app, directory) = furnished().await;
    let events = app.event_types().await;
    for way in ways() {
        for name in refused(way.kind) {
            // As an encoding of its own, since one is taken off dots on their way.
            let in_path = if name.contains('.') { name.replace('.', "%252e") } else { encoded(&name) };
            let path = way.path.replace("{name}", &in_path.replace("%2e%2E", "%252e%252e"));
            let client = if way.asker == Asker::Directory { &directory } else { &app.admin() };
            let answer = send(client, way.method.clone(), &path, (way.body)(&name)).await;
            assert_eq!(answer.status, 400, "{} {name:?}: {}", way.operation, answer.text);
            assert!(answer.text.contains(way.property), "{} {name:?}: {}", way.operation, answer.text);
        }
    }
    assert_eq!(app.event_types().await, events);
}

#[tokio::test]
async fn each_way_in_takes_a_name_that_has_one() {
    let (app, directory) = furnished().await;
    for (index, way) in ways().into_iter().enumerate() {
        let name = format!("fine.{index}");
        let path = way.path.replace("{name}", &name);
        let client = if way.asker == Asker::Directory { &directory } else { &app.admin() };
        let answer = send(client, way.method.clone(), &path, (way.body)(&name)).await;
        assert!((200..300).contains(&answer.status), "{} {name:?}: {}", way.operation, answer.text);
        // What was made on the way would be in the way of the next.
        for path in ["/api/admin/context/new", "/api/admin/projects/shop/features/new"] {
            app.admin().request(Method::DELETE, path, &[], Vec::new()).await;
        }
        let archived = "/api/admin/archive/new";
        app.admin().request(Method::DELETE, archived, &[], Vec::new()).await;
    }
}

#[tokio::test]
async fn a_refusal_proposes_a_name() {
    let (app, _) = furnished().await;
    for (name, proposal) in [("..", "\"dot-dot\" would do"), ("search", "\"search-1\" would do")] {
        let features = "/api/admin/projects/shop/features";
        app.admin().post(features, named(name)).await.refused(400, "ValidationError", proposal);
    }
    let made = app.admin().post("/api/admin/projects", json!({ "name": "Roles" })).await.expect(201);
    assert_eq!(made["id"], "roles-1");
}
