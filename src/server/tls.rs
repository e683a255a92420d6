//! The certificate that callers are shown, read again when its files change. Who is connected stays so.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use arc_swap::ArcSwap;
use flagstone_clock::Clock;
use flagstone_config::Pair;
use flagstone_domain::x509;
use ring::digest;
use rustls::{
    InconsistentKeys, ServerConfig,
    crypto::ring::{Ticketer, default_provider},
};
use rustls_pki_types::{
    CertificateDer, PrivateKeyDer,
    pem::{self, PemObject as _},
};

use super::figures::{Figures, Reload};

/// Target of lines in the log, by the part of the program: a crate is none to those who operate it.
const LOG: &str = "flagstone::server::tls";

/// Time between two looks at the files.
const PERIOD: Duration = Duration::from_secs(5);
/// Most bytes of one of them.
const MOST_BYTES: u64 = 1 << 20;
/// A certificate that expires sooner should be looked at, in milliseconds: two weeks.
const SOON: i64 = 14 * 86_400_000;

/// Digest of the contents of both files, or of the errors of reading them; it only serves to detect changes.
type Mark = [u8; 32];

/// A certificate and its key, and the files that they are from. Printing it shows the files.
pub struct Certificates {
    pair: Pair,
    current: ArcSwap<ServerConfig>,
    seen: Mutex<Seen>,
}

struct Seen {
    taken: Mark,
    /// When the certificate expires, in milliseconds.
    expiry: Option<i64>,
    /// Mark of files that were not taken, and whether that was reported: the two files are not changed at the same
    /// time.
    doubted: Option<(Mark, bool)>,
}

struct Loaded {
    config: ServerConfig,
    expiry: Option<i64>,
}

impl std::fmt::Debug for Certificates {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Certificates").field(&self.pair).finish()
    }
}

impl Certificates {
    /// Reads the files. The error is a sentence that names the file, and nothing of the key.
    pub fn open(pair: Pair) -> Result<Arc<Self>, String> {
        let (mark, loaded) = look(&pair);
        let loaded = loaded?;
        let seen = Mutex::new(Seen { taken: mark, expiry: loaded.expiry, doubted: None });
        Ok(Arc::new(Self { pair, current: ArcSwap::from_pointee(loaded.config), seen }))
    }

    /// Warning for the operator: a certificate that has expired, or soon will have.
    pub fn doubt(&self, clock: &Clock) -> Option<String> {
        let expiry = self.expiry()?;
        let (now, path) = (clock.now().millis(), self.pair.certificate.display());
        let day = chrono::DateTime::from_timestamp_millis(expiry)?.format("%Y-%m-%d %H:%M UTC");
        if expiry <= now {
            Some(format!("the TLS certificate in {path} expired on {day}: whoever verifies it does not connect"))
        } else {
            (expiry - now < SOON).then(|| format!("the TLS certificate in {path} expires on {day}"))
        }
    }

    /// When the certificate expires, in milliseconds since 1970.
    fn expiry(&self) -> Option<i64> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).expiry
    }

    pub(super) fn current(&self) -> Arc<ServerConfig> {
        self.current.load_full()
    }

    /// Looks at the files now and then, and upon the signal SIGHUP. Does not end.
    pub(super) async fn follow(self: Arc<Self>, figures: Arc<Figures>) {
        figures.set_certificate_expiry(self.expiry());
        let mut ticks = tokio::time::interval(PERIOD);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut hangup = Hangup::new();
        loop {
            let is_asked = tokio::select! {
                _ = ticks.tick() => false,
                () = hangup.heard() => true,
            };
            let this = Arc::clone(&self);
            let found = tokio::task::spawn_blocking(move || look(&this.pair)).await;
            if let Ok((mark, loaded)) = found
                && self.judge(mark, loaded, is_asked, &figures)
                && let Some(doubt) = self.doubt(&Clock::system())
            {
                tracing::warn!(target: LOG, "{doubt}");
            }
        }
    }

    /// Whether what was found is another certificate, which is shown from now on.
    fn judge(&self, mark: Mark, loaded: Result<Loaded, String>, is_asked: bool, figures: &Figures) -> bool {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if mark == seen.taken {
            seen.doubted = None;
            if is_asked {
                tracing::info!(target: LOG, "the TLS certificate has not changed");
            }
            return false;
        }
        match loaded {
            Ok(loaded) => {
                self.current.store(Arc::new(loaded.config));
                *seen = Seen { taken: mark, expiry: loaded.expiry, doubted: None };
                figures.set_certificate_expiry(loaded.expiry);
                figures.count_reload(Reload::Taken);
                tracing::info!(target: LOG, "took the new TLS certificate");
                true
            }
            Err(reason) => {
                let (is_again, was_told) = match seen.doubted {
                    Some((doubted, was_told)) if doubted == mark => (true, was_told),
                    _ => (false, false),
                };
                let tells = (is_again || is_asked) && !was_told;
                seen.doubted = Some((mark, was_told || tells));
                if tells {
                    figures.count_reload(Reload::Refused);
                    tracing::warn!(
                        target: LOG,
                        reason,
                        "cannot use the new TLS certificate; keeping the old certificate"
                    );
                }
                false
            }
        }
    }
}

/// Reads both files, with a mark that detects changes.
fn look(pair: &Pair) -> (Mark, Result<Loaded, String>) {
    let mut context = digest::Context::new(&digest::SHA256);
    let mut read = |path: &PathBuf| {
        let contents = contents(path).map_err(|reason| format!("TLS: {}: {reason}", path.display()));
        let (is_read, bytes) = match &contents {
            Ok(bytes) => (1, bytes.as_slice()),
            Err(reason) => (0, reason.as_bytes()),
        };
        context.update(&[is_read]);
        context.update(&bytes.len().to_be_bytes());
        context.update(bytes);
        contents
    };
    let (certificate, key) = (read(&pair.certificate), read(&pair.key));
    let mark = context.finish().as_ref().try_into().expect("SHA-256 has 32 bytes");
    let loaded = certificate.and_then(|certificate| load(pair, &certificate, &key?));
    (mark, loaded)
}

fn contents(path: &Path) -> std::io::Result<Vec<u8>> {
    use std::io::Read as _;
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(MOST_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn load(pair: &Pair, certificate: &[u8], key: &[u8]) -> Result<Loaded, String> {
    let (of_certificate, of_key) = (pair.certificate.display(), pair.key.display());
    let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(certificate).collect();
    let chain = chain.map_err(|_| format!("TLS: {of_certificate} holds damaged PEM"))?;
    let Some(first) = chain.first() else {
        return Err(format!("TLS: {of_certificate} holds no certificate in PEM (-----BEGIN CERTIFICATE-----)"));
    };
    let expiry = x509::expiry(first).map(|expiry| expiry.timestamp_millis());
    let key = PrivateKeyDer::from_pem_slice(key).map_err(|error| match error {
        pem::Error::NoItemsFound if String::from_utf8_lossy(key).contains("BEGIN ENCRYPTED PRIVATE KEY") => {
            format!("TLS: the key in {of_key} is encrypted with a passphrase; it must be in clear")
        }
        pem::Error::NoItemsFound => format!("TLS: {of_key} holds no key in PEM (-----BEGIN PRIVATE KEY-----)"),
        _ => format!("TLS: {of_key} holds damaged PEM"),
    })?;
    let builder = ServerConfig::builder_with_provider(Arc::new(default_provider()));
    let builder = builder.with_safe_default_protocol_versions().map_err(|error| format!("TLS: {error}"))?;
    let mut config = builder.with_no_client_auth().with_single_cert(chain, key).map_err(|error| match error {
        rustls::Error::InconsistentKeys(InconsistentKeys::KeyMismatch) => {
            format!("TLS: the key in {of_key} does not fit the certificate in {of_certificate}")
        }
        rustls::Error::InvalidCertificate(_) => {
            format!("TLS: the certificate in {of_certificate} cannot be read")
        }
        _ => format!("TLS: the key in {of_key} is of a kind that is not known: RSA, P-256, P-384 and Ed25519 are"),
    })?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    // Who comes again need not be remembered.
    config.ticketer = Ticketer::new().map_err(|error| format!("TLS: {error}"))?;
    Ok(Loaded { config, expiry })
}

/// The signal to look at the files at once, where there is one.
struct Hangup {
    #[cfg(unix)]
    signal: Option<tokio::signal::unix::Signal>,
}

impl Hangup {
    #[cfg(unix)]
    fn new() -> Self {
        let signal = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::hangup());
        Self { signal: signal.map_err(|error| tracing::error!(target: LOG, %error, "cannot listen for SIGHUP")).ok() }
    }

    #[cfg(unix)]
    async fn heard(&mut self) {
        if let Some(signal) = &mut self.signal
            && signal.recv().await.is_some()
        {
            return;
        }
        std::future::pending::<()>().await;
    }

    #[cfg(not(unix))]
    const fn new() -> Self {
        Self {}
    }

    #[cfg(not(unix))]
    async fn heard(&mut self) {
        std::future::pending::<()>().await;
    }
}

#[cfg(test)]
mod tests {
    use flagstone_domain::time::Timestamp;

    use super::*;

    const VALID: &[u8] = include_bytes!("../../tests/api/providers/tls/valid.pem");
    const OTHER: &[u8] = include_bytes!("../../tests/api/providers/tls/other-name.pem");
    const KEY: &[u8] = include_bytes!("../../tests/api/providers/tls/key.pem");

    #[test]
    fn a_bad_pair_is_told_of_once_it_stays_and_the_next_good_one_is_taken() {
        let directory = tempfile::tempdir().expect("a directory");
        let pair = Pair { certificate: directory.path().join("certificate"), key: directory.path().join("key") };
        let put = |certificate: &[u8], key: &[u8]| {
            std::fs::write(&pair.certificate, certificate).expect("a file");
            std::fs::write(&pair.key, key).expect("a file");
        };
        put(VALID, KEY);
        let (certificates, figures) = (Certificates::open(pair.clone()).expect("a pair"), Figures::default());
        let first = certificates.current();
        let look = |is_asked: bool| {
            let (mark, loaded) = look(&pair);
            let is_taken = certificates.judge(mark, loaded, is_asked, &figures);
            (is_taken, figures.tls().map_or([0, 0], |tls| tls.reloads))
        };
        assert_eq!(look(false), (false, [0, 0]));
        // The other file may be about to follow.
        put(OTHER, b"half a ke");
        assert_eq!(look(false), (false, [0, 0]));
        assert_eq!(look(false), (false, [0, 1]));
        assert_eq!(look(true), (false, [0, 1]), "once");
        std::fs::remove_file(&pair.key).expect("a file");
        assert_eq!(look(true), (false, [0, 2]), "another thing, asked for");
        assert!(Arc::ptr_eq(&first, &certificates.current()));
        put(OTHER, KEY);
        assert_eq!(look(false), (true, [1, 2]));
        assert!(!Arc::ptr_eq(&first, &certificates.current()));
        assert_eq!(look(false), (false, [1, 2]));
        put(OTHER, b"half a ke");
        assert_eq!((look(false).1, look(false).1), ([1, 2], [1, 3]), "it is told of again after a good one");
    }

    #[test]
    fn a_certificate_is_doubted_before_and_after_it_expires() {
        let directory = tempfile::tempdir().expect("a directory");
        let pair = Pair { certificate: directory.path().join("certificate"), key: directory.path().join("key") };
        std::fs::write(&pair.certificate, VALID).expect("a file");
        std::fs::write(&pair.key, KEY).expect("a file");
        let certificates = Certificates::open(pair).expect("a pair");
        let doubt = |time: &str| certificates.doubt(&Clock::manual(Timestamp::parse(time).expect("a time")));
        assert_eq!(doubt("2125-12-17T00:00:00Z"), None);
        assert!(doubt("2125-12-19T00:00:00Z").is_some_and(|doubt| doubt.ends_with("expires on 2126-01-01 00:00 UTC")));
        assert!(doubt("2126-01-01T00:00:00Z").is_some_and(|doubt| doubt.contains("expired on 2126-01-01")));
    }
}
