//! Trials of further login providers before they count.

use poem::web::Data;
use poem_openapi::{Object, OpenApi, param::Path};

use crate::{
    api::{
        Tag,
        answer::{Fails, LookupRefusals, Out},
        body::Body,
        client_address::SentFrom,
        permitted::{Permitted, need},
        sign_in::trials::{self, TrialBody, TrialOutcomeBody, TrialRefusals},
    },
    domain::sign_in_provider::{AdmissionRules, Connection, Kind},
    sign_in::{
        further::{self, InForceOf},
        provider_changes,
        trial::{self, Tried},
    },
    state::State,
};

/// The operations that try login providers out.
#[derive(Debug)]
pub struct ProviderTrialsApi;

/// Content of a login provider to be tried out.
#[derive(Debug, Object)]
#[oai(rename = "SignInProviderProposal", rename_all = "camelCase")]
pub struct ProviderProposalBody {
    /// Kind of the provider: that of the one that exists with this id, if one does.
    pub kind: Kind,
    /// Settings of its connection, and of the verification of its messages, to try out.
    pub settings: Connection,
    /// Rules of admission to try out. Absent: users to whom an identity of it is linked.
    pub rules: Option<AdmissionRules>,
}

#[OpenApi(tag = "Tag::Authentication")]
impl ProviderTrialsApi {
    /// Test a login provider
    ///
    /// Judges the content of a login provider, new or changed, reads what the provider publishes about itself, and returns
    /// an address at which to sign in by this content. It is not stored, and the sign-in starts no session.
    /// `getSignInProviderTrial` returns the result. `********` in the place of a secret stands for the stored one, as long
    /// as no address of the provider changes. A test lasts 15 minutes. Limited to 10 tests a minute from one address. An
    /// operation of this server, which Unleash does not have.
    #[oai(path = "/api/admin/auth/providers/:providerId/test", method = "post", operation_id = "trySignInProvider")]
    async fn try_sign_in_provider(
        &self,
        SentFrom(address): SentFrom,
        _caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        #[oai(name = "providerId", validator(pattern = "^[a-z0-9]([a-z0-9-]{0,48}[a-z0-9])?$", max_length = 50))]
        provider_id: Path<String>,
        body: Body<ProviderProposalBody>,
    ) -> Result<Out<TrialBody>, Fails<TrialRefusals>> {
        let ProviderProposalBody { kind, settings, rules } = body.read()?;
        state.attempts.provider_trial.count(&address.network())?;
        let rules = rules.unwrap_or_default();
        let provider = provider_changes::propose(state, provider_id.0, kind, settings, rules).await?;
        let checks = match further::tried(state, &provider).await? {
            InForceOf::Oidc(in_force) => trials::oidc_checks(state, &in_force).await?,
            InForceOf::Saml(in_force) => trials::saml_checks(state, &in_force),
        };
        Ok(Out(trials::begin(state, Tried::Further(Box::new(provider)), checks).await?))
    }

    /// Get the result of a test of a login provider
    ///
    /// Answers with the claims of the provider, the user whom they would sign in here, and the changes of that user's groups;
    /// or with the reason why the sign-in would be refused. An operation of this server, which Unleash does not have.
    #[oai(
        path = "/api/admin/auth/providers/:providerId/test/:trialId",
        method = "get",
        operation_id = "getSignInProviderTrial"
    )]
    async fn get_sign_in_provider_trial(
        &self,
        _caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        #[oai(name = "providerId")] provider_id: Path<String>,
        #[oai(name = "trialId")] trial_id: Path<String>,
    ) -> Result<Out<TrialOutcomeBody>, Fails<LookupRefusals>> {
        Ok(Out(trials::outcome(trial::required_of(state, &provider_id.0, &trial_id.0).await?)))
    }
}
