//! Reasons why a database cannot be opened, in words for an operator: the place where it was looked for, and the
//! system's message.

use std::{io::ErrorKind, path::Path};

use sea_orm::sqlx::{
    self, Connection as _,
    postgres::{PgConnectOptions, PgConnection},
};

use super::{
    WAIT,
    options::{postgres, sqlite_path},
};
use crate::{StoreError, error::sqlite_code};

/// SQLite's codes for a file that it may not write, one that it cannot open, and one that is something else.
const READ_ONLY: u32 = 8;
const CANNOT_OPEN: u32 = 14;
const NOT_A_DATABASE: u32 = 26;
/// Requirements of SQLite.
const WRITABLE: &str = "the user that Flagstone runs as must be able to write to this file and to its \
                        directory, and the file system must not be read-only";

/// Connects once and at once. A pool goes on trying for as long as it may, and then knows no reason.
pub(crate) async fn connect(options: &PgConnectOptions) -> Result<PgConnection, StoreError> {
    let reason = match tokio::time::timeout(WAIT, PgConnection::connect_with(options)).await {
        Ok(Ok(connection)) => return Ok(connection),
        Ok(Err(error)) => reason(options, error),
        Err(_) => format!("no answer within {} s", WAIT.as_secs()),
    };
    Err(StoreError::unreachable(place(options), reason))
}

/// Message of the server, or of the system, without the driver's introduction.
fn reason(options: &PgConnectOptions, error: sqlx::Error) -> String {
    let is_socket = options.get_socket().is_some() || options.get_host().starts_with('/');
    match error {
        sqlx::Error::Io(error) if error.kind() == ErrorKind::NotFound && !is_socket => {
            "a file that the URL names, such as sslrootcert, is not there".to_owned()
        }
        sqlx::Error::Io(error) => error.to_string(),
        sqlx::Error::Database(error) => {
            let code = error.code().unwrap_or_default();
            grant(&code, error.message()).unwrap_or_else(|| error.message().to_owned())
        }
        sqlx::Error::Configuration(error) | sqlx::Error::Tls(error) => error.to_string(),
        sqlx::Error::Protocol(message) => without_location(&message).to_owned(),
        error => error.to_string(),
    }
}

/// Message of the driver, without the line of its source that it ends in.
fn without_location(message: &str) -> &str {
    match message.rsplit_once(" (") {
        Some((told, location)) if location.contains("::") && location.ends_with(')') => told,
        _ => message,
    }
}

/// Makes the error of a SQLite file that cannot be opened, with the reason. A full disk stays what it is, since it has
/// a message of its own.
pub(crate) fn of_file(path: &Path, error: StoreError) -> StoreError {
    if error.is_disk_full() {
        return error;
    }
    StoreError::unopened(format!("the database {} cannot be opened: {}", path.display(), reason_of_file(&error)))
}

/// Reason why a SQLite file cannot be opened.
pub(super) fn reason_of_file(error: &StoreError) -> String {
    match error.of_driver() {
        Some(sqlx::Error::Database(error)) => match error.code().as_deref().and_then(sqlite_code) {
            Some(NOT_A_DATABASE) => "it is no SQLite database".to_owned(),
            Some(READ_ONLY | CANNOT_OPEN) => format!("{}; {WRITABLE}", error.message()),
            _ => error.message().to_owned(),
        },
        Some(error) => error.to_string(),
        None => error.to_string(),
    }
}

/// Message of PostgreSQL about a missing right, with the grant that gives it; `None` for other messages.
pub(crate) fn grant(code: &str, message: &str) -> Option<String> {
    // What it says without the right to use any schema.
    const NO_SCHEMA: &str = "3F000";
    const NO_RIGHT: &str = "42501";
    let last = message.rsplit(' ').next().unwrap_or_default();
    let statement = match code {
        NO_SCHEMA => "GRANT USAGE, CREATE ON SCHEMA public TO role".to_owned(),
        NO_RIGHT if message.contains(" schema ") => format!("GRANT USAGE, CREATE ON SCHEMA {last} TO role"),
        NO_RIGHT if message.contains(" database ") => format!("GRANT CONNECT, CREATE ON DATABASE {last} TO role"),
        NO_RIGHT if message.contains(" extension ") => format!("CREATE EXTENSION {last}, as a superuser"),
        NO_RIGHT if message.contains(" owner of ") => format!("ALTER TABLE {last} OWNER TO role"),
        NO_RIGHT if message.contains(" sequence ") => format!("GRANT USAGE, SELECT, UPDATE ON SEQUENCE {last} TO role"),
        NO_RIGHT if message.contains(" table ") => {
            format!("GRANT SELECT, INSERT, UPDATE, DELETE ON {last} TO role; for upgrades it must own all tables")
        }
        NO_RIGHT => "let the role own the database and everything in it".to_owned(),
        _ => return None,
    };
    Some(format!("{message}; the role that Flagstone connects as lacks this right, which its owner gives: {statement}"))
}

/// Returns the name of a database for its operator: its file, or its name and host. Holds no secret.
pub fn shown(url: &str) -> String {
    if let Some(path) = sqlite_path(url) {
        return path.display().to_string();
    }
    let Ok(options) = postgres(url) else { return "of this URL".to_owned() };
    let name = options.get_database().unwrap_or_else(|| options.get_username());
    format!("{name} on PostgreSQL at {}", place(&options))
}

/// Host and port, or the socket in the file system.
fn place(options: &PgConnectOptions) -> String {
    let port = options.get_port();
    match options.get_socket() {
        Some(directory) => format!("{}/.s.PGSQL.{port}", directory.display()),
        None if options.get_host().starts_with('/') => format!("{}/.s.PGSQL.{port}", options.get_host()),
        None if options.get_host().contains(':') => format!("[{}]:{port}", options.get_host()),
        None => format!("{}:{port}", options.get_host()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_driver_s_own_lines_are_not_told() {
        for (message, told) in [
            (
                "unexpected response from SSLRequest: 0x48 (sqlx_postgres::connection::tls:83)",
                "unexpected response from SSLRequest: 0x48",
            ),
            ("expected more bytes (3)", "expected more bytes (3)"),
            ("unsupported", "unsupported"),
        ] {
            assert_eq!(without_location(message), told);
        }
    }

    /// The time of the test goes on by itself while nothing else can happen.
    #[tokio::test(start_paused = true)]
    async fn a_server_that_takes_connections_and_says_nothing_is_not_waited_for_for_ever() {
        let silent = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let place = silent.local_addr().expect("its port");
        let options = postgres(&format!("postgres://ada:hunter2@{place}/flagstone")).expect("a URL");
        let began = tokio::time::Instant::now();
        let error = connect(&options).await.expect_err("nobody answers").to_string();
        assert_eq!(error, format!("PostgreSQL at {place} cannot be reached: no answer within 10 s"));
        assert_eq!(began.elapsed().as_secs(), 10);
    }

    #[test]
    fn a_right_that_is_missing_is_told_with_what_gives_it() {
        for (code, message, expected) in [
            ("42501", "permission denied for schema public", "GRANT USAGE, CREATE ON SCHEMA public TO role"),
            ("3F000", "no schema has been selected to create in", "GRANT USAGE, CREATE ON SCHEMA public TO role"),
            ("42501", "permission denied for database flags", "GRANT CONNECT, CREATE ON DATABASE flags TO role"),
            (
                "42501",
                "permission denied to create extension \"pg_trgm\"",
                "CREATE EXTENSION \"pg_trgm\", as a superuser",
            ),
            ("42501", "must be owner of table event", "ALTER TABLE event OWNER TO role"),
            ("42501", "permission denied for sequence event_id_seq", "ON SEQUENCE event_id_seq TO role"),
            ("42501", "permission denied for table setting", "GRANT SELECT, INSERT, UPDATE, DELETE ON setting TO role"),
            ("42501", "keine Berechtigung", "let the role own the database"),
        ] {
            let told = grant(code, message).expect(message);
            assert!(told.starts_with(message) && told.contains(expected), "{told}");
        }
        assert_eq!(grant("42P01", "relation \"setting\" does not exist"), None);
    }

    #[test]
    fn a_database_is_named_without_its_password() {
        for (url, expected) in [
            ("sqlite://data/flagstone.db?mode=ro", "data/flagstone.db"),
            ("postgres://ada:hunter2@db.example.com/flags", "flags on PostgreSQL at db.example.com:5432"),
            ("postgres://ada:hunter2@db.example.com", "ada on PostgreSQL at db.example.com:5432"),
            ("postgres://ada:hun#ter2@db.example.com/flags", "of this URL"),
        ] {
            assert_eq!(shown(url), expected);
        }
    }

    #[test]
    fn a_place_is_what_an_operator_wrote() {
        for (url, expected) in [
            ("postgres://ada:hunter2@db.example.com/flagstone", "db.example.com:5432"),
            ("postgres://ada:hunter2@127.0.0.1:6543/flagstone?sslmode=require", "127.0.0.1:6543"),
            ("postgres://ada@[::1]:6543/flagstone", "[::1]:6543"),
            ("postgres:///flagstone?host=/run/postgresql", "/run/postgresql/.s.PGSQL.5432"),
        ] {
            assert_eq!(place(&postgres(url).expect("a URL")), expected);
        }
    }
}
