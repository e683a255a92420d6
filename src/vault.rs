//! What must not be readable in the database: sealed with a key that is kept outside of it.

use std::{
    fs::{self, OpenOptions},
    io::{ErrorKind, Read as _, Write as _},
    path::{Path, PathBuf},
    sync::Arc,
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use chacha20poly1305::{
    XChaCha20Poly1305, XNonce,
    aead::{Aead as _, KeyInit as _, Payload},
};

use crate::domain::secret;

const KEY_BYTES: usize = 32;
const NONCE_BYTES: usize = 24;
/// Marks the form of a sealed text: base64 of nonce, ciphertext and tag follows.
const FORM: &str = "v1:";

/// Seals and opens. Cheap to clone; printing it shows nothing.
#[derive(Clone)]
pub struct Vault(Arc<XChaCha20Poly1305>);

impl std::fmt::Debug for Vault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Vault")
    }
}

/// Where the key comes from.
#[derive(Clone)]
pub enum KeySource {
    /// The key itself, in base64.
    Given(String),
    /// A file that holds it, made with a fresh key when absent.
    File(PathBuf),
}

impl std::fmt::Debug for KeySource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Given(_) => f.write_str("Given"),
            Self::File(path) => f.debug_tuple("File").field(path).finish(),
        }
    }
}

/// Why there is no key, or why it does not fit. Never says anything about the key or what was sealed.
#[derive(Debug)]
pub enum VaultError {
    /// The key given is not 32 bytes in base64.
    BadKey,
    /// The key file holds something else.
    BadKeyFile(PathBuf),
    /// The key file cannot be read or made.
    KeyFile(PathBuf, std::io::Error),
    /// Sealed with another key, moved from elsewhere, or damaged.
    DoesNotOpen,
}

impl std::fmt::Display for VaultError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::BadKey => f.write_str("FLAGSTONE_SECRET_KEY is not 32 bytes in base64"),
            Self::BadKeyFile(path) => write!(f, "the key file {} does not hold 32 bytes in base64", path.display()),
            Self::KeyFile(path, error) => write!(f, "the key file {}: {error}", path.display()),
            Self::DoesNotOpen => f.write_str("sealed with another key, or damaged"),
        }
    }
}

impl std::error::Error for VaultError {}

impl Vault {
    /// Takes the key from its source. A key file that does not exist is made, readable by its owner only.
    pub fn unlock(source: &KeySource) -> Result<Self, VaultError> {
        match source {
            KeySource::Given(text) => Ok(Self::with_key(&decode(text).ok_or(VaultError::BadKey)?)),
            KeySource::File(path) => Ok(Self::with_key(&read_or_make(path)?)),
        }
    }

    /// Works with this key.
    pub fn with_key(key: &[u8; KEY_BYTES]) -> Self {
        Self(Arc::new(XChaCha20Poly1305::new(key.into())))
    }

    /// Seals a text for the place that `id` names; it opens under that name only.
    pub fn seal(&self, id: &str, plain: &[u8]) -> String {
        let mut nonce = [0; NONCE_BYTES];
        getrandom::fill(&mut nonce).expect("the operating system gives random bytes");
        let payload = Payload { msg: plain, aad: id.as_bytes() };
        let sealed = self.0.encrypt(&XNonce::from(nonce), payload).expect("settings are far shorter than the limit");
        format!("{FORM}{}", STANDARD.encode([&nonce[..], &sealed].concat()))
    }

    /// What was sealed for the place that `id` names.
    pub fn open(&self, id: &str, sealed: &str) -> Result<Vec<u8>, VaultError> {
        let bytes = sealed.strip_prefix(FORM).and_then(|text| STANDARD.decode(text).ok());
        let bytes = bytes.ok_or(VaultError::DoesNotOpen)?;
        let (nonce, sealed) = bytes.split_first_chunk::<NONCE_BYTES>().ok_or(VaultError::DoesNotOpen)?;
        let payload = Payload { msg: sealed, aad: id.as_bytes() };
        self.0.decrypt(&XNonce::from(*nonce), payload).map_err(|_| VaultError::DoesNotOpen)
    }
}

fn decode(text: &str) -> Option<[u8; KEY_BYTES]> {
    STANDARD.decode(text.trim()).ok()?.try_into().ok()
}

fn read_or_make(path: &Path) -> Result<[u8; KEY_BYTES], VaultError> {
    let failed = |error| VaultError::KeyFile(path.to_owned(), error);
    loop {
        match fs::File::open(path) {
            Ok(file) => {
                let mut text = String::new();
                // A file that is no key may be anything, also something endless.
                file.take(1024).read_to_string(&mut text).map_err(failed)?;
                return decode(&text).ok_or_else(|| VaultError::BadKeyFile(path.to_owned()));
            }
            Err(error) if error.kind() == ErrorKind::NotFound => match make(path) {
                // Another process was first: its key counts.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                made => return made.map_err(failed),
            },
            Err(error) => return Err(failed(error)),
        }
    }
}

/// Makes the file under another name first, so that nobody ever reads half a key.
fn make(path: &Path) -> std::io::Result<[u8; KEY_BYTES]> {
    let mut key = [0; KEY_BYTES];
    getrandom::fill(&mut key).expect("the operating system gives random bytes");
    let mut draft = path.as_os_str().to_owned();
    draft.push(format!(".{}", secret::random_part()));
    let draft = PathBuf::from(draft);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&draft)?;
    let placed = writeln!(file, "{}", STANDARD.encode(key))
        .and_then(|()| file.sync_all())
        // Unlike a renamed file, a link never replaces the key of another process.
        .and_then(|()| fs::hard_link(&draft, path));
    fs::remove_file(&draft)?;
    placed?;
    sync_directory(path)?;
    Ok(key)
}

/// Without this a loss of power could keep what was sealed and lose the key.
fn sync_directory(path: &Path) -> std::io::Result<()> {
    if cfg!(unix) {
        let directory = path.parent().filter(|directory| !directory.as_os_str().is_empty());
        fs::File::open(directory.unwrap_or(Path::new(".")))?.sync_all()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sealed_opens_with_its_key_and_name_only() {
        let vault = Vault::with_key(&[7; 32]);
        let sealed = vault.seal("one", b"the secret");
        assert!(!sealed.contains("secret"));
        assert_ne!(sealed, vault.seal("one", b"the secret"), "two seals of one text differ");
        assert_eq!(vault.open("one", &sealed).expect("opens"), b"the secret");
        assert!(vault.open("other", &sealed).is_err());
        assert!(Vault::with_key(&[8; 32]).open("one", &sealed).is_err());
        let mut damaged = sealed.clone().into_bytes();
        damaged[40] = if damaged[40] == b'A' { b'B' } else { b'A' };
        assert!(vault.open("one", &String::from_utf8(damaged).expect("ASCII")).is_err());
        for broken in ["", "v1:", "v1:AAAA", "v1:*", "plain"] {
            assert!(vault.open("one", broken).is_err(), "{broken}");
        }
    }

    #[test]
    fn a_key_file_is_made_once_for_its_owner_only_and_read_again() {
        let files = tempfile::tempdir().expect("a directory");
        let path = files.path().join("flagstone.key");
        let source = KeySource::File(path.clone());
        let sealed = Vault::unlock(&source).expect("makes a key").seal("id", b"text");
        assert_eq!(Vault::unlock(&source).expect("reads it").open("id", &sealed).expect("opens"), b"text");
        assert_eq!(fs::read_dir(files.path()).expect("lists").count(), 1, "no draft is left behind");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = fs::metadata(&path).expect("exists").permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        let given = KeySource::Given(fs::read_to_string(&path).expect("reads"));
        assert!(Vault::unlock(&given).expect("the same key").open("id", &sealed).is_ok());
    }

    #[test]
    fn wrong_keys_are_refused_without_being_shown() {
        let files = tempfile::tempdir().expect("a directory");
        let path = files.path().join("wrong.key");
        fs::write(&path, "hunter2hunter2").expect("writes");
        let nowhere = KeySource::File(files.path().join("no/such/directory.key"));
        for source in [KeySource::Given("hunter2hunter2".to_owned()), KeySource::File(path), nowhere] {
            let error = Vault::unlock(&source).expect_err("no key");
            assert!(!format!("{error} {error:?} {source:?}").contains("hunter2"));
        }
        assert_eq!(format!("{:?}", Vault::with_key(&[7; 32])), "Vault");
    }
}
