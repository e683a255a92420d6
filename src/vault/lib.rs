//! Encryption of values that must not be readable in the database, with a key that is kept outside of it. While the key
//! is being changed there are two: a value sealed by either can be opened.

pub mod signing;

use std::{
    fs,
    io::{ErrorKind, Read as _, Write as _},
    path::{Path, PathBuf},
    sync::Arc,
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use chacha20poly1305::{
    XChaCha20Poly1305, XNonce,
    aead::{Aead as _, KeyInit as _, Payload},
};
use flagstone_domain::{opaque_debug, secret};
use flagstone_files as files;

use self::signing::Signer;

const KEY_BYTES: usize = 32;
const NONCE_BYTES: usize = 24;
/// Marks the form of a sealed text: base64 of nonce, ciphertext and tag follows.
pub const FORM: &str = "v1:";

/// A key of the vault. Printing it shows nothing.
pub struct Key {
    cipher: XChaCha20Poly1305,
    signer: Signer,
}

/// Seals with one key, and opens with it or with the one before. Cheap to clone; printing it shows nothing.
#[derive(Clone)]
pub struct Vault {
    main: Arc<Key>,
    previous: Option<Arc<Key>>,
}

opaque_debug!(Key);

opaque_debug!(Vault);

/// Source of the key.
#[derive(Clone)]
pub enum KeySource {
    /// The key itself.
    Given {
        /// The variable that gives it, for messages.
        variable: &'static str,
        /// The key in base64.
        key: String,
    },
    /// A file that holds it, made with a fresh key when absent.
    File(PathBuf),
    /// A file that holds it.
    ExistingFile(PathBuf),
}

impl std::fmt::Debug for KeySource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Given { variable, .. } => f.debug_tuple("Given").field(variable).finish(),
            Self::File(path) | Self::ExistingFile(path) => f.debug_tuple("File").field(path).finish(),
        }
    }
}

/// Reason why there is no key, or why it does not fit. Never says anything about the key or what was sealed.
#[derive(Debug)]
pub enum VaultError {
    /// The key that this variable gives is not 32 bytes in base64.
    BadKey(&'static str),
    /// The key file holds something else.
    BadKeyFile(PathBuf),
    /// The key file cannot be read or made.
    KeyFile(PathBuf, std::io::Error),
    /// Sealed with another key, moved from another place, or damaged.
    DoesNotOpen,
}

impl std::fmt::Display for VaultError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::BadKey(variable) => write!(f, "{variable} is not 32 bytes in base64"),
            Self::BadKeyFile(path) => write!(f, "the key file {} does not hold 32 bytes in base64", path.display()),
            Self::KeyFile(path, error) => {
                write!(f, "the key file {} (FLAGSTONE_KEY_FILE): {}", path.display(), files::reason(error))
            }
            Self::DoesNotOpen => f.write_str("sealed with another key, or damaged"),
        }
    }
}

impl std::error::Error for VaultError {}

impl Key {
    fn new(key: &[u8; KEY_BYTES]) -> Self {
        Self { cipher: XChaCha20Poly1305::new(key.into()), signer: Signer::made_from(key) }
    }

    /// Signer in the name of the holders of this key.
    pub const fn signer(&self) -> &Signer {
        &self.signer
    }

    /// Seals a text for the place that `id` names; it opens under that name only.
    pub fn seal(&self, id: &str, plain: &[u8]) -> String {
        let mut nonce = [0; NONCE_BYTES];
        getrandom::fill(&mut nonce).expect("the operating system gives random bytes");
        let payload = Payload { msg: plain, aad: id.as_bytes() };
        let sealed =
            self.cipher.encrypt(&XNonce::from(nonce), payload).expect("settings are far shorter than the limit");
        format!("{FORM}{}", STANDARD.encode([&nonce[..], &sealed].concat()))
    }

    fn open(&self, id: &str, sealed: &str) -> Option<Vec<u8>> {
        let bytes = sealed.strip_prefix(FORM).and_then(|text| STANDARD.decode(text).ok())?;
        let (nonce, sealed) = bytes.split_first_chunk::<NONCE_BYTES>()?;
        let payload = Payload { msg: sealed, aad: id.as_bytes() };
        self.cipher.decrypt(&XNonce::from(*nonce), payload).ok()
    }
}

impl Vault {
    /// Takes the keys from their sources. A key file that does not exist is made, readable by its owner only, but for
    /// the one of the previous key.
    pub fn unlock(main: &KeySource, previous: Option<&KeySource>) -> Result<Self, VaultError> {
        let main = read(main)?;
        let previous = previous.map(read).transpose()?;
        // One key twice is one key.
        Ok(match previous.filter(|previous| *previous != main) {
            Some(previous) => Self::with_keys(&main, &previous),
            None => Self::with_key(&main),
        })
    }

    /// Works with this key.
    pub fn with_key(key: &[u8; KEY_BYTES]) -> Self {
        Self { main: Arc::new(Key::new(key)), previous: None }
    }

    /// Works with this key, and opens what was sealed with the previous one.
    pub fn with_keys(main: &[u8; KEY_BYTES], previous: &[u8; KEY_BYTES]) -> Self {
        Self { previous: Some(Arc::new(Key::new(previous))), ..Self::with_key(main) }
    }

    /// The key that everything is to be sealed with.
    pub fn main(&self) -> &Key {
        &self.main
    }

    /// The public keys of its signers, that of the main key first.
    pub fn public_keys(&self) -> Vec<String> {
        let keys = std::iter::once(&self.main).chain(&self.previous);
        keys.map(|key| key.signer.public_key()).collect()
    }

    /// Whether it has a previous key.
    pub const fn has_previous(&self) -> bool {
        self.previous.is_some()
    }

    /// Opens a value that was sealed for the place that `id` names, and returns it with the key that did it.
    pub fn open(&self, id: &str, sealed: &str) -> Result<(Vec<u8>, &Key), VaultError> {
        let keys = std::iter::once(&self.main).chain(&self.previous);
        let mut opened = keys.filter_map(|key| Some((key.open(id, sealed)?, &**key)));
        opened.next().ok_or(VaultError::DoesNotOpen)
    }

    /// Whether this is the key that everything is to be sealed with.
    pub fn is_main(&self, key: &Key) -> bool {
        std::ptr::eq(self.main(), key)
    }
}

fn read(source: &KeySource) -> Result<[u8; KEY_BYTES], VaultError> {
    match source {
        KeySource::Given { variable, key } => decode(key).ok_or(VaultError::BadKey(variable)),
        KeySource::File(path) => read_or_make(path),
        KeySource::ExistingFile(path) => read_file(path).map_err(|error| VaultError::KeyFile(path.clone(), error))?,
    }
}

fn decode(text: &str) -> Option<[u8; KEY_BYTES]> {
    STANDARD.decode(text.trim()).ok()?.try_into().ok()
}

fn read_or_make(path: &Path) -> Result<[u8; KEY_BYTES], VaultError> {
    let failed = |error| VaultError::KeyFile(path.to_owned(), error);
    loop {
        match read_file(path) {
            Ok(key) => return key,
            Err(error) if error.kind() == ErrorKind::NotFound => match make(path) {
                // Another process was first: its key counts.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                made => return made.map_err(failed),
            },
            Err(error) => return Err(failed(error)),
        }
    }
}

/// The key in a file that can be read.
fn read_file(path: &Path) -> std::io::Result<Result<[u8; KEY_BYTES], VaultError>> {
    let mut text = String::new();
    // A file that is no key may be anything, also something endless.
    fs::File::open(path)?.take(1024).read_to_string(&mut text)?;
    Ok(decode(&text).ok_or_else(|| VaultError::BadKeyFile(path.to_owned())))
}

/// Makes the file under another name first, so that half a key is never read.
fn make(path: &Path) -> std::io::Result<[u8; KEY_BYTES]> {
    let mut key = [0; KEY_BYTES];
    getrandom::fill(&mut key).expect("the operating system gives random bytes");
    let draft = files::beside(path, &format!(".{}", secret::random_part()));
    let mut file = files::create_private(&draft)?;
    let placed = writeln!(file, "{}", STANDARD.encode(key))
        .and_then(|()| file.sync_all())
        // Unlike a renamed file, a link never replaces the key of another process.
        .and_then(|()| fs::hard_link(&draft, path));
    fs::remove_file(&draft)?;
    placed?;
    // Without this a loss of power could keep what was sealed and lose the key.
    files::sync_directory_of(path)?;
    Ok(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sealed_opens_with_its_key_and_name_only() {
        let vault = Vault::with_key(&[7; 32]);
        let sealed = vault.main().seal("one", b"the secret");
        assert!(!sealed.contains("secret"));
        assert_ne!(sealed, vault.main().seal("one", b"the secret"), "two seals of one text differ");
        assert_eq!(vault.open("one", &sealed).expect("opens").0, b"the secret");
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
    fn what_either_key_sealed_opens_and_tells_which_it_was() {
        let (old, new) = (Vault::with_key(&[7; 32]), Vault::with_key(&[8; 32]));
        let both = Vault::with_keys(&[8; 32], &[7; 32]);
        for (vault, is_main) in [(&old, false), (&new, true)] {
            let sealed = vault.main().seal("id", b"text");
            let (plain, key) = both.open("id", &sealed).expect("opens");
            assert_eq!((&*plain, both.is_main(key)), (&b"text"[..], is_main));
            // A value that this key seals opens with it.
            assert!(vault.open("id", &key.seal("id", b"text")).is_ok());
        }
        assert!(old.open("id", &both.main().seal("id", b"text")).is_err());
        assert!(Vault::with_keys(&[1; 32], &[2; 32]).open("id", &old.main().seal("id", b"text")).is_err());
        assert!(both.has_previous() && !new.has_previous());
    }

    #[test]
    fn a_key_file_is_made_once_for_its_owner_only_and_read_again() {
        let files = tempfile::tempdir().expect("a directory");
        let path = files.path().join("flagstone.key");
        let source = KeySource::File(path.clone());
        let unlock = |source: &KeySource| Vault::unlock(source, None);
        let sealed = unlock(&source).expect("makes a key").main().seal("id", b"text");
        assert_eq!(unlock(&source).expect("reads it").open("id", &sealed).expect("opens").0, b"text");
        assert_eq!(fs::read_dir(files.path()).expect("lists").count(), 1, "no draft is left behind");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = fs::metadata(&path).expect("exists").permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        let given = KeySource::Given { variable: "KEY", key: fs::read_to_string(&path).expect("reads") };
        assert!(unlock(&given).expect("the same key").open("id", &sealed).is_ok());
        let twice = Vault::unlock(&source, Some(&given)).expect("one key twice");
        assert!(!twice.has_previous());
        let other = KeySource::File(files.path().join("other.key"));
        let both = Vault::unlock(&other, Some(&KeySource::ExistingFile(path))).expect("two keys");
        assert!(both.has_previous() && both.open("id", &sealed).is_ok());
    }

    #[test]
    fn wrong_keys_are_refused_without_being_shown() {
        let files = tempfile::tempdir().expect("a directory");
        let path = files.path().join("wrong.key");
        fs::write(&path, "hunter2hunter2").expect("writes");
        let nowhere = KeySource::File(files.path().join("no/such/directory.key"));
        let given = KeySource::Given { variable: "THE_KEY", key: "hunter2hunter2".to_owned() };
        let absent = KeySource::ExistingFile(files.path().join("absent.key"));
        let existing = KeySource::ExistingFile(path.clone());
        let right = KeySource::File(files.path().join("right.key"));
        for (source, place) in [
            (given, "THE_KEY"),
            (KeySource::File(path), "wrong.key"),
            (existing, "wrong.key"),
            (absent, "absent.key"),
            (nowhere, "directory.key"),
        ] {
            for error in [Vault::unlock(&source, None), Vault::unlock(&right, Some(&source))] {
                let error = error.expect_err("no key");
                assert!(error.to_string().contains(place), "{error}");
                assert!(!format!("{error} {error:?} {source:?}").contains("hunter2"));
            }
        }
        assert!(!files.path().join("absent.key").exists(), "a previous key is not made up");
        let vault = Vault::with_key(&[7; 32]);
        assert_eq!(format!("{vault:?} {:?}", vault.main()), "Vault Key");
    }
}
