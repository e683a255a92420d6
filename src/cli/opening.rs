//! Opening of the database by commands: in one place, by what they may make of it.

use std::fmt;

use crate::{
    config::DatabaseChoice,
    store::{
        StoreError,
        db::{Db, shown, sqlite_path},
        migrate::{self, Newer, Standing},
    },
};

/// Advice on naming another database.
const NAME_IT: &str = "name the one of the server with --database-url or DATABASE_URL";

/// Changes that a command may make to the database before it begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Opening {
    /// The database may be created, and is brought to the schema of this version.
    MayUpgrade,
    /// The database must exist, with the schema of this version.
    OnlyCurrent,
    /// The database must exist, with the schema of this version or of one before.
    CurrentOrOlder,
}

/// Opens the database. What is refused stays as it is, and no file is made.
pub(super) async fn open(database: &DatabaseChoice, opening: Opening) -> Result<Db, OpenError> {
    if opening == Opening::MayUpgrade {
        return Ok(upgrade(database).await?.0);
    }
    let url = &database.url;
    if let Some(path) = sqlite_path(url) {
        if !path.exists() {
            return Err(OpenError::Absent(shown(url)));
        }
        judge(url, migrate::standing_of_file(path).await?, opening)?;
        return Ok(Db::open(url).await?);
    }
    let db = Db::open(url).await?;
    let judged = match migrate::standing(&db).await {
        Ok(standing) => judge(url, standing, opening),
        Err(error) => Err(error.into()),
    };
    match judged {
        Ok(()) => Ok(db),
        Err(error) => {
            // Nothing was written, so nothing is lost where that fails.
            let _closed = db.close().await;
            Err(error)
        }
    }
}

/// Opens the database, creates it where it is absent, and brings it to the schema of this version. Returns how it stood
/// to that before.
pub(super) async fn upgrade(database: &DatabaseChoice) -> Result<(Db, Standing), OpenError> {
    let url = &database.url;
    if let Some(path) = sqlite_path(url)
        && path.metadata().is_ok_and(|file| file.len() > 0)
    {
        judge(url, migrate::standing_of_file(path).await?, Opening::MayUpgrade)?;
    }
    let db = Db::open(url).await?;
    match migrate::migrate(&db).await {
        Ok(before) => Ok((db, before)),
        Err(error) => {
            // What was begun is undone, and the error is what counts.
            let _closed = db.close().await;
            Err(error.into())
        }
    }
}

/// Whether a command may work with a database that stands so.
fn judge(url: &str, standing: Standing, opening: Opening) -> Result<(), OpenError> {
    match (standing, opening) {
        (Standing::Current, _)
        | (Standing::Older(_), Opening::MayUpgrade | Opening::CurrentOrOlder)
        | (Standing::Empty, Opening::MayUpgrade) => Ok(()),
        (Standing::Older(missing), Opening::OnlyCurrent) => Err(OpenError::Older(shown(url), missing)),
        (Standing::Newer(newer), _) => Err(OpenError::Newer(shown(url), newer)),
        (Standing::Empty, _) => Err(OpenError::Empty(shown(url))),
        (Standing::Foreign, _) => Err(OpenError::Foreign(shown(url))),
    }
}

/// Reason why the database cannot be worked with, and its name.
#[derive(Debug)]
pub(super) enum OpenError {
    Absent(String),
    Empty(String),
    /// Schema of an older version, with the migrations that are missing.
    Older(String, Vec<String>),
    Newer(String, Newer),
    Foreign(String),
    Store(StoreError),
}

impl From<StoreError> for OpenError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Absent(name) => write!(
                f,
                "there is no database at {name}: {NAME_IT}; the start of the server or `flagstone migrate` makes one"
            ),
            Self::Empty(name) => write!(
                f,
                "the database {name} is empty: {NAME_IT}; the start of the server or `flagstone migrate` sets it up"
            ),
            Self::Older(name, missing) => write!(
                f,
                "the schema of the database {name} is older than this program ({} migrations are missing, from {} on): \
                 make a backup, then upgrade it with `flagstone migrate` or by starting the server",
                missing.len(),
                missing.first().map_or("", String::as_str)
            ),
            Self::Newer(name, newer) => write!(f, "{name}: {newer}"),
            Self::Foreign(name) => write!(
                f,
                "the database {name} is that of another program, and was left as it is: {NAME_IT}, or one that does not \
                 exist yet for a new server"
            ),
            Self::Store(error) if error.is_disk_full() => write!(
                f,
                "the disk of the database is full, so its schema could not be brought to this version; what was begun \
                 is undone, and nothing is lost: make room, as much again as the database takes, and start once more \
                 ({error})"
            ),
            Self::Store(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for OpenError {}
