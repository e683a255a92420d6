//! Changes of custom roles.

use flagstone_accounts::administrators::keep_an_administrator;
use flagstone_domain::{
    address::{self, Named},
    event::NewEvent,
    event_kind::EventKind,
    in_use::{Subject, User},
    role::{CustomKind, RoleDocument},
    settings::{OidcSettings, ProviderSettings, SamlSettings},
    sign_in::Provider,
    version::Version,
    visibility::Visibility,
};
use flagstone_error::Error;
use flagstone_store::{self as store, StoreError, db::Tx, roles::RoleContent};
use flagstone_vault::Vault;

use crate::{Author, Begin, if_match::IfMatch, in_use::in_use};

impl Author<'_> {
    /// Creates a role: 409 when another has its name.
    pub async fn create_role(self, kind: CustomKind, content: RoleContent) -> Result<RoleDocument, Error> {
        let transaction = self.begin(Begin::Change).await?;
        let tx = &transaction.tx;
        let content = admit(tx, content, kind, None).await?;
        let id = store::roles::insert(tx, kind, &content).await.map_err(|error| taken(error, &content))?;
        let role = read(tx, id).await?;
        let event = NewEvent::new(EventKind::RoleCreated, &self.caller.actor()).with_data(&role);
        transaction.commit([event]).await?;
        Ok(role)
    }

    /// Judges a role as [`Author::create_role`] does, and creates nothing.
    pub async fn validate_role(self, kind: CustomKind, content: RoleContent) -> Result<(), Error> {
        let transaction = self.begin(Begin::Change).await?;
        admit(&transaction.tx, content, kind, None).await?;
        Ok(())
    }

    /// Replaces the content of a role, whose kind stays: another `kind` is refused.
    pub async fn update_role(
        self,
        id: i64,
        if_match: &IfMatch,
        kind: Option<CustomKind>,
        content: RoleContent,
    ) -> Result<RoleDocument, Error> {
        let transaction = self.begin(Begin::Change).await?;
        let tx = &transaction.tx;
        let administrators = store::access::administrators::hold(tx, transaction.now).await?;
        let (old, old_kind) = hold_custom(tx, id, if_match).await?;
        if kind.is_some_and(|kind| kind != old_kind) {
            let rule = format!("must be {}: the type cannot be changed", old_kind.as_str());
            return Err(Error::property("/body/type", rule));
        }
        let content = admit(tx, content, old_kind, Some(&old)).await?;
        store::roles::save(tx, old.id, &content).await.map_err(|error| taken(error, &content))?;
        keep_an_administrator(tx, administrators).await?;
        let role = read(tx, old.id).await?;
        let event = (role != old).then(|| {
            let event = NewEvent::new(EventKind::RoleUpdated, &self.caller.actor());
            event.with_data(&role).with_pre_data(&old)
        });
        transaction.commit(event).await?;
        Ok(role)
    }

    /// Deletes a role that nobody holds, and that no login provider gives to new users.
    pub async fn delete_role(self, id: i64, if_match: &IfMatch, vault: &Vault) -> Result<(), Error> {
        let transaction = self.begin(Begin::Change).await?;
        let tx = &transaction.tx;
        let (old, _) = hold_custom(tx, id, if_match).await?;
        if store::roles::is_held(tx, old.id).await? {
            let message = format!("The role \"{}\" is in use; take it from everybody first.", old.name);
            return Err(Error::Rule { name: "RoleInUseError", message });
        }
        refuse_role_of_providers(tx, vault, &old).await?;
        store::roles::delete(tx, old.id).await?;
        let event = NewEvent::new(EventKind::RoleDeleted, &self.caller.actor()).with_pre_data(&old);
        transaction.commit([event]).await
    }
}

async fn hold_custom(tx: &Tx, id: i64, if_match: &IfMatch) -> Result<(RoleDocument, CustomKind), Error> {
    let role = store::roles::hold(tx, id).await?.ok_or_else(|| Error::no_id("role", id))?;
    let Some(kind) = CustomKind::parse(&role.kind) else {
        return Err(Error::forbidden(format!("The role \"{}\" is built in and stays as it is.", role.name)));
    };
    if_match.check(Version::of(&role))?;
    Ok((role, kind))
}

/// 409 for a role that login providers give to users whom they create. Only administrators delete roles, and they see
/// all providers. Settings of the environment name built-in roles alone, which are not deleted.
async fn refuse_role_of_providers(tx: &Tx, vault: &Vault, role: &RoleDocument) -> Result<(), Error> {
    let subject = Subject::Role { id: role.id, name: &role.name };
    let mut users = store::in_use::users(tx, &subject, &Visibility::everything()).await?;
    let oidc: OidcSettings = store::settings::get(tx, vault).await?;
    let saml: SamlSettings = store::settings::get(tx, vault).await?;
    let given = [(Provider::Oidc, oidc.default_root_role_id()), (Provider::Saml, saml.default_root_role_id())];
    let giving = given.into_iter().filter(|(_, id)| id.is_some_and(|id| id.whole() == Some(role.id)));
    users.seen.extend(giving.map(|(protocol, _)| User::ProviderSettings(protocol)));
    if users.seen.is_empty() { Ok(()) } else { Err(in_use(&subject, &users)) }
}

/// Checks what the schema cannot express. The permissions are sorted then, each once.
async fn admit(
    tx: &Tx,
    mut content: RoleContent,
    kind: CustomKind,
    old: Option<&RoleDocument>,
) -> Result<RoleContent, Error> {
    if old.is_none_or(|old| old.name != content.name) {
        address::judge(Named::Role, &content.name).map_err(|fault| Error::property("/body/name", fault))?;
    }
    let environments = store::roles::environments(tx).await?;
    for (index, grant) in content.permissions.iter().enumerate() {
        let path = format!("/body/permissions/{index}");
        grant.judge(kind).map_err(|unfit| Error::property(path.clone(), unfit))?;
        if let Some(environment) = grant.environment.as_ref().filter(|name| !environments.contains(name)) {
            return Err(Error::property(
                format!("{path}/environment"),
                format!("names the environment \"{environment}\", which does not exist"),
            ));
        }
    }
    content.permissions.sort();
    content.permissions.dedup();
    match store::roles::find_named(tx, &content.name).await? {
        Some(other) if old.is_none_or(|old| old.id != other) => Err(name_taken(&content)),
        _ => Ok(content),
    }
}

fn name_taken(content: &RoleContent) -> Error {
    Error::Conflict(format!("There is a role named \"{}\" already.", content.name))
}

fn taken(error: StoreError, content: &RoleContent) -> Error {
    if error.is_duplicate() { name_taken(content) } else { error.into() }
}

async fn read(tx: &Tx, id: i64) -> Result<RoleDocument, Error> {
    let role = store::roles::find_document(tx, id).await?;
    role.ok_or_else(|| Error::internal(format!("role {id} has gone while it was held")))
}
