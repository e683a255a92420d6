//! The certificates of login providers: how long they are valid.

use chrono::{DateTime, Utc};

use super::Findings;
use crate::{
    config::{Variables, providers::FromEnvironment},
    domain::{
        settings::{ProviderSettings as _, SamlSettings},
        time::Timestamp,
    },
    providers::saml::certificate::{Certificate, Certificates, SOON},
    store::{StoreError, db::Db, settings},
    vault::Vault,
};

const ABOUT: &str = "login provider";

/// The vault is that which opens what is sealed, where there is any.
pub(super) async fn look(
    findings: &mut Findings,
    variables: &Variables,
    db: &Db,
    vault: Option<&Vault>,
    now: Timestamp,
) -> Result<(), StoreError> {
    let from_environment = match FromEnvironment::read(variables) {
        Ok(from_environment) => from_environment,
        Err(error) => {
            findings.fail(ABOUT, error, "correct the variable: the server does not start with it");
            return Ok(());
        }
    };
    let saml = match (from_environment.saml, vault) {
        (Some(saml), _) => saml,
        (None, Some(vault)) => settings::get(db, vault).await?,
        (None, None) => return Ok(()),
    };
    // Nothing depends on them while they are off.
    if let SamlSettings::On(on) = saml.stored() {
        certificates(findings, &on.certificate, now);
    }
    Ok(())
}

/// The keys of expired certificates go on to be believed, as everywhere in the field, so that nothing fails yet: but
/// providers put another key in the place of one that ends.
fn certificates(findings: &mut Findings, text: &str, now: Timestamp) {
    let certificates = match Certificates::read(text) {
        Ok(certificates) => certificates,
        Err(fault) => {
            let found = format!("the certificate of the SAML provider {fault}");
            findings.fail(ABOUT, found, "take it anew from the provider's metadata: nobody can sign in by SAML");
            return;
        }
    };
    let now = now.instant();
    for certificate in certificates.expiring(now + SOON) {
        let (end, number) = (certificate.not_after(), &certificate.fingerprint()[..16]);
        let verb = if end < now { "ended" } else { "ends" };
        findings.warn(
            ABOUT,
            format!("the certificate {number}… of the SAML provider {verb} at {}", moment(end)),
            "ask whoever runs the provider for the next one, add it to the SAML settings before the provider signs with it, \
             and remove this one afterwards",
        );
    }
    if certificates.expiring(now + SOON).next().is_none()
        && let Some(first) = certificates.iter().map(Certificate::not_after).min()
    {
        findings.ok(ABOUT, format!("the certificate of the SAML provider is valid until {}", moment(first)));
    }
}

fn moment(of: DateTime<Utc>) -> Timestamp {
    Timestamp::from_millis(of.timestamp_millis())
}
