//! Rows. The only place that knows SQL; decides nothing about permissions and nothing about HTTP.

pub mod access;
pub mod backup;
pub mod db;
pub mod dependencies;
pub mod entity;
pub mod environments;
pub mod events;
pub mod export;
pub mod favorites;
pub mod features;
pub mod health;
pub mod import;
pub mod insights;
pub mod jobs;
pub mod migrate;
pub mod people;
pub mod projects;
pub mod roles;
pub mod search;
pub mod segments;
pub mod sessions;
pub mod settings;
pub mod strategies;
pub mod tags;
mod text;
pub mod tokens;
pub mod value;
pub mod variants;

mod error;
mod packed;

pub use error::StoreError;
