//! People and tokens, as far as the API has them.

use flagstone_domain::token::id_in_handle;
use serde_json::{Value, json};

use super::{Answers, items, row, text};
use crate::{Finding, rows::Tables};

pub(super) fn read(answers: &Answers, tables: &mut Tables, findings: &mut Vec<Finding>) {
    roles(&answers.users, tables, findings);
    for user in items(&answers.users, "users") {
        if !user["rootRole"].is_null() {
            tables.add("role_user", json!({ "user_id": user["id"], "role_id": user["rootRole"] }));
        }
        tables.add("users", row(user));
    }
    for token in items(&answers.api_tokens, "tokens") {
        api_token(token, tables, findings);
    }
    for link in items(&answers.signup_links, "tokens") {
        for user in items(link, "users") {
            let row = json!({ "secret": link["secret"], "user_id": user["id"] });
            tables.add("public_signup_tokens_user", row);
        }
        tables.add("public_signup_tokens", row(link));
    }
    for (kind, reason) in [
        ("personal tokens", "the API tells nobody's: people make new ones"),
        ("groups", "the API of the open edition tells none; make them anew, or move in from the database"),
        (
            "access to projects",
            "the API of the open edition does not tell it; give it anew, or move in from the database",
        ),
    ] {
        findings.push(Finding::left_out(kind, "all", reason));
    }
}

/// Takes every role that is listed as one for the whole instance, whatever its type.
fn roles(answer: &Value, tables: &mut Tables, findings: &mut Vec<Finding>) {
    for role in items(answer, "rootRoles") {
        let mut row = row(role);
        if text(role, "type") != "root" {
            let reason = "the API does not tell what it lets its holders do: here it lets them do nothing yet";
            findings.push(Finding::changed("role", text(role, "name"), reason));
            if let Some(members) = row.as_object_mut() {
                members.insert("type".to_owned(), json!("root-custom"));
            }
        }
        tables.add("roles", row);
    }
}

fn api_token(token: &Value, tables: &mut Tables, findings: &mut Vec<Finding>) {
    // A server that keeps digests alone tells something else in the place of a secret.
    if token["secure"] == true || id_in_handle(&text(token, "secret")).is_some() {
        let name =
            Some(text(token, "tokenName")).filter(|name| !name.is_empty()).unwrap_or_else(|| text(token, "username"));
        let reason = "its secret is stored hashed there, which the API does not tell: move in from the database";
        findings.push(Finding::left_out("API token", name, reason));
        return;
    }
    for project in items(token, "projects") {
        tables.add("api_token_project", json!({ "secret": token["secret"], "project": project }));
    }
    tables.add("api_tokens", row(token));
}
