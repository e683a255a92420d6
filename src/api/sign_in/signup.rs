//! Becoming a user with a sign-up link.

use poem::web::Data;
use poem_openapi::{Object, OpenApi, param::Path};
use serde_json::json;

use crate::{
    accounts::{self, AccountError},
    api::{
        Tag,
        answer::{Created, Done, Fails, refusals},
        body::Body,
        client_address::ClientAddress,
        sign_in::password_reset::themself,
        users::{UserBody, filled, passwords::judge_password},
    },
    domain::{account_powers::Way, actor::Actor, event::NewEvent, event_kind::EventKind, role::RootRole, secret},
    error::Error,
    state::State,
    store::{self, access::people::NewUser},
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

impl std::fmt::Debug for SignupBody {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SignupBody")
    }
}

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
        address: ClientAddress,
        Data(state): Data<&State>,
        token: Path<String>,
        body: Body<SignupBody>,
    ) -> Result<Created<UserBody>, Fails<SignupRefusals>> {
        let link_id = find_link(state, &token.0).await?;
        let body = body.read()?;
        let mut new = NewUser {
            email: Some(body.email),
            name: Some(body.name),
            username: filled(body.username),
            root_role_id: RootRole::Viewer.id(),
            ..NewUser::default()
        };
        accounts::judge_names(&new).map_err(Error::from)?;
        judge_password(&body.password)?;
        state.attempts.sign_up.count(&address.network())?;
        new.password_hash = Some(state.passwords.hash(body.password).await?);
        let now = state.clock.now();
        let tx = state.db.begin().await?;
        let link = store::users::signup_links::hold(&tx, link_id).await?.filter(|link| link.admits(now));
        let link = link.ok_or_else(closed)?;
        if !new.email.as_deref().is_some_and(|email| link.is_for(email)) {
            return Err(Error::property("/body/email", "must be the email that the link was sent to").into());
        }
        // No user is signed in: the events are in the name of the new user, as soon as there is one.
        let made = accounts::insert_user(&tx, new, Way::Invitation, now, &Actor::system()).await;
        let (id, mut created) = made.map_err(signup_refusal)?;
        store::users::signup_links::add_user(&tx, link.id, id).await?;
        let account = store::users::find(&tx, id).await?;
        let account = account.ok_or_else(|| Error::internal("the new user is missing"))?;
        created.actor = themself(&account);
        let joined = NewEvent::new(EventKind::PublicSignupTokenUserAdded, &created.actor);
        let joined = joined.with_data(&json!({ "id": link.id, "name": link.name, "userId": id }));
        tx.commit(now, [created, joined]).await?;
        Ok(Created(UserBody::of(account)))
    }
}

/// The id of the link with this secret, while it lets people in.
async fn find_link(state: &State, secret: &str) -> Result<i64, Error> {
    let id = store::users::signup_links::find_id(&state.db, &secret::digest(secret)).await?.ok_or_else(closed)?;
    let link = store::users::signup_links::find(&state.db, id).await?.map(|(link, _)| link);
    link.filter(|link| link.admits(state.clock.now())).map(|link| link.id).ok_or_else(closed)
}

fn closed() -> Error {
    Error::invalid("/path/token", "The link of /path/token does not let anybody in any more; ask for another one.")
}

fn signup_refusal(error: AccountError) -> Error {
    match error {
        AccountError::NameTaken(_) => Error::Conflict(error.to_string()),
        error => error.into(),
    }
}
