//! Second factors of users, as administrators handle them.

use poem::web::Data;
use poem_openapi::{OpenApi, param::Path};

use crate::{
    accounts,
    api::{
        Tag,
        answer::{ActRefusals, Done, Fails},
        parameter::UserIdParameter,
        permitted::{Permitted, need},
        users::find_user,
    },
    error::Error,
    state::State,
};

/// The operation on second factors of users.
#[derive(Debug)]
pub struct UserSecondFactorApi;

#[OpenApi(tag = "Tag::Users")]
impl UserSecondFactorApi {
    /// Remove the second factor of a user
    ///
    /// For a user who has lost the authenticator app and the recovery codes: removes both, and ends every session of
    /// the user, who signs in with the password alone from then on, or, where the policy requires a second factor,
    /// enrols another one. Personal tokens stay. A user who has none is left as they are, without an event.
    #[oai(
        path = "/api/admin/user-admin/:id/second-factor",
        method = "delete",
        operation_id = "removeSecondFactorOfUser"
    )]
    async fn remove_second_factor_of_user(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        id: Path<UserIdParameter>,
    ) -> Result<Done, Fails<ActRefusals>> {
        let id = find_user(state, &id.0).await?.id;
        let removed = accounts::remove_second_factors_of(&state.db, id, state.clock.now(), &caller.actor()).await;
        removed.map_err(Error::from)?;
        Ok(Done)
    }
}
