//! The program on a socket: callers that dawdle, crowds, few files, TLS, where its settings come from, and what its log
//! and its traces give away.

#[path = "../support/address.rs"]
mod address;
mod collector;
mod crowds;
mod frames;
mod log;
mod notices;
mod program;
mod settings;
mod slow_heads;
mod slow_readers;
mod tls;
mod told;
mod traces;
mod unleash_settings;
mod unread_bodies;
