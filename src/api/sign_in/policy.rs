//! Policy of login providers beyond the settings of each.

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
    domain::{client_authentication::ClientAuthentication, preference::Preference as _, sign_in_policy::SignInPolicy},
    error::Error,
    sign_in::lock_out::{self, Wanted},
    state::State,
    store::{self, db::Tx},
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
    ) -> Result<Out<SignInPolicy>, Fails<ReadRefusals>> {
        Ok(Out(preference::get(state).await?))
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
        body: Body<SignInPolicy>,
    ) -> Result<Out<SignInPolicy>, Fails<WriteRefusals>> {
        let wanted = body.read_form()?.completed();
        let now = state.clock.now();
        let tx = state.db.begin().await?;
        store::access::administrators::hold(&tx, now).await?;
        judge_key(state, &tx, &wanted).await?;
        let before: Option<SignInPolicy> = store::preferences::hold(&tx, SignInPolicy::ID).await?;
        if let Some(event) = wanted.changed(before.as_ref(), &SignInPolicy::default(), &caller.actor()) {
            lock_out::judge(state, &tx, caller.user_id(), &Wanted { policy: Some(&wanted), ..Wanted::default() })
                .await?;
            store::preferences::put(&tx, SignInPolicy::ID, &wanted, now).await?;
            tx.commit(now, [event]).await?;
        }
        Ok(Out(wanted))
    }
}

/// Refuses a policy that names a key which is not there, or none though it needs one. The caller has locked the
/// administrators, and so the keys.
async fn judge_key(state: &State, tx: &Tx, wanted: &SignInPolicy) -> Result<(), Error> {
    const PROPERTY: &str = "/body/oidcClientKey";
    let Some(kid) = &wanted.oidc_client_key else {
        return match wanted.client_authentication() {
            ClientAuthentication::PrivateKeyJwt => {
                Err(Error::property(PROPERTY, "is missing, and `private_key_jwt` needs the id of a key"))
            }
            ClientAuthentication::ClientSecret | ClientAuthentication::None => Ok(()),
        };
    };
    let keys = store::sign_in::client_keys::list(tx, &state.vault).await?;
    if keys.iter().any(|key| key.kid == *kid) { Ok(()) } else { Err(Error::unknown(PROPERTY, "key", kid)) }
}
