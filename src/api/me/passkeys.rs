//! Passkeys of the caller.

use poem::web::Data;
use poem_openapi::{Object, OpenApi, param::Path};
use serde::{Deserialize, Serialize};
use serde_json::json;
use webauthn_rs::prelude::RegisterPublicKeyCredential;

use crate::{
    api::{
        Tag,
        answer::{ChangeRefusals, Created, Done, Fails, Out, ReadRefusals, refusals},
        body::Body,
        caller::{AuthenticatedCaller, EnrollingCaller},
        me::second_factor::{EnrolmentRefusals, PasswordAndProofBody, ProofRefusals, owner},
        sign_in::passkeys::not_base64url,
    },
    domain::{
        passkey::{Passkey, read_name},
        time::Timestamp,
    },
    error::Error,
    sign_in::passkeys::{self, Registered},
    state::State,
    store,
    wire::Nullable,
};

/// The operations on the caller's passkeys.
#[derive(Debug)]
pub struct OwnPasskeysApi;

refusals! {
    /// Refusals of beginning a registration.
    RegistrationRefusals = 400, 401, 403, 413, 415, 422, 429, 503;
}

/// A passkey.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "Passkey", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct PasskeyBody {
    /// Id of the passkey.
    pub id: i64,
    /// Name that its user gave it.
    pub name: String,
    /// When it was registered.
    pub created_at: Timestamp,
    /// When it last proved its user; `null` for never.
    pub last_used_at: Nullable<Timestamp>,
}

impl From<Passkey> for PasskeyBody {
    fn from(passkey: Passkey) -> Self {
        let Passkey { id, name, created_at, used_at } = passkey;
        Self { id, name, created_at, last_used_at: used_at.into() }
    }
}

/// Passkeys of the caller.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "OwnPasskeys")]
pub struct OwnPasskeysBody {
    /// The passkeys, the oldest first; at most 20.
    pub passkeys: Vec<PasskeyBody>,
}

/// A challenge for registering a passkey.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "PasskeyRegistrationChallenge", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct PasskeyRegistrationChallengeBody {
    /// Id by which the registration names the challenge.
    pub challenge_id: String,
    /// Options for `navigator.credentials.create`, as `PublicKeyCredential.parseCreationOptionsFromJSON` reads them.
    pub options: PasskeyCreationOptionsBody,
}

/// Options for making a passkey (Web Authentication, `PublicKeyCredentialCreationOptionsJSON`).
#[derive(Debug, Clone, Serialize, Deserialize, Object)]
#[oai(rename = "PasskeyCreationOptions", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct PasskeyCreationOptionsBody {
    /// The server.
    pub rp: PasskeyRelyingPartyBody,
    /// The caller.
    pub user: PasskeyUserBody,
    /// The challenge: 32 random bytes in base64url without padding.
    pub challenge: String,
    /// Signature algorithms that the passkey can have, the preferred one first.
    pub pub_key_cred_params: Vec<PasskeyAlgorithmBody>,
    /// Milliseconds that the browser gives the user: 300000.
    pub timeout: u64,
    /// Passkeys that the caller has: a device that has one of them makes no other.
    pub exclude_credentials: Vec<PasskeyDescriptorBody>,
    /// Demands on the device.
    pub authenticator_selection: PasskeySelectionBody,
    /// Statement on the make of the device: `none` is asked for.
    pub attestation: String,
}

/// The server, as devices keep it with a passkey.
#[derive(Debug, Clone, Serialize, Deserialize, Object)]
#[oai(rename = "PasskeyRelyingParty")]
pub struct PasskeyRelyingPartyBody {
    /// Host of the server's public URL.
    pub id: String,
    /// Name of the server.
    pub name: String,
}

/// The user, as devices keep it with a passkey.
#[derive(Debug, Clone, Serialize, Deserialize, Object)]
#[oai(rename = "PasskeyUser", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct PasskeyUserBody {
    /// Handle of the user: random bytes in base64url without padding, which say nothing about the user.
    pub id: String,
    /// Email or user name, cut after 60 characters.
    pub name: String,
    /// Name of the user, or again the email or user name.
    pub display_name: String,
}

/// A signature algorithm.
#[derive(Debug, Clone, Serialize, Deserialize, Object)]
#[oai(rename = "PasskeyAlgorithm")]
pub struct PasskeyAlgorithmBody {
    /// Type of the credential: `public-key`.
    pub r#type: String,
    /// Number of the algorithm in the registry of COSE, such as -7 for ECDSA with P-256 and SHA-256.
    pub alg: i64,
}

/// A passkey, as browsers recognise it.
#[derive(Debug, Clone, Serialize, Deserialize, Object)]
#[oai(rename = "PasskeyDescriptor")]
pub struct PasskeyDescriptorBody {
    /// Type of the credential: `public-key`.
    pub r#type: String,
    /// Id by which the passkey calls itself, in base64url without padding.
    pub id: String,
}

/// Demands on the device of a passkey.
#[derive(Debug, Clone, Serialize, Deserialize, Object)]
#[oai(rename = "PasskeySelection", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct PasskeySelectionBody {
    /// Whether the device can find the passkey without its id: `required`.
    pub resident_key: String,
    /// `residentKey` for older browsers: true.
    pub require_resident_key: bool,
    /// Whether the device verifies its user, by PIN or biometrics: `required`.
    pub user_verification: String,
}

impl PasskeySelectionBody {
    /// Demands by which a passkey serves to sign in without a name and a password.
    fn discoverable() -> Self {
        let required = || "required".to_owned();
        Self { resident_key: required(), require_resident_key: true, user_verification: required() }
    }
}

/// A passkey to register.
#[derive(Debug, Clone, Object)]
#[oai(rename = "PasskeyRegistration", rename_all = "camelCase")]
pub struct PasskeyRegistrationBody {
    /// Id of the challenge (`beginPasskeyRegistration`). At most 100 characters.
    #[oai(validator(max_length = 100))]
    pub challenge_id: String,
    /// Name of the passkey, such as that of the device: 1 to 100 characters, not only blanks, none of them a control
    /// character.
    #[oai(validator(min_length = 1, max_length = 100, pattern = r"\S"))]
    pub name: String,
    /// Credential from `navigator.credentials.create`, as its `toJSON` writes it. Other properties of it are ignored.
    pub credential: PasskeyAttestationBody,
}

/// A passkey that was made (Web Authentication, `RegistrationResponseJSON`).
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "PasskeyAttestation")]
pub struct PasskeyAttestationBody {
    /// Id by which the passkey calls itself, in base64url without padding, at most 1400 characters.
    #[oai(validator(max_length = 1400, pattern = "^[A-Za-z0-9_-]+$"))]
    pub id: String,
    /// Response of the device.
    pub response: PasskeyAttestationResponseBody,
}

/// Response of a device that made a passkey, all in base64url without padding.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "PasskeyAttestationResponse", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct PasskeyAttestationResponseBody {
    /// Client data of the browser: challenge and origin of the page. At most 8000 characters.
    #[oai(rename = "clientDataJSON", validator(max_length = 8000, pattern = "^[A-Za-z0-9_-]+$"))]
    #[serde(rename = "clientDataJSON")]
    pub client_data_json: String,
    /// Public key and authenticator data, as a CBOR attestation object. At most 20000 characters.
    #[oai(validator(max_length = 20000, pattern = "^[A-Za-z0-9_-]+$"))]
    pub attestation_object: String,
}

impl PasskeyAttestationBody {
    fn read(self) -> Result<RegisterPublicKeyCredential, Error> {
        let credential = json!({ "id": self.id, "rawId": self.id, "type": "public-key", "response": self.response });
        serde_json::from_value(credential).map_err(|_| not_base64url("/body"))
    }
}

/// A newly registered passkey.
#[derive(Clone, Serialize, Object)]
#[oai(rename = "RegisteredPasskey", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct RegisteredPasskeyBody {
    /// Id of the passkey.
    pub id: i64,
    /// Its name.
    pub name: String,
    /// When it was registered.
    pub created_at: Timestamp,
    /// When it last proved its user: `null`, never.
    pub last_used_at: Nullable<Timestamp>,
    /// Ten recovery codes, for the first second factor of a user: shown only once. Empty for a further one, beside which
    /// earlier codes go on serving.
    pub recovery_codes: Vec<String>,
}

opaque_debug!(RegisteredPasskeyBody { id, .. });

/// Name of a passkey.
#[derive(Debug, Clone, Object)]
#[oai(rename = "PasskeyRenaming")]
pub struct PasskeyRenamingBody {
    /// The new name: 1 to 100 characters, not only blanks, none of them a control character.
    #[oai(validator(min_length = 1, max_length = 100, pattern = r"\S"))]
    pub name: String,
}

/// The name of a passkey in a body.
fn named(name: &str) -> Result<String, Error> {
    read_name(name).map_err(|rule| Error::property("/body/name", rule))
}

#[OpenApi(tag = "Tag::Profile")]
impl OwnPasskeysApi {
    /// List your own passkeys
    ///
    /// Each signs the caller in alone (`signInWithPasskey`), and is a second factor beside the password. Needs a session:
    /// tokens are refused with 403.
    #[oai(path = "/api/admin/user/passkeys", method = "get", operation_id = "getMyPasskeys")]
    async fn get_my_passkeys(
        &self,
        caller: EnrollingCaller,
        Data(state): Data<&State>,
    ) -> Result<Out<OwnPasskeysBody>, Fails<ReadRefusals>> {
        let user_id = caller.require_session()?.id;
        let passkeys = store::users::passkeys::list(&state.db, user_id).await?;
        Ok(Out(OwnPasskeysBody { passkeys: passkeys.into_iter().map(PasskeyBody::from).collect() }))
    }

    /// Begin to register a passkey
    ///
    /// Gives out a challenge, which `registerPasskey` answers once, within five minutes. Needs the password; a wrong one
    /// is 401, and a user has 10 attempts and regains one every 6 seconds. A user who has a second factor needs a proof
    /// of it, too: a code or the answer of a passkey (`beginPasskeyProof`); without one, or with a wrong one, it is 401,
    /// and a user has 10 wrong proofs, and regains one every minute. 400 `ExceedsLimitError` with 20 passkeys. 422 where
    /// the public URL of the server is neither a domain with https nor `http://localhost`. Needs a session: tokens are
    /// refused with 403.
    #[oai(path = "/api/admin/user/passkey-registrations", method = "post", operation_id = "beginPasskeyRegistration")]
    async fn begin_passkey_registration(
        &self,
        caller: EnrollingCaller,
        Data(state): Data<&State>,
        body: Body<PasswordAndProofBody>,
    ) -> Result<Out<PasskeyRegistrationChallengeBody>, Fails<RegistrationRefusals>> {
        let owner = owner(&caller)?;
        let (password, proof) = body.read()?.read()?;
        let challenge = passkeys::begin_registration(state, &owner, password, proof).await?;
        let options = serde_json::to_value(challenge.options.public_key).and_then(serde_json::from_value);
        let options: PasskeyCreationOptionsBody = options.map_err(Error::internal)?;
        let authenticator_selection = PasskeySelectionBody::discoverable();
        Ok(Out(PasskeyRegistrationChallengeBody {
            challenge_id: challenge.id,
            options: PasskeyCreationOptionsBody { authenticator_selection, ..options },
        }))
    }

    /// Register a passkey
    ///
    /// Takes the passkey into use that answered a challenge of `beginPasskeyRegistration`: from now on it signs the
    /// caller in, and signing in with the password needs a proof of a second factor. The first second factor of a user
    /// ends every other session, makes a session that could do nothing but enrol a whole one from the next request on,
    /// and comes with recovery codes, which are shown only once. An answer that proves nothing, or comes later than five
    /// minutes, is 401 `PasskeyMismatchError`, and a user has 10 of them, and regains one every minute. 409 for a
    /// passkey that is registered already, for whomever. The make of the device is not asked for. Needs a session.
    #[oai(path = "/api/admin/user/passkeys", method = "post", operation_id = "registerPasskey")]
    async fn register_passkey(
        &self,
        caller: EnrollingCaller,
        Data(state): Data<&State>,
        body: Body<PasskeyRegistrationBody>,
    ) -> Result<Created<RegisteredPasskeyBody>, Fails<EnrolmentRefusals>> {
        let owner = owner(&caller)?;
        let PasskeyRegistrationBody { challenge_id, name, credential } = body.read()?;
        let (name, credential) = (named(&name)?, credential.read()?);
        let registered = passkeys::register(state, &owner, &name, &challenge_id, &credential).await?;
        let Registered { passkey: Passkey { id, name, created_at, used_at }, recovery_codes } = registered;
        Ok(Created(RegisteredPasskeyBody { id, name, created_at, last_used_at: used_at.into(), recovery_codes }))
    }

    /// Rename one of your passkeys
    ///
    /// 404 for a passkey that is not yours. Needs a session: tokens are refused with 403.
    #[oai(path = "/api/admin/user/passkeys/:id", method = "put", operation_id = "renameMyPasskey")]
    async fn rename_my_passkey(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        /// Id of the passkey.
        id: Path<i64>,
        body: Body<PasskeyRenamingBody>,
    ) -> Result<Out<PasskeyBody>, Fails<ChangeRefusals>> {
        let owner = owner(&caller)?;
        let name = named(&body.read()?.name)?;
        Ok(Out(passkeys::rename(state, &owner, id.0, &name).await?.into()))
    }

    /// Remove one of your passkeys
    ///
    /// The passkey serves no more, and every other session of the caller ends; personal tokens stay. The recovery codes
    /// go with the last second factor, and where the policy requires one, the session can do nothing but enrol another
    /// one from then on. Needs the password, and a code or the answer of a passkey (`beginPasskeyProof`), also of this
    /// one; what is missing or wrong is 401. 404 for a passkey that is not yours, and without a second factor. A user has
    /// 10 wrong proofs, and regains one every minute. Needs a session: tokens are refused with 403.
    #[oai(path = "/api/admin/user/passkeys/:id/remove", method = "post", operation_id = "removeMyPasskey")]
    async fn remove_my_passkey(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        /// Id of the passkey.
        id: Path<i64>,
        body: Body<PasswordAndProofBody>,
    ) -> Result<Done, Fails<ProofRefusals>> {
        let owner = owner(&caller)?;
        let (password, proof) = body.read()?.read()?;
        passkeys::remove(state, &owner, id.0, password, proof).await?;
        Ok(Done)
    }
}
