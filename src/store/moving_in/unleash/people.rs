//! People, roles, groups, tokens, and what people marked.

use std::collections::HashMap;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};

use super::{Source, record::Record};
use crate::{
    domain::secret,
    moving_in::{
        ApiToken, Banner, Favorite, Feedback, Finding, Group, Holder, Member, PersonalToken, ProjectRole, Role,
        RoleGrant, RoleKind, Set, SignIn, SignupLink, User,
    },
    store::moving_in::MoveInError,
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

/// Attempts to sign in that come over: the newest.
const NEWEST_SIGN_INS: &str = "ORDER BY created_at DESC LIMIT 10000";

pub(super) async fn read(source: &mut Source, set: &mut Set, findings: &mut Vec<Finding>) -> Result<(), MoveInError> {
    roles(source, set).await?;
    users(source, set).await?;
    groups(source, set).await?;
    access(source, set).await?;
    tokens(source, set, findings).await?;
    links(source, set).await?;
    for (table, column) in [("favorite_features", "feature"), ("favorite_projects", "project")] {
        for row in source.rows(table, "").await? {
            let name = Some(row.text(column)?);
            let (feature, project) = if column == "feature" { (name, None) } else { (None, name) };
            let user = row.number("user_id")?;
            set.favorites.push(Favorite { user, feature, project, created_at: row.time("created_at") });
        }
    }
    for row in source.rows("user_splash", "").await? {
        if row.is("seen") {
            set.seen_notices.push((row.number("user_id")?, row.text("splash_id")?));
        }
    }
    for row in source.rows("user_feedback", "").await? {
        set.feedback.push(Feedback {
            user: row.number("user_id")?,
            feedback: row.text("feedback_id")?,
            never_show: row.is("nevershow"),
            given_at: row.time("given"),
        });
    }
    banners(source, set).await?;
    sign_ins(source, set).await
}

async fn banners(source: &mut Source, set: &mut Set) -> Result<(), MoveInError> {
    for row in source.rows("banners", "ORDER BY id").await? {
        set.banners.push(Banner {
            message: row.text("message")?,
            enabled: row.is("enabled"),
            variant: row.find_text("variant"),
            sticky: row.is("sticky"),
            icon: row.find_text("icon"),
            link: row.find_text("link"),
            link_text: row.find_text("link_text"),
            dialog_title: row.find_text("dialog_title"),
            dialog: row.find_text("dialog"),
            created_at: row.time("created_at"),
        });
    }
    Ok(())
}

async fn sign_ins(source: &mut Source, set: &mut Set) -> Result<(), MoveInError> {
    for row in source.rows("login_history", NEWEST_SIGN_INS).await? {
        set.sign_ins.push(SignIn {
            at: row.certain_time("created_at")?,
            method: row.text("auth_type")?,
            subject: row.find_text("username").unwrap_or_default(),
            successful: row.is("successful"),
            address: row.find_text("ip"),
            reason: row.find_text("failure_reason"),
        });
    }
    set.sign_ins.reverse();
    Ok(())
}

async fn roles(source: &mut Source, set: &mut Set) -> Result<(), MoveInError> {
    let mut named = HashMap::new();
    for row in source.rows("permissions", "").await? {
        if let Some(id) = row.find_number("id") {
            named.insert(id, row.text("permission")?);
        }
    }
    let mut grants: HashMap<i64, Vec<RoleGrant>> = HashMap::new();
    for row in source.rows("role_permission", "").await? {
        let by_number = || named.get(&row.find_number("permission_id")?).cloned();
        let Some(permission) = row.find_text("permission").or_else(by_number) else { continue };
        let environment = row.find_text("environment").filter(|name| !name.is_empty());
        grants.entry(row.number("role_id")?).or_default().push(RoleGrant { permission, environment });
    }
    for row in source.rows("roles", "ORDER BY id").await? {
        let (id, kind) = (row.number("id")?, row.find_text("type").unwrap_or_default());
        set.roles.push(Role {
            id,
            name: row.text("name")?,
            kind: if kind.starts_with("root") { RoleKind::Root } else { RoleKind::Project },
            built_in: kind == "root" || kind == "project",
            description: row.find_text("description").unwrap_or_default(),
            grants: grants.remove(&id).unwrap_or_default(),
        });
    }
    Ok(())
}

fn is_root(set: &Set, role: i64) -> bool {
    set.roles.iter().any(|known| known.id == role && known.kind == RoleKind::Root)
}

async fn users(source: &mut Source, set: &mut Set) -> Result<(), MoveInError> {
    for row in source.rows("users", "ORDER BY id").await? {
        let id = row.number("id")?;
        // Those in whose name the system acts are here already.
        if id < 1 || row.is("is_system") {
            continue;
        }
        let is_service = row.is("is_service");
        set.users.push(User {
            id,
            is_service,
            username: row.find_text("username"),
            email: row.find_text("email"),
            name: row.find_text("name"),
            password_hash: row.find_text("password_hash").filter(|hash| !hash.is_empty() && !is_service),
            root_role: None,
            login_attempts: row.find_number("login_attempts").unwrap_or_default(),
            created_at: row.time("created_at"),
            seen_at: row.time("seen_at"),
            deleted_at: row.time("deleted_at"),
        });
    }
    Ok(())
}

async fn groups(source: &mut Source, set: &mut Set) -> Result<(), MoveInError> {
    let mut members: HashMap<i64, Vec<Member>> = HashMap::new();
    for row in source.rows("group_user", "ORDER BY group_id, user_id").await? {
        let member = Member { user: row.number("user_id")?, created_at: row.time("created_at") };
        members.entry(row.number("group_id")?).or_default().push(member);
    }
    for row in source.rows("groups", "ORDER BY id").await? {
        let id = row.number("id")?;
        set.groups.push(Group {
            id,
            name: row.text("name")?,
            description: row.find_text("description"),
            mappings_sso: row.read_list("mappings_sso").0,
            root_role: row.find_number("root_role_id"),
            created_at: row.time("created_at"),
            created_by: row.find_text("created_by"),
            members: members.remove(&id).unwrap_or_default(),
        });
    }
    Ok(())
}

/// A row of a root role names a project as well, which means nothing: the kind of the role tells.
async fn access(source: &mut Source, set: &mut Set) -> Result<(), MoveInError> {
    let mut root_roles: HashMap<i64, i64> = HashMap::new();
    for row in source.rows("role_user", "ORDER BY role_id").await? {
        let (user, role) = (row.number("user_id")?, row.number("role_id")?);
        if is_root(set, role) {
            root_roles.entry(user).or_insert(role);
        } else {
            let project = row.text("project")?;
            let (holder, created_at) = (Holder::User(user), row.time("created_at"));
            set.project_roles.push(ProjectRole { project, holder, role, created_at });
        }
    }
    for user in &mut set.users {
        user.root_role = root_roles.get(&user.id).copied();
    }
    for row in source.rows("group_role", "ORDER BY role_id").await? {
        let holder = Holder::Group(row.number("group_id")?);
        let project = row.find_text("project").unwrap_or_default();
        let (role, created_at) = (row.number("role_id")?, row.time("created_at"));
        set.project_roles.push(ProjectRole { project, holder, role, created_at });
    }
    Ok(())
}

async fn tokens(source: &mut Source, set: &mut Set, findings: &mut Vec<Finding>) -> Result<(), MoveInError> {
    let mut projects: HashMap<String, Vec<String>> = HashMap::new();
    for (table, key) in [("api_token_project", "secret"), ("api_tokens_v2_project", "selector")] {
        for row in source.rows(table, "").await? {
            projects.entry(row.text(key)?).or_default().push(row.text("project")?);
        }
    }
    for (table, key) in [("api_tokens", "secret"), ("api_tokens_v2", "selector")] {
        for row in source.rows(table, "ORDER BY created_at").await? {
            let name = row.find_text("token_name").or_else(|| row.find_text("username")).unwrap_or_default();
            let Some(secret_hash) = digest(&row) else {
                findings.push(Finding::left_out("API token", name, "what is stored of it is no digest"));
                continue;
            };
            set.api_tokens.push(ApiToken {
                secret_hash,
                alias_hash: row
                    .find_text("alias")
                    .filter(|alias| !alias.is_empty())
                    .map(|alias| secret::digest(&alias)),
                name,
                kind: row.text("type")?,
                environment: row.find_text("environment").filter(|name| name != "*"),
                projects: projects.remove(&row.text(key)?).unwrap_or_default(),
                created_at: row.time("created_at"),
                expires_at: row.time("expires_at"),
                seen_at: row.time("seen_at"),
            });
        }
    }
    for row in source.rows("personal_access_tokens", "ORDER BY created_at").await? {
        let description = row.find_text("description").unwrap_or_default();
        let Some(secret_hash) = digest(&row) else {
            findings.push(Finding::left_out("personal token", description, "what is stored of it is no digest"));
            continue;
        };
        set.personal_tokens.push(PersonalToken {
            // Before 4.20 they had none, and were known by their secret.
            id: row.find_number("id").unwrap_or_default(),
            user: row.number("user_id")?,
            description,
            secret_hash,
            expires_at: row.certain_time("expires_at")?,
            created_at: row.time("created_at"),
            seen_at: row.time("seen_at"),
        });
    }
    Ok(())
}

/// The digest that stands for a secret: of its clear text, or in the words of a hashed one.
fn digest(row: &Record) -> Option<String> {
    if let Some(verifier) = row.find_text("verifier") {
        let bytes = URL_SAFE_NO_PAD.decode(verifier.trim_end_matches('=')).ok()?;
        return (bytes.len() == 32).then(|| hex::encode(bytes));
    }
    row.find_text("secret").map(|secret| secret::digest(&secret))
}

async fn links(source: &mut Source, set: &mut Set) -> Result<(), MoveInError> {
    let mut users: HashMap<String, Vec<i64>> = HashMap::new();
    for row in source.rows("public_signup_tokens_user", "").await? {
        users.entry(row.text("secret")?).or_default().push(row.number("user_id")?);
    }
    for row in source.rows("public_signup_tokens", "ORDER BY created_at").await? {
        let secret = row.text("secret")?;
        set.signup_links.push(SignupLink {
            secret_hash: secret::digest(&secret),
            name: row.find_text("name").unwrap_or_default(),
            enabled: row.is("enabled"),
            expires_at: row.certain_time("expires_at")?,
            created_at: row.time("created_at"),
            created_by: row.find_text("created_by"),
            users: users.remove(&secret).unwrap_or_default(),
        });
    }
    Ok(())
}
