//! Roles, people, groups, tokens, and what people hold and marked.

use std::collections::HashMap;

use flagstone_domain::{
    role::{CustomKind, READER, RootRole},
    time::Timestamp,
    token::ALL,
};
use flagstone_moving_in::{Holder, RoleKind, Set, SignIn, reader_id};
use sea_orm::{ActiveValue::Set as To, ColumnTrait, EntityTrait, QueryFilter, sea_query::Expr};

use super::{MoveInError, target::insert};
use crate::{
    banners,
    db::Tx,
    db::value::to_json_column,
    entity::{
        api_token, api_token_project, app_user, banner, favorite_feature, favorite_project, personal_token,
        project_group_role, project_user_role, role, role_permission, signup_link, signup_link_user, user_feedback,
        user_group, user_group_member, user_splash,
    },
    sign_in,
};

pub(super) async fn write_roles(tx: &Tx, set: &Set) -> Result<(), MoveInError> {
    // The roles that move in keep their ids, of which the built-in one may have one.
    let reader = reader_id(&set.roles);
    role::Entity::update_many()
        .col_expr(role::Column::Id, Expr::value(reader))
        .filter(role::Column::Type.eq("project"))
        .filter(role::Column::Name.eq(READER))
        .filter(role::Column::Id.ne(reader))
        .exec(tx)
        .await?;
    let kind = |kind| if kind == RoleKind::Root { CustomKind::Root } else { CustomKind::Project };
    let rows = set.roles.iter().map(|role| role::ActiveModel {
        id: To(role.id),
        name: To(role.name.clone()),
        r#type: To(kind(role.kind).as_str().to_owned()),
        description: To(role.description.clone()),
    });
    insert(tx, rows.collect()).await?;
    let rows = set.roles.iter().flat_map(|role| {
        role.grants.iter().map(|grant| role_permission::ActiveModel {
            role_id: To(role.id),
            permission: To(grant.permission.clone()),
            project: To(None),
            environment: To(grant.environment.clone()),
            ..Default::default()
        })
    });
    insert(tx, rows.collect()).await
}

pub(super) async fn write_people(tx: &Tx, set: &Set, now: Timestamp) -> Result<(), MoveInError> {
    let rows = set.users.iter().map(|user| app_user::ActiveModel {
        id: To(user.id),
        username: To(user.username.clone()),
        email: To(user.email.clone()),
        name: To(user.name.clone()),
        password_hash: To(user.password_hash.clone()),
        root_role_id: To(user.root_role.unwrap_or(RootRole::Viewer.id())),
        is_system: To(false),
        is_service: To(user.is_service),
        login_attempts: To(user.login_attempts),
        created_at: To(user.created_at.unwrap_or(now)),
        seen_at: To(user.seen_at),
        deleted_at: To(user.deleted_at),
        scim_key: To(None),
        scim_external_id: To(None),
        scim_names: To(None),
        deactivated_at: To(None),
        activated_at: To(None),
        changed_at: To(None),
        scim_origin: To(None),
        scim_directory_id: To(None),
        ended_by_directory: To(false),
        relinked_until: To(None),
        relinked_provider: To(None),
        has_newcomer_role: To(false),
    });
    insert(tx, rows.collect()).await?;
    let rows = set.groups.iter().map(|group| user_group::ActiveModel {
        id: To(group.id),
        name: To(group.name.clone()),
        description: To(group.description.clone()),
        mappings_sso: To(to_json_column(&group.mappings_sso)),
        root_role_id: To(group.root_role),
        created_at: To(group.created_at.unwrap_or(now)),
        created_by: To(group.created_by.clone()),
        is_scim: To(false),
        scim_external_id: To(None),
        changed_at: To(None),
        scim_origin: To(None),
        scim_directory_id: To(None),
    });
    insert(tx, rows.collect()).await?;
    let rows = set.groups.iter().flat_map(|group| {
        group.members.iter().map(|member| user_group_member::ActiveModel {
            group_id: To(group.id),
            user_id: To(member.user),
            created_at: To(member.created_at.unwrap_or(now)),
            source: To(None),
            source_provider: To(None),
            is_direct: To(true),
        })
    });
    insert(tx, rows.collect()).await
}

pub(super) async fn write_access(tx: &Tx, set: &Set, now: Timestamp) -> Result<(), MoveInError> {
    let (mut users, mut groups) = (Vec::new(), Vec::new());
    for held in &set.project_roles {
        let (project, role_id, created_at) =
            (To(held.project.clone()), To(held.role), To(held.created_at.unwrap_or(now)));
        match held.holder {
            Holder::User(id) => {
                users.push(project_user_role::ActiveModel { project, user_id: To(id), role_id, created_at });
            }
            Holder::Group(id) => {
                groups.push(project_group_role::ActiveModel { project, group_id: To(id), role_id, created_at });
            }
        }
    }
    insert(tx, users).await?;
    insert(tx, groups).await?;
    let ids: HashMap<_, _> = super::features::ids(set).map(|(id, feature)| (feature.name.as_str(), id)).collect();
    let (mut features, mut projects) = (Vec::new(), Vec::new());
    for favorite in &set.favorites {
        let (user_id, created_at) = (To(favorite.user), To(favorite.created_at.unwrap_or(now)));
        if let Some(feature_id) = favorite.feature.as_deref().and_then(|name| ids.get(name)) {
            features.push(favorite_feature::ActiveModel { user_id, feature_id: To(*feature_id), created_at });
        } else if let Some(project) = &favorite.project {
            projects.push(favorite_project::ActiveModel { user_id, project: To(project.clone()), created_at });
        }
    }
    insert(tx, features).await?;
    insert(tx, projects).await?;
    let rows = set.seen_notices.iter().map(|(user, notice)| user_splash::ActiveModel {
        user_id: To(*user),
        splash_id: To(notice.clone()),
        seen_at: To(now),
    });
    insert(tx, rows.collect()).await?;
    let rows = set.feedback.iter().map(|entry| user_feedback::ActiveModel {
        user_id: To(entry.user),
        feedback_id: To(entry.feedback.clone()),
        never_show: To(entry.never_show),
        given_at: To(entry.given_at),
    });
    insert(tx, rows.collect()).await
}

pub(super) async fn write_tokens(tx: &Tx, set: &Set, now: Timestamp) -> Result<(), MoveInError> {
    let numbered = || (1_i64..).zip(&set.api_tokens);
    let rows = numbered().map(|(id, token)| api_token::ActiveModel {
        id: To(id),
        secret_hash: To(token.secret_hash.clone()),
        alias_hash: To(token.alias_hash.clone()),
        token_name: To(token.name.clone()),
        r#type: To(token.kind.clone()),
        environment: To(Some(token.environment.clone().unwrap_or_else(|| ALL.to_owned()))),
        created_at: To(token.created_at.unwrap_or(now)),
        created_by: To(None),
        expires_at: To(token.expires_at),
        seen_at: To(token.seen_at),
        sealed_secret: To(None),
    });
    insert(tx, rows.collect()).await?;
    let rows = numbered().flat_map(|(id, token)| {
        token
            .projects
            .iter()
            .map(move |project| api_token_project::ActiveModel { token_id: To(id), project: To(project.clone()) })
    });
    insert(tx, rows.collect()).await?;
    let used: std::collections::HashSet<i64> = set.personal_tokens.iter().map(|token| token.id).collect();
    let keeps_ids = used.len() == set.personal_tokens.len() && !used.contains(&0);
    let rows = (1_i64..).zip(&set.personal_tokens).map(|(place, token)| personal_token::ActiveModel {
        id: To(if keeps_ids { token.id } else { place }),
        user_id: To(token.user),
        description: To(token.description.clone()),
        secret_hash: To(token.secret_hash.clone()),
        expires_at: To(token.expires_at),
        created_at: To(token.created_at.unwrap_or(now)),
        seen_at: To(token.seen_at),
    });
    insert(tx, rows.collect()).await?;
    let numbered = || (1_i64..).zip(&set.signup_links);
    let rows = numbered().map(|(id, link)| signup_link::ActiveModel {
        id: To(id),
        secret_hash: To(link.secret_hash.clone()),
        name: To(link.name.clone()),
        enabled: To(link.enabled),
        expires_at: To(link.expires_at),
        created_at: To(link.created_at.unwrap_or(now)),
        created_by: To(link.created_by.clone()),
        email: To(None),
    });
    insert(tx, rows.collect()).await?;
    let rows = numbered().flat_map(|(id, link)| {
        link.users.iter().map(move |user| signup_link_user::ActiveModel { link_id: To(id), user_id: To(*user) })
    });
    insert(tx, rows.collect()).await
}

/// Banners and the log of sign-ins, which the database numbers.
pub(super) async fn write_notices(tx: &Tx, set: &Set, now: Timestamp) -> Result<(), MoveInError> {
    let rows = set.banners.iter().filter_map(|banner| {
        let content = banner.content().ok()?;
        Some(banner::ActiveModel { created_at: To(banner.created_at.unwrap_or(now)), ..banners::row(&content) })
    });
    insert(tx, rows.collect()).await?;
    let entries = set.sign_ins.iter().filter_map(SignIn::entry).collect();
    Ok(sign_in::log::append(tx, entries).await?)
}
