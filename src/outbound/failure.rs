//! Failures of outgoing requests. A failure says where the request went, and never what came back.

use std::{fmt, io::ErrorKind};

use rustls::CertificateError as Certificate;

use super::resolver::Refused;

/// Reason why there is no answer. The list is closed: settings, logs and tests name its codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FailureKind {
    /// No absolute address of https without credentials in it.
    BadAddress,
    /// Plain http to another machine.
    PlainHttp,
    /// Every address that the name has is one that the policy refuses.
    AddressRefused,
    /// The name does not exist, or cannot be resolved.
    NameNotFound,
    /// The connection is not accepted there.
    Unreachable,
    /// The certificate is of an authority that is not trusted.
    CertificateUntrusted,
    /// The certificate is of another time.
    CertificateExpired,
    /// The certificate is for another name.
    CertificateName,
    /// Otherwise no connection over TLS.
    Tls,
    /// No answer, or no whole one, within the time.
    TimedOut,
    /// The answer is a redirect, which is not followed.
    Redirected,
    /// The answer is larger than its limit.
    TooLarge,
    /// The answer broke off, or is no HTTP.
    Broken,
    /// The proxy did not connect.
    ProxyFailed,
    /// The limit of concurrent requests was reached, and none ended within the time.
    Busy,
}

impl FailureKind {
    /// Each kind once.
    pub const ALL: [Self; 15] = [
        Self::BadAddress,
        Self::PlainHttp,
        Self::AddressRefused,
        Self::NameNotFound,
        Self::Unreachable,
        Self::CertificateUntrusted,
        Self::CertificateExpired,
        Self::CertificateName,
        Self::Tls,
        Self::TimedOut,
        Self::Redirected,
        Self::TooLarge,
        Self::Broken,
        Self::ProxyFailed,
        Self::Busy,
    ];

    /// Whether it will be the same the next time, as long as no setting changes.
    pub const fn lasts(self) -> bool {
        matches!(self, Self::BadAddress | Self::PlainHttp | Self::AddressRefused | Self::Redirected)
    }

    /// The name of the kind in logs and answers. It stays.
    pub const fn code(self) -> &'static str {
        match self {
            Self::BadAddress => "bad-address",
            Self::PlainHttp => "plain-http",
            Self::AddressRefused => "address-refused",
            Self::NameNotFound => "name-not-found",
            Self::Unreachable => "unreachable",
            Self::CertificateUntrusted => "certificate-untrusted",
            Self::CertificateExpired => "certificate-expired",
            Self::CertificateName => "certificate-of-another-name",
            Self::Tls => "tls-failed",
            Self::TimedOut => "timed-out",
            Self::Redirected => "redirected",
            Self::TooLarge => "answer-too-large",
            Self::Broken => "answer-broken",
            Self::ProxyFailed => "proxy-failed",
            Self::Busy => "too-many-requests-under-way",
        }
    }

    /// Returns the predicate of a sentence that begins with a host.
    pub(crate) const fn predicate(self) -> &'static str {
        match self {
            Self::BadAddress => "is not named by an absolute https address without credentials in it",
            Self::PlainHttp => "is named by an address of plain http, which may lead to this very machine only",
            Self::AddressRefused => "is where this server must not connect to",
            Self::NameNotFound => "is a name that nobody knows",
            Self::Unreachable => "does not accept connections",
            Self::CertificateUntrusted => "has a certificate of an authority that is not trusted here",
            Self::CertificateExpired => "has a certificate that is not valid now",
            Self::CertificateName => "has a certificate for another name",
            Self::Tls => "does not agree to a connection over TLS",
            Self::TimedOut => "did not answer in time",
            Self::Redirected => "answers with a redirect, which is not followed",
            Self::TooLarge => "answers more than may be read",
            Self::Broken => "broke off its answer, or does not speak HTTP",
            Self::ProxyFailed => "cannot be reached through the proxy",
            Self::Busy => "was not asked, because too many requests are under way",
        }
    }
}

/// Failure of a request that brought no answer. `Display` is a sentence that names the host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The host that was asked, as the address names it; what is no address has none.
    pub host: String,
    /// Kind of failure.
    pub kind: FailureKind,
    /// Detail: the refused address, the host of the redirect, the limit.
    pub detail: Option<String>,
}

impl Failure {
    pub(super) fn new(host: &str, kind: FailureKind) -> Self {
        Self { host: host.into(), kind, detail: None }
    }

    pub(super) fn with(self, detail: impl fmt::Display) -> Self {
        Self { detail: Some(detail.to_string()), ..self }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let host = if self.host.is_empty() { "what should be asked" } else { &self.host };
        write!(f, "{host} {}", self.kind.predicate())?;
        self.detail.as_ref().map_or(Ok(()), |detail| write!(f, " ({detail})"))
    }
}

impl std::error::Error for Failure {}

/// Returns the failure that an error of the client means.
pub(super) fn of_client(host: &str, error: ureq::Error) -> Failure {
    let tls = |error: &rustls::Error| match error {
        rustls::Error::InvalidCertificate(Certificate::UnknownIssuer) => FailureKind::CertificateUntrusted,
        rustls::Error::InvalidCertificate(
            Certificate::Expired
            | Certificate::ExpiredContext { .. }
            | Certificate::NotValidYet
            | Certificate::NotValidYetContext { .. },
        ) => FailureKind::CertificateExpired,
        rustls::Error::InvalidCertificate(
            Certificate::NotValidForName | Certificate::NotValidForNameContext { .. },
        ) => FailureKind::CertificateName,
        _ => FailureKind::Tls,
    };
    let kind = match error {
        ureq::Error::Timeout(_) => FailureKind::TimedOut,
        ureq::Error::HostNotFound => FailureKind::NameNotFound,
        ureq::Error::Other(other) => match other.downcast_ref::<Refused>() {
            Some(Refused(address)) => return Failure::new(host, FailureKind::AddressRefused).with(address),
            None => FailureKind::Broken,
        },
        ureq::Error::Rustls(error) => tls(&error),
        ureq::Error::Tls(_) | ureq::Error::TlsRequired | ureq::Error::Pem(_) => FailureKind::Tls,
        ureq::Error::ConnectProxyFailed(_) | ureq::Error::InvalidProxyUrl => FailureKind::ProxyFailed,
        ureq::Error::BadUri(_) | ureq::Error::Http(_) | ureq::Error::RequireHttpsOnly(_) => FailureKind::BadAddress,
        ureq::Error::ConnectionFailed => FailureKind::Unreachable,
        ureq::Error::Io(error) => match error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
            Some(error) => tls(error),
            None => match error.kind() {
                ErrorKind::TimedOut | ErrorKind::WouldBlock => FailureKind::TimedOut,
                ErrorKind::ConnectionRefused
                | ErrorKind::HostUnreachable
                | ErrorKind::NetworkUnreachable
                | ErrorKind::AddrNotAvailable => FailureKind::Unreachable,
                _ => FailureKind::Broken,
            },
        },
        _ => FailureKind::Broken,
    };
    Failure::new(host, kind)
}
