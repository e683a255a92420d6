//! Policy of login providers beyond the settings of each.

use poem::web::Data;
use poem_openapi::OpenApi;

use crate::{
    api::{
        Tag,
        answer::{Fails, Out, ReadRefusals, ReplaceRefusals},
        body::Body,
        permitted::{Permitted, need},
        preference,
        sign_in::author::author,
        version::{IfMatchHeader, Versioned},
    },
    domain::sign_in_policy::SignInPolicy,
    sign_in::policy,
    state::State,
};

/// The operations on the policy of sign-in.
#[derive(Debug)]
pub struct PolicyApi;

#[OpenApi(tag = "Tag::Authentication")]
impl PolicyApi {
    /// Get the policy of login providers
    ///
    /// Settings that apply to all login providers.
    #[oai(path = "/api/admin/auth/policy", method = "get", operation_id = "getSignInPolicy")]
    async fn get_sign_in_policy(
        &self,
        _caller: Permitted<need::UpdateAuthConfiguration>,
        Data(state): Data<&State>,
    ) -> Result<Versioned<SignInPolicy>, Fails<ReadRefusals>> {
        Ok(Versioned::whole(preference::get(state).await?))
    }

    /// Update the policy of login providers
    ///
    /// Replaces the policy. Setting the current policy leaves no event. 403 for a change that leaves no way in through
    /// which an administrator has signed in since it last changed.
    #[oai(path = "/api/admin/auth/policy", method = "put", operation_id = "setSignInPolicy")]
    async fn set_sign_in_policy(
        &self,
        caller: Permitted<need::UpdateAuthConfiguration>,
        Data(state): Data<&State>,
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
        body: Body<SignInPolicy>,
    ) -> Result<Out<SignInPolicy>, Fails<ReplaceRefusals>> {
        let wanted = body.read_form()?.completed();
        policy::replace(state, &author(&caller), &if_match, &wanted).await?;
        Ok(Out(wanted))
    }
}
