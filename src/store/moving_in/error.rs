//! Reasons why nothing came over.

use std::fmt;

use sea_orm::sqlx;

use crate::StoreError;

/// Reason why nothing came over. In any case the target holds what it held before; at most its schema was brought to
/// this version.
#[derive(Debug)]
pub enum MoveInError {
    /// The source cannot be reached.
    Unreachable(StoreError),
    /// The source is no database of Unleash.
    Foreign {
        /// Its name.
        database: String,
    },
    /// Several schemas of the source hold one.
    Ambiguous(Vec<String>),
    /// The source is of a version before those that are read.
    TooOld {
        /// The newest step of its schema.
        newest: String,
    },
    /// Tables that may not be read.
    Unreadable(Vec<String>),
    /// The source failed.
    Source(sqlx::Error),
    /// The target is in use: what it holds, with numbers.
    InUse(Vec<(&'static str, u64)>),
    /// Something is not in the target as often as it should be: what, how often, and how often it is there.
    Differs(&'static str, u64, u64),
    /// The target failed.
    Target(StoreError),
}

impl From<StoreError> for MoveInError {
    fn from(error: StoreError) -> Self {
        Self::Target(error)
    }
}

impl From<sea_orm::DbErr> for MoveInError {
    fn from(error: sea_orm::DbErr) -> Self {
        Self::Target(error.into())
    }
}

impl fmt::Display for MoveInError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const AS_BEFORE: &str = "nothing came over, and the target is as it was";
        match self {
            Self::Unreachable(error) => write!(f, "the source: {error}"),
            Self::Foreign { database } => write!(
                f,
                "the database {database} is none of Unleash: it has no tables `migrations` and `feature_strategies` that \
                 this user can see; name its database, and where its tables lie in a schema of their own, give the user \
                 the right to use that"
            ),
            Self::Ambiguous(schemas) => write!(
                f,
                "several schemas hold tables of Unleash: {}; choose one with ?options=-csearch_path%3DSCHEMA at the end of \
                 the URL",
                schemas.join(", ")
            ),
            Self::TooOld { newest } => write!(
                f,
                "the source is older than Unleash 4.19 (its newest migration is {newest}): upgrade that server to 4.19 or \
                 later first, and move in then"
            ),
            Self::Unreadable(tables) => write!(
                f,
                "the user may not read these tables: {}; let their owner run `GRANT SELECT ON … TO …`, and try again",
                tables.join(", ")
            ),
            Self::Source(error) => {
                write!(f, "the source cannot be read any further: {}; {AS_BEFORE}: run the same again", reason(error))
            }
            Self::InUse(found) => {
                let found: Vec<_> = found.iter().map(|(what, number)| format!("{what} ({number})")).collect();
                write!(f, "the target is in use, it holds {}: give an empty database", found.join(", "))
            }
            Self::Differs(what, expected, there) => {
                write!(f, "{expected} {what} should be there and {there} are; {AS_BEFORE}")
            }
            Self::Target(error) => write!(f, "the target failed: {error}; {AS_BEFORE}"),
        }
    }
}

impl std::error::Error for MoveInError {}

fn reason(error: &sqlx::Error) -> String {
    match error {
        sqlx::Error::Io(error) => error.to_string(),
        sqlx::Error::Database(error) => error.message().to_owned(),
        error => error.to_string(),
    }
}
