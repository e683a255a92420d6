//! Every operation of the document that writes, by what the guard makes of it.

use flagstone::api::document::DOCUMENT;
use poem::http::Method;
use serde_json::{Value, json};

use crate::authorization::{access::Access, row::Row, rows};

/// Scope by which a call is guarded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// The environment `development`: `SKIP_CHANGE_REQUEST` there passes.
    Environment,
    /// The project `shop`: only administrators pass.
    Project,
    /// The project `shop`: no one passes.
    Nobody,
}

/// Operations that change one environment, or each of several, as their rows call them.
const ENVIRONMENT: &[&str] = &[
    "addFeatureStrategy",
    "updateFeatureStrategy",
    "patchFeatureStrategy",
    "deleteFeatureStrategy",
    "setStrategySortOrder",
    "updateFeatureStrategySegments",
    "toggleFeatureEnvironmentOn",
    "toggleFeatureEnvironmentOff",
    "bulkToggleFeaturesEnvironmentOn",
    "bulkToggleFeaturesEnvironmentOff",
    "overwriteFeatureVariants",
    "patchFeatureVariants",
    "overwriteEnvironmentFeatureVariants",
    "patchEnvironmentsFeatureVariants",
    "overwriteFeatureVariantsOnEnvironments",
    // What the project's features had there would be gone.
    "removeEnvironmentFromProject",
    // An approved request that switches on adds it.
    "addDefaultStrategyToProjectEnvironment",
];

/// Operations that change all environments of a project.
const PROJECT: &[&str] = &[
    "archiveFeature",
    "archiveFeatures",
    "addFeatureDependency",
    "deleteFeatureDependency",
    "deleteFeatureDependencies",
    // The row moves the feature out; moving in has a test of its own.
    "changeProject",
];

/// Operations that no one may use while changes need approval.
const NOBODY: &[&str] = &["cloneFeature"];

/// Operations that become a change request.
const REQUESTED: &[&str] = &["importFeatures"];

/// Operations that are guarded for some calls, by rows that are written here.
const SOMETIMES: &[&str] = &["updateFeature", "patchFeature", "updateSegment", "removeSegment"];

/// Operations that the guard does not look at, with the reason.
const UNGUARDED: &[(&str, &[&str])] = &[
    ("a new feature is off everywhere", &["createFeature"]),
    ("what is archived reaches no program", &["deleteFeature", "deleteFeatures"]),
    ("what is revived is off everywhere", &["reviveFeature", "reviveFeatures"]),
    (
        "it describes the feature, and decides for nobody whether it is on",
        &[
            "staleFeatures",
            "complete",
            "uncomplete",
            "createFeatureLink",
            "updateFeatureLink",
            "deleteFeatureLink",
            "addTag",
            "updateTags",
            "removeTag",
            "addTagToFeatures",
            "createTag",
            "deleteTag",
            "createTagType",
            "updateTagType",
            "deleteTagType",
            "updateFeatureTypeLifetime",
        ],
    ),
    (
        "it is the caller's own",
        &["addFavoriteFeature", "removeFavoriteFeature", "addFavoriteProject", "removeFavoriteProject"],
    ),
    (
        "it asks for changes, which others must approve, or for less; applying them keeps to the guard by their approvals",
        &[
            "changeRequest",
            "editChange",
            "discardChange",
            "deleteChangeRequest",
            "addChangeRequestComment",
            "updateChangeRequestTitle",
            "updateRequestedApprovers",
            "updateChangeRequestState",
        ],
    ),
    ("it says where changes need approval, as its permission allows", &["updateProjectChangeRequestConfig"]),
    (
        "it changes nothing",
        &[
            "getChangeRequestPlayground",
            "getImpactOfChanges",
            "validateArchiveFeatures",
            "validateFeature",
            "validateConstraint",
            "validateSegment",
            "validateContextField",
            "validateContextFieldForProject",
            "validateTagType",
            "validateProject",
            "validateEnvironmentName",
            "validateImport",
            "exportFeatures",
            "validateRole",
            "validatePassword",
            "validateUserPassword",
            "deprecatedSearchEvents",
            "recordUiError",
            "getPlayground",
            "getAdvancedPlayground",
            "postFrontendFeatures",
            "evaluateFlags",
            "evaluateFlag",
        ],
    ),
    ("no strategy applies a new segment", &["createSegment"]),
    (
        "strategies keep what they have: it is the choice of later ones, and what is in use is not deleted",
        &[
            "createStrategy",
            "updateStrategy",
            "removeStrategy",
            "deprecateStrategy",
            "reactivateStrategy",
            "createContextField",
            "updateContextField",
            "deleteContextField",
            "updateContextFieldLegalValue",
            "deleteContextFieldLegalValue",
            "createContextFieldForProject",
            "updateContextFieldForProject",
            "deleteContextFieldForProject",
            "updateContextFieldLegalValueForProject",
            "deleteContextFieldLegalValueForProject",
        ],
    ),
    (
        "a project without features in use has nothing to guard",
        &["deleteProject", "archiveProject", "reviveProject", "createProject"],
    ),
    (
        "it changes no feature of the project",
        &["updateProject", "updateProjectEnterpriseSettings", "setRequiredReviewers"],
    ),
    ("features are off in an environment that is new to their project", &["addEnvironmentToProject"]),
    (
        "only administrators may, who pass the guard",
        &[
            "createEnvironment",
            "removeEnvironment",
            "updateEnvironment",
            "cloneEnvironment",
            "updateSortOrder",
            "toggleEnvironmentOn",
            "toggleEnvironmentOff",
        ],
    ),
    (
        "it is about users and their rights",
        &[
            "addAccessToProject",
            "setProjectAccess",
            "setRolesForUser",
            "removeUserAccess",
            "setRolesForGroup",
            "removeGroupAccess",
            "addRoleAccessToProject",
            "addRoleToUser",
            "changeRoleForUser",
            "removeRoleForUser",
            "addRoleToGroup",
            "changeRoleForGroup",
            "removeRoleFromGroup",
            "createUser",
            "updateUser",
            "deleteUser",
            "deleteInactiveUsers",
            "deleteUserIdentities",
            "deleteUserIdentity",
            "relinkUsers",
            "changeUserPassword",
            "resetUserPassword",
            "deleteUserPat",
            "removeSecondFactorOfUser",
            "beginTotpEnrolment",
            "confirmTotpEnrolment",
            "renewRecoveryCodes",
            "removeMySecondFactor",
            "beginPasskeyRegistration",
            "registerPasskey",
            "renameMyPasskey",
            "removeMyPasskey",
            "endMyOtherSessions",
            "endMySession",
            "endSessionsOfUser",
            "endUserSession",
            "endUserSessions",
            "createServiceAccount",
            "updateServiceAccount",
            "deleteServiceAccount",
            "createServiceAccountToken",
            "deleteServiceAccountToken",
            "createGroup",
            "updateGroup",
            "deleteGroup",
            "createRole",
            "updateRole",
            "deleteRole",
            "login",
            "logout",
            "beginPasskeyProof",
            "signInWithPasskey",
            "setOidcSettings",
            "setSamlSettings",
            "proposeSamlSettings",
            "setSamlMetadataRefresh",
            "createOidcClientKey",
            "deleteOidcClientKey",
            "createSignInProvider",
            "updateSignInProvider",
            "deleteSignInProvider",
            "setSignInProviderOrder",
            "linkMyIdentity",
            "deleteMyIdentity",
            "linkUserIdentity",
            "approveUserAccessRequest",
            "rejectUserAccessRequest",
            "tryOidcSettings",
            "trySamlSettings",
            "trySignInProvider",
            "setSignInProviderMetadataRefresh",
            "changePassword",
            "sendResetPasswordEmail",
            "setSimpleSettings",
            "setSignInPolicy",
            "setSecondFactorPolicy",
            "setAccountPolicy",
            "oidcBackChannelLogout",
            "receiveSamlResponse",
            "receiveProviderSamlResponse",
            "samlLogoutByForm",
            "providerBackChannelLogout",
            "providerSamlLogoutByForm",
            "addPublicSignupTokenUser",
            "createPublicSignupToken",
            "updatePublicSignupToken",
            "setScimSettings",
            "generateScimToken",
            "createScimDirectory",
            "generateScimDirectoryToken",
            "deleteScimDirectory",
            "createScimUser",
            "replaceScimUser",
            "changeScimUser",
            "deleteScimUser",
            "createScimGroup",
            "replaceScimGroup",
            "changeScimGroup",
            "deleteScimGroup",
            "applyScimBulk",
            "linkUserToDirectory",
            "unlinkUserFromDirectory",
            "linkGroupToDirectory",
            "unlinkGroupFromDirectory",
            "deleteScimUsers",
            "deleteScimGroups",
            "changeMyPassword",
            "updateSplashSettings",
            "createFeedback",
            "updateFeedback",
            "markNotificationsAsRead",
            "createPat",
            "deletePat",
        ],
    ),
    (
        "it is about programs and what they report",
        &[
            "createProjectApiToken",
            "deleteProjectApiToken",
            "createApiToken",
            "updateApiToken",
            "deleteApiToken",
            "getValidTokens",
            "bulkMetrics",
            "registerEdgeInstance",
            "edgeInstanceHeartbeat",
            "registerFrontendClient",
            "registerFrontendMetrics",
            "registerClientApplication",
            "registerClientMetrics",
            "clientBulkMetrics",
            "createApplication",
            "deleteApplication",
        ],
    ),
    (
        "it is about the instance and other systems",
        &[
            "setLogLevel",
            "resetLogLevel",
            "toggleMaintenance",
            "setUiConfig",
            "setCors",
            "createFreezeWindow",
            "updateFreezeWindow",
            "deleteFreezeWindow",
            "createBanner",
            "updateBanner",
            "deleteBanner",
            "showBanner",
            "hideBanner",
            "createAddon",
            "updateAddon",
            "deleteAddon",
            "redeliverIntegrationEvents",
            "testAddon",
        ],
    ),
];

/// Calls that the guard stands before.
pub fn guarded() -> Vec<(Scope, Row)> {
    let scope = |row: &Row| {
        let is_in = |list: &[&str]| list.contains(&row.operation);
        let scopes = [(ENVIRONMENT, Scope::Environment), (PROJECT, Scope::Project), (NOBODY, Scope::Nobody)];
        scopes.into_iter().find(|(list, _)| is_in(list)).map(|(_, scope)| scope)
    };
    let rows = rows::all().into_iter().filter_map(|row| Some((scope(&row)?, row)));
    rows.chain(sometimes().into_iter().map(|row| (Scope::Project, row))).collect()
}

/// Calls that the guard does not refuse.
pub fn unguarded() -> Vec<Row> {
    let is_guarded = |row: &Row| [ENVIRONMENT, PROJECT, NOBODY].iter().any(|list| list.contains(&row.operation));
    rows::all().into_iter().filter(|row| !row.is_read() && !is_guarded(row)).collect()
}

fn sometimes() -> Vec<Row> {
    const FEATURE: &str = "/api/admin/projects/shop/features/f";
    const SEGMENTS: &str = "/api/admin/segments";
    const SEGMENT: &str = "/api/admin/segments/1";
    let segment = |project: Value| json!({ "name": "staff", "project": project, "constraints": [] });
    let of_shop = |row: Row| row.after(Method::POST, SEGMENTS, segment("shop".into())).answers(204);
    let update = |project: Value| {
        Row::put("updateSegment", SEGMENT, Access::Instance(&["UPDATE_SEGMENT"]), segment(project))
            .leaves(&["segment-updated"])
    };
    let archive = json!([{ "op": "replace", "path": "/archived", "value": true }]);
    let changed = json!({ "name": "staff", "description": "Ours", "project": "shop", "constraints": [] });
    vec![
        Row::put("updateFeature", FEATURE, Access::Shop(&["UPDATE_FEATURE"]), json!({ "archived": true })),
        Row::patch("patchFeature", FEATURE, Access::Shop(&["UPDATE_FEATURE"]), archive),
        of_shop(update("shop".into()).body(changed)),
        // Out of the project, and into it.
        of_shop(update(Value::Null)),
        update("shop".into()).after(Method::POST, SEGMENTS, segment(Value::Null)).answers(204),
        of_shop(Row::delete("removeSegment", SEGMENT, Access::Instance(&["DELETE_SEGMENT"]))),
    ]
}

#[test]
fn every_operation_that_writes_is_classified() {
    let paths = DOCUMENT["paths"].as_object().expect("paths");
    let operations = paths.values().flat_map(|item| item.as_object().expect("a path item"));
    let mut published: Vec<&str> = operations
        .filter(|(method, _)| *method != "get")
        .map(|(_, operation)| operation["operationId"].as_str().expect("an operation id"))
        .collect();
    let free = UNGUARDED.iter().flat_map(|(_, operations)| *operations);
    let mut classified: Vec<&str> = [ENVIRONMENT, PROJECT, NOBODY, REQUESTED, SOMETIMES].concat();
    let guards = classified.len();
    classified.extend(free);
    published.sort_unstable();
    classified.sort_unstable();
    assert_eq!(classified, published);
    assert_eq!(guards, 29);
    println!("{guards} of {} operations that write are guarded, in {} calls", published.len(), guarded().len());
}
