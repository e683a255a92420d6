//! Second factor of the caller, in addition to the password.

use poem::web::Data;
use poem_openapi::{Object, OpenApi};
use serde::Serialize;

use crate::{
    access::Caller,
    api::{
        Tag,
        answer::{Done, Fails, Out, ReadRefusals, refusals},
        body::Body,
        caller::{AuthenticatedCaller, EnrollingCaller},
        sign_in::passkeys::{PasskeyAnswerBody, proof_of},
    },
    domain::{
        qr_code,
        second_factor::{Factor, Kind},
        time::Timestamp,
    },
    error::Error,
    sign_in::second_factor::{self, Owner, Proof},
    state::State,
    store,
};

/// The operations on the caller's second factor.
#[derive(Debug)]
pub struct OwnSecondFactorApi;

refusals! {
    /// Refusals of beginning an enrolment.
    EnrolmentRefusals = 400, 401, 403, 409, 413, 415, 422, 429, 503;
    /// Refusals of what a code confirms.
    CodeRefusals = 400, 401, 403, 404, 413, 415, 429, 503;
    /// Refusals of what a proof of the second factor allows.
    ProofRefusals = 400, 401, 403, 404, 413, 415, 422, 429, 503;
}

/// A second factor that is in use.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "SecondFactor")]
pub struct SecondFactorBody {
    /// Kind of the factor.
    pub kind: Kind,
    /// Since when it is in use.
    pub since: Timestamp,
}

impl From<Factor> for SecondFactorBody {
    fn from(factor: Factor) -> Self {
        Self { kind: factor.kind, since: factor.since }
    }
}

/// Second factors of the caller.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "OwnSecondFactor", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct OwnSecondFactorBody {
    /// Factors that are in use, the oldest first. Empty without any.
    pub factors: Vec<SecondFactorBody>,
    /// Number of recovery codes that have not been used.
    pub recovery_codes_left: u64,
    /// Whether the policy requires a second factor of the caller.
    pub required: bool,
    /// Whether this session can do nothing but enrol a second factor.
    pub must_enrol: bool,
}

/// A secret for an authenticator app, in three forms.
#[derive(Clone, Serialize, Object)]
#[oai(rename = "TotpEnrolment", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct TotpEnrolmentBody {
    /// The secret in base32 without padding, 32 characters, for typing it. Shown only once.
    pub secret: String,
    /// The secret as an address for apps (`otpauth://totp/…`): SHA-1, six digits, 30 seconds.
    pub uri: String,
    /// The address as a QR code: an SVG document without scripts, styles and links, black on white.
    pub qr_code: String,
}

opaque_debug!(TotpEnrolmentBody);

/// A code that confirms an authenticator app.
#[derive(Object)]
#[oai(rename = "SecondFactorCode")]
pub struct SecondFactorCodeBody {
    /// The six digits of the authenticator app. Blanks and hyphens do not matter. At most 100 characters.
    #[oai(validator(max_length = 100))]
    pub code: String,
}

opaque_debug!(SecondFactorCodeBody);

/// Recovery codes, for signing in without the authenticator app and the passkeys.
#[derive(Clone, Serialize, Object)]
#[oai(rename = "RecoveryCodes")]
pub struct RecoveryCodesBody {
    /// Ten codes, each of which works once. Shown only once.
    pub codes: Vec<String>,
}

opaque_debug!(RecoveryCodesBody);

/// A proof of the second factor: a code or the answer of a passkey.
#[derive(Object)]
#[oai(rename = "SecondFactorProof")]
pub struct SecondFactorProofBody {
    /// The six digits of the authenticator app, or a recovery code. An empty text counts as absent. At most 100
    /// characters.
    #[oai(validator(max_length = 100))]
    pub code: Option<String>,
    /// Answer of a passkey, instead of a code.
    pub passkey: Option<PasskeyAnswerBody>,
}

opaque_debug!(SecondFactorProofBody);

/// The password, and a proof of the second factor for users who have one.
#[derive(Object)]
#[oai(rename = "PasswordAndProof")]
pub struct PasswordAndProofBody {
    /// The current password. At most 1000 characters.
    #[oai(validator(max_length = 1000))]
    pub password: String,
    /// The six digits of the authenticator app, or a recovery code. An empty text counts as absent. At most 100
    /// characters.
    #[oai(validator(max_length = 100))]
    pub code: Option<String>,
    /// Answer of a passkey, instead of a code.
    pub passkey: Option<PasskeyAnswerBody>,
}

opaque_debug!(PasswordAndProofBody);

impl PasswordAndProofBody {
    /// The password, and the proof if there is one.
    pub fn read(self) -> Result<(String, Option<Proof>), Error> {
        Ok((self.password, proof_of(self.code, self.passkey)?))
    }
}

#[OpenApi(tag = "Tag::Profile")]
impl OwnSecondFactorApi {
    /// Get your own second factor
    ///
    /// The factors that the caller has in addition to the password, the recovery codes that are left, and what the
    /// policy requires. Needs a session: tokens are refused with 403.
    #[oai(path = "/api/admin/user/second-factor", method = "get", operation_id = "getMySecondFactor")]
    async fn get_my_second_factor(
        &self,
        caller: EnrollingCaller,
        Data(state): Data<&State>,
    ) -> Result<Out<OwnSecondFactorBody>, Fails<ReadRefusals>> {
        let user_id = caller.require_session()?.id;
        let factors = store::users::second_factors::list(&state.db, user_id).await?;
        let left = store::users::second_factors::count_recovery_codes(&state.db, user_id).await?;
        Ok(Out(OwnSecondFactorBody {
            factors: factors.into_iter().map(SecondFactorBody::from).collect(),
            recovery_codes_left: left,
            required: second_factor::policy(state).await?.requires(caller.grants()),
            must_enrol: caller.must_enrol(),
        }))
    }

    /// Begin to enrol an authenticator app
    ///
    /// Makes a secret for an app, which counts once a code of it confirms that the app has it, within an hour; an
    /// enrolment that was begun before lapses. Needs the password; a wrong one is 401, and a user has 10 attempts and
    /// regains one every 6 seconds. A user who has passkeys needs a proof of the second factor, too, as for
    /// `removeMySecondFactor`. 409 while an app is in use. Needs a session: tokens are refused with 403.
    #[oai(path = "/api/admin/user/second-factor/totp", method = "post", operation_id = "beginTotpEnrolment")]
    async fn begin_totp_enrolment(
        &self,
        caller: EnrollingCaller,
        Data(state): Data<&State>,
        body: Body<PasswordAndProofBody>,
    ) -> Result<Out<TotpEnrolmentBody>, Fails<EnrolmentRefusals>> {
        let owner = owner(&caller)?;
        let (password, proof) = body.read()?.read()?;
        let begun = second_factor::begin_totp(state, &owner, password, proof).await?;
        let qr_code =
            qr_code::svg(&begun.uri).ok_or_else(|| Error::internal("the address is too long for a QR code"))?;
        Ok(Out(TotpEnrolmentBody { secret: begun.secret.text(), uri: begun.uri, qr_code }))
    }

    /// Confirm an authenticator app
    ///
    /// Takes the app into use: from now on signing in with the password needs a code of it, or another proof of the
    /// second factor. The answer has the recovery codes, which take the place of earlier ones and are shown only once. Ends every other session of the caller; personal tokens stay. A session that
    /// could do nothing but enrol is a whole one from the next request on. A wrong code is 401; 404 without an
    /// enrolment that began within an hour. A user has 10 wrong codes, and regains one every minute. Needs a session.
    #[oai(path = "/api/admin/user/second-factor/totp/confirm", method = "post", operation_id = "confirmTotpEnrolment")]
    async fn confirm_totp_enrolment(
        &self,
        caller: EnrollingCaller,
        Data(state): Data<&State>,
        body: Body<SecondFactorCodeBody>,
    ) -> Result<Out<RecoveryCodesBody>, Fails<CodeRefusals>> {
        let owner = owner(&caller)?;
        let codes = second_factor::confirm_totp(state, &owner, &body.read()?.code).await?;
        Ok(Out(RecoveryCodesBody { codes }))
    }

    /// Renew your own recovery codes
    ///
    /// Replaces all recovery codes, used or not, by ten new ones, which are shown only once. Needs a code, which is used
    /// up, or the answer of a passkey (`beginPasskeyProof`); without one, or with a wrong one, it is 401, and 404 without a
    /// second factor. A user has 10 wrong proofs, and regains one every minute. Needs a session.
    #[oai(path = "/api/admin/user/second-factor/recovery-codes", method = "post", operation_id = "renewRecoveryCodes")]
    async fn renew_recovery_codes(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        body: Body<SecondFactorProofBody>,
    ) -> Result<Out<RecoveryCodesBody>, Fails<ProofRefusals>> {
        let owner = owner(&caller)?;
        let SecondFactorProofBody { code, passkey } = body.read()?;
        let codes = second_factor::renew_recovery_codes(state, &owner, proof_of(code, passkey)?).await?;
        Ok(Out(RecoveryCodesBody { codes }))
    }

    /// Remove your own second factor
    ///
    /// Removes all factors, passkeys among them, and recovery codes of the caller, and ends every other session; personal
    /// tokens stay. Needs the password, and a code or the answer of a passkey (`beginPasskeyProof`); what is missing or
    /// wrong is 401, and 404 without a second factor. Where the policy requires a second factor, the session can do
    /// nothing but enrol one from then on. A user has 10 wrong proofs, and regains one every minute. Needs a session.
    #[oai(path = "/api/admin/user/second-factor/remove", method = "post", operation_id = "removeMySecondFactor")]
    async fn remove_my_second_factor(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        body: Body<PasswordAndProofBody>,
    ) -> Result<Done, Fails<ProofRefusals>> {
        let owner = owner(&caller)?;
        let (password, proof) = body.read()?.read()?;
        second_factor::remove_own(state, &owner, password, proof).await?;
        Ok(Done)
    }
}

/// The caller as the owner of a second factor: 403 for tokens of every kind.
pub(in crate::api) fn owner(caller: &Caller) -> Result<Owner<'_>, Error> {
    Ok(Owner { id: caller.require_session()?.id, session: caller.session(), actor: caller.actor() })
}
