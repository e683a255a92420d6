//! Passkeys for signing in and as proofs of a second factor.

use poem::{Request, web::Data};
use poem_openapi::{Object, OpenApi};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::{
    api::{
        Tag,
        answer::{Fails, Out, refusals},
        body::Body,
        client_address::SentFrom,
        sign_in::{SignInRefusals, SignedIn, session_cookie},
    },
    error::Error,
    sign_in::{
        in_force,
        passkeys::{self, PasskeyAnswer},
        second_factor::Proof,
    },
    state::State,
};

/// The operations of signing in with a passkey.
#[derive(Debug)]
pub struct PasskeySignInApi;

refusals! {
    /// Refusals of asking for a challenge.
    ChallengeRefusals = 403, 422, 429, 503;
}

/// A challenge for a passkey.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "PasskeyChallenge", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct PasskeyChallengeBody {
    /// Id by which the answer names the challenge.
    pub challenge_id: String,
    /// Options for `navigator.credentials.get`, as `PublicKeyCredential.parseRequestOptionsFromJSON` reads them.
    pub options: PasskeyRequestOptionsBody,
}

/// Options for using a passkey (Web Authentication, `PublicKeyCredentialRequestOptionsJSON`).
#[derive(Debug, Clone, Serialize, Deserialize, Object)]
#[oai(rename = "PasskeyRequestOptions", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct PasskeyRequestOptionsBody {
    /// The challenge: 32 random bytes in base64url without padding.
    pub challenge: String,
    /// Milliseconds that the browser gives the user: 300000.
    pub timeout: u64,
    /// Host of the server's public URL, for which passkeys are made.
    pub rp_id: String,
    /// Whether the device verifies its user, by PIN or biometrics: `required`.
    pub user_verification: String,
}

/// The answer of a passkey to a challenge.
#[derive(Clone, Object)]
#[oai(rename = "PasskeyAnswer", rename_all = "camelCase")]
pub struct PasskeyAnswerBody {
    /// Id of the challenge (`beginPasskeyProof`). At most 100 characters.
    #[oai(validator(max_length = 100))]
    pub challenge_id: String,
    /// Credential from `navigator.credentials.get`, as its `toJSON` writes it. Other properties of it are ignored.
    pub credential: PasskeyAssertionBody,
}

opaque_debug!(PasskeyAnswerBody);

/// A passkey that was used (Web Authentication, `AuthenticationResponseJSON`).
#[derive(Clone, Serialize, Object)]
#[oai(rename = "PasskeyAssertion")]
pub struct PasskeyAssertionBody {
    /// Id by which the passkey calls itself, in base64url without padding, at most 1400 characters.
    #[oai(validator(max_length = 1400, pattern = "^[A-Za-z0-9_-]+$"))]
    pub id: String,
    /// Response of the device.
    pub response: PasskeyAssertionResponseBody,
}

opaque_debug!(PasskeyAssertionBody);

/// Response of a device that used a passkey, all in base64url without padding.
#[derive(Clone, Serialize, Object)]
#[oai(rename = "PasskeyAssertionResponse", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct PasskeyAssertionResponseBody {
    /// Client data of the browser: challenge and origin of the page. At most 8000 characters.
    #[oai(rename = "clientDataJSON", validator(max_length = 8000, pattern = "^[A-Za-z0-9_-]+$"))]
    #[serde(rename = "clientDataJSON")]
    pub client_data_json: String,
    /// Authenticator data: host, counter, and whether the user was verified. At most 8000 characters.
    #[oai(validator(max_length = 8000, pattern = "^[A-Za-z0-9_-]+$"))]
    pub authenticator_data: String,
    /// The signature over both, at most 8000 characters.
    #[oai(validator(max_length = 8000, pattern = "^[A-Za-z0-9_-]+$"))]
    pub signature: String,
    /// Handle of the user, at most 100 characters.
    #[oai(validator(max_length = 100, pattern = "^[A-Za-z0-9_-]+$"))]
    pub user_handle: String,
}

opaque_debug!(PasskeyAssertionResponseBody);

impl PasskeyAnswerBody {
    /// Reads the answer at a place of the body, a JSON pointer: 400 for what is no base64url.
    fn read(self, place: &str) -> Result<PasskeyAnswer, Error> {
        let PasskeyAssertionBody { id, response } = self.credential;
        let credential = json!({ "id": id, "rawId": id, "type": "public-key", "response": response });
        let credential = serde_json::from_value(credential).map_err(|_| not_base64url(place))?;
        Ok(PasskeyAnswer { challenge_id: self.challenge_id, credential })
    }
}

/// Refusal of a credential, at a place of the body, that the patterns of its parts let pass.
pub fn not_base64url(place: &str) -> Error {
    Error::property(format!("{place}/credential"), "has a part that is no base64url without padding")
}

/// The proof of a second factor that a body holds, a code or the answer of a passkey: 400 for both. An empty code
/// counts as absent.
pub fn proof_of(code: Option<String>, passkey: Option<PasskeyAnswerBody>) -> Result<Option<Proof>, Error> {
    match (code.filter(|code| !code.is_empty()), passkey) {
        (Some(_), Some(_)) => {
            Err(Error::property("/body/code", "must be absent beside `passkey`: one proof is enough"))
        }
        (Some(code), None) => Ok(Some(Proof::Code(code))),
        (None, Some(answer)) => Ok(Some(Proof::Passkey(Box::new(answer.read("/body/passkey")?)))),
        (None, None) => Ok(None),
    }
}

#[OpenApi(tag = "Tag::Authentication")]
impl PasskeySignInApi {
    /// Get a challenge for a passkey
    ///
    /// For whatever a passkey proves: signing in with it alone (`signInWithPasskey`), as the second factor beside the
    /// password (`login`), and before changing second factors. Any passkey of this server can answer; the browser lets
    /// its user choose. A challenge is answered once, within five minutes, on any node. An address has 120 challenges a
    /// minute. Needs no credentials. A page of another origin is refused. 422 where the public URL of the server is
    /// neither a domain with https nor `http://localhost`.
    #[oai(path = "/auth/passkey/challenge", method = "post", operation_id = "beginPasskeyProof")]
    async fn begin_passkey_proof(
        &self,
        request: &Request,
        SentFrom(address): SentFrom,
        Data(state): Data<&State>,
    ) -> Result<Out<PasskeyChallengeBody>, Fails<ChallengeRefusals>> {
        session_cookie::require_own_page(request)?;
        state.attempts.passkey_challenge.count(&address.network())?;
        let challenge = passkeys::begin_proof(state).await?;
        let options = serde_json::to_value(challenge.options.public_key).and_then(serde_json::from_value);
        let options = options.map_err(Error::internal)?;
        Ok(Out(PasskeyChallengeBody { challenge_id: challenge.id, options }))
    }

    /// Sign in with a passkey
    ///
    /// Starts a session of the user who has the passkey, without name and password, and sets its cookie, as `login`
    /// does. The device has verified the user by PIN or biometrics, so that no second factor is asked for. Whatever is
    /// wrong, the answer is 401 `PasskeyMismatchError`; the log of sign-ins has the reason. An address has 10 failed
    /// attempts, and regains one every 6 seconds; accounts are not limited, since nobody guesses a passkey. Needs no
    /// credentials. A page of another origin is refused. 422 where password sign-in is disabled or the public URL allows
    /// no passkeys.
    #[oai(path = "/auth/passkey/login", method = "post", operation_id = "signInWithPasskey")]
    async fn sign_in_with_passkey(
        &self,
        request: &Request,
        SentFrom(address): SentFrom,
        Data(state): Data<&State>,
        body: Body<PasskeyAnswerBody>,
    ) -> Result<SignedIn, Fails<SignInRefusals>> {
        session_cookie::require_own_page(request)?;
        let answer = body.read()?.read("/body")?;
        let (enabled, passwords) = in_force::ways(state).await?;
        if passwords.is_off(&enabled) {
            return Err(Error::PasswordsOff.into());
        }
        state.attempts.passkey_sign_in.count(&address.network())?;
        let browser = session_cookie::browser_of(request, address)?;
        let (account, session) = passkeys::sign_in(state, answer, &browser).await?;
        state.attempts.passkey_sign_in.give_back(&address.network());
        state.attempts.sign_in.recognised(&account, address);
        Ok(SignedIn::of(state, account, &session))
    }
}
