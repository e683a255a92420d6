use poem::http::Method;
use serde_json::json;

use crate::authorization::{
    access::{
        ADMIN,
        Access::{Authenticated, Instance, Open, Person, SignedIn},
    },
    row::Row,
};

const USERS: &str = "/api/admin/user-admin";
const LINKS: &str = "/api/admin/invite-link/tokens";
const ACCOUNTS: &str = "/api/admin/service-account";
const PROVIDERS: &str = "/api/admin/auth/providers";
const IDENTITIES: &str = "/api/admin/user-admin/2/identities";
const STRONG: &str = "Correct-horse-1";

/// With a user whose id is 2: the administrator who makes them is the first.
fn with_user(row: Row) -> Row {
    row.after(Method::POST, USERS, json!({ "username": "ada", "rootRole": 3 }))
}

/// With an identity of that user, whose id is the digest of its subject.
fn with_identity(row: Row) -> Row {
    let settings = json!({ "clientId": "flagstone", "secret": "s3cret-of-the-provider" });
    let provider = json!({ "id": "google", "kind": "google", "label": "Google", "settings": settings });
    let identity = json!({ "providerId": "google", "subject": "118200000000000000042" });
    with_user(row).after(Method::POST, PROVIDERS, provider).after(Method::POST, IDENTITIES, identity)
}

/// With that user signed in.
fn with_session(row: Row) -> Row {
    let user = json!({ "username": "ada", "password": STRONG, "rootRole": 3 });
    let sign_in = json!({ "username": "ada", "password": STRONG });
    row.after(Method::POST, USERS, user).after(Method::POST, "/auth/simple/login", sign_in)
}

/// With a sign-up link whose id is 1.
fn with_link(row: Row) -> Row {
    row.after(Method::POST, LINKS, json!({ "name": "welcome", "expiresAt": "2026-02-01T00:00:00.000Z" }))
}

pub fn rows() -> Vec<Row> {
    [
        users(),
        account_policy(),
        sessions(),
        passwords(),
        second_factors(),
        passkeys(),
        own(),
        links(),
        service_accounts(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn users() -> Vec<Row> {
    let one = "/api/admin/user-admin/2";
    vec![
        Row::get("getUsers", USERS, ADMIN),
        Row::post("createUser", USERS, ADMIN, json!({ "username": "ada", "rootRole": "Viewer" }))
            .answers(201)
            .leaves(&["user-created"]),
        with_user(Row::get("getUser", one, ADMIN)),
        with_user(Row::put("updateUser", one, ADMIN, json!({ "name": "Ada" })).leaves(&["user-updated"])),
        with_user(Row::delete("deleteUser", one, ADMIN).leaves(&["user-deleted"])),
        Row::get("searchUsers", "/api/admin/user-admin/search?q=ada", Authenticated),
        Row::get("getBaseUsersAndGroups", "/api/admin/user-admin/access", Authenticated),
        Row::get("getAdminCount", "/api/admin/user-admin/admin-count", ADMIN),
        with_user(Row::get("getUserPermissions", "/api/admin/user-admin/2/permissions?project=shop", ADMIN)),
        // Of the administrator who makes the user.
        with_user(Row::get("getUserPats", "/api/admin/user-admin/1/tokens", ADMIN)),
        with_user(Row::delete("deleteUserPat", "/api/admin/user-admin/1/tokens/1", ADMIN).leaves(&["pat-deleted"])),
        with_user(Row::get("getUserIdentities", IDENTITIES, ADMIN)),
        Row::post("relinkUsers", "/api/admin/user-admin/identities/relink", ADMIN, json!({ "provider": "oidc" })),
        with_user(
            Row::post(
                "linkUserIdentity",
                IDENTITIES,
                ADMIN,
                json!({ "providerId": "google", "subject": "118200000000000000042" }),
            )
            .after(
                Method::POST,
                PROVIDERS,
                json!({
                    "id": "google", "kind": "google", "label": "Google",
                    "settings": { "clientId": "flagstone", "secret": "s3cret-of-the-provider" },
                }),
            )
            .leaves(&["user-updated"]),
        ),
        with_user(Row::delete("deleteUserIdentities", IDENTITIES, ADMIN)),
        with_identity(
            Row::delete(
                "deleteUserIdentity",
                "/api/admin/user-admin/2/identities/b95cf69ce00173f7363a68672920c074dd48a9193c13755ee80dfd177dd69a61",
                ADMIN,
            )
            .leaves(&["user-updated"]),
        ),
        Row::get("getUserAccessRequests", "/api/admin/user-access-requests", ADMIN),
        Row::post(
            "approveUserAccessRequest",
            "/api/admin/user-access-requests/1/approve",
            ADMIN,
            json!({ "rootRole": "Viewer" }),
        )
        .after(
            Method::POST,
            "/api/admin/auth/oidc/settings",
            json!({ "enabled": true, "clientId": "flagstone", "secret": "s3cret-of-the-provider" }),
        )
        .answers(201)
        .leaves(&["user-created", "user-access-request-approved"]),
        Row::delete("rejectUserAccessRequest", "/api/admin/user-access-requests/1", ADMIN)
            .leaves(&["user-access-request-rejected"]),
        Row::get("getInactiveUsers", "/api/admin/user-admin/inactive", ADMIN),
        Row::post("deleteInactiveUsers", "/api/admin/user-admin/inactive/delete", ADMIN, json!({ "ids": [1] })),
    ]
}

fn sessions() -> Vec<Row> {
    let all = "/api/admin/user-sessions";
    vec![
        with_session(Row::get("getUserSessions", all, ADMIN)),
        with_session(Row::delete("endUserSessions", all, ADMIN).leaves(&["user-updated"])),
        // Its id is half of a digest that these tests do not know.
        Row::delete("endUserSession", "/api/admin/user-sessions/00000000000000000000000000000000", ADMIN).answers(404),
        with_session(Row::get("getSessionsOfUser", "/api/admin/user-admin/2/sessions", ADMIN)),
        with_session(Row::delete("endSessionsOfUser", "/api/admin/user-admin/2/sessions", ADMIN))
            .leaves(&["user-updated"]),
        Row::get("getMySessions", "/api/admin/user/sessions", Person),
        Row::delete("endMyOtherSessions", "/api/admin/user/sessions", Person),
        Row::delete("endMySession", "/api/admin/user/sessions/00000000000000000000000000000000", Person).answers(404),
    ]
}

fn passwords() -> Vec<Row> {
    let strong = json!({ "password": STRONG });
    vec![
        with_user(Row::post("changeUserPassword", "/api/admin/user-admin/2/change-password", ADMIN, strong.clone()))
            .leaves(&["user-updated"]),
        with_user(Row::post("resetUserPassword", "/api/admin/user-admin/reset-password", ADMIN, json!({ "id": 2 }))),
        Row::post("validateUserPassword", "/api/admin/user-admin/validate-password", ADMIN, strong.clone()),
        Row::get("validateToken", "/auth/reset/validate?token=unknown", Open).answers(401),
        Row::post("changePassword", "/auth/reset/password", Open, json!({ "token": "unknown", "password": STRONG }))
            .answers(401),
        Row::post("sendResetPasswordEmail", "/auth/reset/password-email", Open, json!({ "email": "ada@example.com" })),
        Row::post("validatePassword", "/auth/reset/validate-password", Open, strong),
        Row::get("getSimpleSettings", "/api/admin/auth/simple/settings", Instance(&["UPDATE_AUTH_CONFIGURATION"])),
        Row::post(
            "setSimpleSettings",
            "/api/admin/auth/simple/settings",
            Instance(&["UPDATE_AUTH_CONFIGURATION"]),
            json!({ "disabled": false }),
        ),
    ]
}

fn account_policy() -> Vec<Row> {
    let path = "/api/admin/account-policy";
    let policy = json!({
        "personalTokensAllowed": true, "personalTokenDays": 90, "serviceAccountTokenDays": null, "inactiveUserDays": 90,
    });
    vec![
        Row::get("getAccountPolicy", path, ADMIN),
        Row::put("setAccountPolicy", path, ADMIN, policy).leaves(&["setting-created"]),
        Row::get("getExpiringUsers", "/api/admin/account-policy/expiring-users", ADMIN),
    ]
}

/// The signed-in viewer of these tests has no password, and so nothing to enrol or to prove.
fn second_factors() -> Vec<Row> {
    let (own, policy) = ("/api/admin/user/second-factor", "/api/admin/auth/second-factor");
    let code = json!({ "code": "123456" });
    vec![
        Row::get("getMySecondFactor", own, SignedIn),
        Row::post("beginTotpEnrolment", "/api/admin/user/second-factor/totp", SignedIn, json!({ "password": "wrong" }))
            .answers(401),
        Row::post("confirmTotpEnrolment", "/api/admin/user/second-factor/totp/confirm", SignedIn, code.clone())
            .answers(404),
        Row::post("renewRecoveryCodes", "/api/admin/user/second-factor/recovery-codes", SignedIn, code).answers(404),
        Row::post(
            "removeMySecondFactor",
            "/api/admin/user/second-factor/remove",
            SignedIn,
            json!({ "password": "wrong", "code": "123456" }),
        )
        .answers(401),
        with_user(Row::delete("removeSecondFactorOfUser", "/api/admin/user-admin/2/second-factor", ADMIN)),
        Row::get("getSecondFactorPolicy", policy, Instance(&["UPDATE_AUTH_CONFIGURATION"])),
        Row::put(
            "setSecondFactorPolicy",
            policy,
            Instance(&["UPDATE_AUTH_CONFIGURATION"]),
            json!({ "requiredOf": "root-roles" }),
        )
        .leaves(&["setting-created"]),
    ]
}

/// The address of these tests' server allows no passkeys, which is told of before anything is asked about one.
fn passkeys() -> Vec<Row> {
    let answer = json!({
        "challengeId": "unknown",
        "credential": {
            "id": "AAAA",
            "response": {
                "clientDataJSON": "AAAA", "authenticatorData": "AAAA", "signature": "AAAA", "userHandle": "AAAA",
            },
        },
    });
    let registration = json!({
        "challengeId": "unknown",
        "name": "Phone",
        "credential": { "id": "AAAA", "response": { "clientDataJSON": "AAAA", "attestationObject": "AAAA" } },
    });
    let passkeys = "/api/admin/user/passkeys";
    vec![
        Row::get("getMyPasskeys", passkeys, SignedIn),
        Row::post(
            "beginPasskeyRegistration",
            "/api/admin/user/passkey-registrations",
            SignedIn,
            json!({ "password": "wrong" }),
        )
        .answers(422),
        Row::post("registerPasskey", passkeys, SignedIn, registration).answers(422),
        Row::put("renameMyPasskey", "/api/admin/user/passkeys/1", SignedIn, json!({ "name": "Phone" })).answers(404),
        Row::post(
            "removeMyPasskey",
            "/api/admin/user/passkeys/1/remove",
            SignedIn,
            json!({ "password": "wrong", "code": "123456" }),
        )
        .answers(401),
        Row::new("beginPasskeyProof", Method::POST, "/auth/passkey/challenge", Open).answers(422),
        Row::post("signInWithPasskey", "/auth/passkey/login", Open, answer).answers(422),
    ]
}

fn own() -> Vec<Row> {
    let change = json!({ "oldPassword": "wrong", "password": STRONG });
    vec![
        Row::get("getMe", "/api/admin/user", Authenticated),
        Row::post("changeMyPassword", "/api/admin/user/change-password", Person, change).answers(401),
        Row::get("getUserRoles", "/api/admin/user/roles?projectId=shop", Authenticated),
    ]
}

fn links() -> Vec<Row> {
    let one = "/api/admin/invite-link/tokens/1";
    let new = json!({ "name": "welcome", "expiresAt": "2026-02-01T00:00:00.000Z" });
    let signup = json!({ "email": "ada@example.com", "name": "Ada", "password": STRONG });
    vec![
        Row::get("getAllPublicSignupTokens", LINKS, ADMIN),
        Row::post("createPublicSignupToken", LINKS, ADMIN, new).answers(201).leaves(&["public-signup-token-created"]),
        with_link(Row::get("getPublicSignupToken", one, ADMIN)),
        with_link(Row::put("updatePublicSignupToken", one, ADMIN, json!({ "enabled": false })))
            .leaves(&["public-signup-token-updated"]),
        Row::get("validatePublicSignupToken", "/invite/unknown/validate", Open).answers(400),
        Row::post("addPublicSignupTokenUser", "/invite/unknown/signup", Open, signup).answers(400),
    ]
}

/// With a service account whose id is 2: the administrator who makes it is the first.
fn with_account(row: Row) -> Row {
    row.after(Method::POST, ACCOUNTS, json!({ "name": "Deployer", "username": "deployer", "rootRole": 3 }))
}

fn service_accounts() -> Vec<Row> {
    let (one, tokens) = ("/api/admin/service-account/2", "/api/admin/service-account/2/token");
    let token = json!({ "description": "pipeline", "expiresAt": "2026-02-01T00:00:00.000Z" });
    vec![
        Row::get("getServiceAccounts", ACCOUNTS, ADMIN),
        Row::post(
            "createServiceAccount",
            ACCOUNTS,
            ADMIN,
            json!({ "name": "Deployer", "username": "deployer", "rootRole": "Viewer" }),
        )
        .answers(201)
        .leaves(&["service-account-created"]),
        with_account(Row::put("updateServiceAccount", one, ADMIN, json!({ "name": "Robot" })))
            .leaves(&["service-account-updated"]),
        with_account(Row::delete("deleteServiceAccount", one, ADMIN)).leaves(&["service-account-deleted"]),
        with_account(Row::get(
            "getServiceAccountPermissions",
            "/api/admin/service-account/2/permissions?project=shop",
            ADMIN,
        )),
        with_account(Row::get("getServiceAccountTokens", tokens, ADMIN)),
        with_account(Row::post("createServiceAccountToken", tokens, ADMIN, token.clone()))
            .answers(201)
            .leaves(&["pat-created"]),
        // The administrator has the first token.
        with_account(Row::delete("deleteServiceAccountToken", "/api/admin/service-account/2/token/2", ADMIN))
            .after(Method::POST, tokens, token)
            .leaves(&["pat-deleted"]),
    ]
}
