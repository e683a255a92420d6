use poem::http::Method;
use serde_json::{Value, json};

use crate::authorization::{
    access::{
        ADMIN,
        Access::{Authenticated, Instance},
    },
    row::Row,
};

const ADDONS: &str = "/api/admin/addons";
const FIRST: &str = "/api/admin/addons/1";

/// Nobody listens there.
fn webhook(description: &str) -> Value {
    json!({
        "provider": "webhook", "enabled": true, "description": description,
        "parameters": { "url": "http://127.0.0.1:9/hook" }, "events": ["feature-created"], "projects": ["shop"],
    })
}

/// A call on the one integration that there is.
fn on_first(row: Row) -> Row {
    row.after(Method::POST, ADDONS, webhook("first"))
}

pub fn rows() -> Vec<Row> {
    let (create, update, delete) =
        (Instance(&["CREATE_ADDON"]), Instance(&["UPDATE_ADDON"]), Instance(&["DELETE_ADDON"]));
    vec![
        Row::get("getAddons", ADDONS, Authenticated),
        Row::post("createAddon", ADDONS, create, webhook("new")).answers(201).leaves(&["addon-config-created"]),
        on_first(Row::get("getAddon", FIRST, Authenticated)),
        on_first(Row::put("updateAddon", FIRST, update, webhook("changed"))).leaves(&["addon-config-updated"]),
        on_first(Row::delete("deleteAddon", FIRST, delete)).leaves(&["addon-config-deleted"]),
        on_first(Row::get("getIntegrationEvents", "/api/admin/addons/1/events", ADMIN)),
        on_first(Row::post("redeliverIntegrationEvents", "/api/admin/addons/1/redeliver", update, json!({}))),
        on_first(Row::post("testAddon", "/api/admin/addons/1/test", update, json!({}))),
    ]
}
