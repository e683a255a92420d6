//! How often each background job runs. docs/operations.md lists them; `jobs.rs` says what each does.

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
    /// Seconds between two looks for changes that other nodes made.
    changes_elsewhere = "job-changes-elsewhere-seconds", "FLAGSTONE_JOB_CHANGES_ELSEWHERE_SECONDS", 1, 1..=60;
    /// Seconds between two writes of what programs reported.
    usage = "job-usage-seconds", "FLAGSTONE_JOB_USAGE_SECONDS", 5, 1..=3600;
    /// Seconds between two writes of when people were seen.
    presence = "job-presence-seconds", "FLAGSTONE_JOB_PRESENCE_SECONDS", 60, 1..=3600;
    /// Seconds between two looks for features that have outlived their type.
    potentially_stale = "job-potentially-stale-seconds", "FLAGSTONE_JOB_POTENTIALLY_STALE_SECONDS", 60, 10..=DAY;
    /// Seconds between two counts for the insights.
    insights = "job-insights-seconds", "FLAGSTONE_JOB_INSIGHTS_SECONDS", 3600, 60..=DAY;
    /// Seconds between two removals of sessions that ended.
    ended_sessions = "job-ended-sessions-seconds", "FLAGSTONE_JOB_ENDED_SESSIONS_SECONDS", 3600, 60..=DAY;
    /// Seconds between two removals of deliveries to integrations that ended long ago.
    ended_deliveries = "job-ended-deliveries-seconds", "FLAGSTONE_JOB_ENDED_DELIVERIES_SECONDS", 900, 60..=DAY;
    /// Seconds between two looks for events that have no hash yet.
    event_chain = "job-event-chain-seconds", "FLAGSTONE_JOB_EVENT_CHAIN_SECONDS", 1, 1..=60;
    /// Seconds between two checkpoints of the log of events, where something happened.
    event_checkpoint = "job-event-checkpoint-seconds", "FLAGSTONE_JOB_EVENT_CHECKPOINT_SECONDS", 3600, 60..=DAY;
    /// Seconds between two removals of events that are older than they are kept.
    event_retention = "job-event-retention-seconds", "FLAGSTONE_JOB_EVENT_RETENTION_SECONDS", 3600, 60..=DAY;
    /// Seconds between two rounds of adding up and forgetting usage.
    usage_history = "job-usage-history-seconds", "FLAGSTONE_JOB_USAGE_HISTORY_SECONDS", 3600, 60..=DAY;
    /// Seconds between two copies of the SQLite database, where there is a directory for them.
    backup = "job-backup-seconds", "FLAGSTONE_JOB_BACKUP_SECONDS", 21_600, 300..=31 * DAY;
}
