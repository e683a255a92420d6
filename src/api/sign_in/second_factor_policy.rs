//! Policy on second factors.

use poem::web::Data;
use poem_openapi::OpenApi;

use crate::{
    api::{
        Tag,
        answer::{Fails, Out, ReadRefusals, ReplaceRefusals},
        author::author,
        body::Body,
        permitted::{Permitted, need},
        preference,
        version::{IfMatchHeader, Versioned},
    },
    domain::second_factor::SecondFactorPolicy,
    state::State,
};

/// The operations on the policy of second factors.
#[derive(Debug)]
pub struct SecondFactorPolicyApi;

#[OpenApi(tag = "Tag::Authentication")]
impl SecondFactorPolicyApi {
    /// Get the policy on second factors
    #[oai(path = "/api/admin/auth/second-factor", method = "get", operation_id = "getSecondFactorPolicy")]
    async fn get_second_factor_policy(
        &self,
        _caller: Permitted<need::UpdateAuthConfiguration>,
        Data(state): Data<&State>,
    ) -> Result<Versioned<SecondFactorPolicy>, Fails<ReadRefusals>> {
        Ok(Versioned::whole(preference::get(state).await?))
    }

    /// Update the policy on second factors
    ///
    /// Says of whom a second factor is required when they sign in with a password. It counts from the next request on,
    /// also in sessions that have begun: those of users who have none, the caller's included, can do nothing but enrol
    /// one. Nobody is locked out. Sign-ins through login providers, links of the operator and tokens are not affected.
    /// Setting the current policy leaves no event.
    #[oai(path = "/api/admin/auth/second-factor", method = "put", operation_id = "setSecondFactorPolicy")]
    async fn set_second_factor_policy(
        &self,
        caller: Permitted<need::UpdateAuthConfiguration>,
        Data(state): Data<&State>,
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
        body: Body<SecondFactorPolicy>,
    ) -> Result<Out<SecondFactorPolicy>, Fails<ReplaceRefusals>> {
        let wanted = body.read()?;
        author(&caller, state).replace_preference(&if_match, &wanted, &SecondFactorPolicy::default()).await?;
        Ok(Out(wanted))
    }
}
