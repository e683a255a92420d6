//! Permissions for every operation: a row for each of the document, and the events that each change leaves.

pub mod access;
mod foreign_pages;
pub mod row;
pub mod rows;
mod table;

use std::collections::BTreeSet;

use flagstone::{
    api::document::DOCUMENT,
    domain::{
        access_request::AccessRequest,
        preference::Preference as _,
        scim::Provisioning,
        secret::{self, TokenKind},
        sign_in::ProviderKey,
        time::Timestamp,
    },
    store::{
        entity::{role as role_entity, role_permission},
        preferences,
        sign_in::access_requests,
    },
};
use poem::http::Method;
use sea_orm::{ActiveValue::Set, EntityTrait};

use self::{
    access::{Access, Asker},
    row::Row,
};
use crate::harness::{Client, TestApp, role};

/// The token of the directory.
const DIRECTORY: &str = "scim-directory-of-the-tests";

async fn shop() -> TestApp {
    let app = TestApp::new().await;
    app.project("shop").await;
    app.feature("shop", "f").await;
    // Without an event, and with a token that is known.
    let tx = app.tx().await;
    let settings = Provisioning { enabled: true, token_hash: Some(secret::digest(DIRECTORY)) };
    preferences::put(&tx, Provisioning::ID, &settings, app.clock.now()).await.expect("a setting");
    access_requests::insert(&tx, &access_request(app.clock.now())).await.expect("a request");
    app.commit(tx).await;
    app
}

/// A request for access, whose id is 1.
fn access_request(now: Timestamp) -> AccessRequest {
    AccessRequest {
        id: 0,
        provider: ProviderKey::OIDC,
        issuer: "https://id.example.com".to_owned(),
        subject: "person-7".to_owned(),
        email: "joan@example.com".to_owned(),
        name: None,
        proves_owner: true,
        requested_at: now,
        last_requested_at: now,
        ends_at: now.plus_days(30),
        rejected_at: None,
    }
}

/// A shop with what the operation needs to be there.
pub async fn shop_for(row: &Row) -> TestApp {
    let app = shop().await;
    let founder = if row.given.is_empty() { app.admin() } else { app.root_admin().await };
    for step in &row.given {
        let answer = step.take(&founder).await;
        assert!(answer.status < 400, "before {}: {} {}", row.operation, step.path, answer.text);
    }
    app
}

async fn application(app: &TestApp, kind: TokenKind) -> Client {
    app.with_authorization(&app.token(kind, &["shop"], "development", None).await)
}

pub async fn client(app: &TestApp, asker: Asker) -> Client {
    match asker {
        Asker::Nobody => app.anonymous(),
        Asker::Directory => app.with_authorization(DIRECTORY),
        Asker::ClientToken => application(app, TokenKind::Client).await,
        Asker::FrontendToken => application(app, TokenKind::Frontend).await,
        Asker::Viewer => app.viewer().await,
        Asker::SignedIn => app.in_session(&app.viewer().await).await,
        Asker::Editor => app.editor().await,
        Asker::Member => app.member("shop").await,
        Asker::Owner => app.owner("shop").await,
        Asker::OwnerElsewhere => app.person(role::VIEWER, Some(("default", role::OWNER))).await,
        Asker::Administrator => app.root_admin().await,
        Asker::AdminToken => app.admin(),
    }
}

async fn refuse(app: &TestApp, row: &Row, client: &Client, status: u16, who: &str) {
    let before = app.event_types().await;
    let answer = row.call.take(client).await;
    assert_eq!(answer.status, status, "{} as {who}: {}", row.operation, answer.text);
    let names: &[&str] =
        if status == 401 { &["AuthenticationRequired"] } else { &["NoAccessError", "InvalidOperationError"] };
    let name = answer.body["name"].as_str().unwrap_or_default();
    // The protocol has a form of its own.
    let is_scim =
        matches!(row.access, Access::Directory) && answer.body["status"].as_str() == Some(status.to_string().as_str());
    assert!(is_scim || names.contains(&name), "{} as {who}: {}", row.operation, answer.text);
    assert_eq!(app.event_types().await, before, "{} refused", row.operation);
}

async fn admit(app: &TestApp, row: &Row, client: &Client, who: &str) {
    row.prepare(client).await;
    let before = app.event_types().await;
    let answer = row.call.take(client).await;
    assert_eq!(answer.status, row.success, "{} as {who}: {}", row.operation, answer.text);
    let after = app.event_types().await;
    assert_eq!(after[before.len()..], *row.events, "{} as {who}", row.operation);
}

#[tokio::test]
async fn every_operation_has_a_row() {
    let paths = DOCUMENT["paths"].as_object().expect("paths");
    let published: BTreeSet<&str> = paths
        .values()
        .flat_map(|item| item.as_object().expect("a path item").values())
        .map(|operation| operation["operationId"].as_str().expect("an operation id"))
        .collect();
    let rows = rows::all();
    let listed: BTreeSet<&str> = rows.iter().map(|row| row.operation).collect();
    assert_eq!(published, listed);
    assert_eq!(rows.len(), listed.len(), "an operation has two rows");
}

#[tokio::test]
async fn every_operation_refuses_whom_it_should_before_it_looks_at_anything() {
    let app = shop().await;
    for asker in Asker::ALL {
        let client = client(&app, asker).await;
        for row in rows::all() {
            if let Some(status) = row.access.refusal(asker) {
                refuse(&app, &row, &client, status, &format!("{asker:?}")).await;
            }
        }
        // What none of them had is forgotten, so that nobody is told to wait.
        app.clock.advance(60_000);
    }
}

#[tokio::test]
async fn every_read_lets_in_whom_it_should() {
    let common = shop().await;
    for row in rows::all().into_iter().filter(Row::is_read) {
        let own = if row.given.is_empty() { None } else { Some(shop_for(&row).await) };
        let app = own.as_ref().unwrap_or(&common);
        for asker in Asker::ALL {
            if row.access.refusal(asker).is_none() {
                admit(app, &row, &client(app, asker).await, &format!("{asker:?}")).await;
            }
        }
    }
}

#[tokio::test]
async fn every_write_lets_in_the_least_of_those_it_should_and_leaves_its_events() {
    for row in rows::all().into_iter().filter(|row| !row.is_read()) {
        let let_in: Vec<Asker> = Asker::ALL.into_iter().filter(|asker| row.access.refusal(*asker).is_none()).collect();
        // Where no permission is asked for, tokens that are nobody are another matter than people.
        let most = row.access.permissions().is_empty().then(|| let_in[let_in.len() - 1]);
        for asker in std::iter::once(let_in[0]).chain(most) {
            let app = shop_for(&row).await;
            admit(&app, &row, &client(&app, asker).await, &format!("{asker:?}")).await;
        }
    }
}

/// Somebody whose only role has these grants: in `shop` if they are for projects, in `development` if for environments.
pub async fn somebody_with(app: &TestApp, access: Access, permissions: &[&str]) -> Client {
    let (project, environment) = match access {
        Access::Development(_) => (Some("shop"), Some("development")),
        Access::Shop(_) => (Some("shop"), None),
        _ => (None, None),
    };
    let grants: Vec<_> = permissions.iter().map(|permission| (*permission, environment)).collect();
    somebody_granted(app, project, &grants).await
}

/// Somebody whose only role, in a project or in the instance, has these permissions, each in one environment or in all.
pub async fn somebody_granted(app: &TestApp, project: Option<&str>, grants: &[(&str, Option<&str>)]) -> Client {
    let id = role_granted(app, project.is_some(), grants).await;
    match project {
        Some(project) => app.person(role::VIEWER, Some((project, id))).await,
        None => app.person(id, None).await,
    }
}

/// A role for projects, or of the instance, with these permissions, each in one environment or in all; gives its id.
pub async fn role_granted(app: &TestApp, is_for_projects: bool, grants: &[(&str, Option<&str>)]) -> i64 {
    let tx = app.tx().await;
    let role = role_entity::ActiveModel {
        name: Set(flagstone::clock::new_uuid().to_string()),
        r#type: Set(if is_for_projects { "custom" } else { "root-custom" }.to_owned()),
        description: Set(String::new()),
        ..Default::default()
    };
    let id = role_entity::Entity::insert(role).exec_with_returning(&tx).await.expect("a role").id;
    let grants = grants.iter().map(|(permission, environment)| role_permission::ActiveModel {
        role_id: Set(id),
        permission: Set((*permission).to_owned()),
        environment: Set(environment.map(str::to_owned)),
        ..Default::default()
    });
    role_permission::Entity::insert_many(grants).exec_without_returning(&tx).await.expect("grants");
    app.commit(tx).await;
    id
}

#[tokio::test]
async fn every_permission_that_a_row_names_suffices_alone() {
    let common = shop().await;
    for row in rows::all().into_iter().filter(|row| row.alone_suffices) {
        for permission in row.access.permissions() {
            let shared = row.is_read() && row.given.is_empty();
            let own = if shared { None } else { Some(shop_for(&row).await) };
            let app = own.as_ref().unwrap_or(&common);
            let client = somebody_with(app, row.access, &[permission]).await;
            admit(app, &row, &client, permission).await;
        }
    }
}

#[tokio::test]
async fn all_other_permissions_together_do_not_suffice() {
    let app = shop().await;
    let all = flagstone::domain::permission::Permission::ALL;
    for row in rows::all() {
        let needs = row.access.permissions();
        if needs.is_empty() {
            continue;
        }
        let others: Vec<&str> = all
            .iter()
            .map(|permission| permission.as_str())
            .filter(|name| *name != "ADMIN" && !needs.contains(name))
            .collect();
        let client = somebody_with(&app, row.access, &others).await;
        refuse(&app, &row, &client, 403, "somebody with all other permissions").await;
    }
}

/// Operations that change nothing in spite of their method, or only what is the caller's own and no one else's
/// business. May only shrink.
const WITHOUT_EVENTS: &[&str] = &[
    "addPublicSignupTokenUser",
    // These tests know no passwords and no secrets of links: they are refused.
    "beginPasskeyRegistration",
    "beginTotpEnrolment",
    "changeMyPassword",
    "changePassword",
    "confirmTotpEnrolment",
    "removeMyPasskey",
    "removeMySecondFactor",
    "renewRecoveryCodes",
    // These tests have no passkey: tests/api/passkeys sees the events.
    "registerPasskey",
    "renameMyPasskey",
    // As signing in with a password.
    "beginPasskeyProof",
    "signInWithPasskey",
    "createFeedback",
    "deleteApplication",
    // No id of a key is known before there is one.
    "deleteOidcClientKey",
    // Nobody has any.
    "deleteMyIdentity",
    "deleteUserIdentities",
    "removeSecondFactorOfUser",
    "relinkUsers",
    // Nobody in the shop is away for so long.
    "deleteInactiveUsers",
    // Nor does a directory keep anybody there.
    "deleteScimGroups",
    "deleteScimUsers",
    "deprecatedSearchEvents",
    // As signing out, and nobody has one there.
    "endMyOtherSessions",
    "endMySession",
    // Its test makes a session that has an id.
    "endUserSession",
    "getAdvancedPlayground",
    "getChangeRequestPlayground",
    "getImpactOfChanges",
    "getPlayground",
    "login",
    "logout",
    // What somebody has read is their own business.
    "markNotificationsAsRead",
    // No provider is set up.
    "oidcBackChannelLogout",
    // Nothing is stored.
    "proposeSamlSettings",
    "receiveSamlResponse",
    "recordUiError",
    "samlLogoutByForm",
    // No provider stands beside the settings.
    "linkMyIdentity",
    "providerBackChannelLogout",
    "providerSamlLogoutByForm",
    "receiveProviderSamlResponse",
    // The caller had not marked the feature.
    "removeFavoriteFeature",
    // Nor the project.
    "removeFavoriteProject",
    // What a link changes is told when it is used.
    "resetUserPassword",
    "sendResetPasswordEmail",
    // The only setting that is possible is there already.
    "setSimpleSettings",
    // A trial changes nothing that counts.
    "tryOidcSettings",
    "trySignInProvider",
    // Deliveries are no changes.
    "redeliverIntegrationEvents",
    "testAddon",
    "trySamlSettings",
    "updateFeedback",
    "updateSplashSettings",
    "validateArchiveFeatures",
    "validateConstraint",
    "validateContextField",
    "validateContextFieldForProject",
    "validateEnvironmentName",
    "validateFeature",
    "validateImport",
    "validatePassword",
    "validateProject",
    "validateRole",
    "validateSegment",
    "validateTagType",
    "validateUserPassword",
    // Evaluations, which may describe somebody in the body.
    "evaluateFlag",
    "evaluateFlags",
    "postFrontendFeatures",
    // Reports of usage are written later.
    "bulkMetrics",
    "clientBulkMetrics",
    "edgeInstanceHeartbeat",
    "getValidTokens",
    "registerClientApplication",
    "registerClientMetrics",
    "registerEdgeInstance",
    "registerFrontendClient",
    "registerFrontendMetrics",
];

#[test]
fn every_change_names_its_events() {
    for row in rows::all().into_iter().filter(|row| row.call.method != Method::GET) {
        assert_eq!(row.events.is_empty(), WITHOUT_EVENTS.contains(&row.operation), "{}", row.operation);
    }
}
