//! People and tokens, as far as the API tells of them.

use serde_json::Value;

use super::{Answers, text, time};
use crate::{
    domain::{secret, token::id_in_handle},
    moving_in::{
        Finding,
        neutral::{ApiToken, Role, RoleKind, Set, SignupLink, User},
    },
};

pub(super) fn read(answers: &Answers, set: &mut Set, findings: &mut Vec<Finding>) {
    roles(&answers.users, set, findings);
    users(&answers.users, set, findings);
    for token in answers.api_tokens["tokens"].as_array().into_iter().flatten() {
        api_token(token, set, findings);
    }
    for link in answers.signup_links["tokens"].as_array().into_iter().flatten() {
        signup_link(link, set, findings);
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

fn roles(answer: &Value, set: &mut Set, findings: &mut Vec<Finding>) {
    for role in answer["rootRoles"].as_array().into_iter().flatten() {
        let built_in = text(role, "type") == "root";
        let name = text(role, "name");
        if !built_in {
            let reason = "the API does not tell what it lets its holders do: here it lets them do nothing yet";
            findings.push(Finding::changed("role", &*name, reason));
        }
        set.roles.push(Role {
            id: role["id"].as_i64().unwrap_or_default(),
            name,
            kind: RoleKind::Root,
            built_in,
            description: text(role, "description"),
            grants: Vec::new(),
        });
    }
}

fn users(answer: &Value, set: &mut Set, findings: &mut Vec<Finding>) {
    let optional = |user: &Value, name: &str| Some(text(user, name)).filter(|text| !text.is_empty());
    for user in answer["users"].as_array().into_iter().flatten() {
        let Some(id) = user["id"].as_i64().filter(|id| *id > 0) else { continue };
        set.users.push(User {
            id,
            is_service: false,
            username: optional(user, "username"),
            email: optional(user, "email"),
            name: optional(user, "name"),
            password_hash: None,
            root_role: user["rootRole"].as_i64(),
            login_attempts: 0,
            created_at: time(user, "createdAt"),
            seen_at: time(user, "seenAt"),
            deleted_at: None,
        });
    }
    if !set.users.is_empty() {
        let reason = "the API does not tell them: give people links to set new ones, or connect your login provider";
        findings.push(Finding::left_out("passwords", "all", reason));
    }
}

fn api_token(token: &Value, set: &mut Set, findings: &mut Vec<Finding>) {
    let name =
        Some(text(token, "tokenName")).filter(|name| !name.is_empty()).unwrap_or_else(|| text(token, "username"));
    // A server that keeps digests alone tells something else in the place of a secret.
    if token["secure"] == true || id_in_handle(&text(token, "secret")).is_some() {
        let reason = "its secret is stored hashed there, which the API does not tell: move in from the database";
        findings.push(Finding::left_out("API token", name, reason));
        return;
    }
    let projects = token["projects"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let alias = text(token, "alias");
    set.api_tokens.push(ApiToken {
        secret_hash: secret::digest(&text(token, "secret")),
        alias_hash: (!alias.is_empty()).then(|| secret::digest(&alias)),
        name,
        kind: text(token, "type"),
        environment: Some(text(token, "environment")).filter(|name| !name.is_empty() && name != "*"),
        projects: projects.map(str::to_owned).collect(),
        created_at: time(token, "createdAt"),
        expires_at: time(token, "expiresAt"),
        seen_at: time(token, "seenAt"),
    });
}

fn signup_link(link: &Value, set: &mut Set, findings: &mut Vec<Finding>) {
    let name = text(link, "name");
    let Some(expires_at) = time(link, "expiresAt") else {
        findings.push(Finding::left_out("sign-up link", name, "it does not tell when it ends"));
        return;
    };
    let users = link["users"].as_array().into_iter().flatten();
    set.signup_links.push(SignupLink {
        secret_hash: secret::digest(&text(link, "secret")),
        name,
        enabled: link["enabled"] == true,
        expires_at,
        created_at: time(link, "createdAt"),
        created_by: Some(text(link, "createdBy")).filter(|name| !name.is_empty()),
        users: users.filter_map(|user| user["id"].as_i64()).collect(),
    });
}
