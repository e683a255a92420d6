use poem::http::Method;
use serde_json::json;

use crate::authorization::{
    access::{
        ADMIN,
        Access::{Authenticated, Open},
    },
    row::Row,
};

pub fn rows() -> Vec<Row> {
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
        Row::new("logout", Method::POST, "/logout", Open).answers(302),
    ]
}
