//! Errors of operations, each with its sentence. Its one form on the wire is in `wire`.

mod wire;

use std::{fmt::Display, sync::Arc};

use flagstone_domain::{
    identity::Class, passkey, patch::PatchRefusal, permission::Permission, scim::Fault, sign_in::SignInWays,
};

pub use self::wire::{ErrorBody, Finding, Refusal};

/// Errors of operations. `Display` is the sentence on the wire.
#[derive(Debug)]
pub enum Error {
    /// 400: the request does not fit the published schema or a rule. One finding or more.
    Validation(Vec<Finding>),
    /// 400: the name breaks the naming pattern of its project.
    Pattern(String),
    /// 400: a configured limit is reached.
    ExceedsLimit(String),
    /// 400: a rule whose breach has a name of its own.
    Rule {
        /// Name of the error kind.
        name: &'static str,
        /// The rule, and what to do instead.
        message: String,
    },
    /// 401: credentials are missing, unknown or expired.
    Unauthenticated,
    /// 401: the same, with the ways to sign in. What answers a request makes this of it; nothing else needs to.
    SignedOut(Arc<SignInWays>),
    /// 400, 401, 403 or 424: signing in through a login provider was refused. The log of sign-ins has the reason.
    SignIn {
        /// Id of this one occurrence, by which the log finds it.
        id: uuid::Uuid,
        /// Class that the browser is shown.
        class: Class,
    },
    /// 422: an `Idempotency-Key` came before with another request.
    KeyReused,
    /// 422: signing in with a password is off.
    PasswordsOff,
    /// 422: the public address of the server allows no passkeys.
    PasskeysOff,
    /// 401: user name and password do not belong together.
    PasswordMismatch,
    /// 401: user name and password belong together, and a proof of the second factor is missing.
    SecondFactorRequired,
    /// 401: the code is none of the second factor, or was used before.
    SecondFactorMismatch,
    /// 401: the passkey proves nothing. The log of sign-ins has the reason.
    PasskeyMismatch(passkey::Refusal),
    /// 403: the session serves to enrol a second factor, and for nothing else.
    EnrolmentRequired,
    /// 401: the link that lets its holder set a password is unknown, used or too old.
    DeadLink,
    /// 403: the caller lacks every one of these permissions.
    NoAccess {
        /// Any one of them would do.
        permissions: Vec<Permission>,
        /// The environment they are needed in, for permissions bound to one.
        environment: Option<String>,
    },
    /// 403: the credentials are of a kind that does not serve here.
    WrongTokenKind,
    /// 403: the caller may do this kind of thing, but not to this subject in its present state.
    Forbidden {
        /// Name of the error kind.
        name: &'static str,
        /// The rule, and what to do instead.
        message: String,
    },
    /// 404: no such thing, or none that the caller may see.
    NotFound(String),
    /// 405: the path exists, the method does not.
    MethodNotAllowed {
        /// The methods that do, comma-separated.
        allow: String,
    },
    /// 409: the name is taken.
    Conflict(String),
    /// 409: the name is free, but the present state forbids it.
    InUse {
        /// Name of the error kind.
        name: &'static str,
        /// Reason why it is forbidden, as a sentence.
        message: String,
    },
    /// 412: the resource is not in the state that `If-Match` names.
    PreconditionFailed,
    /// 413: the body is larger than the configured bound.
    BodyTooLarge {
        /// The bound in bytes.
        limit_bytes: usize,
    },
    /// 413: reading the body would take more memory than is allowed.
    BodyTooComplex {
        /// Place of the excess: a JSON pointer that starts with `/body`.
        path: String,
    },
    /// 413: the body asks for more operations than are done at once.
    TooManyOperations {
        /// The bound.
        most: usize,
    },
    /// 415: the body is announced as something other than what is expected, mostly JSON.
    ContentType {
        /// The media type that serves.
        expected: &'static str,
        /// The media type that was given, if any.
        received: Option<String>,
    },
    /// 415: the body is compressed in a way that is not known here.
    ContentEncoding {
        /// The coding that was given.
        received: String,
    },
    /// 429: too many attempts.
    RateLimit {
        /// Seconds until the next attempt may pass.
        retry_after_seconds: u64,
    },
    /// 503: the database cannot be reached.
    Unavailable(Box<dyn std::error::Error + Send + Sync>),
    /// 503: the disk of the database is full.
    DiskFull(Box<dyn std::error::Error + Send + Sync>),
    /// 503: others were in the way for too long, or faster.
    Busy(Box<dyn std::error::Error + Send + Sync>),
    /// 503: those whose turn was before took too long, and nothing has been begun.
    LargeRequestTimeout,
    /// 503: more bodies arrive at once than there is room for, and this one has been arriving the longest.
    ReceiveOverload,
    /// 503: as many streams are open as may be, or as a single token may have.
    TooManyStreams {
        /// Number of streams that may be open in all.
        streams: usize,
        /// Whether others may still open some.
        of_one_token: bool,
    },
    /// 503: an edge asks about no more tokens that its upstream may not know, as this address has shown too many of them.
    UnknownTokens {
        /// Seconds until others may be asked about.
        retry_after_seconds: u64,
    },
    /// 503: an edge needs the answer of its upstream, which it cannot reach.
    UpstreamAway,
    /// 503: the instance is under maintenance, which refuses changes.
    Maintenance,
    /// 500: our fault. Logged in full, answered with the id only.
    Internal(Box<dyn std::error::Error + Send + Sync>),
}

impl Error {
    /// A rule broken by one place of the request: a JSON pointer such as `/body/name`, or `/query/limit`.
    pub fn invalid(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Validation(vec![Finding { message: message.into(), path: Some(path.into()) }])
    }

    /// A rule broken by one property of the body, in the form of [`Finding::property`].
    pub fn property(path: impl Into<String>, rule: impl Display) -> Self {
        Self::Validation(vec![Finding::property(path, rule)])
    }

    /// A property of the body that names something by its kind and name that does not exist, or that the caller may not
    /// see.
    pub fn unknown(path: impl Into<String>, kind: &str, name: &str) -> Self {
        Self::property(path, format_args!("names the {kind} \"{name}\", which does not exist"))
    }

    /// [`Error::unknown`] where this says that it does not exist.
    #[must_use]
    pub fn named_in(self, path: &str, kind: &str, name: &str) -> Self {
        if matches!(self, Self::NotFound(_)) { Self::unknown(path, kind, name) } else { self }
    }

    /// A permission that the caller lacks: any of these is enough.
    pub fn no_access(any_of: &[Permission]) -> Self {
        Self::NoAccess { permissions: any_of.to_vec(), environment: None }
    }

    /// A rule that forbids this to every caller, whatever their permissions.
    pub fn forbidden(message: impl Into<String>) -> Self {
        Self::Forbidden { name: "InvalidOperationError", message: message.into() }
    }

    /// 403: the caller has the permission, and would reach with it what they may not see.
    pub fn not_visible(message: impl Into<String>) -> Self {
        Self::Forbidden { name: "NoAccessError", message: message.into() }
    }

    /// Something that has a kind and a name and does not exist, such as (`project`, `shop`).
    pub fn not_found(kind: &str, name: &str) -> Self {
        Self::NotFound(format!("There is no {kind} named \"{name}\"."))
    }

    /// Something that has a kind and an id and does not exist, such as (`group`, 7).
    pub fn no_id(kind: &str, id: impl Display) -> Self {
        Self::NotFound(format!("There is no {kind} with the id {id}."))
    }

    /// A fault of the server.
    pub fn internal(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Internal(cause.into())
    }
}

const NO_PASSKEYS: &str = "There are no passkeys here: browsers offer them where the public URL of the server is a domain \
     with https, or localhost. The operator sets it with FLAGSTONE_BASE_URL.";
const SECOND_FACTOR_NEEDED: &str = "This account has a second factor: send `passkey` as well, with the answer of a passkey, \
     or `code`, with the digits of the authenticator app or a recovery code.";
const PASSKEY_REFUSED: &str = "The passkey was not accepted: it may have been removed, may belong to another account, or \
     was used too late. Try again, or sign in another way.";
const ENROLMENT_NEEDED: &str = "A second factor is required of you: enrol an app with beginTotpEnrolment and \
     confirmTotpEnrolment, or a passkey with beginPasskeyRegistration and registerPasskey. Until then this session does \
     nothing else.";

impl Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Validation(findings) => {
                for (index, finding) in findings.iter().enumerate() {
                    let gap = if index == 0 { "" } else { " " };
                    write!(f, "{gap}{}", finding.message)?;
                }
                Ok(())
            }
            Self::Pattern(message)
            | Self::ExceedsLimit(message)
            | Self::Rule { message, .. }
            | Self::Forbidden { message, .. }
            | Self::InUse { message, .. }
            | Self::NotFound(message)
            | Self::Conflict(message) => f.write_str(message),
            Self::Unauthenticated | Self::SignedOut(_) => f.write_str(
                "Sign in first: send an API token in the Authorization header, or sign in at /auth/simple/login.",
            ),
            Self::SignIn { class, .. } => f.write_str(class.sentence()),
            Self::KeyReused => f.write_str(
                "The Idempotency-Key was sent before with another address or body: use a new key for a new request.",
            ),
            Self::PasswordsOff => {
                f.write_str("Nobody can sign in with a password here; sign in through a login provider.")
            }
            Self::PasskeysOff => f.write_str(NO_PASSKEYS),
            Self::PasswordMismatch => f.write_str("User name and password do not match."),
            Self::SecondFactorRequired => f.write_str(SECOND_FACTOR_NEEDED),
            Self::SecondFactorMismatch => f.write_str(
                "The code is wrong, too old, or was used before. Wait for the next one of the authenticator app, or \
                 use another recovery code.",
            ),
            Self::PasskeyMismatch(_) => f.write_str(PASSKEY_REFUSED),
            Self::EnrolmentRequired => f.write_str(ENROLMENT_NEEDED),
            Self::DeadLink => f.write_str("This link is used or too old; ask an administrator for another one."),
            Self::NoAccess { permissions, environment } => write_needed(f, permissions, environment.as_deref()),
            Self::WrongTokenKind => f.write_str("This kind of token is not accepted here; use one of another kind."),
            Self::MethodNotAllowed { allow } => write!(f, "Method not allowed; allowed: {allow}."),
            Self::PreconditionFailed => {
                f.write_str("It has changed since the state that If-Match names; read it again, then decide.")
            }
            Self::BodyTooLarge { limit_bytes } => write!(f, "The body is larger than {limit_bytes} bytes."),
            Self::BodyTooComplex { path } => write!(
                f,
                "The body has too many parts to be read at once, which shows at {path}: send fewer of them at a time."
            ),
            Self::TooManyOperations { most } => write!(f, "The body has more than {most} operations; send fewer at once."),
            Self::ContentType { expected, received } => match received {
                Some(given) => write!(f, "The content type {given:?} is not supported; send {expected}."),
                None => write!(f, "The body has no content type; send {expected}."),
            },
            Self::ContentEncoding { received } => {
                write!(f, "The content encoding {received:?} is not supported; send gzip, deflate, or none.")
            }
            Self::RateLimit { retry_after_seconds } => {
                write!(f, "Too many attempts; try again in {retry_after_seconds} seconds.")
            }
            Self::Unavailable(_) => f.write_str("The server cannot use its database at the moment; try again."),
            Self::DiskFull(_) => f.write_str(
                "The disk of the database is full, and nothing has been changed: the operator has to make room. Flags are \
                 still served.",
            ),
            Self::Busy(_) => {
                f.write_str("Other changes were in the way of this one, and nothing has been changed; try again.")
            }
            Self::LargeRequestTimeout => f.write_str(
                "Other large requests are being processed, and nothing of this one has been begun; try again.",
            ),
            Self::ReceiveOverload => f.write_str(
                "The server receives as much as it can at once, and this body took the longest; nothing has been \
                 changed; try again.",
            ),
            Self::TooManyStreams { streams, of_one_token } => {
                let who = if *of_one_token { "for this token" } else { "open" };
                write!(
                    f,
                    "This server keeps as many streams {who} as it may ({streams} for all); ask /api/client/delta \
                     instead, or try again."
                )
            }
            Self::UnknownTokens { retry_after_seconds } => write!(
                f,
                "Too many tokens that are not valid were shown to this edge from your address, so it does not ask the \
                 server before it about this one; try again in {retry_after_seconds} seconds."
            ),
            Self::UpstreamAway => {
                f.write_str("This edge cannot reach the server before it, and does not know what that says; try again.")
            }
            Self::Maintenance => {
                f.write_str("The instance is under maintenance: nothing can be changed at the moment.")
            }
            Self::Internal(_) => f.write_str("The server failed; its log tells more under this id."),
        }
    }
}

/// Writes which of the permissions a refused request needs.
fn write_needed(
    f: &mut std::fmt::Formatter<'_>,
    permissions: &[Permission],
    environment: Option<&str>,
) -> std::fmt::Result {
    let names: Vec<String> = permissions.iter().map(|name| format!("\"{}\"", name.as_str())).collect();
    match names.as_slice() {
        [one] => write!(f, "This needs the {one} permission")?,
        several => write!(f, "This needs one of the permissions {}", several.join(", "))?,
    }
    if let Some(environment) = environment {
        write!(f, " in the \"{environment}\" environment")?;
    }
    f.write_str(".")
}

impl std::error::Error for Error {}

impl From<PatchRefusal> for Error {
    fn from(refusal: PatchRefusal) -> Self {
        Self::property(format!("/body/{}/{}", refusal.index, refusal.member), refusal.reason)
    }
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Self {
        Self::Rule { name: fault.kind.as_str(), message: fault.message }
    }
}
