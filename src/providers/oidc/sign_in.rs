//! End of a sign-in: from the callback of the browser to the user's identity.

use chrono::{DateTime, Utc};
use flagstone_domain::{
    email::{folded, is_email},
    opaque_debug,
    sign_in_provider::{Dialect, EmailProof},
    user::fit_name,
};
use serde_json::{Map, Value};

use super::{
    Known, Oidc, Settings,
    authorization::{Callback, Secrets},
    claims::Claims,
    github, graph,
    id_token::{self, Expected},
    refusal::{Reason, Refusal},
    token::{self, CodeGrant, Tokens},
    userinfo,
};
use crate::groups::{GroupPath, Groups, GroupsProblem};

/// The claims that say whether the email is the person's: that of the standard, and Entra's, by which the owner of the
/// email's domain is known.
const VERIFIED: [&str; 2] = ["email_verified", DOMAIN_OWNER];
/// Entra's claim that the owner of the email's domain is known.
const DOMAIN_OWNER: &str = "xms_edov";
/// Google's claim of the domain of the organization that a person belongs to.
const HOSTED_DOMAIN: &str = "hd";
/// Domain of the emails that Google itself gives.
const GMAIL: &str = "@gmail.com";

/// A sign-in that began.
#[derive(Debug, Clone, Copy)]
pub struct Attempt<'a> {
    /// Secrets that were sealed for the browser.
    pub secrets: &'a Secrets,
    /// When it began.
    pub started_at: DateTime<Utc>,
    /// Address that the provider sends the browser back to; the same as at the start.
    pub redirect_uri: &'a str,
}

/// Identity of a user as the provider asserts it. Printing it shows nothing.
#[derive(Clone, PartialEq)]
pub struct SignedIn {
    /// The provider.
    pub issuer: String,
    /// Subject: the user's permanent id there.
    pub subject: String,
    /// The session there, if it has a name (`sid`).
    pub session_id: Option<String>,
    /// The email: an address by the rule of [`is_email`].
    pub email: String,
    /// Whether the provider says that the email is verified. Never `Some(false)`.
    pub email_verified: Option<bool>,
    /// Whether the provider proves that the email is the person's.
    pub proves_email: bool,
    /// Display name, if the provider sends any: 1 to 255 characters without control characters.
    pub name: Option<String>,
    /// The groups; absent while the settings do not ask.
    pub groups: Option<Groups>,
    /// The ID token itself, by which the provider identifies the session to end; `None` where there are none.
    pub id_token: Option<String>,
    /// The refresh token, if the provider gives one: whether access goes on can be asked with it.
    pub refresh_token: Option<String>,
    /// All that the provider says, of which the ID token's word counts. For the person who tries settings out.
    pub claims: Map<String, Value>,
}

opaque_debug!(SignedIn { .. });

impl Oidc {
    /// Exchanges what the browser brought back for who it is that sits before it.
    ///
    /// That the browser is the one that began, and that it does so once, is for the caller to know before and after.
    pub async fn finish(
        &self,
        settings: &Settings,
        attempt: &Attempt<'_>,
        callback: &Callback<'_>,
        clock: &(dyn Fn() -> DateTime<Utc> + Send + Sync),
    ) -> Result<SignedIn, Refusal> {
        callback.provider_error()?;
        if settings.particulars.dialect == Dialect::GitHub {
            return github::finish(&self.outbound, settings, attempt, callback).await;
        }
        let known = self.known(settings, clock()).await?;
        let code = callback.code_of(&known.discovery)?;
        let Attempt { secrets, started_at, redirect_uri } = *attempt;
        let code = CodeGrant { code, verifier: &secrets.verifier, redirect_uri };
        let tokens = token::exchange(&self.outbound, &known.discovery, settings, code, clock()).await?;
        let acr_values = settings.accepted_acr();
        let expected = Expected {
            issuer: &known.discovery.issuer,
            client_id: &settings.client_id,
            algorithm: settings.algorithm,
            skew_seconds: settings.skew_seconds,
            nonce: &secrets.nonce,
            started_at,
            acr_values: &acr_values,
            access_token: tokens.access_token.as_deref(),
        };
        // The exchange took its time, and the token may be younger than the answer of the browser.
        let now = clock();
        let claims =
            self.with_keys(&known, now, |keys| id_token::verify(&tokens.id_token, keys, &expected, now)).await?;
        self.identity(settings, &known, tokens, claims).await
    }

    async fn identity(
        &self,
        settings: &Settings,
        known: &Known,
        tokens: Tokens,
        claims: Map<String, Value>,
    ) -> Result<SignedIn, Refusal> {
        check_hosted_domain(settings, &Claims(&claims))?;
        let path = settings.groups_path.as_deref().map(GroupPath::new);
        let mut groups = path.as_ref().map(|path| path.read(&claims));
        let subject = Claims(&claims).id("sub")?.to_owned();
        let session_id = Claims(&claims).optional_id("sid")?.map(str::to_owned);
        let lacks_email = chosen_email(settings, &claims).is_none()
            || (settings.require_verified_email && VERIFIED.iter().all(|name| !claims.contains_key(*name)));
        let lacks_groups = groups == Some(Groups::Absent);
        let lacks_name = settings.name_claim.is_some() && name(settings, &claims).is_none();
        let mut said = Map::new();
        if let Some((endpoint, token)) =
            known.discovery.userinfo_endpoint.as_deref().zip(tokens.access_token.as_deref())
            && (lacks_email || lacks_groups || lacks_name)
        {
            match userinfo::fetch(&self.outbound, endpoint, token, &subject).await {
                Ok(found) => said = found,
                // Nobody is kept out for want of groups or a name; but an answer about somebody else is no answer.
                Err(refusal) if lacks_email || refusal.reason == Reason::UserinfoSubject => return Err(refusal),
                Err(_) if lacks_groups => groups = Some(Groups::Unusable(GroupsProblem::NotFetched)),
                Err(_) => {}
            }
        }
        if groups == Some(Groups::Absent) {
            groups = path.map(|path| path.read(&said));
        }
        let (email, email_verified) = verified_email(settings, &claims, &said)?;
        let proves_email = proves(settings.particulars.email_proof, &email, email_verified, &claims);
        let mut all = said;
        all.extend(claims);
        if let (Some(Groups::Unusable(GroupsProblem::Overage)), Some(url), Some(token)) =
            (&groups, &settings.particulars.groups_url, &tokens.access_token)
        {
            let fetched = graph::groups(&self.outbound, url, token).await;
            if let Groups::Names(names) = &fetched {
                all.insert("groups".to_owned(), names.clone().into());
            }
            groups = Some(fetched);
        }
        Ok(SignedIn {
            issuer: known.discovery.issuer.clone(),
            subject,
            session_id,
            email,
            email_verified,
            proves_email,
            name: name(settings, &all),
            groups,
            id_token: Some(tokens.id_token),
            refresh_token: tokens.refresh_token,
            claims: all,
        })
    }
}

/// Refuses whoever belongs to none of the Google organizations of the settings. Only the ID token counts.
fn check_hosted_domain(settings: &Settings, claims: &Claims<'_>) -> Result<(), Refusal> {
    let accepted = &settings.particulars.hosted_domains;
    if accepted.is_empty() {
        return Ok(());
    }
    let found = claims.text(HOSTED_DOMAIN)?;
    if found.is_some_and(|found| accepted.iter().any(|one| one.eq_ignore_ascii_case(found))) {
        return Ok(());
    }
    Err(Refusal::new(Reason::HostedDomain).expected(accepted.join(" or ")).found(found.unwrap_or("none")))
}

/// Whether a provider proves that an email is the person's. What Entra and Google say of it beside that it is verified
/// counts only of the email of the ID token.
fn proves(proof: EmailProof, proved: &str, verified: Option<bool>, claims: &Map<String, Value>) -> bool {
    let says = |name: &str| email(claims) == Some(proved) && claims.get(name).is_some_and(|word| !word.is_null());
    verified == Some(true)
        && match proof {
            EmailProof::Stated => true,
            EmailProof::DomainOwner => says(DOMAIN_OWNER),
            EmailProof::Google => proved.to_ascii_lowercase().ends_with(GMAIL) || says(HOSTED_DOMAIN),
        }
}

/// The email, of the ID token or else of the user info, and what is said about it. What is said is about the claim
/// `email`: for another claim it counts only where that is the same address.
pub(super) fn verified_email(
    settings: &Settings,
    claims: &Map<String, Value>,
    said: &Map<String, Value>,
) -> Result<(String, Option<bool>), Refusal> {
    let chosen = chosen_email(settings, claims).or_else(|| chosen_email(settings, said));
    let chosen = chosen.ok_or_else(|| Refusal::new(Reason::EmailMissing))?;
    // Whichever place speaks of this very email may doubt it.
    let speaks_of_it = |place: &&Map<String, Value>| email(place).is_some_and(|other| folded(other) == folded(chosen));
    let words = [claims, said].into_iter().filter(speaks_of_it);
    let mut verified = None;
    let words = words.flat_map(|place| VERIFIED.iter().filter_map(|name| place.get(*name)));
    for word in words.filter(|word| !word.is_null()) {
        // Cognito and Apple write the boolean as a text, Entra as a number in one.
        if *word != true && *word != "true" && *word != "1" && *word != 1 {
            return Err(Refusal::new(Reason::EmailUnverified).expected(true).found(word));
        }
        verified = Some(true);
    }
    if verified.is_none() && settings.require_verified_email {
        return Err(Refusal::new(Reason::EmailUnverified).expected(true).found("nothing about it"));
    }
    Ok((chosen.to_owned(), verified))
}

/// The email in the claim of the settings, or else in that of the standard.
pub(super) fn chosen_email<'a>(settings: &Settings, said: &'a Map<String, Value>) -> Option<&'a str> {
    match &settings.email_claim {
        Some(claim) => GroupPath::new(claim).read_text(said).and_then(fit_email),
        None => email(said),
    }
}

fn email(said: &Map<String, Value>) -> Option<&str> {
    said.get("email")?.as_str().and_then(fit_email)
}

fn fit_email(text: &str) -> Option<&str> {
    // A blank of another alphabet is part of another address.
    Some(text.trim_matches(' ')).filter(|text| is_email(text))
}

fn name(settings: &Settings, said: &Map<String, Value>) -> Option<String> {
    if let Some(claim) = &settings.name_claim {
        return GroupPath::new(claim).read_text(said).and_then(fit_name);
    }
    let part = |name: &str| said.get(name).and_then(Value::as_str).and_then(fit_name);
    let parts: Vec<_> = ["given_name", "family_name"].into_iter().filter_map(part).collect();
    part("name").or_else(|| fit_name(&parts.join(" ")))
}
