//! Trying settings of a login provider out before they count.

use poem::web::Data;
use poem_openapi::{Enum, Object, OpenApi, param::Path};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::{
    api::{
        Tag,
        answer::{Fails, LookupRefusals, Out, refusals},
        body::Body,
        client_address::SentFrom,
        permitted::{Permitted, need},
    },
    domain::{
        settings::{OidcOn, OidcSettings, ProviderSettings as _, SamlOn, SamlSettings},
        sign_in::ProviderKey,
        sign_in_log::Method,
        sign_in_provider::Dialect,
        time::Timestamp,
    },
    error::Error,
    providers::{
        groups::GroupPath,
        oidc::{ClientAuthentication, Oidc},
        saml::{
            certificate::{Certificates, SOON},
            signing::SigningKey,
        },
    },
    sign_in::{
        in_force::InForce,
        login_settings, refusal,
        trial::{self, ToldGroups, Trial, TrialOutcome, Tried},
    },
    state::State,
    wire::Nullable,
};

/// The operations that try settings out.
#[derive(Debug)]
pub struct TrialsApi;

refusals! {
    /// Refusals of trials of settings.
    TrialRefusals = 400, 401, 403, 413, 415, 429, 503;
}

/// A test that was started.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "SignInTrial", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct TrialBody {
    /// Id of the trial.
    pub id: String,
    /// URL at which to sign in with the settings: a real sign-in at the provider that starts no session here.
    pub url: String,
    /// When the test expires.
    pub expires_at: Timestamp,
    /// Checks that need no sign-in.
    pub checks: Vec<TrialCheckBody>,
}

/// A check that needs no sign-in.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "SignInTrialCheck")]
pub struct TrialCheckBody {
    /// Subject of the check.
    pub name: String,
    /// Whether the check passed.
    pub ok: bool,
    /// Result of the check in words.
    pub message: String,
}

/// Status of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize)]
#[oai(rename = "SignInTrialState", rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum TrialState {
    /// The provider's answer has not arrived yet.
    Waiting,
    /// The user would be signed in.
    Admitted,
    /// The user would be refused.
    Refused,
}

/// Result of a test.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "SignInTrialOutcome", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct TrialOutcomeBody {
    /// Status of the test.
    pub state: TrialState,
    /// Code of the reason in the sign-in log, if the sign-in would be refused; `null` otherwise.
    pub reason: Nullable<String>,
    /// The reason in words; `null` otherwise.
    pub explanation: Nullable<String>,
    /// Expected value; `null` when it is secret or does not apply.
    pub expected: Nullable<String>,
    /// Actual value; `null` when it is secret or does not apply.
    pub found: Nullable<String>,
    /// The verified claims or attributes from the provider, as JSON text; `null` while there are none.
    pub claims: Nullable<String>,
    /// The email; `null` while it is unknown.
    pub email: Nullable<String>,
    /// The name; `null` while it is unknown.
    pub name: Nullable<String>,
    /// Id of the user who would be signed in; `null` when a user would be created or the sign-in refused.
    pub user_id: Nullable<i64>,
    /// Id of the root role that the user has, or would get; `null` when the sign-in would be refused.
    pub root_role_id: Nullable<i64>,
    /// Changes of the user's groups; `null` when the settings do not ask for groups.
    pub groups: Nullable<TrialGroupsBody>,
}

/// Changes of a user's groups.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "SignInTrialGroups", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct TrialGroupsBody {
    /// Groups from the provider.
    pub received: Vec<String>,
    /// Names of the groups to join.
    pub joined: Vec<String>,
    /// Names of the groups to leave.
    pub left: Vec<String>,
    /// Groups from the provider that are not mapped to any group here.
    pub unmapped: Vec<String>,
    /// Problem with the groups that keeps them from being determined; `null` otherwise.
    pub problem: Nullable<String>,
}

#[OpenApi(tag = "Tag::Authentication")]
impl TrialsApi {
    /// Test OIDC settings
    ///
    /// Reads the provider's discovery document with the given settings, and returns an address at which to sign in with
    /// them. The settings are not stored, and the sign-in starts no session. `getOidcTrial` returns the result. A test
    /// lasts 15 minutes. Limited to 10 tests a minute from one address.
    #[oai(path = "/api/admin/auth/oidc/test", method = "post", operation_id = "tryOidcSettings")]
    async fn try_oidc_settings(
        &self,
        SentFrom(address): SentFrom,
        _caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        body: Body<OidcSettings>,
    ) -> Result<Out<TrialBody>, Fails<TrialRefusals>> {
        let settings = body.read_form()?.stored();
        state.attempts.provider_trial.count(&address.network())?;
        let settings = login_settings::propose(state, settings).await?;
        let in_force = InForce::of(state, &settings).await?.ok_or_else(disabled)?;
        let checks = oidc_checks(state, &in_force).await?;
        Ok(Out(begin(state, Tried::Oidc(settings), checks).await?))
    }

    /// Get the result of an OIDC test
    ///
    /// Answers with the claims of the provider, the user whom they would sign in here, and the changes of that user's groups;
    /// or with the reason why the sign-in would be refused.
    #[oai(path = "/api/admin/auth/oidc/test/:trialId", method = "get", operation_id = "getOidcTrial")]
    async fn get_oidc_trial(
        &self,
        _caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        #[oai(name = "trialId")] trial_id: Path<String>,
    ) -> Result<Out<TrialOutcomeBody>, Fails<LookupRefusals>> {
        Ok(Out(outcome(trial::required(state, &ProviderKey::OIDC, &trial_id.0).await?)))
    }

    /// Test SAML settings
    ///
    /// Checks certificate and key, and returns an address at which to sign in with the given settings. The settings are
    /// not stored, and the sign-in starts no session. `getSamlTrial` returns the result. A test lasts 15 minutes.
    /// Limited to 10 tests a minute from one address.
    #[oai(path = "/api/admin/auth/saml/test", method = "post", operation_id = "trySamlSettings")]
    async fn try_saml_settings(
        &self,
        SentFrom(address): SentFrom,
        _caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        body: Body<SamlSettings>,
    ) -> Result<Out<TrialBody>, Fails<TrialRefusals>> {
        let settings = body.read_form()?.stored();
        state.attempts.provider_trial.count(&address.network())?;
        let settings = login_settings::propose(state, settings).await?;
        let in_force = InForce::of(state, &settings).await?.ok_or_else(disabled)?;
        let checks = saml_checks(state, &in_force);
        Ok(Out(begin(state, Tried::Saml(settings), checks).await?))
    }

    /// Get the result of a SAML test
    ///
    /// Answers with the claims of the provider, the user whom they would sign in here, and the changes of that user's groups;
    /// or with the reason why the sign-in would be refused.
    #[oai(path = "/api/admin/auth/saml/test/:trialId", method = "get", operation_id = "getSamlTrial")]
    async fn get_saml_trial(
        &self,
        _caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        #[oai(name = "trialId")] trial_id: Path<String>,
    ) -> Result<Out<TrialOutcomeBody>, Fails<LookupRefusals>> {
        Ok(Out(outcome(trial::required(state, &ProviderKey::SAML, &trial_id.0).await?)))
    }
}

fn disabled() -> Error {
    Error::property("/body/enabled", "must be true: only settings that are on can be tried out")
}

/// Begins a trial.
pub(super) async fn begin(state: &State, tried: Tried, checks: Vec<TrialCheckBody>) -> Result<TrialBody, Error> {
    let provider = tried.key();
    let id = trial::begin(state, tried).await?;
    Ok(TrialBody {
        url: provider.address(&state.config.base_url, &format!("/login?trial={id}")),
        expires_at: state.clock.now().plus_millis(trial::LASTS_MS),
        id,
        checks,
    })
}

fn check(name: &str, found: Result<String, String>) -> TrialCheckBody {
    let ok = found.is_ok();
    TrialCheckBody { name: name.to_owned(), ok, message: found.unwrap_or_else(|fault| fault) }
}

fn group_path(provider: &ProviderKey, path: Option<&str>, is_on: Option<bool>) -> Option<TrialCheckBody> {
    if is_on != Some(true) {
        return None;
    }
    Some(check(
        if provider.id.is_some() { "groupsPath" } else { "groupJsonPath" },
        match path {
            None => Err("Groups are to follow the provider, and nothing says where they are.".to_owned()),
            Some(path) => match GroupPath::check(path) {
                Ok(()) => Ok("It is a path.".to_owned()),
                Err(fault) => Ok(format!("It counts as the name of a property: as a path it {fault}.")),
            },
        },
    ))
}

/// Checks of a provider of OpenID Connect. GitHub publishes nothing about itself.
pub(super) async fn oidc_checks(state: &State, in_force: &InForce<OidcOn>) -> Result<Vec<TrialCheckBody>, Error> {
    if in_force.particulars.dialect == Dialect::GitHub {
        return Ok(Vec::new());
    }
    let on = &in_force.settings;
    let settings = in_force.protocol(state).await?;
    // A new one without cached data, which is dropped afterwards.
    let oidc = Oidc::new(state.outbound.clone());
    let now = state.clock.now().instant();
    let discovery = oidc.discovery(&settings, now).await;
    let mut checks = vec![check(
        "discoverUrl",
        match &discovery {
            Ok(discovery) => Ok(format!("The issuer is {}.", discovery.issuer)),
            Err(refusal) => Err(refusal.to_string()),
        },
    )];
    if let Ok(discovery) = &discovery {
        checks.push(check(
            "clientAuthentication",
            match discovery.client_authentication(&settings.credentials) {
                Ok(ClientAuthentication::Basic | ClientAuthentication::Post) => {
                    Ok("The provider takes a secret.".to_owned())
                }
                Ok(ClientAuthentication::PrivateKey) => {
                    Ok("The provider takes what a key of this server signs.".to_owned())
                }
                Ok(ClientAuthentication::None) => Ok("Nothing is sent but the client id.".to_owned()),
                Err(refusal) => Err(refusal.to_string()),
            },
        ));
        checks.push(check(
            "keys",
            match oidc.keys(&settings, now).await {
                Ok(keys) if keys.usable(settings.algorithm) > 0 => {
                    Ok(format!("The provider publishes keys that fit: {}.", keys.usable(settings.algorithm)))
                }
                Ok(_) => Err("The provider publishes no key that fits the algorithm.".to_owned()),
                Err(refusal) => Err(refusal.to_string()),
            },
        ));
    }
    checks.extend(group_path(&in_force.provider, on.group_json_path.as_deref(), on.enable_group_syncing));
    Ok(checks)
}

/// Checks of a provider of SAML.
pub(super) fn saml_checks(state: &State, in_force: &InForce<SamlOn>) -> Vec<TrialCheckBody> {
    let on = &in_force.settings;
    let now = state.clock.now().instant();
    let mut checks = vec![check(
        "certificate",
        match Certificates::read(&on.certificate) {
            Err(fault) => Err(format!("It {fault}.")),
            Ok(certificates) => match certificates.expiring(now + SOON).next() {
                Some(one) => Err(format!("One expires, or expired, at {}.", one.not_after().to_rfc3339())),
                None => Ok(format!("Certificates that can be read: {}.", certificates.iter().count())),
            },
        },
    )];
    if let Some(key) = &on.sp_certificate {
        checks.push(check(
            "spCertificate",
            match SigningKey::read(key) {
                Ok(_) => Ok("It holds a private key.".to_owned()),
                Err(fault) => Err(format!("It {fault}.")),
            },
        ));
    }
    checks.extend(group_path(&in_force.provider, on.group_json_path.as_deref(), on.enable_group_syncing));
    checks
}

/// Returns the outcome of a trial.
pub(super) fn outcome(found: Trial) -> TrialOutcomeBody {
    let method = Method::from(found.tried.key().protocol);
    let mut body = TrialOutcomeBody {
        state: TrialState::Waiting,
        reason: None.into(),
        explanation: None.into(),
        expected: None.into(),
        found: None.into(),
        claims: None.into(),
        email: None.into(),
        name: None.into(),
        user_id: None.into(),
        root_role_id: None.into(),
        groups: None.into(),
    };
    let explained = |reason: &str| refusal::sentence(method, reason);
    match found.outcome {
        None => {}
        Some(TrialOutcome::Refused { reason, expected, found }) => {
            body.state = TrialState::Refused;
            body.explanation = explained(&reason).into();
            body.reason = Some(reason).into();
            body.expected = expected.into();
            body.found = found.into();
        }
        Some(TrialOutcome::Vouched { claims, user_id, email, name, root_role_id, refusal, groups, .. }) => {
            body.state = if refusal.is_some() { TrialState::Refused } else { TrialState::Admitted };
            body.explanation = refusal.as_deref().and_then(explained).into();
            body.reason = refusal.into();
            body.claims = Some(text(&claims)).into();
            body.email = Some(email).into();
            body.name = name.into();
            body.user_id = user_id.into();
            body.root_role_id = root_role_id.into();
            body.groups = groups.map(TrialGroupsBody::from).into();
        }
    }
    body
}

fn text(claims: &Map<String, Value>) -> String {
    serde_json::to_string_pretty(claims).unwrap_or_default()
}

impl From<ToldGroups> for TrialGroupsBody {
    fn from(told: ToldGroups) -> Self {
        Self {
            received: told.received,
            joined: told.joined,
            left: told.left,
            unmapped: told.unmapped,
            problem: told.problem.into(),
        }
    }
}
