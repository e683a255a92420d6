//! Identities of the caller at login providers.

use poem::{IntoResponse, Request, Response, http::header, web::Data};
use poem_openapi::{Object, OpenApi, param::Path};
use serde::Serialize;

use crate::{
    api::{
        Tag,
        answer::{Done, Fails, Out, ReadRefusals, refusals},
        body::Body,
        caller::AuthenticatedCaller,
        client_address::SentFrom,
        me::second_factor::owner,
        parameter::TextParameter,
        response_meta::{ResponseMeta, api_response},
        sign_in::{
            passkeys::{PasskeyAnswerBody, proof_of},
            provider_sign_in::Begin,
        },
        users::identities::IdentitiesBody,
    },
    error::Error,
    sign_in::{further, identity_link},
    state::State,
};

/// The operations on the caller's identities.
#[derive(Debug)]
pub struct OwnIdentitiesApi;

refusals! {
    /// Refusals of beginning to link an identity.
    LinkRefusals = 400, 401, 403, 413, 415, 422, 424, 429, 503;
    /// Refusals of removing an identity, which may be the last way in.
    UnlinkRefusals = 400, 401, 403, 404, 409, 413, 415, 422, 429, 503;
}

/// An identity of the caller that is to be linked.
#[derive(Object)]
#[oai(rename = "IdentityLinkRequest", rename_all = "camelCase")]
pub struct IdentityLinkRequestBody {
    /// Id of the login provider. At most 50 characters.
    #[oai(validator(max_length = 50))]
    pub provider_id: String,
    /// The current password, which users who have one must give. At most 1000 characters.
    #[oai(validator(max_length = 1000))]
    pub password: Option<String>,
    /// The six digits of the authenticator app, or a recovery code. An empty text counts as absent. Ignored for users who
    /// have no second factor. At most 100 characters.
    #[oai(validator(max_length = 100))]
    pub code: Option<String>,
    /// Answer of a passkey, instead of a code.
    pub passkey: Option<PasskeyAnswerBody>,
    /// Path of this server to which the browser goes afterwards. Absent: the start page. At most 2000 characters.
    #[oai(validator(max_length = 2000))]
    pub redirect: Option<String>,
}

opaque_debug!(IdentityLinkRequestBody);

/// Beginning of a link of an identity.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "IdentityLink")]
pub struct IdentityLinkBody {
    /// URL of the login provider that the browser goes to.
    pub url: String,
}

/// 200 with the address of a login provider, and the cookies of the sign-in there. Printing it shows nothing.
pub struct LinkBegun {
    body: IdentityLinkBody,
    cookies: Vec<String>,
}

opaque_debug!(LinkBegun);

impl IntoResponse for LinkBegun {
    fn into_response(self) -> Response {
        let mut response = Out(self.body).into_response();
        for cookie in self.cookies {
            if let Ok(cookie) = cookie.parse() {
                response.headers_mut().append(header::SET_COOKIE, cookie);
            }
        }
        response
    }
}

api_response!(
    LinkBegun,
    ResponseMeta::new(200, "The browser can go on.")
        .json::<IdentityLinkBody>()
        .header("Set-Cookie", "The cookie by which the browser is known again."),
);

/// Proof that it is the caller who wants to remove an identity.
#[derive(Object)]
#[oai(rename = "IdentityRemoval")]
pub struct IdentityRemovalBody {
    /// The current password, which users who have one must give. At most 1000 characters.
    #[oai(validator(max_length = 1000))]
    pub password: Option<String>,
    /// The six digits of the authenticator app, or a recovery code. An empty text counts as absent. Ignored for users who
    /// have no second factor. At most 100 characters.
    #[oai(validator(max_length = 100))]
    pub code: Option<String>,
    /// Answer of a passkey, instead of a code.
    pub passkey: Option<PasskeyAnswerBody>,
}

opaque_debug!(IdentityRemovalBody);

#[OpenApi(tag = "Tag::Profile")]
impl OwnIdentitiesApi {
    /// List your own identities
    ///
    /// The identities at login providers that sign the caller in. Needs a session: tokens are refused with 403. An
    /// operation of this server, which Unleash does not have.
    #[oai(path = "/api/admin/user/identities", method = "get", operation_id = "getMyIdentities")]
    async fn get_my_identities(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
    ) -> Result<Out<IdentitiesBody>, Fails<ReadRefusals>> {
        let user_id = caller.require_session()?.id;
        Ok(Out(IdentitiesBody::of(state, user_id).await?))
    }

    /// Begin to link an identity of your own
    ///
    /// Answers with the URL of a login provider. Whoever signs in there, in the browser that the answer went to, links the
    /// identity to the caller: from then on it signs them in. An identity of another user is refused. Users who have a
    /// password must give it; a wrong one is 401, and a user has 10 attempts and regains one every 6 seconds. A user who
    /// has a second factor needs a proof of it, too: a code or the answer of a passkey (`beginPasskeyProof`); without
    /// one, or with a wrong one, it is 401, and a user has 10 wrong proofs, and regains one every minute. Needs a session:
    /// tokens are refused with 403. An operation of this server, which Unleash does not have.
    #[oai(path = "/api/admin/user/identities", method = "post", operation_id = "linkMyIdentity")]
    async fn link_my_identity(
        &self,
        caller: AuthenticatedCaller,
        request: &Request,
        SentFrom(address): SentFrom,
        Data(state): Data<&State>,
        body: Body<IdentityLinkRequestBody>,
    ) -> Result<LinkBegun, Fails<LinkRefusals>> {
        let user_id = caller.require_session()?.id;
        let IdentityLinkRequestBody { provider_id, password, code, passkey, redirect } = body.read()?;
        let proof = proof_of(code, passkey)?;
        let unknown = || Error::unknown("/body/providerId", "login provider", &provider_id);
        let in_force = further::find(state, &provider_id).await?.ok_or_else(unknown)?;
        identity_link::prove(state, user_id, password, proof).await?;
        let begin = Begin { return_path: redirect, trial: None, links_to: Some(user_id) };
        let (url, cookies) = begin.begin(request, address, state, in_force).await?;
        Ok(LinkBegun { body: IdentityLinkBody { url }, cookies })
    }

    /// Remove one of your identities
    ///
    /// The identity signs the caller in no more, and the sessions that came through it end, this one too if it did. Needs
    /// the password and a proof of the second factor, as `linkMyIdentity`. 409 `LastWayInError` for the last way in: the
    /// caller has no password and no other identity of a login provider that is enabled, or no such identity while password
    /// sign-in is disabled. 404 for an identity that is not yours. Needs a session: tokens are refused with 403. An
    /// operation of this server, which Unleash does not have.
    #[oai(path = "/api/admin/user/identities/:identityId/remove", method = "post", operation_id = "deleteMyIdentity")]
    async fn delete_my_identity(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        #[oai(name = "identityId")] identity_id: Path<TextParameter>,
        body: Body<IdentityRemovalBody>,
    ) -> Result<Done, Fails<UnlinkRefusals>> {
        let owner = owner(&caller)?;
        let IdentityRemovalBody { password, code, passkey } = body.read()?;
        let proof = proof_of(code, passkey)?;
        identity_link::unlink(state, &owner, &identity_id.0.0, password, proof).await?;
        Ok(Done)
    }
}
