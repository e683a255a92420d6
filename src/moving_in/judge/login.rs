//! Login providers: people sign in by them only where all of it holds here.

use std::collections::HashMap;

use flagstone_domain::settings::{ProviderSettings, is_provider_address, is_uri};
use serde_json::{Value, json};

use crate::{
    Finding,
    neutral::{RoleKind, Set},
};

pub(super) fn judge(set: &mut Set, roles: &HashMap<i64, (i64, RoleKind)>, findings: &mut Vec<Finding>) {
    set.settings.oidc = set.settings.oidc.take().and_then(|settings| judged(&settings, roles, findings));
    set.settings.saml = set.settings.saml.take().and_then(|settings| judged(&settings, roles, findings));
}

fn judged<T: ProviderSettings>(
    settings: &T,
    roles: &HashMap<i64, (i64, RoleKind)>,
    findings: &mut Vec<Finding>,
) -> Option<T> {
    let mut value = serde_json::to_value(settings).ok()?;
    if let Some(given) = settings.default_root_role_id() {
        let role = given.whole().and_then(|id| roles.get(&id)).filter(|(_, kind)| *kind == RoleKind::Root);
        value["defaultRootRoleId"] = role.map_or(Value::Null, |(id, _)| json!(id));
        if role.is_none() {
            let reason = "gave new users a root role that does not exist: they are Viewers here";
            findings.push(Finding::changed("setting", T::ID, reason));
        }
    }
    let addresses = settings.addresses();
    for (name, _) in addresses.iter().filter(|(_, address)| !is_uri(address)) {
        value[*name] = Value::Null;
        findings.push(Finding::changed("setting", T::ID, format!("lost its {name}, which is no URI: set it anew")));
    }
    let is_fit = |address: &str| is_uri(address) && is_provider_address(address);
    let open: Vec<&str> = addresses.iter().filter(|(_, address)| !is_fit(address)).map(|(name, _)| *name).collect();
    if settings.are_on() {
        let reason = if open.is_empty() {
            "comes over, and is kept encrypted with the key that the server starts with".to_owned()
        } else {
            value["enabled"] = json!(false);
            format!("is switched off: {} must be https without credentials", open.join(", "))
        };
        findings.push(Finding::changed("setting", T::ID, reason));
    }
    serde_json::from_value(value).ok()
}
