//! Periods of the background jobs. docs/operations.md lists them; `jobs.rs` says what each does.

use std::time::Duration;

use clap::Args;

/// Seconds of a day.
const DAY: u64 = 86_400;

macro_rules! periods {
    ($($(#[$doc:meta])* $name:ident = $flag:literal, $variable:literal, $default:literal, $bounds:expr;)+) => {
        /// Seconds from one start of each background job to the next.
        #[derive(Debug, Clone, Args)]
        pub struct Periods {
            $(
                $(#[$doc])*
                #[arg(
                    long = $flag,
                    env = $variable,
                    value_name = "SECONDS",
                    default_value_t = $default,
                    value_parser = clap::value_parser!(u64).range($bounds)
                )]
                $name: u64,
            )+
        }

        impl Default for Periods {
            fn default() -> Self {
                Self { $($name: $default,)+ }
            }
        }

        impl Periods {
            $(
                $(#[$doc])*
                pub const fn $name(&self) -> Duration {
                    Duration::from_secs(self.$name)
                }
            )+
        }
    };
}

periods! {
    /// Seconds between checks for changes by other nodes.
    changes_elsewhere = "job-changes-elsewhere-seconds", "FLAGSTONE_JOB_CHANGES_ELSEWHERE_SECONDS", 1, 1..=60;
    /// Seconds between writes of reports of programs.
    usage = "job-usage-seconds", "FLAGSTONE_JOB_USAGE_SECONDS", 5, 1..=3600;
    /// Seconds between writes of when users were last active.
    presence = "job-presence-seconds", "FLAGSTONE_JOB_PRESENCE_SECONDS", 60, 1..=3600;
    /// Seconds between checks for change requests whose scheduled time has come.
    change_request_schedules = "job-change-request-schedules-seconds", "FLAGSTONE_JOB_CHANGE_REQUEST_SCHEDULES_SECONDS", 1, 1..=60;
    /// Seconds between checks for features older than the lifetime of their type.
    potentially_stale = "job-potentially-stale-seconds", "FLAGSTONE_JOB_POTENTIALLY_STALE_SECONDS", 60, 10..=DAY;
    /// Seconds between updates of the figures for the insights.
    insights = "job-insights-seconds", "FLAGSTONE_JOB_INSIGHTS_SECONDS", 3600, 60..=DAY;
    /// Seconds between deletions of expired sessions.
    ended_sessions = "job-ended-sessions-seconds", "FLAGSTONE_JOB_ENDED_SESSIONS_SECONDS", 3600, 60..=DAY;
    /// Seconds between looks for sessions whose access is to be checked again at their login provider.
    access_checks = "job-access-checks-seconds", "FLAGSTONE_JOB_ACCESS_CHECKS_SECONDS", 60, 10..=DAY;
    /// Seconds between looks for inactive users, if the policy on accounts deactivates them.
    inactive_users = "job-inactive-users-seconds", "FLAGSTONE_JOB_INACTIVE_USERS_SECONDS", 3600, 60..=DAY;
    /// Seconds between deletions of old deliveries to integrations.
    ended_deliveries = "job-ended-deliveries-seconds", "FLAGSTONE_JOB_ENDED_DELIVERIES_SECONDS", 900, 60..=DAY;
    /// Seconds between checks whether the metadata of the SAML provider has to be read, if the settings follow it.
    saml_metadata = "job-saml-metadata-seconds", "FLAGSTONE_JOB_SAML_METADATA_SECONDS", 60, 10..=3600;
    /// Seconds between checks for events without a hash.
    event_chain = "job-event-chain-seconds", "FLAGSTONE_JOB_EVENT_CHAIN_SECONDS", 1, 1..=60;
    /// Seconds between checkpoints of the event log, if there are new events.
    event_checkpoint = "job-event-checkpoint-seconds", "FLAGSTONE_JOB_EVENT_CHECKPOINT_SECONDS", 3600, 60..=DAY;
    /// Seconds between deletions of events past their retention.
    event_retention = "job-event-retention-seconds", "FLAGSTONE_JOB_EVENT_RETENTION_SECONDS", 3600, 60..=DAY;
    /// Seconds between aggregations of usage and deletions of old usage.
    usage_history = "job-usage-history-seconds", "FLAGSTONE_JOB_USAGE_HISTORY_SECONDS", 3600, 60..=DAY;
    /// Seconds between backups of the SQLite database, if a directory for them is set.
    backup = "job-backup-seconds", "FLAGSTONE_JOB_BACKUP_SECONDS", 21_600, 300..=31 * DAY;
}
