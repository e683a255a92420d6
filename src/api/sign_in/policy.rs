//! What administrators decide about login providers beyond the settings of each.

use poem::web::Data;
use poem_openapi::OpenApi;

use crate::{
    api::{
        Tag,
        answer::{Fails, Out, ReadRefusals, WriteRefusals},
        body::Body,
        permitted::{Permitted, need},
        preference,
    },
    domain::sign_in_policy::SignInPolicy,
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
        _caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
    ) -> Result<Out<SignInPolicy>, Fails<ReadRefusals>> {
        Ok(Out(preference::get(state).await?))
    }

    /// Update the policy of login providers
    ///
    /// Replaces the policy. Setting the current policy leaves no event.
    #[oai(path = "/api/admin/auth/policy", method = "put", operation_id = "setSignInPolicy")]
    async fn set_sign_in_policy(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        body: Body<SignInPolicy>,
    ) -> Result<Out<SignInPolicy>, Fails<WriteRefusals>> {
        let wanted = body.read_form()?;
        preference::replace(state, &caller, &wanted, &SignInPolicy::default()).await?;
        Ok(Out(wanted))
    }
}
