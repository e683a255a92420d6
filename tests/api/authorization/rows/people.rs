use poem::http::Method;
use serde_json::{Value, json};

use crate::authorization::{
    access::{
        ADMIN,
        Access::{Authenticated, Instance, Open, SignedIn},
    },
    row::Row,
};

const PROVIDERS: &str = "/api/admin/auth/providers";

fn provider() -> Value {
    let settings = json!({ "clientId": "flagstone", "secret": "s3cret-of-the-provider" });
    json!({ "id": "google", "kind": "google", "label": "Google", "settings": settings })
}

fn another_provider() -> Value {
    let settings = json!({ "clientId": "flagstone", "secret": "s3cret", "serverUrl": "https://acme.okta.com" });
    json!({ "id": "okta", "kind": "okta", "label": "Okta", "settings": settings })
}

fn renamed() -> Value {
    let settings = json!({ "clientId": "flagstone", "secret": "********" });
    json!({ "label": "Staff", "icon": "people", "enabled": false, "settings": settings, "rules": {} })
}

fn settings_of_saml() -> Value {
    let certificate = include_str!("../../../saml/keys/provider.crt");
    json!({ "entityId": "e", "signOnUrl": "https://id.example.com", "certificate": certificate })
}

fn provider_of_saml() -> Value {
    json!({ "id": "contractors", "kind": "saml", "label": "Contractors", "settings": settings_of_saml() })
}

/// Of SAML, so that no provider is asked.
fn proposal() -> Value {
    json!({ "kind": "saml", "settings": settings_of_saml() })
}

fn with_provider(row: Row) -> Row {
    row.after(Method::POST, PROVIDERS, provider())
}

pub fn rows() -> Vec<Row> {
    [settings(), further_providers(), sign_in()].into_iter().flatten().collect()
}

fn settings() -> Vec<Row> {
    vec![
        Row::get("getProfile", "/api/admin/user/profile", Authenticated),
        Row::post(
            "setOidcSettings",
            "/api/admin/auth/oidc/settings",
            ADMIN,
            json!({ "enabled": true, "clientId": "flagstone", "secret": "s3cret-of-the-provider" }),
        )
        .leaves(&["setting-created"]),
        Row::get("getOidcSettings", "/api/admin/auth/oidc/settings", ADMIN),
        Row::post("setSamlSettings", "/api/admin/auth/saml/settings", ADMIN, json!({ "enabled": false }))
            .leaves(&["setting-created"]),
        Row::get("getSamlSettings", "/api/admin/auth/saml/settings", ADMIN),
        Row::post("login", "/auth/simple/login", Open, json!({ "username": "nobody", "password": "wrong" }))
            .answers(401),
        Row::get("getSignInPolicy", "/api/admin/auth/policy", Instance(&["UPDATE_AUTH_CONFIGURATION"])),
        Row::put("setSignInPolicy", "/api/admin/auth/policy", Instance(&["UPDATE_AUTH_CONFIGURATION"]), json!({ "samlIdpInitiated": false, "samlSignRequests": false, "oidcExtraScopes": ["offline"], "requireVerifiedEmail": true, "clockSkewSeconds": 60 }))
            .leaves(&["setting-created"]),
        Row::get("getOidcClientKeys", "/api/admin/auth/oidc/client-keys", ADMIN),
        Row::post("createOidcClientKey", "/api/admin/auth/oidc/client-keys", ADMIN, Value::Null)
            .answers(201)
            .leaves(&["setting-created"]),
        Row::delete("deleteOidcClientKey", "/api/admin/auth/oidc/client-keys/unknown", ADMIN).answers(404),
        Row::get("getOidcClientJwks", "/auth/oidc/jwks", Open),
    ]
}

fn further_providers() -> Vec<Row> {
    vec![
        Row::get("getSignInProviders", PROVIDERS, ADMIN),
        Row::post("createSignInProvider", PROVIDERS, ADMIN, provider()).answers(201).leaves(&["setting-created"]),
        with_provider(Row::get("getSignInProvider", "/api/admin/auth/providers/google", ADMIN)),
        with_provider(
            Row::put("updateSignInProvider", "/api/admin/auth/providers/google", ADMIN, renamed())
                .leaves(&["setting-updated"]),
        ),
        with_provider(Row::put(
            "setSignInProviderOrder",
            "/api/admin/auth/providers/sort-order",
            ADMIN,
            json!({ "ids": ["okta", "google"] }),
        ))
        .after(Method::POST, PROVIDERS, another_provider())
        .leaves(&["setting-updated"]),
        with_provider(
            Row::delete("deleteSignInProvider", "/api/admin/auth/providers/google", ADMIN).leaves(&["setting-deleted"]),
        ),
        Row::get("beginProviderSignIn", "/auth/providers/unknown/login?redirect=/projects&trial=x", Open).answers(404),
        Row::get("finishProviderSignIn", "/auth/providers/unknown/callback?code=x&state=x&iss=x&error=x", Open)
            .answers(404),
        Row::post("receiveProviderSamlResponse", "/auth/providers/unknown/acs", Open, json!({})).answers(404),
        Row::get("finishProviderSamlSignIn", "/auth/providers/unknown/acs?ticket=x", Open).answers(404),
        Row::get("getProviderSamlMetadata", "/auth/providers/unknown/metadata", Open).answers(404),
        // A form would get further; without a provider neither does.
        Row::post("providerBackChannelLogout", "/auth/providers/unknown/backchannel-logout", Open, json!({}))
            .answers(404),
        Row::get("providerSamlLogout", "/auth/providers/unknown/logout/done", Open).answers(404),
        Row::post("providerSamlLogoutByForm", "/auth/providers/unknown/logout/done", Open, json!({})).answers(404),
        Row::get("getSignInProviderMetadataRefresh", "/api/admin/auth/providers/contractors/metadata-refresh", ADMIN)
            .after(Method::POST, PROVIDERS, provider_of_saml()),
        Row::put(
            "setSignInProviderMetadataRefresh",
            "/api/admin/auth/providers/contractors/metadata-refresh",
            ADMIN,
            json!({ "enabled": false, "url": "https://id.example.com/metadata", "intervalHours": 12 }),
        )
        .after(Method::POST, PROVIDERS, provider_of_saml())
        .leaves(&["setting-updated"]),
        Row::post("trySignInProvider", "/api/admin/auth/providers/google/test", ADMIN, proposal()),
        Row::get("getSignInProviderTrial", "/api/admin/auth/providers/google/test/unknown", ADMIN).answers(404),
        Row::post("linkMyIdentity", "/api/admin/user/identities", SignedIn, json!({ "providerId": "unknown" }))
            .answers(400),
        Row::get("getMyIdentities", "/api/admin/user/identities", SignedIn),
        Row::post("deleteMyIdentity", "/api/admin/user/identities/unknown/remove", SignedIn, json!({})).answers(404),
    ]
}

fn sign_in() -> Vec<Row> {
    vec![
        Row::post(
            "tryOidcSettings",
            "/api/admin/auth/oidc/test",
            ADMIN,
            json!({ "enabled": true, "clientId": "flagstone", "secret": "s3cret-of-the-provider" }),
        ),
        Row::get("getOidcTrial", "/api/admin/auth/oidc/test/unknown", ADMIN).answers(404),
        Row::post(
            "trySamlSettings",
            "/api/admin/auth/saml/test",
            ADMIN,
            json!({ "enabled": true, "entityId": "e", "signOnUrl": "https://id.example.com", "certificate": "c" }),
        ),
        Row::get("getSamlTrial", "/api/admin/auth/saml/test/unknown", ADMIN).answers(404),
        Row::post("proposeSamlSettings", "/api/admin/auth/saml/metadata", ADMIN, json!({ "xml": "<none/>" }))
            .answers(400),
        Row::get("getSamlMetadataRefresh", "/api/admin/auth/saml/metadata-refresh", ADMIN),
        Row::put(
            "setSamlMetadataRefresh",
            "/api/admin/auth/saml/metadata-refresh",
            ADMIN,
            json!({ "enabled": false, "url": "https://id.example.com/metadata", "intervalHours": 12 }),
        )
        .leaves(&["setting-created"]),
        Row::get("getSignIns", "/api/admin/auth/sign-ins?errorId=x&before=9", Instance(&["READ_LOGS"])),
        Row::get("getLoginHistory", "/api/admin/logins", Instance(&["READ_LOGS"])),
        Row::get("beginOidcSignIn", "/auth/oidc/login?redirect=/projects&trial=x", Open).answers(404),
        Row::get("finishOidcSignIn", "/auth/oidc/callback?code=x&state=x&iss=x&error=x", Open).answers(404),
        // A form would get further; without a provider neither does.
        Row::post("oidcBackChannelLogout", "/auth/oidc/backchannel-logout", Open, json!({})).answers(404),
        Row::get("oidcFrontChannelLogout", "/auth/oidc/frontchannel-logout?iss=x&sid=x", Open).answers(404),
        Row::get("beginSamlSignIn", "/auth/saml/login?redirect=/projects&trial=x", Open).answers(404),
        Row::post("receiveSamlResponse", "/auth/saml/callback", Open, json!({})).answers(404),
        Row::get("finishSamlSignIn", "/auth/saml/callback?ticket=x", Open).answers(404),
        Row::get("getSamlMetadata", "/auth/saml/metadata", Open),
        Row::get("samlLogout", "/auth/saml/logout/done", Open).answers(404),
        Row::post("samlLogoutByForm", "/auth/saml/logout/done", Open, json!({})).answers(404),
        Row::get("signInWithLink", "/auth/link?token=x", Open).answers(401),
        Row::get("getSignInOptions", "/auth/options", Open),
        Row::new("logout", Method::POST, "/logout", Open).answers(302),
    ]
}
