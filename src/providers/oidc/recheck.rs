//! Access of a user who signed in, checked again: the refresh token is exchanged (OpenID Connect Core 1.0, 12).

use chrono::{DateTime, Utc};
use flagstone_domain::opaque_debug;
use serde_json::{Map, Value};

use super::{
    Known, Oidc, Settings,
    claims::Claims,
    graph,
    id_token::{self, ExpectedAgain},
    refusal::{Reason, Refusal},
    sign_in::{chosen_email, verified_email},
    token::{self, Refreshed},
    userinfo,
};
use crate::groups::{GroupPath, Groups, GroupsProblem};

/// Tokens of a sign-in that was believed. Printing it shows nothing.
#[derive(Clone, Copy)]
pub struct Held<'a> {
    /// The refresh token.
    pub refresh_token: &'a str,
    /// The ID token.
    pub id_token: &'a str,
}

opaque_debug!(Held<'_>);

/// Outcome of asking a provider again.
#[derive(Debug)]
pub enum Recheck {
    /// The user may still come in.
    Confirmed(Confirmed),
    /// The provider says that the user may not come in any more.
    Withdrawn(Refusal),
    /// The provider does not answer, or in a way that says nothing about the user.
    Unknown(Refusal),
    /// The settings are those of another provider, or of another client there: it was not asked.
    Elsewhere,
}

/// Word of a provider that a user may still come in. Printing it shows nothing.
#[derive(Default)]
pub struct Confirmed {
    /// The refresh token that takes the place of the present one, if any does.
    pub refresh_token: Option<String>,
    /// The ID token that takes the place of the present one, if any does.
    pub id_token: Option<String>,
    /// The groups; absent while the settings do not ask for them, and where the provider names none.
    pub groups: Option<Groups>,
}

opaque_debug!(Confirmed);

impl Oidc {
    /// Asks the provider whether the user whose tokens are held may still come in, and reads the groups that come with
    /// the answer.
    pub async fn recheck(
        &self,
        settings: &Settings,
        held: Held<'_>,
        clock: &(dyn Fn() -> DateTime<Utc> + Send + Sync),
    ) -> Recheck {
        let known = match self.known(settings, clock()).await {
            Ok(known) => known,
            Err(refusal) => return Recheck::Unknown(refusal),
        };
        // A refresh token is shown to nobody but the provider that gave it, nor in the name of another client.
        let before = id_token::verified_before(held.id_token).filter(|before| {
            id_token::check_parties(&Claims(before), &known.discovery.issuer, &settings.client_id).is_ok()
        });
        let Some(before) = before else { return Recheck::Elsewhere };
        match self.refresh(settings, &known, held, &before, clock).await {
            Ok(confirmed) => Recheck::Confirmed(confirmed),
            Err(refusal) if refusal.reason.ends_access() => Recheck::Withdrawn(refusal),
            Err(refusal) => Recheck::Unknown(refusal),
        }
    }

    async fn refresh(
        &self,
        settings: &Settings,
        known: &Known,
        held: Held<'_>,
        before: &Map<String, Value>,
        clock: &(dyn Fn() -> DateTime<Utc> + Send + Sync),
    ) -> Result<Confirmed, Refusal> {
        let Refreshed { id_token, access_token, refresh_token } =
            token::refresh(&self.outbound, &known.discovery, settings, held.refresh_token, clock()).await?;
        let mut confirmed = Confirmed { refresh_token, ..Confirmed::default() };
        match self.told(settings, known, id_token.as_deref(), access_token.as_deref(), before, clock()).await {
            Ok(groups) => {
                confirmed.id_token = id_token;
                confirmed.groups = groups;
            }
            Err(refusal) if refusal.reason.ends_access() => return Err(refusal),
            // The refresh token was taken, and another one may have come for it, which must not be lost.
            Err(refusal) => {
                tracing::warn!(
                    target: "flagstone::providers::oidc::recheck",
                    reason = refusal.reason.code(),
                    "what a login provider tells of a user is not believed"
                );
            }
        }
        Ok(confirmed)
    }

    /// Checks what came along with new tokens, and returns the groups in it.
    async fn told(
        &self,
        settings: &Settings,
        known: &Known,
        id_token: Option<&str>,
        access_token: Option<&str>,
        before: &Map<String, Value>,
        now: DateTime<Utc>,
    ) -> Result<Option<Groups>, Refusal> {
        let before = Claims(before);
        let subject = before.id("sub")?;
        let acr_values = settings.accepted_acr();
        let expected = ExpectedAgain {
            issuer: &known.discovery.issuer,
            client_id: &settings.client_id,
            algorithm: settings.algorithm,
            skew_seconds: settings.skew_seconds,
            subject,
            nonce: before.text("nonce")?,
            acr_values: &acr_values,
            access_token,
        };
        let claims = match id_token {
            Some(token) => {
                Some(self.with_keys(known, now, |keys| id_token::verify_again(token, keys, &expected, now)).await?)
            }
            None => None,
        };
        if let Some(claims) = claims.as_ref().filter(|claims| chosen_email(settings, claims).is_some()) {
            // Of a person whose email counts no more than before, nothing is asked that was not asked then.
            verified_email(&Settings { require_verified_email: false, ..settings.clone() }, claims, &Map::new())?;
        }
        let Some(path) = settings.groups_path.as_deref().map(GroupPath::new) else { return Ok(None) };
        let told = claims.as_ref().map(|claims| path.read(claims));
        if let (Some(Groups::Unusable(GroupsProblem::Overage)), Some(url), Some(token)) =
            (&told, &settings.particulars.groups_url, access_token)
        {
            return Ok(Some(graph::groups(&self.outbound, url, token).await));
        }
        if told.as_ref().is_some_and(|told| *told != Groups::Absent) {
            return Ok(told);
        }
        let Some((endpoint, token)) = known.discovery.userinfo_endpoint.as_deref().zip(access_token) else {
            return Ok(told);
        };
        match userinfo::fetch(&self.outbound, endpoint, token, subject).await {
            // Without an ID token, what the user info endpoint leaves out may have been in the one before.
            Ok(said) => Ok(Some(path.read(&said)).filter(|groups| told.is_some() || *groups != Groups::Absent)),
            Err(refusal) if refusal.reason == Reason::UserinfoSubject => Err(refusal),
            Err(_) => Ok(Some(Groups::Unusable(GroupsProblem::NotFetched))),
        }
    }
}
