//! The program on a socket: callers that dawdle, crowds, few files, TLS, where its settings come from, and what its log
//! gives away.

mod crowds;
mod frames;
mod log;
mod program;
mod settings;
mod slow_heads;
mod slow_readers;
mod tls;
