//! People, roles, groups, tokens, and what people marked.

use std::collections::HashMap;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use flagstone_domain::{repair::Row, secret};
use serde_json::Value;

use super::Reading;
use crate::{
    Finding,
    neutral::{
        ApiToken, Banner, Favorite, Feedback, Group, Holder, Member, PersonalToken, ProjectRole, Role, RoleGrant,
        RoleKind, Set, SignIn, SignupLink, User,
    },
};

pub(super) const TABLES: &[&str] = &[
    "users",
    "roles",
    "permissions",
    "role_permission",
    "role_user",
    "groups",
    "group_user",
    "group_role",
    "api_tokens",
    "api_token_project",
    "api_tokens_v2",
    "api_tokens_v2_project",
    "personal_access_tokens",
    "public_signup_tokens",
    "public_signup_tokens_user",
    "favorite_features",
    "favorite_projects",
    "user_splash",
    "user_feedback",
    "banners",
    "login_history",
];

pub(super) fn read(reading: &mut Reading<'_>, set: &mut Set) {
    roles(reading, set);
    users(reading, set);
    groups(reading, set);
    access(reading, set);
    tokens(reading, set);
    personal_tokens(reading, set);
    links(reading, set);
    marks(reading, set);
    banners(reading, set);
    sign_ins(reading, set);
}

fn roles(reading: &mut Reading<'_>, set: &mut Set) {
    let mut named = HashMap::new();
    for value in reading.take("permissions") {
        let Some(row) = reading.row("permissions", &["permission"], &value) else { continue };
        if let (Some(id), Some(permission)) = (row.find_number("id"), row.find_text("permission")) {
            named.insert(id, permission);
        }
    }
    let mut grants: HashMap<i64, Vec<RoleGrant>> = HashMap::new();
    for value in reading.take("role_permission") {
        let Some(row) = reading.row("role_permission", &["permission", "role_id"], &value) else { continue };
        let by_number = || named.get(&row.find_number("permission_id")?).cloned();
        let Some(permission) = row.find_text("permission").or_else(by_number) else { continue };
        let environment = row.find_text("environment").filter(|name| !name.is_empty());
        let Some(role) = row.number("role_id") else { continue };
        grants.entry(role).or_default().push(RoleGrant { permission, environment });
    }
    for value in reading.take("roles") {
        let Some(row) = reading.row("roles", &["name"], &value) else { continue };
        let Some(id) = row.number("id") else { continue };
        let kind = row.find_text("type").unwrap_or_default();
        set.roles.push(Role {
            id,
            name: row.find_text("name").unwrap_or_else(|| format!("role {id}")),
            kind: if kind.starts_with("root") { RoleKind::Root } else { RoleKind::Project },
            built_in: kind == "root" || kind == "project",
            description: row.find_text("description").unwrap_or_default(),
            grants: grants.remove(&id).unwrap_or_default(),
        });
    }
}

fn is_root(set: &Set, role: i64) -> bool {
    set.roles.iter().any(|known| known.id == role && known.kind == RoleKind::Root)
}

fn users(reading: &mut Reading<'_>, set: &mut Set) {
    for value in reading.take("users") {
        let Some(row) = reading.row("users", &["id"], &value) else { continue };
        let Some(id) = row.number("id") else { continue };
        // Those in whose name the system acts are here already.
        if id < 1 || row.truth("is_system", false) {
            continue;
        }
        let is_service = row.truth("is_service", false);
        let text = |column: &str| row.find_text(column);
        set.users.push(User {
            id,
            is_service,
            username: text("username"),
            email: text("email"),
            name: text("name"),
            password_hash: text("password_hash").filter(|hash| !hash.is_empty() && !is_service),
            root_role: None,
            login_attempts: row.find_number("login_attempts").unwrap_or_default(),
            created_at: row.time("created_at"),
            seen_at: row.time("seen_at"),
            deleted_at: row.time("deleted_at"),
        });
    }
}

fn groups(reading: &mut Reading<'_>, set: &mut Set) {
    let mut members: HashMap<i64, Vec<Member>> = HashMap::new();
    for value in reading.take("group_user") {
        let Some(row) = reading.row("group_user", &["user_id", "group_id"], &value) else { continue };
        let (Some(user), Some(group)) = (row.number("user_id"), row.number("group_id")) else { continue };
        members.entry(group).or_default().push(Member { user, created_at: row.time("created_at") });
    }
    for value in reading.take("groups") {
        let Some(row) = reading.row("groups", &["name"], &value) else { continue };
        let Some(id) = row.number("id") else { continue };
        set.groups.push(Group {
            id,
            name: row.find_text("name").unwrap_or_else(|| format!("group {id}")),
            description: row.find_text("description"),
            mappings_sso: row.texts("mappings_sso"),
            root_role: row.find_number("root_role_id"),
            created_at: row.time("created_at"),
            created_by: row.find_text("created_by"),
            members: members.remove(&id).unwrap_or_default(),
        });
    }
}

/// Reads root roles and roles in projects; a row of a root role names a project as well, which means nothing: the kind
/// of the role decides.
fn access(reading: &mut Reading<'_>, set: &mut Set) {
    let mut root_roles: HashMap<i64, i64> = HashMap::new();
    for value in reading.take("role_user") {
        let Some(row) = reading.row("role_user", &["role_id", "user_id"], &value) else { continue };
        let (Some(user), Some(role)) = (row.number("user_id"), row.number("role_id")) else { continue };
        if is_root(set, role) {
            root_roles.entry(user).or_insert(role);
        } else {
            let project = row.find_text("project").unwrap_or_default();
            let (holder, created_at) = (Holder::User(user), row.time("created_at"));
            set.project_roles.push(ProjectRole { project, holder, role, created_at });
        }
    }
    for user in &mut set.users {
        user.root_role = root_roles.get(&user.id).copied();
    }
    for value in reading.take("group_role") {
        let Some(row) = reading.row("group_role", &["role_id", "group_id"], &value) else { continue };
        let (Some(group), Some(role)) = (row.number("group_id"), row.number("role_id")) else { continue };
        let project = row.find_text("project").unwrap_or_default();
        let (holder, created_at) = (Holder::Group(group), row.time("created_at"));
        set.project_roles.push(ProjectRole { project, holder, role, created_at });
    }
}

/// Tokens of programs. Their keys are the names that people gave them: no column holds a secret.
fn tokens(reading: &mut Reading<'_>, set: &mut Set) {
    let mut projects: HashMap<String, Vec<String>> = HashMap::new();
    for (table, key) in [("api_token_project", "secret"), ("api_tokens_v2_project", "selector")] {
        for value in reading.take(table) {
            let Some(row) = reading.row(table, &["project"], &value) else { continue };
            if let (Some(token), Some(project)) = (row.text(key), row.text("project")) {
                projects.entry(token).or_default().push(project);
            }
        }
    }
    for (table, key) in [("api_tokens", "secret"), ("api_tokens_v2", "selector")] {
        for value in reading.take(table) {
            let Some(row) = reading.row(table, &[], &value) else { continue };
            let name = row.find_text("token_name").or_else(|| row.find_text("username")).unwrap_or_default();
            let row = row.called(name.clone());
            let Some(secret_hash) = digest(&row) else {
                reading.findings.push(Finding::left_out("API token", name, "what is stored of it is no digest"));
                continue;
            };
            let Some(kind) = row.text("type") else { continue };
            let text = |column: &str| row.find_text(column).filter(|text| !text.is_empty());
            set.api_tokens.push(ApiToken {
                secret_hash,
                alias_hash: text("alias").map(|alias| secret::digest(&alias)),
                name,
                kind,
                environment: text("environment").filter(|name| name != "*"),
                projects: row.find_text(key).and_then(|key| projects.remove(&key)).unwrap_or_default(),
                created_at: row.time("created_at"),
                expires_at: row.time("expires_at"),
                seen_at: row.time("seen_at"),
            });
        }
    }
}

fn personal_tokens(reading: &mut Reading<'_>, set: &mut Set) {
    for value in reading.take("personal_access_tokens") {
        let Some(row) = reading.row("personal_access_tokens", &["description", "user_id"], &value) else { continue };
        let description = row.find_text("description").unwrap_or_default();
        let Some(secret_hash) = digest(&row) else {
            let reason = "what is stored of it is no digest";
            reading.findings.push(Finding::left_out("personal token", description, reason));
            continue;
        };
        let (Some(user), Some(expires_at)) = (row.number("user_id"), row.end("expires_at")) else { continue };
        set.personal_tokens.push(PersonalToken {
            // Before 4.20 they had none, and were known by their secret.
            id: row.find_number("id").unwrap_or_default(),
            user,
            description,
            secret_hash,
            expires_at,
            created_at: row.time("created_at"),
            seen_at: row.time("seen_at"),
        });
    }
}

/// Returns the digest that stands for a secret: of its clear text, or in the words of a hashed one.
fn digest(row: &Row<'_>) -> Option<String> {
    if let Some(verifier) = row.find_text("verifier") {
        let bytes = URL_SAFE_NO_PAD.decode(verifier.trim_end_matches('=')).ok()?;
        return (bytes.len() == 32).then(|| hex::encode(bytes));
    }
    row.find_text("secret").map(|secret| secret::digest(&secret))
}

fn links(reading: &mut Reading<'_>, set: &mut Set) {
    let mut users: HashMap<String, Vec<i64>> = HashMap::new();
    for value in reading.take("public_signup_tokens_user") {
        let Some(row) = reading.row("public_signup_tokens_user", &["user_id"], &value) else { continue };
        if let (Some(secret), Some(user)) = (row.text("secret"), row.number("user_id")) {
            users.entry(secret).or_default().push(user);
        }
    }
    for value in reading.take("public_signup_tokens") {
        let Some(row) = reading.row("public_signup_tokens", &["name"], &value) else { continue };
        let (Some(secret), Some(expires_at)) = (row.text("secret"), row.end("expires_at")) else { continue };
        set.signup_links.push(SignupLink {
            secret_hash: secret::digest(&secret),
            name: row.find_text("name").unwrap_or_default(),
            enabled: row.truth("enabled", false),
            expires_at,
            created_at: row.time("created_at"),
            created_by: row.find_text("created_by"),
            users: users.remove(&secret).unwrap_or_default(),
        });
    }
}

/// Favourites, and what people saw and answered.
fn marks(reading: &mut Reading<'_>, set: &mut Set) {
    for (table, column) in [("favorite_features", "feature"), ("favorite_projects", "project")] {
        for value in reading.take(table) {
            let Some(row) = reading.row(table, &[column, "user_id"], &value) else { continue };
            let (Some(name), Some(user)) = (row.text(column), row.number("user_id")) else { continue };
            let name = Some(name);
            let (feature, project) = if column == "feature" { (name, None) } else { (None, name) };
            set.favorites.push(Favorite { user, feature, project, created_at: row.time("created_at") });
        }
    }
    for value in reading.take("user_splash") {
        let Some(row) = reading.row("user_splash", &["splash_id", "user_id"], &value) else { continue };
        if let (true, Some(user), Some(splash)) =
            (row.truth("seen", false), row.number("user_id"), row.text("splash_id"))
        {
            set.seen_notices.push((user, splash));
        }
    }
    for value in reading.take("user_feedback") {
        let Some(row) = reading.row("user_feedback", &["feedback_id", "user_id"], &value) else { continue };
        let (Some(user), Some(feedback)) = (row.number("user_id"), row.text("feedback_id")) else { continue };
        let never_show = row.truth("nevershow", false);
        set.feedback.push(Feedback { user, feedback, never_show, given_at: row.time("given") });
    }
}

fn banners(reading: &mut Reading<'_>, set: &mut Set) {
    for value in reading.take("banners") {
        let Some(row) = reading.row("banners", &["message"], &value) else { continue };
        let Some(message) = row.text("message") else { continue };
        set.banners.push(Banner {
            message,
            enabled: row.truth("enabled", false),
            variant: row.find_text("variant"),
            sticky: row.truth("sticky", false),
            icon: row.find_text("icon"),
            link: row.find_text("link"),
            link_text: row.find_text("link_text"),
            dialog_title: row.find_text("dialog_title"),
            dialog: row.find_text("dialog"),
            created_at: row.time("created_at"),
        });
    }
}

/// Attempts to sign in, which come latest first.
fn sign_ins(reading: &mut Reading<'_>, set: &mut Set) {
    let rows: Vec<Value> = reading.take("login_history");
    for value in rows.iter().rev() {
        let Some(row) = reading.row("login_history", &["created_at"], value) else { continue };
        let (Some(at), Some(method)) = (row.end("created_at"), row.text("auth_type")) else { continue };
        set.sign_ins.push(SignIn {
            at,
            method,
            subject: row.find_text("username").unwrap_or_default(),
            successful: row.truth("successful", false),
            address: row.find_text("ip"),
            reason: row.find_text("failure_reason"),
        });
    }
}
