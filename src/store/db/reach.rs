//! The first connection to PostgreSQL, which tells an operator where it went and why there was none.

use std::io::ErrorKind;

use sea_orm::sqlx::{
    self, Connection as _,
    postgres::{PgConnectOptions, PgConnection},
};

use super::WAIT;
use crate::store::StoreError;

/// Connects once and at once. A pool goes on trying for as long as it may, and then knows no reason.
pub(in crate::store) async fn connect(options: &PgConnectOptions) -> Result<PgConnection, StoreError> {
    let reason = match tokio::time::timeout(WAIT, PgConnection::connect_with(options)).await {
        Ok(Ok(connection)) => return Ok(connection),
        Ok(Err(error)) => reason(options, error),
        Err(_) => format!("no answer within {} s", WAIT.as_secs()),
    };
    Err(StoreError::unreachable(place(options), reason))
}

/// What the server says, or the system, without the driver's introduction.
fn reason(options: &PgConnectOptions, error: sqlx::Error) -> String {
    let is_socket = options.get_socket().is_some() || options.get_host().starts_with('/');
    match error {
        sqlx::Error::Io(error) if error.kind() == ErrorKind::NotFound && !is_socket => {
            "a file that the URL names, such as sslrootcert, is not there".to_owned()
        }
        sqlx::Error::Io(error) => error.to_string(),
        sqlx::Error::Database(error) => error.message().to_owned(),
        error => error.to_string(),
    }
}

/// Host and port, or the socket in the file system.
fn place(options: &PgConnectOptions) -> String {
    let port = options.get_port();
    match options.get_socket() {
        Some(directory) => format!("{}/.s.PGSQL.{port}", directory.display()),
        None if options.get_host().starts_with('/') => format!("{}/.s.PGSQL.{port}", options.get_host()),
        None => format!("{}:{port}", options.get_host()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_what_an_operator_wrote() {
        for (url, expected) in [
            ("postgres://ada:hunter2@db.example.com/flagstone", "db.example.com:5432"),
            ("postgres://ada:hunter2@127.0.0.1:6543/flagstone?sslmode=require", "127.0.0.1:6543"),
            ("postgres://ada@[::1]:6543/flagstone", "[::1]:6543"),
            ("postgres:///flagstone?host=/run/postgresql", "/run/postgresql/.s.PGSQL.5432"),
        ] {
            assert_eq!(place(&url.parse().expect("a URL")), expected);
        }
    }
}
