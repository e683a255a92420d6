//! Changes of further login providers. Each is one transaction with its event, which shows no
//! secret, and none leaves the instance without a way in.

use flagstone_accounts::administrators::keep_a_way_in;
use flagstone_config::admit_one_more;
use flagstone_domain::{
    actor::Actor,
    address::{self, Named},
    event::NewEvent,
    event_kind::EventKind,
    sign_in_provider::{AdmissionRules, Connection, Content, Fault, Icon, Kind, MOST, Preset, SignInProvider},
};
use flagstone_error::{Error, Finding};
use flagstone_providers::saml::{
    certificate::{Certificate, Certificates},
    signing::SigningKey,
};
use flagstone_state::State;
use flagstone_store::{
    self as store,
    access::administrators,
    db::Tx,
    settings::PROVIDERS,
    sign_in::{access_requests, providers, sessions},
};
use serde::Serialize;

use crate::{
    author::Author,
    lock_out::{self, Wanted},
};

/// Returns the provider that this content would create or change, which is judged as if it did. Nothing is stored.
pub async fn propose(
    state: &State,
    id: String,
    kind: Kind,
    connection: Connection,
    rules: AdmissionRules,
) -> Result<SignInProvider, Error> {
    if let Err(fault) = address::judge(Named::SignInProvider, &id) {
        return Err(Error::invalid("/path/providerId", format!("The path parameter `providerId` {fault}.")));
    }
    let tx = state.db.begin().await?;
    let before = providers::find(&tx, &state.vault, &id).await?;
    if before.as_ref().is_some_and(|before| before.kind != kind) {
        return Err(Error::property("/body/kind", "must be that of the provider, which never changes"));
    }
    let (label, icon) = match &before {
        Some(before) => (before.content.label.clone(), before.content.icon),
        None => (id.clone(), Preset::of(kind).icon),
    };
    let content = admit(kind, Content { label, icon, enabled: true, connection, rules }, before.as_ref())?;
    judge_roles(&tx, &content.rules).await?;
    let now = state.clock.now();
    let sort_order = before.map_or(0, |before| before.sort_order);
    Ok(SignInProvider { id, kind, sort_order, content, created_at: now, updated_at: now })
}

/// Creates a provider, whose button is put behind all others: 409 where its id is taken.
pub async fn create(
    state: &State,
    author: &Author,
    id: String,
    kind: Kind,
    content: Content,
) -> Result<SignInProvider, Error> {
    address::judge(Named::SignInProvider, &id).map_err(|fault| Error::property("/body/id", fault))?;
    let content = admit(kind, content, None)?;
    let now = state.clock.now();
    let tx = state.db.begin().await?;
    let administrators = administrators::hold(&tx, now).await?;
    judge_roles(&tx, &content.rules).await?;
    if providers::exists(&tx, &id).await? {
        return Err(Error::Conflict(format!("There is a login provider with the id \"{id}\" already.")));
    }
    admit_one_more("login provider", providers::count(&tx).await?, MOST)?;
    let sort_order = providers::last_position(&tx).await?;
    let created = SignInProvider { id, kind, sort_order, content, created_at: now, updated_at: now };
    let mut all = providers::list(&tx, &state.vault).await?;
    all.push(created.clone());
    lock_out::judge(state, &tx, author.user_id, &wanted(&all)).await?;
    providers::insert(&tx, &state.vault, &created).await?;
    keep_a_way_in(&tx, administrators).await?;
    let event = NewEvent::new(EventKind::SettingCreated, &author.actor).with_data(&data(&created, Vec::new()));
    tx.commit(now, [event]).await?;
    Ok(created)
}

/// Replaces the content of a provider. One that stays as it is leaves no event; one that is switched off ends its
/// sessions.
pub async fn replace(state: &State, author: &Author, id: &str, content: Content) -> Result<SignInProvider, Error> {
    let now = state.clock.now();
    let tx = state.db.begin().await?;
    let administrators = administrators::hold(&tx, now).await?;
    let mut all = providers::list(&tx, &state.vault).await?;
    let held = all.iter_mut().find(|provider| provider.id == id).ok_or_else(|| missing(id))?;
    let before = held.clone();
    let content = admit(before.kind, content, Some(&before))?;
    judge_roles(&tx, &content.rules).await?;
    if content == before.content {
        return Ok(before);
    }
    let after = SignInProvider { content, updated_at: now, ..before.clone() };
    held.clone_from(&after);
    lock_out::judge(state, &tx, author.user_id, &wanted(&all)).await?;
    providers::save(&tx, &state.vault, &after).await?;
    if !after.content.enabled {
        sessions::end_all_through(&tx, &after.key()).await?;
    }
    keep_a_way_in(&tx, administrators).await?;
    tx.commit(now, [updated(&before, &after, &author.actor)]).await?;
    Ok(after)
}

/// Deletes a provider, and ends its sessions and the requests for access through it. Identities stay: they are of the same
/// people if it is created again.
pub async fn delete(state: &State, author: &Author, id: &str) -> Result<(), Error> {
    let now = state.clock.now();
    let tx = state.db.begin().await?;
    let administrators = administrators::hold(&tx, now).await?;
    let mut all = providers::list(&tx, &state.vault).await?;
    let position = all.iter().position(|provider| provider.id == id).ok_or_else(|| missing(id))?;
    let before = all.remove(position);
    lock_out::judge(state, &tx, author.user_id, &wanted(&all)).await?;
    providers::delete(&tx, id).await?;
    sessions::end_all_through(&tx, &before.key()).await?;
    access_requests::remove_all_through(&tx, &before.key()).await?;
    keep_a_way_in(&tx, administrators).await?;
    let event = NewEvent::new(EventKind::SettingDeleted, &author.actor).with_pre_data(&data(&before, Vec::new()));
    tx.commit(now, [event]).await?;
    Ok(())
}

/// Puts the buttons into an order, which names each provider once. The order that they have leaves no event.
pub async fn reorder(state: &State, author: &Author, ids: &[String]) -> Result<(), Error> {
    let now = state.clock.now();
    let tx = state.db.begin().await?;
    administrators::hold(&tx, now).await?;
    let before = providers::list(&tx, &state.vault).await?;
    let before: Vec<&str> = before.iter().map(|provider| provider.id.as_str()).collect();
    if let Some(id) = ids.iter().find(|id| !before.contains(&id.as_str())) {
        return Err(Error::unknown("/body/ids", "login provider", id));
    }
    if ids.len() != before.len() || before.iter().any(|id| !ids.iter().any(|given| given == id)) {
        return Err(Error::property("/body/ids", "must name each login provider once"));
    }
    if ids.iter().eq(before.iter()) {
        return Ok(());
    }
    for (position, id) in (0..).zip(ids) {
        providers::place_at(&tx, id, position).await?;
    }
    let order = |ids: &[&str]| serde_json::json!({ "id": PROVIDERS, "order": ids });
    let after: Vec<&str> = ids.iter().map(String::as_str).collect();
    let event = NewEvent::new(EventKind::SettingUpdated, &author.actor);
    tx.commit(now, [event.with_pre_data(&order(&before)).with_data(&order(&after))]).await?;
    Ok(())
}

fn wanted(all: &[SignInProvider]) -> Wanted<'_> {
    Wanted { further: Some(all), ..Wanted::default() }
}

/// Error of a login provider that does not exist.
pub fn missing(id: &str) -> Error {
    Error::no_id("login provider", format_args!("\"{id}\""))
}

/// Judges content, and puts the stored secrets in the place of their masks.
fn admit(kind: Kind, content: Content, before: Option<&SignInProvider>) -> Result<Content, Error> {
    let stored = before.map(|before| &before.content.connection);
    let unmasked = content.connection.unmasked(stored);
    let connection = unmasked.map_err(|(name, fault)| Error::Validation(vec![finding(name, fault.rule())]))?;
    let content = Content { connection, ..content };
    let mut findings = Vec::new();
    if content.label.trim().is_empty() || content.label.chars().any(char::is_control) {
        findings.push(Finding::property("/body/label", "must be a text in one line"));
    }
    let faults = Preset::of(kind).judge(&content.connection).err().unwrap_or_default();
    findings.extend(faults.into_iter().map(|Fault { property, rule }| finding(&property, &rule)));
    findings.extend(faults_of_keys(&content));
    let has_path = content.connection.groups_path.is_some() || Preset::of(kind).groups_path.is_some();
    if content.rules.needs_groups() && !has_path {
        findings.push(finding("groupsPath", "is missing, and the rules are about groups"));
    }
    if findings.is_empty() { Ok(content) } else { Err(Error::Validation(findings)) }
}

/// Faults of certificates and keys.
fn faults_of_keys(content: &Content) -> Vec<Finding> {
    let connection = &content.connection;
    let certificate = connection.certificate.as_deref().and_then(|text| Certificates::read(text).err());
    let key = connection.sp_certificate.as_deref().and_then(|text| SigningKey::read(text).err());
    let mut findings: Vec<Finding> = Vec::new();
    findings.extend(certificate.map(|fault| finding("certificate", fault)));
    findings.extend(key.map(|fault| finding("spCertificate", fault)));
    if connection.sign_requests == Some(true) && connection.sp_certificate.is_none() {
        findings.push(finding("spCertificate", "is missing, and requests are to be signed"));
    }
    findings
}

/// Refuses roles that do not exist.
async fn judge_roles(tx: &Tx, rules: &AdmissionRules) -> Result<(), Error> {
    let by_claim = rules.root_roles().iter().enumerate();
    let by_claim = by_claim.map(|(at, rule)| (format!("/body/rules/rootRoles/{at}/roleId"), rule.role_id));
    let default = rules.default_root_role_id.map(|id| ("/body/rules/defaultRootRoleId".to_owned(), id));
    for (path, id) in default.into_iter().chain(by_claim) {
        if !store::roles::hold_root(tx, id).await? {
            return Err(Error::property(path, "must be the id of a root role that exists"));
        }
    }
    Ok(())
}

fn finding(property: &str, rule: impl std::fmt::Display) -> Finding {
    Finding::property(format!("/body/settings/{property}"), rule)
}

/// A provider as events show it: who it is, and whom it admits, but not how it is reached.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ProviderData<'a> {
    id: String,
    kind: Kind,
    label: &'a str,
    icon: Icon,
    enabled: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    issuer: Option<String>,
    /// SHA-256 of each certificate that may sign for the provider.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    certificate_fingerprints: Vec<String>,
    rules: &'a AdmissionRules,
    /// Names of the settings that changed, secrets among them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    changed_settings: Vec<String>,
}

fn data(provider: &SignInProvider, changed_settings: Vec<String>) -> ProviderData<'_> {
    let Content { label, icon, enabled, connection, rules } = &provider.content;
    let certificates = connection.certificate.as_deref().and_then(|text| Certificates::read(text).ok());
    ProviderData {
        id: format!("{PROVIDERS}.{}", provider.id),
        kind: provider.kind,
        label,
        icon: *icon,
        enabled: *enabled,
        issuer: provider.issuer(),
        certificate_fingerprints: certificates
            .map(|all| all.iter().map(Certificate::fingerprint).collect())
            .unwrap_or_default(),
        rules,
        changed_settings,
    }
}

/// Event of changed content.
pub(super) fn updated(before: &SignInProvider, after: &SignInProvider, actor: &Actor) -> NewEvent {
    let (old, new) = (before.content.connection.given(), after.content.connection.given());
    let names = old.keys().chain(new.keys().filter(|name| !old.contains_key(*name)));
    let changed = names.filter(|name| old.get(*name) != new.get(*name)).cloned().collect();
    let event = NewEvent::new(EventKind::SettingUpdated, actor);
    event.with_pre_data(&data(before, Vec::new())).with_data(&data(after, changed))
}
