//! Sources of the keys that login settings are encrypted with.

use std::path::{Path, PathBuf};

use clap::Args;
use flagstone_store::db::sqlite_path;
use flagstone_vault::{KeySource, Vault, VaultError};

use crate::{DatabaseChoice, Hidden};

/// Name of the key file when none is given.
const KEY_FILE: &str = "flagstone.key";
const KEY: &str = "FLAGSTONE_SECRET_KEY";
const PREVIOUS_KEY: &str = "FLAGSTONE_PREVIOUS_SECRET_KEY";

/// The key, and the one before while it is being changed. No key ever stands in a message.
#[derive(Debug, Clone, Args)]
pub struct Keys {
    /// File with the key that encrypts login settings; created when absent. By default `flagstone.key` beside the
    /// SQLite file, or in the working directory.
    #[arg(long, env = "FLAGSTONE_KEY_FILE")]
    pub key_file: Option<PathBuf>,
    /// The key itself, 32 bytes in base64, instead of a file.
    #[arg(long, env = KEY, hide_env_values = true)]
    pub secret_key: Option<Hidden>,
    /// File with the previous key, during a change of the key: what is still encrypted with it can be read.
    #[arg(long, env = "FLAGSTONE_PREVIOUS_KEY_FILE")]
    pub previous_key_file: Option<PathBuf>,
    /// The previous key itself, instead of a file.
    #[arg(long, env = PREVIOUS_KEY, hide_env_values = true)]
    pub previous_secret_key: Option<Hidden>,
}

impl Keys {
    /// Takes the keys from where the operator keeps them.
    pub fn unlock(&self, database: &DatabaseChoice) -> Result<Vault, VaultError> {
        Vault::unlock(&self.source(&database.url), self.previous_source().as_ref())
    }

    /// Takes the keys like [`Self::unlock`], but returns `None` where there is no key: for commands that would have no
    /// use for a fresh one.
    pub fn unlock_existing(&self, database: &DatabaseChoice) -> Result<Option<Vault>, VaultError> {
        match self.source(&database.url) {
            KeySource::File(path) if !path.exists() => Ok(None),
            KeySource::File(path) => {
                Vault::unlock(&KeySource::ExistingFile(path), self.previous_source().as_ref()).map(Some)
            }
            given => Vault::unlock(&given, self.previous_source().as_ref()).map(Some),
        }
    }

    /// The file that the key for this database is in, unless the key itself is given.
    pub fn file(&self, database: &DatabaseChoice) -> Option<PathBuf> {
        match self.source(&database.url) {
            KeySource::File(path) | KeySource::ExistingFile(path) => Some(path),
            KeySource::Given { .. } => None,
        }
    }

    /// Whether the key for this database is the same wherever a command is run: named, or next to the database.
    pub fn are_told_for(&self, database: &DatabaseChoice) -> bool {
        self.secret_key.is_some() || self.key_file.is_some() || sqlite_path(&database.url).is_some()
    }

    /// Returns the source of the key: next to this database unless the operator named another.
    fn source(&self, database_url: &str) -> KeySource {
        match (&self.secret_key, &self.key_file) {
            (Some(Hidden(key)), _) => KeySource::Given { variable: KEY, key: key.clone() },
            (None, Some(file)) => KeySource::File(file.clone()),
            (None, None) => {
                let database = sqlite_path(database_url).unwrap_or(Path::new(""));
                KeySource::File(database.with_file_name(KEY_FILE))
            }
        }
    }

    /// Returns the source of the previous key, if there is one. Variables that are set to nothing name none.
    fn previous_source(&self) -> Option<KeySource> {
        let given = self.previous_secret_key.as_ref().filter(|Hidden(key)| !key.is_empty());
        if let Some(Hidden(key)) = given {
            return Some(KeySource::Given { variable: PREVIOUS_KEY, key: key.clone() });
        }
        let file = self.previous_key_file.as_ref().filter(|file| !file.as_os_str().is_empty())?;
        Some(KeySource::ExistingFile(file.clone()))
    }
}
