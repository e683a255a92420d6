//! Rows. The only place that knows SQL; decides nothing about permissions and nothing about HTTP.

pub mod access;
pub mod applications;
pub mod backup;
pub mod banners;
pub mod condition;
pub mod context_fields;
pub mod copy;
pub mod dashboard;
pub mod db;
pub mod entity;
pub mod environments;
pub mod events;
pub mod export;
pub mod features;
pub mod groups;
pub mod health;
pub mod import;
pub mod in_use;
pub mod insights;
pub mod instance;
pub mod integrations;
pub mod jobs;
pub mod limits;
pub mod migrate;
pub mod moving_in;
pub mod notices;
pub mod notifications;
pub mod playground;
pub mod preferences;
pub mod programs;
pub mod projects;
pub mod roles;
pub mod schema;
pub mod scim;
pub mod segments;
pub mod service_accounts;
pub mod settings;
pub mod sign_in;
pub mod strategies;
pub mod tags;
pub mod tokens;
pub mod users;
mod visibility;

mod error;

pub use error::StoreError;
