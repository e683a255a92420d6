//! The server over HTTP, in process: one file for each room of `src/api`.

mod authorization;
mod conformance;
mod harness;

mod command_line;
mod credentials;
mod errors;
mod event_log;
mod events;
mod features;
mod first_start;
mod import;
mod instance;
mod jobs;
mod login_settings;
mod profile;
mod projects;
mod schema;
mod search;
mod sign_in;
