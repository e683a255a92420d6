//! Becoming a user with a sign-up link.

use poem::web::Data;
use poem_openapi::{Object, OpenApi, param::Path};

use crate::{
    accounts,
    api::{
        Tag,
        answer::{Created, Done, Fails, refusals},
        body::Body,
        client_address::SentFrom,
        users::{UserBody, filled, passwords::judge_password},
    },
    domain::role::RootRole,
    error::Error,
    sign_in::signup::{find_link, sign_up},
    state::State,
    store::access::people::NewUser,
    wire::Nullable,
};

/// The operations for those who have a sign-up link.
#[derive(Debug)]
pub struct SignupApi;

refusals! {
    /// Refusals when a sign-up link is looked at.
    InvitationRefusals = 400, 503;
    /// Refusals of signing up.
    SignupRefusals = 400, 409, 413, 415, 429, 503;
}

/// Registration of a user through a sign-up link.
#[derive(Object)]
#[oai(rename = "Signup", rename_all = "camelCase")]
pub struct SignupBody {
    /// Email, unique and case-insensitive; can be used to sign in. 3 to 255 characters, with one `@` and no
    /// blanks.
    #[oai(validator(min_length = 3, max_length = 255))]
    pub email: String,
    /// Display name. 1 to 255 characters.
    #[oai(validator(min_length = 1, max_length = 255))]
    pub name: String,
    /// Name to sign in with, unique. At most 255 characters. Absent: only the email can be used.
    #[oai(validator(max_length = 255))]
    pub username: Option<Nullable<String>>,
    /// Password: 10 to 1000 characters with a lower-case letter, an upper-case letter, a digit and another character.
    /// Common passwords are refused.
    #[oai(validator(max_length = 1000))]
    pub password: String,
}

opaque_debug!(SignupBody);

#[OpenApi(tag = "Tag::Users")]
impl SignupApi {
    /// Validate a sign-up link
    ///
    /// 200 while the link can be used, 400 otherwise. Needs no credentials but the link.
    #[oai(path = "/invite/:token/validate", method = "get", operation_id = "validatePublicSignupToken")]
    async fn validate_public_signup_token(
        &self,
        Data(state): Data<&State>,
        token: Path<String>,
    ) -> Result<Done, Fails<InvitationRefusals>> {
        find_link(state, &token.0).await?;
        Ok(Done)
    }

    /// Sign up with a link
    ///
    /// Creates a user with the role Viewer, who can sign in at once. Needs no credentials but the link; a link that
    /// cannot be used is 400, and so is another email than the one that the link was sent to. What the user comes in by
    /// ends when somebody with the email comes through a login provider for the first time. Limited to 20 users a minute from one address.
    #[oai(path = "/invite/:token/signup", method = "post", operation_id = "addPublicSignupTokenUser")]
    async fn add_public_signup_token_user(
        &self,
        SentFrom(address): SentFrom,
        Data(state): Data<&State>,
        token: Path<String>,
        body: Body<SignupBody>,
    ) -> Result<Created<UserBody>, Fails<SignupRefusals>> {
        let link_id = find_link(state, &token.0).await?;
        let body = body.read()?;
        let new = NewUser {
            email: Some(body.email),
            name: Some(body.name),
            username: filled(body.username),
            root_role_id: RootRole::Viewer.id(),
            ..NewUser::default()
        };
        accounts::judge_names(&new).map_err(Error::from)?;
        judge_password(&body.password)?;
        state.attempts.sign_up.count(&address.network())?;
        let account = sign_up(state, link_id, new, body.password).await?;
        Ok(Created(UserBody::of(account)))
    }
}
