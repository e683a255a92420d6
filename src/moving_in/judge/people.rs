//! Roles, people, groups and tokens.

use std::collections::{HashMap, HashSet};

use flagstone_domain::{
    banner::MOST,
    email, password,
    permission::Permission,
    role::{NEW_READER, READER, RootRole},
    secret::TokenKind,
    token::{self, ALL},
};

use super::login;
use crate::{
    Finding,
    names::Names,
    neutral::{Holder, Role, RoleKind, Set, User},
};

/// Number of characters of a banner that are shown where it is left out.
const MESSAGE_SHOWN: usize = 60;
/// The roles that have the same ids in every instance.
const BUILT_IN: [(RoleKind, &str, i64); 5] = [
    (RoleKind::Root, "Admin", 1),
    (RoleKind::Root, "Editor", 2),
    (RoleKind::Root, "Viewer", 3),
    (RoleKind::Project, "Owner", 4),
    (RoleKind::Project, "Member", 5),
];

pub(super) fn judge(set: &mut Set, findings: &mut Vec<Finding>) {
    let roles = roles(set, findings);
    users(&mut set.users, &roles, findings);
    groups(set, &roles, findings);
    access(set, &roles, findings);
    tokens(set, findings);
    banners(set, findings);
    login::judge(set, &roles, findings);
}

/// Id of the built-in role `Reader` in an instance with these other roles, which keep theirs: the usual one, or the next
/// that is free.
pub fn reader_id(others: &[Role]) -> i64 {
    if others.iter().all(|role| role.id != NEW_READER) {
        return NEW_READER;
    }
    others.iter().map(|role| role.id).max().unwrap_or_default() + 1
}

/// Gives each role the id that it has here, and returns these by the id before. Those that every instance has are not
/// written.
fn roles(set: &mut Set, findings: &mut Vec<Finding>) -> HashMap<i64, (i64, RoleKind)> {
    let mut ids = HashMap::new();
    let mut names = Names::default();
    for name in BUILT_IN.map(|(_, name, _)| name).into_iter().chain([READER]) {
        names.take("role", &mut name.to_owned(), findings);
    }
    let taken = set.roles.iter().map(|role| role.id).chain(BUILT_IN.map(|(_, _, id)| id));
    let mut next = taken.max().unwrap_or_default() + 1;
    let mut kept: Vec<Role> = Vec::new();
    let mut readers = Vec::new();
    for mut role in std::mem::take(&mut set.roles) {
        if role.built_in && role.kind == RoleKind::Project && role.name == READER {
            readers.push(role.id);
            continue;
        }
        let same = BUILT_IN.iter().find(|(kind, name, _)| role.built_in && *kind == role.kind && *name == role.name);
        if let Some((kind, _, id)) = same {
            ids.insert(role.id, (*id, *kind));
            continue;
        }
        let mut id = role.id;
        if BUILT_IN.iter().any(|(_, _, taken)| *taken == id) || id < 1 {
            id = next;
            next += 1;
        }
        ids.insert(role.id, (id, role.kind));
        role.id = id;
        if role.built_in {
            let reason = "is no built-in role here: it comes as a custom one with the same grants";
            findings.push(Finding::changed("role", &*role.name, reason));
        }
        names.take("role", &mut role.name, findings);
        let unknown = |permission: &str| Permission::parse(permission).is_none();
        let mut lost: Vec<String> = Vec::new();
        role.grants.retain(|grant| {
            let keep = !unknown(&grant.permission);
            if !keep {
                lost.push(grant.permission.clone());
            }
            keep
        });
        role.grants.sort();
        role.grants.dedup();
        if !lost.is_empty() {
            let reason = format!("no longer grants what does not exist here: {}", lost.join(", "));
            findings.push(Finding::changed("role", &*role.name, reason));
        }
        kept.push(role);
    }
    let reader = reader_id(&kept);
    ids.extend(readers.into_iter().map(|id| (id, (reader, RoleKind::Project))));
    set.roles = kept;
    ids
}

fn users(users: &mut [User], roles: &HashMap<i64, (i64, RoleKind)>, findings: &mut Vec<Finding>) {
    let (mut usernames, mut emails) = (HashSet::new(), HashSet::new());
    for user in users {
        let called = user.username.clone().or_else(|| user.email.clone()).unwrap_or_else(|| format!("id {}", user.id));
        let role = user.root_role.and_then(|id| roles.get(&id)).filter(|(_, kind)| *kind == RoleKind::Root);
        if role.is_none() && user.deleted_at.is_none() {
            findings.push(Finding::changed("user", &*called, "had no root role, and is a Viewer here"));
        }
        user.root_role = Some(role.map_or(RootRole::Viewer.id(), |(id, _)| *id));
        // Programs never sign in.
        if user.is_service {
            user.password_hash = None;
        }
        if user.deleted_at.is_some() {
            user.password_hash = None;
            continue;
        }
        if user.password_hash.as_deref().is_some_and(|hash| !password::is_checkable(hash)) {
            user.password_hash = None;
            let reason = "has no password here: its hash is of a kind that cannot be checked; set a new one";
            findings.push(Finding::changed("user", &*called, reason));
        }
        // Addresses are compared without the case of ASCII letters here. No login provider's word opens one with others.
        user.email = user.email.take().map(|email| email::folded(&email)).filter(|email| !email.is_empty());
        user.username = user.username.take().filter(|name| !name.is_empty());
        if user.email.as_deref().is_some_and(|email| !email::is_email(email)) {
            let reason = "keeps an email that no user could be given here; it serves to sign in as before";
            findings.push(Finding::changed("user", &*called, reason));
        }
        for (taken, value, what) in
            [(&mut usernames, &mut user.username, "user name"), (&mut emails, &mut user.email, "email")]
        {
            if value.as_ref().is_some_and(|value| !taken.insert(value.clone())) {
                *value = None;
                findings.push(Finding::changed("user", &*called, format!("lost the {what}: somebody else has it")));
            }
        }
    }
}

fn groups(set: &mut Set, roles: &HashMap<i64, (i64, RoleKind)>, findings: &mut Vec<Finding>) {
    let people: HashSet<i64> = living(set);
    let mut names = Names::default();
    for group in &mut set.groups {
        names.take("group", &mut group.name, findings);
        group.root_role = group.root_role.and_then(|id| roles.get(&id)).map(|(id, _)| *id);
        let mut seen = HashSet::new();
        group.members.retain(|member| people.contains(&member.user) && seen.insert(member.user));
        let mut seen = HashSet::new();
        group.mappings_sso.retain(|name| seen.insert(name.clone()));
    }
}

/// Users who are not deleted.
fn living(set: &Set) -> HashSet<i64> {
    set.users.iter().filter(|user| user.deleted_at.is_none()).map(|user| user.id).collect()
}

/// Judges roles in projects, marks and answers of people; references to people or things that are gone are dropped
/// without a finding.
fn access(set: &mut Set, roles: &HashMap<i64, (i64, RoleKind)>, findings: &mut Vec<Finding>) {
    let people = living(set);
    let groups: HashSet<i64> = set.groups.iter().map(|group| group.id).collect();
    let projects: HashSet<&str> = set.projects.iter().map(|project| &*project.id).collect();
    let features: HashSet<&str> = set.features.iter().map(|feature| &*feature.name).collect();
    let mut seen = HashSet::new();
    set.project_roles.retain_mut(|held| {
        let there = match held.holder {
            Holder::User(id) => people.contains(&id),
            Holder::Group(id) => groups.contains(&id),
        };
        let role = roles.get(&held.role).filter(|(_, kind)| *kind == RoleKind::Project);
        let Some((role, _)) = role.filter(|_| there && projects.contains(&*held.project)) else {
            if there && held.role != 0 {
                let reason = "gives a role that is not for projects, or a project that does not exist";
                findings.push(Finding::left_out("project access", &*held.project, reason));
            }
            return false;
        };
        held.role = *role;
        seen.insert((held.project.clone(), held.holder, *role))
    });
    let mut seen = HashSet::new();
    set.favorites.retain(|favorite| {
        let exists = favorite.feature.as_deref().map_or_else(
            || favorite.project.as_deref().is_some_and(|project| projects.contains(project)),
            |feature| features.contains(feature),
        );
        let key = (favorite.user, favorite.feature.clone(), favorite.project.clone());
        exists && people.contains(&favorite.user) && seen.insert(key)
    });
    set.seen_notices.retain(|(user, _)| people.contains(user));
    set.seen_notices.sort();
    set.seen_notices.dedup();
    let mut seen = HashSet::new();
    set.feedback.retain(|entry| people.contains(&entry.user) && seen.insert((entry.user, entry.feedback.clone())));
    let users: HashSet<i64> = set.users.iter().map(|user| user.id).collect();
    for link in &mut set.signup_links {
        let mut seen = HashSet::new();
        link.users.retain(|user| users.contains(user) && seen.insert(*user));
    }
}

fn tokens(set: &mut Set, findings: &mut Vec<Finding>) {
    let people = living(set);
    set.personal_tokens.retain(|token| people.contains(&token.user));
    let mut secrets = HashSet::new();
    set.api_tokens.retain_mut(|token| {
        if token.kind.eq_ignore_ascii_case("backend") {
            TokenKind::Client.as_str().clone_into(&mut token.kind);
        }
        let Some(kind) = TokenKind::parse(&token.kind) else {
            let reason = format!("is of the type {}, which does not exist here", token.kind);
            findings.push(Finding::left_out("API token", &*token.name, reason));
            return false;
        };
        kind.as_str().clone_into(&mut token.kind);
        if token.projects.is_empty() || token::names_all(&token.projects) {
            token.projects = vec![ALL.to_owned()];
        }
        token.projects.sort();
        token.projects.dedup();
        token.alias_hash = token.alias_hash.take().filter(|alias| *alias != token.secret_hash);
        secrets.insert(token.secret_hash.clone())
    });
    let mut aliases = HashSet::new();
    for token in &mut set.api_tokens {
        let taken = |alias: &String| secrets.contains(alias) || !aliases.insert(alias.clone());
        if token.alias_hash.as_ref().is_some_and(taken) {
            token.alias_hash = None;
            findings.push(Finding::changed("API token", &*token.name, "lost its alias: another token has it"));
        }
    }
}

/// Judges banners, and drops without a finding the sign-ins by ways that do not exist here.
fn banners(set: &mut Set, findings: &mut Vec<Finding>) {
    let mut left = MOST;
    set.banners.retain(|banner| {
        let reason = match banner.content() {
            Ok(_) if left > 0 => {
                left -= 1;
                return true;
            }
            Ok(_) => format!("there are {MOST} others already"),
            Err(fault) => format!("its {} {}", fault.property, fault.rule),
        };
        let message: String = banner.message.chars().take(MESSAGE_SHOWN).collect();
        findings.push(Finding::left_out("banner", message, reason));
        false
    });
    set.sign_ins.retain(|sign_in| sign_in.entry().is_some());
}
