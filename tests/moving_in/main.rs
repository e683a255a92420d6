//! `flagstone move-in`: whoever used the old server notices nothing. Without `FLAGSTONE_TEST_DATABASE` there is no
//! server to move in from, and only files are tested, into SQLite.

#[path = "../support/address.rs"]
mod address;
mod answers;
mod back;
mod broken;
mod change_requests;
mod cut;
mod dump;
mod files;
mod frontends;
mod login;
mod moved;
mod odd;
mod old;
mod outcomes;
#[path = "../support/postgres.rs"]
mod postgres;
mod refusals;
mod server;
mod stored;
mod tls;
mod ways;

/// A PostgreSQL server of a test's own, as the tests of several nodes start it.
#[path = "../nodes/private_server.rs"]
#[expect(dead_code, reason = "those tests use all of it")]
mod private_server;
