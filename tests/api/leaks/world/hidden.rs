//! Things that only its members see.

use flagstone::{
    domain::secret::TokenKind,
    store::{
        self,
        change_requests::{self, NewChangeRequest},
        projects::NewProject,
    },
};
use poem::http::Method;
use serde_json::{Value, json};

use super::{
    APPLICATION, CHILD, DELETED, FEATURE, FIELD, PROJECT, Secrets, TAG, TOKEN, person,
    seen::{done, report},
};
use crate::harness::{Client, TestApp, connect, role};

const FEATURES: &str = "/api/admin/projects/canaryprojectid/features";

/// The world without the project: who keeps it elsewhere is here as well, and as many numbers of segments and
/// integrations are used up.
pub async fn leave_out(app: &TestApp) {
    person(app, "keeper", role::VIEWER, None).await;
    app.token(TokenKind::Client, &["shop"], "development", None).await;
    let segment =
        done(&app.admin(), Method::POST, "/api/admin/segments", json!({ "name": "x", "constraints": [] })).await;
    done(&app.admin(), Method::DELETE, &format!("/api/admin/segments/{}", segment["id"]), Value::Null).await;
    let tx = app.tx().await;
    let new = NewChangeRequest { project: "shop", environment: "production", created_by: 1, min_approvals: 1 };
    let (draft, _) = change_requests::join_or_create(&tx, &new, app.clock.now()).await.expect("a draft");
    change_requests::delete_draft(&tx, draft.id).await.expect("deletes");
    app.commit(tx).await;
    let addon = done(&app.admin(), Method::POST, "/api/admin/addons", told_of("shop", "x")).await;
    done(&app.admin(), Method::DELETE, &format!("/api/admin/addons/{}", addon["id"]), Value::Null).await;
}

/// An integration that is told of a project.
pub fn told_of(project: &str, channel: &str) -> Value {
    json!({ "provider": "slack", "enabled": true, "description": channel, "projects": [project],
        "parameters": { "url": "http://127.0.0.1:9/", "defaultChannel": channel }, "events": ["feature-created"] })
}

pub async fn fill(app: &TestApp, founder: &Client) -> Secrets {
    let keeper = person(app, "keeper", role::VIEWER, None).await;
    app.token(TokenKind::Client, &["shop", PROJECT], "development", None).await;
    project(app, founder, keeper.user_id.expect("a person")).await;
    let field = json!({ "name": FIELD, "description": "canaryfieldtext", "stickiness": true,
        "legalValues": [{ "value": "canarylegalvalue" }] });
    done(founder, Method::POST, &format!("/api/admin/projects/{PROJECT}/context"), field).await;
    let (segment, strategy) = feature(founder).await;
    others(founder).await;
    for liked in [format!("{FEATURES}/{FEATURE}/favorites"), format!("/api/admin/projects/{PROJECT}/favorites")] {
        done(founder, Method::POST, &liked, Value::Null).await;
    }
    let tokens = format!("/api/admin/projects/{PROJECT}/api-tokens");
    let token = json!({ "tokenName": TOKEN, "type": "client", "environment": "development" });
    let secret = done(founder, Method::POST, &tokens, token).await["secret"].as_str().expect("a secret").to_owned();
    let of_project = done(founder, Method::GET, &tokens, Value::Null).await;
    let handle = of_project["tokens"].as_array().and_then(|tokens| tokens.last()).expect("a token")["secret"].clone();
    programs(app, founder, &app.with_authorization(&secret)).await;
    let mut addon = told_of(PROJECT, "canarychannel");
    addon["description"] = json!("canaryaddontext");
    let addon = done(founder, Method::POST, "/api/admin/addons", addon).await["id"].as_i64().expect("an id");
    request_changes(founder).await;
    Secrets { segment, addon, strategy, handle: handle.as_str().expect("a handle").to_owned() }
}

/// A change request that is in review, with a title and a comment.
async fn request_changes(founder: &Client) {
    let project = format!("/api/admin/projects/{PROJECT}");
    let (all, environment) = (format!("{project}/change-requests"), format!("{project}/environments/production"));
    let on = json!({ "changeRequestsEnabled": true });
    done(founder, Method::PUT, &format!("{environment}/change-requests/config"), on).await;
    let payload = json!({ "name": "flexibleRollout", "title": "canaryrequestedtitle" });
    let change = json!({ "feature": FEATURE, "action": "addStrategy", "payload": payload });
    let request = done(founder, Method::POST, &format!("{environment}/change-requests"), change).await;
    let request = format!("{all}/{}", request["id"]);
    done(founder, Method::PUT, &format!("{request}/title"), json!({ "title": "canaryrequesttitle" })).await;
    done(founder, Method::POST, &format!("{request}/comments"), json!({ "text": "canarycommenttext" })).await;
    done(founder, Method::PUT, &format!("{request}/state"), json!({ "state": "In review" })).await;
}

async fn project(app: &TestApp, founder: &Client, keeper: i64) {
    let now = app.clock.now();
    let tx = app.tx().await;
    let new = NewProject { mode: "private".to_owned(), ..NewProject::named(PROJECT, PROJECT) };
    store::projects::insert(&tx, &new, now).await.expect("a project");
    for environment in ["development", "production"] {
        connect(&tx, PROJECT, environment).await;
    }
    store::access::people::grant_project_role(&tx, PROJECT, keeper, role::OWNER, now).await.expect("a role");
    app.commit(tx).await;
    let path = format!("/api/admin/projects/{PROJECT}");
    let named = json!({ "name": "CanaryProjectName", "description": "canaryprojecttext", "mode": "private" });
    done(founder, Method::PUT, &path, named).await;
    let naming = json!({ "pattern": "canary.*", "example": "canarynamingexample", "description": "canarynamingtext" });
    let links = json!([{ "title": "canarylinktitle", "urlTemplate": "https://example.com/canarylinkaddress" }]);
    let settings = json!({ "mode": "private", "featureNaming": naming, "linkTemplates": links });
    done(founder, Method::PUT, &format!("{path}/settings"), settings).await;
    let strategy = json!({ "name": "flexibleRollout", "title": "canarydefaulttitle" });
    done(founder, Method::POST, &format!("{path}/environments/development/default-strategy"), strategy).await;
    let rule = json!({ "namePattern": "canaryreviewerpattern", "need": "any", "groups": [1] });
    let rules = format!("{path}/environments/production/change-requests/reviewers");
    done(founder, Method::PUT, &rules, json!({ "rules": [rule] })).await;
}

/// A constraint on the context field of the project.
pub fn of_field() -> Value {
    json!({ "contextName": FIELD, "operator": "IN", "values": ["canarylegalvalue"] })
}

/// The feature with everything that a feature can have; gives the ids of its segment and strategy.
async fn feature(founder: &Client) -> (i64, String) {
    let tags = json!([{ "type": "simple", "value": TAG }, { "type": "simple", "value": "gamma" }]);
    let new = json!({ "name": FEATURE, "description": "canaryfeaturetext", "tags": tags });
    done(founder, Method::POST, FEATURES, new).await;
    let of = |value: &str| json!({ "contextName": "userId", "operator": "IN", "values": [value] });
    let segment = json!({ "name": "canarysegmentname", "description": "canarysegmenttext", "project": PROJECT,
        "constraints": [of("canarysegmentvalue")] });
    let segment = done(founder, Method::POST, "/api/admin/segments", segment).await["id"].as_i64().expect("an id");
    let payload = json!({ "type": "string", "value": "canarypayload" });
    let variant = json!({ "name": "canaryvariant", "weight": 1000, "weightType": "variable", "payload": payload,
        "stickiness": "default" });
    let strategy = json!({ "name": "flexibleRollout", "title": "canarystrategytitle", "variants": [variant],
        "parameters": { "rollout": "50", "stickiness": "default", "groupId": "canarygroup" },
        "constraints": [of("canaryvalue"), of_field()], "segments": [1, segment] });
    let strategies = format!("{FEATURES}/{FEATURE}/environments/development/strategies");
    let strategy = done(founder, Method::POST, &strategies, strategy).await["id"].as_str().expect("an id").to_owned();
    done(founder, Method::POST, &strategies, json!({ "name": "byTime" })).await;
    for environment in ["development", "production"] {
        let on = format!("{FEATURES}/{FEATURE}/environments/{environment}/on");
        done(&founder.clone().sending(&[("x-change-reason", "canaryreason")]), Method::POST, &on, Value::Null).await;
    }
    let variants = json!([{ "name": "canaryvariant", "weight": 1000, "payload": payload }]);
    done(founder, Method::PUT, &format!("{FEATURES}/{FEATURE}/variants"), variants).await;
    (segment, strategy)
}

async fn others(founder: &Client) {
    for name in [CHILD, "canaryarchived"] {
        done(founder, Method::POST, FEATURES, json!({ "name": name })).await;
    }
    let dependency = json!({ "feature": FEATURE });
    done(founder, Method::POST, &format!("{FEATURES}/{CHILD}/dependencies"), dependency).await;
    done(founder, Method::DELETE, &format!("{FEATURES}/canaryarchived"), Value::Null).await;
    let tags = json!([{ "type": "simple", "value": "canarydeletedtag" }]);
    done(founder, Method::POST, FEATURES, json!({ "name": DELETED, "tags": tags })).await;
}

/// Programs that use the features, one that has only registered, and one whose feature is gone; and one that everybody
/// sees, because it uses another project, too.
async fn programs(app: &TestApp, founder: &Client, program: &Client) {
    report(program, APPLICATION, Some("canaryinstance"), &[FEATURE]).await;
    report(program, "canaryregistered", None, &[]).await;
    report(program, "canarygoneuser", None, &[DELETED]).await;
    report(program, "web", None, &[FEATURE, DELETED, "canaryunknownflag"]).await;
    flagstone::jobs::write_usage(&app.state).await.expect("writes");
    done(founder, Method::DELETE, &format!("{FEATURES}/{DELETED}"), Value::Null).await;
    done(founder, Method::DELETE, &format!("/api/admin/archive/{DELETED}"), Value::Null).await;
}
