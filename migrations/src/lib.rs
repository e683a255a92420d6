//! The database schema of Flagstone: one definition for SQLite and PostgreSQL, forward only.
//!
//! A migration that was released is never edited; what changes later is a new one. Databases record migrations by name,
//! so that the numbers 0014 and 0020, which no migration ever had, stay unused.

use sea_orm_migration::{MigrationTrait, MigratorTrait, async_trait};

mod table;

mod m0001_projects;
mod m0002_people;
mod m0003_features;
mod m0004_events;
mod m0005_usage;
mod m0006_insights;
mod m0007_server;
mod m0008_full_text;
mod m0009_seed;
mod m0010_roles;
mod m0011_retired_projects;
mod m0012_archive;
mod m0013_strategy_types;
mod m0015_users;
mod m0016_access;
mod m0017_console;
mod m0018_event_text;
mod m0019_covering_indexes;
mod m0021_known_where;
mod m0022_sign_in;
mod m0023_integrations;
mod m0024_service_accounts;
mod m0025_event_chain;
mod m0026_scim;
mod m0027_event_log_lock;
mod m0028_listed_environments;
mod m0029_archived_dependencies;
mod m0030_reports;
mod m0031_integration_owners;
mod m0032_account_powers;
mod m0033_idempotency;
mod m0034_open_calls;
mod m0035_event_reasons;
mod m0036_feature_links;
mod m0037_reader;
mod m0038_change_requests;
mod m0039_variant_days;
mod m0040_sessions;
mod m0041_second_factor;
mod m0042_nested_groups;
mod m0043_scim_directories;
mod m0044_passkeys;
mod m0045_sign_in_providers;
mod m0046_user_access_requests;
mod m0047_account_policy;
mod m0048_followed_metadata;
mod m0049_membership_providers;

/// Every migration, oldest first.
#[derive(Debug, Clone, Copy)]
pub struct Migrator;

#[async_trait::async_trait]
impl MigratorTrait for Migrator {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        vec![
            Box::new(m0001_projects::Migration),
            Box::new(m0002_people::Migration),
            Box::new(m0003_features::Migration),
            Box::new(m0004_events::Migration),
            Box::new(m0005_usage::Migration),
            Box::new(m0006_insights::Migration),
            Box::new(m0007_server::Migration),
            Box::new(m0008_full_text::Migration),
            Box::new(m0009_seed::Migration),
            Box::new(m0010_roles::Migration),
            Box::new(m0011_retired_projects::Migration),
            Box::new(m0012_archive::Migration),
            Box::new(m0013_strategy_types::Migration),
            Box::new(m0015_users::Migration),
            Box::new(m0016_access::Migration),
            Box::new(m0017_console::Migration),
            Box::new(m0018_event_text::Migration),
            Box::new(m0019_covering_indexes::Migration),
            Box::new(m0021_known_where::Migration),
            Box::new(m0022_sign_in::Migration),
            Box::new(m0023_integrations::Migration),
            Box::new(m0024_service_accounts::Migration),
            Box::new(m0025_event_chain::Migration),
            Box::new(m0026_scim::Migration),
            Box::new(m0027_event_log_lock::Migration),
            Box::new(m0028_listed_environments::Migration),
            Box::new(m0029_archived_dependencies::Migration),
            Box::new(m0030_reports::Migration),
            Box::new(m0031_integration_owners::Migration),
            Box::new(m0032_account_powers::Migration),
            Box::new(m0033_idempotency::Migration),
            Box::new(m0034_open_calls::Migration),
            Box::new(m0035_event_reasons::Migration),
            Box::new(m0036_feature_links::Migration),
            Box::new(m0037_reader::Migration),
            Box::new(m0038_change_requests::Migration),
            Box::new(m0039_variant_days::Migration),
            Box::new(m0040_sessions::Migration),
            Box::new(m0041_second_factor::Migration),
            Box::new(m0042_nested_groups::Migration),
            Box::new(m0043_scim_directories::Migration),
            Box::new(m0044_passkeys::Migration),
            Box::new(m0045_sign_in_providers::Migration),
            Box::new(m0046_user_access_requests::Migration),
            Box::new(m0047_account_policy::Migration),
            Box::new(m0048_followed_metadata::Migration),
            Box::new(m0049_membership_providers::Migration),
        ]
    }
}
